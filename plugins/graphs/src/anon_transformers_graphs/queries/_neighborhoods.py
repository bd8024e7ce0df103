"""What an intruder sees who knows the whole neighborhood of somebody."""

from functools import cache

import numpy as np

from anon_transformers.graphs import Graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._any_form import any_form
from anon_transformers_graphs.queries._kernels.balls import (
    Lists,
    ball_sizes,
    edges_once,
    new_table,
    new_walk,
)
from anon_transformers_graphs.queries._kernels.classes import (
    ball_marks,
    new_state,
    split_by_shape,
)
from anon_transformers_graphs.queries._kernels.shapes import (
    find_twins,
    new_search,
    twin_marks,
)
from anon_transformers_graphs.queries._known import KnownClasses
from anon_transformers_graphs.queries._lists import (
    COMPILATION,
    Deadline,
    folded,
    label_colors,
    neighbor_lists,
)

BUDGET = 1 << 22
"""Entries of lists that are looked at between two looks at the clock."""
_KNOWN = KnownClasses()


@any_form
def neighborhood_classes(
    graph: Graph, radius: int = 1, time_limit: float = 60.0
) -> np.ndarray:
    """Class of each node by its neighborhood.

    Two nodes are of one class if the subgraphs of all nodes within ``radius`` of them
    are isomorphic, the one node falling on the other. For ``radius=1`` it makes no
    difference whether the node itself belongs to its neighborhood.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        Labels, if it has some, must fall on equal labels.
    radius : int, default=1
        How far neighborhoods reach.
    time_limit : float, default=60.0
        Seconds. To compare neighborhoods can take very long if they are large and
        regular.

    Returns
    -------
    int array of shape (n_nodes,)
        Numbers from 0 on, which mean nothing but "the same" and "another".

    Raises
    ------
    NotEvaluable
        If the time is over.

    Notes
    -----
    Nodes with the same neighbors are looked at once. Sizes come first, then color
    refinement of each neighborhood, which tells nearly all of them apart. What is left
    is compared exactly. The classes of a ``Graph`` are kept as long as it is, so that
    to ask again takes no time.

    Examples
    --------
    >>> triangle_and_path = Graph(6, np.array([[0, 1], [1, 2], [0, 2], [3, 4], [4, 5]]))
    >>> classes = neighborhood_classes(triangle_and_path)
    >>> np.sort(np.bincount(classes)).tolist()
    [1, 2, 3]
    """
    radius = whole("radius", radius)
    real("time_limit", time_limit, 0)
    _compile_kernels()
    deadline = Deadline("the comparison of neighborhoods", time_limit)
    labels = label_colors(graph)
    known = _KNOWN.get(graph, radius, labels)
    if known is None:
        known = _classes(_Balls(graph, labels, radius, deadline))
        _KNOWN.keep(graph, radius, labels, known)
    return known.copy()


@cache
def _compile_kernels() -> None:
    """Have all kernels ready before the clock starts.

    To compile them may take longer than the graph does, and happens once.
    """
    square = Graph(4, np.array([[0, 1], [1, 2], [2, 3], [3, 0]]))
    deadline = Deadline("the compilation", COMPILATION)
    _classes(_Balls(square, label_colors(square), 1, deadline))


def _classes(balls: "_Balls") -> np.ndarray:
    """Tell balls apart by what is cheap first, and then exactly."""
    roots, twins = np.unique(balls.first_twins(), return_inverse=True)
    sizes, entries = balls.sizes(roots)
    classes = folded(balls.lists.labels[roots], sizes, int(sizes.max(initial=0)) + 1)
    classes = folded(classes, entries, int(entries.max(initial=0)) + 1)
    shared = _shared(classes)
    if len(shared):
        balls.make_room(int(sizes[shared].max()), int(entries[shared].max()))
        marks = np.unique(balls.marks(roots[shared]), return_inverse=True)[1]
        classes[shared] += len(roots) * (1 + marks)
        classes = np.unique(classes, return_inverse=True)[1]
        shared = _shared(classes)
        shapes = balls.shapes(roots[shared], classes[shared])
        classes[shared] = len(roots) + shapes
    return np.unique(classes, return_inverse=True)[1][twins]


def _shared(classes: np.ndarray) -> np.ndarray:
    """Nodes that are not alone in their class, class by class."""
    order = np.argsort(classes, kind="stable")
    return order[np.bincount(classes)[classes[order]] > 1]


class _Balls:
    """The balls of a graph, opened a few at a time.

    Kernels stop when a budget is used up, so that the clock is looked at in time
    however large the balls are.
    """

    def __init__(
        self, graph: Graph, labels: np.ndarray, radius: int, deadline: Deadline
    ):
        indptr, indices = neighbor_lists(graph)
        once_indptr, once_indices = edges_once(indptr, indices)
        self.lists = Lists(indptr, indices, once_indptr, once_indices, labels)
        self.radius = radius
        self.deadline = deadline
        self._walk = new_walk(graph.n_nodes)

    def first_twins(self) -> np.ndarray:
        """For each node the first one that has its labels and its neighbors."""
        indptr, indices, labels = *self.lists[:2], self.lists.labels
        firsts = np.arange(len(labels))
        for marks in twin_marks(indptr, indices, labels):
            order = np.argsort(marks, kind="stable")
            find_twins(indptr, indices, labels, marks, order, firsts)
            self.deadline.check()
        return firsts

    def make_room(self, most_nodes: int, most_entries: int) -> None:
        """Prepare to open balls of so many nodes and entries at most."""
        self._table = new_table(most_nodes, most_entries)
        self._search = new_search(most_nodes)

    def sizes(self, roots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nodes and entries of the ball of each root."""
        sizes, entries = np.empty((2, len(roots)), dtype=np.int64)
        given = (self.lists, roots, self.radius, self._walk, sizes, entries)
        done = 0
        while done < len(roots):
            done = ball_sizes(*given, done, _budget())
            self.deadline.check()
        return sizes, entries

    def marks(self, roots: np.ndarray) -> np.ndarray:
        """One number for the ball of each root; isomorphic balls share it."""
        marks = np.empty(len(roots), dtype=np.int64)
        given = (self.lists, roots, self.radius, self._walk, self._table, marks)
        done = 0
        while done < len(roots):
            done = ball_marks(*given, done, _budget())
            self.deadline.check()
        return marks

    def shapes(self, roots: np.ndarray, buckets: np.ndarray) -> np.ndarray:
        """Number the isomorphism classes of balls that are sorted by bucket."""
        shapes, firsts = np.empty((2, len(roots)), dtype=np.int64)
        given = (self.lists, roots, buckets, self.radius, self._walk, self._table)
        found = (self._search, shapes, firsts, new_state())
        while not split_by_shape(*given, *found, _budget()):
            self.deadline.check()
        return shapes


def _budget() -> np.ndarray:
    return np.array([BUDGET], dtype=np.int64)
