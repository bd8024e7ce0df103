"""Parsing the DAG folder is light, and the repository's own folder parses."""

import json
import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("airflow")

pytestmark = pytest.mark.airflow

LIGHT = """
import json, sys
opened = []
sys.addaudithook(
    lambda event, args: event == "open" and opened.append(str(args[0]))
)
import runpy, os
before = set(sys.modules)
found = runpy.run_path(os.environ["AIRFLOW__CORE__DAGS_FOLDER"] + "/releases.py")
from airflow.sdk import DAG
print(json.dumps({
    "dags": sorted(name for name, item in found.items() if isinstance(item, DAG)),
    "modules": sorted({name.partition(".")[0] for name in sys.modules}),
    "opened": opened,
}))
"""
HEAVY = {
    "pandas",
    "numba",
    "great_expectations",
    "sklearn",
    "scipy",
    "pyarrow",
    "numpy",
}

BAG = """
import json, os
from airflow.dag_processing.dagbag import DagBag
bag = DagBag(os.environ["AIRFLOW__CORE__DAGS_FOLDER"])
print(json.dumps({"errors": bag.import_errors, "dags": sorted(bag.dags)}))
"""


def test_parsing_loads_no_heavy_library_and_reads_no_data(parse, releases_folder):
    place = releases_folder
    for name in ("wrong-parameter", "wrong-method"):  # checked anew until mended
        (place / "releases" / f"{name}.yaml").unlink(missing_ok=True)
    first = parse(place, place / "dags", place / "releases", LIGHT)
    assert "sklearn" in first["modules"]  # parameters are checked once
    seen = parse(place, place / "dags", place / "releases", LIGHT)
    assert seen["dags"] == first["dags"]
    assert {"people", "staff", "misspelled"} <= set(seen["dags"])
    assert not HEAVY & set(seen["modules"])
    assert any(path.endswith("people.yaml") for path in seen["opened"])
    data = [p for p in seen["opened"] if p.endswith((".csv", ".gz", ".parquet"))]
    assert data == []
    assert not (place / "work").exists()
    assert not (place / "out").exists()


def test_the_folder_of_the_repository_parses(parse, root, tmp_path):
    # Without the variable the releases beside the DAG folder are taken.
    seen = parse(tmp_path, root / "dags", "", BAG)
    files = (root / "releases").glob("*.yaml")
    assert seen == {"errors": {}, "dags": sorted(file.stem for file in files)}
    assert {"adult", "karate", "patients-swap"} <= set(seen["dags"])


STATES = """
import json, os, pathlib, runpy
from airflow.sdk import DAG
found = runpy.run_path(os.environ["AIRFLOW__CORE__DAGS_FOLDER"] + "/releases.py")
print(json.dumps({
    name: [
        "broken" in dag.tags,
        getattr(dag.timetable, "expression", None),
        sorted({task.owner for task in dag.tasks}),
    ]
    for name, dag in found.items() if isinstance(dag, DAG)
}))
"""


def test_what_was_last_known_outlives_the_file(parse, releases_folder, tmp_path):
    for name in ("dags", "lib"):
        shutil.copytree(releases_folder / name, tmp_path / name)
    releases = tmp_path / "releases"
    releases.mkdir()
    shutil.copy(releases_folder / "releases" / "told.yaml", releases)
    shutil.copy(releases_folder / "releases" / "weekly.yml", releases)

    def states():
        return parse(tmp_path, tmp_path / "dags", releases, STATES)

    weekly, told = ["0 0 * * 0", ["airflow"]], ["0 0 * * *", ["ada"]]
    assert states() == {"told": [False, *told], "weekly": [False, *weekly]}
    (releases / "told.yaml").write_text("")
    # A release that somebody took away is gone; a link to nowhere is none.
    (releases / "weekly.yml").unlink()
    (releases / "weekly.yml").symlink_to("gone.yml")
    assert states() == {"told": [True, *told], "weekly": [True, *weekly]}
    # The whole folder may be gone for a while, as a disk that is not mounted.
    releases.rename(tmp_path / "elsewhere")
    assert states() == {"told": [True, *told], "weekly": [True, *weekly]}
    (tmp_path / "elsewhere").rename(releases)
    (releases / "weekly.yml").unlink()
    assert states() == {"told": [True, *told]}


REASON = """
import json, logging, os
from pathlib import Path
from anon_transformers.airflow._dags import broken_dag
from anon_transformers.release._log import LOG

said = []
handler = logging.Handler()
handler.emit = lambda record: said.append([record.levelname, record.getMessage()])
LOG.addHandler(handler)
file = Path(os.environ["ANON_RELEASES"], "people.yaml")
task = broken_dag(file, "thresholds: the reason").get_task("broken_release")
try:
    task.python_callable()
except Exception as error:
    said.append([type(error).__name__, str(error)])
print(json.dumps(said))
"""


def test_the_task_of_a_broken_file_logs_the_reason_before_it_fails(
    parse, releases_folder
):
    reason = "thresholds: the reason"
    place = releases_folder
    assert parse(place, place / "dags", place / "releases", REASON) == [
        ["ERROR", reason],
        ["AirflowFailException", reason],
    ]


