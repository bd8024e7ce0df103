"""Which generalized records may be one person's.

A record is a row of places, one for each column: the first and the last place that its
value covers, and whether the value may be missing (``low > high``: it is nothing but
missing). Values of a column that are no ranges have a table instead: entry ``(i, r)``
numbers what ``i`` and ``r`` have in common, -1 for nothing; ``low`` is then the row or
the line of the table, and ``high`` the number of the value itself.
"""

from typing import NamedTuple

import numpy as np

from anon_transformers.jit import njit

UNMATCHED, SINGLE, AMBIGUOUS = 0, 1, 2


class Tables(NamedTuple):
    """What values that are no ranges have in common, one column after the other.

    Attributes
    ----------
    entries : int32 ndarray
        All tables, line by line.
    start : int64 ndarray
        Where each column's table begins; -1 for a column of ranges.
    width : int64 ndarray
        Length of a line of each table.
    """

    entries: np.ndarray
    start: np.ndarray
    width: np.ndarray


@njit
def _meet(one, other, entries, start, width, out):
    """Put what two records have in common into ``out``; False if that is nothing."""
    for column in range(len(one)):
        if start[column] >= 0:
            at = start[column] + one[column, 0] * width[column] + other[column, 0]
            if entries[at] < 0:
                return False
            out[column, 0] = entries[at]
            out[column, 1] = 0
            out[column, 2] = 0
            continue
        low = max(one[column, 0], other[column, 0])
        high = min(one[column, 1], other[column, 1])
        missing = one[column, 2] & other[column, 2]
        if low > high:
            if missing == 0:
                return False
            low, high = 1, 0
        out[column, 0] = low
        out[column, 1] = high
        out[column, 2] = missing
    return True


@njit
def _own(record, start, out):
    """Put a record into ``out`` in the form of what two have in common."""
    for column in range(len(record)):
        if start[column] >= 0:
            out[column, 0] = record[column, 1]
            out[column, 1] = 0
            out[column, 2] = 0
        elif record[column, 0] > record[column, 1]:
            out[column, 0] = 1
            out[column, 1] = 0
            out[column, 2] = record[column, 2]
        else:
            out[column] = record[column]


@njit("int32[:, :, ::1], int64[::1]")
def own_records(records, start):
    """Every record in the form of what two have in common."""
    out = np.empty_like(records)
    for at in range(len(records)):
        _own(records[at], start, out[at])
    return out


@njit("int32[:, :, ::1], int32[:, :, ::1], int32[::1], int64[::1], int64[::1]")
def meet_pairs(left, right, entries, start, width):
    """What record ``i`` of both sides has in common, and whether that is anything."""
    out = np.zeros_like(left)
    compatible = np.empty(len(left), np.bool_)
    for at in range(len(left)):
        compatible[at] = _meet(left[at], right[at], entries, start, width, out[at])
    return compatible, out


@njit(
    "int32[:, :, ::1], int32[:, :, ::1], (int64[::1], int64[::1]), int64[:, ::1], "
    "int32[::1], int64[::1], int64[::1]"
)
def count_candidates(left, right, weights, ranges, entries, start, width):
    """Rows that each record is compatible with.

    Parameters
    ----------
    left, right : int32 arrays of shape (n, n_columns, 3)
        Records.
    weights : tuple of two int64 arrays
        Rows of each record of the left and of the right side.
    ranges : int64 array of shape (n_left, 2)
        First right record to try for each left one, and the one to stop before.
    entries, start, width
        See :class:`Tables`.

    Returns
    -------
    tuple of int64 arrays
        Right rows of each left record, left rows of each right record, and the first
        right record that each left one is compatible with (-1: none).
    """
    left_weights, right_weights = weights
    of_left = np.zeros(len(left), np.int64)
    of_right = np.zeros(len(right), np.int64)
    partner = np.full(len(left), -1, np.int64)
    out = np.empty((left.shape[1], 3), left.dtype)
    for i in range(len(left)):
        for r in range(ranges[i, 0], ranges[i, 1]):
            if _meet(left[i], right[r], entries, start, width, out):
                of_left[i] += right_weights[r]
                of_right[r] += left_weights[i]
                if partner[i] < 0:
                    partner[i] = r
    return of_left, of_right, partner


