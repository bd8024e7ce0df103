"""Generalized graphs, and how many graphs are consistent with one."""

import math
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, open_graph

NODES = "nodes"
EDGES_INSIDE = "edges_inside"
SUPER_NODE = "supernode"


def generalized_graph(graph: Graph, partition: np.ndarray) -> Graph:
    """The graph of super-nodes: sizes, edges inside, and edges between any two.

    Parameters
    ----------
    graph : Graph
        The graph to generalize; its weights and labels are left out.
    partition : int array of shape (n_nodes,)
        Super-node of each node, the numbers from 0 on.

    Returns
    -------
    Graph
        Its labels are "nodes" and "edges_inside", its weights numbers of edges.
    """
    sizes = np.bincount(partition)
    n_blocks = len(sizes)
    ends = np.sort(partition[graph.edges], axis=1)
    keys, counts = np.unique(ends[:, 0] * n_blocks + ends[:, 1], return_counts=True)
    pairs = np.column_stack(np.divmod(keys, n_blocks))
    own = pairs[:, 0] == pairs[:, 1]
    inside = np.zeros(n_blocks, dtype=np.int64)
    inside[pairs[own, 0]] = counts[own]
    labels = pd.DataFrame({NODES: sizes, EDGES_INSIDE: inside})
    return Graph(n_blocks, pairs[~own], counts[~own], labels)


def super_node_labels(generalized: Graph) -> pd.DataFrame:
    """The labels of the super-nodes; raises if it is no generalized graph."""
    labels = generalized.labels
    if labels is None or not {NODES, EDGES_INSIDE} <= set(labels.columns):
        raise DataError(
            f"a generalized graph has the labels {NODES!r} and {EDGES_INSIDE!r} at its "
            "super-nodes."
        )
    return labels


def pairs_and_edges(generalized: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of nodes that each super-node and each super-edge holds, and their edges.

    Super-nodes come first. What no graph can be consistent with is refused.
    """
    labels = super_node_labels(generalized)
    sizes = _counts(labels[NODES].to_numpy(), NODES)
    inside = _counts(labels[EDGES_INSIDE].to_numpy(), EDGES_INSIDE)
    weights = generalized.weights
    if weights is None:
        weights = np.ones(generalized.n_edges, dtype=np.int64)
    first, second = generalized.edges.T
    pairs = np.concatenate([sizes * (sizes - 1) // 2, sizes[first] * sizes[second]])
    edges = np.concatenate([inside, _counts(weights, "weight")])
    overfull = int((edges > pairs).sum())
    if overfull:
        raise DataError(
            f"{overfull} super-nodes or super-edges have more edges than pairs "
            "of nodes."
        )
    return pairs, edges


def log_consistent_graphs(graph: Any, partition: Any) -> float:
    """Logarithm of the number of graphs that a partition leaves possible.

    Parameters
    ----------
    graph : graph in any form
        The graph that is generalized.
    partition : array of shape (n_nodes,)
        Super-node of each node: any values.

    Returns
    -------
    float
        log of ``|W|``; 0 if the partition determines the whole graph.

    Examples
    --------
    >>> square = Graph(4, [[0, 1], [1, 2], [2, 3], [0, 3]])
    >>> round(log_consistent_graphs(square, [0, 0, 0, 0]), 4)  # log of C(6, 4)
    2.7081
    >>> log_consistent_graphs(square, [0, 1, 0, 1])
    0.0
    """
    return log_graph_count(_generalized(graph, partition))


def count_consistent_graphs(graph: Any, partition: Any) -> int:
    """Number of graphs that a partition leaves possible, exactly.

    Parameters
    ----------
    graph : graph in any form
        The graph that is generalized.
    partition : array of shape (n_nodes,)
        Super-node of each node: any values.

    Examples
    --------
    >>> square = Graph(4, [[0, 1], [1, 2], [2, 3], [0, 3]])
    >>> count_consistent_graphs(square, [0, 0, 1, 1])
    6
    """
    pairs, edges = pairs_and_edges(_generalized(graph, partition))
    return math.prod(map(math.comb, pairs.tolist(), edges.tolist()))


def log_graph_count(generalized: Graph) -> float:
    """Logarithm of the number of graphs consistent with a generalized one."""
    pairs, edges = pairs_and_edges(generalized)
    # What is full or empty is certain, to the last digit.
    uncertain = (edges > 0) & (edges < pairs)
    pairs, edges = pairs[uncertain] + 1.0, edges[uncertain] + 1.0
    logs = gammaln(pairs) - gammaln(edges) - gammaln(pairs - edges + 1)
    return float(logs.sum())


def structure_losses(generalized: Graph) -> tuple[float, float]:
    """Share of the edges that a consistent graph, drawn at random, is likely to lack.

    The first is for edges inside super-nodes, the second for those between; both are
    shares of all edges.
    """
    pairs, edges = pairs_and_edges(generalized)
    lacking = edges * (1 - edges / np.maximum(pairs, 1))
    inside = float(lacking[: generalized.n_nodes].sum())
    between = float(lacking[generalized.n_nodes :].sum())
    total = max(int(edges.sum()), 1)
    return inside / total, between / total


def _generalized(graph: Any, partition: Any) -> Graph:
    opened = open_graph(graph)[0]
    codes = pd.factorize(np.asarray(partition), use_na_sentinel=False)[0]
    if len(codes) != opened.n_nodes:
        raise DataError(
            f"partition has {len(codes)} entries, and the graph {opened.n_nodes} nodes."
        )
    return generalized_graph(opened, codes)


def _counts(values: np.ndarray, name: str) -> np.ndarray:
    """Whole numbers; a file may have made floats of them."""
    whole = np.asarray(values, dtype=np.float64)
    if not ((whole >= 0) & (whole == np.floor(whole))).all():
        raise DataError(f"{name!r} must hold whole numbers of at least 0.")
    return whole.astype(np.int64)
