"""Fit a pattern into a graph, node by node, with a way back.

A search can be interrupted: it keeps everything in arrays that the caller owns, and a
budget of steps says when to come back. Only the caller looks at the clock.
"""

import numpy as np

from anon_transformers.jit import njit

RUNNING, NONE, FOUND = -1, 0, 1
ANY = -1
"""Color of a pattern's node that any node may stand for."""


@njit
def _visit(indptr, indices, first, start, stop):
    """Nodes from ``start`` to ``stop``, and the place of each.

    Each is the one that most of those before it know: a wrong choice shows soon, in its
    own corner, and not only when everything else is in place.
    """
    n_nodes = stop - start
    place = np.full(n_nodes, -1, dtype=np.int64)
    order = np.empty(n_nodes, dtype=np.int64)
    known = np.zeros(n_nodes, dtype=np.int64)
    node = first
    for here in range(n_nodes):
        order[here], place[node - start] = node, here
        for at in range(indptr[node], indptr[node + 1]):
            known[indices[at] - start] += 1
        most = -1
        for other in range(n_nodes):
            if place[other] < 0 and known[other] > most:
                most, node = known[other], start + other
    return order, place


@njit("int64[::1], int32[::1], int64, int64, int64")
def plan(indptr, indices, first, start, stop):
    """In which order the nodes from ``start`` to ``stop`` are placed.

    Returns the order; for each place the earlier place of a neighbor, or -1; and the
    earlier places of all neighbors, as lists. A node is looked for in the list of its
    neighbor, so that is the one with the shortest list.
    """
    order, place = _visit(indptr, indices, first, start, stop)
    n_nodes = stop - start
    parents = np.full(n_nodes, -1, dtype=np.int64)
    back_starts = np.zeros(n_nodes + 1, dtype=np.int64)
    back = np.empty(indptr[stop] - indptr[start], dtype=np.int64)
    written = 0
    for here in range(n_nodes):
        shortest = np.int64(len(indices) + 1)
        for at in range(indptr[order[here]], indptr[order[here] + 1]):
            earlier = place[indices[at] - start]
            if earlier < here:
                back[written] = earlier
                written += 1
                length = indptr[indices[at] + 1] - indptr[indices[at]]
                if length < shortest:
                    shortest, parents[here] = length, earlier
        back_starts[here + 1] = written
    return order, parents, back_starts, back[:written]


@njit
def has_edge(indptr, indices, one, other):
    """Whether two nodes are neighbors; lists are sorted."""
    if indptr[one + 1] - indptr[one] > indptr[other + 1] - indptr[other]:
        one, other = other, one
    low, high = indptr[one], indptr[one + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < other:
            low = middle + 1
        else:
            high = middle
    return low < indptr[one + 1] and indices[low] == other


@njit
def _first_choice(indptr, parents, image, depth):
    return 0 if parents[depth] < 0 else indptr[image[parents[depth]]]


@njit
def embed(
    planned, colors, degrees, host, host_colors, image, cursor, used, depth, budget
):
    """Place the nodes of a pattern from ``depth`` on; edges must fall on edges.

    Returns FOUND, NONE or RUNNING, the depth to go on from, and the budget left.
    """
    _, parents, back_starts, back = planned
    indptr, indices = host
    n_places = len(parents)
    while budget > 0:
        if depth == n_places:
            return FOUND, depth, budget
        budget -= 1
        parent = parents[depth]
        end = len(indptr) - 1 if parent < 0 else indptr[image[parent] + 1]
        if cursor[depth] == end:
            depth -= 1
            if depth == 0:
                return NONE, depth, budget
            used[image[depth]] = False
            continue
        node = cursor[depth] if parent < 0 else indices[cursor[depth]]
        cursor[depth] += 1
        color = colors[depth]
        if used[node] or (color != ANY and color != host_colors[node]):
            continue
        fits = indptr[node + 1] - indptr[node] >= degrees[depth]
        at = back_starts[depth]
        while fits and at < back_starts[depth + 1]:
            fits = has_edge(indptr, indices, image[back[at]], node)
            at += 1
        if fits:
            image[depth], used[node] = node, True
            depth += 1
            if depth < n_places:
                cursor[depth] = _first_choice(indptr, parents, image, depth)
    return RUNNING, depth, budget


@njit
def begin(planned, host, node, image, cursor, used):
    """Place the pattern's first node; returns the depth to go on from."""
    image[0], used[node] = node, True
    if len(planned[1]) > 1:
        cursor[1] = _first_choice(host[0], planned[1], image, 1)
    return 1


@njit
def clear(image, used, depth):
    """Take the placed nodes up again."""
    for place in range(depth):
        used[image[place]] = False


@njit(
    "(int64[::1], int64[::1], int64[::1], int64[::1]), int64[::1], int64[::1], "
    "(int64[::1], int32[::1]), int64[::1], int64[::1], bool[::1], int64[::1], "
    "int64[::1], bool[::1], int64[::1], int64"
)
def play_first(
    planned, colors, degrees, host, host_colors, nodes, plays, image, cursor, used,
    state, budget,
):  # fmt: skip
    """Which of ``nodes`` can be the pattern's first node; writes ``plays``.

    ``state`` holds the node under way and the depth reached, 0 for none. Returns
    whether all nodes are done.
    """
    while state[0] < len(nodes):
        if not state[1]:
            state[1] = begin(planned, host, nodes[state[0]], image, cursor, used)
        status, depth, budget = embed(
            planned, colors, degrees, host, host_colors, image, cursor, used,
            state[1], budget,
        )  # fmt: skip
        if status == RUNNING:
            state[1] = depth
            return False
        plays[state[0]] = status == FOUND
        clear(image, used, max(depth, 1))
        state[0], state[1] = state[0] + 1, 0
    return True
