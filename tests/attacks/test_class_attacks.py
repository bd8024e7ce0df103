"""Attacks on the classes of one release: against slow twins, row by row."""

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.columns import identify
from anon_transformers.attacks import (
    BackgroundKnowledge,
    DiversityLimits,
    Homogeneity,
    ProbabilisticInference,
    Similarity,
    Skewness,
    SmallClasses,
    UniqueCombinations,
)
from anon_transformers.attacks._attack_input import count_persons
from anon_transformers.attacks._diversity_limits import most_classes
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.hierarchies import Hierarchy

TREE = Hierarchy.from_groups(
    {"low": {"lower": ["a", "b"], "middle": ["c"]}, "high": ["d", "e"]}
)
ROLES = {"quasi_identifiers": ["x", "y"], "sensitive": ["s"]}
quasi = st.sampled_from(["1", "2", "*", None])
rows = st.lists(
    st.tuples(quasi, quasi, st.sampled_from(["a", "b", "c", "d", "e", None])),
    min_size=1,
    max_size=30,
)
numbers = st.lists(
    st.tuples(quasi, quasi, st.none() | st.integers(-20, 20)), min_size=1, max_size=30
)


def frame(table):
    return pd.DataFrame(table, columns=["x", "y", "s"], dtype=object)


def by_class(table):
    """Sensitive values of each row's class."""
    found = {}
    for x, y, s in table:
        found.setdefault((x, y), []).append(s)
    return [found[x, y] for x, y, _ in table]


def known(values):
    return {value for value in values if value is not None}


def assert_exposes(report, table, rows):
    """The report counts just these rows, and shows them when asked."""
    assert report.exposed == len(rows)
    assert report.exposed_suppressed == sum(
        table[row][:2] == ("*", "*") for row in rows
    )
    assert report.exposed_records.index.tolist() == rows
    assert report.units == len({row[:2] for row in table})
    assert report.exposed_units == len({table[row][:2] for row in rows})


@given(rows)
def test_homogeneity(table):
    report = Homogeneity().run(frame(table), **ROLES, show_values=True)
    expected = [
        at
        for at, (row, values) in enumerate(zip(table, by_class(table), strict=True))
        if row[2] is not None and len(known(values)) == 1
    ]
    assert_exposes(report, table, expected)
    fewest = min(len(known(values)) for values in by_class(table))
    assert report.details["s"]["fewest_values"] == fewest


@given(rows, st.integers(0, 3))
def test_background_knowledge_by_number(table, exclusions):
    attack = BackgroundKnowledge(exclusions=exclusions)
    report = attack.run(frame(table), **ROLES, show_values=True)
    expected = [
        at
        for at, (row, values) in enumerate(zip(table, by_class(table), strict=True))
        if row[2] is not None and len(known(values)) - 1 <= exclusions
    ]
    assert_exposes(report, table, expected)
    classes = {row[:2]: known(v) for row, v in zip(table, by_class(table), strict=True)}
    needed = Counter(str(len(v) - 1) for v in classes.values() if v)
    assert report.details["s"]["classes_by_exclusions"] == needed


@given(rows, st.sets(st.sampled_from("abcde"), min_size=1, max_size=3))
def test_background_knowledge_by_value(table, excluded):
    attack = BackgroundKnowledge(excluded=sorted(excluded))
    report = attack.run(frame(table), **ROLES, show_values=True)
    expected = [
        at
        for at, (row, values) in enumerate(zip(table, by_class(table), strict=True))
        if known(values) - excluded == {row[2]}
    ]
    assert_exposes(report, table, expected)
    seen = report.details["s"]
    assert seen["positive_disclosure"] is bool(expected)
    growth = [
        Counter(values)[s] / sum(v in known(values) - excluded for v in values)
        - Counter(values)[s] / len(values)
        for (_, _, s), values in zip(table, by_class(table), strict=True)
        if s is not None and s not in excluded
    ]
    if growth:
        found = seen["belief_after"] - seen["belief_before"]
        assert found == pytest.approx(max(growth))


