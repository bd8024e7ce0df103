"""A project: a folder with one release file, which is all the state there is.

Every page reads the file and edits it. What it was before is kept, so that every edit
can be undone; what jobs found lies beside it, under the hash of the file they read, so
that a page can say of numbers that they are of an earlier state.
"""

import copy
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from glob import glob, has_magic
from pathlib import Path
from typing import Any, BinaryIO

from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
)
from anon_transformers.release import ReleaseConfig, read_config
from anon_transformers.release._config import BUNDLED
from anon_transformers.release._file_kinds import TABLE_KINDS
from anon_transformers.release._strict import parse_yaml
from anon_transformers.studio._opened import outside
from anon_transformers.studio._yaml import edited

PRIVATE = 0o700
OWN = ".studio"
"""Folder of a project for what Studio keeps: history and results."""
UPLOADS = "data"
PERIOD = "period.txt"
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
MOST_STEPS = 200
"""Edits that can be undone."""
NO_STATE = ""
"""State of a result that nobody can say of which text of the file it is."""

Content = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """What a job found.

    Attributes
    ----------
    kind : str
        Which job.
    found : dict
        Numbers and short texts.
    folder : Path
        Where it put tables.
    params : dict
        What it was asked beside the release file.
    current : bool
        Whether the release file, and the files it names, are still those it read.
    """

    kind: str
    found: Mapping[str, Any]
    folder: Path
    params: Mapping[str, Any] = field(default_factory=dict)
    current: bool = True


