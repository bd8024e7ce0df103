"""What of a published version can be verified later, by whoever has its folder.

Private evidence is removed at publication, so not every threshold can be judged again.
What remains can be checked: that all files are the bytes that were published, and no
other file lies beside them; that the version lies where it was published, and no older
one in its place; that the manifest carries the signature of the release's own
workspace; and, where persons were counted, that no class has fewer rows than persons
were promised.
"""

import hmac
import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from anon_transformers.exceptions import ConfigurationError, shortened
from anon_transformers.release._config import LEGAL_NAME
from anon_transformers.release._run import (
    Journal,
    files_of,
    is_plain,
    period_in,
    read_key,
    sha256,
)
from anon_transformers.release._target import CURRENT, VERSIONS

SIGNATURE = "signature"
"""Where a manifest has its signature."""
SIGNED = "files"
"""Where it has the hashes of the files beside the tables."""
SIGNING_KEY = "signing.key"
"""In the private home of a release; whoever has it can check its manifests."""
RETIRED_KEYS = "signing-*.key"
"""Keys that signed before it: what they signed holds as long as they lie beside it."""
PLACE = "place"
"""Where a manifest says in which folder it is published, from that of all periods."""
MANIFEST = "manifest.json"
MOST_SHOWN = 3
"""Names of files that a message has, before it says how many more there are."""


def signature_of(manifest: Mapping[str, Any], key: bytes) -> str:
    """The signature of a manifest: of all that it says beside the signature."""
    content = {name: part for name, part in manifest.items() if name != SIGNATURE}
    # As it is read again, where a tuple is a list and a date a text.
    plain = json.loads(json.dumps(content, default=str))
    text = json.dumps(plain, sort_keys=True).encode()
    return hmac.new(key, text, "sha256").hexdigest()


@dataclass(frozen=True)
class Verification:
    """What was found in the folder of a published version.

    Attributes
    ----------
    folder : Path
        The version.
    manifest : dict
        What it says of itself.
    changed_files : tuple of str
        Files that are not what the manifest says, or are not there.
    n_files : int
        How many it names.
    signature : str
        ``"holds"``, ``"broken"``, ``"missing"``, or ``"not checked"`` where no
        workspace was named.
    extra_files : tuple of str
        What lies beside them and was not published.
    stated_place : str or None
        Where the manifest says that it lies, if that is another place: an older version
        was put over a newer one, or under another period, or ``current`` leads there. A
        copy that is named itself, outside of a folder ``versions``, may lie anywhere.
    was_removed : bool
        Whether the journal of the workspace says that the release removed the version,
        and it is public again.
    signing_key : str or None
        The file of the key by which the signature holds.
    newer_version : str or None
        By the journal of the workspace, the version that ``current`` led to when it was
        published, if it leads to an older one now. Somebody may want that: it is no
        fault.
    """

    folder: Path
    manifest: dict[str, Any] = field(repr=False)
    changed_files: tuple[str, ...]
    n_files: int
    signature: str
    extra_files: tuple[str, ...] = ()
    stated_place: str | None = None
    was_removed: bool = False
    signing_key: str | None = None
    newer_version: str | None = None

    @property
    def faults(self) -> tuple[str, ...]:
        """Everything that is wrong, in words."""
        faults = [f"{name} is not what was published" for name in self.changed_files]
        if self.extra_files:
            more = len(self.extra_files) - MOST_SHOWN
            named = ", ".join(map(shortened, self.extra_files[:MOST_SHOWN]))
            rest = f" and {more} more" if more > 0 else ""
            faults.append(f"{named}{rest}: beside what was published")
        if self.stated_place is not None:
            faults.append(
                f"manifest.json is that of {shortened(self.stated_place)}, and lies in "
                f"{self.folder}: another version, or another period, was put here"
            )
        if self.was_removed:
            faults.append(
                "the release removed this version, and somebody put it here again"
            )
        if self.signature in {"broken", "missing"}:
            faults.append(
                f"the signature of manifest.json is {self.signature}: this is not what "
                "the release wrote"
            )
        return tuple(faults)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "name": self.manifest.get("release"),
            "version": self.manifest.get("version"),
            "period": self.manifest.get("period"),
            "files": self.n_files,
            "changed_files": list(self.changed_files),
            "extra_files": list(self.extra_files),
            "stated_place": self.stated_place,
            "was_removed": self.was_removed,
            "signature": self.signature,
            "signing_key": self.signing_key,
            "newer_version": self.newer_version,
        }


