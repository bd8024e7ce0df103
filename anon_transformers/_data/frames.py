"""Data frames of any library in, the same kind out."""

from collections.abc import Container, Hashable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from pandas.api import types


def is_frame(X: Any) -> bool:
    """Whether ``X`` is an eager data frame of some library."""
    if isinstance(X, pd.DataFrame):
        return True
    native = nw.from_native(X, eager_only=True, pass_through=True)
    return isinstance(native, nw.DataFrame)


def to_frame(X: Any) -> pd.DataFrame:
    """Any eager data frame as a pandas frame; arrays get columns 0, 1, …."""
    if isinstance(X, pd.DataFrame):
        return X
    native = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        return native.to_pandas()
    return pd.DataFrame(X)


def like_input(
    frame: pd.DataFrame,
    X: Any,
    changed: Container[Hashable],
    rows: np.ndarray | None = None,
) -> Any:
    """Give ``frame`` the type of ``X``: pandas, another frame library, or array.

    Columns that were not ``changed`` are taken from ``X`` itself (those of its
    ``rows`` that are left), for another library may know types that pandas does not.
    """
    if isinstance(X, pd.DataFrame):
        return frame
    native = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        source = native if rows is None else native.filter(rows.tolist())
        new = [_like_series(frame[n], native) for n in frame.columns if n in changed]
        return source.with_columns(*new).select(*frame.columns).to_native()
    if all(types.is_numeric_dtype(dtype) for dtype in frame.dtypes):
        return frame.to_numpy()
    return frame.to_numpy(dtype=object)


def made_like(frame: pd.DataFrame, X: Any) -> Any:
    """A new table as a frame of the library that ``X`` is of."""
    native = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(X, pd.DataFrame) or not isinstance(native, nw.DataFrame):
        return frame
    columns = [_like_series(frame[name], native) for name in frame.columns]
    made = {series.name: series for series in columns}
    return nw.from_dict(made, backend=native.implementation).to_native()


def _like_series(series: pd.Series, native: nw.DataFrame) -> nw.Series:
    cells = plain_cells(series)
    return nw.new_series(str(series.name), cells, backend=native.implementation)


def plain_cells(series: pd.Series) -> list[Any]:
    """The cells as Python objects; a missing one is None."""
    return series.astype(object).where(series.notna(), None).tolist()
