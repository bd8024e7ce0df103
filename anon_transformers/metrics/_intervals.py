"""Ranges of numbers, read back from the labels they were published as."""

import math
from dataclasses import dataclass

import numpy as np

from anon_transformers._data.labels import OR_MISSING, Ends, is_number, parse_ends


@dataclass(frozen=True)
class Interval:
    """A range of numbers.

    Attributes
    ----------
    low, high : float
        Its bounds as they are written; infinite where there is none.
    low_open, high_open : bool
        Whether the bound itself lies outside.
    """

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False

    @property
    def middle(self) -> float:
        """Halfway between the bounds as they are written."""
        return self.low / 2 + self.high / 2

    def contains(self, numbers: np.ndarray) -> np.ndarray:
        """Which numbers lie inside."""
        above = numbers > self.low if self.low_open else numbers >= self.low
        below = numbers < self.high if self.high_open else numbers <= self.high
        return above & below


def parse_interval(label: str) -> Interval | None:
    """Read a label as a range of numbers; None if it is none.

    These are understood, with any number of blanks between their parts:

    * a number: ``20``, ``-1.5``;
    * brackets, closed or open on either side: ``[20, 35]``, ``[20, 30)``,
      ``[20, 30[``, ``]20, 30]``, ``(20, 30]``;
    * a dash, with or without brackets, both ends inside: ``20-39``, ``[20-39]``,
      ``-5--1``;
    * one side: ``>= 80``, ``>80``, ``< 20``, ``<=19``;
    * any of these with `` or missing`` behind it.

    Parameters
    ----------
    label : str
        A published value.

    Returns
    -------
    Interval or None

    Notes
    -----
    Bounds are taken as they are written. The label of an age hierarchy that says
    ``20-39`` for the ages 21 to 40 is read as 20 to 39.

    Examples
    --------
    >>> parse_interval("[20, 35]")
    Interval(low=20.0, high=35.0, low_open=False, high_open=False)
    >>> parse_interval("[20, 30[").high_open
    True
    >>> parse_interval("-5--1").middle
    -3.0
    >>> parse_interval(">=80").high
    inf
    >>> parse_interval("*") is None
    True
    """
    text = label.removesuffix(OR_MISSING).strip()
    if is_number(text):
        return _interval(Ends(text, text))
    ends = parse_ends(text, dashes=True)
    return None if ends is None else _interval(ends)


def _interval(ends: Ends) -> Interval | None:
    for text in (ends.low, ends.high):
        if text is not None and not is_number(text):
            return None
    low = -math.inf if ends.low is None else float(ends.low)
    high = math.inf if ends.high is None else float(ends.high)
    if low > high:
        return None
    return Interval(low, high, ends.low_open, ends.high_open)
