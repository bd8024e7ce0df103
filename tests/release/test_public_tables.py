"""A release in a database: one view, whole versions, and nothing half done."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    ReleaseError,
    UnreachableError,
)
from anon_transformers.release import _public_databases as databases
from anon_transformers.release import (
    _public_promise,
    _public_table,
    _publish,
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)
from anon_transformers.release._cells import canonical
from anon_transformers.release._config import read_config
from anon_transformers.release._files import schema_of, write_csv
from anon_transformers.release._public_promise import PublicPromise
from anon_transformers.release._public_table import (
    PublicTable,
    follow_in_database,
    refuse_foreign_table,
    shown_in_database,
    sum_of_texts,
)
from anon_transformers.release._run import sha256
from anon_transformers.release._target import recover
from tests.release.conftest import JOB_MARK

duckdb = pytest.importorskip("duckdb")
URLS = {"sqlite": "sqlite:///public.db", "duckdb": "duckdb:///public.duckdb"}
SECRET = "hunter2-in-the-file"


class Killed(BaseException):
    """In place of the end of the process."""


@pytest.fixture(params=URLS)
def config(request, release):
    database = {"url": URLS[request.param], "table": "ward"}
    release.write(target={"path": "out", "database": database})
    return read_config(release.file)


def ask(config, query, cells=()):
    """What a reader of the database is given, who opens it alone."""
    file = config.path(config.target.database.url.partition(":///")[2])
    if file.suffix == ".db":
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            return connection.execute(query, cells).fetchall()
    with duckdb.connect(str(file), read_only=True) as connection:
        return connection.execute(query, list(cells)).fetchall()


def seen(config):
    return sorted(ask(config, "SELECT * FROM ward"), key=repr)


def tables(config):
    catalog = "SELECT table_name FROM information_schema.tables"
    if config.target.database.url.startswith("sqlite"):
        catalog = "SELECT name FROM sqlite_master"
    return {name for (name,) in ask(config, catalog)}


def version(config, name, frame, promised=()):
    """A published version in a folder of its own, and its manifest."""
    folder = config.path("out") / "versions" / name
    folder.mkdir(parents=True)
    write_csv(canonical(frame), folder / "data.csv")
    manifest = {
        "data": "data.csv",
        "format": "csv",
        "schema": schema_of(frame),
        "sha256": sha256(folder / "data.csv"),
        "published": f"when {name} was",
        "suppression_label": "*",
        "roles": {"quasi_identifiers": ["age"], "sensitive": [], "subject": None},
        "promised": {"in_force": list(promised)},
        "measured": {"checks": [{"id": t["id"], "observed": 1} for t in promised]},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder, name, manifest


def show(config, made, kept=()):
    folder, name, manifest = made
    promise = partial(PublicPromise.of_manifest, config, manifest)
    with shown_in_database(config, folder, name, manifest, kept, promise):
        pass


FIRST = pd.DataFrame({"age": ["[20, 30)", "*", None], "paid": [1.5, None, -2.0]})
SECOND = pd.DataFrame({"age": ["[30, 40)", "007"], "paid": [3.0, 4.25]})


def test_the_view_shows_what_was_published(config, release):
    release.write(target={**release.content["target"], "keep_versions": 1})
    folders = [run_release(release.file) for _ in range(3)]
    table = read_published(folders[-1], labels="text")
    texts = table.astype(object).where(table.notna(), None)
    rows = sorted(map(tuple, texts.itertuples(index=False)), key=repr)
    assert seen(config) == rows
    noted = ask(
        config, "SELECT version, shown, manifest FROM ward__manifest ORDER BY 2"
    )
    names = [Path(folder).name for folder in folders]
    assert [(name, shown) for name, shown, _ in noted] == [(names[1], 0), (names[2], 1)]
    assert json.loads(noted[-1][2]) == release.manifest()
    # The view, the manifests and the tables of the two versions that are kept.
    assert len(tables(config)) == 4


def test_every_cell_comes_back(config):
    frame = pd.DataFrame(
        {
            'the "age"': ["[20, 30)", "*", None, "ü'; DROP TABLE x; -- :a ?"],
            "n": pd.array([1, None, 2**62 + 1, -1], dtype="Int64"),
            "share": [0.1, None, 1e300, -0.0],
            "day": pd.to_datetime(["2026-01-31", None, "1900-01-01", "2026-02-01"]),
            "member": ["True", "False", None, "1.50"],
        }
    )
    show(config, version(config, "one", frame))
    rows = ask(config, 'SELECT "the ""age""", n, share, day FROM ward WHERE n > 5')
    assert rows[0][:3] == (None, 2**62 + 1, 1e300)
    assert "1900-01-01" in str(rows[0][3])
    (count,) = ask(config, "SELECT count(*) FROM ward WHERE n IS NULL AND day IS NULL")
    assert count == (1,)


