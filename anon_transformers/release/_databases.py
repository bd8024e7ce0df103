"""Tables in databases, read in chunks: SQL databases by SQLAlchemy, and DuckDB files.

What a database says of a fault may quote cells and addresses, so that messages name the
kind of fault alone.
"""

import decimal
import importlib
import importlib.util
import json
import os
import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from uuid import UUID

import pandas as pd
import pyarrow as pa

from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
    ParameterError,
    UnreachableError,
)
from anon_transformers.release._files import frame_of
from anon_transformers.release._one_state import (
    ONE_STATE,
    SeenRows,
    outside_state,
    refuse_other_state,
)
from anon_transformers.release._period import Template
from anon_transformers.release._stated_database import place_of_sqlite
from anon_transformers.roles import refuse_repeated_columns

if TYPE_CHECKING:
    import duckdb
    import sqlalchemy as sa

CHUNK = 50_000
"""Rows that are fetched at once."""
_EXACT_DIGITS = 15
"""So many digits of a decimal number does a float keep."""
POSTGRESQL_DRIVERS = ("psycopg2", "psycopg")
_CONNECTION = "AIRFLOW_CONN_{}"


def read_sql(
    *,
    url: str | None = None,
    conn_id: str | None = None,
    table: str | None = None,
    query: str | None = None,
    folder: str | os.PathLike[str] = ".",
) -> pd.DataFrame:
    """Read a table of an SQL database, or what a query gives, in one transaction.

    Parameters
    ----------
    url : str
        Address of the database as SQLAlchemy writes it, such as
        ``postgresql://anna:$PGPASSWORD@host/db``, ``sqlite:///people.db`` or
        ``$DATABASE_URL``. Variables come from the environment; a password that stands
        in the file is refused. Paths of SQLite start from the folder of the file.
    conn_id : str
        A connection of Airflow, in place of ``url``; without Airflow the variable
        ``AIRFLOW_CONN_…`` is read as Airflow would.
    table : str
        Name of a table or view, with its schema before a dot where it needs one.
    query : str
        A query, in place of a table.
    folder : path
        What paths start from.
    """
    parts = [
        *sql_chunks(url=url, conn_id=conn_id, table=table, query=query, folder=folder)
    ]
    return frame_of(_joined(parts))


def sql_chunks(
    *,
    url: str | None = None,
    conn_id: str | None = None,
    table: str | None = None,
    query: str | None = None,
    folder: str | os.PathLike[str] = ".",
) -> Generator[pa.Table, None, None]:
    """The same chunk by chunk, at least one; the parameters are those of above."""
    with open_sql(url, conn_id, folder) as connection:
        found = _of_sql(connection, table, query)
        names = list(found.keys())
        refuse_repeated_columns(names, what="the source")
        chunk, seen = None, SeenRows()
        looks_again = connection.dialect.name not in ONE_STATE
        for rows in found.partitions(CHUNK):
            if looks_again:
                seen.note(rows)
            chunk = _typed(names, rows)
            yield chunk
        if chunk is None:
            yield pa.table({name: pa.array([], pa.null()) for name in names})
        if looks_again:
            # In the same transaction: where it shows one state, nothing has changed.
            again = SeenRows()
            for rows in _of_sql(connection, table, query).partitions(CHUNK):
                again.note(rows)
            refuse_other_state(seen.state, again.state)


def read_duckdb(
    path: str | os.PathLike[str],
    *,
    table: str | None = None,
    query: str | None = None,
) -> pd.DataFrame:
    """Read a table of a DuckDB file, or what a query gives.

    Parameters
    ----------
    path : path
        A DuckDB file; it is opened for reading alone.
    table : str
        Name of a table or view, with its schema before a dot where it needs one.
    query : str
        A query, in place of a table.
    """
    with open_duckdb(path) as connection:
        relation = relation_of(connection, table, query)
        refuse_repeated_columns(relation.columns, what="the source")
        with said_of_database():
            before = outside_state(relation)
            found = relation.to_arrow_table()
            refuse_other_state(before, outside_state(relation))
        return frame_of(_joined([found]))


