"""Options that say what the columns of a file are, shared by commands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

    from anon_transformers.cli._dialects import Dialect


def repeated(*names: str, metavar: str, help: str) -> Any:
    """Describe an option that may be given several times."""
    return typer.Option(*names, metavar=metavar, help=f"{help}; repeat for more.")


Known = Annotated[
    list[str] | None,
    repeated(
        "--quasi-identifier",
        "-q",
        metavar="COLUMN",
        help="Column an intruder may know",
    ),
]
Sensitive = Annotated[
    list[str] | None,
    repeated(
        "--sensitive",
        "-s",
        metavar="COLUMN",
        help="Column an intruder wants to know",
    ),
]
Identifiers = Annotated[
    list[str] | None,
    repeated("--identifier", "-i", metavar="COLUMN", help="Column to drop"),
]
Insensitive = Annotated[
    list[str] | None,
    repeated("--insensitive", metavar="COLUMN", help="Column to publish as it is"),
]
AcceptUnique = Annotated[
    list[str] | None,
    repeated(
        "--accept-unique",
        metavar="COLUMN",
        help="Insensitive column that may hold a value of its own in many rows",
    ),
]
Subject = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Tells persons apart, so that k counts persons; it is dropped.",
    ),
]
Missing = Annotated[
    list[str] | None,
    repeated(
        "--missing",
        metavar="TEXT",
        help="Text that stands for a missing value in a CSV file, such as ?",
    ),
]


def read_table(
    path: Path,
    dialect: "Dialect",
    missing: list[str] | None,
    as_text: list[str] | None = None,
) -> "pd.DataFrame":
    """Read a file by its suffix, with the registered reader.

    Columns in ``as_text`` stay as they are written: 1 and 1.0 are two values.
    """
    from anon_transformers.exceptions import DataError
    from anon_transformers.registry import registry
    from anon_transformers.release._files import kind_of_file

    if not path.is_file():
        raise DataError(f"{path} does not exist.")
    readers = registry().readers
    kind = kind_of_file(path, readers)
    options: dict[str, Any] = {}
    if kind == "csv":
        options = {"separator": dialect.separator, "encoding": dialect.encoding}
        options["missing"] = missing or []
        options["columns"] = dict.fromkeys(as_text or [], "text")
    return readers[kind](path, **options)