def test_a_typo_keeps_the_schedule_of_a_release(parse, releases_folder, tmp_path):
    for name in ("dags", "lib"):
        shutil.copytree(releases_folder / name, tmp_path / name)
    file = tmp_path / "releases" / "people.yaml"
    file.parent.mkdir()
    text = (releases_folder / "releases" / "people.yaml").read_text()

    def state(schedule):
        file.write_text(f"{text}schedule: '{schedule}'\n")
        return parse(tmp_path, tmp_path / "dags", file.parent, STATES)["people"][:2]

    assert state("0 6 1 * *") == [False, "0 6 1 * *"]
    for _ in range(2):  # it is read again and again until it is mended
        assert state("0 6 1 *") == [True, "0 6 1 * *"]
    assert state("0 7 1 * *") == [False, "0 7 1 * *"]


IN_A_HURRY = """
import json, os, sys
from pathlib import Path
from anon_transformers.airflow import _dags
assert _dags._time_for_checks() == 150, _dags._time_for_checks()
_dags.check_remembered = lambda file, listed: __import__("time").sleep(60)
files = [Path(os.environ["ANON_RELEASES"], n) for n in ("told.yaml", "misspelled.yaml")]
found = _dags._verdicts(files, None, 0.01)
print(json.dumps({file.stem: type(one).__name__ for file, one in found.items()}))
sys.stdout.flush()
os._exit(0)
"""


def test_a_slow_machine_loses_no_release(parse, releases_folder, tmp_path):
    place = releases_folder
    (tmp_path / "lib").mkdir()
    seen = parse(tmp_path, place / "dags", place / "releases", IN_A_HURRY)
    assert seen == {"told": "ReleaseConfig", "misspelled": "ConfigurationError"}


OPTIONS = """
import json, os, runpy
from airflow.serialization.serialized_objects import DagSerialization
found = runpy.run_path(os.environ["AIRFLOW__CORE__DAGS_FOLDER"] + "/releases.py")
dag = found["told"]
task = dag.get_task("publish")
names = ("retries", "retry_delay", "max_retry_delay", "retry_exponential_backoff",
         "execution_timeout", "pool", "pool_slots", "priority_weight", "queue")
print(json.dumps({
    "task": {name: str(getattr(task, name)) for name in names},
    "validate": dag.get_task("validate").retries,
    "dag": {name: str(getattr(dag, name)) for name in (
        "start_date", "end_date", "catchup", "max_active_runs", "dagrun_timeout")},
    "deadline": [[type(a.reference).__name__, str(a.interval), a.callback.path,
                  a.callback.kwargs] for a in found["late"].deadline],
    "kept": sorted(DagSerialization.to_dict(found["late"])["dag"]),
}))
"""


def test_options_reach_the_dag_and_its_tasks(parse, releases_folder):
    place = releases_folder
    seen = parse(place, place / "dags", place / "releases", OPTIONS)
    assert seen["task"] == {
        "retries": "5",
        "retry_delay": "0:01:30",
        "max_retry_delay": "1:00:00",
        "retry_exponential_backoff": "2.0",
        "execution_timeout": "0:30:00",
        "pool": "narrow",
        "pool_slots": "2",
        "priority_weight": "7",
        "queue": "private",
    }
    assert seen["validate"] == 0
    assert seen["dag"] == {
        "start_date": "2025-02-01 00:00:00+00:00",
        "end_date": "2030-01-01 00:00:00+00:00",
        "catchup": "True",
        "max_active_runs": "4",
        "dagrun_timeout": "2:00:00",
    }
    # Not run here: without a scheduler, Airflow 3.3 cannot run what has a deadline.
    queued = ["DagRunQueuedAtDeadline", "1:30:00"]
    ours = "anon_transformers.airflow._notifiers.notify_of_deadline"
    text = "{{ dag.dag_id }} of {{ ds }} failed"
    assert seen["deadline"] == [
        [*queued, ours, {"notifier": "notices.WriteNotice", "text": text}],
        [*queued, ours, {"notifier": "notices.write_notice"}],
    ]
    assert {"deadline", "has_on_failure_callback"} <= set(seen["kept"])


MISSED = """
import json, os, runpy
import structlog
from airflow.api_fastapi.core_api.datamodels.dag_run import DAGRunResponse
from airflow.sdk.execution_time.callback_supervisor import execute_callback
from airflow.serialization.serialized_objects import DagSerialization
found = runpy.run_path(os.environ["AIRFLOW__CORE__DAGS_FOLDER"] + "/releases.py")
kept = DagSerialization.from_dict(DagSerialization.to_dict(found["late"]))
assert kept.deadline
# What a scheduler hands over when a deadline is missed, and nothing else.
run = {"dag_run_id": "scheduled", "dag_id": "late", "dag_display_name": "late",
       "logical_date": "2026-10-01T00:00:00Z", "conf": {}, "state": "running"}
assert set(run) <= set(DAGRunResponse.model_fields), set(DAGRunResponse.model_fields)
told = []
for alert in found["late"].deadline:
    given = json.loads(json.dumps(alert.callback.serialize()))
    context = {"dag_run": dict(run), "deadline": {"id": "1", "deadline_time": "x"}}
    told.append(execute_callback(
        given["path"], {**given["kwargs"], "context": context}, "releases.py", None,
        structlog.get_logger()))
import notices
lines = notices.FILE.read_text().splitlines()
print()
print(json.dumps({"told": told, "notices": lines}))
"""


