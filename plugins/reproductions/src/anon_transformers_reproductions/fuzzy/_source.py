"""The six codings as the source made them, and what it did wrong with them.

Three of its faults are needed to get its numbers and for nothing else; their names say
so: :func:`misaligned`, :func:`truncated_distances`, and the least distance in place of
the largest one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.fuzzy import move_rows

SETS = 3


@dataclass(frozen=True)
class CodedRows:
    """Classes of the rows under one coding.

    Attributes
    ----------
    labels : ndarray of shape (n_rows,)
        Number of each row's class, from 0 on; -1: the row was removed.
    degrees : ndarray of shape (n_rows, n_classes) or None
        Of a fuzzy coding.
    """

    labels: np.ndarray
    degrees: np.ndarray | None = None

    @property
    def kept(self) -> np.ndarray:
        """Which rows have a class."""
        return self.labels >= 0

    @property
    def k(self) -> int:
        """Rows of the smallest class."""
        return int(np.unique(self.labels[self.kept], return_counts=True)[1].min())


def coded_by(recoder: Any, table: pd.DataFrame) -> CodedRows:
    """What a recoder that keeps memberships makes of a table."""
    degrees = recoder.fit(table).degrees_
    labels = np.where(degrees.any(axis=1), degrees.argmax(axis=1), -1)
    return CodedRows(labels, None if np.isin(degrees, (0, 1)).all() else degrees)


def recoded(column: np.ndarray, *, lowest: bool) -> CodedRows:
    """Code one column in classes of about equal size.

    Limits are whole numbers, as the source's software made them, and intervals open on
    the left: the minimum has no class unless ``lowest``. :class:`GlobalRecoder` does
    not round.
    """
    limits = np.round(np.quantile(column, np.linspace(0, 1, SETS + 1)))
    labels = np.searchsorted(limits, column, side="left") - 1
    return CodedRows(np.maximum(labels, 0) if lowest else labels)


def crossed(one: CodedRows, other: CodedRows) -> CodedRows:
    """Every crisp class of one column with every one of another."""
    kept = one.kept & other.kept
    return CodedRows(np.where(kept, one.labels * SETS + other.labels, -1))


def local_optima(points: np.ndarray, n_starts: int, seed: int) -> list[CodedRows]:
    """Different ends of k-means, the one with the least sum of squares first.

    Classes are numbered by their means in the first column.
    """
    random = np.random.default_rng(seed)
    rows = [random.choice(len(points), SETS, replace=False) for _ in range(n_starts)]
    found: dict[bytes, tuple[float, np.ndarray]] = {}
    for labels in np.unique(_lloyd(points, points[np.array(rows)]), axis=0):
        moved = move_rows(points, labels)
        means = _means(points.T, moved[np.newaxis], SETS)[0]
        loss = float(((points - means[moved]) ** 2).sum())
        ranks = np.argsort(np.argsort(means[:, 0]))[moved]
        found[ranks.tobytes()] = loss, ranks
    return [
        CodedRows(labels) for _, labels in sorted(found.values(), key=lambda e: e[0])
    ]


def _lloyd(points: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Give rows to the nearest center and centers to their rows, until none moves.

    Parameters
    ----------
    points : ndarray of shape (n_rows, n_columns)
    centers : ndarray of shape (n_starts, n_sets, n_columns)

    Returns
    -------
    int ndarray of shape (n_starts, n_rows)
    """
    columns = points.T
    labels = np.full((len(centers), len(points)), -1)
    going = np.arange(len(centers))
    while len(going):
        new = _nearest(columns, centers)
        moved = (new != labels[going]).any(axis=1)
        labels[going] = new
        going, new = going[moved], new[moved]
        centers = _means(columns, new, SETS, otherwise=centers[moved])
    return labels


def _nearest(columns: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Number of the nearest center of each start and row, of equal ones the first."""
    shape = len(centers), columns.shape[1]
    labels, least = np.zeros(shape, dtype=np.int64), np.full(shape, np.inf)
    for number in range(SETS):
        away = np.zeros(shape)
        for column, at in zip(columns, centers[:, number].T, strict=True):
            away += (column - at[:, np.newaxis]) ** 2
        labels[away < least] = number
        np.minimum(least, away, out=least)
    return labels


def _means(
    columns: np.ndarray,
    labels: np.ndarray,
    n_sets: int,
    otherwise: np.ndarray | None = None,
) -> np.ndarray:
    """Means of all sets of several partitions; ``otherwise`` where a set is empty."""
    n_cells = len(labels) * n_sets
    cells = (labels + n_sets * np.arange(len(labels))[:, np.newaxis]).ravel()
    sizes = np.bincount(cells, minlength=n_cells)
    sums = [
        np.bincount(cells, np.tile(column, len(labels)), n_cells) for column in columns
    ]
    means = np.stack(sums, axis=-1) / np.maximum(sizes, 1)[:, np.newaxis]
    means = means.reshape(len(labels), n_sets, len(columns))
    if otherwise is None:
        return means
    return np.where(sizes.reshape(len(labels), n_sets, 1) > 0, means, otherwise)


def misaligned(coded: CodedRows, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels beside the wrong values: a fault of the source.

    It took the removed rows out of the labels, but not out of the sensitive column,
    so that most rows got the value of another one.
    """
    labels = coded.labels[coded.kept]
    return labels, values[: len(labels)]


def truncated_distances(
    labels: np.ndarray, values: np.ndarray, support: np.ndarray
) -> np.ndarray:
    """Distances of the classes from the table, as the source took them; wrong.

    With e empty classes of n it looks at the labels 1 to n - e, whichever of them are
    empty, and at no others. Each class counts a value once, and so does the table for
    each class that was looked at.

    Parameters
    ----------
    labels, values : ndarrays of shape (n_rows,)
        Classes from 0 on, and sensitive values.
    support : ndarray
        All sensitive values, sorted, each once.
    """
    looked_at = np.unique(labels)
    looked_at = looked_at[looked_at < len(looked_at)]
    holds = np.zeros((len(looked_at), len(support)))
    for row, label in zip(holds, looked_at, strict=True):
        row[np.searchsorted(support, values[labels == label])] = 1
    table = holds.sum(axis=0) / holds.sum()
    shares = holds / holds.sum(axis=1, keepdims=True)
    moved = np.abs(np.cumsum(shares - table, axis=1)).sum(axis=1)
    return moved / (len(support) - 1)


def numberings(coded: CodedRows, *, crossed: bool) -> Iterator[np.ndarray]:
    """All ways to number the classes of k-means, which depend on its start.

    Crossed classes are numbered row by row from the numbers of both columns.
    """
    if not crossed:
        yield coded.labels
        return
    first, second = np.divmod(coded.labels, SETS)
    orders = [np.array(order) for order in permutations(range(SETS))]
    for one, other in product(orders, orders):
        yield one[first] * SETS + other[second]
