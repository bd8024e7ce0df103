"""Frames of other libraries and arrays: in by the door, and out as they came."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from anon_transformers._data.frames import is_frame, like_input, to_frame


def test_arrays_and_lists_become_frames_with_numbered_columns():
    assert to_frame(np.array([[1, 2]])).columns.tolist() == [0, 1]
    assert not is_frame(np.array([[1, 2]]))
    assert not is_frame([[1, 2]])
    assert is_frame(pd.DataFrame({"a": [1]}))


def test_an_array_stays_an_array():
    numbers = pd.DataFrame({0: [1.5], 1: [2.0]})
    assert like_input(numbers, np.array([[1, 2]]), {0, 1}).dtype == np.float64
    texts = pd.DataFrame({0: ["[1, 2]"], 1: [2.0]})
    assert like_input(texts, [[1, 2]], {0}).tolist() == [["[1, 2]", 2.0]]


def other_frames():
    cells = {
        "age": [20, None, 40, 41],
        "day": [dt.date(2020, 1, 1), None, dt.date(2020, 1, 2), dt.date(2021, 1, 1)],
        "note": ["x", None, "", "y"],
        "flag": [True, None, False, True],
        "many": [[1], None, [2, 3], []],
        "share": [0.5, None, float("nan"), 2.0],
    }
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    return [polars.DataFrame(cells), pyarrow.table(cells)]


@pytest.mark.parametrize("which", [0, 1], ids=["polars", "pyarrow"])
class TestOtherFrames:
    def test_they_are_frames(self, which):
        table = other_frames()[which]
        assert is_frame(table)
        assert to_frame(table)["note"].tolist()[0] == "x"

    def test_columns_that_were_not_changed_are_the_same(self, which):
        table = other_frames()[which]
        frame = to_frame(table)
        recoded = frame[["age"]].assign(age=["[20, 40]", None, "[20, 40]", "41"])
        rest = ["day", "note", "flag", "many", "share"]
        out = like_input(recoded.join(frame[rest]), table, {"age"})
        assert type(out) is type(table)
        assert list(out.columns if which == 0 else out.column_names)[1:] == rest
        for name in rest:
            before, after = table[name], out[name]
            # NaN differs from itself, so texts are compared.
            assert str(before.to_list() if which == 0 else before.to_pylist()) == str(
                after.to_list() if which == 0 else after.to_pylist()
            )
            assert (before.dtype if which == 0 else before.type) == (
                after.dtype if which == 0 else after.type
            )

    def test_a_missing_label_is_missing_there_too(self, which):
        table = other_frames()[which]
        recoded = pd.DataFrame({"age": ["[20, 40]", None, "[20, 40]", "41"]})
        out = like_input(recoded, table, {"age"})
        cells = out["age"].to_list() if which == 0 else out["age"].to_pylist()
        assert cells == ["[20, 40]", None, "[20, 40]", "41"]

    def test_dropped_rows_are_dropped_everywhere(self, which):
        table = other_frames()[which]
        rows = np.array([True, False, False, True])
        frame = to_frame(table).loc[rows, ["age", "note"]].reset_index(drop=True)
        out = like_input(frame, table, {"age"}, rows)
        cells = out["note"].to_list() if which == 0 else out["note"].to_pylist()
        assert cells == ["x", "y"]
