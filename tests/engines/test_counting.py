"""Values that an engine, or pandas, takes for equal are told apart as published."""

from decimal import Decimal

import duckdb
import pandas as pd
import polars as pl
import pytest
import sqlalchemy as sa

from anon_transformers import MondrianAnonymizer
from anon_transformers.engines import SQLTable, open_engine
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import SpellingWarning
from tests.engines.conftest import KINDS, collect, put

LARGE = 2**53
"""From here on floating numbers skip whole ones."""


def collated(kind):
    """A table whose texts are compared without their case."""
    rows = "INSERT INTO people VALUES ('a', 1), ('A', 2), ('a', 3), (NULL, 4)"
    if kind == "duckdb":
        connection = duckdb.connect()
        connection.execute("CREATE TABLE people (ward TEXT COLLATE NOCASE, n BIGINT)")
        connection.execute(rows)
        return connection.table("people")
    connection = sa.create_engine("sqlite://").connect()
    connection.execute(
        sa.text("CREATE TABLE people (ward TEXT COLLATE NOCASE, n BIGINT)")
    )
    connection.execute(sa.text(rows))
    return SQLTable(connection, "people")


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_texts_that_differ_by_case_are_two_values(kind):
    table = collated(kind)
    assert sorted(Classes.from_frame(table, ["ward"]).sizes) == [1, 1, 2]
    engine = open_engine(table)
    assert engine.n_combinations(["ward"]) == 3
    assert engine.n_repeated("ward") == 1


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_rows_are_recoded_once_whatever_the_collation(kind):
    method = MondrianAnonymizer(["ward"], k=2, suppression="drop")
    with pytest.warns(SpellingWarning, match="'ward'"):
        recoded = collect(method.fit_transform(collated(kind)))
    assert sorted(recoded["n"]) == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", KINDS)
def test_large_whole_numbers_beside_a_missing_one_stay_apart(kind):
    cells = [LARGE, LARGE + 1, None]
    frame = pd.DataFrame({"id": pd.array(cells, dtype="Int64")})
    if kind == "sqlite":  # pandas writes whole numbers with a missing one as they are
        connection = sa.create_engine("sqlite://").connect()
        frame.to_sql("people", connection, index=False, dtype={"id": sa.BigInteger})
        table = SQLTable(connection, "people")
    else:
        table = put(frame, kind)
    for held in (frame, table):
        assert sorted(Classes.from_frame(held, ["id"]).sizes) == [1, 1, 1]
    keys = open_engine(table).count_keys(["id"]).frame["id"]
    assert {cell for cell in keys if not pd.isna(cell)} == {LARGE, LARGE + 1}


def test_exact_numbers_of_duckdb_stay_apart():
    relation = duckdb.sql(
        f"SELECT * FROM (VALUES ({LARGE}::decimal(38, 0), {LARGE}::hugeint), "
        f"({LARGE + 1}, {LARGE + 1}), (NULL, NULL)) t(paid, id)"
    )
    for column in ("paid", "id"):
        assert sorted(Classes.from_frame(relation, [column]).sizes) == [1, 1, 1]


def test_exact_numbers_of_polars_stay_apart():
    cells = [Decimal(LARGE), Decimal(LARGE + 1), None]
    frame = pl.DataFrame({"paid": pl.Series(cells, dtype=pl.Decimal(38, 0))})
    assert sorted(Classes.from_frame(frame.lazy(), ["paid"]).sizes) == [1, 1, 1]


def test_labels_are_those_of_their_rows_where_no_order_is_kept():
    connection = duckdb.connect(
        config={"preserve_insertion_order": False, "threads": 4}
    )
    # More combinations than one thread takes at once.
    relation = connection.sql("SELECT i AS id, i % 7 AS ward FROM range(500000) t(i)")
    counts = open_engine(relation).count_keys(["id", "ward"])
    assert counts.frame["id"].tolist() == counts.keys["id"].to_pylist()
