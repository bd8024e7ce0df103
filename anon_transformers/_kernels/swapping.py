"""Cells that change places inside their groups, and what that does to them."""

from typing import NamedTuple

import numpy as np

from anon_transformers._kernels.arrays import as_input
from anon_transformers._kernels.counting import sort_few
from anon_transformers.jit import njit


class Members(NamedTuple):
    """Rows by group: those of group ``g`` are ``rows[starts[g]:starts[g + 1]]``."""

    rows: np.ndarray
    starts: np.ndarray


class Agreement(NamedTuple):
    """How far the cells of a group are alike.

    ``same`` is the probability that a row gets a cell equal to its own, ``constant``
    the share of rows in whose group all cells are equal.
    """

    same: float
    constant: float


def gather(labels: np.ndarray) -> Members:
    """Rows of each group, in their order; groups are numbered from 0 without a gap.

    Examples
    --------
    >>> gather(np.array([1, 0, 1, 0, 1]))
    Members(rows=array([1, 3, 0, 2, 4]), starts=array([0, 2, 5]))
    """
    starts = np.concatenate(([0], np.cumsum(np.bincount(labels))))
    return Members(_placed(labels, starts[:-1].copy()), starts)


def permute_members(members: Members, rng: np.random.Generator) -> np.ndarray:
    """Draw a uniform permutation of the rows inside each group.

    A row may keep its place: permutations that move every row would tell an intruder
    which row is not the right one.

    Parameters
    ----------
    members : Members
        Rows of each group.
    rng : Generator
        The only source of randomness; one number per row is drawn.

    Returns
    -------
    int64 array
        For each row the row of its group whose cells it gets.

    Examples
    --------
    >>> members = gather(np.array([0, 1, 0, 1, 0, 1]))
    >>> permute_members(members, np.random.default_rng(0))
    array([2, 1, 4, 3, 0, 5])
    """
    return _shuffled(members.rows, members.starts, rng.random(len(members.rows)))


def agreement(members: Members, keys: np.ndarray) -> Agreement:
    """How likely a swapped cell equals the own one.

    The sum over groups and distinct values of ``count ** 2 / size``, over all rows.

    Parameters
    ----------
    members : Members
        Rows of each group.
    keys : int or float array
        A number for each row's cell, the same for equal ones; NaN is one of them.

    Examples
    --------
    >>> agreement(gather(np.array([0, 0, 1, 1])), np.array([7, 8, 9, 9]))
    Agreement(same=0.75, constant=0.5)
    """
    number = np.int64 if keys.dtype.kind in "biu" else np.float64
    keys = as_input(keys, number)
    same, constant = _alike(members.rows, members.starts, keys)
    return Agreement(same / len(keys), constant / len(keys))


def expected_shift(members: Members, places: np.ndarray) -> float:
    """Mean distance between a row's own place and one drawn from its group.

    It is a share of the range of all places; from a missing place (NaN) to a known
    one it is 1. Which permutation is drawn makes no difference to it.

    Examples
    --------
    >>> expected_shift(gather(np.array([0, 0, 1, 1])), np.array([0.0, 4, 10, 10]))
    0.1
    """
    # Halves, for the range of doubles itself may be none.
    half_range = 0.5 * np.fmax.reduce(places) - 0.5 * np.fmin.reduce(places)
    places = as_input(places, np.float64)
    return _shifts(members.rows, members.starts, places, half_range) / len(places)


@njit("int64[::1], int64[::1]")
def _placed(labels, free):
    rows = np.empty(len(labels), np.int64)
    for row in range(len(labels)):
        rows[free[labels[row]]] = row
        free[labels[row]] += 1
    return rows


@njit("int64[::1], int64[::1], float64[::1]")
def _shuffled(rows, starts, draws):
    """Fisher and Yates, group by group.

    A draw below 1 times a whole number is never rounded up to that number, and among
    m rows none is preferred by more than m in 2 ** 53.
    """
    given = rows.copy()
    sources = np.empty(len(rows), np.int64)
    for group in range(len(starts) - 1):
        start = starts[group]
        for last in range(starts[group + 1] - 1, start - 1, -1):
            other = start + np.int64(draws[last] * (last - start + 1))
            given[last], given[other] = given[other], given[last]
            sources[rows[last]] = given[last]
    return sources


@njit(
    "int64[::1], int64[::1], readonly(float64[::1])",
    "int64[::1], int64[::1], readonly(int64[::1])",
)
def _alike(rows, starts, keys):
    """Sum of count ** 2 / size over the values of all groups; rows in constant ones."""
    held = np.empty(_largest(starts), keys.dtype)
    same, constant = 0.0, 0
    for group in range(len(starts) - 1):
        size = starts[group + 1] - starts[group]
        known = _sorted_known(rows[starts[group] : starts[group + 1]], keys, held)
        squares, runs = _squares(held[:known])
        squares += (size - known) ** 2
        same += squares / size
        if runs + (known < size) == 1:
            constant += size
    return same, constant


@njit("int64[::1], int64[::1], readonly(float64[::1]), float64")
def _shifts(rows, starts, places, half_range):
    """Sum over the groups of the distances of all pairs over their rows.

    Sorted, a gap lies between all pairs of a place before it and one after it.
    """
    held = np.empty(_largest(starts), places.dtype)
    total = 0.0
    for group in range(len(starts) - 1):
        size = starts[group + 1] - starts[group]
        known = _sorted_known(rows[starts[group] : starts[group + 1]], places, held)
        apart = float(known) * (size - known)
        for place in range(1, known):
            if held[place] != held[place - 1]:
                gap = 0.5 * held[place] - 0.5 * held[place - 1]
                # The smallest number of all has no half: it is the whole range then.
                share = gap / half_range if half_range > 0.0 else 1.0
                apart += share * place * (known - place)
        total += 2 * apart / size
    return total


@njit
def _largest(starts):
    largest = 0
    for group in range(len(starts) - 1):
        largest = max(largest, starts[group + 1] - starts[group])
    return largest


@njit
def _sorted_known(rows, keys, held):
    """Put the keys of some rows into ``held``, sorted; how many are not missing."""
    known = 0
    for row in rows:
        if not np.isnan(keys[row]):
            held[known] = keys[row]
            known += 1
    sort_few(held[:known])
    return known


@njit
def _squares(held):
    """Sum of the squared counts of sorted values, and how many values there are."""
    squares, runs, start = 0, 0, 0
    for place in range(1, len(held) + 1):
        if place == len(held) or held[place] != held[start]:
            squares += (place - start) ** 2
            runs += 1
            start = place
    return squares, runs
