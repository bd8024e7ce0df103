"""What engines have in common that narwhals reaches: DuckDB, polars and Spark."""

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw

from anon_transformers.engines._engine import COUNT, Engine


class LazyFrameEngine(Engine):
    """A lazy frame that narwhals groups.

    Parameters
    ----------
    native : lazy frame
        The table.
    """

    def __init__(self, native: Any):
        self.native = native
        self._frame = nw.from_native(native)
        self._columns = self._frame.collect_schema().names()

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._columns

    def n_rows(self) -> int:
        """How many rows the table has."""
        return _number(self._frame.select(nw.len()))

    def n_combinations(self, columns: Sequence[Any]) -> int:
        """How many distinct combinations of some columns there are."""
        distinct = self._frame.select(*self._held(columns)).unique()
        return _number(distinct.select(nw.len()))

    def n_repeated(self, column: Any) -> int:
        """How many values of a column stand in several rows."""
        (held,) = self._held([column])
        known = self._frame.filter(~nw.col(held).is_null())
        counted = known.group_by(held).agg(nw.len().alias(COUNT))
        return _number(counted.filter(nw.col(COUNT) > 1).select(nw.len()))

    def _counted(self, columns: Sequence[Any]) -> Any:
        """The rows of each combination, still lazy."""
        counted = self._frame.group_by(*self._held(columns)).agg(nw.len().alias(COUNT))
        return counted.to_native()

    def _held(self, columns: Sequence[Any]) -> list[Any]:
        """What the lazy frame calls some columns."""
        self.refuse_unknown(columns)
        return list(columns)


def _number(frame: nw.LazyFrame) -> int:
    return int(frame.collect().item())
