"""Ranges of numbers, one width or one set of cuts per level."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation, localcontext
from itertools import pairwise
from typing import Any, Literal

from anon_transformers.exceptions import DataError, ParameterError, check_choice
from anon_transformers.hierarchies._builder import HierarchyBuilder
from anon_transformers.hierarchies._hierarchy import Unknown, check_policies
from anon_transformers.hierarchies._levels import ROOT
from anon_transformers.hierarchies._normalize import Normalizer
from anon_transformers.hierarchies._rules import HierarchyRule
from anon_transformers.parameters import whole

EXACT = Context(prec=4000, traps=[Inexact, InvalidOperation])
"""Room for every digit of numbers as large and as fine as a double may be."""

LARGEST_EXPONENT = 400
Closed = Literal["left", "right"]
Bounds = tuple[Decimal | None, Decimal | None]
"""Both ends of a range, of which the closed one lies inside; None: open-ended."""

_NUMBER = re.compile(r"\s*[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?\s*\Z")


@dataclass(frozen=True)
class RangeRule(HierarchyRule):
    """Numbers and the ranges they fall in, by widths or by cuts."""

    widths: tuple[Decimal, ...]
    start: Decimal
    cuts: tuple[tuple[Decimal, ...], ...]
    whole: bool
    """Whether labels are for whole numbers only."""

    closed: Closed = "left"

    def read(self, value: str) -> Decimal | None:
        """The number; between [20, 24] and [25, 29] there is none."""
        number = _number(value)
        if number is None or (self.whole and not _is_whole(number)):
            return None
        return number

    def levels(self, read: Sequence[Decimal]) -> Iterator[list[str]]:
        """One width, or set of cuts, after another."""
        for bounds in self._bounds():
            # Not around the yield: the context is whose turn it is.
            with localcontext(EXACT):
                labels = [
                    _label(bounds(number), self.whole, self.closed) for number in read
                ]
            yield labels
        yield [ROOT] * len(read)

    def _bounds(self) -> Iterator[Callable[..., Bounds]]:
        """For each level a function from a number to its bounds."""
        for width in self.widths:
            yield lambda number, width=width: _stripe(
                number, self.start, width, self.closed
            )
        for cuts in self.cuts:
            yield lambda number, cuts=cuts: _between(number, cuts, self.closed)


@dataclass(frozen=True)
class Intervals(HierarchyBuilder):
    """Generalize numbers to ranges; exactly one of the three ways is given.

    All arithmetic is decimal, on the digits as they are written: a bound falls where
    its label says. Columns of whole numbers get closed ranges, ``[20, 24]``; others
    half-open ones, ``[20, 25)`` or, closed on the right, ``(20, 25]``. Later values
    fall into the same ranges, unless these are for whole numbers and the value is none.
    A release that may suppress rows publishes half-open ones unless ``whole`` is
    stated: one suppressed 95.5 would show in the labels of all others.

    Parameters
    ----------
    widths : sequence of numbers, optional
        Width of the ranges at each level, each a multiple of the one before.
    cuts : sequence of sequences of numbers, optional
        Where ranges meet, for each level; the cuts of a level are among those of the
        level before. Values outside the cuts fall into open ranges at the ends.
    quantiles : sequence of int, optional
        How many ranges with about equally many distinct values each level has, each a
        divisor of the one before. Bounds are values of the column: a release warns,
        and refuses them where it suppresses rows.
    start : number, default=0
        A bound from which widths are counted.
    closed : {"left", "right"}, default="left"
        The end that belongs to a range: whether 25 begins one or ends one.
    unknown, normalizer
        As for :class:`Hierarchy`.
    whole : bool or None, default=None
        Whether labels are for whole numbers, which other values are an error for. None:
        if all values are.

    Examples
    --------
    >>> Intervals(widths=(5, 10)).build(["19", "20", "24", "25"]).rows
    (('19', '[15, 19]', '[10, 19]', '*'), ('20', '[20, 24]', '[20, 29]', '*'), \
('24', '[20, 24]', '[20, 29]', '*'), ('25', '[25, 29]', '[20, 29]', '*'))
    >>> Intervals(widths=(0.1,)).build(["0.3", "0.29"]).rows
    (('0.3', '[0.3, 0.4)', '*'), ('0.29', '[0.2, 0.3)', '*'))
    >>> Intervals(cuts=[[18, 65]], closed="right").build(["18", "64.5", "70"]).rows
    (('18', '<= 18', '*'), ('64.5', '(18, 65]', '*'), ('70', '> 65', '*'))
    """

    widths: Sequence[float | Decimal] = ()
    cuts: Sequence[Sequence[float | Decimal]] = ()
    quantiles: Sequence[int] = ()
    start: float | Decimal = 0
    unknown: Unknown = "error"
    normalizer: Normalizer | None = None
    closed: Closed = "left"
    whole: bool | None = None

    def __post_init__(self) -> None:
        check_policies(self.unknown, self.normalizer)
        check_choice("closed", self.closed, ("left", "right"))
        check_choice("whole", self.whole, (None, True, False))
        for name, depth in {"widths": 1, "cuts": 2, "quantiles": 1}.items():
            object.__setattr__(self, name, _frozen(name, getattr(self, name), depth))
        if sum(map(bool, (self.widths, self.cuts, self.quantiles))) != 1:
            raise ParameterError("give one of widths, cuts and quantiles.")
        _decimal("start", self.start)
        _check_widths([_decimal("widths", width) for width in self.widths])
        _check_cuts([[_decimal("cuts", c) for c in level] for level in self.cuts])
        _check_quantiles(self.quantiles)

    @property
    def extremes(self) -> str:
        """What bounds reveal that are taken from the values."""
        if not self.quantiles:
            return ""
        return (
            "Its ranges begin or end at values that persons have, of whom there may be "
            "one. Ranges by widths or cuts do not show them."
        )

    def rule(self, values: Sequence[str]) -> RangeRule:
        """With the quantiles of these values, and for whole numbers as stated."""
        numbers = read_decimals(values)
        given = [[_decimal("cuts", cut) for cut in cuts] for cuts in self.cuts]
        cuts = given or _quantile_cuts(numbers, self.quantiles, self.closed)
        return RangeRule(
            tuple(_decimal("widths", width) for width in self.widths),
            _decimal("start", self.start),
            tuple(map(tuple, cuts)),
            self._for_whole(numbers),
            self.closed,
        )

    def _for_whole(self, numbers: list[Decimal]) -> bool:
        """Whether labels are for whole numbers, as stated or as all of these are."""
        broken = sum(not _is_whole(number) for number in numbers)
        if self.whole and broken:
            raise DataError(
                f"whole: ranges of whole numbers were asked for; {broken} values are "
                "not whole."
            )
        return not broken if self.whole is None else self.whole

    def ancestors(self, values: Sequence[str]) -> list[list[str]]:
        """For each value its ranges, level by level."""
        return [chain[:-1] for chain in self.rule(values).chains(values)]


def _check_widths(widths: list[Decimal]) -> None:
    if any(width <= 0 for width in widths):
        raise ParameterError("widths must be above 0.")
    for fine, coarse in pairwise(widths):
        with localcontext(EXACT):
            rest = coarse % fine
        if rest:
            raise ParameterError(
                f"widths: {coarse} is not a multiple of {fine}, the level before."
            )


def _check_cuts(levels: list[list[Decimal]]) -> None:
    for level in levels:
        if not level or level != sorted(set(level)):
            raise ParameterError("cuts: each level needs numbers that rise.")
    for fine, coarse in pairwise(levels):
        if not set(coarse) <= set(fine):
            raise ParameterError("cuts: a level has a cut that the one before lacks.")


def _check_quantiles(quantiles: Sequence[int]) -> None:
    for number in quantiles:
        whole("quantiles: each", number)
    for many, few in pairwise(quantiles):
        if many % few:
            raise ParameterError(f"quantiles: {few} does not divide {many}.")


def _frozen(name: str, given: Any, depth: int) -> tuple[Any, ...]:
    """Lists, arrays and tuples as tuples, so that builders can be compared."""
    plain = given.tolist() if hasattr(given, "tolist") else given
    if not isinstance(plain, Sequence) or isinstance(plain, str):
        kind = "a list of lists" if depth > 1 or name == "cuts" else "a list"
        raise ParameterError(f"{name} must be {kind}, got {given!r}.")
    if depth == 1:
        return tuple(plain)
    return tuple(_frozen(name, level, depth - 1) for level in plain)


def _decimal(name: str, number: Any) -> Decimal:
    """A number as it is written."""
    found = _number(str(number))
    if found is None:
        raise ParameterError(f"{name} must be numbers, got {number!r}.")
    return found


def _number(text: str) -> Decimal | None:
    if not _NUMBER.match(text):
        return None
    number = Decimal(text.strip())
    return None if abs(number.adjusted()) > LARGEST_EXPONENT else number


def read_decimals(values: Sequence[str]) -> list[Decimal]:
    """Texts as numbers; what is none is an error that counts them."""
    numbers = [_number(value) for value in values]
    strange = numbers.count(None)
    if strange:
        raise DataError(
            f"a hierarchy of ranges needs finite numbers; {strange} values are none."
        )
    return [number for number in numbers if number is not None]


def _is_whole(number: Decimal) -> bool:
    return number == number.to_integral_value()


def _stripe(number: Decimal, start: Decimal, width: Decimal, closed: Closed) -> Bounds:
    low = start + ((number - start) // width) * width
    # // truncates towards zero.
    if low > number or (low == number and closed == "right"):
        low -= width
    return low, low + width


def _between(number: Decimal, cuts: Sequence[Decimal], closed: Closed) -> Bounds:
    at = (bisect_right if closed == "left" else bisect_left)(cuts, number)
    low = cuts[at - 1] if at else None
    return low, cuts[at] if at < len(cuts) else None


def _quantile_cuts(
    numbers: list[Decimal], quantiles: Sequence[int], closed: Closed
) -> list[list[Decimal]]:
    """Cuts at distinct values so that every range holds about as many.

    They are the first values of ranges that are closed on the left, and the last ones
    of those that are closed on the right.
    """
    ordered = sorted(set(numbers))
    cuts = []
    for parts in quantiles:
        ends = {len(ordered) * part // parts for part in range(parts + 1)}
        if closed == "left":
            places = ends - {len(ordered)}
        else:
            places = {end - 1 for end in ends - {0}}
        cuts.append([ordered[at] for at in sorted(places)])
    return cuts


def _label(bounds: Bounds, whole: bool, closed: Closed) -> str:
    """The range as :func:`anon_transformers._data.labels.parse_ends` reads it."""
    low, high = bounds
    left = closed == "left"
    if low is None:
        return f"{'<' if left else '<='} {_plain(high)}"
    if high is None:
        return f"{'>=' if left else '>'} {_plain(low)}"
    if whole and _is_whole(low) and _is_whole(high):
        first, last = (low, high - 1) if left else (low + 1, high)
        if first == last:
            return _plain(first)
        return f"[{_plain(first)}, {_plain(last)}]"
    ends = f"{_plain(low)}, {_plain(high)}"
    return f"[{ends})" if left else f"({ends}]"


def _plain(number: Decimal | None) -> str:
    """Digits without an exponent, without trailing zeros, and never -0."""
    if number is None:
        return ""
    text = format(number.normalize() + 0, "f")
    return "0" if text == "-0" else text
