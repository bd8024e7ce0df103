"""Cells of a written file that a spreadsheet would run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anon_transformers.cli._targets import STDOUT
from anon_transformers.cli.output import print_warning
from anon_transformers.exceptions import ConfigurationError

if TYPE_CHECKING:
    import pandas as pd

SpreadsheetSafe = Annotated[
    bool,
    typer.Option(
        "--spreadsheet-safe",
        help="Put an apostrophe in front of texts that a spreadsheet would run as "
        "formulas. A reader of the file must take it away again.",
    ),
]


def guard_formulas(table: "pd.DataFrame", target: Path, safe: bool) -> "pd.DataFrame":
    """Guard cells of a CSV file that a spreadsheet would run, or warn of them.

    A release always guards them, and its manifest tells readers to take the apostrophe
    away; beside a file of its own there is nobody to tell them.
    """
    from anon_transformers._data.columns import to_text
    from anon_transformers.release._file_kinds import known_kind
    from anon_transformers.release._files import schema_of
    from anon_transformers.release._spreadsheets import guard_texts, would_run

    if target != STDOUT and known_kind(target) != "csv":
        return table
    headers = [name for name in table.columns if would_run(str(name))]
    if safe:
        if headers:
            raise ConfigurationError(
                f"--spreadsheet-safe: a spreadsheet would run {headers[0]!r} at the "
                "head of a column; rename it."
            )
        return guard_texts(table, schema_of(table))[0]
    texts = {name: to_text(table[name]).dropna() for name in table.columns}
    counts = {name: int(of.map(would_run).sum()) for name, of in texts.items()}
    places = [f"{name} ({n:,} rows)" for name, n in counts.items() if n]
    places += [f"the name of {name}" for name in headers]
    if places:
        print_warning(
            f"a spreadsheet would run cells of these columns as formulas: "
            f"{', '.join(places)}. --spreadsheet-safe writes them so that it shows "
            "them; a release does so by itself."
        )
    return table
