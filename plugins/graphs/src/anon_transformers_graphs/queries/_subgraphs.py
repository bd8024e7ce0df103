"""Queries of an intruder who knows some edges around a person."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, open_graph, places_of
from anon_transformers_graphs._deadline import Deadline
from anon_transformers_graphs._graph_arrays import neighbor_lists
from anon_transformers_graphs.queries._kernels.embed import ANY, plan, play_first

BUDGET = 1 << 22
"""Steps of a search between two looks at the clock."""


def subgraph_candidates(
    graph: Any,
    pattern: Any,
    target: Hashable | None = None,
    time_limit: float = 60.0,
) -> np.ndarray:
    """Nodes that can be the target in a known subgraph.

    The intruder knows some edges around the target, and maybe not all: the graph may
    have more edges between the nodes of an occurrence.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        Where to look.
    pattern : Graph, or a graph in any form
        What is known. Its labels, if it has some, must be equal to those of the graph;
        a missing one is not known.
    target : name, optional
        Who is looked for among the nodes of ``pattern``, a number in a ``Graph`` or a
        matrix; by default its first node.
    time_limit : float, default=60.0
        Seconds.

    Returns
    -------
    array
        Names of nodes, in the order of the graph; numbers of the nodes of a ``Graph``
        or a matrix.

    Raises
    ------
    NotEvaluable
        If the time is over.

    Examples
    --------
    >>> triangle_with_tail = Graph(4, [[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> triangle = Graph(3, [[0, 1], [1, 2], [0, 2]])
    >>> subgraph_candidates(triangle_with_tail, triangle)
    array([0, 1, 2])
    """
    (host, form), (known, known_form) = open_graph(graph), open_graph(pattern)
    names = known_form.names.tolist()
    place = 0 if target is None else int(places_of([target], names)[0])
    if not 0 <= place < known.n_nodes:
        raise DataError(f"the pattern has {known.n_nodes} nodes, not the target.")
    return form.names[_fitting(host, known, place, time_limit)]


def _fitting(
    graph: Graph, pattern: Graph, target: int, time_limit: float
) -> np.ndarray:
    """Places of the nodes that can be the target."""
    deadline = Deadline("the search for a subgraph", time_limit)
    lists, host = neighbor_lists(pattern), neighbor_lists(graph)
    planned = plan(*lists, target, 0, pattern.n_nodes)
    wanted, colors = _label_codes(pattern, graph)
    order = planned[0]
    fitting = graph.degrees >= pattern.degrees[target]
    if wanted[target] != ANY:
        fitting &= colors == wanted[target]
    nodes = np.flatnonzero(fitting)
    plays = np.zeros(len(nodes), dtype=bool)
    arrays = (
        np.empty(pattern.n_nodes, dtype=np.int64),
        np.empty(pattern.n_nodes, dtype=np.int64),
        np.zeros(graph.n_nodes, dtype=bool),
        np.zeros(2, dtype=np.int64),
    )
    degrees = np.asarray(pattern.degrees)[order].astype(np.int64)
    given = (planned, wanted[order], degrees, host, colors, nodes, plays)
    while not play_first(*given, *arrays, BUDGET):
        deadline.check()
    return nodes[plays]


def _label_codes(pattern: Graph, graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Numbers that are equal where the labels of a pattern and of a graph are."""
    wanted = np.full(pattern.n_nodes, ANY, dtype=np.int64)
    colors = np.zeros(graph.n_nodes, dtype=np.int64)
    if pattern.labels is None or not len(pattern.labels.columns):
        return wanted, colors
    columns = list(pattern.labels.columns)
    if graph.labels is None or not set(columns) <= set(graph.labels.columns):
        raise DataError("the pattern has labels that the nodes of the graph have not.")
    missing = pattern.labels.isna().to_numpy()
    partly = int((missing.any(axis=1) & ~missing.all(axis=1)).sum())
    if partly:
        raise DataError(
            f"{partly} nodes of the pattern lack some labels; give all of them or none."
        )
    both = pd.concat([pattern.labels, graph.labels[columns]], ignore_index=True)
    codes = both.groupby(columns, dropna=False, sort=False).ngroup().to_numpy()
    known = ~missing.all(axis=1)
    wanted[known] = codes[: pattern.n_nodes][known]
    return wanted, codes[pattern.n_nodes :].astype(np.int64)
