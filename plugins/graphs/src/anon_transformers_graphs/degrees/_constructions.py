"""Graphs with given degrees, near to a given graph."""

import numpy as np

from anon_transformers.graphs import Graph
from anon_transformers_graphs._kernels.random_numbers import new_state
from anon_transformers_graphs.degrees._kernels.edits import (
    Edits,
    new_edits,
)
from anon_transformers_graphs.degrees._kernels.moves import (
    change_pairs,
    join_ends,
    move_ends,
    settle,
    superfluous_pairs,
    wanted_pairs,
)
from anon_transformers_graphs.degrees._kernels.swaps import havel_hakimi, restore

ATTEMPTS = 20
"""Searches for a path that may fail before what is left is given up."""

BUDGET = 10_000
"""Swaps that are looked at for one missing edge; large hubs have millions."""


def by_moves(
    graph: Graph, targets: np.ndarray, rng: np.random.Generator
) -> tuple[Edits, int]:
    """Move ends of edges until all nodes have their targets as degrees.

    An edge between two nodes that have too many is removed, and one between two nodes
    that have too few is added: both its ends moved. Then single ends move, from (u, w)
    to (v, w), and where more edges must be removed than added, two become one. Where no
    such edge is left, paths of several moves are found.

    Returns
    -------
    edits : Edits
        The graph with its edits.
    left : int
        Units of degree that could not be moved.
    """
    need = targets - graph.degrees
    edits = _edits(graph, np.maximum(targets, graph.degrees))
    givers = rng.permutation(np.flatnonzero(need < 0))
    takers = _takers(need, rng)
    gone = superfluous_pairs(edits, need, givers)
    come = wanted_pairs(edits, need, takers)
    # As many are added as removed, and those that the new sum of degrees needs.
    more = int(need.sum()) // 2
    n_gone = max(min(len(gone), len(come) - more), 0)
    n_come = min(max(n_gone + more, 0), len(come))
    change_pairs(edits, need, gone[:n_gone], come[:n_come])
    offsets = rng.integers(0, 1 << 40, len(givers))
    move_ends(edits, need, givers, takers, offsets)
    join_ends(edits, need, givers, offsets)
    left = int(settle(edits, need, False, new_state(rng), ATTEMPTS))
    if not left:
        restore(edits, BUDGET)
    return edits, left


def by_relaxation(graph: Graph, targets: np.ndarray, rng: np.random.Generator) -> Edits:
    """Havel and Hakimi's graph, swapped until most edges are those of the graph."""
    # Swaps end near where they begin, so every start begins elsewhere.
    shuffled = rng.permutation(graph.n_nodes)
    order = shuffled[np.argsort(-targets[shuffled], kind="stable")]
    built = Graph(graph.n_nodes, havel_hakimi(targets, order))
    edits = _edits(graph, targets)
    _write_differences(edits, built.edges[~graph.has_edges(built.edges)], extra=True)
    _write_differences(edits, graph.edges[~built.has_edges(graph.edges)], extra=False)
    restore(edits, BUDGET)
    return edits


def by_addition(
    graph: Graph, targets: np.ndarray, rng: np.random.Generator
) -> tuple[Edits, int]:
    """Add edges between nodes that have too few; where none fits, reroute new ones.

    Returns
    -------
    edits : Edits
        The graph with its edits; no edge of it is missing.
    left : int
        Units of degree that found no place.
    """
    need = targets - graph.degrees
    edits = _edits(graph, need)
    come = wanted_pairs(edits, need, _takers(need, rng))
    change_pairs(edits, need, come[:0], come)
    return edits, int(settle(edits, need, True, new_state(rng), ATTEMPTS))


def _takers(need: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Nodes that have too few edges, those with the largest need first."""
    takers = rng.permutation(np.flatnonzero(need > 0))
    return takers[np.argsort(-need[takers], kind="stable")]


def _edits(graph: Graph, room: np.ndarray) -> Edits:
    adjacency = graph.adjacency
    return new_edits(adjacency.indptr, adjacency.indices, room)


def _write_differences(edits: Edits, pairs: np.ndarray, *, extra: bool) -> None:
    """Write pairs into the lists of extra or of missing neighbors at once."""
    starts = edits.extra_starts if extra else edits.starts
    values, counts = (
        (edits.extra, edits.n_extra) if extra else (edits.missing, edits.n_missing)
    )
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    ends = ends[np.argsort(ends[:, 0], kind="stable")]
    counts[:] = np.bincount(ends[:, 0], minlength=len(counts))
    first = np.cumsum(counts) - counts
    values[np.arange(len(ends)) + (starts[:-1] - first)[ends[:, 0]]] = ends[:, 1]
