"""Numbers that stand out, cut off."""

import math
from collections.abc import Mapping
from numbers import Integral
from typing import Any, Literal

import numpy as np
import pandas as pd

from anon_transformers._data.numbers import LARGEST_WHOLE
from anon_transformers.exceptions import (
    DataError,
    ParameterError,
    check_choice,
    unknown_choice,
)
from anon_transformers.generalization._numbers import NumberTransformer, numpy_dtype
from anon_transformers.parameters import is_number

Bound = float | Mapping[Any, float] | None


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
    lower_, upper_ : object ndarray
        The bounds by column, with every digit; infinite where there is none.

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
        wrong = frame.columns[(self.lower_ > self.upper_).astype(bool)]
        if len(wrong):
            raise ParameterError(f"lower is above upper for column {wrong[0]!r}.")

    def _bounds(
        self, key: str, given: Bound, frame: pd.DataFrame, none: float
    ) -> np.ndarray:
        by_column = given if isinstance(given, Mapping) else {}
        for name in by_column:
            if name not in frame.columns:
                message = unknown_choice("column", name, frame.columns)
                raise ParameterError(f"{key}: {message}")
        found = []
        for name in frame.columns:
            bound = by_column.get(name) if isinstance(given, Mapping) else given
            found.append(
                none if bound is None else self._bound(key, bound, frame[name])
            )
        return np.array(found, dtype=object)

    def _bound(self, key: str, bound: Any, column: pd.Series) -> int | float:
        if not _is_number(bound):
            raise ParameterError(f"{key} must be a number, got {bound!r}.")
        if self.bounds == "value":
            return int(bound) if isinstance(bound, Integral) else float(bound)
        if not 0 <= bound <= 1:
            raise ParameterError(f"{key} must be a share from 0 to 1, got {bound!r}.")
        known = _known(column)
        if not len(known):
            raise ParameterError(f"{key}: column {column.name!r} has no quantile.")
        place = np.quantile(np.arange(len(known)), bound, method="inverted_cdf")
        return np.sort(known)[int(place)].item()

    def _change(self, column: pd.Series, position: int) -> pd.Series:
        bounds = self.lower_[position], self.upper_[position]
        known = column.notna().to_numpy()
        numbers = _known(column)
        changed = column
        for bound, beyond in zip(bounds, (np.less, np.greater), strict=True):
            limit = _inside(bound, numbers.dtype, beyond)
            which = np.zeros(len(column), dtype=bool)
            which[known] = beyond(numbers, limit)
            if which.any():
                whole = numbers.dtype.kind in "iu" and not _is_whole(bound)
                changed = _replaced(changed, which, bound if whole else limit)
        return changed


def _known(column: pd.Series) -> np.ndarray:
    """Numbers of a column in a type of numpy that loses no digit of theirs."""
    known = column.dropna()
    dtype = numpy_dtype(column)
    return known.to_numpy(dtype=dtype if dtype.kind in "iu" else np.float64)


def _is_number(bound: Any) -> bool:
    if not is_number(bound):
        return False
    try:
        return not math.isnan(bound)
    except OverflowError:  # more digits than any number of a column has
        return False


def _is_whole(bound: int | float) -> bool:
    return isinstance(bound, int) or bound.is_integer()


def _inside(bound: int | float, dtype: np.dtype, beyond: Any) -> int | float:
    """The number nearest to a bound, and not beyond it, among those of a type.

    Numpy would round to compare a whole number with a double.
    """
    if not math.isfinite(bound):
        return bound
    if dtype.kind in "iu":
        return math.ceil(bound) if beyond is np.less else math.floor(bound)
    inward = math.inf if beyond is np.less else -math.inf
    near = float(bound)
    # Python compares a whole number and a double by all their digits.
    outside = near < bound if beyond is np.less else near > bound
    return math.nextafter(near, inward) if outside else near


def _replaced(column: pd.Series, which: np.ndarray, bound: int | float) -> pd.Series:
    """With a whole bound, a column of whole numbers stays one."""
    if not pd.api.types.is_integer_dtype(column.dtype) or isinstance(bound, int):
        return column.mask(which, bound)
    numbers = _known(column[~which])
    lost = np.count_nonzero((numbers > LARGEST_WHOLE) | (numbers < -LARGEST_WHOLE))
    if lost:
        raise DataError(
            f"column {column.name!r} holds whole numbers in {lost} rows that have more "
            "digits than a double; give it whole bounds."
        )
    nullable = pd.api.types.is_extension_array_dtype(column.dtype)
    return column.astype("Float64" if nullable else "float64").mask(which, bound)
