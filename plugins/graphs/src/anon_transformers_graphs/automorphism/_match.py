"""K-Match: nodes in rows of k, and the copies of every edge."""

from typing import NamedTuple

import numpy as np

from anon_transformers.base import run_counted
from anon_transformers.graphs import Graph
from anon_transformers_graphs.automorphism._kernels.alignment import (
    grow_table,
    improve_table,
)

HEAT = 0.4
"""Orbits that one exchange may cost at the start of the search."""
LEAST_EDGES = 200
"""Small graphs are searched as if they had so many edges: it costs nothing."""


class Match(NamedTuple):
    """A graph that looks the same from k places.

    Attributes
    ----------
    edges : int array of shape (n_edges, 2)
        The edges that were there, and the copies.
    functions : int array of shape (k - 1, n_nodes)
        Image of each node under each automorphism.
    table : int array of shape (n_rows, k)
        The nodes in rows: the images of a node are in its row.
    """

    edges: np.ndarray
    functions: np.ndarray
    table: np.ndarray


def match(
    graph: Graph,
    k: int,
    rng: np.random.Generator,
    n_trials: int,
    outside: np.ndarray | None = None,
    rows: np.ndarray | None = None,
) -> Match:
    """Add edges until k - 1 functions are automorphisms.

    Nodes that do not fill a row of k become *twins*: nodes with the same neighbors,
    which may change places with one another at will.

    Parameters
    ----------
    graph : Graph
        At least ``k`` nodes.
    k : int
        Functions, with the identity.
    rng : Generator
        Chance for the search.
    n_trials : int
        Exchanges to try for each edge.
    outside : int array of shape (n_nodes,), optional
        Where the graph is a part of another, edges of each node to the rest of that.
        Nodes with as many are put together.
    rows : int array of shape (n_rows, k), optional
        Nodes that are in rows already and stay there.
    """
    if outside is None:
        outside = np.zeros(graph.n_nodes, dtype=np.int64)
    fixed = np.empty(0, dtype=np.int64) if rows is None else rows.ravel()
    order = _by_degree(graph, outside)[::-1]
    order = np.concatenate([fixed, order[~np.isin(order, fixed)]])
    n_twins = graph.n_nodes % k
    if n_twins:
        n_twins += k
    twins, others = order[len(order) - n_twins :], order[: len(order) - n_twins]
    table = _arrange_in_rows(
        graph, others, outside[others], len(fixed), k, rng, n_trials
    )
    functions = np.empty((k - 1, graph.n_nodes), dtype=np.int64)
    for step in range(1, k):
        functions[step - 1, table] = np.roll(table, -step, axis=1)
        functions[step - 1, twins] = np.roll(twins, -step)
    return Match(_with_copies(graph, table, twins), functions, table)


def orbits(functions: np.ndarray) -> np.ndarray:
    """The lowest node of the orbit of each node under the functions."""
    first = np.arange(functions.shape[1])
    images = np.vstack([first, functions])
    # Twins turn in a longer circle: follow it until nothing changes.
    while True:
        lower = first[images].min(axis=0)
        if np.array_equal(lower, first):
            return first
        first = lower


def _by_degree(graph: Graph, outside: np.ndarray) -> np.ndarray:
    """Nodes by degree; leaves of one node come together, most leaves first."""
    degrees = graph.degrees
    adjacency = graph.adjacency
    first = np.full(graph.n_nodes, -1)
    joined = degrees > 0
    first[joined] = adjacency.indices[adjacency.indptr[:-1][joined]]
    leaves = np.bincount(first[degrees == 1], minlength=graph.n_nodes)
    return np.lexsort((first, -leaves[first], degrees + outside))


def _arrange_in_rows(
    graph: Graph,
    nodes: np.ndarray,
    outside: np.ndarray,
    n_fixed: int,
    k: int,
    rng: np.random.Generator,
    n_trials: int,
) -> np.ndarray:
    """Nodes in rows of k, so that few copies are needed; the first ones are there."""
    numbers = np.full(graph.n_nodes, -1)
    numbers[nodes] = np.arange(len(nodes))
    edges = numbers[graph.edges]
    part = Graph(len(nodes), edges[(edges >= 0).all(axis=1)])
    adjacency = part.adjacency
    # Numbers are ranks already, so that sorted lists begin with the hubs.
    indptr, indices = adjacency.indptr.astype(np.int64), adjacency.indices
    places = grow_table(indptr, indices, n_fixed, k)
    n_open = min(len(indices) - indptr[n_fixed], part.n_edges)
    trials = n_trials * max(n_open, LEAST_EDGES)
    if k > 1:
        given = indptr, indices, outside, places, n_fixed, k, rng, trials, HEAT * k
        run_counted(lambda done: improve_table(*given, done), max(trials, 1))
    return nodes[places].reshape(-1, k)


def _with_copies(graph: Graph, table: np.ndarray, twins: np.ndarray) -> np.ndarray:
    """All edges with their copies."""
    k = table.shape[1]
    place = np.full(graph.n_nodes, -1)
    place[table.ravel()] = np.arange(table.size)
    ends = place[graph.edges]
    inner = ends[(ends >= 0).all(axis=1)]
    shifts = np.arange(k)
    rows, columns = np.divmod(inner, k)
    moved = (columns[:, :, None] + shifts) % k
    copies = table[rows[:, :, None], moved].transpose(0, 2, 1).reshape(-1, 2)
    return _distinct_pairs(
        np.concatenate([copies, _twin_edges(graph, table, twins, place)]), graph.n_nodes
    )


def _twin_edges(
    graph: Graph, table: np.ndarray, twins: np.ndarray, place: np.ndarray
) -> np.ndarray:
    """Twins are adjacent to all or none of a row, and to all or none of each other."""
    ends = place[graph.edges]
    outside = ends < 0
    mixed = outside.any(axis=1) & ~outside.all(axis=1)
    rows = np.unique(ends[mixed].max(axis=1) // table.shape[1])
    known = table[rows].ravel()
    pairs = [
        np.column_stack([np.repeat(twins, len(known)), np.tile(known, len(twins))])
    ]
    if outside.all(axis=1).any():
        one, other = np.triu_indices(len(twins), 1)
        pairs.append(np.column_stack([twins[one], twins[other]]))
    return np.concatenate(pairs)


def _distinct_pairs(pairs: np.ndarray, n_nodes: int) -> np.ndarray:
    keys = pairs.min(axis=1) * n_nodes + pairs.max(axis=1)
    return np.column_stack(np.divmod(np.unique(keys), n_nodes))
