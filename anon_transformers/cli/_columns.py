"""Options that say what the columns of a file are, shared by commands."""

from typing import Annotated, Any

import typer


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
