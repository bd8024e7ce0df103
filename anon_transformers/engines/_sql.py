"""Tables in SQL databases: PostgreSQL, SQLite and others that SQLAlchemy reaches."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import ExecutableDDLElement

from anon_transformers._data.frames import plain_cells
from anon_transformers.engines._engine import (
    COUNT,
    EXACT,
    HIDDEN,
    LABEL,
    Counts,
    Engine,
    LabelTable,
    exact_numbers,
    holds_texts,
)
from anon_transformers.exceptions import DataError, ParameterError

CODE, VALUE = "anon_code_{}", "anon_value"
CHUNK = 50_000
"""Rows that are sent to the database at once."""
MISSING = 0
"""Code of NULL; values are counted from 1."""
BY_CHARACTERS = {"sqlite": "BINARY", "postgresql": "C", "duckdb": "C"}
"""Collations under which only texts of the same characters are equal, by dialect."""
TEXTS = {25, 1042, 1043, "VARCHAR", "STRING"}
"""Types of texts, as drivers of PostgreSQL and DuckDB name them."""
OWN_TYPES = 16384
"""From here on PostgreSQL numbers types that are made in the database."""


@dataclass(frozen=True)
class KeyTables:
    """The values of some columns with their codes, in the database.

    Attributes
    ----------
    names : list of str
        The columns.
    tables : list of SQLAlchemy tables
        One per column, of its distinct values that are not NULL.
    codes : int array of shape (n_combinations, n_columns)
        Codes of each combination; 0 is NULL.
    """

    names: list[str]
    tables: list[Any]
    codes: np.ndarray


class CreateTemporaryTable(ExecutableDDLElement):
    """``CREATE TEMPORARY TABLE name AS query``.

    Parameters
    ----------
    name : str
        Of the table.
    query : SQLAlchemy select
        What the table holds.
    """

    inherit_cache = False

    def __init__(self, name: str, query: Any):
        self.name, self.query = name, query


@compiles(CreateTemporaryTable)
def _compile(element: CreateTemporaryTable, compiler: Any, **_: Any) -> str:
    # A statement of this kind takes no parameters: values stand in the query.
    query = compiler.sql_compiler.process(element.query, literal_binds=True)
    return f"CREATE TEMPORARY TABLE {compiler.preparer.quote(element.name)} AS {query}"


class SQLTable(Engine):
    """A table, or the result of a query, in an SQL database.

    Counting only reads. Recoding makes temporary tables on the given connection, and
    gives another ``SQLTable``: a temporary one that lives as long as the connection.

    Parameters
    ----------
    connection : sqlalchemy.Connection
        An open connection.
    table : str, default=None
        Name of a table or view, with its schema before a dot where it needs one.
    query : str, default=None
        A query, in place of a table.
    selectable : SQLAlchemy selectable, default=None
        What SQLAlchemy selects from, in place of both.

    Examples
    --------
    >>> import sqlalchemy as sa
    >>> connection = sa.create_engine("sqlite://").connect()
    >>> people = pd.DataFrame({"age": [20, 20, None]})
    >>> people.to_sql("people", connection, index=False)
    3
    >>> table = SQLTable(connection, "people")
    >>> table.n_combinations(["age"])
    2
    """

    name = "sql"
    collected = "table.to_frame()"

    def __init__(
        self,
        connection: sa.Connection,
        table: str | None = None,
        *,
        query: str | None = None,
        selectable: Any = None,
    ):
        if sum(given is not None for given in (table, query, selectable)) != 1:
            raise ParameterError("an SQL table is named by one of table and query.")
        self.connection = connection
        self.table = table
        if table is not None:
            self._source = _named(table)
        else:
            self._source = _selected(query if selectable is None else selectable)
        self._columns = self._read_columns()

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._columns

    def n_rows(self) -> int:
        """How many rows the table has."""
        return self._number(sa.select(sa.func.count()).select_from(self._source))

    def n_combinations(self, columns: Sequence[Any]) -> int:
        """How many distinct combinations of some columns there are."""
        self.refuse_unknown(columns)
        distinct = sa.select(*map(self._key, columns)).distinct().subquery()
        return self._number(sa.select(sa.func.count()).select_from(distinct))

    def n_repeated(self, column: Any) -> int:
        """How many values of a column stand in several rows."""
        self.refuse_unknown([column])
        own = self._key(column)
        counted = (
            sa.select(own)
            .where(own.is_not(None))
            .group_by(own)
            .having(sa.func.count() > 1)
            .subquery()
        )
        return self._number(sa.select(sa.func.count()).select_from(counted))

    def count(self, columns: Sequence[Any]) -> Counts:
        """Count the rows of each combination of some columns, missing values too."""
        self.refuse_unknown(columns)
        own = [self._key(name) for name in columns]
        counted = sa.select(*own, sa.func.count().label(COUNT))
        counted = counted.select_from(self._source).group_by(*own)
        frame = self._read(counted, [*columns, COUNT])
        rows = frame.pop(COUNT).to_numpy(dtype=np.int64)
        return Counts(frame, rows)

    def count_keys(self, columns: Sequence[Any]) -> Counts:
        """Like :meth:`count`; the database groups codes of values, and keeps these."""
        self.refuse_unknown(columns)
        tables = [self._values(name) for name in columns]
        coded, names = self._coded(columns, tables)
        grouped = sa.select(*coded, sa.func.count().label(COUNT))
        grouped = grouped.select_from(names).group_by(*coded)
        with _reading(self):
            found = self.connection.execute(grouped).all()
        cells = np.array([tuple(row) for row in found], dtype=np.int64)
        cells = cells.reshape(-1, len(columns) + 1)
        codes, rows = cells[:, :-1], cells[:, -1]
        frame = pd.DataFrame(
            {
                name: self._read_values(table).take(codes[:, at]).array
                for at, (name, table) in enumerate(zip(columns, tables, strict=True))
            }
        )
        return Counts(frame, rows, KeyTables(list(columns), tables, codes))

    def recode(self, label_table: LabelTable) -> "SQLTable":
        """The published table, as a temporary table of the same connection."""
        keys: KeyTables = label_table.keys
        mapping = self._send_mapping(label_table)
        coded, joined = self._coded(keys.names, keys.tables)
        alike = [own == mapping.c[CODE.format(at)] for at, own in enumerate(coded)]
        joined = joined.outerjoin(mapping, sa.and_(*alike))
        cells = [self._cell(name, label_table, mapping) for name in label_table.columns]
        published = sa.select(*cells).select_from(joined)
        if label_table.drops:
            published = published.where(mapping.c[HIDDEN] == 0)
        name = _temporary("published")
        self._create_as(name, published)
        return SQLTable(self.connection, name)

    def to_frame(self) -> pd.DataFrame:
        """The whole table."""
        cells = [self._column(name) for name in self._columns]
        statement = sa.select(*cells).select_from(self._source)
        with _reading(self):
            return pd.read_sql_query(statement, self.connection)

    def _column(self, name: str) -> Any:
        return sa.column(name, _selectable=self._source)

    def _key(self, name: str) -> Any:
        """A column as it is grouped and joined by.

        Under a collation, or as a type of its own, the database could take texts for
        one value that are published differently, and count too large a class.
        """
        own, dialect = self._column(name), self.connection.dialect.name
        kind = self._kinds[name]
        if isinstance(kind, int) and kind >= OWN_TYPES and dialect == "postgresql":
            return sa.collate(sa.cast(own, sa.Text), BY_CHARACTERS[dialect])
        # A column of SQLite holds cells of any type.
        if dialect == "sqlite" or (kind in TEXTS and dialect in BY_CHARACTERS):
            return sa.collate(own, BY_CHARACTERS[dialect])
        return own

    def _read_columns(self) -> list[str]:
        nothing = sa.select(sa.text("*")).select_from(self._source).where(sa.false())
        with _reading(self):
            found = self.connection.execute(nothing)
            names, described = list(found.keys()), found.cursor.description
            found.close()
        kinds = (one[1] for one in described)
        self._kinds = {
            name: kind if isinstance(kind, int) else str(kind)
            for name, kind in zip(names, kinds, strict=True)
        }
        return names

    def _read(self, statement: Any, columns: Sequence[Any]) -> pd.DataFrame:
        """What a statement gives, with numbers as exact as they are there."""
        with _reading(self):
            found = [tuple(row) for row in self.connection.execute(statement)]
        frame = pd.DataFrame.from_records(
            found, columns=list(columns), coerce_float=True
        )
        for at, name in enumerate(columns):
            if frame[name].dtype.kind == "f":
                frame[name] = exact_numbers(frame[name], [row[at] for row in found])
        return frame

    def _number(self, statement: Any) -> int:
        with _reading(self):
            return int(self.connection.execute(statement).scalar_one())

    def _values(self, name: str) -> Any:
        """A table of the distinct values of a column, with a code from 1 on each."""
        own = self._key(name)
        distinct = sa.select(own.label(VALUE)).where(own.is_not(None)).distinct()
        values = distinct.subquery()
        value: Any = sa.column(VALUE, _selectable=values)
        numbered = sa.select(
            value, sa.func.row_number().over(order_by=value).label("code")
        ).select_from(values)
        table = _temporary("values")
        self._create_as(table, numbered)
        return sa.table(table, sa.column(VALUE), sa.column("code"))

    def _read_values(self, table: Any) -> pd.Series:
        """The values by their codes; the first one is missing."""
        ordered = sa.select(table.c[VALUE]).order_by(table.c.code)
        held = self._read(ordered, [VALUE])[VALUE]
        if not len(held):
            return pd.Series([None], dtype=object)
        if held.dtype.kind == "i" and held.astype(float).abs().max() >= EXACT:
            held = held.astype("Int64")  # beside a missing one it would be floating
        return held.reindex(range(-1, len(held))).reset_index(drop=True)

    def _coded(self, columns: Sequence[Any], tables: Sequence[Any]) -> tuple[list, Any]:
        """Codes of the source's cells, and the source joined with what gives them."""
        joined, coded = self._source, []
        for name, table in zip(columns, tables, strict=True):
            joined = joined.outerjoin(table, self._key(name) == table.c[VALUE])
            # No key is NULL where codes are compared: databases differ on that.
            coded.append(sa.func.coalesce(table.c.code, MISSING))
        return coded, joined

    def _send_mapping(self, label_table: LabelTable) -> Any:
        """What is published of each combination, as a temporary table."""
        codes = label_table.keys.codes
        labels = label_table.labels
        n_keys = codes.shape[1]
        columns = [sa.Column(CODE.format(at), sa.BigInteger) for at in range(n_keys)]
        columns += [
            sa.Column(LABEL.format(at), _type_of(labels[name]))
            for at, name in enumerate(labels.columns)
        ]
        columns.append(sa.Column(HIDDEN, sa.Integer))
        table = sa.Table(
            _temporary("mapping"), sa.MetaData(), *columns, prefixes=["TEMPORARY"]
        )
        cells = [*codes.T.tolist()]
        cells += [plain_cells(labels[name]) for name in labels.columns]
        cells.append(label_table.suppressed.astype(int).tolist())
        names = [column.name for column in columns]
        with _reading(self):
            table.create(self.connection)
            for start in range(0, len(codes), CHUNK):
                part = zip(*(c[start : start + CHUNK] for c in cells), strict=True)
                self.connection.execute(
                    table.insert(), [dict(zip(names, row, strict=True)) for row in part]
                )
        return table

    def _cell(self, name: str, label_table: LabelTable, mapping: Any) -> Any:
        own, hidden = self._column(name), mapping.c[HIDDEN]
        if name in label_table.labels.columns:
            label = mapping.c[LABEL.format(label_table.labels.columns.get_loc(name))]
            if holds_texts(label_table.labels[name]):
                mark = sa.literal(label_table.suppression_label)
                label = sa.case((hidden.is_(None), mark), else_=label)
            return label.label(name)
        if name in label_table.emptied:
            return sa.case((hidden == 0, own), else_=None).label(name)
        return own.label(name)

    def _create_as(self, name: str, query: Any) -> None:
        """Make a temporary table of what a query gives."""
        with _reading(self):
            self.connection.execute(CreateTemporaryTable(name, query))


def _named(table: str) -> Any:
    schema, _, name = table.rpartition(".")
    return sa.table(name, schema=schema or None).alias("anon_source")


def _selected(query: Any) -> Any:
    """What a query, or another selectable, gives."""
    if isinstance(query, str):
        query = sa.text(query.rstrip().rstrip(";"))
    if isinstance(query, sa.TextClause):
        query = query.columns()
    if isinstance(query, sa.FromClause):
        return query.alias("anon_source")
    return query.subquery("anon_source")


def _temporary(what: str) -> str:
    return f"anon_{what}_{uuid4().hex[:12]}"


def _type_of(series: pd.Series) -> Any:
    return {"f": sa.Double(), "M": sa.DateTime()}.get(series.dtype.kind, sa.Text())


@contextmanager
def _reading(table: SQLTable) -> Iterator[None]:
    """Say which table cannot be read; a message of the database may quote cells."""
    try:
        yield
    except SQLAlchemyError as error:
        what = f"table {table.table!r}" if table.table else "what is selected"
        raise DataError(f"{what} cannot be read ({type(error).__name__}).") from None
