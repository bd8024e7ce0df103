"""Periods of a release, and paths that hold one: ``data/{period:%Y-%m}.csv``.

A path may also hold variables of the environment, ``$DATA`` or ``${DATA}``. Nothing
here asks the file system or the locale: months have their English names everywhere.
"""

import glob
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache

from anon_transformers.exceptions import ParameterError

GRAINS = ("year", "month", "week", "day", "hour")
"""How long a period may be, the longest first."""
DIRECTIVES = {
    "%Y": "year",
    "%m": "month",
    "%b": "month",
    "%B": "month",
    "%d": "day",
    "%j": "day",
    "%H": "hour",
    "%G": "week",
    "%V": "week",
}
"""What may be written of a period, and how long it is at most where that is written."""
EXAMPLES = {
    "year": "2026",
    "month": "2026-10",
    "week": "2026-W42",
    "day": "2026-10-05",
    "hour": "2026-10-05T13",
}
"""How a period of each length is named."""
USUAL = "{period:%Y-%m}"
WHOLE_FORMS = {
    "year": "{period:%Y}",
    "month": USUAL,
    "week": "{period:%G-W%V}",
    "day": "{period:%Y-%m-%d}",
    "hour": "{period:%Y-%m-%dT%H}",
}
"""How a period of each length is written so that no other one is written alike."""
FIRST_SAMPLE, DAYS_SAMPLED = datetime(2023, 12, 1), 427
"""From a December to the January after the next: every month and week comes twice."""
HOURS_SAMPLED = (0, 1, 23)
WEEK = re.compile(r"([0-9]{4})-W([0-9]{2})\Z")
PARTS = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?\Z")
DIRECTIVE = re.compile(r"%.?", re.DOTALL)
TOKEN = re.compile(
    r"(?P<dollar>\$\$)|\$\{(?P<braced>[^{}]*)\}|\$(?P<plain>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<open>\{\{)|(?P<close>\}\})|\{(?P<held>[^{}]*)\}|(?P<stray>[{}])"
)
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December",
)  # fmt: skip
"""English, whatever the locale: paths must not depend on it."""
DAYS_PER_WEEK, HOURS_PER_DAY = 7, 24


