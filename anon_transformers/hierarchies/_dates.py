"""Parts of a date, from the day up to the century."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies._builder import HierarchyBuilder
from anon_transformers.hierarchies._hierarchy import Unknown, check_policies
from anon_transformers.hierarchies._levels import ROOT
from anon_transformers.hierarchies._normalize import Normalizer
from anon_transformers.hierarchies._rules import HierarchyRule

PARTS = {
    "day": lambda day: day.isoformat(),
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
}
"""Parts of a year, from fine to coarse."""

SPANS = {"year": 1, "decade": 10, "century": 100}
"""How many years the others last, beside ``"5 years"`` and the like."""

_YEARS = re.compile(r"([1-9][0-9]{0,3}) years\Z")


@dataclass(frozen=True)
class CalendarRule(HierarchyRule):
    """Dates, whatever they are, and their parts."""

    parts: tuple[str, ...]

    def read(self, value: str) -> date | None:
        """The day."""
        try:
            return datetime.fromisoformat(value).date()
        except ValueError:
            return None

    def levels(self, read: Sequence[date]) -> Iterator[list[str]]:
        """One part after another."""
        for part in self.parts:
            span = _span(part)
            yield [PARTS[part](day) if not span else _years(day, span) for day in read]
        yield [ROOT] * len(read)


@dataclass(frozen=True)
class DateParts(HierarchyBuilder):
    """Generalize dates to months, quarters, years, decades and centuries.

    Parameters
    ----------
    parts : sequence of str
        Levels from fine to coarse: "day", "month", "quarter", "year", "decade" and
        "century"; "5 years", or any other number of them, each a multiple of the one
        before. By default the six words but the day, which a date itself is.
    unknown, normalizer
        As for :class:`Hierarchy`.

    Examples
    --------
    >>> DateParts().build(["2026-11-16"]).rows
    (('2026-11-16', '2026-11', '2026-Q4', '2026', '2020-2029', '2000-2099', '*'),)
    >>> DateParts(["year", "5 years", "decade"]).build(["2026-11-16"]).rows
    (('2026-11-16', '2026', '2025-2029', '2020-2029', '*'),)
    """

    parts: Sequence[str] = ("month", "quarter", "year", "decade", "century")
    unknown: Unknown = "error"
    normalizer: Normalizer | None = None

    def __post_init__(self) -> None:
        check_policies(self.unknown, self.normalizer)
        if isinstance(self.parts, str) or not self.parts:
            raise ParameterError(f"parts must be a list of parts, got {self.parts!r}.")
        object.__setattr__(self, "parts", tuple(self.parts))
        _check_order(self.parts)

    def rule(self, values: Sequence[str]) -> CalendarRule:
        """The calendar, if all values are dates."""
        rule = CalendarRule(tuple(self.parts))
        strange = sum(rule.read(value) is None for value in values)
        if strange:
            raise DataError(
                "a hierarchy of dates needs dates such as 2026-01-31; "
                f"{strange} values are none."
            )
        return rule

    def ancestors(self, values: Sequence[str]) -> list[list[str]]:
        """For each date its parts."""
        return [chain[:-1] for chain in self.rule(values).chains(values)]


def _check_order(parts: Sequence[Any]) -> None:
    """Refuse parts that are none, or do not lie in one another."""
    for part in parts:
        if part not in PARTS and not _span(part):
            legal = [*PARTS, *SPANS, "5 years"]
            raise ParameterError(f"parts: {unknown_choice('part', part, legal)}")
    words = list(PARTS)
    places = [_span(part) or words.index(part) - len(words) for part in parts]
    if any(fine >= coarse for fine, coarse in pairwise(places)):
        raise ParameterError("parts must go from fine to coarse.")
    for fine, coarse in pairwise(place for place in places if place > 0):
        if coarse % fine:
            raise ParameterError(
                f"parts: {coarse} years are no multiple of {fine}, the level before."
            )


def _span(part: Any) -> int:
    """How many years a part lasts; 0 for a part of a year, and for what is none."""
    counted = _YEARS.match(part) if isinstance(part, str) else None
    return int(counted[1]) if counted else SPANS.get(part, 0)


def _years(day: date, span: int) -> str:
    if span == 1:
        return f"{day.year:04}"
    first = day.year - day.year % span
    return f"{first:04}-{first + span - 1:04}"
