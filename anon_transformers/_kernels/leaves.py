"""Rows in small leaves, so that far and near ones are found without looking at all.

A leaf holds up to ``LEAF`` rows near to each other, coordinate by coordinate, and the
box around them. Bounds tell whether a leaf can hold an answer; the distances of a whole
leaf are computed at once, which the compiler turns into vector instructions. Answers
are the same as those of a look at every row, ties included.
"""

from typing import NamedTuple

import numpy as np

from anon_transformers._kernels.selection import part_at_pivot
from anon_transformers.jit import njit

LEAF = 64
# Rows looked at for the direction of a cut, which need not be the best one.
_SAMPLE = 256
# Upper bounds are a sum of terms of either sign. Rounding cannot move it by more than
# this share of the squares in it, unless there are many thousands of columns.
_SLACK = 1e-9
# Squares below this have lost digits, and shares of them mean nothing.
_TINY = 1e-300
_NO_ROW = np.iinfo(np.int64).max


class Leaves(NamedTuple):
    """The rows that are left, in leaves.

    Attributes
    ----------
    values : float64 ndarray of shape (leaves, columns, LEAF)
        Coordinates of the rows of each leaf. Places not in use hold NaN, which is
        neither near nor far.
    rows : int64 ndarray of shape (leaves, LEAF)
        Numbers of the rows.
    used : int64 ndarray of shape (leaves,)
        How many places of each leaf are in use.
    place : int64 ndarray
        For each row, its leaf times ``LEAF`` plus its place there.
    low, high : float64 ndarray of shape (columns, leaves)
        The box around each leaf's rows.
    seen : float64 ndarray of shape (columns, leaves)
        The center from which the leaf was last looked at.
    reach : float64 ndarray of shape (leaves,)
        No row of the leaf has a larger squared distance from that center.
    bounds : float64 ndarray of shape (leaves,)
        Scratch: a bound for each leaf.
    distances : float64 ndarray of shape (LEAF,)
        Scratch: squared distances in one leaf.
    """

    values: np.ndarray
    rows: np.ndarray
    used: np.ndarray
    place: np.ndarray
    low: np.ndarray
    high: np.ndarray
    seen: np.ndarray
    reach: np.ndarray
    bounds: np.ndarray
    distances: np.ndarray


@njit
def build(points, rows, place):
    """Leaves of ``rows``, which are brought into the order of the leaves."""
    columns = points.shape[1]
    total = (len(rows) + LEAF - 1) // LEAF
    cut(points, rows, LEAF)
    leaves = Leaves(
        np.full((total, columns, LEAF), np.nan),
        np.empty((total, LEAF), dtype=np.int64),
        np.zeros(total, dtype=np.int64),
        place,
        np.empty((columns, total)),
        np.empty((columns, total)),
        np.zeros((columns, total)),
        np.full(total, np.inf),
        np.empty(total),
        np.empty(LEAF),
    )
    for at in range(len(rows)):
        leaf, slot = at // LEAF, at % LEAF
        leaves.values[leaf, :, slot] = points[rows[at]]
        leaves.rows[leaf, slot] = rows[at]
        leaves.used[leaf] = slot + 1
        place[rows[at]] = at
    for leaf in range(total):
        fit_box(leaves, leaf)
    return leaves


@njit
def cut(points, rows, size):
    """Order ``rows`` so that each run of ``size`` of them is a block of near rows.

    Half of the blocks go to either side of a cut across the coordinate with the widest
    range, and so on in each half.
    """
    starts, stops = [0], [len(rows)]
    while len(starts) > 0:
        start, stop = starts.pop(), stops.pop()
        blocks = (stop - start + size - 1) // size
        if blocks > 1:
            middle = start + blocks // 2 * size
            inside = rows[start:stop]
            keys = points[inside, _widest(points, inside)]
            _select(keys, inside, middle - start)
            starts.extend((start, middle))
            stops.extend((middle, stop))


