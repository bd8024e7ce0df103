"""Queries on a column of numbers, before and after."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.metrics import aggregate_answers, aggregate_query_error

cells = st.lists(
    st.one_of(
        st.just("*"),
        st.tuples(st.integers(-30, 90), st.integers(0, 20)).map(
            lambda at: f"[{at[0]}, {at[0] + at[1]}]"
        ),
    ),
    max_size=25,
)


def ends(cell):
    low, _, high = cell[1:-1].partition(", ")
    return int(low), int(high)


@given(cells)
def test_answers_are_those_of_the_rows(column):
    found = aggregate_answers(pd.Series(column, dtype=object))
    kept = [ends(cell) for cell in column if cell != "*"]
    if kept:
        assert found.minimum == min(low for low, _ in kept)
        assert found.maximum == max(high for _, high in kept)
        assert found.mean_lower == pytest.approx(np.mean([low for low, _ in kept]))
        assert found.mean_middle == pytest.approx(np.mean(kept))
    else:
        assert found.minimum is found.maximum is None
        assert found.mean_lower is found.mean_middle is None
    if column:
        assert found.mode_count == max(column.count(cell) for cell in column)
        assert column.count(found.mode) == found.mode_count
    else:
        assert (found.mode, found.mode_count) == (None, 0)


@given(cells)
def test_integer_arithmetic_drops_what_stands_behind_the_point(column):
    found = aggregate_answers(pd.Series(column, dtype=object), arithmetic="integer")
    kept = [ends(cell) for cell in column if cell != "*"]
    if kept:
        middles = [int((low + high) / 2) for low, high in kept]
        assert found.mean_middle == int(sum(middles) / len(middles))
        assert found.mean_lower == int(sum(low for low, _ in kept) / len(kept))
        assert all(type(a) is int for a in (found.minimum, found.mean_middle))


def test_the_original_is_asked_the_same_way():
    found = aggregate_answers([17, 36, 36, 90])
    assert (found.minimum, found.maximum) == (17, 90)
    assert found.mean_lower == found.mean_middle == 44.75
    assert (found.mode, found.mode_count) == ("36", 2)


@pytest.mark.parametrize(
    ("column", "missing"),
    [
        (["[20, 30]", ">= 80"], {"maximum", "mean_middle"}),
        (["[20, 30]", "< 20"], {"minimum", "mean_lower", "mean_middle"}),
        (["*", "any", None], {"minimum", "maximum", "mean_lower", "mean_middle"}),
    ],
)
def test_what_a_range_does_not_say_is_not_available(column, missing):
    found = aggregate_answers(column)
    names = ["minimum", "maximum", "mean_lower", "mean_middle"]
    assert {name for name in names if getattr(found, name) is None} == missing


def test_rows_left_out_count_as_suppressed():
    original = [21, 22, 41, 42, 61]
    found = aggregate_query_error(original, ["20-39", "20-39"])
    assert found["mode"].released == "*"
    assert found["mode_count"].released == 3
    assert found["mode_count"].error == 2
    assert found["maximum"].error == 39 - 61
    assert found["mode"].error is None
    marked = aggregate_query_error(original, ["20-39", "20-39", "*", "*", "*"])
    assert marked == found


def test_an_answer_that_is_not_there_has_no_error():
    found = aggregate_query_error([1, 2], ["*", "*"])
    assert found["minimum"].released is None
    assert found["minimum"].error is None


def test_arrow_and_nullable_columns_are_columns():
    plain = aggregate_answers(pd.Series([1, 2, 2]))
    for dtype in ("Int64", "int64[pyarrow]", "Float64"):
        assert aggregate_answers(pd.Series([1, 2, 2], dtype=dtype)) == plain
    texts = pd.Series(["1", "2", "2"], dtype="string[pyarrow]")
    assert aggregate_answers(texts) == plain


def test_labels_that_are_no_numbers_are_refused():
    with pytest.raises(DataError, match=r"'job' holds labels in 2 rows") as caught:
        aggregate_answers(pd.Series(["clerk", "clerk", "3"], name="job"))
    assert "clerk" not in str(caught.value)


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match=r"arithmetic.*did you mean 'integer'"):
        aggregate_answers([1], arithmetic="integerr")
    with pytest.raises(
        ParameterError, match="dropped_rows must be a whole number of at least 0"
    ):
        aggregate_answers([1], dropped_rows=-1)
    with pytest.raises(DataError, match="published column has 2 rows"):
        aggregate_query_error([1], [1, 2])
