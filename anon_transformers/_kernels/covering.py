"""Which cells cover which combinations of values: a bit per cell."""

import numpy as np

from anon_transformers.jit import njit

BITS = 64
"""Cells of one word."""


@njit("int64[:, ::1], int64[::1], int64[::1], int64, int64")
def mark_cells(cells, indptr, values, n_labels, n_values):
    """For each value, the cells that have a label which covers it.

    Labels and values are numbered through all columns, so that those of two columns
    never meet.

    Parameters
    ----------
    cells : int64 array of shape (n_cells, n_columns)
        The label of each cell in each column.
    indptr, values : int64 arrays
        The values that each label covers, in compressed rows.
    n_labels, n_values : int
        How many there are.

    Returns
    -------
    marks : uint64 array of shape (n_values, n_words)
        Bit ``c % 64`` of word ``c // 64`` is set if cell ``c`` covers the value.
    """
    n_words = (len(cells) + BITS - 1) // BITS
    of_labels = np.zeros((n_labels, n_words), np.uint64)
    for cell in range(len(cells)):
        bit = np.uint64(1) << np.uint64(cell % BITS)
        for column in range(cells.shape[1]):
            of_labels[cells[cell, column], cell // BITS] |= bit
    marks = np.zeros((n_values, n_words), np.uint64)
    for label in range(n_labels):
        for place in range(indptr[label], indptr[label + 1]):
            for word in range(n_words):
                marks[values[place], word] |= of_labels[label, word]
    return marks


@njit("int64[:, ::1], uint64[:, ::1]")
def first_cells(rows, marks):
    """The first cell that covers all values of each row; -1 if none does.

    Parameters
    ----------
    rows : int64 array of shape (n_rows, n_columns)
        Values, numbered as in :func:`mark_cells`.
    marks : uint64 array of shape (n_values, n_words)
        What :func:`mark_cells` returns.
    """
    found = np.full(len(rows), -1, np.int64)
    for row in range(len(rows)):
        for word in range(marks.shape[1]):
            common = marks[rows[row, 0], word]
            for column in range(1, rows.shape[1]):
                common &= marks[rows[row, column], word]
            if common != 0:
                found[row] = word * BITS + _lowest_bit(common)
                break
    return found


@njit("int64[:, ::1], int64[::1], uint64[:, ::1]")
def are_covered(rows, cells, marks):
    """Whether each row is covered by one cell; -1 covers nothing.

    Parameters
    ----------
    rows, marks
        As in :func:`first_cells`.
    cells : int64 array of shape (n_rows,)
        The cell that is asked for.
    """
    covered = np.zeros(len(rows), np.bool_)
    for row in range(len(rows)):
        cell = cells[row]
        if cell < 0:
            continue
        bit = np.uint64(1) << np.uint64(cell % BITS)
        covered[row] = True
        for column in range(rows.shape[1]):
            if not marks[rows[row, column], cell // BITS] & bit:
                covered[row] = False
                break
    return covered


@njit
def _lowest_bit(word):
    place = 0
    while not word & np.uint64(1):
        word >>= np.uint64(1)
        place += 1
    return place
