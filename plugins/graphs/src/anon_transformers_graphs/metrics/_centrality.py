"""How central each node is."""

from dataclasses import dataclass, field

import numpy as np

from anon_transformers.graphs import Graph
from anon_transformers.parameters import generator
from anon_transformers_graphs._any_form import any_form
from anon_transformers_graphs._graph_arrays import neighbor_lists
from anon_transformers_graphs.metrics._distances import (
    N_PARTS,
    DistanceSummary,
    Seed,
    chosen_sources,
    distances,
    distances_from,
)
from anon_transformers_graphs.metrics._kernels.betweenness import add_shares

LEAST = 3
"""Nodes of the smallest graph in which one can lie between two others."""


@dataclass(frozen=True)
class Centralities:
    """Numbers of each node, larger where it is more central.

    Attributes
    ----------
    betweenness : float array of shape (n_nodes,)
        Mean share, over pairs of other nodes, of their shortest paths that go through
        the node.
    closeness : float array of shape (n_nodes,)
        One by ``mean_distance``; 0 for a node without edges.
    degree : float array of shape (n_nodes,)
        Neighbors by the number of other nodes.
    mean_distance : float array of shape (n_nodes,)
        Over the nodes that a path joins to it; NaN for a node without edges. Here the
        larger number is that of the less central node.
    """

    betweenness: np.ndarray = field(repr=False)
    closeness: np.ndarray = field(repr=False)
    degree: np.ndarray = field(repr=False)
    mean_distance: np.ndarray = field(repr=False)


@any_form
def centralities(
    graph: Graph, *, n_sources: int | None = None, random_state: Seed = 0
) -> Centralities:
    """Betweenness, closeness and degree centrality of each node.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        It may be disconnected: closeness looks at the reachable nodes only.
    n_sources : int, optional
        Search from so many random nodes instead of all. Betweenness and closeness are
        estimates then, and the time grows as ``n_sources`` times the edges.
    random_state : seed or generator, default=0
        For the sample.

    References
    ----------
    .. [1] U. Brandes, "A faster algorithm for betweenness centrality", Journal of
       Mathematical Sociology 25 (2), 2001.

    Examples
    --------
    >>> star = Graph(4, [[0, 1], [0, 2], [0, 3]])
    >>> found = centralities(star)
    >>> found.betweenness
    array([1., 0., 0., 0.])
    >>> found.closeness
    array([1. , 0.6, 0.6, 0.6])
    """
    # One sample for both, so that they are numbers of the same paths.
    seed = int(generator(random_state).integers(2**63))
    sources = chosen_sources(graph, n_sources, seed)
    return centralities_from(graph, distances_from(graph, sources), sources)


def centralities_from(
    graph: Graph, found: DistanceSummary, sources: np.ndarray
) -> Centralities:
    """Centralities of a graph whose distances from these nodes are known."""
    mean = mean_distances(found)
    return Centralities(
        _betweenness_from(graph, sources),
        np.where(np.isnan(mean), 0.0, 1 / mean),
        degree_centrality(graph),
        mean,
    )


def mean_distances(found: DistanceSummary) -> np.ndarray:
    """Mean over what a path joins to each node; NaN where that is nothing."""
    return np.divide(
        found.sums,
        found.reached,
        out=np.full(len(found.sums), np.nan),
        where=found.reached > 0,
    )


@any_form
def degree_centrality(graph: Graph) -> np.ndarray:
    """Neighbors of each node by the number of other nodes.

    Examples
    --------
    >>> degree_centrality(Graph(3, [[0, 1], [0, 2]]))
    array([1. , 0.5, 0.5])
    """
    return graph.degrees / max(graph.n_nodes - 1, 1)


@any_form
def closeness(
    graph: Graph, *, n_sources: int | None = None, random_state: Seed = 0
) -> np.ndarray:
    """Inverse of the mean distance from each node to those that it reaches.

    Parameters are those of :func:`centralities`. A node without edges has 0.

    Examples
    --------
    >>> closeness(Graph(4, [[0, 1], [1, 2]]))
    array([0.66666667, 1.        , 0.66666667, 0.        ])
    """
    mean = mean_distances(distances(graph, n_sources, random_state))
    return np.where(np.isnan(mean), 0.0, 1 / mean)


@any_form
def betweenness(
    graph: Graph, *, n_sources: int | None = None, random_state: Seed = 0
) -> np.ndarray:
    """Share of the shortest paths between other nodes that go through each node.

    Parameters are those of :func:`centralities`. The mean is over all pairs of other
    nodes, those too that no path joins; so a number is at most 1.

    Examples
    --------
    >>> betweenness(Graph(4, [[0, 1], [1, 2], [2, 3]])).round(3)
    array([0.   , 0.667, 0.667, 0.   ])
    """
    return _betweenness_from(graph, chosen_sources(graph, n_sources, random_state))


def _betweenness_from(graph: Graph, sources: np.ndarray) -> np.ndarray:
    n_nodes = graph.n_nodes
    if n_nodes < LEAST:
        return np.zeros(n_nodes)
    indptr, indices = neighbor_lists(graph)
    sums = np.zeros((min(N_PARTS, len(sources)), n_nodes))
    add_shares(indptr, indices, sources, sums)
    # A node lies on no path that starts from it: its own search is not counted, or
    # nodes of the sample would seem less central than others.
    n_informative = np.full(n_nodes, len(sources))
    n_informative[sources] -= 1
    pairs = n_informative * (n_nodes - 2)
    return np.divide(sums.sum(axis=0), pairs, out=np.zeros(n_nodes), where=pairs > 0)
