"""MDAV: groups of ``k`` near rows, built from the outside inwards."""

import numpy as np

from anon_transformers._kernels.leaves import (
    LEAF,
    build,
    farthest,
    fit_box,
    nearest,
    remaining,
    remove,
)
from anon_transformers.jit import njit, njit_nogil

# Squares of differences up to this size, and sums of them, stay finite.
_LARGEST = 1e150


def group(points: np.ndarray, k: int, done: np.ndarray | None = None) -> np.ndarray:
    """Put every row into a group of ``k`` to ``2k - 1`` rows.

    While at least ``3k`` rows are left, the row farthest from their center takes its
    ``k - 1`` nearest with it; then the row farthest from that row does the same. If
    ``2k`` rows or more are left then, the one farthest from the center takes its
    nearest once more. The others are the last group. Of equally far or near rows the
    one with the lowest number comes first; a row never loses its place to one equal to
    it.

    A squared distance is the sum of squared differences, coordinate by coordinate in
    the order of the columns. The center is the sum of the rows that are left, rounded
    once, divided by their number. Bounds spare most distances and change no group.

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
        Number of each row's group, in the order in which groups are built. Fewer than
        ``2k`` rows are one group.

    Notes
    -----
    At worst n²/k distances are computed. Memory is that of two copies of the points.

    Examples
    --------
    >>> import numpy as np
    >>> ages = np.array([1.0, 2, 3, 10, 11, 12, 20, 21, 22]).reshape(-1, 1)
    >>> group(ages, 3)
    array([1, 1, 1, 2, 2, 2, 0, 0, 0])
    """
    return group_checked(check_points(points), k, counter(done))


def check_points(points: np.ndarray) -> np.ndarray:
    """The points as the compiled code wants them; an error if a square may overflow."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    # Not "any above": comparisons with NaN are false.
    if points.size and not (points.max() <= _LARGEST and points.min() >= -_LARGEST):
        raise ValueError(f"points: coordinates must be numbers up to {_LARGEST:g}")
    return points


def counter(done: np.ndarray | None) -> np.ndarray:
    """Where to count; somewhere, if nobody asks."""
    return np.zeros(1, dtype=np.int64) if done is None else done


@njit_nogil("float64[:, ::1], int64, int64[::1]")
def group_checked(points, k, done):
    """Labels of points whose coordinates are known to be fit."""
    count = len(points)
    labels = np.full(count, -1, dtype=np.int64)
    rows, place = np.arange(count), np.empty(count, dtype=np.int64)
    leaves, total = build(points, rows, place), _total(points, rows)
    near, members = np.empty(k - 1), np.empty(k - 1, dtype=np.int64)
    left, label = count, 0
    while left >= 2 * k:
        # Half-empty leaves have loose boxes and cost as much as full ones.
        if left > LEAF and 2 * left <= LEAF * len(leaves.used):
            rows = remaining(leaves)
            leaves, total = build(points, rows, place), _total(points, rows)
        seeds = 2 if left >= 3 * k else 1
        seed = farthest(leaves, total[0] / left, True)
        for turn in range(seeds):
            if turn == 1:
                seed = farthest(leaves, points[seed], False)
            nearest(leaves, points[seed], seed, near, members)
            _take(leaves, points, total, seed, labels, label)
            for row in members:
                _take(leaves, points, total, row, labels, label)
            left -= k
            done[0] += k
            label += 1
        if seeds == 1:
            break
    for row in range(count):
        if labels[row] < 0:
            labels[row] = label
    return labels


@njit
def _take(leaves, points, total, row, labels, label):
    """Move a row from those that are left to a group."""
    labels[row] = label
    fit_box(leaves, remove(leaves, row))
    _add(total, -points[row])


@njit
def _total(points, rows):
    """Sum of rows: rounded, and what rounding took away from it.

    Two numbers hold some 32 digits, so that rows can be taken out one by one without
    drifting away from the sum of those that are left.
    """
    total = np.zeros((2, points.shape[1]))
    for row in rows:
        _add(total, points[row])
    return total


@njit
def _add(total, values):
    for column in range(len(values)):
        value, old, rest = values[column], total[0, column], total[1, column]
        new = old + value
        # What the addition lost, exactly (Knuth's two-sum).
        share = new - old
        rest += (old - (new - share)) + (value - share)
        total[0, column] = new + rest
        total[1, column] = rest - (total[0, column] - new)
