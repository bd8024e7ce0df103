"""Parts of a date, from the day up to the century."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies._builder import HierarchyBuilder
from anon_transformers.hierarchies._hierarchy import Unknown, check_policies
from anon_transformers.hierarchies._levels import ROOT
from anon_transformers.hierarchies._normalize import Normalizer
from anon_transformers.hierarchies._rules import Rule

PARTS = {
    "day": lambda day: day.isoformat(),
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: _years(day.year, 10),
    "century": lambda day: _years(day.year, 100),
}


@dataclass(frozen=True)
class CalendarRule(Rule):
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
            yield [PARTS[part](day) for day in read]
        yield [ROOT] * len(read)


@dataclass(frozen=True)
class DateParts(HierarchyBuilder):
    """Generalize dates to months, quarters, years, decades and centuries.

    Parameters
    ----------
    parts : sequence of str
        Levels from fine to coarse: "day", "month", "quarter", "year", "decade" and
        "century". By default all but the day, which a date itself is.
    unknown, normalizer
        As for :class:`Hierarchy`.

    Examples
    --------
    >>> DateParts().build(["2026-11-16"]).rows
    (('2026-11-16', '2026-11', '2026-Q4', '2026', '2020-2029', '2000-2099', '*'),)
    """

    parts: Sequence[str] = ("month", "quarter", "year", "decade", "century")
    unknown: Unknown = "error"
    normalizer: Normalizer | None = None

    def __post_init__(self) -> None:
        check_policies(self.unknown, self.normalizer)
        if isinstance(self.parts, str) or not self.parts:
            raise ParameterError(f"parts must be a list of parts, got {self.parts!r}.")
        object.__setattr__(self, "parts", tuple(self.parts))
        for part in self.parts:
            if part not in PARTS:
                raise ParameterError(f"parts: {unknown_choice('part', part, PARTS)}")
        if list(self.parts) != [part for part in PARTS if part in self.parts]:
            raise ParameterError("parts must go from fine to coarse.")

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


def _years(year: int, span: int) -> str:
    first = year - year % span
    return f"{first:04}-{first + span - 1:04}"
