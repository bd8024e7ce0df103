"""Discernibility and average class size: recomputed row by row."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.metrics import (
    AverageClassSize,
    Discernibility,
    average_class_size,
    class_statistics,
    discernibility,
    measure,
)

tables = st.lists(st.sampled_from(["a", "b", "c", "*"]), min_size=1, max_size=30)


def classes_of(cells):
    return Classes.from_frame(pd.DataFrame({"q": cells}), ["q"])


@given(tables, st.integers(0, 5))
def test_discernibility_adds_up_rows(cells, dropped):
    n = len(cells) + dropped
    alike = [n if cell == "*" else cells.count(cell) for cell in cells] + [n] * dropped
    assert discernibility(classes_of(cells), n) == sum(alike)
    if not dropped:
        assert measure(Discernibility(), classes_of(cells)) == sum(alike) / n**2


@given(tables, st.integers(0, 5), st.sampled_from([1, 2, 5]))
def test_suppressed_rows_are_one_class(cells, dropped, k):
    n = len(cells) + dropped
    groups = set(cells) | ({"*"} if dropped else set())
    found = average_class_size(classes_of(cells), n, k=k)
    assert found == pytest.approx(n / len(groups) / k)
    if not dropped:
        assert measure(AverageClassSize(), classes_of(cells)) == n / len(groups)


def test_without_suppression_it_is_the_mean_of_the_statistics():
    classes = classes_of(list("aaabb"))
    assert average_class_size(classes) == class_statistics(classes).mean == 2.5


def test_an_original_has_at_least_the_published_rows():
    for metric in (discernibility, average_class_size):
        with pytest.raises(DataError, match="has 2 rows, the original 1"):
            metric(classes_of(["a", "a"]), 1)


@pytest.mark.parametrize("metric", [AverageClassSize(), Discernibility()])
def test_nothing_cannot_be_measured(metric):
    with pytest.raises(NotEvaluable, match="nothing to judge"):
        measure(metric, classes_of([]))


@pytest.mark.parametrize("k", [0, -1, float("nan")])
def test_k_is_above_zero(k):
    with pytest.raises(ParameterError, match="k must be a number above 0"):
        average_class_size(classes_of(["a"]), k=k)
