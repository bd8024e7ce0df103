"""What a source must be like before anything is made of it: how many rows, how old.

A source that was cut off, or is last month's, would be anonymized as well as any other;
nobody but the operator can know that it is the wrong one.
"""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from anon_transformers.exceptions import DataError
from anon_transformers.release._durations import (
    Duration,
    Share,
    duration_in_words,
    share_in_words,
)
from anon_transformers.release._strict import Strict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class ExpectedRows(Strict):
    """How many rows the source may have.

    Attributes
    ----------
    min, max : int or None
        The fewest and the most.
    change : share or None
        By how much, up or down, their number may differ from that of the published run
        before: ``20 %``, or 0.2. Of the first run nothing is asked.
    """

    min: int | None = Field(default=None, ge=1, strict=True)
    max: int | None = Field(default=None, ge=1, strict=True)
    change: Share | None = None

    @model_validator(mode="after")
    def _in_order(self) -> "ExpectedRows":
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError(f"min is {self.min}, above the max of {self.max}.")
        return self


class ExpectedSource(Strict):
    """What the source must be like; otherwise the run ends before it has begun.

    Attributes
    ----------
    rows : ExpectedRows or None
        How many rows it may have: ``{min: 1000, change: 20 %}``.
    max_age : duration or None
        How long ago its newest file may have been written: ``35d``, ``36h``, ``PT36H``.
    """

    rows: ExpectedRows | None = None
    max_age: Duration | None = None

    def refuse_old(self, files: "Sequence[Path]") -> None:
        """Refuse a source none of whose files was written lately."""
        if self.max_age is None:
            return
        if not files:
            raise DataError(
                "expect.max_age: the source is no file, and nobody can tell its age."
            )
        written = max(file.stat().st_mtime for file in files)
        age = datetime.now(UTC) - datetime.fromtimestamp(written, UTC)
        if age > self.max_age:
            whole = timedelta(minutes=max(1, age // timedelta(minutes=1)))
            shown = timedelta(days=age.days) if age.days else whole
            raise DataError(
                f"expect.max_age: the source was written {duration_in_words(shown)} "
                f"ago, and may be {duration_in_words(self.max_age)} old. "
                f"{_next_step('max_age', 'whether the delivery is late')}"
            )

    def refuse_other_size(self, n_rows: int, before: int | None) -> None:
        """Refuse too few rows, too many, or a number far from that of the run before.

        Parameters
        ----------
        n_rows : int
            Rows of the source.
        before : int or None
            Those of the published run before; None if there was none.
        """
        rows = self.rows or ExpectedRows()
        if rows.min is not None and n_rows < rows.min:
            raise DataError(
                f"expect.rows.min: the source has {n_rows:,} rows, and at least "
                f"{rows.min:,} are expected. "
                f"{_next_step('rows.min', 'whether it was cut off', 'lower')}"
            )
        if rows.max is not None and n_rows > rows.max:
            raise DataError(
                f"expect.rows.max: the source has {n_rows:,} rows, and at most "
                f"{rows.max:,} are expected. "
                f"{_next_step('rows.max', 'whether rows occur twice')}"
            )
        if rows.change is None or before is None:
            return
        change = abs(n_rows - before) / before
        if change > rows.change:
            way = "fewer" if n_rows < before else "more"
            cause = "it was cut off" if n_rows < before else "rows occur twice"
            raise DataError(
                f"expect.rows.change: the source has {n_rows:,} rows, "
                f"{share_in_words(change, 3)} {way} than the {before:,} of the "
                f"published run before; at most {share_in_words(rows.change)} may come "
                f"or go. {_next_step('rows.change', f'whether {cause}')} Once it is "
                "published, this run is what the next one is compared with."
            )


def _next_step(key: str, question: str, change: str = "raise") -> str:
    """What whoever runs the release does next."""
    return (
        f"No run was begun. See {question}, and run again with the right "
        f"source. If it is right as it is, {change} expect.{key}; to accept it once, "
        "put the old bound back after this run."
    )
