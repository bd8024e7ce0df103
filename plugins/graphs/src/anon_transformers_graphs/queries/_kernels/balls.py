"""Balls: the subgraphs of all nodes within a distance of a root.

Balls are opened one at a time on a table with two seats, so that memory does not grow
with their number. The root is left out: it is known, and without it a ball falls apart
into *components*, and into *lone* nodes that have no other neighbor in the ball.
"""

from typing import NamedTuple

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs.queries._kernels.shapes import mixed_pair

LAST_STAMP = 2**31 - 1


class Lists(NamedTuple):
    """A graph: lists of neighbors, and lists that hold each edge once.

    Edges lie at the end of lower degree, for that makes the longest list short: to look
    at all members of a ball does not take all neighbors of a hub.
    """

    indptr: np.ndarray
    indices: np.ndarray
    once_indptr: np.ndarray
    once_indices: np.ndarray
    labels: np.ndarray


class Walk(NamedTuple):
    """Room for the walk through a ball; ``stamp`` marks the nodes of one walk."""

    seen: np.ndarray
    queue: np.ndarray
    far: np.ndarray
    place: np.ndarray
    stamp: np.ndarray


class BallTable(NamedTuple):
    """Two balls, side by side in the same arrays.

    Nodes of the second have numbers from ``width`` on, its entries places from the
    middle of ``indices`` on. ``counts`` has nodes in components, lone nodes, components
    and nodes in all of each ball; ``kinds`` a node's labels and whether it is a
    neighbor of the root; ``lone`` the labels of lone nodes. Components begin at
    ``starts`` and are listed in ``order``. The rest is scratch.
    """

    width: int
    indptr: np.ndarray
    indices: np.ndarray
    kinds: np.ndarray
    colors: np.ndarray
    lone: np.ndarray
    starts: np.ndarray
    marks: np.ndarray
    order: np.ndarray
    counts: np.ndarray
    pairs: np.ndarray
    parents: np.ndarray
    degrees: np.ndarray
    sizes: np.ndarray
    entries: np.ndarray
    numbers: np.ndarray
    fresh: np.ndarray
    held: np.ndarray


def new_walk(n_nodes: int) -> Walk:
    """Room for walks through a graph of ``n_nodes``."""
    seen, queue, far, place = np.zeros((4, n_nodes), dtype=np.int32)
    return Walk(seen, queue, far, place, np.zeros(1, dtype=np.int64))


