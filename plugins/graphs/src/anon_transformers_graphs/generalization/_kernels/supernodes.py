"""Super-nodes: which division of the nodes leaves the fewest consistent graphs.

A division is split, two of its super-nodes are divided anew, or one is dissolved.
Splits and new divisions never change more than two super-nodes at a time.

A pair of super-nodes of ``a`` and ``b`` nodes with ``c`` edges between them stands for
``C(a b, c)`` possibilities, one super-node with ``c`` edges inside for ``C(a (a-1) / 2,
c)``. Pairs without an edge stand for one only, so that they need not be looked at. The
two super-nodes are called *sides*; the others stay as they are.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from anon_transformers.jit import njit, njit_nogil
from anon_transformers_graphs._kernels.random_numbers import below

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
        Where the list of neighbors of each node starts, and the lists, each sorted.
    logs : float64 array
        Logarithms of factorials.
    k : int
        Fewest nodes of a super-node.
    block, sizes : int64 arrays
        Super-node of each node, and nodes of each super-node; changed in place.
    marks : int64 array
        Zeros, one per node.
    work : tuple of int64 arrays
        Room for what :func:`open_sides` and moves count.
    """

    lists: Annotated[tuple[np.ndarray, np.ndarray], "(int64[::1], int32[::1])"]
    logs: Annotated[np.ndarray, "float64[::1]"]
    k: int
    block: Annotated[np.ndarray, "int64[::1]"]
    sizes: Annotated[np.ndarray, "int64[::1]"]
    marks: Annotated[np.ndarray, "int64[::1]"]
    work: Annotated[
        tuple[np.ndarray, ...],
        "(int64[:, ::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])",
    ]


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
    """Add the edges of a node to ``own``, by super-node; return those to the sides."""
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


HOMES = 12
"""Neighbors whose super-nodes a node may go to when its own is dissolved."""


