"""How many rows a fuzzy set has: every kind of answer, for all sets of a table at once.

A matrix of degrees has one row per row of the table and one column per set. Of a
column's degrees in falling order, the first is mu_1; mu_0 is 1, and the one after the
last is 0.
"""

from collections.abc import Iterable

import numpy as np

TIE = 1e-12
"""Degrees that differ from 0.5 by no more than this count as 0.5."""


def sigma_counts(degrees: np.ndarray) -> np.ndarray:
    """Sum of the degrees in each set.

    Parameters
    ----------
    degrees : float64 ndarray of shape (n, c)
        Numbers from 0 to 1.

    Returns
    -------
    float64 ndarray of shape (c,)

    Examples
    --------
    >>> import numpy as np
    >>> sigma_counts(np.array([[0.75, 0.25], [0.5, 0.5], [0.5, 0.5]]))
    array([1.75, 1.25])
    """
    return degrees.sum(axis=0, dtype=np.float64)


def half_cut_sizes(degrees: np.ndarray) -> np.ndarray:
    """Number of rows with a degree of 0.5 or more in each set.

    It is the largest k for which the possibility of k rows or more is at least 0.5.

    Parameters
    ----------
    degrees : float64 ndarray of shape (n, c)
        Numbers from 0 to 1.

    Returns
    -------
    int64 ndarray of shape (c,)

    Examples
    --------
    >>> import numpy as np
    >>> half_cut_sizes(np.array([[0.75, 0.25], [0.5, 0.5], [0.5, 0.5]]))
    array([3, 2])
    """
    return _count(column >= 0.5 - TIE for column in degrees.T)


def nonfuzzy_cardinalities(degrees: np.ndarray) -> np.ndarray:
    """The one number that stands for a set's size best: its possibility is largest.

    It is the number of degrees above 0.5, and one more if any degree is 0.5: of the
    sizes that are equally possible then, the second smallest.

    Parameters
    ----------
    degrees : float64 ndarray of shape (n, c)
        Numbers from 0 to 1.

    Returns
    -------
    int64 ndarray of shape (c,)

    Examples
    --------
    >>> import numpy as np
    >>> nonfuzzy_cardinalities(np.array([[0.75, 0.25], [0.5, 0.5], [0.5, 0.5]]))
    array([2, 1])
    """
    above = _count(column > 0.5 + TIE for column in degrees.T)
    return above + (half_cut_sizes(degrees) > above)


def fuzzy_cardinalities(degrees: np.ndarray) -> np.ndarray:
    """Possibility that each set has exactly k rows: min(mu_k, 1 - mu_(k + 1)).

    Parameters
    ----------
    degrees : float64 ndarray of shape (n, c)
        Numbers from 0 to 1.

    Returns
    -------
    float64 ndarray of shape (n + 1, c)
        A row for each k from 0 on. Columns lie together in memory.

    Examples
    --------
    >>> import numpy as np
    >>> fuzzy_cardinalities(np.array([[0.75], [0.5], [0.0]])).ravel()
    array([0.25, 0.5 , 0.5 , 0.  ])
    """
    falling, _ = _falling(degrees)
    # 1 - mu_(k + 1) for all k but the last, where it is 1.
    np.minimum(falling[:, :-1], 1.0 - falling[:, 1:], out=falling[:, :-1])
    return falling.T


def possibilities(degrees: np.ndarray) -> np.ndarray:
    """Possibility that each set has k rows or more, for every k by one sort per set.

    It is the largest possibility of any exact size from k on. Let h degrees be above
    0.5. Exact sizes are the more possible the nearer they are to h, so that it is mu_k
    for k above h and that of exactly h, ``min(mu_h, 1 - mu_(h + 1))``, for all others.

    Parameters
    ----------
    degrees : float64 ndarray of shape (n, c)
        Numbers from 0 to 1.

    Returns
    -------
    float64 ndarray of shape (n + 1, c)
        A row for each k from 0 on. Columns lie together in memory.

    Examples
    --------
    >>> import numpy as np
    >>> possibilities(np.array([[0.75, 0.25], [0.75, 0.25], [0.25, 0.75]]))
    array([[0.75, 0.75],
           [0.75, 0.75],
           [0.75, 0.25],
           [0.25, 0.25]])
    """
    falling, above = _falling(degrees)
    for possible, top in zip(falling, above, strict=True):
        following = possible[top + 1] if top + 1 < len(possible) else 0.0
        possible[: top + 1] = min(possible[top], 1.0 - following)
    return falling.T


def _count(flags: Iterable[np.ndarray]) -> np.ndarray:
    """How many are true, column by column: a whole matrix takes longer."""
    return np.array([np.count_nonzero(column) for column in flags], dtype=np.int64)


def _falling(degrees: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """For each set 1 and then its degrees in falling order; how many are above 0.5."""
    falling = np.empty((degrees.shape[1], len(degrees) + 1))
    falling[:, 0] = 1.0
    above = []
    for ranked, column in zip(falling[:, 1:], degrees.T, strict=True):
        rising = np.sort(column)
        ranked[:] = rising[::-1]
        above.append(len(rising) - int(np.searchsorted(rising, 0.5, side="right")))
    return falling, above
