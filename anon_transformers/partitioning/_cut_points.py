"""Bounds between neighbouring values, for boxes as their cuts draw them."""

from datetime import tzinfo

import numpy as np
import pandas as pd

from anon_transformers._exact import comparable
from anon_transformers._moments import local_midnight

LARGEST_HALF = 2**51
"""Below this a float holds every half of a whole number."""


def cut_points(values: np.ndarray, zone: tzinfo | None = None) -> np.ndarray:
    """For each value but the last, a bound between it and the next one.

    A bound lies above its value and not above the next, about halfway. It is nobody's
    value, unless there is none between two neighbours: then it is the upper one.

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


def point_text(point: np.generic, zone: tzinfo | None = None) -> str:
    """A bound as it is published; reading it gives the very same bound."""
    if isinstance(point, np.datetime64):
        moment = pd.Timestamp(point)
        if zone is not None:
            moment = moment.tz_localize("UTC").tz_convert(zone)
        clock = moment.tz_localize(None)
        return str(clock.date()) if clock == clock.normalize() else moment.isoformat()
    if not isinstance(point, np.floating):
        return str(point)
    short = f"{point:.15g}"
    return short if float(short) == point else repr(float(point))


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
