"""A release with all that belongs to it, as a folder that Airflow and ``anon`` run.

The folder is laid out as ``anon init`` lays it out: the release file, its suite, its
hierarchies and a DAG file, each where the others look for it.
"""

import json
import os
import re
import shutil
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.gx._suites import suite_for
from anon_transformers.release import ReleaseConfig
from anon_transformers.release._config import BUNDLED, SOURCE_FILES, is_address
from anon_transformers.release._period import Template
from anon_transformers.release._resolve import is_pattern
from anon_transformers.studio._project import PRIVATE, Content, Project
from anon_transformers.studio._yaml import edited

DAG_FILE = "dags/releases.py"
DATA = "data"
"""Folder of a copied table, which only its owner may enter."""
ELSEWHERE = (BUNDLED, "~", "$")
"""Beginnings of paths that mean the same from every folder."""
_STRANGE = re.compile(r"[^A-Za-z0-9_.-]+")


def dag_text() -> str:
    """The DAG file: every release file of the folder beside it, as a DAG."""
    template = files("anon_transformers.cli") / "templates" / "dag.py.txt"
    return template.read_text(encoding="utf-8")


def suite_text(project: Project) -> str:
    """The suite that the release file names, or else one that its thresholds make."""
    config = project.config
    if config.suite is not None:
        return config.path(config.suite).read_text(encoding="utf-8")
    made = suite_for(config.name, config.thresholds)
    return json.dumps(made, indent=2) + "\n"


@dataclass
class _Parcel:
    """What is written where, before anything is."""

    content: Content
    texts: dict[str, str] = field(default_factory=dict)
    copies: dict[str, Path] = field(default_factory=dict)


def write_project(project: Project, folder: Path, *, copy_source: bool) -> list[Path]:
    """Write a release with its suite, hierarchies and DAG file into a folder.

    Paths in the release file are rewritten so that it is the same release there.

    Parameters
    ----------
    project : Project
        Its release file must be in order.
    folder : Path
        Made if it is not there. Nothing in it is overwritten.
    copy_source : bool
        Whether the table goes with it, into a private folder; otherwise it is read
        where it lies.

    Returns
    -------
    list of Path
        What was written, the release file first.

    Raises
    ------
    ConfigurationError
        If a file is there already, or the table cannot be copied; nothing is written.
    """
    config = project.config
    if not folder.is_absolute():
        raise ConfigurationError("name a folder by its whole path, from / on.")
    parcel = _Parcel(project.content)
    _pack_hierarchies(parcel, config)
    _pack_source(parcel, config, copy_source)
    _pack_target(parcel, project)
    suite = f"expectations/{config.name}.json"
    parcel.content["suite"] = f"../{suite}"
    release = f"releases/{config.name}.yaml"
    parcel.texts = {
        release: edited(project.text, parcel.content),
        suite: suite_text(project),
        DAG_FILE: dag_text(),
    }
    _refuse_overwriting(parcel, folder)
    return _write(parcel, folder)


def _pack_hierarchies(parcel: _Parcel, config: ReleaseConfig) -> None:
    stated = parcel.content.get("hierarchies") or {}
    taken: set[str] = set()
    for column, given in stated.items():
        path = given if isinstance(given, str) else given.get("path")
        if path is None or path.startswith(BUNDLED):
            continue
        stem = _STRANGE.sub("-", str(column)).strip("-.") or "column"
        # Two columns may be one name to a file system that ignores case.
        while stem.lower() in taken:
            stem += "-2"
        taken.add(stem.lower())
        place = f"hierarchies/{config.name}/{stem}.csv"
        parcel.copies[place] = config.path(path)
        stated[column] = (
            f"../{place}"
            if isinstance(given, str)
            else {**given, "path": f"../{place}"}
        )


def _pack_source(parcel: _Parcel, config: ReleaseConfig, copy: bool) -> None:
    source = parcel.content["source"]
    for key in SOURCE_FILES:
        given = source.get(key)
        if isinstance(given, list):
            source[key] = [_moved(parcel, config, key, text, copy) for text in given]
        elif isinstance(given, str):
            source[key] = _moved(parcel, config, key, given, copy)


def _moved(
    parcel: _Parcel, config: ReleaseConfig, key: str, text: str, copy: bool
) -> str:
    """The path of a source as the new release file names it."""
    if is_address(text) or text.startswith(BUNDLED):
        return text
    if copy:
        template = Template(text)
        varies = template.holds_period or bool(template.variables)
        file = Path() if varies else config.path(template.fill(None))
        if varies or (is_pattern(template) and not file.is_file()):
            raise ConfigurationError(
                f"source.{key}: a path with a period, a variable or '*' names no "
                "single file; leave the table where it lies."
            )
        place = f"{DATA}/{file.name}"
        if parcel.copies.get(place, file) != file:
            raise ConfigurationError(
                f"source.{key}: two files have the same name; leave them where they "
                "lie."
            )
        parcel.copies[place] = file
        return Template.literal(f"../{place}").text
    if text.startswith(ELSEWHERE) or Path(text).is_absolute():
        return text
    start = Template.literal(str(Path(config.folder).resolve())).text
    return os.path.normpath(f"{start}/{text}")


def _pack_target(parcel: _Parcel, project: Project) -> None:
    """Keep published versions and private runs where they lie beside release files."""
    beside = project.file.parent.name == "releases"
    content: dict[str, Any] = parcel.content
    content["target"] = dict(content["target"])
    folder = project.config.target.path  # of a database, the file may leave it out
    for holder, key, default in (
        (content["target"], "path", folder),
        (content, "workspace", ".anon"),
    ):
        text = holder.get(key, default)
        elsewhere = text.startswith(ELSEWHERE) or is_address(text)
        within = not elsewhere and not Path(text).is_absolute()
        holder[key] = f"../{text}" if within and not beside else text


def _refuse_overwriting(parcel: _Parcel, folder: Path) -> None:
    there = [
        path
        for path in (*parcel.texts, *parcel.copies)
        if os.path.lexists(folder / path) and not _is_same_dag(folder, path)
    ]
    if there:
        raise ConfigurationError(
            f"{folder}: {', '.join(there)} is there already; nothing was written."
        )


def _is_same_dag(folder: Path, path: str) -> bool:
    """Whether it is the DAG file, which all releases of a folder share."""
    file = folder / path
    if path != DAG_FILE or not file.is_file():
        return False
    return file.read_bytes() == dag_text().encode()


def _write(parcel: _Parcel, folder: Path) -> list[Path]:
    for path in (*parcel.texts, *parcel.copies):
        mode = PRIVATE if path.startswith(f"{DATA}/") else 0o777
        (folder / path).parent.parent.mkdir(parents=True, exist_ok=True)
        (folder / path).parent.mkdir(mode=mode, exist_ok=True)
    for path, file in parcel.copies.items():
        with file.open("rb") as held, (folder / path).open("xb") as handle:
            if path.startswith(f"{DATA}/"):
                (folder / path).chmod(0o600)
            shutil.copyfileobj(held, handle)
    for path, text in parcel.texts.items():
        if not _is_same_dag(folder, path):
            with (folder / path).open("x", encoding="utf-8") as written:
                written.write(text)
    return [folder / path for path in (*parcel.texts, *parcel.copies)]
