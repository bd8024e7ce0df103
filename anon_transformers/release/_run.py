"""The private folder of one run, and the journal of all runs of a release.

A run has a key of its own from its first step to its last. Each step seals what it
notes for the next, *load* the order that all others read: a verdict of another run,
thresholds that were lowered on the way, or a candidate with other bytes and a new hash
do not fit their seal.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    ParameterError,
    ReleaseError,
)
from anon_transformers.gx._threshold import Threshold
from anon_transformers.parameters import is_whole
from anon_transformers.release._config import ReleaseConfig, noted_config
from anon_transformers.release._log import LOG
from anon_transformers.release._period import Period

PRIVATE = 0o700
PRIVATE_FILE = 0o600
ACKNOWLEDGED = "acknowledged"
"""Somebody has seen that a run published nothing; it is no news any more."""
FINISHED = {
    "published", "removed", "quarantined", "abandoned", "refused", ACKNOWLEDGED
}  # fmt: skip
"""Events after which a run goes no further; a version is removed after it was public.
"""
RUNS = "runs"
QUARANTINE = "quarantine"
REPORTS = "reports"
"""Folder of the private reports of runs that were published."""
EVENTS = {"loading", "loaded", "tried", "publishing", *FINISHED}
LONGEST_LINE = 1 << 16
"""A line of the journal with more bytes is not one of ours."""
LONGEST_NAME = 255
"""Bytes of the name of a file."""
LOCK = ".lock"
"""In a folder: whoever holds the lock of this file works there."""
KEY = "seal.key"
"""Private: the key of the run, which is removed with its folder."""
SEAL = "seal"
"""Where a note has its seal."""
ORDER = "run.json"
"""What the run was started with: configuration, thresholds, hashes."""
TIES = "ties.key"
"""In the private home of a release; whoever has it knows how ties fell."""
KEY_BYTES = 32
CANDIDATE = "candidate"
VERDICT = "verdict.json"
JUDGED = "composition.json"
"""Names of the releases that a candidate was judged together with."""
ERROR = ".error"
"""Ends the name of a file with the whole of an error, which may quote cells."""
CANDIDATES = (CANDIDATE, f".{CANDIDATE}.draft")
SPILL = ".spill"
"""Folder of a run for what an engine has no room for in memory."""
OF_SPILL = re.compile(r"duckdb_temp_[^/]+\Z")
OF_RUN = re.compile(
    r"\.?(?:seal\.key|(?:run|verdict|composition)\.json|(?:validation|private)\.html"
    r"|[a-z]+\.error|(?:input|nodes)\.parquet|lock)(?:\.draft)?\Z"
)
"""Files that steps write into the folder of a run."""
OF_CANDIDATE = re.compile(
    r"\.?(?:candidate|data|edges|nodes|references|links|memberships|left_out|functions"
    r"|labels)"
    r"\.[^/]+\Z"
)
"""Files that they write beside a candidate."""
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""A link that somebody planted is not followed, where the system can tell."""


