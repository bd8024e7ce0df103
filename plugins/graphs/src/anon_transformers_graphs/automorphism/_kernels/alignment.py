"""Nodes in a table of rows and columns whose shifted columns look alike.

A table of ``q`` rows and ``k`` columns holds each node once: ``nodes[r * k + c]`` is in
row ``r`` and column ``c``. Moving every node ``t`` columns on is an automorphism if
each edge has its copies: the edge from ``(r, c)`` to ``(s, d)`` needs the one from
``(r, c + t)`` to ``(s, d + t)``, for every ``t``. All these are one *orbit*, known by
``r``, ``s`` and ``d - c``. The fewer orbits hold an edge, the fewer edges are added.
"""

import math

import numpy as np

from anon_transformers.jit import njit, njit_nogil
from anon_transformers_graphs._kernels.edge_tables import (
    count_down,
    count_up,
    new_table,
)

EMPTY = -1


@njit
def orbit(one, other, q, k):
    """Number of the orbit of the edge between two positions."""
    r, c = one // k, one % k
    s, d = other // k, other % k
    if r > s:
        r, c, s, d = s, d, r, c
    step = (d - c) % k
    if r == s:
        # The same edge seen from its other end.
        step = min(step, k - step)
    return (r * q + s) * k + step


@njit
def orbit_size(key, q, k):
    """Edges of an orbit: ``k``, or half of it if two columns lie half a turn apart."""
    step, rows = key % k, key // k
    if rows // q == rows % q and 2 * step == k:
        return k // 2
    return k


