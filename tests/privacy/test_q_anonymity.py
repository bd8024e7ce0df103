"""Q-anonymity: the curve of a table, its level, and where it is k-anonymity."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes, Memberships
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.privacy import KAnonymity, QAnonymity, judge

HALF = Fraction(1, 2)
THRESHOLDS = st.sampled_from([0.25, 0.5, 0.625, 1.0])
ANY = ["min", "mean", "product", np.median, np.max]


@st.composite
def partitions(draw):
    """Rows of degrees in eighths, among them sets that nobody is in."""
    n_sets = draw(st.integers(1, 4))
    cuts = st.lists(st.integers(0, 8), min_size=n_sets - 1, max_size=n_sets - 1)
    eighths = cuts.map(lambda points: np.diff([0, *sorted(points), 8]).tolist())
    rows = draw(st.lists(eighths, min_size=1, max_size=9))
    return [[Fraction(part, 8) for part in row] for row in rows]


def evidence_of(degrees):
    return Memberships(np.array(degrees, dtype=float))


def possibility(degrees, k):
    """That of k elements or more, word by word as the definition has it."""
    ranked = [Fraction(1), *sorted(degrees, reverse=True)]
    if k >= len(ranked):
        return Fraction(0)
    sums = [s for s in range(1, len(ranked)) if ranked[s - 1] + ranked[s] > 1]
    j = max(sums, default=0) if any(degrees) else 0
    return ranked[k] if k >= j else max(1 - ranked[j], ranked[j])


def shown_sets(degrees):
    labels = {row.index(max(row)) for row in degrees}
    return [
        i in labels or any(row[i] >= HALF for row in degrees)
        for i in range(len(degrees[0]))
    ]


def set_curves(degrees, sets):
    columns = [[row[i] for row in degrees] for i in sets]
    return [[possibility(c, k) for c in columns] for k in range(len(degrees) + 1)]


AGGREGATE = {
    "min": min,
    "mean": lambda parts: sum(parts) / len(parts),
    "product": lambda parts: np.prod(np.array(parts, dtype=object)),
}


@pytest.mark.parametrize("aggregation", AGGREGATE)
@pytest.mark.parametrize("empty", ["ignore", "keep"])
@given(degrees=partitions(), q=st.integers(1, 5), threshold=THRESHOLDS)
def test_curve_and_level_are_those_of_the_definition(
    aggregation, empty, degrees, q, threshold
):
    shown = shown_sets(degrees)
    sets = [i for i, seen in enumerate(shown) if seen or empty == "keep"]
    curves = set_curves(degrees, sets)
    expected = [AGGREGATE[aggregation](parts) for parts in curves]
    model = QAnonymity(q, aggregation, threshold, empty)
    evidence = evidence_of(degrees)
    np.testing.assert_allclose(
        model.curve(evidence), [float(e) for e in expected], atol=1e-12
    )
    level = max([k for k, e in enumerate(expected) if k and e >= threshold], default=0)
    assert model.level(evidence) == level
    if aggregation == "min":
        enough = [
            i not in sets or possibility([row[i] for row in degrees], q) >= threshold
            for i in range(len(degrees[0]))
        ]
        assert model.satisfied(evidence).tolist() == enough
    else:
        assert model.satisfied(evidence).tolist() == [level >= q]
    assert judge(model, evidence).passed == (level >= q)


@pytest.mark.parametrize("aggregation", ANY)
@given(degrees=partitions())
def test_the_curve_falls_from_1_to_0(aggregation, degrees):
    curve = QAnonymity(1, aggregation).curve(evidence_of(degrees))
    assert len(curve) == len(degrees) + 1
    assert ((curve >= 0) & (curve <= 1)).all()
    assert (np.diff(curve) <= 1e-12).all()


@given(data=st.data())
def test_crisp_sets_and_the_minimum_are_k_anonymity(data):
    n_sets = data.draw(st.integers(1, 6))
    labels = data.draw(st.lists(st.integers(0, n_sets - 1), min_size=1, max_size=12))
    evidence = Memberships(np.eye(n_sets)[labels])
    classes = Classes.from_frame(pd.DataFrame({"q": labels}), ["q"])
    k = KAnonymity(1).level(classes)
    curve = QAnonymity(1).curve(evidence)
    assert curve.tolist() == [1.0] * (k + 1) + [0.0] * (len(labels) - k)
    sizes = np.bincount(labels, minlength=n_sets)
    for q in range(1, len(labels) + 2):
        model = QAnonymity(q)
        assert model.level(evidence) == k
        assert judge(model, evidence).passed == judge(KAnonymity(q), classes).passed
        assert model.satisfied(evidence).tolist() == [s == 0 or s >= q for s in sizes]


def test_the_mean_of_crisp_sets_is_no_k():
    labels = [0] * 9 + [1] * 9 + [2]
    evidence = Memberships(np.eye(3)[labels])
    assert QAnonymity(1).level(evidence) == 1
    assert QAnonymity(1, "mean").level(evidence) == 9
    assert judge(QAnonymity(9, "mean"), evidence).passed


@given(degrees=partitions())
def test_at_one_half_rows_at_one_half_are_counted(degrees):
    evidence = evidence_of(degrees)
    sizes = (evidence.degrees >= 0.5).sum(axis=0)
    lowest = QAnonymity(1, empty="keep").level(evidence)
    assert lowest == sizes.min()
    assert QAnonymity(1, "mean", empty="keep").level(evidence) >= lowest


@given(degrees=partitions(), data=st.data())
def test_sensitive_values_play_no_part(degrees, data):
    letters = st.lists(
        st.sampled_from("ab"), min_size=len(degrees), max_size=len(degrees)
    )
    one, other = (
        Memberships.from_frame(
            np.array(degrees, dtype=float), pd.DataFrame({"s": data.draw(letters)}), "s"
        )
        for _ in range(2)
    )
    for aggregation in ("min", "mean"):
        model = QAnonymity(2, aggregation)
        assert model.curve(one).tolist() == model.curve(other).tolist()
        assert judge(model, one) == judge(model, other)


def test_a_set_that_no_release_shows_is_left_out_unless_it_is_kept():
    evidence = Memberships([[0.6, 0, 0.4], [0.6, 0, 0.4], [0.1, 0.5, 0.4]])
    assert QAnonymity(2).satisfied(evidence).tolist() == [True, False, True]
    kept = QAnonymity(1, empty="keep")
    assert kept.satisfied(evidence).tolist() == [True, True, False]
    assert (QAnonymity(1).level(evidence), kept.level(evidence)) == (1, 0)


def test_a_label_without_a_row_at_one_half_is_at_fault():
    evidence = Memberships([[0.4, 0.3, 0.3], [0, 1, 0]])
    assert QAnonymity(1).satisfied(evidence).tolist() == [False, True, True]
    assert QAnonymity(1).level(evidence) == 0


def test_only_a_safe_minimum_is_more_than_a_reproduction():
    assert not QAnonymity(2).reproduction_only
    assert not QAnonymity(2, threshold=0.9, empty="keep").reproduction_only
    for model in (
        QAnonymity(2, "mean"),
        QAnonymity(2, "product"),
        QAnonymity(2, np.min),
        QAnonymity(2, threshold=0.4),
    ):
        assert model.reproduction_only
        assert not model.for_search
    assert QAnonymity(2).for_search


def test_possibilities_can_be_joined_without_a_table():
    joined = QAnonymity(1, "mean").aggregate([[1, 0.5], [0.5, 0]])
    assert joined.tolist() == [0.75, 0.25]


def falling(possibilities, axis):
    return np.where(np.ptp(possibilities, axis=axis) > 0, 1.0, possibilities[:, 0])


@pytest.mark.parametrize(
    ("aggregation", "message"),
    [
        (np.sum, "not 0 for zeros and 1 for ones"),
        (lambda p, axis: 1 - p.min(axis=axis), "not 0 for zeros"),
        (lambda p, axis: p, "not one number per row"),
        (falling, "rises where possibilities fall"),
    ],
)
def test_a_callable_that_is_no_aggregation_is_refused(aggregation, message):
    evidence = Memberships([[0.75, 0.25], [0.75, 0.25], [1, 0]])
    with pytest.raises(ParameterError, match=message):
        QAnonymity(1, aggregation, empty="keep").level(evidence)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"q": 0}, "q must be a whole number"),
        ({"q": 1.5}, "q must be a whole number"),
        ({"q": 2, "aggregation": "median"}, "aggregation: unknown option"),
        ({"q": 2, "threshold": 0}, "threshold must be a number above 0"),
        ({"q": 2, "threshold": 1.1}, "threshold must be a number above 0"),
        ({"q": 2, "empty": "drop"}, "empty: unknown option"),
    ],
)
def test_illegal_parameters_are_named(options, message):
    with pytest.raises(ParameterError, match=message):
        QAnonymity(**options)


@pytest.mark.parametrize("model", QAnonymity.test_instances())
def test_no_row_is_no_verdict(model):
    empty = replace(Memberships([[1.0, 0.0]]), degrees=np.empty((0, 2)))
    for ask in (model.satisfied, model.level, model.curve):
        with pytest.raises(NotEvaluable, match="the table is empty"):
            ask(empty)