def verify_published(
    folder: str | os.PathLike[str], workspace: str | os.PathLike[str] | None = None
) -> Verification:
    """Compare a published version with its manifest, and the manifest with its key.

    A workspace also says whether the release removed the version since.

    Parameters
    ----------
    folder : path
        The release's target folder, or the folder of one version.
    workspace : path, optional
        The private folder of the release file (``workspace``, by default ``.anon``
        beside it), where the key of the signature lies.

    Returns
    -------
    Verification
        Without a fault if ``faults`` is empty.

    Raises
    ------
    ConfigurationError
        If there is no published version, or the workspace knows no such release.
    """
    place, entry = Path(folder), None
    if (place / CURRENT).exists():
        # As it leads now: all files are of one version, though a newer one may come.
        place, entry = (place / CURRENT).resolve(), place.resolve()
    try:
        manifest = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        manifest = None
    if not isinstance(manifest, dict) or "sha256" not in manifest:
        raise ConfigurationError(f"{folder} holds no published release.")
    noted = {file["data"]: file["sha256"] for file in files_of(manifest)}
    noted |= manifest.get(SIGNED, {})
    changed = tuple(name for name in noted if _hash_of(place / name) != noted[name])
    here = {path.name for path in place.iterdir()}
    place = place.resolve()  # a relative path has no name of its folder
    signature, key, was_removed, newer = "not checked", None, False, None
    if workspace is not None:
        home = _home_of(manifest, Path(workspace))
        signature, key = _judge_signature(manifest, home)
        was_removed = _lies_in_versions(place) and _was_removed(manifest, home)
        newer = None if entry is None else _newer_version(place, entry, Journal(home))
    return Verification(
        place,
        manifest,
        changed,
        len(noted),
        signature,
        tuple(sorted(here - {MANIFEST, *noted})),
        _other_place(manifest, place, entry),
        was_removed,
        key,
        newer,
    )


def _lies_in_versions(place: Path) -> bool:
    return place.parent.name == VERSIONS


def _other_place(
    manifest: Mapping[str, Any], place: Path, entry: Path | None
) -> str | None:
    """Where a manifest says that it lies; None if it lies there, or is a copy.

    A folder whose ``current`` was followed (``entry``) holds the version itself: a link
    to another period, or to a copy, shows readers something else.
    """
    if entry is None and not _lies_in_versions(place):
        return None
    # Manifests from before the place was noted name the version alone.
    stated = str(manifest.get(PLACE, f"{VERSIONS}/{manifest.get('version')}"))
    parts = PurePosixPath(stated).parts
    there = bool(parts) and place.parts[-len(parts) :] == parts
    if entry is not None and there:
        # The folder of all periods, or that of one period.
        below = place.parts[len(entry.parts) :] if place.is_relative_to(entry) else ()
        there = below in {parts, parts[-2:]}
    return None if there else stated


def _newer_version(place: Path, entry: Path, journal: Journal) -> str | None:
    """The version below a folder that its ``current`` should lead to, if another."""
    newest: tuple[Any, Path] | None = None
    for story in journal.stories().values():
        folder, period = story[-1].get("version"), period_in(story)
        if story[-1]["event"] != "published" or not isinstance(folder, str):
            continue
        found = Path(folder).resolve()
        order = () if period is None else period.order
        # In the order of the journal: a later version of a period takes its place.
        if found.is_relative_to(entry) and (newest is None or order >= newest[0]):
            newest = order, found
    return None if newest is None or newest[1] == place else newest[1].name


def _was_removed(manifest: Mapping[str, Any], home: Path) -> bool:
    last = Journal(home).last(str(manifest.get("version")))
    return last is not None and last["event"] == "removed"


def _hash_of(file: Path) -> str | None:
    return sha256(file) if file.is_file() else None


def _home_of(manifest: Mapping[str, Any], workspace: Path) -> Path:
    """The private folder of the release that a manifest names."""
    name = str(manifest.get("release"))
    home = workspace / name
    # A name that leads elsewhere would bring a key of its own.
    if not LEGAL_NAME.match(name) or not any(_keys_in(home)):
        raise ConfigurationError(
            f"workspace: {workspace} has no {SIGNING_KEY} of the release "
            f"{shortened(name)!r}."
        )
    return home


def _keys_in(home: Path) -> Iterator[Path]:
    """The key that signs now, and those that did before it."""
    for file in (home / SIGNING_KEY, *sorted(home.glob(RETIRED_KEYS))):
        if is_plain(file, stat.S_ISREG):
            yield file


def _judge_signature(manifest: Mapping[str, Any], home: Path) -> tuple[str, str | None]:
    """Whether one of the keys made the signature, and which."""
    if SIGNATURE not in manifest:
        return "missing", None
    given = str(manifest[SIGNATURE])
    for file in _keys_in(home):
        wanted = signature_of(manifest, read_key(file))
        # As bytes: compare_digest takes no text beyond ASCII.
        if hmac.compare_digest(given.encode(), wanted.encode()):
            return "holds", file.name
    return "broken", None
