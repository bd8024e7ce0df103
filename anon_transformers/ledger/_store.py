"""Where a ledger lies: three tables of any database that SQLAlchemy opens."""

import os
import random
import sqlite3
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from anon_transformers.exceptions import ConfigurationError, LedgerError

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
LONGEST_WAIT = 60.0
"""Seconds that a writer waits for another one."""
MOST_TRIES = 40
"""How often a writer comes too late before it is an error."""
SHORTEST_PAUSE = 0.01
SERIALIZABLE = "SERIALIZABLE"
"""Transactions have the outcome of one after the other."""
ROLLED_BACK = "40"
"""Begins the SQLSTATE of a transaction that met another one."""
LARGEST_BLOB = 2**32 - 1

_TABLES = sa.MetaData()
ENTRIES = sa.Table(
    "anon_ledger_entries",
    _TABLES,
    sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("content", sa.Text, nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
)
HEADS = sa.Table(
    "anon_ledger_heads",
    _TABLES,
    sa.Column("signer", sa.String(64), primary_key=True),
    sa.Column("sequence", sa.Integer, nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
    sa.Column("signature", sa.String(64), nullable=False),
)
MEMBERSHIPS = sa.Table(
    "anon_ledger_memberships",
    _TABLES,
    sa.Column("release", sa.String(200), primary_key=True),
    sa.Column("version", sa.String(255), primary_key=True),
    sa.Column("key_id", sa.String(64), nullable=False),
    sa.Column("blob", sa.LargeBinary(LARGEST_BLOB), nullable=False),
)

Done = TypeVar("Done")


class Store:
    """Transactions on the tables of a ledger; nothing is kept open between them.

    Parameters
    ----------
    url : str or path
        A URL of SQLAlchemy, or the path of an SQLite file.
    """

    def __init__(self, url: str | os.PathLike[str]):
        place: sa.URL
        try:
            if isinstance(url, str) and "://" in url:
                place = sa.make_url(url)
            else:
                place = sa.URL.create("sqlite", database=os.fspath(url))
            backend = place.get_backend_name()
            if backend == "duckdb":
                raise ConfigurationError(
                    "ledger.url (or ANON_LEDGER_URL): releases write a ledger at once, "
                    "and a DuckDB file has one writer; choices: an SQLite file, or a "
                    "server with serializable transactions, such as PostgreSQL."
                )
            self.is_sqlite = backend == "sqlite"
            waits = {"timeout": LONGEST_WAIT} if self.is_sqlite else {}
            # A transaction that read what was reserved, and then a newer end of the
            # chain, would reserve beside somebody else: servers show it one state.
            alone: Any = {} if self.is_sqlite else {"isolation_level": SERIALIZABLE}
            # No connection outlives its transaction: processes fork between them.
            self._engine = sa.create_engine(
                place,
                poolclass=NullPool,
                hide_parameters=True,
                connect_args=waits,
                **alone,
            )
        except ConfigurationError:
            raise
        except (SQLAlchemyError, ImportError, ValueError) as error:
            # The URL may hold a password, and is not repeated.
            raise ConfigurationError(
                f"ledger.url: it cannot be opened ({type(error).__name__}); write it "
                "as SQLAlchemy does, as in postgresql+psycopg2://host/database, and "
                "install its driver."
            ) from None
        memory = place.database in {None, "", ":memory:"}
        self.file = None
        if self.is_sqlite:
            if memory or place.database is None:
                raise ConfigurationError(
                    "ledger.url: a ledger in memory forgets; name a file."
                )
            self.file = Path(place.database)
            sa.event.listen(self._engine, "connect", _prepare)
            sa.event.listen(self._engine, "begin", _begin)

    @property
    def exists(self) -> bool:
        """Whether there may be something in it."""
        return self.file is None or self.file.exists()

    def read(self, work: Callable[[sa.Connection], Done], empty: Done) -> Done:
        """What some work finds; ``empty`` if there is no ledger yet."""
        if not self.exists:
            return empty
        self._refuse_link()
        with _told(), self._engine.connect() as connection, connection.begin():
            if not sa.inspect(connection).has_table(ENTRIES.name):
                return empty
            return work(connection)

    def write(self, work: Callable[[sa.Connection], Done]) -> Done:
        """Do some work whole or not at all; again if another one came first."""
        self._make_file()
        with _told():
            for turn in range(MOST_TRIES):
                try:
                    return self._write_once(work)
                except SQLAlchemyError as error:
                    # Where two make the tables at once, or two write, some say so
                    # with other errors than that of a number that is taken.
                    most = MOST_TRIES if _came_too_late(error) else MOST_TRIES // 4
                    known = isinstance(error, IntegrityError)
                    if turn >= most - 1 or (self.is_sqlite and not known):
                        raise
                time.sleep(SHORTEST_PAUSE * (1 + turn) * random.random())
        raise LedgerError("the ledger could not be written.")

    def _write_once(self, work: Callable[[sa.Connection], Done]) -> Done:
        writer = self._engine.execution_options(anon_writes=True)
        with writer.connect() as connection, connection.begin():
            _TABLES.create_all(connection)
            return work(connection)

    def _refuse_link(self) -> None:
        """Refuse what is no plain file: a link could lead it where others read."""
        if self.file is not None and not stat.S_ISREG(self.file.lstat().st_mode):
            raise LedgerError(f"the ledger {self.file} is not a plain file.")

    def _make_file(self) -> None:
        """Make an SQLite file that only its owner can read."""
        if self.file is None:
            return
        folder = self.file.parent
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
            folder.chmod(PRIVATE_FOLDER)
        if os.path.lexists(self.file):
            self._refuse_link()
            return
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(self.file, flags, PRIVATE_FILE))


def _prepare(connection: Any, _: Any) -> None:
    """Leave the beginning of transactions to us, and overwrite what is removed."""
    if isinstance(connection, sqlite3.Connection) or hasattr(
        connection, "isolation_level"
    ):
        connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _begin(connection: sa.Connection) -> None:
    """Begin a transaction; one that writes has the file for itself from its start."""
    writes = connection.get_execution_options().get("anon_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _came_too_late(error: SQLAlchemyError) -> bool:
    """Whether a transaction failed because another one came first."""
    cause = getattr(error, "orig", None)
    state = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None) or ""
    return isinstance(error, IntegrityError) or str(state).startswith(ROLLED_BACK)


@contextmanager
def _told() -> Iterator[None]:
    """Say of an error of the database what it is, and nothing of what was sent."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        raise LedgerError(
            f"the ledger cannot be read or written ({type(cause).__name__})."
        ) from None
