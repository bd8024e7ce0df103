"""Names of tables that differ by a date alone, as one path that holds a period."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from anon_transformers.exceptions import ParameterError
from anon_transformers.release._period import Period, Template

FORMS = ("%Y-%m-%d", "%Y_%m_%d", "%Y%m%d", "%Y-%m", "%Y_%m", "%Y%m", "%Y")
"""How dates are written in names, the longest first."""
_DIGITS = {"%Y": r"(?:19|20)\d\d", "%m": r"\d\d", "%d": r"\d\d"}
_PATTERNS = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class PeriodPath:
    """A path that holds a period.

    Attributes
    ----------
    path : str
        As under ``source.path`` of a release file.
    periods : tuple of str
        Periods of the tables that it was found from, the oldest first.
    stem : str
        The path without the date, for a name.
    """

    path: str
    periods: tuple[str, ...]
    stem: str


def find_period_path(paths: Sequence[str]) -> PeriodPath | None:
    """The one path that several tables have, if it is sure that they are its periods.

    It is sure where each has one date, in one form, at the same place, everything else
    is the same, and the path gives back exactly these names.

    Parameters
    ----------
    paths : sequence of str
        Paths in which braces and dollar signs are written twice, as in a release file.

    Examples
    --------
    >>> found = find_period_path(["in/people-2026-09.csv", "in/people-2026-10.csv"])
    >>> found.path, found.periods, found.stem
    ('in/people-{period:%Y-%m}.csv', ('2026-09', '2026-10'), 'in/people-.csv')
    >>> find_period_path(["north.csv", "south.csv"]) is None
    True
    """
    if len(set(paths)) < len(("before", "after")):
        return None
    if any(_PATTERNS.search(path) for path in paths):
        return None  # beside a period they would be patterns for names
    for form in FORMS:
        found = _of_form(paths, form)
        if found is not None:
            return found
    return None


def _of_form(paths: Sequence[str], form: str) -> PeriodPath | None:
    digits = form
    for directive, pattern in _DIGITS.items():
        digits = digits.replace(directive, pattern)
    date = re.compile(rf"(?<!\d){digits}(?!\d)")
    whole, stems, periods = set(), set(), []
    for path in paths:
        dates = date.findall(path)
        if len(dates) != 1:
            return None
        before, after = path.split(dates[0])
        # The year stands elsewhere, too, as in 2026/people-2026-09.csv: of the next
        # year it would be another path.
        if re.search(rf"(?<!\d){dates[0][:4]}(?!\d)", f"{before}|{after}"):
            return None
        try:
            period = Period.read(_iso(dates[0]))
        except ParameterError:  # the 13th month is none
            return None
        template = f"{before}{{period:{form}}}{after}"
        if Template(template).fill(period, {}) != Template(path).fill(None, {}):
            return None
        whole.add(template)
        stems.add(f"{before}{after}")
        periods.append(period.name)
    if len(whole) > 1:
        return None
    return PeriodPath(whole.pop(), tuple(sorted(periods)), stems.pop())


def _iso(written: str) -> str:
    """A date as periods are named: of its digits the year, the month and the day."""
    digits = re.sub(r"\D", "", written)
    return "-".join(part for part in (digits[:4], digits[4:6], digits[6:]) if part)
