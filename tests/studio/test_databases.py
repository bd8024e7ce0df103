"""A table of a database is opened where it lives, and counted there."""

import io
import sqlite3

import duckdb
import pandas as pd
import pytest

from anon_transformers.studio import _counted_profile
from anon_transformers.studio._profile import profile_of
from anon_transformers.studio._source import StatedSource, source_of

SECRET = "hunter2-in-the-form"
KINDS = ("duckdb", "sqlite", "address", "connection")


def put(studio, kind, monkeypatch):
    """The people as a table of a database; what a person writes to open it."""
    frame = pd.read_csv(io.StringIO(studio.people))
    folder = studio.home.parent / f"a database ({kind})"
    folder.mkdir()
    if kind == "duckdb":
        with duckdb.connect(str(folder / "people.duckdb")) as connection:
            connection.execute("CREATE TABLE people AS SELECT * FROM frame")
        return str(folder / "people.duckdb")
    file = folder / "people.db"
    connection = sqlite3.connect(file)
    frame.to_sql("people", connection, index=False)
    connection.close()
    if kind == "address":
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{file}")
        return "$DATABASE_URL"
    if kind == "connection":
        monkeypatch.setenv("AIRFLOW_CONN_WARD_DB", f"sqlite:///{file}")
        return "ward_db"
    return str(file)


def open_table(studio, place, table="people"):
    return studio.post("/projects/database", {"database": place, "table": table})


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_shown_is_counted_in_the_database(studio, kind, monkeypatch):
    monkeypatch.setattr(StatedSource, "read", lambda _: pytest.fail("all rows"))
    monkeypatch.setattr(_counted_profile, "FIRST_ROWS", 3)
    page = open_table(studio, put(studio, kind, monkeypatch))
    text = studio.text(page)
    assert "8 rows, 5 columns" in text
    assert "the first 3, which are shown here" in text
    assert "Rows 1 to 3 of 8" in text
    studio.check_accessible(page)
    (project,) = studio.studio.shelf.projects()
    found = profile_of(project, source_of(project))
    columns = {one["name"]: one for one in found.columns}
    assert [columns[name]["values"] for name in ("id", "age", "sex")] == [8, 8, 2]
    assert [columns[name]["unique"] for name in ("id", "sex")] == [1.0, 0.0]
    counted = found.counts("town")
    assert dict(zip(counted.values, counted.rows, strict=True)) == {"Ulm": 4, "Bonn": 4}
    assert project.file.read_text().count("sqlite:///") == (kind == "sqlite")


def test_counts_are_those_of_the_same_table_in_a_file(studio, monkeypatch):
    open_table(studio, put(studio, "duckdb", monkeypatch))
    uploaded = studio.upload()
    studio.get(f"/p/{uploaded.id}/data/")
    projects = {p.id: p for p in studio.studio.shelf.projects()}
    of_file = projects.pop(uploaded.id)
    (of_database,) = projects.values()
    one, other = (profile_of(p, source_of(p)) for p in (of_file, of_database))
    facts = ("name", "missing", "values", "unique")
    assert [[c[f] for f in facts] for c in one.columns] == [
        [c[f] for f in facts] for c in other.columns
    ]
    for name in one.names:
        assert sorted(zip(one.counts(name).values, one.counts(name).rows,
                          strict=True)) == sorted(
            zip(other.counts(name).values, other.counts(name).rows, strict=True)
        )  # fmt: skip


def test_persons_and_missing_values_are_counted_there(studio, tmp_path):
    file = tmp_path / "p.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT * FROM (VALUES (1, 'x'), (1, 'x'), (2, 'y'),"
            " (2, NULL), (3, 'x')) t(who, ill)"
        )
    open_table(studio, str(file))
    (project,) = studio.studio.shelf.projects()
    project.edit("roles", lambda c: c.update(roles={"subject": "who"}))
    text = studio.text(studio.get(f"/p/{project.id}/data/"))
    assert "5 rows of 3 persons" in text
    found = profile_of(project, source_of(project))
    (ill,) = [one for one in found.columns if one["name"] == "ill"]
    assert (ill["missing"], ill["values"], ill["unique"]) == (
        1,
        2,
        pytest.approx(1 / 3),
    )
    assert found.counts("ill").holders == [2, 1]


@pytest.mark.parametrize(
    ("place", "table", "said"),
    [
        ("", "people", "name a database and a table"),
        ("/nowhere/people.duckdb", "people", "there is no such file"),
        (f"postgresql://anna:{SECRET}@h/db", "people", "a password stands in the file"),
        ("$NO_SUCH_VARIABLE", "people", "NO_SUCH_VARIABLE"),
        ("no_such_conn", "people", "no connection 'no_such_conn'"),
    ],
)
def test_what_cannot_be_opened_is_no_project(studio, place, table, said):
    text = studio.text(open_table(studio, place, table))
    assert said in text
    assert SECRET not in text
    assert studio.studio.shelf.projects() == []


def test_a_missing_table_and_a_file_of_another_kind(studio, tmp_path, monkeypatch):
    place = put(studio, "sqlite", monkeypatch)
    assert "cannot be read" in studio.text(open_table(studio, place, "visits"))
    other = tmp_path / "people.txt"
    other.write_text("a,b\n1,2\n")
    assert "no database of DuckDB or SQLite" in studio.text(
        open_table(studio, str(other))
    )
    assert studio.studio.shelf.projects() == []


def test_an_empty_table_is_said_to_be_empty(studio, tmp_path):
    file = tmp_path / "p.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE people (a INTEGER)")
    assert "it has no rows" in studio.text(open_table(studio, str(file)))
