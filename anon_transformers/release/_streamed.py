"""A source that never is in memory as a whole: read and written chunk by chunk.

Every cell becomes what the same reader makes of it in memory: missing texts and numbers
are missing ones, -0.0 is 0.0, decimals are numbers. A column has one type, that of the
first chunk in which it holds anything.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from anon_transformers.exceptions import DataError
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._databases import (
    CHUNK,
    duckdb_chunks,
    plain_types,
    sql_chunks,
    uncodable,
)
from anon_transformers.release._file_kinds import kind_of_file
from anon_transformers.release._one_state import (
    refuse_changed_files,
    states_of_files,
)
from anon_transformers.release._several_files import said_of_part
from anon_transformers.release._source import (
    columns_of_source,
    refuse_other_columns,
)
from anon_transformers.release._stated_engine import COUNTED_KINDS
from anon_transformers.release._streamed_csv import csv_chunks

MOST_WAITING = 20
"""Chunks that are held until each column has a value, and so a type."""


class StreamedTable:
    """A table that is written without being in memory as a whole.

    Attributes
    ----------
    n_rows : int
        Rows that were written.
    columns : list of str
        Their columns.
    sample : DataFrame
        Some of the rows, by which the types of columns are told.
    """

    n_rows: int = 0
    columns: list[str]
    sample: pd.DataFrame

    def write(self, path: Path) -> None:
        """Write a Parquet file."""
        raise NotImplementedError

    def __len__(self) -> int:
        return self.n_rows

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.n_rows, len(self.columns)


class StreamedSource(StreamedTable):
    """The source of a release, as it is now.

    Parameters
    ----------
    config : ReleaseConfig
        The release.
    """

    def __init__(self, config: ReleaseConfig):
        self.config = config
        dropped = config.roles.dropped
        # Before any cell is read: what is said of one names its column.
        for name in self._places() or [None]:
            names = columns_of_source(self.kind, self._options(name))
            refuse_other_columns(names or [], config.roles)
            self.columns = [str(c) for c in names or [] if c not in dropped]

    @property
    def kind(self) -> str:
        """Name of the reader."""
        source = self.config.source
        return source.kind or kind_of_file(source.paths[0], COUNTED_KINDS)

    def write(self, path: Path) -> None:
        """Write what the source holds; refuses one that is written meanwhile."""
        before = states_of_files(self.config)
        with open_private(path) as file:
            self.n_rows = write_chunks(self._chunks(), self.columns, file)
        refuse_changed_files(self.config, before)

    def _places(self) -> list[Any]:
        return [self.config.path(path) for path in self.config.source.paths]

    def _options(self, place: Any) -> dict[str, Any]:
        options = self.config.source.options
        if self.kind == "sql":
            return {**options, "folder": self.config.folder}
        return {**options, "path": place}

    def _chunks(self) -> Iterator[pa.Table]:
        if self.kind == "sql":
            yield from sql_chunks(**self._options(None))
            return
        if self.kind == "csv":
            yield from self._csv_chunks()
            return
        for place in self._places():
            if self.kind == "duckdb":
                yield from duckdb_chunks(**self._options(place))
            else:
                with said_of_part(place):
                    yield from _parquet_chunks(place, self.columns)

    def _csv_chunks(self) -> Iterator[pa.Table]:
        """Cells that are published as they are become numbers if their texts do."""
        roles = self.config.roles
        exact = (*roles.sensitive, *roles.insensitive)
        options = {"exact": exact, **self.config.source.options}
        return csv_chunks(self._places(), self.columns, **options)


def _parquet_chunks(path: Path, columns: list[str]) -> Iterator[pa.Table]:
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(CHUNK, columns=columns):
                yield pa.Table.from_batches([batch])
        return
    except (pa.ArrowException, OSError) as error:
        kind = type(error).__name__
    raise DataError(f"cannot be read as Parquet ({kind}); is it one, and whole?")


@contextmanager
def open_private(path: Path) -> Iterator[Any]:
    """A new file for the eyes of its owner."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        yield file


