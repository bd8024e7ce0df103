"""Published labels as features that a model can learn from."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers._data.labels import is_number, parse_ends
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.hierarchies._written_ranges import read_range

MOST_CATEGORIES = 50
"""Labels of a column that get a feature of their own, the most frequent first."""
MOSTLY = 0.8
"""From this share of its labels on, a column is one of numbers and ranges."""


def encode_features(
    train: pd.DataFrame, test: pd.DataFrame
) -> tuple[np.ndarray, np.ndarray]:
    """Features of two tables, by what the first one holds.

    A column of numbers and ranges becomes the middle of each, with the end that it has
    where it has one, the median of the first table where it has none, and a mark of
    which these are. Of any other column, each of its most frequent labels becomes a
    feature; labels that the first table lacks have none.

    Parameters
    ----------
    train, test : data frames
        With the same columns.

    Examples
    --------
    >>> learned = pd.DataFrame({"age": ["[20, 29]", "[30, 39]", "*"]})
    >>> later = pd.DataFrame({"age": ["34", "[30, 39]"]})
    >>> encode_features(learned, later)[1].tolist()
    [[34.0, 0.0], [34.5, 0.0]]
    """
    parts = [_encode(to_text(train[c]), to_text(test[c])) for c in train.columns]
    if not parts:
        return np.zeros((len(train), 0)), np.zeros((len(test), 0))
    return np.hstack([one for one, _ in parts]), np.hstack([two for _, two in parts])


def _encode(train: pd.Series, test: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    distinct = train.dropna().unique().tolist()
    middles = {label: middle_of(label) for label in distinct}
    read = sum(middle is not None for middle in middles.values())
    if read and read >= MOSTLY * len(set(distinct) - {SUPPRESSED}):
        columns = [_middles(series, middles) for series in (train, test)]
        median = np.nanmedian(columns[0])
        return _with_mark(columns[0], median), _with_mark(columns[1], median)
    frequent = train.value_counts().index[:MOST_CATEGORIES].tolist()
    return _one_hot(train, frequent), _one_hot(test, frequent)


def middle_of(label: str) -> float | None:
    """The middle of a range, or its one end; None of what is neither.

    Examples
    --------
    >>> middle_of("[20, 29]"), middle_of("[70-80)"), middle_of("7"), middle_of(">= 65")
    (24.5, 75.0, 7.0, 65.0)
    >>> middle_of("*") is None
    True
    """
    if is_number(label):
        return float(label)
    ends = parse_ends(label)
    if ends is not None:
        known = [float(e) for e in (ends.low, ends.high) if e and is_number(e)]
        return sum(known) / len(known) if known else None
    written = read_range(label)
    if written is None:
        return None
    bounds = [float(end) for end in (written.low, written.high) if end is not None]
    return sum(bounds) / len(bounds)


def _middles(series: pd.Series, known: dict[str, float | None]) -> np.ndarray:
    later = {t: middle_of(t) for t in series.dropna().unique() if t not in known}
    return series.map({**known, **later}).to_numpy(dtype=np.float64, na_value=np.nan)


def _with_mark(numbers: np.ndarray, median: float) -> np.ndarray:
    absent = np.isnan(numbers)
    return np.column_stack([np.where(absent, median, numbers), absent.astype(float)])


def _one_hot(series: pd.Series, labels: Sequence[str]) -> np.ndarray:
    if not len(labels):
        return np.zeros((len(series), 0))
    return np.column_stack([(series == label).to_numpy(float) for label in labels])
