"""Ranges of numbers, read back from the labels they were published as."""

import json
import math
import re
from dataclasses import dataclass

import numpy as np

from anon_transformers._labels import OR_MISSING

_END = r'("(?:[^"\\]|\\.)*"|[^,\[\]()"]+?)'
_BRACKETS = re.compile(rf"([\[\](])\s*{_END}\s*,\s*{_END}\s*([\])\[])\Z")
_SIDED = re.compile(r"(>=|<=|>|<)\s*(.+)\Z")
_NUMBER = r"[-+]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][-+]?[0-9]+)?"
_DASHED = re.compile(rf"(\[?)\s*({_NUMBER})\s*-\s*({_NUMBER})\s*(\]?)\Z")
_PLAIN = re.compile(rf"\s*{_NUMBER}\s*\Z")


@dataclass(frozen=True)
class Ends:
    """The two ends of a range as they are written; None where it is open-ended.

    Attributes
    ----------
    low, high : str or None
        What stands at each end.
    low_open, high_open : bool
        Whether the end itself lies outside.
    """

    low: str | None
    high: str | None
    low_open: bool = False
    high_open: bool = False


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
    if _PLAIN.match(text):
        return _interval(Ends(text, text))
    dashed = _DASHED.match(text)
    if dashed and bool(dashed[1]) == bool(dashed[4]):
        return _interval(Ends(dashed[2], dashed[3]))
    ends = parse_ends(text)
    return None if ends is None else _interval(ends)


def parse_ends(label: str) -> Ends | None:
    """Read a range of anything that has an order: numbers, dates, texts.

    Examples
    --------
    >>> parse_ends("[2020-01-01, 2020-12-31]").high
    '2020-12-31'
    >>> parse_ends("Europe") is None
    True
    """
    text = label.removesuffix(OR_MISSING).strip()
    brackets = _BRACKETS.match(text)
    if brackets:
        left, low, high, right = brackets.groups()
        return Ends(_unquoted(low), _unquoted(high), left != "[", right != "]")
    sided = _SIDED.match(text)
    if sided is None:
        return None
    sign, end = sided.groups()
    if sign[0] == ">":
        return Ends(end, None, low_open=sign == ">")
    return Ends(None, end, high_open=sign == "<")


def _unquoted(text: str) -> str:
    return json.loads(text) if text.startswith('"') else text


def _interval(ends: Ends) -> Interval | None:
    for text in (ends.low, ends.high):
        if text is not None and not _PLAIN.match(text):
            return None
    low = -math.inf if ends.low is None else float(ends.low)
    high = math.inf if ends.high is None else float(ends.high)
    if low > high:
        return None
    return Interval(low, high, ends.low_open, ends.high_open)
