"""Databases that a release is published in: PostgreSQL, SQLite and DuckDB.

Each makes tables and views within a transaction, which is what publishing rests on.
"""

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pandas as pd
from pandas.api import types

from anon_transformers.engines import Engine, open_engine
from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    ReleaseError,
    UnreachableError,
)
from anon_transformers.release._databases import (
    CHUNK,
    address_of,
    driver_url,
    lacking_module,
)
from anon_transformers.release._stated_database import (
    BACKENDS,
    StatedDatabase,
    place_of_sqlite,
    refuse_other_backend,
)

PATIENCE = 60.0
"""Seconds that a second writer waits for the first."""
PAUSE = 0.2
BUSY = ("OperationalError", "TransactionException")
"""Names of errors of drivers where others hold what is to be written."""
_MARK = re.compile(r"\?")


class PublicDatabase(ABC):
    """A database in one transaction, which :meth:`commit` ends.

    Parameters
    ----------
    connection : object
        An open connection of its driver.
    """

    def __init__(self, connection: Any):
        self.connection = connection

    @abstractmethod
    def do(self, statement: str, cells: Sequence[Any] = ()) -> None:
        """Run a statement; ``?`` stands for a cell."""

    @abstractmethod
    def ask(self, query: str, cells: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query gives."""

    @abstractmethod
    def parts(self, query: str) -> Iterator[list[tuple[Any, ...]]]:
        """The same in parts of so many rows as are sent at once."""

    @abstractmethod
    def insert(
        self, schema: str, name: str, columns: Sequence[str], rows: Sequence[Any]
    ) -> None:
        """Write rows into a table."""

    @abstractmethod
    def counted(self, schema: str, name: str) -> Engine:
        """A table where it is counted, in the same transaction."""

    @abstractmethod
    def kind_of(self, schema: str, name: str) -> str | None:
        """Whether a name is a table or a view; None if it is free."""

    @abstractmethod
    def replace_view(self, schema: str, name: str, query: str) -> None:
        """Make a view, or let it give something else; who may read it still may."""

    @abstractmethod
    def commit(self) -> None:
        """Let readers see what was written."""

    def lock(self, place: str) -> None:
        """Wait for other writers; databases with one writer have done so before."""
        return

    def type_of(self, column: pd.Series) -> str:
        """In which type a column is written."""
        dtype = column.dtype
        if types.is_bool_dtype(dtype) or types.is_unsigned_integer_dtype(dtype):
            return "TEXT"  # a number that has no room, or a truth as it is published
        if types.is_integer_dtype(dtype):
            return "BIGINT"
        if types.is_float_dtype(dtype):
            return "DOUBLE PRECISION"
        zone = isinstance(dtype, pd.DatetimeTZDtype)
        if types.is_datetime64_any_dtype(dtype) and not zone:
            return self.moments
        return "TEXT"

    moments = "TIMESTAMP"
    """The type of moments without a zone."""


class SQLiteDatabase(PublicDatabase):
    """SQLite by the module of Python; a transaction that writes from its start.

    Parameters
    ----------
    connection : sqlite3.Connection
        An open connection.
    counting : sqlalchemy.Connection
        The same connection, as tables are counted by it.
    """

    moments = "TEXT"

    def __init__(self, connection: Any, counting: Any):
        super().__init__(connection)
        self.counting = counting

    def counted(self, schema: str, name: str) -> Engine:
        """A table where it is counted, in the same transaction."""
        return _counted_by_sql(self.counting, schema, name)

    def do(self, statement: str, cells: Sequence[Any] = ()) -> None:
        """Run a statement; ``?`` stands for a cell."""
        self.connection.execute(statement, cells)

    def ask(self, query: str, cells: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query gives."""
        return self.connection.execute(query, cells).fetchall()

    def parts(self, query: str) -> Iterator[list[tuple[Any, ...]]]:
        """The same in parts of so many rows as are sent at once."""
        cursor = self.connection.execute(query)
        while rows := cursor.fetchmany(CHUNK):
            yield rows

    def insert(
        self, schema: str, name: str, columns: Sequence[str], rows: Sequence[Any]
    ) -> None:
        """Write rows into a table."""
        marks = ", ".join("?" * len(columns))
        self.connection.executemany(
            f"INSERT INTO {_quoted(schema, name)} VALUES ({marks})", rows
        )

    def kind_of(self, schema: str, name: str) -> str | None:
        """Whether a name is a table or a view; None if it is free."""
        master = f'"{schema}".sqlite_master' if schema else "sqlite_master"
        found = self.ask(
            f"SELECT type FROM {master} WHERE lower(name) = lower(?)", (name,)
        )
        return found[0][0] if found else None

    def replace_view(self, schema: str, name: str, query: str) -> None:
        """Make a view, or let it give something else; who may read it still may."""
        place = _quoted(schema, name)
        self.do(f"DROP VIEW IF EXISTS {place}")
        self.do(f"CREATE VIEW {place} AS {query}")

    def commit(self) -> None:
        """Let readers see what was written."""
        self.connection.execute("COMMIT")


class DuckDBDatabase(PublicDatabase):
    """DuckDB, whose file one process writes at a time."""

    def counted(self, schema: str, name: str) -> Engine:
        """A table where it is counted, in the same transaction."""
        relation = self.connection.sql(f"SELECT * FROM {_quoted(schema, name)}")
        return cast(Engine, open_engine(relation))

    def do(self, statement: str, cells: Sequence[Any] = ()) -> None:
        """Run a statement; ``?`` stands for a cell."""
        self.connection.execute(statement, list(cells))

    def ask(self, query: str, cells: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query gives."""
        return self.connection.execute(query, list(cells)).fetchall()

    def parts(self, query: str) -> Iterator[list[tuple[Any, ...]]]:
        """The same in parts of so many rows as are sent at once."""
        self.connection.execute(query)
        while rows := self.connection.fetchmany(CHUNK):
            yield rows

    def insert(
        self, schema: str, name: str, columns: Sequence[str], rows: Sequence[Any]
    ) -> None:
        """Write rows into a table."""
        import pyarrow as pa

        cells = list(map(list, zip(*rows, strict=True)))
        names = [f"c{number}" for number in range(len(columns))]
        anon_rows = pa.table(dict(zip(names, map(pa.array, cells), strict=True)))
        self.connection.register("anon_rows", anon_rows)
        place = _quoted(schema, name)
        self.connection.execute(f"INSERT INTO {place} SELECT * FROM anon_rows")
        self.connection.unregister("anon_rows")

    def kind_of(self, schema: str, name: str) -> str | None:
        """Whether a name is a table or a view; None if it is free."""
        return _in_catalog(self, schema or "main", name, fold=True)

    def replace_view(self, schema: str, name: str, query: str) -> None:
        """Make a view, or let it give something else; who may read it still may."""
        self.do(f"CREATE OR REPLACE VIEW {_quoted(schema, name)} AS {query}")

    def commit(self) -> None:
        """Let readers see what was written."""
        self.connection.execute("COMMIT")


class PostgreSQLDatabase(PublicDatabase):
    """PostgreSQL by SQLAlchemy, with whichever driver is installed."""

    def counted(self, schema: str, name: str) -> Engine:
        """A table where it is counted, in the same transaction."""
        return _counted_by_sql(self.connection, schema, name)

    def do(self, statement: str, cells: Sequence[Any] = ()) -> None:
        """Run a statement; ``?`` stands for a cell."""
        self.connection.execute(*_named(statement, cells))

    def ask(self, query: str, cells: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query gives."""
        found = self.connection.execute(*_named(query, cells)).all()
        return [tuple(row) for row in found]

    def parts(self, query: str) -> Iterator[list[tuple[Any, ...]]]:
        """The same in parts of so many rows as are sent at once."""
        how = {"stream_results": True, "yield_per": CHUNK}
        found = self.connection.execute(_text(query), execution_options=how)
        for rows in found.partitions(CHUNK):
            yield [tuple(row) for row in rows]

    def insert(
        self, schema: str, name: str, columns: Sequence[str], rows: Sequence[Any]
    ) -> None:
        """Write rows into a table."""
        import sqlalchemy as sa

        # SQLAlchemy sends many rows of such a statement at once.
        place = sa.table(
            sa.quoted_name(name, True),
            *(sa.column(sa.quoted_name(column, True)) for column in columns),
            schema=sa.quoted_name(schema, True) if schema else None,
        )
        cells = [dict(zip(columns, row, strict=True)) for row in rows]
        self.connection.execute(sa.insert(place), cells)

    def kind_of(self, schema: str, name: str) -> str | None:
        """Whether a name is a table or a view; None if it is free."""
        return _in_catalog(self, schema, name)

    def lock(self, place: str) -> None:
        """Wait for other writers; readers go on."""
        self.do(f"SET LOCAL lock_timeout = '{int(PATIENCE)}s'")
        self.do(f"LOCK TABLE {place} IN SHARE ROW EXCLUSIVE MODE")

    def replace_view(self, schema: str, name: str, query: str) -> None:
        """Make a view, or let it give something else; who may read it still may.

        In place where its columns are the same; else it is made anew, and those who
        could read it are granted that again.
        """
        place = _quoted(schema, name)
        if self.kind_of(schema, name) is None:
            self.do(f"CREATE VIEW {place} AS {query}")
            return
        readers = self.ask(
            "SELECT DISTINCT grantee FROM information_schema.table_privileges WHERE "
            "table_name = ? AND table_schema = coalesce(?, current_schema()) AND "
            "privilege_type = 'SELECT' AND grantee <> current_user",
            (name, schema or None),
        )
        import sqlalchemy as sa

        try:
            with self.connection.begin_nested():
                self.do(f"CREATE OR REPLACE VIEW {place} AS {query}")
        except sa.exc.DBAPIError:
            pass_on = [name for (name,) in readers]
        else:
            return
        self.do(f"DROP VIEW {place}")
        self.do(f"CREATE VIEW {place} AS {query}")
        for reader in pass_on:
            who = "PUBLIC" if reader == "PUBLIC" else _quoted("", reader)
            self.do(f"GRANT SELECT ON {place} TO {who}")

    def commit(self) -> None:
        """Let readers see what was written."""
        self.connection.commit()


def as_before(cells: list[Any], column: pd.Series) -> pd.Series:
    """Cells that a database gave, in the type that they were written from."""
    given = pd.Series(cells, dtype=object)
    if given.isna().all() or any(isinstance(cell, str) for cell in cells):
        return given
    if types.is_datetime64_any_dtype(column.dtype):
        return pd.to_datetime(given).astype(column.dtype)
    return given.astype(column.dtype)


def _quoted(schema: str, name: str) -> str:
    parts = [part.replace('"', '""') for part in (schema, name) if part]
    return ".".join(f'"{part}"' for part in parts)


def _counted_by_sql(connection: Any, schema: str, name: str) -> Engine:
    from anon_transformers.engines import SQLTable

    return SQLTable(connection, f"{schema}.{name}" if schema else name)


def _in_catalog(
    database: PublicDatabase, schema: str, name: str, fold: bool = False
) -> str | None:
    """What the catalog of the standard knows under a name."""
    alike = "lower(table_name) = lower(?)" if fold else "table_name = ?"
    found = database.ask(
        f"SELECT table_type FROM information_schema.tables WHERE {alike} AND "
        "table_schema = coalesce(?, current_schema())",
        (name, schema or None),
    )
    if not found:
        return None
    return "view" if found[0][0] == "VIEW" else "table"


def _escaped(text: str) -> str:
    return text.replace(":", r"\:")


def _text(statement: str) -> Any:
    import sqlalchemy as sa

    return sa.text(_escaped(statement))


def _named(statement: str, cells: Sequence[Any]) -> tuple[Any, dict[str, Any]]:
    """A statement and its cells as SQLAlchemy takes them."""
    import sqlalchemy as sa

    if not cells:
        return _text(statement), {}
    numbers = iter(range(len(cells)))
    marked = _MARK.sub(lambda _: f":c{next(numbers)}", _escaped(statement))
    return sa.text(marked), {f"c{at}": cell for at, cell in enumerate(cells)}


@contextmanager
def connected(
    stated: StatedDatabase, folder: str, patience: float = PATIENCE
) -> Iterator[PublicDatabase]:
    """Open a database in a transaction; what is not committed is undone.

    Raises
    ------
    ConfigurationError
        If it is none that a release is published in.
    UnreachableError
        If it cannot be reached, or somebody else is at work there.
    ReleaseError
        If it failed in between; nothing was published.
    """
    address = address_of(stated.url, stated.conn_id, "target.database")
    backend = address.drivername.partition("+")[0]
    refuse_other_backend(backend)
    opened = {"sqlite": _sqlite, "duckdb": _duckdb, "postgresql": _postgresql}[backend]
    lacking = lacking_module(address)
    if lacking is not None:
        raise ConfigurationError(
            f"target.database: {BACKENDS[backend]} needs the module {lacking!r}, which "
            "is not installed."
        )
    with opened(address, folder, patience) as database:
        try:
            yield database
            return
        except (AnonymizationError, OSError):
            raise
        except Exception as error:
            # What a database says may quote cells and addresses.
            kind = type(error).__name__
            lost = getattr(error, "connection_invalidated", False)
            # Whoever counted there may have found out before, and said less.
            lost = lost or getattr(database.connection, "invalidated", False)
            busy = kind in BUSY
    if lost or busy:
        raise UnreachableError(
            f"target.database: {BACKENDS[backend]} could not go on ({kind}), and was "
            "left as it was; is somebody else at work there?"
        )
    raise ReleaseError(
        f"target.database: {BACKENDS[backend]} failed ({kind}), and was left as it was."
    )


def file_to_make(stated: StatedDatabase, folder: str) -> Path | None:
    """The file of a database that is not there yet; None of any other.

    Raises
    ------
    ConfigurationError
        If its folder is not there.
    """
    address = address_of(stated.url, stated.conn_id, "target.database")
    backend = address.drivername.partition("+")[0]
    refuse_other_backend(backend)
    if backend == "postgresql":
        return None
    file = _file_of(address, folder)
    if not file.parent.is_dir():
        raise ConfigurationError(f"target.database: {file.parent} does not exist.")
    return None if file.exists() else file


@contextmanager
def _sqlite(address: Any, folder: str, patience: float) -> Iterator[PublicDatabase]:
    import sqlite3

    import sqlalchemy as sa

    file = _file_of(address, folder)
    connection = None
    try:
        connection = sqlite3.connect(file, timeout=patience, isolation_level=None)
        engine = sa.create_engine(
            "sqlite://", creator=lambda: connection, poolclass=sa.pool.StaticPool
        )
        # Before the transaction: it rolls back when it opens, and when it closes.
        counting = engine.connect()
        connection.execute("BEGIN IMMEDIATE")
    except (sqlite3.Error, sa.exc.SQLAlchemyError) as error:
        kind = type(error).__name__
    if connection is None or not connection.in_transaction:
        raise _unreachable(f"{file} ({kind})")
    try:
        yield SQLiteDatabase(connection, counting)
    finally:
        counting.close()
        connection.close()  # undoes what was not committed


@contextmanager
def _duckdb(address: Any, folder: str, patience: float) -> Iterator[PublicDatabase]:
    import duckdb

    file, connection = _file_of(address, folder), None
    latest = time.monotonic() + patience
    while connection is None:
        try:
            connection = duckdb.connect(str(file))
        except duckdb.Error as error:
            kind = type(error).__name__
        if connection is None:
            if time.monotonic() > latest:
                raise _unreachable(f"{file} ({kind})")
            time.sleep(PAUSE)
    try:
        connection.execute("BEGIN")
        yield DuckDBDatabase(connection)
    finally:
        connection.close()


@contextmanager
def _postgresql(address: Any, folder: str, patience: float) -> Iterator[PublicDatabase]:
    import sqlalchemy as sa

    engine = sa.create_engine(driver_url(address), poolclass=sa.pool.NullPool)
    connection = None
    try:
        connection = engine.connect()
    except sa.exc.SQLAlchemyError as error:
        kind = type(error).__name__
    if connection is None:
        raise _unreachable(f"PostgreSQL ({kind})")
    try:
        yield PostgreSQLDatabase(connection)
    finally:
        connection.close()
        engine.dispose()


def _file_of(address: Any, folder: str) -> Path:
    if not address.database or address.database.startswith((":memory:", "file:")):
        raise ConfigurationError("target.database: name the file of the database.")
    return place_of_sqlite(address.database, folder)


def _unreachable(what: str) -> UnreachableError:
    return UnreachableError(
        f"target.database: {what} cannot be opened for writing; is it there, and is "
        "nobody else writing?"
    )
