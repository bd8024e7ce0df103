"""Numbers without a wrong digit, whatever type they came in."""

from collections.abc import Hashable
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
