"""Points of rows, and centers among them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from anon_transformers._data.columns import Column
from anon_transformers.fuzzy._scaling import Scale, ScaledAxis

ONE_PLACE = 1e-6
"""Centers that are nearer, as a share of the range of all points, are one."""


class Layout(NamedTuple):
    """Where rows lie, by the columns that tell them apart.

    Attributes
    ----------
    points : float64 ndarray of shape (n_rows, n_axes)
        Scaled coordinates, in rising order.
    axes : tuple of ScaledAxis
        One per column that is not constant.
    used : tuple of int
        Which of the columns these are.
    """

    points: np.ndarray
    axes: tuple[ScaledAxis, ...]
    used: tuple[int, ...]

    @classmethod
    def of(cls, columns: Sequence[Column], scale: Scale) -> "Layout":
        """Lay out rows that lack no value, and are not all the same."""
        used = tuple(
            at
            for at, column in enumerate(columns)
            if (column.codes != column.codes[0]).any()
        )
        axes = tuple(ScaledAxis.of(columns[at], scale) for at in used)
        placed = [axis.place(columns[at]) for axis, at in zip(axes, used, strict=True)]
        points = np.stack(placed, axis=1)
        # Sorted, so that neither a choice of starts nor a sum shows the source's order.
        return cls(points[np.lexsort(points.T[::-1])], axes, used)


def center_order(centers: np.ndarray) -> np.ndarray:
    """Numbers of the centers from the lowest on, by the first column that differs.

    Examples
    --------
    >>> center_order(np.array([[2.0, 0.0], [1.0, 5.0], [1.0, 3.0]]))
    array([2, 1, 0])
    """
    return np.lexsort(centers.T[::-1])


def thinned(points: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Some of the points, spread over their order: one of each of equal parts of it.

    Points are ordered by the first column, then the next; of one column, these are
    nearly its quantiles. Equal points stay about as frequent as they were, and no order
    of rows shows. Which point of a part is left to chance: points may alternate, and a
    fixed step could miss every other one.

    Examples
    --------
    >>> points = np.array([[4.0], [1.0], [3.0], [2.0], [0.0], [5.0]])
    >>> some = thinned(points, 3, np.random.default_rng(0)).ravel()
    >>> (some // 2).tolist()
    [0.0, 1.0, 2.0]
    """
    limits = np.arange(size + 1) * len(points) // size
    at = rng.integers(limits[:-1], limits[1:])
    return points[np.lexsort(points.T[::-1])[at]]


def are_enough(points: np.ndarray, n_sets: int) -> bool:
    """Whether points can be told apart in every column, and into so many sets.

    Examples
    --------
    >>> points = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])
    >>> are_enough(points, 3), are_enough(points[:, 1:], 3), are_enough(points[:2], 3)
    (False, True, False)
    """
    if not np.ptp(points, axis=0).all():
        return False
    return len(np.unique(points, axis=0)) >= n_sets


def are_apart(centers: np.ndarray, points: np.ndarray) -> bool:
    """Whether no two centers lie at one place, measured by how far points reach.

    Examples
    --------
    >>> points = np.array([[0.0], [100.0]])
    >>> are_apart(np.array([[1.0], [2.0]]), points)
    True
    >>> are_apart(np.array([[1.0], [1.0 + 1e-9]]), points)
    False
    """
    places = centers / np.ptp(points, axis=0)
    nearest, _ = cKDTree(places).query(places, k=2)
    return bool(nearest[:, 1].min() > ONE_PLACE)
