"""Markov clustering."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from anon_transformers.exceptions import NotEvaluable
from anon_transformers.graphs import Graph, open_graph
from anon_transformers.parameters import real, whole

LEAST = 1e-5
"""A flow below this is cut."""
STILL = 1e-9
"""Flows that change by no more have converged."""
ROOM = 2**24
"""Products in one block of columns: what is held at once, beside the flows."""


def markov_clusters(
    graph: Any, inflation: float = 2.0, *, max_iterations: int = 200
) -> list[set[Any]]:
    """Clusters of nodes between which a simulated flow has ceased (MCL).

    Flow spreads along two steps of a random walk, is raised to a power, which favors
    strong flows, and what gets below 0.00001 is cut; until nothing changes. Every node
    is in one cluster.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        It may be disconnected; a node without edges is a cluster.
    inflation : float, default=2.0
        The power, above 1. A larger one gives smaller clusters.
    max_iterations : int, default=200
        Rounds after which the search fails.

    Returns
    -------
    list of sets
        Names of the nodes of each cluster, larger clusters first; numbers of the nodes
        of a ``Graph`` or a matrix.

    Raises
    ------
    NotEvaluable
        If the flow has not converged.

    References
    ----------
    .. [1] S. van Dongen, "Graph clustering by flow simulation", PhD thesis, University
       of Utrecht, 2000.

    Examples
    --------
    >>> two = [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [3, 5]]
    >>> markov_clusters(Graph(6, two))
    [{0, 1, 2}, {3, 4, 5}]
    """
    opened, form = open_graph(graph)
    found = markov_groups(opened, inflation, max_iterations=max_iterations)
    return named_sets(found, form.names)


def markov_groups(
    graph: Graph, inflation: float = 2.0, *, max_iterations: int = 200
) -> list[np.ndarray]:
    """The clusters of :func:`markov_clusters` as numbers of nodes."""
    inflation = real("inflation", inflation, 1, above=True)
    whole("max_iterations", max_iterations)
    if not graph.n_nodes:
        return []
    loops = sparse.eye_array(graph.n_nodes, format="csc")
    flow = _normalized((graph.adjacency + loops).tocsc().astype(float))
    for _ in range(max_iterations):
        last, flow = flow, _round(flow, inflation)
        if _at_rest(last, flow):
            return groups_by_label(connected_components(flow, directed=False)[1])
    raise NotEvaluable(
        f"the flow of a graph of {graph.n_nodes} nodes has not converged in "
        f"{max_iterations} rounds, which is max_iterations."
    )


def groups_by_label(labels: np.ndarray) -> list[np.ndarray]:
    """Nodes of each label; larger groups first, then those of lower nodes."""
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return sorted(groups, key=lambda nodes: (-len(nodes), nodes[0]))


def named_sets(groups: list[np.ndarray], names: np.ndarray) -> list[set[Any]]:
    """The names of the nodes of each group."""
    return [set(names[nodes].tolist()) for nodes in groups]


def _round(flow: sparse.csc_array, inflation: float) -> sparse.csc_array:
    """Expand, inflate and cut, some columns at a time: no column needs another."""
    entries = np.diff(flow.indptr)
    products = np.add.reduceat(entries[flow.indices], flow.indptr[:-1])
    blocks = np.cumsum(products) // ROOM
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(blocks)) + 1, [len(blocks)]])
    parts = []
    for start, end in pairwise(cuts):
        part = flow @ flow[:, start:end]
        part.data **= inflation
        part = _normalized(part)
        # Of more equal flows than 1 / LEAST all would be cut.
        largest = np.maximum.reduceat(part.data, part.indptr[:-1])
        least = np.repeat(np.minimum(largest, LEAST), np.diff(part.indptr))
        part.data[part.data < least] = 0
        part.eliminate_zeros()
        part.sort_indices()
        parts.append(_normalized(part))
    return sparse.hstack(parts, format="csc")


def _normalized(flow: sparse.csc_array) -> sparse.csc_array:
    """Every column adds up to 1; none is empty, since every node has a loop."""
    sums = np.asarray(flow.sum(axis=0)).ravel()
    flow.data /= np.repeat(sums, np.diff(flow.indptr))
    return flow


def _at_rest(last: sparse.csc_array, flow: sparse.csc_array) -> bool:
    return (
        np.array_equal(last.indptr, flow.indptr)
        and np.array_equal(last.indices, flow.indices)
        and bool((np.abs(last.data - flow.data) <= STILL).all())
    )
