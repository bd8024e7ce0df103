"""Whether two small graphs are isomorphic: guess a pair of nodes, refine, go on.

Colors that isomorphic graphs must share are refined until no color splits any more.
Then a node of one graph is matched to one of the other of its color, which splits
further colors. A guess that was wrong is taken back. Whatever is found is verified
node by node and edge by edge; colors are hashes, and equal ones by accident cost time
only.

A comparison can be interrupted: it keeps everything in arrays that the caller owns, and
a budget of entries looked at says when to come back. Only the caller looks at the
clock.

Hashes are without signs: where signed numbers overflow, compiled code may do anything,
and does.
"""

from typing import NamedTuple

import numpy as np

from anon_transformers.jit import njit

ODD = np.uint64(0x9E3779B97F4A7C15)
ODDER = np.uint64(0xBF58476D1CE4E5B9)


@njit
def mixed(value):
    """Another number for each whole number; whatever is alike in two is gone."""
    value = np.uint64(value) + ODD
    value = (value ^ (value >> np.uint64(30))) * ODDER
    value = (value ^ (value >> np.uint64(27))) * ODD
    return value ^ (value >> np.uint64(31))


@njit
def mixed_pair(one, other):
    """A number for two whole numbers, which may not change places."""
    return mixed(np.uint64(one) * ODDER + np.uint64(other))


RUNNING, NONE, FOUND = -1, 0, 1
FEWEST_ROUNDS = 8
MOST_WORK = 1 << 25
"""Entries after which a refinement ends although it could distinguish more nodes."""


class IsomorphismSearch(NamedTuple):
    """Room for a comparison, and how far it is.

    ``mine`` and ``yours`` are the pairs guessed so far. ``state`` holds their number,
    -1 before the comparison begins, and whether the last of them is known to be wrong.
    The rest is scratch.
    """

    mine: np.ndarray
    yours: np.ndarray
    state: np.ndarray
    now: np.ndarray
    fresh: np.ndarray
    held: np.ndarray
    marks: np.ndarray
    image: np.ndarray


def new_search(most_nodes: int) -> IsomorphismSearch:
    """Room to compare graphs of so many nodes at most."""
    mine, yours, marks, image = np.zeros((4, most_nodes), dtype=np.int64)
    now, fresh, held = np.zeros((3, 2 * most_nodes), dtype=np.int64)
    state = np.array([-1, 0], dtype=np.int64)
    return IsomorphismSearch(mine, yours, state, now, fresh, held, marks, image)


