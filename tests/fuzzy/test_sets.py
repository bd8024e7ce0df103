"""Shapes of fuzzy sets, and the operations on degrees."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers import fuzzy
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.fuzzy import FuzzyShape, left_shoulder, trapezoid, triangular

EIGHTHS = st.integers(0, 8).map(lambda part: Fraction(part, 8))
PAIRS = st.lists(st.tuples(EIGHTHS, EIGHTHS), min_size=1, max_size=9)
POINTS = st.lists(st.integers(-9, 9), min_size=4, max_size=4, unique=True).map(sorted)


def floats(numbers):
    return [float(number) for number in numbers]


@given(points=POINTS, x=st.integers(-80, 80).map(lambda part: Fraction(part, 8)))
def test_degrees_follow_the_ramps(points, x):
    a, b, c, d = points
    if x <= a or x >= d:
        expected = Fraction(0)
    elif x < b:
        expected = (x - a) / (b - a)
    else:
        expected = (d - x) / (d - c) if x > c else Fraction(1)
    assert trapezoid(*points)([float(x)])[0] == pytest.approx(float(expected))
    left = Fraction(1) if x <= a else max(Fraction(0), (b - x) / (b - a))
    assert left_shoulder(a, b)([float(x)])[0] == pytest.approx(float(left))
    right = 1 - left
    assert fuzzy.right_shoulder(a, b)([float(x)])[0] == pytest.approx(float(right))


def test_a_triangle_with_an_infinite_end_is_a_shoulder():
    assert triangular(-math.inf, 2, 5) == left_shoulder(2, 5)
    assert triangular(2, 5, math.inf) == fuzzy.right_shoulder(2, 5)
    assert triangular(2, 5, 8) == FuzzyShape(2, 5, 5, 8)
    assert hash(triangular(2, 5, 8)) == hash(FuzzyShape(2.0, 5, 5, 8))


def test_a_missing_number_has_no_degree():
    assert np.isnan(triangular(0, 1, 2)([np.nan])[0])
    assert left_shoulder(0, 1)([-math.inf, math.inf]).tolist() == [1, 0]


@given(points=POINTS, alpha=st.sampled_from([0.25, 0.5, 1.0]))
def test_cuts_are_intervals(points, alpha):
    shape = trapezoid(*points)
    low, high = shape.cut(alpha)
    grid = np.linspace(-10, 10, 801)
    inside = (grid >= low - 1e-9) & (grid <= high + 1e-9)
    assert fuzzy.cut(shape(grid), alpha).tolist() == inside.tolist()
    assert shape.cut(1) == shape.core == (points[1], points[2])
    assert shape.support == (points[0], points[3])
    assert left_shoulder(0, 4).cut(0.25) == (-math.inf, 3)


@pytest.mark.parametrize(
    "points",
    [
        (0, 0, 1, 2),
        (0, 1, 2, 2),
        (0, 2, 1, 3),
        (-math.inf, 0, 1, 2),
        (0, 1, 2, math.inf),
    ],
)
def test_ramps_that_cannot_be_are_refused(points):
    with pytest.raises(ParameterError, match="start < full_from <= full_to < end"):
        FuzzyShape(*points)


@pytest.mark.parametrize("point", ["low", None, math.nan, True])
def test_points_are_numbers(point):
    with pytest.raises(ParameterError, match="made of numbers"):
        FuzzyShape(0, 1, 2, point)


@given(pairs=PAIRS)
def test_operations_work_element_by_element(pairs):
    one, other = zip(*pairs, strict=True)
    for operation, expected in [
        (fuzzy.union, [max(a, b) for a, b in pairs]),
        (fuzzy.intersection, [min(a, b) for a, b in pairs]),
        (fuzzy.algebraic_product, [a * b for a, b in pairs]),
        (fuzzy.algebraic_sum, [a + b - a * b for a, b in pairs]),
    ]:
        assert operation(floats(one), floats(other)).tolist() == floats(expected)
    assert fuzzy.complement(floats(one)).tolist() == floats(1 - a for a in one)
    assert fuzzy.is_equal(floats(one), floats(other)) == (one == other)
    included = all(a <= b for a, b in pairs)
    assert fuzzy.is_included(floats(one), floats(other)) == included
    assert fuzzy.is_normal(floats(one)) == (1 in one)
    assert fuzzy.core(floats(one)).tolist() == [a == 1 for a in one]


@given(pairs=PAIRS)
def test_laws_of_de_morgan(pairs):
    one, other = (floats(part) for part in zip(*pairs, strict=True))
    for join, meet in [
        (fuzzy.union, fuzzy.intersection),
        (fuzzy.algebraic_sum, fuzzy.algebraic_product),
    ]:
        outside = fuzzy.complement(join(one, other))
        both = meet(fuzzy.complement(one), fuzzy.complement(other))
        assert fuzzy.is_equal(outside, both)


@given(degrees=st.lists(EIGHTHS, min_size=1), lam=st.sampled_from([-0.9, 0, 0.5, 7]))
def test_lambda_complements_fall_with_lambda(degrees, lam):
    numbers = floats(degrees)
    found = fuzzy.lambda_complement(numbers, lam)
    expected = [(1 - d) / (1 + Fraction(lam) * d) for d in degrees]
    assert found == pytest.approx(floats(expected))
    assert (fuzzy.lambda_complement(numbers, lam + 1) <= found).all()
    # Done twice, it gives the set back.
    assert fuzzy.lambda_complement(found, lam) == pytest.approx(numbers)
    assert fuzzy.lambda_complement(numbers, 0) == pytest.approx(1 - np.array(numbers))


@given(degrees=st.lists(EIGHTHS, min_size=1), alpha=EIGHTHS)
def test_cuts_of_degrees(degrees, alpha):
    if alpha > 0:
        expected = [d >= alpha for d in degrees]
        assert fuzzy.cut(floats(degrees), float(alpha)).tolist() == expected
    if alpha < 1:
        expected = [d > alpha for d in degrees]
        found = fuzzy.cut(floats(degrees), float(alpha), strict=True)
        assert found.tolist() == expected


@given(degrees=st.lists(EIGHTHS, min_size=1, max_size=7), data=st.data())
def test_convex_sets_have_no_valley(degrees, data):
    n = len(degrees)
    convex = all(
        degrees[j] >= min(degrees[i], degrees[k])
        for i in range(n)
        for j in range(i, n)
        for k in range(j, n)
    )
    order = data.draw(st.permutations(range(n)))
    found = fuzzy.is_convex(order, [float(degrees[i]) for i in order])
    assert found == convex


@given(points=POINTS)
def test_every_shape_is_convex_and_normal(points):
    grid = np.linspace(-10, 10, 161)
    degrees = trapezoid(*points)(grid)
    assert fuzzy.is_convex(grid, degrees)
    assert fuzzy.is_normal(degrees)


def test_illegal_levels_and_degrees_are_refused():
    with pytest.raises(ParameterError, match=r"alpha .* above 0 and at most 1"):
        fuzzy.cut([0.5], 0)
    with pytest.raises(ParameterError, match=r"alpha .* at least 0 and below 1"):
        fuzzy.cut([0.5], 1, strict=True)
    with pytest.raises(ParameterError, match="lam must be a number above -1"):
        fuzzy.lambda_complement([0.5], -1)
    with pytest.raises(DataError, match="2 degrees are not numbers from 0 to 1"):
        fuzzy.union([0.5, 1.5, math.nan], [0, 0, 0])
