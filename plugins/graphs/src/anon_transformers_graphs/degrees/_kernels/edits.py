"""A graph that is being edited: its edges, those that went, and those that came.

The original stays as it is, a list of sorted neighbors. Beside it each node has a list
of neighbors that are missing now and one of extra neighbors. Both stay short where
few edges change, and show at once what differs.
"""

from typing import Annotated, NamedTuple

import numpy as np

from anon_transformers.jit import njit


class Edits(NamedTuple):
    """Arrays of an edited graph; ``starts`` say where the lists of a node start."""

    starts: Annotated[np.ndarray, "int64[::1]"]
    neighbors: Annotated[np.ndarray, "int32[::1]"]
    missing: Annotated[np.ndarray, "int32[::1]"]
    n_missing: Annotated[np.ndarray, "int32[::1]"]
    extra_starts: Annotated[np.ndarray, "int64[::1]"]
    extra: Annotated[np.ndarray, "int32[::1]"]
    n_extra: Annotated[np.ndarray, "int32[::1]"]


def new_edits(starts: np.ndarray, neighbors: np.ndarray, room: np.ndarray) -> Edits:
    """A graph without edits yet.

    Parameters
    ----------
    starts, neighbors : int arrays
        Lists of sorted neighbors; those of node u are at starts[u] to starts[u + 1].
    room : int array
        Extra neighbors that each node may get.
    """
    n = len(starts) - 1
    extra_starts = np.zeros(n + 1, np.int64)
    np.cumsum(room, out=extra_starts[1:])
    return Edits(
        starts.astype(np.int64),
        neighbors.astype(np.int32),
        np.empty(len(neighbors), np.int32),
        np.zeros(n, np.int32),
        extra_starts,
        np.empty(extra_starts[-1], np.int32),
        np.zeros(n, np.int32),
    )


@njit
def is_original(edits, a, b):
    """Whether (a, b) is an edge of the original."""
    if edits.starts[a + 1] - edits.starts[a] > edits.starts[b + 1] - edits.starts[b]:
        a, b = b, a
    low, high = edits.starts[a], edits.starts[a + 1]
    while low < high:
        middle = (low + high) // 2
        if edits.neighbors[middle] < b:
            low = middle + 1
        else:
            high = middle
    return low < edits.starts[a + 1] and edits.neighbors[low] == b


@njit
def is_edge(edits, a, b):
    """Whether (a, b) is an edge now."""
    if is_original(edits, a, b):
        if edits.n_missing[a] > edits.n_missing[b]:
            a, b = b, a
        start = edits.starts[a]
        return not _holds(edits.missing, start, start + edits.n_missing[a], b)
    if edits.n_extra[a] > edits.n_extra[b]:
        a, b = b, a
    start = edits.extra_starts[a]
    return _holds(edits.extra, start, start + edits.n_extra[a], b)


@njit
def _holds(values, start, end, value):
    for place in range(start, end):  # noqa: SIM110  (numba has no any of a generator)
        if values[place] == value:
            return True
    return False


@njit
def add_edge(edits, a, b):
    """Make (a, b) an edge; it must not be one."""
    if is_original(edits, a, b):
        _take(edits.starts, edits.missing, edits.n_missing, a, b)
        _take(edits.starts, edits.missing, edits.n_missing, b, a)
    else:
        _put(edits.extra_starts, edits.extra, edits.n_extra, a, b)
        _put(edits.extra_starts, edits.extra, edits.n_extra, b, a)


@njit
def drop_edge(edits, a, b):
    """Take the edge (a, b) away; it must be one."""
    if is_original(edits, a, b):
        _put(edits.starts, edits.missing, edits.n_missing, a, b)
        _put(edits.starts, edits.missing, edits.n_missing, b, a)
    else:
        _take(edits.extra_starts, edits.extra, edits.n_extra, a, b)
        _take(edits.extra_starts, edits.extra, edits.n_extra, b, a)


@njit
def _put(starts, values, counts, node, value):
    values[starts[node] + counts[node]] = value
    counts[node] += 1


@njit
def _take(starts, values, counts, node, value):
    place = starts[node]
    while values[place] != value:
        place += 1
    counts[node] -= 1
    values[place] = values[starts[node] + counts[node]]


@njit
def mark_neighbors(edits, node, marks, stamp):
    """Write ``stamp`` at every neighbor that ``node`` has now."""
    for place in range(edits.starts[node], edits.starts[node + 1]):
        marks[edits.neighbors[place]] = stamp
    start = edits.starts[node]
    for place in range(start, start + edits.n_missing[node]):
        marks[edits.missing[place]] = stamp - 1
    start = edits.extra_starts[node]
    for place in range(start, start + edits.n_extra[node]):
        marks[edits.extra[place]] = stamp


@njit
def list_neighbors(edits, node, marks, stamp, only_extra):
    """Neighbors of ``node`` now, or those that are not original ones alone."""
    n_extra, start = edits.n_extra[node], edits.extra_starts[node]
    if only_extra:
        return edits.extra[start : start + n_extra].copy()
    count = edits.starts[node + 1] - edits.starts[node] - edits.n_missing[node]
    found = np.empty(count + n_extra, np.int32)
    found[count:] = edits.extra[start : start + n_extra]
    start = edits.starts[node]
    for place in range(start, start + edits.n_missing[node]):
        marks[edits.missing[place]] = stamp
    count = 0
    for place in range(start, edits.starts[node + 1]):
        other = edits.neighbors[place]
        if marks[other] != stamp:
            found[count] = other
            count += 1
    return found


def edited_edges(edits: Edits) -> np.ndarray:
    """Edges of the graph as it is now, as pairs."""
    n = len(edits.starts) - 1
    original = _pairs(edits.neighbors, np.diff(edits.starts))
    places = _filled(edits.starts[:-1], edits.n_missing)
    missing = _pairs(edits.missing[places], edits.n_missing)
    places = _filled(edits.extra_starts[:-1], edits.n_extra)
    extra = _pairs(edits.extra[places], edits.n_extra)
    keys, gone = (
        pairs[:, 0].astype(np.int64) * n + pairs[:, 1] for pairs in (original, missing)
    )
    return np.concatenate([original[~np.isin(keys, gone)], extra])


def _filled(starts, counts):
    """Places of the used parts of lists with room to spare."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1]) + np.repeat(starts - (ends - counts), counts)


def _pairs(values, counts):
    """Each edge once, its lower node first."""
    nodes = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    once = nodes < values
    return np.column_stack([nodes[once], values[once]])
