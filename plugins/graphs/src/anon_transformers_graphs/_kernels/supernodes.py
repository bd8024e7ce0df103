"""Super-nodes: which division of the nodes leaves the fewest consistent graphs.

A division is split, two of its super-nodes are divided anew, or one is dissolved.
Splits and new divisions never change more than two super-nodes at a time.
"""

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs._kernels.degree_chance import below
from anon_transformers_graphs._kernels.supernode_sides import TINY, divide, pair_score

HOMES = 12
"""Neighbours whose super-nodes a node may go to when its own is dissolved."""


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


@njit
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


@njit
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


@njit
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
    """A super-node that a node may go to: that of a neighbour, or at turn 0 any."""
    indptr, indices = division.lists
    if turn == 0:
        return division.block[below(state, len(division.block))]
    degree = indptr[node + 1] - indptr[node]
    step = turn - 1 if degree <= HOMES else below(state, degree)
    return division.block[indices[indptr[node] + step]]
