"""What a column of texts seems to hold: whole numbers, numbers, dates, or texts."""

import math
import re
import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import to_text

_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,17})\Z")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_EXACT_DIGITS = 15
_TINY = sys.float_info.min
"""From here on every float keeps as many digits."""


def guess_kind(texts: pd.Series, exact: bool) -> str:
    """What a column of texts seems to be."""
    guess = KindGuess(exact)
    guess.note(texts)
    return guess.kind


class KindGuess:
    """What a column of texts seems to be, which is seen part by part.

    Parameters
    ----------
    exact : bool
        Whether numbers are taken for ones only if that gives every text back.
    """

    def __init__(self, exact: bool):
        self._exact = exact
        self._fits = dict.fromkeys(GUESSES, True)
        self._has_values = self._changes = False

    def note(self, texts: pd.Series) -> None:
        """Add cells; None is a missing one."""
        distinct = texts.dropna().unique()
        self._has_values |= len(distinct) > 0
        for kind, is_kind in GUESSES.items():
            self._fits[kind] = self._fits[kind] and all(map(is_kind, distinct))
        if self._fits["number"]:
            self._changes |= any(str(float(text)) != text for text in distinct)

    @property
    def kind(self) -> str:
        """What all cells so far seem to be."""
        fits = [kind for kind, fit in self._fits.items() if fit and self._has_values]
        kind = fits[0] if fits else "text"
        return "text" if kind == "number" and self._exact and self._changes else kind


def _is_whole(text: str) -> bool:
    return _WHOLE.match(text) is not None


def _is_number(text: str) -> bool:
    """Whether it is written as a number, and one that a float tells from others."""
    found = _NUMBER.match(text)
    if found is None:
        return False
    exact, read = Decimal(text), float(text)
    if len(exact.as_tuple().digits) <= _EXACT_DIGITS and _TINY < abs(read) < math.inf:
        return True
    return exact == Decimal(repr(read))


def _is_date(text: str) -> bool:
    if _DATE.match(text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


GUESSES: dict[str, Callable[[str], bool]] = {
    "integer": _is_whole,
    "number": _is_number,
    "date": _is_date,
}


def holds_decimals(series: pd.Series) -> bool:
    """Whether a cell is a number that is not whole, beside whatever the others are."""
    if types.is_numeric_dtype(series.dtype):
        return types.is_float_dtype(series.dtype)
    texts = to_text(series).dropna().unique()
    return any(_is_number(text) and not _is_whole(text) for text in texts)
