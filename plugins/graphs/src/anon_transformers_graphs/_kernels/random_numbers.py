"""Random numbers inside kernels.

A Generator in a compiled loop takes the compiler ten seconds; these few lines take
none. They are seeded from one, and nothing that must stay secret depends on them:
they choose between edits, while new names of nodes come from the Generator itself.
"""

import numpy as np

from anon_transformers.jit import njit


def new_state(rng: np.random.Generator) -> np.ndarray:
    """A place for the state, seeded."""
    return rng.integers(0, 1 << 64, 1, dtype=np.uint64)


@njit
def below(state, bound):
    """A whole number from 0 to ``bound - 1``, by splitmix64 (Steele et al. 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = state[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    # 63 bits: the remainder's bias is far too small to matter.
    return np.int64(mixed >> np.uint64(1)) % bound
