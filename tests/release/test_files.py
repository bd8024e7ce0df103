"""Readers and writers: what a file holds, and what is refused as no table."""

import codecs
import csv
import gzip
import threading

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

from anon_transformers._data.columns import to_text
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.registry import HOME, registry
from anon_transformers.release._cells import published_kinds, write_parquet
from anon_transformers.release._file_kinds import (
    DATABASE_KINDS,
    FILE_KINDS,
    TABLE_KINDS,
    kind_of_file,
)
from anon_transformers.release._files import (
    HEADER_BYTES,
    csv_columns,
    read_csv,
    read_parquet,
    refuse_nested,
    schema_of,
    write_csv,
)

# ---------------------------------------------------------------- what a file holds


def test_a_parquet_file_holds_columns_and_nothing_else(tmp_path):
    frame = pd.DataFrame(
        {
            "plain": pd.Categorical(["b", "a"], categories=["SECRET", "b", "a"]),
            "ordered": pd.Categorical(
                ["b", "a"], categories=["SECRET", "b", "a"], ordered=True
            ),
        },
        index=pd.Index(["Ann", "Bob"], name="person"),
    )
    path = tmp_path / "x.parquet"
    write_parquet(frame, path)
    content = path.read_bytes()
    for secret in (b"SECRET", b"Ann", b"person", b"pandas"):
        assert secret not in content
    assert pq.read_schema(path).names == ["plain", "ordered"]
    assert read_parquet(path)["ordered"].cat.ordered


def test_an_index_that_pandas_stored_in_a_source_is_left_behind(tmp_path):
    path = tmp_path / "x.parquet"
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.RangeIndex(5, 7))
    frame.to_parquet(path)
    assert b"pandas" in path.read_bytes()
    assert read_parquet(path).index.tolist() == [0, 1]


def test_a_csv_file_holds_no_index(tmp_path):
    frame = pd.DataFrame({"a": ["x"], "b": [None]}, index=["Ann"])
    write_csv(frame, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes() == b"a,b\nx,\n"


def test_every_reader_agrees_on_the_rows(tmp_path):
    """Python's own reader sees the same rows as ours, whatever the cells hold."""
    cells = ["a\rb", "c\nd", 'e"f', "g,h", "", "\r", "x"]
    write_csv(pd.DataFrame({"a": cells, "b": cells}), tmp_path / "x.csv")
    with (tmp_path / "x.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [["a", "b"], *([cell, cell] for cell in cells)]


# ---------------------------------------------------------------- guessing


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2"], "integer"),
        (["-1", "0"], "integer"),
        (["007", "1"], "text"),
        (["1", "1.0"], "number"),
        (["1.5", "-2e3"], "number"),
        (["0.30000000000000004", "1"], "number"),
        (["12345678901234567890", "12345678901234567891"], "text"),
        (["0.1234567890123456789", "1"], "text"),
        (["1e400", "1"], "text"),
        (["1e-400", "0"], "text"),
        (["inf", "1"], "text"),
        (["nan", "1"], "text"),
        (["+1", "1"], "text"),
        (["1_000", "1"], "text"),
        (["1.", "1"], "text"),
        (["٣", "1"], "text"),
        (["2024-01-31", "1999-12-01"], "date"),
        (["2024-02-30", "2024-01-01"], "text"),
        (["2024-1-1", "2024-01-01"], "text"),
        (["true", "false"], "text"),
        (["", ""], "text"),
        (["", "3"], "integer"),
    ],
)
def test_what_a_column_is_taken_for(tmp_path, cells, kind):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "".join(f"{cell},.\n" for cell in cells))
    frame = read_csv(path)
    assert schema_of(frame)["a"] == kind
    known = [cell or None for cell in cells]
    if kind in {"text", "integer", "date"}:
        assert to_text(frame["a"]).tolist() == known


def test_stated_kinds_and_marks_of_missing_values(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("zip;n\n1;?\n2;3\n")
    frame = read_csv(path, separator=";", missing=["?"], columns={"zip": "text"})
    assert frame["zip"].tolist() == ["1", "2"]
    assert frame["n"].isna().tolist() == [True, False]
    with pytest.raises(ParameterError, match="did you mean 'zip'"):
        read_csv(path, separator=";", columns={"zp": "text"})
    with pytest.raises(ParameterError, match="did you mean 'text'"):
        read_csv(path, separator=";", columns={"zip": "txt"})


# ---------------------------------------------------------------- refusals

MARK = "CELLMARK"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"a,b\n1,2\n3,{MARK},5\n", "1 row has another number of fields"),
        (f"a,b\n1,2\n{MARK}\n3\n", "2 rows have another number of fields"),
        (f"a,b\n1,2\n3,4\n{MARK},2,3\n", "the first is row 4"),
        (f'a,b\n"{MARK},2\n3,4\n', "1 row has another number"),
        ("", "cannot be read as CSV"),
        (f"a,a\n{MARK},2\n", "columns of one name (columns 1 and 2)"),
        (f"a,b\n{MARK}é,2\n".encode("latin-1"), "cannot be read as CSV"),
        (f"a,b\n{MARK}é,2,3\n".encode("latin-1"), "cannot be read as CSV"),
        (bytes(range(256)) * 40, "cannot be read as CSV"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "cannot be read as CSV"),
    ],
)
def test_bad_csv_files(tmp_path, capfd, content, message):
    path = tmp_path / "x.csv"
    raw = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(raw)
    with pytest.raises(DataError) as caught:
        read_csv(path)
    assert message in str(caught.value)
    assert MARK not in str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("read", [read_csv, csv_columns])
