"""Last step: let readers see the candidate, whole and at once.

A target folder holds ``versions/<run id>/`` and the link ``current``. A version is
written beside the others under a name that starts with a dot, then renamed, and only
then does ``current`` move to it, in one step of the file system.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ConfigurationError, ReleaseError
from anon_transformers.release._candidate import (
    files_of,
    hash_of,
    read_candidate,
    read_verdict,
)
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._manifest import make_manifest
from anon_transformers.release._run import (
    FINISHED,
    Ledger,
    Run,
    discreet,
    locked,
    remove_tree,
    sha256,
    write_json,
)

VERSIONS = "versions"
CURRENT = "current"


@discreet
def publish(location: str) -> str:
    """Publish exactly the bytes that were validated.

    Doing it again changes nothing. When it is done, the run's private folder is gone.

    Parameters
    ----------
    location : str
        The run's private folder.

    Returns
    -------
    str
        Folder of the published version.
    """
    run = Run(location)
    done = run.ledger.last(run.id)
    if done is not None and done["event"] == "published":
        remove_tree(run.folder)
        return done["version"]
    candidate, verdict = read_candidate(run), read_verdict(run)
    if not verdict["passed"] or verdict["sha256"] != hash_of(candidate):
        raise ReleaseError(f"run {run.id} was not validated as it is.")
    target = open_target(run.config)
    version = target / VERSIONS / run.id
    with locked(target):
        refuse_foreign_target(run.config)
        if version.is_dir():
            _refuse_another(version, run, candidate, verdict)
        else:
            _write_version(version, run, candidate, verdict)
        run.ledger.write(run.id, "publishing", version=str(version))
        _point_current_at(version)
        _remove_old_versions(target)
        run.ledger.write(run.id, "published", version=str(version))
    remove_tree(run.folder)
    return str(version)


def _refuse_another(
    version: Path, run: Run, candidate: dict[str, Any], verdict: dict[str, Any]
) -> None:
    """Refuse a version of this name that is not what this run would write."""
    there = _read_manifest(version)
    wanted = make_manifest(run, candidate, verdict, there.get("bytes", 0))
    same = ("release", "sha256", "promised", "schema", "nodes")
    if any(there.get(key) != wanted.get(key) for key in same) or not all(
        (version / file["data"]).is_file()
        and sha256(version / file["data"]) == file["sha256"]
        for file in files_of(candidate)
    ):
        raise ReleaseError(
            f"{version} is there already, and is not what run {run.id} would publish."
        )


def refuse_foreign_target(config: ReleaseConfig) -> None:
    """Refuse a target in which another release is published."""
    target = config.path(config.target.path)
    for version in _versions(target):
        there = _read_manifest(version).get("release", config.name)
        if there != config.name:
            raise ConfigurationError(
                f"target.path: {target} holds the release {there!r}, and this one is "
                f"{config.name!r}. Give each a target of its own, or state "
                f"'name: {there}' if this is the same release under another file name."
            )


def _read_manifest(version: Path) -> dict[str, Any]:
    """The manifest of a version; empty if there is none that can be read."""
    try:
        return json.loads((version / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def open_target(config: ReleaseConfig) -> Path:
    """The target folder, made if need be."""
    target = config.path(config.target.path)
    try:
        (target / VERSIONS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"target.path: {target} cannot be written ({type(error).__name__})."
        ) from None
    return target


def _write_version(
    version: Path, run: Run, candidate: dict[str, Any], verdict: dict[str, Any]
) -> None:
    staging = version.with_name(f".{version.name}")
    remove_tree(staging)
    staging.mkdir()
    for file in files_of(candidate):
        copy = staging / file["data"]
        shutil.copyfile(run.path("candidate") / file["data"], copy)
        if sha256(copy) != file["sha256"]:
            raise ReleaseError(
                f"run {run.id}: the candidate changed while it was copied."
            )
    shutil.copyfile(run.path("validation.html"), staging / "validation.html")
    write_json(staging / "validation.json", verdict)
    n_bytes = sum((staging / f["data"]).stat().st_size for f in files_of(candidate))
    manifest = make_manifest(run, candidate, verdict, n_bytes)
    write_json(staging / "manifest.json", manifest)
    for path in staging.iterdir():
        _sync(path)
    _sync(staging)
    staging.rename(version)
    _sync(version.parent)


def _point_current_at(version: Path) -> None:
    target = version.parent.parent
    draft = target / f".{CURRENT}"
    draft.unlink(missing_ok=True)
    draft.symlink_to(Path(VERSIONS) / version.name)
    draft.replace(target / CURRENT)
    _sync(target)


def _remove_old_versions(target: Path) -> None:
    """Keep the current version and the one before it, for readers who are at it."""
    current = (target / CURRENT).resolve()
    others = sorted(
        (version for version in _versions(target) if version != current),
        key=lambda version: version.stat().st_mtime_ns,
    )
    for old in others[:-1]:
        # Renamed first: half removed, it would pass for the newest of the others.
        gone = old.with_name(f".{old.name}")
        remove_tree(gone)
        old.rename(gone)
        remove_tree(gone)


def _versions(target: Path) -> list[Path]:
    """The whole versions in a target; nothing else that may lie there."""
    return [
        manifest.parent
        for manifest in (target / VERSIONS).glob("*/manifest.json")
        if not manifest.parent.name.startswith(".")
    ]


def recover(config: ReleaseConfig) -> None:
    """Clean up after runs that were cut off while they published or were put away."""
    target = config.path(config.target.path)
    ledger = Ledger(config.home)
    for place in (config.home / "quarantine").glob("*"):
        last = ledger.last(place.name)
        if last is not None and last["event"] not in FINISHED:
            ledger.write(place.name, "quarantined")
    if not (target / VERSIONS).is_dir():
        return
    with locked(target):
        (target / f".{CURRENT}").unlink(missing_ok=True)
        link = target / CURRENT
        current = link.resolve() if link.exists() else None
        for version in list((target / VERSIONS).iterdir()):
            last = ledger.last(version.name)
            if not version.is_dir():
                continue  # somebody else's file
            if version.name.startswith("."):
                remove_tree(version)
            elif last is None or last["event"] == "published":
                continue  # another workspace's, or finished
            elif version == current:
                ledger.write(version.name, "published", version=str(version))
            else:
                remove_tree(version)
                ledger.write(version.name, "abandoned")
        if current is not None:
            _remove_old_versions(target)


def _sync(path: Path) -> None:
    """Ask the file system to write a file or folder down now."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