@njit
def most_rounds(size, entries):
    """Rounds that a refinement may take: as many for graphs that are isomorphic."""
    return max(FEWEST_ROUNDS, MOST_WORK // max(size + entries, 1))


@njit
def next_colors(lists, first, size, colors, fresh):
    """One round of refinement of a graph whose nodes are numbered from ``first`` on."""
    indptr, indices = lists
    for i in range(size):
        total = np.uint64(0)
        for at in range(indptr[first + i], indptr[first + i + 1]):
            total += mixed(colors[indices[at] - first])
        fresh[i] = np.int64(mixed_pair(colors[i], total))


@njit
def n_distinct(colors, held):
    """How many colors there are; ``held`` gets them sorted."""
    held[:] = colors
    held.sort()
    found = min(len(held), 1)
    for i in range(1, len(held)):
        found += held[i] != held[i - 1]
    return found


@njit
def _alike(colors, size, held):
    """How many colors two graphs have, or -1 if they differ."""
    found = n_distinct(colors[:size], held[:size])
    n_distinct(colors[size : 2 * size], held[size : 2 * size])
    for i in range(size):
        if held[i] != held[size + i]:
            return -1
    return found


@njit
def _painted(firsts, size, colors, search, depth):
    """Colors of both graphs, and one of its own for each pair that was guessed."""
    now = search.now
    for i in range(size):
        now[i], now[size + i] = colors[firsts[0] + i], colors[firsts[1] + i]
    for i in range(depth):
        now[search.mine[i]] = now[search.yours[i]] = np.int64(mixed(i))


@njit
def _refine(lists, firsts, size, search, budget):
    """Refine the colors of two graphs; False if they turn out to differ.

    Nodes 0 to ``size`` are those of the first graph, the rest those of the second.
    """
    now, fresh, stop = search.now, search.fresh, 2 * size
    entries = lists[0][firsts[0] + size] - lists[0][firsts[0]]
    n_colors = _alike(now, size, search.held)
    for _ in range(most_rounds(size, entries)):
        if n_colors < 0:
            return False
        next_colors(lists, firsts[0], size, now[:size], fresh[:size])
        next_colors(lists, firsts[1], size, now[size:stop], fresh[size:stop])
        now[:stop] = fresh[:stop]
        budget[0] -= 2 * (entries + size)
        found = _alike(now, size, search.held)
        if found == n_colors:
            break
        n_colors = found
    return n_colors >= 0


@njit
def _fits(lists, firsts, size, kinds, search):
    """Whether nodes of one color, in any order, can be matched: edges must agree."""
    indptr, indices = lists
    marks, image = search.marks, search.image
    mine = np.argsort(search.now[:size], kind="mergesort")
    yours = np.argsort(search.now[size : 2 * size], kind="mergesort")
    for i in range(size):
        image[mine[i]] = yours[i]
        marks[i] = -1
    for node in range(size):
        here, there = firsts[0] + node, firsts[1] + image[node]
        if kinds[here] != kinds[there]:
            return False
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
    """A node of the rarest color that several nodes have; -1 if there is none."""
    order = np.argsort(colors[:size], kind="mergesort")
    best, fewest, start = -1, size + 1, 0
    for i in range(1, size + 1):
        if i == size or colors[order[i]] != colors[order[start]]:
            if 1 < i - start < fewest:
                best, fewest = order[start], i - start
            start = i
    return best


@njit
def _image_after(search, size, node, last):
    """The next node of the second graph that has the color of ``node``, or -1."""
    for other in range(last + 1, 2 * size):
        if search.now[other] == search.now[node]:
            return other
    return -1


@njit
def _go_on(lists, firsts, size, kinds, colors, search, budget):
    """Refine with all pairs that were guessed, and guess one more if that fits.

    Returns FOUND, or RUNNING; the last guess is marked as wrong if nothing fits.
    """
    depth = search.state[0]
    _painted(firsts, size, colors, search, depth)
    if depth == 0:
        # The caller has refined these already.
        agree = _alike(search.now, size, search.held) >= 0
    else:
        agree = _refine(lists, firsts, size, search, budget)
    budget[0] -= 2 * size
    node = -1
    if agree:
        budget[0] -= lists[0][firsts[0] + size] - lists[0][firsts[0]]
        if _fits(lists, firsts, size, kinds, search):
            return FOUND
        node = _choice(search.now, size)
    if node < 0:
        search.state[1] = 1
    else:
        search.mine[depth] = node
        search.yours[depth] = _image_after(search, size, node, size - 1)
        search.state[0] += 1
    return RUNNING


@njit
def _turn_back(lists, firsts, size, colors, search, budget):
    """Guess another image of the last node; without one the guess before was wrong."""
    last = search.state[0] - 1
    _painted(firsts, size, colors, search, last)
    if last:
        _refine(lists, firsts, size, search, budget)
    budget[0] -= 2 * size
    other = _image_after(search, size, search.mine[last], search.yours[last])
    if other < 0:
        search.state[0] -= 1
    else:
        search.yours[last] = other
        search.state[1] = 0


@njit
def isomorphic(lists, firsts, size, kinds, colors, search, budget):
    """Compare two graphs of ``size`` nodes, numbered from ``firsts`` on.

    Nodes of one kind fall on each other, and nodes of one color. Returns FOUND, NONE,
    or RUNNING if the budget is used up; then call again to go on.
    """
    if search.state[0] < 0:
        search.state[:] = 0
    while True:
        status = RUNNING
        if search.state[1] == 0:
            status = _go_on(lists, firsts, size, kinds, colors, search, budget)
        elif search.state[0] > 0:
            _turn_back(lists, firsts, size, colors, search, budget)
        else:
            status = NONE
        if status != RUNNING:
            search.state[0] = -1
            return status
        if budget[0] <= 0:
            return RUNNING


@njit
def twin_marks(indptr, indices, labels):
    """Two numbers per node: one for twins without an edge, one for twins with one."""
    apart = np.empty(len(labels), dtype=np.int64)
    joined = np.empty(len(labels), dtype=np.int64)
    for node in range(len(labels)):
        total = mixed_pair(labels[node], len(labels))
        for at in range(indptr[node], indptr[node + 1]):
            total += mixed(indices[at])
        apart[node] = np.int64(total)
        joined[node] = np.int64(total + mixed(node))
    return apart, joined


@njit
def _twins(indptr, indices, one, other):
    """Whether two nodes have the same neighbors; lists are sorted."""
    here, here_end = indptr[one], indptr[one + 1]
    there, there_end = indptr[other], indptr[other + 1]
    if here_end - here != there_end - there:
        return False
    while here < here_end or there < there_end:
        if here < here_end and indices[here] == other:
            here += 1
        elif there < there_end and indices[there] == one:
            there += 1
        elif here == here_end or there == there_end or indices[here] != indices[there]:
            return False
        else:
            here += 1
            there += 1
    return True


@njit
def find_twins(indptr, indices, labels, marks, order, firsts):
    """Write the first twin of each node into ``firsts``.

    ``order`` lists the nodes by mark. Nodes that share a mark by accident stay alone.
    """
    first = -1
    for node in order:
        if first < 0 or marks[node] != marks[first]:
            first = node
        elif labels[node] == labels[first] and _twins(indptr, indices, first, node):
            firsts[node] = first
