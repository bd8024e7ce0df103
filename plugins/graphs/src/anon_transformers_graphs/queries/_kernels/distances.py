"""Distances from one node, as far as somebody looks."""

import numpy as np

from anon_transformers.jit import njit


@njit("int64[::1], int32[::1], int64, int64")
def distances_within(indptr, indices, start, radius):
    """Edges from ``start`` to each node; 0 for those farther away than ``radius``."""
    n_nodes = len(indptr) - 1
    distances = np.zeros(n_nodes, dtype=np.int32)
    seen = np.zeros(n_nodes, dtype=np.bool_)
    queue = np.empty(n_nodes, dtype=np.int32)
    queue[0], seen[start] = start, True
    head, tail = 0, 1
    while head < tail:
        node = queue[head]
        head += 1
        if distances[node] == radius:
            break
        for at in range(indptr[node], indptr[node + 1]):
            neighbor = indices[at]
            if not seen[neighbor]:
                seen[neighbor] = True
                distances[neighbor] = distances[node] + 1
                queue[tail] = neighbor
                tail += 1
    return distances
