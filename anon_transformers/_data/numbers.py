"""Numbers, and dates as numbers, without a wrong digit, whatever type they came in."""

from collections.abc import Hashable
from datetime import tzinfo
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError

LARGEST_WHOLE = 2**53
"""Up to this a double holds every whole number."""


def read_numbers(series: pd.Series, name: Hashable) -> pd.Series:
    """Numbers that came as objects, in a type that holds every one of them exactly.

    A double holds a decimal number if it is written with the same digits.
    """
    codes, distinct = pd.factorize(series.astype(object))
    if all(isinstance(value, Integral) for value in distinct):
        whole = [int(value) for value in distinct]
        for room in (np.iinfo(np.int64), np.iinfo(np.uint64)):
            if all(room.min <= value <= room.max for value in whole):
                cells = pd.array(np.array(whole, dtype=room.dtype))
                return pd.Series(cells.take(codes, allow_fill=True), series.index)
    lost = ~np.array([_is_held(value) for value in distinct], dtype=bool)
    if lost.any():
        raise DataError(
            f"column {name!r} holds numbers in {np.append(lost, False)[codes].sum()} "
            "rows that neither a 64-bit whole number nor a double holds exactly; "
            "round them, or give them as texts."
        )
    floats = np.array([*map(float, distinct), np.nan])
    return pd.Series(floats[codes], series.index)


def _is_held(number: Any) -> bool:
    if isinstance(number, Integral):
        return abs(int(number)) <= LARGEST_WHOLE
    near = float(number)
    return (Decimal(repr(near)) if isinstance(number, Decimal) else near) == number


def as_doubles(floats: np.ndarray) -> np.ndarray:
    """Floats as the doubles that are written with the same digits.

    Examples
    --------
    >>> as_doubles(np.array([0.1], dtype=np.float32))
    array([0.1])
    """
    if floats.dtype.itemsize >= np.dtype(np.float64).itemsize:
        return floats.astype(np.float64, copy=False)
    return floats.astype(np.str_).astype(np.float64)


def is_whole(floats: np.ndarray) -> np.ndarray:
    """Whether each float is a whole number that no other is rounded to."""
    with np.errstate(invalid="ignore"):
        return (np.abs(floats) < LARGEST_WHOLE) & (floats == np.trunc(floats))


def comparable(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both as they are; as Python numbers where numpy would round to compare them."""
    kinds = {one.dtype.kind, other.dtype.kind}
    if len(kinds) == 1 or not kinds <= set("iuf"):
        return one, other
    wide = any(
        part.dtype.kind in "iu" and len(part) and _largest(part) > LARGEST_WHOLE
        for part in (one, other)
    )
    return (one.astype(object), other.astype(object)) if wide else (one, other)


def _largest(whole: np.ndarray) -> int:
    return max(-int(whole.min()), int(whole.max()))


def counting_origin(values: np.ndarray) -> Any:
    """Where to count rising values from so that a double holds them; None: from 0.

    Dates are counted from the first, and so are whole numbers beyond 2**53.
    """
    if values.dtype.kind == "M":
        return values[0].astype(np.int64)
    wide = values.dtype.kind in "iu" and (
        max(-int(values[0]), int(values[-1])) > LARGEST_WHOLE
    )
    return values[0] if wide else None


def ticks_per_day(values: np.ndarray) -> float:
    """How many units of its type a day has; 1 for numbers."""
    if values.dtype.kind != "M":
        return 1.0
    unit, _ = np.datetime_data(values.dtype)
    day = np.timedelta64(1, "D").astype(f"m8[{unit}]").astype(np.int64)
    return float(day)


def count_from(origin: Any, values: np.ndarray) -> np.ndarray:
    """Numbers or dates as doubles, counted from ``origin``; None: from 0."""
    if values.dtype.kind == "M":
        values = values.astype(np.int64)
    if origin is None:
        return values.astype(np.float64)
    if values.dtype.kind not in "iu":
        # Python numbers beside such whole ones; they subtract without a wrong digit.
        return (values.astype(object) - int(origin)).astype(np.float64)
    below = values < origin
    # Unsigned, a difference is right even where the signed one overflows.
    these, first = values.astype(np.uint64), origin.astype(np.uint64)
    gap = np.where(below, first - these, these - first)
    return np.where(below, -1.0, 1.0) * gap


def point_text(point: Any, zone: tzinfo | None = None) -> str:
    """A number or date between values as it is published; reading it gives it back.

    Examples
    --------
    >>> point_text(np.float64(20)), point_text(np.float64(0.1) + np.float64(0.2))
    ('20', '0.30000000000000004')
    """
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
