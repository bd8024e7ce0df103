"""Networks from files."""

import csv
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from anon_transformers.cli import Dialect, find_dialect, find_encoding
from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
)
from anon_transformers.graphs import open_graph
from anon_transformers.registry import HOME, Catalog, registry

COLUMNS = ["first", "second", "weight"]
"""Columns of a file of edges that has no header."""
NODE = "node"
KINDS = {".csv": "csv", ".parquet": "parquet", ".edges": "edges"}
GZIP = ".gz"
PAIR = 2

Edges = Annotated[
    Path,
    typer.Argument(
        metavar="EDGES", help="Edges: CSV, Parquet, .edges(.gz), or a plugin's."
    ),
]
Nodes = Annotated[
    Path | None,
    typer.Option(
        "--nodes",
        metavar="FILE",
        help="Nodes, CSV or Parquet: the first column names them all, the others are "
        "labels.",
    ),
]
MappingFile = Annotated[
    Path | None,
    typer.Option(
        "--mapping",
        metavar="FILE",
        help="Who is who, in two columns: the original and the published name. Needed "
        "where nodes have new names. Private: it undoes the anonymization.",
    ),
]
Reduce = Annotated[
    bool,
    typer.Option("--reduce", help="Drop loops and join parallel edges."),
]


def read_network(
    edges: Path,
    nodes: Path | None = None,
    *,
    reduce: bool = False,
    dialect: Dialect | None = None,
    further: bool = False,
) -> Any:
    """An edge table, or a pair of it and a node table.

    Names are texts as they are written, so that 1 and 01 are two persons. The dialect
    is that of the edges, or of a file that both stand beside (``further``).
    """
    network: Any = _read_graph(edges)
    if network is not None:
        if nodes is not None:
            raise ConfigurationError(f"--nodes: {edges} holds nodes and edges.")
    else:
        network = read_table(edges, 2, dialect, further=further)
    if nodes is not None:
        check_node_file(nodes)
        network = network, read_table(nodes, 1, dialect, further=True)
    elif isinstance(network, pd.DataFrame) and network.empty:
        raise _empty_error(edges)
    if reduce:
        graph, form = open_graph(network, reduce=True)
        return form.write(graph, form.names)
    return network


def _read_graph(path: Path) -> Any:
    """A graph by the reader of a plugin; None if the file is none, or not there."""
    readers = registry().readers
    if not path.is_file():
        return None
    kind = kind_of(path, readers)
    if not registry().reads_graphs(kind):
        return None
    edges, nodes = _from_plugin(kind, path)
    edges = _names_as_text(edges, PAIR)
    return edges if nodes is None else (edges, _names_as_text(nodes, 1))


def _from_plugin(kind: str, path: Path) -> Any:
    """What the reader of a plugin reads; its words may quote the file."""
    try:
        return registry().readers[kind](path=path)
    except AnonymizationError as error:
        fault = type(error).__name__
    raise DataError(f"{path}: the reader {kind!r} failed with {fault}.")


def read_mapping(path: Path, dialect: Dialect | None = None) -> dict[Any, Any]:
    """New name by old name."""
    pairs = name_pairs(read_table(path, PAIR, dialect, further=True), "--mapping")
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise DataError(
            f"--mapping: {len(pairs) - len(mapping)} rows name a node again."
        )
    return mapping


def name_pairs(table: pd.DataFrame, option: str) -> list[tuple[Any, Any]]:
    """The first two columns of a table, row by row."""
    if table.shape[1] < PAIR:
        raise DataError(f"{option} has one column; it needs two, of names.")
    return list(table.iloc[:, :PAIR].itertuples(index=False, name=None))


def read_table(
    path: Path,
    n_names: int,
    dialect: Dialect | None = None,
    *,
    further: bool = False,
) -> pd.DataFrame:
    """A file as a table; so many of its first columns are names.

    The dialect of a ``further`` file is detected, if the file shows one of its own.
    """
    how = _check_dialect(dialect or Dialect())
    if not path.is_file():
        raise DataError(f"{path} does not exist.")
    kind = kind_of(path, registry().readers)
    if not path.stat().st_size:
        raise _empty_error(path)
    if kind == "edges":
        other = find_encoding(path, how.encoding) if further else how.encoding
        return _read_lines(path, other)
    readers = registry().readers
    if kind == "parquet":
        return _names_as_text(readers["parquet"](path), n_names)
    if kind != "csv":
        return _names_as_text(_from_plugin(kind, path), n_names)
    how = find_dialect(path, how) if further else how
    written: dict[str, Any] = {"sep": how.separator, "encoding": how.encoding}
    try:
        header = pd.read_csv(path, nrows=0, dtype=str, **written).columns
    except (ValueError, OSError) as error:  # the message may quote the file
        raise _unreadable_error(path, "CSV", error, how.encoding) from None
    texts = dict.fromkeys(header[:n_names], "text")
    return readers["csv"](path, columns=texts, **how.as_options())


