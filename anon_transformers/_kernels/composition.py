"""Persons over several releases: who is who, and who shares whose classes."""

import numpy as np

from anon_transformers.jit import njit

ABSENT = 0
"""Code of the class of those whom a release does not hold."""


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


@njit("int64[:, ::1], int64[::1], int64[::1], int64[::1], int64[::1], int64")
def count_common(histories, which, start, indptr, values, n_values):
    """Values that every class has in which a group has been.

    Parameters
    ----------
    histories, which : int64 arrays
        As in :func:`count_compatible`.
    start : int64 array of shape (n_releases,)
        Row of ``indptr`` at which the classes of a release begin.
    indptr, values : int64 arrays
        The known values of each class of each release, in compressed rows.
    n_values : int
        How many values there are.
    """
    common = np.zeros(len(which), np.int64)
    times = np.zeros(n_values, np.int64)
    for at in range(len(which)):
        n_present = 0
        times[:] = 0
        for release in range(histories.shape[1]):
            code = histories[which[at], release]
            if code == ABSENT:
                continue
            n_present += 1
            row = start[release] + code
            for place in range(indptr[row], indptr[row + 1]):
                times[values[place]] += 1
        for value in range(n_values):
            common[at] += times[value] == n_present and n_present > 0
    return common
