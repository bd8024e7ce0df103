"""The folders that machine code is kept in."""

import os
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

NAME = "anon-transformers"
BESIDE = "__pycache__"


class Place(NamedTuple):
    """Where the machine code of a package's kernels is.

    Attributes
    ----------
    folder : Path
        What is compiled is written here.
    searched : tuple of Path
        It is looked for here.
    reason : str
        Why the folder is a passing one; empty if it is not.
    """

    folder: Path
    searched: tuple[Path, ...]
    reason: str = ""


def find_place(package: str) -> Place:
    """The place for the kernels in a folder of a package.

    ``ANON_CACHE_DIR`` or ``NUMBA_CACHE_DIR`` if set. Else beside the modules, where
    those who may not write find what the owner compiled; else the user's cache folder;
    else a temporary folder.
    """
    chosen = os.environ.get("ANON_CACHE_DIR", "")
    numbas = os.environ.get("NUMBA_CACHE_DIR", "")
    return _find_place(package, chosen or (numbas and str(Path(numbas, NAME))))


@cache
def _find_place(package: str, chosen: str) -> Place:
    beside = Path(package, BESIDE)
    tried = [Path(chosen).absolute()] if chosen else [beside, *folders_of_the_user()]
    for at, folder in enumerate(tried):
        if _is_writable(folder):
            return Place(folder, tuple(tried[: at + 1]))
    passing = _temporary()
    return Place(passing, (*tried, passing), f"{tried[-1]} cannot be written")


def folders_of_the_user() -> list[Path]:
    """The user's cache folder; none where there is no home."""
    if sys.platform == "win32":
        above = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        above = "~/Library/Caches"
    else:
        above = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return [Path(above or "~").expanduser() / NAME]
    except RuntimeError:
        return []


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _temporary() -> Path:
    """A temporary folder that nobody else can write: what is in it is executed."""
    if not hasattr(os, "getuid"):
        return Path(tempfile.gettempdir(), NAME)
    folder = Path(tempfile.gettempdir(), f"{NAME}-{os.getuid()}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return Path(tempfile.mkdtemp(prefix=NAME))
    ours = found.st_uid == os.getuid() and stat.S_ISDIR(found.st_mode)
    if ours and not found.st_mode & 0o077:
        return folder
    return Path(tempfile.mkdtemp(prefix=NAME))
