"""A year of backfill on a real scheduler, with PostgreSQL, murder and a broken file.

Two releases publish a table per month: one month after the other, and several at a
time. A process is killed in the middle of each, one month is refused by the gate, and
the file of a third release is broken meanwhile. A fourth one waits for its source until
its deadline is missed. What came of it is asked over REST.
"""

import json
import os
import shutil
import signal
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from anon_transformers.release import read_published
from tests.real.grid import take_picture
from tests.real.postgres import running_cluster
from tests.real.services import HEARTBEAT_TIMEOUT, SERVICES, running_airflow
from tests.real.visits import MARK, MONTHS, RELEASE, YEAR, write_year

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.airflow]

ROOT = Path(__file__).parents[2]
IN_ORDER, IN_PARALLEL, BROKEN = "visits-in-order", "visits-in-parallel", "staff"
LATE = "late"
REFUSED = f"{YEAR}-05"
PUBLISHED = sorted({*MONTHS} - {REFUSED})
DONE = {"success", "failed"}
# Some five minutes on two free cores; a busy machine may take its time.
YEAR_PATIENCE = 2400


LATE_RELEASE = """\
source: {path: late.csv}
roles: {quasi_identifiers: [age], sensitive: [diagnosis], rows_are_persons: true}
anonymizer: {name: mondrian, step: {age: 10}}
thresholds: [{model: k-anonymity, k: 2}]
target: {path: ../published/late}
workspace: ../work
airflow:
  sensor: {timeout: 10m, poke_interval: 2s, mode: reschedule}
  deadline: {after: 5s, notify: [{notifier: notices.note_process, file: FILE}]}
"""
LATE_SOURCE = "age,diagnosis\n" + "".join(
    f"{age},{diagnosis}\n"
    for age, diagnosis in zip(range(20, 60), "ab" * 20, strict=True)
)
NOTICES = """\
import json
import os
from pathlib import Path

import psutil


def note_process(context, file):
    told = {
        "dag_id": context["dag"].dag_id,
        "run_id": context["run_id"],
        "reason": context["reason"],
        "processes": [process.pid for process in psutil.Process().parents()],
    }
    with Path(file).open("a") as lines:
        lines.write(json.dumps(told) + "\\n")
"""


def release_text(name, at_once):
    options = {"max_active_runs": at_once, "retries": 1, "retry_delay": 1}
    section = f"airflow: {json.dumps(options)}\n"
    return RELEASE.replace("NAME", name) + section


def make_place(folder):
    """The DAG file of the repository, four releases, and a year of data."""
    (folder / "dags").mkdir()
    shutil.copy(ROOT / "dags" / "releases.py", folder / "dags")
    releases = folder / "releases"
    write_year(releases, refused=REFUSED)
    for name, at_once in ((IN_ORDER, 1), (IN_PARALLEL, 3), (BROKEN, 1)):
        (releases / f"{name}.yaml").write_text(release_text(name, at_once))
    (folder / "lib").mkdir()
    (folder / "lib" / "notices.py").write_text(NOTICES)
    file = json.dumps(str(folder / "notices.jsonl"))
    (releases / f"{LATE}.yaml").write_text(LATE_RELEASE.replace("FILE", file))
    return releases


def month_of(run):
    return run["logical_date"][:7]


def start_backfill(airflow, dag_id, at_once):
    body = {
        "dag_id": dag_id,
        "from_date": f"{YEAR}-01-01T00:00:00Z",
        "to_date": f"{YEAR}-12-31T00:00:00Z",
        "max_active_runs": at_once,
    }
    planned = airflow.post("backfills/dry_run", body)["backfills"]
    assert [day["logical_date"][:7] for day in planned] == list(MONTHS)
    airflow.post("backfills", body)


def running_task(airflow, dag_id, task_id, months):
    """A task that runs in one of these months, and has a process."""
    for task in airflow.tasks(dag_id, state="running"):
        fits = task["task_id"] == task_id and month_of(task) in months
        if fits and task["pid"] and psutil.pid_exists(task["pid"]):
            return task
    return None


def kill_task(airflow, dag_id, task_id, months, *, with_worker):
    """SIGKILL the process of a task, and the worker who would report its end."""
    what = f"{task_id} of {dag_id}"
    task = airflow.wait(
        what, lambda: running_task(airflow, dag_id, task_id, months), 600, every=0.2
    )
    process = psutil.Process(task["pid"])
    worker = process.parent()
    scheduler = airflow.started["scheduler"].pid
    assert scheduler in {ancestor.pid for ancestor in process.parents()}, what
    assert worker.pid != scheduler
    # The worker first, for it would see its child die.
    for victim in (worker, process) if with_worker else (process,):
        os.kill(victim.pid, signal.SIGKILL)
    return task


def break_file(releases):
    """A misspelled key, as somebody might leave it on a Friday."""
    file = releases / f"{BROKEN}.yaml"
    file.write_text(file.read_text().replace("roles:", "rolls:"))


def dag_tags(airflow, dag_id):
    return {tag["name"] for tag in airflow.get(f"dags/{dag_id}")["tags"]}


