"""How mixed the sensitive values of a class are.

Every function takes the counts of a class x value table in compressed rows (``indptr``,
``indices``, ``data``); column ``missing`` counts the rows whose value is not known.

A missing value may be any value. What is not known is counted against the class: as one
more row of the value that this makes least diverse; of rows, the most frequent one.

Where persons are counted, ``lacking`` says for each entry how many of its persons have
a missing value too: these hold the value already, and are not counted again.
"""

import numpy as np

from anon_transformers._kernels.counting import sort_few
from anon_transformers.jit import njit

ROUNDING = 1e-12
"""Two sides of an inequality that differ by less, relatively, are equal."""


@njit("int64[::1], int64[::1], int64[::1], int64")
def count_values(indptr, indices, data, missing):
    """How many known values each class has."""
    found = np.zeros(len(indptr) - 1, np.int64)
    for row in range(len(found)):
        for at in range(indptr[row], indptr[row + 1]):
            if indices[at] != missing and data[at] > 0:
                found[row] += 1
    return found


@njit
def largest_counts(indptr, indices, data, missing):
    """Rows of the most frequent known value of each class, and rows of no known one."""
    largest = np.zeros(len(indptr) - 1, np.int64)
    unknown = np.zeros(len(largest), np.int64)
    for row in range(len(largest)):
        for at in range(indptr[row], indptr[row + 1]):
            if indices[at] == missing:
                unknown[row] += data[at]
            else:
                largest[row] = max(largest[row], data[at])
    return largest, unknown


@njit("int64[::1], int64[::1], int64[::1], int64[::1], int64")
def possible_counts(indptr, indices, data, lacking, missing):
    """Most that may have one and the same value, in each class."""
    largest, unknown = largest_counts(indptr, indices, data, missing)
    for row in range(len(largest)):
        most = unknown[row]
        for at in range(indptr[row], indptr[row + 1]):
            if indices[at] != missing:
                most = max(most, data[at] + unknown[row] - lacking[at])
        largest[row] = most
    return largest


@njit("int64[::1], int64[::1], int64[::1], int64[::1], int64")
def effective_values(indptr, indices, data, lacking, missing):
    """The exponential of the entropy of each class; 0 if no value is known."""
    largest, unknown = largest_counts(indptr, indices, data, missing)
    found = np.zeros(len(largest))
    for row in range(len(found)):
        if largest[row] == 0:
            continue
        known, terms = 0, 0.0
        for at in range(indptr[row], indptr[row + 1]):
            if indices[at] != missing and data[at] > 0:
                known += data[at]
                terms += data[at] * np.log(data[at])
        least = np.inf
        for at in range(indptr[row], indptr[row + 1]):
            if indices[at] != missing and data[at] > 0:
                more = unknown[row] - lacking[at]
                top, total = data[at] + more, known + more
                full = terms + top * np.log(top) - data[at] * np.log(data[at])
                least = min(least, np.log(total) - full / total)
        # One value alone is one value, whatever rounding makes of it.
        found[row] = max(1.0, np.exp(least))
    return found


@njit("int64[::1], int64[::1], int64[::1], int64[::1], int64, float64")
def recursive_levels(indptr, indices, data, lacking, missing, c):
    """Largest l for which each class is (c, l)-diverse; 0 if there is none.

    With n_1 ≥ n_2 ≥ … the condition is n_1 < c (n_l + n_{l+1} + …). What is not known
    is counted on the left for each value, and on the right where the sum is of all.
    """
    largest, unknown = largest_counts(indptr, indices, data, missing)
    possible = possible_counts(indptr, indices, data, lacking, missing)
    found = np.zeros(len(largest), np.int64)
    room = np.empty(missing, np.int64)
    for row in range(len(found)):
        if largest[row] == 0:
            continue
        n_known, known = 0, 0
        for at in range(indptr[row], indptr[row + 1]):
            if indices[at] != missing and data[at] > 0:
                room[n_known] = data[at]
                n_known += 1
                known += data[at]
        ascending = room[:n_known]
        sort_few(ascending)
        # What only rounding makes smaller is not smaller.
        top = possible[row] * (1 + ROUNDING)
        tail = 0
        for rank in range(n_known, 1, -1):
            tail += ascending[n_known - rank]
            if top < c * tail:
                found[row] = rank
                break
        if found[row] > 0:
            continue
        found[row] = 1
        for at in range(indptr[row], indptr[row + 1]):
            if indices[at] != missing and data[at] > 0:
                more = unknown[row] - lacking[at]
                if (data[at] + more) * (1 + ROUNDING) >= c * (known + more):
                    found[row] = 0
    return found


@njit("int64[::1], int64[::1], int64[::1], int64[::1], float64[::1], bool")
def largest_gains(indptr, indices, data, totals, shares, enhanced):
    """Largest relative gain (p - q) / q of a value in each class; 0 if none gains.

    ``totals`` are what the p are shares of, ``shares`` the q, missing values with them.
    With ``enhanced`` a gain above -ln q counts as infinite.
    """
    found = np.zeros(len(indptr) - 1)
    for row in range(len(found)):
        total = totals[row]
        for at in range(indptr[row], indptr[row + 1]):
            if data[at] <= 0:
                continue
            share = shares[indices[at]]
            if share <= 0:
                found[row] = np.inf
                break
            gain = data[at] / total / share - 1
            if enhanced and gain > -np.log(share) + ROUNDING:
                gain = np.inf
            found[row] = max(found[row], gain)
    return found
