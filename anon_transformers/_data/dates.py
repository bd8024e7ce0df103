"""Dates and times: one order for all of them, shown in the zone they came in.

Codes go by moments of UTC. What is published of a column with a time zone is what a
clock of that zone shows: days where every moment is a midnight there, otherwise times
with their offset, such as ``2020-01-01T09:30:00+01:00``. In labels each midnight is a
day, whatever the others are.

Texts are read as dates where somebody states how they are written. Where nobody does,
and they look like dates, they are refused: as texts, 31/01/2020 comes after 01/02/2020.
"""

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.parameters import is_whole

_MIDNIGHT = re.compile(r"T00:00:00[+-][0-9:]+\Z")

DIRECTIVES = {
    "day": ("%d",),
    "month": ("%m", "%b", "%B"),
    "year": ("%Y", "%y"),
    "time": ("%H", "%I", "%p", "%M", "%S", "%f"),
}
"""What a format may hold, as for ``datetime.strptime``; one of each of the first three.

Of a day without its year, or a year without its day, nobody knows the date.
"""

NEARLY_ALL = 0.95
"""From this share of the distinct values on, a column of texts looks like dates."""

N_SAMPLED = 200
"""Distinct values that are looked at first: few columns of texts look like dates."""

YEARS = range(100, date.max.year + 1)
"""Years that have a hundred before them."""

PLAUSIBLE = range(1700, 2200)
"""Years that dates of persons and their affairs are in; 01/02/5678 is a code."""

_MONTHS = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
_NAME = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)[.]?"
)
_DAY, _MONTH = r"(?P<day>[0-9]{1,2})", r"(?P<month>[0-9]{1,2})"
_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
_BY, _AGAIN = r"(?P<by>[/.-])", r"(?P=by)"
_TIME = r"(?:[ T,]+[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)?(?: ?[ap]m)?)?\Z"
_WRITTEN = [
    (directives, re.compile(pattern + _TIME, flags=re.I))
    for directives, pattern in (
        ("%d{0}%m{0}%{1}", _DAY + _BY + _MONTH + _AGAIN + _YEAR),
        ("%m{0}%d{0}%{1}", _MONTH + _BY + _DAY + _AGAIN + _YEAR),
        ("%{1}{0}%m{0}%d", _YEAR + _BY + _MONTH + _AGAIN + _DAY),
        ("%d{0}%b{0}%{1}", _DAY + r"[.]?(?P<by>[ /.-])" + _NAME + _AGAIN + _YEAR),
        ("%b{0}%d, %{1}", _NAME + r"(?P<by>[ -])" + _DAY + r",?[ -]" + _YEAR),
    )
]
"""The usual ways to write a date, each with its format by separator and year."""


@dataclass(frozen=True)
class DateFormat:
    """How the dates of a column are written.

    Parameters
    ----------
    pattern : str
        As for ``datetime.strptime``, such as ``"%d/%m/%Y"``; see ``DIRECTIVES``.
    last_year : int, optional
        What two-digit years mean: years up to this one, of the hundred before it. They
        are not guessed, for 63 may be 1963 and 2063.

    Examples
    --------
    >>> DateFormat("%d/%m/%y", last_year=2025).read("19/08/63")
    datetime.datetime(1963, 8, 19, 0, 0)
    """

    pattern: str
    last_year: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.pattern, str):
            raise ParameterError(
                f"a format of dates must be a text such as %d/%m/%Y, got "
                f"{self.pattern!r}."
            )
        used = re.findall(r"%.?", self.pattern.replace("%%", ""), flags=re.S)
        legal = [directive for part in DIRECTIVES.values() for directive in part]
        once = len(set(used)) == len(used) and all(
            sum(used.count(directive) for directive in DIRECTIVES[part]) == 1
            for part in ("day", "month", "year")
        )
        if not once or not set(used) <= set(legal):
            raise ParameterError(
                f"a format of dates needs one day, month and year each, got "
                f"{self.pattern!r}. Choices: {', '.join(legal)}."
            )
        if (self.last_year is None) == ("%y" in used):
            raise ParameterError(
                "last_year says which years two digits (%y) mean, and nothing else: "
                "{date: '%d/%m/%y', last_year: 2025} reads 63 as 1963."
            )
        year = self.last_year
        if year is not None and not (is_whole(year) and year in YEARS):
            raise ParameterError(
                f"last_year must be a year from {YEARS[0]} to {YEARS[-1]}, got "
                f"{self.last_year!r}."
            )

    def read(self, text: str) -> datetime | None:
        """The moment that a text stands for; None, if it is written otherwise."""
        try:
            moment = datetime.strptime(text, self.pattern)
            if self.last_year is None:
                return moment
            back = (self.last_year - moment.year) % 100
            return moment.replace(year=self.last_year - back)
        except ValueError:
            return None

    def read_all(self, texts: pd.Series) -> pd.Series:
        """A column of texts as moments; what is written otherwise is an error."""
        codes, distinct = pd.factorize(texts)
        read = [self.read(text) for text in distinct]
        strange = np.array([moment is None for moment in read] + [False])[codes].sum()
        if strange:
            raise DataError(
                f"column {texts.name!r} holds values in {strange} rows that are no "
                f"date written as {self.pattern}."
            )
        moments = pd.DatetimeIndex([*read, pd.NaT])
        return pd.Series(moments.take(codes), texts.index, name=texts.name)


