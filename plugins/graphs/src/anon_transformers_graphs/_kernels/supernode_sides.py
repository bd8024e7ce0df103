"""Two super-nodes: how their nodes are divided best.

A pair of super-nodes of ``a`` and ``b`` nodes with ``c`` edges between them stands for
``C(a b, c)`` possibilities, one super-node with ``c`` edges inside for ``C(a (a-1) / 2,
c)``. Pairs without an edge stand for one only, so that they need not be looked at. The
two super-nodes are called *sides*; the others stay as they are.
"""

import math
from typing import NamedTuple

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs._kernels.degree_chance import below

SMALL = 48
"""Up to so many nodes every exchange of two is tried."""
TRIES = 3
"""Exchanges tried for a node where there are more."""
PASSES = 8
TINY = 1e-9


class Division(NamedTuple):
    """A graph whose nodes are divided into super-nodes, and room to work in.

    Attributes
    ----------
    lists : pair of int arrays
        Where the list of neighbours of each node starts, and the lists, each sorted.
    logs : float64 array
        Logarithms of factorials.
    k : int
        Fewest nodes of a super-node.
    block, sizes : int64 arrays
        Super-node of each node, and nodes of each super-node; changed in place.
    marks : int64 array
        Zeros, one a node.
    work : tuple of int64 arrays
        Room for what :func:`open_sides` and moves count.
    """

    lists: tuple[np.ndarray, np.ndarray]
    logs: np.ndarray
    k: int
    block: np.ndarray
    sizes: np.ndarray
    marks: np.ndarray
    work: tuple[np.ndarray, ...]


def new_division(
    lists: tuple[np.ndarray, np.ndarray], logs: np.ndarray, k: int
) -> Division:
    """All nodes in one super-node."""
    n = len(lists[0]) - 1
    room = n // k + 1
    met = np.empty(2 * int(np.diff(lists[0]).max(initial=0)) + 2, dtype=np.int64)
    links, near = np.zeros((2, room), dtype=np.int64), np.empty(room, dtype=np.int64)
    own, changed = np.zeros(room, dtype=np.int64), np.empty(5, dtype=np.int64)
    block, sizes = np.zeros(n, dtype=np.int64), np.zeros(room, dtype=np.int64)
    sizes[0] = n
    work = links, near, own, met, changed, np.empty_like(met)
    return Division(lists, logs, k, block, sizes, np.zeros_like(block), work)


def close_gaps(division: Division) -> int:
    """Number super-nodes from 0 on, after some were dissolved; how many there are."""
    held, block = np.unique(division.block, return_inverse=True)
    division.block[:] = block
    division.sizes[:] = np.bincount(block, minlength=len(division.sizes))
    return len(held)


@njit
def pair_score(division, nodes, side):
    """Logarithm of the possibilities that two super-nodes stand for."""
    links, near = division.work[0], division.work[1]
    inner = np.empty(5, dtype=np.int64)
    n_near = open_sides(division.lists, division.block, nodes, side, links, near, inner)
    score = score_of(division.logs, division.sizes, links, near, n_near, inner)
    close_sides(links, near, n_near)
    return score


@njit
def log_choose(logs, total, taken):
    """Logarithm of a binomial coefficient; ``logs`` are logarithms of factorials."""
    if taken <= 0 or taken >= total:
        return 0.0
    if total < len(logs):
        return logs[total] - logs[taken] - logs[total - taken]
    rest = math.lgamma(taken + 1.0) + math.lgamma(total - taken + 1.0)
    return math.lgamma(total + 1.0) - rest


@njit
def open_sides(lists, block, nodes, side, links, near, inner):
    """Count the edges of two sides: to all others (``links``), and to each other.

    ``near`` gets the other super-nodes that have one; how many is returned. ``inner``
    gets the nodes of both sides, and the edges inside the one, the other and between.
    """
    indptr, indices = lists
    inner[:] = 0
    n_near = 0
    for node in nodes:
        here = 0 if block[node] == side[0] else 1
        inner[here] += 1
        for i in range(indptr[node], indptr[node + 1]):
            other = block[indices[i]]
            if other == side[here]:
                # Seen from both ends.
                inner[2 + here] += 1
            elif other == side[1 - here]:
                inner[4] += 1
            else:
                if links[0, other] + links[1, other] == 0:
                    near[n_near] = other
                    n_near += 1
                links[here, other] += 1
    inner[2:] //= 2
    return n_near


@njit
def close_sides(links, near, n_near):
    for i in range(n_near):
        links[:, near[i]] = 0


