"""Sources in databases: read whole, in one state, without a secret in any file."""

import datetime
import decimal
import json
import sqlite3

import pandas as pd
import pytest

from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.release import load, read_published, run_release
from anon_transformers.release._config import read_config
from anon_transformers.release._databases import (
    _column,
    _joined,
    _typed,
    filled_url,
    open_sql,
    read_duckdb,
    read_sql,
)
from tests.release.conftest import people

duckdb = pytest.importorskip("duckdb")
SECRET = "hunter2-in-the-file"
HEADER, *ROWS = people()
DECLARED = "name TEXT, age INTEGER, zip TEXT, job TEXT, note TEXT"


def make_sqlite(folder, rows=ROWS, name="people.db"):
    with sqlite3.connect(folder / name) as connection:
        connection.execute(f"CREATE TABLE people ({DECLARED})")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", rows)
    connection.close()
    return {"kind": "sql", "url": f"sqlite:///{name}", "table": "people"}


def make_duckdb(folder, rows=ROWS):
    connection = duckdb.connect(str(folder / "people.duckdb"))
    connection.execute(f"CREATE TABLE people ({DECLARED})")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", rows)
    connection.close()
    return {"kind": "duckdb", "path": "people.duckdb", "table": "people"}


def make_folder(folder, rows=ROWS):
    frame = pd.DataFrame(rows, columns=HEADER)
    frame["age"] = frame["age"].astype(int)
    (folder / "people" / "of 2026").mkdir(parents=True)
    frame.iloc[:15].to_parquet(folder / "people" / "part-0.parquet", index=False)
    last = folder / "people" / "of 2026" / "part-1.parquet"
    frame.iloc[15:].to_parquet(last, index=False)
    # What writers of such folders leave in them.
    (folder / "people" / "_SUCCESS").touch()
    (folder / "people" / "_part-2.parquet").write_text("is being written")
    return {"kind": "parquet", "path": "people"}


MAKERS = {"sqlite": make_sqlite, "duckdb": make_duckdb, "parquet folder": make_folder}


def published(release):
    table = read_published(run_release(release.file), labels="text")
    return sorted(map(tuple, table.astype(str).itertuples(index=False)))


@pytest.mark.parametrize("kind", MAKERS)
def test_a_release_is_that_of_the_file(kind, release):
    of_file = published(release)
    release.write(source=MAKERS[kind](release.folder), target={"path": "second"})
    assert published(release) == of_file


def test_a_query_chooses_columns_and_rows(release):
    source = make_duckdb(release.folder)
    del source["table"]
    source["query"] = "SELECT * FROM people WHERE zip <> '110';"
    release.write(source=source)
    expected = sum(row[HEADER.index("zip")] != "110" for row in ROWS)
    assert 0 < expected < len(ROWS)
    assert len(read_published(run_release(release.file))) == expected


def test_more_rows_than_a_chunk(tmp_path, monkeypatch):
    monkeypatch.setattr("anon_transformers.release._databases.CHUNK", 7)
    make_sqlite(tmp_path)
    options = {"url": "sqlite:///people.db", "folder": tmp_path}
    frame = read_sql(**options, table="people")
    assert frame.to_numpy().tolist() == [
        [name, int(age), code, job, note] for name, age, code, job, note in ROWS
    ]
    query = "SELECT age, CASE WHEN rowid > 20 THEN 0.5 END AS half FROM people"
    found = read_sql(**options, query=query)
    assert found["half"].isna().sum() == 20
    assert found["age"].dtype == "int64"
    empty = read_sql(**options, query="SELECT * FROM people WHERE age < 0")
    assert empty.columns.tolist() == HEADER
    assert empty.empty


def test_cells_are_what_a_parquet_file_would_hold(tmp_path):
    day, moment = datetime.date(2026, 1, 31), datetime.datetime(2026, 1, 31, 10)
    rows = [
        (1, 2**62 + 1, decimal.Decimal("1.50"), day, moment, True, "007", None),
        (2, None, decimal.Decimal("2.25"), None, moment, None, None, None),
    ]
    names = ["a", "big", "paid", "day", "seen", "member", "code", "nothing"]
    frame = _joined([_typed(names, rows[:1]), _typed(names, rows[1:])]).to_pandas()
    assert frame["paid"].tolist() == [1.5, 2.25]
    assert frame["code"].tolist()[0] == "007"
    table = _joined([_typed(names, rows)])
    assert table["big"].to_pylist() == [2**62 + 1, None]
    assert [str(table[name].type) for name in ("day", "member")] == [
        "date32[day]",
        "bool",
    ]


