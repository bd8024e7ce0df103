"""Points of rows, and centres among them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anon_transformers._tables import Column
from anon_transformers.fuzzy._scaling import Axis, Scale


class Layout(NamedTuple):
    """Where rows lie, by the columns that tell them apart.

    Attributes
    ----------
    points : float64 ndarray of shape (n_rows, n_axes)
        Scaled coordinates.
    axes : tuple of Axis
        One a column that is not constant.
    used : tuple of int
        Which of the columns these are.
    """

    points: np.ndarray
    axes: tuple[Axis, ...]
    used: tuple[int, ...]

    @classmethod
    def of(cls, columns: Sequence[Column], scale: Scale) -> "Layout":
        """Lay out rows that lack no value, and are not all the same."""
        used = tuple(
            at
            for at, column in enumerate(columns)
            if (column.codes != column.codes[0]).any()
        )
        axes = tuple(Axis.of(columns[at], scale) for at in used)
        placed = [axis.place(columns[at]) for axis, at in zip(axes, used, strict=True)]
        return cls(np.ascontiguousarray(np.stack(placed, axis=1)), axes, used)


def centre_order(centres: np.ndarray) -> np.ndarray:
    """Numbers of the centres from the lowest on, by the first column that differs.

    Examples
    --------
    >>> centre_order(np.array([[2.0, 0.0], [1.0, 5.0], [1.0, 3.0]]))
    array([2, 1, 0])
    """
    return np.lexsort(centres.T[::-1])


def thinned(points: np.ndarray, size: int) -> np.ndarray:
    """Some of the points, spread evenly over their order.

    Points are ordered by the first column, then the next; of one column, these are its
    quantiles. Equal points stay as frequent as they were, and no order of rows shows.

    Examples
    --------
    >>> thinned(np.array([[4.0], [1.0], [3.0], [2.0], [0.0], [5.0]]), 3).ravel()
    array([1., 3., 5.])
    """
    at = (2 * np.arange(size) + 1) * len(points) // (2 * size)
    return points[np.lexsort(points.T[::-1])[at]]