NOTICES_OF_DEADLINE = ["late late of 2026-10-01 failed", "late function"]


def test_a_missed_deadline_tells_those_whom_a_failure_tells(parse, releases_folder):
    place = releases_folder
    seen = parse(place, place / "dags", place / "releases", MISSED)
    assert seen["told"] == [[True, None]] * 2
    assert seen["notices"] == NOTICES_OF_DEADLINE


MISSED_IN_DATABASE = """
import json, os
from datetime import UTC, datetime
from pathlib import Path
import structlog
from airflow.utils import db
db.initdb()
from airflow.dag_processing.bundles.manager import DagBundlesManager
from airflow.dag_processing.dagbag import DagBag, sync_bag_to_db
from airflow.models.deadline import Deadline
from airflow.models.serialized_dag import SerializedDagModel
from airflow.sdk.execution_time.callback_supervisor import execute_callback
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState
from airflow.utils.types import DagRunTriggeredByType, DagRunType
from sqlalchemy import select

DAGS, BUNDLE = Path(os.environ["AIRFLOW__CORE__DAGS_FOLDER"]), "dags-folder"
DagBundlesManager().sync_bundles_to_db()
bag = DagBag(str(DAGS), bundle_path=DAGS, bundle_name=BUNDLE)
moment, told = datetime(2026, 10, 1, tzinfo=UTC), []
with create_session() as session:
    sync_bag_to_db(bag, BUNDLE, None, session=session)
with create_session() as session:
    SerializedDagModel.get("late", session=session).dag.create_dagrun(
        run_id="manual", logical_date=moment, run_after=moment,
        data_interval=(moment, moment), run_type=DagRunType.MANUAL,
        triggered_by=DagRunTriggeredByType.TEST, state=DagRunState.QUEUED,
        session=session)
    session.flush()
    for deadline in session.scalars(select(Deadline)):
        deadline.handle_miss(session)
        # As the executor gets it.
        given = json.loads(json.dumps(deadline.callback.data, default=str))
        told.append(execute_callback(
            given["path"], given["kwargs"], "releases.py", None,
            structlog.get_logger()))
import notices
lines = notices.FILE.read_text().splitlines()
print()
print(json.dumps({"told": told, "notices": lines}))
"""


@pytest.mark.slow
def test_a_scheduler_hands_over_what_notifiers_of_a_deadline_need(
    parse, releases_folder, tmp_path
):
    for name in ("dags", "lib", "releases"):
        (tmp_path / name).mkdir()
    shutil.copy(releases_folder / "dags" / "releases.py", tmp_path / "dags")
    shutil.copy(releases_folder / "lib" / "notices.py", tmp_path / "lib")
    shutil.copy(releases_folder / "releases" / "late.yaml", tmp_path / "releases")
    place = tmp_path / "releases"
    seen = parse(tmp_path, tmp_path / "dags", place, MISSED_IN_DATABASE)
    assert seen["told"] == [[True, None]] * 2
    assert sorted(seen["notices"]) == sorted(NOTICES_OF_DEADLINE)


@pytest.mark.slow
def test_every_release_of_the_repository_runs_as_a_dag(root, tmp_path, environment):
    for name in ("dags", "releases", "expectations"):
        shutil.copytree(root / name, tmp_path / name)
    (tmp_path / "home").mkdir()
    driver = root / "tests" / "airflow" / "drive_releases.py"
    done = subprocess.run(
        [sys.executable, str(driver), str(tmp_path)],
        env=environment(tmp_path, tmp_path / "dags", ""),
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    steps = dict.fromkeys(("load", "anonymize", "validate", "publish"), "success")
    assert json.loads((tmp_path / "found.json").read_text()) == {
        file.stem: {"state": "success", "tasks": steps, "published": True}
        for file in (root / "releases").glob("*.yaml")
    }


@pytest.mark.slow
def test_the_demo_runs_the_bundled_release(root, tmp_path):
    for name in ("dags", "releases", "expectations"):
        shutil.copytree(root / name, tmp_path / name)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("AIRFLOW")}
    environment.pop("ANON_RELEASES", None)
    command = [sys.executable, "-m", "anon_transformers.airflow.demo"]
    done = subprocess.run(
        [*command, "releases/adult.yaml"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = dict(line.split(maxsplit=1) for line in done.stdout.splitlines()[-6:])
    assert [found[step] for step in ("load", "publish", "run")] == ["success"] * 3
    assert (tmp_path / "build" / "releases" / "adult" / "current").is_dir()
    assert found["release"].startswith(str(tmp_path))
    again = subprocess.run(
        [*command, "releases/no-such.yaml"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert again.returncode != 0
