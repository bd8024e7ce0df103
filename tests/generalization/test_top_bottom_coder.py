"""Top and bottom coding."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.generalization import TopBottomCoder
from anon_transformers.partitioning import MondrianAnonymizer


def coded(cells, *bounds, dtype=None, **options):
    table = pd.DataFrame({"x": pd.Series(cells, dtype=dtype)})
    return TopBottomCoder(*bounds, **options).fit_transform(table)["x"]


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ((None, None), [3, 40, 104]),
        ((18, None), [18, 40, 104]),
        ((None, 90), [3, 40, 90]),
        ((18, 90), [18, 40, 90]),
        ((40, 40), [40, 40, 40]),
        ((17.5, 90), [17.5, 40, 90]),
    ],
)
def test_worked_examples(bounds, expected):
    assert coded([3, 40, 104], *bounds).tolist() == expected


def test_bounds_by_column():
    table = pd.DataFrame({"a": [1, 50], "b": [1, 50]})
    done = TopBottomCoder(lower={"b": 10}, upper={"a": 20})
    out = done.fit_transform(table)
    assert out.to_numpy().tolist() == [[1, 10], [20, 50]]
    assert done.lower_.tolist() == [-np.inf, 10]
    assert done.upper_.tolist() == [20, np.inf]


def test_quantiles_are_those_of_the_fitted_table():
    done = TopBottomCoder(0.1, 0.9, bounds="quantile").fit([[i] for i in range(101)])
    assert done.transform([[0], [50], [100], [500]]).ravel().tolist() == [
        10,
        50,
        90,
        90,
    ]


@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int64", "Int64", "float32", "float64"]
)
def test_types_are_kept(dtype):
    out = coded([3, 40, 104], 18, 90, dtype=dtype)
    assert out.dtype == dtype
    assert out.tolist() == [18, 40, 90]


@pytest.mark.parametrize("bounds", [(18, 90), (18.5, 90.5)])
@pytest.mark.parametrize("dtype", ["Int64", "float64"])
def test_missing_values_stay_missing(dtype, bounds):
    out = coded([3, None, 104], *bounds, dtype=dtype)
    assert out.isna().tolist() == [False, True, False]
    assert out.dropna().tolist() == list(bounds)


numbers = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20)


@given(numbers, st.floats(-100, 100), st.floats(0, 100))
def test_nothing_is_left_beyond_and_nothing_else_changes(cells, low, width):
    out = coded(cells, low, low + width).to_numpy()
    before = np.array(cells)
    inside = (before >= low) & (before <= low + width)
    assert (out >= low).all()
    assert (out <= low + width).all()
    np.testing.assert_array_equal(out[inside], before[inside])


wide = st.integers(-(2**63), 2**63 - 1) | st.integers(2**53 - 9, 2**53 + 9)
bounds = wide | st.floats(-1e19, 1e19).map(round).map(float)


@given(st.lists(wide, min_size=1, max_size=20), bounds, bounds)
def test_large_whole_numbers_are_compared_with_all_digits(cells, one, other):
    low, high = sorted((one, other))
    out = coded(cells, low, high).tolist()
    assert out == [min(max(cell, low), high) for cell in cells]


@given(
    st.lists(st.floats(-1e19, 1e19), min_size=1, max_size=20),
    st.integers(-(2**63), 2**63 - 1),
)
def test_no_double_is_left_beyond_a_whole_bound(cells, bound):
    assert all(cell <= bound for cell in coded(cells, None, bound).tolist())
    assert all(cell >= bound for cell in coded(cells, bound).tolist())


def test_a_half_cannot_stand_beside_more_digits_than_a_double_has():
    with pytest.raises(DataError, match="'x' holds whole numbers in 2 rows"):
        coded([2**60 + 1, 2**60 + 3, 3], 17.5)
    assert coded([2**60 + 1, 20], 17.5).tolist() == [2**60 + 1, 20]
    assert coded([2**60 + 1, 20], None, 17.5).tolist() == [17.5, 17.5]


def test_a_quantile_of_large_whole_numbers_is_one_of_them():
    cells = [2**60 + 1, 2**60 + 3, 2**60 + 5]
    for dtype in ("int64", "Int64", "uint64"):
        out = coded(cells, None, 0.5, bounds="quantile", dtype=dtype)
        assert out.tolist() == [2**60 + 1, 2**60 + 3, 2**60 + 3]
        assert out.dtype == dtype


@given(numbers, st.floats(0, 1), st.floats(0, 1))
def test_a_quantile_cuts_off_no_more_than_its_share(cells, one, other):
    low, high = sorted((one, other))
    out = coded(cells, low, high, bounds="quantile").to_numpy()
    assert (out > np.array(cells)).sum() <= low * len(cells) + 1e-9
    assert (out < np.array(cells)).sum() <= (1 - high) * len(cells) + 1e-9


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"lower": 9, "upper": 1}, "lower is above upper for column 'x'"),
        ({"lower": "9"}, "lower must be a number, got '9'"),
        ({"upper": float("nan")}, "upper must be a number, got nan"),
        ({"upper": True}, "upper must be a number, got True"),
        ({"upper": 10**400}, "upper must be a number"),
        ({"upper": {"y": 1}}, "upper: unknown column 'y'.*'x'"),
        ({"upper": 90, "bounds": "quantile"}, "upper must be a share .* got 90"),
        ({"bounds": "share"}, "bounds: .*'share'.*'quantile', 'value'"),
    ],
)
def test_what_makes_no_sense_is_refused(options, said):
    with pytest.raises(ParameterError, match=said):
        coded([1, 2], **options)


def test_a_column_without_a_value_has_no_quantile():
    with pytest.raises(ParameterError, match="column 'x' has no quantile"):
        coded([np.nan, np.nan], 0.1, bounds="quantile")


@pytest.mark.parametrize(
    "cells", [["a", "b"], [True, False], pd.to_datetime(["2020"] * 2)]
)
def test_what_is_no_number_is_refused_by_column(cells):
    with pytest.raises(DataError, match="'x' holds no numbers"):
        coded(cells, 1)


def test_infinite_numbers_are_counted():
    with pytest.raises(DataError, match="'x' holds infinite numbers in 2 rows"):
        coded([np.inf, 1.0, -np.inf], 1)


def test_an_empty_table():
    with pytest.raises(DataError, match="empty"):
        coded([], 1, dtype=float)


def test_frames_stay_frames_for_the_anonymizer_that_follows():
    table = pd.DataFrame({"age": [3, 20, 40, 104], "job": list("abab")})
    model = make_pipeline(
        make_column_transformer(
            (TopBottomCoder(18, 90), ["age"]),
            remainder="passthrough",
            verbose_feature_names_out=False,
        ).set_output(transform="pandas"),
        MondrianAnonymizer(["age"], k=2),
    )
    assert (
        model.fit_transform(table)["age"].tolist()
        == ["[18, 20]"] * 2 + ["[40, 90]"] * 2
    )


def test_polars_stays_polars():
    polars = pytest.importorskip("polars")
    out = TopBottomCoder(18, 90).fit_transform(polars.DataFrame({"x": [3, 104]}))
    assert isinstance(out, polars.DataFrame)
    assert out["x"].to_list() == [18, 90]


def test_it_says_that_it_promises_nothing():
    assert "promises no privacy model" in TopBottomCoder.__doc__.splitlines()[0]


@parametrize_with_checks(
    [
        TopBottomCoder(),
        TopBottomCoder(-1, 1),
        TopBottomCoder(0.1, 0.9, bounds="quantile"),
    ]
)
def test_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
