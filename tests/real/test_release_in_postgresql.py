"""A release from a table of PostgreSQL to a view there: whole versions, and grants."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import sqlalchemy as sa

from anon_transformers.exceptions import (
    ConfigurationError,
    ReleaseError,
    UnreachableError,
)
from anon_transformers.release import _public_databases as databases
from anon_transformers.release import publish, read_published, run_release
from anon_transformers.release._config import read_config
from tests.real.postgres import running_cluster
from tests.release.conftest import SmallRelease
from tests.release.test_public_tables import (
    FIRST,
    SECOND,
    WRITES,
    Killed,
    first_row,
    judged_run,
    version,
    written_otherwise,
)
from tests.release.test_public_tables import show as show_in

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def url():
    with running_cluster() as cluster:
        yield cluster.url


@pytest.fixture
def reader(url, monkeypatch):
    """A connection of somebody who only reads; the schema is empty at first."""
    monkeypatch.setenv("DATABASE_URL", url)
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text("DROP SCHEMA public CASCADE"))
        connection.execute(sa.text("CREATE SCHEMA public"))
        yield lambda query: [
            tuple(row) for row in connection.execute(sa.text(query)).all()
        ]
    engine.dispose()


@pytest.fixture
def release(tmp_path, reader, url):
    release = SmallRelease(tmp_path)
    people = pd.read_csv(release.source, dtype={"zip": str})
    engine = sa.create_engine(url)
    people.to_sql("people", engine, index=False)
    engine.dispose()
    release.write(
        source={"kind": "sql", "url": "$DATABASE_URL", "table": "people"},
        target={"path": "out", "database": {"url": "$DATABASE_URL", "table": "ward"}},
    )
    return release


def show(release, made, kept=()):
    show_in(read_config(release.file), made, kept)


TABLES = (
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
)


def test_from_a_table_to_a_view(release, reader):
    run_release(release.file)
    table = read_published(run_release(release.file), labels="text")
    texts = table.astype(object).where(table.notna(), None)
    rows = sorted(map(tuple, texts.itertuples(index=False)), key=repr)
    assert sorted(reader("SELECT * FROM ward"), key=repr) == rows
    noted = reader("SELECT manifest FROM ward__manifest WHERE shown = 1")
    assert json.loads(noted[0][0]) == release.manifest()
    assert len(reader(TABLES)) == 4  # people, the view, manifests, one version


def test_cut_off_at_any_statement(release, reader):
    config = read_config(release.file)
    show(release, version(config, "one", FIRST))
    made, at = version(config, "two", SECOND), 0
    there = sorted(reader(TABLES))
    while True:
        counted = []
        with pytest.MonkeyPatch.context() as patch:
            for name in ("do", "insert", "ask", "commit"):
                patch.setattr(
                    databases.PostgreSQLDatabase, name, before(name, counted, at)
                )
            try:
                show(release, made)
                break
            except Killed:
                at += 1
        assert len(reader("SELECT * FROM ward")) == len(FIRST)
        assert sorted(reader(TABLES)) == there
    assert at > 10
    assert len(reader("SELECT * FROM ward")) == len(SECOND)


def before(name, counted, at):
    do = getattr(databases.PostgreSQLDatabase, name)

    def done(self, *given):
        if len(counted) == at:
            raise Killed
        counted.append(name)
        return do(self, *given)

    return done


def test_who_could_read_still_may(release, reader):
    config = read_config(release.file)
    reader_of = "SELECT has_table_privilege('visitor', 'ward', 'SELECT')"
    show(release, version(config, "one", FIRST))
    with databases.connected(config.target.database, config.folder) as database:
        database.do("CREATE ROLE visitor")
        database.do("GRANT SELECT ON ward TO visitor")
        database.commit()
    show(release, version(config, "two", SECOND))
    assert reader(reader_of) == [(True,)]
    # Other columns: the view is made anew.
    odd = SECOND.assign(paid=["a", "b"], **{'the "more" (%) :x?': 1})
    show(release, version(config, "three", odd))
    assert reader(reader_of) == [(True,)]
    shown = reader('SELECT paid, "the ""more"" (%) \\:x?" FROM ward ORDER BY 1')
    assert shown == [("a", 1), ("b", 1)]


def test_a_killed_process_leaves_nothing_and_a_second_writer_is_refused(
    release, reader, monkeypatch
):
    config = read_config(release.file)
    show(release, version(config, "one", FIRST))
    there = sorted(reader(TABLES))
    line = [sys.executable, "-c", WRITES, str(release.file)]
    with subprocess.Popen(line, stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"half\n"
        # It holds the view: whoever comes second waits, and is refused in the end.
        monkeypatch.setattr(databases, "PATIENCE", 1)
        with pytest.raises(UnreachableError, match="is somebody else at work"):
            show(release, version(config, "two", SECOND))
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
    assert len(reader("SELECT * FROM ward")) == len(FIRST)
    assert sorted(reader(TABLES)) == there
    show(release, (Path(config.path("out")) / "versions" / "two", *read_two(config)))
    assert len(reader("SELECT * FROM ward")) == len(SECOND)


def test_a_connection_that_is_lost_while_it_is_published(release, reader, monkeypatch):
    config = read_config(release.file)
    show(release, version(config, "one", FIRST))
    there, made = sorted(reader(TABLES)), version(config, "two", SECOND)
    honest = databases.PostgreSQLDatabase.insert

    def cut(self, *given):
        honest(self, *given)
        reader(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )

    with monkeypatch.context() as patch:
        patch.setattr(databases.PostgreSQLDatabase, "insert", cut)
        with pytest.raises(UnreachableError, match="was left as it was"):
            show(release, made)
    assert len(reader("SELECT * FROM ward")) == len(FIRST)
    assert sorted(reader(TABLES)) == there
    show(release, made)
    assert len(reader("SELECT * FROM ward")) == len(SECOND)


def test_what_stands_there_is_judged_before_it_is_shown(release, reader, monkeypatch):
    run_release(release.file)
    before, there = reader("SELECT * FROM ward"), sorted(reader(TABLES))
    folder = judged_run(release)
    with monkeypatch.context() as patch:
        written_otherwise(patch, first_row, databases.PostgreSQLDatabase)
        with pytest.raises(ReleaseError, match="k-anonymity: the level is 1"):
            publish(folder)
    assert sorted(reader("SELECT * FROM ward")) == sorted(before)
    assert sorted(reader(TABLES)) == there
    honest = databases.PostgreSQLDatabase.counted

    def cut(self, *given):
        table = honest(self, *given)
        reader(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return table

    with monkeypatch.context() as patch:
        patch.setattr(databases.PostgreSQLDatabase, "counted", cut)
        with pytest.raises(UnreachableError, match="was left as it was"):
            publish(folder)
    assert sorted(reader("SELECT * FROM ward")) == sorted(before)
    publish(folder)
    noted = reader("SELECT manifest FROM ward__manifest WHERE shown = 1")
    assert json.loads(noted[0][0]) == release.manifest()


def test_killed_at_any_point_of_publishing(release, url, tmp_path):
    """From a table to a view: readers of both places see the old release or the new."""
    template = tmp_path / "sweep" / "template"
    template.mkdir(parents=True)
    for file in (release.file, release.source):
        shutil.copy(file, template)
    line = (sys.executable, "-m", "tests.real.sweep_postgresql", template.parent, url)
    done = subprocess.run(
        [*map(str, line), "3"],
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])["found"]
    failed = {p: said for p, (state, said) in found.items() if state == "failed"}
    assert not failed, (failed, done.stderr[-3000:])
    seen = [found[point][1] for point in sorted(found, key=int)]
    assert (seen[0], seen[-1]) == ("old old", "new new")
    assert "new old" in seen  # between the folder and the database
    assert seen == sorted(seen, key=["old old", "new old", "new new"].index)
    assert len(seen) > 20


def read_two(config):
    file = Path(config.path("out")) / "versions" / "two" / "manifest.json"
    return "two", json.loads(file.read_text())


def test_a_name_of_somebody_else_and_a_server_that_is_not_there(
    release, reader, url, monkeypatch
):
    config = read_config(release.file)
    made = version(config, "one", FIRST)
    with databases.connected(config.target.database, config.folder) as database:
        database.do("CREATE TABLE ward (x INTEGER)")
        database.commit()
    with pytest.raises(ConfigurationError, match="that no release made"):
        run_release(release.file)
    monkeypatch.setenv("DATABASE_URL", url.replace("127.0.0.1:", "127.0.0.1:1"))
    with pytest.raises(UnreachableError, match="cannot be opened for writing"):
        show(release, made)
