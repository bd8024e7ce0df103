"""Rounds of color refinement: nodes by their own color and those of neighbors."""

import numpy as np

from anon_transformers.jit import njit

SEED = np.uint64(0x9E3779B97F4A7C15)
FACTOR = np.uint64(0xFF51AFD7ED558CCD)
SHIFT = np.uint64(32)
SHORT = 24
"""Lists up to this length are sorted faster by insertion."""


@njit("int64[::1], int32[::1], int64[::1]")
def sorted_neighbor_colors(indptr, indices, colors):
    """Colors of the neighbors of each node, in rising order."""
    lists = np.empty(len(indices), dtype=colors.dtype)
    for node in range(len(indptr) - 1):
        start, stop = indptr[node], indptr[node + 1]
        for at in range(start, stop):
            lists[at] = colors[indices[at]]
        if stop - start > SHORT:
            lists[start:stop].sort()
            continue
        for at in range(start + 1, stop):
            color, place = lists[at], at
            while place > start and lists[place - 1] > color:
                lists[place] = lists[place - 1]
                place -= 1
            lists[place] = color
    return lists


@njit("int64[::1], int64[::1], int64[::1]")
def hashes_of_lists(indptr, lists, colors):
    """One number for each node's own color and list; equal for equal ones."""
    hashes = np.empty(len(colors), dtype=np.uint64)
    for node in range(len(colors)):
        mixed = (SEED ^ np.uint64(colors[node])) * FACTOR
        for at in range(indptr[node], indptr[node + 1]):
            mixed = ((mixed ^ (mixed >> SHIFT)) ^ np.uint64(lists[at])) * FACTOR
        hashes[node] = mixed ^ (mixed >> SHIFT)
    return hashes


@njit
def _equal(indptr, lists, colors, one, other):
    length = indptr[one + 1] - indptr[one]
    if colors[one] != colors[other] or length != indptr[other + 1] - indptr[other]:
        return False
    for at in range(length):
        if lists[indptr[one] + at] != lists[indptr[other] + at]:
            return False
    return True


@njit("int64[::1], int64[::1], int64[::1], uint64[::1], int64[::1]")
def colors_of_lists(indptr, lists, colors, hashes, order):
    """A new color for each own color and list, and how many there are.

    ``order`` lists the nodes by hash. Nodes of one hash are compared in full: two lists
    that happen to share a hash still get two colors.
    """
    new = np.empty(len(colors), dtype=colors.dtype)
    first = np.empty(len(colors), dtype=np.int64)
    n_colors = 0
    of_this_hash = 0
    for at in range(len(order)):
        node = order[at]
        if at and hashes[node] != hashes[order[at - 1]]:
            of_this_hash = n_colors
        color = of_this_hash
        while color < n_colors and not _equal(
            indptr, lists, colors, first[color], node
        ):
            color += 1
        if color == n_colors:
            first[color] = node
            n_colors += 1
        new[node] = color
    return new, n_colors
