"""Triangles of a graph."""

import numpy as np

from anon_transformers.jit import njit


@njit
def count_triangles(starts, later):
    """Triangles of a graph whose every edge stands in the list of one end only.

    Where that is the end of the lower degree, no list is longer than the root of twice
    the edges, and a hub costs no more than another node.
    """
    n_nodes = len(starts) - 1
    marks = np.full(n_nodes, -1, dtype=np.int64)
    total = 0
    for first in range(n_nodes):
        for at in range(starts[first], starts[first + 1]):
            marks[later[at]] = first
        for at in range(starts[first], starts[first + 1]):
            second = later[at]
            for there in range(starts[second], starts[second + 1]):
                total += marks[later[there]] == first
    return total