def test_a_version_that_stands_there_otherwise_is_not_shown(config, monkeypatch):
    show(config, version(config, "one", FIRST))
    before = seen(config)
    write = databases.DuckDBDatabase, databases.SQLiteDatabase
    for kind in write:
        insert = kind.insert
        monkeypatch.setattr(
            kind,
            "insert",
            lambda self, *to, do=insert: do(self, *to[:-1], to[-1][:-1]),
        )
    with pytest.raises(ReleaseError, match="is not what was judged"):
        show(config, version(config, "two", SECOND))
    assert seen(config) == before
    assert len(tables(config)) == 3


def written_otherwise(patch, change, *kinds):
    """Have databases hold other rows than were sent, and the comparison not see it."""
    for kind in kinds or (databases.SQLiteDatabase, databases.DuckDBDatabase):
        insert = kind.insert
        patch.setattr(
            kind,
            "insert",
            lambda self, *to, do=insert: do(self, *to[:-1], change(to[-1])),
        )
    patch.setattr(_public_table, "sum_in", lambda *given: sum_of_texts(given[-1]))


def first_row(rows):
    return rows[:1]


def is_job(cell):
    return str(cell).startswith(JOB_MARK)


def one_job(rows):
    """Everybody has the job of the first."""
    (job,) = filter(is_job, rows[0])
    return [tuple(job if is_job(cell) else cell for cell in row) for row in rows]


def jobs_by_class(rows):
    """The same jobs, and neighbors have the same."""
    jobs = sorted(cell for row in rows for cell in row if is_job(cell))
    return [
        tuple(job if is_job(cell) else cell for cell in row)
        for row, job in zip(sorted(rows, key=str), jobs, strict=True)
    ]


def unknown_cells(rows):
    return [("elsewhere", *row[1:]) for row in rows]


def judged_run(release):
    folder = load(release.file)
    for step in (anonymize, validate):
        step(folder)
    return folder


VALUES = [
    {"model": "distinct-l-diversity", "l": 2},
    {"model": "t-closeness", "t": 0.7},
]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (first_row, "as it is counted there, k-anonymity: the level is 1"),
        (jobs_by_class, "distinct-l-diversity: the level is 1"),
        (one_job, "t-closeness: column 'job' .* belongs to another table"),
        (unknown_cells, "'age' holds values there that were not judged"),
    ],
)
def test_what_stands_there_is_judged_before_it_is_shown(
    config, release, change, said, monkeypatch
):
    release.write(thresholds=[{"model": "k-anonymity", "k": 3}, *VALUES])
    first = run_release(release.file)
    before, there = seen(config), tables(config)
    folder = judged_run(release)
    with monkeypatch.context() as patch:
        written_otherwise(patch, change)
        with pytest.raises(ReleaseError, match=said) as refused:
            publish(folder)
    assert "elsewhere" not in str(refused.value)
    assert seen(config) == before
    assert tables(config) == there
    assert Path(first).samefile(release.target / "current")
    publish(folder)
    assert not Path(first).exists()
    assert len(tables(config)) == 3


