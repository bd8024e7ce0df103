"""The nearest points of a table, with all ties, among numbers and nominal codes."""

import numpy as np

from anon_transformers.jit import njit

SAME = 2e-9
"""Squared distances that differ by less, relatively, are equal."""


def nearest_points(
    persons: np.ndarray,
    person_codes: np.ndarray,
    rows: np.ndarray,
    row_codes: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Find for every person the rows at the smallest distance.

    The squared distance is the Euclidean one of the numbers, plus 1 for every code that
    differs. Rows of the same codes are one block; blocks that differ in more codes than
    the square of the best distance so far are not looked at, and in a block only rows
    whose first number is near enough.

    Parameters
    ----------
    persons, rows : float arrays of shapes (n, d) and (m, d)
        Numbers; the first column is the one that rows are found by.
    person_codes, row_codes : int arrays of shapes (n, q) and (m, q)
        Nominal values.

    Returns
    -------
    start, found : int64 arrays
        Rows nearest to person ``i``: ``found[start[i]:start[i + 1]]``.

    Examples
    --------
    >>> numbers, none = np.array([[1.0], [3.0], [3.0]]), np.zeros((3, 0), dtype=int)
    >>> nearest_points(np.array([[2.0], [4.0]]), none[:2], numbers, none)
    (array([0, 3, 5]), array([0, 1, 2, 1, 2]))
    """
    keys = [rows[:, 0], *row_codes.T[::-1]]
    order = np.lexsort(keys)
    sorted_codes = row_codes[order]
    fresh = np.ones(len(rows), dtype=bool)
    fresh[1:] = (sorted_codes[1:] != sorted_codes[:-1]).any(axis=1)
    first = np.flatnonzero(fresh)
    table = np.ascontiguousarray(rows[order], dtype=np.float64)
    blocks = np.ascontiguousarray(sorted_codes[first], dtype=np.int64)
    bounds = np.append(first, len(rows))
    people = np.ascontiguousarray(persons, dtype=np.float64)
    codes = np.ascontiguousarray(person_codes, dtype=np.int64)
    best = _smallest_distances(people, codes, table, blocks, bounds)
    limits = best * (1 + SAME) + SAME**2
    counts = _count_within(people, codes, table, blocks, bounds, limits)
    start = np.append(0, np.cumsum(counts))
    found = _find_within(people, codes, table, blocks, bounds, limits, start)
    return start, _sorted_within(order[found], start)


def _sorted_within(found: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Rows of each person in ascending order."""
    owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return found[np.lexsort((found, owner))]


@njit("float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], int64[::1]")
def _smallest_distances(people, codes, table, blocks, bounds):
    best = np.empty(len(people))
    for i in range(len(people)):
        nearest = np.inf
        # Blocks that differ in few codes first: they leave little to look at.
        for n_differing in range(blocks.shape[1] + 1):
            if n_differing >= nearest:
                break
            for block in range(len(blocks)):
                if _differing(codes[i], blocks[block]) == n_differing:
                    inside = _nearest_in_block(
                        people[i],
                        table,
                        bounds[block],
                        bounds[block + 1],
                        nearest - n_differing,
                    )
                    nearest = min(nearest, inside + n_differing)
        best[i] = nearest
    return best


@njit(
    "float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], int64[::1], "
    "float64[::1]"
)
def _count_within(people, codes, table, blocks, bounds, limits):
    counts = np.zeros(len(people), dtype=np.int64)
    nothing = np.empty(0, dtype=np.int64)
    for i in range(len(people)):
        for block in range(len(blocks)):
            room = limits[i] - _differing(codes[i], blocks[block])
            if room >= 0:
                low, high = bounds[block], bounds[block + 1]
                counts[i] += _collect(people[i], table, low, high, room, nothing)
    return counts


@njit(
    "float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], int64[::1], "
    "float64[::1], int64[::1]"
)
def _find_within(people, codes, table, blocks, bounds, limits, start):
    found = np.empty(start[-1], dtype=np.int64)
    for i in range(len(people)):
        at = start[i]
        for block in range(len(blocks)):
            room = limits[i] - _differing(codes[i], blocks[block])
            if room >= 0 and at < start[i + 1]:
                low, high = bounds[block], bounds[block + 1]
                at += _collect(people[i], table, low, high, room, found[at:])
    return found


@njit
def _differing(one, other):
    count = 0
    for at in range(len(one)):
        count += one[at] != other[at]
    return count


@njit
def _nearest_in_block(person, table, low, high, limit):
    """Smallest squared distance; ``limit`` if it is larger."""
    above = low + np.searchsorted(table[low:high, 0], person[0])
    below = above - 1
    # Outward on both sides, so that a near row soon ends the search.
    while True:
        up = np.inf if above == high else table[above, 0] - person[0]
        down = np.inf if below < low else person[0] - table[below, 0]
        if min(up, down) ** 2 >= limit or min(up, down) == np.inf:
            return limit
        if up <= down:
            limit = min(limit, _distance(person, table, above, limit))
            above += 1
        else:
            limit = min(limit, _distance(person, table, below, limit))
            below -= 1


@njit
def _collect(person, table, low, high, room, found):
    """Count the rows within ``room``, and write them down where there is space."""
    count = 0
    middle = low + np.searchsorted(table[low:high, 0], person[0])
    for row in range(middle, high):
        if (table[row, 0] - person[0]) ** 2 > room:
            break
        if _distance(person, table, row, room) <= room:
            if count < len(found):
                found[count] = row
            count += 1
    for row in range(middle - 1, low - 1, -1):
        if (table[row, 0] - person[0]) ** 2 > room:
            break
        if _distance(person, table, row, room) <= room:
            if count < len(found):
                found[count] = row
            count += 1
    return count


@njit
def _distance(person, table, row, limit):
    """Squared distance, or a part of it that is above ``limit``."""
    total = 0.0
    for at in range(len(person)):
        gap = person[at] - table[row, at]
        total += gap * gap
        if total > limit:
            break
    return total
