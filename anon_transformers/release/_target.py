"""A target folder: its versions, the links to the current one, and what is removed.

A target folder holds ``versions/<run id>/`` and the link ``current``. Where its path
holds a period there is one such folder per period, and beside them, in the root, a
``current`` that leads to that of the newest period. One lock, that of the root, is held
while anything in it changes. The journal names each folder and file before it is made;
nothing else is ever removed.
"""

import json
import os
import stat
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    ReleaseError,
)
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._log import LOG
from anon_transformers.release._period import Period
from anon_transformers.release._run import (
    FINISHED,
    ORDER,
    QUARANTINE,
    RUNS,
    Journal,
    draft_of,
    is_plain,
    left_alone,
    locked,
    of_period,
    period_in,
    sha256,
)
from anon_transformers.release._stated_target import Retention

VERSIONS = "versions"
CURRENT = "current"


def refuse_foreign_target(config: ReleaseConfig) -> None:
    """Refuse a target in which another release is published, or cannot be."""
    refuse_outside(config)
    target, root = config.path(config.target.path), config.target_root
    ours = own_versions(config, Journal(config.home)) if root != target else []
    public = {os.path.realpath(version.folder) for version in ours}
    for link in dict.fromkeys((target / CURRENT, root / CURRENT)):
        if os.path.lexists(link) and not link.is_symlink():
            raise ConfigurationError(
                f"target.path: {link} is not a link, and readers would not see the "
                "release; give it a target of its own."
            )
        # By realpath: a link that leads to itself is no error there.
        place = os.path.realpath(link)
        here = Path(place).parent == Path(os.path.realpath(target / VERSIONS))
        if link.is_symlink() and not here and place not in public:
            raise ConfigurationError(
                f"target.path: the link {link} leads to no version of this target; "
                "somebody else may read by it. Remove it, or give the release a target "
                "of its own."
            )
    for version in _versions(target):
        there = read_manifest(version).get("release", config.name)
        if there != config.name:
            raise ConfigurationError(
                f"target.path: {target} holds the release {there!r}, and this one is "
                f"{config.name!r}. Give each a target of its own; if this is the same "
                f"release and its file was renamed, name it {there} again."
            )


def refuse_outside(config: ReleaseConfig) -> None:
    """Refuse a target of a period that is no folder of its own below the root.

    A variable or ``..`` may lead it out of the folder of all periods: into what is
    private, or where no lock of ours is. A link may, too, or to another period, whose
    readers would see this one.
    """
    target, root = config.path(config.target.path), config.target_root
    stated = (config.target.path, config.filled_root)
    below = Path(os.path.relpath(*map(config.unresolved, stated)))
    if ".." in below.parts or not target.is_relative_to(root):
        raise ConfigurationError(
            f"target.path: {target} does not lie in {root}, the folder that all "
            "periods share; a link, a variable or '..' leads it elsewhere."
        )
    if target != root / below:
        raise ConfigurationError(
            f"target.path: {root / below} leads to {target} by a link; each period has "
            "a folder of its own. Remove the link."
        )


