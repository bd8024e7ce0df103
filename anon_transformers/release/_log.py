"""What the steps of a release say while they work: one line each, and a sign of life.

A step gathers facts with :func:`tell`; when it ends well, they are logged in one line,
with the seconds it took. :func:`stage` says what it is at, which a long step repeats
from time to time. Facts are names of the configuration and numbers, never cells.
"""

import json
import logging
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

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
    release: str = ""
    facts: dict[str, str | int | float] = field(default_factory=dict)
    at: str = ""
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Time since the step began."""
        return time.monotonic() - self.started

    @property
    def title(self) -> str:
        """The step, and the release as soon as it is known."""
        return f"{self.step} {self.release}".strip()

    def record(self, more: Mapping[str, Any]) -> dict[str, Any]:
        """What goes with a log record, for those who read it by machine.

        A threshold may have any id, and takes no other fact's place.
        """
        named = {**more, "step": self.step, "release": self.release or None}
        return {FACTS: {key: fact for key, fact in named.items() if fact is not None}}


_CURRENT: ContextVar[StepLog | None] = ContextVar("step", default=None)


@contextmanager
def logged_step(step: str) -> Iterator[None]:
    """Log what a step told, once it has ended well; an error says itself what it is."""
    current, done = StepLog(step), threading.Event()

    def signs() -> None:
        while not done.wait(SIGN_OF_LIFE):
            at = f"{current.at}, " if current.at else ""
            LOG.info(
                "%s: %s%.0f s so far", current.title, at, current.seconds,
                extra=current.record({"stage": current.at or None}),
            )  # fmt: skip

    token = _CURRENT.set(current)
    threading.Thread(target=signs, daemon=True, name=f"{step} signs of life").start()
    try:
        yield
    finally:
        done.set()
        _CURRENT.reset(token)
    told = [
        f"{name.replace('_', ' ')} {_shown(fact)}"
        for name, fact in current.facts.items()
    ]
    facts = {**current.facts, "seconds": round(current.seconds, 3)}
    LOG.info(
        "%s: %s", current.title, ", ".join([*told, f"{current.seconds:.1f} s"]),
        extra=current.record(facts),
    )  # fmt: skip


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


def stage(what: str) -> None:
    """Say what the current step is at."""
    current = _CURRENT.get()
    if current is not None:
        current.at = what
        LOG.debug("%s: %s", current.title, what, extra=current.record({"stage": what}))


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
