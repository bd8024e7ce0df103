"""Queries of an intruder who knows neighbors, their neighbors, and so on."""

from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy as np

from anon_transformers.graphs import Graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._any_form import any_form
from anon_transformers_graphs._deadline import COMPILATION, Deadline
from anon_transformers_graphs._graph_arrays import label_colors, neighbor_lists
from anon_transformers_graphs.queries._kernels.refinement import (
    colors_of_lists,
    hashes_of_lists,
    sorted_neighbor_colors,
)


@any_form
def refinement_classes(
    graph: Graph, depth: int | None = None, time_limit: float = 60.0
) -> np.ndarray:
    """Class of each node under the query H of a depth (vertex refinement).

    H0 is a node's labels, H1 the number of its neighbors, and each further depth the
    multiset of what the depth before says of the neighbors. Nodes of one class cannot
    be distinguished by it.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        Its labels, if it has some, are known to the intruder.
    depth : int, optional
        By default as deep as classes still split.
    time_limit : float, default=60.0
        Seconds. On a long path classes split as often as it has nodes.

    Returns
    -------
    int array of shape (n_nodes,)
        Numbers from 0 on, which mean nothing but "the same" and "another".

    Raises
    ------
    NotEvaluable
        If the time is over.

    References
    ----------
    .. [1] M. Hay, G. Miklau, D. Jensen, D. Towsley and P. Weis, "Resisting structural
       re-identification in anonymized social networks", PVLDB, 2008.

    Examples
    --------
    >>> path = Graph(5, [[0, 1], [1, 2], [2, 3], [3, 4]])
    >>> np.bincount(refinement_classes(path, depth=1)).tolist()
    [3, 2]
    >>> np.sort(np.bincount(refinement_classes(path, depth=2))).tolist()
    [1, 2, 2]
    """
    if depth is not None:
        depth = whole("depth", depth, 0)
    classes = label_colors(graph)
    for finer in islice(refinements(graph, time_limit), depth):
        classes = finer
    return classes


def refinements(graph: Graph, time_limit: float) -> Iterator[np.ndarray]:
    """Classes under H1, H2 and so on, until they do not split any more."""
    real("time_limit", time_limit, 0)
    _compile_kernels()
    deadline = Deadline("the refinement of classes", time_limit)
    indptr, indices = neighbor_lists(graph)
    return _rounds(indptr, indices, label_colors(graph), deadline)


@cache
def _compile_kernels() -> None:
    """Compile all kernels before the clock starts."""
    edge = Graph(2, np.array([[0, 1]]))
    deadline = Deadline("the compilation", COMPILATION)
    next(_rounds(*neighbor_lists(edge), label_colors(edge), deadline), None)


def _rounds(
    indptr: np.ndarray, indices: np.ndarray, colors: np.ndarray, deadline: Deadline
) -> Iterator[np.ndarray]:
    """Colors after one round of refinement, after two, and so on.

    The color a node has already counts too. Without labels that changes nothing; with
    them it keeps nodes of other labels apart.
    """
    before = len(np.unique(colors))
    while True:
        lists = sorted_neighbor_colors(indptr, indices, colors)
        hashes = hashes_of_lists(indptr, lists, colors)
        order = np.argsort(hashes, kind="stable")
        colors, now = colors_of_lists(indptr, lists, colors, hashes, order)
        deadline.check()
        if now == before:
            return
        yield colors
        before = now
