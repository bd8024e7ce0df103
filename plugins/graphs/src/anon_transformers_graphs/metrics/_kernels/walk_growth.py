"""Sets of nodes that grow along random walks with restart."""

import numpy as np

from anon_transformers.jit import njit


@njit
def _spread(indptr, indices, node, restart, least, state):
    """Add the walk that restarts at ``node`` to the affinities.

    What is left to walk is pushed on from node to node until no node has more than
    ``least`` for each neighbor. Walks from several nodes add up, so that those of a
    set that grows by one node cost one walk.
    """
    affinity, left, waits, queue, known, n_known = state
    n_nodes = len(affinity)
    left[node] += 1.0
    queue[0], waits[node] = node, True
    head, tail, n_waiting = 0, 1, 1
    while n_waiting:
        at_node = queue[head]
        head = (head + 1) % n_nodes
        n_waiting -= 1
        waits[at_node] = False
        if affinity[at_node] == 0:
            known[n_known[0]] = at_node
            n_known[0] += 1
        here = left[at_node]
        left[at_node] = 0.0
        affinity[at_node] += restart * here
        degree = indptr[at_node + 1] - indptr[at_node]
        for at in range(indptr[at_node], indptr[at_node + 1]):
            neighbor = indices[at]
            left[neighbor] += (1 - restart) * here / degree
            limit = least * (indptr[neighbor + 1] - indptr[neighbor])
            if not waits[neighbor] and left[neighbor] > limit:
                waits[neighbor] = True
                queue[tail % n_nodes] = neighbor
                tail = (tail + 1) % n_nodes
                n_waiting += 1


@njit
def _nearest(affinity, known, n_known, inside):
    """Node outside the set of the highest affinity, the lowest of equal ones; or -1."""
    best, highest = -1, 0.0
    for place in range(n_known):
        node = known[place]
        if not inside[node] and (
            affinity[node] > highest or (affinity[node] == highest and node < best)
        ):
            best, highest = node, affinity[node]
    return best


@njit
def _clear(indptr, indices, members, state, inside):
    affinity, left, _, _, known, n_known = state
    for place in range(n_known[0]):
        node = known[place]
        affinity[node], left[node] = 0.0, 0.0
        for at in range(indptr[node], indptr[node + 1]):
            left[indices[at]] = 0.0
    for node in members:
        inside[node] = False
    n_known[0] = 0


@njit("int64[::1], int32[::1], float64, float64, int64, float64")
def grow_sets(indptr, indices, restart, cutoff, max_size, least):
    """Grow one set from each node; its nodes in the order they joined, and its size."""
    n_nodes = len(indptr) - 1
    members = np.full((n_nodes, max_size), -1, dtype=np.int32)
    sizes = np.ones(n_nodes, dtype=np.int64)
    state = (
        np.zeros(n_nodes),
        np.zeros(n_nodes),
        np.zeros(n_nodes, dtype=np.bool_),
        np.empty(n_nodes, dtype=np.int32),
        np.empty(n_nodes, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
    )
    inside = np.zeros(n_nodes, dtype=np.bool_)
    for start in range(n_nodes):
        node, highest = start, 0.0
        for size in range(1, max_size + 1):
            members[start, size - 1] = node
            sizes[start], inside[node] = size, True
            _spread(indptr, indices, node, restart, least, state)
            node = _nearest(state[0], state[4], state[5][0], inside)
            if node < 0:
                break
            nearness = state[0][node] / size
            highest = max(highest, nearness)
            if nearness < cutoff * highest:
                break
        _clear(indptr, indices, members[start, : sizes[start]], state, inside)
    return members, sizes
