"""Rules that put rows into sets: by limits, by centers, or all into one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers._data.numbers import comparable
from anon_transformers.evidence._memberships import SUMS_TO_ONE
from anon_transformers.fuzzy._naming import WHOLE
from anon_transformers.fuzzy._partitions import FuzzyPartition
from anon_transformers.fuzzy._scaling import ScaledAxis, row_values

NEAREST = 1e-10
"""Added to every squared distance, so that a row on a center divides by no zero."""


class SetRule(Protocol):
    """Puts rows into sets by one column or by several.

    What it says of a row with a missing value means nothing: those are put elsewhere.

    Attributes
    ----------
    names : tuple of str
        What each set is called, in their order.
    """

    @property
    def names(self) -> tuple[str, ...]: ...

    def places(self, columns: Sequence[Column]) -> np.ndarray:
        """The set of each row, where its degree is largest; -1 where none covers it."""
        ...

    def degrees(self, columns: Sequence[Column]) -> np.ndarray:
        """Degree of each row in each set; they add up to 1, or are 0 if uncovered."""
        ...


class CrispRule:
    """Base of rules whose degrees are 0 and 1."""

    names: tuple[str, ...]

    def places(self, columns: Sequence[Column]) -> np.ndarray:
        """The set of each row."""
        raise NotImplementedError

    def degrees(self, columns: Sequence[Column]) -> np.ndarray:
        """1 in the set of the row, 0 elsewhere."""
        return one_hot(self.places(columns), len(self.names))


@dataclass(frozen=True)
class WholeRule(CrispRule):
    """One set of all values."""

    names: tuple[str, ...] = (WHOLE,)

    def places(self, columns: Sequence[Column]) -> np.ndarray:
        """The only set there is."""
        return np.zeros(len(columns[0].codes), dtype=np.int64)


@dataclass(frozen=True)
class ValueRule(CrispRule):
    """Every value of a column is a set of its own."""

    names: tuple[str, ...]

    def places(self, columns: Sequence[Column]) -> np.ndarray:
        """The value of each row, if the fitted table had it."""
        (column,) = columns
        exact = True if column.exact is None else column.exact
        return np.where(exact, column.codes, -1)


@dataclass(frozen=True)
class IntervalRule(CrispRule):
    """Intervals of one column, closed on the right.

    Attributes
    ----------
    names : tuple of str
        One per interval.
    breaks : ndarray
        Their limits, rising; one more than there are intervals.
    lowest : bool
        Whether the lowest limit itself is inside.
    endless : bool
        Whether the outer intervals reach beyond their limits.
    """

    names: tuple[str, ...]
    breaks: np.ndarray
    lowest: bool = True
    endless: bool = False

    def places(self, columns: Sequence[Column]) -> np.ndarray:
        """The interval of each row; -1 outside of all."""
        (column,) = columns
        breaks, values = comparable(self.breaks, row_values(column))
        places = np.searchsorted(breaks[1:-1], values).astype(np.int64)
        if self.endless:
            return places
        above = values >= breaks[0] if self.lowest else values > breaks[0]
        return np.where(above & (values <= breaks[-1]), places, -1)


@dataclass(frozen=True)
class CenterRule:
    """Sets about centers, by squared distances in scaled coordinates.

    Attributes
    ----------
    names : tuple of str
        One per set.
    axes : tuple of ScaledAxis
        Coordinates of a row, one per column that tells rows apart.
    used : tuple of int
        Which of the columns these are.
    centers : float64 ndarray of shape (n_sets, n_axes)
        Where each set lies.
    norms : float64 ndarray of shape (n_sets, n_axes, n_axes) or None
        How each set measures distances; None: alike in all directions.
    factors : float64 ndarray of shape (n_sets, n_axes, n_axes) or None
        Upper triangles R with ``norms = R'R``. Distances are computed by these, as they
        were when the sets were learned: by the norms they lose digits.
    m : float or None
        Fuzziness; None: a row belongs to the nearest center alone.
    n_iter : int
        Iterations that it took to find the centers.
    converged : bool
        Whether they came to rest before the most iterations.
    """

    names: tuple[str, ...]
    axes: tuple[ScaledAxis, ...]
    used: tuple[int, ...]
    centers: np.ndarray
    norms: np.ndarray | None = None
    factors: np.ndarray | None = None
    m: float | None = None
    n_iter: int = 0
    converged: bool = True

    def places(self, columns: Sequence[Column]) -> np.ndarray:
        """The nearest set, which is that of the largest degree; the first in a tie."""
        return self._squares(columns).argmin(axis=1)

    def degrees(self, columns: Sequence[Column]) -> np.ndarray:
        """Degrees by the formula that the centers were learned with."""
        squares = self._squares(columns)
        if self.m is None:
            return one_hot(squares.argmin(axis=1), len(self.names))
        # Relative to the nearest, so that with m near 1 nothing overflows.
        closeness = (squares.min(axis=1, keepdims=True) / squares) ** (1 / (self.m - 1))
        return closeness / closeness.sum(axis=1, keepdims=True)

    def _squares(self, columns: Sequence[Column]) -> np.ndarray:
        """Squared distance of each row from each center, and a little more.

        Each row by itself, term by term: no batch may change what a row gets.
        """
        points = [
            axis.place(columns[at])
            for axis, at in zip(self.axes, self.used, strict=True)
        ]
        squares = np.full((len(points[0]), len(self.centers)), NEAREST)
        for number, center in enumerate(self.centers):
            away = [point - at for point, at in zip(points, center, strict=True)]
            if self.factors is not None:
                away = _turned(away, self.factors[number])
            for one in away:
                squares[:, number] += one * one
        return squares


@dataclass(frozen=True)
class ShapeRule:
    """Fuzzy sets of one column whose shapes are given.

    Attributes
    ----------
    partition : FuzzyPartition
        The sets.
    axis : ScaledAxis
        What their numbers mean.
    """

    partition: FuzzyPartition
    axis: ScaledAxis

    @property
    def names(self) -> tuple[str, ...]:
        """What each set is called."""
        return self.partition.names

    def places(self, columns: Sequence[Column]) -> np.ndarray:
        """The set of the largest degree, the first in a tie; -1 beyond all sets."""
        degrees = self.degrees(columns)
        return np.where(degrees.any(axis=1), degrees.argmax(axis=1), -1)

    def degrees(self, columns: Sequence[Column]) -> np.ndarray:
        """Degrees by the shapes; 0 where they do not add up to 1."""
        (column,) = columns
        values = self.axis.place(column)
        degrees = np.stack([shape(values) for shape in self.partition.shapes], axis=1)
        degrees[np.abs(degrees.sum(axis=1) - 1) > SUMS_TO_ONE] = 0.0
        return degrees


def _turned(away: list[np.ndarray], factor: np.ndarray) -> list[np.ndarray]:
    """What an upper triangle makes of coordinates, term by term."""
    turned = []
    for row in range(len(away)):
        total = factor[row, row] * away[row]
        for column in range(row + 1, len(away)):
            total = total + factor[row, column] * away[column]
        turned.append(total)
    return turned


def one_hot(places: np.ndarray, n_sets: int) -> np.ndarray:
    """Degrees of a crisp partition; a row at -1 has none."""
    return (places[:, None] == np.arange(n_sets)).astype(np.float64)
