"""Sizes of fuzzy sets against the definitions, word for word and in exact numbers."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._kernels.cardinality import (
    fuzzy_cardinalities,
    half_cut_sizes,
    nonfuzzy_cardinalities,
    possibilities,
    sigma_counts,
)

VECTORS = json.loads(
    (Path(__file__).parents[1] / "data/vectors/fuzzy-microdata.json").read_text()
)["vectors"]
HALF = Fraction(1, 2)


def vector(name):
    return next(case for case in VECTORS if case["name"] == name)


class Twin:
    """One set, straight from (2.7) to (2.12)."""

    def __init__(self, degrees):
        self.n = len(degrees)
        self.mu = [Fraction(1), *sorted(degrees, reverse=True), Fraction(0)]
        steps = range(1, self.n + 1)
        passing = [s for s in steps if self.mu[s - 1] + self.mu[s] > 1]
        self.j = max(passing) if any(degrees) else 0

    def sigma_count(self):
        return sum(self.mu[1:])

    def exactly(self, k):
        return min(self.mu[k], 1 - self.mu[k + 1])

    def at_least(self, k):
        if k >= self.j:
            return self.mu[k]
        return max(1 - self.mu[self.j], self.mu[self.j])

    def nonfuzzy(self):
        if self.j == 0:
            return 0
        return self.j if self.mu[self.j] >= HALF else self.j - 1

    def half_cut(self):
        return sum(degree >= HALF for degree in self.mu[1:])


# Parts of 64 have no rounding, neither themselves nor their differences from 1.
shares = st.one_of(
    st.integers(0, 64).map(lambda part: Fraction(part, 64)),
    st.sampled_from([Fraction(0), HALF, Fraction(1)]),
)
sets = st.lists(shares, min_size=1, max_size=30)
crisp_sets = st.lists(st.sampled_from([Fraction(0), Fraction(1)]), max_size=30)


def column(degrees):
    return np.array([[float(degree)] for degree in degrees]).reshape(-1, 1)


def sizes(degrees):
    """Everything of one set, as lists and numbers."""
    matrix = column(degrees)
    return {
        "sigma": sigma_counts(matrix)[0],
        "nonfuzzy": nonfuzzy_cardinalities(matrix)[0],
        "half": half_cut_sizes(matrix)[0],
        "exactly": fuzzy_cardinalities(matrix)[:, 0].tolist(),
        "at_least": possibilities(matrix)[:, 0].tolist(),
    }


@given(sets)
def test_the_definitions(degrees):
    twin, found = Twin(degrees), sizes(degrees)
    counts = range(len(degrees) + 1)
    assert found["exactly"] == [twin.exactly(k) for k in counts]
    assert found["at_least"] == [twin.at_least(k) for k in counts]
    assert found["sigma"] == twin.sigma_count()
    assert found["nonfuzzy"] == twin.nonfuzzy()
    assert found["half"] == twin.half_cut()


@given(st.integers(1, 5), st.integers(0, 12), st.randoms())
def test_columns_do_not_mix(n_sets, n_rows, random):
    matrix = np.array(
        [[random.randint(0, 8) / 8 for _ in range(n_sets)] for _ in range(n_rows)]
    ).reshape(n_rows, n_sets)
    for function in (sigma_counts, nonfuzzy_cardinalities, half_cut_sizes):
        alone = [function(matrix[:, [at]])[0] for at in range(n_sets)]
        assert function(matrix).tolist() == alone
    for function in (fuzzy_cardinalities, possibilities):
        alone = [function(matrix[:, [at]])[:, 0].tolist() for at in range(n_sets)]
        assert function(matrix).T.tolist() == alone
        assert function(matrix).shape == (n_rows + 1, n_sets)
        assert (function(np.asfortranarray(matrix)) == function(matrix)).all()


@given(sets)
def test_at_least_is_the_best_exact_size_from_there_on(degrees):
    found = sizes(degrees)
    exactly = found["exactly"]
    assert found["at_least"] == [max(exactly[k:]) for k in range(len(exactly))]


@given(sets)
def test_exact_sizes_rise_to_at_least_half_and_fall(degrees):
    exactly = sizes(degrees)["exactly"]
    top = exactly.index(max(exactly))
    assert exactly[: top + 1] == sorted(exactly[: top + 1])
    assert exactly[top:] == sorted(exactly[top:], reverse=True)
    assert exactly[top] >= 0.5


@given(sets)
def test_the_complement_has_the_other_rows(degrees):
    others = sizes([1 - degree for degree in degrees])
    assert sizes(degrees)["exactly"] == others["exactly"][::-1]


@given(sets)
def test_nonfuzzy_size_counts_degrees_above_half_and_a_tie_once(degrees):
    found = sizes(degrees)
    above = sum(degree > HALF for degree in degrees)
    assert found["nonfuzzy"] == above + (HALF in degrees)
    assert found["exactly"][found["nonfuzzy"]] == max(found["exactly"])


@given(sets)
def test_at_least_falls_and_passes_half_at_the_half_cut(degrees):
    found = sizes(degrees)
    assert found["at_least"] == sorted(found["at_least"], reverse=True)
    assert sum(value >= 0.5 for value in found["at_least"]) == found["half"] + 1


@given(sets, st.data())
def test_nonfuzzy_sizes_add_up_without_ties(degrees, data):
    degrees = [degree for degree in degrees if degree != HALF]
    cut = data.draw(st.integers(0, len(degrees)))
    parts = [sizes(part)["nonfuzzy"] for part in (degrees[:cut], degrees[cut:])]
    assert sum(parts) == sizes(degrees)["nonfuzzy"]
    others = sizes([1 - degree for degree in degrees])
    assert sizes(degrees)["nonfuzzy"] + others["nonfuzzy"] == len(degrees)


@given(crisp_sets)
def test_crisp_sets_have_their_size(degrees):
    found, size = sizes(degrees), sum(degrees)
    assert found["sigma"] == found["nonfuzzy"] == found["half"] == size
    counts = range(len(degrees) + 1)
    assert found["exactly"] == [float(k == size) for k in counts]
    assert found["at_least"] == [float(k <= size) for k in counts]


@given(sets, st.randoms(), st.integers(0, 5))
def test_neither_order_nor_strangers_count(degrees, random, n_strangers):
    mixed = [*degrees, *[Fraction(0)] * n_strangers]
    random.shuffle(mixed)
    before, after = sizes(degrees), sizes(mixed)
    for kind in ("sigma", "nonfuzzy", "half"):
        assert before[kind] == after[kind]
    n_more = len(mixed) - len(degrees)
    assert after["at_least"] == before["at_least"] + [0.0] * n_more


def test_half_has_a_tolerance():
    just = np.array([[0.5 - 1e-13, 0.5 + 1e-13, 0.5 - 1e-11, 0.5 + 1e-11]] * 2)
    assert half_cut_sizes(just).tolist() == [2, 2, 0, 2]
    assert nonfuzzy_cardinalities(just).tolist() == [1, 1, 0, 2]


def test_larger_degrees_may_be_less_possible():
    small, large = column([0, 0.1, 0.1]), column([0.6, 0.7, 0.8])
    assert possibilities(small)[0, 0] == 0.9
    assert possibilities(large)[0, 0] == 0.6


def test_sigma_counts_do_not_lose_digits_of_small_floats():
    degrees = np.full((100_000, 1), 0.1, dtype=np.float32)
    assert sigma_counts(degrees)[0] == pytest.approx(100_000 * float(np.float32(0.1)))


@pytest.mark.parametrize(
    "name",
    [
        "sigma_count_2_37",
        "fuzzy_cardinality_2_40",
        "fuzzy_cardinality_crisp_2_39",
        "fuzzy_cardinality_empty",
        "nonfuzzy_cardinality_ties",
    ],
)
def test_the_worked_examples(name):
    case = vector(name)
    found, expected = sizes(case["input"]["mu"]), case["expected"]
    names = {
        "sigma_count": "sigma",
        "fuzzy_cardinality": "exactly",
        "poss_at_least": "at_least",
        "nonfuzzy_cardinality": "nonfuzzy",
        "nonfuzzy_cardinality_2_12": "nonfuzzy",
        "count_mu_ge_half": "half",
    }
    compared = {key for key in expected if key in names}
    assert compared
    for key in compared:
        assert found[names[key]] == pytest.approx(expected[key], abs=case["tolerance"])


def test_young_adult_old():
    case = vector("q_anonymity_table_3_9")
    expected = case["expected"]
    matrix = np.array([expected["mu"][name] for name in expected["j"]]).T
    found = possibilities(matrix)[1:6].T
    for curve, name in zip(found, expected["j"], strict=True):
        assert curve == pytest.approx(expected["poss_at_least_1_to_5"][name])
    assert nonfuzzy_cardinalities(matrix).tolist() == [3, 3, 3]
