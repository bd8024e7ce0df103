"""MDAV by near leaves: a little more loss, and time that grows as n log n."""

import numpy as np

from anon_transformers._kernels.leaves import (
    LEAF,
    build,
    nearest,
    nearest_among,
    remaining,
    remove,
)
from anon_transformers._kernels.mdav import check_points, counter
from anon_transformers.jit import njit, njit_nogil

# Leaves around a row that are searched for its nearest. With more of them groups come
# closer to those of MDAV; this many cost about 3 % of loss in ten dimensions.
_AROUND = 64


def group_fast(
    points: np.ndarray, k: int, done: np.ndarray | None = None
) -> np.ndarray:
    """Put every row into a group of ``k`` to ``2k - 1`` rows, in little time.

    As MDAV, it builds groups from the outside inwards: the row farthest from the center
    takes its ``k - 1`` nearest with it. But rows are sorted by that distance only once
    until half of them are taken, and only the leaves around a row are searched.

    Parameters
    ----------
    points : float64 ndarray of shape (n, d)
        Coordinates, at most 1e150 in size.
    k : int
        Size of a group, at least 1.
    done : int64 ndarray of shape (1,), optional
        Counts the rows that have a group, while others run.

    Returns
    -------
    labels : int64 ndarray of shape (n,)
        Number of each row's group, in the order in which groups are built. All have
        ``k`` rows but the last one. Fewer than ``2k`` rows are one group.

    Examples
    --------
    >>> import numpy as np
    >>> ages = np.array([1.0, 2, 3, 10, 11, 12, 20, 21, 22]).reshape(-1, 1)
    >>> group_fast(ages, 3)
    array([1, 1, 1, 2, 2, 2, 0, 0, 0])
    """
    return _group_fast(check_points(points), k, counter(done))


@njit_nogil("float64[:, ::1], int64, int64[::1]")
def _group_fast(points, k, done):
    count = len(points)
    labels = np.full(count, -1, dtype=np.int64)
    rows, place = np.arange(count), np.empty(count, dtype=np.int64)
    near, members = np.empty(k - 1), np.empty(k - 1, dtype=np.int64)
    label = 0
    while len(rows) >= 2 * k:
        leaves = build(points, rows, place)
        around = _around(leaves)
        left = len(rows)
        for seed in _outermost_first(points, rows):
            # Half-empty leaves cost as much as full ones.
            if left < 2 * k or 2 * left <= len(rows):
                break
            if labels[seed] >= 0:
                continue
            candidates = around[place[seed] // LEAF]
            nearest_among(leaves, candidates, points[seed], seed, near, members)
            if k > 1 and np.isinf(near[0]):
                nearest(leaves, points[seed], seed, near, members)
            labels[seed] = label
            remove(leaves, seed)
            for row in members:
                labels[row] = label
                remove(leaves, row)
            left -= k
            done[0] += k
            label += 1
        rows = remaining(leaves)
    labels[rows] = label
    return labels


@njit
def _outermost_first(points, rows):
    """Rows by falling distance from their center."""
    center = np.zeros(points.shape[1])
    for row in rows:
        center += points[row]
    center /= len(rows)
    nearness = np.zeros(len(rows))
    for at in range(len(rows)):
        for column in range(len(center)):
            difference = points[rows[at], column] - center[column]
            nearness[at] -= difference * difference
    return rows[np.argsort(nearness, kind="mergesort")]


@njit
def _around(leaves):
    """For each leaf itself and the leaves nearest to it, by the centers of boxes."""
    total, count = len(leaves.used), min(_AROUND, len(leaves.used) - 1)
    centers = np.ascontiguousarray(((leaves.low + leaves.high) / 2).T)
    tree = build(centers, np.arange(total), np.empty(total, dtype=np.int64))
    near, rows = np.empty(count), np.empty(count, dtype=np.int64)
    around = np.empty((total, count + 1), dtype=np.int64)
    for leaf in range(total):
        nearest(tree, centers[leaf], leaf, near, rows)
        around[leaf, 0] = leaf
        around[leaf, 1:] = rows[np.argsort(near)]
    return around
