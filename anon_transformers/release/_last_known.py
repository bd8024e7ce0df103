"""What was last known of release files, kept between processes.

A scheduler must not lose a release because its file cannot be read: what the file said
when it was last in order is kept in the user's cache folder, and so is the mark of what
was checked. Both are conveniences: without a folder that can be written, files are
checked each time, and what cannot be read is not known.
"""

import hashlib
import json
import os
import re
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.jit._places import folders_of_the_user
from anon_transformers.registry import KINDS, registry
from anon_transformers.release._airflow_options import AirflowOptions
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._schedule import is_schedule
from anon_transformers.release._strict import LARGEST_FILE, parse_yaml

FOLDER = "checked-releases"
VERSIONED = ("anon-transformers", "scikit-learn", "pydantic")
"""Distributions whose version decides what is legal, beside those of plugins."""
_TOP_LEVEL = {
    key: re.compile(rf"^{key}[ \t]*:.*(?:\n(?:[ \t#].*|[ \t]*))*", re.MULTILINE)
    for key in ("schedule", "airflow", "workspace")
}
"""A key of the file with all lines below it, where the file is no YAML."""


def _folder() -> Path | None:
    """Where it is kept; None if there is no such folder."""
    chosen = os.environ.get("ANON_CACHE_DIR")
    above = [Path(chosen).absolute()] if chosen else folders_of_the_user()
    return above[0] / FOLDER if above else None


def _place(file: Path) -> Path | None:
    folder = _folder()
    name = hashlib.sha256(os.fsencode(file.absolute())).hexdigest()[:32]
    return None if folder is None else folder / f"{name}.json"


def recall(file: Path) -> dict[str, Any]:
    """What is known of a release file: its mark, its schedule, its options."""
    place = _place(file)
    return {} if place is None else _read(place)


def _read(place: Path) -> dict[str, Any]:
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def remember(file: Path, config: ReleaseConfig, mark: str) -> None:
    """Keep what a file that is in order says."""
    place = _place(file)
    if place is None:
        return
    options = config.airflow.model_dump(mode="json", exclude_unset=True)
    noted = {
        "file": str(file.absolute()),
        "mark": mark,
        "schedule": config.schedule,
        "airflow": options,
    }
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=place.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(noted, stream)
        Path(draft).replace(place)
    except OSError:
        return  # it is checked again next time, which is all that is lost


def known_files(folder: Path) -> list[Path]:
    """Release files that were in order in a folder, when it could still be read."""
    kept = _folder()
    places = sorted(kept.glob("*.json")) if kept is not None else []
    files = [Path(_read(place).get("file", "")) for place in places]
    return sorted(file for file in files if file.parent == folder.absolute())


def forget_others(folder: Path, files: list[Path]) -> None:
    """Forget files that somebody took out of a folder."""
    here = {file.absolute() for file in files}
    for file in known_files(folder):
        place = _place(file)
        if file not in here and place is not None:
            place.unlink(missing_ok=True)


def fingerprint(config: ReleaseConfig) -> str:
    """A mark that changes with all that decides whether a release is in order."""
    found = registry()
    offered = {
        kind: [(name, catalog.owner(name)) for name in catalog]
        for kind in KINDS
        for catalog in [getattr(found, kind)]
    }
    noted = [
        config.model_dump_json(),
        {key: _state(config.path(given)) for key, given in config.files.items()},
        offered,
        {name: _version(name) for name in sorted({*VERSIONED, *found.owners()})},
    ]
    text = json.dumps(noted, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _state(path: Path) -> tuple[int, int] | None:
    """Size and age of a file; it is not opened."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return ""


def read_leniently(file: Path) -> tuple[str | None, AirflowOptions]:
    """Schedule and options of a file that cannot be used, as far as they are known.

    What can be read in the file goes before what was last known of it, unless it is no
    schedule; options that are wrong are left out one by one.
    """
    stated, known = stated_leniently(file), recall(file)
    schedule = stated.get("schedule", known.get("schedule"))
    if schedule is not None and not is_schedule(schedule):
        schedule = last_schedule(file)
    options = stated.get("airflow")
    if not isinstance(options, dict):
        options = known.get("airflow", {})
    return schedule, _valid_options(options)


def last_schedule(file: Path) -> str | None:
    """The schedule of a file when it was last in order; None if nothing is known."""
    known = recall(file).get("schedule")
    return known if is_schedule(known) else None


def stated_leniently(file: Path) -> dict[str, Any]:
    """Top-level keys of a file, those that can be read where it is no YAML."""
    try:
        with file.open("rb") as handle:
            text = handle.read(LARGEST_FILE).decode(errors="replace")
    except OSError:
        return {}
    try:
        return parse_yaml(text)
    except ConfigurationError:
        found: dict[str, Any] = {}
    for key, pattern in _TOP_LEVEL.items():
        for block in pattern.finditer(text):
            try:
                found |= parse_yaml(block[0])
            except ConfigurationError:
                # The fault is here: its first line may still be whole.
                found |= _first_line(key, block[0])
    return found


def _first_line(key: str, block: str) -> dict[str, Any]:
    try:
        found = yaml.safe_load(block.splitlines()[0])
    except (yaml.YAMLError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get(key) is not None else {}


def _valid_options(given: dict[str, Any]) -> AirflowOptions:
    """The options that are in order by themselves, and together."""
    kept: dict[str, Any] = {}
    # A deadline last: it needs somebody to tell.
    for key, value in sorted(given.items(), key=lambda pair: pair[0] == "deadline"):
        try:
            AirflowOptions.model_validate({**kept, key: value})
        except ValidationError:
            continue
        kept[key] = value
    return AirflowOptions.model_validate(kept)
