"""Dates and times: one order for all of them, told in the zone they came in.

Codes go by moments of UTC. What is published of a column with a time zone is what a
clock of that zone shows: days where every moment is a midnight there, otherwise times
with their offset, such as ``2020-01-01T09:30:00+01:00``.
"""

import re
from collections.abc import Hashable
from datetime import tzinfo
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers.exceptions import DataError

_MIDNIGHT = re.compile(r"T00:00:00[+-][0-9:]+\Z")


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


def _iso(moment: pd.Timestamp) -> str:
    return moment.isoformat()


def respelt_moment(text: str, zone: tzinfo) -> str:
    """A midnight of a zone as the day, and a day as its midnight; others as they are.

    Examples
    --------
    >>> from zoneinfo import ZoneInfo
    >>> respelt_moment("2020-01-01", ZoneInfo("Europe/Vienna"))
    '2020-01-01T00:00:00+01:00'
    >>> respelt_moment("2020-01-01T00:00:00+01:00", ZoneInfo("Europe/Vienna"))
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
