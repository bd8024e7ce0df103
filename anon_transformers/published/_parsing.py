"""Published columns as pandas values: intervals, categories, numbers, dates."""

import re
from collections.abc import Hashable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import to_text
from anon_transformers._data.labels import (
    Ends,
    PublishedLabel,
    is_date,
    is_number,
    parse_label,
)
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import ParameterError, unknown_choice
from anon_transformers.hierarchies._written_ranges import read_range

ANYTHING = "any"
"""Label of a range that is open at both ends, in a column of ranges."""
NOT_A_NUMBER = re.compile(r"\s*[-+]?0[0-9]")
"""A text such as ``007`` or ``01234``, which is a code."""
_ZONED = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ].*(?:Z|[-+][0-9]{2}:?[0-9]{2})\Z")
_WHOLE = re.compile(r"\s*[-+]?[0-9]{1,18}\s*\Z")
FIRST = np.datetime64("0001-01-01T00:00:00.000000")
LAST = np.datetime64("9999-12-31T23:59:59.999999")
"""What stands for the open end of a range of dates: pandas has no infinite one."""

Closed = Literal["left", "right", "both", "neither"]
Measure = Literal["number", "date"]


class Ranges(NamedTuple):
    """Distinct labels of one column, each as a range of numbers or dates.

    Attributes
    ----------
    measure : {"number", "date"}
        What stands at the ends.
    low, high : ndarray
        The ends; infinite, or the first and the last date, where a range is open.
    closed : list of str
        Which ends lie inside, in the words of pandas.
    points : bool ndarray
        Which labels are single values.
    zoned : bool
        Whether dates have a zone, and are moments of UTC here.
    """

    measure: Measure
    low: np.ndarray
    high: np.ndarray
    closed: list[Closed]
    points: np.ndarray
    zoned: bool = False


def parse_labels(
    column: pd.Series, *, suppression_label: str = SUPPRESSED
) -> pd.Series:
    """Read one published column.

    The column decides what its labels are, so that one label of a kind that does not
    fit the others makes them all categories:

    * numbers stay numbers, and dates dates;
    * ranges of numbers or dates are :class:`pandas.Interval`, closed as they are
      written, and a single value among them is an interval of one point; ranges that
      the source wrote itself, such as ``[70-80)`` or ``65+``, are read, too;
    * all others are categories: sets (``{a, b}``), names of a hierarchy (``Europe``,
      ``537**``), ranges of texts. :func:`parse_label` gives the members of a set;
    * a suppressed and a missing cell are both missing.

    Parameters
    ----------
    column : Series
        A column of a published table, of texts or of what a reader made of them.
    suppression_label : str, default="*"
        The label of a suppressed cell.

    Returns
    -------
    Series
        With the same index and name.

    Notes
    -----
    Where all ranges of a column are closed at the same ends, its type is that of
    :class:`pandas.IntervalDtype`; otherwise it holds objects. The infinite end of
    ``>= 80`` counts as closed or open as the others are. The open end of a range of
    dates is the year 1 or 9999. What a label says of missing values
    (``[20, 35] or missing``) an interval cannot hold: :func:`parse_label` tells it.

    Examples
    --------
    >>> import pandas as pd
    >>> parse_labels(pd.Series(["[20, 29]", "35", "*"])).tolist()
    [Interval(20.0, 29.0, closed='both'), Interval(35.0, 35.0, closed='both'), nan]
    >>> parse_labels(pd.Series(["< 20", "[20, 30)", ">= 30"])).dtype
    interval[float64, left]
    >>> parse_labels(pd.Series(["{a, b}", "c", "*"])).cat.categories.tolist()
    ['c', '{a, b}']
    """
    if _is_read(column):
        return column
    texts = to_text(column)
    hidden = texts.isna() | (texts == suppression_label)
    codes, distinct = pd.factorize(texts.mask(hidden, None), sort=True)
    labels = [str(label) for label in distinct]
    ranges = read_ranges(labels)
    if ranges is None:
        cells: Any = pd.Categorical.from_codes(
            codes, categories=pd.Index(labels, dtype=object)
        )
    elif ranges.points.all():
        cells = _points(ranges, codes)
    else:
        cells = _intervals(ranges, codes)
    return pd.Series(cells, index=column.index, name=column.name)


