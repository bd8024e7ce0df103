"""How far published numbers are from the original ones, row by row."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anon_transformers.evidence import Linkage
from anon_transformers.exceptions import DataError
from anon_transformers.metrics._measure import QualityMetric
from anon_transformers.metrics._number_columns import number_columns


@dataclass(frozen=True)
class SquaredErrors:
    """SSE/SST on standardized data.

    Attributes
    ----------
    total : float
        Share of the sum of squares of all columns that was lost.
    columns : mapping of column to float
        The share of each; infinite for a constant column that was changed.
    """

    total: float
    columns: Mapping[Any, float]

    def to_dict(self) -> dict[str, Any]:
        """Numbers only."""
        return {"total": self.total, "columns": dict(self.columns)}


def squared_error_share(
    original: Any, published: Any, *, columns: Sequence[Hashable] | None = None
) -> SquaredErrors:
    """Share of the original's sum of squares that the published cells are off by.

    Both tables are taken in z-scores of the original (population standard deviation,
    scale 1 for a constant column). SSE is the sum of squared differences, SST that of
    the original's own scores. This is the information loss of microaggregation.

    Parameters
    ----------
    original, published : data frames
        Row ``i`` of one must be what became of row ``i`` of the other.
    columns : sequence, optional
        Columns of numbers to compare; by default all that both tables have.

    Returns
    -------
    SquaredErrors
        0 if nothing was changed, 1 if every column became its mean. Swapped cells may
        give up to 4.

    Notes
    -----
    A cell that is missing in the published table counts as the original's mean, so
    that suppression is no way to a small error. One that was missing before has
    nothing to be compared with and is left out.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"age": [20, 22, 40, 42], "pay": [1, 1, 3, 3]})
    >>> found = squared_error_share(original, original.assign(age=[21, 21, 41, 41]))
    >>> round(found.total, 4), round(found.columns["age"], 4)
    (0.005, 0.0099)
    """
    numbers = number_columns(original, published, columns)
    if len(numbers.before) != len(numbers.after):
        raise DataError(
            f"the original has {len(numbers.before)} rows and the published table "
            f"{len(numbers.after)}: squared errors need rows that belong together."
        )
    before, after = numbers.standardized()
    errors = _sums((before - np.nan_to_num(after)) ** 2)
    squares = _sums(before**2)
    return SquaredErrors(
        _share(errors.sum(), squares.sum()),
        {
            name: _share(error, square)
            for name, error, square in zip(numbers.names, errors, squares, strict=True)
        },
    )


def _sums(squares: np.ndarray) -> np.ndarray:
    return np.nansum(squares, axis=0)


def _share(error: float, square: float) -> float:
    if error == 0:
        return 0.0
    return float(error / square) if square > 0 else math.inf


@dataclass(frozen=True)
class SquaredErrorShare(QualityMetric):
    """SSE/SST on standardized data: the information loss of microaggregation.

    Parameters
    ----------
    columns : sequence, optional
        Columns of numbers to compare; by default all that both tables have.

    See Also
    --------
    squared_error_share : The share of each column too, and what missing cells do.
    """

    name: ClassVar[str] = "squared-error-share"

    def measure(self, evidence: Linkage) -> float:
        """0 if nothing was changed, 1 if every column became its mean."""
        return squared_error_share(
            evidence.original, evidence.published, columns=self.columns
        ).total
