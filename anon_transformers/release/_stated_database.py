"""A database as the source of a release: what the file may say of it.

Nothing here connects, or imports a library of databases. A password never stands in a
file: it comes from the environment, or from a connection of Airflow.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import field_validator, model_validator

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.gx._threshold import misspelled
from anon_transformers.release._file_kinds import DATABASE_KINDS
from anon_transformers.release._period import TOKEN, Template
from anon_transformers.release._strict import Strict

_OF_SQL = ("url", "conn_id", "table", "query")
_URL = re.compile(r"[A-Za-z][\w+.-]*://(?:[^:/@]*(?::(?P<password>[^@]*))?@)?")
_SECRET = re.compile(r"(pass|pwd|secret|token|key|credential|connect)", re.IGNORECASE)
_SQLITE = re.compile(r"sqlite(?:\+\w+)?:///(?P<file>[^?]*)")
_NAME = re.compile(r"(?:[a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]{0,31}\Z")
LONGEST_NAME = 63
"""Bytes of a name in PostgreSQL, which cuts longer ones."""
BACKENDS = {"postgresql": "PostgreSQL", "sqlite": "SQLite", "duckdb": "DuckDB"}
"""Databases that a release is published in, by what their addresses begin with."""
WAY_OUT = (
    "write a variable of the environment there, as in "
    "postgresql://anna:$PGPASSWORD@host/db, or name a connection of Airflow by conn_id."
)


class StatedDatabase(Strict):
    """A database that shows the published table, beside the folder.

    Attributes
    ----------
    url : str or None
        Its address: ``postgresql://anna:$PGPASSWORD@host/db``, ``sqlite:///public.db``
        or ``duckdb:///public.duckdb``. Variables come from the environment; a password
        that stands in the file is refused. Paths start from the folder of the file.
    conn_id : str or None
        A connection of Airflow, in place of ``url``.
    table : str
        Name of the view that readers use, with its schema before a dot where it needs
        one: small letters, digits and ``_``. Beside it stand a table for each version
        and the table ``…__manifest``.
    """

    url: str | None = None
    conn_id: str | None = None
    table: str

    @field_validator("url")
    @classmethod
    def _no_secret(cls, given: str | None) -> str | None:
        if given is not None:
            refuse_secret(given, "the address")
            if "://" in given:
                try:
                    refuse_other_backend(re.split(r"[+:]", given)[0])
                except ConfigurationError as error:
                    raise ValueError(str(error)) from None
        return given

    @field_validator("table")
    @classmethod
    def _plain_name(cls, given: str) -> str:
        if not _NAME.match(given):
            raise ValueError(
                "write a name of up to 32 small letters, digits and '_', with a schema "
                "before a dot where it needs one."
            )
        return given

    @model_validator(mode="after")
    def _one_address(self) -> "StatedDatabase":
        if (self.url is None) == (self.conn_id is None):
            raise ValueError("name one of url and conn_id.")
        return self


def refuse_other_backend(backend: str) -> None:
    """Refuse a database that no release is published in.

    Examples
    --------
    >>> refuse_other_backend("mysql")
    Traceback (most recent call last):
    ...
    anon_transformers.exceptions.ConfigurationError: target.database: no release is ...
    """
    if backend not in BACKENDS:
        raise ConfigurationError(
            f"target.database: no release is published in {backend}; choices: "
            f"{', '.join(BACKENDS)}."
        )


def refuse_wrong_database(kind: str, options: Mapping[str, Any]) -> None:
    """Refuse options by which no table, or several, or a secret would be named.

    Raises
    ------
    ValueError
        Without what stands in the address.
    """
    if kind not in DATABASE_KINDS:
        return
    for key in _OF_SQL:
        if key in options and (not isinstance(options[key], str) or not options[key]):
            raise ValueError(f"source.{key}: must be a text.")
    if ("table" in options) == ("query" in options):
        slip = misspelled(options, _OF_SQL)
        raise ValueError(f"source: {slip or 'name one of table and query.'}")
    if kind != "sql":
        return
    if ("url" in options) == ("conn_id" in options):
        slip = misspelled(options, _OF_SQL)
        raise ValueError(f"source: {slip or 'name one of url and conn_id.'}")
    if "url" in options:
        refuse_secret(options["url"], "source.url")


def refuse_secret(url: str, key: str) -> None:
    """Refuse an address with a password in it, which is not shown.

    Examples
    --------
    >>> refuse_secret("postgresql://anna:$PGPASSWORD@host/db", "source.url")
    >>> refuse_secret("postgresql://anna:hunter2@host/db", "source.url")
    Traceback (most recent call last):
    ...
    ValueError: source.url: a password stands in the file; ...
    """
    found = _URL.match(url)
    if found is None:
        if _only_variables(url):
            return
        raise ValueError(
            f"{key}: is no address; write one such as sqlite:///people.db or "
            "postgresql://user:$PGPASSWORD@host/db, or a variable that holds one."
        )
    if found["password"] and not _only_variables(found["password"]):
        raise ValueError(f"{key}: a password stands in the file; {WAY_OUT}")
    for pair in url.partition("?")[2].split("&"):
        name, _, value = pair.partition("=")
        if _SECRET.search(name) and value and not _only_variables(value):
            raise ValueError(f"{key}: a secret stands in the file; {WAY_OUT}")


def _only_variables(text: str) -> bool:
    """Whether nothing but variables of the environment stands there."""
    found = [*TOKEN.finditer(text)]
    named = all(one["braced"] or one["plain"] for one in found)
    return bool(found) and named and TOKEN.sub("", text) == ""


def sqlite_file(url: Any) -> str | None:
    """The file of an SQLite database; None for others, and where variables name it.

    Examples
    --------
    >>> sqlite_file("sqlite:///data/people.db"), sqlite_file("postgresql://host/db")
    ('data/people.db', None)
    """
    found = _SQLITE.match(url) if isinstance(url, str) else None
    if found is None or Template(found["file"]).variables:
        return None
    return found["file"] or None


def place_of_sqlite(file: str, folder: str) -> Path:
    """Where the file of an SQLite database lies, from the folder of the release."""
    return (Path(folder) / Path(file).expanduser()).resolve()
