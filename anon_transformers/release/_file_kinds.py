"""What a file holds, from its name alone: no library of tables is loaded."""

import os
from collections.abc import Iterable
from pathlib import Path

from anon_transformers.exceptions import DataError

TABLE_KINDS = ("", "csv", "parquet")
"""Kinds of sources that this library reads as a table; none: the suffix tells."""

DATABASE_KINDS = ("sql", "duckdb")
"""Kinds of sources that are databases, in which a table or a query is named."""

TYPED_KINDS = ("parquet", *DATABASE_KINDS)
"""Kinds of sources that know the types of their columns."""

READERS = {
    "csv": ("_files:read_csv", "Read a CSV file, strictly."),
    "duckdb": (
        "_databases:read_duckdb",
        "Read a table of a DuckDB file, or what a query gives.",
    ),
    "graph": (
        "_graph_files:read_graph",
        "Read a graph from a file of edges, and one of nodes if there is one.",
    ),
    "parquet": (
        "_files:read_parquet",
        "Read a Parquet file; an index that pandas stored in it is left behind.",
    ),
    "sql": (
        "_databases:read_sql",
        "Read a table of an SQL database, or what a query gives, in one transaction.",
    ),
}
"""Readers of this library: where each lies, and what it does, as it is registered."""

FILE_KINDS = ("", *(kind for kind in READERS if kind not in DATABASE_KINDS))
"""Those that open files; what else a path may be, the reader of a plugin knows. Whether
a reader reads graphs, it says itself (``reads_graphs``)."""

SUFFIXES = {"csv": "csv", "tsv": "csv", "parquet": "parquet", "pq": "parquet"}

BY_KIND = frozenset(READERS) - {*SUFFIXES.values()}
"""Readers of this library that need more than a path, so that a source names them."""


def kind_of_file(path: str | os.PathLike[str], legal: Iterable[str]) -> str:
    """Format of a file, from its name; compression suffixes are looked through.

    A format of a plugin is the suffix of its files: ``jsonl`` that of ``x.jsonl``.
    """
    kind, offered = known_kind(path), set(legal)
    if kind is None and suffix_of(path) in offered:
        kind = suffix_of(path)
    if kind is None:
        choices = ", ".join(sorted(by_ending(offered)))
        raise DataError(f"{path}: unknown file type; choices: {choices}.")
    return kind


def by_ending(kinds: Iterable[str]) -> set[str]:
    """Kinds that the ending of a file names, where there is nothing but a path.

    Examples
    --------
    >>> sorted(by_ending(["csv", "graph", "jsonl", "sql"]))
    ['csv', 'jsonl']
    """
    return {*kinds} - BY_KIND


def known_kind(path: str | os.PathLike[str]) -> str | None:
    """The format of a file of this package, from its name; None for any other."""
    return SUFFIXES.get(suffix_of(path))


def surely_a_table(kind: str, paths: Iterable[str]) -> bool:
    """Whether a source is known to be a table before a reader is asked.

    A suffix may be that of a plugin's reader, which may read graphs.
    """
    if kind:
        return kind in TABLE_KINDS
    return all(known_kind(path) is not None for path in paths)


def suffix_of(path: str | os.PathLike[str]) -> str:
    """How a name ends, without the dot: ``csv`` is that of ``x.CSV.gz``."""
    suffixes = [s.lower() for s in Path(path).suffixes]
    return next((s[1:] for s in reversed(suffixes) if s not in {".gz", ".bz2"}), "")