def test_a_csv_file_that_is_not_there_is_told_as_one(tmp_path, read):
    with pytest.raises(DataError, match=r"nowhere\.csv: there is no such file\.$"):
        read(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="is a folder; name a file"):
        read(tmp_path)


# ------------------------------------------------------------------------- the header


@pytest.fixture
def decoded_in():
    """Threads in which the encoding ``watched`` was decoded."""
    threads, utf_8 = set(), codecs.lookup("utf-8")

    class Watched(codecs.IncrementalDecoder):
        def decode(self, data, final=False):
            threads.add(threading.get_ident())
            return codecs.utf_8_decode(data, self.errors, True)[0]

    def search(name):
        if name != "watched":
            return None
        return codecs.CodecInfo(
            utf_8.encode, utf_8.decode, incrementaldecoder=Watched, name=name
        )

    codecs.register(search)
    yield threads
    codecs.unregister(search)


def test_a_header_is_decoded_by_nobody_else(tmp_path, decoded_in):
    """A thread that has Python decode while the program ends aborts it."""
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "1,2\n" * HEADER_BYTES)
    assert csv_columns(path, encoding="watched") == ["a", "b"]
    assert decoded_in == {threading.get_ident()}


LONG = "x" * HEADER_BYTES


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n", ["a", "b"]),
        ("a,b\n1,2,3\n", ["a", "b"]),
        ("\n\na,b\n1", ["a", "b"]),
        ("\n" * HEADER_BYTES + "a,b\n1,2\n", ["a", "b"]),
        (f"a,{LONG},b\n1,2,3\n", ["a", LONG, "b"]),
        (f'a,"{LONG}\n{LONG}",b\n1,2,3\n', ["a", f"{LONG}\n{LONG}", "b"]),
        (f"a,b\n{LONG}", ["a", "b"]),
    ],
)
def test_a_header_is_read_whole(tmp_path, text, names):
    path = tmp_path / "x.csv"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path.write_text(text, encoding=encoding)
        assert csv_columns(path, encoding=encoding) == names


@pytest.mark.parametrize("kind", ["integer", "number", "date"])
def test_a_stated_kind_that_does_not_hold_is_told_without_the_cell(tmp_path, kind):
    path = tmp_path / "x.csv"
    path.write_text(f"a,b\n{MARK},2\n")
    message = f"column 'a' holds values in 1 rows that are no {kind}"
    with pytest.raises(DataError, match=message) as caught:
        read_csv(path, columns={"a": kind})
    assert MARK not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_header_without_rows_is_an_empty_table(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n")
    frame = read_csv(tmp_path / "x.csv")
    assert list(frame.columns) == ["a", "b"]
    assert len(frame) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "latin-99"}, "unknown encoding 'latin-99'"),
        ({"encoding": 5}, "unknown encoding 5"),
        ({"separator": ";;"}, "separator must be one character"),
        ({"separator": ""}, "separator must be one character"),
    ],
)
def test_options_that_make_no_sense(tmp_path, options, message):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ParameterError, match=message):
        read_csv(tmp_path / "x.csv", **options)


def test_other_encodings_and_compression(tmp_path):
    (tmp_path / "l.csv").write_bytes("a,b\né,2\n".encode("latin-1"))
    assert read_csv(tmp_path / "l.csv", encoding="latin-1")["a"].tolist() == ["é"]
    (tmp_path / "b.csv").write_bytes("a,b\né,2\n".encode("utf-8-sig"))
    assert read_csv(tmp_path / "b.csv").columns.tolist() == ["a", "b"]
    packed = gzip.compress(f"a,b\n{MARK},2\n".encode() * 50)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"a,b\n007,2\n"))
    assert read_csv(tmp_path / "x.csv.gz")["a"].tolist() == ["007"]
    for number, broken in enumerate((packed[:40], b"a,b\n1,2\n")):
        (tmp_path / f"{number}.csv.gz").write_bytes(broken)
        with pytest.raises(DataError, match="cannot be read as CSV") as caught:
            read_csv(tmp_path / f"{number}.csv.gz")
        assert MARK not in str(caught.value)


