"""How many nodes fit what an intruder knows, by the name of a query."""

import re

import numpy as np

from anon_transformers.exceptions import ParameterError, unknown_choice
from anon_transformers.graphs import Graph
from anon_transformers_graphs._any_form import any_form
from anon_transformers_graphs._graph_arrays import class_sizes
from anon_transformers_graphs.queries._hubs import candidates_near, known_hubs
from anon_transformers_graphs.queries._neighborhoods import neighborhood_classes
from anon_transformers_graphs.queries._refinement import refinement_classes

REFINEMENT = re.compile(r"h(0|[1-9][0-9]{0,2})")
NAMES = ("h0", "h1", "h2", "h3", "h4", "hub-fingerprint", "neighborhood")


def check_query(query: str) -> str:
    """Refuse a query that does not exist."""
    known = isinstance(query, str) and (query in NAMES or REFINEMENT.fullmatch(query))
    if not known:
        message = unknown_choice("query", query, NAMES)
        raise ParameterError(f"query: {message} Higher numbers after h are legal too.")
    return query


@any_form
def candidate_sizes(
    graph: Graph,
    query: str = "h1",
    *,
    hubs: int = 3,
    radius: int = 1,
    world: str = "closed",
    time_limit: float = 60.0,
) -> np.ndarray:
    """How many nodes fit what an intruder knows of each node.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        What is published.
    query : str, default="h1"
        "h1", "h2" and so on: see :func:`refinement_classes`; "h1" is the degree.
        "neighborhood": see :func:`neighborhood_classes`. "hub-fingerprint": see
        :func:`hub_candidates`.
    hubs : int, default=3
        Nodes of highest degree that count as hubs, and those tied with the last.
    radius : int, default=1
        How far neighborhoods and fingerprints reach.
    world : {"closed", "open"}, default="closed"
        Whether a fingerprint's 0 means farther away, or not known.
    time_limit : float, default=60.0
        Seconds to refine classes or to compare neighborhoods.

    Returns
    -------
    int array of shape (n_nodes,)
        Size of each node's candidate set; 1 is a node that is found.

    Raises
    ------
    NotEvaluable
        If the time is over.

    Examples
    --------
    >>> path = Graph(5, [[0, 1], [1, 2], [2, 3], [3, 4]])
    >>> candidate_sizes(path)
    array([2, 3, 3, 3, 2])
    >>> candidate_sizes(path, "h2")
    array([2, 2, 1, 2, 2])
    """
    check_query(query)
    if not graph.n_nodes:
        return np.zeros(0, dtype=np.int64)
    if query == "neighborhood":
        return class_sizes(neighborhood_classes(graph, radius, time_limit))
    if query == "hub-fingerprint":
        return candidates_near(graph, known_hubs(graph, hubs), radius, world)
    return class_sizes(refinement_classes(graph, int(query[1:]), time_limit))
