"""Tables in files: readers, writers, and the schema that keeps cells what they are."""

import codecs
import csv
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from pandas.api import types

from anon_transformers._data.columns import to_text
from anon_transformers._data.dates import DateFormat
from anon_transformers._data.decimal_commas import with_points
from anon_transformers.exceptions import (
    DataError,
    ParameterError,
    check_choice,
    check_columns,
    unknown_choice,
)
from anon_transformers.release._remote_files import is_address, open_address
from anon_transformers.release._spreadsheets import GUARDED, unguard
from anon_transformers.release._written_kinds import GUESSES, guess_kind
from anon_transformers.roles import refuse_repeated_columns

KINDS = ("integer", "number", "date", "text", GUARDED)
Kind = str | Mapping[str, Any]
"""One of these, or how dates are written, or texts in their order."""
DESCRIPTIONS = ("date", "last_year", "number", "order", GUARDED)
_ZONED = r"[T ].*(?:[-+][0-9]{2}(?::?[0-9]{2})?|Z)\Z"
_ENDS = re.compile("[\r\t;]")
STRICT = "utf-8-sig"
"""UTF-8 as it is read here, with or without its mark; nobody types this name."""
HEADER_BYTES = 1 << 16
"""Bytes of a file that its header is looked for in, at first."""
BLOCK = 1 << 20
"""Bytes of a CSV file that are read at once; no row is longer."""


def read_csv(
    path: str | os.PathLike[str],
    *,
    separator: str = ",",
    encoding: str = "utf-8",
    missing: Sequence[str] = (),
    columns: Mapping[str, Kind] | None = None,
    exact: Sequence[str] = (),
) -> pd.DataFrame:
    """Read a CSV file, strictly.

    An empty field is a missing value. A column is a number or a date if all its
    values are written as one; ``007`` is a text.

    Parameters
    ----------
    path : path
        A file, compressed or not.
    separator, encoding : str
        How it was written.
    missing : sequence of str
        Further marks of a missing value, such as ``?``.
    columns : mapping of column to kind
        What columns are, where guessing is not wanted: ``"integer"``, ``"number"``,
        ``"date"`` (as 2026-01-31), ``"text"``; ``{"date": "%d/%m/%Y"}`` for dates that
        are written otherwise, as for ``datetime.strptime``, with ``"last_year"`` where
        years have two digits (up to 2025, 63 is 1963); ``{"number": ","}`` for numbers
        with a decimal comma, such as 1.040,64; or ``{"order": […]}`` for texts in this
        order. ``"guarded"``, and ``"guarded": true`` beside an order, are texts
        that a release wrote so that no spreadsheet runs them.
    exact : sequence of str
        Columns that will be published as they are: taken for numbers only where that
        gives every text back, which ``1.50`` does not.

    Raises
    ------
    DataError
        If it cannot be read, is empty, has a column twice, or rows of other lengths.
    """
    texts = csv_texts(path, separator=separator, encoding=encoding, missing=missing)
    return type_texts(texts, columns, exact)


def csv_texts(
    path: str | os.PathLike[str],
    *,
    separator: str = ",",
    encoding: str = "utf-8",
    missing: Sequence[str] = (),
) -> pd.DataFrame:
    """Every cell of a CSV file as it is written; None where it is missing."""
    _check_separator(separator)
    _check_missing(missing)
    frame = _read_texts(path, separator, known_encoding(encoding))
    return without_missing(frame, missing)


def without_missing(frame: pd.DataFrame, missing: Sequence[str]) -> pd.DataFrame:
    """The same with None for marks of missing values, and for empty cells."""
    return frame.astype(object).mask(frame.isin({"", *missing}), None)


def check_csv_options(
    names: Iterable[str],
    *,
    path: object = None,
    separator: str = ",",
    encoding: str = "utf-8",
    missing: Sequence[str] = (),
    columns: Mapping[str, Kind] | None = None,
    exact: Sequence[str] = (),
) -> None:
    """Refuse options by which no file with these columns could be read.

    They are those of :func:`read_csv`; ``path`` is not looked at.
    """
    _check_separator(separator)
    known_encoding(encoding)
    _check_missing(missing)
    empty = pd.DataFrame(columns=list(names), dtype=object)
    type_texts(empty, columns, exact)
    check_columns("exact", exact, list(empty))


def type_texts(
    frame: pd.DataFrame,
    columns: Mapping[str, Kind] | None = None,
    exact: Sequence[str] = (),
) -> pd.DataFrame:
    """Turn columns of text into what they are stated to be, or seem to be."""
    if not isinstance(columns, Mapping | None):
        raise ParameterError("columns must map columns to kinds, as in {age: integer}.")
    stated = dict(columns or {})
    check_columns("columns", stated, list(frame))
    kinds = {
        name: stated[name] if name in stated else guess_kind(frame[name], name in exact)
        for name in frame.columns
    }
    return apply_schema(frame, kinds)


