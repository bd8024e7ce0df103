"""Graphs as tables of edges and of nodes."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, identify
from anon_transformers._data.frames import made_like, to_frame
from anon_transformers.exceptions import DataError
from anon_transformers.graphs._form import GraphForm, joined
from anon_transformers.graphs._graph import Graph
from anon_transformers.roles import refuse_repeated_columns

ENDS = 2
WITH_WEIGHT = 3
WEIGHT = "weight"
LARGEST_EXACT = 2**53
NODE = "node"


def open_tables(edges: Any, nodes: Any, reduce: bool) -> tuple[Graph, GraphForm]:
    """Open a table of edges, and one of nodes if there is one."""
    table = to_frame(edges)
    _refuse_bad_edges(table)
    named = [table.iloc[:, 0], table.iloc[:, 1]]
    labels = None
    if nodes is not None:
        listed = to_frame(nodes)
        _refuse_bad_nodes(listed)
        named.append(listed.iloc[:, 0])
        labels = listed.iloc[:, 1:].reset_index(drop=True)
        labels = labels if labels.shape[1] else None
    named = [_exact(s) for s in named]
    column = identify(pd.concat([s.rename("node") for s in named], ignore_index=True))
    codes = np.where(column.codes == column.missing_code, -1, column.codes)
    _refuse_nameless(codes, table, nodes is not None)
    ends, names = codes[: 2 * len(table)].reshape(2, -1).T, _names(column, named[0])
    if nodes is not None:
        ends, names = _in_order_of_nodes(ends, codes[2 * len(table) :], names)
    whole = ends.min(axis=1) >= 0
    make = joined if reduce else Graph
    graph = make(len(names), ends[whole], _weights(table, whole), labels)
    columns = list(table.columns)
    if nodes is None:
        return graph, GraphForm(
            "edge table",
            names,
            lambda g, n: _edge_table(g, n, columns, edges),
            tuple(columns[:ENDS]),
        )
    key = listed.columns[0]
    return graph, GraphForm(
        "tables",
        names,
        lambda g, n: both_tables(g, n, columns, key, edges, nodes),
        (*columns[:ENDS], key),
    )


def _names(column: Column, first: pd.Series) -> np.ndarray:
    """Names of the nodes; a missing one beside whole numbers made floats of them."""
    names = np.asarray(column.values)
    if pd.api.types.is_integer_dtype(first.dtype) and names.dtype.kind == "f":
        return names.astype(np.int64)
    return names


def _exact(names: pd.Series) -> pd.Series:
    """Names as they are; whole numbers that a missing one turned into floats again.

    Floats of 2**53 and more are no names: neighbors among them are the same float.
    """
    if not pd.api.types.is_float_dtype(names.dtype):
        return names
    known = names.dropna()
    lost = int((known.abs() >= LARGEST_EXACT).sum())
    if lost:
        raise DataError(
            f"{lost} rows name nodes by floats of 2**53 or more, which do not tell "
            "them apart; store whole numbers or texts."
        )
    return names.astype("Int64") if (known % 1 == 0).all() else names


def _refuse_nameless(codes: np.ndarray, table: pd.DataFrame, listed: bool) -> None:
    """Refuse a name that is missing, or a text without a character."""
    unnamed = int((codes[: len(table)] < 0).sum())
    if unnamed:
        raise DataError(f"column 1 of the edge table: {unnamed} rows name no node.")
    unlisted = int((codes[2 * len(table) :] < 0).sum()) if listed else 0
    if unlisted:
        raise DataError(f"{unlisted} rows of the node table name no node.")


def _refuse_bad_edges(table: pd.DataFrame) -> None:
    if table.shape[1] not in (ENDS, WITH_WEIGHT) or not table.columns.is_unique:
        raise DataError(
            "an edge table has two columns of node names and maybe one of weights; "
            f"this one has {table.shape[1]} columns."
        )


def _refuse_bad_nodes(table: pd.DataFrame) -> None:
    if not table.shape[1]:
        raise DataError("a node table has a column that names the nodes.")
    refuse_repeated_columns(table.columns, what="the node table")
    faults = {
        "rows name no node": int(table.iloc[:, 0].isna().sum()),
        "rows name a node again": int(table.iloc[:, 0].duplicated().sum()),
    }
    for fault, count in faults.items():
        if count:
            raise DataError(f"column 1 of the node table: {count} {fault}.")


def _in_order_of_nodes(
    ends: np.ndarray, listed: np.ndarray, names: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Number nodes as the node table lists them; edges may name no others."""
    if len(np.unique(listed)) < len(listed):
        raise DataError("the node table names a node twice, spelled in two ways.")
    places = np.full(len(names), -2)
    places[listed] = np.arange(len(listed))
    at = np.where(ends >= 0, places[ends], -1)
    strange = int((at == -2).any(axis=1).sum())  # noqa: PLR2004
    if strange:
        raise DataError(
            f"{strange} edges name a node that the node table does not list."
        )
    return at, names[listed]


