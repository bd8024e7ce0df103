"""Numbers mixed so that sums and products of them hardly ever meet by accident."""

import numpy as np

from anon_transformers.jit import njit

ODD = np.int64(-7046029254386353131)
ODDER = np.int64(-4658895280553007687)


@njit
def mixed(value):
    """Another number for each number; whatever is alike in two is gone."""
    value = (value ^ (value >> 30)) * ODDER
    value = (value ^ (value >> 27)) * ODD
    return value ^ (value >> 31)
