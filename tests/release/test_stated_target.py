"""What a target may be stated as: folders, and the words of sources for databases."""

import sqlite3
from contextlib import closing

import pytest

from anon_transformers.release import anonymize, load, publish, run_release, validate
from anon_transformers.release._config import read_config

SQL = {"kind": "sql", "url": "sqlite:///public.db", "table": "ward"}
DUCKDB = {"kind": "duckdb", "path": "public.duckdb", "table": "ward"}
SECRET = "hunter2-in-the-file"


@pytest.mark.parametrize(
    ("given", "same"),
    [
        (SQL, {"url": "sqlite:///public.db"}),
        (DUCKDB, {"url": "duckdb:///public.duckdb"}),
        ({**DUCKDB, "path": "/srv/x.duckdb"}, {"url": "duckdb:////srv/x.duckdb"}),
        ({**DUCKDB, "path": "file:///srv/x.db"}, {"url": "duckdb:////srv/x.db"}),
        (
            {"kind": "sql", "conn_id": "ward_db", "table": "ward"},
            {"conn_id": "ward_db"},
        ),
    ],
)
def test_words_of_sources_are_a_database_beside_a_folder(release, given, same):
    release.write(target=given)
    stated = read_config(release.file).target
    release.write(
        target={"path": "published/ward", "database": {**same, "table": "ward"}}
    )
    assert stated == read_config(release.file).target


def test_other_keys_of_a_target_stay(release):
    more = {"format": "parquet", "keep_versions": 2}
    release.write(target={**SQL, "path": "out", **more})
    target = read_config(release.file).target
    assert (target.path, target.format, target.keep_versions) == ("out", "parquet", 2)
    assert target.database.table == "ward"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_kind_of_file_is_a_format(release, kind):
    release.write(target={"kind": kind, "path": "out"})
    stated = read_config(release.file).target
    release.write(target={"path": "out", "format": kind})
    assert stated == read_config(release.file).target


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"kind": "sqk", "path": "x"}, "target.kind: unknown kind 'sqk'; did you mean"),
        ({"kind": "sql", "table": "ward"}, "name one of url and conn_id"),
        ({**SQL, "conn_id": "x"}, "name one of url and conn_id"),
        ({"kind": "sql", "url": "sqlite:///p.db"}, "table"),
        ({**SQL, "tabel": "ward"}, "unknown key 'tabel'; did you mean 'table'"),
        ({**SQL, "query": "SELECT 1"}, "unknown key 'query'"),
        ({**SQL, "table": "Ward"}, "small letters"),
        ({**SQL, "url": "mysql://host/db"}, "choices: postgresql, sqlite, duckdb"),
        ({**SQL, "url": f"postgresql://a:{SECRET}@h/d"}, "a password stands in"),
        ({**SQL, "database": {}}, "target.database: kind: sql says it already"),
        ({"kind": "duckdb", "table": "ward"}, "target.path: name the file"),
        ({**DUCKDB, "path": "s3://bucket/x.duckdb"}, "a file of this machine"),
        ({**DUCKDB, "url": "sqlite:///p.db"}, "target.url: goes with kind: sql"),
        ({"kind": "csv", "path": "x", "format": "csv"}, "target.format: kind: csv"),
        ({"path": "x", "table": "ward"}, "target.table: goes with kind: sql or duckdb"),
        ({"kind": "parquet"}, "target.path: Field required"),
    ],
)
def test_targets_that_are_refused(release, given, said):
    release.write(target=given)
    text = release.refusal()
    assert said in text
    assert SECRET not in text


def test_a_release_whose_target_is_a_database(release):
    release.write(target=SQL)
    run_release(release.file)
    place = load(
        release.file
    )  # each step reads the target anew from the note of the run
    for step in (anonymize, validate, publish):
        place = step(place)
    assert (release.folder / "published/ward/current/manifest.json").is_file()
    with closing(sqlite3.connect(release.folder / "public.db")) as connection:
        classes = (
            "SELECT min(n) FROM (SELECT count(*) AS n FROM ward GROUP BY age, zip)"
        )
        (least,) = connection.execute(classes).fetchone()
    assert least >= 3


def test_a_release_whose_target_is_a_duckdb_file(release):
    duckdb = pytest.importorskip("duckdb")
    release.write(target=DUCKDB)
    run_release(release.file)
    with duckdb.connect(str(release.folder / "public.duckdb")) as connection:
        classes = (
            "SELECT min(n) FROM (SELECT count(*) AS n FROM ward GROUP BY age, zip)"
        )
        (least,) = connection.execute(classes).fetchone()
    assert least >= 3