@given(rows, st.sampled_from([0.0, 0.3, 0.5, 2 / 3, 0.7, 1.0]))
def test_probabilistic_inference(table, threshold):
    attack = ProbabilisticInference(threshold=threshold)
    report = attack.run(frame(table), **ROLES, show_values=True)
    expected = [
        at
        for at, (row, values) in enumerate(zip(table, by_class(table), strict=True))
        if row[2] is not None and values.count(row[2]) / len(values) >= threshold - 1e-9
    ]
    assert_exposes(report, table, expected)


@given(rows, st.sampled_from([0.0, 0.1, 0.3]), st.sampled_from([1, 1.5, 3.0]))
def test_skewness(table, difference, ratio):
    attack = Skewness(difference=difference, ratio=ratio)
    report = attack.run(frame(table), **ROLES, show_values=True)
    whole = [row[2] for row in table]
    expected = []
    for at, (row, values) in enumerate(zip(table, by_class(table), strict=True)):
        p, q = values.count(row[2]) / len(values), whole.count(row[2]) / len(whole)
        far = p - q >= difference - 1e-9 and p / q >= ratio - 1e-9
        if row[2] is not None and far:
            expected.append(at)
    assert_exposes(report, table, expected)


def shared_levels(values):
    """Levels of the tree at which all values are in one group."""
    above = {row[0]: row for row in TREE.rows}
    return {
        level
        for level in range(TREE.n_levels)
        if len({above[value][level] for value in values}) == 1
    }


@given(rows)
def test_similarity_by_a_hierarchy(table):
    report = Similarity().run(
        frame(table), **ROLES, hierarchies={"s": TREE}, show_values=True
    )
    whole = shared_levels(known(row[2] for row in table))
    expected = [
        at
        for at, (row, values) in enumerate(zip(table, by_class(table), strict=True))
        if row[2] is not None
        and len(known(values)) > 1
        and shared_levels(known(values)) - whole
    ]
    assert_exposes(report, table, expected)


@given(numbers, st.sampled_from([0.1, 0.25, 0.5]))
def test_similarity_of_numbers(table, width):
    release = frame(table)
    release["s"] = pd.array(release["s"].tolist(), dtype="Int64")
    report = Similarity(width=width).run(release, **ROLES, show_values=True)
    whole = known(row[2] for row in table)
    expected = [
        at
        for at, (row, values) in enumerate(zip(table, by_class(table), strict=True))
        if row[2] is not None
        and len(known(values)) > 1
        and max(known(values)) - min(known(values))
        <= width * (max(whole) - min(whole)) + 1e-9
    ]
    assert_exposes(report, table, expected)


@given(rows)
def test_unique_combinations(table):
    report = UniqueCombinations().run(
        frame(table), quasi_identifiers=["x", "y"], show_values=True
    )
    pairs = [row[:2] for row in table]
    expected = [at for at, pair in enumerate(pairs) if pairs.count(pair) == 1]
    assert_exposes(report, table, expected)
    for at, name in enumerate("xy"):
        cells = [pair[at] for pair in pairs]
        alone = sum(cells.count(cell) == 1 for cell in cells)
        assert report.details[name]["alone"] == alone
        assert report.details["yx"[at]]["without"] == alone


@given(rows, st.sampled_from([0.0, 0.4, 0.7, 1.0]), st.integers(1, 4))
def test_small_classes(table, t, k):
    report = SmallClasses(t=t, k=k).run(frame(table), **ROLES, show_values=True)
    whole = Counter(row[2] for row in table)
    expected = []
    for at, values in enumerate(by_class(table)):
        inside = Counter(values)
        distance = sum(
            abs(inside[s] / len(values) - whole[s] / len(table)) / 2 for s in whole
        )
        if len(values) < k and distance <= t + 1e-9:
            expected.append(at)
    assert_exposes(report, table, expected)


def divisible(counts, n_classes, l):  # noqa: E741
    """Whether so many classes can each get l distinct values, by trying."""
    left = sorted(counts, reverse=True)
    for _ in range(n_classes):
        left.sort(reverse=True)
        if sum(count > 0 for count in left) < l:
            return False
        left = [count - 1 if at < l else count for at, count in enumerate(left)]
    return True


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(1, 4))
def test_most_classes_can_be_made_and_no_more(counts, l):  # noqa: E741
    most = most_classes(np.array(counts), l)
    assert divisible(counts, most, l)
    assert not divisible(counts, most + 1, l)


