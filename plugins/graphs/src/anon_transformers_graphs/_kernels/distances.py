"""Distances from one node up to a radius, and from many nodes at once."""

import numpy as np
from numba import prange

from anon_transformers.jit import njit, njit_parallel

WORD = 64
"""Sources that one search carries: the bits of a word."""


@njit("int64[::1], int32[::1], int64, int64")
def distances_within(indptr, indices, start, radius):
    """Edges from ``start`` to each node; 0 for those farther away than ``radius``."""
    n_nodes = len(indptr) - 1
    distances = np.zeros(n_nodes, dtype=np.int32)
    seen = np.zeros(n_nodes, dtype=np.bool_)
    queue = np.empty(n_nodes, dtype=np.int32)
    queue[0], seen[start] = start, True
    head, tail = 0, 1
    while head < tail:
        node = queue[head]
        head += 1
        if distances[node] == radius:
            break
        for at in range(indptr[node], indptr[node + 1]):
            neighbor = indices[at]
            if not seen[neighbor]:
                seen[neighbor] = True
                distances[neighbor] = distances[node] + 1
                queue[tail] = neighbor
                tail += 1
    return distances


@njit
def _count_bits(word):
    """How many bits of a 64-bit word are set: sums of 2, 4 and 8 bits, then of all."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit
def _step(indptr, indices, front, fresh, active, n_active, touched):
    """Hand the bits of all active nodes to their neighbors; how many were touched."""
    n_touched = 0
    for place in range(n_active):
        node = active[place]
        bits = front[node]
        for at in range(indptr[node], indptr[node + 1]):
            neighbor = indices[at]
            if fresh[neighbor] == 0:
                touched[n_touched] = neighbor
                n_touched += 1
            fresh[neighbor] |= bits
    return n_touched


@njit
def _search(indptr, indices, sources, counts, reached, sums):
    """Breadth-first searches from up to 64 sources, one bit per source."""
    n_nodes = len(indptr) - 1
    seen = np.zeros(n_nodes, dtype=np.uint64)
    front = np.zeros(n_nodes, dtype=np.uint64)
    fresh = np.zeros(n_nodes, dtype=np.uint64)
    active = np.empty(n_nodes, dtype=np.int32)
    touched = np.empty(n_nodes, dtype=np.int32)
    for bit, source in enumerate(sources):
        front[source] = np.uint64(1) << np.uint64(bit)
        seen[source] = front[source]
        active[bit] = source
    n_active, distance = len(sources), 0
    while n_active:
        distance += 1
        n_touched = _step(indptr, indices, front, fresh, active, n_active, touched)
        n_active = 0
        for place in range(n_touched):
            node = touched[place]
            bits = fresh[node] & ~seen[node]
            fresh[node] = 0
            if bits:
                seen[node] |= bits
                front[node] = bits
                active[n_active] = node
                n_active += 1
                found = _count_bits(bits)
                counts[distance] += found
                reached[node] += found
                sums[node] += found * distance


@njit_parallel(
    "int64[::1], int32[::1], int32[::1], int64[:, ::1], int64[:, ::1], int64[:, ::1]"
)
def count_distances(indptr, indices, sources, counts, reached, sums):
    """Add up distances from different ``sources`` to all other nodes.

    Searches run side by side, 64 in a word: a node that several of them reach at the
    same distance is looked at once for all. The last three arrays are written to; each
    has a row for each part of the work that may run at the same time.

    Parameters
    ----------
    indptr, indices : int arrays
        Lists of neighbors.
    sources : int array
        Nodes to search from.
    counts : int array of shape (n_parts, n_nodes)
        Pairs (source, other node) at each distance.
    reached : int array of shape (n_parts, n_nodes)
        Sources other than itself that reach each node.
    sums : int array of shape (n_parts, n_nodes)
        Sum of the distances from them.
    """
    n_parts = len(counts)
    n_words = (len(sources) + WORD - 1) // WORD
    for part in prange(n_parts):
        for word in range(part, n_words, n_parts):
            chosen = sources[word * WORD : (word + 1) * WORD]
            _search(indptr, indices, chosen, counts[part], reached[part], sums[part])
