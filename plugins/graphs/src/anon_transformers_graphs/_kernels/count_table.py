"""How often each whole number was put into a table that grows and shrinks.

The numbers lie as in ``switch_table``, their counts beside them.
"""

from anon_transformers.jit import njit
from anon_transformers_graphs._kernels.switch_table import FREE, home_of, slot_of


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