@njit(
    "int32[:, :, ::1], int32[:, :, ::1], (int64[::1], int64[::1]), int64[:, ::1], "
    "int32[::1], int64[::1], int64[::1]"
)
def count_contained(left, right, weights, ranges, entries, start, width):
    """Rows of the records that lie wholly inside each record of the other side.

    Takes what :func:`count_candidates` takes.

    Returns
    -------
    tuple of int64 arrays
        Right rows inside each left record, and left rows inside each right one.
    """
    left_weights, right_weights = weights
    in_left = np.zeros(len(left), np.int64)
    in_right = np.zeros(len(right), np.int64)
    own_left, own_right = own_records(left, start), own_records(right, start)
    out = np.empty((left.shape[1], 3), left.dtype)
    for i in range(len(left)):
        for r in range(ranges[i, 0], ranges[i, 1]):
            if _meet(left[i], right[r], entries, start, width, out):
                if np.array_equal(out, own_right[r]):
                    in_left[i] += right_weights[r]
                if np.array_equal(out, own_left[i]):
                    in_right[r] += left_weights[i]
    return in_left, in_right


@njit(
    "int32[:, :, ::1], int32[:, :, ::1], int64[:, ::1], int32[::1], int64[::1], "
    "int64[::1]"
)
def resolve(left, right, ranges, entries, start, width):
    """What each left record has in common with its candidates.

    Returns
    -------
    state : int8 ndarray
        ``UNMATCHED``: there is none, the record stands for itself. ``SINGLE``: all
        candidates agree. ``AMBIGUOUS``: they differ.
    meets : int32 array of shape (n_left, n_columns, 3)
        What the record has in common with its first candidate.
    """
    state = np.zeros(len(left), np.int8)
    meets = np.empty_like(left)
    out = np.empty((left.shape[1], 3), left.dtype)
    for i in range(len(left)):
        _own(left[i], start, meets[i])
        for r in range(ranges[i, 0], ranges[i, 1]):
            if not _meet(left[i], right[r], entries, start, width, out):
                continue
            if state[i] == UNMATCHED:
                state[i] = SINGLE
                meets[i] = out
            elif not _same(meets[i], out):
                state[i] = AMBIGUOUS
                break
    return state, meets


@njit(
    "int32[:, :, ::1], int32[:, :, ::1], int64[::1], int64[:, ::1], int8[::1], "
    "int32[:, :, ::1], int32[::1], int64[::1], int64[::1]"
)
def possible_members(left, right, weights, ranges, state, known, entries, start, width):
    """Rows of ambiguous left records that may belong to each of the ``known`` meets.

    Parameters
    ----------
    known : int32 array of shape (n_known, n_columns, 3)
        Distinct meets.

    Returns
    -------
    int64 array of shape (n_known,)
        Rows, each counted once for every meet it may have.
    """
    size = 16
    while size < 2 * len(known):
        size *= 2
    slots = np.full(size, -1, np.int64)
    for at in range(len(known)):
        slots[_slot(slots, known, known[at])] = at
    members = np.zeros(len(known), np.int64)
    seen_by = np.full(len(known), -1, np.int64)
    out = np.empty((left.shape[1], 3), left.dtype)
    for i in range(len(left)):
        if state[i] != AMBIGUOUS:
            continue
        for r in range(ranges[i, 0], ranges[i, 1]):
            if _meet(left[i], right[r], entries, start, width, out):
                at = slots[_slot(slots, known, out)]
                if at >= 0 and seen_by[at] != i:
                    seen_by[at] = i
                    members[at] += weights[i]
    return members


@njit
def _same(one, other):
    for column in range(len(one)):
        for part in range(3):
            if one[column, part] != other[column, part]:
                return False
    return True


@njit
def _slot(slots, known, wanted):
    """Slot that holds ``wanted``, or the free one where it belongs."""
    mixed = np.uint64(0)
    for column in range(len(wanted)):
        for part in range(3):
            mixed = (mixed ^ np.uint64(wanted[column, part])) * np.uint64(
                0x9E3779B97F4A7C15
            )
            mixed ^= mixed >> np.uint64(32)
    mask = len(slots) - 1
    slot = np.int64(mixed >> np.uint64(1)) & mask
    while slots[slot] >= 0 and not _same(known[slots[slot]], wanted):
        slot = (slot + 1) & mask
    return slot
