"""Numbers mixed so that sums and products of them hardly ever meet by accident.

All of it is done without signs: where signed numbers overflow, compiled code may do
anything, and does.
"""

import numpy as np

from anon_transformers.jit import njit

ODD = np.uint64(0x9E3779B97F4A7C15)
ODDER = np.uint64(0xBF58476D1CE4E5B9)


@njit
def mixed(value):
    """Another number for each whole number; whatever is alike in two is gone."""
    value = np.uint64(value) + ODD
    value = (value ^ (value >> np.uint64(30))) * ODDER
    value = (value ^ (value >> np.uint64(27))) * ODD
    return value ^ (value >> np.uint64(31))


@njit
def mixed_pair(one, other):
    """A number for two whole numbers, which may not change places."""
    return mixed(np.uint64(one) * ODDER + np.uint64(other))