@njit
def _inside(logs, a, b, in_a, in_b, between):
    both = log_choose(logs, a * (a - 1) // 2, in_a)
    both += log_choose(logs, b * (b - 1) // 2, in_b)
    return both + log_choose(logs, a * b, between)


@njit
def score_of(logs, sizes, links, near, n_near, inner):
    """Logarithm of the possibilities that the two sides stand for."""
    total = _inside(logs, inner[0], inner[1], inner[2], inner[3], inner[4])
    for i in range(n_near):
        other = near[i]
        total += log_choose(logs, inner[0] * sizes[other], links[0, other])
        total += log_choose(logs, inner[1] * sizes[other], links[1, other])
    return total


@njit
def _own_links(lists, block, side, node, sign, own, met, n_met):
    """Add the edges of a node to ``own``, by super-node; to the sides they are told."""
    indptr, indices = lists
    to_first, to_second = 0, 0
    for i in range(indptr[node], indptr[node + 1]):
        other = block[indices[i]]
        if other == side[0]:
            to_first += 1
        elif other == side[1]:
            to_second += 1
        else:
            if own[other] == 0:
                met[n_met] = other
                n_met += 1
            own[other] += sign
    return to_first, to_second, n_met


@njit
def _after_move(inner, here, to_here, to_there, changed):
    """What ``inner`` is once a node of one side has gone to the other."""
    changed[:] = inner
    changed[here] -= 1
    changed[1 - here] += 1
    changed[2 + here] -= to_here
    changed[3 - here] += to_there
    changed[4] += to_here - to_there


@njit
def _move_pass(lists, logs, block, nodes, side, sizes, work, n_near, inner, rule):
    """Move nodes to the other side where that gains; whether one was moved."""
    links, near, own, met, changed, _ = work
    least, whole, k = rule
    now = score_of(logs, sizes, links, near, n_near, inner)
    moved = False
    for node in nodes:
        here = 0 if block[node] == side[0] else 1
        if inner[here] <= least:
            continue
        if (inner[here] - 1) // k + (inner[1 - here] + 1) // k < whole:
            continue
        ties = _own_links(lists, block, side, node, 1, own, met, 0)
        n_met = ties[2]
        _after_move(inner, here, ties[here], ties[1 - here], changed)
        for i in range(n_met):
            links[here, met[i]] -= own[met[i]]
            links[1 - here, met[i]] += own[met[i]]
        then = score_of(logs, sizes, links, near, n_near, changed)
        if then < now - TINY:
            now, moved = then, True
            inner[:] = changed
            block[node] = side[1 - here]
        else:
            for i in range(n_met):
                links[here, met[i]] += own[met[i]]
                links[1 - here, met[i]] -= own[met[i]]
        for i in range(n_met):
            own[met[i]] = 0
    return moved


@njit
def _joined(lists, one, other):
    indptr, indices = lists
    low, high = indptr[one], indptr[one + 1]
    at = low + np.searchsorted(indices[low:high], other)
    return 1 if at < high and indices[at] == other else 0


@njit
def _swap(lists, logs, block, one, other, side, sizes, work, inner):
    """Exchange a node of the first side and one of the second if that gains."""
    links, _, own, met, changed, steps = work
    a, b, n_met = _own_links(lists, block, side, one, -1, own, met, 0)
    c, d, n_met = _own_links(lists, block, side, other, 1, own, met, n_met)
    joined = _joined(lists, one, other)
    changed[:] = inner
    changed[2] += c - joined - a
    changed[3] += b - joined - d
    changed[4] += inner[2] + inner[3] - changed[2] - changed[3]
    gain = _inside(logs, inner[0], inner[1], inner[2], inner[3], inner[4])
    gain -= _inside(logs, inner[0], inner[1], changed[2], changed[3], changed[4])
    for i in range(n_met):
        # A super-node may be met twice; the second time nothing is left to count.
        at, steps[i] = met[i], own[met[i]]
        own[at] = 0
        first, second = inner[0] * sizes[at], inner[1] * sizes[at]
        gain += log_choose(logs, first, links[0, at])
        gain += log_choose(logs, second, links[1, at])
        gain -= log_choose(logs, first, links[0, at] + steps[i])
        gain -= log_choose(logs, second, links[1, at] - steps[i])
    if gain <= TINY:
        return False
    for i in range(n_met):
        links[0, met[i]] += steps[i]
        links[1, met[i]] -= steps[i]
    inner[:] = changed
    block[one], block[other] = side[1], side[0]
    return True


@njit
def _swap_pass(lists, logs, block, nodes, side, sizes, work, inner, state):
    """Exchange nodes of the two sides where that gains; whether any were."""
    swapped = False
    n = len(nodes)
    for i in range(n):
        for j in range(i + 1, n if n <= SMALL else min(n, i + 1 + TRIES)):
            one, other = nodes[i], nodes[j if n <= SMALL else below(state, n)]
            if block[one] == block[other]:
                continue
            if block[one] == side[1]:
                one, other = other, one
            if _swap(lists, logs, block, one, other, side, sizes, work, inner):
                swapped = True
    return swapped


@njit
def divide(division, nodes, side, state):
    """Improve how ``nodes`` are divided between two super-nodes.

    Returned is the logarithm of the possibilities that the two stand for.
    """
    lists, logs, k, block, sizes, _, work = division
    links, near = work[0], work[1]
    inner = np.empty(5, dtype=np.int64)
    n_near = open_sides(lists, block, nodes, side, links, near, inner)
    total = len(nodes)
    # A large part stays a large part: a search in slices of k would take for ever.
    least = max(k, total // 4)
    whole = total // k if total < 8 * k else total // k - 1
    rule = (least, whole, k)
    for _ in range(PASSES):
        moved = _move_pass(
            lists, logs, block, nodes, side, sizes, work, n_near, inner, rule
        )
        swapped = _swap_pass(lists, logs, block, nodes, side, sizes, work, inner, state)
        if not (moved or swapped):
            break
    sizes[side[0]], sizes[side[1]] = inner[0], inner[1]
    score = score_of(logs, sizes, links, near, n_near, inner)
    close_sides(links, near, n_near)
    return score
