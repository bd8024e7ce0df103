"""Cells stay what they are through a file, whatever they hold."""

import tempfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pydantic")
pytest.importorskip("pyarrow")

from anon_transformers._data.columns import to_text
from anon_transformers.evidence import Classes
from anon_transformers.release._cells import write_parquet
from anon_transformers.release._files import (
    read_data,
    schema_of,
    write_csv,
)

ODD_TEXTS = [
    "007", "7", "1", "1.0", "1.", "+1", " 1", "", "*", "NA", "nan", "None", "null",
    "-0", "1e5", "inf", "0x10", "1_000", "true", "a,b", "a;b", "12345678901234567890",
    "2024-01-31", "2024-02-30", "[1, 2]", "{a, b}", "é", "日本", "\u2028", "\ufeffx",
    '"', 'a"b', "'", "#x", "a\nb", "a\rb", "a\r\nb", "\n", " ",
]  # fmt: skip
texts = st.one_of(
    st.sampled_from(ODD_TEXTS),
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00")),
)
mixed = st.one_of(texts, st.integers(), st.floats(), st.booleans(), st.none())
moments = st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1))
COLUMNS = {
    "texts": (st.one_of(texts, st.none()), lambda v: pd.Series(v, dtype=object)),
    "strings": (texts, lambda v: pd.Series(v, dtype="str")),
    "mixed": (mixed, lambda v: pd.Series(v, dtype=object)),
    "whole": (st.integers(-(2**63), 2**63 - 1), lambda v: pd.Series(v, dtype="int64")),
    "unsigned": (st.integers(0, 2**64 - 1), lambda v: pd.Series(v, dtype="uint64")),
    "holed": (
        st.one_of(st.integers(-(2**63), 2**63 - 1), st.none()),
        lambda v: pd.Series(pd.array(v, dtype="Int64")),
    ),
    "floats": (
        st.one_of(st.floats(), st.just(None)),
        lambda v: pd.Series(v, dtype="float64"),
    ),
    "float32": (st.floats(width=32), lambda v: pd.Series(v, dtype="float32")),
    "bools": (st.booleans(), lambda v: pd.Series(v, dtype=bool)),
    "maybe bools": (
        st.one_of(st.booleans(), st.none()),
        lambda v: pd.Series(pd.array(v, dtype="boolean")),
    ),
    "categories": (
        st.one_of(texts, st.none()),
        lambda v: pd.Series(pd.Categorical(v)),
    ),
    "numbers as categories": (
        st.one_of(st.integers(0, 9), st.none()),
        lambda v: pd.Series(pd.Categorical(v)),
    ),
    "days": (
        st.one_of(st.dates(date(1700, 1, 1), date(2200, 1, 1)), st.none()),
        lambda v: pd.Series(pd.to_datetime(v)),
    ),
    "moments": (
        st.one_of(moments, st.none()),
        lambda v: pd.Series(pd.to_datetime(v)),
    ),
    "moments of a zone": (
        st.datetimes(datetime(1970, 1, 1), datetime(2030, 1, 1)),
        lambda v: pd.Series(pd.to_datetime(v)).dt.tz_localize(
            "Europe/Berlin", ambiguous=True, nonexistent="shift_forward"
        ),
    ),
}


@st.composite
def frames(draw):
    n_rows = draw(st.integers(1, 8))
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3))
    columns = {}
    for number, kind in enumerate(kinds):
        cells, make = COLUMNS[kind]
        pool = draw(st.lists(cells, min_size=1, max_size=3))
        values = draw(st.lists(st.sampled_from(pool), min_size=n_rows, max_size=n_rows))
        columns[f"{kind} {number}"] = make(values)
    return pd.DataFrame(columns)


def partition(frame):
    """Rows by class and by sensitive value: first row of each group, row by row."""
    by_all = Classes.from_frame(frame, list(frame.columns)).labels
    by_one = [Classes.from_frame(frame, [name]).labels for name in frame.columns]
    return [list(map(list(labels).index, labels)) for labels in (by_all, *by_one)]


def through(frame, format_):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"data.{format_}"
        (write_csv if format_ == "csv" else write_parquet)(frame, path)
        return read_data(path, format_, schema_of(frame))


@given(frame=frames())
@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_classes_are_the_same_before_and_after(format_, frame):
    loaded = through(frame, format_)
    assert list(loaded.columns) == list(frame.columns)
    assert partition(loaded) == partition(frame)


@given(frame=frames())
@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_texts_are_the_same_before_and_after(format_, frame):
    loaded = through(frame, format_)
    for name in frame.columns:
        if "zone" not in name:  # moments are told in UTC afterwards
            assert to_text(loaded[name]).tolist() == to_text(frame[name]).tolist()


@given(frame=frames())
def test_a_second_round_changes_no_byte(frame):
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder) / "a.csv", Path(folder) / "b.csv"
        write_csv(frame, first)
        loaded = read_data(first, "csv", schema_of(frame))
        write_csv(loaded, second)
        if not any("zone" in name for name in frame.columns):
            assert first.read_bytes() == second.read_bytes()
        assert schema_of(loaded).keys() == schema_of(frame).keys()


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_the_cells_that_matter_one_by_one(format_):
    odd = pd.Series([1, 1.0, "1", "007", "", None, "a\rb"], dtype=object)
    loaded = through(pd.DataFrame({"odd": odd, "n": range(7)}), format_)
    texts_after = to_text(loaded["odd"]).tolist()
    assert texts_after == ["1", "1.0", "1", "007", None, None, "a\rb"]
    assert loaded["n"].dtype == "int64"


@pytest.mark.parametrize("values", [[2**62 + 1, 2**62, None], [2**64 - 1, 3, None]])
def test_whole_numbers_with_holes_keep_every_digit(tmp_path, values):
    dtype = "UInt64" if max(v or 0 for v in values) > 2**63 else "Int64"
    frame = pd.DataFrame({"n": pd.array(values, dtype=dtype)})
    for format_ in ("csv", "parquet"):
        assert through(frame, format_)["n"].tolist()[:2] == values[:2]


def test_objects_of_several_types_do_not_run_together_in_parquet(tmp_path):
    frame = pd.DataFrame(
        {
            "numbers": pd.Series([1, 1.0, None], dtype=object),
            "decimals": pd.Series([Decimal("1.0"), Decimal("1.00"), None]),
            "huge": pd.Series([2**80, 1, None], dtype=object),
            "whole": pd.Series([1, 2, None], dtype=object),
        }
    )
    loaded = through(frame, "parquet")
    assert loaded["numbers"].tolist()[:2] == ["1", "1.0"]
    assert loaded["decimals"].tolist()[:2] == ["1.0", "1.00"]
    assert loaded["huge"].tolist()[:2] == [str(2**80), "1"]
    assert loaded["whole"].dtype == "Int64"
