"""Neighborhoods made alike around those that are rare."""

from dataclasses import dataclass

import numpy as np

from anon_transformers.graphs import Graph
from anon_transformers_graphs._kernels.triangles import in_triangles, triangle_closure
from anon_transformers_graphs.automorphism._match import match, orbits
from anon_transformers_graphs.neighborhoods._node_labels import NodeLabels
from anon_transformers_graphs.neighborhoods._outside import with_new_neighbors
from anon_transformers_graphs.queries import neighborhood_classes

MOST = 0.8
"""A core of this share of the nodes takes in all of them: it saves little not to."""

MOST_ROUNDS = 25
"""Times that the core may grow; nearly all graphs are done after a few."""


@dataclass(frozen=True)
class Alike:
    """A graph whose neighborhoods all have their like.

    Attributes
    ----------
    edges : int array of shape (n_edges, 2)
        All edges that there were, and new ones.
    labels : NodeLabels
        The labels, as far as they had to be generalized.
    n_core : int
        Nodes that were put into rows.
    """

    edges: np.ndarray
    labels: NodeLabels
    n_core: int


def make_alike(
    graph: Graph,
    labels: NodeLabels,
    k: int,
    rng: np.random.Generator,
    n_trials: int,
    time_limit: float,
) -> Alike:
    """Add edges and generalize labels until every neighborhood occurs k times.

    The *core* begins with the nodes whose neighborhood is rare, and with all that hang
    on them by triangles. It is put into rows of k nodes whose neighborhoods are made
    alike. Whoever's neighborhood is rare after that joins the core in rows of its own,
    and the rows that there are stay: to begin anew each time would make others rare
    each time. When that comes to no end, the core is the whole graph, which then has
    k - 1 automorphisms.
    """
    lists = graph.adjacency.indptr, graph.adjacency.indices
    core = fellows(graph, labels, time_limit) < k
    if not core.any():
        return Alike(graph.edges, labels, 0)
    found, rows = graph, None
    for _ in range(MOST_ROUNDS):
        triangle_closure(*lists, core)
        if not _rounded_up(graph, core, k) or core.sum() > MOST * graph.n_nodes:
            break
        raised = labels.copy()
        within = _with_core(found, core, rows, raised, k, rng, n_trials)
        if within is None:
            break
        found, rows = within
        alike = fellows(found, raised, time_limit)
        if alike.min() >= k:
            return Alike(found.edges, raised, int(core.sum()))
        lone = (alike < k) & ~core
        if not lone.any():
            break
        core |= lone
    return _all_in_rows(graph, labels, k, rng, n_trials)


def _all_in_rows(
    graph: Graph, labels: NodeLabels, k: int, rng: np.random.Generator, n_trials: int
) -> Alike:
    """All nodes as one core."""
    matched = match(graph, k, rng, n_trials)
    raised = labels.copy()
    circles = orbits(matched.functions)
    order = np.argsort(circles, kind="stable")
    for circle in np.split(order, np.flatnonzero(np.diff(circles[order])) + 1):
        raised.unite(circle)
    return Alike(matched.edges, raised, graph.n_nodes)


def fellows(graph: Graph, labels: NodeLabels, time_limit: float) -> np.ndarray:
    """For each node how many nodes have a neighborhood like its own."""
    labeled = Graph(graph.n_nodes, graph.edges, labels=labels.published())
    classes = neighborhood_classes(labeled, 1, time_limit)
    return np.bincount(classes)[classes]


def _rounded_up(graph: Graph, core: np.ndarray, k: int) -> bool:
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


def _with_core(
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
