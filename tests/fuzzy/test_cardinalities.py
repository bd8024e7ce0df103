"""How many elements a fuzzy set has: each answer against its definition."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.fuzzy import (
    cardinality,
    check_partition,
    fuzzy_cardinality,
    half_cut_size,
    nonfuzzy_cardinality,
    possibility_at_least,
    sigma_count,
)

HALF = Fraction(1, 2)
SETS = st.lists(st.integers(0, 8).map(lambda part: Fraction(part, 8)), max_size=9)


def floats(numbers):
    return np.array([float(number) for number in numbers])


def exactly(degrees):
    """|A|_f(k) for every k."""
    ranked = [Fraction(1), *sorted(degrees, reverse=True), Fraction(0)]
    return [min(ranked[k], 1 - ranked[k + 1]) for k in range(len(degrees) + 1)]


def turning_point(degrees):
    ranked = [Fraction(1), *sorted(degrees, reverse=True)]
    sums = [s for s in range(1, len(ranked)) if ranked[s - 1] + ranked[s] > 1]
    return max(sums) if any(degrees) else 0


@given(degrees=SETS)
def test_the_four_answers(degrees):
    numbers = floats(degrees)
    assert sigma_count(numbers) == float(sum(degrees))
    assert fuzzy_cardinality(numbers).tolist() == floats(exactly(degrees)).tolist()
    j = turning_point(degrees)
    ranked = [Fraction(1), *sorted(degrees, reverse=True)]
    assert nonfuzzy_cardinality(numbers) == (j if ranked[j] >= HALF else j - 1)
    assert half_cut_size(numbers) == sum(d >= HALF for d in degrees)
    at_least = [max(exactly(degrees)[k:]) for k in range(len(degrees) + 1)]
    assert possibility_at_least(numbers).tolist() == floats(at_least).tolist()


@given(degrees=SETS)
def test_possibilities_are_those_of_the_printed_formula(degrees):
    ranked = [Fraction(1), *sorted(degrees, reverse=True)]
    j = turning_point(degrees)
    for k, mu in enumerate(ranked):
        expected = mu if k >= j else max(1 - ranked[j], ranked[j])
        assert possibility_at_least(floats(degrees), k) == float(expected)
    assert possibility_at_least(floats(degrees), len(ranked)) == 0


@given(degrees=SETS)
def test_exact_sizes_rise_to_one_half_or_more_and_fall(degrees):
    found = fuzzy_cardinality(floats(degrees))
    top = found.argmax()
    assert (np.diff(found[: top + 1]) >= 0).all()
    assert (np.diff(found[top:]) <= 0).all()
    assert found.max() >= 0.5
    assert found[nonfuzzy_cardinality(floats(degrees))] == found.max()
    others = fuzzy_cardinality(1 - floats(degrees))
    assert found.tolist() == others[::-1].tolist()


@given(degrees=SETS)
def test_possibilities_fall_below_one_half_after_the_cut(degrees):
    found = possibility_at_least(floats(degrees))
    assert (np.diff(found) <= 0).all()
    assert (found >= 0.5).sum() == half_cut_size(floats(degrees)) + 1


@given(degrees=SETS, data=st.data())
def test_order_and_strangers_do_not_matter(degrees, data):
    numbers = floats(degrees)
    moved = floats([*data.draw(st.permutations(degrees)), 0, 0])
    for kind in ("non-fuzzy", "sigma", "half-cut"):
        assert cardinality(moved, kind) == cardinality(numbers, kind)
    longer = possibility_at_least(moved)
    assert longer.tolist() == [*possibility_at_least(numbers).tolist(), 0, 0]


@given(degrees=SETS, data=st.data())
def test_without_ties_sizes_add_up(degrees, data):
    degrees = [d for d in degrees if d != HALF]
    numbers = floats(degrees)
    mine = np.array([data.draw(st.booleans()) for _ in degrees], dtype=bool)
    parts = [numbers * mine, numbers * ~mine]
    whole = nonfuzzy_cardinality(numbers)
    assert sum(nonfuzzy_cardinality(part) for part in parts) == whole
    assert whole + nonfuzzy_cardinality(1 - numbers) == len(degrees)


@given(inside=st.lists(st.booleans(), max_size=9))
def test_a_crisp_set_has_one_size(inside):
    numbers = np.array(inside, dtype=float)
    size = sum(inside)
    for kind in ("non-fuzzy", "sigma", "half-cut"):
        assert cardinality(numbers, kind) == size
    exact = cardinality(numbers, "fuzzy")
    assert exact.tolist() == [float(k == size) for k in range(len(inside) + 1)]
    at_least = possibility_at_least(numbers)
    assert at_least.tolist() == [float(k <= size) for k in range(len(inside) + 1)]


@given(data=st.data(), n_sets=st.integers(1, 4), n_rows=st.integers(1, 9))
def test_sizes_of_a_partition(data, n_sets, n_rows):
    cuts = st.lists(st.integers(0, 9), min_size=n_sets - 1, max_size=n_sets - 1)
    rows = [np.diff([0, *sorted(data.draw(cuts)), 9]).tolist() for _ in range(n_rows)]
    degrees = np.array(rows) / 9
    assert sigma_count(degrees).sum() == pytest.approx(n_rows)
    # In ninths nothing is one half.
    if check_partition(degrees).is_robust:
        assert nonfuzzy_cardinality(degrees).sum() == n_rows


def test_several_sets_at_once():
    degrees = np.array([[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]])
    for kind in ("non-fuzzy", "sigma", "half-cut", "fuzzy"):
        both = cardinality(degrees, kind)
        for i in range(2):
            assert np.array_equal(both[..., i], cardinality(degrees[:, i], kind))
    assert possibility_at_least(degrees, 2).tolist() == [0.5, 0.5]
    assert possibility_at_least(degrees, 9).tolist() == [0, 0]


def test_one_set_gives_a_plain_number():
    assert type(cardinality([0.5])) is int
    assert type(cardinality([0.5], "sigma")) is float
    assert type(possibility_at_least([0.5], 1)) is float


def test_illegal_input_is_refused():
    with pytest.raises(ParameterError, match="kind: unknown option 'scalar'"):
        cardinality([0.5], "scalar")
    for k in (-1, 1.5, True):
        with pytest.raises(ParameterError, match="k must be a whole number"):
            possibility_at_least([0.5], k)
    with pytest.raises(DataError, match="1 degrees"):
        sigma_count([1.5])
    with pytest.raises(DataError, match="0 dimensions"):
        sigma_count(0.5)
