"""Havel and Hakimi's graph, and swaps of two edges that bring originals back."""

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs.degrees._kernels.edits import (
    add_edge,
    drop_edge,
    is_edge,
)


@njit
def havel_hakimi(degrees: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Edges of a graph with these degrees, which must be graphical.

    Parameters
    ----------
    degrees : int64 array
        One degree per node.
    order : int64 array
        Nodes, highest degree first.

    Returns
    -------
    int32 array of shape (n_edges, 2)
        The node of highest degree takes those after it as neighbors, again and
        again; time grows linearly with the edges.
    """
    left, order = degrees.copy(), order.copy()
    edges = np.empty((degrees.sum() // 2, 2), np.int32)
    n, count = len(degrees), 0
    for head in range(n):
        node = order[head]
        many = left[node]
        if many == 0:
            break
        # Those that lose one and are as high as the first that does not must stand
        # last among their equals, or the order would break.
        lowest = left[order[head + many]]
        first = _first_not_above(left, order, head + 1, lowest)
        last = _first_not_above(left, order, head + 1, lowest - 1)
        equals = head + many + 1 - first
        for turn in range(many):
            place = head + 1 + turn
            if place >= first:
                place = last - equals + (place - first)
            other = order[place]
            left[other] -= 1
            edges[count, 0], edges[count, 1] = node, other
            count += 1
        left[node] = 0
    return edges


@njit
def _first_not_above(left, order, low, value):
    """First place from ``low`` on whose node is short of no more than ``value``."""
    high = len(order)
    while low < high:
        middle = (low + high) // 2
        if left[order[middle]] > value:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def restore(edits, budget: int):
    """Swap pairs of edges as long as that brings back more originals than it takes.

    For a missing original (a, b), edges (a, x) and (b, y) become (a, b) and (x, y).
    That gains only if one of the two at least is not original. Swaps that bring two
    originals back and take none are done first. Degrees stay as they are.

    Parameters
    ----------
    edits : Edits
        Changed in place.
    budget : int
        Pairs (x, y) that are looked at for one missing edge at most.
    """
    marks = np.full(len(edits.n_extra), -1, np.int64)
    stamp = 0
    changed = True
    while changed:
        changed = False
        for gain in (2, 1):
            for a in range(len(edits.n_missing)):
                place = 0
                while place < edits.n_missing[a]:
                    b = np.int64(edits.missing[edits.starts[a] + place])
                    stamp += 1
                    done = a < b and (
                        _swap_two(edits, a, b, marks, stamp, budget)
                        or (gain == 1 and _swap_single(edits, a, b, budget))
                    )
                    # The list closes the gap that a restored edge leaves.
                    if done:
                        changed = True
                    else:
                        place += 1


@njit
def _swap_two(edits, a, b, marks, stamp, budget):
    """Restore (a, b) and another missing edge in place of two extra ones."""
    start = edits.extra_starts[b]
    for place in range(start, start + edits.n_extra[b]):
        marks[edits.extra[place]] = stamp
    start, looked = edits.extra_starts[a], 0
    for place in range(start, start + edits.n_extra[a]):
        x = np.int64(edits.extra[place])
        for there in range(edits.starts[x], edits.starts[x] + edits.n_missing[x]):
            y = np.int64(edits.missing[there])
            if marks[y] == stamp:
                _swap(edits, a, b, x, y)
                return True
            looked += 1
            if looked > budget:
                return False
    return False


@njit
def _swap_single(edits, a, b, budget):
    """Restore (a, b) by any swap that gains one edge."""
    return (
        _swap_one(edits, a, b, budget)
        or _swap_kept(edits, a, b, budget)
        or _swap_kept(edits, b, a, budget)
    )


@njit
def _swap_one(edits, a, b, budget):
    """Restore (a, b) in place of two extra edges that become another one."""
    start_a, start_b, looked = edits.extra_starts[a], edits.extra_starts[b], 0
    for place in range(start_a, start_a + edits.n_extra[a]):
        x = np.int64(edits.extra[place])
        for there in range(start_b, start_b + edits.n_extra[b]):
            y = np.int64(edits.extra[there])
            if x != y and not is_edge(edits, x, y):
                _swap(edits, a, b, x, y)
                return True
            looked += 1
            if looked > budget:
                return False
    return False


@njit
def _swap_kept(edits, a, b, budget):
    """Restore (a, b) and another in place of an extra edge and an original one."""
    start, looked = edits.extra_starts[a], 0
    for place in range(start, start + edits.n_extra[a]):
        x = np.int64(edits.extra[place])
        for there in range(edits.starts[x], edits.starts[x] + edits.n_missing[x]):
            y = np.int64(edits.missing[there])
            if y != b and is_edge(edits, b, y):
                _swap(edits, a, b, x, y)
                return True
            looked += 1
            if looked > budget:
                return False
    return False


@njit
def _swap(edits, a, b, x, y):
    drop_edge(edits, a, x)
    drop_edge(edits, b, y)
    add_edge(edits, a, b)
    add_edge(edits, x, y)
