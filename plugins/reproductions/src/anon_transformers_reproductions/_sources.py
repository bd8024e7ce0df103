"""What the sources published, and the tables that they used."""

import json
import os
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import pandas as pd

from anon_transformers.exceptions import DataError


def read_source(name: str) -> dict[str, Any]:
    """What a source published, and what is known about it: ``data/<name>.json``."""
    file = files("anon_transformers_reproductions") / "data" / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8"))


def read_table(
    path: str | os.PathLike[str], columns: Sequence[str], n_rows: int, **options: Any
) -> pd.DataFrame:
    """Read the table of a source, and refuse any other.

    Parameters
    ----------
    path : path
        A CSV file.
    columns : sequence of str
        Columns that it must have, and that are returned.
    n_rows : int
        How many rows it must have.
    **options
        For :func:`pandas.read_csv`.

    Raises
    ------
    DataError
        With the file, and what is wrong with it.
    """
    file = os.fspath(path)
    try:
        table = pd.read_csv(path, **options)
    except (ValueError, OSError) as error:  # the message may quote the file
        raise DataError(
            f"{file}: cannot be read as CSV ({type(error).__name__})."
        ) from None
    absent = [name for name in columns if name not in table.columns]
    if absent:
        raise DataError(f"{file} lacks the columns {', '.join(absent)}.")
    if len(table) != n_rows:
        raise DataError(f"{file} has {len(table):,} rows, not {n_rows:,}.")
    return table[list(columns)]
