"""Durations and shares as people write them in a release file."""

import re
from datetime import timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, TypeAdapter, ValidationError

from anon_transformers.exceptions import shortened
from anon_transformers.parameters import is_number

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SHORT = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd])\Z")
_ISO: TypeAdapter[timedelta] = TypeAdapter(timedelta)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%\Z")


def read_duration(given: Any) -> Any:
    """A duration: seconds, a text such as ``30m``, or one of ISO 8601.

    Examples
    --------
    >>> read_duration("30m"), read_duration("PT1H"), read_duration(90)
    (datetime.timedelta(seconds=1800), datetime.timedelta(seconds=3600), \
datetime.timedelta(seconds=90))
    """
    if isinstance(given, timedelta):
        return given
    try:
        found = _duration(given)
    except (OverflowError, ValueError):  # longer than any, or no number
        found = None
    if found is None or found <= timedelta(0):
        raise ValueError(
            "must be a duration above zero: seconds, a text such as 30m, 2h or 1d, or "
            f"one such as PT1H, got {shortened(given)!r}."
        )
    return found


def _duration(given: Any) -> timedelta | None:
    if is_number(given):
        return timedelta(seconds=given)
    text = given.strip() if isinstance(given, str) else ""
    if short := _SHORT.match(text):
        return timedelta(seconds=float(short[1]) * _UNITS[short[2]])
    return _iso_duration(text) if text.startswith("P") else None


def _iso_duration(text: str) -> timedelta | None:
    try:
        return _ISO.validate_python(text)
    except ValidationError:
        return None


def read_share(given: Any) -> Any:
    """A share, at most the whole: a text such as ``20 %``, or a number up to 1.

    Examples
    --------
    >>> read_share("20 %"), read_share(0.2)
    (0.2, 0.2)
    """
    percent = _PERCENT.match(given.strip()) if isinstance(given, str) else None
    share = float(percent[1]) / 100 if percent else given
    if not is_number(share) or not 0 <= share <= 1:
        raise ValueError(
            "must be a share: a text such as 20 %, up to 100 %, or a number from 0 to "
            f"1, got {shortened(given)!r}."
        )
    return float(share)


def share_in_words(share: float, digits: int = 6) -> str:
    """A share as a release file writes it.

    Examples
    --------
    >>> share_in_words(0.2), share_in_words(0.07), share_in_words(2 / 3, 3)
    ('20 %', '7 %', '66.7 %')
    """
    return f"{share * 100:.{digits}g} %"


def duration_in_words(duration: timedelta) -> str:
    """A duration in its largest whole unit.

    Examples
    --------
    >>> duration_in_words(timedelta(days=35)), duration_in_words(timedelta(minutes=90))
    ('35 days', '90 minutes')
    """
    seconds = duration.total_seconds()
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size and seconds % size == 0:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{seconds:g} seconds"


Duration = Annotated[timedelta, BeforeValidator(read_duration)]
Share = Annotated[float, BeforeValidator(read_share)]
