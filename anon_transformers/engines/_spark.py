"""Tables in Spark: data frames."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.frames import plain_cells
from anon_transformers.engines._engine import (
    COUNT,
    HIDDEN,
    LABEL,
    Counts,
    LabelTable,
    holds_texts,
)
from anon_transformers.engines._lazy_frames import LazyFrameEngine
from anon_transformers.exceptions import AnonymizationError, DataError
from anon_transformers.roles import refuse_repeated_columns

COLUMN = "anon_column_{}"
KEY = "anon_key_{}"
SENT_WHOLE = 32 * 2**20
"""Up to so many bytes, every worker gets all labels, and no row moves to them."""
BY_BYTES = "UTF8_BINARY"
"""The collation under which only texts of the same characters are equal."""
LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")


class SparkEngine(LazyFrameEngine):
    """A data frame of PySpark.

    Parameters
    ----------
    native : pyspark.sql.DataFrame
        The table.
    """

    name = "spark"
    collected = "frame.toPandas()"

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
        keys = found.drop_columns([COUNT])
        return Counts(frame.set_axis(list(columns), axis=1), rows, keys)

    def recode(self, label_table: LabelTable) -> Any:
        """The published table, as a data frame of the same session."""
        from pyspark.sql import functions as F

        mapping = self._mapping(label_table)
        # NULL and NaN are values like others; Spark joins them by this operator.
        alike = F.lit(True)
        for at, own in enumerate(label_table.keys.column_names):
            alike &= F.col(own).eqNullSafe(F.col(KEY.format(at)))
        joined = self.native.join(mapping, alike, "left")
        if label_table.drops:
            joined = joined.filter(~F.coalesce(HIDDEN, F.lit(True)))
        return joined.select(*(self._cell(n, label_table) for n in label_table.columns))

    def _mapping(self, label_table: LabelTable) -> Any:
        """What is published of each combination, as a data frame of the session."""
        import pyarrow as pa
        from pyspark.sql import functions as F
        from pyspark.sql import types

        held, labels = label_table.keys, label_table.labels
        kinds = {field.name: field.dataType for field in self.native.schema.fields}
        names = [KEY.format(at) for at in range(held.num_columns)]
        table = held.rename_columns(names)
        schema = types.StructType()
        for name, own in zip(names, held.column_names, strict=True):
            schema.add(name, kinds[own])
        for at, column in enumerate(labels.columns):
            cells = _arrow_cells(labels[column])
            table = table.append_column(LABEL.format(at), cells)
            schema.add(LABEL.format(at), _spark_type(cells.type))
        table = table.append_column(HIDDEN, pa.array(label_table.suppressed))
        schema.add(HIDDEN, types.BooleanType())
        made = self.native.sparkSession.createDataFrame(table, schema)
        return F.broadcast(made) if table.nbytes <= SENT_WHOLE else made

    def _cell(self, name: str, label_table: LabelTable) -> Any:
        from pyspark.sql import functions as F

        own = F.col(self._own[name])
        if name in label_table.labels.columns:
            label = F.col(LABEL.format(label_table.labels.columns.get_loc(name)))
            if holds_texts(label_table.labels[name]):
                mark = F.lit(label_table.suppression_label)
                label = F.when(F.col(HIDDEN).isNull(), mark).otherwise(label)
            return label.alias(name)
        if name in label_table.emptied:
            own = F.when(~F.coalesce(HIDDEN, F.lit(True)), own)
        return own.alias(name)

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


def _arrow_cells(labels: pd.Series) -> Any:
    """Published cells as Spark takes them: its moments are of microseconds."""
    import pyarrow as pa

    cells = pa.array(plain_cells(labels), from_pandas=True)
    moments = pa.types.is_timestamp(cells.type)
    return cells.cast(pa.timestamp("us")) if moments else cells


def _spark_type(kind: Any) -> Any:
    from pyspark.sql.pandas.types import from_arrow_type

    return from_arrow_type(kind, prefer_timestamp_ntz=True)


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
