"""Parameters: plain numbers of the right kind, or an error that says so."""

import math
from numbers import Real
from typing import TypeGuard

import numpy as np

from anon_transformers.exceptions import ParameterError


def is_whole(given: object) -> TypeGuard[int]:
    """Whether something is a whole number; True and False are none."""
    return isinstance(given, int | np.integer) and not isinstance(given, bool)


def is_number(given: object) -> TypeGuard[float]:
    """Whether something is a number, also NaN; True and False are none."""
    return isinstance(given, Real) and not isinstance(given, bool)


def whole(key: str, given: object, least: int = 1) -> int:
    """A whole number as a plain one: a report is written as JSON."""
    if not is_whole(given) or int(given) < least:
        raise ParameterError(
            f"{key} must be a whole number of at least {least}, got {given!r}."
        )
    return int(given)


def real(
    key: str,
    given: object,
    low: float,
    high: float = math.inf,
    *,
    above: bool = False,
    below: bool = False,
) -> float:
    """A number from ``low`` to ``high``; ``above`` and ``below`` leave an end out."""
    number = float(given) if is_number(given) else math.nan
    inside = low < number if above else low <= number
    inside = inside and (number < high if below else number <= high)
    if not inside or math.isinf(number):
        start = f"above {low:g}" if above else f"of at least {low:g}"
        end = "" if math.isinf(high) else f" and {'below' if below else 'at most'} "
        end += "" if math.isinf(high) else f"{high:g}"
        raise ParameterError(f"{key} must be a number {start}{end}, got {given!r}.")
    return number


def generator(random_state: object) -> np.random.Generator:
    """The one generator that a ``random_state`` stands for; None: fresh entropy."""
    try:
        return np.random.default_rng(random_state)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ParameterError(
            "random_state must be None, a whole number of at least 0 or a numpy "
            f"Generator, got {random_state!r}."
        ) from None
