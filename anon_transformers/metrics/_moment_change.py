"""What became of the distribution of each column of numbers."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from anon_transformers.evidence import Linkage
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.metrics._measure import QualityMetric
from anon_transformers.metrics._number_columns import (
    known_deviation,
    known_mean,
    number_columns,
)
from anon_transformers.parameters import real

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class MomentChanges:
    """Published less original, of one column; NaN where one of them has none.

    Attributes
    ----------
    mean : float
        Change of the mean, in standard deviations of the original.
    variance : float
        Change of the variance, as a share of the original's.
    skewness, kurtosis : float
        Change of the third and fourth standardized moments, which have no unit. A
        constant column has neither.
    quantiles : mapping of float to float
        Change of each quantile, in standard deviations of the original.
    """

    mean: float
    variance: float
    skewness: float
    kurtosis: float
    quantiles: Mapping[float, float]

    def to_dict(self) -> dict[str, Any]:
        """Numbers only; quantiles by their share as a text."""
        quantiles = {f"{share:g}": change for share, change in self.quantiles.items()}
        return {**asdict(self), "quantiles": quantiles}


def moment_changes(
    original: Any,
    published: Any,
    *,
    columns: Sequence[Hashable] | None = None,
    quantiles: Sequence[float] = QUANTILES,
) -> dict[Hashable, MomentChanges]:
    """Compare mean, variance, skewness, kurtosis and quantiles, column by column.

    Parameters
    ----------
    original, published : data frames
        Before and after; rows may be left out and stand in any order.
    columns : sequence, optional
        Columns of numbers to compare; by default all that both tables have.
    quantiles : sequence of float
        Between 0 and 1.

    Returns
    -------
    dict of column to MomentChanges

    Notes
    -----
    All are those of the known cells, with population formulas. The scale of a column
    that is constant in the original is 1: its changes are in its own unit.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"age": [20, 30, 40, 50]})
    >>> found = moment_changes(original, original + 10)["age"]
    >>> round(found.mean, 4), round(found.variance, 4), round(found.skewness, 4)
    (0.8944, 0.0, 0.0)
    """
    for share in quantiles:
        real("quantiles: each", share, 0, 1)
    numbers = number_columns(original, published, columns)
    before, after = numbers.standardized()
    moments = _moments(after) - _moments(before)
    places = [_quantiles(side, quantiles) for side in (before, after)]
    shifts = places[1] - places[0]
    found = {}
    for at, name in enumerate(numbers.names):
        mean, variance, skewness, kurtosis = moments[:, at].tolist()
        shifted = dict(zip(quantiles, shifts[:, at].tolist(), strict=True))
        found[name] = MomentChanges(mean, variance, skewness, kurtosis, shifted)
    return found


def _moments(scores: np.ndarray) -> np.ndarray:
    """Mean, variance, skewness and kurtosis of columns in z-scores."""
    mean, deviation = known_mean(scores), known_deviation(scores)
    own = np.where(deviation > 0, deviation, np.nan)
    standardized = (scores - mean) / own
    skewness, kurtosis = known_mean(standardized**3), known_mean(standardized**4)
    return np.stack([mean, deviation**2, skewness, kurtosis])


def _quantiles(scores: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    """Quantiles of the known cells of each column, one row per share."""
    found = np.full((len(shares), scores.shape[1]), np.nan)
    for at, column in enumerate(scores.T):
        known = column[~np.isnan(column)]
        if len(known):
            found[:, at] = np.quantile(known, shares)
    return found


@dataclass(frozen=True)
class MeanChange(QualityMetric):
    """Largest change of a column's mean, in standard deviations of the original.

    Parameters
    ----------
    columns : sequence, optional
        Columns of numbers to compare; by default all that both tables have.

    See Also
    --------
    moment_changes : Of each column, and of the other moments.
    """

    name: ClassVar[str] = "mean-change"

    def measure(self, evidence: Linkage) -> float:
        """0 if every mean is kept."""
        numbers = number_columns(evidence.original, evidence.published, self.columns)
        before, after = numbers.standardized()
        changes = np.abs(known_mean(after) - known_mean(before))
        if np.isnan(changes).any():
            count = int(np.isnan(changes).sum())
            raise NotEvaluable(f"{self.name}: {count} columns hold no number any more.")
        return float(changes.max())
