"""Arrays as compiled code takes them: one form, so that it is compiled once."""

import numpy as np


def as_input(array: np.ndarray, dtype: type | None = None) -> np.ndarray:
    """A contiguous array that cannot be written; it is copied only if it must be.

    Columns of data frames are sometimes read-only and sometimes not, which are two
    types to the compiler.

    Examples
    --------
    >>> given = np.array([1.0, 2.0])
    >>> taken = as_input(given)
    >>> taken.flags.writeable, given.flags.writeable, np.shares_memory(taken, given)
    (False, True, True)
    """
    taken = np.ascontiguousarray(array, dtype=dtype).view()
    taken.flags.writeable = False
    return taken