class Project:
    """One release file and what belongs to it.

    Parameters
    ----------
    file : path
        ``<folder>/releases/<name>.yaml``, as ``anon init`` writes it, or any other
        release file.
    owned : bool
        Whether Studio made the folder, and removes it with the project.
    opened : sequence of Path
        Folders that a person opened for it, beside its own.
    """

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        owned: bool = False,
        opened: Sequence[Path] = (),
    ):
        self.file, self.owned = Path(file).absolute(), owned
        self.opened = tuple(opened)
        parent = self.file.parent
        self.folder = parent.parent if parent.name == "releases" else parent
        self._own = self.folder / OWN / self.file.stem

    @property
    def name(self) -> str:
        """Name of the release."""
        return self.file.stem

    @property
    def id(self) -> str:
        """How addresses name the project: the same after each start."""
        place = hashlib.sha256(str(self.file).encode()).hexdigest()[:8]
        # A file may be called anything; "?" and "#" would end the address.
        return f"{re.sub(r'[^A-Za-z0-9_-]', '-', self.name)}-{place}"

    # The file.

    @property
    def text(self) -> str:
        """The release file."""
        return self.file.read_text(encoding="utf-8")

    @property
    def content(self) -> Content:
        """The release file, parsed and not checked."""
        return parse_yaml(self.text)

    @property
    def config(self) -> ReleaseConfig:
        """The release file, checked; raises ConfigurationError with every fault."""
        return read_config(self.file)

    @property
    def fault(self) -> str | None:
        """Why the file is no release yet; None if it is one."""
        try:
            _ = self.config
        except ConfigurationError as error:
            return str(error).removeprefix(f"{self.file}:").strip()
        return None

    @property
    def outside(self) -> tuple[Path, ...]:
        """Folders that the file names and nobody opened: no page looks into them."""
        try:
            content = self.content
        except ConfigurationError:  # it names nothing
            return ()
        return outside(content, self.file, self._open, self.period)

    def may_read(self, place: Path) -> bool:
        """Whether a file or folder lies below a folder that was opened."""
        real = place.resolve()
        return any(real.is_relative_to(one.resolve()) for one in self._open)

    @property
    def _open(self) -> tuple[Path, ...]:
        return (self.folder, *self.opened)

    @property
    def is_graph(self) -> bool:
        """Whether the reader that the source names says that it reads graphs.

        The file may be no release yet; a reader that cannot be had reads nothing.
        """
        from anon_transformers.registry import registry

        source, known = self.content.get("source"), registry()
        kind = source.get("kind", "") if isinstance(source, dict) else ""
        # To know that a table is one, no reader is imported.
        if not isinstance(kind, str) or kind in TABLE_KINDS:
            return False
        if kind not in known.readers or known.readers.fault(kind) is not None:
            return False
        return known.reads_graphs(kind)

    @property
    def python(self) -> str:
        """The same in Python: what the file says, as a script."""
        from anon_transformers.studio._script import script_of

        return script_of(self)

    def edit(self, what: str, change: Callable[[Content], None]) -> None:
        """Change the file by a function of its content.

        Parameters
        ----------
        what : str
            The edit in words, as the list of edits shows it.
        change : callable
            Changes the content it is handed.
        """
        with self._locked():
            before = self.content
            content = copy.deepcopy(before)
            change(content)
            if content != before:
                self._replace(what, edited(self.text, content))

    def replace(self, what: str, text: str, *, made_of: str | None = None) -> None:
        """Write another text into the file; what was undone before is forgotten.

        Parameters
        ----------
        what : str
            The edit in words.
        text : str
            The new release file.
        made_of : str, optional
            The text that the new one was made of. If the file is another one by now,
            the edit is refused: it would undo what was edited meanwhile.
        """
        with self._locked():
            if made_of is not None and self.text != made_of:
                raise DataError("the file was edited meanwhile; nothing was changed.")
            self._replace(what, text)

    def _replace(self, what: str, text: str) -> None:
        history = self._history()
        steps = history["steps"][: history["at"] + 1]
        steps = [*(steps or [{"what": "start", "text": self.text}])]
        steps.append({"what": what, "text": text})
        steps = steps[-MOST_STEPS:]
        self._write(text)
        self._keep({"at": len(steps) - 1, "steps": steps})

    @property
    def edits(self) -> tuple[list[str], int]:
        """All edits in words, and the number of the one in force."""
        history = self._history()
        return [step["what"] for step in history["steps"]], history["at"]

    def move(self, by: int) -> str | None:
        """Undo (-1) or redo (+1) an edit; the words for it, None if there is none."""
        with self._locked():
            history = self._history()
            to = history["at"] + by
            if not 0 <= to < len(history["steps"]):
                return None
            self._write(history["steps"][to]["text"])
            self._keep({**history, "at": to})
        return history["steps"][max(to, to - by)]["what"]

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Let one edit be over before the next reads the file.

        Requests run side by side in threads, and jobs in another process.
        """
        from anon_transformers.release._run import locked

        with locked(self._private()):
            yield

    def _private(self) -> Path:
        """Studio's own folder of this project, made if it is not there."""
        own_folder(self.folder / OWN)
        return private_folder(self._own)

    def _history(self) -> dict[str, Any]:
        file = self._own / "history.json"
        if not file.is_file():
            return {"at": 0, "steps": []}
        history = json.loads(file.read_text(encoding="utf-8"))
        steps = history["steps"]
        if steps and steps[history["at"]]["text"] != self.text:
            # Somebody edited the file outside of Studio: that is an edit, too.
            steps = [*steps[: history["at"] + 1]]
            steps.append({"what": "edited outside", "text": self.text})
            history = {"at": len(steps) - 1, "steps": steps}
        return history

    def _keep(self, history: Mapping[str, Any]) -> None:
        write_privately(self._private() / "history.json", json.dumps(history))

    def _write(self, text: str) -> None:
        write_privately(self.file, text)

    # The period, which is of a run and not of the release file.

    @property
    def period(self) -> str | None:
        """What pages look at, of a release file with periods; None before a choice."""
        file = self._own / PERIOD
        if not file.is_file() or "{period" not in self.text:
            return None
        return file.read_text(encoding="utf-8")

    def look_at(self, period: str | None) -> None:
        """Choose a period, or none."""
        if period is None:
            (self._own / PERIOD).unlink(missing_ok=True)
        else:
            write_privately(self._private() / PERIOD, period)

    # What jobs found.

    @property
    def state(self) -> str:
        """Hash of what results are of.

        It is another one for another release file, another period, and for other files
        of the source or of hierarchies: their sizes and times, nothing in them is read.
        """
        text, period = self.text, self.period
        seen = _files_seen(text, self.file.parent, period)
        read = f"{text}{period or ''}{json.dumps(seen)}"
        return hashlib.sha256(read.encode()).hexdigest()[:16]

    def results_folder(self, kind: str) -> Path:
        """Where a job of this kind puts what it found."""
        return private_folder(self._private() / "results" / kind)

    def result(self, kind: str) -> Result | None:
        """What the last job of a kind found, if one ended well."""
        folder = self._own / "results" / kind
        file = folder / "found.json"
        if not file.is_file():
            return None
        noted = json.loads(file.read_text(encoding="utf-8"))
        current = noted["state"] == self.state
        return Result(kind, noted["found"], folder, noted["params"], current)

    def keep_work(
        self,
        kind: str,
        params: Mapping[str, Any],
        work: Callable[[], Mapping[str, Any]],
    ) -> None:
        """Do work, and note what it found.

        Where the file was written meanwhile, even if it is the same again, or another
        period was chosen, nobody can say what the work has read: the result is of no
        state.
        """
        state, written = self.state, self._written()
        found = work()
        if (self.state, self._written()) != (state, written):
            state = NO_STATE
        self.keep_result(kind, state, params, found)

    def _written(self) -> tuple[int, int]:
        """Another one after each time that the file was written."""
        about = self.file.stat()
        return about.st_ino, about.st_mtime_ns

    def keep_result(
        self, kind: str, state: str, params: Mapping[str, Any], found: Mapping[str, Any]
    ) -> None:
        """Note what a job found, and of which state of the file."""
        noted = {"state": state, "params": params, "found": found}
        folder = self.results_folder(kind)
        write_privately(folder / "found.json", json.dumps(noted))

    def remove(self) -> None:
        """Remove what Studio made: the whole folder if it is its own.

        Raises
        ------
        OSError
            If something of it cannot be removed.
        """
        folder = self.folder if self.owned else self._own
        if folder.exists():
            shutil.rmtree(folder)


