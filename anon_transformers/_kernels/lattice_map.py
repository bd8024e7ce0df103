"""What is known of every node of a lattice, as flat arrays.

A node is its position: levels times strides. Boxes below and above a node are gone
through directly, for slices of many short axes are slow.
"""

from typing import Annotated, NamedTuple

import numpy as np

from anon_transformers.jit import njit


class LatticeMap(NamedTuple):
    """Bounds and flags by node.

    ``is_open`` nodes may still be the best; those that ``fit`` keep the limit by their
    rows, as all above them do. No loss is below ``bounds``, which are on the scale on
    which the terms of a loss are added up.
    """

    shape: Annotated[np.ndarray, "int64[::1]"]
    strides: Annotated[np.ndarray, "int64[::1]"]
    bounds: Annotated[np.ndarray, "float64[::1]"]
    is_open: Annotated[np.ndarray, "bool[::1]"]
    fits: Annotated[np.ndarray, "bool[::1]"]


def make_map(shape: tuple[int, ...], terms: np.ndarray, fits: bool) -> LatticeMap:
    """A map on which every node is open.

    Parameters
    ----------
    shape : tuple of int
        How many levels each attribute has.
    terms : float array of shape (n_attributes, depth)
        What each level adds to the bound of a node at least.
    fits : bool
        Whether every node is known to keep the limit.
    """
    size = int(np.prod(shape))
    strides = np.array([int(np.prod(shape[a + 1 :])) for a in range(len(shape))])
    known = LatticeMap(
        np.array(shape),
        strides,
        np.zeros(size),
        np.ones(size, dtype=np.bool_),
        np.full(size, fits),
    )
    raise_below(known, size - 1, terms)
    return known


@njit("LatticeMap, int64")
def levels_of(known, node):
    """Level of every attribute."""
    levels = np.empty(len(known.shape), np.int64)
    for a in range(len(levels)):
        levels[a] = (node // known.strides[a]) % known.shape[a]
    return levels


@njit
def _next_in_box(known, low, high, levels, at):
    """Step through the nodes from ``low`` to ``high``; -1 past the last one."""
    for a in range(len(levels) - 1, -1, -1):
        if levels[a] < high[a]:
            levels[a] += 1
            return at + known.strides[a]
        at -= (levels[a] - low[a]) * known.strides[a]
        levels[a] = low[a]
    return -1


@njit("LatticeMap, int64")
def close_below(known, node):
    """Note that neither a node nor one below it can fit."""
    high = levels_of(known, node)
    low = np.zeros_like(high)
    levels, at = low.copy(), 0
    while at >= 0:
        known.is_open[at] = False
        at = _next_in_box(known, low, high, levels, at)


@njit("LatticeMap, int64, float64")
def fit_above(known, node, floor):
    """Note that a node and all above it fit, with bounds of ``floor`` or more."""
    low = levels_of(known, node)
    high = known.shape - 1
    levels, at = low.copy(), node
    while at >= 0:
        known.fits[at] = True
        known.bounds[at] = max(known.bounds[at], floor)
        at = _next_in_box(known, low, high, levels, at)


@njit("LatticeMap, int64, float64[:, ::1]")
def raise_below(known, node, terms):
    """Raise the bounds of a node and all below it to the sum of their terms."""
    high = levels_of(known, node)
    low = np.zeros_like(high)
    levels, at = low.copy(), 0
    while at >= 0:
        total = 0.0
        for a in range(len(levels)):
            total += terms[a, levels[a]]
        known.bounds[at] = max(known.bounds[at], total)
        at = _next_in_box(known, low, high, levels, at)


@njit("LatticeMap, int64, float64")
def way_up(known, node, best):
    """Open nodes from ``node`` up, each with the smallest bound above the last.

    From a node that is known to fit, as far as they may be better than ``best``; from
    another one to the first that fits, for what fails on the way closes all below it.
    """
    levels = levels_of(known, node)
    path = np.empty(known.shape.sum(), np.int64)
    path[0] = node
    length = 1
    while True:
        at = path[length - 1]
        chosen, attribute = -1, 0
        for a in range(len(levels)):
            step = at + known.strides[a]
            if levels[a] == known.shape[a] - 1 or not known.is_open[step]:
                continue
            if known.fits[node] and known.bounds[step] > best:
                continue
            if chosen < 0 or known.bounds[step] < known.bounds[chosen]:
                chosen, attribute = step, a
        if chosen < 0 or (known.fits[chosen] and not known.fits[node]):
            return path[:length]
        levels[attribute] += 1
        path[length] = chosen
        length += 1
