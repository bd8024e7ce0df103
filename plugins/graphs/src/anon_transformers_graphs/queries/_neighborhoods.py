"""What an intruder sees who knows the whole neighbourhood of somebody."""

from collections.abc import Iterator

import numpy as np

from anon_transformers.graphs import Graph
from anon_transformers.parameters import whole
from anon_transformers_graphs._any_form import any_form
from anon_transformers_graphs._kernels.neighbor_balls import ball_sizes, disjoint_balls
from anon_transformers_graphs._kernels.neighbor_shapes import split_by_shape
from anon_transformers_graphs.queries._lists import (
    Deadline,
    folded,
    label_colors,
    neighbor_lists,
)
from anon_transformers_graphs.queries._refinement import rounds

BUDGET = 1 << 8
"""Guesses between two looks at the clock."""
ROOTS_AT_ONCE = 1 << 14
ENTRIES_AT_ONCE = 1 << 24
"""Entries of the lists of balls that are compared at once, which bounds memory."""


@any_form
def neighborhood_classes(
    graph: Graph, radius: int = 1, time_limit: float = 60.0
) -> np.ndarray:
    """Class of each node by its neighbourhood.

    Two nodes are of one class if the subgraphs of all nodes within ``radius`` of them
    are isomorphic, the one node falling on the other. For ``radius=1`` it makes no
    difference whether the node itself belongs to its neighbourhood.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        Labels, if it has some, must fall on equal labels.
    radius : int, default=1
        How far neighbourhoods reach.
    time_limit : float, default=60.0
        Seconds. To compare neighbourhoods can take very long if they are large and
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
    Sizes come first, then colour refinement of all neighbourhoods side by side, which
    tells nearly all of them apart. What is left is compared exactly.

    Examples
    --------
    >>> triangle_and_path = Graph(6, [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5]])
    >>> classes = neighborhood_classes(triangle_and_path)
    >>> np.sort(np.bincount(classes)).tolist()
    [1, 2, 3]
    """
    radius = whole("radius", radius)
    deadline = Deadline("the comparison of neighbourhoods", time_limit)
    lists, labels = neighbor_lists(graph), label_colors(graph)
    sizes, entries = _sizes(lists, radius, deadline)
    classes = folded(labels, sizes, int(sizes.max(initial=0)) + 1)
    classes = folded(classes, entries, int(entries.max(initial=0)) + 1)
    n_classes = int(classes.max(initial=-1)) + 1
    for roots in _batches(classes, entries):
        shapes = _shapes(
            lists, labels, roots, radius, sizes[roots], entries[roots], deadline
        )
        # Whoever was told apart by size before stays so: batches hold whole classes.
        classes[roots] = n_classes + shapes
        n_classes += int(shapes.max()) + 1
    return np.unique(classes, return_inverse=True)[1]


def _sizes(
    lists: tuple[np.ndarray, np.ndarray], radius: int, deadline: Deadline
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and entries of each ball."""
    roots = np.arange(len(lists[0]) - 1, dtype=np.int32)
    found = [(roots[:0].astype(np.int64),) * 2]
    for start in range(0, len(roots), ROOTS_AT_ONCE):
        found.append(ball_sizes(*lists, roots[start : start + ROOTS_AT_ONCE], radius))
        deadline.check()
    sizes, entries = zip(*found, strict=True)
    return np.concatenate(sizes), np.concatenate(entries)


def _batches(classes: np.ndarray, entries: np.ndarray) -> Iterator[np.ndarray]:
    """Nodes that share their class, whole classes together, a few at a time."""
    counts = np.bincount(classes)
    order = np.argsort(classes, kind="stable").astype(np.int32)
    order = order[counts[classes[order]] > 1]
    if not len(order):
        return
    ends = np.flatnonzero(np.diff(classes[order], append=-1)) + 1
    filled = np.cumsum(entries[order])[ends - 1]
    cuts = np.unique(filled // ENTRIES_AT_ONCE, return_index=True)[1][1:]
    yield from np.split(order, ends[cuts - 1])


def _shapes(
    lists: tuple[np.ndarray, np.ndarray],
    labels: np.ndarray,
    roots: np.ndarray,
    radius: int,
    sizes: np.ndarray,
    entries: np.ndarray,
    deadline: Deadline,
) -> np.ndarray:
    """Number the isomorphism classes of the balls of ``roots``."""
    found = disjoint_balls(*lists, roots, radius, sizes, entries)
    balls, (starts, centers, was) = found[:2], found[2:]
    colors = labels[was] * 2
    colors[centers] += 1
    for finer in rounds(balls[0], balls[1], colors):
        colors = finer
        deadline.check()
    # Balls are connected, so that the colour of the root settles all others.
    buckets = np.unique(colors[centers], return_inverse=True)[1]
    members = np.argsort(buckets, kind="stable")
    shapes = np.empty(len(roots), dtype=np.int64)
    firsts = np.empty(len(roots), dtype=np.int64)
    state = np.zeros(3, dtype=np.int64)
    budget = BUDGET
    while not split_by_shape(
        tuple(balls), starts, colors, members, buckets, shapes, firsts, state, budget
    ):
        deadline.check()
        # A comparison that was cut off begins anew, and should get further.
        budget *= 2
    return shapes
