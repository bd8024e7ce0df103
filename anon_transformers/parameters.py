"""Parameters: checks that say what is wrong, and texts that docstrings share."""

import math
import re
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from textwrap import dedent, indent
from typing import TYPE_CHECKING, TypeGuard, TypeVar

from anon_transformers.exceptions import ParameterError

if TYPE_CHECKING:  # a scheduler that reads thresholds loads no library of numbers
    import numpy as np

Class = TypeVar("Class", bound=type)
_PLACEHOLDER = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)


def is_whole(given: object) -> TypeGuard[int]:
    """Whether something is a whole number; True and False are none."""
    return isinstance(given, Integral) and not isinstance(given, bool)


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


def generator(random_state: object) -> "np.random.Generator":
    """The one generator that a ``random_state`` stands for; None: fresh entropy."""
    import numpy as np

    try:
        return np.random.default_rng(random_state)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ParameterError(
            "random_state must be None, a whole number of at least 0 or a numpy "
            f"Generator, got {random_state!r}."
        ) from None


def substitute(texts: Mapping[str, str]) -> Callable[[Class], Class]:
    r"""Fill the docstring of a class, where a line is the name of a text in braces.

    Parameters
    ----------
    texts : mapping of str to str
        Entries of a docstring by name; not all of them need be used.

    Examples
    --------
    >>> @substitute({"k": "k : int\n    Smallest number of rows in a class."})
    ... class Method:
    ...     '''Do nothing.
    ...
    ...     {k}
    ...     '''
    >>> print(Method.__doc__)
    Do nothing.
    <BLANKLINE>
        k : int
            Smallest number of rows in a class.
    <BLANKLINE>
    """

    def fill(found: re.Match[str]) -> str:
        return indent(dedent(texts[found[2]]).strip("\n"), found[1])

    def decorate(cls: Class) -> Class:
        if cls.__doc__ is not None:  # as python -OO leaves it
            cls.__doc__ = _PLACEHOLDER.sub(fill, cls.__doc__)
        return cls

    return decorate
