"""Graphs as sparse adjacency matrices."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from anon_transformers.exceptions import DataError
from anon_transformers.graphs._form import GraphForm, joined
from anon_transformers.graphs._graph import Graph
from anon_transformers.graphs._tables import NODE, both_tables

NO_TABLE = pd.DataFrame()


def open_matrix(given: Any, reduce: bool) -> tuple[Graph, GraphForm]:
    """Open a symmetric sparse matrix."""
    rows, columns, values = _cells(given)
    n_nodes = given.shape[0]
    there = sparse.csr_array((values, (rows, columns)), given.shape)
    symmetric = not (there != there.T).nnz
    if not symmetric and not reduce:
        raise DataError(
            "the adjacency matrix is not symmetric: the graph is directed; reduce=True "
            "drops directions."
        )
    weights = None if (values == 1).all() else values
    # Of a symmetric matrix one half says it all; directions are joined.
    half = rows != columns if not symmetric else rows <= columns
    kept = None if weights is None else weights[half]
    make = joined if reduce else Graph
    graph = make(n_nodes, np.column_stack([rows, columns])[half], kept)
    _refuse_zeros(graph)

    def write(written: Graph, names: np.ndarray) -> Any:
        if written.labels is not None:
            # A matrix has no room for labels that a method made.
            ends = ("first", "second")
            return both_tables(written, names, ends, NODE, NO_TABLE, NO_TABLE)
        weights = written.weights
        values = np.ones(written.n_edges) if weights is None else weights
        values = values.astype(given.dtype)
        first, second = written.edges.T
        shape = (written.n_nodes, written.n_nodes)
        upper = sparse.coo_array((values, (first, second)), shape)
        whole = (upper + upper.T).asformat(given.format)
        return type(given)(whole)

    return graph, GraphForm("sparse", np.arange(n_nodes), write)


def _cells(given: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, columns and values of the cells that are not zero."""
    if given.shape[0] != given.shape[1]:
        raise DataError(f"an adjacency matrix is square, this one is {given.shape}.")
    matrix = sparse.coo_array(sparse.csr_array(given))
    unknown = int(np.isnan(matrix.data).sum()) if matrix.dtype.kind in "fc" else 0
    if unknown:
        raise DataError(f"{unknown} cells of the adjacency matrix are no numbers.")
    held = matrix.data != 0
    rows, columns = (place[held].astype(np.int64) for place in matrix.coords)
    return rows, columns, matrix.data[held]


def _refuse_zeros(graph: Graph) -> None:
    """Refuse edges that a matrix could not hold: it has none where it holds zero."""
    gone = 0 if graph.weights is None else int((graph.weights == 0).sum())
    if gone:
        raise DataError(
            f"the weights of both directions of {gone} edges add up to 0, which means "
            "no edge in a matrix; give a symmetric matrix, or one of ones."
        )
