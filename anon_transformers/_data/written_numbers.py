"""Columns as numbers, whether they hold numbers, amounts, days or times."""

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import identify
from anon_transformers._data.dates import DateFormat, plain_moments, written_format
from anon_transformers._data.readings import read_amounts, read_values

NEARLY_ALL = 0.95
"""From this share of the filled rows on that can be read, a column is of numbers."""
LIKELY = 0.8
"""From this share on in a sample, all texts are read: samples vary."""
N_SAMPLED = 1000
"""Distinct texts that are looked at first: few columns of texts are numbers."""
LAST_YEAR = 2049
"""What two-digit years mean, where nobody says so: years up to this one."""


def numbers_of(series: pd.Series) -> np.ndarray | None:
    """A column as people compute with it; None if it holds no numbers.

    Days and times are seconds. Of texts, marks of missing values are left out, and so
    are cells that cannot be read, where these are few; they are NaN.

    Examples
    --------
    >>> numbers_of(pd.Series(["$1,234", "50 USD", "unknown"]))
    array([1234.,   50.,   nan])
    >>> np.ptp(numbers_of(pd.Series(["2020-01-02", "2020-01-01"])))
    np.float64(86400.0)
    >>> numbers_of(pd.Series(["flu", "gout", "7"])) is None
    True
    """
    series = plain_moments(series)
    if types.is_bool_dtype(series.dtype) or types.is_complex_dtype(series.dtype):
        return None
    if types.is_numeric_dtype(series.dtype):
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if types.is_datetime64_any_dtype(series.dtype):
        return seconds(pd.DatetimeIndex(pd.to_datetime(series, utc=True)))
    if types.is_timedelta64_dtype(series.dtype):
        return series.dt.total_seconds().to_numpy(dtype=np.float64)
    column = identify(series)
    texts = column.texts().tolist()
    rows = np.bincount(column.codes, minlength=column.cardinality)[:-1]
    some = slice(None, None, len(texts) // N_SAMPLED + 1)
    for read in (read_amounts, _read_days):
        if _share_read(texts[some], read(texts[some]), rows[some]) < LIKELY:
            continue
        numbers = read(texts)
        if _share_read(texts, numbers, rows) >= NEARLY_ALL:
            return np.append(numbers, np.nan)[column.codes]
    return None


def _share_read(texts: list[str], numbers: np.ndarray, rows: np.ndarray) -> float:
    """Share of rows that are read, among those that say something."""
    unread = np.flatnonzero(np.isnan(numbers))
    n_read = int(rows.sum() - rows[unread].sum())
    if not n_read:
        return 0.0
    readings = read_values([texts[at] for at in unread])
    known = unread if readings is None else unread[readings[:-1] != readings[-1]]
    return n_read / (n_read + int(rows[known].sum()))


def _read_days(texts: list[str]) -> np.ndarray:
    """Seconds of texts that are dates, as ISO 8601 has them or as most are written."""
    pattern = written_format(texts)
    if pattern is None:
        found = pd.to_datetime(
            pd.Series(texts, dtype=object), format="ISO8601", errors="coerce", utc=True
        )
        return seconds(pd.DatetimeIndex(found))
    written = DateFormat(pattern, LAST_YEAR if "%y" in pattern else None)
    days = [written.read(text.strip()) for text in texts]
    return seconds(
        pd.to_datetime(pd.Series(days, dtype=object), errors="coerce", utc=True)
    )


def seconds(moments: pd.DatetimeIndex | pd.Series) -> np.ndarray:
    """Seconds since 1970, NaN for none."""
    since = pd.DatetimeIndex(moments) - pd.Timestamp(0, tz="UTC")
    return since.total_seconds().to_numpy(dtype=np.float64)