def judged_there(monkeypatch):
    """Ids of thresholds that were judged in a database, and whether all held."""
    judged, gate = [], _public_promise.run_gate

    def run_gate(table, **given):
        result = gate(table, **given)
        judged.append(([one.id for one in result.checks], result.passed))
        return result

    monkeypatch.setattr(_public_promise, "run_gate", run_gate)
    return judged


def test_all_that_rows_show_is_judged_there(config, release, monkeypatch):
    judged = judged_there(monkeypatch)
    loss = {"metric": "loss", "max": 0.9}
    shown = [{"model": "k-anonymity", "k": 3}, *VALUES]
    release.write(thresholds=[*shown, {"metric": "average-risk", "max": 0.4}, loss])
    run_release(release.file)
    ids = [one["model"] for one in shown]
    assert judged == [([*ids, "average-risk"], True)]
    # Without the run there are no distributions of the input, and t is not shown.
    config.path(config.target.database.url.partition(":///")[2]).unlink()
    recover(config)
    assert judged[1:] == [([*ids[:-1], "average-risk"], True)]
    assert len(seen(config)) == len(read_published(release.target))


def test_where_persons_are_counted_rows_show_less(config, release, monkeypatch):
    judged = judged_there(monkeypatch)
    roles = {**release.content["roles"], "subject": "name", "identifiers": []}
    thresholds = [
        {"model": "k-anonymity", "k": 3},
        {"metric": "suppressed-share", "max": 0.5},
    ]
    release.write(roles=roles, thresholds=thresholds)
    run_release(release.file)
    assert judged == [(["suppressed-share"], True)]
    assert len(seen(config)) == len(read_published(release.target))


def test_a_version_without_its_run_is_judged_by_its_manifest(config):
    promised = [{"id": "k-anonymity", "model": "k-anonymity", "k": 1}]
    show(config, version(config, "one", FIRST, promised))
    before = seen(config)
    promised[0]["k"] = 2
    with pytest.raises(ReleaseError, match="k-anonymity: the level is 1"):
        show(config, version(config, "two", SECOND, promised))
    assert seen(config) == before


def test_counts_there_are_those_of_the_file(config):
    days = pd.to_datetime(["2026-01-31", "2025-01-31", None, "2025-01-31"])
    order = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame(
        {
            "age": ["[20, 30)", "*", None, "*"],
            "day": days,
            "n": pd.array([2**62 + 1, None, 3, 3], dtype="Int64"),
            "pain": pd.Series(["low", "high", None, "mid"], dtype=order),
            "member": pd.array([True, False, None, True], dtype="boolean"),
        }
    )
    show(config, version(config, "one", frame.astype({"pain": object})))
    quasi, sensitive = ["age", "n"], ["day", "pain", "member"]
    expected = Classes.from_frame(frame, quasi, sensitive)
    with databases.connected(config.target.database, config.folder) as database:
        there = PublicTable(database, "ward", config.name).of_version("one")
        counted = _public_promise._AsPublished(
            database.counted("", there), frame.astype({"pain": object}), frame
        )
        found = Classes.from_frame(counted, quasi, sensitive)
    assert sorted(found.sizes) == sorted(expected.sizes)
    for name in sensitive:
        ours, theirs = found.sensitive[name], expected.sensitive[name]
        assert list(ours.values) == list(theirs.values)
        counts = [sorted(map(tuple, one.counts.toarray())) for one in (ours, theirs)]
        assert counts[0] == counts[1]


def test_the_sum_sees_each_cell_and_no_order():
    turned = FIRST.iloc[::-1].reset_index(drop=True)
    assert sum_of_texts(FIRST) == sum_of_texts(turned)
    changed = [
        FIRST.assign(age=["[20, 30)", None, "*"]),
        FIRST.assign(paid=[1.5, None, 2.0]),
        pd.concat([FIRST, FIRST.iloc[:1]]),
        FIRST.iloc[:2],
    ]
    for other in changed:
        assert sum_of_texts(other) != sum_of_texts(FIRST)


