"""What the steps of a release say while they work: one line each, and a sign of life.

A step gathers facts with :func:`tell`; when it ends, they are logged in one line, with
the seconds it took, and how it ended, unless that was well. :func:`stage` says what it
is at, and :func:`share_done` which share of that is done; a long step repeats both from
time to time. Facts are names of the configuration and numbers, never cells.
"""

import json
import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from anon_transformers.exceptions import AnonymizationError
from anon_transformers.parameters import is_number, is_whole

LOG = logging.getLogger("anon_transformers.release")
FACTS = "facts"
"""Attribute of a log record: what a step tells, by name."""
SIGN_OF_LIFE = 30.0
"""Seconds after which a step that is still at work says so, again and again."""


@dataclass
class StepLog:
    """What a step has told so far."""

    step: str
    started: float
    release: str = ""
    facts: dict[str, str | int | float] = field(default_factory=dict)
    at: str = ""
    share: float | None = None

    @property
    def seconds(self) -> float:
        """Time since the step began."""
        return time.monotonic() - self.started

    @property
    def title(self) -> str:
        """The step, and the release as soon as it is known."""
        return f"{self.step} {self.release}".strip()

    @property
    def where(self) -> dict[str, Any]:
        """What the step is at, and how much of it is done, where that is known."""
        return {"stage": self.at or None, "share": self.share}

    def record(self, more: Mapping[str, Any]) -> dict[str, Any]:
        """What goes with a log record, for those who read it by machine.

        A threshold may have any id, and takes no other fact's place.
        """
        named = {**more, "step": self.step, "release": self.release or None}
        return {FACTS: {key: fact for key, fact in named.items() if fact is not None}}


def _wait(done: threading.Event, seconds: float) -> bool:
    """Wait for the end of a step; whether it has come."""
    return done.wait(seconds)


_CURRENT: ContextVar[StepLog | None] = ContextVar("step", default=None)
_LOOK: ContextVar[Callable[[str], None] | None] = ContextVar("look", default=None)


@contextmanager
def logged_step(step: str, *, refusals_only: bool = False) -> Iterator[None]:
    """Log what a step told, once it has ended; an error says itself why.

    Parameters
    ----------
    step : str
        Its name.
    refusals_only : bool, default=False
        Say nothing if it ends well: what follows belongs to the same step.
    """
    current, done = StepLog(step, time.monotonic()), threading.Event()

    def signs() -> None:
        while not _wait(done, SIGN_OF_LIFE):
            extra = current.record(current.where)
            told = [where_in(extra[FACTS]), f"{current.seconds:.0f} s so far"]
            LOG.info(
                "%s: %s", current.title, ", ".join(filter(None, told)), extra=extra
            )

    token = _CURRENT.set(current)
    signing = threading.Thread(target=signs, daemon=True, name=f"{step} signs of life")
    signing.start()
    try:
        yield
    except BaseException as error:
        _log_end(current, error)
        raise
    else:
        if not refusals_only:
            _log_end(current)
    finally:
        done.set()
        _CURRENT.reset(token)


def _log_end(current: StepLog, error: BaseException | None = None) -> None:
    """One line on a step that is over; of an error its type, for it may quote cells."""
    told = [
        f"{name.replace('_', ' ')} {_shown(fact)}"
        for name, fact in current.facts.items()
    ]
    facts = {**current.facts, "seconds": round(current.seconds, 3)}
    if error is not None:
        ended, kind = _ending(error), type(error).__name__
        told.insert(0, f"{ended} ({kind})")
        facts |= {"ended": ended, "error": kind}
    LOG.info(
        "%s: %s", current.title, ", ".join([*told, f"{current.seconds:.1f} s"]),
        extra=current.record(facts),
    )  # fmt: skip


def _ending(error: BaseException) -> str:
    """How a step ended, in a word."""
    if isinstance(error, AnonymizationError):
        return "refused"
    return "failed" if isinstance(error, Exception) else "interrupted"


@contextmanager
def heard_by(handler: logging.Handler) -> Iterator[None]:
    """Let one handler hear all that steps say, and nobody else."""
    level, passed_on = LOG.level, LOG.propagate
    LOG.addHandler(handler)
    LOG.setLevel(logging.DEBUG)
    LOG.propagate = False
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(level)
        LOG.propagate = passed_on