def test_bad_parquet_files(tmp_path):
    path = tmp_path / "x.parquet"
    for content in (b"", f"a,b\n{MARK},2\n".encode(), b"PAR1" + bytes(100) + b"PAR1"):
        path.write_bytes(content)
        with pytest.raises(DataError, match="cannot be read as Parquet") as caught:
            read_parquet(path)
        assert MARK not in str(caught.value)
    with pytest.raises(DataError, match=r"no\.parquet does not exist"):
        read_parquet(tmp_path / "no.parquet")


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([["a"], ["a", "b"], None]),
        pa.array([[], [], []], pa.list_(pa.int64())),
        pa.array([{"a": MARK}, None, {"a": "x"}]),
        pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int64())),
        pa.array([[1, 2], [3, 4], None], pa.list_(pa.int8(), 2)),
    ],
    ids=["lists", "no cells in lists", "structs", "maps", "pairs"],
)
def test_cells_of_several_values_are_refused(tmp_path, cells):
    table = pa.table({"age": [1, 2, 3], "ill": cells})
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(DataError, match="column 'ill' holds lists or struc") as caught:
        read_parquet(tmp_path / "x.parquet")
    assert MARK not in str(caught.value)
    nested = pd.DataFrame({"ill": pd.Series(cells, dtype=pd.ArrowDtype(cells.type))})
    with pytest.raises(DataError, match="column 'ill' holds lists or structs"):
        refuse_nested(nested)
    write_parquet(nested, tmp_path / "y.parquet")  # as the texts that checks compare
    read = read_parquet(tmp_path / "y.parquet")
    assert to_text(read["ill"]).equals(to_text(nested["ill"]))


TEXTS = ["x", "", None, "", "x", None]
ZEROS = [0.0, -0.0, None, float("nan"), 1.5, -0.0]


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (TEXTS, object),
        (TEXTS, "str"),
        (TEXTS, "string"),
        (TEXTS, pd.ArrowDtype(pa.string())),
        (TEXTS, "category"),
        (TEXTS, pd.CategoricalDtype(["", "x", "y"], ordered=True)),
        ([1, "1", "", None, 2, "2"], pd.CategoricalDtype([1, "1", "", 2, "2"], True)),
        (ZEROS, object),
        (ZEROS, "float64"),
        (ZEROS, "float32"),
        (ZEROS, "Float64"),
        (ZEROS, pd.ArrowDtype(pa.float64())),
        (ZEROS[1:], pd.CategoricalDtype([-0.0, 1.5], ordered=True)),
        ([None, float("nan"), pd.NA, pd.NaT, None, ""], object),
    ],
    ids=str,
)
def test_a_file_holds_nothing_that_texts_do_not_tell(tmp_path, cells, dtype, backwards):
    """Rows of one text are exchanged: not a byte changes."""
    given = pd.Series(cells, dtype=dtype)
    texts = to_text(given).tolist()
    of_text: dict = {}
    for place, text in enumerate(texts):
        of_text.setdefault("0.0" if text == "-0.0" else text, []).append(place)
    order = list(range(len(texts)))
    for places in of_text.values():
        turned = places[::-1] if backwards else places[1:] + places[:1]
        for place, other in zip(places, turned, strict=True):
            order[place] = other
    exchanged = given.iloc[order].reset_index(drop=True)
    for name, column in (("a", given), ("b", exchanged)):
        write_parquet(pd.DataFrame({"x": column}), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    read = pq.read_table(tmp_path / "a")["x"].to_pylist()
    assert "" not in read
    assert "-0.0" not in map(str, read)
    assert [cell is None for cell in read] == [text is None for text in texts]


def test_a_parquet_file_with_a_column_twice(tmp_path):
    table = pa.table([pa.array([1]), pa.array([MARK])], names=["a", "a"])
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"of one name \(columns 1 and 2\)") as caught:
        read_parquet(tmp_path / "x.parquet")
    assert MARK not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("x.csv", "csv"),
        ("x.CSV.gz", "csv"),
        ("x.tsv", "csv"),
        ("a.b.parquet", "parquet"),
    ],
)
def test_the_format_of_a_file_by_its_name(name, kind):
    assert kind_of_file(name, ["csv", "parquet"]) == kind


@pytest.mark.parametrize("name", ["x.xlsx", "x", "csv", "x.gz"])
def test_an_unknown_file_type(name):
    with pytest.raises(DataError, match="choices: csv, parquet"):
        kind_of_file(name, ["parquet", "csv"])


def test_kinds_of_files_are_those_that_are_registered():
    readers = registry().readers
    own = {kind for kind in readers if readers.owner(kind) == HOME}
    assert {*FILE_KINDS} == {"", *own} - {*DATABASE_KINDS}
    graphs = {kind for kind in own if registry().reads_graphs(kind)}
    assert graphs == {*FILE_KINDS} - {*TABLE_KINDS}


def test_numpy_cells_are_published_as_plain_texts(tmp_path):
    cells = pd.Series([np.int64(1), np.float64(1), np.str_("x")], dtype=object)
    write_csv(pd.DataFrame({"a": cells}), tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "a\n1\n1.0\nx\n"


@pytest.mark.parametrize(
    ("years", "unit"),
    [(["300000"], "s"), (["300000", "2024"], "s"), (["2024", "NaT"], "us")],
)
def test_moments_are_of_the_unit_that_they_need(years, unit):
    given = pd.DataFrame({"x": np.array(years, dtype="datetime64[s]")})
    found = published_kinds(given, ["x"], written=False)["x"]
    assert found.dtype == f"datetime64[{unit}]"
    assert to_text(found).tolist() == to_text(given["x"]).tolist()
