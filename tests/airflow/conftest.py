"""One Airflow in a process of its own, whose findings all tests here look at.

Airflow rewires logging and warnings of the process it runs in and keeps a database, so
it gets its own process and home; with several test workers the first one to come runs
it for all.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("drive_airflow.py")

# Whatever imports Airflow in this process must not make a home in the user's.
os.environ.setdefault("AIRFLOW_HOME", str(Path(tempfile.gettempdir(), "no-airflow")))

PEOPLE = """\
source: {path: people.csv}
roles:
  quasi_identifiers: [age, zip]
  sensitive: [job]
  identifiers: [name]
anonymizer: {name: mondrian, step: {age: 5}, domain: {zip: ["007", "008"]}}
thresholds:
  - {model: k-anonymity, k: 3}
  - {metric: average-risk, max: 0.4}
  - {metric: loss, max: 0.9}
target: {path: ../out/people}
workspace: ../work
composition: {accept_unjudged: made-up rows that describe nobody}
"""
FUZZY = """\
source: {path: people.csv}
roles:
  quasi_identifiers: [age]
  sensitive: [job]
  identifiers: [name, zip]
  rows_are_persons: true
anonymizer: {name: fuzzy-c-means, n_sets: 3}
thresholds:
  - {model: k-anonymity, k: 3}
  - {model: q-anonymity, q: 3}
  - {model: fuzzy-l-diversity, l: 2}
  - {model: fuzzy-t-closeness, t: 0.8}
target: {path: ../out/fuzzy}
workspace: ../work
"""
FRIENDS = """\
source: {kind: graph, edges: friends.csv}
roles:
  identifiers: [one, other]
anonymizer: {name: k-degree}
thresholds:
  - {model: k-degree, k: 3}
  - {metric: loss, max: 0.9}
target: {path: ../out/friends}
workspace: ../work
"""
DAILY = "schedule: '@daily'\n"
TOLD = """\
airflow:
  owner: ada
  tags: [health]
  on_failure:
    - {notifier: notices.WriteNotice, text: failed}
"""
GROWN_UP = """\
    - notices.write_notice
  on_success: [{notifier: notices.WriteNotice, text: published}]
  start_date: 2025-02-01
  end_date: 2030-01-01
  catchup: true
  max_active_runs: 4
  retries: 5
  retry_delay: 90
  max_retry_delay: 1h
  retry_exponential_backoff: true
  execution_timeout: PT30M
  dagrun_timeout: 2h
  pool: narrow
  pool_slots: 2
  priority_weight: 7
  queue: private
  asset: {name: told-people, uri: x-told/people}
  source_asset: people-of-today
"""
VAULT = json.dumps(
    {"conn_type": "generic", "password": "SECRETMARK", "extra": {"token": "SECRETMARK"}}
)
PSEUDONYMS = json.dumps({"conn_type": "generic", "password": "5ec1e7" * 12})
MONTHLY = PEOPLE.replace("people.csv", "'people-{period:%Y-%m}.csv'").replace(
    "../out/people", "'../out/monthly/{period:%Y-%m}'"
)
OWN = """\
import os
from pathlib import Path

from airflow.sdk import DAG, task, task_group

from anon_transformers.airflow import release_task_group, run_step

FILE = Path(os.environ["ANON_RELEASES"], "owned.yaml")

with DAG("own"):
    group = release_task_group(FILE, parameters={"k_anonymity_k": 4}, retries=1)

    @task
    def by_hand(*, run_id=None):
        location = run_step("load", str(FILE), run_id=run_id + "-by-hand")
        for step in ("anonymize", "validate", "publish"):
            location = run_step(step, location)
        return location

    group >> by_hand()

with DAG("months"):

    @task_group
    def month(period):
        release_task_group(FILE.with_name("mapped.yaml"), period=period)

    month.expand(period=["2026-09", "2026-10", "2026-11"])
"""
NOTICES = """\
from pathlib import Path

from airflow.sdk import BaseNotifier

FILE = Path(__file__).with_name("notices.txt")


class WriteNotice(BaseNotifier):
    template_fields = ("text",)

    def __init__(self, text):
        super().__init__()
        self.text = text

    def notify(self, context):
        with FILE.open("a") as file:
            file.write(f"{context['dag'].dag_id} {self.text}\\n")


def write_notice(of_run):
    with FILE.open("a") as file:
        file.write(f"{of_run['dag'].dag_id} function\\n")
"""
CONSUMER = """\
from airflow.sdk import DAG, Asset, task

with DAG("consumer", schedule=[Asset("people")]):

    @task
    def read(*, inlet_events=None):
        return None

    read()
