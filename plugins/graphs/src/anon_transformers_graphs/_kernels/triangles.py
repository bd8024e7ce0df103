"""Triangles: how many there are, and which nodes they connect."""

import numpy as np

from anon_transformers.jit import njit


@njit
def triangle_closure(indptr, indices, inside):
    """Add every node that shares a triangle with a node inside, again and again.

    Parameters
    ----------
    indptr, indices : int arrays
        Lists of neighbors.
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


@njit
def count_triangles(starts, neighbors):
    """Triangles of a graph, given the neighbors of each node in any order.

    Each edge is kept in the list of its end of the lower degree only. So no list is
    longer than the root of twice the edges, and a hub costs no more than another node.
    """
    firsts, later = _later_ends(starts, neighbors)
    marks = np.full(len(starts) - 1, -1, dtype=np.int64)
    total = 0
    for first in range(len(starts) - 1):
        for at in range(firsts[first], firsts[first + 1]):
            marks[later[at]] = first
        for at in range(firsts[first], firsts[first + 1]):
            second = later[at]
            for there in range(firsts[second], firsts[second + 1]):
                total += marks[later[there]] == first
    return total


@njit
def _later_ends(starts, neighbors):
    """Lists of the neighbors that come after a node, by degree and then by number."""
    firsts = np.zeros(len(starts), dtype=np.int64)
    later = np.empty(len(neighbors) // 2, dtype=np.int32)
    count = 0
    for node in range(len(starts) - 1):
        degree = starts[node + 1] - starts[node]
        for at in range(starts[node], starts[node + 1]):
            other = neighbors[at]
            more = starts[other + 1] - starts[other] - degree
            if more > 0 or (more == 0 and other > node):
                later[count] = other
                count += 1
        firsts[node + 1] = count
    return firsts, later
