"""Single rows that change their class after k-means, while that lowers the loss.

The loss is the sum of squared distances of rows from the center of their class. k-means
gives every row to the nearest center and stops where that moves no row. But centers
follow their rows, so that a row may still gain by leaving: from a class of ``a`` rows
at the squared distance A to one of ``b`` rows at B, the loss falls by
``a / (a - 1) * A - b / (b + 1) * B``.
"""

import numpy as np

from anon_transformers._kernels.centers import squared_distance
from anon_transformers._kernels.mdav import check_points
from anon_transformers.jit import njit

# A move must win this share of what the row's leaving wins: less may be an effect of
# rounding only, and rows could go back and forth for ever.
_SHARE = 1e-9


def move_rows(
    points: np.ndarray, labels: np.ndarray, max_sweeps: int = 1000
) -> np.ndarray:
    """Labels of classes with less loss, or the same if no move lowers it.

    Rows are looked at in their order, again and again until none moves. A row goes
    where the loss falls most, of equal classes to the first, and the centers follow at
    once. No class loses its last row.

    Parameters
    ----------
    points : float64 ndarray of shape (n, d)
        Coordinates, at most 1e150 in size.
    labels : int64 ndarray of shape (n,)
        Number of each row's class, from 0 on. A number that is not there is an empty
        class, which may receive rows.
    max_sweeps : int
        How often all rows are looked at, at most.

    Returns
    -------
    int64 ndarray of shape (n,)

    Examples
    --------
    No row is nearer to the other center, and yet the middle one gains by moving.

    >>> import numpy as np
    >>> ages = np.array([[0.0], [5.0], [10.1], [10.1], [10.1]])
    >>> move_rows(ages, np.array([0, 1, 1, 1, 1]))
    array([0, 0, 1, 1, 1])
    """
    points = check_points(points)
    labels = np.array(labels, dtype=np.int64)
    if not len(labels):
        return labels
    # Near zero, centers keep more digits of what is inside a class.
    points = points - points.mean(axis=0)
    sizes = np.bincount(labels)
    for _ in range(max_sweeps):
        # Anew in each sweep, free of the rounding of many small steps.
        centers = _centers(points, labels, len(sizes))
        if not _sweep(points, labels, sizes, centers):
            break
    return labels


@njit("float64[:, ::1], int64[::1], int64")
def _centers(points, labels, count):
    sums, sizes = np.zeros((count, points.shape[1])), np.zeros(count)
    for row in range(len(points)):
        sizes[labels[row]] += 1
        for column in range(points.shape[1]):
            sums[labels[row], column] += points[row, column]
    for label in range(count):
        if sizes[label] > 0:
            sums[label] /= sizes[label]
    return sums


@njit("float64[:, ::1], int64[::1], int64[::1], float64[:, ::1]")
def _sweep(points, labels, sizes, centers):
    """Look at every row once; how many moved."""
    moved = 0
    for row in range(len(points)):
        old = labels[row]
        if sizes[old] == 1:
            continue
        leaving = (
            squared_distance(points[row], centers[old]) * sizes[old] / (sizes[old] - 1)
        )
        best, new = leaving * (1 - _SHARE), old
        for label in range(len(sizes)):
            if label != old:
                share = sizes[label] / (sizes[label] + 1)
                joining = share * squared_distance(points[row], centers[label])
                if joining < best:
                    best, new = joining, label
        if new != old:
            _move(points[row], old, new, sizes, centers)
            labels[row] = new
            moved += 1
    return moved


@njit
def _move(point, old, new, sizes, centers):
    """Let the sizes and centers of two classes follow a row."""
    sizes[old] -= 1
    sizes[new] += 1
    for column in range(len(point)):
        centers[old, column] += (centers[old, column] - point[column]) / sizes[old]
        centers[new, column] += (point[column] - centers[new, column]) / sizes[new]
