"""Runs side by side: which are under way, who waits for whom, and what is given up.

Each step holds a lock on its run, which the system releases when the process ends,
however it ends; ``run_release`` holds it from its first step to its last. A run that a
scheduler drives, step by step and under a name of its own, is under way between its
steps, too: until :data:`LEASE` has passed since its last step, or it is abandoned.

Locks are taken in one order, so that nobody waits in a circle: that of a run, that of
the private folder of the release, that of the target. Whoever holds a later one only
tries an earlier one.
"""

import os
import stat
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ReleaseError
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._ledger import settle
from anon_transformers.release._log import LOG, stage, tell_numbers
from anon_transformers.release._period import Period
from anon_transformers.release._run import (
    ACKNOWLEDGED,
    FINISHED,
    LOCK,
    NO_LINK,
    RUNS,
    Journal,
    Run,
    is_plain,
    left_alone,
    locked,
    next_run_id,
    period_in,
    remove_candidate,
    remove_run,
)
from anon_transformers.release._target import recover

FAILED = {"quarantined", "abandoned", "refused"}
"""Last events of runs that published nothing."""
LEASE = timedelta(hours=2)
"""How long a run that a scheduler drives is under way after each of its steps."""
LONGEST_WAIT = timedelta(hours=6)
"""How long a run waits for another one; longer than a lease."""
POLL = 0.5
"""Seconds between two looks."""


class _Ours(threading.local):
    """Locks that this thread holds, by the folder of the run."""

    def __init__(self) -> None:
        self.handles: dict[Path, int] = {}
        self.keeping = False


_OURS = _Ours()


@contextmanager
def keeping_runs() -> Iterator[None]:
    """Hold the lock of a run that starts in here until the end, and not by step."""
    before, _OURS.keeping = _OURS.keeping, True
    try:
        yield
    finally:
        _OURS.keeping = before
        if not before:
            for folder in list(_OURS.handles):
                _release(folder)


@contextmanager
def held(folder: Path, made_in: Path | None = None) -> Iterator[None]:
    """Hold the lock of a run; of one that is gone there is none.

    Parameters
    ----------
    folder : Path
        Folder of the run.
    made_in : Path, optional
        Folder that will get this name, if the run is being made.
    """
    folder = Path(folder).absolute()
    if folder in _OURS.handles:
        yield
        return
    handle = _wait_for_lock(folder, made_in or folder)
    if handle is not None:
        _OURS.handles[folder] = handle
        os.utime(handle)
    try:
        yield
    finally:
        if handle is not None and not _OURS.keeping:
            _release(folder)


def _release(folder: Path) -> None:
    handle = _OURS.handles.pop(folder)
    os.utime(handle)  # the lease begins anew
    os.close(handle)


def _wait_for_lock(folder: Path, place: Path) -> int | None:
    end = time.monotonic() + LONGEST_WAIT.total_seconds()
    while True:
        try:
            handle = _try_lock(place, make=place != folder)
        except FileNotFoundError:
            return None
        if handle is not None:
            return handle
        if time.monotonic() > end:
            raise ReleaseError(
                f"run {folder.name}: another process has been at a step of it for "
                f"{_in_words(LONGEST_WAIT)}; end that process, or wait for it."
            )
        time.sleep(POLL)


def _try_lock(folder: Path, *, make: bool = False) -> int | None:
    """The lock of a run; None if somebody else has it.

    Raises
    ------
    FileNotFoundError
        If it has none: it is gone, or being removed.
    """
    # Here, so that a file that is refused loads nothing that it does not need.
    from filelock import lock_descriptor

    file = folder / LOCK
    if not is_plain(folder):  # what a link leads to is not ours
        raise FileNotFoundError(file)
    if os.path.lexists(file) and not is_plain(file, stat.S_ISREG):
        raise ReleaseError(f"{file} is not a plain file; nobody can lock the run.")
    flags = os.O_RDWR | NO_LINK | (os.O_CREAT if make else 0)
    handle = os.open(file, flags, 0o600)
    try:
        mine = lock_descriptor(handle, blocking=False)
        # Whoever had it may have removed the run, and this file with it.
        if mine and not os.path.samestat(os.fstat(handle), file.stat()):
            raise FileNotFoundError(file)
    except BaseException:
        os.close(handle)
        raise
    if not mine:
        os.close(handle)
        return None
    return handle


def _is_locked(folder: Path) -> bool:
    """Whether a step of another process or thread is at work on a run."""
    try:
        handle = _try_lock(folder)
    except FileNotFoundError:
        return False
    if handle is None:
        return True
    os.close(handle)
    return False


