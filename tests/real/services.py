"""Airflow's services on loopback: scheduler, dag-processor, api-server, and REST."""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.real.postgres import free_port

SERVICES = ("api-server", "dag-processor", "scheduler")
# Seconds without a heartbeat after which a task counts as dead.
HEARTBEAT_TIMEOUT = 20
START_PATIENCE = 240
SHOWN_LOG = 3000


class Airflow:
    """A running Airflow: its folder, its REST interface, its processes and logs."""

    def __init__(self, folder: Path, environment: dict[str, str], port: int) -> None:
        self.folder = folder
        self.environment = environment
        self.address = f"http://127.0.0.1:{port}"
        self.started: dict[str, subprocess.Popen[bytes]] = {}
        # Nothing here goes through a proxy.
        self.client = httpx.Client(
            base_url=self.address, timeout=300, trust_env=False, follow_redirects=True
        )

    # ---- processes ----------------------------------------------------------------

    def migrate(self) -> None:
        """Make the tables of the metadata database."""
        done = subprocess.run(
            [*AIRFLOW, "db", "migrate"],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=START_PATIENCE,
        )
        assert done.returncode == 0, (done.stdout + done.stderr)[-SHOWN_LOG:]

    def start(self, service: str) -> None:
        """Start one service, in a session of its own, its output in `services/`."""
        arguments = ["--skip-serve-logs"] if service == "scheduler" else []
        with (self.folder / "services" / f"{service}.log").open("ab") as log:
            self.started[service] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *AIRFLOW, service, *arguments],
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def stop(self) -> None:
        """End every service and whatever it has started."""
        self.client.close()
        family: list[psutil.Process] = []
        for process in self.started.values():
            with contextlib.suppress(psutil.NoSuchProcess):
                family += psutil.Process(process.pid).children(recursive=True)
        for process in reversed(list(self.started.values())):
            process.send_signal(signal.SIGTERM)
        latest = time.monotonic() + 30
        for process in self.started.values():
            try:
                process.wait(max(latest - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for left in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                left.kill()

    # ---- REST ---------------------------------------------------------------------

    def authorize(self) -> None:
        """Take a token; every user of this Airflow is an administrator."""
        token = self.client.get("/auth/token").raise_for_status().json()
        self.client.headers["Authorization"] = f"Bearer {token['access_token']}"

    def get(self, path: str, **query: Any) -> Any:
        """What `GET /api/v2/path` answers."""
        answer = self.client.get(f"/api/v2/{path}", params=query)
        assert answer.status_code < 400, f"GET {path}: {answer.text}"
        return answer.json()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """What `POST /api/v2/path` answers."""
        answer = self.client.post(f"/api/v2/{path}", json=body)
        assert answer.status_code < 400, f"POST {path}: {answer.text}"
        return answer.json()

    def dag_ids(self) -> list[str]:
        """Every DAG that the dag-processor has found."""
        return [dag["dag_id"] for dag in self.get("dags")["dags"]]

    def tasks(
        self, dag_id: str, run_id: str = "~", **query: Any
    ) -> list[dict[str, Any]]:
        """Every task instance of a run, or of all runs of a DAG."""
        path = f"dags/{dag_id}/dagRuns/{run_id}/taskInstances"
        return self.get(path, limit=100, **query)["task_instances"]

    def task_log(self, dag_id: str, run_id: str, task_id: str, attempt: int) -> str:
        """What a task logged."""
        path = f"dags/{dag_id}/dagRuns/{run_id}/taskInstances/{task_id}/logs/{attempt}"
        return json.dumps(self.get(path))

    def runs(self, dag_id: str) -> list[dict[str, Any]]:
        """Every run of a DAG."""
        return self.get(f"dags/{dag_id}/dagRuns", limit=100)["dag_runs"]

    # ---- waiting ------------------------------------------------------------------

    def wait(
        self, what: str, ready: Callable[[], Any], seconds: float, every: float = 1.0
    ) -> Any:
        """What `ready` returns once it is true; the logs' ends if it takes too long."""
        latest = time.monotonic() + seconds
        while True:
            found = ready()
            if found:
                return found
            ended = [name for name, p in self.started.items() if p.poll() is not None]
            if ended:
                raise AssertionError(f"{ended} ended by itself.\n{self.last_words()}")
            if time.monotonic() > latest:
                raise AssertionError(
                    f"waited {seconds} s in vain for {what}.\n{self.last_words()}"
                )
            time.sleep(every)

    def last_words(self) -> str:
        """The end of every service's log and of the newest task logs."""
        logs = sorted((self.folder / "services").glob("*.log"))
        tasks = (self.folder / "logs").rglob("attempt=*.log")
        logs += sorted(tasks, key=lambda f: f.stat().st_mtime)[-3:]
        return "\n".join(
            f"==== {log.relative_to(self.folder)}\n"
            f"{log.read_text(errors='replace')[-SHOWN_LOG:]}"
            for log in logs
        )

    def answers(self) -> bool:
        """Whether the api-server is up."""
        try:
            return self.client.get("/api/v2/monitor/health").status_code == 200
        except httpx.TransportError:
            return False


AIRFLOW = (sys.executable, "-m", "airflow")


def environment_of(
    folder: Path, database: str, port: int, releases: Path
) -> dict[str, str]:
    """Variables of every service: LocalExecutor, two tasks at a time, short waits."""
    settings = {
        "CORE__EXECUTOR": "LocalExecutor",
        "CORE__PARALLELISM": "2",
        "CORE__DAGS_FOLDER": str(folder / "dags"),
        "CORE__PLUGINS_FOLDER": str(folder / "no-plugins"),
        "CORE__LOAD_EXAMPLES": "False",
        "CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
        "CORE__MP_START_METHOD": "fork",
        "DATABASE__SQL_ALCHEMY_CONN": database,
        "API__HOST": "127.0.0.1",
        "API__PORT": str(port),
        "API__BASE_URL": f"http://127.0.0.1:{port}",
        "API__WORKERS": "1",
        "API__SECRET_KEY": secrets.token_hex(32),
        "API_AUTH__JWT_SECRET": secrets.token_hex(32),
        "LOGGING__BASE_LOG_FOLDER": str(folder / "logs"),
        # Backfills alone make runs, so that the test is the same on every day.
        "SCHEDULER__USE_JOB_SCHEDULE": "False",
        "SCHEDULER__SCHEDULER_HEARTBEAT_SEC": "1",
        "SCHEDULER__JOB_HEARTBEAT_SEC": "2",
        "SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.5",
        "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": str(HEARTBEAT_TIMEOUT),
        "SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "5",
        "DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "20",
        "DAG_PROCESSOR__PARSING_PROCESSES": "1",
    }
    return {
        **os.environ,
        **{f"AIRFLOW__{name}": value for name, value in settings.items()},
        "AIRFLOW_HOME": str(folder / "home"),
        # Notifiers of the releases; what the tests themselves import is installed.
        "PYTHONPATH": str(folder / "lib"),
        "ANON_RELEASES": str(releases),
        "XDG_CACHE_HOME": str(folder / "cache"),
        # Airflow's own dependencies warn of one another.
        "PYTHONWARNINGS": "ignore",
    }


@contextlib.contextmanager
def running_airflow(folder: Path, database: str, releases: Path) -> Iterator[Airflow]:
    """Start the services and end them however the block ends.

    Parameters
    ----------
    folder : Path
        Holds `dags/`, and gets Airflow's home and all logs.
    database : str
        Address of the metadata database.
    releases : Path
        The folder with the release files.
    """
    for name in ("home", "logs", "services"):
        (folder / name).mkdir()
    port = free_port()
    airflow = Airflow(folder, environment_of(folder, database, port, releases), port)
    try:
        airflow.migrate()
        for service in SERVICES:
            airflow.start(service)
        airflow.wait("the api-server", airflow.answers, START_PATIENCE)
        airflow.authorize()
        yield airflow
    finally:
        airflow.stop()
