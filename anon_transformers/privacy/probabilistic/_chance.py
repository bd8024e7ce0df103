"""What uniform permutations inside groups do by chance, and what they hardly ever do.

Counted are rows of groups that are permuted independently of each other: those that
kept their cell, or its value, or that got the cell of a certain place. Rows of one
group depend on each other, so that no textbook law fits; what is given instead is an
upper bound of the probability, which raises no false alarm. It is Chernoff's: for every
``s > 0`` the sum ``X`` of independent counts has

    P(X - E[X] >= t)  <=  exp(-s t) * product of E[exp(s (X_g - E[X_g]))].

Each factor is bounded by what is known of the count of a group, with ``f(x) = exp(x) -
1 - x``: by Bennett, ``exp(V f(s b) / b**2)``, if its variance is V and it is never more
than b above its mean; and by ``exp(E f(s))``, that of Poisson's law, for its factorial
moments are at most the powers of its mean.
"""

from typing import NamedTuple

import numpy as np

SIGNIFICANCE = 1e-6
"""What is less likely than this did not happen by chance."""
SLOPES = 2.0 ** np.arange(-10, 6, 0.25)
"""Each gives a bound; the least of them is taken."""


class CountMoments(NamedTuple):
    """Moments of a count in each of some groups, or in each of some kinds of groups.

    Attributes
    ----------
    mean, variance : float arrays
    most : float array
        No group has more.
    groups : int array or int
        How many groups of each kind there are.
    """

    mean: np.ndarray
    variance: np.ndarray
    most: np.ndarray
    groups: np.ndarray | int = 1

    @classmethod
    def of_cells(
        cls,
        rows: np.ndarray,
        cells: np.ndarray,
        sizes: np.ndarray,
        groups: np.ndarray | int = 1,
    ) -> "CountMoments":
        """Of certain rows of a group that get one of certain cells of it.

        Examples
        --------
        >>> CountMoments.of_cells(np.array([1]), np.array([1]), np.array([4])).variance
        array([0.1875])
        """
        mean = rows * cells / sizes
        rest = (sizes - rows) * (sizes - cells) / (sizes * np.maximum(sizes - 1, 1))
        return cls(mean, mean * rest, np.minimum(rows, cells), groups)

    @classmethod
    def of_own_cells(cls, drawn: np.ndarray, sizes: np.ndarray) -> "CountMoments":
        """Of ``drawn`` rows of each group that get one cell each: their own, say.

        Examples
        --------
        >>> law = CountMoments.of_own_cells(np.array([5, 2]), np.array([5, 5]))
        >>> law.mean, law.variance
        (array([1. , 0.4]), array([1.  , 0.34]))
        """
        mean = drawn / sizes
        pairs = mean * (drawn - 1) / np.maximum(sizes - 1, 1)
        return cls(mean, pairs + mean - mean**2, drawn.astype(np.float64))

    @classmethod
    def of_own_values(
        cls, counts: np.ndarray, owner: np.ndarray, sizes: np.ndarray
    ) -> "CountMoments":
        """Of rows that get a cell of their own value.

        Parameters
        ----------
        counts, owner : int arrays
            How often each value occurs in a group, and in which one.
        sizes : int array
            Rows of each group.

        Examples
        --------
        >>> sizes = np.array([2, 2]), np.array([0, 0]), np.array([4])
        >>> law = CountMoments.of_own_values(*sizes)
        >>> law.mean, law.variance.round(3)
        (array([2.]), array([1.333]))
        """
        squares, cubes = (
            np.bincount(owner, counts.astype(np.float64) ** power, len(sizes))
            for power in (2, 3)
        )
        mean = squares / sizes
        spread = squares - 2 * cubes / sizes + mean**2
        # Rounding must not make a variance of what never varies.
        variance = np.maximum(spread, 0.0) / np.maximum(sizes - 1, 1)
        return cls(mean, variance, sizes.astype(np.float64))

    @property
    def expected(self) -> float:
        """The count on average, over all groups."""
        return float((self.groups * self.mean).sum())

    def chance_of_as_many(self, count: float) -> float:
        """At most this likely is a count that is as large, or larger.

        Examples
        --------
        >>> law = CountMoments.of_own_cells(np.full(60, 2), np.full(60, 2))
        >>> law.chance_of_as_many(60), law.chance_of_as_many(120) < 1e-6
        (1.0, True)
        """
        return self._chance(count - self.expected, self.most - self.mean, self.mean)

    def chance_of_as_few(self, count: float) -> float:
        """At most this likely is a count that is as small, or smaller."""
        return self._chance(self.expected - count, self.mean, np.inf)

    def _chance(
        self, beyond: float, reach: np.ndarray, poisson: np.ndarray | float
    ) -> float:
        """Chance to be ``beyond`` the mean, of groups that reach so far beyond it."""
        if beyond <= 0:
            return 1.0
        varies = (self.variance > 0) & (reach > 0)
        reach = np.where(varies, reach, 1.0)
        bennett = np.where(varies, self.variance, 0.0) / reach**2
        poisson = np.where(varies, poisson, 0.0)
        least = 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            for slope in SLOPES:
                one, other = bennett * _f(slope * reach), poisson * _f(slope)
                # Beyond the largest number, 0 times it is none: the other one counts.
                bound = (self.groups * np.fmin(one, other)).sum() - slope * beyond
                least = min(least, float(bound))
        return float(np.exp(least))


def _f(x: np.ndarray | float) -> np.ndarray:
    return np.expm1(x) - x


class Hits(NamedTuple):
    """A count, and what it would be by chance.

    Attributes
    ----------
    hits : int
    law : CountMoments
        Of uniform permutations.
    """

    hits: int
    law: CountMoments

    @property
    def expected(self) -> float:
        """How many uniform permutations have on average."""
        return self.law.expected

    @property
    def too_many(self) -> bool:
        """Whether chance does not explain as many."""
        return self.law.chance_of_as_many(self.hits) < SIGNIFICANCE

    @property
    def too_few(self) -> bool:
        """Whether chance does not explain as few."""
        return self.law.chance_of_as_few(self.hits) < SIGNIFICANCE
