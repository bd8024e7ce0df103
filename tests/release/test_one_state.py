"""A source that changes while it is read is refused; nothing is published or lost."""

import os
import sqlite3
import subprocess
import sys

import pandas as pd
import pytest
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

from anon_transformers.exceptions import DataError, UnreachableError
from anon_transformers.release import (
    _databases,
    _one_state,
    _source,
    _streamed,
    read_published,
    run_release,
)
from anon_transformers.release._databases import read_duckdb, sql_chunks
from anon_transformers.release._one_state import SeenRows, outside_state
from tests.release.test_databases import HEADER, ROWS, make_sqlite

duckdb = pytest.importorskip("duckdb")
CHANGED = "changed while they were read, and nothing was loaded"
COUNTED = {"age", "zip", "job", "note"}


class NoState(SQLiteDialect_pysqlite):
    """A database that promises nobody one state of a table."""

    name = "nostate"
    supports_statement_cache = True


@pytest.fixture(autouse=True)
def nostate():
    registry.impls["nostate"] = lambda: NoState
    yield
    del registry.impls["nostate"]


@pytest.fixture
def house(release, monkeypatch):
    """A release that has been published once, in memory or counted, and its readers."""
    monkeypatch.setattr(_databases, "CHUNK", 7)
    monkeypatch.setattr(_streamed, "CHUNK", 7)

    def write(source, engine):
        roles = {**release.content["roles"], "identifiers": []}
        target = {"path": "out", "format": "parquet"}
        stated = source if engine is None else {**source, "engine": engine}
        release.write(source=stated, roles=roles, target=target)
        run_release(release.file)
        release.seen = release.public_bytes()

    release.publish = write
    return release


def refused(house, said=CHANGED):
    """Nothing is published, nothing is lost, and nothing private is left."""
    with pytest.raises(DataError, match=said) as caught:
        run_release(house.file)
    assert caught.value.__cause__ is None
    assert house.public_bytes() == house.seen
    assert not list((house.home / "runs").iterdir())
    assert not list(house.work.rglob("*.parquet"))


def of_table(folder, dialect):
    """The people in a database that others may write while it is read."""
    make_sqlite(folder)
    with sqlite3.connect(folder / "people.db") as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    columns = ", ".join(name for name in HEADER if name in COUNTED)
    # A column has its type in each chunk of rows.
    query = f"SELECT {columns} FROM people"
    url = f"{dialect}:///{folder / 'people.db'}"
    return {"kind": "sql", "url": url, "query": query}


def after_the_first_rows(monkeypatch, change):
    """Let somebody else at the source once its first rows were read."""
    typed, done = _databases._typed, []

    def typed_after(names, rows):
        if not done:
            done.append(change())
        return typed(names, rows)

    monkeypatch.setattr(_databases, "_typed", typed_after)


def writes(folder, statement):
    def change():
        with sqlite3.connect(folder / "people.db") as connection:
            connection.execute(statement)
        connection.close()

    return change


@pytest.mark.parametrize("engine", [None, "duckdb"])
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO people SELECT * FROM people",
        "DELETE FROM people WHERE age < 30",
        "UPDATE people SET age = age + 1",
    ],
)
def test_a_database_without_states_is_read_twice(house, engine, statement, monkeypatch):
    house.publish(of_table(house.folder, "nostate"), engine)
    with monkeypatch.context() as patch:
        after_the_first_rows(patch, writes(house.folder, statement))
        refused(house)
    run_release(house.file)
    assert house.public_bytes() != house.seen


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_a_database_with_states_shows_one(house, engine, monkeypatch):
    house.publish(of_table(house.folder, "sqlite"), engine)
    with monkeypatch.context() as patch:
        add = "INSERT INTO people SELECT * FROM people"
        after_the_first_rows(patch, writes(house.folder, add))
        assert len(read_published(run_release(house.file))) == len(ROWS)
    assert len(read_published(run_release(house.file))) == 2 * len(ROWS)


def test_a_query_that_draws_rows_is_told_from_a_change(tmp_path):
    source = of_table(tmp_path, "nostate")
    draws = "SELECT age FROM people ORDER BY random() LIMIT 20"
    with pytest.raises(DataError, match="orders them by a key"):
        [*sql_chunks(url=source["url"], query=draws)]
    ordered = draws.replace("random()", "name")
    assert len(next(sql_chunks(url=source["url"], query=ordered))) == 20


def counted_people():
    """The people without what identifies them."""
    frame = pd.DataFrame(ROWS, columns=HEADER)
    return frame[[name for name in HEADER if name in COUNTED]].astype({"age": int})


