"""Neighborhoods made alike, beginning with those that are rare."""

from dataclasses import dataclass

import numpy as np

from anon_transformers.base import part_of_progress, tell_progress
from anon_transformers.graphs import Graph
from anon_transformers_graphs._graph_arrays import class_sizes
from anon_transformers_graphs._kernels.triangles import in_triangles, triangle_closure
from anon_transformers_graphs.automorphism._match import match, orbits
from anon_transformers_graphs.neighborhoods._node_labels import NodeLabels
from anon_transformers_graphs.neighborhoods._outside_links import with_new_neighbors
from anon_transformers_graphs.queries import neighborhood_classes

LARGEST_CORE = 0.8
"""A core of a larger share is extended to all nodes: a part would save little."""

MOST_ROUNDS = 25
"""Times that the core may grow; nearly all graphs are done after a few."""


@dataclass(frozen=True)
class EqualizedGraph:
    """A graph in which every neighborhood occurs k times.

    Attributes
    ----------
    edges : int array of shape (n_edges, 2)
        All original edges, and new ones.
    labels : NodeLabels
        The labels, as far as they had to be generalized.
    n_core : int
        Nodes that were put into rows.
    """

    edges: np.ndarray
    labels: NodeLabels
    n_core: int


def equalize_neighborhoods(
    graph: Graph,
    labels: NodeLabels,
    k: int,
    rng: np.random.Generator,
    n_trials: int,
    time_limit: float,
) -> EqualizedGraph:
    """Add edges and generalize labels until every neighborhood occurs k times.

    The *core* begins with the nodes whose neighborhood is rare, and with all that are
    connected to them by triangles. It is put into rows of k nodes whose neighborhoods
    are made alike. Nodes whose neighborhood is rare after that join the core in new
    rows, and existing rows stay: to begin anew each time would make other nodes rare
    each time. If that does not end, the core is the whole graph, which then has k - 1
    automorphisms.
    """
    lists = graph.adjacency.indptr, graph.adjacency.indices
    tell_progress(0.0)
    core = neighborhood_counts(graph, labels, time_limit) < k
    if not core.any():
        return EqualizedGraph(graph.edges, labels, 0)
    found, rows, left = graph, None, 2
    for _ in range(MOST_ROUNDS):
        triangle_closure(*lists, core)
        if (
            not _fill_up_core(graph, core, k)
            or core.sum() > LARGEST_CORE * graph.n_nodes
        ):
            break
        raised = labels.copy()
        # Nobody knows how many rounds come: each takes half of what is left.
        with part_of_progress(left - 2, left):
            within = _equalize_core(found, core, rows, raised, k, rng, n_trials)
        left *= 2
        if within is None:
            break
        found, rows = within
        alike = neighborhood_counts(found, raised, time_limit)
        if alike.min() >= k:
            return EqualizedGraph(found.edges, raised, int(core.sum()))
        lone = (alike < k) & ~core
        if not lone.any():
            break
        core |= lone
    with part_of_progress(left // 2 - 1, left // 2):
        return _equalize_all(graph, labels, k, rng, n_trials)


def _equalize_all(
    graph: Graph, labels: NodeLabels, k: int, rng: np.random.Generator, n_trials: int
) -> EqualizedGraph:
    """All nodes as one core."""
    matched = match(graph, k, rng, n_trials)
    raised = labels.copy()
    circles = orbits(matched.functions)
    order = np.argsort(circles, kind="stable")
    for circle in np.split(order, np.flatnonzero(np.diff(circles[order])) + 1):
        raised.unite(circle)
    return EqualizedGraph(matched.edges, raised, graph.n_nodes)


def neighborhood_counts(
    graph: Graph, labels: NodeLabels, time_limit: float
) -> np.ndarray:
    """For each node how many nodes have a neighborhood like its own."""
    labeled = Graph(graph.n_nodes, graph.edges, labels=labels.published())
    return class_sizes(neighborhood_classes(labeled, 1, time_limit))


def _fill_up_core(graph: Graph, core: np.ndarray, k: int) -> bool:
    """Add nodes to the core that are in no triangle, up to a multiple of k."""
    missing = -int(core.sum()) % k
    adjacency = graph.adjacency
    free = ~core & ~in_triangles(adjacency.indptr, adjacency.indices)
    spare = np.flatnonzero(free)
    if len(spare) < missing:
        return False
    degrees = graph.degrees[spare]
    core[spare[np.argsort(degrees, kind="stable")[:missing]]] = True
    return True


def _equalize_core(
    graph: Graph,
    core: np.ndarray,
    rows: np.ndarray | None,
    labels: NodeLabels,
    k: int,
    rng: np.random.Generator,
    n_trials: int,
) -> tuple[Graph, np.ndarray] | None:
    """The graph with the core's copies, and its rows; None if there is no room."""
    nodes = np.flatnonzero(core)
    numbers = np.full(graph.n_nodes, -1)
    numbers[nodes] = np.arange(len(nodes))
    ends = numbers[graph.edges]
    both = (ends >= 0).all(axis=1)
    part = Graph(len(nodes), ends[both])
    leading_out = graph.degrees[nodes] - part.degrees
    held = None if rows is None else numbers[rows]
    matched = match(part, k, rng, n_trials, leading_out, held)
    for row in nodes[matched.table]:
        labels.unite(row)
    edges = np.concatenate([graph.edges[~both], nodes[matched.edges]])
    shifts = np.tile(np.arange(graph.n_nodes), (k, 1))
    shifts[1:, nodes] = nodes[matched.functions]
    more = with_new_neighbors(graph.n_nodes, edges, shifts, nodes, labels.colors(), rng)
    return None if more is None else (Graph(graph.n_nodes, more), nodes[matched.table])
