"""What uniform permutations do by chance: moments, and bounds that never lie."""

import itertools
from collections import Counter
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest

from anon_transformers.privacy.probabilistic._chance import (
    SIGNIFICANCE,
    CountMoments,
    Hits,
)

VALUES = ["ab", "aab", "abc", "aabb", "aaab", "abcde", "aabbc", "aaaab", "aabbcc"]


def law_by_enumeration(count, size):
    """Probability of each count over all permutations of a group."""
    found = Counter(count(order) for order in itertools.permutations(range(size)))
    most = max(found)
    return np.array([found[i] for i in range(most + 1)]) / factorial(size)


def moments(law):
    counts = np.arange(len(law))
    mean = (law * counts).sum()
    return mean, (law * (counts - mean) ** 2).sum()


def own_cells(n_rows):
    return lambda order: sum(at == i for i, at in enumerate(order[:n_rows]))


def own_values(values):
    return lambda order: sum(values[at] == values[i] for i, at in enumerate(order))


def parts(rows, cells):
    return lambda order: sum(at < cells for at in order[:rows])


def groups_of(values, n_groups):
    """The law of groups that all hold these values."""
    counts = np.array([*Counter(values).values()])
    owner = np.repeat(np.arange(n_groups), len(counts))
    sizes = np.full(n_groups, len(values))
    return CountMoments.of_own_values(np.tile(counts, n_groups), owner, sizes)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_moments_of_own_cells(size):
    for n_rows in range(size + 1):
        law = CountMoments.of_own_cells(np.array([n_rows]), np.array([size]))
        exact = law_by_enumeration(own_cells(n_rows), size)
        assert (law.mean[0], law.variance[0]) == pytest.approx(moments(exact))
        assert law.most[0] >= len(exact) - 1


@pytest.mark.parametrize("values", ["a", "aa", *VALUES])
def test_moments_of_own_values(values):
    law = groups_of(values, 1)
    exact = moments(law_by_enumeration(own_values(values), len(values)))
    assert (law.mean[0], law.variance[0]) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(("rows", "cells"), [(0, 2), (1, 1), (2, 3), (4, 2), (5, 5)])
def test_moments_of_parts(rows, cells):
    law = CountMoments.of_cells(np.array([rows]), np.array([cells]), np.array([5]))
    exact = law_by_enumeration(parts(rows, cells), 5)
    assert (law.mean[0], law.variance[0]) == pytest.approx(moments(exact))
    assert law.most[0] == len(exact) - 1


def partitions(n, largest):
    if n == 0:
        yield ()
    for first in range(min(n, largest), 0, -1):
        for rest in partitions(n - first, first):
            yield (first, *rest)


@pytest.mark.parametrize("size", range(1, 13))
def test_factorial_moments_are_at_most_the_powers_of_the_mean(size):
    """The reason why Poisson's bound holds; by rooks on a board of equal values."""
    for counts in partitions(size, size):
        rooks = [1]
        for c in counts:
            board = [comb(c, j) ** 2 * factorial(j) for j in range(c + 1)]
            rooks = [
                sum(
                    rooks[i] * board[j - i]
                    for i in range(len(rooks))
                    if 0 <= j - i < len(board)
                )
                for j in range(len(rooks) + c)
            ]
        mean = Fraction(sum(c * c for c in counts), size)
        for j, placed in enumerate(rooks):
            assert Fraction(placed, comb(size, j)) <= mean**j


def laws():
    for size in (2, 3, 5):
        for n_rows in {1, size - 1, size}:
            exact = law_by_enumeration(own_cells(n_rows), size)
            yield (
                exact,
                lambda n, t=n_rows, s=size: CountMoments.of_own_cells(
                    np.full(n, t), np.full(n, s)
                ),
            )
    for values in VALUES:
        exact = law_by_enumeration(own_values(values), len(values))
        yield exact, lambda n, v=values: groups_of(v, n)
    exact = law_by_enumeration(parts(2, 3), 5)
    one = np.array([2]), np.array([3]), np.array([5])
    yield exact, lambda n: CountMoments.of_cells(*one, np.array([n]))


@pytest.mark.parametrize(("exact", "make"), [*laws()])
@pytest.mark.parametrize("n_groups", [1, 7, 60])
def test_bounds_are_above_what_they_bound(exact, make, n_groups):
    """The law of many groups, exactly: by convolution."""
    law, total = make(n_groups), np.ones(1)
    for _ in range(n_groups):
        total = np.convolve(total, exact)
    many, few = np.cumsum(total[::-1])[::-1], np.cumsum(total)
    for count in range(len(total)):
        assert law.chance_of_as_many(count) >= many[count] * (1 - 1e-9)
        assert law.chance_of_as_few(count) >= few[count] * (1 - 1e-9)
    alarms = [
        Hits(count, law).too_many or Hits(count, law).too_few
        for count in range(len(total))
    ]
    assert total[alarms].sum() < 2 * SIGNIFICANCE


@pytest.mark.parametrize("values", VALUES)
def test_fifty_groups_show_that_nothing_moved(values):
    assert Hits(50 * len(values), groups_of(values, 50)).too_many
    size = np.full(50, len(values))
    records = CountMoments.of_own_cells(size, size)
    assert Hits(50 * len(values), records).too_many
    assert Hits(0, records).too_few
    assert not Hits(50, records).too_many
    assert not Hits(50, records).too_few


def test_a_large_group_hides_no_small_ones():
    sizes = np.append(np.full(60, 2), 5000)
    law = CountMoments.of_own_cells(sizes, sizes)
    assert Hits(120 + 1, law).too_many
    assert not Hits(60 + 1, law).too_many


def test_what_never_varies_tells_nothing():
    law = groups_of("aaa", 9)
    assert law.chance_of_as_many(27) == law.chance_of_as_few(27) == 1
    assert law.expected == 27
