"""Tables in Spark: data frames, which are counted there."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.engines._engine import COUNT, Counts, LabelTable
from anon_transformers.engines._lazy_frames import LazyFrameEngine
from anon_transformers.exceptions import AnonymizationError, DataError
from anon_transformers.roles import refuse_repeated_columns

COLUMN = "anon_column_{}"
BY_BYTES = "UTF8_BINARY"
"""The collation under which only texts of the same characters are equal."""
LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")


class SparkEngine(LazyFrameEngine):
    """A data frame of PySpark: it is counted in Spark, and not recoded there.

    Parameters
    ----------
    native : pyspark.sql.DataFrame
        The table.
    """

    name = "spark"
    collected = "frame.toPandas()"
    recodes = False

    def __init__(self, native: Any):
        names = list(native.columns)
        refuse_repeated_columns(names)
        self._own = {name: COLUMN.format(at) for at, name in enumerate(names)}
        self._types = [field.dataType for field in native.schema.fields]
        # By place: Spark reads a dot in a name as a path, and takes Age for age.
        renamed = native.toDF(*self._own.values())
        own = zip(self._own.values(), self._types, strict=True)
        super().__init__(renamed.select(*(_by_bytes(*one) for one in own)))
        self._columns = names
        self._rows: int | None = None

    def n_rows(self) -> int:
        """How many rows the table has; Spark reads the table for it once."""
        if self._rows is None:
            with _reading():
                self._rows = super().n_rows()
        return self._rows

    def n_combinations(self, columns: Sequence[Any]) -> int:
        """How many distinct combinations of some columns there are."""
        with _reading():
            return super().n_combinations(columns)

    def n_repeated(self, column: Any) -> int:
        """How many values of a column stand in several rows."""
        with _reading():
            return super().n_repeated(column)

    def count(self, columns: Sequence[Any]) -> Counts:
        """Count the rows of each combination of some columns, missing values too."""
        with _reading():
            found = self._counted(columns).toArrow()
        # Whole numbers stay whole beside missing ones: large ones would become equal.
        frame = found.to_pandas(types_mapper=_nullable)
        rows = frame.pop(COUNT).to_numpy(dtype=np.int64)
        return Counts(frame.set_axis(list(columns), axis=1), rows)

    def recode(self, label_table: LabelTable) -> Any:
        """Refused: a table in Spark is counted only."""
        raise DataError(self.not_recoded())

    def _held(self, columns: Sequence[Any]) -> list[Any]:
        self.refuse_unknown(columns)
        for name, kind in zip(self._columns, self._types, strict=True):
            if name in columns:
                _refuse_nested(name, kind)
        return [self._own[name] for name in columns]


def _by_bytes(name: str, kind: Any) -> Any:
    """A column whose texts are told apart as they are published.

    Under another collation ``a`` and ``A`` would be counted as one value.
    """
    from pyspark.sql import functions as F

    collated = getattr(kind, "collation", BY_BYTES) != BY_BYTES
    return F.collate(F.col(name), BY_BYTES).alias(name) if collated else F.col(name)


def _refuse_nested(name: Any, kind: Any) -> None:
    """Refuse a column whose cells are no single values."""
    from pyspark.sql import types

    single = (
        types.NumericType,
        types.StringType,
        types.CharType,
        types.VarcharType,
        types.BooleanType,
        types.DateType,
        types.TimestampType,
        types.TimestampNTZType,
        types.NullType,
    )
    if not isinstance(kind, single):
        raise DataError(
            f"column {name!r}: Spark holds it as {kind.typeName()}; cast it to "
            "numbers, texts, truths, dates or moments, which can be counted."
        )


def _nullable(kind: Any) -> Any:
    """The pandas type of whole numbers; None is the usual one of other values."""
    import pyarrow as pa

    return pd.Int64Dtype() if pa.types.is_signed_integer(kind) else None


@contextmanager
def _reading() -> Iterator[None]:
    """Say that a table cannot be read; a message of Spark may quote cells."""
    from pyspark.logger import PySparkLogger

    # They log each error that PySpark raises, with the message.
    loggers = [PySparkLogger.getLogger(name) for name in LOGGERS]
    for logger in loggers:
        logger.addFilter(_nothing)
    try:
        yield
    except AnonymizationError:
        raise
    except Exception as error:  # of Spark, of Java, or of the connection to them
        fault = type(error).__name__
        raise DataError(f"the Spark table cannot be read ({fault}).") from None
    finally:
        for logger in loggers:
            logger.removeFilter(_nothing)


def _nothing(record: Any) -> bool:
    return False