@lru_cache(maxsize=64)
def _named_files(text: str) -> tuple[str, ...]:
    """Paths that a release file states for its source and its hierarchies."""
    try:
        content = parse_yaml(text)
    except ConfigurationError:  # it names nothing
        return ()
    source, trees = content.get("source"), content.get("hierarchies")
    stated = [source, *(trees.values() if isinstance(trees, Mapping) else ())]
    paths = [one.get("path") if isinstance(one, Mapping) else one for one in stated]
    several = [path if isinstance(path, list) else [path] for path in paths]
    named = (path for listed in several for path in listed if isinstance(path, str))
    # What the library brings does not change while it runs.
    return tuple(path for path in named if not path.startswith(BUNDLED))


def _files_seen(text: str, folder: Path, period: str | None) -> list[list[Any]]:
    """Every file that the source and hierarchies are, with its size and time."""
    from anon_transformers.release._period import Period, Template

    seen: list[list[Any]] = []
    for given in _named_files(text):
        try:
            of = None if period is None else Period.read(period)
            filled = str(Path(Template(given).fill(of)).expanduser())
            # The path may be absolute, which those of pathlib refuse.
            found = glob(filled, root_dir=folder)  # noqa: PTH207
            files = sorted(found) if has_magic(filled) else []
            # A name may hold a sign of a pattern and mean itself.
            seen += [[file, *stamp_of(folder / file)] for file in files or [filled]]
        except (AnonymizationError, OSError, RuntimeError, ValueError):
            seen.append([given, 0, 0])  # a run says what is wrong with it
    return seen


def stamp_of(file: Path) -> tuple[int, int]:
    """Size of a file, and when it was written last; zeros where there is none."""
    try:
        found = file.stat()
    except (OSError, ValueError):
        return (0, 0)
    return (found.st_size, found.st_mtime_ns)


def private_folder(folder: Path) -> Path:
    """Make a folder that only its owner may enter, and those above that are missing."""
    if not folder.is_dir():
        private_folder(folder.parent)
        folder.mkdir(mode=PRIVATE, exist_ok=True)
    return folder


