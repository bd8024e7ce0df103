"""Options that say what the columns of a file are, shared by commands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import pandas as pd

Known = Annotated[
    list[str] | None,
    typer.Option("--quasi-identifier", "-q", metavar="COLUMN",
                 help="Column an intruder may know; repeat for more."),
]  # fmt: skip
Sensitive = Annotated[
    list[str] | None,
    typer.Option("--sensitive", "-s", metavar="COLUMN",
                 help="Column an intruder wants to know; repeat for more."),
]  # fmt: skip
Separator = Annotated[str, typer.Option(help="Field separator of CSV files.")]
Missing = Annotated[
    list[str] | None,
    typer.Option("--missing", metavar="TEXT",
                 help="Text that stands for a missing value in a CSV file, such as ?."),
]  # fmt: skip


def read_table(path: Path, separator: str, missing: list[str] | None) -> "pd.DataFrame":
    """Read a file by its suffix, with the registered reader."""
    from anon_transformers.exceptions import DataError
    from anon_transformers.registry import registry
    from anon_transformers.release._files import kind_of_file

    if not path.is_file():
        raise DataError(f"{path} does not exist.")
    readers = registry().readers
    kind = kind_of_file(path, readers)
    options: dict[str, Any] = {}
    if kind == "csv":
        options = {"separator": separator, "missing": missing or []}
    return readers[kind](path, **options)
