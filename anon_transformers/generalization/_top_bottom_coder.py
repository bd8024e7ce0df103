"""Numbers that stand out, cut off."""

from collections.abc import Hashable, Mapping
from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd

from anon_transformers.exceptions import ParameterError, check_choice, unknown_choice
from anon_transformers.generalization._numbers import NumberTransformer

Bound = float | Mapping[Hashable, float] | None


class TopBottomCoder(NumberTransformer):
    """Replace numbers beyond a bound by the bound; this promises no privacy model.

    Parameters
    ----------
    lower, upper : float or dict of column to float, default=None
        Smallest and largest number that is left. One for all columns, or by column;
        columns of an array are 0, 1, …. None: no bound.
    bounds : {"value", "quantile"}, default="value"
        Whether they are numbers of the column, or shares of its rows: an upper bound of
        0.99 as a quantile cuts off at most the largest 1 %.

    Attributes
    ----------
    lower_, upper_ : ndarray
        The bounds by column; infinite where there is none.

    See Also
    --------
    Rounder : Round numbers to multiples of a base.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.generalization import TopBottomCoder
    >>> people = pd.DataFrame({"age": [3, 40, 104]})
    >>> TopBottomCoder(lower=18, upper=90).fit_transform(people)["age"].tolist()
    [18, 40, 90]
    """

    def __init__(
        self,
        lower: Bound = None,
        upper: Bound = None,
        *,
        bounds: Literal["value", "quantile"] = "value",
    ):
        self.lower = lower
        self.upper = upper
        self.bounds = bounds

    def _learn(self, frame: pd.DataFrame) -> None:
        check_choice("bounds", self.bounds, ("value", "quantile"))
        self.lower_ = self._bounds("lower", self.lower, frame, -np.inf)
        self.upper_ = self._bounds("upper", self.upper, frame, np.inf)
        wrong = frame.columns[self.lower_ > self.upper_]
        if len(wrong):
            raise ParameterError(f"lower is above upper for column {wrong[0]!r}.")

    def _bounds(
        self, key: str, given: Bound, frame: pd.DataFrame, none: float
    ) -> np.ndarray:
        by_column = given if isinstance(given, Mapping) else {}
        for name in by_column:
            if name not in frame.columns:
                told = unknown_choice("column", name, frame.columns)
                raise ParameterError(f"{key}: {told}")
        found = []
        for name in frame.columns:
            bound = by_column.get(name) if isinstance(given, Mapping) else given
            found.append(
                none if bound is None else self._bound(key, bound, frame[name])
            )
        return np.array(found, dtype=np.float64)

    def _bound(self, key: str, bound: Any, column: pd.Series) -> float:
        number = isinstance(bound, Real) and not isinstance(bound, bool)
        if not number or np.isnan(bound):
            raise ParameterError(f"{key} must be a number, got {bound!r}.")
        if self.bounds == "value":
            return float(bound)
        if not 0 <= bound <= 1:
            raise ParameterError(f"{key} must be a share from 0 to 1, got {bound!r}.")
        known = column.dropna().to_numpy(dtype=np.float64)
        if not len(known):
            raise ParameterError(f"{key}: column {column.name!r} has no quantile.")
        return float(np.quantile(known, bound, method="inverted_cdf"))

    def _change(self, column: pd.Series, position: int) -> pd.Series:
        low, high = self.lower_[position], self.upper_[position]
        changed = column
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        for beyond, bound in ((numbers < low, low), (numbers > high, high)):
            if beyond.any():
                changed = _replaced(changed, beyond, float(bound))
        return changed


def _replaced(column: pd.Series, which: np.ndarray, bound: float) -> pd.Series:
    """With a whole bound, a column of whole numbers stays one."""
    if not pd.api.types.is_integer_dtype(column.dtype):
        return column.mask(which, bound)
    if bound.is_integer():
        return column.mask(which, int(bound))
    nullable = pd.api.types.is_extension_array_dtype(column.dtype)
    return column.astype("Float64" if nullable else "float64").mask(which, bound)