@njit
def _widest(points, rows):
    """Number of the coordinate with the widest range, as far as a sample tells."""
    low, high = points[rows[0]].copy(), points[rows[0]].copy()
    for row in rows[:: len(rows) // _SAMPLE + 1]:
        for column in range(points.shape[1]):
            value = points[row, column]
            low[column] = min(low[column], value)
            high[column] = max(high[column], value)
    return np.argmax(high - low)


@njit
def _select(keys, rows, middle):
    """Order both so that no key before ``middle`` is above one from there on."""
    first, last = 0, len(keys) - 1
    while first < last:
        _, high, low = part_at_pivot(keys, rows, first, last)
        if middle <= high:
            last = high
        elif middle >= low:
            first = low
        else:
            return


@njit
def fit_box(leaves, leaf):
    """Make the box as small as the leaf's rows allow."""
    for column in range(leaves.values.shape[1]):
        low, high = np.inf, -np.inf
        for slot in range(leaves.used[leaf]):
            value = leaves.values[leaf, column, slot]
            low = min(low, value)
            high = max(high, value)
        leaves.low[column, leaf] = low
        leaves.high[column, leaf] = high


@njit
def remove(leaves, row):
    """Take a row out and give back its leaf, whose box may be too large now."""
    leaf, slot = leaves.place[row] // LEAF, leaves.place[row] % LEAF
    last = leaves.used[leaf] - 1
    moved = leaves.rows[leaf, last]
    leaves.values[leaf, :, slot] = leaves.values[leaf, :, last]
    leaves.values[leaf, :, last] = np.nan
    leaves.rows[leaf, slot] = moved
    leaves.place[moved] = leaf * LEAF + slot
    leaves.used[leaf] = last
    return leaf


@njit
def remaining(leaves):
    """Numbers of the rows that are left."""
    found = np.empty(leaves.used.sum(), dtype=np.int64)
    start = 0
    for leaf in range(len(leaves.used)):
        stop = start + leaves.used[leaf]
        found[start:stop] = leaves.rows[leaf, : stop - start]
        start = stop
    return found


@njit
def farthest(leaves, point, remember):
    """The row farthest from ``point``; of several, the one with the lowest number.

    ``remember`` what is seen if ``point`` is a center: the next one will be near it.
    """
    bounds, distances = leaves.bounds, leaves.distances
    _bound_above(leaves, point)
    best, found = -1.0, _NO_ROW
    likely = np.argmax(bounds)
    for step in range(-1, len(bounds)):
        leaf = likely if step < 0 else step
        if leaves.used[leaf] == 0 or bounds[leaf] < best:
            continue
        _look(leaves, leaf, point)
        most = -1.0
        for slot in range(LEAF):
            most = distances[slot] if distances[slot] > most else most
        if remember:
            leaves.seen[:, leaf] = point
            leaves.reach[leaf] = most
        if most < best:
            continue
        for slot in range(leaves.used[leaf]):
            row = leaves.rows[leaf, slot]
            if distances[slot] == most and (most > best or row < found):
                best, found = most, row
    return found


@njit
def nearest(leaves, point, seed, near, rows):
    """Fill ``rows`` with the rows nearest to ``point``, without ``seed``.

    They stand in no special order. ``near`` is scratch of the same length: both are a
    heap whose first entry is the worst, the one with the largest squared distance and,
    among equal ones, the highest number.
    """
    if len(rows) == 0:
        return
    _bound_below(leaves, point)
    near[:] = np.inf
    rows[:] = _NO_ROW
    own = leaves.place[seed] // LEAF
    steps = 1
    while steps < len(leaves.bounds):
        steps *= 2
    for step in range(steps):
        # Leaves cut apart last come first: the sooner good rows are found, the better.
        leaf = own ^ step
        if leaf < len(leaves.bounds) and leaves.bounds[leaf] <= near[0]:
            _look_for_near(leaves, leaf, point, seed, near, rows)


@njit
def nearest_among(leaves, candidates, point, seed, near, rows):
    """As ``nearest``, but look only at the leaves ``candidates``.

    If they have too few rows, the first entry of ``near`` is infinite.
    """
    near[:] = np.inf
    rows[:] = _NO_ROW
    for leaf in candidates:
        if len(rows) > 0 and _box_distance(leaves, leaf, point) <= near[0]:
            _look_for_near(leaves, leaf, point, seed, near, rows)


@njit
def _look_for_near(leaves, leaf, point, seed, near, rows):
    """Put a leaf's rows into the heap as far as they belong there."""
    distances = leaves.distances
    _look(leaves, leaf, point)
    worst, candidates = near[0], 0
    for slot in range(LEAF):
        candidates += distances[slot] <= worst
    if candidates == 0:
        return
    for slot in range(leaves.used[leaf]):
        row = leaves.rows[leaf, slot]
        if row != seed and _after(near[0], rows[0], distances[slot], row):
            _replace_worst(near, rows, distances[slot], row)


@njit
def _box_distance(leaves, leaf, point):
    total = 0.0
    for column in range(len(point)):
        low, high = leaves.low[column, leaf], leaves.high[column, leaf]
        difference = max(low - point[column], point[column] - high, 0.0)
        total += difference * difference
    return total


@njit
def _look(leaves, leaf, point):
    """Squared distances of a leaf's rows from ``point``, into the scratch."""
    distances = leaves.distances
    for slot in range(LEAF):
        distances[slot] = 0.0
    for column in range(len(point)):
        at, values = point[column], leaves.values[leaf, column]
        for slot in range(LEAF):
            difference = values[slot] - at
            distances[slot] += difference * difference


@njit
def _bound_below(leaves, point):
    """Squared distances from each leaf's box, which no row of it is nearer than.

    They are added up in the same order as distances are, and rounding never turns a
    smaller number into a larger one: these bounds are right to the last bit.
    """
    bounds = leaves.bounds
    bounds[:] = 0.0
    for column in range(len(point)):
        at, low, high = point[column], leaves.low[column], leaves.high[column]
        for leaf in range(len(bounds)):
            difference = max(low[leaf] - at, at - high[leaf], 0.0)
            bounds[leaf] += difference * difference


@njit
def _bound_above(leaves, point):
    """Squared distances that no row of each leaf exceeds.

    With x a row, s the center that its leaf was seen from and p the point, the squared
    distance of x and p is (x - s)^2 + (s - p)^2 + 2 (x - s)(s - p). The reach bounds
    the first term and the box the last, which together say more than either.
    """
    bounds = leaves.bounds
    for leaf in range(len(bounds)):
        bounds[leaf] = leaves.reach[leaf] * (1 + _SLACK) + _TINY
    for column in range(len(point)):
        at, seen = point[column], leaves.seen[column]
        low, high = leaves.low[column], leaves.high[column]
        for leaf in range(len(bounds)):
            way = seen[leaf] - at
            down = (low[leaf] - seen[leaf]) * way
            up = (high[leaf] - seen[leaf]) * way
            bounds[leaf] += way * way * (1 + _SLACK) + 2 * (up if up > down else down)


@njit
def _after(distance, row, other_distance, other_row):
    return distance > other_distance or (distance == other_distance and row > other_row)


@njit
def _replace_worst(near, rows, distance, row):
    """Put an entry in the place of the heap's first and restore the heap."""
    at, child = 0, 1
    while child < len(rows):
        other = child + 1
        if other < len(rows) and _after(
            near[other], rows[other], near[child], rows[child]
        ):
            child = other
        if not _after(near[child], rows[child], distance, row):
            break
        near[at], rows[at] = near[child], rows[child]
        at, child = child, 2 * child + 1
    near[at], rows[at] = distance, row