def _read_texts(
    path: str | os.PathLike[str], separator: str, encoding: str
) -> pd.DataFrame:
    """Every cell as it is written; refuses rows of other lengths than the header."""
    ragged: list[int] = []
    try:
        options = texts_options(path, separator, encoding, ragged)
        texts = pyarrow.csv.read_csv(opened(path), **options)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise no_csv(path, encoding) from None
    refuse_ragged(path, ragged)
    return texts.to_pandas()


def texts_options(
    path: str | os.PathLike[str], separator: str, encoding: str, ragged: list[int]
) -> dict[str, Any]:
    """How Arrow reads texts alone; rows of other lengths are noted and left out."""

    def note(row: Any) -> str:
        ragged.append(row.number or 0)
        return "skip"

    header = _all_texts(path, separator, encoding)
    return {
        "read_options": pyarrow.csv.ReadOptions(
            encoding=encoding, use_threads=False, block_size=BLOCK
        ),
        "parse_options": _parse_options(separator, note, len(header) == 1),
        "convert_options": pyarrow.csv.ConvertOptions(
            column_types=header, strings_can_be_null=False
        ),
    }


def refuse_ragged(path: str | os.PathLike[str], ragged: Sequence[int]) -> None:
    """Refuse a file that has rows of other lengths than the header."""
    if ragged:
        have = "row has" if len(ragged) == 1 else "rows have"
        raise DataError(
            f"{path}: {len(ragged)} {have} another number of fields than the "
            f"header; the first is row {min(ragged)}."
        )


def no_csv(path: str | os.PathLike[str], encoding: str) -> DataError:
    if not Path(path).exists():
        return DataError(f"{path}: there is no such file.")
    if Path(path).is_dir():
        return DataError(f"{path} is a folder; name a file.")
    shown = "UTF-8" if encoding == STRICT else encoding
    return DataError(
        f"{path}: cannot be read as CSV in {shown}; is it empty, or in another "
        "encoding?"
    )


def opened(path: str | os.PathLike[str]) -> Any:
    """What Arrow reads: a path as it is, or what lies at an address."""
    return open_address(str(path)) if is_address(path) else os.fspath(path)


def csv_columns(
    path: str | os.PathLike[str], separator: str = ",", encoding: str = "utf-8"
) -> list[str]:
    """The header of a CSV file, one that is given twice, too; no cell is read."""
    _check_separator(separator)
    encoding = known_encoding(encoding)
    try:
        return _read_header(path, separator, encoding)
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise no_csv(path, encoding) from None


def _check_separator(separator: str) -> None:
    if not isinstance(separator, str) or len(separator) != 1:
        raise ParameterError(f"separator must be one character, got {separator!r}.")


def _check_missing(missing: object) -> None:
    """Refuse what is no list of texts: of one text, each letter would be a mark."""
    wanted = 'must be a list of texts, such as ["NA"]'
    if isinstance(missing, str) or not isinstance(missing, Collection):
        raise ParameterError(f"missing {wanted}, got {missing!r}.")
    for mark in missing:
        if not isinstance(mark, str):
            raise ParameterError(f'missing {wanted}; write "{mark}" for {mark!r}.')


def known_encoding(name: str) -> str:
    """Refuse an encoding that nobody knows; the usual one is read strictly."""
    try:
        found = codecs.lookup(name).name
    except (LookupError, TypeError):
        raise ParameterError(f"unknown encoding {name!r}.") from None
    # Under its plain name, what is no UTF-8 would get as far as the rows.
    return STRICT if found == "utf-8" else found


def _all_texts(
    path: str | os.PathLike[str], separator: str, encoding: str
) -> pa.Schema:
    """Every column of the header as text; refuses one that is given twice."""
    names = _read_header(path, separator, encoding)
    refuse_repeated_columns(names, what=f"{path}: the table")
    return pa.schema([(name, pa.string()) for name in names])


