"""Tables in polars: lazy frames."""

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from anon_transformers._data.frames import plain_cells
from anon_transformers.engines._engine import (
    COUNT,
    HIDDEN,
    LABEL,
    Counts,
    LabelTable,
    exact_numbers,
    holds_texts,
)
from anon_transformers.engines._lazy_frames import LazyFrameEngine


class PolarsEngine(LazyFrameEngine):
    """A polars LazyFrame."""

    name = "polars"
    collected = "frame.collect()"

    def count(self, columns: Sequence[Any]) -> Counts:
        """Count the rows of each combination of some columns, missing values too."""
        counted = self._counted(columns).collect()
        keys = counted.drop(COUNT)
        rows = counted.get_column(COUNT).to_numpy().astype(np.int64)
        frame = nw.from_native(keys).to_pandas()
        for name, dtype in keys.schema.items():
            if dtype.is_integer():
                frame[name] = exact_numbers(frame[name], keys[name].to_list())
        return Counts(frame, rows, keys)

    def recode(self, label_table: LabelTable) -> Any:
        """The published table, as a lazy frame."""
        import polars as pl

        keys = label_table.keys
        labels = {
            LABEL.format(at): plain_cells(label_table.labels[name])
            for at, name in enumerate(label_table.labels.columns)
        }
        mapping = keys.with_columns(
            *(pl.Series(name, cells) for name, cells in labels.items()),
            pl.Series(HIDDEN, label_table.suppressed),
        )
        joined = self.native.join(
            mapping.lazy(), on=keys.columns, how="left", nulls_equal=True
        )
        if label_table.drops:
            joined = joined.filter(~pl.col(HIDDEN).fill_null(True))
        return joined.select(_cell(name, label_table) for name in label_table.columns)


def _cell(name: str, label_table: LabelTable) -> Any:
    import polars as pl

    if name in label_table.labels.columns:
        label = pl.col(LABEL.format(label_table.labels.columns.get_loc(name)))
        if holds_texts(label_table.labels[name]):
            mark = pl.lit(label_table.suppression_label)
            label = pl.when(pl.col(HIDDEN).is_null()).then(mark).otherwise(label)
        return label.alias(name)
    if name in label_table.emptied:
        return pl.when(~pl.col(HIDDEN).fill_null(True)).then(pl.col(name)).alias(name)
    return pl.col(name)