@given(rows, st.integers(1, 4))
def test_diversity_limits_bound_every_release(table, l):  # noqa: E741
    report = DiversityLimits(l=l).run(frame(table), **ROLES)
    found = report.details["s"]
    counts = sorted(Counter(r[2] for r in table if r[2] is not None).values())[::-1]
    total = sum(counts)
    entropy = -sum(n / total * math.log(n / total) for n in counts)
    assert found["largest_entropy_l"] == pytest.approx(math.exp(entropy))
    tail = sum(counts[l - 1 :])
    assert found["smallest_c"] == (counts[0] / tail if tail else None)
    diverse = [v for v in {r[:2] for r in table}
               if len(known(s for x, y, s in table if (x, y) == v)) >= l]  # fmt: skip
    assert found["most_classes"] >= len(diverse)
    assert report.exposed == 0
    assert found["feasible"] is (report.exposed_units == 0)


ATTACKS = [
    Homogeneity(),
    BackgroundKnowledge(),
    ProbabilisticInference(0.6),
    Skewness(0.1),
    Similarity(),
    UniqueCombinations(),
    SmallClasses(t=0.8),
    DiversityLimits(),
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
@given(table=rows, seed=st.integers(0, 9))
def test_the_index_and_the_order_change_nothing(attack, table, seed):
    options = {**ROLES, "hierarchies": {"s": TREE}}
    plain = attack.run(frame(table), **options)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(table))
    index = rng.integers(0, 3, len(table))  # duplicates
    odd = frame(table).set_index(index).iloc[order]
    found = attack.run(odd, **options)
    assert found.to_dict() == plain.to_dict()


def test_several_sensitive_columns_count_each_record_once():
    release = pd.DataFrame({"q": [1, 1, 2, 2], "s": list("aabc"), "u": list("xxyy")})
    report = Homogeneity().run(
        release, quasi_identifiers=["q"], sensitive=["s", "u"], show_values=True
    )
    assert (report.exposed, report.exposed_units) == (4, 2)
    assert report.details["s"]["records"] == 2
    assert report.details["u"]["records"] == 4


def test_a_column_that_cannot_be_compared_is_said_to_be_left_out():
    release = pd.DataFrame({"q": [1, 1], "s": ["a", "b"], "pay": [10, 11]})
    report = Similarity().run(release, quasi_identifiers=["q"], sensitive=["s", "pay"])
    assert report.details["s"] == {"examined": False}
    assert report.details["pay"]["examined"] is True


def test_the_original_is_the_reference_where_it_is_given():
    release = pd.DataFrame({"q": [1, 1], "s": ["a", "b"]})
    original = pd.DataFrame({"s": ["a"] * 9 + ["b"]})
    roles = {"quasi_identifiers": ["q"], "sensitive": ["s"]}
    assert Skewness().run(release, **roles).exposed == 0
    assert Skewness().run(release, **roles, original=original).exposed == 1
    limits = DiversityLimits().run(release, **roles, original=original)
    assert limits.details["s"]["rarest_value_records"] == 1
    small = SmallClasses(t=0.4, k=3).run(release, **roles, original=original)
    assert small.exposed == 2
    assert (
        SmallClasses(t=0.3, k=3).run(release, **roles, original=original).exposed == 0
    )


def test_values_that_the_original_has_not_are_refused_without_showing_them():
    release = pd.DataFrame({"q": [1, 1, 1], "s": ["Zebedee", "a", "Zebedee"]})
    with pytest.raises(DataError, match=r"'s' .* in 2 rows") as error:
        Skewness().run(
            release,
            quasi_identifiers=["q"],
            sensitive=["s"],
            original=pd.DataFrame({"s": ["a"]}),
        )
    assert "Zebedee" not in str(error.value)


