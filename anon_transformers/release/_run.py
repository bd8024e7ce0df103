"""The private folder of one run, and the ledger of all runs of a release."""

import hashlib
import json
import os
import re
import secrets
import shutil
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from fcntl import LOCK_EX, flock
from functools import cached_property, wraps
from itertools import count
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import AnonymizationError, ReleaseError
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._thresholds import Threshold

PRIVATE = 0o700
FINISHED = {"published", "quarantined", "abandoned"}


class Run:
    """Everything one run keeps to itself until it is published or quarantined.

    Parameters
    ----------
    folder : path
        ``<workspace>/<release>/runs/<run id>``.
    """

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = Path(folder)

    @property
    def id(self) -> str:
        """Name of the run; also of the version it publishes."""
        return self.folder.name

    @property
    def ledger(self) -> "Ledger":
        """Ledger of the release this run belongs to."""
        return Ledger(self.folder.parent.parent)

    def refuse_gone(self) -> None:
        """Refuse to work on a run that has ended."""
        if not self.folder.is_dir():
            raise ReleaseError(
                f"run {self.id} is gone: it was published, quarantined, given up, or a "
                "newer run of this release took its place."
            )

    @cached_property
    def _order(self) -> dict[str, Any]:
        self.refuse_gone()
        return json.loads((self.folder / "run.json").read_text(encoding="utf-8"))

    @property
    def config(self) -> ReleaseConfig:
        """The release as it was when the run started."""
        return ReleaseConfig.model_validate(self._order["config"])

    @property
    def thresholds(self) -> tuple[Threshold, ...]:
        """The thresholds in force, tightened at trigger time or not."""
        return tuple(Threshold.model_validate(t) for t in self._order["thresholds"])

    def has_order(self, order: Mapping[str, Any]) -> bool:
        """Whether it was started with this configuration and these thresholds."""
        whole = self.path("run.json").is_file()
        return whole and all(self._order.get(key) == order[key] for key in order)

    @property
    def started(self) -> str:
        """When the run started (UTC)."""
        return self._order["started"]

    def path(self, name: str) -> Path:
        """A file or folder of the run."""
        return self.folder / name


class Ledger:
    """What happened to each run, one line an event; private, and only ever longer."""

    def __init__(self, home: Path):
        self.file = home / "ledger.jsonl"

    def write(self, run_id: str, event: str, **facts: Any) -> None:
        """Append an event."""
        line = json.dumps({"at": now(), "run": run_id, "event": event, **facts})
        with self.file.open("ab+") as file:
            # A line that a crash cut off must not swallow this one.
            if file.tell():
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else f"\n{line}"
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def events(self) -> list[dict[str, Any]]:
        """Everything so far; a line cut off by a crash is left out."""
        if not self.file.exists():
            return []
        found = []
        for line in self.file.read_text(encoding="utf-8").splitlines():
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                continue
        return found

    def last(self, run_id: str) -> dict[str, Any] | None:
        """The last event of a run."""
        of_run = [event for event in self.events() if event["run"] == run_id]
        return of_run[-1] if of_run else None

    def abandon(self, run_id: str) -> None:
        """Note that an unfinished run goes no further."""
        last = self.last(run_id)
        if last is not None and last["event"] not in FINISHED:
            self.write(run_id, "abandoned")


def now() -> str:
    """Tell the time, to the second, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def next_run_id(given: str | None, ledger: Ledger) -> str:
    """A name for a run that is safe as a file name.

    A name that was given before means the same run while that is unfinished, and a
    further one afterwards: a version never changes once it is there.
    """
    if given is None:
        return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    # Different names must not become one by losing their odd characters.
    mark = hashlib.blake2b(given.encode(), digest_size=3).hexdigest()
    plain = re.sub(r"[^A-Za-z0-9_.]+", "-", given)[:80].lstrip(".")
    base = f"{plain}-{mark}"
    finished = {e["run"] for e in ledger.events() if e["event"] in FINISHED}
    names = (base if turn == 1 else f"{base}-r{turn}" for turn in count(1))
    return next(name for name in names if name not in finished)


def make_private(folder: Path) -> Path:
    """Make a folder that only its owner can enter."""
    folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
    folder.chmod(PRIVATE)
    return folder


def remove_tree(folder: Path) -> None:
    """Remove a folder; it is no error if it is gone already."""
    if folder.exists():
        shutil.rmtree(folder)


def write_json(path: Path, content: Any) -> None:
    """Write a file whole or not at all."""
    write_text(path, json.dumps(content, indent=2, default=str) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f".{path.name}.draft")
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def sha256(path: Path) -> str:
    """Hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock; it falls when the process ends, however it ends."""
    # A link that somebody planted is not followed, and nothing is emptied.
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    handle = os.open(folder / ".lock", flags, 0o600)
    try:
        flock(handle, LOCK_EX)
        yield
    finally:
        os.close(handle)


def discreet(step: Callable[..., str]) -> Callable[..., str]:
    """Keep what a stranger's error says out of logs: it may quote a cell.

    Our own errors and those of the file system pass. Any other is told by its type;
    once a run has its private folder, the whole of it is kept there.
    """

    @wraps(step)
    def run(location: str | os.PathLike[str], *args: Any, **kwargs: Any) -> str:
        try:
            return step(location, *args, **kwargs)
        except (AnonymizationError, OSError):
            raise
        except Exception as error:
            kept = _keep_traceback(Path(location), step.__name__)
            told = f"{step.__name__} failed with {type(error).__name__}{kept}"
        # Out here nothing is chained to it: some loggers print all that is.
        raise ReleaseError(told)

    return run


def _keep_traceback(location: Path, step: str) -> str:
    """Write the current error into the run's folder, if there is one."""
    if not location.is_dir():
        return "."
    file = location / f"{step}.error"
    file.write_text(traceback.format_exc(), encoding="utf-8")
    return f"; its details are kept in {file}."
