"""Queries of an intruder who knows the distance of a person to well-known nodes."""

from collections.abc import Collection, Hashable
from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError, NotEvaluable, check_choice
from anon_transformers.graphs import Graph, GraphForm, open_graph, places_of
from anon_transformers.parameters import whole
from anon_transformers_graphs._graph_arrays import (
    class_sizes,
    combined_codes,
    neighbor_lists,
)
from anon_transformers_graphs._kernels.distances import distances_within

MOST_HUBS = 1000
WORLDS = ("closed", "open")


def top_hubs(graph: Any, count: int) -> np.ndarray:
    """The nodes of highest degree.

    Nodes that are tied with the last one are hubs too, so that it does not depend on
    the numbers of nodes who is one.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        Where to look.
    count : int
        How many hubs there are at least.

    Returns
    -------
    array
        Names of the hubs, in the order of the nodes; numbers of the nodes of a
        ``Graph`` or a matrix.

    Examples
    --------
    >>> star_and_edge = Graph(6, [[0, 1], [0, 2], [0, 3], [4, 5]])
    >>> top_hubs(star_and_edge, 1)
    array([0])
    >>> import networkx as nx
    >>> top_hubs(nx.Graph([("Ann", "Bob"), ("Bob", "Eve")]), 1).tolist()
    ['Bob']
    """
    opened, form = open_graph(graph)
    return form.names[_top_places(opened, count)]


def _top_places(graph: Graph, count: int) -> np.ndarray:
    """Places of the hubs."""
    count = whole("count", count)
    if count >= graph.n_nodes:
        return np.arange(graph.n_nodes)
    least = np.partition(graph.degrees, -count)[-count]
    return np.flatnonzero(graph.degrees >= least)


def hub_fingerprints(
    graph: Any, hubs: Collection[Hashable], radius: int = 1
) -> np.ndarray:
    """Distance of each node to each hub; 0 where it is more than ``radius``.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        Where to look.
    hubs : collection
        Names of nodes; numbers of the nodes of a ``Graph`` or a matrix.
    radius : int, default=1
        How far the intruder looks.

    Returns
    -------
    int array of shape (n_nodes, n_hubs)
        A hub is at distance 0 from itself.

    Examples
    --------
    >>> path = Graph(4, [[0, 1], [1, 2], [2, 3]])
    >>> hub_fingerprints(path, hubs=[0], radius=2).ravel()
    array([0, 1, 2, 0], dtype=int32)
    """
    opened, form = open_graph(graph)
    return _fingerprints(opened, _places(hubs, form), radius)


def _places(hubs: Collection[Hashable], form: GraphForm) -> np.ndarray:
    """Where hubs are among the nodes."""
    if isinstance(hubs, str) or not isinstance(hubs, Collection) or not len(hubs):
        raise DataError("hubs must be a list of names of nodes that is not empty.")
    places = places_of(list(hubs), form.names.tolist())
    unknown = int((places < 0).sum())
    if unknown:
        raise DataError(
            f"{unknown} of {len(places)} hubs are not among the {len(form.names)} "
            "nodes of the graph."
        )
    return places


def _fingerprints(graph: Graph, hubs: np.ndarray, radius: int) -> np.ndarray:
    radius = whole("radius", radius)
    indptr, indices = neighbor_lists(graph)
    columns = [distances_within(indptr, indices, int(hub), radius) for hub in hubs]
    return np.column_stack(columns)


def hub_candidates(
    graph: Any,
    hubs: Collection[Hashable],
    radius: int = 1,
    world: str = "closed",
) -> np.ndarray:
    """How many nodes have a fingerprint that fits what is known of each node.

    Hubs are found by assumption, and so they are no candidates for other nodes.

    Parameters
    ----------
    graph, hubs, radius
        As in :func:`hub_fingerprints`.
    world : {"closed", "open"}, default="closed"
        Whether 0 means farther away than ``radius``, or not known.

    Returns
    -------
    int array of shape (n_nodes,)
        Size of each node's candidate set.

    Examples
    --------
    >>> path = Graph(5, [[0, 1], [1, 2], [2, 3], [3, 4]])
    >>> hub_candidates(path, hubs=[0])
    array([4, 1, 3, 3, 3])
    >>> hub_candidates(path, hubs=[0], world="open")
    array([5, 1, 4, 4, 4])
    """
    opened, form = open_graph(graph)
    return candidates_near(opened, _places(hubs, form), radius, world)


def candidates_near(
    graph: Graph, hubs: np.ndarray, radius: int, world: str
) -> np.ndarray:
    """:func:`hub_candidates` of hubs by their places."""
    check_choice("world", world, WORLDS)
    fingerprints = _fingerprints(graph, hubs, radius)
    fitting = _equal_counts if world == "closed" else _compatible_counts
    ordinary = np.ones(graph.n_nodes, dtype=bool)
    ordinary[hubs] = False
    sizes = fitting(fingerprints)
    sizes[ordinary] = fitting(fingerprints[ordinary])
    return sizes


def known_hubs(graph: Graph, count: int) -> np.ndarray:
    """Places of :func:`top_hubs`, unless ties make them too many to be known."""
    hubs = _top_places(graph, count)
    if len(hubs) > max(MOST_HUBS, count):
        raise NotEvaluable(
            f"{len(hubs)} nodes are tied for {count} hubs: no node stands out."
        )
    return hubs


def _equal_counts(fingerprints: np.ndarray) -> np.ndarray:
    return class_sizes(_combined_columns(fingerprints))


def _compatible_counts(fingerprints: np.ndarray) -> np.ndarray:
    """Nodes with the same distance to every hub to which it is known."""
    sizes = np.empty(len(fingerprints), dtype=np.int64)
    patterns = _combined_columns((fingerprints > 0).astype(np.int32))
    # Nodes whose known hubs are the same are served together: there are few patterns.
    for pattern in range(int(patterns.max()) + 1 if len(patterns) else 0):
        members = np.flatnonzero(patterns == pattern)
        known = fingerprints[members[0]] > 0
        sizes[members] = _equal_counts(fingerprints[:, known])[members]
    return sizes


def _combined_columns(table: np.ndarray) -> np.ndarray:
    classes = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        classes = combined_codes(classes, column, int(column.max(initial=0)) + 1)
    return classes
