"""Which balls are isomorphic, root on root.

A ball without its root is a bag of components, so two balls are isomorphic if their
components can be paired. Components are paired one after the other, whichever comes
first: what is isomorphic to the same is isomorphic.
"""

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs.queries._kernels.balls import open_ball
from anon_transformers_graphs.queries._kernels.shapes import (
    FOUND,
    NONE,
    RUNNING,
    isomorphic,
    mixed,
    mixed_pair,
    most_rounds,
    n_distinct,
    next_colors,
)

LONE, COMPONENT = 1, 2
"""What a number of a ball is about, so that a label is never taken for a component."""
NEXT, SHAPES, FIRST_SHAPE, SHAPE, LAID, PAIRED, TRIED = range(7)
"""Places in the state of a split."""


def new_state() -> np.ndarray:
    """The state of a split that has not begun."""
    state = np.zeros(7, dtype=np.int64)
    state[[SHAPE, LAID, PAIRED]] = -1
    return state


@njit
def _refine(table, seat, budget):
    """Refine the colors of a ball, and mark each component with all it holds."""
    first, n_core = seat * table.width, table.counts[seat, 0]
    colors = table.colors[first : first + n_core]
    fresh, held = table.fresh[:n_core], table.held[:n_core]
    lists = table.indptr, table.indices
    entries = table.indptr[first + n_core] - table.indptr[first]
    n_colors = n_distinct(colors, held)
    for _ in range(most_rounds(n_core, entries)):
        if n_colors == n_core:
            break
        next_colors(lists, first, n_core, colors, fresh)
        colors[:] = fresh
        budget[0] -= entries + n_core
        found = n_distinct(colors, held)
        if found == n_colors:
            break
        n_colors = found
    for i in range(first, first + table.counts[seat, 2]):
        total = np.uint64(0)
        for node in range(table.starts[i], table.starts[i + 1]):
            total += mixed(table.colors[node])
        table.marks[i] = np.int64(mixed(total))


@njit("Lists, int64[::1], int64, Walk, BallTable, int64[::1], int64, int64[::1]")
def ball_marks(lists, roots, radius, walk, table, marks, start, budget):
    """One number for each ball from the place ``start`` on; isomorphic ones share it.

    Returns the place to go on from when the budget is used up.
    """
    for place in range(start, len(roots)):
        open_ball(lists, roots[place], radius, walk, table, 0, budget)
        _refine(table, 0, budget)
        total = mixed(lists.labels[roots[place]])
        for label in table.lone[: table.counts[0, 1]]:
            total += mixed_pair(label, LONE)
        for mark in table.marks[: table.counts[0, 2]]:
            total += mixed_pair(mark, COMPONENT)
        marks[place] = np.int64(total)
        if budget[0] <= 0:
            return place + 1
    return len(roots)


@njit
def _lay(lists, root, radius, walk, table, seat, budget):
    """Lay a ball on the table, with all that is sorted for a comparison."""
    open_ball(lists, root, radius, walk, table, seat, budget)
    _refine(table, seat, budget)
    first, counts = seat * table.width, table.counts[seat]
    table.lone[first : first + counts[1]].sort()
    order = np.argsort(table.marks[first : first + counts[2]], kind="mergesort")
    table.order[first : first + counts[2]] = order + first


@njit
def _may_agree(table):
    """Whether two balls agree in all that is counted and need not be compared."""
    width = table.width
    if not np.array_equal(table.counts[0], table.counts[1]):
        return False
    for i in range(table.counts[0, 1]):
        if table.lone[i] != table.lone[width + i]:
            return False
    for i in range(table.counts[0, 2]):
        if table.marks[table.order[i]] != table.marks[table.order[width + i]]:
            return False
    return True


@njit
def _pair_components(table, search, state, budget):
    """Find a component of the first ball for each of the second, one after the other.

    Returns FOUND, NONE, or RUNNING if the budget is used up.
    """
    lists, order, starts = (table.indptr, table.indices), table.order, table.starts
    n_components, width = table.counts[0, 2], table.width
    while state[PAIRED] < n_components:
        yours = order[width + state[PAIRED]]
        if state[TRIED] == n_components:
            return NONE
        mine = order[state[TRIED]]
        if table.marks[mine] != table.marks[yours]:
            return NONE
        size = starts[yours + 1] - starts[yours]
        status = NONE
        if starts[mine + 1] - starts[mine] == size:
            firsts = (starts[mine], starts[yours])
            status = isomorphic(
                lists, firsts, size, table.kinds, table.colors, search, budget
            )
        if status == FOUND:
            order[state[TRIED]], order[state[PAIRED]] = order[state[PAIRED]], mine
            state[PAIRED] += 1
            state[TRIED] = state[PAIRED]
        elif status == NONE:
            state[TRIED] += 1
        if budget[0] <= 0 and state[PAIRED] < n_components:
            return RUNNING
    return FOUND


@njit
def _compare(lists, roots, radius, walk, table, search, firsts, state, budget):
    """Compare the ball under way with the first one of the shape under way."""
    if state[LAID] != state[SHAPE]:
        first = firsts[state[SHAPE]]
        _lay(lists, roots[first], radius, walk, table, 0, budget)
        state[LAID] = state[SHAPE]
    if state[PAIRED] < 0:
        if not _may_agree(table):
            return NONE
        state[PAIRED] = state[TRIED] = 0
    status = _pair_components(table, search, state, budget)
    if status != RUNNING:
        state[PAIRED] = -1
    return status


@njit
def _settle(place, shapes, firsts, state):
    """Note the shape of a ball: the one under way, which may be a new one."""
    shape = state[SHAPE]
    if shape == state[SHAPES]:
        firsts[shape] = place
        state[SHAPES] += 1
    shapes[place] = shape
    state[NEXT] += 1
    state[SHAPE] = -1


@njit(
    "Lists, int64[::1], int64[::1], int64, Walk, BallTable, IsomorphismSearch, "
    "int64[::1], int64[::1], int64[::1], int64[::1]"
)
def split_by_shape(
    lists, roots, buckets, radius, walk, table, search, shapes, firsts, state, budget
):
    """Number the shapes of the balls of ``roots``, which are sorted by bucket.

    ``shapes`` is written, and ``firsts``, the place of the first ball of each shape.
    ``state`` holds the place under way, the shapes so far and the first one of this
    bucket; the shape that the ball is compared with, -1 before the ball is laid out,
    and the shape that lies beside it; how many components are paired, -1 before any is
    looked at, and which one is tried. Returns whether all are done; if not, call again.
    """
    while state[NEXT] < len(roots):
        place = state[NEXT]
        if state[SHAPE] < 0:
            if place == 0 or buckets[place] != buckets[place - 1]:
                state[FIRST_SHAPE] = state[SHAPES]
            state[SHAPE] = state[FIRST_SHAPE]
            state[PAIRED] = -1
            if state[SHAPE] < state[SHAPES]:
                _lay(lists, roots[place], radius, walk, table, 1, budget)
        status = FOUND
        if state[SHAPE] < state[SHAPES]:
            status = _compare(
                lists, roots, radius, walk, table, search, firsts, state, budget
            )
        if status == FOUND:
            _settle(place, shapes, firsts, state)
        elif status == NONE:
            state[SHAPE] += 1
        if budget[0] <= 0:
            return state[NEXT] == len(roots)
    return True