class Run:
    """Everything that is private to one run until it is published or quarantined.

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
    def journal(self) -> "Journal":
        """Journal of the release this run belongs to."""
        return Journal(self.folder.parent.parent)

    @property
    def is_gone(self) -> bool:
        """Whether it has ended; others' files may keep the folder."""
        return not self.path(ORDER).is_file()

    @property
    def can_be_read(self) -> bool:
        """Whether its order and key are there: who removes it may be cut off."""
        return not self.is_gone and self.path(KEY).is_file()

    def refuse_gone(self) -> None:
        """Refuse to work on a run that has ended."""
        if self.is_gone:
            raise ReleaseError(
                f"run {self.id} is gone: it was published, quarantined, given up, or a "
                "newer run of this release took its place."
            )

    @contextmanager
    def refused_if_gone(self) -> Iterator[None]:
        """Say of a run that ends meanwhile that it is gone, whatever is missed."""
        try:
            yield
        except (AnonymizationError, OSError) as error:
            self.refuse_gone()
            if isinstance(error, FileNotFoundError) and self._is_of_run(error.filename):
                raise ReleaseError(
                    f"run {self.id}: a file of it is gone; start the release again."
                ) from None
            raise

    def _is_of_run(self, name: Any) -> bool:
        return isinstance(name, str) and Path(name).is_relative_to(self.folder)

    @cached_property
    def _order(self) -> dict[str, Any]:
        self.refuse_gone()
        noted = json.loads(self.path(ORDER).read_text(encoding="utf-8"))
        return self._opened(noted, ())

    @cached_property
    def stated(self) -> ReleaseConfig:
        """The release file as it was when the run started."""
        return noted_config(json.dumps(self._order["config"]))

    @cached_property
    def config(self) -> ReleaseConfig:
        """The release of this run, with its period and variables filled in."""
        return self.stated.filled(self._order["filled"])

    @cached_property
    def thresholds(self) -> tuple[Threshold, ...]:
        """The thresholds in force, tightened at trigger time or not."""
        return tuple(Threshold.read(t) for t in self._order["thresholds"])

    @property
    def file(self) -> Path:
        """The release file that the run was started with."""
        return Path(self._order["file"])

    def refuse_changed_inputs(self) -> None:
        """Refuse loaded tables that are not those that were loaded."""
        for name, loaded in self._order["inputs"].items():
            if sha256(self.path(f"{name}.parquet")) != loaded:
                raise ReleaseError(f"run {self.id}: what was loaded changed since.")

    def refuse_changed_files(self) -> None:
        """Refuse a suite or hierarchies that are not those that the run began with."""
        found = file_hashes(self.config)
        for key, loaded in self._order["files"].items():
            if found[key] != loaded:
                raise ReleaseError(
                    f"run {self.id}: the file of {key} changed after the run was "
                    "loaded; start the release again."
                )

    def has_order(self, order: Mapping[str, Any]) -> bool:
        """Whether it was started with this configuration, thresholds and files."""
        if not self.path(ORDER).is_file():
            return False
        try:
            noted = self._order
        except ReleaseError:  # somebody changed it: the run starts over
            return False
        return all(noted.get(key) == order[key] for key in order)

    @property
    def started(self) -> str:
        """When the run started (UTC)."""
        return self._order["started"]

    def read_candidate(self) -> dict[str, Any]:
        """What *anonymize* noted of its candidate; refuses bytes that changed since."""
        folder = self.path(CANDIDATE)
        self.refuse_gone()
        if not folder.is_dir():
            raise ReleaseError(f"run {self.id} has no candidate yet.")
        noted = json.loads((folder / "candidate.json").read_text(encoding="utf-8"))
        noted = self.unsealed(noted)
        for file in files_of(noted):
            if sha256(folder / file["data"]) != file["sha256"]:
                raise ReleaseError(
                    f"run {self.id}: the candidate changed after it was made."
                )
        return noted

    def evidence_file(self, name: str, noted: str, what: str) -> Path:
        """A file of private evidence; refuses one that changed since it was noted."""
        file = self.path(CANDIDATE) / name
        if sha256(file) != noted:
            raise ReleaseError(f"run {self.id}: its evidence of {what} changed.")
        return file

    def write_verdict(self, verdict: dict[str, Any]) -> None:
        """Write what *validate* found, bound to the candidate and its report."""
        write_json(self.path(VERDICT), self.sealed(verdict, self._judged))

    def read_verdict(self) -> dict[str, Any]:
        """What *validate* found of this very candidate."""
        file = self.path(VERDICT)
        if not file.exists():
            raise ReleaseError(f"run {self.id} has not been validated.")
        verdict = json.loads(file.read_text(encoding="utf-8"))
        return self.unsealed(verdict, self._judged)

    @property
    def _judged(self) -> list[Path]:
        return [self.path(CANDIDATE) / "candidate.json", self.path("validation.html")]

    def sealed(
        self, note: Mapping[str, Any], files: Sequence[Path] = ()
    ) -> dict[str, Any]:
        """A note with a seal on it, on the order of the run, and on these files."""
        files = (self.path(ORDER), *files)
        return {**note, SEAL: seal_of(self.folder, self.id, note, files)}

    def unsealed(
        self, note: Mapping[str, Any], files: Sequence[Path] = ()
    ) -> dict[str, Any]:
        """The note without its seal; refuses one that was not made so in this run."""
        return self._opened(note, (self.path(ORDER), *files))

    def _opened(self, note: Any, files: Sequence[Path]) -> dict[str, Any]:
        content = {key: value for key, value in dict(note).items() if key != SEAL}
        kept = note.get(SEAL)
        if not isinstance(kept, str) or not hmac.compare_digest(
            kept, seal_of(self.folder, self.id, content, files)
        ):
            raise ReleaseError(
                f"run {self.id}: its notes, its order or its files were changed "
                "between two steps; start the release again."
            )
        return content

    def path(self, name: str) -> Path:
        """A file or folder of the run."""
        return self.folder / name