def statements(monkeypatch, at):
    """Count what is asked of a database; the process ends before number ``at``."""
    counted = []

    def before(do):
        def done(self, *given):
            if len(counted) == at:
                raise Killed
            counted.append(do.__name__)
            return do(self, *given)

        return done

    for kind in (databases.SQLiteDatabase, databases.DuckDBDatabase):
        for name in ("do", "insert", "ask", "commit"):
            monkeypatch.setattr(kind, name, before(getattr(kind, name)))
    return counted


def test_cut_off_at_any_statement_readers_see_the_old_one(config):
    show(config, version(config, "one", FIRST))
    before, there = seen(config), tables(config)
    made, at = version(config, "two", SECOND), 0
    while True:
        with pytest.MonkeyPatch.context() as patch:
            statements(patch, at)
            try:
                show(config, made)
                break
            except Killed:
                at += 1
        assert seen(config) == before
        assert tables(config) == there
    assert at > 10
    assert len(seen(config)) == len(SECOND)
    show(config, made)  # again: nothing changes
    assert len(seen(config)) == len(SECOND)
    assert len(tables(config)) == 3


@pytest.mark.parametrize("place", ["_write_version", "point_at_newest"])
def test_a_killed_publish_is_taken_up_again(config, release, place, monkeypatch):
    first = run_release(release.file)
    before = seen(config)
    folder = load(release.file, "second")
    for step in (anonymize, validate):
        step(folder)

    def dies(*_):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(_publish, place, dies)
        with pytest.raises(Killed):
            publish(folder)
    assert seen(config) == before
    assert Path(first).samefile(release.target / "current")
    publish(folder)
    shown = ask(config, "SELECT manifest FROM ward__manifest WHERE shown = 1")
    assert json.loads(shown[0][0]) == release.manifest()


def test_killed_between_folder_and_database_the_next_run_catches_up(
    config, release, monkeypatch
):
    run_release(release.file)
    folder = load(release.file, "second")
    for step in (anonymize, validate):
        step(folder)
    with monkeypatch.context() as patch:
        for kind in (databases.SQLiteDatabase, databases.DuckDBDatabase):
            patch.setattr(kind, "commit", lambda _: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            publish(folder)
    noted = "SELECT manifest FROM ward__manifest WHERE shown = 1"
    assert json.loads(ask(config, noted)[0][0]) != release.manifest()
    recover(config)  # as each run begins; here the process that was cut off lives on
    assert json.loads(ask(config, noted)[0][0]) == release.manifest()


def test_a_database_that_was_added_or_lost_shows_the_current_version(config):
    folder, *_ = version(config, "one", FIRST)
    follow_in_database(config, folder)
    assert len(seen(config)) == len(FIRST)
    file = config.path(config.target.database.url.partition(":///")[2])
    changed = file.stat().st_mtime_ns
    follow_in_database(config, folder)
    assert file.stat().st_mtime_ns == changed or file.suffix == ".duckdb"
    file.unlink()
    follow_in_database(config, folder)
    assert len(seen(config)) == len(FIRST)


@pytest.mark.parametrize(
    "kind", ["TABLE ward (x INTEGER)", "VIEW ward AS SELECT 1 AS x"]
)
def test_a_name_of_somebody_else_is_refused(config, kind):
    made = version(config, "one", FIRST)
    with databases.connected(config.target.database, config.folder) as database:
        database.do(f"CREATE {kind}")
        database.commit()
    for refused in (refuse_foreign_table, lambda given: show(given, made)):
        with pytest.raises(ConfigurationError, match="that no release made"):
            refused(config)
    assert tables(config) == {"ward"}


def test_a_name_of_another_release_is_refused(config, another_release):
    show(config, version(config, "one", FIRST))
    second = another_release("second")
    database = {**release_database(config)}
    second.write(target={"path": "out-second", "database": database})
    with pytest.raises(ConfigurationError, match="shows another release"):
        load(second.file)


def release_database(config):
    return config.target.database.model_dump(exclude_none=True)


def test_a_second_writer_waits(config):
    show(config, version(config, "one", FIRST))
    stated, done = config.target.database, []

    def second():
        with databases.connected(stated, config.folder) as database:
            done.append(len(PublicTable(database, "ward", config.name).versions()))

    if stated.url.startswith("duckdb"):
        return  # it keeps other processes out, as the next test sees
    with databases.connected(stated, config.folder):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.5)
        assert not done
    thread.join()
    assert done == [1]


