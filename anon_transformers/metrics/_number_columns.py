"""The columns of numbers that an original and its published table share.

Dates are numbers here, counted in days. Booleans and texts are not.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import DATES_AS_OBJECTS, NUMBERS_AS_OBJECTS
from anon_transformers._data.dates import in_utc, read_moments
from anon_transformers._data.frames import to_frame
from anon_transformers.exceptions import DataError, NotEvaluable, unknown_choice

DAY = np.timedelta64(1, "D")


@dataclass(frozen=True, eq=False)
class NumberColumns:
    """Numbers before and after, column by column; NaN where a cell is missing.

    Attributes
    ----------
    names : tuple
        The columns, in the order of the original.
    before, after : float ndarray of shape (n_rows, n_columns)
        The rows of either table; there may be more in one of them.
    """

    names: tuple[Hashable, ...]
    before: np.ndarray
    after: np.ndarray

    def standardized(self) -> tuple[np.ndarray, np.ndarray]:
        """Both tables in z-scores of the original; a constant column gets scale 1."""
        center, scale = known_mean(self.before), known_deviation(self.before)
        scale = np.where(scale > 0, scale, 1.0)
        return (self.before - center) / scale, (self.after - center) / scale


@dataclass(frozen=True, eq=False)
class SharedColumns:
    """What the columns are that both tables have.

    Attributes
    ----------
    numbers : NumberColumns
        Those that hold numbers before and after.
    no_longer_numbers : tuple
        Numbers in the original that were published as something else: ranges, say.
    nominal : tuple
        All others.
    """

    numbers: NumberColumns
    no_longer_numbers: tuple[Hashable, ...]
    nominal: tuple[Hashable, ...]


def shared_columns(
    original: Any, published: Any, columns: Sequence[Hashable] | None = None
) -> SharedColumns:
    """Sort the shared columns, or those that are named, by what they hold."""
    original, published = to_frame(original), to_frame(published)
    before: dict[Hashable, np.ndarray] = {}
    after: dict[Hashable, np.ndarray] = {}
    changed, nominal = [], []
    for name in chosen_columns(original, published, columns):
        cells = as_numbers(original[name])
        if cells is None or np.isnan(cells).all():
            nominal.append(name)
            continue
        new = as_numbers(published[name])
        if new is None:
            changed.append(name)
        else:
            before[name], after[name] = cells, new
    numbers = NumberColumns(
        tuple(before),
        _side_by_side(before, len(original)),
        _side_by_side(after, len(published)),
    )
    return SharedColumns(numbers, tuple(changed), tuple(nominal))


def number_columns(
    original: Any, published: Any, columns: Sequence[Hashable] | None = None
) -> NumberColumns:
    """The numbers that both tables share; refuses to compare fewer in silence.

    Parameters
    ----------
    original, published : data frames
        Before and after.
    columns : sequence, optional
        Columns of numbers to compare; by default all that both tables have.

    Raises
    ------
    NotEvaluable
        If there is no such column, if a table has no row, or if a column of numbers
        was published as something else.
    """
    shared = shared_columns(original, published, columns)
    if columns is not None and shared.nominal:
        raise DataError(f"columns that hold no numbers: {_listed(shared.nominal)}.")
    refuse_fewer(shared)
    numbers = shared.numbers
    if not numbers.names or not len(numbers.before) or not len(numbers.after):
        raise NotEvaluable("the two tables share no numbers to compare.")
    return numbers


def refuse_fewer(shared: SharedColumns) -> None:
    """Refuse to leave out in silence what cannot be compared."""
    if shared.no_longer_numbers:
        raise NotEvaluable(
            "columns of numbers that the published table holds no numbers in: "
            f"{_listed(shared.no_longer_numbers)}. Name the columns to compare."
        )


def as_numbers(series: pd.Series) -> np.ndarray | None:
    """Cells as doubles, NaN where they are missing; None if they are no numbers."""
    held = types.infer_dtype(series, skipna=True) if series.dtype == object else ""
    if held in DATES_AS_OBJECTS:
        series = read_moments(series, series.name)
    if types.is_datetime64_any_dtype(series.dtype):
        moments = in_utc(series).to_numpy()
        days = (moments - np.datetime64(0, "D")) / DAY
        return np.where(np.isnat(moments), np.nan, days)
    if series.isna().all():
        return np.full(len(series), np.nan)
    if types.is_bool_dtype(series.dtype) or types.is_complex_dtype(series.dtype):
        return None
    if not types.is_numeric_dtype(series.dtype) and held not in NUMBERS_AS_OBJECTS:
        return None
    plain = series.where(series.notna(), np.nan) if held else series
    numbers = plain.to_numpy(dtype=np.float64, na_value=np.nan)
    infinite = int(np.isinf(numbers).sum())
    if infinite:
        raise DataError(
            f"column {series.name!r} holds infinite numbers in {infinite} rows."
        )
    return numbers


def known_mean(values: np.ndarray) -> np.ndarray:
    """Mean of the known cells of each column; NaN where there is none."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)


def known_deviation(values: np.ndarray) -> np.ndarray:
    """Population standard deviation of the known cells; NaN where there is none."""
    deviation = np.sqrt(known_mean((values - known_mean(values)) ** 2))
    # The mean of equal numbers may be a last digit beside them.
    low = np.fmin.reduce(values, axis=0, initial=np.inf)
    high = np.fmax.reduce(values, axis=0, initial=-np.inf)
    return np.where(low == high, 0.0, deviation)


def chosen_columns(
    original: pd.DataFrame,
    published: pd.DataFrame,
    columns: Sequence[Hashable] | None,
) -> list[Hashable]:
    """Columns that both tables have; those that are named must be among them."""
    for which, frame in (("original", original), ("published table", published)):
        if not frame.columns.is_unique:
            raise DataError(f"the {which} has a column twice.")
    shared: list[Hashable] = [n for n in original.columns if n in published.columns]
    if columns is None:
        return shared
    for name in columns:
        if name not in shared:
            raise DataError(unknown_choice("column", name, shared))
    return [name for name in shared if name in set(columns)]


def _side_by_side(cells: dict[Hashable, np.ndarray], n_rows: int) -> np.ndarray:
    return np.column_stack([*cells.values()]) if cells else np.empty((n_rows, 0))


def _listed(names: Sequence[Hashable]) -> str:
    return ", ".join(repr(name) for name in names)