def duckdb_chunks(
    path: str | os.PathLike[str],
    *,
    table: str | None = None,
    query: str | None = None,
) -> Generator[pa.Table, None, None]:
    """A table of a DuckDB file, or what a query gives, chunk by chunk."""
    with open_duckdb(path) as connection:
        relation = relation_of(connection, table, query)
        refuse_repeated_columns(relation.columns, what="the source")
        with said_of_database():
            before = outside_state(relation)
            for batch in relation.to_arrow_reader(CHUNK):
                yield pa.Table.from_batches([batch])
            refuse_other_state(before, outside_state(relation))


def columns_of_database(kind: str, options: Mapping[str, Any]) -> list[str]:
    """The columns of a table in a database; no cell is read."""
    table, query = options.get("table"), options.get("query")
    if kind == "duckdb":
        with open_duckdb(options["path"]) as connection:
            return list(relation_of(connection, table, query).columns)
    given = (options.get("url"), options.get("conn_id"), options.get("folder", "."))
    with open_sql(*given) as connection:
        return list(_of_sql(connection, table, query, empty=True).keys())


def _of_sql(
    connection: "sa.Connection",
    table: str | None,
    query: str | None,
    empty: bool = False,
) -> Any:
    """What a table or a query gives, row by row; none of them with ``empty``."""
    import sqlalchemy as sa

    if (table is None) == (query is None):
        raise ParameterError("name one of table and query.")
    if table is not None:
        schema, _, name = table.rpartition(".")
        of_table = sa.table(name, schema=schema or None)
        statement: Any = sa.select(sa.text("*")).select_from(of_table)
    else:
        # A colon is one, and no parameter.
        text = str(query).rstrip().rstrip(";").replace(":", r"\:")
        statement = sa.text(text)
        if empty:
            statement = sa.select(sa.text("*")).select_from(
                sa.text(f"({text}\n) AS anon_source")
            )
    if empty:
        statement = statement.where(sa.false())
    how = {"stream_results": True, "yield_per": CHUNK}
    with said_of_database():
        return connection.execute(statement, execution_options=how)


@contextmanager
def open_sql(
    url: str | None, conn_id: str | None, folder: str | os.PathLike[str]
) -> Iterator["sa.Connection"]:
    """Connect to a database, for reading alone where it can be told so."""
    import sqlalchemy as sa

    if (url is None) == (conn_id is None):
        raise ParameterError("name one of url and conn_id.")
    address = address_of(url, conn_id, "source")
    key = "source.conn_id" if url is None else "source.url"
    address = _for_reading(address, str(folder), key)
    try:
        engine = sa.create_engine(address, poolclass=sa.pool.NullPool)
    except (sa.exc.ArgumentError, ImportError) as error:
        missing = "a dialect of this name"
        if isinstance(error, ImportError):
            missing = f"the module {error.name!r}"
        said = f"{key}: {address.drivername} needs {missing}, which is not installed."
    else:
        with _connected(engine, key) as connection:
            yield connection
        return
    raise ConfigurationError(said)


@contextmanager
def _connected(engine: "sa.Engine", key: str) -> Iterator["sa.Connection"]:
    connection = None
    try:
        connection = engine.connect()
    except Exception as error:
        kind = type(error).__name__
    if connection is None:
        # A driver's words may hold addresses, and nothing is chained to this.
        raise UnreachableError(f"{key}: the database cannot be reached ({kind}).")
    try:
        if engine.dialect.name == "postgresql":
            connection = connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        # A connection may be lost in the middle.
        with said_of_database():
            yield connection
    finally:
        connection.close()
        engine.dispose()