"""
PLUGIN_MODEL = "  - {model: depth-of-values, depth: 2}\ntarget:"
FILES = {
    "people.yaml": PEOPLE,
    "staff.yaml": PEOPLE.replace("out/people", "out/staff"),
    "with-plugin.yaml": PEOPLE.replace("out/people", "out/with-plugin").replace(
        "target:", PLUGIN_MODEL
    ),
    "fuzzy.yaml": FUZZY,
    "friends.yaml": FRIENDS,
    # Broken, each in its own way; those that say when they ran keep saying so.
    "misspelled.yaml": PEOPLE.replace("roles:", "rolls:"),
    "unreadable.yaml": "source: [",
    "unreadable-daily.yaml": "source: [\n" + DAILY,
    "wrong-parameter.yaml": PEOPLE.replace("k: 3", "kk: 3") + DAILY + TOLD,
    "wrong-method.yaml": PEOPLE.replace("step:", "stepp:") + "schedule: '@hourly'\n",
    "odd-schedule.yaml": PEOPLE + "schedule: every second tuesday\n" + TOLD,
    "another-name.yaml": PEOPLE + "name: people\n" + DAILY,
    "no name.yaml": PEOPLE,
    "twice.yaml": PEOPLE,
    "twice.yml": PEOPLE + DAILY,
    "no-notifier.yaml": PEOPLE + DAILY + TOLD + "    - notices.nobody\n",
    "circle.yaml": PEOPLE + "airflow: {wait_for: [round]}\n",
    "round.yaml": PEOPLE + "airflow: {wait_for: [circle]}\n",
    "waits-for-nobody.yaml": PEOPLE + "airflow: {wait_for: [peopel]}\n",
    "no-file-to-wait-for.yaml": PEOPLE.replace("path: people.csv", "kind: vault")
    + "airflow: {sensor: 1h}\n",
    # In order.
    "late.yaml": PEOPLE
    + TOLD.replace("text: failed", "text: '{{ dag.dag_id }} of {{ ds }} failed'")
    + "    - notices.write_notice\n  deadline: 90m\n",
    "monthly.yaml": MONTHLY + "schedule: '@monthly'\nairflow: {period: previous}\n",
    "mapped.yaml": MONTHLY.replace("out/monthly", "out/mapped"),
    "waiting.yaml": PEOPLE.replace("people.csv", "late.csv").replace(
        "out/people", "out/waiting"
    )
    + "airflow: {sensor: {timeout: 1s, poke_interval: 1s, mode: poke}}\n",
    "secret.yaml": PEOPLE.replace("path: people.csv", "kind: vault").replace(
        "out/people", "out/secret"
    )
    + "airflow: {conn_id: vault, secrets: {ANON_PSEUDONYM_KEY: pseudonyms}}\n"
    + "pseudonyms: {columns: [name]}\n",
    "owned.yaml": PEOPLE.replace("out/people", "out/owned"),
    "follower.yaml": PEOPLE.replace("out/people", "out/follower")
    + "airflow: {wait_for: [people, {asset: drought}]}\n",
    "told.yaml": PEOPLE.replace("out/people", "out/told") + DAILY + TOLD + GROWN_UP,
    "weekly.yml": PEOPLE.replace("out/people", "out/weekly") + "schedule: '@weekly'\n",
    "notes.txt": "not a release",
}


def make_home(folder):
    """A DAG folder with the repository's own file, releases, a table."""
    for name in ("dags", "releases", "home", "lib"):
        (folder / name).mkdir(parents=True)
    shutil.copy(ROOT / "dags" / "releases.py", folder / "dags")
    (folder / "dags" / "consumer.py").write_text(CONSUMER)
    (folder / "dags" / "own.py").write_text(OWN)
    (folder / "lib" / "notices.py").write_text(NOTICES)
    for name, content in FILES.items():
        (folder / "releases" / name).write_text(content)
    rows = ["name,age,zip,job"]
    for number in range(40):
        age, code = 20 + number * 7 % 40, "007" if number % 3 else "008"
        rows.append(f"NAMEMARK{number},{age},{code},JOBMARK{number % 4}")
    (folder / "releases" / "people.csv").write_text("\n".join(rows) + "\n")
    for month in ("09", "10"):
        file = folder / "releases" / f"people-2026-{month}.csv"
        file.write_text("\n".join(rows) + "\n")
    met = ["one,other"]
    for number in range(1, 40):
        met += [f"NAMEMARK{number},NAMEMARK{number // 3}"]
    (folder / "releases" / "friends.csv").write_text("\n".join(met) + "\n")
    return folder


def airflow_environment(folder, dags, releases):
    return {
        **os.environ,
        "AIRFLOW_HOME": str(folder / "home"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(dags),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(folder / "no-plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "INFO",
        # A loaded machine may take long for the first import.
        "AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT": "300",
        "ANON_RELEASES": str(releases),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "AIRFLOW_CONN_VAULT": VAULT,
        "AIRFLOW_CONN_PSEUDONYMS": PSEUDONYMS,
        "PYTHONPATH": os.pathsep.join(
            [str(folder / "lib"), os.environ.get("PYTHONPATH", "")]
        ),
        # Airflow's own dependencies warn of one another.
        "PYTHONWARNINGS": "ignore",
    }


def drive(folder):
    make_home(folder)
    done = subprocess.run(
        [sys.executable, str(DRIVER), str(folder)],
        env=airflow_environment(folder, folder / "dags", folder / "releases"),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    (folder / "log.txt").write_text(done.stdout + done.stderr)
    (folder / "code.txt").write_text(str(done.returncode))


@pytest.fixture(scope="session")
def airflow_folder(tmp_path_factory, worker_id):
    """Folder in which Airflow has run every scenario of the driver."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    folder = shared / "airflow-once"
    with (shared / "airflow-once.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "code.txt").exists():
            drive(folder)
    log = (folder / "log.txt").read_text()
    assert (folder / "code.txt").read_text() == "0", log[-4000:]
    return folder


@pytest.fixture(scope="session")
def found(airflow_folder):
    """What the driver saw, scenario by scenario."""
    return json.loads((airflow_folder / "found.json").read_text())


@pytest.fixture(scope="session")
def environment():
    """Variables for an Airflow with a home of its own."""
    return airflow_environment


@pytest.fixture(scope="session")
def parse():
    """Parse a DAG folder in a fresh process; what came of it, as the script prints."""

    def run(folder, dags, releases, script):
        (folder / "home").mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=airflow_environment(folder, dags, releases),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout.splitlines()[-1])

    return run


@pytest.fixture(scope="session")
def releases_folder(tmp_path_factory):
    """The same files, for tests that only parse."""
    return make_home(tmp_path_factory.mktemp("parsed") / "place")
