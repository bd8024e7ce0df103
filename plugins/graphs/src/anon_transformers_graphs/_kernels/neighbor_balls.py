"""Balls: the subgraphs of all nodes within a distance of a root."""

import numpy as np

from anon_transformers.jit import njit


@njit
def _ball(indptr, indices, root, radius, seen, queue, far):
    """Write the members of a ball into ``queue``, and the root into their ``seen``."""
    queue[0], far[0], seen[root] = root, 0, root
    head, tail = 0, 1
    while head < tail and far[head] < radius:
        node = queue[head]
        for at in range(indptr[node], indptr[node + 1]):
            neighbor = indices[at]
            if seen[neighbor] != root:
                seen[neighbor] = root
                queue[tail], far[tail] = neighbor, far[head] + 1
                tail += 1
        head += 1
    return tail


@njit
def ball_sizes(indptr, indices, roots, radius):
    """Nodes of each root's ball, and entries in their lists (twice the edges)."""
    n_nodes = len(indptr) - 1
    seen = np.full(n_nodes, -1, dtype=np.int32)
    queue = np.empty(n_nodes, dtype=np.int32)
    far = np.empty(n_nodes, dtype=np.int32)
    sizes = np.empty(len(roots), dtype=np.int64)
    entries = np.zeros(len(roots), dtype=np.int64)
    for place, root in enumerate(roots):
        sizes[place] = _ball(indptr, indices, root, radius, seen, queue, far)
        for member in queue[: sizes[place]]:
            for at in range(indptr[member], indptr[member + 1]):
                entries[place] += seen[indices[at]] == root
    return sizes, entries


@njit
def disjoint_balls(indptr, indices, roots, radius, sizes, entries):
    """The balls of ``roots`` side by side, as one graph.

    Returns its lists, where each ball starts, where its root is, and the node that each
    node was. Members keep their order, so that lists stay sorted.
    """
    n_nodes = len(indptr) - 1
    seen = np.full(n_nodes, -1, dtype=np.int32)
    queue = np.empty(n_nodes, dtype=np.int32)
    far = np.empty(n_nodes, dtype=np.int32)
    local = np.empty(n_nodes, dtype=np.int32)
    starts = np.zeros(len(roots) + 1, dtype=np.int64)
    starts[1:] = np.cumsum(sizes)
    centers = np.empty(len(roots), dtype=np.int64)
    was = np.empty(starts[-1], dtype=np.int32)
    ball_indptr = np.zeros(starts[-1] + 1, dtype=np.int64)
    ball_indices = np.empty(entries.sum(), dtype=np.int32)
    written = 0
    for place, root in enumerate(roots):
        size = _ball(indptr, indices, root, radius, seen, queue, far)
        members = np.sort(queue[:size])
        for rank, member in enumerate(members):
            local[member] = starts[place] + rank
        was[starts[place] : starts[place + 1]] = members
        centers[place] = local[root]
        for member in members:
            for at in range(indptr[member], indptr[member + 1]):
                if seen[indices[at]] == root:
                    ball_indices[written] = local[indices[at]]
                    written += 1
            ball_indptr[local[member] + 1] = written
    return ball_indptr, ball_indices, starts, centers, was
