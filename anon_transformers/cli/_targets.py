"""Where a command writes a table: a file, whole or not at all, or the output."""

import io
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anon_transformers.cli._dialects import Dialect
from anon_transformers.exceptions import ConfigurationError, DataError

if TYPE_CHECKING:
    import pandas as pd

Force = Annotated[bool, typer.Option("--force", help="Overwrite the target.")]
ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
"""How an address begins once it was taken for a path."""
STDOUT = Path("-")
"""Stands for the standard output; messages then go to the error stream."""


def refuse_target(target: Path, force: bool) -> None:
    """Refuse before a long run what could not be written after it."""
    from anon_transformers.release._build import installed
    from anon_transformers.release._file_kinds import kind_of_file

    if target == STDOUT:
        return
    scheme = ADDRESS.match(str(target))
    if scheme is not None:
        raise ConfigurationError(
            f"{scheme[1]}://{str(target)[scheme.end() :]}: nothing here opens "
            f"{scheme[1]}:// addresses; give a path."
        )
    kind_of_file(target, installed().writers)
    if target.exists() and not force:
        raise ConfigurationError(f"{target} is there already; --force overwrites it.")
    if not target.absolute().parent.is_dir():
        raise ConfigurationError(f"{target.absolute().parent} is not a folder.")


def write_table(table: "pd.DataFrame", target: Path, dialect: Dialect) -> None:
    """Write a table; a CSV file in this dialect."""
    try:
        if target == STDOUT:
            _write_output(table, dialect)
        else:
            _write_file(table, target, dialect)
    except UnicodeEncodeError:
        unknown = True
    else:
        unknown = False
    if unknown:  # raised here, so that the error does not carry a cell along
        raise DataError(
            f"{target}: the result holds characters that {dialect.encoding} does not "
            "have; write Parquet, or save the source in UTF-8."
        )


def _write_output(table: "pd.DataFrame", dialect: Dialect) -> None:
    from anon_transformers.release._build import installed

    whole = io.BytesIO()
    installed().writers["csv"](table, whole, **dialect.as_options())
    sys.stdout.buffer.write(whole.getvalue())


def _write_file(table: "pd.DataFrame", target: Path, dialect: Dialect) -> None:
    from anon_transformers.release._build import installed
    from anon_transformers.release._file_kinds import kind_of_file

    writers = installed().writers
    kind = kind_of_file(target, writers)
    options = dialect.as_options() if kind == "csv" else {}
    draft = target.with_name(f".draft-{target.name}")
    try:
        writers[kind](table, draft, **options)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
