"""Checks of what a full-domain search is asked."""

import math
from collections.abc import Hashable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from anon_transformers.exceptions import ParameterError


def check_number(name: str, value: Any) -> float:
    """Refuse what is no finite number."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not math.isfinite(value):
        raise ParameterError(f"{name} must be a finite number, got {value!r}.")
    return float(value)


def check_weights(weights: Mapping[Hashable, float] | None) -> None:
    """Refuse weights that are no shares of anything."""
    if weights is None:
        return
    if not isinstance(weights, Mapping):
        raise ParameterError(
            f"weights must map columns to numbers, got {type(weights).__name__}."
        )
    for name, weight in weights.items():
        if check_number(f"weights, {name}:", weight) < 0:
            raise ParameterError(f"weights, {name}: {weight!r} is below 0.")


def check_time_limit(seconds: float) -> None:
    """Refuse a time in which nothing can be done."""
    if check_number("time_limit", seconds) <= 0:
        raise ParameterError(f"time_limit must be above 0 seconds, got {seconds!r}.")


def check_level(name: Hashable, level: Any, highest: int) -> int:
    """Refuse a level that a hierarchy does not have."""
    whole = isinstance(level, int | np.integer) and not isinstance(level, bool)
    if not whole or not 0 <= level <= highest:
        raise ParameterError(
            f"levels, {name}: {level!r} is no level from 0 to {highest}."
        )
    return int(level)