@dataclass(frozen=True)
class Period:
    """A stretch of time that a release is about.

    Attributes
    ----------
    begin : datetime
        When it begins; without a zone.
    grain : {"year", "month", "week", "day", "hour"}
        How long it is.

    Examples
    --------
    >>> october = Period.read("2026-10")
    >>> october.name, october.begin.isoformat()
    ('2026-10', '2026-10-01T00:00:00')
    >>> Period.read("2026-10-05").at("month") == october
    True
    """

    begin: datetime
    grain: str

    @classmethod
    def read(cls, given: "str | date | Period") -> "Period":
        """A period from its ISO text, a date, or a moment: the hour it lies in.

        A moment with a zone is taken as it is written, and not moved to another zone.
        """
        if isinstance(given, Period):
            return given
        if isinstance(given, datetime):
            moment = given.replace(tzinfo=None)
            return cls(datetime(*moment.timetuple()[:4]), "hour")
        if isinstance(given, date):
            return cls(datetime(given.year, given.month, given.day), "day")
        if not isinstance(given, str):
            kind = type(given).__name__
            raise ParameterError(f"period must be a text or a date, got {kind}.")
        try:
            return cls._parsed(given.strip())
        except ValueError:
            shown = ", ".join(EXAMPLES.values())
            raise ParameterError(
                f"period {given[:40]!r} is no period; write it as one of {shown}."
            ) from None

    @classmethod
    def _parsed(cls, text: str) -> "Period":
        if week := WEEK.match(text):
            monday = date.fromisocalendar(int(week[1]), int(week[2]), 1)
            return cls(datetime(monday.year, monday.month, monday.day), "week")
        if parts := PARTS.match(text):
            year, month, day = (int(part or 1) for part in parts.groups())
            grain = ("year", "month", "day")[
                sum(part is not None for part in parts.groups()) - 1
            ]
            return cls(datetime(year, month, day), grain)
        if "T" not in text and " " not in text:
            raise ValueError("no moment")
        return cls.read(datetime.fromisoformat(text))

    @property
    def name(self) -> str:
        """Its ISO text; names of one grain sort in the order of time."""
        if self.grain == "week":
            year, week, _ = self.begin.isocalendar()
            return f"{year:04}-W{week:02}"
        return self.begin.isoformat()[: len(EXAMPLES[self.grain])]

    def __str__(self) -> str:
        return self.name

    @property
    def order(self) -> tuple[datetime, str]:
        """By what periods sort, also those of several grains."""
        return self.begin, self.name

    @property
    def number(self) -> int:
        """How many periods of its length were before it, up to a constant."""
        begin, days = self.begin, self.begin.toordinal() - 1
        return {
            "year": begin.year,
            "month": begin.year * len(MONTHS) + begin.month - 1,
            "week": days // DAYS_PER_WEEK,
            "day": days,
            "hour": days * HOURS_PER_DAY + begin.hour,
        }[self.grain]

    def moved(self, by: int) -> "Period":
        """The period so many periods later.

        Examples
        --------
        >>> Period.read("2026-12").moved(1).name, Period.read("2027-W01").moved(-1).name
        ('2027-01', '2026-W53')
        """
        if self.grain in {"year", "month"}:
            months = by * (len(MONTHS) if self.grain == "year" else 1)
            year, month = divmod(
                self.begin.year * len(MONTHS) + self.begin.month - 1 + months,
                len(MONTHS),
            )
            return Period(datetime(year, month + 1, 1), self.grain)
        return Period(self.begin + by * timedelta(**{f"{self.grain}s": 1}), self.grain)

    def at(self, grain: str) -> "Period":
        """The longer period that it lies in; refuses a shorter one."""
        if grain == self.grain:
            return self
        lies_in_one = self.grain != "week"
        if not lies_in_one or GRAINS.index(grain) > GRAINS.index(self.grain):
            raise ParameterError(
                f"period {self.name} is a {self.grain}, and the file has one period "
                f"per {grain}; write it as {EXAMPLES[grain]}."
            )
        year, month, day = self.begin.timetuple()[:3]
        if grain == "week":
            monday = datetime(year, month, day) - timedelta(self.begin.weekday())
            return Period(monday, "week")
        kept = {"year": (year, 1, 1), "month": (year, month, 1)}
        return Period(datetime(*kept.get(grain, (year, month, day))), grain)

    def write(self, form: str) -> str:
        """Write it in a form of directives such as ``%Y-%m``.

        Examples
        --------
        >>> Period.read("2026-10").write("%Y/%b")
        '2026/Oct'
        """
        return DIRECTIVE.sub(lambda found: self._written(found[0]), form)

    def _written(self, directive: str) -> str:
        begin = self.begin
        year, week, _ = begin.isocalendar()
        return {
            "%Y": f"{begin.year:04}",
            "%m": f"{begin.month:02}",
            "%b": MONTHS[begin.month - 1][:3],
            "%B": MONTHS[begin.month - 1],
            "%d": f"{begin.day:02}",
            "%j": f"{begin.timetuple().tm_yday:03}",
            "%H": f"{begin.hour:02}",
            "%G": f"{year:04}",
            "%V": f"{week:02}",
            "%%": "%",
        }[directive]