def _weights(table: pd.DataFrame, joined: np.ndarray) -> np.ndarray | None:
    if table.shape[1] < WITH_WEIGHT:
        return None
    column = table.iloc[:, 2]
    if not pd.api.types.is_numeric_dtype(column):
        raise DataError("column 3 of the edge table: weights must be numbers.")
    held = column[joined]
    if held.isna().any():
        raise DataError(
            f"column 3 of the edge table: {int(held.isna().sum())} edges have no "
            "weight."
        )
    return held.to_numpy()


def _edge_table(
    graph: Graph, names: np.ndarray, columns: Sequence[Hashable], like: Any
) -> Any:
    """Edges in a table; a node without edges in a row of its own.

    Labels that a method made need a table of nodes beside it.
    """
    if graph.labels is not None:
        return both_tables(graph, names, columns, NODE, like, like)
    alone = np.flatnonzero(graph.degrees == 0)
    called = pd.array(names)
    first = called.take(np.concatenate([graph.edges[:, 0], alone]))
    at = np.concatenate([graph.edges[:, 1], np.full(len(alone), -1)])
    second = called.take(at, allow_fill=True)
    frame = pd.DataFrame({columns[0]: first, columns[1]: second})
    if graph.weights is not None:
        weights = graph.weights
        frame[_weight_column(columns)] = pd.array(weights).take(
            np.concatenate([np.arange(graph.n_edges), np.full(len(alone), -1)]),
            allow_fill=True,
        )
    return _plain(frame, like)


def _weight_column(columns: Sequence[Hashable]) -> Hashable:
    """Where weights go; a graph may have some that the input had not."""
    return columns[2] if len(columns) == WITH_WEIGHT else WEIGHT


def both_tables(
    graph: Graph,
    names: np.ndarray,
    columns: Sequence[Hashable],
    key: Hashable,
    edges: Any,
    nodes: Any,
) -> tuple[Any, Any]:
    """Edges in a table and nodes in another, each like one that the caller holds."""
    called = pd.array(names)
    table = pd.DataFrame(
        {name: called.take(graph.edges[:, i]) for i, name in enumerate(columns[:ENDS])}
    )
    if graph.weights is not None:
        table[_weight_column(columns)] = graph.weights
    listed = pd.DataFrame({key: called})
    if graph.labels is not None:
        listed = pd.concat([listed, graph.labels], axis=1)
    return _plain(table, edges), _plain(listed, nodes)


def _plain(frame: pd.DataFrame, like: Any) -> Any:
    """Columns of plain types where nothing is missing, in the caller's library."""
    for name in frame.columns:
        column = frame[name]
        if not column.isna().any() and hasattr(column.array, "to_numpy"):
            dtype = getattr(column.dtype, "numpy_dtype", None)
            frame[name] = column if dtype is None else column.astype(dtype)
    return made_like(frame, like)
