"""A set of whole numbers that grows and shrinks, for pairs of nodes.

Open addressing: a number lies at the slot that its hash names, or at the next free one.
Where a number is removed, those behind it move back, so that nothing marks a former
place and search stays short however many numbers are added and removed.
"""

import numpy as np

from anon_transformers.jit import njit

FREE = -1
FACTOR = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


@njit
def pair_key(a, b, n_nodes):
    """One number for a pair of nodes, whichever comes first."""
    low, high = (a, b) if a < b else (b, a)
    return np.int64(low) * n_nodes + np.int64(high)


@njit
def new_table(n_keys):
    """Slots for this many numbers, of which a third at least stays free."""
    n_slots = 8
    while n_slots * 2 < n_keys * 3:
        n_slots *= 2
    return np.full(n_slots, FREE, np.int64)


@njit
def table_of(edges, n_nodes, more):
    """Slots that hold these edges, with room for ``more``."""
    table = new_table(len(edges) + more)
    for place in range(len(edges)):
        put(table, pair_key(edges[place, 0], edges[place, 1], n_nodes))
    return table


@njit
def holds(table, key):
    """Whether the number is there."""
    return table[slot_of(table, key)] == key


@njit
def put(table, key):
    """Add a number; whether it was not there."""
    slot = slot_of(table, key)
    is_new = table[slot] == FREE
    table[slot] = key
    return is_new


@njit
def take(table, key):
    """Take away a number that is there."""
    mask = len(table) - 1
    gap = slot_of(table, key)
    slot = (gap + 1) & mask
    while table[slot] != FREE:
        # It may move back to the gap unless it would then lie before its first slot.
        home = home_of(table[slot], mask)
        if ((slot - home) & mask) >= ((slot - gap) & mask):
            table[gap] = table[slot]
            gap = slot
        slot = (slot + 1) & mask
    table[gap] = FREE


@njit
def home_of(key, mask):
    """The slot that a number's hash names."""
    mixed = np.uint64(key) * FACTOR
    return np.int64(mixed >> HALF) & mask


@njit
def slot_of(table, key):
    """Where the number is, or where it would go."""
    mask = len(table) - 1
    slot = home_of(key, mask)
    while table[slot] != FREE and table[slot] != key:
        slot = (slot + 1) & mask
    return slot


@njit
def count_up(table, counts, key):
    """Put a number once more; whether it was not there."""
    slot = slot_of(table, key)
    table[slot] = key
    counts[slot] += 1
    return counts[slot] == 1


@njit
def count_down(table, counts, key):
    """Take a number that is there away once; whether it is gone."""
    gap = slot_of(table, key)
    counts[gap] -= 1
    if counts[gap] > 0:
        return False
    mask = len(table) - 1
    slot = (gap + 1) & mask
    while table[slot] != FREE:
        # It may move back to the gap unless it would then lie before its first slot.
        if ((slot - home_of(table[slot], mask)) & mask) >= ((slot - gap) & mask):
            table[gap], counts[gap] = table[slot], counts[slot]
            gap = slot
        slot = (slot + 1) & mask
    table[gap], counts[gap] = FREE, 0
    return True