@contextmanager
def warnings_unheard() -> Iterator[None]:
    """Log no warning of what this thread does: it is tried, and is no run."""
    mine = threading.get_ident()

    def passes(record: logging.LogRecord) -> bool:
        return record.levelno != logging.WARNING or record.thread != mine

    LOG.addFilter(passes)
    try:
        yield
    finally:
        LOG.removeFilter(passes)


def tell(release: str = "", /, **facts: Any) -> None:
    """Note what the current step has to tell; outside of steps nobody listens.

    Parameters
    ----------
    release : str
        Name of the release, with its period.
    **facts
        Texts of the configuration, and numbers; of anything else, which a stranger's
        code may have made, nothing is noted.
    """
    current = _CURRENT.get()
    if current is None:
        return
    current.release = release or current.release
    for name, fact in facts.items():
        if isinstance(fact, str):
            current.facts[name] = fact
    tell_numbers(facts)


def tell_numbers(facts: Mapping[str, Any]) -> None:
    """Note numbers that a stranger's code may have made, and nothing else of them.

    A text could be a cell, and so could what a number of a class of theirs says of
    itself: they become plain ones.
    """
    current = _CURRENT.get()
    if current is None:
        return
    for name, fact in facts.items():
        if is_number(fact):
            current.facts[name] = int(fact) if is_whole(fact) else float(fact)


@contextmanager
def looked_at_by(look: Callable[[str], None]) -> Iterator[None]:
    """Call a function whenever a step says where it is; what it raises ends the step.

    Parameters
    ----------
    look : callable
        Called with what the step is at, in words.
    """
    token = _LOOK.set(look)
    try:
        yield
    finally:
        _LOOK.reset(token)


def stage(what: str) -> None:
    """Say what the current step is at; of that nothing is done yet."""
    current = _CURRENT.get()
    if current is not None:
        current.at, current.share = what, None
        if (look := _LOOK.get()) is not None:
            look(what)
        _say_where(current)


def share_done(share: float) -> None:
    """Say which share of its stage the current step has done.

    Parameters
    ----------
    share : float
        From 0 to 1; of anything else, which a stranger's code may have made, nothing is
        said. Only a further per cent is news.
    """
    current = _CURRENT.get()
    if current is None or not is_number(share) or not 0 <= share <= 1:
        return
    if (look := _LOOK.get()) is not None:
        look(where_in(current.record(current.where)[FACTS]))
    hundredths = math.floor(100 * float(share)) / 100
    if current.share != hundredths:
        current.share = hundredths
        _say_where(current)


def _say_where(current: StepLog) -> None:
    extra = current.record(current.where)
    LOG.debug("%s: %s", current.title, where_in(extra[FACTS]), extra=extra)


def where_in(facts: Mapping[str, Any]) -> str:
    """What a step is at, in words; of a line that does not say it, nothing.

    Examples
    --------
    >>> where_in({"stage": "full-domain at work", "share": 0.45})
    'full-domain at work, 45 % done'
    """
    told = [facts["stage"]] if "stage" in facts else []
    if "share" in facts:
        told.append(f"{100 * facts['share']:.0f} % done")
    return ", ".join(told)


def _shown(fact: str | int | float) -> str:
    if isinstance(fact, str):
        return fact
    return f"{fact:,}" if isinstance(fact, int) else f"{fact:.4g}"


class JsonLines(logging.Formatter):
    """A log record as one JSON object on one line.

    Examples
    --------
    >>> record = logging.makeLogRecord({"msg": "load adult: rows 9"})
    >>> record.facts = {"step": "load", "rows": 9}
    >>> line = json.loads(JsonLines().format(record))
    >>> line["message"], line["rows"]
    ('load adult: rows 9', 9)
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record with its facts; no traceback, which could quote cells."""
        at = datetime.fromtimestamp(record.created, UTC)
        return json.dumps(
            {
                **getattr(record, FACTS, {}),
                "at": at.isoformat(timespec="milliseconds"),
                "level": record.levelname.lower(),
                "message": record.getMessage(),
            },
            default=str,
        )