@njit
def _cut(division, nodes, side, ranks):
    """Put the first half of the nodes, by rank, on one side, in whole shares of k."""
    shares = len(nodes) // division.k
    first = len(nodes) * (shares // 2) // shares
    order = np.argsort(ranks, kind="mergesort")
    for i in range(len(nodes)):
        division.block[nodes[order[i]]] = side[0] if i < first else side[1]


@njit
def _ranks(division, nodes, kind, state):
    """Three ways to begin: by degree, by what is shared with a node, by chance."""
    indptr, indices = division.lists
    marks = division.marks
    ranks = np.empty(len(nodes))
    for i in range(len(nodes)):
        ranks[i] = below(state, 1 << 30) / (1 << 30)
        if kind == 0:
            ranks[i] += indptr[nodes[i] + 1] - indptr[nodes[i]]
    if kind == 1:
        seed = nodes[below(state, len(nodes))]
        marks[seed] = 1
        for i in range(indptr[seed], indptr[seed + 1]):
            marks[indices[i]] = 1
        for i in range(len(nodes)):
            for j in range(indptr[nodes[i]], indptr[nodes[i] + 1]):
                ranks[i] -= marks[indices[j]]
        marks[seed] = 0
        for i in range(indptr[seed], indptr[seed + 1]):
            marks[indices[i]] = 0
    return ranks


@njit
def _best_of(division, nodes, side, kinds, score, state):
    """Divide anew from several beginnings; keep what is better than ``score``."""
    block, sizes = division.block, division.sizes
    best = block[nodes]
    for kind in kinds:
        _cut(division, nodes, side, _ranks(division, nodes, kind, state))
        found = divide(division, nodes, side, state)
        if found < score - TINY:
            score = found
            best = block[nodes]
    block[nodes] = best
    sizes[side[0]] = (best == side[0]).sum()
    sizes[side[1]] = len(nodes) - sizes[side[0]]
    return score


@njit_nogil("Division, int64, uint64[::1]")
def split_nodes(division, n_blocks, state):
    """Split all super-nodes of at least 2 k nodes, again and again.

    That never leaves more graphs possible.

    Parameters
    ----------
    division : Division
        Changed in place; its super-nodes have the numbers from 0 on.
    n_blocks : int
        How many there are.
    state : uint64 array of one
        The only source of chance.

    Returns
    -------
    int
        How many super-nodes there are then.
    """
    block, sizes, k = division.block, division.sizes, division.k
    order = np.argsort(block, kind="mergesort")
    starts = np.cumsum(sizes) - sizes
    before = 0
    while before < n_blocks:
        before = n_blocks
        for one in range(before):
            if sizes[one] < 2 * k:
                continue
            nodes = order[starts[one] : starts[one] + sizes[one]]
            _best_of(division, nodes, (one, n_blocks), (0, 1), np.inf, state)
            nodes[:] = nodes[np.argsort(block[nodes], kind="mergesort")]
            starts[n_blocks] = starts[one] + sizes[one]
            n_blocks += 1
    return n_blocks


@njit
def _members(division):
    """Nodes of each super-node, a row each, with room for more."""
    block, sizes = division.block, division.sizes
    members = np.empty((len(sizes), 3 * sizes.max()), dtype=np.int64)
    counts = np.zeros_like(sizes)
    for node in range(len(block)):
        members[block[node], counts[block[node]]] = node
        counts[block[node]] += 1
    return members


@njit
def _write_members(division, members, nodes, side):
    """Write down how ``nodes`` are divided between two super-nodes."""
    counts = (0, 0)
    for node in nodes:
        if division.block[node] == side[0]:
            members[side[0], counts[0]] = node
            counts = (counts[0] + 1, counts[1])
        else:
            members[side[1], counts[1]] = node
            counts = (counts[0], counts[1] + 1)


@njit
def _pair(division, state):
    """Two super-nodes whose nodes are near each other."""
    indptr, indices = division.lists
    block = division.block
    one = below(state, len(block))
    other = one
    for _ in range(1 + below(state, 2)):
        if indptr[other + 1] > indptr[other]:
            step = below(state, indptr[other + 1] - indptr[other])
            other = np.int64(indices[indptr[other] + step])
    if block[one] == block[other]:
        other = below(state, len(block))
    return block[one], block[other]


@njit_nogil("Division, int64, uint64[::1]")
def refine_nodes(division, n_trials, state):
    """Merge two near super-nodes and split them anew, as often as that gains.

    Parameters
    ----------
    division : Division
        Changed in place.
    n_trials : int
        Pairs to try.
    state : uint64 array of one
        The only source of chance.

    Returns
    -------
    float
        What was gained of the logarithm of the possibilities.
    """
    sizes, members = division.sizes, _members(division)
    gained = 0.0
    for _ in range(n_trials):
        side = _pair(division, state)
        a, b = side
        if a == b:
            continue
        held = np.concatenate((members[a, : sizes[a]], members[b, : sizes[b]]))
        score = pair_score(division, held, side)
        then = divide(division, held, side, state)
        then = _best_of(division, held, side, (1, 2), then, state)
        gained += score - then
        _write_members(division, members, held, side)
    return gained


@njit_nogil("Division, int64, uint64[::1]")
def dissolve_nodes(division, n_trials, state):
    """Give the nodes of a super-node to others, as often as that gains.

    One of those that grow may come to 2 k nodes; it is split, and its second part takes
    the place of what was dissolved. Otherwise there is a super-node less.

    Parameters are those of :func:`refine_nodes`, and so is what is returned. Numbers of
    super-nodes that are gone are not used again.
    """
    sizes, members = division.sizes, _members(division)
    gained = 0.0
    for _ in range(n_trials):
        gone = division.block[below(state, len(division.block))]
        nodes = members[gone, : sizes[gone]].copy()
        homes = np.full(len(nodes), -1, dtype=np.int64)
        gain, large = _scatter(division, members, gone, nodes, homes, state)
        held = nodes
        if large >= 0:
            held = members[large, : sizes[large]].copy()
            gain += pair_score(division, held, (large, gone))
            gain -= _best_of(division, held, (large, gone), (0, 1), np.inf, state)
        if gain > TINY:
            gained += gain
            if large >= 0:
                _write_members(division, members, held, (large, gone))
            continue
        if large >= 0:
            division.block[held] = large
            sizes[large] = len(held)
        division.block[nodes] = gone
        sizes[gone] = len(nodes)
        for home in homes[homes >= 0]:
            sizes[home] -= 1
    return gained


@njit
def _scatter(division, members, gone, nodes, homes, state):
    """Move each node to the super-node where that gains most, or costs least.

    Returns
    -------
    gain : float
        What was gained; less than nothing if a node found no home.
    large : int
        The super-node that has come to 2 k nodes, or -1.
    """
    block, sizes, most = division.block, division.sizes, 2 * division.k
    indptr = division.lists[0]
    gain, large = 0.0, -1
    for i in range(len(nodes)):
        best, home = -np.inf, -1
        degree = indptr[nodes[i] + 1] - indptr[nodes[i]]
        for turn in range(min(degree, HOMES) + 1):
            there = _home(division, nodes[i], turn, state)
            if there in (gone, home) or sizes[there] == members.shape[1]:
                continue
            if sizes[there] + 1 >= most and large not in (-1, there):
                continue
            held = np.concatenate((nodes[i:], members[there, : sizes[there]]))
            found = pair_score(division, held, (gone, there))
            block[nodes[i]] = there
            found -= pair_score(division, held, (gone, there))
            block[nodes[i]] = gone
            if found > best:
                best, home = found, there
        if home < 0:
            return -np.inf, -1
        block[nodes[i]] = homes[i] = home
        members[home, sizes[home]] = nodes[i]
        sizes[home] += 1
        sizes[gone] -= 1
        gain += best
        if sizes[home] >= most:
            large = home
    return gain, large


@njit
def _home(division, node, turn, state):
    """A super-node that a node may go to: that of a neighbor, or at turn 0 any."""
    indptr, indices = division.lists
    if turn == 0:
        return division.block[below(state, len(division.block))]
    degree = indptr[node + 1] - indptr[node]
    step = turn - 1 if degree <= HOMES else below(state, degree)
    return division.block[indices[indptr[node] + step]]
