"""A table whose cells change places: columns as numbers, and cells as they came."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

from anon_transformers._data.columns import Column, encode, encode_sensitive
from anon_transformers._data.dates import refuse_written_dates
from anon_transformers._kernels.swapping import Members, agreement, expected_shift
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError


class NumericCells(NamedTuple):
    """Cells of one column as numbers.

    Attributes
    ----------
    keys : int64 or float64 array
        In the order of the values, equal where cells are equal; missing ones are last.
    line : float64 array or None
        Where the cells of numbers and dates lie, NaN for missing ones. None: there is
        no distance between two values.
    """

    keys: np.ndarray
    line: np.ndarray | None

    def loss(self, members: Members) -> float:
        """Mean distance from a row's own cell to one drawn from its group, a share."""
        if self.line is None:
            return 1 - agreement(members, self.keys).same
        return expected_shift(members, self.line)

    def ranks(self) -> np.ndarray:
        """One coordinate per row: how many values lie below its own."""
        order = np.unique(self.keys, return_inverse=True)[1]
        return order.astype(np.float64)[:, np.newaxis]

    def points(self) -> np.ndarray:
        """One coordinate per row: its place, or its rank among values without distance.

        Missing cells lie beyond the last value, as far as that is from the first.
        """
        points = np.array(self.keys if self.line is None else self.line, np.float64)
        missing = np.isnan(points)
        if missing.any():
            known = points[~missing]
            low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
            points[missing] = high + max(high - low, 1.0)
        return points[:, np.newaxis]


@dataclass(frozen=True)
class LinkedTable:
    """A table at work: a column is coded when somebody asks for it.

    Attributes
    ----------
    frame : DataFrame
        The table as it was given.
    hierarchies : mapping of column to Hierarchy or builder
        Which values are near.
    """

    frame: pd.DataFrame = field(repr=False)
    hierarchies: Mapping[Any, Any] = field(default_factory=dict, repr=False)
    _moved: dict[Hashable, np.ndarray] = field(default_factory=dict, repr=False)
    _coded: dict[Hashable, Column] = field(default_factory=dict, repr=False)
    _judged: dict[Hashable, Column] = field(default_factory=dict, repr=False)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.frame)

    def column(self, name: Hashable) -> Column:
        """A column as codes, swapped as far as it is."""
        return self._as_moved(self._encoded(name))

    def places(self, name: Hashable) -> NumericCells:
        """A column as numbers to rank and to measure by, as it was given."""
        series = self.frame[name]
        if name not in self.hierarchies and _is_plain(series.dtype):
            # The numbers themselves: to code millions of them takes longer than a sort.
            return _plain_places(series)
        column = self._encoded(name)
        keys = column.codes.astype(np.int64)
        if column.kind not in {"number", "date"}:
            return NumericCells(keys, None)
        return NumericCells(keys, np.append(column.positions(), np.nan)[keys])

    def classes(self, labels: np.ndarray, names: Sequence[Hashable]) -> Classes:
        """What models may know of groups: their cells, swapped as far as they are."""
        for name in names:
            if name not in self._judged:
                hierarchy = self.hierarchies.get(name)
                self._judged[name] = encode_sensitive(self.frame[name], hierarchy)
        columns = [self._as_moved(self._judged[name]) for name in names]
        return Classes.from_labels(labels, int(labels.max()) + 1, sensitive=columns)

    def swapped(self, names: Sequence[Hashable], sources: np.ndarray) -> "LinkedTable":
        """The table after cells of ``names`` moved: row i has those of sources[i]."""
        return replace(self, _moved=self._moved | dict.fromkeys(names, sources))

    def _as_moved(self, column: Column) -> Column:
        if column.name in self._moved:
            return replace(column, codes=column.codes[self._moved[column.name]])
        return column

    def _encoded(self, name: Hashable) -> Column:
        if name not in self._coded:
            self._coded[name] = _encode(self.frame[name], self.hierarchies.get(name))
        return self._coded[name]


def with_moved_cells(
    X: Any, frame: pd.DataFrame, kept: pd.Index, moved: Mapping[Any, np.ndarray]
) -> Any:
    """Columns ``kept`` of ``X``, of its kind, with cells from other rows.

    Cells are moved as they are, by whatever holds them: no type, category or time zone
    changes.

    Parameters
    ----------
    X : data frame or array
        The table.
    frame : DataFrame
        The same as a pandas frame.
    kept : Index
        Columns of ``frame`` that stay.
    moved : mapping of column to int array
        For each row the row that its cell comes from.
    """
    if isinstance(X, pd.DataFrame):
        # As series of their own type: pandas has another one for texts in an array.
        cells = {
            name: pd.Series(
                _cells(X[name], moved.get(name)), dtype=X[name].dtype, copy=False
            )
            for name in kept
        }
        table = pd.DataFrame(cells, copy=False)
        return table.set_axis(X.index).set_axis(kept, axis=1)
    native = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        taken = [native.get_column(str(name))[moved[name]] for name in moved]
        return native.with_columns(*taken).select(*kept).to_native()
    array = np.array(X)
    for name, rows in moved.items():
        position = frame.columns.get_loc(name)
        array[:, position] = array[rows, position]
    return array[:, frame.columns.get_indexer(kept)]


def _cells(series: pd.Series, rows: np.ndarray | None) -> ExtensionArray:
    """Cells in memory of their own, those of other rows if some are named."""
    return series.array.copy() if rows is None else series.array.take(rows)


def _encode(series: pd.Series, hierarchy: Any) -> Column:
    column = encode(series, hierarchy)
    if column.kind == "category":
        refuse_written_dates(series, column.values)
    count = int((column.codes < 0).sum())
    if count:
        raise DataError(
            f"column {series.name!r} holds values in {count} rows that its hierarchy "
            "does not have, and a swap suppresses nothing; unknown='root' gives them a "
            "place."
        )
    return column


def _is_plain(dtype: Any) -> bool:
    """Whether numpy holds numbers that 64 bits, one of them a sign, can hold."""
    return (
        isinstance(dtype, np.dtype)
        and dtype.kind in "iuf"
        and dtype != np.uint64
        and dtype.itemsize <= np.dtype(np.float64).itemsize
    )


def _plain_places(series: pd.Series) -> NumericCells:
    numbers = series.to_numpy()
    if numbers.dtype.kind != "f":
        return NumericCells(
            numbers.astype(np.int64, copy=False), numbers.astype(np.float64)
        )
    count = int(np.isinf(numbers).sum())
    if count:
        raise DataError(
            f"column {series.name!r} holds infinite numbers in {count} rows."
        )
    doubles = numbers.astype(np.float64, copy=False)
    return NumericCells(doubles, doubles)