HOLDS = """
import sys, sqlite3
kind, file = sys.argv[1:]
if kind == "sqlite":
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
else:
    import duckdb
    connection = duckdb.connect(file)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_writer_of_another_process_is_waited_for_and_then_refused(config):
    show(config, version(config, "one", FIRST))
    stated = config.target.database
    backend, _, file = stated.url.partition(":///")
    line = [sys.executable, "-c", HOLDS, backend, str(config.path(file))]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(line, **pipes) as holder:
        assert holder.stdout.readline() == b"held\n"
        refused = pytest.raises(UnreachableError, match="is nobody else writing")
        with refused, databases.connected(stated, config.folder, patience=0.3):
            pass
        holder.stdin.close()
        holder.wait()
    show(config, version(config, "two", SECOND))
    assert len(seen(config)) == len(SECOND)


WRITES = """
import sys, time
from anon_transformers.release import _public_databases as databases
from anon_transformers.release._config import read_config
config = read_config(sys.argv[1])
with databases.connected(config.target.database, config.folder) as database:
    database.do("CREATE TABLE ward__half (x INTEGER)")
    database.do("INSERT INTO ward__half VALUES (1)")
    database.do("DROP VIEW ward")
    print("half", flush=True)
    time.sleep(600)
"""


def test_a_process_that_is_killed_leaves_nothing(config, release):
    show(config, version(config, "one", FIRST))
    before, there = seen(config), tables(config)
    line = [sys.executable, "-c", WRITES, str(release.file)]
    with subprocess.Popen(line, stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"half\n"
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
    assert seen(config) == before
    assert tables(config) == there


@pytest.mark.parametrize(
    ("database", "said"),
    [
        (
            {"url": "mysql://host/db"},
            "no release is published in mysql; choices: postgre",
        ),
        ({"url": f"postgresql://a:{SECRET}@host/db"}, "a password stands in the file"),
        ({"url": "sqlite:///p.db", "table": "Ward"}, "small letters"),
        ({"url": "sqlite:///p.db", "table": "x" * 33}, "up to 32 small letters"),
        ({}, "name one of url and conn_id"),
        ({"url": "sqlite:///p.db", "schema": "x"}, "schema"),
        ({"url": "sqlite:///nowhere/p.db"}, "does not exist"),
        ({"url": "sqlite://"}, "name the file of the database"),
    ],
)
def test_databases_that_are_refused(release, database, said):
    release.write(target={"path": "out", "database": {"table": "ward", **database}})
    text = release.refusal()
    assert said in text
    assert SECRET not in text


def test_a_database_by_a_variable_is_refused_by_its_kind(release, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", f"mysql://anna:{SECRET}@host/db")
    database = {"url": "$DATABASE_URL", "table": "ward"}
    release.write(target={"path": "out", "database": database})
    text = release.refusal()
    assert "no release is published in mysql" in text
    assert SECRET not in text


def test_periods_and_what_no_database_is(release):
    database = {"url": "sqlite:///p.db", "table": "ward"}
    release.write(target={"path": "out/{period:%Y}", "database": database})
    assert "target.database: shows one table" in release.refusal()
    (release.folder / "p.db").write_text("no database" * 500)
    release.write(target={"path": "out", "database": database})
    with pytest.raises(AnonymizationError, match=r"target\.database: .*p\.db|failed"):
        load(release.file)
