"""Give nodes other degrees by few edits: pairs, then single ends, then paths.

``need`` says for each node how many edges it is short of; negative ones have too many.
All functions take it down in place.
"""

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs._kernels.random_numbers import below
from anon_transformers_graphs.degrees._kernels.edits import (
    add_edge,
    drop_edge,
    is_edge,
    list_neighbors,
    mark_neighbors,
)

REFUSALS = 1000
"""Takers that refuse a giver before the rest of its edges is left to paths."""


@njit
def superfluous_pairs(edits, need, nodes):
    """Edges both of whose ends have too many, as many as a pass over nodes finds."""
    left = need.copy()
    pairs = np.empty((np.abs(need).sum() // 2, 2), np.int64)
    count = 0
    for a in nodes:
        place = edits.starts[a]
        while left[a] < 0 and place < edits.starts[a + 1]:
            b = edits.neighbors[place]
            if left[b] < 0:
                left[a] += 1
                left[b] += 1
                pairs[count, 0], pairs[count, 1] = a, b
                count += 1
            place += 1
        # Its edges were all looked at: the other ends must not take them again.
        left[a] = 0
    return pairs[:count]


@njit
def wanted_pairs(edits, need, nodes):
    """Pairs without an edge both of which are short of edges.

    The node that is short of most takes partners that are, as Havel and Hakimi do:
    nodes come with the largest need first.
    """
    left = need.copy()
    marks = np.full(len(need), -1, np.int64)
    pairs = np.empty((np.abs(need).sum() // 2, 2), np.int64)
    count = 0
    for turn in range(len(nodes)):
        a = nodes[turn]
        if left[a] <= 0:
            continue
        mark_neighbors(edits, a, marks, 2 * turn + 1)
        for b in nodes[turn + 1 :]:
            if left[a] == 0:
                break
            if left[b] > 0 and marks[b] != 2 * turn + 1:
                left[a] -= 1
                left[b] -= 1
                pairs[count, 0], pairs[count, 1] = a, b
                count += 1
    return pairs[:count]


@njit
def change_pairs(edits, need, gone, come):
    """Drop these edges and add these pairs."""
    for place in range(len(gone)):
        drop_edge(edits, gone[place, 0], gone[place, 1])
        need[gone[place]] += 1
    for place in range(len(come)):
        add_edge(edits, come[place, 0], come[place, 1])
        need[come[place]] -= 1


@njit
def move_ends(edits, need, givers, takers, offsets):
    """Move ends of edges, (u, w) to (v, w), where u has too many and v too few.

    ``offsets`` are large random numbers, one per giver: which of its neighbors it looks
    at first. The neighbors of a giver are listed once, and what one taker cannot have
    is offered to the next: a taker looks at no more than it has neighbors and gets.
    """
    marks = np.full(len(need), -1, np.int64)
    stamp = np.int64(1)
    first = 0
    for turn in range(len(givers)):
        u = givers[turn]
        listed = list_neighbors(edits, u, marks, stamp, False)
        offered = np.roll(listed, -(offsets[turn] % max(len(listed), 1)))
        stamp += 2
        while first < len(takers) and need[takers[first]] <= 0:
            first += 1
        refusals = 0
        for v in takers[first:]:
            if need[u] >= 0 or refusals == REFUSALS:
                break
            if need[v] <= 0:
                continue
            mark_neighbors(edits, v, marks, stamp)
            offered = _move_some(edits, need, u, v, offered, marks, stamp)
            stamp += 2
            refusals += need[v] > 0


@njit
def _move_some(edits, need, u, v, offered, marks, stamp):
    """Move ends from ``u`` to ``v``; what is still offered, in the same order."""
    kept, place = 0, 0
    while place < len(offered) and need[u] < 0 and need[v] > 0:
        w = np.int64(offered[place])
        place += 1
        if w == v or marks[w] == stamp:
            offered[kept] = w
            kept += 1
            continue
        drop_edge(edits, u, w)
        add_edge(edits, v, w)
        need[u] += 1
        need[v] -= 1
    # What was passed over moves up to what was not looked at.
    offered[place - kept : place] = offered[:kept].copy()
    return offered[place - kept :]


@njit
def join_ends(edits, need, givers, offsets):
    """Replace edges (u, a) and (v, b) by (a, b) where u and v have too many.

    So many as all needs together are below nothing. ``v`` may be ``u``; ``offsets``
    as for :func:`move_ends`.
    """
    before = need.sum() - 1
    while before < need.sum() < -1:
        before = need.sum()
        _join_pass(edits, need, givers, offsets)


@njit
def _join_pass(edits, need, givers, offsets):
    """Neighbors that cannot be joined to the one before them are passed over."""
    marks = np.full(len(need), -1, np.int64)
    surplus = -need.sum()
    u, a = np.int64(-1), np.int64(-1)
    for turn in range(len(givers)):
        v = givers[turn]
        if surplus <= 1 or need[v] >= 0:
            continue
        listed = list_neighbors(edits, v, marks, np.int64(turn), False)
        for b in np.roll(listed, -(offsets[turn] % max(len(listed), 1))):
            b = np.int64(b)  # noqa: PLW2901  (numba: one kind of number for all nodes)
            spare = -need[v] - (u == v)
            if surplus <= 1 or spare <= 0:
                break
            if u < 0:
                u, a = v, b
            elif a not in (b, v) and b != u and not is_edge(edits, a, b):
                drop_edge(edits, u, a)
                drop_edge(edits, v, b)
                add_edge(edits, a, b)
                need[u] += 1
                need[v] += 1
                surplus -= 2
                u = np.int64(-1)


@njit
def alternating_path(edits, start, goal, adds, ends_with_add, only_extra, offset):
    """Edits that change the degrees of two nodes by one each and no others.

    A walk from ``start`` to ``goal`` that takes turns between pairs to be added and
    edges to be dropped: every node between gains one and loses one. Found breadth
    first, so few edges change.

    Parameters
    ----------
    start, goal : int
        Nodes; they may be the same one.
    adds, ends_with_add : bool
        Whether start, goal gain an edge or lose one.
    only_extra : bool
        Drop edges only that the original has not.
    offset : int
        Node that is looked at first.

    Returns
    -------
    int64 array
        Nodes of the walk; empty if none was found.
    """
    n = len(edits.n_extra)
    marks, near_goal = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    for w in list_neighbors(edits, goal, marks, 0, only_extra and not ends_with_add):
        near_goal[w] = 1
    # A place is a node together with what comes next: 0 a pair to add, 1 one to drop.
    came_from = np.full(2 * n, -1, np.int64)
    queue = np.empty(2 * n, np.int64)
    queue[0] = 2 * start if adds else 2 * start + 1
    came_from[queue[0]] = queue[0]
    unseen = (np.arange(n) + offset) % n
    n_unseen, head, tail, stamp = n, 0, 1, np.int64(2)
    while head < tail:
        place = queue[head]
        head += 1
        node, drops = place // 2, place % 2 == 1
        if drops != ends_with_add and node != goal and (near_goal[node] == 1) == drops:
            path = _walk(came_from, place, goal)
            if _is_legal(path):
                return path
        stamp += 2
        if drops:
            for other in list_neighbors(edits, node, marks, stamp, only_extra):
                if came_from[2 * other] < 0:
                    came_from[2 * other] = place
                    queue[tail] = 2 * other
                    tail += 1
            continue
        mark_neighbors(edits, node, marks, stamp)
        kept = 0
        for other in unseen[:n_unseen]:
            if other == node or marks[other] == stamp:
                unseen[kept] = other
                kept += 1
            elif came_from[2 * other + 1] < 0:
                came_from[2 * other + 1] = place
                queue[tail] = 2 * other + 1
                tail += 1
        n_unseen = kept
    return np.empty(0, np.int64)


@njit
def _walk(came_from, place, goal):
    nodes = [np.int64(goal), place // 2]
    while came_from[place] != place:
        place = came_from[place]
        nodes.append(place // 2)
    return np.array(nodes[::-1])


@njit
def _is_legal(path):
    """Whether no pair is used twice."""
    for first in range(len(path) - 1):
        if path[first] == path[first + 1]:
            return False
        for second in range(first + 2, len(path) - 1, 2):
            a, b, c, d = path[first], path[first + 1], path[second], path[second + 1]
            if (a == c and b == d) or (a == d and b == c):
                return False
    return True


@njit
def follow_path(edits, path, adds):
    """Do the edits of an alternating path; drops come first, to make room."""
    for turn in range(2):
        for place in range(len(path) - 1):
            if (place % 2 == 0) == adds:
                if turn == 1:
                    add_edge(edits, path[place], path[place + 1])
            elif turn == 0:
                drop_edge(edits, path[place], path[place + 1])


@njit
def settle(edits, need, only_extra, state, attempts):
    """Bring needs that are left to nothing by alternating paths; how many stay."""
    n = len(need)
    open_nodes = np.flatnonzero(need)
    failures = 0
    while len(open_nodes) and failures < attempts:
        start = open_nodes[below(state, len(open_nodes))]
        adds = need[start] > 0
        goal = _partner(need, open_nodes, start, state)
        ends = need[goal] > 0
        path = alternating_path(
            edits, start, goal, adds, ends, only_extra, below(state, n)
        )
        if not len(path):
            failures += 1
            continue
        follow_path(edits, path, adds)
        need[start] -= 1 if adds else -1
        need[goal] -= 1 if ends else -1
        open_nodes = open_nodes[need[open_nodes] != 0]
    return np.abs(need).sum()


@njit
def _partner(need, open_nodes, start, state):
    """Another node to settle; one of the other sign if there is one."""
    sign = 1 if need[start] > 0 else -1
    others = open_nodes[need[open_nodes] * sign < 0]
    if len(others):
        return others[below(state, len(others))]
    others = open_nodes if need[start] * sign > 1 else open_nodes[open_nodes != start]
    return others[below(state, len(others))]
