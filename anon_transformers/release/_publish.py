"""Last step: let readers see the candidate, whole and at once.

A target folder holds ``versions/<run id>/`` and the link ``current``. A version is
written beside the others under a name that starts with a dot, then renamed, and only
then does ``current`` move to it, in one step of the file system. The ledger names each
of these folders and files before it is made; nothing else is ever removed.
"""

import json
import os
import secrets
import shutil
import stat
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ConfigurationError, ReleaseError
from anon_transformers.gx._threshold import Threshold
from anon_transformers.release._build import check_threshold
from anon_transformers.release._candidate import (
    files_of,
    hash_of,
    read_candidate,
    read_verdict,
)
from anon_transformers.release._config import ReleaseConfig, read_config
from anon_transformers.release._discretion import discreet
from anon_transformers.release._manifest import make_manifest
from anon_transformers.release._run import (
    FINISHED,
    LOG,
    QUARANTINE,
    Ledger,
    Run,
    draft_of,
    is_plain,
    left_alone,
    locked,
    remove_tree,
    sha256,
    write_json,
)
from anon_transformers.release._thresholds import tighten

VERSIONS = "versions"
CURRENT = "current"
BESIDE = ("manifest.json", "validation.json", "validation.html")
"""What a version holds beside its tables."""


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
    for event in run.ledger.stories().get(run.id, []):
        if event["event"] == "published":
            remove_tree(run.folder)
            return event["version"]
    candidate, verdict = read_candidate(run), read_verdict(run)
    if not verdict["passed"] or verdict["sha256"] != hash_of(candidate):
        raise ReleaseError(f"run {run.id} was not validated as it is.")
    refuse_loosened(run)
    target = open_target(run.config)
    version = target / VERSIONS / run.id
    with locked(target):
        refuse_foreign_target(run.config)
        _remove_drafts(target, run.ledger)
        if os.path.lexists(version):
            _refuse_another(version, run, candidate, verdict)
        draft = f".{run.id}-{secrets.token_hex(3)}"
        files = [*BESIDE, *(file["data"] for file in files_of(candidate))]
        run.ledger.write(
            run.id, "publishing", version=str(version), draft=draft, files=files
        )
        if not version.is_dir():
            _write_version(version, draft, run, candidate, verdict)
        _point_current_at(version, draft)
        _remove_old_versions(run.config, newest=run.id)
        run.ledger.write(run.id, "published", version=str(version))
    remove_tree(run.folder)
    return str(version)


def refuse_loosened(run: Run) -> None:
    """Refuse a candidate that was judged by less than the release file asks for now.

    The file, or one that it names, may have been tightened while the run was on its
    way.
    """
    run.refuse_changed_files()
    asked, config = read_config(run.file), run.config
    in_force = {threshold.id: threshold for threshold in run.thresholds}
    # As a run notes them, where a date is a text.
    now, then = asked.model_dump(mode="json"), config.model_dump(mode="json")
    for key in ("source", "roles", "hierarchies", "anonymizer", "target", "suite"):
        if now[key] != then[key]:
            raise ReleaseError(
                f"run {run.id}: {key} in {run.file} changed after it was loaded; start "
                "the release again."
            )
    for threshold in asked.thresholds:
        judged = in_force.get(threshold.id)
        same = judged is not None and (judged.kind, judged.name, _words(judged)) == (
            threshold.kind, threshold.name, _words(threshold)
        )  # fmt: skip
        if judged is None or not same:
            raise ReleaseError(
                f"run {run.id} was not judged by {threshold.id}, which {run.file} asks "
                "for now; start the release again."
            )
        numbers = {threshold.key(key): n for key, n in judged.numbers().items()}
        tighten((threshold,), numbers, {threshold.id: check_threshold(threshold)})


def _words(threshold: Threshold) -> dict[str, Any]:
    """Parameters that are no numbers."""
    numbers = threshold.numbers()
    return {key: word for key, word in threshold.params.items() if key not in numbers}


def _refuse_another(
    version: Path, run: Run, candidate: dict[str, Any], verdict: dict[str, Any]
) -> None:
    """Refuse a version of this name that is not what this run would write."""
    there = _read_manifest(version)
    wanted = make_manifest(run, candidate, verdict, there.get("bytes", 0))
    same = ("release", "sha256", "promised", "schema", "nodes")
    if (
        not is_plain(version)
        or any(there.get(key) != wanted.get(key) for key in same)
        or not all(
            (version / file["data"]).is_file()
            and sha256(version / file["data"]) == file["sha256"]
            for file in files_of(candidate)
        )
    ):
        raise ReleaseError(
            f"{version} is there already, and is not what run {run.id} would publish."
        )


