"""Which rows agree in every column."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from anon_transformers.jit import njit

LARGEST_KEY = 2**62
"""Keys stay below this, so that one more column cannot overflow unnoticed."""


class GroupedRows(NamedTuple):
    """Rows by equivalence class, classes numbered by first appearance."""

    labels: np.ndarray
    first: np.ndarray
    sizes: np.ndarray


def group_rows(
    columns: Sequence[np.ndarray], cardinalities: Sequence[int]
) -> GroupedRows:
    """Number the distinct combinations of codes.

    Parameters
    ----------
    columns : sequence of int arrays
        Codes, one array per column, each from 0 to its cardinality minus one.
    cardinalities : sequence of int
        How many codes each column may have.

    Returns
    -------
    GroupedRows
        Class of each row, row at which each class first appears, class sizes.

    Examples
    --------
    >>> group_rows([np.array([1, 0, 1]), np.array([2, 2, 2])], [2, 3]).labels
    array([0, 1, 0], dtype=int32)
    """
    key = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for codes, cardinality in zip(columns, cardinalities, strict=True):
        if span * cardinality > LARGEST_KEY:
            key, span = _compact(key, span)
        key *= cardinality
        key += codes
        span *= cardinality
    return number_keys(key, span)


def sort_rows(
    columns: Sequence[np.ndarray], cardinalities: Sequence[int]
) -> np.ndarray:
    """Order of the rows by their codes, the first column first.

    Examples
    --------
    >>> sort_rows([np.array([1, 0, 1]), np.array([2, 2, 0])], [2, 3])
    array([1, 2, 0])
    """
    key = np.zeros(len(columns[0]), dtype=np.int64)
    span = 1
    for codes, cardinality in zip(columns, cardinalities, strict=True):
        if span * cardinality > LARGEST_KEY:
            distinct, key = np.unique(key, return_inverse=True)
            span = len(distinct)
        key *= cardinality
        key += codes
        span *= cardinality
    return np.argsort(key, kind="stable")


def number_keys(key: np.ndarray, span: int) -> GroupedRows:
    """Number distinct keys, all from 0 to ``span`` minus one, by first appearance."""
    return GroupedRows(*_number(key, span))


def _number(key: np.ndarray, span: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if span <= 4 * len(key) + 1024:
        return _number_by_table(key, span)
    return _number_by_hash(key)


def _compact(key: np.ndarray, span: int) -> tuple[np.ndarray, int]:
    labels, first, _ = number_keys(key, span)
    return labels.astype(np.int64), len(first)


@njit("int64[::1], int64")
def _number_by_table(key, span):
    label_of = np.full(span, -1, np.int32)
    labels = np.empty(len(key), np.int32)
    first = np.empty(min(span, len(key)), np.int64)
    sizes = np.zeros(len(first), np.int64)
    count = 0
    for row in range(len(key)):
        label = label_of[key[row]]
        if label < 0:
            label = count
            label_of[key[row]] = label
            first[label] = row
            count += 1
        labels[row] = label
        sizes[label] += 1
    return labels, first[:count].copy(), sizes[:count].copy()


@njit("int64[::1]")
def _number_by_hash(key):
    """Open addressing; the table doubles when it is half full."""
    slots = np.full(4096, -1, np.int32)
    labels = np.empty(len(key), np.int32)
    first = np.empty(len(key), np.int64)
    sizes = np.zeros(len(key), np.int64)
    count = 0
    for row in range(len(key)):
        slot = _find_slot(slots, first, key, key[row])
        label = slots[slot]
        if label < 0:
            label = count
            slots[slot] = label
            first[label] = row
            count += 1
            if 2 * count > len(slots):
                slots = _rebuilt(2 * len(slots), first, count, key)
        labels[row] = label
        sizes[label] += 1
    return labels, first[:count].copy(), sizes[:count].copy()


@njit
def _find_slot(slots, first, key, wanted):
    """Slot that holds ``wanted``, or the free one where it belongs."""
    mask = len(slots) - 1
    slot = slot_of(wanted, len(slots))
    while slots[slot] >= 0 and key[first[slots[slot]]] != wanted:
        slot = (slot + 1) & mask
    return slot


@njit
def slot_of(key, n_slots):
    """Where a key is looked for first; ``n_slots`` is a power of two."""
    mixed = np.uint64(key)
    # Constant columns leave zeros in the low bits: the high ones must count too.
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(32)) & (n_slots - 1)


@njit
def _rebuilt(size, first, count, key):
    slots = np.full(size, -1, np.int32)
    for label in range(count):
        slots[_find_slot(slots, first, key, key[first[label]])] = label
    return slots