@pytest.mark.parametrize(
    "cells",
    [
        [1, "one"],
        [b"bytes"],
        [decimal.Decimal("1.2345678901234567")],
        [object()],
    ],
)
def test_values_of_no_single_type_are_refused_without_a_cell(cells):
    with pytest.raises(
        DataError, match=r"column 'age' holds values .*cast it"
    ) as caught:
        _joined([_typed(["age"], [(cell,) for cell in cells])])
    assert "one" not in str(caught.value).replace("one type", "")
    assert "1.23" not in str(caught.value)
    assert caught.value.__context__ is None


def test_columns_that_change_their_type_between_chunks_are_refused():
    parts = [_typed(["age"], [(1,)]), _typed(["age"], [("SECRETMARK",)])]
    with pytest.raises(DataError, match="column 'age' holds values") as caught:
        _joined(parts)
    assert "SECRETMARK" not in str(caught.value)
    assert _column("age", [None, None]).null_count == 2


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"postgresql://anna:{SECRET}@host/db", "a password stands in the file"),
        (f"postgresql://anna:$USER{SECRET}@host/db", "a password stands in the file"),
        (f"postgresql://anna:a/b{SECRET}@host/db", "a password stands in the file"),
        (f"postgresql://host/db?password={SECRET}", "a secret stands in the file"),
        (f"mssql://?odbc_connect=PWD%3D{SECRET}", "a secret stands in the file"),
        (f"host={SECRET} port=3", "is no address"),
    ],
)
def test_a_password_in_the_file_is_refused_and_not_shown(release, url, said):
    release.write(source={"kind": "sql", "url": url, "table": "people"})
    text = release.refusal()
    assert f"source.url: {said}" in text
    assert SECRET not in text


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"kind": "sql", "table": "people"}, "name one of url and conn_id"),
        ({"kind": "sql", "url": "sqlite:///p.db"}, "name one of table and query"),
        (
            {"kind": "sql", "url": "sqlite:///p.db", "tabel": "p"},
            "did you mean 'table'",
        ),
        ({"kind": "sql", "url": 3, "table": "p"}, "source.url: must be a text"),
        ({"kind": "duckdb", "path": "p.duckdb"}, "name one of table and query"),
        (
            {"kind": "sql", "url": "sqlite:///p.db", "table": "p", "x": 1},
            "unknown parameter 'x'",
        ),
    ],
)
def test_options_that_name_no_table(release, source, said):
    release.write(source=source)
    (release.folder / "p.db").touch()
    assert said in release.refusal()


def test_variables_fill_each_part_of_an_address(monkeypatch):
    monkeypatch.setenv("PGPASSWORD", "a@b:c/d%40")
    monkeypatch.setenv("PGHOST", "db.example")
    monkeypatch.setenv("DATABASE_URL", "postgresql://bob:pw@host/all")
    url = filled_url("postgresql://anna:$PGPASSWORD@${PGHOST}:5433/visits")
    assert (url.password, url.host, url.port) == ("a@b:c/d%40", "db.example", 5433)
    assert filled_url("$DATABASE_URL").username == "bob"
    monkeypatch.delenv("PGPASSWORD")
    with pytest.raises(
        ConfigurationError, match="variable PGPASSWORD of the environment"
    ):
        filled_url("postgresql://anna:$PGPASSWORD@host/visits")


@pytest.mark.parametrize("form", ["address", "json"])
def test_a_connection_of_airflow(release, form, monkeypatch):
    make_sqlite(release.folder)
    file = str(release.folder / "people.db")
    given = {
        "address": f"sqlite:///{file}",
        "json": json.dumps({"conn_type": "sqlite", "schema": file, "login": ""}),
    }[form]
    monkeypatch.setenv("AIRFLOW_CONN_THE_DB", given)
    release.write(source={"kind": "sql", "conn_id": "the_db", "table": "people"})
    assert len(read_published(run_release(release.file))) == len(ROWS)
    monkeypatch.setenv("AIRFLOW_CONN_THE_DB", f'{{"password": "{SECRET}"')
    with pytest.raises(ConfigurationError, match="no connection 'the_db'") as caught:
        run_release(release.file)
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None or SECRET not in str(
        caught.value.__context__
    )


def test_no_secret_is_written_anywhere(release, monkeypatch):
    monkeypatch.setenv(
        "DATABASE_URL", f"sqlite:///{release.folder}/people.db?x={SECRET}"
    )
    make_sqlite(release.folder)
    release.write(source={"kind": "sql", "url": "$DATABASE_URL", "table": "people"})
    folder = load(release.file)
    run_release(release.file)
    assert not release.folder.joinpath(folder).exists()
    files = [path for path in release.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]