def new_table(most_nodes: int, most_entries: int) -> BallTable:
    """Room for two balls of so many nodes, and entries in lists, as there are at most.

    Parameters
    ----------
    most_nodes : int
        The root counted.
    most_entries : int
        Twice the edges.
    """
    width = most_nodes + 1
    both = [np.zeros(2 * width, dtype=np.int64) for _ in range(7)]
    indptr, kinds, colors, lone, starts, marks, order = both
    scratch = [np.zeros(width, dtype=np.int64) for _ in range(7)]
    indices = np.zeros(2 * most_entries, dtype=np.int32)
    pairs = np.zeros((most_entries // 2, 2), dtype=np.int32)
    counts = np.zeros((2, 4), dtype=np.int64)
    return BallTable(
        width, indptr, indices, kinds, colors, lone, starts, marks, order, counts,
        pairs, *scratch,
    )  # fmt: skip


@njit
def edges_once(indptr, indices):
    """Lists that hold each edge once, at the end of lower degree."""
    n_nodes = len(indptr) - 1
    once_indptr = np.zeros(n_nodes + 1, dtype=np.int64)
    once_indices = np.empty(len(indices) // 2, dtype=np.int32)
    written = 0
    for node in range(n_nodes):
        degree = indptr[node + 1] - indptr[node]
        for at in range(indptr[node], indptr[node + 1]):
            other = indices[at]
            others = indptr[other + 1] - indptr[other]
            if degree < others or (degree == others and node < other):
                once_indices[written] = other
                written += 1
        once_indptr[node + 1] = written
    return once_indptr, once_indices


@njit
def _walk(lists, root, radius, walk, budget):
    """Write a ball's members into the queue, the root first; returns how many."""
    if walk.stamp[0] == LAST_STAMP:
        walk.seen[:] = walk.stamp[0] = 0
    walk.stamp[0] += 1
    stamp = walk.stamp[0]
    walk.queue[0], walk.far[0], walk.seen[root], walk.place[root] = root, 0, stamp, 0
    head, tail = 0, 1
    while head < tail and walk.far[head] < radius:
        node = walk.queue[head]
        start, stop = lists.indptr[node], lists.indptr[node + 1]
        for at in range(start, stop):
            neighbor = lists.indices[at]
            if walk.seen[neighbor] != stamp:
                walk.seen[neighbor], walk.place[neighbor] = stamp, tail
                walk.queue[tail], walk.far[tail] = neighbor, walk.far[head] + 1
                tail += 1
        budget[0] -= stop - start
        head += 1
    return tail


@njit
def ball_sizes(lists, roots, radius, walk, sizes, entries, start, budget):
    """Nodes of each ball, and entries in its lists, from the place ``start`` on.

    Returns the place to go on from when the budget is used up.
    """
    for place in range(start, len(roots)):
        size = _walk(lists, roots[place], radius, walk, budget)
        edges = 0
        for member in walk.queue[:size]:
            first, last = lists.once_indptr[member], lists.once_indptr[member + 1]
            for at in range(first, last):
                edges += walk.seen[lists.once_indices[at]] == walk.stamp[0]
            budget[0] -= 1 + last - first
        sizes[place], entries[place] = size, 2 * edges
        if budget[0] <= 0:
            return place + 1
    return len(roots)


@njit
def _head(parents, place):
    while parents[place] != place:
        parents[place] = parents[parents[place]]
        place = parents[place]
    return place


@njit
def _inner_edges(lists, root, size, walk, table, budget):
    """Pairs of members that are joined, their degrees, and their components.

    Members go by their place in the queue. Returns the number of pairs.
    """
    parents, degrees = table.parents, table.degrees
    for place in range(size):
        parents[place], degrees[place] = place, 0
    n_pairs = 0
    for place in range(1, size):
        member = walk.queue[place]
        first, last = lists.once_indptr[member], lists.once_indptr[member + 1]
        for at in range(first, last):
            other = lists.once_indices[at]
            if other == root or walk.seen[other] != walk.stamp[0]:
                continue
            there = walk.place[other]
            table.pairs[n_pairs, 0], table.pairs[n_pairs, 1] = place, there
            n_pairs += 1
            degrees[place] += 1
            degrees[there] += 1
            one, two = _head(parents, place), _head(parents, there)
            parents[max(one, two)] = min(one, two)
        budget[0] -= 1 + last - first
    budget[0] -= n_pairs
    return n_pairs


@njit
def _number(lists, size, walk, table, seat):
    """Number the nodes of a ball, component by component, and color them."""
    base = seat * table.width
    sizes, entries, degrees = table.sizes, table.entries, table.degrees
    sizes[:size] = 0
    entries[:size] = 0
    for place in range(1, size):
        head = _head(table.parents, place)
        sizes[head] += 1
        entries[head] += degrees[place]
    n_core = n_lone = n_components = 0
    following = table.fresh
    for place in range(1, size):
        node, head = walk.queue[place], table.parents[place]
        if degrees[place] == 0:
            table.lone[base + n_lone] = lists.labels[node]
            n_lone += 1
            continue
        if head == place:  # the first of its component
            table.starts[base + n_components] = base + n_core
            following[place] = base + n_core
            n_components += 1
            n_core += sizes[place]
        number = following[head]
        following[head] += 1
        table.numbers[place] = number
        kind = 2 * np.int64(lists.labels[node]) + (walk.far[place] == 1)
        table.kinds[number] = kind
        of_component = mixed_pair(sizes[head], entries[head])
        table.colors[number] = np.int64(mixed_pair(kind, of_component))
        table.indptr[number + 1] = degrees[place]
    table.starts[base + n_components] = base + n_core
    counts = table.counts[seat]
    counts[0], counts[1], counts[2], counts[3] = n_core, n_lone, n_components, size
    return n_core


@njit
def open_ball(lists, root, radius, walk, table, seat, budget):
    """Lay the ball of ``root`` on a seat of the table, without the root."""
    size = _walk(lists, root, radius, walk, budget)
    n_pairs = _inner_edges(lists, root, size, walk, table, budget)
    for place in range(1, size):
        table.parents[place] = _head(table.parents, place)
    n_core = _number(lists, size, walk, table, seat)
    first = seat * table.width
    indptr, cursor = table.indptr, table.fresh
    indptr[first] = seat * (len(table.indices) // 2)
    for i in range(n_core):
        cursor[i] = indptr[first + i]
        indptr[first + i + 1] += indptr[first + i]
    for at in range(n_pairs):
        one = table.numbers[table.pairs[at, 0]]
        other = table.numbers[table.pairs[at, 1]]
        table.indices[cursor[one - first]] = other
        table.indices[cursor[other - first]] = one
        cursor[one - first] += 1
        cursor[other - first] += 1
    budget[0] -= size + 2 * n_pairs