def trigger(airflow, dag_id, meanwhile=lambda run: None):
    """Run a DAG by hand, and do something meanwhile; its run, once it has ended."""
    run = airflow.post(f"dags/{dag_id}/dagRuns", {"logical_date": None})
    meanwhile(run)
    path = f"dags/{dag_id}/dagRuns/{run['dag_run_id']}"
    return airflow.wait(
        f"the run of {dag_id}",
        lambda: next((r for r in [airflow.get(path)] if r["state"] in DONE), None),
        300,
    )


def run_late(airflow, folder):
    """A run whose source comes after its deadline was missed, and was told."""
    notices = folder / "notices.jsonl"

    def bring_source(run):
        airflow.wait("the notice of the deadline", notices.exists, 300)
        (folder / "releases" / "late.csv").write_text(LATE_SOURCE)

    return trigger(airflow, LATE, bring_source)


def run_year(airflow, releases):
    """The whole story; what is not asked afterwards."""
    ids = {IN_ORDER, IN_PARALLEL, BROKEN, LATE}
    airflow.wait("the DAGs", lambda: {*airflow.dag_ids()} == ids, 120)
    start_backfill(airflow, IN_ORDER, 1)
    killed = {
        IN_ORDER: kill_task(
            airflow, IN_ORDER, "anonymize", MONTHS[1:4], with_worker=True
        )
    }
    break_file(releases)
    start_backfill(airflow, IN_PARALLEL, 3)
    killed[IN_PARALLEL] = kill_task(
        airflow, IN_PARALLEL, "anonymize", PUBLISHED[2:], with_worker=False
    )

    def is_over():
        states = [
            run["state"]
            for name in (IN_ORDER, IN_PARALLEL)
            for run in airflow.runs(name)
        ]
        return len(states) == 2 * len(MONTHS) and {*states} <= DONE

    airflow.wait("the end of both years", is_over, YEAR_PATIENCE, every=5)
    airflow.wait(
        "the backfills' own end",
        lambda: all(
            backfill["completed_at"]
            for name in (IN_ORDER, IN_PARALLEL)
            for backfill in airflow.get("backfills", dag_id=name)["backfills"]
        ),
        120,
    )
    airflow.wait("the tag", lambda: "broken" in dag_tags(airflow, BROKEN), 120)
    return killed, trigger(airflow, BROKEN)


@pytest.fixture(scope="module")
def year(tmp_path_factory):
    """A running Airflow after its year."""
    folder = tmp_path_factory.mktemp("real") / "place"
    folder.mkdir()
    releases = make_place(folder)
    with (
        running_cluster() as cluster,
        running_airflow(folder, cluster.url, releases) as airflow,
    ):
        killed, broken_run = run_year(airflow, releases)
        late_run = run_late(airflow, folder)
        yield SimpleNamespace(
            airflow=airflow,
            cluster=cluster,
            folder=folder,
            killed=killed,
            broken_run=broken_run,
            late_run=late_run,
        )


def source_rows(year):
    """How many rows the source has in each month that passes."""
    data = year.folder / "releases" / "data"
    lines = {m: (data / f"{m}.csv").read_text().count("\n") for m in PUBLISHED}
    return {month: count - 1 for month, count in lines.items()}


@pytest.fixture(params=[IN_ORDER, IN_PARALLEL])
def dag_id(request):
    return request.param


def test_eleven_months_succeed_and_one_fails(year, dag_id):
    states = {month_of(run): run["state"] for run in year.airflow.runs(dag_id)}
    assert states == dict.fromkeys(MONTHS, "success") | {REFUSED: "failed"}


def test_the_gate_alone_refuses_a_month(year, dag_id):
    (run,) = [r for r in year.airflow.runs(dag_id) if month_of(r) == REFUSED]
    tasks = year.airflow.tasks(dag_id, run["dag_run_id"])
    assert {task["task_id"]: task["state"] for task in tasks} == {
        "load": "success",
        "anonymize": "success",
        "validate": "failed",
        "publish": "upstream_failed",
    }
    words = year.airflow.task_log(dag_id, run["dag_run_id"], "validate", 1)
    assert "distinct-l-diversity" in words


def test_months_are_published_and_current_is_the_newest(year, dag_id):
    target = year.folder / "published" / dag_id
    periods = {p.name for p in target.iterdir() if p.is_dir() and not p.is_symlink()}
    assert periods == {*PUBLISHED}
    assert (target / "current").resolve() == (target / MONTHS[-1] / "current").resolve()
    rows = {month: len(read_published(target / month / "current")) for month in periods}
    assert rows == source_rows(year)


def test_one_candidate_is_quarantined_and_no_private_run_is_left(year, dag_id):
    private = year.folder / "work" / dag_id
    (quarantined,) = (private / "quarantine").iterdir()
    verdict = json.loads((quarantined / "verdict.json").read_text())
    assert not verdict["passed"]
    assert [*(private / "runs").iterdir()] == []


