"""Numbers with fewer digits."""

from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.generalization._numbers import NumberTransformer, numpy_dtype
from anon_transformers.parameters import is_number

DIGITS = Context(prec=800, rounding=ROUND_HALF_EVEN)
"""Room for every digit that a double may have, written out."""


class Rounder(NumberTransformer):
    """Round numbers to multiples of a base; this promises no privacy model.

    The arithmetic is decimal, on the digits as they are written: with a base of 0.1 the
    number 0.15 lies halfway, and 0.3 is 0.3. What lies halfway goes to the even
    multiple. Whole numbers stay whole where the base is.

    Parameters
    ----------
    base : number, default=1
        Above 0. A text such as ``"0.1"`` or a Decimal is taken as it is written.

    Attributes
    ----------
    base_ : Decimal
        The base.

    See Also
    --------
    TopBottomCoder : Replace numbers beyond a bound by the bound.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.generalization import Rounder
    >>> people = pd.DataFrame({"pay": [1234, 1250, 1350]})
    >>> Rounder(base=100).fit_transform(people)["pay"].tolist()
    [1200, 1200, 1400]
    >>> Rounder(base=0.1).fit_transform([[0.29], [0.05]]).tolist()
    [[0.3], [0.0]]
    """

    def __init__(self, base: Any = 1):
        self.base = base

    def _learn(self, frame: pd.DataFrame) -> None:
        self.base_ = _read(self.base)

    def _change(self, column: pd.Series, position: int) -> pd.Series:
        codes, values = pd.factorize(column, use_na_sentinel=True)
        rounded = [_round(Decimal(str(value)), self.base_) for value in values]
        if pd.api.types.is_integer_dtype(column.dtype) and self.base_ % 1 == 0:
            return _whole(column, np.asarray(codes), [int(n) for n in rounded])
        floats = np.array([*map(float, rounded), np.nan])
        changed = pd.Series(floats[codes], column.index)
        fits = pd.api.types.is_float_dtype(column.dtype)
        return changed.astype(column.dtype) if fits else changed


def _whole(column: pd.Series, codes: np.ndarray, numbers: list[int]) -> pd.Series:
    """Whole numbers by code, in the column's own type if they fit into it."""
    own = numpy_dtype(column)
    for room in (np.iinfo(own), np.iinfo(np.int64), np.iinfo(np.uint64)):
        beyond = [not room.min <= number <= room.max for number in numbers]
        if any(beyond):
            continue
        cells = pd.array(np.array(numbers, dtype=room.dtype))
        rounded = pd.Series(cells.take(codes, allow_fill=True), column.index)
        if room.dtype == own:
            return rounded.astype(column.dtype)
        return rounded if rounded.hasnans else rounded.astype(room.dtype)
    count = np.append(beyond, False)[codes].sum()
    raise DataError(
        f"column {column.name!r} holds numbers in {count} rows whose nearest multiple "
        "is no 64-bit whole number."
    )


def _read(base: Any) -> Decimal:
    given = is_number(base) or isinstance(base, Decimal | str)
    try:
        number = Decimal(str(base)) if given else Decimal("nan")
    except ArithmeticError:
        number = Decimal("nan")
    if not number.is_finite() or number <= 0:
        raise ParameterError(f"base must be a number above 0, got {base!r}.")
    return number


def _round(number: Decimal, base: Decimal) -> Decimal:
    """The nearest multiple; of two, the even one."""
    with localcontext(DIGITS):
        # A fraction knows no rounding error; Python rounds it half to even.
        return round(Fraction(number) / Fraction(base)) * base + 0
