"""Partitions by hand: their checks, and products of them."""

import math
import pickle
from fractions import Fraction
from functools import reduce
from operator import mul

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.fuzzy import (
    FuzzyPartition,
    check_partition,
    crisp_degrees,
    left_shoulder,
    product_names,
    product_partition,
    right_shoulder,
    sigma_count,
    trapezoid,
)

LOW_HIGH = {"Low": (-math.inf, 0, 1), "High": (0, 1, math.inf)}


@st.composite
def matrices(draw, n_rows):
    """Rows of degrees in eighths that add up to 1."""
    n_sets = draw(st.integers(1, 4))
    cuts = st.lists(st.integers(0, 8), min_size=n_sets - 1, max_size=n_sets - 1)
    eighths = cuts.map(lambda points: np.diff([0, *sorted(points), 8]).tolist())
    rows = draw(st.lists(eighths, min_size=n_rows, max_size=n_rows))
    return np.array(rows).reshape(n_rows, n_sets) / 8


@given(
    points=st.lists(st.integers(-50, 50), min_size=2, max_size=9, unique=True),
    values=st.lists(st.floats(-60, 60), max_size=9),
)
def test_sets_laid_end_to_end_are_a_normal_and_robust_partition(points, values):
    points = sorted(points)
    values = [*values, *points]
    found = FuzzyPartition.from_peaks(points)
    checks = found.check(values)
    assert checks.is_partition
    assert checks.is_normal
    assert checks.is_robust
    assert found.degrees(points).tolist() == np.eye(len(points)).tolist()
    # Trapezoids with shared ramps: two points for each.
    if len(points) % 2 == 0 and len(points) > 2:
        inner = [trapezoid(*points[i : i + 4]) for i in range(0, len(points) - 3, 2)]
        shapes = [left_shoulder(*points[:2]), *inner, right_shoulder(*points[-2:])]
        named = FuzzyPartition({str(i): shape for i, shape in enumerate(shapes)})
        checks = named.check(values)
        assert checks.is_partition
        assert checks.is_normal
        assert checks.is_robust


def test_names_come_from_the_number_of_sets_or_are_given():
    assert FuzzyPartition.from_peaks([1, 2]).names == ("Low", "High")
    assert FuzzyPartition.from_peaks([1, 2, 3]).names == ("Low", "Medium", "High")
    named = FuzzyPartition.from_peaks([20, 40, 60], ["Young", "Adult", "Old"])
    assert named.names == ("Young", "Adult", "Old")
    assert named.shapes[0] == left_shoulder(20, 40)


def test_it_is_a_value():
    one = FuzzyPartition(LOW_HIGH)
    assert one == FuzzyPartition.from_peaks([0, 1])
    assert hash(one) == hash(FuzzyPartition(list(LOW_HIGH.items())))
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != FuzzyPartition(dict(reversed(LOW_HIGH.items())))


def test_numbers_between_the_sets_are_counted():
    gap = FuzzyPartition({"Low": (-math.inf, 0, 1), "High": (2, 3, math.inf)})
    with pytest.raises(DataError, match=r"Low, High .* of 2 values do not add up"):
        gap.degrees([0, 1.5, 0.5, 3])
    assert gap.check([0, 1.5, 0.5, 3]).n_off == 2
    assert gap.degrees([0, 3]).tolist() == [[1, 0], [0, 1]]


def test_values_must_be_there():
    with pytest.raises(DataError, match="1 values are missing"):
        FuzzyPartition(LOW_HIGH).degrees([0.5, np.nan])
    with pytest.raises(DataError, match="vector"):
        FuzzyPartition(LOW_HIGH).degrees([[0.5]])


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ({}, "needs sets"),
        ({"": (0, 1, 2)}, "each with a name"),
        ([("a", (0, 1, 2)), ("a", (1, 2, 3))], "the same name"),
        ({"a": (0, 1)}, "set 'a' must be a fuzzy shape"),
        ({"a": "low"}, "set 'a' must be a fuzzy shape"),
        ({"a": 3}, "set 'a' must be a fuzzy shape"),
        ({"a": (2, 1, 0)}, "start < full_from"),
    ],
)
def test_sets_that_cannot_be_are_refused(sets, message):
    with pytest.raises(ParameterError, match=message):
        FuzzyPartition(sets)


