"""Edges that go for others that come."""

import numpy as np

from anon_transformers.graphs import Graph
from anon_transformers_graphs.randomization._invariants import check_kept, check_room
from anon_transformers_graphs.randomization._kernels.perturb import (
    draw_distinct,
    draw_non_edges,
)


def replace_edges(graph: Graph, n_changes: int, rng: np.random.Generator) -> Graph:
    """A graph whose random edges went for as many random false ones.

    False edges are chosen first, among pairs that are no edge of the original: what
    goes cannot come back.
    """
    check_room(graph, n_changes)
    added = draw_non_edges(graph.edges, graph.n_nodes, n_changes, rng)
    gone = draw_distinct(graph.n_edges, n_changes, rng)
    edges = np.concatenate([np.delete(graph.edges, gone, axis=0), added])
    altered = graph.with_edges(edges, rng)
    check_kept(graph, altered, degrees=False)
    return altered