def _check_dialect(dialect: Dialect) -> Dialect:
    """Refuse an illegal separator, and an unknown encoding."""
    if len(dialect.separator) != 1:
        raise ConfigurationError(
            f"--separator: expected one character, got {dialect.separator!r}."
        )
    try:
        "".encode(dialect.encoding)
    except (LookupError, ValueError):
        raise ConfigurationError(
            f"--encoding: unknown encoding {dialect.encoding!r}."
        ) from None
    return dialect


def kind_of(path: Path, offered: Catalog | None = None) -> str:
    """Format of a file, from its name without the suffix of a compression.

    A format that a plugin ``offered`` is the suffix of its files.

    Examples
    --------
    >>> kind_of(Path("friends.v2.csv.gz"))
    'csv'
    """
    compressed = is_compressed(path)
    suffix = (path.with_suffix("") if compressed else path).suffix.lower()
    # Of the library's own, those that a path is enough for are in the table.
    known = dict(KINDS)
    if offered is not None:
        strangers = [name for name in offered if offered.owner(name) != HOME]
        known |= {f".{name}": name for name in strangers}
    if suffix not in known:
        raise ConfigurationError(
            f"{path}: unknown file type; choices: {', '.join(sorted(known))}."
        )
    kind = known[suffix]
    if compressed and kind == "parquet":
        raise ConfigurationError(f"{path}: Parquet packs itself; leave out {GZIP}.")
    return kind


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its name."""
    return path.suffix.lower() == GZIP


def check_node_file(path: Path) -> None:
    """Refuse a kind of file that has no room for labels."""
    if kind_of(path, registry().readers) == "edges":
        raise ConfigurationError(f"{path}: nodes are in CSV or Parquet, not in .edges.")


def _read_lines(path: Path, encoding: str) -> pd.DataFrame:
    """Names between blanks: one, two, or two and a weight in a line."""
    try:
        table = pd.read_csv(
            path, sep=r"\s+", comment="#", header=None, names=[*COLUMNS, "more"],
            dtype=str, keep_default_na=False, na_values=[""], quoting=csv.QUOTE_NONE,
            encoding=encoding,
        )  # fmt: skip
    except (ValueError, OSError) as error:  # the message may quote the file
        raise _unreadable_error(path, "pairs of names", error, encoding) from None
    # Longer lines would make an index of their first names.
    if not isinstance(table.index, pd.RangeIndex) or table.pop("more").notna().any():
        raise DataError(f"{path}: a line holds two names and maybe a weight, no more.")
    if table["weight"].isna().all():
        return table.drop(columns="weight")
    weights = pd.to_numeric(table["weight"], errors="coerce")
    unreadable = int((weights.isna() & table["weight"].notna()).sum())
    if unreadable:
        raise DataError(f"{path}: {unreadable} weights are not numbers.")
    return table.assign(weight=weights)


def _names_as_text(table: pd.DataFrame, n_names: int) -> pd.DataFrame:
    for column in table.columns[:n_names]:
        held = table[column]
        if pd.api.types.is_float_dtype(held.dtype) and (held.dropna() % 1 == 0).all():
            held = held.astype("Int64")
        table[column] = held.astype("string")
    return table


def _unreadable_error(
    path: Path, what: str, error: Exception, encoding: str
) -> DataError:
    if isinstance(error, pd.errors.EmptyDataError):
        return _empty_error(path)
    if isinstance(error, UnicodeError):
        encoding_name = "UTF-8" if encoding == Dialect().encoding else encoding
        return DataError(
            f"{path}: cannot be read as {what} in {encoding_name}; name its encoding "
            "with --encoding, such as latin-1."
        )
    return DataError(f"{path}: cannot be read as {what} ({type(error).__name__}).")


def _empty_error(path: Path) -> DataError:
    return DataError(f"{path} is empty: it names no nodes.")
