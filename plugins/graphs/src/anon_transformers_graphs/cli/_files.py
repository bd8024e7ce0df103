"""Networks from files, and into files."""

import csv
import gzip
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.registry import registry

COLUMNS = ["first", "second", "weight"]
"""Columns of a file of edges that has no header."""
NODE = "node"
KINDS = {".csv": "csv", ".parquet": "parquet", ".edges": "edges"}

Edges = Annotated[
    Path, typer.Argument(metavar="EDGES", help="Edges: CSV, Parquet or .edges(.gz).")
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


def read_network(edges: Path, nodes: Path | None = None) -> Any:
    """An edge table, or a pair of it and a node table.

    Names are texts as they are written, so that 1 and 01 are two persons.
    """
    table = read_table(edges, n_names=2)
    if nodes is not None:
        return table, read_table(nodes, n_names=1)
    if not len(table):
        raise DataError(f"{edges} is empty: it names nobody.")
    return table


def read_table(path: Path, n_names: int) -> pd.DataFrame:
    """A file as a table; so many of its first columns are names."""
    if not path.is_file():
        raise DataError(f"{path} does not exist.")
    kind = kind_of(path)
    if kind == "edges":
        return _read_lines(path)
    readers = registry().readers
    if kind == "parquet":
        return _named(readers["parquet"](path), n_names)
    try:
        header = pd.read_csv(path, nrows=0, dtype=str).columns
    except (ValueError, OSError) as error:  # the message may quote the file
        raise _unreadable(path, "CSV", error) from None
    return readers["csv"](path, columns=dict.fromkeys(header[:n_names], "text"))


def kind_of(path: Path) -> str:
    """Format of a file, from its name; a compression is looked through."""
    suffixes = [s.lower() for s in path.suffixes if s.lower() != ".gz"]
    kind = KINDS.get(suffixes[-1] if suffixes else "")
    if kind is None:
        raise ConfigurationError(
            f"{path}: unknown file type; choices: {', '.join(sorted(KINDS))}."
        )
    return kind


def write_table(table: pd.DataFrame, path: Path) -> None:
    """A table into a file, whole or not at all."""
    draft = path.with_name(f".draft-{path.name}")
    kind = kind_of(path)
    try:
        if kind == "edges":
            _write_lines(table, draft)
        else:
            registry().writers[kind](table, draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _read_lines(path: Path) -> pd.DataFrame:
    """Names between blanks: one, two, or two and a weight in a line."""
    try:
        table = pd.read_csv(
            path, sep=r"\s+", comment="#", header=None, names=[*COLUMNS, "more"],
            dtype=str, keep_default_na=False, na_values=[""], quoting=csv.QUOTE_NONE,
        )  # fmt: skip
    except (ValueError, OSError) as error:  # the message may quote the file
        raise _unreadable(path, "pairs of names", error) from None
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


def _write_lines(table: pd.DataFrame, path: Path) -> None:
    names = table.iloc[:, :2].astype("string")
    unfit = int(names.apply(lambda c: c.str.contains(r"[\s#]", na=False)).sum().sum())
    if unfit:
        raise ConfigurationError(
            f"{path}: {unfit} names hold a blank or #, which would end them; write CSV."
        )
    texts = table.astype("string")
    # A missing name or weight is at the end of its line, and leaves nothing behind.
    lines = texts.iloc[:, 0].str.cat(texts.iloc[:, 1:], sep=" ", na_rep="").str.rstrip()
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8") as file:
        file.writelines(lines + "\n")


def _named(table: pd.DataFrame, n_names: int) -> pd.DataFrame:
    for column in table.columns[:n_names]:
        held = table[column]
        if pd.api.types.is_float_dtype(held.dtype) and (held.dropna() % 1 == 0).all():
            held = held.astype("Int64")
        table[column] = held.astype("string")
    return table


def _unreadable(path: Path, what: str, error: Exception) -> DataError:
    return DataError(f"{path}: cannot be read as {what} ({type(error).__name__}).")
