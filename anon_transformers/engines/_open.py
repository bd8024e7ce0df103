"""Which engine a table is opened with."""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.frames import to_frame
from anon_transformers.engines._engine import Engine


def open_engine(table: Any) -> Engine | None:
    """The engine of a table that lives elsewhere; None for what is in memory.

    Parameters
    ----------
    table : object
        A DuckDB relation, a polars LazyFrame, an :class:`SQLTable`, a data frame of
        PySpark, or anything else.

    Examples
    --------
    >>> open_engine([[1, 2]]) is None
    True
    """
    if isinstance(table, Engine):
        return table
    # Who holds such a table has imported its library.
    duckdb, polars = sys.modules.get("duckdb"), sys.modules.get("polars")
    spark = sys.modules.get("pyspark.sql")
    if duckdb is not None and isinstance(table, duckdb.DuckDBPyRelation):
        from anon_transformers.engines._duckdb import DuckDBEngine

        return DuckDBEngine(table)
    if polars is not None and isinstance(table, polars.LazyFrame):
        from anon_transformers.engines._polars import PolarsEngine

        return PolarsEngine(table)
    if spark is not None and isinstance(table, spark.DataFrame):
        from anon_transformers.engines._spark import SparkEngine

        return SparkEngine(table)
    return None


def counted_frame(
    table: Any, columns: Sequence[Any]
) -> tuple[pd.DataFrame, np.ndarray | None]:
    """A table as a frame, and the rows that each of its rows stands for (None: one).

    Of a table that lives in an engine, only the distinct combinations of ``columns``
    are collected.

    Examples
    --------
    >>> frame, rows = counted_frame({"age": [20, 20]}, ["age"])
    >>> len(frame), rows
    (2, None)
    """
    engine = open_engine(table)
    if engine is None:
        return to_frame(table), None
    engine.refuse_unknown(columns)
    counts = engine.count(list(dict.fromkeys(columns)))
    return counts.frame, counts.rows