def test_a_database_that_cannot_be_read(release):
    source = make_sqlite(release.folder)
    release.write(source={**source, "url": "sqlite:///nowhere.db"})
    assert "source.url: " in (said := release.refusal(DataError))
    assert "nowhere.db does not exist" in said
    assert not (release.folder / "nowhere.db").exists()
    release.write(source={**source, "table": "visits"})
    assert "cannot be read (OperationalError)" in release.refusal(DataError)
    (release.folder / "broken.db").write_text("no database" * 100)
    release.write(source={**source, "url": "sqlite:///broken.db"})
    assert "cannot be read (DatabaseError)" in release.refusal(DataError)
    release.write(source={**source, "url": "nodialect://host/db"})
    assert "which is not installed" in release.refusal()
    release.write(source={"kind": "duckdb", "path": "broken.db", "table": "p"})
    assert "cannot be opened as a DuckDB file" in release.refusal(DataError)
    release.write(source={**make_duckdb(release.folder), "table": "visits"})
    assert "cannot be read (CatalogException)" in release.refusal(DataError)


def test_columns_are_compared_before_any_cell_is_read(release, monkeypatch):
    source = make_sqlite(release.folder)
    monkeypatch.setattr(
        "anon_transformers.release._databases._typed", lambda *_: pytest.fail("a cell")
    )
    release.write(source={**source, "table": None, "query": "SELECT age FROM people"})
    content = {**release.content["source"]}
    del content["table"]
    release.write(source=content)
    assert "roles: unknown column 'zip'" in release.refusal(DataError)


def test_reading_leaves_the_database_as_it_is(tmp_path):
    make_sqlite(tmp_path)
    before = (tmp_path / "people.db").read_bytes()
    read_sql(url="sqlite:///people.db", table="people", folder=tmp_path)
    with (
        pytest.raises(DataError),
        open_sql("sqlite:///people.db", None, tmp_path) as connection,
    ):
        connection.exec_driver_sql("DELETE FROM people")
    make_duckdb(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        read_duckdb(tmp_path / "people.duckdb", query="CREATE TABLE x AS SELECT 1")
    assert (tmp_path / "people.db").read_bytes() == before


def test_a_folder_of_no_parquet_and_one_of_values(release):
    make_folder(release.folder)
    release.write(source={"kind": "parquet", "path": "empty"})
    (release.folder / "empty").mkdir()
    assert "holds no Parquet file" in release.refusal(DataError)
    (release.folder / "people" / "zip=007").mkdir()
    part = release.folder / "people" / "part-0.parquet"
    part.rename(part.parent / "zip=007" / "part-0.parquet")
    release.write(source={"kind": "parquet", "path": "people"})
    assert "hold values of a column" in release.refusal()


@pytest.mark.parametrize("change", ["longer", "as long", "gone"])
def test_a_file_that_changes_while_it_is_read(release, change, monkeypatch):
    from anon_transformers.release import _source

    read = _source._read_source

    def reads(config):
        frame = read(config)
        text = release.source.read_text()
        if change == "gone":
            release.source.unlink()
        else:
            release.source.write_text(text + text[-1] * (change == "longer"))
        return frame

    monkeypatch.setattr(_source, "_read_source", reads)
    assert "source.path: the file changed while it was read" in release.refusal(
        DataError
    )


def test_the_file_of_a_database_lies_in_no_target(release):
    (release.folder / "out").mkdir()
    make_sqlite(release.folder / "out")
    release.write(
        source={"kind": "sql", "url": "sqlite:///out/people.db", "table": "people"}
    )
    config = read_config(release.file)
    assert config.source.files == {"url": "out/people.db"}
    with pytest.raises(
        ConfigurationError, match=r"source\.url: the file lies in the target"
    ):
        load(release.file)


def test_one_table_is_one_source_however_it_is_reached(release, monkeypatch):
    from anon_transformers.release._ledger import source_of

    def id_of(**source):
        release.write(source=source)
        return source_of(read_config(release.file))[1]

    monkeypatch.setenv("DATABASE_URL", f"postgresql://anna:{SECRET}@host/db")
    monkeypatch.setenv("PGPASSWORD", SECRET)
    table = {"kind": "sql", "table": "people"}
    one = id_of(url="$DATABASE_URL", **table)
    assert one == id_of(url="postgresql://bob:$PGPASSWORD@host/db", **table)
    assert one != id_of(url="postgresql://bob:$PGPASSWORD@host/other", **table)
    one = id_of(path="people.duckdb", table="people")
    assert one == id_of(kind="duckdb", path="people.duckdb", table="people")
    assert one != id_of(kind="duckdb", path="people.duckdb", table="visits")


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_held_out_part_is_a_file_beside_a_database(kind, release):
    from anon_transformers.release._control import _read

    release.write(source=MAKERS[kind](release.folder))
    held = _read(read_config(release.file), "people.csv")
    assert held.columns.tolist() == HEADER
    assert len(held) == len(ROWS)
