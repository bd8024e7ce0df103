"""Neighbourhoods made alike around those that are rare."""

from dataclasses import dataclass

import numpy as np

from anon_transformers.graphs import Graph
from anon_transformers_graphs._kernels.triangles import in_triangles, triangle_closure
from anon_transformers_graphs.automorphism._match import Match, match
from anon_transformers_graphs.neighborhoods._node_labels import NodeLabels
from anon_transformers_graphs.neighborhoods._outside import with_new_neighbors
from anon_transformers_graphs.queries import neighborhood_classes

MOST = 0.8
"""A core of this share of the nodes takes in all of them: it saves little not to."""


@dataclass(frozen=True)
class Alike:
    """A graph whose neighbourhoods all have their like.

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
    """Add edges and generalize labels until every neighbourhood occurs k times.

    The *core* begins with the nodes whose neighbourhood is rare, and with all that hang
    on them by triangles. It is put into rows of k nodes whose neighbourhoods are made
    alike. Whoever's neighbourhood is rare after that joins the core, and all begins
    anew; when the core is the whole graph, it has k - 1 automorphisms.
    """
    lists = graph.adjacency.indptr, graph.adjacency.indices
    core = fellows(graph, labels, time_limit) < k
    if not core.any():
        return Alike(graph.edges, labels, 0)
    while True:
        triangle_closure(*lists, core)
        if not _rounded_up(graph, core, k) or core.sum() > MOST * graph.n_nodes:
            core[:] = True
        raised = labels.copy()
        edges = _with_core(graph, np.flatnonzero(core), raised, k, rng, n_trials)
        if edges is None:
            core[:] = True
            continue
        found = Graph(graph.n_nodes, edges)
        alike = fellows(found, raised, time_limit)
        if alike.min() >= k or core.all():
            return Alike(edges, raised, int(core.sum()))
        lone = (alike < k) & ~core
        if not lone.any():
            core[:] = True
            continue
        core |= lone


def fellows(graph: Graph, labels: NodeLabels, time_limit: float) -> np.ndarray:
    """For each node how many nodes have a neighbourhood like its own."""
    labelled = Graph(graph.n_nodes, graph.edges, labels=labels.published())
    classes = neighborhood_classes(labelled, 1, time_limit)
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
    labels: NodeLabels,
    k: int,
    rng: np.random.Generator,
    n_trials: int,
) -> np.ndarray | None:
    """The edges of the graph and of the core's copies; None if there is no room."""
    numbers = np.full(graph.n_nodes, -1)
    numbers[core] = np.arange(len(core))
    ends = numbers[graph.edges]
    both = (ends >= 0).all(axis=1)
    part = Graph(len(core), ends[both])
    matched = match(part, k, rng, n_trials, graph.degrees[core] - part.degrees)
    for row in _rows(matched):
        labels.unite(core[row])
    edges = np.concatenate([graph.edges[~both], core[matched.edges]])
    if len(core) == graph.n_nodes:
        return edges
    shifts = np.tile(np.arange(graph.n_nodes), (k, 1))
    shifts[1:, core] = core[matched.functions]
    return with_new_neighbors(graph.n_nodes, edges, shifts, core, labels.colors(), rng)


def _rows(matched: Match) -> list[np.ndarray]:
    """Nodes that the automorphisms take to each other, and all twins together."""
    n_nodes = matched.functions.shape[1]
    images = np.vstack([np.arange(n_nodes), matched.functions])
    first = images.min(axis=0)
    # Twins turn in a longer circle: follow it until nothing changes.
    while True:
        lower = first[images].min(axis=0)
        if np.array_equal(lower, first):
            break
        first = lower
    order = np.argsort(first, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(first[order])) + 1)