def test_a_hierarchical_distance_without_a_hierarchy_cannot_be_told():
    release = pd.DataFrame({"q": [1, 1], "s": ["a", "b"]})
    with pytest.raises(NotEvaluable, match="hierarchy"):
        SmallClasses(distance="hierarchical").run(
            release, quasi_identifiers=["q"], sensitive=["s"]
        )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: ProbabilisticInference(1.1),
            "threshold must be a number of at least 0 and at most 1",
        ),
        (
            lambda: Skewness(difference=-0.1),
            "difference must be a number of at least 0 and at most 1",
        ),
        (lambda: Skewness(ratio=0.5), "ratio must be at least 1, got 0.5"),
        (
            lambda: Similarity(width=2),
            "width must be a number of at least 0 and at most 1, got 2",
        ),
        (lambda: BackgroundKnowledge(-1), "exclusions must be a whole number"),
        (lambda: BackgroundKnowledge(excluded="flu"), "excluded must be a list"),
        (lambda: DiversityLimits(l=0), "l must be a whole number of at least 1"),
        (lambda: SmallClasses(t=1.5), "t must be a number"),
        (lambda: SmallClasses(k=0), "k must be a whole number of at least 1"),
        (lambda: SmallClasses(distance="eqal"), "did you mean 'equal'"),
    ],
)
def test_parameters_are_refused_by_name(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        ({"z": 1}, ParameterError, "'z' is no quasi-identifier"),
        ({"q": 9}, DataError, "no class has these"),
    ],
)
def test_a_target_that_is_not_there(target, error, message):
    release = pd.DataFrame({"q": [1, 1], "s": ["a", "b"]})
    with pytest.raises(error, match=message):
        BackgroundKnowledge(target=target).run(
            release, quasi_identifiers=["q"], sensitive=["s"]
        )


def test_homogeneity_agrees_with_the_classes_it_is_about():
    cells = list(combinations("abcd", 2))
    release = pd.DataFrame(cells, columns=["q", "s"])
    counts = Classes.from_frame(release, ["q"], ["s"]).sensitive["s"].counts
    alone = (counts.toarray()[:, :-1] > 0).sum(axis=1) == 1
    report = Homogeneity().run(release, quasi_identifiers=["q"], sensitive=["s"])
    assert report.exposed_units == alone.sum() == 1


@pytest.mark.parametrize("attack", [SmallClasses(), Skewness(), DiversityLimits()])
def test_an_original_without_the_sensitive_column_is_told(attack):
    release = pd.DataFrame({"q": [1, 1], "s": ["a", "b"]})
    with pytest.raises(DataError, match="the original has no column 's'"):
        attack.run(
            release,
            quasi_identifiers=["q"],
            sensitive=["s"],
            original=release[["q"]],
        )


def test_rows_of_nobody_may_be_anybodys():
    release = pd.DataFrame(
        {"q": [1, 1, 2, 2, 3, 3], "who": ["a", "b", None, None, "c", None]}
    )
    report = UniqueCombinations().run(release, quasi_identifiers=["q"], subject="who")
    # All of class 2 may be of one person, and of class 3 one is known.
    assert report.exposed == 4
    assert report.exposed_units == 2
    assert report.details["q"] == {"alone": 4, "without": 0}


def test_small_classes_are_compared_with_persons_of_the_original():
    # By rows, one person with thirty of them would make b the usual value.
    who = [*range(10), *[10] * 30]
    table = pd.DataFrame(
        {"q": [1, *[2] * 39], "s": ["a"] * 10 + ["b"] * 30, "who": who}
    )
    report = SmallClasses(t=0.2).run(
        table,
        quasi_identifiers=["q"],
        sensitive=["s"],
        original=table,
        subject="who",
    )
    assert report.exposed == 1


def test_the_exposed_are_persons_where_they_are_known():
    release = pd.DataFrame({"q": [1, 1, 1, 2, 2], "who": ["a", "a", "a", "b", "c"]})
    run = UniqueCombinations().run
    report = run(release, quasi_identifiers=["q"], subject="who")
    assert (report.exposed, report.rows) == (1, 3)
    assert report.share == pytest.approx(1 / 3)
    assert run(release, quasi_identifiers=["q"]).rows == 5


@given(st.lists(st.tuples(st.integers(-1, 4), st.sampled_from("abc")), max_size=20))
def test_persons_are_counted_as_by_sets(cells):
    labels = np.array([label for label, _ in cells], dtype=np.int64)
    persons = identify(pd.Series([who for _, who in cells], dtype=object))
    found = count_persons(labels, persons, 5)
    assert found.tolist() == [
        len({who for label, who in cells if label == number}) for number in range(5)
    ]
