"""The cell of a group that a model likes best."""

import numpy as np

from anon_transformers.jit import njit

SAME = 1e-9
"""Scores that differ by less are equal but for rounding."""


def best_cells(
    points: np.ndarray,
    weights: np.ndarray,
    own: tuple[np.ndarray, np.ndarray],
    offers: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """For each row the values of its group with the largest score.

    Parameters
    ----------
    points : float array of shape (n_rows, d)
    weights : float array of shape (n_values, d)
        The score of a value is its product with the point of the row.
    own : pair of int arrays
        Group and value of each row.
    offers : starts, values, counts
        Values of group ``g``: ``values[starts[g]:starts[g + 1]]``, each so often.

    Returns
    -------
    tied, right : int arrays
        Cells that have one of these values, and those of them that have the own one.

    Examples
    --------
    >>> offers = np.array([0, 2]), np.array([0, 1]), np.array([2, 1])
    >>> own = np.array([0, 0, 0]), np.array([0, 0, 1])
    >>> points = np.array([[1.0], [-1], [-1]])
    >>> best_cells(points, np.array([[1.0], [0]]), own, offers)
    (array([2, 1, 1]), array([2, 0, 1]))
    """
    whole = [part.astype(np.int64, copy=False) for part in (*own, *offers)]
    return _best(points, weights, *whole)


@njit(
    "float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], int64[::1], "
    "int64[::1], int64[::1]"
)
def _best(points, weights, labels, codes, starts, values, counts):
    tied = np.zeros(len(labels), np.int64)
    right = np.zeros(len(labels), np.int64)
    scores = np.empty(np.max(starts[1:] - starts[:-1]))
    for row in range(len(labels)):
        start, end = starts[labels[row]], starts[labels[row] + 1]
        best = -np.inf
        for place in range(start, end):
            score = 0.0
            for at in range(points.shape[1]):
                score += points[row, at] * weights[values[place], at]
            scores[place - start] = score
            best = max(best, score)
        for place in range(start, end):
            if scores[place - start] >= best - SAME:
                tied[row] += counts[place]
                if values[place] == codes[row]:
                    right[row] = counts[place]
    return tied, right