def written_format(values: Sequence[str]) -> str | None:
    """How most of these texts are written, if nearly all of them look like dates.

    Texts that nearly all are dates of ISO 8601 are in order, and do not count.

    Examples
    --------
    >>> written_format(["19/08/63", "1/2/71", "30/11/58"])
    '%d/%m/%y'
    >>> written_format(["12/34/5678", "2020-01-31", "Aug"]) is None
    True
    """
    for some in (values[:: len(values) // N_SAMPLED + 1], values):
        found = [_formats(text) for text in some]
        enough = max(NEARLY_ALL * len(some), 1)
        if sum(map(bool, found)) < enough or sum(map(_is_iso, some)) >= enough:
            return None
    votes = [one for formats in found for one in formats]
    # Of equally many, the one that comes first among the usual ones.
    return max(dict.fromkeys(votes), key=votes.count)


def _formats(text: str) -> list[str]:
    """The formats by which a text is a date; several, where that is not clear."""
    formats = []
    for directives, pattern in _WRITTEN:
        found = pattern.match(text.strip())
        if found is None:
            continue
        parts = found.groupdict()
        year = parts["year"]
        full = len(year) > len("63")
        name = parts.get("name")
        month = _MONTHS.index(name[:3].lower()) + 1 if name else int(parts["month"])
        # Of two digits, 2000 and so on: these have a leap year wherever there is one.
        if _is_day(int(year) if full else 2000 + int(year), month, int(parts["day"])):
            formats.append(directives.format(parts["by"], "Y" if full else "y"))
    return formats


def _is_iso(text: str) -> bool:
    return re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])", text) is not None


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return year in PLAUSIBLE


def looks_like_dates(series: pd.Series, values: Iterable[Any] | None = None) -> bool:
    """Whether a column holds texts that look like dates; see :func:`written_format`.

    A categorical says that they are none. ``values`` are the distinct ones, if known.
    """
    return _format_of(series, values) is not None


def refuse_written_dates(
    series: pd.Series, values: Iterable[Any] | None = None
) -> None:
    """Refuse a column for which :func:`looks_like_dates` holds."""
    found = _format_of(series, values)
    if found is None:
        return
    short = "%y" in found
    stated = f"'{found}'" + (", last_year: …" if short else "")
    option = f"--date '{series.name}={found}{',LAST_YEAR' if short else ''}'"
    name = series.name
    raise DataError(
        f"column {name!r} holds texts that look like dates, and as texts they "
        "are not in order. Read them as dates: in a release file with source.columns: "
        f"{{{name}: {{date: {stated}}}}} or however they are written, at the command "
        f"line with {option}, in Python with pandas.to_datetime. Or say that they are "
        f"texts, by {{{name}: text}} in the file, a categorical dtype, or a hierarchy "
        "of the column."
    )


def _format_of(series: pd.Series, values: Iterable[Any] | None) -> str | None:
    of_texts = types.is_string_dtype(series.dtype) or series.dtype == object
    if isinstance(series.dtype, pd.CategoricalDtype) or not of_texts:
        return None
    distinct = series.dropna().unique() if values is None else values
    return written_format([value for value in distinct if isinstance(value, str)])


def plain_moments(series: pd.Series) -> pd.Series:
    """Dates and times of Arrow as those of numpy; everything else as it is."""
    dtype = series.dtype
    if isinstance(dtype, pd.ArrowDtype) and types.is_datetime64_any_dtype(dtype):
        return pd.Series(pd.DatetimeIndex(series), index=series.index)
    return series


