"""Beliefs about persons in several sets, and what they disclose."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from anon_transformers.evidence import Memberships
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.privacy import fuzzy_beliefs, posterior_belief, prior_belief

HALF = Fraction(1, 2)
VALUES = ["a", "b", "c"]


@st.composite
def cases(draw):
    """Degrees in eighths, a value for each row, and what is believed of it before."""
    n_sets = draw(st.integers(1, 3))
    cuts = st.lists(st.integers(0, 8), min_size=n_sets - 1, max_size=n_sets - 1)
    eighths = cuts.map(lambda points: np.diff([0, *sorted(points), 8]).tolist())
    belief = st.tuples(*[st.integers(0, 3)] * 3).filter(any)
    rows = draw(
        st.lists(
            st.tuples(eighths, st.sampled_from(VALUES), belief), min_size=3, max_size=9
        ).filter(lambda drawn: {value for _, value, _ in drawn} == set(VALUES))
    )
    degrees = [[Fraction(part, 8) for part in parts] for parts, _, _ in rows]
    prior = [[Fraction(part, sum(row)) for part in row] for _, _, row in rows]
    return degrees, [value for _, value, _ in rows], prior


def evidence_of(degrees, values):
    frame = pd.DataFrame({"s": pd.Series(values, dtype=object)})
    return Memberships.from_frame(np.array(degrees, dtype=float), frame, ["s"])


def count(own, cardinality):
    if cardinality == "sigma":
        return sum(own, Fraction(0))
    return sum(d > HALF for d in own) + min(1, sum(d == HALF for d in own))


def slow_posterior(degrees, values, person, prior, cardinality):
    """As the formulas stand; None where every weight is 0."""
    weights = []
    for value, before in zip(VALUES, prior, strict=True):
        n, given_sets = Fraction(0), Fraction(0)
        for i, degree in enumerate(person):
            size = count([row[i] for row in degrees], cardinality)
            own = [row[i] for row, v in zip(degrees, values, strict=True) if v == value]
            n += degree * count(own, cardinality)
            if size:
                given_sets += degree * Fraction(count(own, cardinality)) / size
        weights.append(n * before / given_sets if n and before else Fraction(0))
    total = sum(weights)
    return [weight / total for weight in weights] if total else None


@pytest.mark.parametrize("cardinality", ["non-fuzzy", "sigma"])
@given(case=cases())
def test_the_posterior_is_that_of_the_formulas(cardinality, case):
    degrees, values, prior = case
    evidence = evidence_of(degrees, values)
    found = fuzzy_beliefs(
        evidence,
        evidence.degrees,
        np.array(prior, dtype=float),
        cardinality=cardinality,
    )
    for row, (person, before) in enumerate(zip(degrees, prior, strict=True)):
        expected = slow_posterior(degrees, values, person, before, cardinality)
        if expected is None:
            assert np.isnan(found.posterior[row]).all()
        else:
            assert found.posterior[row] == pytest.approx([float(e) for e in expected])
            assert found.posterior[row].sum() == pytest.approx(1)


@given(data=st.data())
def test_crisp_sets_give_the_crisp_belief(data):
    n = data.draw(st.integers(3, 12))
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    values = [
        *VALUES,
        *data.draw(st.lists(st.sampled_from(VALUES), min_size=n - 3, max_size=n - 3)),
    ]
    evidence = evidence_of(np.eye(3)[labels], values)
    prior = prior_belief(
        data.draw(st.lists(st.tuples(*[st.integers(1, 4)] * 3), min_size=n, max_size=n))
    )
    found = fuzzy_beliefs(evidence, evidence.degrees, prior)
    codes = np.searchsorted(VALUES, values)
    counts = np.array([np.bincount(codes[labels == i], minlength=3) for i in range(3)])
    sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    expected = posterior_belief(counts[labels], prior, (counts / sizes)[labels])
    np.testing.assert_allclose(found.posterior, expected)
    # By the share in the class itself, nothing is learnt but who is there.
    there = prior * (counts[labels] > 0)
    np.testing.assert_allclose(expected, there / there.sum(axis=1, keepdims=True))


@given(case=cases())
def test_sets_of_equal_sizes_teach_nothing_but_who_is_there(case):
    degrees, values, prior = case
    evidence = evidence_of(degrees, values)
    sizes = {count(column, "non-fuzzy") for column in zip(*degrees, strict=True)}
    assume(len(sizes) == 1 and 0 not in sizes)
    prior = np.array(prior, dtype=float)
    found = fuzzy_beliefs(evidence, evidence.degrees, prior)
    there = prior * (found.counts > 0)
    some = there.any(axis=1)
    expected = there[some] / there[some].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.posterior[some], expected, atol=1e-12)


@given(case=cases())
def test_shares_of_a_set_add_up_to_one(case):
    degrees, values, prior = case
    evidence = evidence_of(degrees, values)
    prior = np.array(prior, dtype=float)
    sigma = fuzzy_beliefs(evidence, evidence.degrees, prior, cardinality="sigma")
    held = evidence.degrees.any(axis=0)
    np.testing.assert_allclose(sigma.in_sets[held].sum(axis=1), 1)
    found = fuzzy_beliefs(evidence, evidence.degrees, prior)
    for i, column in enumerate(zip(*degrees, strict=True)):
        if any(d >= HALF for d in column) and sum(d == HALF for d in column) <= 1:
            assert found.in_sets[i].sum() == pytest.approx(1)


def beliefs_of(prior, person=(1.0,)):
    evidence = evidence_of([[1.0]] * 6, ["a", "a", "a", "a", "b", "c"])
    return fuzzy_beliefs(evidence, [person], [prior])


def test_a_value_that_stands_out_is_disclosed():
    found = beliefs_of([0.94, 0.03, 0.03]).disclosures()
    assert found.positive.tolist() == [True]
    assert found.negative.tolist() == [False]
    assert found.strong_knowledge.tolist() == [False]
    assert beliefs_of([0.8, 0.1, 0.1]).disclosures().positive.tolist() == [False]
    assert beliefs_of([0.8, 0.1, 0.1]).disclosures(0.2).positive.tolist() == [True]


def test_a_set_of_one_value_lacks_diversity():
    evidence = evidence_of([[1.0, 0.0]] * 11 + [[0.0, 1.0]], ["a"] * 10 + ["b", "c"])
    prior = [[0.4, 0.3, 0.3]] * 2
    found = fuzzy_beliefs(evidence, [[1, 0], [0.5, 0.5]], prior).disclosures()
    assert found.lack_of_diversity.tolist() == [True, True]
    looser = fuzzy_beliefs(evidence, [[1, 0]], prior[:1]).disclosures(much_less=0.09)
    assert looser.lack_of_diversity.tolist() == [False]


def test_what_is_known_not_to_be_is_strong_knowledge():
    found = beliefs_of([0.5, 0.5, 0.0]).disclosures()
    assert found.strong_knowledge.tolist() == [True]


def test_a_value_that_the_sets_do_not_have_is_ruled_out():
    evidence = evidence_of([[1.0, 0.0]] * 2 + [[0.0, 1.0]], ["a", "b", "c"])
    found = fuzzy_beliefs(evidence, [[1, 0]], [[0.25, 0.25, 0.5]])
    assert found.posterior.tolist() == [[0.5, 0.5, 0]]
    assert found.disclosures().negative.tolist() == [True]


def test_nothing_is_believed_where_everything_is_ruled_out():
    evidence = evidence_of([[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    found = fuzzy_beliefs(evidence, [[1, 0]], [[0.0, 1.0]])
    assert np.isnan(found.posterior).all()
    assert found.disclosures().positive.tolist() == [False]
    assert found.disclosures().negative.tolist() == [False]


def test_missing_values_are_no_belief():
    found = fuzzy_beliefs(evidence_of([[1.0]] * 2, ["a", None]), [[1]], [[1.0]])
    assert found.values.tolist() == ["a"]
    assert found.in_sets.tolist() == [[0.5]]


def test_other_shapes_and_columns_are_refused():
    evidence = evidence_of([[1.0]] * 2, ["a", "b"])
    with pytest.raises(DataError, match="persons: 2 degrees each for 1 sets"):
        fuzzy_beliefs(evidence, [[1, 0]], [[0.5, 0.5]])
    with pytest.raises(
        DataError, match="prior: 1 rows of 3 values for 1 persons and 2"
    ):
        fuzzy_beliefs(evidence, [[1]], [[0.5, 0.5, 0]])
    with pytest.raises(DataError, match="prior: 1 rows hold numbers"):
        fuzzy_beliefs(evidence, [[1]], [[1.5, 0]])
    with pytest.raises(NotEvaluable, match="unknown sensitive column"):
        fuzzy_beliefs(evidence, [[1]], [[0.5, 0.5]], sensitive="z")
    frame = pd.DataFrame({"s": ["a"], "u": ["b"]})
    two = Memberships.from_frame([[1.0]], frame, ["s", "u"])
    with pytest.raises(DataError, match="2 sensitive columns"):
        fuzzy_beliefs(two, [[1]], [[1]])
    assert fuzzy_beliefs(two, [[1]], [[1]], "u").values.tolist() == ["b"]
    with pytest.raises(ParameterError, match="much_less"):
        beliefs_of([1, 0, 0]).disclosures(much_less=1)
