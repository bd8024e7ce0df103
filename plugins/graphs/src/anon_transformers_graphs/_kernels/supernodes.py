"""Super-nodes: which division of the nodes leaves the fewest consistent graphs.

All searches change two super-nodes at a time.
"""

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs._kernels.supernode_sides import (
    TINY,
    close_sides,
    divide,
    open_sides,
    score_of,
)


@njit
def _cut(lists, block, nodes, side, k, ranks):
    """Put the first half of the nodes, by rank, on one side, in whole shares of k."""
    shares = len(nodes) // k
    first = len(nodes) * (shares // 2) // shares
    order = np.argsort(ranks, kind="mergesort")
    for i in range(len(nodes)):
        block[nodes[order[i]]] = side[0] if i < first else side[1]


@njit
def _ranks(lists, nodes, kind, rng, marks):
    """Three ways to begin: by degree, by what is shared with a node, by chance."""
    indptr, indices = lists
    ranks = np.empty(len(nodes))
    for i in range(len(nodes)):
        ranks[i] = rng.random()
        if kind == 0:
            ranks[i] += indptr[nodes[i] + 1] - indptr[nodes[i]]
    if kind == 1:
        seed = nodes[rng.integers(0, len(nodes))]
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
def _best_of(lists, logs, block, nodes, side, sizes, work, k, rng, marks, kinds, score):
    """Divide anew from several beginnings; keep what is better than ``score``."""
    best = np.empty(len(nodes), dtype=np.int64)
    for i in range(len(nodes)):
        best[i] = block[nodes[i]]
    for kind in kinds:
        _cut(lists, block, nodes, side, k, _ranks(lists, nodes, kind, rng, marks))
        found = divide(lists, logs, block, nodes, side, sizes, work, k, rng)
        if found < score - TINY:
            score = found
            for i in range(len(nodes)):
                best[i] = block[nodes[i]]
    sizes[side[0]] = 0
    for i in range(len(nodes)):
        block[nodes[i]] = best[i]
        sizes[side[0]] += best[i] == side[0]
    sizes[side[1]] = len(nodes) - sizes[side[0]]
    return score


@njit
def _workspace(n, k, most):
    links = np.zeros((2, n // k + 1), dtype=np.int64)
    near = np.empty(n // k + 1, dtype=np.int64)
    own = np.zeros(n // k + 1, dtype=np.int64)
    met = np.empty(2 * most + 2, dtype=np.int64)
    changed = np.empty(5, dtype=np.int64)
    return links, near, own, met, changed, np.empty_like(met)


@njit
def split_nodes(lists, logs, k, rng):
    """Begin with one super-node and split all of at least 2 k nodes, again and again.

    Parameters
    ----------
    lists : pair of int arrays
        Where the list of neighbours of each node starts, and the lists, each sorted.
    logs : float64 ndarray
        Logarithms of factorials.
    k : int
        Fewest nodes of a super-node.
    rng : Generator
        The only source of chance.

    Returns
    -------
    block : int64 ndarray
        Super-node of each node.
    n_blocks : int
        How many there are.
    """
    n = len(lists[0]) - 1
    block, marks = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    sizes = np.zeros(n // k + 1, dtype=np.int64)
    work = _workspace(n, k, np.diff(lists[0]).max())
    order = np.arange(n)
    starts = np.zeros(n // k + 1, dtype=np.int64)
    sizes[0], n_blocks, before = n, 1, 0
    while before < n_blocks:
        before = n_blocks
        for one in range(before):
            if sizes[one] < 2 * k:
                continue
            nodes = order[starts[one] : starts[one] + sizes[one]]
            side = (one, n_blocks)
            kinds = (0, 1)
            _best_of(
                lists,
                logs,
                block,
                nodes,
                side,
                sizes,
                work,
                k,
                rng,
                marks,
                kinds,
                np.inf,
            )
            nodes[:] = nodes[np.argsort(block[nodes], kind="mergesort")]
            starts[n_blocks] = starts[one] + sizes[one]
            n_blocks += 1
    return block, n_blocks


@njit
def _pair(lists, block, rng):
    """Two super-nodes whose nodes are near each other."""
    indptr, indices = lists
    one = rng.integers(0, len(indptr) - 1)
    other = one
    for _ in range(rng.integers(1, 3)):
        if indptr[other + 1] > indptr[other]:
            step = rng.integers(0, indptr[other + 1] - indptr[other])
            other = indices[indptr[other] + step]
    if block[one] == block[other]:
        other = rng.integers(0, len(block))
    return block[one], block[other]


@njit
def refine_nodes(lists, logs, block, n_blocks, k, rng, n_trials):
    """Merge two near super-nodes and split them anew, as often as that gains.

    Parameters
    ----------
    lists, logs, k, rng
        As for :func:`split_nodes`.
    block : int64 ndarray
        Super-node of each node, changed in place.
    n_blocks : int
        Super-nodes that there are.
    n_trials : int
        Pairs to try.

    Returns
    -------
    float
        What was gained of the logarithm of the possibilities.
    """
    n = len(block)
    marks = np.zeros(n, dtype=np.int64)
    sizes = np.zeros(n // k + 1, dtype=np.int64)
    work = _workspace(n, k, np.diff(lists[0]).max())
    members = np.empty((n_blocks, np.bincount(block).max() * 3), dtype=np.int64)
    for node in range(n):
        members[block[node], sizes[block[node]]] = node
        sizes[block[node]] += 1
    gained = 0.0
    for _ in range(n_trials):
        side = _pair(lists, block, rng)
        a, b = side
        if a == b:
            continue
        held = np.concatenate((members[a, : sizes[a]], members[b, : sizes[b]]))
        inner = np.empty(5, dtype=np.int64)
        n_near = open_sides(lists, block, held, side, work[0], work[1], inner)
        score = score_of(logs, sizes, work[0], work[1], n_near, inner)
        close_sides(work[0], work[1], n_near)
        then = divide(lists, logs, block, held, side, sizes, work, k, rng)
        kinds = (1, 2)
        then = _best_of(
            lists, logs, block, held, side, sizes, work, k, rng, marks, kinds, then
        )
        gained += score - then
        held = held[np.argsort(block[held] == b, kind="mergesort")]
        members[a, : sizes[a]] = held[: sizes[a]]
        members[b, : sizes[b]] = held[sizes[a] :]
    return gained
