"""Folders that a person opened: pages read and write below them, and nowhere else.

A release file may name any file of the machine, and may come from somebody else. Its
own folder is open, and what a person opened by its path. Other folders that it names
are opened on a page that shows them; until then the project shows nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import AnonymizationError
from anon_transformers.release._config import BUNDLED
from anon_transformers.release._period import Period, Template
from anon_transformers.release._remote_files import is_address
from anon_transformers.release._stated_database import sqlite_file

Content = Mapping[str, Any]

PLACES = ("target", "workspace")
"""Keys that name a folder; all others name files."""
NO_PATHS = ("kind", "columns", "missing", "separator", "encoding", "query", "table")
"""Keys of a source that name no file, whatever they hold."""
OF_THRESHOLDS = ("id", "attack", "model", "metric", "sensitive")
LOCAL = re.compile(r"(?:file|local)://")
"""Addresses of files of this machine."""


def outside(
    content: Content, file: Path, opened: Sequence[Path], period: str | None = None
) -> tuple[Path, ...]:
    """Folders that a release file names beyond those that were opened.

    Parameters
    ----------
    content : mapping
        What the file says; it may be no release yet.
    file : Path
        The release file: relative paths are from its folder.
    opened : sequence of Path
        Folders that are open, with all that is below them.
    period : str, optional
        What placeholders are filled with.
    """
    known = [folder.resolve() for folder in opened]
    found: set[Path] = set()
    for key, text in _named(content):
        for place in _places(key, text, file.parent, period):
            if any(place.is_relative_to(folder) for folder in known):
                continue
            found.add(place if key in PLACES or place.is_dir() else place.parent)
    highest = (one for one in found if not found.intersection(one.parents))
    return tuple(sorted(highest))


def _named(content: Content) -> Iterator[tuple[str, str]]:
    """Texts that may be paths, with the section that names each."""
    for key in ("suite", "workspace", "ledger", "target", "on_refusal"):
        yield from ((key, text) for text in _texts(content.get(key)))
    source = content.get("source")
    stated = source.items() if isinstance(source, Mapping) else ()
    for key, given in stated:
        if key not in NO_PATHS:
            yield from (("source", text) for text in _texts(given))
    trees = content.get("hierarchies")
    for tree in trees.values() if isinstance(trees, Mapping) else ():
        path = tree.get("path") if isinstance(tree, Mapping) else tree
        yield from (("hierarchies", text) for text in _texts(path))
    thresholds = content.get("thresholds")
    for one in thresholds if isinstance(thresholds, list) else ():
        if isinstance(one, Mapping) and "attack" in one:
            inputs = [one[key] for key in one if key not in OF_THRESHOLDS]
            yield from (("thresholds", text) for text in _texts(inputs))


def _texts(given: Any) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    elif isinstance(given, Mapping):
        for value in given.values():
            yield from _texts(value)
    elif isinstance(given, list | tuple):
        for value in given:
            yield from _texts(value)


def _places(key: str, text: str, folder: Path, period: str | None) -> list[Path]:
    """Where a text leads, behind links; nowhere if it is no path of this machine."""
    path = sqlite_file(text) or LOCAL.sub("", text, count=1)
    if path.startswith(BUNDLED) or is_address(path):
        return []
    try:
        filled = str(Path(_filled(path, period)).expanduser())
        # The path may be absolute, which those of pathlib refuse.
        found = glob(filled, root_dir=folder) if has_magic(filled) else []  # noqa: PTH207
        there = [(folder / one).resolve() for one in [filled, *found]]
        if key == "source":  # of a folder, the files in it are read
            there += [
                one.resolve() for at in there if at.is_dir() for one in at.iterdir()
            ]
    except (OSError, RuntimeError, ValueError):  # a run says what is wrong with it
        return []
    return there


def _filled(path: str, period: str | None) -> str:
    """The path with its period; without one, the folder that all periods share."""
    template = Template(path)
    try:
        return template.fill(None if period is None else Period.read(period))
    except AnonymizationError:
        return template.root.text