def _read_header(
    path: str | os.PathLike[str], separator: str, encoding: str
) -> list[str]:
    """The names in the first line, from as much of the file as shows a second one.

    A reader of Arrow that is dropped goes on reading ahead, in a thread that has Python
    decode what it reads; if the program ends meanwhile, it is aborted. So the start of
    the file is decoded here, and read to its end.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    start, size, whole = b"", HEADER_BYTES, False
    with pa.input_stream(opened(path)) as stream:
        while True:
            read = stream.read(size)
            whole = len(read) < size
            start += decoder.decode(read, final=whole).encode()
            try:
                names, shown = _names_in(start, separator)
            except pa.ArrowInvalid:  # not one line is whole
                if whole:
                    raise
                shown = False
            if shown or whole:
                return names
            size *= 2


def _names_in(start: bytes, separator: str) -> tuple[list[str], bool]:
    """Names in the first line, and whether a second one shows that it is whole."""
    ragged: list[Any] = []

    def note(row: Any) -> str:
        ragged.append(row)
        return "skip"

    table = pyarrow.csv.read_csv(
        pa.py_buffer(start),
        read_options=pyarrow.csv.ReadOptions(use_threads=False),
        parse_options=_parse_options(separator, note, False),
    )
    return table.column_names, bool(table.num_rows or ragged)


def _parse_options(
    separator: str, note: Callable[[Any], str], one_column: bool
) -> pyarrow.csv.ParseOptions:
    return pyarrow.csv.ParseOptions(
        delimiter=separator,
        newlines_in_values=True,
        invalid_row_handler=note,
        # In a file of one column an empty line is a row with a missing value.
        ignore_empty_lines=not one_column,
    )


def apply_schema(texts: pd.DataFrame, kinds: Mapping[str, Kind]) -> pd.DataFrame:
    """Turn columns of text into what the schema says they are."""
    return pd.DataFrame(
        {name: as_kind(texts[name], kind) for name, kind in kinds.items()}
    )


def as_kind(texts: pd.Series, kind: Kind) -> pd.Series:
    if isinstance(kind, Mapping):
        return _as_described(texts, kind)
    if kind not in KINDS:
        raise ParameterError(
            f"column {texts.name!r}: {unknown_choice('kind', kind, KINDS)}"
        )
    zoned = kind == "date" and _are_zoned(texts)
    try:
        if kind == "integer":
            return _integers(texts)
        if kind == "number":
            return texts.astype("float64")
        if kind == "date":
            return pd.to_datetime(texts, format="ISO8601", utc=zoned)
    except (ValueError, TypeError, OverflowError):
        fault = True  # raised below, so that the error does not carry this one along
    else:
        fault = False
    if fault:
        is_kind = GUESSES[kind]
        count = sum(not is_kind(text) for text in texts.dropna())
        raise DataError(
            f"column {texts.name!r} holds values in {count} rows that are no {kind}."
        )
    if kind == GUARDED:
        texts = texts.map(unguard, na_action="ignore")
    return texts.astype(object).infer_objects()


def _as_described(texts: pd.Series, kind: Mapping[str, Any]) -> pd.Series:
    """Dates or numbers that are written in a stated way, or texts in an order."""
    try:
        if {*kind} == {"number"}:
            return as_kind(with_points(texts, kind["number"]), "number")
        if "order" in kind and {*kind} <= {"order", GUARDED}:
            check_choice(GUARDED, kind.get(GUARDED, False), (False, True))
            if kind.get(GUARDED):
                texts = texts.map(unguard, na_action="ignore")
            return _in_order(texts, kind["order"])
        for key in kind:
            if key not in DESCRIPTIONS:
                raise ParameterError(unknown_choice("key", key, DESCRIPTIONS))
        if "date" not in kind or {*kind} & {"number", "order", GUARDED}:
            raise ParameterError("say one of date (and last_year), number and order.")
        written = DateFormat(kind["date"], kind.get("last_year"))
    except ParameterError as error:
        raise ParameterError(f"columns, {texts.name}: {error}") from None
    return written.read_all(texts)


def _in_order(texts: pd.Series, order: Any) -> pd.Series:
    listed = isinstance(order, Sequence) and not isinstance(order, str)
    if not listed or not all(isinstance(text, str) and text for text in order):
        raise ParameterError("order must be a list of texts.")
    if len(set(order)) < len(order):
        raise ParameterError("order holds a text twice.")
    strange = int((texts.notna() & ~texts.isin(order)).sum())
    if strange:
        raise DataError(
            f"column {texts.name!r} holds values in {strange} rows that its order does "
            "not have."
        )
    return pd.Series(pd.Categorical(texts, order, ordered=True), texts.index)


def _are_zoned(texts: pd.Series) -> bool:
    """Whether every moment has a zone; refuses some, for one decides for no other."""
    zoned = texts.dropna().astype(str).str.contains(_ZONED)
    without = int((~zoned).sum())
    if zoned.any() and without:
        raise DataError(
            f"column {texts.name!r} holds times without a zone in {without} rows "
            "beside times with one."
        )
    return bool(zoned.any())


def _integers(texts: pd.Series) -> pd.Series:
    """Whole numbers; the largest ones fit only without a sign."""
    missing = texts.isna().any()
    try:
        return texts.astype("Int64") if missing else texts.astype("int64")
    except OverflowError:
        return texts.astype("UInt64") if missing else texts.astype("uint64")


def schema_of(frame: pd.DataFrame) -> dict[str, Any]:
    """Kind of each column, so that a reader can give cells back as they were."""
    return {str(name): _kind_of(frame[name]) for name in frame.columns}


def _kind_of(series: pd.Series) -> Kind:
    if isinstance(series.dtype, pd.CategoricalDtype) and series.cat.ordered:
        # Of the values that are published, no others.
        used = series.cat.remove_unused_categories().cat.categories
        return {"order": to_text(pd.Series(used)).dropna().unique().tolist()}
    if types.is_bool_dtype(series.dtype):
        return "text"
    if types.is_integer_dtype(series.dtype):
        return "integer"
    if types.is_float_dtype(series.dtype):
        return "number"
    return "date" if types.is_datetime64_any_dtype(series.dtype) else "text"


def read_parquet(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a Parquet file; an index that pandas stored in it is left behind."""
    with _open_parquet(path) as file:
        refuse_repeated_columns(file.schema_arrow.names, what=f"{path}: the table")
        table = file.read()
    return frame_of(table)


