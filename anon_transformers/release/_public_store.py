"""A published version as objects of a store, at one address that readers know.

A store renames nothing and has no links. The files of a version are written under
``versions/<version>/`` and compared as they are read back; then one small object,
``current.json``, is put, which names the version and the hashes of its files. That one
object is the publication: readers see the old release or the new one. The store follows
the folder of the release, and whatever is cut off on the way is done by the next run.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ConfigurationError, DataError, ReleaseError
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._period import Template
from anon_transformers.release._remote_files import file_system, said_of_store
from anon_transformers.release._run import Journal, files_of, json_text, sha256
from anon_transformers.release._target import VERSIONS, own_versions
from anon_transformers.release._verification import MANIFEST, SIGNED

CURRENT = "current.json"
PART = 1 << 20
"""Bytes that are read back at once."""


class PublicStore:
    """The objects of a release at an address.

    Parameters
    ----------
    address : str
        As ``s3://bucket/ward``; variables of the environment are filled in.
    key : str
        What errors are about.
    """

    def __init__(self, address: str, key: str = "target.store"):
        self.stated, self.key = address, key
        self.root = Template(address).fill(None).rstrip("/")
        self.system = file_system(self.root, key)

    def get(self, name: str) -> bytes | None:
        """The bytes of an object; None if there is none."""
        with said_of_store(self.stated):
            try:
                found: bytes = self.system.cat_file(f"{self.root}/{name}")
            except FileNotFoundError:
                return None
        return found

    def put(self, name: str, file: Path, digest: str) -> None:
        """Write a file as an object, and refuse it if other bytes come back."""
        place, found = f"{self.root}/{name}", hashlib.sha256()
        with said_of_store(self.stated):
            self.system.put_file(str(file), place)
            self.system.invalidate_cache()
            with self.system.open(place, "rb") as written:
                while part := written.read(PART):
                    found.update(part)
        if found.hexdigest() != digest:
            raise ReleaseError(
                f"{self.key}: {name} there is not what was judged; nothing was "
                "published there."
            )

    def current(self) -> dict[str, Any]:
        """What is published there: release, version, hashes by file; empty if nothing.

        Raises
        ------
        ConfigurationError
            If the object of this name is none of a release.
        """
        text = self.get(CURRENT)
        if text is None:
            return {}
        try:
            found = json.loads(text)
            if _is_published(found):
                return dict(found)
        except ValueError:
            pass
        raise ConfigurationError(
            f"{self.key}: {CURRENT} there is nothing that a release wrote; choose "
            "another address."
        )

    def refuse_foreign(self, release: str, known: Collection[str]) -> dict[str, Any]:
        """Refuse what another release, or another workspace, made; what is there."""
        there = self.current()
        if there and there["release"] != release:
            raise ConfigurationError(
                f"{self.key}: another release is published there; give each an address "
                "of its own."
            )
        if there and there["version"] not in known:
            raise ConfigurationError(
                f"{self.key}: a version is published there that no run of this "
                f"workspace made. If nobody else publishes there, remove {CURRENT} "
                "there."
            )
        return there

    def show(
        self, release: str, folder: Path, known: Mapping[str, Collection[str]]
    ) -> None:
        """Write the version of a folder, publish it, and remove those that ended.

        ``known`` are files of the versions that were ever made, by version.
        """
        files = hashes_in(folder)
        wanted = {"release": release, "version": folder.name, "files": files}
        there = self.refuse_foreign(release, known)
        if there != wanted:
            for name, digest in files.items():
                place = f"{VERSIONS}/{folder.name}/{name}"
                self.put(place, folder / name, digest)
            if self.current() != there:
                raise self._somebody_else()
            with said_of_store(self.stated):
                text = json_text(wanted).encode()
                self.system.pipe_file(f"{self.root}/{CURRENT}", text)
            if self.current() != wanted:
                raise self._somebody_else()
        self._remove(
            {
                f"{version}/{name}"
                for version, names in known.items()
                for name in names
                if not (folder.parent / version).is_dir()
            }
        )

    def _somebody_else(self) -> ReleaseError:
        return ReleaseError(
            f"{self.key}: somebody else published there meanwhile; start the release "
            "again."
        )

    def fetch(self, published: Mapping[str, Any], folder: Path) -> None:
        """Copy what is published into a folder; refuses other bytes."""
        for name, digest in published["files"].items():
            place = f"{VERSIONS}/{published['version']}/{name}"
            # What a stranger's object names is no way out of the folder.
            copy = folder / Path(name).name
            with said_of_store(self.stated):
                self.system.get_file(f"{self.root}/{place}", str(copy))
            if sha256(copy) != digest:
                raise DataError(
                    f"{self.stated}/{place}: these are not the bytes that were "
                    "published."
                )

    def _remove(self, ended: Collection[str]) -> None:
        """Remove these files of versions; whatever others have there stays."""
        with said_of_store(self.stated):
            self.system.invalidate_cache()
            for name in sorted(self.system.find(f"{self.root}/{VERSIONS}")):
                if "/".join(name.split("/")[-2:]) in ended:
                    self.system.rm_file(name)


def _is_published(found: Any) -> bool:
    """Whether it names a release, a version and the hashes of its files."""
    if not isinstance(found, dict) or {*found} != {"release", "version", "files"}:
        return False
    files = found["files"]
    texts = [found["release"], found["version"]]
    if isinstance(files, dict):
        texts += [*files, *files.values()]
    return isinstance(files, dict) and all(isinstance(text, str) for text in texts)


def hashes_in(folder: Path) -> dict[str, str]:
    """The files of a published version and their hashes, the manifest last."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    tables = {file["data"]: file["sha256"] for file in files_of(manifest)}
    return {**tables, **manifest[SIGNED], MANIFEST: sha256(folder / MANIFEST)}


def fetch_current(address: str, folder: Path) -> None:
    """Copy what is published at an address into a folder.

    Raises
    ------
    DataError
        If nothing is published there, or not these bytes.
    """
    store = PublicStore(Template.literal(address).text, "read_published")
    there = store.current()
    if not there:
        raise DataError(f"{address}: holds no published release.")
    while True:
        try:
            return store.fetch(there, folder)
        except DataError:
            # A version may be removed while it is read; then there is a newer one.
            before, there = there, store.current()
            if there == before:
                raise


def _known(config: ReleaseConfig) -> dict[str, frozenset[str]]:
    """Files of the versions that were ever made, or lie in the folder, by version."""
    versions = config.path(config.target.path) / VERSIONS
    found = versions.iterdir() if versions.is_dir() else ()
    made = own_versions(config, Journal(config.home))
    lying: dict[str, frozenset[str]] = {each.name: frozenset() for each in found}
    return lying | {each.run: each.files for each in made}


def refuse_foreign_store(config: ReleaseConfig) -> None:
    """Refuse an address that cannot be reached, and one that is somebody else's."""
    if config.target.store is not None:
        store = PublicStore(config.target.store)
        store.refuse_foreign(config.name, _known(config))


def version_in_store(config: ReleaseConfig) -> set[str]:
    """The version of a release that readers of its store see, if there is one."""
    if config.target.store is None:
        return set()
    there = PublicStore(config.target.store).current()
    return {there["version"]} if there.get("release") == config.name else set()


def follow_in_store(config: ReleaseConfig, version: Path) -> None:
    """Have the store publish the version that readers of the folder see."""
    if config.target.store is not None and (version / MANIFEST).is_file():
        store = PublicStore(config.target.store)
        store.show(config.name, version, _known(config))
