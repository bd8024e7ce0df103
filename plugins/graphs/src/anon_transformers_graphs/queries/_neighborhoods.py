"""Queries of an intruder who knows the whole neighborhood of a person."""

from functools import cache
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from anon_transformers.graphs import Graph
from anon_transformers.parameters import real, whole
from anon_transformers_graphs._any_form import any_form
from anon_transformers_graphs._deadline import COMPILATION, Deadline
from anon_transformers_graphs._graph_arrays import (
    combined_codes,
    label_colors,
    neighbor_lists,
)
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

BUDGET = 1 << 22
"""Entries of lists that are looked at between two looks at the clock."""


class ClassCache:
    """Classes of nodes by graph and radius, kept as long as the graph exists.

    A gate asks for the same classes several times: for the nodes that fail, for the
    level, and for a report. The edges of a graph cannot be changed but its frame of
    labels can, so that classes are valid only for the labels they were made from.

    Examples
    --------
    >>> cache, edge = ClassCache(), Graph(2, [[0, 1]])
    >>> labels = np.zeros(2, dtype=np.int64)
    >>> cache.keep(edge, 1, labels, classes=np.array([0, 0]))
    >>> cache.get(edge, 1, labels)
    array([0, 0])
    >>> cache.get(edge, 1, labels + [0, 1]) is None
    True
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: WeakKeyDictionary[
            Graph, dict[int, tuple[np.ndarray, np.ndarray]]
        ] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._held)

    def get(self, graph: Graph, radius: int, labels: np.ndarray) -> np.ndarray | None:
        """The classes for a radius and for these labels, if they are kept."""
        with self._lock:
            found = self._held.get(graph, {}).get(radius)
        if found is None or not np.array_equal(found[0], labels):
            return None
        return found[1]

    def keep(
        self, graph: Graph, radius: int, labels: np.ndarray, classes: np.ndarray
    ) -> None:
        """Keep the classes for a radius and for these labels."""
        with self._lock:
            self._held.setdefault(graph, {})[radius] = (labels, classes)


_CACHE = ClassCache()


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
    refinement of each neighborhood, which distinguishes nearly all of them. The rest is
    compared exactly. The classes of a ``Graph`` are kept as long as it exists, so that
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
    classes = _CACHE.get(graph, radius, labels)
    if classes is None:
        classes = _classes(_Balls(graph, labels, radius, deadline))
        _CACHE.keep(graph, radius, labels, classes)
    # A copy: what a caller writes into its classes must not reach the next caller.
    return classes.copy()


@cache
def _compile_kernels() -> None:
    """Compile all kernels before the clock starts.

    To compile them may take longer than the graph does, and happens once.
    """
    square = Graph(4, np.array([[0, 1], [1, 2], [2, 3], [3, 0]]))
    deadline = Deadline("the compilation", COMPILATION)
    _classes(_Balls(square, label_colors(square), 1, deadline))


def _classes(balls: "_Balls") -> np.ndarray:
    """Distinguish balls by cheap numbers first, and then exactly."""
    roots, twins = np.unique(balls.first_twins(), return_inverse=True)
    sizes, entries = balls.sizes(roots)
    classes = combined_codes(
        balls.lists.labels[roots], sizes, int(sizes.max(initial=0)) + 1
    )
    classes = combined_codes(classes, entries, int(entries.max(initial=0)) + 1)
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
