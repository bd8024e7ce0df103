"""Persons over several releases: who is who, and who shares whose classes."""

import numpy as np

from anon_transformers._kernels.grouping import number_keys
from anon_transformers.jit import njit

ABSENT = 0
"""Code of the class of those whom a release does not hold."""
WORD_BITS = 64
ROOM_PER_ROW = 8
"""Words of sets up to which they are cheaper than numbers of pairs, by row."""


def room_for(slots: np.ndarray, known: np.ndarray, n_persons: int) -> np.ndarray:
    """A table of slots in which ``n_persons`` fill at most half; a copy always."""
    if 2 * n_persons <= len(slots):
        return slots.copy()
    size = 1 << (2 * max(n_persons, 8) - 1).bit_length()
    return _filled_slots(known, size)


@njit("uint64[:, ::1], uint64[:, ::1], int64, int64[::1]")
def number_persons(words, known, n_known, slots):
    """Number persons by their keys, and add those who are new.

    Parameters
    ----------
    words : uint64 array of shape (n, n_words)
        Keys that are looked for.
    known : uint64 array of shape (at least n_known + n, n_words)
        Keys by number; new ones are written behind ``n_known``.
    n_known : int
        How many there are so far.
    slots : int64 array
        Open addressing, -1 where free; its length is a power of two. Written.

    Returns
    -------
    numbers : int64 array of shape (n,)
    n_known : int
        How many there are now.
    n_repeated : int
        Keys that occur more than once among ``words``.
    """
    numbers = np.empty(len(words), np.int64)
    met = np.zeros(len(known), np.bool_)
    n_repeated = 0
    for row in range(len(words)):
        slot = _slot_of_words(words, row, known, slots)
        number = slots[slot]
        if number < 0:
            number = n_known
            slots[slot] = number
            known[number] = words[row]
            n_known += 1
        if met[number]:
            n_repeated += 1
        met[number] = True
        numbers[row] = number
    return numbers, n_known, n_repeated


@njit("uint64[:, ::1], int64")
def _filled_slots(known, size):
    slots = np.full(size, -1, np.int64)
    for number in range(len(known)):
        slots[_slot_of_words(known, number, known, slots)] = number
    return slots


@njit
def _slot_of_words(words, row, known, slots):
    """Slot that holds a key, or the free one where it belongs."""
    mask = len(slots) - 1
    mixed = np.uint64(0)
    for word in range(words.shape[1]):
        mixed = (mixed ^ words[row, word]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    slot = np.int64(mixed & np.uint64(0x7FFFFFFFFFFFFFFF)) & mask
    while slots[slot] >= 0 and not _same(words, row, known, slots[slot]):
        slot = (slot + 1) & mask
    return slot


@njit
def _same(words, row, known, number):
    for word in range(words.shape[1]):
        if words[row, word] != known[number, word]:
            return False
    return True


@njit("int64[:, ::1], int64[::1], int64[::1], int64[::1], int64[::1], int64")
def count_compatible(histories, which, sizes, indptr, values, n_values):
    """Persons and values of the groups that agree with a group wherever both are.

    Two groups agree if they share a release, and are in the same class in each
    release that holds both.

    Parameters
    ----------
    histories : int64 array of shape (n_groups, n_releases)
        Class of each group in each release; 0: absent.
    which : int64 array
        The groups asked for.
    sizes : int64 array of shape (n_groups,)
        Persons of each group.
    indptr, values : int64 arrays
        The known values of each group, in compressed rows.
    n_values : int
        How many values there are.

    Returns
    -------
    persons, distinct : int64 arrays of the shape of ``which``
    """
    persons = np.zeros(len(which), np.int64)
    distinct = np.zeros(len(which), np.int64)
    seen = np.full(n_values, -1, np.int64)
    for at in range(len(which)):
        for group in range(len(histories)):
            if not _agree(histories, which[at], group):
                continue
            persons[at] += sizes[group]
            for place in range(indptr[group], indptr[group + 1]):
                if seen[values[place]] != at:
                    seen[values[place]] = at
                    distinct[at] += 1
    return persons, distinct


@njit
def _agree(histories, one, other):
    together = False
    for release in range(histories.shape[1]):
        here, there = histories[one, release], histories[other, release]
        if ABSENT in (here, there):
            continue
        if here != there:
            return False
        together = True
    return together


@njit("int64[::1, :], int64[::1], uint64[:, ::1]")
def count_common(histories, start, sets):
    """Values that every class has in which a group has been.

    Parameters
    ----------
    histories : int64 array
        As in :func:`count_compatible`, release by release.
    start : int64 array of shape (n_releases,)
        Row of ``sets`` at which the classes of a release begin.
    sets : uint64 array
        The known values of each class of each release, as :func:`value_sets` has them.
    """
    n_groups = len(histories)
    common = np.zeros(n_groups, np.int64)
    present = np.zeros(n_groups, np.bool_)
    shared = np.empty(n_groups, np.uint64)
    for word in range(sets.shape[1]):
        shared[:] = ~np.uint64(0)
        for release in range(histories.shape[1]):
            for group in range(n_groups):
                code = histories[group, release]
                if code != ABSENT:
                    present[group] = True
                    shared[group] &= sets[start[release] + code, word]
        for group in range(n_groups):
            if present[group]:
                common[group] += _bits_of(shared[group])
    return common


def distinct_values(
    groups: np.ndarray, values: np.ndarray, n_groups: int, n_values: int
) -> np.ndarray:
    """Different values of each group; 0 is none, and the last is ``n_values``."""
    if n_groups * n_words_of(n_values) <= ROOM_PER_ROW * len(groups) + 1024:
        return _count_bits(value_sets(groups, values, n_groups, n_values))
    span = n_values + 1
    found = number_keys(groups * span + values, n_groups * span)
    known = values[found.first] > 0
    return np.bincount(groups[found.first[known]], minlength=n_groups)


def n_words_of(n_values: int) -> int:
    """Words of a set of values."""
    return -(-max(n_values, 1) // WORD_BITS)


@njit("int64[::1], int32[::1], int64, int64")
def value_sets(groups, values, n_groups, n_values):
    """The values of each group as bits, of shape (n_groups, n_words); 0 is none."""
    sets = np.zeros((n_groups, (max(n_values, 1) + 63) // 64), np.uint64)
    for row in range(len(groups)):
        bit = values[row] - 1
        if bit >= 0:
            sets[groups[row], bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
    return sets


@njit("uint64[:, ::1]")
def _count_bits(sets):
    counts = np.zeros(len(sets), np.int64)
    for row in range(len(sets)):
        for word in range(sets.shape[1]):
            counts[row] += _bits_of(sets[row, word])
    return counts


@njit
def _bits_of(word):
    count = 0
    while word:
        word &= word - np.uint64(1)
        count += 1
    return count
