"""Ranges of numbers, one width or one set of cuts a level."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.hierarchies._builder import HierarchyBuilder
from anon_transformers.hierarchies._hierarchy import Normalizer, Unknown


@dataclass(frozen=True)
class Intervals(HierarchyBuilder):
    """Generalize numbers to ranges; exactly one of the three ways is given.

    All arithmetic is decimal, on the digits as they are written: a bound falls where
    its label says. Columns of whole numbers get closed ranges, ``[20, 24]``; others
    half-open ones, ``[20, 25)``.

    Parameters
    ----------
    widths : sequence of numbers, optional
        Width of the ranges at each level, each a multiple of the one before.
    cuts : sequence of sequences of numbers, optional
        Where ranges start, for each level; the cuts of a level are among those of the
        level before. Values outside the cuts fall into open ranges at the ends.
    quantiles : sequence of int, optional
        How many ranges with about equally many distinct values each level has, each a
        divisor of the one before.
    start : number, default=0
        A bound from which widths are counted.
    unknown, normalizer
        As for :class:`Hierarchy`.

    Examples
    --------
    >>> Intervals(widths=(5, 10)).build(["19", "20", "24", "25"]).rows
    (('19', '[15, 19]', '[10, 19]', '*'), ('20', '[20, 24]', '[20, 29]', '*'), \
('24', '[20, 24]', '[20, 29]', '*'), ('25', '[25, 29]', '[20, 29]', '*'))
    >>> Intervals(widths=(0.1,)).build(["0.3", "0.29"]).rows
    (('0.3', '[0.3, 0.4)', '*'), ('0.29', '[0.2, 0.3)', '*'))
    """

    widths: Sequence[float] = ()
    cuts: Sequence[Sequence[float]] = ()
    quantiles: Sequence[int] = ()
    start: float = 0
    unknown: Unknown = "error"
    normalizer: Normalizer | None = None

    def __post_init__(self) -> None:
        for name in ("widths", "cuts", "quantiles"):
            object.__setattr__(self, name, _frozen(getattr(self, name)))
        if sum(map(bool, (self.widths, self.cuts, self.quantiles))) != 1:
            raise ParameterError("give one of widths, cuts and quantiles.")
        self._check_nesting()

    def _check_nesting(self) -> None:
        widths = [_decimal(width) for width in self.widths]
        if any(width <= 0 for width in widths):
            raise ParameterError("widths must be above 0.")
        for fine, coarse in zip(widths, widths[1:], strict=False):
            if coarse % fine:
                raise ParameterError(
                    f"widths: {coarse} is not a multiple of {fine}, the level before."
                )
        for fine_cuts, coarse_cuts in zip(self.cuts, self.cuts[1:], strict=False):
            if not set(coarse_cuts) <= set(fine_cuts):
                raise ParameterError("cuts: a level has a cut that the one before lacks.")
        for level in self.cuts:
            if list(level) != sorted(set(level)):
                raise ParameterError("cuts must rise.")
        for many, few in zip(self.quantiles, self.quantiles[1:], strict=False):
            if many % few:
                raise ParameterError(f"quantiles: {few} does not divide {many}.")
        if any(number < 1 for number in self.quantiles):
            raise ParameterError("quantiles must be at least 1.")

    def ancestors(self, values: Sequence[str]) -> list[list[str]]:
        """For each value its ranges, level by level."""
        numbers = [_read(value) for value in values]
        whole = all(number == number.to_integral_value() for number in numbers)
        columns = []
        for bounds in self._levels(numbers):
            columns.append([_label(*bounds(number), whole) for number in numbers])
        return [list(row) for row in zip(*columns, strict=True)]

    def _levels(self, numbers: list[Decimal]):
        """For each level a function from a number to its bounds."""
        start = _decimal(self.start)
        for width in map(_decimal, self.widths):
            yield lambda number, width=width: _stripe(number, start, width)
        for cuts in self.cuts or _quantile_cuts(numbers, self.quantiles):
            places = [_decimal(cut) for cut in cuts]
            yield lambda number, places=places: _between(number, places)


def _frozen(given):
    return tuple(tuple(v) if isinstance(v, Sequence) else v for v in given)


def _decimal(number: float) -> Decimal:
    return Decimal(str(number))


def _read(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise DataError("a hierarchy of ranges needs numbers.") from None


def _stripe(number: Decimal, start: Decimal, width: Decimal):
    low = start + ((number - start) // width) * width
    if low > number:  # // truncates towards zero
        low -= width
    return low, low + width


def _between(number: Decimal, cuts: list[Decimal]):
    at = bisect_right(cuts, number)
    low = cuts[at - 1] if at else None
    return low, cuts[at] if at < len(cuts) else None


def _quantile_cuts(
    numbers: list[Decimal], quantiles: Sequence[int]
) -> list[list[Decimal]]:
    """Cuts between distinct values so that every range holds about as many."""
    ordered = sorted(set(numbers))
    return [
        sorted({ordered[len(ordered) * part // parts] for part in range(parts)})
        for parts in quantiles
    ]


def _label(low: Decimal | None, high: Decimal | None, whole: bool) -> str:
    if low is None:
        return f"< {_plain(high)}"
    if high is None:
        return f">= {_plain(low)}"
    integral = low == low.to_integral_value() and high == high.to_integral_value()
    if whole and integral:
        last = high - 1
        return _plain(low) if low == last else f"[{_plain(low)}, {_plain(last)}]"
    return f"[{_plain(low)}, {_plain(high)})"


def _plain(number: Decimal | None) -> str:
    """Digits without an exponent, without trailing zeros, and never -0."""
    if number is None:
        return ""
    text = format(number.normalize() + 0, "f")
    return "0" if text == "-0" else text
