"""Which of many small graphs are isomorphic: guess a pair of nodes, refine, go on.

Colours that isomorphic graphs must share are refined until nothing is told apart any
more. Then a node of one graph is matched to one of the other of its colour, which tells
further nodes apart. A guess that was wrong is taken back. Whatever is found is verified
edge by edge; colours are hashes, and equal ones by accident cost time only.
"""

import numpy as np

from anon_transformers.jit import njit

RUNNING, NONE, FOUND = -1, 0, 1
ODD = np.int64(-7046029254386353131)
ODDER = np.int64(-4658895280553007687)


@njit
def _mixed(value):
    value = (value ^ (value >> 30)) * ODDER
    value = (value ^ (value >> 27)) * ODD
    return value ^ (value >> 31)


@njit
def _refine(lists, firsts, size, colors, fresh):
    """Refine the colours of two graphs; False if they turn out to differ.

    Nodes 0 to ``size`` are those of the first graph, the rest those of the second.
    """
    indptr, indices = lists
    n_colors = len(np.unique(colors[:size]))
    while True:
        for half in range(2):
            offset = half * size - firsts[half]
            for i in range(half * size, half * size + size):
                total = np.int64(0)
                for at in range(indptr[i - offset], indptr[i - offset + 1]):
                    total += _mixed(colors[indices[at] + offset] + ODD)
                fresh[i] = _mixed(colors[i] * ODDER + total)
        colors[:] = fresh
        held = np.sort(colors[:size])
        if not np.array_equal(held, np.sort(colors[size:])):
            return False
        found = 1 + int(np.count_nonzero(held[1:] != held[:-1]))
        if found == n_colors:
            return True
        n_colors = found


@njit
def _fits(lists, firsts, size, colors, marks):
    """Whether nodes of one colour, in any order, can be matched: edges must agree."""
    indptr, indices = lists
    mine = np.argsort(colors[:size], kind="mergesort")
    yours = np.argsort(colors[size:], kind="mergesort")
    image = np.empty(size, dtype=np.int64)
    image[mine] = yours
    for node in range(size):
        here, there = firsts[0] + node, firsts[1] + image[node]
        if indptr[here + 1] - indptr[here] != indptr[there + 1] - indptr[there]:
            return False
        for at in range(indptr[there], indptr[there + 1]):
            marks[indices[at] - firsts[1]] = node
        for at in range(indptr[here], indptr[here + 1]):
            if marks[image[indices[at] - firsts[0]]] != node:
                return False
    return True


@njit
def _choice(colors, size):
    """A node of the rarest colour that several nodes have; -1 if there is none."""
    order = np.argsort(colors[:size], kind="mergesort")
    best, fewest, start = -1, size + 1, 0
    for i in range(1, size + 1):
        if i == size or colors[order[i]] != colors[order[start]]:
            if 1 < i - start < fewest:
                best, fewest = order[start], i - start
            start = i
    return best


@njit
def isomorphic(lists, firsts, size, colors, budget):
    """Compare two graphs of ``size`` nodes, numbered from ``firsts`` on.

    Returns FOUND, NONE, or RUNNING if ``budget`` guesses did not do.
    """
    base = np.empty(2 * size, dtype=np.int64)
    base[:size] = colors[firsts[0] : firsts[0] + size]
    base[size:] = colors[firsts[1] : firsts[1] + size]
    now, fresh = base.copy(), base.copy()
    marks = np.full(size, -1, dtype=np.int64)
    mine = np.empty(size, dtype=np.int64)
    yours = np.empty(size, dtype=np.int64)
    depth = 0
    while budget > 0:
        budget -= 1
        now[:] = base
        for i in range(depth):
            now[mine[i]] = now[yours[i]] = _mixed(np.int64(i) * ODD + 1)
        marks[:] = -1
        node = -1
        if _refine(lists, firsts, size, now, fresh):
            if _fits(lists, firsts, size, now, marks):
                return FOUND
            node = _choice(now, size)
        if node >= 0:
            mine[depth], yours[depth] = node, size - 1
            depth += 1
        # The next node of the colour, or the next one of an earlier guess.
        while depth > 0:
            found = _next_guess(
                lists, firsts, size, base, now, fresh, mine, yours, depth
            )
            if found >= 0:
                yours[depth - 1] = found
                break
            depth -= 1
        if depth == 0:
            return NONE
    return RUNNING


@njit
def _next_guess(lists, firsts, size, base, now, fresh, mine, yours, depth):
    """The next node that may be the image of the last one that was chosen."""
    now[:] = base
    for i in range(depth - 1):
        now[mine[i]] = now[yours[i]] = _mixed(np.int64(i) * ODD + 1)
    _refine(lists, firsts, size, now, fresh)
    for other in range(yours[depth - 1] + 1, 2 * size):
        if now[other] == now[mine[depth - 1]]:
            return other
    return -1


@njit
def split_by_shape(
    balls, starts, colors, members, buckets, shapes, firsts, state, budget
):
    """Number the shapes of ``members``, which are balls sorted by bucket.

    Balls of one bucket have as many nodes. ``shapes`` is written, and ``firsts``, the
    first ball of each shape. ``state`` holds the member under way, the shapes so far,
    and the first shape of the bucket. Returns whether all are done; if not, a
    comparison needs more than ``budget`` guesses.
    """
    while state[0] < len(members):
        at = state[0]
        ball = members[at]
        if at == 0 or buckets[ball] != buckets[members[at - 1]]:
            state[2] = state[1]
        shape = state[2]
        # Shapes are numbered in turn: ``firsts`` has the first ball of each.
        while shape < state[1]:
            pair = (starts[ball], starts[firsts[shape]])
            size = starts[ball + 1] - starts[ball]
            status = isomorphic(balls, pair, size, colors, budget)
            if status == RUNNING:
                return False
            if status == FOUND:
                break
            shape += 1
        if shape == state[1]:
            firsts[shape] = ball
            state[1] += 1
        shapes[ball] = shape
        state[0] += 1
    return True
