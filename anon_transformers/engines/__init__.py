"""Where a table lives: an engine groups it and recodes it there.

A DuckDB relation, a polars LazyFrame, a data frame of Spark or a table of an SQL
database never comes here as a whole. The engine counts its distinct combinations, the
library learns from the counts what may be published, and the engine recodes the rows
by a join.
"""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.engines._engine import Counts, Engine, LabelTable
    from anon_transformers.engines._open import counted_frame, open_engine
    from anon_transformers.engines._sql import SQLTable
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = ["Counts", "Engine", "LabelTable", "SQLTable", "counted_frame", "open_engine"]
