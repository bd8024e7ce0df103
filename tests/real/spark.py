"""A Spark session in this process: local, on loopback, gone with its Java after."""

import contextlib
import gc
import os
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING
from unittest.mock import patch

import pandas as pd
import pyarrow as pa

if TYPE_CHECKING:  # not there in an environment that only `make test` was run in
    from pyspark.sql import DataFrame, SparkSession

LOOPBACK = "127.0.0.1"
PATIENCE = 60
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": LOOPBACK,
    "spark.driver.host": LOOPBACK,
    # Small tables: more partitions, or plans that adapt, only cost time.
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
}


@contextlib.contextmanager
def running_spark() -> Iterator["SparkSession"]:
    """Start a session, and end its Java however the block ends."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    # Its workers are this Python, and not the first one of the path.
    own = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": LOOPBACK}
    with patch.dict(os.environ, own):
        builder = SparkSession.builder.master("local[1]").appName("anon-tests")
        session = builder.config(map=SETTINGS).getOrCreate()
        try:
            session.sparkContext.setLogLevel("OFF")
            yield session
        finally:
            gateway = session.sparkContext._gateway
            session.stop()
            gateway.shutdown()
            # Java ends when nobody can write to it any more.
            gateway.proc.stdin.close()
            gateway.proc.wait(PATIENCE)
            SparkContext._gateway = SparkContext._jvm = None
            # PySpark leaves the sockets that it read results from to the collector,
            # which would meet them in the tests of others.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)
                gc.collect()


def put(frame: pd.DataFrame, session: "SparkSession") -> "DataFrame":
    """The frame as a table of Spark, which knows no categories."""
    named = frame.select_dtypes("category").columns
    plain = frame.astype(dict.fromkeys(named, object))
    return session.createDataFrame(pa.Table.from_pandas(plain, preserve_index=False))
