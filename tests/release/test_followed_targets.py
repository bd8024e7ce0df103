"""A database and a store follow the folder, in what a run published there alone."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from anon_transformers.exceptions import (
    ConfigurationError,
    ReleaseError,
    UnreachableError,
)
from anon_transformers.gx._judging import PrivateEvidence
from anon_transformers.release import (
    _public_databases,
    _public_table,
    _publish,
    anonymize,
    load,
    publish,
    run_release,
    validate,
)
from anon_transformers.release._config import read_config
from anon_transformers.release._public_promise import PublicPromise
from anon_transformers.release._public_table import shown_in_database
from anon_transformers.release._run import sha256
from anon_transformers.release._target import recover

NOTED = "SELECT version FROM ward__manifest WHERE shown = 1"
NOT_OURS = r"is not what run \S+ published"


class Killed(BaseException):
    """In place of the end of the process."""


@pytest.fixture
def database(release):
    stated = {"url": "sqlite:///public.db", "table": "ward"}
    release.write(target={"path": "out", "database": stated})
    return release.folder / "public.db"


def ask(file, query):
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        return connection.execute(query).fetchall()


def forge(version):
    """Rows with a class of one, and a manifest that fits them and promises nothing."""
    data, noted = version / "data.csv", version / "manifest.json"
    header, first, *rest = data.read_text().splitlines()
    forged = ",".join(["41", *first.split(",")[1:]])
    data.write_text("\n".join([header, forged, *rest]) + "\n")
    manifest = json.loads(noted.read_text())
    manifest["sha256"] = sha256(data)
    manifest["measured"]["checks"] = []
    noted.write_text(json.dumps(manifest))


def test_what_no_run_wrote_goes_into_no_database(release, database):
    version = Path(run_release(release.file))
    database.unlink()
    written = {file: file.read_bytes() for file in version.iterdir()}
    forge(version)
    for begin in (
        lambda: recover(read_config(release.file)),
        lambda: load(release.file),
    ):
        with pytest.raises(ReleaseError, match=NOT_OURS):
            begin()
        assert not database.exists()
    for file, content in written.items():
        file.write_bytes(content)
    recover(read_config(release.file))
    assert ask(database, NOTED) == [(version.name,)]


@pytest.fixture
def bucket(monkeypatch):
    """A store of objects in memory."""
    fsspec = pytest.importorskip("fsspec")
    from fsspec.implementations.memory import MemoryFileSystem

    class Bucket(MemoryFileSystem):
        protocol = ("s3",)
        store, pseudo_dirs, cachable = {}, [""], False

    monkeypatch.setattr(fsspec, "filesystem", lambda scheme: Bucket())
    return Bucket


def test_what_no_run_wrote_goes_into_no_store(release, bucket):
    release.write(target={"path": "out", "store": "s3://bucket/ward"})
    version = Path(run_release(release.file))
    before = {name: file.getvalue() for name, file in bucket.store.items()}
    forge(version)
    with pytest.raises(ReleaseError, match=NOT_OURS):
        recover(read_config(release.file))
    assert before == {name: file.getvalue() for name, file in bucket.store.items()}


def test_a_manifest_that_was_changed_before_publishing_again(
    release, database, monkeypatch
):
    run_release(release.file)
    folder = load(release.file)
    for step in (anonymize, validate):
        step(folder)

    def dies(*_, **__):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(_publish, "point_at_newest", dies)
        with pytest.raises(Killed):
            publish(folder)
    before = ask(database, NOTED)
    noted = release.target / "versions" / Path(folder).name / "manifest.json"
    written = noted.read_bytes()
    manifest = json.loads(written)
    manifest["measured"]["checks"] = []
    noted.write_text(json.dumps(manifest))
    with pytest.raises(ReleaseError, match="is not what run"):
        publish(folder)
    assert ask(database, NOTED) == before
    noted.write_bytes(written)
    assert Path(publish(folder)).name == Path(folder).name
    assert ask(database, NOTED) == [(Path(folder).name,)]


def test_a_store_that_became_a_strangers_leaves_the_folder_as_it_was(release, bucket):
    release.write(target={"path": "out", "store": "s3://bucket/ward"})
    first = run_release(release.file)
    folder = load(release.file)
    for step in (anonymize, validate):
        step(folder)
    theirs = {"release": "people", "version": "theirs", "files": {}}
    place = "s3://bucket/ward/current.json"
    bucket().pipe_file(place, json.dumps(theirs).encode())
    with pytest.raises(ConfigurationError, match="no run of this workspace made"):
        publish(folder)
    assert release.versions() == [Path(first).name]
    bucket().rm_file(place)
    publish(folder)
    assert release.versions() == [Path(folder).name]


def test_versions_that_are_kept_no_longer_leave_the_database(release, database):
    target = release.content["target"]
    release.write(target={**target, "keep_versions": 1})
    versions = [Path(run_release(release.file)).name for _ in range(2)]
    noted = "SELECT version FROM ward__manifest ORDER BY version"
    assert ask(database, noted) == [(name,) for name in sorted(versions)]
    release.write(target=target)
    recover(read_config(release.file))
    assert release.versions() == versions[1:]
    assert ask(database, noted) == [(versions[1],)]
    tables = "SELECT count(*) FROM sqlite_master WHERE type = 'table'"
    assert ask(database, tables) == [(2,)]


def test_a_run_that_another_one_settled_is_done_once_the_database_shows_it(
    release, database, monkeypatch
):
    first = run_release(release.file)
    folder = load(release.file)
    second = Path(folder).name
    for step in (anonymize, validate):
        step(folder)

    def dies(*_, **__):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(_publish, "remove_old_versions", dies)
        with pytest.raises(Killed):
            publish(folder)
    opened = _public_databases._sqlite
    with monkeypatch.context() as patch, closing(sqlite3.connect(database)) as other:
        patch.setattr(
            _public_databases, "_sqlite", lambda *given: opened(*given[:-1], 0.1)
        )
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UnreachableError):
            recover(read_config(release.file))
        assert release.events_of(second)[-1] == "published"
        with pytest.raises(UnreachableError):
            publish(folder)
        other.rollback()
    assert ask(database, NOTED) == [(Path(first).name,)]
    assert Path(publish(folder)).name == second
    assert ask(database, NOTED) == [(second,)]


@pytest.mark.parametrize("url", ["sqlite:///public.db", "duckdb:///public.duckdb"])
def test_moments_of_all_parts_are_written_alike(release, url, monkeypatch):
    """A last part of midnights alone is no other column."""
    pytest.importorskip("duckdb")
    for module in (_public_databases, _public_table):
        monkeypatch.setattr(module, "CHUNK", 2)
    release.write(target={"path": "out", "database": {"url": url, "table": "ward"}})
    config = read_config(release.file)
    days = ["2026-01-01", "2026-01-02", "2026-01-03 10:00", "2026-01-04", "2026-01-05"]
    table = pd.DataFrame({"seen": pd.to_datetime(days, format="ISO8601")})
    promise = PublicPromise([], table, table, ["seen"], [], "*", PrivateEvidence())
    monkeypatch.setattr(_public_table, "read_checked", lambda *_: table)
    with shown_in_database(config, release.folder, "one", {}, [], lambda _: promise):
        pass
    stated = config.target.database
    with _public_databases.connected(stated, config.folder) as opened:
        found = opened.ask('SELECT "seen" FROM ward ORDER BY 1')
    assert [pd.Timestamp(cell) for (cell,) in found] == table["seen"].tolist()
