"""What a person writes to open a table of a database, as a release file states it."""

import re
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import DataError
from anon_transformers.release._period import Template
from anon_transformers.release._stated_database import refuse_secret

SQLITE, DUCKDB = b"SQLite format 3\x00", b"DUCK"
PLACE_OF_DUCK = 8
"""Where a DuckDB file has its sign."""
_CONNECTION = re.compile(r"[A-Za-z]\w*\Z")


def stated_table(place: str, table: str) -> dict[str, Any]:
    """The source section for a table of a database.

    Parameters
    ----------
    place : str
        Path of a DuckDB or SQLite file, an address with variables of the environment
        in place of secrets, or the name of a connection.
    table : str
        Name of a table or view.

    Raises
    ------
    DataError
        If there is no such file, or a password stands in the address.

    Examples
    --------
    >>> stated_table("$DATABASE_URL", "public.people")
    {'kind': 'sql', 'url': '$DATABASE_URL', 'table': 'public.people'}
    >>> stated_table("ward_db", "people")
    {'kind': 'sql', 'conn_id': 'ward_db', 'table': 'people'}
    """
    if not place or not table:
        raise DataError("name a database and a table of it.")
    if _CONNECTION.match(place):
        return {"kind": "sql", "conn_id": place, "table": table}
    if place.startswith(("/", "~")):
        return {**_of_file(Path(place).expanduser()), "table": table}
    try:
        refuse_secret(place, "the address")
    except ValueError as error:
        said = str(error)
    else:
        return {"kind": "sql", "url": place, "table": table}
    raise DataError(said)


def _of_file(file: Path) -> dict[str, str]:
    if not file.is_file():
        raise DataError("there is no such file; give its whole path, from / on.")
    with file.open("rb") as opened:
        start = opened.read(len(SQLITE))
    # Braces and dollar signs of a path mean something in a release file.
    if start == SQLITE:
        return {"kind": "sql", "url": Template.literal(f"sqlite:///{file}").text}
    if start[PLACE_OF_DUCK:].startswith(DUCKDB):
        return {"kind": "duckdb", "path": Template.literal(str(file)).text}
    raise DataError("the file is no database of DuckDB or SQLite.")
