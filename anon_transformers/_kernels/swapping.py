"""Cells that change places inside their groups, and what that does to them."""

from typing import NamedTuple

import numpy as np

from anon_transformers._kernels._jit import njit

FEW = 32
"""Up to this many numbers are sorted faster one by one."""


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


def permute_within(labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw a uniform permutation of the rows inside each group.

    A row may keep its place: permutations that move every row would tell an intruder
    which row is not the right one.

    Parameters
    ----------
    labels : int array
        Group of each row, numbered from 0 without a gap.
    rng : Generator
        The only source of randomness; one number a row is drawn.

    Returns
    -------
    int64 array
        For each row the row of its group whose cells it gets.

    Examples
    --------
    >>> permute_within(np.array([0, 1, 0, 1, 0, 1]), np.random.default_rng(0))
    array([2, 1, 4, 3, 0, 5])
    """
    return permute_members(gather(labels), rng)


def permute_members(members: Members, rng: np.random.Generator) -> np.ndarray:
    """Like :func:`permute_within`, for rows that were gathered before."""
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
    same, constant = _alike(members.rows, members.starts, keys)
    return Agreement(same / len(keys), constant / len(keys))


def shift(places: np.ndarray, sources: np.ndarray) -> float:
    """Mean distance between a row's own place and the one it got.

    It is a share of the range of all places; from a missing place (NaN) to a known
    one it is 1.

    Examples
    --------
    >>> shift(np.array([0.0, 4, 10, 10]), np.array([1, 0, 3, 2]))
    0.2
    """
    # Halves, for the range of doubles itself may be none.
    half_range = 0.5 * np.fmax.reduce(places) - 0.5 * np.fmin.reduce(places)
    return _shift(places, sources, half_range) / len(places)


@njit
def _placed(labels, free):
    rows = np.empty(len(labels), np.int64)
    for row in range(len(labels)):
        rows[free[labels[row]]] = row
        free[labels[row]] += 1
    return rows


@njit
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


@njit
def _alike(rows, starts, keys):
    """Sum of count ** 2 / size over the values of all groups; rows in constant ones."""
    largest = 0
    for group in range(len(starts) - 1):
        largest = max(largest, starts[group + 1] - starts[group])
    held = np.empty(largest, keys.dtype)
    same, constant = 0.0, 0
    for group in range(len(starts) - 1):
        size = starts[group + 1] - starts[group]
        known = 0
        for place in range(starts[group], starts[group + 1]):
            key = keys[rows[place]]
            if not np.isnan(key):
                held[known] = key
                known += 1
        squares, runs = _squares(held[:known])
        squares += (size - known) ** 2
        same += squares / size
        if runs + (known < size) == 1:
            constant += size
    return same, constant


@njit
def _squares(held):
    """Sum of the squared counts of the values, and how many values there are."""
    if len(held) <= FEW:
        _insert(held)
    else:
        held.sort()
    squares, runs, start = 0, 0, 0
    for place in range(1, len(held) + 1):
        if place == len(held) or held[place] != held[start]:
            squares += (place - start) ** 2
            runs += 1
            start = place
    return squares, runs


@njit
def _insert(held):
    """Sort a few numbers by insertion: no call, no memory of its own."""
    for place in range(1, len(held)):
        key, free = held[place], place
        while free > 0 and held[free - 1] > key:
            held[free] = held[free - 1]
            free -= 1
        held[free] = key


@njit
def _shift(places, sources, half_range):
    total = 0.0
    for row in range(len(places)):
        own, got = places[row], places[sources[row]]
        if own == got or (np.isnan(own) and np.isnan(got)):
            continue
        if np.isnan(own) or np.isnan(got) or half_range == 0.0:
            total += 1.0
        else:
            total += abs(0.5 * got - 0.5 * own) / half_range
    return total
