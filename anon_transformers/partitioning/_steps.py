"""Steps that cuts are snapped to, and domains that boxes end at.

A bound halfway between two persons' values tells of both. On a stated step, a cut can
lie nowhere but on a multiple of it, whatever values there are.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._moments import in_utc, in_zone
from anon_transformers._tables import Column, to_text
from anon_transformers.exceptions import DataError, ParameterError

UNITS = {"day": "D", "month": "M", "year": "Y"}
_DATE_STEP = re.compile(r"(?:([1-9][0-9]{0,5}) )?(day|month|year)s?\Z")
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
        number = isinstance(given, Real) and not isinstance(given, bool)
        if number and given > 0 and np.isfinite(float(given)):
            continue
        if not isinstance(given, str) or not _DATE_STEP.match(given):
            raise ParameterError(
                f"step, {name}: must be a number above 0, or for dates 'day', 'month', "
                f"'year' or several of them ('5 years'), got {given!r}."
            )


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
    told = f"domain, {column.name}: must be [low, high] of a {column.kind} column"
    try:
        if column.kind == "date":
            low, high = as_moments(pd.to_datetime(pd.Series(list(given))), column)
        else:
            low, high = (_number(end) for end in given)
    except (TypeError, ValueError):
        raise ParameterError(f"{told}, got {list(given)!r}.") from None
    if not low <= high:
        raise ParameterError(f"{told}, and low is not above high.")
    outside = (column.values < low) | (column.values > high)
    refuse_outside(column.name, int(np.append(outside, False)[column.codes].sum()))
    return low, high


def _number(end: Any) -> Any:
    if (
        isinstance(end, bool)
        or not isinstance(end, Real)
        or not np.isfinite(float(end))
    ):
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