def read_moments(series: pd.Series, name: Hashable) -> pd.Series:
    """Dates and times that came as objects; those of several zones in UTC."""
    try:
        return pd.to_datetime(series)
    except ValueError:
        known = series[series.notna()]
        zoned = np.array([getattr(cell, "tzinfo", None) is not None for cell in known])
        if zoned.any() and not zoned.all():
            raise DataError(
                f"column {name!r} holds times without a zone in {(~zoned).sum()} rows "
                "beside times with one."
            ) from None
    return pd.to_datetime(series, utc=True)


def zone_of(series: pd.Series) -> tzinfo | None:
    """Time zone of a column; None where it has none."""
    return getattr(plain_moments(series).dtype, "tz", None)


def in_utc(series: pd.Series) -> pd.Series:
    """Moments of a zone as those of UTC, without the zone; others as they are."""
    series = plain_moments(series)
    zoned = isinstance(series.dtype, pd.DatetimeTZDtype)
    return series.dt.tz_convert("UTC").dt.tz_localize(None) if zoned else series


def in_zone(moments: Any, zone: tzinfo | None) -> pd.Series:
    """Undo :func:`in_utc`."""
    series = pd.Series(moments)
    return series if zone is None else series.dt.tz_localize("UTC").dt.tz_convert(zone)


def like_fitted(series: pd.Series, zone: tzinfo | None, name: Hashable) -> pd.Series:
    """Moments of other rows in the zone of the fitted ones; other columns as they are.

    Without a zone on either side nobody knows which moments they are.
    """
    if not types.is_datetime64_any_dtype(series.dtype):
        return series
    series = plain_moments(series)
    refuse_other_zone(zone_of(series), zone, name)
    return series if zone is None else series.dt.tz_convert(zone)


def refuse_other_zone(
    given: tzinfo | None, fitted: tzinfo | None, name: Hashable
) -> None:
    """Refuse times with a zone for times without, and the other way round."""
    if (given is None) != (fitted is None):
        said = ("without", "with") if fitted is None else ("with", "without")
        raise DataError(
            f"column {name!r} was fitted {said[0]} a time zone and now holds times "
            f"{said[1]} one."
        )


def moment_texts(series: pd.Series) -> pd.Series:
    """The day of each moment if all of them are midnights, otherwise ISO 8601."""
    wall = series.dt.tz_localize(None)
    known = wall[wall.notna()]
    whole_days = bool((known == known.dt.normalize()).all())
    return series.dt.strftime("%Y-%m-%d") if whole_days else series.map(_iso)


def single_moment_texts(series: pd.Series) -> pd.Series:
    """Each moment by itself: the day of a midnight, any other in ISO 8601.

    Labels are written so. Spelled like all moments of the column, they would tell of
    rows that are not published. As texts, days and times sort as the moments do.

    Examples
    --------
    >>> moments = pd.Series(pd.to_datetime(["2020-01-01 00:00", "2020-01-01 09:30"]))
    >>> single_moment_texts(moments).tolist()
    ['2020-01-01', '2020-01-01T09:30:00']
    """
    series = plain_moments(series)
    wall = series.dt.tz_localize(None)
    days = (wall == wall.dt.normalize()).to_numpy()
    texts = series.dt.strftime("%Y-%m-%d").astype(object)
    texts[~days] = series[~days].map(_iso, na_action="ignore").astype(object)
    return texts.mask(series.isna(), None)


def _iso(moment: pd.Timestamp) -> str:
    return moment.isoformat()


def respelled_moment(text: str, zone: tzinfo) -> str:
    """A midnight of a zone as the day, and a day as its midnight; others as they are.

    Examples
    --------
    >>> from zoneinfo import ZoneInfo
    >>> respelled_moment("2020-01-01", ZoneInfo("Europe/Vienna"))
    '2020-01-01T00:00:00+01:00'
    >>> respelled_moment("2020-01-01T00:00:00+01:00", ZoneInfo("Europe/Vienna"))
    '2020-01-01'
    """
    if "T" in text:
        return _MIDNIGHT.sub("", text)
    return pd.Timestamp(text).tz_localize(zone, ambiguous=True).isoformat()


def local_midnight(moments: np.ndarray, zone: tzinfo | None) -> np.ndarray:
    """Where the day of each moment begins, both as :func:`in_utc` gives them."""
    if zone is None:
        return moments.astype("M8[D]").astype(moments.dtype)
    days = in_zone(moments, zone).dt.tz_localize(None).dt.normalize()
    # Where a clock is put forward at midnight, the day begins later; put back, twice:
    # then there is no midnight to speak of.
    starts = days.dt.tz_localize(zone, nonexistent="shift_forward", ambiguous="NaT")
    starts = starts.where(starts.notna(), in_zone(moments, zone))
    return in_utc(starts).to_numpy().astype(moments.dtype)