def test_runs_are_in_order_or_side_by_side(year):
    spans = {}
    for name in (IN_ORDER, IN_PARALLEL):
        runs = sorted(year.airflow.runs(name), key=month_of)
        spans[name] = [(run["start_date"], run["end_date"]) for run in runs]
    in_order = spans[IN_ORDER]
    assert all(former[1] <= latter[0] for former, latter in pairwise(in_order))
    meet = [
        one[0] < other[1] and other[0] < one[1]
        for at, one in enumerate(spans[IN_PARALLEL])
        for other in spans[IN_PARALLEL][at + 1 :]
    ]
    assert any(meet)


def test_killed_tasks_are_tried_once_more(year, dag_id):
    killed = year.killed[dag_id]
    again = [t for t in year.airflow.tasks(dag_id) if t["try_number"] > 1]
    assert [(t["dag_run_id"], t["task_id"], t["state"]) for t in again] == [
        (killed["dag_run_id"], "anonymize", "success")
    ]
    path = f"dags/{dag_id}/dagRuns/{killed['dag_run_id']}/taskInstances/anonymize/tries"
    tries = year.airflow.get(path)["task_instances"]
    assert Counter(t["state"] for t in tries) == {"failed": 1, "success": 1}


def test_a_worker_who_dies_in_silence_is_missed(year):
    events = year.airflow.get("eventLogs", event="heartbeat timeout")["event_logs"]
    killed = year.killed[IN_ORDER]
    assert [(e["dag_id"], e["run_id"], e["task_id"]) for e in events] == [
        (IN_ORDER, killed["dag_run_id"], "anonymize")
    ]
    assert f"({HEARTBEAT_TIMEOUT} seconds)" in events[0]["extra"]


def test_a_broken_file_is_visible_and_its_run_says_why(year):
    assert year.airflow.get("importErrors")["import_errors"] == []
    assert dag_tags(year.airflow, BROKEN) >= {"release", "broken"}
    for name in (IN_ORDER, IN_PARALLEL):
        assert "broken" not in dag_tags(year.airflow, name)
    assert year.broken_run["state"] == "failed"
    run_id = year.broken_run["dag_run_id"]
    (task,) = year.airflow.tasks(BROKEN, run_id)
    words = year.airflow.task_log(BROKEN, run_id, task["task_id"], 1)
    assert "rolls" in words
    assert not (year.folder / "published" / BROKEN).exists()


def test_a_missed_deadline_is_told_by_the_scheduler_and_ends_nothing(year):
    lines = (year.folder / "notices.jsonl").read_text().splitlines()
    (told,) = [json.loads(line) for line in lines]
    assert (told["dag_id"], told["reason"]) == (LATE, "missed_deadline")
    assert told["run_id"] == year.late_run["dag_run_id"]
    # A worker of the scheduler called the notifier, and no test did.
    assert year.airflow.started["scheduler"].pid in told["processes"]
    assert year.late_run["state"] == "success"
    assert len(read_published(year.folder / "published" / LATE)) == 40


def test_published_months_are_news_with_their_numbers(year, dag_id):
    (asset,) = [
        a
        for a in year.airflow.get("assets", limit=100)["assets"]
        if a["name"] == dag_id
    ]
    events = year.airflow.get("assets/events", asset_id=asset["id"], limit=100)
    extras = [event["extra"] for event in events["asset_events"]]
    # A level counts persons, whom the published file does not show; rows it does.
    assert sorted(extra["period"] for extra in extras) == PUBLISHED
    assert {extra["period"]: extra["rows"] for extra in extras} == source_rows(year)


def test_no_cell_is_in_a_log_or_in_the_database(year):
    logs = [f for f in year.folder.rglob("*.log") if f.is_file()]
    # Four tasks a run, the retries, and the services: it is worth searching.
    assert len(logs) > 2 * 4 * len(MONTHS)
    marked = [f.name for f in logs if MARK in f.read_text(errors="replace").lower()]
    assert marked == []
    january = year.folder / "releases" / "data" / f"{MONTHS[0]}.csv"
    assert MARK in january.read_text()
    held = year.cluster.dump()
    assert IN_PARALLEL in held
    assert MARK not in held.lower()


def test_everything_listens_on_loopback(year):
    heard = set()
    for service in SERVICES:
        process = psutil.Process(year.airflow.started[service].pid)
        for each in (process, *process.children(recursive=True)):
            found = each.net_connections(kind="inet")
            heard |= {c.laddr.ip for c in found if c.status == psutil.CONN_LISTEN}
    assert heard == {"127.0.0.1"}


def test_the_grid_shows_the_year(year, tmp_path):
    picture = tmp_path / "grid.png"
    page, links = take_picture(year.airflow, IN_ORDER, picture)
    # The page shows ten, and more on demand; May, which was refused, is among them.
    for run in sorted(year.airflow.runs(IN_ORDER), key=month_of)[-10:]:
        assert f"/dags/{IN_ORDER}/runs/{run['dag_run_id']}" in links
    for task in ("load", "anonymize", "validate", "publish"):
        assert task in page
    assert picture.stat().st_size > 10_000
    # ANON_SCREENSHOT=docs/_static/airflow_grid.png renews the picture of the docs.
    if kept := os.environ.get("ANON_SCREENSHOT"):
        shutil.copy(picture, kept)
