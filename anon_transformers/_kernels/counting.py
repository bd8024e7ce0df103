"""Tables of counts in compressed rows."""

import numpy as np

from anon_transformers.jit import njit

FEW = 32
"""Values up to which insertion sorts fastest."""


@njit("int64[::1], int64[::1], int64")
def add_up(into, counts, n_rows):
    """Sum counts by where they go; -1 goes nowhere."""
    total = np.zeros(n_rows, counts.dtype)
    for i in range(len(into)):
        if into[i] >= 0:
            total[into[i]] += counts[i]
    return total


@njit("int64[::1], int64[::1], int64[::1], int64[::1], int64, int64")
def merge_rows(indptr, indices, data, into, n_rows, n_columns):
    """Add row ``i`` of a table to row ``into[i]`` of a new one; -1 goes nowhere.

    Returns
    -------
    indptr, indices, data : arrays
        The new table, columns in order within each row.
    """
    order, start = _by_target(into, n_rows)
    new_indptr = np.zeros(n_rows + 1, indptr.dtype)
    new_indices = np.empty(len(indices), indices.dtype)
    sums = np.zeros(n_columns, data.dtype)
    seen = np.full(n_columns, -1, np.int64)
    new_data = np.empty(len(indices), data.dtype)
    count = 0
    for row in range(n_rows):
        first = count
        for place in range(start[row], start[row + 1]):
            for at in range(indptr[order[place]], indptr[order[place] + 1]):
                column = indices[at]
                if seen[column] != row:
                    seen[column] = row
                    sums[column] = 0
                    new_indices[count] = column
                    count += 1
                sums[column] += data[at]
        if start[row + 1] - start[row] > 1:
            sort_few(new_indices[first:count])
        for at in range(first, count):
            new_data[at] = sums[new_indices[at]]
        new_indptr[row + 1] = count
    return new_indptr, new_indices[:count].copy(), new_data[:count].copy()


@njit
def sort_few(values):
    """Sort in place; most classes have few values, which insertion sorts fastest."""
    if len(values) > FEW:
        values.sort()
        return
    for at in range(1, len(values)):
        value, place = values[at], at
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@njit
def _by_target(into, n_rows):
    """Rows in the order of where they go, and where each target starts."""
    start = np.zeros(n_rows + 1, np.int64)
    for target in into:
        if target >= 0:
            start[target + 1] += 1
    for row in range(n_rows):
        start[row + 1] += start[row]
    order = np.empty(start[n_rows], np.int64)
    free = start[:-1].copy()
    for i in range(len(into)):
        if into[i] >= 0:
            order[free[into[i]]] = i
            free[into[i]] += 1
    return order, start
