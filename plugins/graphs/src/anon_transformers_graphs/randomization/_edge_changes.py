"""Random replacement of edges, and what random changes must leave as it is."""

import numpy as np

from anon_transformers.exceptions import AnonymizationError, InfeasibleError
from anon_transformers.graphs import Graph
from anon_transformers_graphs.randomization._kernels.perturb import (
    draw_distinct,
    draw_non_edges,
)


def share_of_edges(graph: Graph, p: float) -> int:
    """The share ``p`` of the edges; a half is rounded to the even number."""
    return round(graph.n_edges * p)


def check_room(graph: Graph, n_changes: int) -> None:
    """Refuse to replace more edges than there are, or than there are pairs without."""
    n_free = graph.n_nodes * (graph.n_nodes - 1) // 2 - graph.n_edges
    if n_changes > graph.n_edges:
        raise InfeasibleError(
            f"{n_changes} edges cannot be removed: the graph has {graph.n_edges}."
        )
    if n_changes > n_free:
        raise InfeasibleError(
            f"{n_changes} edges cannot be added: only {n_free} pairs of nodes have no "
            "edge."
        )


def check_kept(graph: Graph, altered: Graph, *, degrees: bool) -> None:
    """Refuse a result with another number of edges, or with other degrees.

    A graph with loops or parallel edges cannot even be made.
    """
    kept = altered.n_edges == graph.n_edges
    if degrees:
        kept = np.array_equal(altered.degrees, graph.degrees)
    if not kept:
        raise AnonymizationError(
            f"the number of edges or degrees of {graph.n_nodes} nodes did not stay: "
            "the method is broken."
        )


def replace_edges(graph: Graph, n_changes: int, rng: np.random.Generator) -> Graph:
    """Replace random edges by as many random false ones.

    False edges are chosen first, among pairs that are no edge of the original: an edge
    that is removed cannot come back.
    """
    check_room(graph, n_changes)
    added = draw_non_edges(graph.edges, graph.n_nodes, n_changes, rng)
    removed = draw_distinct(graph.n_edges, n_changes, rng)
    edges = np.concatenate([np.delete(graph.edges, removed, axis=0), added])
    altered = graph.with_edges(edges, rng)
    check_kept(graph, altered, degrees=False)
    return altered