@dataclass(frozen=True)
class Template:
    """A path that may hold a period and variables of the environment.

    ``{{`` and ``}}`` are braces, and ``$$`` is a dollar sign.

    Parameters
    ----------
    text : str
        The path as the file states it.

    Examples
    --------
    >>> path = Template("$DATA/{period:%Y-%m}/*.csv")
    >>> path.directives, path.variables
    (('%Y', '%m'), ('DATA',))
    >>> path.fill(Period.read("2026-10"), {"DATA": "/srv"})
    '/srv/2026-10/*.csv'
    """

    text: str

    @classmethod
    def literal(cls, path: str) -> "Template":
        """The template that stands for one path, whatever characters it has.

        Examples
        --------
        >>> Template.literal("a{b}$c.csv").text
        'a{{b}}$$c.csv'
        """
        return cls(re.sub(r"[{}$]", r"\g<0>\g<0>", path))

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The form of each period in it; empty for the name of the period."""
        return tuple(
            self._form(found["held"])
            for found in TOKEN.finditer(self.text)
            if found["held"] is not None
        )

    @property
    def holds_period(self) -> bool:
        """Whether it names a period."""
        return bool(self.forms)

    @property
    def directives(self) -> tuple[str, ...]:
        """What it writes of a period."""
        found = (each for form in self.forms for each in DIRECTIVE.findall(form))
        return tuple(each for each in found if each != "%%")

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of its variables."""
        found = TOKEN.finditer(self.text)
        names = (each["braced"] or each["plain"] for each in found)
        return tuple(name for name in names if name)

    def refuse_recurring(self, grain: str) -> None:
        """Refuse a path that comes again for a later period, with others in between.

        ``{period:%m}`` is the same every October. A path may be the same for periods
        that follow each other, as that of a year is for its months.
        """
        found = _recurring(self.forms, grain)
        if found is not None:
            raise ParameterError(
                f"{self.text!r} is the same path for two {grain}s that are not next to "
                f"each other, such as {found[0]} and {found[1]}; write the whole "
                f"{grain}, as {WHOLE_FORMS[grain]}."
            )

    def check(self) -> None:
        """Refuse what cannot be filled in."""
        for found in TOKEN.finditer(self.text):
            if found["stray"]:
                raise ParameterError(
                    f"a brace {found['stray']!r} stands alone; a period is written "
                    f"{USUAL}, and a brace twice: {{{{ or }}}}."
                )
            if found["braced"] is not None and not VARIABLE.match(found["braced"]):
                raise ParameterError(
                    f"{found[0]!r} names no variable of the environment; write "
                    "${NAME}, or $$ for a dollar sign."
                )
        _ = self.forms

    def fill(
        self,
        period: Period | None,
        environment: Mapping[str, str] | None = None,
        *,
        as_pattern: bool = False,
    ) -> str:
        """The path with period and variables filled in.

        Parameters
        ----------
        period : Period or None
            What is filled in where the path holds one.
        environment : mapping, optional
            Variables; those of the process by default.
        as_pattern : bool
            Whether the path is a pattern for names of files, in which what is filled in
            stands for itself.
        """
        variables = os.environ if environment is None else environment

        def filled(found: re.Match[str]) -> str:
            if found["dollar"] or found["open"] or found["close"]:
                return found[0][0]
            name = found["braced"] or found["plain"]
            if name:
                if not variables.get(name):
                    raise ParameterError(
                        f"the variable {name} of the environment is not set; set it, "
                        "or write $$ for a dollar sign."
                    )
                value = variables[name]
            elif period is None:
                raise ParameterError(f"{found[0]} is given, and no period.")
            else:
                form = self._form(found["held"])
                value = period.write(form) if form else period.name
            return glob.escape(value) if as_pattern else value

        return TOKEN.sub(filled, self.text)

    @property
    def root(self) -> "Template":
        """The deepest folder in it that is the same for all periods."""
        for found in TOKEN.finditer(self.text):
            if found["held"] is not None:
                before = self.text[: found.start()]
                return Template(
                    before.rpartition("/")[0] or ("/" if before[:1] == "/" else ".")
                )
        return self

    @staticmethod
    def _form(held: str) -> str:
        name, colon, form = held.partition(":")
        shown = f"{{{held}}}"
        if name != "period":
            raise ParameterError(
                f"unknown placeholder {shown!r}; a path may hold a period, such as "
                f"{USUAL}, and a brace is written twice: {{{{ or }}}}."
            )
        found = DIRECTIVE.findall(form)
        legal = ", ".join(DIRECTIVES)
        for directive in found:
            if directive not in DIRECTIVES and directive != "%%":
                raise ParameterError(
                    f"{shown!r}: {directive!r} is not supported; choices: {legal}."
                )
        if colon and not {*found} & {*DIRECTIVES}:
            raise ParameterError(
                f"{shown!r} writes nothing of the period; choices: {legal}, as in "
                f"{USUAL}."
            )
        return form


@lru_cache(maxsize=len(GRAINS))
def sampled_periods(grain: str) -> tuple[Period, ...]:
    """Periods of somewhat more than a year, in the order of time.

    Of the hours of a day a few are enough.
    """
    days = (FIRST_SAMPLE + timedelta(number) for number in range(DAYS_SAMPLED))
    hours = HOURS_SAMPLED if grain == "hour" else HOURS_SAMPLED[:1]
    moments = (day + timedelta(hours=hour) for day in days for hour in hours)
    return tuple(dict.fromkeys(Period(at, "hour").at(grain) for at in moments))


@lru_cache(maxsize=32)
def _recurring(forms: tuple[str, ...], grain: str) -> tuple[Period, Period] | None:
    """Two periods that are written alike, and a period between them that is not."""
    last: dict[tuple[str, ...], Period] = {}
    before: tuple[str, ...] = ()
    for period in sampled_periods(grain):
        written = tuple(period.write(form) if form else period.name for form in forms)
        if written != before and written in last:
            return last[written], period
        last[written], before = period, written
    return None


def grain_of(templates: Iterable[Template]) -> str | None:
    """How long a period of these paths is: as short as the finest directive says."""
    templates = tuple(templates)
    if not any(template.holds_period for template in templates):
        return None
    found = {DIRECTIVES[d] for template in templates for d in template.directives}
    if not found:
        raise ParameterError(
            "{period} alone does not say how long a period is; write one as "
            f"{USUAL} for months."
        )
    if "week" in found and len(found) > 1:
        raise ParameterError(
            "weeks are written {period:%G-W%V}, and not beside months, days or years "
            "(%Y), which begin on other days."
        )
    return max(found, key=GRAINS.index)
