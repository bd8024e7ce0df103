"""Where rows lie: coordinates whose distances mean what the columns mean.

A number or date is one coordinate, an ordinal value its rank. Of categories each has a
coordinate of its own, so that any two are 1 apart, squared. In a hierarchy the groups
of all levels have one: two leaves are apart by the share of the height at which they
meet. A missing value has a place of its own.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column
from anon_transformers._data.numbers import (
    count_from,
    counting_origin,
    ticks_per_day,
)
from anon_transformers.exceptions import (
    DataError,
    NearlyNumbersWarning,
    level_of_caller,
)

MOST_COORDINATES = 1000
"""Of one column: each is a number that every row must hold."""
NEARLY_ALL = 0.9
"""Share of cells that are numbers from which a column of texts seems a slip."""
WIDEST_EXPONENT = 400
"""Squares of numbers beyond two to this power may be no numbers any more."""


@dataclass(frozen=True)
class Line:
    """Where numbers or dates lie on their coordinate.

    Attributes
    ----------
    origin : numpy integer or None
        Whole numbers that a double cannot hold, and dates, are counted from here.
    unit : float
        Dates: ticks per day.
    exponent : int
        A power of two that everything is divided by, so that no square overflows.
    center, scale : float
        What is subtracted from a number, and what it is then divided by.
    """

    origin: Any
    unit: float
    exponent: int = 0
    center: float = 0.0
    scale: float = 1.0

    def place(self, values: np.ndarray) -> np.ndarray:
        """Coordinate of each number or date."""
        counted = count_from(self.origin, values) / self.unit
        return (np.ldexp(counted, -self.exponent) - self.center) / self.scale


@dataclass(frozen=True)
class EmbeddedAxis:
    """Coordinates of one column.

    Attributes
    ----------
    places : float64 ndarray of shape (cardinality + 1, n_coordinates)
        By code; the last but one is that of a missing value, the last that of a value
        that was not fitted, so that its code -1 finds it.
    line : Line or None
        Where numbers and dates lie that were not fitted.
    dtype : numpy dtype
        Of the fitted values.
    """

    places: np.ndarray
    line: Line | None
    dtype: np.dtype

    def place(self, column: Column) -> np.ndarray:
        """Coordinates of each row."""
        found = self.places[column.codes]
        if self.line is not None and column.given is not None:
            assert column.exact is not None
            new, given = ~column.exact, column.given
            if self.dtype.kind == "M":
                given = given.astype(self.dtype)
            found[new, 0] = self.line.place(given[new])
        return found


@dataclass(frozen=True)
class NumericSpace:
    """Coordinates of all columns.

    Attributes
    ----------
    axes : tuple of EmbeddedAxis
        One per column.

    Examples
    --------
    >>> from anon_transformers.base import LinkedTable
    >>> table = LinkedTable(pd.DataFrame({"age": [20, 40], "land": ["AT", "NO"]}))
    >>> columns = [table.column("age"), table.column("land")]
    >>> space = NumericSpace.of(columns, standardize=False)
    >>> space.place(columns)
    array([[20. ,  0.5],
           [40. , -0.5]])
    """

    axes: tuple[EmbeddedAxis, ...]

    @classmethod
    def of(cls, columns: Sequence[Column], *, standardize: bool) -> "NumericSpace":
        """Lay out columns by their rows.

        Parameters
        ----------
        columns : sequence of Column
            Coded rows.
        standardize : bool
            Give each column a variance of 1 in all its coordinates together; one that
            is constant stays as it is. Otherwise numbers keep their scale, dates count
            days, ranks 1, and categories are 1 apart.
        """
        common = 0 if standardize else _common_exponent(columns)
        axes = tuple(_axis(column, common, standardize) for column in columns)
        for column in columns:
            warn_of_nearly_numbers(column)
        return cls(axes)

    def place(self, columns: Sequence[Column]) -> np.ndarray:
        """Coordinates of rows, coded as the fitted ones were.

        Parameters
        ----------
        columns : sequence of Column
            Those that the space was made of, with the same or with other rows.

        Returns
        -------
        float64 ndarray of shape (n_rows, n_coordinates)
        """
        placed = [
            axis.place(column) for axis, column in zip(self.axes, columns, strict=True)
        ]
        return np.ascontiguousarray(np.concatenate(placed, axis=1))


def embed(columns: Sequence[Column], *, standardize: bool = True) -> np.ndarray:
    """Coordinates of the rows of coded columns.

    Parameters
    ----------
    columns : sequence of Column
        Coded rows.
    standardize : bool, default=True
        Whether each column gets a variance of 1; see :meth:`NumericSpace.of`.

    Returns
    -------
    float64 ndarray of shape (n_rows, n_coordinates)

    Examples
    --------
    >>> from anon_transformers.base import LinkedTable
    >>> table = LinkedTable(pd.DataFrame({"age": [1, 3], "land": ["AT", "NO"]}))
    >>> embed([table.column("age"), table.column("land")])
    array([[-1.,  1.],
           [ 1., -1.]])
    """
    return NumericSpace.of(columns, standardize=standardize).place(columns)


def warn_of_nearly_numbers(column: Column) -> None:
    """Warn where a few texts make categories of what would be numbers."""
    odd = _odd_cells(column)
    if odd is not None:
        warnings.warn(
            f"column {column.name!r} is taken for texts, and any two of its values for "
            f"equally far: {odd}. Make those missing, or numbers.",
            NearlyNumbersWarning,
            stacklevel=level_of_caller(),
        )


def _odd_cells(column: Column) -> str | None:
    """How many cells are no numbers where nearly all are; None for other columns."""
    if column.kind != "category":
        return None
    rows = np.bincount(column.codes[column.codes >= 0], minlength=column.cardinality)[
        : len(column.values)
    ]
    read = pd.to_numeric(pd.Series(column.values, dtype=object), errors="coerce")
    odd, known = int(rows[~np.isfinite(read.to_numpy(float))].sum()), int(rows.sum())
    if not 0 < odd <= (1 - NEARLY_ALL) * known:
        return None
    return f"{odd} of {known} cells are no numbers"


def _axis(column: Column, exponent: int, standardize: bool) -> EmbeddedAxis:
    coded = column.codes[column.codes >= 0]
    rows = np.bincount(coded, minlength=column.cardinality)
    if column.kind in {"category", "hierarchy"}:
        places = np.ldexp(_hierarchy_places(column, rows), -exponent)
        if standardize:
            places = places / _spread(places[:-1], rows)
        return EmbeddedAxis(places, None, column.values.dtype)
    line = _line(column)
    if standardize:
        exponent = _exponent_of(line.place(_values(column)))
    return _line_axis(column, replace(line, exponent=exponent), rows, standardize)


def _line_axis(
    column: Column, line: Line, rows: np.ndarray, standardize: bool
) -> EmbeddedAxis:
    """One coordinate; a second one sets missing values a standard deviation apart."""
    raw = line.place(_values(column))
    # In the order of values: no order of rows can show in a mean.
    cells = np.repeat(raw, rows[:-1])
    mean = cells.mean() if len(cells) else 0.0
    apart = cells.std() if np.count_nonzero(rows[:-1]) > 1 else 1.0
    gaps = rows[-1] > 0 and len(cells) > 0
    places = np.zeros((column.cardinality + 1, 1 + gaps))
    places[:-2, 0], places[-2:, 0] = raw, mean
    if gaps:
        places[-2, 1] = apart
    if standardize:
        scale = _spread(places[:-1], rows) if gaps else apart
        line = replace(line, center=float(mean), scale=float(scale))
        places[:, 0] -= mean
        places /= scale
    ordered = column.kind == "ordinal"
    return EmbeddedAxis(places, None if ordered else line, column.values.dtype)


def _hierarchy_places(column: Column, rows: np.ndarray) -> np.ndarray:
    """Coordinates by code: for each level those of the groups that rows are in.

    The groups of one level are equally far from each other, to the last digit. (A
    rotation into fewer coordinates would break ties by rounding, differently on
    different machines; for two groups one coordinate does it without.)
    """
    held = np.flatnonzero(rows)
    levels = _levels(column)
    parts: list[np.ndarray] = []
    for groups in levels:
        shown = np.unique(groups[held])
        _refuse_too_wide(column, sum(part.shape[1] for part in parts) + len(shown))
        of_groups = (groups[:, None] == shown).astype(np.float64)
        if len(shown) == 2:  # noqa: PLR2004 - a pair lies on a line
            parts.append(
                (of_groups[:, :1] - of_groups[:, 1:]) / np.sqrt(len(levels)) / 2
            )
        elif len(shown) > 1:
            parts.append(of_groups / np.sqrt(2 * len(levels)))
    flat = [np.zeros((column.cardinality, 1))]
    places = np.concatenate(parts or flat, axis=1)
    # What was not fitted is in no group: a constant away, which decides nothing.
    return np.vstack((places, np.zeros(places.shape[1])))


def _levels(column: Column) -> list[np.ndarray]:
    """For each level below the root the group of every code; a missing one is apart."""
    hierarchy = column.hierarchy
    if hierarchy is None:
        return [np.arange(column.cardinality)]
    below = range(max(hierarchy.n_levels - 1, 1))
    return [np.append(hierarchy.level(at).codes, -1) for at in below]


def _refuse_too_wide(column: Column, n_coordinates: int) -> None:
    if n_coordinates > MOST_COORDINATES:
        odd = _odd_cells(column)
        slip = "" if odd is None else f" ({odd})"
        raise DataError(
            f"column {column.name!r} has too many categories: each needs a coordinate "
            f"of its own, and there may be {MOST_COORDINATES}. Leave the column out, "
            f"generalize it first, or give it as numbers{slip} or as an ordered "
            "category."
        )


def _spread(places: np.ndarray, rows: np.ndarray) -> float:
    """Standard deviation in all coordinates together; 1 where nothing varies."""
    if np.count_nonzero(rows) <= 1:
        return 1.0
    shares = rows / rows.sum()
    away = places - shares @ places
    return float(np.sqrt(shares @ (away * away).sum(axis=1)))


def _values(column: Column) -> np.ndarray:
    """What lies on the line: numbers, dates, or ranks."""
    if column.kind == "ordinal":
        return np.arange(len(column.values))
    return column.values


def _line(column: Column) -> Line:
    """Where counting begins, and its unit."""
    values = _values(column)
    if not len(values):
        return Line(None, 1.0)
    return Line(counting_origin(values), ticks_per_day(values))


def _common_exponent(columns: Sequence[Column]) -> int:
    """A power of two that brings all columns into reach; 0 where they are."""
    exponents = [
        0
        if column.kind in {"category", "hierarchy"}
        else _exponent_of(_line(column).place(_values(column)))
        for column in columns
    ]
    largest = max(exponents, default=0)
    return largest if abs(largest) > WIDEST_EXPONENT else 0


def _exponent_of(places: np.ndarray) -> int:
    """Power of two just above the largest number."""
    return int(np.frexp(np.abs(places).max(initial=0.0))[1])
