"""Cells that tell of no other row.

A column has one type, and what a row that is not published held may have made it: one
text among numbers, one moment by the nanosecond. Here columns become what those of
their cells ask for that are published, and each cell is what it is by itself.
"""

import os
from collections.abc import Iterable
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
from pandas.api import types

from anon_transformers._data.columns import single_texts, to_text
from anon_transformers._data.dates import plain_moments, zone_of
from anon_transformers._data.numbers import is_whole
from anon_transformers.release._files import as_kind, is_nested
from anon_transformers.release._written_kinds import guess_kind

_UNMIXED = {"boolean", "date", "datetime", "empty"}
_SEVERAL = {"decimal", "mixed", "mixed-integer"}
_LARGEST = 2**63 - 1
_UNIT = "us"
"""What moments are written in."""


def published_kinds(
    frame: pd.DataFrame, columns: Iterable[str], *, written: bool, texts: bool = True
) -> pd.DataFrame:
    """A part of a source whose columns are what the cells of this part are.

    One text or one fraction among whole numbers makes another column of them all, and
    so does a missing cell. If its row is dropped, neither the kind of the column nor
    how the others are spelled may tell that it was there.

    Parameters
    ----------
    frame : DataFrame
        The rows that are published.
    columns : iterable of str
        Those of its columns that are published as they are.
    written : bool
        Whether cells are texts, as in a CSV file, so that 50.0 is not 50.
    texts : bool
        Whether columns of texts may be numbers; not where a file says what they are.
    """
    kinds = {}
    for name in columns:
        cells = _canonical(frame[name])
        if written or (texts and types.infer_dtype(cells, skipna=True) == "string"):
            known = to_text(cells)
            kinds[name] = as_kind(known, guess_kind(known, exact=True))
        else:
            kinds[name] = _own_kind(cells)
    return frame.assign(**kinds)


def _own_kind(cells: pd.Series) -> pd.Series:
    """A column in the type that its own cells ask for."""
    if cells.isna().all():
        return pd.Series(None, cells.index, dtype=object)
    if types.is_bool_dtype(cells.dtype):
        return cells
    if types.is_numeric_dtype(cells.dtype) and cells.dtype.kind in "iuf":
        known = cells[cells.notna()].to_numpy(dtype=cells.dtype.kind + "8")
        if known.dtype.kind == "f" and not is_whole(known).all():
            return cells
        room: Any = "Int64" if known.max() <= _LARGEST else "UInt64"
        whole = cells.astype(room)
        return whole if whole.isna().any() else whole.astype(room.lower())
    return cells


def single_cells(frame: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """The table with cells that are what they are, whatever other rows hold.

    Categories are values of one type, and so are decimals of one number of digits: one
    that is not published would tell itself by the others.
    """
    return frame.assign(**{name: _single_cells(frame[name]) for name in columns})


def _single_cells(series: pd.Series) -> pd.Series:
    if isinstance(series.dtype, pd.CategoricalDtype):
        values = pd.Series(series.cat.categories)
        if types.is_string_dtype(values.dtype):
            return series
        if series.cat.ordered:
            texts = single_texts(values)
            plain = texts.is_unique and texts.notna().all()
            return series.cat.rename_categories(texts.tolist()) if plain else series
        cells = [*values.astype(object), None]
        rows = pd.Series([cells[code] for code in series.cat.codes], series.index)
        return _single_cells(rows.infer_objects())
    several = series.dtype == object and types.infer_dtype(series) in _SEVERAL
    return single_texts(series) if several else series


def canonical(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with cells that are the same wherever their texts are.

    Checks compare texts, and a file may hold more: an empty text beside a missing one,
    -0.0 beside 0.0. Whoever chose between them could tell something of each row.

    Examples
    --------
    >>> canonical(pd.DataFrame({"note": ["", None], "x": [-0.0, 0.0]})).values.tolist()
    [[None, 0.0], [None, 0.0]]
    """
    return pd.DataFrame({name: _canonical(frame[name]) for name in frame.columns})


def _canonical(series: pd.Series) -> pd.Series:
    """A column of one type, without values that no row has.

    Objects of several types would lose the text that tells them apart: 1 and 1.0.
    """
    if isinstance(series.dtype, pd.CategoricalDtype):
        return _canonical_order(series) if series.cat.ordered else to_text(series)
    if types.is_float_dtype(series.dtype):
        return series + 0.0  # -0.0 and 0.0 are one number
    if types.is_datetime64_any_dtype(series.dtype):
        return _plainest_moments(plain_moments(series))
    if types.is_timedelta64_dtype(series.dtype):
        return _in_plain_unit(series)
    if types.is_unsigned_integer_dtype(series.dtype):
        return _plainest_integers(series)
    if series.dtype == object:
        return _canonical_objects(series)
    if types.is_string_dtype(series.dtype) or is_nested(series.dtype):
        return to_text(series)
    return series


def _canonical_objects(series: pd.Series) -> pd.Series:
    held = types.infer_dtype(series, skipna=True)
    if held == "integer":
        try:
            return series.astype("Int64")
        except OverflowError:
            return to_text(series)
    if held == "floating":
        return series.astype("float64") + 0.0
    return series if held in _UNMIXED else to_text(series)


def _plainest_moments(series: pd.Series) -> pd.Series:
    """Moments by the microsecond, and without a zone if there are none.

    A finer unit, like numbers beyond the usual whole ones, only where a cell needs it:
    a column that once held such a cell must not tell of it.
    """
    if series.isna().all() and zone_of(series) is not None:
        series = series.dt.tz_localize(None)
    return _in_plain_unit(series)


def _in_plain_unit(series: pd.Series) -> pd.Series:
    """Moments or durations in the usual unit, if each of them is the same in it."""
    try:
        plain = series.dt.as_unit(_UNIT)
    except (
        OverflowError,
        pd.errors.OutOfBoundsDatetime,
        pd.errors.OutOfBoundsTimedelta,
    ):
        return series
    return plain if (plain == series)[series.notna()].all() else series


def _plainest_integers(series: pd.Series) -> pd.Series:
    """Whole numbers with a sign, if all of them fit."""
    if series.notna().any() and series.max() > _LARGEST:
        return series
    nullable = types.is_extension_array_dtype(series.dtype)
    return series.astype("Int64" if nullable else "int64")


def _canonical_order(series: pd.Series) -> pd.Series:
    """Values in an order; as texts where two have the same text, or one has none."""
    used = series.cat.remove_unused_categories()
    texts = to_text(pd.Series(used.cat.categories))
    if texts.is_unique and texts.notna().all():
        kept = _canonical(pd.Series(used.cat.categories))
        return used.cat.rename_categories(kept.tolist())
    order = texts.dropna().unique()
    return pd.Series(pd.Categorical(to_text(used), order, ordered=True), series.index)


def write_parquet(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a Parquet file that holds the columns and nothing else."""
    table = pa.Table.from_pandas(canonical(frame), preserve_index=False)
    pyarrow.parquet.write_table(table.replace_schema_metadata(None), os.fspath(path))
