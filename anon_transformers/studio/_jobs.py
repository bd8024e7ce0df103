"""Long work, in a process of its own that can be stopped at any time.

The worker runs one job after another, by the same functions as the command line, and
keeps what it imported and read for the next one. To cancel a job is to kill the worker:
a job writes nothing that half of it would spoil, and a new worker is there at once.
"""

import multiprocessing
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

from anon_transformers.exceptions import safe_words
from anon_transformers.studio._project import Project

RARELY = 0.1
"""Seconds between two signs of progress."""
STARTING = "starting: the library is loaded (on first use, kernels are compiled, too)"
COMPILING = "compiling kernels for first use, which is done once"
"""What a job is at before it is at work, and while it waits for the compiler."""
MOST_JOBS = 50
"""Ended jobs that are remembered."""

Progress = Callable[[int, int, str], None]
"""Told how much is done, how much there is to do, and what is next."""
Work = Callable[[Project, Mapping[str, Any], Progress], Mapping[str, Any]]
"""A job: of a project, with parameters; what it returns is kept as its result."""


@dataclass
class Job:
    """A piece of long work and how far it is.

    Attributes
    ----------
    kind, title : str
        Which work; what the page calls it.
    back : str
        The page to return to when it has ended.
    state : str
        ``waiting``, ``running``, ``done``, ``failed`` or ``cancelled``.
    """

    kind: str
    title: str
    project: Project
    params: Mapping[str, Any]
    work: str
    back: str
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    state: str = "waiting"
    done: int = 0
    total: int = 0
    at: str = ""
    reason: str = ""
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "failed", "cancelled")

    def facts(self) -> dict[str, Any]:
        """What a page shows of it."""
        spent = self.seconds if self.is_over else time.monotonic() - self.started
        return {
            "state": self.state,
            "done": self.done,
            "total": self.total,
            "at": self.at,
            "reason": self.reason,
            "seconds": round(spent, 1),
            "back": self.back,
        }


