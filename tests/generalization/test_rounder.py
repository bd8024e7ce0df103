"""Rounding to multiples of a base."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.generalization import Rounder


def rounded(cells, base, dtype=None):
    table = pd.DataFrame({"x": pd.Series(cells, dtype=dtype)})
    return Rounder(base).fit_transform(table)["x"]


@pytest.mark.parametrize(
    ("base", "cells", "expected"),
    [
        (100, [1234, 1250, 1350, 1251], [1200, 1200, 1400, 1300]),
        (5, [-7, -8, 2, 3], [-5, -10, 0, 5]),
        (0.1, [0.15, 0.25, 0.35, 0.29], [0.2, 0.2, 0.4, 0.3]),
        (0.1, [-0.04], [0.0]),
        ("0.3", [0.31, 1.0], [0.3, 0.9]),
        (Decimal("0.01"), [1.005, 2.675], [1.0, 2.68]),
        (1, [0.5, 1.5, 2.5], [0, 2, 2]),
        (1000, [2**60 + 1], [1152921504606847000]),
        (0.25, [3, 4], [3.0, 4.0]),
        (1e-320, [1e-320], [1e-320]),
        (7, [1e308], [float(round(Fraction(10**308, 7)) * 7)]),
    ],
)
def test_worked_examples(base, cells, expected):
    found = rounded(cells, base).tolist()
    assert found == expected
    assert all(str(number) != "-0.0" for number in found)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int64", "Int64", "float32", "float64"]
)
def test_types_are_kept(dtype):
    out = rounded([12, 18, 25], 10, dtype=dtype)
    assert out.dtype == dtype
    assert out.tolist() == [10, 20, 20]


def test_a_small_type_does_not_overflow():
    assert rounded([127, -128], 100, dtype="int8").tolist() == [100, -100]
    out = rounded([127, -128], 50, dtype="int8")
    assert out.tolist() == [150, -150]


def test_large_whole_numbers_lose_no_digit():
    out = rounded([2**63 + 5, 7], 10, dtype="uint64")
    assert (out.tolist(), out.dtype) == ([9223372036854775810, 10], "uint64")
    assert rounded([2**63 - 1, None], 10, dtype="Int64").tolist()[0] == 2**63 + 2
    array = np.array([[2**63 + 5]], dtype=np.uint64)
    assert Rounder(10).fit_transform(array).tolist() == [[9223372036854775810]]


@pytest.mark.parametrize(
    ("cell", "dtype"), [(-(2**63), "int64"), (2**64 - 1, "UInt64")]
)
def test_a_multiple_that_no_type_holds_is_refused(cell, dtype):
    with pytest.raises(DataError, match="'x' holds numbers in 2 rows") as caught:
        rounded([cell, 7, cell], 10, dtype=dtype)
    assert str(cell)[:12] not in str(caught.value)


@pytest.mark.parametrize("dtype", ["Int64", "float64"])
@pytest.mark.parametrize("base", [10, 0.5])
def test_missing_values_stay_missing(dtype, base):
    assert rounded([3, None, 104], base, dtype).isna().tolist() == [False, True, False]


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=10),
    st.sampled_from([1, 0.1, 0.3, 25, 1e-3]),
)
def test_the_nearest_multiple_by_fractions(cells, base):
    step = Fraction(str(base))
    for cell, found in zip(cells, rounded(cells, base), strict=True):
        times = round(Fraction(str(cell)) / step)  # Python rounds half to even
        assert found == float(times * step)


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=10),
    st.sampled_from([1, 0.1, 7]),
)
def test_twice_is_once(cells, base):
    once = rounded(cells, base)
    pd.testing.assert_series_equal(rounded(once, base), once)


@pytest.mark.parametrize(
    "base", [0, -1, "x", float("nan"), float("inf"), True, None, [1], "1/3"]
)
def test_a_base_that_is_none(base):
    with pytest.raises(ParameterError, match="base must be a number above 0, got"):
        rounded([1], base)


def test_what_is_no_number_is_refused_by_column():
    with pytest.raises(DataError, match="'x' holds no numbers"):
        rounded(["a"], 1)


def test_arrays_stay_arrays():
    out = Rounder(10).fit_transform(np.array([[12.0, 19.0]]))
    assert isinstance(out, np.ndarray)
    assert out.tolist() == [[10, 20]]


def test_it_says_that_it_promises_nothing():
    assert "promises no privacy model" in Rounder.__doc__.splitlines()[0]


@parametrize_with_checks([Rounder(), Rounder(0.1), Rounder("0.001")])
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