def read_manifest(version: Path) -> dict[str, Any]:
    """The manifest of a version; empty if there is none that can be read."""
    try:
        found = json.loads((version / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def open_target(config: ReleaseConfig) -> None:
    """Make the target folder, if need be."""
    refuse_outside(config)
    target = config.path(config.target.path)
    try:
        (target / VERSIONS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"target.path: {target} cannot be written ({type(error).__name__})."
        ) from None


@dataclass(frozen=True)
class OwnVersion:
    """A version that the journal says a run of ours made, or began to make.

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
    period : Period or None
        What it is about.
    root : Path
        The folder that holds the targets of all periods.
    """

    run: str
    folder: Path
    drafts: tuple[str, ...]
    files: frozenset[str]
    hashes: frozenset[tuple[str, str]]
    event: str
    period: Period | None
    root: Path

    @property
    def target(self) -> Path:
        """The folder whose ``current`` may lead to it."""
        return self.folder.parent.parent

    @property
    def is_public(self) -> bool:
        """Whether it was published, and nobody removed it."""
        return self.event == "published" and self.folder.is_dir()

    @property
    def age(self) -> tuple[datetime, str]:
        """By what versions sort, those of the newest period last."""
        return (datetime.min, "") if self.period is None else self.period.order

    def remove(self) -> None:
        """Remove it from the target, with what was written under other names."""
        self.remove_drafts()
        _remove_files(self.folder, self.files, self.hashes)

    def remove_drafts(self) -> None:
        """Remove what was cut off before it got its name."""
        versions = self.folder.parent
        for draft in self.drafts:
            _remove_files(versions / draft, self.files)
            for link in {self.target / draft, self.root / draft}:
                if link.is_symlink():
                    link.unlink()


def own_versions(config: ReleaseConfig, journal: Journal) -> list[OwnVersion]:
    """The versions that were ever made in a target, in the order of the journal.

    In a release with periods, those of all periods.
    """
    root, target = config.target_root, config.path(config.target.path)
    made: dict[str, tuple[int, Path]] = {}
    for number, event in enumerate(journal.events()):
        version = Path(event.get("version", ""))
        if version.parts[-2:] != (VERSIONS, event["run"]):
            continue
        place = version.parent.parent
        below = config.period is not None and place.is_relative_to(root)
        if place == target or below:
            made[event["run"]] = (number, version)
    stories = journal.stories()
    return [
        OwnVersion(
            run,
            made[run][1],
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
            period_in(stories[run]),
            root,
        )
        for run in sorted(made, key=lambda run: made[run][0])
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


def remove_drafts(config: ReleaseConfig, journal: Journal) -> None:
    """Remove what was cut off before it got its name; nobody writes while we do."""
    for version in own_versions(config, journal):
        version.remove_drafts()


def point_at_newest(
    config: ReleaseConfig, journal: Journal, run: str, draft: str
) -> None:
    """Let readers see the version of a run, unless a newer period is published.

    Each link moves in one step of the file system. One that somebody removed leads to
    the newest again.
    """
    known = own_versions(config, journal)
    version = next(each for each in known if each.run == run)
    public = [each for each in known if each.is_public]
    in_target = [each for each in public if each.target == version.target]
    for link, beside in (
        (version.target / CURRENT, in_target),
        (version.root / CURRENT, public),
    ):
        newest = max((version, *beside), key=lambda each: each.age)
        if config.period is None or newest.age == version.age:
            _move_link(link, version, draft)
        elif not link.exists():
            _move_link(link, newest, draft)


def _move_link(link: Path, version: OwnVersion, draft: str) -> None:
    """Point a link at a version, or at the link of its period."""
    folder = link.parent
    if folder == version.target:
        leads_to = Path(VERSIONS) / version.run
    else:
        leads_to = version.target.relative_to(folder) / CURRENT
    made = folder / draft
    made.symlink_to(leads_to)
    made.replace(link)
    sync(folder)


def sync(path: Path) -> None:
    """Ask the file system to write a file or folder down now."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_old_versions(config: ReleaseConfig, newest: str | None = None) -> int:
    """Remove all but the newest version and as many before it as the file says.

    In a release with periods, these of each period, and all of those that the file does
    not keep. Who is at an old version reads on: its open files stay until they are
    closed. What somebody points ``current`` at stays, too.

    Returns
    -------
    int
        How many were removed.
    """
    journal = Journal(config.home)
    public = [
        version
        for version in own_versions(config, journal)
        if version.event == "published" or version.run == newest
    ]
    expired = _expired(config.target.retention, public)
    seen = (config.target_root / CURRENT).resolve()
    groups: dict[str, list[OwnVersion]] = {}
    n_removed = 0
    for version in public:
        with_period = config.period is not None and version.period is not None
        name = str(version.period) if with_period else ""
        groups.setdefault(name, []).append(version)
    for versions in groups.values():
        for number, old in enumerate(reversed(versions)):
            here = (old.target / CURRENT).resolve()
            is_current = old.folder.resolve() in {seen, here}
            outlived = number > config.target.keep_versions and not is_current
            if old in expired and old.folder.resolve() != seen:
                _remove_link(old)
            elif not outlived:
                continue
            old.remove()
            _remove_empty(old)
            journal.write(old.run, "removed", **of_period(old.period))
            n_removed += 1
    return n_removed


def versions_beside(config: ReleaseConfig, journal: Journal, run: str) -> list[str]:
    """The versions that stay public beside that of a run."""
    public = [each.run for each in own_versions(config, journal) if each.is_public]
    before = [name for name in public if name != run]
    kept = config.target.keep_versions
    return before[-kept:] if kept else []


def _remove_link(version: OwnVersion) -> None:
    """Remove the link of a period to a version that goes; never that of the root."""
    link = version.target / CURRENT
    leads_here = link.is_symlink() and link.resolve() == version.folder.resolve()
    if version.target != version.root and leads_here:
        link.unlink()


def _remove_empty(version: OwnVersion) -> None:
    """Remove the folders of a period that holds no version any more."""
    place = version.folder.parent
    while place not in {version.root, version.root / VERSIONS}:
        if not is_plain(place) or any(place.iterdir()):
            return
        place.rmdir()
        place = place.parent


def _expired(
    retention: Retention | None, versions: Collection[OwnVersion]
) -> list[OwnVersion]:
    """The versions of periods that are not kept."""
    kept = kept_periods(retention, {version.period for version in versions})
    return [version for version in versions if version.period not in kept]


def kept_periods(
    retention: Retention | None, periods: Collection[Period | None]
) -> set[Period | None]:
    """The periods that stay public, counted back from the newest of them.

    Versions from before the release had periods count as one period, the oldest.
    """
    if retention is None or not any(periods):
        return {*periods}
    known = sorted(filter(None, periods), key=lambda period: period.order)
    if retention.periods is not None:
        kept: set[Period | None] = {*known[-retention.periods :]}
        few = None in periods and len(known) < retention.periods
        return kept | {None} if few else kept
    try:
        first = known[-1].begin - timedelta(days=retention.days or 0)
    except OverflowError:  # before the first year: all of them
        first = datetime.min
    return {period for period in known if period.begin >= first}


def refuse_expired(
    config: ReleaseConfig, error: type[AnonymizationError] = ConfigurationError
) -> None:
    """Refuse a period that would be removed as soon as it is published."""
    period, retention = config.period, config.target.retention
    if period is None or retention is None:
        return
    ours = own_versions(config, Journal(config.home))
    public: set[Period | None] = {each.period for each in ours if each.is_public}
    if period not in kept_periods(retention, {*public, period}):
        stated = ", ".join(f"{k}: {v}" for k, v in retention if v is not None)
        newest = max(filter(None, public), key=lambda each: each.order)
        raise error(
            f"period {period} is older than what stays public: {newest} is published, "
            f"and the file states target.retention: {{{stated}}}. Ask for a newer "
            "period, or keep more."
        )


def versions_in_target(config: ReleaseConfig) -> set[str]:
    """Names of the whole versions of a release in its target, those of all periods.

    A copy of a version has the name of what was copied.
    """
    target, root = config.path(config.target.path), config.target_root
    depth = len(target.relative_to(root).parts)
    found = map(read_manifest, _versions(root, depth))
    named = (each for each in found if each.get("release") == config.name)
    return {str(each.get("version")) for each in named}


def _versions(target: Path, depth: int = 0) -> list[Path]:
    """The whole versions in targets so deep below; nothing else that may lie there."""
    pattern = "/".join([*["*"] * depth, VERSIONS, "*", "manifest.json"])
    return [
        manifest.parent
        for manifest in target.glob(pattern)
        if not manifest.parent.name.startswith(".")
    ]


def recover(config: ReleaseConfig) -> None:
    """Clean up after runs that were cut off while they published or were put away."""
    journal = Journal(config.home)
    journal.warn_of_odd_lines()
    stories = journal.stories()
    for place in (config.home / QUARANTINE).glob("*"):
        story = stories.get(place.name)
        if story and story[-1]["event"] not in FINISHED and is_plain(place):
            journal.write(place.name, "quarantined")
    versions = config.path(config.target.path) / VERSIONS
    if not versions.is_dir() and not any(
        version.folder.parent.is_dir() for version in own_versions(config, journal)
    ):
        return
    if versions.is_symlink():
        LOG.warning("%s: it is a link; the versions lie elsewhere.", versions)
    with locked(config.target_root):
        ours = own_versions(config, journal)
        for version in ours:
            _settle(config, journal, version)
        remove_old_versions(config)
        made = {version.run for version in ours}
        for place in sorted(versions.iterdir()) if versions.is_dir() else ():
            if place.name not in made:
                left_alone(place)
        follow(config)


def follow(config: ReleaseConfig) -> None:
    """Bring database and store to the version that readers of the folder see.

    Others may write to a public folder. What a run did not write there goes nowhere
    else, for its manifest says by what it is judged.

    Raises
    ------
    ReleaseError
        If the manifest of that version is not the one that its run wrote.
    """
    if config.target.database is None and config.target.store is None:
        return
    current = (config.path(config.target.path) / CURRENT).resolve()
    ours = own_versions(config, Journal(config.home))
    version = next((each for each in ours if each.folder.resolve() == current), None)
    manifest = current / "manifest.json"
    if version is None or not manifest.is_file():
        return
    if (manifest.name, sha256(manifest)) not in version.hashes:
        raise ReleaseError(
            f"{manifest} is not what run {version.run} published, and goes into no "
            "database or store; put it back, or remove the link current, which leads "
            "to it, and start the release again."
        )
    if config.target.database is not None:
        # Loads pandas, which whoever asks for the status can do without.
        from anon_transformers.release._public_table import follow_in_database

        follow_in_database(config, current)
    if config.target.store is not None:
        from anon_transformers.release._public_store import follow_in_store

        follow_in_store(config, current)


def _settle(config: ReleaseConfig, journal: Journal, version: OwnVersion) -> None:
    """Bring a version to its end: published, or as if it had never been begun.

    A version has its name once it is whole, and somebody may have read it from then on:
    it is published here, whether ``current`` leads to it already or not.
    """
    version.remove_drafts()
    if version.event in FINISHED:
        return
    if version.folder.is_dir():
        point_at_newest(config, journal, version.run, version.drafts[-1])
        about = of_period(version.period)
        journal.write(version.run, "published", version=str(version.folder), **about)
        return
    version.remove()
    _remove_empty(version)
    # A run that can still go on is given up by whoever removes its folder.
    if not (config.home / RUNS / version.run / ORDER).is_file():
        journal.write(version.run, "abandoned")
