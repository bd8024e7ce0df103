"""What a few queries on a column of numbers answer, before and after."""

import math
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, identify
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import DataError, check_choice
from anon_transformers.metrics._intervals import parse_interval
from anon_transformers.metrics._labels_read import ANYTHING
from anon_transformers.parameters import whole

Arithmetic = Literal["exact", "integer"]


@dataclass(frozen=True)
class AggregateAnswers:
    """Answers about one column of numbers or ranges; None where not available.

    Attributes
    ----------
    minimum, maximum : float or None
        Smallest lower and largest upper bound.
    mean_lower, mean_middle : float or None
        Mean of the lower bounds, and of the middles of the ranges.
    mode : str or None
        Most frequent published value, the suppression label included; of several, the
        first in their order.
    mode_count : int
        How many rows have it.
    """

    minimum: float | None
    maximum: float | None
    mean_lower: float | None
    mean_middle: float | None
    mode: str | None
    mode_count: int


@dataclass(frozen=True)
class AnswerError:
    """One answer before and after.

    Attributes
    ----------
    original, released : number, str or None
        The two answers; None where not available.
    error : float or None
        Released less original; None if one is not a number.
    """

    original: float | str | None
    released: float | str | None
    error: float | None


def aggregate_answers(
    column: Any,
    *,
    arithmetic: Arithmetic = "exact",
    suppression_label: str = SUPPRESSED,
    dropped_rows: int = 0,
) -> AggregateAnswers:
    """Ask a column of numbers, or of the ranges they were published as.

    Suppressed, fully generalized and missing cells are left out of the four numbers.
    A number that needs a bound which a range does not have (``>=80`` has no upper one)
    is not available, and neither is any where no range is left.

    Parameters
    ----------
    column : Series or sequence
        Numbers, or labels that :func:`parse_interval` can read.
    arithmetic : {"exact", "integer"}, default="exact"
        "integer" computes as a published experiment did: middles and means lose what
        stands behind the decimal point.
    suppression_label : str, default="*"
        The text of a suppressed cell.
    dropped_rows : int, default=0
        Suppressed rows that were left out; the mode counts them as marked.

    Examples
    --------
    >>> aggregate_answers(["20-39", "20-39", "40-59", "*"])
    AggregateAnswers(minimum=20.0, maximum=59.0, mean_lower=26.666666666666668, \
mean_middle=36.166666666666664, mode='20-39', mode_count=2)
    >>> aggregate_answers(["20-39", "20-39", "40-59", "*"], arithmetic="integer")
    AggregateAnswers(minimum=20, maximum=59, mean_lower=26, mean_middle=35, \
mode='20-39', mode_count=2)
    >>> aggregate_answers(["*", "*"]).mean_middle is None
    True
    """
    check_choice("arithmetic", arithmetic, ("exact", "integer"))
    whole("dropped_rows", dropped_rows, 0)
    series = column if isinstance(column, pd.Series) else pd.Series(column)
    labels = identify(series)
    rows = np.bincount(labels.codes, minlength=labels.cardinality)[:-1]
    texts = [str(text) for text in labels.texts()]
    low, high, known = _bounds(labels, texts, rows, suppression_label)
    numbers = _numbers(low, high, rows[known], arithmetic)
    counts = pd.Series(rows, index=pd.Index(texts, dtype=object), dtype=np.int64)
    if dropped_rows:
        counts[suppression_label] = counts.get(suppression_label, 0) + dropped_rows
    if not len(counts):
        return AggregateAnswers(*numbers, None, 0)
    return AggregateAnswers(*numbers, str(counts.idxmax()), int(counts.max()))


def aggregate_query_error(
    original: Any,
    published: Any,
    *,
    arithmetic: Arithmetic = "exact",
    suppression_label: str = SUPPRESSED,
) -> dict[str, AnswerError]:
    """Compare the answers on a column of the original and of the published table.

    Parameters
    ----------
    original, published : Series or sequence
        The column before and after. Rows that were left out count as suppressed.
    arithmetic, suppression_label
        As for :func:`aggregate_answers`.

    Returns
    -------
    dict of answer to AnswerError

    Examples
    --------
    >>> aggregate_query_error([21, 39], ["20-39", "20-39"])["mean_middle"]
    AnswerError(original=30.0, released=29.5, error=-0.5)
    """
    dropped = len(original) - len(published)
    if dropped < 0:
        raise DataError(
            f"the published column has {len(published)} rows, the original "
            f"{len(original)}."
        )
    before = aggregate_answers(
        original, arithmetic=arithmetic, suppression_label=suppression_label
    )
    after = aggregate_answers(
        published,
        arithmetic=arithmetic,
        suppression_label=suppression_label,
        dropped_rows=dropped,
    )
    names = [field.name for field in fields(AggregateAnswers)]
    return {name: _error(getattr(before, name), getattr(after, name)) for name in names}


def _error(original: Any, released: Any) -> AnswerError:
    numbers = isinstance(original, int | float) and isinstance(released, int | float)
    return AnswerError(original, released, released - original if numbers else None)


def _bounds(
    labels: Column, texts: list[str], rows: np.ndarray, suppression_label: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bounds of the ranges, and which labels are one."""
    known = np.array(
        [text not in {suppression_label, ANYTHING} for text in texts], dtype=bool
    )
    found = [parse_interval(t) for t, k in zip(texts, known, strict=True) if k]
    unread = np.array([interval is None for interval in found], dtype=bool)
    if unread.any():
        count = int(rows[known][unread].sum())
        raise DataError(
            f"column {labels.name!r} holds labels in {count} rows that are no range of "
            "numbers."
        )
    ends = [(interval.low, interval.high) for interval in found if interval is not None]
    low, high = np.array(ends, dtype=float).reshape(-1, 2).T
    return low, high, known


def _numbers(
    low: np.ndarray, high: np.ndarray, rows: np.ndarray, arithmetic: Arithmetic
) -> tuple[float | None, float | None, float | None, float | None]:
    """Minimum, maximum, mean of the lower bounds and of the middles."""
    if not len(low):
        return None, None, None, None
    open_ended = np.isinf(low).any() or np.isinf(high).any()
    middles = np.full(1, math.nan) if open_ended else low / 2 + high / 2
    if arithmetic == "integer":
        middles = np.trunc(middles)
    mean = math.nan if open_ended else float(np.average(middles, weights=rows))
    return (
        _finite_answer(float(low.min()), arithmetic),
        _finite_answer(float(high.max()), arithmetic),
        _finite_answer(float(np.average(low, weights=rows)), arithmetic),
        _finite_answer(mean, arithmetic),
    )


def _finite_answer(answer: float, arithmetic: Arithmetic) -> float | None:
    if not math.isfinite(answer):
        return None
    return math.trunc(answer) if arithmetic == "integer" else answer
