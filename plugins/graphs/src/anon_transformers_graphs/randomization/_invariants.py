"""What random changes need, and what they must leave as it is."""

import numpy as np

from anon_transformers.exceptions import AnonymizationError, InfeasibleError
from anon_transformers.graphs import Graph


def share_of_edges(graph: Graph, p: float) -> int:
    """The share ``p`` of the edges; a half goes to the even number, as in Python."""
    return round(graph.n_edges * p)


def check_room(graph: Graph, n_changes: int) -> None:
    """Refuse to replace more edges than there are, or than there are pairs without."""
    n_free = graph.n_nodes * (graph.n_nodes - 1) // 2 - graph.n_edges
    if n_changes > graph.n_edges:
        raise InfeasibleError(
            f"{n_changes} edges cannot go: the graph has {graph.n_edges}."
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
