"""A target folder: its versions, the link to the current one, and what is removed.

A target folder holds ``versions/<run id>/`` and the link ``current``. The ledger names
each folder and file before it is made; nothing else is ever removed.
"""

import json
import os
import stat
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._run import (
    FINISHED,
    LOG,
    QUARANTINE,
    Ledger,
    draft_of,
    is_plain,
    left_alone,
    locked,
    sha256,
)

VERSIONS = "versions"
CURRENT = "current"


def refuse_foreign_target(config: ReleaseConfig) -> None:
    """Refuse a target in which another release is published, or cannot be."""
    target = config.path(config.target.path)
    link = target / CURRENT
    if os.path.lexists(link) and not link.is_symlink():
        raise ConfigurationError(
            f"target.path: {link} is not a link, and readers would not see the "
            "release; give it a target of its own."
        )
    # By realpath: a link that leads to itself is no error there.
    folder = Path(os.path.realpath(link)).parent
    if link.is_symlink() and folder != Path(os.path.realpath(target / VERSIONS)):
        raise ConfigurationError(
            f"target.path: the link {link} leads to no version of this target; "
            "somebody else may read by it. Remove it, or give the release a target of "
            "its own."
        )
    for version in _versions(target):
        there = read_manifest(version).get("release", config.name)
        if there != config.name:
            raise ConfigurationError(
                f"target.path: {target} holds the release {there!r}, and this one is "
                f"{config.name!r}. Give each a target of its own; if this is the same "
                f"release and its file was renamed, name it {there} again."
            )


def read_manifest(version: Path) -> dict[str, Any]:
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
    hashes : frozenset of tuple of str
        Names of these files, and hashes of the bytes that were written.
    event : str
        What happened to the run last.
    """

    run: str
    folder: Path
    drafts: tuple[str, ...]
    files: frozenset[str]
    hashes: frozenset[tuple[str, str]]
    event: str

    def remove(self) -> None:
        """Remove it from the target, with what was written under other names."""
        self.remove_drafts()
        _remove_files(self.folder, self.files, self.hashes)

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
            frozenset(
                pair for e in stories[run] for pair in e.get("sha256", {}).items()
            ),
            stories[run][-1]["event"],
        )
        for run in sorted(made, key=made.__getitem__)
    ]


def _remove_files(
    folder: Path, files: Collection[str], hashes: Collection[tuple[str, str]] = ()
) -> None:
    """Remove these files, and the folder if nothing else is in it.

    A folder in the public target is a place where others may have put something, under
    a name of ours too. Where hashes are noted, other bytes are left.
    """
    noted = {name for name, _ in hashes}
    if not is_plain(folder):
        if os.path.lexists(folder):
            left_alone(folder, "it is not a folder")
        return
    for path in sorted(folder.iterdir()):
        ours = path.name in files or path.name in map(draft_of, files)
        if not ours or not is_plain(path, stat.S_ISREG):
            left_alone(path)
        elif path.name in noted and (path.name, sha256(path)) not in hashes:
            left_alone(path, "it holds other bytes than a run wrote")
        else:
            path.unlink()
    if not any(folder.iterdir()):
        folder.rmdir()


def remove_drafts(target: Path, ledger: Ledger) -> None:
    for version in own_versions(target, ledger):
        version.remove_drafts()


def remove_old_versions(config: ReleaseConfig, newest: str | None = None) -> None:
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
        remove_old_versions(config)
        made = {version.run for version in ours}
        for place in sorted(versions.iterdir()):
            if place.name not in made:
                left_alone(place)
