"""How far mixtures of distributions lie from a reference.

A row with degrees u has the mixture P = Σ u_i P_i. Where the distance is a weighted sum
of absolute values of linear functions of P, all rows are measured by matrix products,
and no more than a block of rows at a time is spread over the values.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anon_transformers._kernels.transport import ordered_distances

CELLS = 1 << 15
"""Numbers that a block of rows may need: they stay in a processor's cache."""


@dataclass(frozen=True)
class Mixtures:
    """Distributions of some sets, and the distance of their mixtures from a reference.

    Attributes
    ----------
    measure : callable
        Distances of a block of rows, by their degrees.
    n_columns : int
        Numbers that a row of a block needs.
    """

    measure: Callable[[np.ndarray], np.ndarray]
    n_columns: int

    def distances(self, degrees: np.ndarray) -> np.ndarray:
        """Distance of each row of ``degrees``."""
        found = np.empty(len(degrees))
        for start, end in self._blocks(len(degrees)):
            found[start:end] = self.measure(degrees[start:end])
        return found

    def largest(self, degrees: np.ndarray, bounds: np.ndarray) -> float:
        """Distance of the farthest row; ``bounds`` are what no row exceeds.

        Distances are convex, so that the rows with the largest bounds are mostly the
        farthest ones. They are measured first, until no bound is above what was found.
        """
        order = np.argsort(-bounds, kind="stable")
        found = 0.0
        for start, end in self._blocks(len(degrees)):
            if found >= bounds[order[start]]:
                break
            block = degrees[order[start:end]]
            found = max(found, float(self.measure(block).max()))
        return found

    def _blocks(self, n_rows: int) -> list[tuple[int, int]]:
        step = max(1, CELLS // max(self.n_columns, 1))
        starts = range(0, n_rows, step)
        return [(start, min(start + step, n_rows)) for start in starts]


def by_hierarchy(shares: np.ndarray, whole: np.ndarray, groups: np.ndarray) -> Mixtures:
    """Measure values that meet at the levels of a tree.

    The distance is the mean over the levels of half the sum of |P - Q| over the groups
    of a level. One level with a group for each value is the equal distance.

    Parameters
    ----------
    shares : array of shape (n_sets, n_values)
        Distribution of each set.
    whole : array of shape (n_values,)
        The reference.
    groups : int array of shape (n_levels, n_values)
        Group of each value at each level below the root.
    """
    apart = shares - whole
    levels = [_sum_groups(apart, group) for group in groups]
    # Values that no set tells apart are measured once: of the many values that only
    # few rows have, hardly any is left.
    columns, repeats = np.unique(np.hstack(levels), axis=1, return_counts=True)
    return _linear(columns, repeats / (2 * len(groups)))


def by_rank(shares: np.ndarray, whole: np.ndarray) -> Mixtures:
    """Measure values i and j that are |i - j| / (m - 1) apart; none is missing.

    The last column stands for missing values, which every set has as the reference has.
    """
    steps = np.cumsum((shares - whole)[:, :-1], axis=1)[:, :-1]
    return _linear(steps, np.full(steps.shape[1], 1 / max(steps.shape[1], 1)))


def by_rank_with_missing(shares: np.ndarray, whole: np.ndarray) -> Mixtures:
    """Measure the same where sets differ in missing values, 1 apart from all others."""
    n_columns = shares.shape[1]

    def measure(degrees: np.ndarray) -> np.ndarray:
        mixed = degrees @ shares
        starts = np.arange(len(mixed) + 1) * n_columns
        places = np.tile(np.arange(n_columns), len(mixed))
        return ordered_distances(starts, places, mixed.ravel(), whole)

    return Mixtures(measure, n_columns)


def _linear(columns: np.ndarray, weights: np.ndarray) -> Mixtures:
    def measure(degrees: np.ndarray) -> np.ndarray:
        mixed = degrees @ columns
        return np.abs(mixed, out=mixed) @ weights

    return Mixtures(measure, columns.shape[1])


def _sum_groups(apart: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Sum the columns of each group."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    return np.add.reduceat(apart[:, order], starts, axis=1)
