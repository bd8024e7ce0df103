"""What one published column gives a model: ends of ranges, or shares of values."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import to_text
from anon_transformers._data.dates import in_utc
from anon_transformers._data.labels import PublishedLabel, is_number, parse_label
from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics._labels_read import GroupReader
from anon_transformers.published._parsing import FIRST, LAST, Measure, read_ranges

FEATURES: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "lower": lambda low, high: low,
    "upper": lambda low, high: high,
    "width": lambda low, high: high - low,
    "center": lambda low, high: low / 2 + high / 2,
}
"""What a range gives, by its name."""
DAY = np.timedelta64(1, "D")


class ColumnFeatures(ABC):
    """How one column becomes features; learned when a parser is fitted."""

    name: Hashable
    kind: str

    @abstractmethod
    def names(self, features: Sequence[str]) -> list[str]:
        """Names of the features, without that of the column."""

    @abstractmethod
    def transform(
        self, column: pd.Series, label: str, features: Sequence[str], *, missing: str
    ) -> np.ndarray:
        """One row of features per cell; ``label`` is that of a suppressed one."""


def learn_features(
    column: pd.Series,
    hierarchy: Hierarchy | None,
    label: str,
    max_values: int | None = None,
) -> ColumnFeatures:
    """Find out what a column holds."""
    leaves = None if hierarchy is None else _numbers(hierarchy.leaves)
    if hierarchy is not None and leaves is None:
        values = tuple(map(str, hierarchy.leaves))
        return ShareFeatures(column.name, values, hierarchy)
    spans = None if leaves is not None else _measured(column)
    if spans is None:
        codes, labels = _labels(column, label)
        spans = _spans(labels, hierarchy)
        if spans is None:
            counts = np.bincount(codes[codes >= 0], minlength=len(labels))
            return ShareFeatures(column.name, _ground(labels, counts, max_values))
    measure, low, high = spans
    ends = np.concatenate([low, high])
    ends = ends[np.isfinite(ends)]
    bounds = (float(ends.min()), float(ends.max())) if len(ends) else (0.0, 0.0)
    return RangeFeatures(column.name, measure, bounds, hierarchy)


@dataclass(frozen=True)
class RangeFeatures(ColumnFeatures):
    """Ends of ranges of numbers or dates.

    Attributes
    ----------
    name : hashable
        The column.
    kind : {"number", "date"}
        What stands at the ends.
    bounds : tuple of float
        The lowest and the highest end of the fitted column.
    hierarchy : Hierarchy or None
        Of numbers, whose names are read by it.
    """

    name: Hashable
    kind: str
    bounds: tuple[float, float]
    hierarchy: Hierarchy | None = None

    def names(self, features: Sequence[str]) -> list[str]:
        """The features of a range."""
        return list(features)

    def transform(
        self, column: pd.Series, label: str, features: Sequence[str], *, missing: str
    ) -> np.ndarray:
        """Ends, and what is computed from them."""
        low, high = self._ends(column, label)
        lost, (first, last) = np.isnan(low), self.bounds
        # An open end is the outermost fitted one, unless the other lies further out.
        low = np.where(np.isneginf(low), np.minimum(first, high), low)
        high = np.where(np.isposinf(high), np.maximum(last, low), high)
        if missing == "range":
            low, high = np.where(lost, first, low), np.where(lost, last, high)
        return np.column_stack([FEATURES[feature](low, high) for feature in features])

    def _ends(self, column: pd.Series, label: str) -> tuple[np.ndarray, np.ndarray]:
        spans = None if self.hierarchy is not None else _measured(column)
        if spans is not None:
            self._refuse(len(column) if spans[0] != self.kind else 0)
            return spans[1], spans[2]
        codes, labels = _labels(column, label)
        spans = _spans(labels, self.hierarchy, self.kind)
        if spans is None:
            alone = [_spans([one], self.hierarchy, self.kind) for one in labels]
            strange = np.array([one is None for one in alone], dtype=bool)
            self._refuse(int(np.append(strange, False)[codes].sum()))
            raise DataError(
                f"column {self.name!r} holds labels that do not fit each other."
            )
        low, high = (np.append(ends, np.nan)[codes] for ends in spans[1:])
        return low, high

    def _refuse(self, count: int) -> None:
        if count:
            raise DataError(
                f"column {self.name!r} was fitted as {self.kind} and now holds "
                f"something else in {count} rows."
            )


@dataclass(frozen=True)
class ShareFeatures(ColumnFeatures):
    """Shares of ground values in sets and names.

    Attributes
    ----------
    name : hashable
        The column.
    values : tuple of str
        The ground values, in the order of texts or of the hierarchy.
    hierarchy : Hierarchy or None
        Whose leaves they are.
    """

    name: Hashable
    values: tuple[str, ...]
    hierarchy: Hierarchy | None = None
    kind: str = "category"

    def names(self, features: Sequence[str]) -> list[str]:
        """The ground values."""
        return list(self.values)

    def transform(
        self, column: pd.Series, label: str, features: Sequence[str], *, missing: str
    ) -> np.ndarray:
        """Equal shares of the values that a label covers."""
        codes, labels = _labels(column, label)
        shares = np.zeros((len(labels) + 1, len(self.values)))
        covered = self._reader(labels)
        for at, text in enumerate(labels):
            places = covered(text)
            if len(places):
                shares[at, places] = 1 / len(places)
        n_values = max(len(self.values), 1)
        shares[-1] = np.nan if missing == "nan" else 1 / n_values
        return shares[codes]

    def _reader(self, labels: Sequence[str]) -> Callable[[str], np.ndarray]:
        if self.hierarchy is None:
            place = {value: at for at, value in enumerate(self.values)}
            return lambda text: _places(parse_label(text), place)
        read = GroupReader(self.hierarchy, labels)

        def below(text: str) -> np.ndarray:
            leaves = read(parse_label(text).text)
            return np.empty(0, dtype=np.int64) if leaves is None else leaves

        return below


def _places(label: PublishedLabel, place: Mapping[str, int]) -> np.ndarray:
    """Fitted values that a label covers; of a range those between in text order."""
    if label.ends is not None:
        low, high = str(label.ends.low), str(label.ends.high)
        found = [at for value, at in place.items() if low <= value <= high]
    else:
        found = [place[value] for value in label.members if value in place]
    return np.array(found, dtype=np.int64)


def _ground(
    labels: Sequence[str], counts: np.ndarray, most: int | None
) -> tuple[str, ...]:
    """Every value that a label names, or the most frequent of them, in text order."""
    found: Counter[str] = Counter()
    for text, count in zip(labels, counts.tolist(), strict=True):
        label = parse_label(text)
        ends = () if label.ends is None else (label.ends.low, label.ends.high)
        for value in {end for end in ends if end is not None} | set(label.members):
            found[value] += count
    # By text where they are as frequent: rows may stand in any order.
    ranked = sorted(found, key=lambda value: (-found[value], value))
    return tuple(sorted(ranked[:most]))


Spans = tuple[Measure, np.ndarray, np.ndarray]
"""What is measured; lower and upper ends, dates in days since 1970."""


def _labels(column: pd.Series, suppressed: str) -> tuple[np.ndarray, list[str]]:
    """Label of each cell by its place, -1 where there is none; distinct labels."""
    cells = column
    if isinstance(column.dtype, pd.IntervalDtype) or _holds_intervals(column):
        cells = column.map(_written, na_action="ignore").astype(object)
    texts = to_text(cells)
    hidden = texts.isna() | (texts == suppressed)
    codes, labels = pd.factorize(texts.mask(hidden, None))
    return codes, [str(label) for label in labels]


def _holds_intervals(column: pd.Series) -> bool:
    known = column.dropna() if column.dtype == object else column.iloc[:0]
    return bool(len(known)) and bool(
        known.map(lambda cell: isinstance(cell, pd.Interval)).any()
    )


def _written(cell: Any) -> Any:
    """A parsed interval as the grammar writes it."""
    if not isinstance(cell, pd.Interval):
        return cell
    left = "[" if cell.closed in {"left", "both"} else "("
    right = "]" if cell.closed in {"right", "both"} else ")"
    low, high = _end(cell.left), _end(cell.right)
    if low is None:
        return "any" if high is None else f"{'<=' if right == ']' else '<'} {high}"
    if high is None:
        return f"{'>=' if left == '[' else '>'} {low}"
    return f"{left}{low}, {high}{right}"


def _end(end: Any) -> str | None:
    if isinstance(end, pd.Timestamp):
        plain = end.tz_localize(None) if end.tz is None else end.tz_convert(None)
        return None if plain in (pd.Timestamp(FIRST), pd.Timestamp(LAST)) else str(end)
    return repr(float(end)) if np.isfinite(end) else None


def _measured(column: pd.Series) -> Spans | None:
    """Numbers and dates that a reader made already; None of texts."""
    if types.is_datetime64_any_dtype(column.dtype):
        days = _days(in_utc(column).to_numpy())
        return "date", days, days
    if types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return "number", numbers, numbers
    return None


def _spans(
    labels: Sequence[str], hierarchy: Hierarchy | None, kind: str | None = None
) -> Spans | None:
    """Ends of each label; None if one is no range, or one of another ``kind``."""
    if hierarchy is not None:
        return _leaf_spans(labels, hierarchy)
    if kind is not None and all(label == "any" for label in labels):
        ends = np.full(len(labels), np.inf)
        return ("number" if kind == "number" else "date"), -ends, ends
    ranges = read_ranges(labels)
    if ranges is None or kind not in {None, ranges.measure}:
        return None
    if ranges.measure == "number":
        low, high = ranges.low.astype(np.float64), ranges.high.astype(np.float64)
        return "number", low, high
    low = np.where(ranges.low == FIRST, -np.inf, _days(ranges.low))
    high = np.where(ranges.high == LAST, np.inf, _days(ranges.high))
    return "date", low, high


def _leaf_spans(labels: Sequence[str], hierarchy: Hierarchy) -> Spans | None:
    """The lowest and the highest leaf below each name."""
    numbers, read = _numbers(hierarchy.leaves), GroupReader(hierarchy, labels)
    if numbers is None:
        return None
    low, high = np.empty(len(labels)), np.empty(len(labels))
    for at, label in enumerate(labels):
        text = parse_label(label).text
        leaves = read(text)
        if leaves is not None:
            low[at], high[at] = numbers[leaves].min(), numbers[leaves].max()
        elif is_number(text):  # a raw value that the hierarchy does not know
            low[at] = high[at] = float(text)
        else:
            return None
    return "number", low, high


def _numbers(leaves: Sequence[Any]) -> np.ndarray | None:
    texts = [str(leaf) for leaf in leaves]
    if not texts or not all(map(is_number, texts)):
        return None
    return np.array([float(text) for text in texts])


def _days(moments: np.ndarray) -> np.ndarray:
    """Days since 1970, with their parts; a missing moment is NaN."""
    days = (moments.astype("datetime64[us]") - np.datetime64(0, "us")) / DAY
    return np.where(np.isnat(moments), np.nan, days)