def own_folder(folder: Path) -> Path:
    """Make a folder for what others must not see; refuses one that they may enter.

    A project may lie where others write: they could have made the folder before, or a
    link to one of theirs.
    """
    private_folder(folder)
    found = folder.lstat()
    us = os.getuid() if hasattr(os, "getuid") else found.st_uid
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != us:
        raise DataError(
            f"{folder} is a link, or another person's: Studio keeps copies of the "
            "table there. Remove it first."
        )
    if stat.S_IMODE(found.st_mode) & ~PRIVATE:
        folder.chmod(PRIVATE)
    return folder


def write_privately(file: Path, text: str) -> None:
    """Write a file whole or not at all, for its owner's eyes.

    A file that is there keeps its mode: a release file is read by schedulers, too.
    """
    private_folder(file.parent)
    draft = file.with_name(f".{file.name}.draft")
    draft.unlink(missing_ok=True)  # of a process that was killed
    with os.fdopen(os.open(draft, NEW_FILE, 0o600), "w",
                   encoding="utf-8") as handle:  # fmt: skip
        handle.write(text)
    if file.exists():
        draft.chmod(stat.S_IMODE(file.stat().st_mode))
    draft.replace(file)


def keep_upload(folder: Path, name: str, held: BinaryIO) -> Path:
    """Copy what was uploaded into a new project, which is removed if that fails."""
    try:
        file = private_folder(folder / UPLOADS) / name
        with os.fdopen(os.open(file, NEW_FILE, 0o600), "wb") as handle:
            shutil.copyfileobj(held, handle)
    except BaseException:  # half a table that no list of projects names
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return file


class Shelf:
    """The projects that were opened, newest first; kept between starts.

    Parameters
    ----------
    home : Path
        Studio's own folder (0700): the list, and the projects of uploaded files.
    """

    def __init__(self, home: Path):
        self.home = home
        self._file = home / "projects.json"

    def projects(self) -> list[Project]:
        """Those whose release file is still there."""
        return [
            Project(
                one["file"],
                owned=one["owned"],
                opened=[Path(folder) for folder in one.get("opened", ())],
            )
            for one in self._noted()
            if Path(one["file"]).is_file()
        ]

    def find(self, name: str) -> Project | None:
        """The project of this id."""
        return next((one for one in self.projects() if one.id == name), None)

    def add(self, project: Project) -> Project:
        """Put a project first."""
        with self._locked():
            self._put_first(project, ())
        return project

    def open_folders(self, project: Project, folders: Sequence[Path]) -> None:
        """Let the pages of a project look into folders, and put it first."""
        with self._locked():
            self._put_first(project, folders)

    def _put_first(self, project: Project, folders: Sequence[Path]) -> None:
        file = str(project.file)
        before = [one for one in self._noted() if one["file"] == file]
        others = [one for one in self._noted() if one["file"] != file]
        opened = [folder for one in before for folder in one.get("opened", ())]
        opened += map(str, (*project.opened, *folders))
        own = {"file": file, "owned": project.owned}
        self._keep([{**own, "opened": list(dict.fromkeys(opened))}, *others])

    def remove(self, project: Project) -> None:
        """Forget a project, and remove what Studio made of it."""
        project.remove()
        with self._locked():
            others = [one for one in self._noted() if one["file"] != str(project.file)]
            self._keep(others)

    def new_folder(self, name: str) -> Path:
        """A new private folder for a project that begins with an uploaded file."""
        private_folder(self.home)
        for number in range(1, 10_000):
            folder = self.home / (name if number == 1 else f"{name}-{number}")
            try:
                folder.mkdir(mode=PRIVATE)
            except FileExistsError:
                continue
            return folder
        raise DataError(f"there are too many projects of the name {name}.")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Let one change of the list be over before the next reads it."""
        from anon_transformers.release._run import locked

        with locked(private_folder(self.home)):
            yield

    def _noted(self) -> list[dict[str, Any]]:
        if not self._file.is_file():
            return []
        return json.loads(self._file.read_text(encoding="utf-8"))

    def _keep(self, noted: list[dict[str, Any]]) -> None:
        write_privately(self._file, json.dumps(noted, indent=1))
