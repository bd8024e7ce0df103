"""Labels that do not cover the cells they stand for are counted."""

import numpy as np
import pandas as pd
import pytest

from anon_transformers import MondrianAnonymizer
from anon_transformers.metrics._cell_faults import label_faults


def faults(cells, labels):
    source, table = pd.DataFrame({"x": cells}), pd.DataFrame({"x": labels})
    return label_faults(source, table, np.arange(len(source)), {"x": None}, "*")


@pytest.mark.parametrize(
    ("cells", "label"),
    [
        ([20, 30, None], "[20, 30] or missing"),
        ([20.5, 30.0, None], "[20, 31) or missing"),
        ([20, 30, None], "any or missing"),
        (["a", "b", None], "{a, b} or missing"),
        (["a", "b", None], "[a, b] or missing"),
        (["x or missing", None], "x or missing or missing"),
        ([20, 30, None], "*"),
    ],
)
def test_a_label_may_stand_for_missing_cells(cells, label):
    assert faults(cells, [label] * len(cells)) == []


@pytest.mark.parametrize(
    ("cells", "label"),
    [
        ([20, 30, None], "[20, 30]"),
        (["a", "b", None], "{a, b}"),
        (["x or missing", None], "x or missing"),
    ],
)
def test_one_that_does_not_say_so_stands_for_none(cells, label):
    (fault,) = faults(cells, [label] * len(cells))
    assert (
        fault == "column 'x' holds labels in 1 rows that do not cover the value of "
        "the source"
    )


def test_boxes_around_missing_cells_are_covered():
    table = pd.DataFrame({"x": [20, 21, 22, None, 30, None]})
    output = MondrianAnonymizer(k=6).fit_transform(table)
    assert faults(table["x"], output["x"]) == []
