"""A release of a table in PostgreSQL is that of the same table in a file."""

import pandas as pd
import pytest
import sqlalchemy as sa

from anon_transformers.exceptions import DataError, UnreachableError
from anon_transformers.release import _databases, read_published, run_release
from anon_transformers.release._databases import read_sql
from tests.real.postgres import running_cluster
from tests.release.conftest import SmallRelease

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def url():
    with running_cluster() as cluster:
        yield cluster.url


@pytest.fixture
def release(tmp_path, url):
    release = SmallRelease(tmp_path)
    people = pd.read_csv(release.source, dtype={"zip": str})
    engine = sa.create_engine(url)
    people.to_sql("people", engine, index=False, if_exists="replace")
    engine.dispose()
    return release


def published(release):
    table = read_published(run_release(release.file), labels="text")
    return sorted(map(tuple, table.astype(str).itertuples(index=False)))


def test_the_release_is_that_of_the_file(release, url, monkeypatch):
    of_file = published(release)
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv(
        "AIRFLOW_CONN_PEOPLE", url.replace("postgresql+psycopg2", "postgres")
    )
    tables = [
        {"url": "$DATABASE_URL", "table": "public.people"},
        {"conn_id": "people", "query": "SELECT * FROM people -- 5 % :all"},
    ]
    for number, table in enumerate(tables):
        release.write(source={"kind": "sql", **table}, target={"path": f"of{number}"})
        assert published(release) == of_file


def test_types_and_chunks(url, monkeypatch):
    monkeypatch.setattr("anon_transformers.release._databases.CHUNK", 7)
    query = """
        SELECT i, (i % 3)::numeric(9, 2) / 4 AS paid, DATE '2020-01-01' + i AS day,
            TIMESTAMPTZ '2020-01-01 10:00+02' AS seen, i % 2 = 0 AS member,
            md5(i::text)::uuid AS number, NULL::text AS nothing,
            CASE WHEN i > 10 THEN i END AS late
        FROM generate_series(1, 20) i ORDER BY i
    """
    monkeypatch.setenv("DATABASE_URL", url)
    frame = read_sql(url="$DATABASE_URL", query=query)
    assert frame["i"].tolist() == list(range(1, 21))
    assert frame["paid"].tolist()[:3] == [0.25, 0.5, 0.0]
    assert frame["late"].isna().sum() == 10
    assert frame["late"].dtype == "Int64"
    assert frame["seen"].dt.tz is not None
    assert frame["number"].str.len().eq(36).all()


def test_what_cannot_be_read(url, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", url)
    queries = [
        "SELECT nothing FROM nowhere",
        # In the middle of the table the server gives up.
        "SELECT 1 / (70000 - i) FROM generate_series(1, 90000) i",
        "DELETE FROM people RETURNING *",
    ]
    for query in queries:
        with pytest.raises(DataError, match=r"the source: cannot be read \(\w+\)"):
            read_sql(url="$DATABASE_URL", query=query)
    monkeypatch.setenv("DATABASE_URL", url.replace("127.0.0.1:", "127.0.0.1:1"))
    with pytest.raises(
        UnreachableError, match=r"source.url: the database cannot be reached"
    ):
        read_sql(url="$DATABASE_URL", table="people")


def in_the_middle(monkeypatch, url, statement):
    """Let somebody else run a statement once the first rows were read."""
    monkeypatch.setattr(_databases, "CHUNK", 7)
    typed, done = _databases._typed, []

    def typed_after(names, rows):
        if not done:
            engine = sa.create_engine(url)
            with engine.begin() as connection:
                done.append(connection.execute(sa.text(statement)))
            engine.dispose()
        return typed(names, rows)

    monkeypatch.setattr(_databases, "_typed", typed_after)


@pytest.fixture
def of_database(release, url, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", url)
    source = {"kind": "sql", "url": "$DATABASE_URL", "table": "people"}
    release.write(source=source)
    return release


def test_a_connection_that_is_lost_in_the_middle(of_database, url, monkeypatch):
    cut = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with monkeypatch.context() as patch:
        in_the_middle(patch, url, cut)
        with pytest.raises(UnreachableError, match="the connection was lost") as caught:
            run_release(of_database.file)
    assert "127.0.0.1" not in str(caught.value)
    assert of_database.nothing_written()
    assert len(read_published(run_release(of_database.file))) == 40


def test_rows_that_come_while_it_is_read_are_left_for_the_next_run(
    of_database, url, monkeypatch
):
    with monkeypatch.context() as patch:
        in_the_middle(patch, url, "INSERT INTO people SELECT * FROM people")
        assert len(read_published(run_release(of_database.file))) == 40
    engine = sa.create_engine(url)
    assert len(pd.read_sql("SELECT * FROM people", engine)) == 80
    engine.dispose()


def test_the_same_table_is_counted_chunk_by_chunk(release, url, monkeypatch):
    """With ``engine`` the table of the server is never in memory as a whole."""
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setattr(_databases, "CHUNK", 7)
    query = "SELECT age, zip, job, note FROM people"
    source = {"kind": "sql", "url": "$DATABASE_URL", "query": query}
    roles = {**release.content["roles"], "identifiers": []}
    shown = []
    for number, engine in enumerate(({}, {"engine": "duckdb"})):
        target = {"path": f"of{number}", "format": "parquet"}
        release.write(source={**source, **engine}, roles=roles, target=target)
        shown.append(published(release))
    assert shown[0] == shown[1]
