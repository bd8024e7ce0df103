"""The contract of writers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from anon_transformers.testing._contract import Check, bind, require, run
from anon_transformers.testing._published_texts import differing_cells

SECRET = "secret-of-the-index"


@dataclass(frozen=True)
class WriterTrial:
    """A writer, and the reader of what it writes."""

    writer: Callable[..., Any]
    reader: Callable[..., pd.DataFrame]
    suffix: str


def writer_checks(
    writer: Callable[..., Any], reader: Callable[..., Any], *, suffix: str = ".dat"
) -> Iterator[Check]:
    """Yield the contract checks of a writer, by name.

    Parameters
    ----------
    writer, reader, suffix
        As in :func:`check_writer`.

    Yields
    ------
    name : str
        What is checked.
    check : callable without arguments
        Raises ``AssertionError`` with the broken sentence of the contract.
    """
    yield from bind(writer, [WriterTrial(writer, reader, suffix)], lambda _: CHECKS)


def check_writer(
    writer: Callable[..., Any],
    reader: Callable[..., Any],
    *,
    suffix: str = ".dat",
    verbose: bool = False,
) -> None:
    """Check a writer against the contract.

    Parameters
    ----------
    writer : callable
        As it is registered: called with a data frame and a path.
    reader : callable
        The one that is registered under the same name, called with a path: a release
        judges what readers of its file will see. Every cell must come back as the
        published text that it was: a whole number as ``1``, also beside missing cells
        (in a column of decimals ``-3.0`` stays ``-3.0``); another as ``1.5``; a day as
        ``2024-02-29``, with a time of day only where the column has one; a truth as
        ``True``; a missing cell as missing.
    suffix : str, default=".dat"
        How names of such files end.
    verbose : bool, default=False
        Say on the error stream which check runs, and how it ended.

    Raises
    ------
    AssertionError
        With every sentence of the contract that is broken.

    Examples
    --------
    >>> from anon_transformers.testing import check_writer
    >>> def write_pickle(frame, path):
    ...     pd.DataFrame(dict(frame.items())).reset_index(drop=True).to_pickle(path)
    >>> check_writer(write_pickle, pd.read_pickle)
    """
    checks = writer_checks(writer, reader, suffix=suffix)
    run(writer, checks, verbose=verbose)


def _table() -> pd.DataFrame:
    """Cells that are easily lost, and an index that tells who they are."""
    table = pd.DataFrame(
        {
            "code": ["007", "7", "a,b", 'say "no"'],
            # Nothing but digits: what guesses types takes it for numbers.
            "zip": ["01234", "00501", "10115", "90210"],
            "größe in m": [1.5, 0.1 + 0.2, None, -3.0],
            "visits": pd.array([1, None, 3, 12345678901], dtype="Int64"),
            "note": ["one\nline", None, "[20, 29]", "<= 5; or more"],
            "member": [True, False, True, False],
            "born": pd.Series(["2024-02-29", "1900-01-01", None, "2024-12-31"]),
        }
    )
    table["born"] = table["born"].astype("datetime64[us]")
    table.index = pd.Index([f"{SECRET}-{at}" for at in range(len(table))], name=SECRET)
    table.attrs["source"] = SECRET
    return table


def check_one_file_is_written(trial: WriterTrial) -> None:
    """At the path that was given, and nowhere else."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"table{trial.suffix}")
        trial.writer(_table(), path)
        found = sorted(file.name for file in Path(folder).iterdir())
        require(
            found == [path.name],
            "A writer writes one file, at the path that it is given.",
            f"{found}",
        )


def check_an_older_file_is_replaced(trial: WriterTrial) -> None:
    """Nothing of what was there is left."""
    sentence = "A writer replaces a file that is there."
    with TemporaryDirectory() as folder:
        path = Path(folder, f"table{trial.suffix}")
        longer = pd.concat([_table()] * 9, ignore_index=True)
        for table in (longer, _table()):
            trial.writer(table, path)
        length = len(trial.reader(path))
        require(length == len(_table()), sentence, f"{length} rows")


def check_frame_is_left_alone(trial: WriterTrial) -> None:
    """The table is judged after it was written."""
    table = _table()
    with TemporaryDirectory() as folder:
        trial.writer(table, Path(folder, f"table{trial.suffix}"))
    same = table.equals(_table()) and table.index.equals(_table().index)
    require(same, "A writer leaves the table as it is.", "another table")


def check_cells_are_read_back(trial: WriterTrial) -> None:
    """What readers see is what was judged, cell by cell."""
    sentence = "Every cell is read back as the text that it was."
    before = _table()
    with TemporaryDirectory() as folder:
        path = Path(folder, f"table{trial.suffix}")
        trial.writer(before, path)
        after = trial.reader(path)
    require(isinstance(after, pd.DataFrame), sentence, f"a {type(after).__name__}")
    require(
        list(after.columns) == list(before.columns),
        "The columns are read back, in their order, and no other.",
        f"{len(after.columns)} columns of {len(before.columns)}",
    )
    require(len(after) == len(before), sentence, f"{len(after)} rows")
    for name in before.columns:
        other = differing_cells(before[name], after[name])
        require(not other, sentence, f"in column {name!r} {other}")


def check_nothing_else_is_written(trial: WriterTrial) -> None:
    """Labels of the index may be names, and attributes anything."""
    with TemporaryDirectory() as folder:
        path = Path(folder, f"table{trial.suffix}")
        trial.writer(_table(), path)
        content, after = path.read_bytes(), trial.reader(path)
    told = SECRET.encode() in content or SECRET in repr([after.attrs, after.index])
    require(
        not told,
        "A file holds the columns, and neither the index nor attributes of the frame.",
        "one of these",
    )


CHECKS: tuple[Callable[[WriterTrial], None], ...] = (
    check_one_file_is_written,
    check_an_older_file_is_replaced,
    check_frame_is_left_alone,
    check_cells_are_read_back,
    check_nothing_else_is_written,
)