@contextmanager
def open_duckdb(
    path: str | os.PathLike[str],
) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Open a DuckDB file for reading."""
    try:
        duckdb = importlib.import_module("duckdb")
    except ImportError:
        raise ConfigurationError(
            "source.kind: duckdb needs the extra duckdb."
        ) from None
    if not Path(path).is_file():
        raise DataError(f"{path}: there is no such file.")
    with said_of_database(f"{path}: cannot be opened as a DuckDB file"):
        try:
            connection = duckdb.connect(os.fspath(path), read_only=True)
        except duckdb.IOException as error:
            if "lock" not in str(error):
                raise
            connection = None
    if connection is None:
        raise UnreachableError(f"{path}: another process has it open to write to it.")
    try:
        yield connection
    finally:
        connection.close()


def relation_of(
    connection: "duckdb.DuckDBPyConnection", table: str | None, query: str | None
) -> "duckdb.DuckDBPyRelation":
    """A table of a DuckDB file, or what a query gives."""
    if (table is None) == (query is None):
        raise ParameterError("name one of table and query.")
    if table is not None:
        parts = [part.replace('"', '""') for part in table.rpartition(".")[::2] if part]
        query = "SELECT * FROM " + ".".join(f'"{part}"' for part in parts)
    with said_of_database():
        return connection.sql(str(query).rstrip().rstrip(";"))


def address_of(url: str | None, conn_id: str | None, key: str) -> "sa.URL":
    """The address of a database; ``key`` is that of the file which states it."""
    if url is not None:
        return filled_url(url, f"{key}.url")
    return _of_airflow(str(conn_id), f"{key}.conn_id")


def driver_url(url: "sa.URL") -> "sa.URL":
    """The same with the driver of PostgreSQL that is installed.

    SQLAlchemy changed which one it takes by itself.
    """
    if url.drivername == "postgresql":
        return url.set(drivername=f"postgresql+{_installed(POSTGRESQL_DRIVERS)}")
    return url


def lacking_module(url: "sa.URL") -> str | None:
    """The module of a database that is not installed; None if none lacks."""
    backend, _, driver = driver_url(url).drivername.partition("+")
    name = driver or ("duckdb" if backend == "duckdb" else "sqlite3")
    return None if importlib.util.find_spec(name) else name


def filled_url(url: str, key: str = "source.url") -> "sa.URL":
    """An address with variables of the environment in it.

    Examples
    --------
    >>> filled_url("sqlite:///people.db").database
    'people.db'
    """
    import sqlalchemy as sa

    template = Template(url)
    try:
        if "://" not in url:  # a variable that holds all of it
            return sa.make_url(template.fill(None))
        # Each part by itself: a password may hold what ends it in an address.
        stated = sa.make_url(url)
        parts = ("username", "password", "host", "database")
        filled: dict[str, Any] = {
            part: Template(str(held)).fill(None)
            for part in parts
            if (held := getattr(stated, part)) is not None
        }
        query = {
            key: Template(value).fill(None) if isinstance(value, str) else value
            for key, value in stated.query.items()
        }
        return stated.set(**filled, query=query)
    except (sa.exc.ArgumentError, ValueError) as error:
        if isinstance(error, ParameterError):  # names the variable
            raise ConfigurationError(f"{key}: {error}") from None
        said = f"{key}: cannot be read as the address of a database."
    raise ConfigurationError(said)


def _of_airflow(conn_id: str, key: str) -> "sa.URL":
    """The address that a connection of Airflow stands for."""
    import sqlalchemy as sa

    given = os.environ.get(_CONNECTION.format(conn_id.upper()))
    said = f"{key}: no connection {conn_id!r} that can be read"
    try:
        if given and not given.lstrip().startswith("{"):
            url = sa.make_url(given)
            return url.set(drivername=_dialect(url.drivername))
        found = json.loads(given) if given else _asked_of_airflow(conn_id)
        port = found.get("port")
        return sa.URL.create(
            _dialect(found["conn_type"]),
            found.get("login") or None,
            found.get("password") or None,
            found.get("host") or None,
            None if port in {None, ""} else int(port),
            found.get("schema") or None,
        )
    except Exception as error:
        # Whatever a backend of secrets raises, its words may hold one.
        said = f"{said} ({type(error).__name__})."
    raise ConfigurationError(said)


def _asked_of_airflow(conn_id: str) -> dict[str, Any]:
    found = importlib.import_module("airflow.sdk").BaseHook.get_connection(conn_id)
    fields = ("conn_type", "login", "password", "host", "port", "schema")
    return {field: getattr(found, field) for field in fields}


def _dialect(conn_type: str) -> str:
    """The name of SQLAlchemy for a type of connections of Airflow."""
    name = conn_type.replace("-", "_")
    return re.sub(r"^postgres$", "postgresql", name)


def _for_reading(url: "sa.URL", folder: str, key: str) -> "sa.URL":
    """The same, and of SQLite the file from the folder of the release, read alone.

    A file that is not there would be made by opening it.
    """
    if url.drivername.partition("+")[0] != "sqlite":
        return driver_url(url)
    if not url.database or url.database.startswith((":memory:", "file:")):
        raise ConfigurationError(f"{key}: name the file of an SQLite database.")
    file = place_of_sqlite(url.database, folder)
    if not file.is_file():
        raise DataError(f"{key}: {file} does not exist.")
    return url.set(
        database=f"file:{quote(str(file))}", query={"mode": "ro", "uri": "true"}
    )


def _installed(drivers: tuple[str, ...]) -> str:
    """The first of these modules that is there; the first of all if none is."""
    there = (name for name in drivers if importlib.util.find_spec(name))
    return next(there, drivers[0])


@contextmanager
def said_of_database(what: str = "the source: cannot be read") -> Iterator[None]:
    """Say what cannot be done; what a driver says may quote cells and addresses."""
    try:
        yield
    except Exception as error:
        if isinstance(error, AnonymizationError):
            raise
        kind = type(error).__name__
        lost = getattr(error, "connection_invalidated", False)
    else:
        return
    if lost:
        raise UnreachableError(f"{what}: the connection was lost ({kind}).")
    # Out here nothing is chained to it: some loggers print all that is.
    raise DataError(
        f"{what} ({kind}); see whether database, table and query are right."
    )


def _typed(names: list[str], rows: Any) -> pa.Table:
    """Rows as columns of one type each."""
    cells = zip(*rows, strict=True)
    return pa.table(
        [_column(name, list(held)) for name, held in zip(names, cells, strict=True)],
        names=names,
    )


def _column(name: str, cells: list[Any]) -> pa.Array:
    kinds = {type(cell) for cell in cells} - {type(None)}
    try:
        if kinds == {UUID}:
            return pa.array([None if cell is None else str(cell) for cell in cells])
        if kinds == {decimal.Decimal} and any(
            cell is not None and not cell.is_finite() for cell in cells
        ):  # NaN and infinities of databases
            return pa.array([None if cell is None else float(cell) for cell in cells])
        return pa.array(cells)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        named = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise uncodable(name, named)


def uncodable(name: str, kinds: str) -> DataError:
    return DataError(
        f"column {name!r} holds values ({kinds}) that are no texts, numbers, dates or "
        "truth values of one type; cast it in a query, as in CAST(… AS text)."
    )


def _joined(parts: list[pa.Table]) -> pa.Table:
    """The rows of all parts, with numbers and texts in their plain types."""
    plain = [plain_types(part) for part in parts]
    try:
        return pa.concat_tables(plain, promote_options="permissive")
    except pa.ArrowException:
        schemas = [part.schema for part in plain]
    for name in schemas[0].names:
        found = {str(s.field(name).type) for s in schemas} - {"null"}
        if len(found) > 1:
            raise uncodable(name, ", ".join(sorted(found)))
    raise DataError("the source: its columns change their types between its rows.")


def plain_types(table: pa.Table) -> pa.Table:
    """Decimals as numbers; refuses what is no value of a table of people."""
    for at, name in enumerate(table.column_names):
        held = table.column(at)
        if pa.types.is_decimal(held.type):
            table = table.set_column(at, name, _number(name, held))
        elif pa.types.is_dictionary(held.type):
            table = table.set_column(at, name, held.cast(held.type.value_type))
        elif pa.types.is_binary(held.type) or pa.types.is_large_binary(held.type):
            raise uncodable(name, "bytes")
    return table


def _number(name: str, held: pa.ChunkedArray) -> pa.ChunkedArray:
    """Decimal numbers as whole numbers, or as floats that keep all their digits."""
    if held.type.scale <= 0:
        try:
            return held.cast(pa.int64())
        except pa.ArrowException:
            said = uncodable(name, "numbers of more than 18 digits")
        raise said
    if held.type.precision > _EXACT_DIGITS:
        digits = [
            len(cell.normalize().as_tuple().digits)
            for cell in held.unique().to_pylist()
            if cell is not None
        ]
        if max(digits, default=0) > _EXACT_DIGITS:
            raise uncodable(name, f"numbers of more than {_EXACT_DIGITS} digits")
    return held.cast(pa.float64())
