"""Where a column may be cut, and between which ends its boxes lie."""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, to_text, without_rows
from anon_transformers._data.dates import in_utc, in_zone, local_midnight
from anon_transformers._data.numbers import comparable
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.parameters import is_number

LARGEST_HALF = 2**51
"""Below this a float holds every half of a whole number."""


def cut_points(values: np.ndarray, zone: tzinfo | None = None) -> np.ndarray:
    """For each value but the last, a bound between it and the next one.

    A bound lies above its value and not above the next, about halfway. It is nobody's
    value, unless there is none between two neighbors: then it is the upper one.

    Parameters
    ----------
    values : ndarray
        Different numbers or dates, rising.
    zone : tzinfo, default=None
        Where dates are moments of UTC, the zone whose midnights are preferred.

    Examples
    --------
    >>> cut_points(np.array([20, 25, 40]))
    array([22.5, 32.5])
    """
    low, high = values[:-1], values[1:]
    if values.dtype.kind == "M":
        return _between_dates(low, high, zone)
    if values.dtype.kind == "f":
        return _between_floats(low.astype(np.float64), high.astype(np.float64))
    if not len(values) or max(-int(values[0]), int(values[-1])) < LARGEST_HALF:
        return low / 2 + high / 2
    # Rounded up, so that it lies above the lower one; unsigned, so that it fits.
    gap = high.astype(np.uint64) - low.astype(np.uint64)
    return (low.astype(np.uint64) + (gap - gap // 2)).astype(values.dtype)


def place_between(points: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Position of each number or date among the values that ``points`` part."""
    points, given = comparable(points, given)
    return np.searchsorted(points, given, side="right").astype(np.int32)


def _between_dates(
    low: np.ndarray, high: np.ndarray, zone: tzinfo | None
) -> np.ndarray:
    """Halfway, at midnight where a midnight is as good."""
    middle = low + (high - low) // 2
    midnight = local_midnight(middle, zone)
    return np.where(midnight > low, midnight, np.where(middle > low, middle, high))


def _between_floats(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Halfway, with 15 digits where that is between the two."""
    middle = low / 2 + high / 2
    short = np.array([float(f"{point:.15g}") for point in middle], dtype=np.float64)
    found = high
    for point in (middle, short):
        found = np.where((low < point) & (point < high), point, found)
    return found


UNITS = {"day": "D", "month": "M", "year": "Y"}
_DATE_STEP = re.compile(r"(?:([1-9][0-9]{0,5}) )?(day|month|year)s?\Z")
_NEXT_UNIT = {"day": "month", "month": "year"}
_FIRST_YEAR = 1970


class Grid(NamedTuple):
    """Values by the step they lie in.

    Attributes
    ----------
    cells : list of int
        Numbers of the steps that hold a value, rising.
    points : ndarray
        A bound between each of these and the next one, on a multiple of the step.
    """

    cells: list[int]
    points: np.ndarray


def check_steps(step: object) -> None:
    """Refuse what is no step, before a table is seen."""
    if step is None:
        return
    if not isinstance(step, Mapping):
        raise ParameterError(
            f"step must be a dict of column to step, got {type(step).__name__}."
        )
    for name, given in step.items():
        if is_number(given) and given > 0 and np.isfinite(float(given)):
            continue
        if not isinstance(given, str) or not _DATE_STEP.match(given):
            raise ParameterError(
                f"step, {name}: must be a number above 0, or for dates 'day', 'month', "
                f"'year' or several of them ('5 years'), got {given!r}."
            )


def doubled_step(step: object) -> float | str | None:
    """The next coarser step, whose multiples are multiples of this one, too.

    None of what is no step.

    Examples
    --------
    >>> doubled_step(5), doubled_step("month"), doubled_step("5 years")
    (10, 'year', '10 years')
    """
    if is_number(step):
        return 2 * step
    found = _DATE_STEP.match(step) if isinstance(step, str) else None
    if found is None:
        return None
    count, unit = found[1], found[2]
    if count is None and unit in _NEXT_UNIT:
        return _NEXT_UNIT[unit]
    return f"{2 * int(count or 1)} {unit}s"


def check_domains(domain: object) -> None:
    """Refuse what is no domain, before a table is seen."""
    if domain is None:
        return
    if not isinstance(domain, Mapping):
        raise ParameterError(
            f"domain must be a dict of column to list, got {type(domain).__name__}."
        )
    for name, given in domain.items():
        if not isinstance(given, list | tuple) or not given:
            raise ParameterError(
                f"domain, {name}: must be [low, high] of a number or date, or the list "
                "of all categories in their order."
            )


def lay_grid(column: Column, step: object) -> Grid:
    """Which multiples of a step lie between the values of a number or date column."""
    if column.kind == "date":
        return _date_grid(column, step)
    if isinstance(step, str):
        raise ParameterError(
            f"step, {column.name}: the column holds numbers, and {step!r} is a step of "
            "dates; state a number."
        )
    width = Fraction(Decimal(str(step)))
    values = column.values
    whole = values.dtype.kind in "iu" and width.denominator == 1
    if whole:
        cells = sorted({value // width.numerator for value in values.tolist()})
    else:
        # By the digits that are written: 0.3 is a multiple of 0.1, and no double is.
        cells = sorted(
            {int(Fraction(Decimal(repr(value))) // width) for value in values.tolist()}
        )
    bounds = [bound * width for bound in between(cells)]
    if whole:
        return Grid(cells, np.array([int(b) for b in bounds], dtype=values.dtype))
    return Grid(cells, np.array([float(b) for b in bounds], dtype=np.float64))


def between(cells: Sequence[int]) -> list[int]:
    """For each number but the last, a bound above it and not above the next one.

    Of all that would do, the one that the largest power of two divides: it hangs on the
    gap as a whole, while the one halfway would tell both its ends.

    Examples
    --------
    >>> between([2, 3, 9, 23])
    [3, 8, 16]
    """
    return [_roundest(low, high) for low, high in pairwise(cells)]


def _roundest(low: int, high: int) -> int:
    found = high
    while found and found & (found - 1) > low:
        found &= found - 1  # without its lowest bit
    return found


def _date_grid(column: Column, step: object) -> Grid:
    count, unit = _date_step(column, step)
    wall = in_zone(column.values, column.zone).dt.tz_localize(None).to_numpy()
    # Counted from the year 0 on, so that ten years begin in 1980 and 1990.
    first = {"D": 0, "M": 12 * _FIRST_YEAR, "Y": _FIRST_YEAR}[unit]
    numbers = wall.astype(f"M8[{unit}]").astype(np.int64) + first
    cells = sorted(set((numbers // count).tolist()))
    starts = np.array(between(cells), dtype=np.int64) * count - first
    days = pd.Series(starts.astype(f"M8[{unit}]").astype("M8[s]"))
    return Grid(cells, as_moments(days, column))


def _date_step(column: Column, step: object) -> tuple[int, str]:
    found = _DATE_STEP.match(step) if isinstance(step, str) else None
    if found is not None:
        return int(found[1] or 1), UNITS[found[2]]
    if isinstance(step, Real) and float(step).is_integer():
        return int(float(step)), UNITS["day"]
    raise ParameterError(
        f"step, {column.name}: the column holds dates; state whole days, 'month', "
        f"'year' or several of them ('5 years'), got {step!r}."
    )


def as_moments(days: pd.Series, column: Column) -> np.ndarray:
    """Clock times of a column's zone as its values are held."""
    if column.zone is not None:
        days = days.dt.tz_localize(
            column.zone, nonexistent="shift_forward", ambiguous=np.ones(len(days), bool)
        )
    return in_utc(days).to_numpy().astype(column.values.dtype)


def domain_ends(column: Column, given: Sequence[Any]) -> tuple[Any, Any]:
    """Lowest and highest value that a number or date column may have.

    Raises
    ------
    DataError
        If rows lie outside, with their number.
    """
    message = f"domain, {column.name}: must be [low, high] of a {column.kind} column"
    try:
        if column.kind == "date":
            low, high = as_moments(pd.to_datetime(pd.Series(list(given))), column)
        else:
            low, high = (_number(end) for end in given)
    except (TypeError, ValueError):
        raise ParameterError(f"{message}, got {list(given)!r}.") from None
    if not low <= high:
        raise ParameterError(f"{message}, and low is not above high.")
    outside = (column.values < low) | (column.values > high)
    refuse_outside(column.name, int(np.append(outside, False)[column.codes].sum()))
    return low, high


def _number(end: Any) -> Any:
    if not is_number(end) or not np.isfinite(float(end)):
        raise TypeError
    return int(end) if isinstance(end, Integral) else np.float64(end)


def in_declared_list(column: Column, given: Sequence[Any]) -> Column:
    """A column of categories, coded by the declared list instead of what occurs.

    Raises
    ------
    DataError
        If rows hold something else, with their number.
    """
    texts = to_text(pd.Series(list(given), dtype=object))
    if texts.isna().any() or texts.duplicated().any():
        raise ParameterError(
            f"domain, {column.name}: categories must be different texts."
        )
    declared = texts.to_numpy(dtype=object)
    places = pd.Index(declared).get_indexer(pd.Index(column.values, dtype=object))
    unknown = np.append(places < 0, False)[column.codes]
    refuse_outside(column.name, int(unknown.sum()))
    codes = np.append(places, len(declared))[column.codes].astype(np.int32)
    return Column(column.name, column.kind, declared, codes)


def refuse_outside(name: Hashable, count: int) -> None:
    """Refuse rows that the declared domain does not have."""
    if count:
        raise DataError(
            f"column {name!r} holds values outside its domain in {count} rows."
        )


@dataclass(frozen=True)
class CutAxis:
    """A column as the cuts see it.

    No cut goes through a cell: what a step or a gap holds is one value to the search,
    so that a cut that it finds, and every promise that it judges, is one of cells.

    Attributes
    ----------
    column : Column
        Its values, and nobody's row.
    cells : int32 ndarray
        Cell of each code; the last one is that of a missing value.
    positions : float64 ndarray
        Where each cell lies.
    points : ndarray or None
        Bounds between neighboring cells: numbers, dates, or places in a declared list
        of categories. None: every value is a cell and has a name of its own.
    ends : pair or None
        Ends of the declared domain of numbers or dates.
    snapped : bool
        Whether bounds are multiples of a step.
    """

    column: Column
    cells: np.ndarray
    positions: np.ndarray
    points: np.ndarray | None = None
    ends: tuple[Any, Any] | None = None
    snapped: bool = False

    @property
    def n_cells(self) -> int:
        """How many cells there are; the next number stands for a missing value."""
        return len(self.positions)

    @property
    def is_declared(self) -> bool:
        """Whether its boxes are parts of a declared list of categories."""
        return self.points is not None and self.column.kind in {"category", "ordinal"}

    @property
    def unknown_cell(self) -> int | None:
        """Cell of what a hierarchy does not know; None where it has none."""
        hierarchy = self.column.hierarchy
        return None if hierarchy is None else hierarchy.unknown_leaf

    def joins(self) -> np.ndarray:
        """For each cell the level at which it meets the next one; 0 without levels."""
        if self.column.hierarchy is not None:
            return self.column.joins()
        return np.zeros(self.n_cells, dtype=np.int32)

    def place(self, other: Column) -> np.ndarray:
        """Cell of each row of a column coded like this one; -1 where there is none."""
        cells = np.append(self.cells, np.int32(-1))[other.codes]
        if self.points is None or other.given is None:
            return cells
        found = place_between(self.points, other.given)
        if self.ends is not None:
            low, high = self.ends
            found[(other.given < low) | (other.given > high)] = -1
        return np.where(other.codes == other.missing_code, self.n_cells, found)

    def place_nearest(self, other: Column) -> np.ndarray:
        """Cell of each row, or the nearest one where it lies beyond all of them.

        A category that was not fitted counts as the first of them. -1 where a declared
        list, an order or a hierarchy does not know the value.
        """
        cells = self.place(other)
        if not self.n_cells:
            return cells
        if self.column.kind in {"number", "date"}:
            nearest: Any = self.n_cells - 1  # only what lies above all has no cell
            if self.points is not None and other.given is not None:
                nearest = place_between(self.points, other.given)
        elif self.column.kind == "category" and self.points is None:
            nearest = 0
        else:
            return cells
        return np.where(cells < 0, nearest, cells).astype(np.int32)


def plain_axis(column: Column) -> CutAxis:
    """Every value is a cell of its own."""
    cells = np.arange(column.cardinality, dtype=np.int32)
    return CutAxis(without_rows(column), cells, column.positions())


def cut_axis(
    column: Column, steps: Mapping[Any, Any] | None, domains: Mapping[Any, Any] | None
) -> CutAxis:
    """Cells of a column whose boxes are published as the cuts draw them.

    Raises
    ------
    ParameterError
        If steps are stated, and this column has neither one nor a domain nor a
        hierarchy.
    """
    step, domain = ((part or {}).get(column.name) for part in (steps, domains))
    if column.kind not in {"number", "date"}:
        return _axis_of_names(column, step, domain, needed=steps is not None)
    if step is None and steps is not None:
        raise ParameterError(f"step: {lacking_step(column.name, column.kind)}")
    ends = None if domain is None else domain_ends(column, domain)
    if step is None:
        plain = plain_axis(column)
        points = cut_points(column.values, column.zone)
        return CutAxis(plain.column, plain.cells, plain.positions, points, ends)
    grid = lay_grid(column, step)
    places = np.array([float(cell - grid.cells[0]) for cell in grid.cells])
    cells = np.append(place_between(grid.points, column.values), len(places))
    return CutAxis(
        without_rows(column),
        cells.astype(np.int32),
        places,
        grid.points,
        ends,
        snapped=True,
    )


def _axis_of_names(column: Column, step: Any, domain: Any, *, needed: bool) -> CutAxis:
    """Cells of categories: each value that occurs, or parts of a declared list."""
    if step is not None:
        raise ParameterError(
            f"step, {column.name}: only numbers and dates have a step; list the "
            "categories in domain."
        )
    if column.hierarchy is not None or domain is None:
        if needed and column.hierarchy is None:
            raise ParameterError(f"domain: {lacking_step(column.name, column.kind)}")
        return plain_axis(column)
    seen = np.unique(column.codes[column.codes < column.missing_code]).tolist()
    points = np.array(between(seen), dtype=np.int64)
    places = np.array(seen, dtype=np.float64)
    cells = np.full(column.cardinality, -1, dtype=np.int32)
    if seen:
        cells[:-1] = place_between(points, np.arange(len(column.values)))
    cells[-1] = len(places)
    return CutAxis(without_rows(column), cells, places, points)


def lacking_step(name: Any, kind: str | None = None) -> str:
    """Say what a column lacks whose boxes are to show no person's value."""
    ways = {
        "number": f"step: {{{name}: 5}} for cuts at multiples of 5",
        "date": f"step: {{{name}: month}} for cuts at the first of a month",
        "category": f"domain: {{{name}: [a, b, c]}} with every category in its order",
    }
    fitting = ways.get("category" if kind == "ordinal" else str(kind))
    choices = fitting or ", or ".join(ways.values())
    return f"column {name!r} has none, and no hierarchy; write {choices}."
