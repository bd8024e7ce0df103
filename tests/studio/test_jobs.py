"""Jobs: in a process that says how far it is, and that can be stopped at any time."""

import os
import re
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

from anon_transformers.studio import _jobs
from anon_transformers.studio._jobs import Job, Worker
from anon_transformers.studio._project import Project
from anon_transformers.studio._yaml import dump

HERE = "studio_works"
WORKS = """
import os, time
from pathlib import Path
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.studio import _jobs

def count(project, params, progress):
    progress(1, 2, "half")
    progress(2, 2, "all")
    return {"n": params["n"] + 1, "pid": os.getpid()}

def refuse(project, params, progress):
    Hierarchy([("a", "*"), ("a", "*")])

def cold(pipe):
    # The process as it is, but for the imports that it warms up with.
    _jobs._warm_up = lambda: None
    _jobs._work(pipe)

def quote(project, params, progress):
    raise ValueError("Jane Doe")

def die(project, params, progress):
    os._exit(9)

def sleep(project, params, progress):
    progress(1, 10, "sleeping")
    Path(params["file"]).write_text(str(os.getpid()))
    time.sleep(600)
    return {}

def compile_first(project, params, progress):
    from anon_transformers.jit._notice import announce_compiling
    progress(1, 10, "at work")
    announce_compiling("")
    Path(params["file"]).write_text(str(os.getpid()))
    time.sleep(600)

def unfit(project, params, progress):
    return {"what": object()}
"""


@pytest.fixture
def worker(tmp_path, monkeypatch):
    (tmp_path / f"{HERE}.py").write_text(WORKS)
    monkeypatch.syspath_prepend(str(tmp_path))
    # A spawned process is handed the path of this one.
    works = import_module(HERE)
    monkeypatch.setattr(_jobs, "_work", works.cold)
    made = Worker()
    yield made
    made.close()
    del sys.modules[HERE]


@pytest.fixture
def project(tmp_path):
    file = tmp_path / "work" / "releases" / "mine.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(dump({"k": 1}))
    return Project(file)


def _job(project, work, **params):
    return Job(work, work, project, params, f"{HERE}:{work}", "/projects/")


def _wait(job, until=lambda job: job.is_over, seconds=120):
    end = time.monotonic() + seconds
    while not until(job):
        assert time.monotonic() < end, job.facts()
        time.sleep(0.01)
    return job


def _pid(file: Path) -> int:
    end = time.monotonic() + 120
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return int(file.read_text())


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_job_leaves_its_result(worker, project):
    job = _wait(worker.submit(_job(project, "count", n=1)))
    assert (job.state, job.done, job.total, job.at) == ("done", 2, 2, "all")
    found = project.result("count")
    assert found.found["n"] == 2
    assert found.found["pid"] != os.getpid()
    assert found.params == {"n": 1}
    assert found.current
    # One process serves the next job, too.
    _wait(worker.submit(_job(project, "count", n=2)))
    assert project.result("count").found["pid"] == found.found["pid"]


def test_a_job_says_that_it_waits_for_the_compiler(worker, project, tmp_path, capfd):
    job = worker.submit(_job(project, "compile_first", file=str(tmp_path / "pid")))
    assert job.at == _jobs.STARTING  # the process is not there yet
    _pid(tmp_path / "pid")
    _wait(job, lambda job: job.at.startswith("at work; compiling kernels"))
    assert (job.done, job.total) == (1, 10)
    worker.cancel(job)
    assert "compiling" not in capfd.readouterr().err
    job = _wait(worker.submit(_job(project, "count", n=1)))
    assert worker.submit(_job(project, "count", n=1)).at == ""


def test_a_job_that_fails_says_why_in_the_words_of_the_library(worker, project):
    job = _wait(worker.submit(_job(project, "refuse")))
    assert job.state == "failed"
    assert "repeats" in job.reason  # what Hierarchy says
    assert project.result("refuse") is None
    job = _wait(worker.submit(_job(project, "quote")))
    assert job.state == "failed"
    assert "Jane" not in job.reason
    assert "ValueError" in job.reason
    job = _wait(worker.submit(_job(project, "unfit")))
    assert job.state == "failed"
    assert project.result("unfit") is None
    assert _wait(worker.submit(_job(project, "count", n=1))).state == "done"


def test_cancel_kills_and_a_new_worker_serves(worker, project, tmp_path):
    job = worker.submit(_job(project, "sleep", file=str(tmp_path / "pid")))
    waiting = worker.submit(_job(project, "count", n=1))
    dropped = worker.submit(_job(project, "refuse"))
    pid = _pid(tmp_path / "pid")
    assert job.state == "running"
    assert waiting.state == dropped.state == "waiting"
    assert worker.running(project, "sleep") is job
    worker.cancel(dropped)
    worker.cancel(job)
    assert (job.state, dropped.state) == ("cancelled", "cancelled")
    assert not _lives(pid)
    assert project.result("sleep") is None
    assert _wait(waiting).state == "done"
    assert project.result("count").found["pid"] != pid
    worker.cancel(waiting)  # it is over: nothing happens
    assert waiting.state == "done"


