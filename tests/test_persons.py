"""Where persons are known, every count is of persons, in each class and each union."""

import math
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers import FullDomainAnonymizer
from anon_transformers.evidence import Classes, distribution
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import AverageRisk, RecordsAtRisk, class_statistics
from anon_transformers.privacy import (
    AlphaKAnonymity,
    BeliefBound,
    BetaLikeness,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveCLDiversity,
    TCloseness,
)

ROWS = st.lists(
    st.tuples(
        st.sampled_from([0, 1, 2]),
        st.sampled_from([*"pqrst", None]),
        st.sampled_from(["a", "b", "c", None]),
        st.sampled_from(["x", "y"]),
    ),
    min_size=1,
    max_size=25,
)


def frame_of(rows):
    # As objects, or a missing text would come back as another kind of nothing.
    frame = pd.DataFrame(rows, columns=["q", "who", "s", "z"], dtype=object)
    return frame.astype({"q": int})


def classes_of(frame, **options):
    return Classes.from_frame(frame, ["q"], ["s"], subject="who", **options)


def holders(rows):
    """Persons of some rows, by value: written down anew, row by row."""
    known = defaultdict(set)
    for who, value in rows:
        if who is not None and value is not None:
            known[value].add(who)
    everybody = {who for who, _ in rows if who is not None}
    lacking = {who for who, value in rows if who is not None and value is None}
    return dict(known), lacking, everybody


def pairs(frame):
    return list(zip(frame["who"], frame["s"], strict=True))


def by_class(frame):
    """Holders in each class, in the order in which classes are met."""
    groups = defaultdict(list)
    for row in frame.itertuples():
        groups[row.q].append((row.who, row.s))
    return [holders(rows) for rows in groups.values()]


def largest_share(known, unknown, everybody):
    if not everybody:
        return 1.0
    most = max((len(who) for who in known.values()), default=0)
    return min((most + len(unknown)) / len(everybody), 1.0)


def has_several(known, unknown, everybody):
    return sum(map(len, known.values())) + len(unknown) > len(everybody)


@given(rows=ROWS)
def test_counts_are_of_persons_who_hold_a_value_at_least_once(rows):
    frame = frame_of(rows)
    column = classes_of(frame).sensitive["s"]
    for at, (known, unknown, everybody) in enumerate(by_class(frame)):
        told = [len(known.get(value, ())) for value in column.values]
        assert column.counts.toarray()[at].tolist() == [*told, len(unknown)]
        assert column.totals[at] == len(everybody)
        assert column.several[at] == has_several(known, unknown, everybody)


@given(rows=ROWS, into=st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=3))
def test_the_persons_of_a_union_are_counted_once(rows, into):
    frame = frame_of(rows)
    present = frame["q"].unique()
    merged = classes_of(frame).merge(np.array([into[q] for q in present]), 2)
    moved = frame.assign(q=[into[q] for q in frame["q"]])
    for target in (0, 1):
        part = moved[moved["q"] == target]
        known, unknown, everybody = holders(pairs(part))
        column = merged.sensitive["s"]
        told = [len(known.get(value, ())) for value in column.values]
        assert column.counts.toarray()[target].tolist() == [*told, len(unknown)]
        assert column.totals[target] == len(everybody) == merged.sizes[target]


@given(rows=ROWS)
def test_a_blanked_class_holds_persons_of_whom_nothing_is_known(rows):
    classes = classes_of(frame_of(rows)).blanked(0)
    column = classes.sensitive["s"]
    assert column.counts.toarray()[0].tolist() == [0] * column.missing + [
        classes.sizes[0]
    ]


@given(rows=ROWS)
def test_finer_classes_count_persons_too(rows):
    frame = frame_of(rows)
    classes = Classes.from_frame(frame, ["q"], ["s", "z"], subject="who")
    column, owner = classes.finer("s")
    told = defaultdict(list)
    for row in frame.itertuples():
        if row.who is not None:
            told[row.q, row.z].append((row.who, row.s))
    expected = sorted(
        [len(holders(rows)[0].get(value, ())) for value in column.values]
        for rows in told.values()
    )
    assert sorted(column.counts.toarray()[:, :-1].tolist()) == expected
    assert len(owner) == len(told)


@given(rows=ROWS)
def test_levels_are_those_of_shares_of_persons(rows):
    frame = frame_of(rows)
    classes = classes_of(frame)
    distinct = DistinctLDiversity(1).class_levels(classes)
    entropy = EntropyLDiversity(1).class_levels(classes)
    recursive = RecursiveCLDiversity(c=3, l=1).class_levels(classes)
    alpha = AlphaKAnonymity(1, 1).class_levels(classes)
    for at, told in enumerate(by_class(frame)):
        known, unknown, _ = told
        share = largest_share(*told)
        counts = sorted(map(len, known.values()), reverse=True)
        cap = 1 / share if has_several(*told) else math.inf
        certain = has_several(*told) and share >= 1
        assert distinct[at] == (min(1, len(counts)) if certain else len(counts))
        assert alpha[at] == pytest.approx(share)
        assert entropy[at] == pytest.approx(
            min(effective(counts, len(unknown)), cap), abs=1e-9
        )
        assert recursive[at] == math.floor(
            min(deepest(counts, len(unknown), 3), cap + 1e-9)
        )


