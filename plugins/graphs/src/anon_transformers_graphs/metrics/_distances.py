"""Distances between nodes, counted and never kept in a table of all pairs."""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse.csgraph import reverse_cuthill_mckee

from anon_transformers.graphs import Graph
from anon_transformers.parameters import generator, whole
from anon_transformers_graphs._graph_arrays import neighbor_lists
from anon_transformers_graphs._kernels.distances import WORD, count_distances

Seed = int | np.random.Generator | None
"""What numpy makes a random generator of; None is another one each time."""
N_PARTS = 8
"""Parts that may run at the same time; fixed, so that sums do not depend on cores."""


@dataclass(frozen=True)
class DistanceSummary:
    """What distances from some or all nodes add up to.

    Attributes
    ----------
    counts : int array
        Position d holds the number of pairs (source, other node) at distance d.
    reached : int array of shape (n_nodes,)
        Sources other than itself that a path joins to each node.
    sums : int array of shape (n_nodes,)
        Sum of the distances to them.
    n_sources : int
        Nodes that were searched from; all of them, unless a sample was asked for.
    """

    counts: np.ndarray = field(repr=False)
    reached: np.ndarray = field(repr=False)
    sums: np.ndarray = field(repr=False)
    n_sources: int

    @property
    def diameter(self) -> int:
        """The longest distance found; pairs that no path joins do not count."""
        return len(self.counts) - 1

    @property
    def average(self) -> float:
        """Mean over pairs that a path joins; NaN if there is none."""
        found = int(self.counts.sum())
        total = int(self.counts @ np.arange(len(self.counts)))
        return total / found if found else np.nan

    @property
    def harmonic_mean(self) -> float:
        """Harmonic mean over all pairs; infinite if no path joins any.

        A pair that no path joins counts with the inverse of its distance, which is 0.
        NaN if there are no pairs.
        """
        pairs = self.n_sources * (len(self.sums) - 1)
        inverses = float((self.counts[1:] / np.arange(1, len(self.counts))).sum())
        if pairs <= 0:
            return np.nan
        return pairs / inverses if inverses else np.inf


def distances(
    graph: Graph, n_sources: int | None = None, random_state: Seed = 0
) -> DistanceSummary:
    """Search from all nodes, or from a random sample of them."""
    return distances_from(graph, chosen_sources(graph, n_sources, random_state))


def distances_from(graph: Graph, sources: np.ndarray) -> DistanceSummary:
    """Search from these nodes."""
    if not graph.n_nodes:
        return DistanceSummary(np.zeros(1, int), np.zeros(0, int), np.zeros(0, int), 0)
    # With near nodes in near places searches that share a word share most of their way.
    order = reverse_cuthill_mckee(graph.adjacency, symmetric_mode=True)
    places = np.argsort(order)
    indptr, indices = neighbor_lists(graph.relabeled(places))
    n_parts = min(N_PARTS, -(-len(sources) // WORD))
    starts = np.sort(places[sources]).astype(np.int32)
    sums = [np.zeros((n_parts, graph.n_nodes), dtype=np.int64) for _ in range(3)]
    count_distances(indptr, indices, starts, *sums)
    counts, reached, lengths = (of_parts.sum(axis=0) for of_parts in sums)
    longest = int(np.flatnonzero(counts).max(initial=0))
    return DistanceSummary(
        counts[: longest + 1], reached[places], lengths[places], len(sources)
    )


def chosen_sources(
    graph: Graph, n_sources: int | None, random_state: Seed
) -> np.ndarray:
    """All nodes, or a random sample of them."""
    if n_sources is None:
        return np.arange(graph.n_nodes, dtype=np.int32)
    n_sources = min(whole("n_sources", n_sources), graph.n_nodes)
    rng = generator(random_state)
    chosen = rng.choice(graph.n_nodes, n_sources, replace=False)
    return np.sort(chosen).astype(np.int32)
