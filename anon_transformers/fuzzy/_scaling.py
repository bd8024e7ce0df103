"""Where the rows of a number or date column lie, as doubles that may be compared."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers._data.numbers import (
    count_from,
    counting_origin,
    ticks_per_day,
)
from anon_transformers.exceptions import DataError

Scale = Literal["range", "standard"] | None
SCALES = ("range", "standard", None)
FARTHEST = 1e100
"""Squares of larger numbers, and sums of them, may be no numbers any more."""
NEAREST_ENDS = float(np.finfo(np.float64).tiny)
"""Parts of a shorter range are no full doubles, and shares of it are not exact."""


@dataclass(frozen=True)
class ScaledAxis:
    """One coordinate of a row: its value, less ``start``, by ``width``.

    Attributes
    ----------
    origin : numpy integer or None
        Dates, and whole numbers that a double cannot hold, are counted from here.
    unit : float
        Dates: ticks per day.
    start, width : float
        What is subtracted, and what it is then divided by.
    dtype : numpy dtype
        Of the fitted values.
    """

    origin: Any
    unit: float
    start: float
    width: float
    dtype: np.dtype

    @classmethod
    def of(cls, column: Column, scale: Scale) -> "ScaledAxis":
        """Lay out a column by its known rows.

        Parameters
        ----------
        column : Column
            Numbers or dates, of which one at least is known.
        scale : {"range", "standard"} or None
            Bring the values to 0 to 1; to a mean of 0 and a variance of 1; or leave
            numbers as they are and count dates in days. A constant column is 0 in
            either scale.
        """
        values = column.values
        raw = cls(
            counting_origin(values), ticks_per_day(values), 0.0, 1.0, values.dtype
        )
        places = raw.place_values(values)
        if max(-places[0], places[-1]) >= FARTHEST:  # farther ones are put there
            raise DataError(
                f"column {column.name!r} holds numbers beyond {FARTHEST:g}, whose "
                "distances cannot be computed; divide the column by a number first."
            )
        if scale is None:
            return raw
        start, width = places[0], places[-1] - places[0]
        if len(values) == 1:
            width = 1.0
        elif width < NEAREST_ENDS:
            raise DataError(
                f"column {column.name!r} holds numbers that differ by less than "
                f"{NEAREST_ENDS:.1g}, or not as doubles, and cannot be told apart as "
                "shares of their range. Multiply the column by a number first."
            )
        elif scale == "standard":
            # In the order of values: no order of rows can show in a sum. As shares of
            # the range, so that no square is too small for a number.
            rows = np.bincount(column.codes, minlength=column.cardinality)
            shares = np.repeat((places - start) / width, rows[:-1])
            start, width = start + width * shares.mean(), width * shares.std()
        return cls(raw.origin, raw.unit, float(start), float(width), raw.dtype)

    def place(self, column: Column) -> np.ndarray:
        """Coordinate of each row; any number where its value is missing."""
        return self.place_values(row_values(column))

    def place_values(self, values: np.ndarray) -> np.ndarray:
        """Coordinate of each number or date."""
        if self.dtype.kind == "M":
            values = values.astype(self.dtype)
        counted = count_from(self.origin, values) / self.unit
        with np.errstate(over="ignore"):  # other rows may lie anywhere
            placed = (counted - self.start) / self.width
        return np.clip(placed, -FARTHEST, FARTHEST)

    def back(self, coordinates: np.ndarray) -> np.ndarray:
        """Numbers or dates at some coordinates; whole ones are rounded down.

        Numbers come back as doubles, unless a double cannot hold them.
        """
        counted = (coordinates * self.width + self.start) * self.unit
        if self.origin is None:
            return counted
        # Unsigned, a sum is right even where the signed one overflows.
        largest = np.iinfo(np.int64 if self.dtype.kind == "M" else self.dtype).max
        room = int(largest) - int(self.origin)
        inside = counted < float(room)
        steps = np.where(inside, np.maximum(counted, 0.0), 0.0).astype(np.uint64)
        steps = np.where(inside, steps, np.uint64(room))
        total = self.origin.astype(np.uint64) + steps
        if self.dtype.kind == "M":
            return total.astype(np.int64).astype(self.dtype)
        return total.astype(self.dtype)


def row_values(column: Column) -> np.ndarray:
    """Number or date of each row; any of them where it is missing."""
    if column.given is not None:
        return column.given
    return column.values.take(column.codes, mode="clip")
