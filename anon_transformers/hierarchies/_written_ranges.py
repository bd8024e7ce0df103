"""Ranges that a source wrote itself, such as ``[70-80)``, ``5 to 9`` and ``65+``.

Sorted as texts, ``[100-110)`` comes before ``[20-30)``, and neighbors lie far apart.
So they are read, and joined in the order of what they stand for.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

_AMOUNT = (
    r"[$€£]?\s*([-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:[.][0-9]+)?)\s*(k|K|%)?"
)
_UNIT = r"(?:\s*(?:years?|yrs?|y|months?|days?|hours?|kg|cm|km|usd|eur))?(?: old)?"
_BRACKETS = re.compile(
    rf"([\[(\]])\s*{_AMOUNT}\s*[-,;\u2013]\s*{_AMOUNT}\s*([\])\[])\Z", re.I
)
_BETWEEN = re.compile(
    rf"{_AMOUNT}{_UNIT}\s*(?:-|\u2013|\u2014|\bto\b|\bthrough\b|\bbis\b)\s*"
    rf"{_AMOUNT}{_UNIT}\Z",
    re.I,
)
_BELOW = re.compile(
    rf"(?:(<=|<|\u2264)|(under|below|less than|up to|fewer than))\s*{_AMOUNT}{_UNIT}\Z",
    re.I,
)
_ABOVE = re.compile(
    rf"(?:(>=|>|\u2265)|(over|above|more than|more|at least))\s*{_AMOUNT}{_UNIT}\Z",
    re.I,
)
_AND_MORE = re.compile(
    rf"{_AMOUNT}{_UNIT}\s*(?:[+]|plus|(?:and|or|&) (?:over|more|above|older|up))\Z",
    re.I,
)
_SINGLE = re.compile(rf"{_AMOUNT}{_UNIT}\Z", re.I)
THOUSAND = Decimal(1000)


@dataclass(frozen=True)
class WrittenRange:
    """What a text says of the numbers it stands for; None where it has no end.

    Examples
    --------
    >>> read_range("[70-80)")
    WrittenRange(low=Decimal('70'), high=Decimal('80'), low_open=False, high_open=True)
    >>> read_range("65+").low, read_range("Private") is None
    (Decimal('65'), True)
    """

    low: Decimal | None
    high: Decimal | None
    low_open: bool = False
    high_open: bool = False

    @property
    def place(self) -> tuple[Decimal, bool, Decimal, bool]:
        """Where it stands among others: by its lower end, then by its upper one."""
        endless = Decimal("Infinity")
        low = -endless if self.low is None else self.low
        high = endless if self.high is None else self.high
        return low, self.low_open, high, not self.high_open

    @property
    def ends(self) -> tuple[Decimal | None, Decimal | None]:
        """The lower and the upper end."""
        return self.low, self.high

    @property
    def single(self) -> bool:
        """Whether it is one number, and no range."""
        return self.low is not None and self.low == self.high


def read_range(text: str) -> WrittenRange | None:
    """Read one text; None, if it is neither a range nor a number."""
    text = text.replace("_", " ").strip()
    brackets = _BRACKETS.match(text)
    if brackets:
        left, low, low_unit, high, high_unit, right = brackets.groups()
        found = WrittenRange(
            _number(low, low_unit), _number(high, high_unit), left != "[", right != "]"
        )
        return found if _rises(found) else None
    between = _BETWEEN.match(text)
    if between:
        low, low_unit, high, high_unit = between.groups()
        # 10-19k are thousands on both sides.
        found = WrittenRange(_number(low, low_unit or high_unit),
                             _number(high, high_unit))  # fmt: skip
        return found if _rises(found) else None
    return _one_sided(text)


def _one_sided(text: str) -> WrittenRange | None:
    below, above = _BELOW.match(text), _ABOVE.match(text)
    if below:
        sign, words, number, unit = below.groups()
        inside = sign in {"<=", "\u2264"} or (words or "").lower() == "up to"
        return WrittenRange(None, _number(number, unit), high_open=not inside)
    if above:
        sign, words, number, unit = above.groups()
        inside = sign in {">=", "\u2265"} or (words or "").lower() == "at least"
        return WrittenRange(_number(number, unit), None, low_open=not inside)
    more = _AND_MORE.match(text)
    if more:
        return WrittenRange(_number(*more.groups()), None)
    single = _SINGLE.match(text)
    if single:
        number = _number(*single.groups())
        return WrittenRange(number, number)
    return None


def are_ranges(texts: Sequence[str]) -> bool:
    """Whether all are ranges or numbers, and more than one is a range.

    Examples
    --------
    >>> are_ranges(["<5", "5-9", "10+"]), are_ranges(["5", "9"])
    (True, False)
    >>> are_ranges(["NO", "<5", ">9"])
    False
    """
    read = [read_range(text) for text in texts]
    return (
        all(one is not None for one in read)
        and sum(one is not None and not one.single for one in read) > 1
    )


def in_order(texts: Sequence[str]) -> list[str]:
    """Ranges by what they stand for, and not by how they are spelled.

    Examples
    --------
    >>> in_order(["[100-110)", "[20-30)", "<20"])
    ['<20', '[20-30)', '[100-110)']
    """
    return sorted(texts, key=lambda text: (_known(text).place, text))


def joined_label(texts: Sequence[str]) -> str:
    """One range that covers these, in the grammar of published labels.

    Examples
    --------
    >>> joined_label(["[60-70)", "[70-80)"])
    '[60, 80)'
    >>> joined_label(["70-79", "80-89"]), joined_label(["80-89", "90+"])
    ('[70, 89]', '>= 80')
    """
    if len(texts) == 1:
        return texts[0]
    read = [_known(text) for text in texts]
    lows = [(one.low, one.low_open) for one in read if one.low is not None]
    highs = [(one.high, one.high_open) for one in read if one.high is not None]
    low, low_open = min(lows) if len(lows) == len(read) else (None, False)
    # Of two equal ends the closed one reaches further.
    high, high_open = (
        max(highs, key=lambda end: (end[0], not end[1]))
        if len(highs) == len(read)
        else (None, False)
    )
    if low is None and high is None:
        return f"{texts[0]} to {texts[-1]}"
    if low is None:
        return f"{'<' if high_open else '<='} {_plain(high)}"
    if high is None:
        return f"{'>' if low_open else '>='} {_plain(low)}"
    left, right = "(" if low_open else "[", ")" if high_open else "]"
    return f"{left}{_plain(low)}, {_plain(high)}{right}"


def _known(text: str) -> WrittenRange:
    read = read_range(text)
    assert read is not None  # are_ranges has been asked
    return read


def _number(text: str, unit: str | None) -> Decimal:
    number = Decimal(text.replace(",", ""))
    return number * THOUSAND if unit in {"k", "K"} else number


def _rises(one: WrittenRange) -> bool:
    """Whether it goes up: 12345-6789 is the code of a place."""
    return one.low is not None and one.high is not None and one.low <= one.high


def _plain(number: Decimal | None) -> str:
    assert number is not None
    return format(number.normalize() + 0, "f")
