"""How far the correlations of a published table are from those of its original."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from anon_transformers.evidence import Linkage
from anon_transformers.exceptions import (
    DataError,
    NotEvaluable,
    check_choice,
    unknown_choice,
)
from anon_transformers.metrics._measure import QualityMetric
from anon_transformers.metrics._number_columns import number_columns

Counted = Literal["pairs", "triangle"]
Statistic = Literal["mean", "sd", "max"]
COUNTED = ("pairs", "triangle")
STATISTICS = ("mean", "sd", "max")
FAR = 1e4
"""Columns whose cells are this much larger than their range are moved to zero."""


@dataclass(frozen=True, eq=False)
class CorrelationDifferences:
    """Absolute differences of correlations, one per entry.

    Attributes
    ----------
    entries : tuple of pairs of columns
        What was counted; with ``counted="triangle"`` also each column with itself.
    values : float ndarray
        Absolute difference of each entry.
    originals : float ndarray
        Absolute correlation of each entry in the original, 0 where the entry counts
        as 0: what the difference would be if every correlation were lost.
    """

    entries: tuple[tuple[Hashable, Hashable], ...]
    values: np.ndarray
    originals: np.ndarray

    @property
    def mean(self) -> float:
        """Mean difference."""
        return float(self.values.mean())

    @property
    def max(self) -> float:
        """Largest difference."""
        return float(self.values.max())

    @property
    def total_loss(self) -> float:
        """The mean difference if every correlation were lost."""
        return float(self.originals.mean())

    @property
    def ratio(self) -> float:
        """Mean difference by that of total loss; NaN if there was nothing to lose."""
        if self.total_loss == 0:
            return 0.0 if self.mean == 0 else math.nan
        return self.mean / self.total_loss

    def sd(self, ddof: int = 0) -> float:
        """Standard deviation; ``ddof=1`` for that of a sample, NaN of one entry."""
        if len(self.values) <= ddof:
            return math.nan
        return float(self.values.std(ddof=ddof))

    def to_dict(self) -> dict[str, Any]:
        """Numbers only."""
        return {
            "entries": len(self.entries),
            "mean": self.mean,
            "sd": self.sd(),
            "max": self.max,
            "total_loss": self.total_loss,
            "ratio": self.ratio,
        }


def correlation_differences(
    original: Any,
    published: Any,
    *,
    columns: Sequence[Hashable] | None = None,
    counted: Counted = "pairs",
    zero_among: Sequence[Hashable] = (),
) -> CorrelationDifferences:
    """Compare the correlations of two tables, entry by entry.

    Parameters
    ----------
    original, published : data frames
        Before and after; rows may be left out and stand in any order.
    columns : sequence, optional
        Columns of numbers to compare, such as the sensitive ones; by default all that
        both tables have.
    counted : {"pairs", "triangle"}, default="pairs"
        Which entries of the matrix count. "triangle" counts each column with itself
        too, a difference of 0: some published averages do.
    zero_among : sequence
        A pair of two of these columns counts as 0. So do published averages over all
        pairs that were taken of the sensitive columns with anything.

    Returns
    -------
    CorrelationDifferences

    Notes
    -----
    Correlations are Pearson's, over the rows in which both cells are known. A column
    that is constant there, or has fewer than two such rows, correlates 0 with every
    other: a table that lost all of a column's spread lost all its correlations.

    Examples
    --------
    >>> original = pd.DataFrame({"a": [1, 2, 3, 4], "b": [2, 4, 6, 8]})
    >>> found = correlation_differences(original, original.assign(b=[4, 2, 8, 6]))
    >>> round(found.mean, 3), round(found.ratio, 3)
    (0.4, 0.4)
    """
    check_choice("counted", counted, COUNTED)
    numbers = number_columns(original, published, columns)
    for name in zero_among:
        if name not in numbers.names:
            message = unknown_choice("column", name, numbers.names)
            raise DataError(f"zero_among: {message}")
    first, second = np.triu_indices(
        len(numbers.names), k=0 if counted == "triangle" else 1
    )
    if not len(first):
        raise NotEvaluable("correlations need two columns of numbers.")
    inside = np.isin(np.arange(len(numbers.names)), _places(numbers.names, zero_among))
    zero = (first == second) | (inside[first] & inside[second])
    before, after = correlations(numbers.before), correlations(numbers.after)
    entries = [
        (numbers.names[i], numbers.names[j]) for i, j in zip(first, second, strict=True)
    ]
    return CorrelationDifferences(
        tuple(entries),
        np.where(zero, 0.0, np.abs(before - after)[first, second]),
        np.where(zero, 0.0, np.abs(before)[first, second]),
    )


def correlations(values: np.ndarray) -> np.ndarray:
    """Pearson's correlations of columns; 0 where a column is constant.

    Parameters
    ----------
    values : float ndarray of shape (n_rows, n_columns)
        NaN where a cell is missing: each pair has the rows in which both are known.
    """
    # About a known cell far from zero digits are kept, and by a power of two no square
    # is too large or too small.
    known = ~np.isnan(values)
    first = values[known.argmax(axis=0), np.arange(values.shape[1])]
    halves = 0.5 * values - 0.5 * np.where(_is_far(values), first, 0.0)
    largest = np.fmax.reduce(np.abs(halves), axis=0, initial=0.0)
    scaled = np.ldexp(halves, -np.frexp(largest)[1])
    return pd.DataFrame(scaled).corr(min_periods=2).fillna(0.0).to_numpy()


def _is_far(values: np.ndarray) -> np.ndarray:
    """Columns that lie so far from zero that squares would lose their digits."""
    high = np.fmax.reduce(values, axis=0, initial=-np.inf)
    low = np.fmin.reduce(values, axis=0, initial=np.inf)
    with np.errstate(invalid="ignore", over="ignore"):
        return np.maximum(np.abs(high), np.abs(low)) > FAR * (high - low)


def _places(names: Sequence[Hashable], wanted: Sequence[Hashable]) -> list[int]:
    return [place for place, name in enumerate(names) if name in set(wanted)]


@dataclass(frozen=True)
class CorrelationDifference(QualityMetric):
    """Difference of the correlations of a published table from the original's.

    Parameters
    ----------
    columns : sequence, optional
        Columns of numbers to compare; by default all that both tables have.
    statistic : {"mean", "sd", "max"}, default="mean"
        What to tell of the absolute differences over all pairs; "sd" is that of a
        population.

    See Also
    --------
    correlation_differences : All of them, and what missing cells do.

    Examples
    --------
    >>> original = pd.DataFrame({"a": [1, 2, 3, 4], "b": [2, 4, 6, 8]})
    >>> linkage = Linkage(original, original.assign(b=[4, 2, 8, 6]))
    >>> round(CorrelationDifference().measure(linkage), 3)
    0.4
    """

    statistic: Statistic = "mean"
    name: ClassVar[str] = "correlation-difference"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("statistic", self.statistic, STATISTICS)

    def measure(self, evidence: Linkage) -> float:
        """0 if every correlation is kept."""
        found = correlation_differences(
            evidence.original, evidence.published, columns=self.columns
        )
        return found.to_dict()[self.statistic]
