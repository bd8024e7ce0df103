"""A few rows of a protected table beside those of its source.

Both lie in Parquet files, of which only the parts with these rows are read: a table of
a million rows is shown as soon as one of a hundred.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anon_transformers.studio._project import Result
from anon_transformers.studio._protected import ROW, files_of

if TYPE_CHECKING:
    import pandas as pd

PAGE = 20
"""Rows that are shown at once."""


@dataclass(frozen=True)
class ShownCell:
    """What a cell shows, and whether it was changed."""

    text: str
    changed: bool = False


@dataclass(frozen=True)
class Excerpt:
    """Rows before and after.

    Attributes
    ----------
    start, total : int
        The first row that is shown, from 0 on, and how many there are.
    numbers : list of int
        Row numbers as people count, from 1 on.
    columns_before, columns_after : list of str
        Names of the columns.
    before : list of list of ShownCell
        The rows of the source.
    after : list of list of ShownCell or None
        The same rows as they are published; None for one that is left out.
    """

    start: int
    total: int
    numbers: list[int]
    columns_before: list[str]
    columns_after: list[str]
    before: list[list[ShownCell]]
    after: list[list[ShownCell] | None]

    @property
    def end(self) -> int:
        """The row after the last one that is shown."""
        return self.start + len(self.numbers)


def excerpt(
    result: Result,
    start: int = 0,
    *,
    count: int = PAGE,
    first: Sequence[str] = (),
    name: str = "",
) -> Excerpt:
    """Read some rows of what a job kept.

    Parameters
    ----------
    result : Result
        Of a job that kept a table.
    start : int, default=0
        The first row of the source; the nearest page if there is no such row.
    count : int
        How many.
    first : sequence of str
        Columns that stand before the others.
    name : str
        Which published table, if the job made several.
    """
    source, changed = files_of(result, name)
    before, total = _source_rows(source, start, count)
    start = int(before.index[0]) if len(before) else 0
    after = _published_rows(changed, start, count)
    there, published_there = map(str, before.columns), list(map(str, after.columns))
    left = sorted(there, key=lambda c: first.index(c) if c in first else len(first))
    right = [c for c in left if c in published_there]
    right += [c for c in published_there if c not in left]
    texts, published = _texts(before[left]), _texts(after[right])
    rows = [int(row) for row in before.index]
    return Excerpt(
        start,
        total,
        [row + 1 for row in rows],
        left,
        right,
        [[ShownCell(texts[c][row]) for c in left] for row in rows],
        [
            [ShownCell(published[c][row], published[c][row] != texts[c][row])
             if c in texts else ShownCell(published[c][row]) for c in right]
            if row in after.index else None
            for row in rows
        ],
    )  # fmt: skip


def _source_rows(file: Path, start: int, count: int) -> "tuple[pd.DataFrame, int]":
    """Rows from ``start`` on, under their numbers, and how many there are at all."""
    from pyarrow import parquet

    with parquet.ParquetFile(file) as opened:
        total = opened.metadata.num_rows
        start = max(0, min(start, (total - 1) // count * count))
        groups, skipped, passed = [], 0, 0
        for number in range(opened.metadata.num_row_groups):
            rows = opened.metadata.row_group(number).num_rows
            if passed + rows <= start:
                skipped = passed + rows
            elif passed < start + count:
                groups.append(number)
            passed += rows
        table = opened.read_row_groups(groups).slice(start - skipped, count)
    frame = table.to_pandas()
    frame.index = range(start, start + len(frame))
    return frame, total


def _published_rows(file: Path, start: int, count: int) -> "pd.DataFrame":
    import pandas as pd

    wanted = [(ROW, ">=", start), (ROW, "<", start + count)]
    return pd.read_parquet(file, filters=wanted).set_index(ROW)


def _texts(frame: "pd.DataFrame") -> dict[str, dict[int, str]]:
    """Cells as they are published; a cell's identity is its text."""
    from anon_transformers._data.columns import single_texts

    return {
        str(name): {
            int(row): text if isinstance(text, str) else ""
            for row, text in zip(frame.index, single_texts(frame[name]), strict=True)
        }
        for name in frame
    }
