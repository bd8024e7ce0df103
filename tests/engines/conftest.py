"""One table in every engine, and back."""

import duckdb
import pandas as pd
import polars as pl
import sqlalchemy as sa

from anon_transformers.engines import SQLTable

KINDS = ("duckdb", "polars", "sqlite")


def put(frame, kind):
    """The frame as a table of an engine."""
    if kind == "duckdb":
        return duckdb.connect().from_df(frame)
    if kind == "polars":
        return pl.from_pandas(frame).lazy()
    connection = sa.create_engine("sqlite://").connect()
    frame.to_sql("people", connection, index=False)
    return SQLTable(connection, "people")


def collect(table):
    """A table of an engine as the frame that its users would get of it."""
    if isinstance(table, duckdb.DuckDBPyRelation):
        return table.df()
    if hasattr(table, "toPandas"):
        return table.toArrow().to_pandas()
    return (
        table.collect().to_pandas() if hasattr(table, "collect") else table.to_frame()
    )


def rows(frame):
    """The rows as sorted texts: an engine keeps no order."""
    texts = frame.astype(object).where(frame.notna(), None).map(_text)
    return sorted(map(tuple, texts.to_numpy().tolist()))


def _text(cell):
    if cell is None:
        return "missing"
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    if isinstance(cell, pd.Timestamp):
        cell = cell.date() if cell == cell.normalize() else cell
    return str(cell)
