"""Options that say what the columns of a file are, shared by commands."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anon_transformers.exceptions import ConfigurationError

if TYPE_CHECKING:
    import pandas as pd


def repeated(*names: str, metavar: str, help: str) -> Any:
    """Describe an option that may be given several times."""
    return typer.Option(*names, metavar=metavar, help=f"{help}; repeat for more.")


QuasiIdentifiers = Annotated[
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
        metavar="COLUMN[,COLUMN]",
        help="Insensitive or sensitive column that may hold values of few persons in "
        "many rows, or insensitive columns that do so together",
    ),
]
RowsArePersons = Annotated[
    bool,
    typer.Option(
        "--rows-are-persons",
        help="Every row is a person, though an identifier repeats.",
    ),
]
Dates = Annotated[
    list[str] | None,
    repeated(
        "--date",
        metavar="COLUMN=FORMAT",
        help="How the dates of a column of a CSV file are written, such as "
        "[bold]born=%d/%m/%Y[/bold]; where years have two digits with the last year "
        "they may mean: [bold]born=%d/%m/%y,2025[/bold]",
    ),
]
Subject = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Tells persons apart, so that k counts persons; it is dropped.",
    ),
]
CountedBy = Annotated[
    str | None,
    typer.Option(
        "--subject",
        metavar="COLUMN",
        help="Tells persons apart, so that persons are counted in place of rows.",
    ),
]
Naming = Annotated[
    list[str] | None,
    repeated(
        "--identifier",
        "-i",
        metavar="COLUMN",
        help="Column that names persons, to be warned if it repeats",
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


def check_persons(
    path: Path,
    frames: "Sequence[pd.DataFrame]",
    declared: tuple[Sequence[str], Sequence[str]],
    identifiers: Sequence[str] | None,
    subject: str | None,
) -> None:
    """Refuse a column of two roles; warn where rows are counted and an id repeats.

    What is published has no identifiers: one of the tables must have each of them.
    """
    if not identifiers and subject is None:
        return
    from anon_transformers.base._base import warn_of_repeated_identifiers
    from anon_transformers.release._source import refuse_lacking
    from anon_transformers.roles import Roles

    columns = dict.fromkeys(name for frame in frames for name in frame.columns)
    refuse_lacking(list(columns), identifiers or [], str(path))
    quasi_identifiers, sensitive = declared
    for frame in frames:
        there = [name for name in identifiers or [] if name in frame.columns]
        roles = Roles.resolve(
            frame.columns, quasi_identifiers, sensitive or None, there or None, subject,
            sensitive_may_be_known=True,
        )  # fmt: skip
        if roles.subject is None:
            warn_of_repeated_identifiers(frame, roles.identifiers)


def read_dates(given: Sequence[str] | None) -> dict[str, dict[str, Any]]:
    """Read ``COLUMN=FORMAT`` options.

    Examples
    --------
    >>> read_dates(["born=%d/%m/%y,2025"])
    {'born': {'date': '%d/%m/%y', 'last_year': 2025}}
    """
    kinds: dict[str, dict[str, Any]] = {}
    for text in given or ():
        column, equals, written = text.partition("=")
        if not equals or not column or "%" not in written:
            raise ConfigurationError(
                f"--date: expected COLUMN=FORMAT, such as born=%d/%m/%Y, got {text!r}."
            )
        if column in kinds:
            raise ConfigurationError(f"--date: {column} is given twice.")
        pattern, comma, year = written.rpartition(",")
        if comma and year.isdecimal():
            kinds[column] = {"date": pattern, "last_year": int(year)}
        else:
            kinds[column] = {"date": written}
    return kinds


def read_accepted(
    given: Sequence[str] | None, columns: Collection[str]
) -> tuple[str | tuple[str, ...], ...]:
    """Read ``COLUMN,COLUMN`` options; a column may have a comma in its name.

    Examples
    --------
    >>> read_accepted(["job", "job,town", "a,b"], ["job", "town", "a,b"])
    ('job', ('job', 'town'), 'a,b')
    """
    return tuple(
        text if text in columns or "," not in text else tuple(text.split(","))
        for text in given or ()
    )
