"""Tables in DuckDB: relations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

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

PLACE = "anon_place"
"""Column for the place of a combination among all."""


class DuckDBEngine(LazyFrameEngine):
    """A DuckDB relation.

    What it makes runs on the relation's own connection: relations of different
    connections cannot be combined.
    """

    name = "duckdb"
    collected = "relation.df()"

    def __init__(self, native: Any):
        super().__init__(_by_characters(native))

    def count(self, columns: Sequence[Any]) -> Counts:
        """Count the rows of each combination of some columns, missing values too."""
        # Once: the order of groups may be another one the next time. A connection may
        # keep no order, and labels would be those of other persons: so by places.
        anon_keys = self._counted(columns).to_arrow_table()
        frame = self._in_order(anon_keys.append_column(PLACE, _places(len(anon_keys))))
        rows = frame.pop(COUNT).to_numpy(dtype=np.int64)
        for name in frame.select_dtypes("float64"):
            frame[name] = exact_numbers(frame[name], anon_keys[name].to_pylist())
        return Counts(frame, rows, anon_keys)

    def _in_order(self, anon_keys: Any) -> Any:
        """A table of Arrow as a frame, its rows by their places."""
        ordered = f"SELECT * EXCLUDE ({PLACE}) FROM anon_keys ORDER BY {PLACE}"
        return self.native.query("anon_source", ordered).df()

    def recode(self, label_table: LabelTable) -> Any:
        """The published table, as a relation."""
        anon_map = label_table.keys.drop_columns([COUNT])
        keys = anon_map.column_names
        for at, name in enumerate(label_table.labels.columns):
            anon_map = anon_map.append_column(
                LABEL.format(at), _arrow_cells(label_table.labels[name])
            )
        anon_map = anon_map.append_column(HIDDEN, _arrow_cells(label_table.suppressed))
        # NULL and NaN are values like others: DuckDB joins them by this operator.
        alike = " AND ".join(
            f"s.{quoted(name)} IS NOT DISTINCT FROM m.{quoted(name)}" for name in keys
        )
        cells = ", ".join(_cell(name, label_table) for name in label_table.columns)
        where = f" WHERE NOT coalesce(m.{HIDDEN}, true)" if label_table.drops else ""
        return self.native.query(
            "anon_source",
            f"SELECT {cells} FROM anon_source s LEFT JOIN anon_map m ON {alike}{where}",
        )


def quoted(name: str) -> str:
    """A name of a column in SQL."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _by_characters(native: Any) -> Any:
    """The relation without collations of its texts.

    Under ``COLLATE NOCASE``, what is published as ``a`` and as ``A`` would be counted
    as one value.
    """
    texts = [str(kind) == "VARCHAR" for kind in native.types]
    if not any(texts) or len(set(native.columns)) < len(native.columns):
        return native
    return native.project(
        ", ".join(
            f"{quoted(name)} COLLATE C AS {quoted(name)}" if text else quoted(name)
            for name, text in zip(native.columns, texts, strict=True)
        )
    )


def _cell(name: str, label_table: LabelTable) -> str:
    own = quoted(name)
    if name in label_table.labels.columns:
        label = f"m.{LABEL.format(label_table.labels.columns.get_loc(name))}"
        if holds_texts(label_table.labels[name]):
            mark = "'" + label_table.suppression_label.replace("'", "''") + "'"
            label = f"CASE WHEN m.{HIDDEN} IS NULL THEN {mark} ELSE {label} END"
        return f"{label} AS {own}"
    if name in label_table.emptied:
        return f"CASE WHEN NOT coalesce(m.{HIDDEN}, true) THEN s.{own} END AS {own}"
    return f"s.{own} AS {own}"


def _places(count: int) -> Any:
    import pyarrow as pa

    return pa.array(np.arange(count))


def _arrow_cells(cells: Any) -> Any:
    import pyarrow as pa

    return pa.array(cells, from_pandas=True)