def outside(folder, name="people.parquet"):
    """A DuckDB file whose view reads another file."""
    frame = counted_people()
    frame.to_parquet(folder / name, index=False)
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.execute("CREATE TABLE own AS SELECT * FROM frame")
        place = str(folder / name).replace("'", "''")
        connection.execute(f"CREATE VIEW people AS SELECT * FROM '{place}'")
    return {"kind": "duckdb", "path": "people.duckdb", "table": "people"}


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_files_that_a_view_of_duckdb_reads_are_compared(house, engine, monkeypatch):
    house.publish(outside(house.folder), engine)
    states = []

    def state(relation):
        states.append(outside_state(relation))
        if len(states) % 2:  # the rows come between two looks
            file = house.folder / "people.parquet"
            pd.read_parquet(file).assign(note="n").to_parquet(file, index=False)
        return states[-1]

    with monkeypatch.context() as patch:
        patch.setattr(_databases, "outside_state", state)
        refused(house)
        assert [count for count, _ in states] == [len(ROWS)] * 2
    run_release(house.file)
    assert house.public_bytes() != house.seen


def test_tables_of_its_own_are_read_once(tmp_path):
    outside(tmp_path)
    with duckdb.connect(str(tmp_path / "people.duckdb"), read_only=True) as connection:
        for query in (
            "FROM own",
            "SELECT a.age FROM own a JOIN own b USING (age)",
            "SELECT * FROM own USING SAMPLE 10 ROWS",
            "WITH m AS MATERIALIZED (FROM own) SELECT * FROM m JOIN m n USING (zip)",
        ):
            assert outside_state(connection.sql(query)) == ()
        file = tmp_path / "people.parquet"
        for query in (
            "FROM people",
            f"FROM own UNION ALL FROM '{file}'",
            f"FROM own WHERE age IN (SELECT age FROM '{file}')",
            f"FROM read_blob('{tmp_path}/*.parquet')",
        ):
            assert len(outside_state(connection.sql(query))) == 2


def test_a_duckdb_file_has_one_writer_or_readers(tmp_path):
    outside(tmp_path)
    place = str(tmp_path / "people.duckdb")
    program = (
        "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print(1, flush=True);"
        "sys.stdin.read()"
    )

    def writer():
        return subprocess.Popen(
            [sys.executable, "-c", program, place],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    with writer() as process:
        assert process.stdout.readline() == "1\n"
        with pytest.raises(UnreachableError, match="another process has it open"):
            read_duckdb(place, table="own")
        process.stdin.close()
    with (
        duckdb.connect(place, read_only=True) as connection,
        connection.sql("FROM own").to_arrow_reader(7) as reading,
        writer() as process,
    ):
        assert reading.read_next_batch().num_rows == 7
        _, said = process.communicate()
        assert "IOException" in said


@pytest.mark.parametrize("engine", [None, "duckdb"])
@pytest.mark.parametrize("change", ["as long", "another one", "one more", "gone"])
def test_a_folder_that_changes(house, engine, change, monkeypatch):
    frame = counted_people()
    (house.folder / "people").mkdir()
    parts = [house.folder / "people" / f"p{at}.parquet" for at in range(3)]
    for at, part in enumerate(parts[:2]):
        frame.iloc[at::2].to_parquet(part, index=False)
    house.publish({"kind": "parquet", "path": "people"}, engine)

    def changes():
        kept = parts[1].stat()
        if change == "as long":  # in the same tick of a coarse clock, too
            data = bytearray(parts[1].read_bytes())
            data[len(data) // 2] ^= 1
            parts[1].write_bytes(data)
            os.utime(parts[1], ns=(kept.st_atime_ns, kept.st_mtime_ns))
        elif change == "another one":
            frame.iloc[:7].to_parquet(house.folder / "new", index=False)
            (house.folder / "new").replace(parts[1])
        elif change == "one more":
            frame.to_parquet(parts[2], index=False)
        else:
            parts[1].unlink()

    whole = {part: part.read_bytes() for part in parts[:2]}
    with monkeypatch.context() as patch:
        module = _source if engine is None else _streamed
        ends, honest = "refuse_changed_files", module.refuse_changed_files
        patch.setattr(module, ends, lambda *given: (changes(), honest(*given)))
        refused(house, "while it was read, and nothing was loaded")
    for part, data in whole.items():
        part.write_bytes(data)
    parts[2].unlink(missing_ok=True)
    assert len(read_published(run_release(house.file))) == len(ROWS)


def test_a_write_that_no_clock_shows_is_seen(house, monkeypatch):
    """A file system may keep times by the second, or those of another machine."""
    counted_people().to_csv(house.source, index=False)
    house.publish({"path": "people.csv"}, None)
    honest = _source.refuse_changed_files

    def changes(*given):
        text = house.source.read_text()
        house.source.write_text(text.replace(",y", ",n"))
        return honest(*given)

    monkeypatch.setattr(_source, "refuse_changed_files", changes)

    monkeypatch.setattr(_one_state, "_noted", lambda file: (7,))
    refused(house, "while it was read, and nothing was loaded")


def test_a_checksum_knows_rows_in_any_order():
    rows = [("a", 1, None), ("a", 1, None), ("b", 2.5, "x")]
    one, other, less, twice = SeenRows(), SeenRows(), SeenRows(), SeenRows()
    one.note(rows)
    other.note(rows[2:])
    other.note(rows[:2])
    less.note(rows[1:])
    twice.note([rows[0], rows[2], rows[2]])
    assert one.state == other.state
    assert len({one.state, less.state, twice.state}) == 3