@njit("int64[::1], int32[::1], int64, int64")
def grow_table(indptr, indices, n_fixed, k):
    """Fill a table from its hubs outwards, all columns in step.

    The first row is for the nodes that come first. Neighbors of the nodes of a row,
    the first of each column, the second of each, and so on, share new rows.

    Parameters
    ----------
    indptr, indices : int arrays
        Sorted lists of neighbors. Nodes are in the order of their weight, the first
        the most important; their number is a multiple of ``k``.
    n_fixed : int
        Nodes, the first ones, that stand in the table already, in their order.
    k : int
        Columns.

    Returns
    -------
    int64 ndarray
        The node at each position.
    """
    n = len(indptr) - 1
    nodes = np.full(n, EMPTY, dtype=np.int64)
    nodes[:n_fixed] = np.arange(n_fixed)
    placed = nodes >= 0
    at = indptr[:-1].copy()
    filled, first = n_fixed, n_fixed
    for row in range(n // k):
        if row * k == filled:
            filled += k
            first = _fill(first, nodes[row * k : filled], placed)
        while filled < n:
            heads = nodes[row * k : row * k + k]
            if not _next_row(indptr, indices, heads, nodes[filled:], placed, at):
                break
            filled += k
    _fill(first, nodes, placed)
    return nodes


@njit
def _fill(first, nodes, placed):
    """Put the next nodes that have no place into the empty ones."""
    for position in range(len(nodes)):
        while first < len(placed) and placed[first]:
            first += 1
        if nodes[position] == EMPTY and first < len(placed):
            nodes[position] = first
            placed[first] = True
    return first


@njit
def _next_row(indptr, indices, heads, row, placed, at):
    """Put the next neighbor of each head into its column; False if none is left."""
    found = False
    for c in range(len(heads)):
        head = heads[c]
        if head == EMPTY:
            continue
        while at[head] < indptr[head + 1] and placed[indices[at[head]]]:
            at[head] += 1
        if at[head] < indptr[head + 1]:
            found = True
            row[c] = indices[at[head]]
            placed[row[c]] = True
    return found


@njit_nogil(
    "int64[::1], int32[::1], int64[::1], int64[::1], int64, int64, generator, int64, "
    "float64, int64[::1]"
)
def improve_table(
    indptr, indices, outside, nodes, n_fixed, k, rng, n_trials, heat, done
):
    """Exchange nodes while that takes edges away.

    A trial exchanges a node with the one at a position where an edge to a neighbor
    would be the copy of another edge. An exchange that adds edges is kept now and then,
    less and less often: the search would stick otherwise.

    Parameters
    ----------
    indptr, indices : int arrays
        Lists of neighbors.
    outside : int64 ndarray
        Edges of each node that lead out of the table; all nodes of a row will need as
        many.
    nodes : int64 ndarray
        The node at each position; changed in place.
    n_fixed : int
        Nodes that stay where they are: the first ones, at the first positions.
    k : int
        Columns.
    rng : Generator
        The only source of chance.
    n_trials : int
        Exchanges to try.
    heat : float
        Edges that one exchange may cost in the beginning.
    done : int64 ndarray of shape (1,)
        Counts the exchanges that were tried, while others run.

    Returns
    -------
    int
        Edges of the graph that has all copies.
    """
    n = len(nodes)
    q = n // k
    place = np.empty(n, dtype=np.int64)
    for position in range(n):
        place[nodes[position]] = position
    owner = np.repeat(np.arange(n), indptr[1:] - indptr[:-1])
    keys = new_table(len(indices) // 2)
    held = keys, np.zeros(len(keys), dtype=np.int32)
    total = 0
    for i in range(len(indices)):
        if owner[i] < indices[i]:
            total += _add(held, orbit(place[owner[i]], place[indices[i]], q, k), q, k)
    if indptr[n_fixed] == len(indices):
        return total
    for trial in range(n_trials):
        done[0] = trial
        i = rng.integers(indptr[n_fixed], len(indices))
        one = owner[i]
        target = _aim(indptr, indices, nodes, place, indices[i], k, rng)
        other = nodes[target]
        if one == other or other < n_fixed:
            continue
        now = total - _leave(indptr, indices, place, held, one, other, q, k)
        rows = place[one] // k, place[other] // k
        worse = -_rows_need(outside, nodes, rows, k)
        _exchange(nodes, place, one, other)
        now += _enter(indptr, indices, place, held, one, other, q, k)
        worse += now - total + _rows_need(outside, nodes, rows, k)
        warm = heat * (1.0 - trial / n_trials)
        if worse > 0 and (warm <= 0 or rng.random() >= math.exp(-worse / warm)):
            _leave(indptr, indices, place, held, one, other, q, k)
            _exchange(nodes, place, one, other)
            _enter(indptr, indices, place, held, one, other, q, k)
            continue
        total = now
    return total


@njit
def _aim(indptr, indices, nodes, place, near, k, rng):
    """A position from which an edge to ``near`` would be the copy of another edge."""
    row, column = place[near] // k, place[near] % k
    turn = rng.integers(1, k)
    twin = nodes[row * k + (column + turn) % k]
    if indptr[twin] == indptr[twin + 1]:
        # Nothing to copy: stand beside the neighbor, in its column.
        return rng.integers(0, len(nodes) // k) * k + column
    model = indices[indptr[twin] + rng.integers(0, indptr[twin + 1] - indptr[twin])]
    return place[model] // k * k + (place[model] - turn) % k


@njit
def _rows_need(outside, nodes, rows, k):
    """Edges out of the table that the nodes of two rows need."""
    total = 0
    for i in range(1 if rows[0] == rows[1] else 2):
        most = 0
        for position in range(rows[i] * k, rows[i] * k + k):
            most = max(most, outside[nodes[position]])
        total += k * most
    return total


@njit
def _exchange(nodes, place, one, other):
    place[one], place[other] = place[other], place[one]
    nodes[place[one]], nodes[place[other]] = one, other


@njit
def _add(held, key, q, k):
    """One edge more in an orbit; how many edges the orbit brings."""
    return orbit_size(key, q, k) if count_up(held[0], held[1], key) else 0


@njit
def _take(held, key, q, k):
    """One edge less in an orbit; how many edges go with the orbit."""
    return orbit_size(key, q, k) if count_down(held[0], held[1], key) else 0


@njit
def _leave(indptr, indices, place, held, one, other, q, k):
    """Take out the edges of two nodes; how many edges that saves."""
    saved = 0
    for i in range(indptr[one], indptr[one + 1]):
        saved += _take(held, orbit(place[one], place[indices[i]], q, k), q, k)
    for i in range(indptr[other], indptr[other + 1]):
        if indices[i] != one:
            saved += _take(held, orbit(place[other], place[indices[i]], q, k), q, k)
    return saved


@njit
def _enter(indptr, indices, place, held, one, other, q, k):
    """Put the edges of two nodes back; how many edges that costs."""
    cost = 0
    for i in range(indptr[one], indptr[one + 1]):
        cost += _add(held, orbit(place[one], place[indices[i]], q, k), q, k)
    for i in range(indptr[other], indptr[other + 1]):
        if indices[i] != one:
            cost += _add(held, orbit(place[other], place[indices[i]], q, k), q, k)
    return cost