def effective(counts, unknown):
    """The exponential of the entropy, unknown ones counted as the most frequent."""
    if not counts:
        return 0.0
    full = [counts[0] + unknown, *counts[1:]]
    shares = [count / sum(full) for count in full]
    return math.exp(-sum(share * math.log(share) for share in shares))


def deepest(counts, unknown, c):
    """Largest l with n_1 < c (n_l + …)."""
    if not counts:
        return 0
    full = [counts[0] + unknown, *counts[1:]]
    fine = [
        rank for rank in range(1, len(full) + 1) if full[0] < c * sum(full[rank - 1 :])
    ]
    return max(fine, default=0)


@given(rows=ROWS)
def test_gains_compare_shares_of_persons_with_those_of_the_whole_table(rows):
    frame = frame_of(rows)
    classes = classes_of(frame)
    gains = BetaLikeness(1, reference="released").class_levels(classes)
    known, unknown, everybody = holders(pairs(frame))
    whole = {value: len(who) / len(everybody) for value, who in known.items()}
    whole[None] = len(unknown) / max(len(everybody), 1)
    for at, (here, lost, persons) in enumerate(by_class(frame)):
        shares = {value: len(who) / len(persons) for value, who in here.items()}
        if lost:
            shares[None] = len(lost) / len(persons)
        found = [
            share / whole[value] - 1 if whole[value] else math.inf
            for value, share in shares.items()
        ]
        assert gains[at] == pytest.approx(max([0, *found]))


def visits(values_by_person, q=1):
    return pd.DataFrame(
        [
            (q, who, value)
            for who, values in values_by_person.items()
            for value in values
        ],
        columns=["q", "who", "s"],
    )


def test_a_secret_of_four_in_five_persons_is_not_hidden_by_many_other_values():
    others = [f"cold {number}" for number in range(20)]
    held = {who: ["HIV", *others[4 * at : 4 * at + 4]] for at, who in enumerate("pqrs")}
    classes = classes_of(visits({**held, "t": others[16:]}))
    assert EntropyLDiversity(2).level(classes) == pytest.approx(5 / 4)
    assert RecursiveCLDiversity(c=10, l=2).level(classes) == 1
    assert AlphaKAnonymity(0.5, 5).level(classes) == pytest.approx(4 / 5)
    assert BeliefBound(0.5).level(classes) == pytest.approx(4 / 5)


def test_a_value_that_everybody_holds_leaves_no_diversity():
    classes = classes_of(visits({"p": ["HIV", "a"], "q": ["HIV", "b"]}))
    assert DistinctLDiversity(2).level(classes) == 1
    assert DistinctLDiversity(2).satisfied(classes).tolist() == [False]


def test_t_closeness_needs_one_value_per_person():
    several = classes_of(visits({"p": ["a", "b"], "q": ["a"]}))
    with pytest.raises(NotEvaluable, match="one value per person"):
        TCloseness(0.5, reference="released").level(several)
    one = classes_of(visits({"p": ["a", "a"], "q": ["b"]}))
    assert TCloseness(0.5, reference="released").level(one) == 0


def test_risk_and_class_statistics_count_persons():
    frame = pd.concat(
        [visits({"p": "a" * 8, "q": "b"}), visits(dict.fromkeys("rstu", "a"), q=2)]
    )
    classes = classes_of(frame)
    assert class_statistics(classes).smallest == 2
    assert class_statistics(classes).largest == 4
    assert class_statistics(classes).mean == 3
    assert AverageRisk().measure(classes) == pytest.approx(2 / 6)
    assert RecordsAtRisk(0.3).measure(classes) == pytest.approx(2 / 6)


def test_a_distribution_counts_persons_and_goes_with_them_as_reference():
    frame = visits({"p": ["a", "a", "b"], "q": ["b", None]})
    told = distribution(frame["s"], frame["who"])
    assert told == {"a": 1, "b": 2, None: 1}
    classes = classes_of(frame, references={"s": told}, reference_persons=2)
    model = BetaLikeness(1)
    assert model.level(classes) == 0


def test_a_search_does_not_rely_on_unions_where_persons_move():
    # Fine as they are, the two classes together show that both persons hold both.
    frame = pd.DataFrame(
        {"q": ["1", "1", "2", "2"], "who": [*"pqpq"], "s": [*"abba"], "w": [*"xxyy"]}
    )
    trees = {
        "q": Hierarchy.from_mapping({"1": "all", "2": "all"}),
        "w": Hierarchy.from_mapping({"x": "any", "y": "any"}),
    }
    found = FullDomainAnonymizer(
        ["q", "w"],
        k=2,
        models=[DistinctLDiversity(2)],
        sensitive=["s"],
        subject="who",
        hierarchies=trees,
    ).fit(frame)
    assert found.report_.loss == 0
