"""How many shortest paths go through each node."""

import numpy as np
from numba import prange

from anon_transformers.jit import njit, njit_parallel


@njit
def _search(indptr, indices, source, distances, n_paths, queue):
    """Breadth-first search; nodes in the order they were reached, and how many."""
    queue[0], distances[source], n_paths[source] = source, 0, 1.0
    head, tail = 0, 1
    while head < tail:
        node = queue[head]
        head += 1
        for at in range(indptr[node], indptr[node + 1]):
            neighbor = indices[at]
            if distances[neighbor] < 0:
                distances[neighbor] = distances[node] + 1
                queue[tail] = neighbor
                tail += 1
            if distances[neighbor] == distances[node] + 1:
                n_paths[neighbor] += n_paths[node]
    return tail


@njit
def _gather(indptr, indices, distances, n_paths, reached, shares, total):
    """Add the shares of paths that each node carries, farthest nodes first."""
    for node in reached[::-1]:
        carried = (1 + shares[node]) / n_paths[node]
        for at in range(indptr[node], indptr[node + 1]):
            neighbor = indices[at]
            if distances[neighbor] == distances[node] - 1:
                shares[neighbor] += n_paths[neighbor] * carried
        if distances[node]:
            total[node] += shares[node]


@njit
def _add_shares(indptr, indices, sources, total):
    """Brandes' accumulation, from one source after the other."""
    n_nodes = len(total)
    distances = np.full(n_nodes, -1, dtype=np.int32)
    n_paths = np.zeros(n_nodes)
    shares = np.zeros(n_nodes)
    queue = np.empty(n_nodes, dtype=np.int32)
    for source in sources:
        n_reached = _search(indptr, indices, source, distances, n_paths, queue)
        reached = queue[:n_reached]
        _gather(indptr, indices, distances, n_paths, reached, shares, total)
        for node in reached:
            distances[node], n_paths[node], shares[node] = -1, 0.0, 0.0


@njit_parallel("int64[::1], int32[::1], int32[::1], float64[:, ::1]")
def add_shares(indptr, indices, sources, totals):
    """Add the shares of shortest paths from ``sources`` that go through each node.

    ``totals`` is written to; it has a row for each part of the work that may run at the
    same time, so that the order of additions does not depend on the threads. The time
    grows as sources times edges.
    """
    n_parts = len(totals)
    for part in prange(n_parts):
        _add_shares(indptr, indices, sources[part::n_parts], totals[part])