def frame_of(table: pa.Table) -> pd.DataFrame:
    """A table of Arrow as a frame in which every cell is what it was."""
    table = table.replace_schema_metadata(None)
    frame = table.to_pandas()
    for name in table.column_names:
        # As floats, the largest whole numbers would run together.
        if pa.types.is_integer(table[name].type) and table[name].null_count:
            frame[name] = table[name].to_pandas(types_mapper=_NULLABLE.get)
    refuse_nested(frame)
    return frame


def refuse_nested(frame: pd.DataFrame) -> None:
    """Refuse cells that hold several values: nobody could say which are the same."""
    for name in frame.columns:
        nested = is_nested(frame[name].dtype)
        if not nested and frame[name].dtype == object:
            mixed = types.infer_dtype(frame[name], skipna=True) == "mixed"
            nested = mixed and any(map(types.is_list_like, frame[name]))
        if nested:
            raise DataError(
                f"column {name!r} holds lists or structs; give every cell one value: a "
                "text, or a column or a row of its own for each part."
            )


def parquet_columns(path: str | os.PathLike[str]) -> list[str]:
    """The columns of a Parquet file, one that is given twice, too; no cell is read."""
    with _open_parquet(path) as file:
        return file.schema_arrow.names


@contextmanager
def _open_parquet(
    path: str | os.PathLike[str],
) -> Iterator[pyarrow.parquet.ParquetFile]:
    try:
        with pyarrow.parquet.ParquetFile(opened(path)) as file:
            yield file
    except FileNotFoundError:
        raise DataError(f"{path} does not exist.") from None
    except (pa.ArrowException, OSError):
        raise DataError(
            f"{path}: cannot be read as Parquet; is it one, and whole?"
        ) from None


_NULLABLE = {
    pa.int8(): pd.Int8Dtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.uint8(): pd.UInt8Dtype(),
    pa.uint16(): pd.UInt16Dtype(),
    pa.uint32(): pd.UInt32Dtype(),
    pa.uint64(): pd.UInt64Dtype(),
}


def write_csv(
    frame: pd.DataFrame,
    path: str | os.PathLike[str] | BinaryIO,
    *,
    separator: str = ",",
    encoding: str = "utf-8",
) -> None:
    """Write the published text of every cell; a missing one is empty."""
    texts = pd.DataFrame({name: to_text(frame[name]) for name in frame.columns})
    # For some readers a lone carriage return ends a line, and for spreadsheets of some
    # countries a semicolon ends a cell; neither is quoted by itself.
    different = chain(texts.columns, *(texts[name].dropna().unique() for name in texts))
    ends = any(_ENDS.search(str(text)) for text in different)
    texts.to_csv(
        path,
        sep=separator,
        encoding=encoding,
        index=False,
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if ends else csv.QUOTE_MINIMAL,
    )


def is_nested(dtype: Any) -> bool:
    return isinstance(dtype, pd.ArrowDtype) and pa.types.is_nested(dtype.pyarrow_dtype)


def columns_of_file(
    kind: str, path: str | os.PathLike[str], options: Mapping[str, Any]
) -> list[str] | None:
    """The columns of a file before any cell is read; None if only its reader knows."""
    if kind == "csv":
        how = {k: options[k] for k in ("separator", "encoding") if k in options}
        return csv_columns(path, **how)
    return parquet_columns(path) if kind == "parquet" else None


def read_data(path: Path, format_: str, schema: Mapping[str, Kind]) -> pd.DataFrame:
    """Read a table that a release wrote."""
    if format_ == "csv":
        return read_csv(path, columns=schema)
    from anon_transformers.registry import registry

    return registry().readers[format_](path)
