"""Fuzzy sets: shapes on the numbers, and what can be done with degrees.

A set is known by the degrees of its elements, numbers from 0 to 1. Operations take
arrays of degrees of the same elements and work element by element.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.parameters import real

ROUNDING = 1e-12
"""Degrees that differ by less are equal."""
PLAIN = (str, bool, int, float, type(None))
MOST_SHOWN, LONGEST_SHOWN = 5, 60
"""So many plain things, in so many letters, are no column of a table."""


@dataclass(frozen=True)
class FuzzyShape:
    """A set of numbers whose degrees rise along one ramp and fall along another.

    Parameters
    ----------
    start, full_from, full_to, end : float
        The degree is 0 up to ``start``, 1 from ``full_from`` to ``full_to`` and 0 from
        ``end`` on. With ``start = full_from = -inf`` there is no rising ramp, and with
        ``full_to = end = inf`` no falling one.

    See Also
    --------
    triangular, trapezoid, left_shoulder, right_shoulder : Shorter ways to say it.

    Examples
    --------
    >>> middle = FuzzyShape(20, 30, 40, 60)
    >>> middle([10, 25, 35, 50])
    array([0. , 0.5, 1. , 0.5])
    >>> middle.cut(0.5)
    (25.0, 50.0)
    """

    start: float
    full_from: float
    full_to: float
    end: float

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, as_number(getattr(self, name)))
        rises = -math.inf < self.start < self.full_from < math.inf
        falls = -math.inf < self.full_to < self.end < math.inf
        rises = rises or self.start == self.full_from == -math.inf
        falls = falls or self.full_to == self.end == math.inf
        if not (rises and falls and self.full_from <= self.full_to):
            raise ParameterError(
                f"a fuzzy set needs start < full_from <= full_to < end, got {self}."
            )

    def __call__(self, values: Any) -> np.ndarray:
        """The degree of each number; NaN for NaN."""
        values = np.asarray(values, dtype=np.float64)
        degrees = np.where(np.isnan(values), np.nan, 1.0)
        rising, falling = values < self.full_from, values > self.full_to
        # Where there is no ramp, nothing lies on it.
        width = self.full_from - self.start
        degrees[rising] = np.maximum((values[rising] - self.start) / width, 0)
        width = self.end - self.full_to
        degrees[falling] = np.maximum((self.end - values[falling]) / width, 0)
        return degrees

    @property
    def core(self) -> tuple[float, float]:
        """First and last number with degree 1."""
        return self.full_from, self.full_to

    @property
    def support(self) -> tuple[float, float]:
        """The open interval of the numbers with a degree above 0."""
        return self.start, self.end

    def cut(self, alpha: float) -> tuple[float, float]:
        """First and last number with a degree of ``alpha`` or more, above 0.

        Without its ends, the interval is that of the degrees above ``alpha``, if that
        is below 1.
        """
        alpha = _level(alpha, zero=False, one=True)
        low, high = self.core
        if not math.isinf(low):
            low = self.start + alpha * (low - self.start)
        if not math.isinf(high):
            high = self.end - alpha * (self.end - high)
        return low, high


def triangular(a: float, b: float, c: float) -> FuzzyShape:
    """A set whose degrees rise from ``a`` to ``b`` and fall from there to ``c``.

    ``a = -inf`` makes it a left shoulder and ``c = inf`` a right one.

    Examples
    --------
    >>> triangular(0, 1, 2)([0.25, 1, 1.5, 2])
    array([0.25, 1.  , 0.5 , 0.  ])
    """
    if a == -math.inf:
        return left_shoulder(b, c)
    return right_shoulder(a, b) if c == math.inf else FuzzyShape(a, b, b, c)


def trapezoid(a: float, b: float, c: float, d: float) -> FuzzyShape:
    """A set whose degrees rise from ``a`` to ``b`` and fall from ``c`` to ``d``."""
    return FuzzyShape(a, b, c, d)


def left_shoulder(a: float, b: float) -> FuzzyShape:
    """A set of all numbers up to ``a``, whose degrees fall from there to ``b``.

    Examples
    --------
    >>> left_shoulder(30, 40)([20, 35, 50])
    array([1. , 0.5, 0. ])
    """
    return FuzzyShape(-math.inf, -math.inf, a, b)


def right_shoulder(a: float, b: float) -> FuzzyShape:
    """A set of all numbers from ``b`` on, whose degrees rise from ``a`` to there."""
    return FuzzyShape(a, b, math.inf, math.inf)


def union(one: Any, other: Any) -> np.ndarray:
    """Elements of either set: the larger degree."""
    return np.maximum(degrees_of(one), degrees_of(other))


def intersection(one: Any, other: Any) -> np.ndarray:
    """Elements of both sets: the smaller degree.

    Examples
    --------
    >>> intersection([0.25, 1.0], [0.5, 0.5])
    array([0.25, 0.5 ])
    """
    return np.minimum(degrees_of(one), degrees_of(other))


def complement(degrees: Any) -> np.ndarray:
    """Elements outside a set: 1 minus the degree."""
    return 1 - degrees_of(degrees)


def lambda_complement(degrees: Any, lam: float) -> np.ndarray:
    """Elements outside a set, more of them the nearer ``lam`` is to -1.

    (1 - u) / (1 + lam u), which is the complement for ``lam = 0``. Whatever ``lam`` is,
    1 becomes 0 and 0 becomes 1.

    Parameters
    ----------
    degrees : array
        Numbers from 0 to 1.
    lam : float
        Above -1.

    Examples
    --------
    >>> lambda_complement([0, 0.5, 1], 2)
    array([1.  , 0.25, 0.  ])
    """
    lam = real("lam", as_number(lam), -1, above=True)
    degrees = degrees_of(degrees)
    return (1 - degrees) / (1 + lam * degrees)


def algebraic_product(one: Any, other: Any) -> np.ndarray:
    """Elements of both sets: the product of the degrees."""
    return degrees_of(one) * degrees_of(other)


def algebraic_sum(one: Any, other: Any) -> np.ndarray:
    """Elements of either set: the sum of the degrees less their product."""
    one, other = degrees_of(one), degrees_of(other)
    return one + other - one * other


def is_equal(one: Any, other: Any) -> bool:
    """Whether two sets have the same degrees."""
    return bool((np.abs(degrees_of(one) - degrees_of(other)) <= ROUNDING).all())


def is_included(one: Any, other: Any) -> bool:
    """Whether no element has a larger degree in the first set than in the second."""
    return bool((degrees_of(one) <= degrees_of(other) + ROUNDING).all())


def cut(degrees: Any, alpha: float, *, strict: bool = False) -> np.ndarray:
    """Which elements have a degree of ``alpha`` or more; with ``strict``, only more.

    Parameters
    ----------
    degrees : array
        Numbers from 0 to 1.
    alpha : float
        From 0 to 1: above 0, or with ``strict`` below 1.
    strict : bool, default=False
        Leave out the degrees that are ``alpha`` itself.

    Examples
    --------
    >>> cut([0.25, 0.5, 1], 0.5)
    array([False,  True,  True])
    >>> cut([0.25, 0.5, 1], 0.5, strict=True)
    array([False, False,  True])
    """
    alpha = _level(alpha, zero=strict, one=not strict)
    degrees = degrees_of(degrees)
    return degrees > alpha + ROUNDING if strict else degrees >= alpha - ROUNDING


def core(degrees: Any) -> np.ndarray:
    """Which elements belong to a set fully."""
    return cut(degrees, 1)


def is_normal(degrees: Any) -> bool:
    """Whether any element belongs to a set fully."""
    return bool(core(degrees).any())


def is_convex(values: Any, degrees: Any) -> bool:
    """Whether no element has a smaller degree than elements on both its sides.

    Parameters
    ----------
    values : array of shape (n,)
        Where the elements lie, in any order.
    degrees : array of shape (n,)
        Their degrees.

    Examples
    --------
    >>> is_convex([1, 2, 3], [0.5, 1, 0]), is_convex([1, 2, 3], [0.5, 0, 1])
    (True, False)
    """
    ordered = degrees_of(degrees)[np.argsort(np.asarray(values), kind="stable")]
    left = np.maximum.accumulate(ordered)
    right = np.maximum.accumulate(ordered[::-1])[::-1]
    return bool((ordered >= np.minimum(left, right) - ROUNDING).all())


def degrees_of(given: Any) -> np.ndarray:
    """Degrees as an array of numbers from 0 to 1."""
    degrees = np.asarray(given, dtype=np.float64)
    illegal = int((~((degrees >= 0) & (degrees <= 1))).sum())
    if illegal:
        raise DataError(f"{illegal} degrees are not numbers from 0 to 1.")
    return degrees


def as_number(given: Any) -> float:
    """A number; also infinity as a configuration writes it."""
    try:
        number = float(given)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or isinstance(given, bool | np.bool_):
        raise ParameterError(
            f"a fuzzy set is made of numbers, got {describe_value(given)}."
        )
    return number


def describe_value(given: Any) -> str:
    """What was given, if it is short and plain; else its type, for it may be data.

    Examples
    --------
    >>> describe_value([1, "ten", None])
    "[1, 'ten', None]"
    >>> describe_value(range(9)), describe_value([1.5] * 99)
    ('an object of type range', 'an object of type list')
    """
    cells = given if isinstance(given, list | tuple) else [given]
    if len(cells) <= MOST_SHOWN and all(isinstance(cell, PLAIN) for cell in cells):
        text = repr(given)
        if len(text) <= LONGEST_SHOWN:
            return text
    return f"an object of type {type(given).__name__}"


def _level(alpha: float, *, zero: bool, one: bool) -> float:
    """A level from 0 to 1; ``zero`` and ``one`` say whether the ends are legal."""
    return real("alpha", as_number(alpha), 0, 1, above=not zero, below=not one)