def write_chunks(chunks: Iterator[pa.Table], columns: list[str], file: Any) -> int:
    """Write chunks as one Parquet file; how many rows they are.

    Chunks in which a column is empty throughout wait for its type, and not for ever: it
    is one of texts then.
    """
    writer, waiting, n_rows = None, [], 0
    schema = pa.schema([(name, pa.null()) for name in columns])
    with ExitStack() as closed:
        for chunk in chunks:
            plain = plain_cells(chunk.select(columns))
            n_rows += len(plain)
            schema = _agreed(schema, plain.schema)
            waiting.append(plain)
            is_open = any(pa.types.is_null(field.type) for field in schema)
            if writer is None and is_open and len(waiting) < MOST_WAITING:
                continue
            schema = _without_open(schema)
            writer = writer or closed.enter_context(pq.ParquetWriter(file, schema))
            for held in waiting:
                writer.write_table(held.cast(schema))
            waiting.clear()
        schema = _without_open(schema)
        writer = writer or closed.enter_context(pq.ParquetWriter(file, schema))
        for held in waiting:
            writer.write_table(held.cast(schema))
    return n_rows


def _without_open(schema: pa.Schema) -> pa.Schema:
    """Columns without a value as texts."""
    fields = [
        field.with_type(pa.string()) if pa.types.is_null(field.type) else field
        for field in schema
    ]
    return pa.schema(fields)


def _agreed(known: pa.Schema, found: pa.Schema) -> pa.Schema:
    """One type per column; refuses one that changes."""
    fields = []
    for one, other in zip(known, found, strict=True):
        if pa.types.is_null(one.type):
            fields.append(other)
        elif pa.types.is_null(other.type) or one.type == other.type:
            fields.append(one)
        else:
            raise uncodable(one.name, f"{one.type}, {other.type}")
    return pa.schema(fields)


def plain_cells(table: pa.Table) -> pa.Table:
    """Cells in the few types that tables of people have, each by itself.

    Examples
    --------
    >>> table = pa.table({"note": ["", "x"], "paid": [-0.0, float("nan")]})
    >>> plain_cells(table).to_pydict()
    {'note': [None, 'x'], 'paid': [0.0, None]}
    """
    for field in table.schema:
        if pa.types.is_dictionary(field.type) and field.type.ordered:
            raise uncodable(field.name, "in an order of their own")
    table = plain_types(table.replace_schema_metadata(None))
    return pa.table(
        [_plain(name, table[name]) for name in table.column_names],
        names=table.column_names,
    )


def _plain(name: str, held: pa.ChunkedArray) -> pa.ChunkedArray:
    kind, wanted = held.type, _type_of(held.type)
    if wanted is None:
        raise uncodable(name, str(kind))
    try:
        cells = held.cast(wanted)
    except pa.ArrowException:
        said = uncodable(name, f"{kind} beyond {wanted}")
    else:
        nothing = pa.scalar(None, wanted)
        if pa.types.is_string(wanted):
            return pc.if_else(pc.equal(cells, ""), nothing, cells)
        if pa.types.is_floating(wanted):
            return pc.if_else(pc.is_nan(cells), nothing, pc.add(cells, 0.0))
        return cells
    raise said


def _type_of(kind: pa.DataType) -> pa.DataType | None:
    """In which type cells are kept; None for what is no value of a table of people."""
    of = pa.types
    if of.is_null(kind) or of.is_boolean(kind):
        return kind
    if of.is_string(kind) or of.is_large_string(kind) or of.is_string_view(kind):
        return pa.string()
    if of.is_integer(kind):
        return pa.int64()
    if of.is_floating(kind):
        return pa.float64()
    if of.is_date(kind):
        return pa.date32()
    return pa.timestamp("us", kind.tz) if of.is_timestamp(kind) else None
