"""MDAV that computes every distance: what pruning and the fast way are measured by."""

import numba
import numpy as np


@numba.njit(cache=True)
def group_plain(points, k):
    """MDAV's labels, but for the rounding of centers and the last rows."""
    count, columns = points.shape
    labels = np.full(count, -1, np.int64)
    rows, near = np.arange(count), np.empty(count)
    left, label = count, 0
    while left >= 3 * k:
        origin = np.zeros(columns)
        for row in rows[:left]:
            for column in range(columns):
                origin[column] += points[row, column] / left
        for _ in range(2):
            _squared_distances(points, rows[:left], origin, near)
            seed = np.argmax(near[:left])
            origin = points[rows[seed]].copy()
            _squared_distances(points, rows[:left], origin, near)
            near[seed] = -1
            limit = np.partition(near[:left], k - 1)[k - 1]
            left = _take(rows, near, left, limit, k, labels, label)
            label += 1
    labels[rows[:left]] = label
    return labels


@numba.njit(cache=True)
def _squared_distances(points, rows, origin, out):
    for at in range(len(rows)):
        total = 0.0
        for column in range(len(origin)):
            difference = points[rows[at], column] - origin[column]
            total += difference * difference
        out[at] = total


@numba.njit(cache=True)
def _take(rows, near, left, limit, k, labels, label):
    ties, kept = k - (near[:left] < limit).sum(), 0
    for at in range(left):
        tied = near[at] == limit and ties > 0
        if near[at] < limit or tied:
            labels[rows[at]] = label
            ties -= tied
        else:
            rows[kept] = rows[at]
            kept += 1
    return kept