def refuse_foreign_target(config: ReleaseConfig) -> None:
    """Refuse a target in which another release is published, or cannot be."""
    target = config.path(config.target.path)
    link = target / CURRENT
    if os.path.lexists(link) and not link.is_symlink():
        raise ConfigurationError(
            f"target.path: {link} is no link, and readers would not see the release; "
            "give it a target of its own."
        )
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
        found = json.loads((version / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


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
    version: Path,
    draft: str,
    run: Run,
    candidate: dict[str, Any],
    verdict: dict[str, Any],
) -> None:
    staging = version.with_name(draft)
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


def _point_current_at(version: Path, draft: str) -> None:
    target = version.parent.parent
    link = target / draft
    link.symlink_to(Path(VERSIONS) / version.name)
    link.replace(target / CURRENT)
    _sync(target)


@dataclass(frozen=True)
class OwnVersion:
    """A version that the ledger says a run of ours made, or began to make.

    Attributes
    ----------
    run : str
        Name of the run, and of the folder.
    folder : Path
        Where it is public.
    drafts : tuple of str
        Names under which it was written.
    files : frozenset of str
        What it holds of ours.
    event : str
        What happened to the run last.
    """

    run: str
    folder: Path
    drafts: tuple[str, ...]
    files: frozenset[str]
    event: str

    def remove(self) -> None:
        """Remove it from the target, with what was written under other names."""
        self.remove_drafts()
        _remove_files(self.folder, self.files)

    def remove_drafts(self) -> None:
        """Remove what was cut off before it got its name."""
        versions = self.folder.parent
        for draft in self.drafts:
            _remove_files(versions / draft, self.files)
            link = versions.parent / draft
            if link.is_symlink():
                link.unlink()


def own_versions(target: Path, ledger: Ledger) -> list[OwnVersion]:
    """The versions that were ever made in a target, in the order of the ledger."""
    made: dict[str, int] = {}
    for number, event in enumerate(ledger.events()):
        if event.get("version") == str(target / VERSIONS / event["run"]):
            made[event["run"]] = number
    stories = ledger.stories()
    return [
        OwnVersion(
            run,
            target / VERSIONS / run,
            tuple(
                e["draft"]
                for e in stories[run]
                if e["event"] == "publishing" and "draft" in e
            ),
            frozenset(name for e in stories[run] for name in e.get("files", ())),
            stories[run][-1]["event"],
        )
        for run in sorted(made, key=made.__getitem__)
    ]


def _remove_files(folder: Path, files: Collection[str]) -> None:
    """Remove these files, and the folder if nothing else is in it.

    A folder in the public target is a place where others may have put something.
    """
    if not is_plain(folder):
        if os.path.lexists(folder):
            left_alone(folder, "it is no folder")
        return
    for path in sorted(folder.iterdir()):
        ours = path.name in files or path.name in map(draft_of, files)
        if ours and is_plain(path, stat.S_ISREG):
            path.unlink()
        else:
            left_alone(path)
    if not any(folder.iterdir()):
        folder.rmdir()


def _remove_drafts(target: Path, ledger: Ledger) -> None:
    for version in own_versions(target, ledger):
        version.remove_drafts()


def _remove_old_versions(config: ReleaseConfig, newest: str | None = None) -> None:
    """Remove all but the newest version and as many before it as the file says.

    Who is at an old version reads on: its open files stay until they are closed.
    What somebody points ``current`` at stays, too.
    """
    target, ledger = config.path(config.target.path), Ledger(config.home)
    public = [
        version
        for version in own_versions(target, ledger)
        if version.event == "published" or version.run == newest
    ]
    current = (target / CURRENT).resolve()
    for old in public[: -1 - config.target.keep_versions]:
        if old.folder.resolve() != current:
            old.remove()
            ledger.write(old.run, "removed")


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
    versions = target / VERSIONS
    ledger = Ledger(config.home)
    ledger.warn_of_odd_lines()
    stories = ledger.stories()
    for place in (config.home / QUARANTINE).glob("*"):
        story = stories.get(place.name)
        if story and story[-1]["event"] not in FINISHED and is_plain(place):
            ledger.write(place.name, "quarantined")
    if not versions.is_dir():
        return
    if versions.is_symlink():
        LOG.warning("%s: it is a link; the versions lie elsewhere.", versions)
    with locked(target):
        ours = own_versions(target, ledger)
        current = (target / CURRENT).resolve()
        for version in ours:
            if version.event in FINISHED:
                version.remove_drafts()
            elif version.folder.is_dir() and version.folder.resolve() == current:
                version.remove_drafts()
                ledger.write(version.run, "published", version=str(version.folder))
            else:
                version.remove()
                ledger.write(version.run, "abandoned")
        _remove_old_versions(config)
        known = {version.run for version in ours}
        for place in sorted(versions.iterdir()):
            if place.name not in known:
                left_alone(place)


def _sync(path: Path) -> None:
    """Ask the file system to write a file or folder down now."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
