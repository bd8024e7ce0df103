"""Fuzzy l-diversity: which values a set represents, and the crisp case."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Memberships
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.privacy import DistinctLDiversity, FuzzyLDiversity, judge

HALF = Fraction(1, 2)


@st.composite
def cases(draw):
    """Degrees in eighths and two sensitive values for each row."""
    n_sets = draw(st.integers(1, 4))
    cuts = st.lists(st.integers(0, 8), min_size=n_sets - 1, max_size=n_sets - 1)
    eighths = cuts.map(lambda points: np.diff([0, *sorted(points), 8]).tolist())
    letters = st.sampled_from(["a", "b", "c", None])
    rows = draw(st.lists(st.tuples(eighths, letters, letters), min_size=1, max_size=12))
    degrees = [[Fraction(part, 8) for part in parts] for parts, _, _ in rows]
    return degrees, pd.DataFrame(
        [row[1:] for row in rows], columns=["s", "u"], dtype=object
    )


def evidence_of(degrees, frame, sensitive=("s", "u")):
    return Memberships.from_frame(
        np.array(degrees, dtype=float), frame, list(sensitive)
    )


def represented(degrees, values, i, cardinality):
    """Known values with one row or more in set i."""
    found = set()
    for value in set(values) - {None}:
        own = [d[i] for d, v in zip(degrees, values, strict=True) if v == value]
        count = sum(own) if cardinality == "sigma" else sum(d >= HALF for d in own)
        if count >= 1:
            found.add(value)
    return found


@pytest.mark.parametrize("cardinality", ["non-fuzzy", "sigma"])
@given(case=cases(), l=st.integers(1, 4))
def test_values_of_the_worst_set_and_column(cardinality, case, l):  # noqa: E741
    degrees, frame = case
    evidence = evidence_of(degrees, frame)
    expected = [
        min(len(represented(degrees, frame[n].tolist(), i, cardinality)) for n in "su")
        for i in range(evidence.n_sets)
    ]
    kept = FuzzyLDiversity(l, "keep", cardinality=cardinality)
    assert kept.set_levels(evidence).tolist() == expected
    assert kept.level(evidence) == min(expected)
    assert kept.satisfied(evidence).tolist() == [found >= l for found in expected]
    shown = [e for e, seen in zip(expected, evidence.shown(), strict=True) if seen]
    model = FuzzyLDiversity(l, cardinality=cardinality)
    assert model.level(evidence) == min(shown)
    assert judge(model, evidence).passed == (min(shown) >= l)


@given(data=st.data())
def test_crisp_sets_are_distinct_l_diversity(tools, data):
    frame = data.draw(tools.tables())
    degrees = np.eye(4)[frame["q"].to_numpy()]
    evidence = evidence_of(degrees, frame)
    classes = tools.evidence(frame, ("s", "u"))
    for cardinality in ("non-fuzzy", "sigma"):
        for l in (1, 2, 3):  # noqa: E741
            fuzzy = FuzzyLDiversity(l, cardinality=cardinality)
            crisp = DistinctLDiversity(l)
            assert fuzzy.level(evidence) == crisp.level(classes)
            by_first_row = fuzzy.satisfied(evidence)[frame["q"].unique()]
            assert by_first_row.tolist() == crisp.satisfied(classes).tolist()


@given(case=cases())
def test_a_set_has_no_more_values_than_rows_at_one_half(case):
    degrees, frame = case
    evidence = evidence_of(degrees, frame)
    rows = (evidence.degrees >= 0.5).sum(axis=0).min()
    assert FuzzyLDiversity(1, "keep").level(evidence) <= rows


def test_a_missing_value_is_no_value():
    frame = pd.DataFrame({"s": ["a", None, ""]}, dtype=object)
    evidence = evidence_of([[1.0], [1.0], [1.0]], frame, ["s"])
    assert FuzzyLDiversity(1).level(evidence) == 1
    none = evidence_of([[1.0], [1.0]], frame[1:], ["s"])
    assert FuzzyLDiversity(1).satisfied(none).tolist() == [False]


def test_rows_below_one_half_represent_nothing():
    frame = pd.DataFrame({"s": ["a", "b", "c"]})
    degrees = [[0.45, 0.55], [0.45, 0.55], [0.6, 0.4]]
    evidence = evidence_of(degrees, frame, ["s"])
    assert FuzzyLDiversity(1).represented(evidence, "s").tolist() == [
        [False, False, True],
        [True, True, False],
    ]
    assert FuzzyLDiversity(1, cardinality="sigma").level(evidence) == 0


def test_one_column_can_be_named():
    frame = pd.DataFrame({"s": ["a", "b"], "u": ["x", "x"]})
    evidence = evidence_of([[1.0], [1.0]], frame)
    assert FuzzyLDiversity(2, sensitive="s").level(evidence) == 2
    assert FuzzyLDiversity(2).level(evidence) == 1
    with pytest.raises(NotEvaluable, match="unknown sensitive column 'z'"):
        FuzzyLDiversity(2, sensitive="z").level(evidence)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"l": 0}, "l must be a whole number"),
        ({"l": 2, "cardinality": "fuzzy"}, "cardinality: unknown option"),
        ({"l": 2, "empty": "drop"}, "empty: unknown option"),
        ({"l": 2, "sensitive": ["s"]}, "sensitive must be one column"),
    ],
)
def test_illegal_parameters_are_named(options, message):
    with pytest.raises(ParameterError, match=message):
        FuzzyLDiversity(**options)


def test_it_may_be_searched_for():
    assert FuzzyLDiversity(2).for_search
    assert not FuzzyLDiversity(2).reproduction_only


def test_nothing_to_judge():
    with pytest.raises(NotEvaluable, match="the table is empty"):
        FuzzyLDiversity(2).level(Memberships(np.empty((0, 2))))
    with pytest.raises(NotEvaluable, match="no sensitive column"):
        FuzzyLDiversity(2).satisfied(Memberships([[1.0]]))
