"""The key ``target`` of a release file."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from anon_transformers.exceptions import unknown_choice
from anon_transformers.release._file_kinds import DATABASE_KINDS
from anon_transformers.release._remote_files import (
    as_path,
    is_address,
    refuse_unopened,
)
from anon_transformers.release._stated_database import StatedDatabase
from anon_transformers.release._stated_paths import (
    PlacePath,
    StoreAddress,
    a_store,
)
from anon_transformers.release._strict import Strict, explain

FORMATS = ("csv", "parquet")
"""Kinds of targets that are another word for a format."""
OF_DATABASE = ("url", "conn_id", "table")
BESIDE = "published/{}"
"""The folder of a release for which a database or a store alone is stated."""


class Retention(Strict):
    """How many periods stay public, or for how long.

    Both are counted back from the newest period that is published, and not from the
    clock: when a source stops, its last periods stay.

    Attributes
    ----------
    periods : int or None
        The newest so many published periods: one that was refused or never run counts
        for nothing, so that the last 3 of them may be of four months or more.
    days : int or None
        Periods that begin at most so many days before the newest one.
    """

    periods: int | None = Field(None, ge=1, strict=True)
    days: int | None = Field(None, ge=0, strict=True)

    @model_validator(mode="after")
    def _one_way(self) -> "Retention":
        if (self.periods is None) == (self.days is None):
            raise ValueError("state one of {periods: 12} and {days: 400}.")
        return self


class Target(Strict):
    """Where the release goes, and in which format.

    Attributes
    ----------
    kind : {"csv", "parquet", "sql", "duckdb"} or None
        The words of ``source``: ``sql`` with ``url`` or ``conn_id`` and ``table``, and
        ``duckdb`` with the file as ``path`` and ``table``, stand for ``database``;
        ``csv`` and ``parquet`` stand for ``format``.
    path : str
        A folder of its own, from the folder of the release file. It may hold variables
        of the environment, and a period, as ``published/{period:%Y-%m}``: then each
        period has a folder, and ``current`` beside these folders leads to the newest
        period. With ``kind: sql`` it may be left out, and with ``kind: duckdb`` it is
        that of the database: the folder is ``published/`` and the name of the table.
        ``file://…`` is a folder, too; ``s3://…`` and ``gs://…`` stand for ``store``,
        and the folder is ``published/`` and the last name of the address.
    url : str or None
        With ``kind: sql``: that of ``database``.
    conn_id : str or None
        With ``kind: sql``: that of ``database``.
    table : str or None
        With ``kind: sql`` or ``duckdb``: that of ``database``.
    format : str
        Registered name of a writer, such as ``csv`` or ``parquet``.
    keep_versions : int
        How many versions before the current one stay public; 0 by default, for whoever
        has two versions sees what changed between them: one person who joined is
        exposed by the difference, whatever each version promises. Removing them is
        hygiene; what was downloaded stays downloaded. In a release with periods,
        versions of one period are counted.
    retention : Retention or None
        Which of the published periods stay public; all of them by default. With a
        ``subject`` it must be stated, for two periods together tell more of a person
        than each alone.
    database : StatedDatabase or None
        A database that shows the same table: PostgreSQL, SQLite or DuckDB.
    store : str or None
        An address, ``s3://bucket/ward`` or ``gs://bucket/ward``, at which a store of
        objects has the same files.
    spreadsheet_safe : bool
        Whether texts in a CSV file that a spreadsheet would run, such as ``=1+2``, get
        an apostrophe in front, also behind a semicolon, a tab or the end of a line.
        ``read_published`` takes it away again.
    """

    kind: Literal["csv", "parquet", "sql", "duckdb"] | None = Field(None, exclude=True)
    path: PlacePath
    url: str | None = Field(None, exclude=True)
    conn_id: str | None = Field(None, exclude=True)
    table: str | None = Field(None, exclude=True)
    format: str = "csv"
    keep_versions: int = Field(0, ge=0, strict=True)
    retention: Retention | None = None
    database: StatedDatabase | None = None
    store: StoreAddress | None = None
    spreadsheet_safe: bool = Field(True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _in_words_of_sources(cls, given: Any) -> Any:
        """The same without ``kind`` and addresses, for which other keys stand."""
        if not isinstance(given, dict) or not {*given} <= {*cls.model_fields}:
            return given
        kind = given.get("kind")
        if kind != "duckdb" and is_address(given.get("path")):
            given = _with_store(given)
        if kind in DATABASE_KINDS:
            return _with_database(kind, given)
        for key in OF_DATABASE:
            if key in given:
                raise ValueError(f"target.{key}: goes with kind: sql or duckdb.")
        if kind is None:
            return given
        if kind not in FORMATS:
            fault = unknown_choice("kind", kind, [*FORMATS, *DATABASE_KINDS])
            raise ValueError(f"target.kind: {fault}")
        if "format" in given:
            raise ValueError(f"target.format: kind: {kind} says it already.")
        rest = {key: value for key, value in given.items() if key != "kind"}
        return {**rest, "format": kind}

    @property
    def guards_texts(self) -> bool:
        """Whether it is a file that spreadsheets open, and is made safe for them."""
        return self.spreadsheet_safe and self.format == "csv"


def _with_database(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """A target in the words of a source that is a database, as folder and database."""
    if "database" in given:
        raise ValueError(f"target.database: kind: {kind} says it already.")
    rest = {key: value for key, value in given.items() if key not in OF_DATABASE}
    database = {key: given[key] for key in OF_DATABASE if key in given}
    del rest["kind"]
    if kind == "duckdb":
        for key in ("url", "conn_id"):
            if key in given:
                raise ValueError(f"target.{key}: goes with kind: sql; duckdb has path.")
        database["url"] = _of_duckdb(rest.pop("path", None))
    try:
        StatedDatabase.model_validate(database)
    except ValidationError as error:
        said = "; ".join(explain(error).removeprefix("top level: ").splitlines())
        raise ValueError(f"target: {said}") from None
    folder = {"path": BESIDE.format(database["table"])}
    return {**folder, **rest, "database": database}


def _with_store(given: Mapping[str, Any]) -> dict[str, Any]:
    """A target whose path is an address, as a folder of this machine and a store."""
    address = str(given["path"])
    try:
        refuse_unopened(address)
        if as_path(address) != address:
            return {**given, "path": as_path(address)}
        a_store(address)
    except ValueError as error:
        raise ValueError(f"target.path: {error}") from None
    if "store" in given:
        raise ValueError("target.store: path is an address already.")
    last = address.rstrip("/").rpartition("/")[2]
    return {**given, "path": BESIDE.format(last), "store": address}


def _of_duckdb(path: Any) -> str:
    """The address of a DuckDB file."""
    if not isinstance(path, str) or not path:
        raise ValueError("target.path: name the file of the DuckDB database.")
    file = as_path(path)
    if is_address(file) or "?" in file:
        raise ValueError(
            "target.path: a DuckDB database is a file of this machine, in whose path "
            "no '?' stands."
        )
    return f"duckdb:///{file}"