class Journal:
    """What happened to each run, one line per event; private, and only ever longer.

    A folder is named here before it is made: what this file does not name is not ours,
    and is never removed.
    """

    def __init__(self, home: Path):
        self.file = home / "journal.jsonl"

    def refuse_no_file(self) -> None:
        """Refuse a link or a folder in place of the journal."""
        if os.path.lexists(self.file) and not is_plain(self.file, stat.S_ISREG):
            raise ConfigurationError(
                f"workspace: {self.file} is not a plain file; without a journal no run "
                "starts, for nobody would know what it left."
            )

    def write(self, run_id: str, event: str, **facts: Any) -> None:
        """Append an event."""
        line = json.dumps({"at": now(), "run": run_id, "event": event, **facts})
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | NO_LINK
        with os.fdopen(os.open(self.file, flags, 0o600), "ab+") as file:
            # A line that a crash cut off must not swallow this one.
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else f"\n{line}"
            file.write(line.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def events(self) -> list[dict[str, Any]]:
        """Everything so far; lines that are not ours, or cut off, are left out."""
        return [event for event in self._lines() if event is not None]

    def warn_of_odd_lines(self) -> None:
        """Log how many lines cannot be read as events."""
        odd = sum(event is None for event in self._lines())
        if odd:
            LOG.warning("%s: %d lines are no events and were left out.", self.file, odd)

    def _lines(self) -> Iterator[dict[str, Any] | None]:
        if not is_plain(self.file, stat.S_ISREG):
            return
        with self.file.open("rb") as file:
            while line := file.readline(LONGEST_LINE):
                whole = line.endswith(b"\n")
                yield _event(line) if whole or len(line) < LONGEST_LINE else None
                while not whole and line:
                    line = file.readline(LONGEST_LINE)
                    whole = line.endswith(b"\n")

    def stories(self) -> dict[str, list[dict[str, Any]]]:
        """The events of each run, in their order."""
        found: dict[str, list[dict[str, Any]]] = {}
        for event in self.events():
            found.setdefault(event["run"], []).append(event)
        return found

    def last(self, run_id: str) -> dict[str, Any] | None:
        """The last event of a run."""
        return self.stories().get(run_id, [None])[-1]

    def rows_before(self, period: Period | None = None) -> int | None:
        """Rows that the last published run was loaded with; None if there was none.

        Of a release with periods, the published run of the newest period before this
        one: a backfill is compared with what came before it in time.
        """
        found = []
        for number, story in enumerate(self.stories().values()):
            of, rows = period_in(story), [e["rows"] for e in story if "rows" in e]
            earlier = period is None or (of is not None and of.order < period.order)
            published = any(event["event"] == "published" for event in story)
            if earlier and published and rows and is_whole(rows[-1]) and rows[-1] > 0:
                found.append((() if of is None else of.order, number, rows[-1]))
        return max(found)[2] if found else None

    def abandon(self, run_id: str, **facts: Any) -> None:
        """Note that an unfinished run goes no further."""
        last = self.last(run_id)
        if last is not None and last["event"] not in FINISHED:
            self.write(run_id, "abandoned", **facts)


def _event(line: bytes) -> dict[str, Any] | None:
    """A line of the journal; None if it is not one that we write."""
    try:
        event = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict) or event.get("event") not in EVENTS:
        return None
    files = event.get("files", [])
    if not isinstance(files, list) or not _can_be_path(event.get("version", "")):
        return None
    draft = event.get("draft", ".none")
    # What a draft is called begins with a dot: no name that readers know is removed.
    if not isinstance(event.get("at", ""), str) or str(draft)[:1] != ".":
        return None
    hashes = event.get("sha256", {})
    if not isinstance(hashes, dict) or set(map(type, hashes.values())) - {str}:
        return None
    try:
        Period.read(event.get("period", "2000"))
    except ParameterError:
        return None
    names = [event.get("run"), draft, *files]
    return event if all(map(_is_name, names)) else None