def driver_of(run_id: str | None) -> str:
    """Who drives a run: one process to its end, a scheduler, or whoever calls steps."""
    if _OURS.keeping:
        return "process"
    return "steps" if run_id is None else "scheduler"


def _is_leased(folder: Path, story: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a scheduler may come back to a run."""
    drivers = [event["driver"] for event in story if "driver" in event]
    if drivers[-1:] != ["scheduler"] or story[-1]["event"] == "loading":
        return False
    if not is_plain(folder):
        return False
    try:
        last = (folder / LOCK).stat().st_mtime
    except OSError:
        return False
    return abs(time.time() - last) < LEASE.total_seconds()


def is_under_way(folder: Path, story: Sequence[Mapping[str, Any]]) -> bool:
    """Whether somebody is at work on a run, or may come back to it."""
    if story[-1]["event"] in FINISHED:
        return False
    ours = Path(folder).absolute() in _OURS.handles
    return ours or _is_locked(folder) or _is_leased(folder, story)


def was_cut_off(folder: Path, story: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a run is known to go no further, though nothing says how it ended.

    Of a run whose steps are called one by one, without a name, nobody can know, nor
    where its lock cannot be tried.
    """
    if story[-1]["event"] in FINISHED or not _has_known_driver(story):
        return False
    drafts = [event["draft"] for event in story if "draft" in event]
    try:
        loading = any(_is_locked(folder.with_name(draft)) for draft in drafts)
        return not (loading or is_under_way(folder, story))
    except (OSError, ReleaseError):
        return False


def _has_known_driver(story: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a lock, or a lease, tells if somebody still drives a run."""
    drivers = [event["driver"] for event in story if "driver" in event]
    return drivers[-1:] in (["process"], ["scheduler"])


def conflicting(
    home: Path, again: str | None, period: Period | None
) -> tuple[str, str] | None:
    """A run that must end before another one may begin: its name, and since when.

    Runs of two periods never have to wait for each other. The same run again waits
    for a step that is at work on it, and for nothing else.
    """
    for name, story in Journal(home).stories().items():
        folder = home / RUNS / name
        if story[-1]["event"] in FINISHED or not _concerns(story, period):
            continue
        busy = _is_locked(folder) if name == again else is_under_way(folder, story)
        if busy:
            return name, story[0].get("at", "some time")
    return None


def _concerns(story: Sequence[Mapping[str, Any]], period: Period | None) -> bool:
    """Whether a run is of this period; one without any is of all."""
    its = period_in(story)
    return its == period or its is None or period is None


@dataclass
class Turn:
    """A run that waits for its turn.

    Parameters
    ----------
    config : ReleaseConfig
        The release, with its period.
    run_id : str or None
        The name that the run was given.
    """

    config: ReleaseConfig
    run_id: str | None
    begun: float | None = None
    waited: float = 0.0

    def wait(self) -> None:
        """Wait until no other run is in the way, or refuse, as the file says.

        Nothing is locked meanwhile.
        """
        said: str | None = None
        while (found := self._conflicting()) is not None:
            other, since, again = found
            if other != again and self.config.on_conflict == "refuse":
                raise ReleaseError(
                    f"run {other} of this release is under way since {since}, and the "
                    "file states on_conflict: refuse. Wait until it has ended, or give "
                    "it up with release.abandon."
                )
            if self.begun is None:
                self.begun = time.monotonic()
                LOG.warning("Waiting for run %s, under way since %s.", other, since)
            if other != said:
                stage(f"waiting for run {other}")
                said = other
            if time.monotonic() - self.begun > LONGEST_WAIT.total_seconds():
                raise ReleaseError(
                    f"run {other} of this release is under way since {since}, and was "
                    f"waited for for {_in_words(LONGEST_WAIT)}. If nobody is at it, "
                    "give it up with release.abandon."
                )
            time.sleep(POLL)
            self.waited = time.monotonic() - self.begun
            tell_numbers({"waited_seconds": round(self.waited, 1)})

    def _conflicting(self) -> tuple[str, str, str | None] | None:
        home, period = self.config.home, self.config.period
        given = self.run_id
        again = None if given is None else next_run_id(given, Journal(home), period)
        found = conflicting(home, again, period)
        return None if found is None else (*found, again)


def _in_words(time_: timedelta) -> str:
    hours = time_ / timedelta(hours=1)
    return f"{hours:g} hours" if hours >= 1 else f"{hours * 3600:g} seconds"


def remove_runs(home: Path, again: str, period: Period | None) -> None:
    """Remove the folders of runs that are over, and give up those that were cut off.

    Called with the lock of the private folder: nobody else loads meanwhile. A run of
    another period stays, unless whoever drove it is known to be gone.

    Parameters
    ----------
    home : Path
        Private folder of the release.
    again : str
        Name of the run that starts now, maybe over.
    period : Period or None
        What that run is about.
    """
    journal = Journal(home)
    stories = journal.stories()
    over = {
        name
        for name, story in stories.items()
        if name == again or _is_over(home / RUNS / name, story, period)
    }
    loading = [
        e for story in stories.values() for e in story if e["event"] == "loading"
    ]
    drafts = {event["draft"] for event in loading if "draft" in event}
    runs = home / RUNS
    for place in sorted(runs.iterdir()) if runs.is_dir() else ():
        if place.name in drafts or place.name in over:
            _remove_if_free(place)
        elif place.name not in stories:
            left_alone(place)
    for name in stories:
        if (
            name != again
            and name in over
            and stories[name][-1]["event"] not in FINISHED
        ):
            journal.write(name, "abandoned")


def _is_over(
    folder: Path, story: Sequence[Mapping[str, Any]], period: Period | None
) -> bool:
    """Whether a run goes no further, or gives way to one of this period."""
    if story[-1]["event"] in FINISHED:
        return True
    if is_under_way(folder, story):
        return False
    return _concerns(story, period) or _has_known_driver(story)


def _remove_if_free(folder: Path) -> None:
    """Remove the folder of a run, unless its last step is doing so."""
    try:
        handle = _try_lock(folder)
    except FileNotFoundError:
        remove_run(folder)
        return
    if handle is None:
        return
    try:
        remove_run(folder)
    finally:
        os.close(handle)


def abandon(location: str | os.PathLike[str]) -> None:
    """End a run, and remove its personal data.

    For a scheduler that gives a run up: other runs need not wait for its lease. A run
    that was refused, quarantined or given up is acknowledged: it stays in the journal,
    and :func:`release_status` does not name it any more. Of a quarantined one the
    candidate is removed; its verdict and its reports stay. Any other run that has ended
    stays as it is. What it published stays published.

    Parameters
    ----------
    location : str
        The run's private folder, as ``load`` returned it: ``<workspace>/<release>/runs/
        <run>``.

    Raises
    ------
    ReleaseError
        If there never was such a run, or one of its steps is still at work.
    LedgerError
        If the ledger is out of reach; the personal data are removed all the same, and
        the next run of the release ends the reservation.
    """
    run = Run(location)
    home = run.folder.parent.parent
    if run.folder.parent.name != RUNS or run.id not in run.journal.stories():
        raise ReleaseError(f"{location} is no run of a release.")
    with held(run.folder), locked(home):
        try:
            config = None if run.is_gone else run.config
        except ReleaseError:  # somebody changed its notes: nothing of it is published
            config = None
        try:
            if config is not None:
                recover(config)
            last = run.journal.last(run.id)
            if last is not None and last["event"] in FAILED:
                run.journal.write(run.id, ACKNOWLEDGED)
                remove_candidate(home, run.id)
            run.journal.abandon(run.id)
        finally:
            # Before the ledger is opened: what is out of reach keeps no personal data.
            remove_run(run.folder)
        if config is not None:
            settle(config)


@contextmanager
def given_up_if_interrupted() -> Iterator[None]:
    """Within :func:`keeping_runs`: end the runs that are held if somebody interrupts.

    Their private data go at once, and not with the next run. A reader of lines who goes
    away ends a run, too, and hears nothing more.
    """
    try:
        yield
    except (KeyboardInterrupt, BrokenPipeError) as error:
        said = [f"Interrupted: {_give_up(run)}." for run in sorted(_OURS.handles)]
        if isinstance(error, KeyboardInterrupt):
            for words in said or ["Interrupted before a run began: nothing is kept."]:
                LOG.warning(words)
        raise


def _give_up(folder: Path) -> str:
    """End a run that this thread holds; what became of it, in words."""
    last = Journal(folder.parent.parent).last(folder.name)
    try:
        if last is None or last["event"] not in FAILED:
            abandon(folder)
        last = Journal(folder.parent.parent).last(folder.name)
    except (ReleaseError, OSError) as error:
        return (
            f"run {folder.name} could not be given up ({type(error).__name__}); the "
            "next run removes its private data"
        )
    if last is not None and last["event"] == "published":
        return f"run {folder.name} was published before"
    return (
        f"run {folder.name} is given up, nothing of it is published, and its private "
        "data are removed"
    )
