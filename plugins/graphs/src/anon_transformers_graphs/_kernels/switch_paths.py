"""Distances between all pairs of nodes, counted."""

import numpy as np

from anon_transformers.jit import njit


@njit
def distance_counts(starts, neighbors):
    """Unordered pairs of nodes at each distance; pairs that no path joins are left out.

    A search breadth first from every node: time grows as nodes times edges. Counts are
    whole numbers, so that a mean does not depend on the order of neighbours.
    """
    n = len(starts) - 1
    counts = np.zeros(max(n, 1), np.int64)
    distances = np.empty(n, np.int64)
    queue = np.empty(n, np.int64)
    for source in range(n):
        distances[:] = -1
        distances[source] = 0
        queue[0] = source
        head, tail = 0, 1
        while head < tail:
            u = queue[head]
            head += 1
            for place in range(starts[u], starts[u + 1]):
                v = neighbors[place]
                if distances[v] < 0:
                    distances[v] = distances[u] + 1
                    queue[tail] = v
                    tail += 1
                    if v > source:
                        counts[distances[v]] += 1
    return counts
