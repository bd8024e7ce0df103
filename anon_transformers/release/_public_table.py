"""A published version as a table of a database, under one name that readers know.

The name is a view over the table of the current version. Table, view and the row of the
manifest are written in one transaction, which ends once the folder of the version is
public: readers see the old release or the new one, and a run that is cut off leaves
nothing behind. What stands in the database is compared with what was judged, cell for
cell, and its classes are counted and judged there, before that.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from anon_transformers._data.columns import to_text
from anon_transformers.exceptions import ConfigurationError, ReleaseError
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._databases import CHUNK
from anon_transformers.release._public_databases import (
    PublicDatabase,
    as_before,
    connected,
    file_to_make,
)
from anon_transformers.release._public_promise import PublicPromise
from anon_transformers.release._reading import read_checked
from anon_transformers.release._stated_database import LONGEST_NAME

MANIFESTS = "{}__manifest"
VERSION = "{}__{}"
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")
MODULUS = 2**256


class PublicTable:
    """The view of a release in a database, and what stands behind it.

    Parameters
    ----------
    database : PublicDatabase
        An open database, in a transaction.
    name : str
        Name of the view, with its schema before a dot where it needs one.
    release : str
        Name of the release.
    """

    def __init__(self, database: PublicDatabase, name: str, release: str):
        self.database, self.release = database, release
        self.schema, _, self.name = name.rpartition(".")

    def of_version(self, version: str) -> str:
        """The table of a version; the same whenever it is asked for."""
        digest = hashlib.blake2b(version.encode(), digest_size=4).hexdigest()
        room = LONGEST_NAME - len(VERSION.format(self.name, "").encode()) - 9
        plain = _NOT_PLAIN.sub("_", version.lower()).strip("_")[-room:]
        return VERSION.format(self.name, f"{plain}_{digest}")

    @property
    def manifests(self) -> str:
        """The table with a row for each version."""
        return MANIFESTS.format(self.name)

    def quoted(self, name: str) -> str:
        """A name of a table in SQL, with its schema."""
        parts = (self.schema, name) if self.schema else (name,)
        return ".".join(map(quoted, parts))

    def refuse_foreign(self) -> None:
        """Refuse a name under which something else stands."""
        kind = self.database.kind_of(self.schema, self.name)
        ours = self.database.kind_of(self.schema, self.manifests) == "table"
        if kind is not None and not (kind == "view" and ours):
            raise ConfigurationError(
                f"target.database: {self.name!r} is a {kind} there that no release "
                "made; choose another name."
            )
        others = {held["release"] for held in self.versions().values()}
        if others - {self.release}:
            raise ConfigurationError(
                f"target.database: {self.name!r} shows another release; give each a "
                "name of its own."
            )

    def versions(self) -> dict[str, dict[str, Any]]:
        """What is noted of each version that stands there, by its name."""
        if self.database.kind_of(self.schema, self.manifests) is None:
            return {}
        rows = self.database.ask(
            "SELECT version, release_name, shown, manifest FROM "
            f"{self.quoted(self.manifests)}"
        )
        return {
            version: {"release": release, "shown": bool(shown), "manifest": manifest}
            for version, release, shown, manifest in rows
        }

    def show(
        self,
        version: str,
        table: pd.DataFrame,
        manifest: Mapping[str, Any],
        kept: Sequence[str],
        promise: PublicPromise,
    ) -> None:
        """Write a version, let the view show it, and drop those that are not kept."""
        self.refuse_foreign()
        known = self.versions()
        if not known:
            self._make_manifests()
        self.database.lock(self.quoted(self.manifests))
        known = self.versions()
        noted = json.dumps(manifest, sort_keys=True, default=str)
        if version in known and known[version]["manifest"] != noted:
            raise ReleaseError(
                f"target.database: version {version} stands there already, and is not "
                "what this run would publish."
            )
        if version not in known:
            self._write(version, table, promise)
            self.database.do(
                f"INSERT INTO {self.quoted(self.manifests)} VALUES (?, ?, ?, ?, ?)",
                (version, self.release, str(manifest.get("published", "")), 0, noted),
            )
        self._point_at(version, table)
        for old in known:
            if old not in {*kept, version}:
                self._drop(old)

    def _make_manifests(self) -> None:
        self.database.do(
            f"CREATE TABLE IF NOT EXISTS {self.quoted(self.manifests)} (version TEXT, "
            "release_name TEXT, published TEXT, shown INTEGER, manifest TEXT)"
        )

    def _write(self, version: str, table: pd.DataFrame, promise: PublicPromise) -> None:
        """Write the table of a version; compare and judge what stands there."""
        place = self.quoted(self.of_version(version))
        kinds = {name: self.database.type_of(table[name]) for name in table.columns}
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in kinds.items())
        # A table of this name is one that nobody noted: a transaction left none.
        self.database.do(f"CREATE TABLE {place} ({columns})")
        texts = {n: to_text(table[n]) for n, kind in kinds.items() if kind == "TEXT"}
        plain = table.assign(**texts)
        for start in range(0, len(plain), CHUNK):
            rows = cells_of(plain.iloc[start : start + CHUNK], kinds)
            self.database.insert(
                self.schema, self.of_version(version), list(table.columns), rows
            )
        if sum_in(self.database, place, table) != sum_of_texts(table):
            raise ReleaseError(
                "target.database: what stands there is not what was judged; nothing "
                "was published."
            )
        faults = promise.faults(
            self.database.counted(self.schema, self.of_version(version))
        )
        if faults:
            # Of a connection that was lost, the database says so in place of this.
            self.database.ask("SELECT 1")
            raise ReleaseError(
                f"target.database: as it is counted there, {'; '.join(faults)}; "
                "nothing was published."
            )

    def _point_at(self, version: str, table: pd.DataFrame) -> None:
        place = self.quoted(self.of_version(version))
        names = ", ".join(map(quoted, table.columns))
        self.database.replace_view(
            self.schema, self.name, f"SELECT {names} FROM {place}"
        )
        manifests = self.quoted(self.manifests)
        self.database.do(
            f"UPDATE {manifests} SET shown = CASE WHEN version = ? THEN 1 ELSE 0 END",
            (version,),
        )

    def _drop(self, version: str) -> None:
        self.database.do(
            f"DROP TABLE IF EXISTS {self.quoted(self.of_version(version))}"
        )
        manifests = self.quoted(self.manifests)
        self.database.do(f"DELETE FROM {manifests} WHERE version = ?", (version,))


def quoted(name: str) -> str:
    """A name in SQL."""
    escaped = str(name).replace('"', '""')
    return f'"{escaped}"'


def cells_of(table: pd.DataFrame, kinds: Mapping[str, str]) -> list[tuple[Any, ...]]:
    """Rows as a database takes them, of numbers, moments and texts."""
    columns = []
    for name in table.columns:
        held = table[name]
        cells, missing = held.astype(object).tolist(), held.isna().tolist()
        if kinds[name] == "TIMESTAMP":
            cells = [
                cell if gone else cell.to_pydatetime()
                for cell, gone in zip(cells, missing, strict=True)
            ]
        columns.append(
            [None if gone else cell for cell, gone in zip(cells, missing, strict=True)]
        )
    return list(zip(*columns, strict=True))


def sum_of_texts(table: pd.DataFrame) -> tuple[int, int]:
    """How many rows a table has, and the sum of the digests of their published texts.

    Two tables with the same rows in another order have the same.
    """
    texts = [to_text(table[name]).astype(object) for name in table.columns]
    rows = zip(*(held.where(held.notna(), None) for held in texts), strict=True)
    total = 0
    for row in rows:
        # In JSON, no part can lend its end to the next, and no text is a missing one.
        digest = hashlib.sha256(json.dumps(row).encode()).digest()
        total += int.from_bytes(digest, "big")
    return len(table), total % MODULUS


def sum_in(
    database: PublicDatabase, place: str, table: pd.DataFrame
) -> tuple[int, int]:
    """The same of a table in the database, whose cells should be those of ``table``.

    Not part by part: how moments are written depends on all of their column.
    """
    held: dict[str, list[Any]] = {name: [] for name in table.columns}
    names = ", ".join(map(quoted, table.columns))
    for rows in database.parts(f"SELECT {names} FROM {place}"):
        for name, cells in zip(held, zip(*rows, strict=True), strict=True):
            held[name].extend(cells)
    columns = {name: as_before(cells, table[name]) for name, cells in held.items()}
    return sum_of_texts(pd.DataFrame(columns))


@contextmanager
def shown_in_database(
    config: ReleaseConfig,
    folder: Path,
    version: str,
    manifest: Mapping[str, Any],
    kept: Sequence[str],
    promise: Callable[[pd.DataFrame], PublicPromise],
) -> Iterator[None]:
    """Have the database show a version once what is inside is done; not if it fails.

    Parameters
    ----------
    config : ReleaseConfig
        The release; without ``target.database`` nothing is done.
    folder : Path
        Where the published file lies.
    version : str
        Name of the version.
    manifest : mapping
        Its manifest.
    kept : sequence of str
        The versions that stay beside it.
    promise : callable
        Given the table, what it must hold where it is counted there.
    """
    stated = config.target.database
    if stated is None:
        yield
        return
    table = read_checked(folder, config.target.format, manifest)
    held = promise(table)  # before anybody is kept waiting
    with connected(stated, config.folder) as database:
        PublicTable(database, stated.table, config.name).show(
            version, table, manifest, kept, held
        )
        yield
        database.commit()


def refuse_foreign_table(config: ReleaseConfig) -> None:
    """Refuse a database that cannot be written, and a name that is somebody else's."""
    stated = config.target.database
    if stated is None or file_to_make(stated, config.folder) is not None:
        return
    with connected(stated, config.folder) as database:
        PublicTable(database, stated.table, config.name).refuse_foreign()


def versions_in_database(config: ReleaseConfig) -> set[str]:
    """Names of the versions of a release that stand in its database."""
    stated = config.target.database
    if stated is None or file_to_make(stated, config.folder) is not None:
        return set()
    with connected(stated, config.folder) as database:
        known = PublicTable(database, stated.table, config.name).versions()
    return {name for name, held in known.items() if held["release"] == config.name}


def follow_in_database(config: ReleaseConfig, current: Path) -> None:
    """Have the database show the version that readers of the folder see.

    A run may have been cut off after the one and before the other.
    """
    stated = config.target.database
    if stated is None or not (current / "manifest.json").is_file():
        return
    kept = [version.name for version in current.parent.iterdir()]
    if file_to_make(stated, config.folder) is None:
        with connected(stated, config.folder) as database:
            known = PublicTable(database, stated.table, config.name).versions()
        is_shown = current.name in known and known[current.name]["shown"]
        if is_shown and {*known} <= {*kept}:
            return
    manifest = json.loads((current / "manifest.json").read_text(encoding="utf-8"))
    promise = partial(PublicPromise.of_manifest, config, manifest)
    with shown_in_database(config, current, current.name, manifest, kept, promise):
        pass