class Worker:
    """A process that runs jobs, one at a time, in the order they came."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._queue: list[Job] = []
        self._running: Job | None = None
        self._is_ready = False
        self._process: Any = None
        self._pipe: Connection | None = None

    def warm(self) -> None:
        """Start the process, and let it import and compile while nobody waits."""
        with self._lock:
            self._start()

    def submit(self, job: Job) -> Job:
        """Run a job, after those that are waiting."""
        with self._lock:
            for old in [one for one in self._jobs.values() if one.is_over][:-MOST_JOBS]:
                del self._jobs[old.id]
            self._jobs[job.id] = job
            self._queue.append(job)
            self._next()
        return job

    def find(self, job_id: str) -> Job | None:
        """The job of this id."""
        return self._jobs.get(job_id)

    def running(self, project: Project, kind: str) -> Job | None:
        """The job of a kind that a project is waiting for."""
        for job in self._jobs.values():
            same = job.kind == kind and job.project.id == project.id
            if same and not job.is_over:
                return job
        return None

    def last(self, project: Project, kind: str) -> Job | None:
        """The newest job of a kind, over or not."""
        found = [
            job
            for job in self._jobs.values()
            if job.kind == kind and job.project.id == project.id
        ]
        return found[-1] if found else None

    def cancel(self, job: Job) -> None:
        """Stop a job; what it has not finished leaves nothing behind."""
        with self._lock:
            if job.is_over:
                return
            if job is self._running:
                self._stop()
                self._running = None
            else:
                self._queue.remove(job)
            self._end(job, "cancelled")
            self._start()
            self._next()

    def cancel_all(self, project: Project) -> None:
        """Stop all jobs of a project: one that went on would write its files anew."""
        for job in list(self._jobs.values()):
            if job.project.id == project.id:
                self.cancel(job)

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._queue.clear()
            self._stop()

    # All below are called with the lock held.

    def _start(self) -> None:
        if self._process is not None and self._process.is_alive():
            return
        ours, theirs = self._context.Pipe()
        self._is_ready = False
        self._process = self._context.Process(
            target=_work, args=(theirs,), daemon=True, name="anon studio worker"
        )
        self._process.start()
        theirs.close()
        self._pipe = ours
        threading.Thread(
            target=self._listen, args=(ours,), daemon=True, name="studio jobs"
        ).start()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = self._pipe = None

    def _next(self) -> None:
        if self._running is not None or not self._queue:
            return
        self._start()
        job = self._running = self._queue.pop(0)
        job.state, job.started = "running", time.monotonic()
        job.at = "" if self._is_ready else STARTING
        order = (job.work, job.kind, str(job.project.file), job.project.owned,
                 dict(job.params))  # fmt: skip
        assert self._pipe is not None
        self._pipe.send(order)

    def _end(self, job: Job, state: str, reason: str = "") -> None:
        job.seconds = time.monotonic() - job.started
        job.state, job.reason = state, reason

    def _listen(self, pipe: Connection) -> None:
        """Take what the process says, until there is no such process any more."""
        while True:
            try:
                said, *rest = pipe.recv()
            except (EOFError, OSError):
                said, rest = "gone", []
            with self._lock:
                if pipe is not self._pipe:  # it was stopped on purpose
                    return
                self._hear(said, rest)
            if said == "gone":
                return

    def _hear(self, said: str, rest: list[Any]) -> None:
        job = self._running
        if said == "ready":
            self._is_ready = True
            return
        if said == "progress" and job is not None:
            job.done, job.total, job.at = rest
            return
        if said == "gone":
            self._process = self._pipe = None
            rest = ["the worker process ended: the machine may be out of memory."]
        self._running = None
        if job is not None:
            self._end(job, "done" if said == "done" else "failed", *rest)
        self._next()


def _work(pipe: Connection) -> None:
    """The process: warm up, then run what is asked for."""
    _ignore_interrupts()
    from anon_transformers.jit._notice import compiling_heard_by, in_silence

    with in_silence():  # a page that waits for this says so
        _warm_up()
    pipe.send(("ready",))
    while True:
        try:
            target, kind, file, owned, params = pipe.recv()
        except (EOFError, OSError):
            return
        progress = _Told(pipe)
        try:
            with compiling_heard_by(progress.compiling):
                run_work(target, kind, Project(file, owned=owned), params, progress)
        except Exception as error:  # what a stranger's code says may quote a cell
            pipe.send(("failed", safe_words(error)))
        else:
            pipe.send(("done",))


def run_work(
    target: str,
    kind: str,
    project: Project,
    params: Mapping[str, Any],
    progress: Progress,
) -> None:
    """Find the function of a job, run it, and keep what it found."""
    module, _, name = target.partition(":")
    work: Work = getattr(import_module(module), name)
    project.keep_work(kind, params, lambda: work(project, params, progress))


class _Told:
    """Tells how far a job is, not too often; a change of what it is at, at once."""

    def __init__(self, pipe: Connection):
        self._pipe, self._when = pipe, 0.0
        self._said: tuple[int, int, str] = (0, 0, "")

    def __call__(self, done: int, total: int, at: str = "") -> None:
        """Tell how much is done of how much, and what is next."""
        now, is_new = time.monotonic(), at != self._said[2]
        if now - self._when >= RARELY or done >= total or is_new:
            self._when, self._said = now, (done, total, at)
            self._pipe.send(("progress", *self._said))

    def compiling(self) -> None:
        """Tell that the job waits for the compiler."""
        done, total, at = self._said
        words = f"{at}; {COMPILING}" if at else COMPILING
        self._pipe.send(("progress", done, total, words))


def _ignore_interrupts() -> None:
    """Ctrl-C is for the server, which ends this process."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _warm_up() -> None:
    """Import what every job needs, and load the kernels, before anybody asks."""
    import pandas as pd

    # Great Expectations brings it. Its own lock is a semaphore of the system, of which
    # Python complains when this process was killed.
    import_module("tqdm").tqdm.set_lock(threading.RLock())
    import_module("anon_transformers.gx._run")
    import_module("anon_transformers.studio._protected")
    from anon_transformers.partitioning import MondrianAnonymizer

    table = pd.DataFrame({"a": ["1", "2"] * 5, "b": ["x", "y"] * 5})
    MondrianAnonymizer(["a", "b"], k=2).fit_transform(table)
