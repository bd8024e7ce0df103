"""Tables in files: readers, writers, and the schema that keeps cells what they are."""

import codecs
import csv
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from pandas.api import types

from anon_transformers._data.columns import to_text
from anon_transformers._data.dates import DateFormat
from anon_transformers.exceptions import (
    DataError,
    ParameterError,
    check_choice,
    check_columns,
    unknown_choice,
)
from anon_transformers.published import parse_table
from anon_transformers.release._period import Period
from anon_transformers.release._remote_files import is_address, open_address
from anon_transformers.release._run import sha256
from anon_transformers.release._spreadsheets import GUARDED, unguard
from anon_transformers.release._written_kinds import GUESSES, guess_kind
from anon_transformers.roles import refuse_repeated_columns

KINDS = ("integer", "number", "date", "text", GUARDED)
Kind = str | Mapping[str, Any]
"""One of these, or how dates are written, or texts in their order."""
DESCRIPTIONS = ("date", "last_year", "order", GUARDED)
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
        years have two digits (up to 2025, 63 is 1963); or ``{"order": […]}`` for texts
        in this order. ``"guarded"``, and ``"guarded": true`` beside an order, are texts
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
        raise DataError(
            f"{path}: {len(ragged)} rows have another number of fields than the "
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
    """Dates that are written in a stated way, or texts in a stated order."""
    try:
        if "order" in kind and {*kind} <= {"order", GUARDED}:
            check_choice(GUARDED, kind.get(GUARDED, False), (False, True))
            if kind.get(GUARDED):
                texts = texts.map(unguard, na_action="ignore")
            return _in_order(texts, kind["order"])
        for key in kind:
            if key not in DESCRIPTIONS:
                raise ParameterError(unknown_choice("key", key, DESCRIPTIONS))
        if "date" not in kind or {*kind} & {"order", GUARDED}:
            raise ParameterError("say either date (and last_year), or order.")
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


def read_published(
    folder: str | os.PathLike[str],
    period: str | Period | None = None,
    *,
    labels: Literal["parsed", "text"] = "parsed",
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    r"""Read a published release with the schema of its manifest.

    Parameters
    ----------
    folder : path
        The release's target folder, or the folder of one version.
    period : str or Period, optional
        The period whose newest version is read, such as ``"2026-10"``, if the release
        has periods; what ``current`` leads to by default.
    labels : {"parsed", "text"}, default="parsed"
        What a quasi-identifier holds: what its label says, that is ranges as
        :class:`pandas.Interval`, sets and names as categories, suppressed cells as
        missing, see :func:`anon_transformers.published.parse_labels`; or the text that
        was published. Two cells are the same, and in one class, where their texts are.
        Other columns are the same in both.

    Returns
    -------
    DataFrame, or tuple of two
        Every cell as it was when the release was judged, with its label parsed or not;
        of a graph its edges and its nodes.

    Raises
    ------
    DataError
        If nothing was published there, or not these bytes.

    See Also
    --------
    anon_transformers.published.LabelParser : A published table as numeric features.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from anon_transformers.release import read_published, run_release
    >>> file = Path(tempfile.mkdtemp()) / "ages.yaml"
    >>> written = file.write_text(
    ...     "source: {path: 'bundled:adult/adult.csv.gz'}\n"
    ...     "roles:\n"
    ...     "  quasi_identifiers: [age, sex]\n"
    ...     "  sensitive: [occupation]\n"
    ...     "  dropped: [race, marital-status, education, native-country,"
    ...     " workclass, salary-class]\n"
    ...     "  rows_are_persons: true\n"
    ...     "anonymizer: {name: mondrian, step: {age: 5},"
    ...     " domain: {sex: [Female, Male]}}\n"
    ...     "thresholds: [{model: k-anonymity, k: 50}]\n"
    ...     "target: {path: published}\n"
    ... )
    >>> published = run_release(file)
    >>> read_published(published).dtypes[["age", "sex"]].astype(str).to_dict()
    {'age': 'interval[float64, left]', 'sex': 'category'}
    >>> read_published(published, labels="text")["age"].min()
    '< 20'
    """
    check_choice("labels", labels, ("parsed", "text"))
    link = Path(folder) / "current"
    if period is None and not link.exists():
        return _read_version(Path(folder), labels)

    def find() -> Path:
        if period is None:
            return link.resolve()
        return newest_version(Path(folder), Period.read(period))

    while True:
        version = find()
        try:
            return _read_version(version, labels)
        except (DataError, OSError):
            # A version may be removed while it is read; then there is a newer one.
            if find() == version:
                raise


def newest_version(target: Path, period: Period) -> Path:
    """The version of a period that was published last, in any folder of a target."""
    found: dict[tuple[str, int], Path] = {}
    periods = set()
    for file in target.glob("**/versions/*/manifest.json"):
        try:
            manifest = json.loads(file.read_text(encoding="utf-8"))
            written = file.stat().st_mtime_ns
        except FileNotFoundError:  # removed meanwhile, for a newer one
            continue
        # A folder that starts with a dot is not whole yet, and another release may have
        # its folder of all periods below this one.
        here = file.parent.relative_to(target).as_posix()
        is_whole = not file.parent.name.startswith(".")
        is_here = f"/{manifest.get('place', here)}".endswith(f"/{here}")
        if "period" in manifest and is_whole and is_here:
            periods.add(manifest["period"])
            if manifest["period"] == period.name:
                found[manifest["published"], written] = file.parent
    if not found:
        shown = ", ".join(sorted(periods)) or "none"
        raise DataError(
            f"{target}: holds no published version of period {period.name}; periods "
            f"that are published: {shown}."
        )
    return found[max(found)].resolve()


def _read_version(
    place: Path, labels: str
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    if not (place / "manifest.json").is_file():
        if place.is_file() and (place.parent / "manifest.json").is_file():
            raise DataError(
                f"{place}: is a file of a published release; give its folder, "
                f"{place.parent}."
            )
        raise DataError(f"{place}: holds no published release.")
    manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
    files = [manifest, manifest["nodes"]] if "nodes" in manifest else [manifest]
    tables = [read_checked(place, manifest["format"], file) for file in files]
    if labels == "parsed":
        # Of a graph, what stands in the edges are names of nodes.
        tables[-1] = _parsed(tables[-1], manifest)
    return (tables[0], tables[1]) if len(tables) > 1 else tables[0]


def _parsed(table: pd.DataFrame, manifest: Mapping[str, Any]) -> pd.DataFrame:
    known = manifest["roles"]["quasi_identifiers"]
    columns = [name for name in table.columns if name in known]
    return parse_table(table, columns, suppression_label=manifest["suppression_label"])


def read_checked(place: Path, format_: str, file: Mapping[str, Any]) -> pd.DataFrame:
    data = place / file["data"]
    if not data.is_file() or sha256(data) != file["sha256"]:
        raise DataError(f"{data}: these are not the bytes that were published.")
    return read_data(data, format_, file["schema"])


def read_data(path: Path, format_: str, schema: Mapping[str, Kind]) -> pd.DataFrame:
    """Read a table that a release wrote."""
    if format_ == "csv":
        return read_csv(path, columns=schema)
    from anon_transformers.registry import registry

    return registry().readers[format_](path)
