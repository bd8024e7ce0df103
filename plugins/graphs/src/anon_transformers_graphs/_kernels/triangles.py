"""Which nodes hang together by triangles."""

import numpy as np

from anon_transformers.jit import njit


@njit
def triangle_closure(indptr, indices, inside):
    """Add every node that shares a triangle with a node inside, again and again.

    Parameters
    ----------
    indptr, indices : int arrays
        Lists of neighbours.
    inside : bool ndarray
        Nodes to begin with; changed in place.
    """
    n = len(inside)
    stack = np.empty(n, dtype=np.int64)
    top = 0
    for node in range(n):
        if inside[node]:
            stack[top] = node
            top += 1
    mark = np.full(n, -1, dtype=np.int64)
    while top > 0:
        top -= 1
        node = stack[top]
        for i in range(indptr[node], indptr[node + 1]):
            mark[indices[i]] = node
        for i in range(indptr[node], indptr[node + 1]):
            other = indices[i]
            if inside[other]:
                continue
            for j in range(indptr[other], indptr[other + 1]):
                if mark[indices[j]] == node:
                    inside[other] = True
                    stack[top] = other
                    top += 1
                    break


@njit
def in_triangles(indptr, indices):
    """Which nodes are in a triangle."""
    n = len(indptr) - 1
    found = np.zeros(n, dtype=np.bool_)
    mark = np.full(n, -1, dtype=np.int64)
    for node in range(n):
        for i in range(indptr[node], indptr[node + 1]):
            mark[indices[i]] = node
        for i in range(indptr[node], indptr[node + 1]):
            other = indices[i]
            for j in range(indptr[other], indptr[other + 1]):
                if mark[indices[j]] == node:
                    found[node] = True
                    break
            if found[node]:
                break
    return found