@pytest.mark.parametrize("name", [1, True, None])
def test_names_are_texts(name):
    with pytest.raises(ParameterError, match=rf"a name is a text, got {name}\."):
        FuzzyPartition({name: (0, 1, 2)})


@pytest.mark.parametrize("number", [10**400, True, np.True_, np.nan, 1j])
def test_numbers_that_are_none(number):
    with pytest.raises(ParameterError, match="is made of numbers, got"):
        FuzzyPartition({"a": (0, 1, number)})


@given(points=st.lists(st.integers(-50, 50), min_size=2, max_size=9, unique=True))
def test_corners_tell_whether_degrees_add_up_everywhere(points):
    points = sorted(points)
    assert FuzzyPartition.from_peaks(points).is_complete
    named = dict(FuzzyPartition.from_peaks(points).sets)
    named.pop("Low", None) or named.popitem()
    assert not FuzzyPartition(named).is_complete


def test_peaks_that_cannot_be_are_refused():
    with pytest.raises(ParameterError, match="at least two"):
        FuzzyPartition.from_peaks([1])
    with pytest.raises(ParameterError, match="as many names"):
        FuzzyPartition.from_peaks([1, 2], ["Low"])
    with pytest.raises(ParameterError, match="start < full_from"):
        FuzzyPartition.from_peaks([2, 1])


def test_infinity_as_a_configuration_writes_it():
    assert FuzzyPartition({"Low": ["-inf", 0, 1], "High": [0, 1, "inf"]}) == (
        FuzzyPartition(LOW_HIGH)
    )


@given(data=st.data(), n_rows=st.integers(1, 6), n=st.integers(1, 3))
def test_a_product_of_partitions_is_a_partition(data, n_rows, n):
    parts = [data.draw(matrices(n_rows)) for _ in range(n)]
    crossed = product_partition(*parts)
    assert check_partition(crossed).is_partition
    names = product_names(*([str(i) for i in range(part.shape[1])] for part in parts))
    assert crossed.shape == (n_rows, len(names))
    for place, name in enumerate(names):
        factors = [part[:, int(i)] for part, i in zip(parts, name, strict=True)]
        np.testing.assert_allclose(crossed[:, place], reduce(mul, factors))
    assert sigma_count(crossed).sum() == pytest.approx(n_rows)
    # The label of the product is that of the parts, where one is the largest.
    for row in range(n_rows):
        best = [np.flatnonzero(part[row] == part[row].max()) for part in parts]
        if all(len(found) == 1 for found in best):
            label = tuple(str(found[0]) for found in best)
            assert names[crossed[row].argmax()] == label


@given(degrees=st.integers(1, 5).flatmap(matrices))
def test_checks_count_rows_and_sets(degrees):
    exact = [[Fraction(cell) for cell in row] for row in degrees]
    found = check_partition(degrees)
    assert found.n_off == 0
    assert found.n_vague == sum(max(row) < Fraction(1, 2) for row in exact)
    assert found.n_not_normal == sum(max(c) < 1 for c in zip(*exact, strict=True))
    if degrees.shape[1] > 1:
        assert check_partition(degrees[:, 1:]).n_off == (degrees[:, 0] > 0).sum()


def test_crisp_sets_are_zeros_and_ones():
    assert crisp_degrees([2, 0], 4).tolist() == [[0, 0, 1, 0], [1, 0, 0, 0]]
    assert crisp_degrees([]).shape == (0, 0)
    with pytest.raises(DataError, match="2 rows have a label that is not from 0 to 1"):
        crisp_degrees([2, -1, 0], 2)
    with pytest.raises(DataError, match="one whole number per row"):
        crisp_degrees([0.5])


def test_products_need_partitions_of_the_same_rows():
    with pytest.raises(ParameterError, match="at least one"):
        product_partition()
    with pytest.raises(DataError, match="different numbers of rows"):
        product_partition([[1.0]], [[1.0], [1.0]])
