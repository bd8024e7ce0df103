"""Clusters by repeated random walks."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import norm

from anon_transformers.exceptions import ParameterError
from anon_transformers.graphs import Graph, open_graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._graph_arrays import neighbor_lists
from anon_transformers_graphs.metrics._kernels.walk_growth import grow_sets
from anon_transformers_graphs.metrics._markov import named_sets

TOLERANCE = 1e-5
"""Of a walk, for each neighbor of a node; less is not followed."""


def random_walk_clusters(
    graph: Any,
    min_size: int = 5,
    max_size: int = 20,
    overlap: float = 0.0,
    *,
    restart: float = 0.3,
    cutoff: float = 0.5,
    significance: float = 0.05,
) -> list[set[Any]]:
    """Clusters that repeated random walks with restart find (RRW).

    From each node a set grows: the node joins that a random walk, which again and again
    restarts at a random node of the set, is most often at. Of all sets the most
    significant one becomes a cluster, then the next one that does not overlap it, and
    so on. Many nodes may end in no cluster.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        It may be disconnected.
    min_size, max_size : int, default=5 and 20
        Nodes of a cluster.
    overlap : float, default=0.0
        Share of the smaller one of two clusters that they may have in common.
    restart : float, default=0.3
        Chance of each step of a walk to restart.
    cutoff : float, default=0.5
        A set stops growing when the nearest node is less near than this share of the
        nearest one that has joined it.
    significance : float, default=0.05
        A set is no cluster if as many random pairs of nodes would hold as many edges
        with a higher chance than this.

    Returns
    -------
    list of sets
        Names of the nodes of each cluster, larger clusters first; numbers of the nodes
        of a ``Graph`` or a matrix.

    Notes
    -----
    The article leaves some things open, or they are in its program only; here they are
    as follows. Affinity is the stationary probability, not divided by the degree; of
    equal ones the lowest node joins, so that clusters may depend on the order of nodes.
    A walk is followed down to a 100,000th for each neighbor. Only the set at which
    growth stops is a candidate, not those on the way. Its significance is that of its
    edges: among as many random pairs of nodes their number would be binomial, and the
    chance is taken from the normal distribution of the same mean and deviation. The
    defaults of ``restart`` and ``cutoff`` are such that small changes of them change
    nothing on the graphs of karate club and football.

    References
    ----------
    .. [1] K. Macropol, T. Can and A. Singh, "RRW: repeated random walks on genome-scale
       protein networks for local cluster discovery", BMC Bioinformatics 10, 2009.

    Examples
    --------
    >>> from itertools import combinations
    >>> cliques = [*combinations(range(5), 2), *combinations(range(5, 10), 2), (0, 5)]
    >>> random_walk_clusters(Graph(10, cliques))
    [{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}]
    """
    opened, form = open_graph(graph)
    found = random_walk_groups(
        opened,
        min_size,
        max_size,
        overlap,
        restart=restart,
        cutoff=cutoff,
        significance=significance,
    )
    return named_sets(found, form.names)


def random_walk_groups(
    graph: Graph,
    min_size: int = 5,
    max_size: int = 20,
    overlap: float = 0.0,
    *,
    restart: float = 0.3,
    cutoff: float = 0.5,
    significance: float = 0.05,
) -> list[np.ndarray]:
    """The clusters of :func:`random_walk_clusters` as numbers of nodes."""
    min_size = whole("min_size", min_size, 2)
    max_size = whole("max_size", max_size, 2)
    if max_size < min_size:
        raise ParameterError(f"max_size must be at least {min_size}, got {max_size}.")
    overlap = real("overlap", overlap, 0, 1, below=True)
    restart = real("restart", restart, 0, 1, above=True, below=True)
    cutoff = real("cutoff", cutoff, 0, 1)
    significance = real("significance", significance, 0, 1)
    if not graph.n_edges:
        return []
    sets = _grow_sets(graph, min_size, max_size, restart, cutoff)
    scores = _scores(graph, sets)
    # Rounded: equal scores may differ in the last digit on another machine, and then
    # another one of two overlapping sets would become a cluster.
    order = np.argsort(-scores.round(9), kind="stable")
    order = order[norm.sf(scores[order]) <= significance]
    chosen = _without_overlaps(sets, order, overlap)
    return sorted(chosen, key=lambda nodes: (-len(nodes), *nodes))


def _grow_sets(
    graph: Graph, min_size: int, max_size: int, restart: float, cutoff: float
) -> sparse.csr_array:
    """Different sets that grew large enough, as a matrix of sets by nodes."""
    n_nodes = graph.n_nodes
    members, sizes = grow_sets(
        *neighbor_lists(graph),
        restart,
        cutoff,
        min(max_size, n_nodes),
        TOLERANCE,
    )
    kept = np.sort(members[sizes >= min_size], axis=1)
    kept = np.unique(kept, axis=0)
    rows, columns = np.nonzero(kept >= 0)
    ones = np.ones(len(rows), dtype=np.int64)
    shape = (len(kept), n_nodes)
    return sparse.coo_array((ones, (rows, kept[rows, columns])), shape).tocsr()


def _scores(graph: Graph, sets: sparse.csr_array) -> np.ndarray:
    """Edges inside above those among random pairs of nodes, in standard deviations."""
    joined = (sets @ graph.adjacency.astype(np.int64)).multiply(sets)
    inside = np.asarray(joined.sum(axis=1)).ravel() / 2
    sizes = np.diff(sets.indptr)
    pairs = sizes * (sizes - 1) / 2
    density = 2 * graph.n_edges / (graph.n_nodes * (graph.n_nodes - 1))
    deviations = np.sqrt(pairs * density * (1 - density))
    # In a complete graph no set is denser than any other.
    return np.divide(
        inside - pairs * density,
        deviations,
        out=np.zeros(len(sizes)),
        where=deviations > 0,
    )


def _without_overlaps(
    sets: sparse.csr_array, order: np.ndarray, overlap: float
) -> list[np.ndarray]:
    """Sets in the given order, without those that overlap an earlier one too much."""
    sizes = np.diff(sets.indptr)
    holders = sets.T.tocsr()
    free = np.ones(len(sizes), dtype=bool)
    chosen = []
    for place in order:
        if free[place]:
            nodes = np.sort(sets.indices[sets.indptr[place] : sets.indptr[place + 1]])
            chosen.append(nodes.astype(np.int64))
            others, shared = np.unique(holders[nodes].indices, return_counts=True)
            limits = overlap * np.minimum(sizes[others], sizes[place])
            free[others[shared > limits]] = False
    return chosen
