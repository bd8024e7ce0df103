"""Whether a source is in one state from the first of its rows to the last.

PostgreSQL and SQLite show a reader one state. Of files, of what DuckDB reads from files
outside of its own, and of the tables of other databases, two looks are compared.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anon_transformers.exceptions import DataError
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._remote_files import is_address, state_of_address
from anon_transformers.release._resolve import source_files
from anon_transformers.release._run import sha256

if TYPE_CHECKING:
    import duckdb

ONE_STATE = ("postgresql", "sqlite")
"""Databases whose readers see one state of a table, however long they read."""
OWN_SCANS = frozenset(
    {"SEQ_SCAN", "INDEX_SCAN", "CTE_SCAN", "REC_CTE_SCAN", "DELIM_SCAN", "DUMMY_SCAN"}
    | {"EMPTY_RESULT"}
)
"""Where the plans of DuckDB begin that read the tables of its file, and no others."""
_BITS = 128


def refuse_changed_files(
    config: ReleaseConfig, before: Mapping[str, tuple[Any, ...]]
) -> None:
    """Refuse files of the source that are not in the state that they were in."""
    after = states_of_files(config)
    for key, state in before.items():
        if after.get(key) != state:
            raise DataError(
                f"source.{key}: the file changed while it was read, and nothing was "
                "loaded; run again once it is written."
            )
    if not _are_listed(config):
        raise DataError(
            "source.path: files came or went while it was read, and nothing was "
            "loaded; run again once all are written."
        )


def states_of_files(config: ReleaseConfig) -> dict[str, tuple[Any, ...]]:
    """By what each write to a file shows: a clock may be too coarse for one.

    A database keeps its readers apart itself, and so does a store where one object is
    read at once; several may be of different times.
    """
    found: dict[str, tuple[Any, ...]] = {}
    for number, text in enumerate(config.source.paths):
        if isinstance(config.source.path, tuple) and is_address(text):
            found[f"path[{number}]"] = (state_of_address(text),)
    for key, given in config.source.files.items():
        file = config.path(given)
        if key != "url" and file.is_file():
            found[key] = (*_noted(file), sha256(file))
    return found


def _noted(file: Path) -> tuple[int, ...]:
    """What a file system notes of a write."""
    state = file.stat()
    return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def _are_listed(config: ReleaseConfig) -> bool:
    """Whether a folder or a pattern still names the files that it named."""
    templates = config.stated.source.templates.get("path", ())
    if not isinstance(config.source.path, tuple):
        return True
    try:
        found = source_files(config.stated, "path", templates, config.period)
    except DataError:  # all of them are gone
        return False
    return list(config.source.path) == found


class SeenRows:
    """How many rows were seen, and a checksum of them in whatever order they came."""

    def __init__(self) -> None:
        self.count = self.total = 0

    def note(self, rows: Iterable[Any]) -> None:
        """Add rows."""
        for row in rows:
            cells = repr(tuple(row)).encode(errors="surrogatepass")
            digest = hashlib.blake2b(cells, digest_size=_BITS // 8).digest()
            self.total = (self.total + int.from_bytes(digest)) % 2**_BITS
            self.count += 1

    @property
    def state(self) -> tuple[int, int]:
        """What two passes over the same rows have in common."""
        return self.count, self.total


def outside_state(relation: "duckdb.DuckDBPyRelation") -> tuple[Any, ...]:
    """Count and checksum of rows that DuckDB reads from elsewhere.

    Nothing, of a relation over the tables of its own file: nobody can write to it
    while it is open.
    """
    plan = _asked(relation, "EXPLAIN (FORMAT json) SELECT * FROM anon_source")[1]
    if all(_scans(tree) <= OWN_SCANS for tree in json.loads(plan)):
        return ()
    checksum = "count(*), sum(hash(anon_source)::HUGEINT)"
    return _asked(relation, f"SELECT {checksum} FROM anon_source")


def _asked(relation: Any, query: str) -> tuple[Any, ...]:
    """The first row of what a query finds in a relation."""
    return tuple(relation.query("anon_source", query).fetchall()[0])


def _scans(tree: Mapping[str, Any]) -> set[str]:
    """Where a plan begins."""
    under = tree.get("children") or ()
    return set().union(*map(_scans, under)) if under else {tree["name"].strip()}


def refuse_other_state(before: tuple[Any, ...], after: tuple[Any, ...]) -> None:
    """Refuse rows that were others when they were read for the second time."""
    if before != after:
        raise DataError(
            "the source: its rows changed while they were read, and nothing was "
            "loaded; run again once they are written. A query gives the same rows each "
            "time it is asked: one that draws or cuts off rows orders them by a key."
        )