def _is_name(given: Any) -> bool:
    """Whether it can name a file; one that leads elsewhere is none that we gave."""
    if not _can_be_path(given) or given in {"", ".", ".."} or "/" in given:
        return False
    return len(given.encode()) <= LONGEST_NAME


def _can_be_path(given: Any) -> bool:
    """Whether the file system takes it; half a character, or a NUL, it does not."""
    try:
        return isinstance(given, str) and b"\0" not in given.encode()
    except UnicodeEncodeError:
        return False


def of_period(period: Period | None) -> dict[str, str]:
    """What an event of the journal says of the period of a run."""
    return {} if period is None else {"period": period.name}


def period_in(story: Sequence[Mapping[str, Any]]) -> Period | None:
    """The period that the events of a run name."""
    named = [event["period"] for event in story if "period" in event]
    return Period.read(named[-1]) if named else None


def files_of(noted: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The files of a candidate or a published version: a table, or edges and nodes."""
    return [noted, noted["nodes"]] if "nodes" in noted else [noted]


def hash_of(noted: Mapping[str, Any]) -> str:
    """The hashes of all files, which tell these bytes from others."""
    return "+".join(file["sha256"] for file in files_of(noted))


def make_key(folder: Path) -> None:
    """Draw the key of a run."""
    write_text(folder / KEY, secrets.token_hex(KEY_BYTES))


def seal_of(
    folder: Path, run_id: str, note: Mapping[str, Any], files: Sequence[Path] = ()
) -> str:
    """The seal of a note and of files, by the key in the folder of a run."""
    key = folder / KEY
    if not key.is_file():
        raise ReleaseError(f"run {run_id} has no key; start the release again.")
    # As it is read again, where a tuple is a list and a key a text.
    content = json.dumps(json.loads(json.dumps(note, default=str)), sort_keys=True)
    # In JSON, no part can lend its end to the next.
    message = json.dumps([run_id, content, *map(sha256, files)]).encode()
    secret = bytes.fromhex(key.read_text(encoding="ascii"))
    return hmac.new(secret, message, "sha256").hexdigest()


def write_order(folder: Path, run_id: str, order: Mapping[str, Any]) -> None:
    """Write what a run was started with, sealed: no step takes an order for another."""
    write_json(folder / ORDER, {**order, SEAL: seal_of(folder, run_id, order)})


def now() -> str:
    """The time, to the second, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def plain_name(given: str) -> str:
    """A name that somebody gave a run, safe as a part of the name of a file."""
    # Different names must not become one by losing their odd characters.
    digest = hashlib.blake2b(given.encode(), digest_size=3).hexdigest()
    plain = re.sub(r"[^A-Za-z0-9_.]+", "-", given)[:80].lstrip(".")
    return f"{plain}-{digest}"


def next_run_id(
    given: str | None, journal: Journal, period: Period | None = None
) -> str:
    """A name for a run that is safe as a file name; it begins with the period.

    A name that was given before means the same run while that is unfinished, and a
    further one afterwards: a version never changes once it is there. What is drawn ends
    each name, also the first: readers see those of versions, and a number would tell
    how many runs of that name were refused before.
    """
    of_period = "" if period is None else f"{period.name}_"
    if given is None:
        drawn = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
        return f"{of_period}{drawn}"
    named = re.compile(rf"{re.escape(of_period)}{runs_named(given)}\Z")
    runs = journal.file.parent / RUNS
    for name, story in reversed(journal.stories().items()):
        # What others put there must not pass for a run of ours.
        theirs = os.path.lexists(runs / name) and not is_plain(runs / name)
        if named.match(name) and story[-1]["event"] not in FINISHED and not theirs:
            return name
    return f"{of_period}{plain_name(given)}-{secrets.token_hex(3)}"


def runs_named(given: str) -> str:
    """A pattern of the names of all runs that were given a name, behind the period.

    Examples
    --------
    >>> bool(re.fullmatch(runs_named("monthly"), "monthly-40ec67-0a1b2c"))
    True
    """
    return re.escape(plain_name(given)) + "-[0-9a-f]{6}"


def make_private(folder: Path) -> Path:
    """Make a folder that only its owner can enter; one that is there stays as it is."""
    if not folder.is_dir():
        # Another run of the release may make it at the same moment.
        folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
        folder.chmod(PRIVATE)
    return folder


def is_plain(path: Path, kind: Callable[[int], bool] = stat.S_ISDIR) -> bool:
    """Whether it is there as a folder, or as what else is asked for, and no link."""
    try:
        return kind(path.lstat().st_mode)
    except OSError:
        return False


def refuse_links(home: Path) -> None:
    """Refuse a link or a file in place of a private folder of a release.

    A link could lead what is private into a folder that others read, a target too.
    """
    for name in (RUNS, QUARANTINE, REPORTS):
        if os.path.lexists(home / name) and not is_plain(home / name):
            raise ConfigurationError(
                f"workspace: {name!r} in {home} is not a plain folder; what is private "
                "must not lie behind a link."
            )


def left_alone(path: Path, why: str = "no run in the journal made it") -> None:
    """Log that something was not removed."""
    LOG.warning("%s: left as it is; %s.", path, why)


def remove_tree(folder: Path) -> None:
    """Remove a folder of ours; it is no error if it is gone already.

    A link in its place is left: what it points at is not ours.
    """
    if is_plain(folder):
        shutil.rmtree(folder)
    elif os.path.lexists(folder):
        left_alone(folder, "it is not a folder")


def remove_run(folder: Path) -> None:
    """Remove the folder of a run; it is no error if it is gone already.

    Files that no step writes are somebody else's. They stay, and what is personal goes
    all the same.
    """
    if not is_plain(folder):
        remove_tree(folder)
        return
    foreign = [path for path in _files_in(folder) if not _is_of_run(path, folder)]
    if not foreign:
        remove_tree(folder)
        return
    for path in _files_in(folder):
        if _is_of_run(path, folder):
            path.rmdir() if is_plain(path) else path.unlink()
    for path in foreign:
        left_alone(path, "no step of a run made it")


def _files_in(folder: Path) -> list[Path]:
    """Everything in a folder and in those below but plain folders that hold some."""
    found = []
    for path in sorted(folder.iterdir()):
        inner = _files_in(path) if is_plain(path) else []
        found += inner or [path]
    return found


def _is_of_run(path: Path, folder: Path) -> bool:
    """Whether a step of a run writes a file of this name there."""
    *above, name = path.relative_to(folder).parts
    if is_plain(path):  # an empty folder
        return not above and name in {*CANDIDATES, SPILL}
    if above == [SPILL]:
        return bool(OF_SPILL.match(name)) and is_plain(path, stat.S_ISREG)
    beside = len(above) == 1 and above[0] in CANDIDATES
    ours = OF_CANDIDATE.match(name) if beside else not above and OF_RUN.match(name)
    return bool(ours) and is_plain(path, stat.S_ISREG)


def remove_candidate(home: Path, run_id: str) -> None:
    """Remove the tables of a quarantined run; its verdict and its reports stay."""
    place = home / QUARANTINE / run_id
    while is_plain(place) and not is_plain(place / ORDER, stat.S_ISREG):
        place = place.with_name(f"{place.name}-r")  # that one is somebody else's
    for name in CANDIDATES if is_plain(home / QUARANTINE) and is_plain(place) else ():
        folder = place / name
        if not is_plain(folder):
            continue
        for path in _files_in(folder):
            if _is_of_run(path, place):
                path.unlink()
            else:
                left_alone(path, "no step of a run made it")
        if not any(folder.iterdir()):
            folder.rmdir()


def close_to_others(folder: Path) -> None:
    """Let nobody but the owner read a folder and what is in it."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(PRIVATE if path.is_dir() else PRIVATE_FILE)


def write_json(path: Path, content: Any, mode: int | None = None) -> None:
    """Write a file whole or not at all."""
    write_text(path, json_text(content), mode)


def json_text(content: Any) -> str:
    """What :func:`write_json` writes."""
    return json.dumps(content, indent=2, default=str) + "\n"


def write_text(path: Path, text: str, mode: int | None = None) -> None:
    """Write a file whole or not at all, with these permissions if some are given."""
    draft = path.with_name(draft_of(path.name))
    with draft.open("w", encoding="utf-8") as file:
        if mode is not None:  # before anything is in it
            draft.chmod(mode)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def draft_of(name: str) -> str:
    """What a file is called while it is written."""
    return f".{name}.draft"


def sha256(path: Path) -> str:
    """Hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_hashes(config: ReleaseConfig) -> dict[str, str]:
    """Hashes of the files that a release is judged by, by the keys that name them."""
    paths = {key: config.path(given) for key, given in config.files.items()}
    return {key: sha256(path) if path.is_file() else "" for key, path in paths.items()}


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock; it is released when the process ends, however it ends."""
    # Here, so that a file that is refused loads nothing that it does not need.
    from filelock import lock_descriptor

    handle = _open_lock(folder)
    try:
        lock_descriptor(handle)
        yield
    finally:
        os.close(handle)


def _open_lock(folder: Path) -> int:
    file = folder / LOCK
    if os.path.lexists(file) and not is_plain(file, stat.S_ISREG):
        # A link is not followed: everybody who finds it locks the folder itself.
        left_alone(file, "it is not a plain file, and the folder itself is locked")
        return os.open(folder, os.O_RDONLY)
    return os.open(file, os.O_RDWR | os.O_CREAT | NO_LINK, 0o600)


def tie_key(home: Path) -> bytes:
    """Read the key by which ties fall alike in all runs; the first run draws it.

    Without it, persons who tie would change groups from month to month by chance, and
    two versions of their classes would tell more than one.
    """
    try:
        return home_key(home, TIES)
    except ReleaseError as error:
        raise ReleaseError(f"{error} Ties fall anew once then.") from None


def home_key(home: Path, name: str) -> bytes:
    """Read a key that all runs of a release share; the first run draws it."""
    file = home / name
    with locked(home):
        if not os.path.lexists(file):
            _write_key(file)
    return read_key(file)


def read_key(file: Path) -> bytes:
    """Read a key; no link is followed to it."""
    with os.fdopen(os.open(file, os.O_RDONLY | NO_LINK), "rb") as handle:
        key = handle.read(KEY_BYTES + 1)
    if len(key) != KEY_BYTES:
        raise ReleaseError(
            f"{file} is no key of {KEY_BYTES} bytes; remove it (of the key that signs, "
            "the next run draws another)."
        )
    return key


def _write_key(file: Path) -> None:
    """Write a fresh key, whole or not at all, that only its owner can read."""
    draft = file.with_name(f".{file.name}.draft")
    draft.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
    with os.fdopen(os.open(draft, flags, 0o600), "wb") as handle:
        handle.write(secrets.token_bytes(KEY_BYTES))
        handle.flush()
        os.fsync(handle.fileno())
    draft.replace(file)
