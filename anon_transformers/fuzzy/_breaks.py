"""Break points of one column, and the intervals between them."""

from decimal import Context, Decimal, localcontext

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers._data.dates import local_midnight
from anon_transformers.exceptions import DataError
from anon_transformers.fuzzy._naming import interval_names
from anon_transformers.fuzzy._rules import IntervalRule
from anon_transformers.fuzzy._scaling import ScaledAxis

OUTER_LIMITS = (
    "The intervals of a column end at the lowest and the highest value of the table: "
    "whoever knows who has it reads it; limits between them are computed from the "
    "values of persons too. Names (labels) do not show them."
)

DIGITS = Context(prec=60)
"""More than twice as many as a double has: what is rounded to one, is rounded once."""


def break_points(column: Column, n_sets: int, method: str) -> np.ndarray:
    """Limits of about ``n_sets`` intervals; those that fall together are one.

    Parameters
    ----------
    column : Column
        Numbers or dates without a missing one.
    n_sets : int
        How many intervals.
    method : {"equidistant", "log", "equal-amount"}
        Equal lengths; equal lengths of the logarithms; about equal numbers of rows.

    Returns
    -------
    ndarray
        Rising. Its ends are the lowest and the highest value, even if these are one.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers._data.columns import encode
    >>> ages = encode(pd.Series([1, 2, 3, 100]))
    >>> break_points(ages, 2, "equidistant")
    array([  1. ,  50.5, 100. ])
    >>> break_points(ages, 2, "log")
    array([  1.,  10., 100.])
    >>> break_points(ages, 2, "equal-amount")
    array([  1. ,   2.5, 100. ])
    """
    axis, values = ScaledAxis.of(column, None), column.values
    if method == "log":
        inner = _log_breaks(column, n_sets, whole=axis.origin is not None)
    else:
        places = axis.place_values(values)
        if method == "equidistant":
            # One rounding, so that a value that is a limit stays one.
            inner = places[0] + np.ptp(places) * np.arange(1, n_sets) / n_sets
        else:
            inner = _quantiles(np.sort(places[column.codes]), n_sets)
        inner = axis.back(inner)
    inner = _without_noise(column, inner)
    return _with_ends(column, _midnights(column, inner))


def break_between(
    column: Column, coordinates: np.ndarray, axis: ScaledAxis
) -> np.ndarray:
    """Limits between neighboring values that lie on either side of coordinates.

    A limit is as short a number as there is between the two, a midnight if there is
    one: any other would part the same rows, and say more of where the coordinate lies.

    Parameters
    ----------
    column : Column
        Numbers or dates.
    coordinates : float64 ndarray
        Rising; a value lies below the first one and above the last, but for rounding.
    axis : ScaledAxis
        Of the column.
    """
    below = np.searchsorted(axis.place_values(column.values), coordinates, "right") - 1
    # The mean of equal doubles may be a digit above them, and so above the last value.
    below = np.clip(below, 0, len(column.values) - 2)
    low, high = column.values[below], column.values[below + 1]
    # A limit at the lowest value of all would be the end of the table, and part nobody.
    first = below == 0
    found = axis.back(coordinates)
    if column.values.dtype.kind == "M":
        midnight = local_midnight(found, column.zone)
        found = np.where(
            np.where(first, midnight > low, midnight >= low), midnight, found
        )
    elif found.dtype.kind == "f":
        least = np.where(first, np.nextafter(low, high, dtype=np.float64), low)
        parts = zip(found, least, high, strict=True)
        found = np.array([_shortest(*part) for part in parts])
    inside = (low <= found) & (found < high)
    return _with_ends(column, np.where(inside, found, low))


def intervals(
    column: Column,
    breaks: np.ndarray,
    names: tuple[str, ...] | None,
    *,
    lowest: bool = True,
    endless: bool = False,
) -> IntervalRule:
    """The rule of break points; without ``names`` its sets are called by them."""
    if len(breaks) == 1:
        breaks = np.repeat(breaks, 2)
    if names is not None and len(names) != len(breaks) - 1:
        raise DataError(
            f"labels: {len(names)} sets are named for column {column.name!r}, whose "
            f"break points make {len(breaks) - 1}."
        )
    labels = names or interval_names(breaks, lowest=lowest, zone=column.zone)
    return IntervalRule(labels, breaks, lowest, endless)


def _quantiles(places: np.ndarray, n_sets: int) -> np.ndarray:
    """Quantiles of sorted numbers, linear between two of them.

    Their places are found in whole numbers: numpy's may be off by the last digit of a
    double, and put a value that is a quantile on the wrong side of it.
    """
    at, rest = np.divmod(np.arange(1, n_sets) * (len(places) - 1), n_sets)
    low, high = places[at], places[np.minimum(at + 1, len(places) - 1)]
    return low + (high - low) * rest / n_sets


def _log_breaks(column: Column, n_sets: int, *, whole: bool) -> np.ndarray:
    """Limits whose logarithms lie equally far apart.

    The power that is one of the values comes out as that value: as doubles, the limit
    between 1 and 100 is 9.999999999999998, and a 10 would lie above it.
    """
    if column.kind == "date":
        raise DataError(
            f"column {column.name!r} holds dates; method='log' needs numbers."
        )
    values = column.values.astype(np.float64)
    if values[0] <= 0:
        count = int((values[column.codes] <= 0).sum())
        raise DataError(
            f"column {column.name!r} holds numbers in {count} rows that are not above "
            "0; method='log' takes positive ones only."
        )
    ends = column.values[[0, -1]].tolist()
    with localcontext(DIGITS):
        first, last = (Decimal(end).ln() for end in ends)
        steps = [(last - first) * part / n_sets for part in range(1, n_sets)]
        points = [(first + step).exp() for step in steps]
    # Room for what the logarithms were rounded by: 1000 less that is no 999.
    points = [Context(prec=40).plus(point) for point in points]
    if whole:
        return np.array([int(point) for point in points], dtype=column.values.dtype)
    return np.array([float(point) for point in points])


def _without_noise(column: Column, points: np.ndarray) -> np.ndarray:
    """Doubles rounded to 15 digits, where that parts the same rows.

    The digits after these come from computing: 0.30000000000000004 for 0.3.
    """
    if points.dtype.kind != "f":
        return points
    rounded = np.array([float(f"{point:.15g}") for point in points])
    values = column.values.astype(np.float64)
    same = np.searchsorted(values, rounded, "right") == np.searchsorted(
        values, points, "right"
    )
    return np.where(same, rounded, points)


def _with_ends(column: Column, inner: np.ndarray) -> np.ndarray:
    low, high = column.values[0], column.values[-1]
    inside = inner[(inner > low) & (inner < high)]
    # Doubles, unless the column holds what they cannot.
    ends = np.array([low, high], dtype=inner.dtype)
    return np.unique(np.concatenate((ends[:1], inside, ends[1:])))


def _midnights(column: Column, moments: np.ndarray) -> np.ndarray:
    """Days where all values are days: for these it is the same limit."""
    if column.values.dtype.kind != "M" or not len(moments):
        return moments
    days = local_midnight(column.values, column.zone)
    if (days != column.values).any():
        return moments
    return local_midnight(moments, column.zone)


def _shortest(point: float, low: float, high: float) -> float:
    """The shortest number from ``low`` to below ``high`` that rounds the point."""
    rounded = (float(f"{point:.{digits}g}") for digits in range(1, 18))
    return next((number for number in rounded if low <= number < high), point)
