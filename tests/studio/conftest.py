"""A Studio in this process: its client, its projects, its jobs at once or in a worker.

``studio`` runs a job where it is started, so that a page can be asked for its result in
the next line; ``real_studio`` has the worker process.
"""

import json
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("jinja2")
pytest.importorskip("httpx")
pytest.importorskip("python_multipart")

with warnings.catch_warnings():
    # Starlette would like httpx2, which is not httpx; either one serves.
    warnings.filterwarnings("ignore", message="Using `httpx`")
    from starlette.testclient import TestClient

from anon_transformers.exceptions import safe_words
from anon_transformers.studio._app import Studio, make_app
from anon_transformers.studio._jobs import Job, Worker, run_work
from anon_transformers.studio._project import Project, write_privately
from anon_transformers.studio._yaml import dump

TOKEN, PORT = "a-token-of-this-test", 8123
BASE = f"http://127.0.0.1:{PORT}"
HOSTILE = "<script>alert(1)</script>"
"""What a page never shows but escaped."""
PEOPLE = """\
id,age,sex,town,disease
1,34,f,Ulm,flu
2,35,m,Ulm,flu
3,36,f,Bonn,cold
4,37,m,Bonn,flu
5,51,f,Ulm,cold
6,52,m,Ulm,flu
7,53,f,Bonn,flu
8,54,m,Bonn,cold
"""


@dataclass
class Room:
    """A Studio, the browser that may use it, and short ways to what tests need."""

    client: TestClient
    studio: Studio
    home: Path
    token: str = TOKEN
    port: int = PORT
    base: str = BASE
    hostile: str = HOSTILE
    people: str = PEOPLE

    def get(self, address: str, **options: Any) -> Any:
        """Show a page; redirections are followed."""
        return self.client.get(address, **options)

    def post(
        self,
        address: str,
        data: Mapping[str, Any] | None = None,
        came_from: str = "/projects/",
        **options: Any,
    ) -> Any:
        """Send a form as a page of ours does, and follow to the next page."""
        headers = {"referer": f"{BASE}{came_from}", **options.pop("headers", {})}
        return self.client.post(address, data=data, headers=headers, **options)

    def adult(self) -> Project:
        """The bundled Adult project."""
        self.post("/projects/adult", follow_redirects=False)
        return self.studio.shelf.projects()[0]

    def upload(
        self, name: str = "people.csv", content: str | bytes = PEOPLE
    ) -> Project:
        """The project of an uploaded table."""
        sent = content.encode() if isinstance(content, str) else content
        self.post(
            "/projects/upload", files={"file": (name, sent)}, follow_redirects=False
        )
        return self.studio.shelf.projects()[0]

    def project(
        self, content: Mapping[str, Any], table: str = PEOPLE, name: str = "people"
    ) -> Project:
        """A project of a release file; its table lies in ``data/<name>.csv``."""
        folder = self.studio.shelf.new_folder(name)
        write_privately(folder / "data" / f"{name}.csv", table)
        whole = {
            "source": {"path": f"../data/{name}.csv"},
            "anonymizer": {"name": "mondrian"},
            "thresholds": [{"model": "k-anonymity", "k": 2}],
            "target": {"path": f"../published/{name}", "format": "csv"},
            "workspace": "../.anon",
            **content,
        }
        file = folder / "releases" / f"{name}.yaml"
        write_privately(file, dump(whole))
        return self.studio.shelf.add(Project(file, owned=True))

    def wait(self, project: Project, kind: str, seconds: float = 120) -> Job:
        """Wait for the newest job of a kind to be over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            job = self.studio.worker.last(project, kind)
            if job is not None and job.is_over:
                return job
            time.sleep(0.02)
        raise AssertionError(f"the job {kind} is not over after {seconds} s")

    @staticmethod
    def text(answer: Any) -> str:
        """What a page shows, without its tags, with one blank between words."""
        shown = re.sub(r"<[^>]+>", " ", answer.text)
        return re.sub(r"\s+", " ", unescape(shown)).strip()

    @staticmethod
    def check_accessible(answer: Any) -> None:
        """Every input has a label, every head says what of, every id stands once."""
        page = answer.text
        labelled = set(re.findall(r'<label[^>]*\bfor="([^"]*)"', page))
        for tag in re.findall(r"<(?:input|select|textarea)\b[^>]*>", page):
            if 'type="hidden"' in tag or "aria-label=" in tag:
                continue
            name = re.search(r'\bid="([^"]*)"', tag)
            assert name and name[1] in labelled, f"no label: {tag}"
        for tag in re.findall(r"<th\b[^>]*>", page):
            assert "scope=" in tag, tag
        ids = re.findall(r'\bid="([^"]*)"', page)
        assert len(ids) == len(set(ids)), "an id stands twice"


class WorkerHere(Worker):
    """Runs a job at once, in this process."""

    def warm(self) -> None:
        """There is nothing to warm."""

    def submit(self, job: Job) -> Job:
        """Run it, and note what came of it."""
        self._jobs[job.id] = job
        try:
            # As it comes through the pipe: JSON, or nothing.
            params = json.loads(json.dumps(dict(job.params)))
            run_work(job.work, job.kind, job.project, params, lambda *told: None)
        except Exception as error:
            self._end(job, "failed", safe_words(error))
        else:
            self._end(job, "done")
        return job


@contextmanager
def open_room(home: Path, worker: Worker | None, **options: Any) -> Iterator[Room]:
    """Start a Studio, enter it by the printed address, and close it afterwards."""
    app = make_app(home, TOKEN, PORT, **options)
    running = app.app.state.studio  # type: ignore[attr-defined]
    if worker is not None:
        running.worker = worker
    with TestClient(app, base_url=BASE, headers={"origin": BASE}) as client:
        assert client.get(f"/?token={TOKEN}").status_code == 200
        yield Room(client, running, home)


@pytest.fixture
def make_studio(tmp_path: Path) -> Iterator[Callable[..., Room]]:
    """Make a Studio with options of ``make_app``; its jobs run where they start."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(
            open_room(tmp_path / "home", WorkerHere(), **options)
        )


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Room]:
    """A Studio whose jobs are over when the page that started them answers."""
    with open_room(tmp_path / "home", WorkerHere()) as room:
        yield room


@pytest.fixture
def real_studio(tmp_path: Path) -> Iterator[Room]:
    """A Studio with its worker process."""
    with open_room(tmp_path / "home", None) as room:
        yield room