def test_all_jobs_of_a_project_are_cancelled_and_no_others(worker, project, tmp_path):
    other = Project(tmp_path / "other.yaml")
    other.file.write_text(dump({"k": 1}))
    mine = [
        worker.submit(_job(project, "sleep", file=str(tmp_path / "pid"))),
        worker.submit(_job(project, "refuse")),
    ]
    after = worker.submit(_job(other, "count", n=1))
    _pid(tmp_path / "pid")
    worker.cancel_all(project)
    assert [job.state for job in mine] == ["cancelled", "cancelled"]
    assert _wait(after).state == "done"


def test_a_worker_that_dies_is_said_and_replaced(worker, project):
    lost, after = (
        worker.submit(_job(project, "die")),
        worker.submit(_job(project, "count", n=1)),
    )
    assert _wait(lost).state == "failed"
    assert "the worker process ended" in lost.reason
    assert _wait(after).state == "done"
    assert project.result("count").found["n"] == 2


def test_close_ends_the_process(worker, project, tmp_path):
    worker.submit(_job(project, "sleep", file=str(tmp_path / "pid")))
    pid = _pid(tmp_path / "pid")
    worker.close()
    assert not _lives(pid)


def test_few_ended_jobs_are_remembered(worker, project, monkeypatch):
    monkeypatch.setattr("anon_transformers.studio._jobs.MOST_JOBS", 2)
    made = [_wait(worker.submit(_job(project, "count", n=n))) for n in range(4)]
    assert worker.find(made[0].id) is None
    assert worker.find(made[-1].id) is made[-1]
    assert worker.last(project, "count") is made[-1]


@pytest.mark.slow
def test_the_process_warms_up_before_the_first_job(project):
    worker = Worker()
    worker.warm()
    work = "anon_transformers.studio._protected:protect"
    job = worker.submit(Job("protect", "Protect", project, {}, work, "/projects/"))
    try:
        assert _wait(job).state == "failed"
        assert "thresholds" in job.reason
    finally:
        worker.close()


# The pages of a job.


def test_a_job_that_is_over_leads_back_and_says_why_it_failed(studio):
    project = studio.upload()
    project.file.write_text("source: {path: ../data/no.csv}\n")
    here = f"/p/{project.id}/data/"
    for state, said in (("failed", "thresholds"), ("cancelled", "Protect: cancelled.")):
        job = Job("protect", "Protect", project, {}, WORK, here)
        studio.studio.worker.submit(job)
        assert job.state == "failed"
        job.state = state
        page = studio.get(f"/jobs/{job.id}")
        assert page.url.path == here
        assert said in studio.text(page)
    assert studio.get("/jobs/unknown").status_code == 404


WORK = "anon_transformers.studio._protected:protect"


def test_the_page_of_a_job_works_without_a_script(studio):
    project = studio.upload()
    job = Job("count", "Count <persons>", project, {}, "x:y", f"/p/{project.id}/data/")
    job.state, job.done, job.total, job.at = "running", 1, 4, "<b>reading"
    studio.studio.worker._jobs[job.id] = job
    page = studio.get(f"/jobs/{job.id}")
    assert 'http-equiv="refresh"' in page.text
    assert 'value="1" max="4"' in page.text
    assert "Count &lt;persons&gt;" in page.text
    assert "&lt;b&gt;reading" in page.text
    assert f'action="/jobs/{job.id}/cancel"' in page.text
    assert f'href="/p/{project.id}/data/"' in page.text


def test_the_button_ends_the_process_and_the_page_says_so(studio, worker, tmp_path):
    project = studio.upload()
    studio.studio.worker = worker
    job = worker.submit(_job(project, "sleep", file=str(tmp_path / "pid")))
    pid = _pid(tmp_path / "pid")
    page = studio.get(f"/jobs/{job.id}")
    (button,) = re.findall(r'action="([^"]*/cancel)"', page.text)
    page = studio.post(button, came_from=f"/jobs/{job.id}")
    assert (page.url.path, job.state) == ("/projects/", "cancelled")
    assert "sleep: cancelled." in studio.text(page)
    assert not _lives(pid)


def test_events_of_a_job_end_with_it(studio):
    project = studio.upload()
    job = Job("count", "Count", project, {}, "x:y", "/projects/")
    job.state = "done"
    studio.studio.worker._jobs[job.id] = job
    answer = studio.get(f"/jobs/{job.id}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.startswith('data: {"state": "done"')