def parse_table(
    table: pd.DataFrame,
    columns: Sequence[Hashable] | None = None,
    *,
    suppression_label: str = SUPPRESSED,
) -> pd.DataFrame:
    """Read the labels of a published table.

    Parameters
    ----------
    table : DataFrame
        As it was published.
    columns : sequence of columns, default=None
        Which hold labels: the quasi-identifiers. None: all.
    suppression_label : str, default="*"
        The label of a suppressed cell.

    Returns
    -------
    DataFrame
        With these columns as :func:`parse_labels` reads them, and the others as they
        are.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": ["[20, 29]", "[30, 39]"], "pay": ["<5", ">5"]})
    >>> parse_table(table, ["age"])["age"].array.left.tolist()
    [20, 30]
    """
    names = list(table.columns if columns is None else columns)
    for name in names:
        if name not in table.columns:
            raise ParameterError(
                f"columns: {unknown_choice('column', name, table.columns)}"
            )
    read = {
        name: parse_labels(table[name], suppression_label=suppression_label)
        for name in names
    }
    return pd.DataFrame(
        {name: read.get(name, table[name]) for name in table.columns}, table.index
    )


def _is_read(column: pd.Series) -> bool:
    """Whether a reader made something else than texts of a column."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return bool(dtype.ordered)
    return (
        isinstance(dtype, pd.IntervalDtype)
        or types.is_numeric_dtype(dtype)
        or types.is_datetime64_any_dtype(dtype)
    )


def read_ranges(labels: Sequence[str]) -> Ranges | None:
    """Labels as ranges of numbers or of dates; None if one of them is neither."""
    parsed = [parse_label(label, dashes=True) for label in labels]
    read = [_ends_of(label) for label in parsed]
    measure = _measure([ends for ends in read if ends is not None])
    strange = any(
        ends is None and label.text != ANYTHING
        for ends, label in zip(read, parsed, strict=True)
    )
    if measure is None or strange:
        return None
    spans = [Ends(None, None) if ends is None else ends for ends in read]
    bounds = _measured(spans, measure)
    if bounds is None or bool((bounds[0] > bounds[1]).any()):
        return None
    points = np.array([e.low is not None and e.low == e.high for e in spans])
    zoned = measure == "date" and any(_ZONED.match(text) for text in _texts(spans))
    return Ranges(measure, *bounds, _closings(spans), points, zoned)


def _texts(read: Sequence[Ends]) -> list[str]:
    """What stands at the ends, where something does."""
    return [end for ends in read for end in (ends.low, ends.high) if end is not None]


def _ends_of(label: PublishedLabel) -> Ends | None:
    """Ends of a range; those of a single number or date are both that."""
    if label.ends is not None:
        return label.ends
    plain = label.members == (label.text,)
    if plain and (is_number(label.text) or is_date(label.text)):
        return Ends(label.text, label.text)
    written = read_range(label.text) if plain else None
    if written is None or written.single:
        return None
    low, high = (None if end is None else f"{end:f}" for end in written.ends)
    return Ends(low, high, written.low_open, written.high_open)


def _measure(read: Sequence[Ends]) -> Measure | None:
    """What stands at all ends, if that is one thing; a code is no number."""
    texts = _texts(read)
    if not texts:
        return None
    if all(is_number(end) and not NOT_A_NUMBER.match(end) for end in texts):
        return "number"
    zones = {_ZONED.match(text) is not None for text in texts}
    return "date" if all(map(is_date, texts)) and len(zones) == 1 else None


def _measured(
    read: Sequence[Ends], measure: Measure
) -> tuple[np.ndarray, np.ndarray] | None:
    """Lower and upper ends as values; None where pandas cannot read a date."""
    low, high = [ends.low for ends in read], [ends.high for ends in read]
    if measure == "number":
        return _numbers(low, -np.inf), _numbers(high, np.inf)
    lower, upper = _moments(low, FIRST), _moments(high, LAST)
    return None if lower is None or upper is None else (lower, upper)


def _numbers(ends: Sequence[str | None], infinite: float) -> np.ndarray:
    """Whole numbers where all are, so that no digit is lost."""
    if all(end is not None and _WHOLE.match(end) for end in ends):
        return np.array([int(str(end)) for end in ends], dtype=np.int64)
    return np.array([infinite if end is None else float(end) for end in ends])


def _moments(ends: Sequence[str | None], infinite: np.datetime64) -> np.ndarray | None:
    """Moments of UTC where a zone is written, and of no zone otherwise."""
    texts = pd.Series([end for end in ends if end is not None], dtype=object)
    zoned = bool(texts.str.match(_ZONED).all()) if len(texts) else False
    try:
        read = pd.to_datetime(texts, format="ISO8601", utc=zoned)
    except (ValueError, TypeError):  # a text that only begins like a date
        return None
    moments = np.full(len(ends), infinite, dtype="datetime64[us]")
    given = np.array([end is not None for end in ends], dtype=bool)
    if zoned:
        read = read.dt.tz_localize(None)
    moments[given] = read.to_numpy().astype("datetime64[us]")
    return moments


def _closings(read: Sequence[Ends]) -> list[Closed]:
    """Which ends lie inside; an infinite end takes part in what the others are."""
    lows = {not ends.low_open for ends in read if ends.low is not None}
    highs = {not ends.high_open for ends in read if ends.high is not None}
    # Without a pattern an open-ended range is half open: it holds no infinite value.
    left = lows.pop() if len(lows) == 1 else None
    right = highs.pop() if len(highs) == 1 else None
    return [_closing(ends, left, right) for ends in read]


def _closing(ends: Ends, left: bool | None, right: bool | None) -> Closed:
    low, high = not ends.low_open, not ends.high_open
    if ends.low is None:
        low = left if left is not None else not high
    if ends.high is None:
        high = right if right is not None else not low
    if low and high:
        return "both"
    return "left" if low else ("right" if high else "neither")


def _points(ranges: Ranges, codes: np.ndarray) -> Any:
    """Cells of a column that holds no range: numbers or dates."""
    if ranges.measure == "date":
        return _index(ranges.low, ranges.zoned).array.take(codes, allow_fill=True)
    if (codes >= 0).all():
        return ranges.low[codes]
    if ranges.low.dtype != np.int64:
        return np.append(ranges.low, np.nan)[codes]
    # Nullable, so that a whole number stays one.
    return pd.array(ranges.low, dtype="Int64").take(codes, allow_fill=True)


def _intervals(ranges: Ranges, codes: np.ndarray) -> Any:
    """Cells of a column of ranges: of one type where all are closed alike."""
    low, high = ranges.low, ranges.high
    if low.dtype != high.dtype:
        low, high = low.astype(np.float64), high.astype(np.float64)
    left, right = (_index(ends, ranges.zoned) for ends in (low, high))
    if len(set(ranges.closed)) == 1:
        made = pd.arrays.IntervalArray.from_arrays(left, right, closed=ranges.closed[0])
        return made.take(codes, allow_fill=True)
    cells = np.empty(len(ranges.closed) + 1, dtype=object)
    cells[:-1] = [
        pd.Interval(one, other, closed=closed)
        for one, other, closed in zip(left, right, ranges.closed, strict=True)
    ]
    cells[-1] = np.nan
    return cells[codes]


def _index(ends: np.ndarray, zoned: bool) -> pd.Index:
    made = pd.Index(ends)
    return made.tz_localize("UTC") if zoned else made
