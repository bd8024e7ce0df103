"""Linkage, tuple order, complementary release: against twins that try every pair."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.attacks import ComplementaryRelease, LinkageAttack, TupleOrder
from anon_transformers.attacks._tuple_order import same_order
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.hierarchies import Hierarchy

TREE = Hierarchy.from_groups({"low": {"lower": ["a", "b"], "c-only": ["c"]},
                              "high": {"higher": ["d", "e"]}}, root="any")  # fmt: skip
NAMES = {label for row in TREE.rows for label in row}
QUARTERS = [n / 4 for n in range(-4, 25)]
LETTERS = list("pqrst")


def tree_cover(label):
    plain = label.removesuffix(" or missing")
    inside = {row[0] for row in TREE.rows if plain in row}
    return frozenset(inside | ({None} if plain != label else set()))


def number_cover(label):
    plain = label.removesuffix(" or missing")
    inside = {None} if plain != label else set()
    ends = [float(n) for n in re.findall(r"\d+", plain)]
    one_side = plain[:1] in {"<", ">"}
    low = -9 if plain == "any" or plain[0] == "<" else ends[0]
    high = 99 if plain == "any" or plain[0] == ">" else ends[-1]
    outside = set()
    if plain[0] in "(]" or (one_side and plain[:2] not in {"<=", ">="}):
        outside.add(ends[0])
    if plain[-1] in ")[":
        outside.add(ends[-1])
    inside |= {x for x in QUARTERS if low <= x <= high and x not in outside}
    return frozenset(inside)


def set_cover(label):
    plain = label.removesuffix(" or missing")
    inside = {None} if plain != label else set()
    if plain.startswith("["):
        low, high = plain[1:-1].split(", ")
        return frozenset(inside | {c for c in LETTERS if low <= c <= high})
    return frozenset(inside | set(re.findall(r"[p-t]", plain)))


COVERS = {"tree": tree_cover, "number": number_cover, "set": set_cover}
DOMAINS = {"tree": TREE.leaves, "number": QUARTERS, "set": LETTERS}


def cover(kind, label):
    """Ground values that a label stands for."""
    if label is None:
        return frozenset([None])
    if label == "*":
        return frozenset([None, *DOMAINS[kind]])
    return COVERS[kind](label)


or_missing = st.sampled_from(["", "", " or missing"])
whole = st.integers(0, 5)
SPELLINGS = ["[{}, {}]", "[{},{})", "[{}, {}[", "]{}, {}]", "({}, {}]", "({}, {})",
             "{}-{}", "[{} - {}]"]  # fmt: skip
SIDES = ["< ", "<", "<= ", "<=", "> ", ">", ">= ", ">="]
LABELS = {
    "tree": st.builds("{}{}".format, st.sampled_from(sorted(NAMES)), or_missing),
    "number": st.builds(
        "{}{}".format,
        whole.map(str)
        | st.tuples(whole, whole).filter(lambda ends: ends[0] < ends[1]).flatmap(
            lambda ends: st.sampled_from(SPELLINGS).map(lambda s: s.format(*ends)))
        | st.builds("{}{}".format, st.sampled_from(SIDES), whole),
        or_missing,
    ),
    "set": st.builds(
        "{}{}".format,
        st.sets(st.sampled_from(LETTERS), min_size=1, max_size=3).map(
            lambda s: s.copy().pop() if len(s) == 1 else f"{{{', '.join(sorted(s))}}}"
        ) | st.just("[q, s]"),
        or_missing,
    ),
}  # fmt: skip
cells = {kind: labels | st.sampled_from(["*", None]) for kind, labels in LABELS.items()}
KINDS = ["tree", "number", "set"]


@st.composite
def tables(draw, min_size=1, max_size=8):
    """Rows of a cell of each kind and a link; some rows are suppressed."""
    row = st.tuples(*(cells[kind] for kind in KINDS)) | st.just(("*", "*", "*"))
    return draw(
        st.lists(
            st.tuples(row, st.sampled_from("uv")), min_size=min_size, max_size=max_size
        )
    )


def frame(table):
    known = pd.DataFrame([row for row, _ in table], columns=KINDS, dtype=object)
    return known.assign(link=[link for _, link in table])


def covers(row):
    return tuple(cover(kind, cell) for kind, cell in zip(KINDS, row, strict=True))


def meet(one, two):
    """What two rows have in common; None if in some column that is nothing."""
    both = tuple(a & b for a, b in zip(covers(one), covers(two), strict=True))
    return both if all(both) else None


def kept(row):
    return row != ("*", "*", "*")


OPTIONS = {"quasi_identifiers": KINDS, "hierarchies": {"tree": TREE}}
# Its labels tell that a column holds ranges, or sets, and name every member.
FIRST = (("any", "[0, 5]", "{p, q, r, s, t}"), "u")


@given(tables(), tables())
def test_linkage(release, persons):
    release = [FIRST, *release]
    match = {
        (i, j)
        for i, (one, _) in enumerate(release)
        for j, (two, _) in enumerate(persons)
        if kept(one) and kept(two) and meet(one, two) is not None
    }
    if not match:
        return
    of_left, of_right = (Counter(pair[side] for pair in match) for side in (0, 1))
    expected = {(i, j) for i, j in match if of_left[i] == of_right[j] == 1}
    external = frame(persons).drop(columns="link").assign(name=range(len(persons)))
    report = LinkageAttack().run(
        frame(release), **OPTIONS, external=external, show_values=True
    )
    seen = report.details
    assert seen["matched_pairs"] == report.units == len(match)
    assert seen["matched_records"] == len(of_left)
    assert seen["matched_persons"] == len(of_right)
    ones = sum(n == 1 for n in of_right.values())
    assert seen["persons_with_one_record"] == ones
    found = report.exposed_records
    assert set(zip(found.index, found["external: name"], strict=True)) == expected
    assert report.exposed == len(expected)


def smallest_class(table):
    """Rows of the smallest class; of a table that is all suppressed, all rows."""
    sizes = Counter(row for row, _ in table)
    return min((n for row, n in sizes.items() if kept(row)), default=len(table))


@given(tables(), tables(), st.sampled_from([None, 1, 2, 3]))
def test_complementary_release(release, other, k):
    release = [FIRST, *release]
    options = []
    for one, link in release:
        both = {
            meet(one, two)
            for two, its in other
            if kept(one) and kept(two) and its == link
        } - {None}
        options.append(both or {covers(one)})
    matched = [
        [j for j, (two, its) in enumerate(other)
         if its == link and kept(one) and kept(two) and meet(one, two) is not None]
        for one, link in release
    ]  # fmt: skip
    if not any(matched):
        return
    if k is None:
        k = min(smallest_class(release), smallest_class(other))
        attack = ComplementaryRelease()
    else:
        attack = ComplementaryRelease(on="link", k=k)
    possible = Counter(both for several in options for both in several)
    expected = [
        i
        for i, several in enumerate(options)
        if matched[i] and len(several) == 1 and possible[next(iter(several))] < k
    ]
    report = attack.run(frame(release), **OPTIONS, other=frame(other), show_values=True)
    found = report.details
    assert found["k"] == k
    assert report.exposed_records.index.tolist() == expected
    assert found["compatible_pairs"] == report.units == sum(map(len, matched))
    assert found["ambiguous_records"] == sum(len(several) > 1 for several in options)
    links = [Counter(link for row, link in t if kept(row)) for t in (release, other)]
    assert found["linked_pairs"] == sum(n * links[1][v] for v, n in links[0].items())
    for i in expected:
        shown = tuple(report.exposed_records.loc[i, KINDS])
        shown = tuple(None if pd.isna(cell) else cell for cell in shown)
        assert {covers(shown)} == options[i]


def verdict(release, other, agree):
    partners = np.array([sum(agree(a, b) for b in other) for a in release])
    return same_order(sum(map(agree, release, other)), partners)


@given(st.data())
def test_tuple_order(data):
    release = [FIRST, *data.draw(tables())]
    other = data.draw(tables(min_size=len(release), max_size=len(release)))
    pairs = sum(meet(a, b) is not None for a, _ in release for b, _ in other)
    both = [meet(a, b) for (a, _), (b, _) in zip(release, other, strict=True)]
    if not any(
        kept(a) and kept(b) and meet(a, b) is not None
        for a, _ in release for b, _ in other
    ):  # fmt: skip
        return
    verdicts = (
        verdict(release, other, lambda a, b: meet(a[0], b[0]) is not None),
        verdict(release, other, lambda a, b: a[1] == b[1]),
    )
    options = {**OPTIONS, "other": frame(other), "show_values": True}
    if set(verdicts) == {None}:
        with pytest.raises(NotEvaluable, match="agree in any order"):
            TupleOrder().run(frame(release), **options)
        return
    report = TupleOrder().run(frame(release), **options)
    found = report.details
    assert found["columns_in_order"] == ["link"] * (verdicts[1] is True)
    assert found["compatible_pairs"] == pairs
    assert found["agreeing_rows"] == sum(m is not None for m in both)
    same = found["same_order"]
    assert same is (True in verdicts)
    expected = [
        i
        for i, m in enumerate(both)
        if same and m not in (None, covers(release[i][0]), covers(other[i][0]))
    ]
    assert report.exposed_records.index.tolist() == expected
    sizes = Counter(m for m in both if m is not None)
    assert found["k_combined"] == (min(sizes.values()) if same and sizes else None)
    single = [i for i in expected if all(len(part) == 1 for part in both[i])]
    assert found["recovered"] == len(single)
    for i in expected:
        shown = tuple(report.exposed_records.loc[i, KINDS])
        shown = tuple(None if pd.isna(cell) else cell for cell in shown)
        assert covers(shown) == both[i]


@given(tables(), tables(), st.integers(0, 9))
def test_the_index_and_the_order_change_nothing(release, other, seed):
    release = [FIRST, *release]
    rng = np.random.default_rng(seed)

    def odd(table):
        index = rng.integers(0, 3, len(table))
        return table.set_index(index).iloc[rng.permutation(len(table))]

    for attack, name in (
        (LinkageAttack(), "external"),
        (ComplementaryRelease(), "other"),
    ):
        try:
            plain = attack.run(frame(release), **OPTIONS, **{name: frame(other)})
        except NotEvaluable:
            continue
        found = attack.run(odd(frame(release)), **OPTIONS, **{name: odd(frame(other))})
        assert found.to_dict() == plain.to_dict()


def test_the_index_does_not_align_rows():
    ages, sexes, ills = ["20", "30", "20", "40"], ["f", "m", "m", "f"], list("uvwx")
    one = pd.DataFrame({"age": ages, "sex": "*", "ill": ills}, index=[5, 5, 0, 1])
    two = pd.DataFrame({"age": "*", "sex": sexes, "ill": ills}, index=[1, 0, 5, 5])
    report = TupleOrder().run(
        one, quasi_identifiers=["age", "sex"], other=two, show_values=True
    )
    assert report.exposed_records["age"].tolist() == ages
    assert report.exposed_records["sex"].tolist() == sexes


def test_a_column_that_the_other_release_has_not_is_suppressed_in_it():
    one = pd.DataFrame({"age": ["20", "30"], "sex": ["*", "*"], "s": ["u", "v"]})
    two = pd.DataFrame({"sex": ["f", "m"], "s": ["u", "v"]})
    report = ComplementaryRelease(k=2).run(
        one, quasi_identifiers=["age", "sex"], other=two
    )
    assert report.exposed == 2


def test_all_records_may_be_ambiguous():
    one = pd.DataFrame({"age": ["*", "*"], "sex": ["f", "f"], "s": ["u", "u"]})
    two = pd.DataFrame({"age": ["20", "30"], "sex": ["*", "*"], "s": ["u", "u"]})
    report = ComplementaryRelease(k=2).run(
        one, quasi_identifiers=["age", "sex"], other=two
    )
    assert report.exposed == 0
    assert report.details["ambiguous_records"] == 2
    assert report.details["smallest_joined_class"] is None


def test_numbers_of_other_types_are_one_number():
    release = pd.DataFrame({"age": ["[20, 29]", "[30, 39]"]})
    for ages in ([20.0, 30.5], [20, 35], ["20", "38"]):
        external = pd.DataFrame({"age": ages})
        report = LinkageAttack().run(
            release, quasi_identifiers=["age"], external=external
        )
        assert report.exposed == 2


def test_what_two_values_of_a_tree_share_may_be_a_third_one():
    one = pd.DataFrame({"tree": ["any", *"abc"], "age": ["*", *["20"] * 3]})
    two = pd.DataFrame({"tree": ["high or missing", *["low"] * 3], "age": ["20"] * 4})
    report = TupleOrder().run(
        one.assign(order=range(4)),
        other=two.assign(order=range(4)),
        quasi_identifiers=["tree", "age"],
        hierarchies={"tree": TREE},
        show_values=True,
    )
    assert report.exposed_records.to_numpy().tolist() == [["higher", "20", 0]]


def test_dates_lie_between_dates():
    release = pd.DataFrame({"born": ["[1980-01-01, 1980-12-31]", "1990-05-01"]})
    external = pd.DataFrame({"born": pd.to_datetime(["1980-06-01", "1990-05-01"])})
    report = LinkageAttack().run(release, quasi_identifiers=["born"], external=external)
    assert report.exposed == 2


def test_a_text_of_digits_is_no_number():
    release = pd.DataFrame({"zip": ["007", "7"]})
    external = pd.DataFrame({"zip": ["007", "07"]})
    report = LinkageAttack().run(release, quasi_identifiers=["zip"], external=external)
    assert (report.exposed, report.details["matched_pairs"]) == (1, 1)


def test_suppressed_records_hide_nobody():
    release = pd.DataFrame({"age": ["20", "30", "*"]})
    external = pd.DataFrame({"age": ["20", "30"]})
    report = LinkageAttack().run(release, quasi_identifiers=["age"], external=external)
    assert (report.exposed, report.exposed_suppressed) == (2, 0)


@pytest.mark.parametrize(
    ("attack", "inputs", "error", "message"),
    [
        pytest.param(LinkageAttack(), {}, NotEvaluable,
                     "linkage needs external", id="needs"),
        pytest.param(TupleOrder(), {}, NotEvaluable, "needs other", id="other"),
        pytest.param(LinkageAttack(), {"external": pd.DataFrame({"z": [1]})},
                     NotEvaluable, "none of the quasi-identifiers", id="no-column"),
        pytest.param(LinkageAttack(), {"external": pd.DataFrame({"age": []})},
                     NotEvaluable, "external table is empty", id="empty"),
        pytest.param(LinkageAttack(on="agee"), {"external": pd.DataFrame({"age": [1]})},
                     ParameterError, "did you mean 'age'", id="on"),
        pytest.param(LinkageAttack(on=[]), {"external": pd.DataFrame({"age": [1]})},
                     ParameterError, "on is empty", id="on-empty"),
        pytest.param(TupleOrder(), {"other": pd.DataFrame({"age": ["20"]})},
                     NotEvaluable, "as many rows, got 2 and 1", id="rows"),
        pytest.param(TupleOrder(), {"other": pd.DataFrame({"z": ["20"] * 2})},
                     NotEvaluable, "none of the quasi-identifiers", id="other-columns"),
        pytest.param(ComplementaryRelease(), {"other": pd.DataFrame({"age": ["20"]})},
                     NotEvaluable, "share no column", id="no-link"),
        pytest.param(ComplementaryRelease(on=["age"]),
                     {"other": pd.DataFrame({"age": ["20"]})},
                     ParameterError, "is a quasi-identifier", id="link-known"),
        pytest.param(ComplementaryRelease(on=["job"]),
                     {"other": pd.DataFrame({"age": ["20"]})},
                     ParameterError, "unknown column 'job'", id="link-unknown"),
        pytest.param(LinkageAttack(), {"external": pd.DataFrame({"age": ["40"]})},
                     NotEvaluable, "'age' has no value in common", id="strangers"),
        pytest.param(LinkageAttack(),
                     {"external": pd.DataFrame({"age": ["Zebedee"] * 3}),
                                 "hierarchies": {"age": Hierarchy([("20", "*"),
                                                                   ("30", "*")])}},
                     DataError, "'age' holds values in 3 rows", id="hierarchy"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_said(attack, inputs, error, message):
    release = pd.DataFrame({"age": ["20", "30"], "job": ["u", "v"]})
    with pytest.raises(error, match=message) as raised:
        attack.run(release, quasi_identifiers=["age"], **inputs)
    assert "Zebedee" not in str(raised.value)
