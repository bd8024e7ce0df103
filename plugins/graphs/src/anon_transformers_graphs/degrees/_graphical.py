"""Whether numbers can be the degrees of a simple graph."""

import numpy as np

from anon_transformers.exceptions import DataError


def check_degrees(degrees: np.ndarray) -> np.ndarray:
    """Degrees as whole numbers that nodes of a simple graph can have."""
    found = np.asarray(degrees)
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "iu":
        raise DataError("degrees must be whole numbers, one per node, at least one.")
    outside = int(((found < 0) | (found >= len(found))).sum())
    if outside:
        raise DataError(
            f"{outside} of {len(found)} degrees are below 0 or above "
            f"{len(found) - 1}, the most that a simple graph allows."
        )
    return found.astype(np.int64)


def is_graphical(degrees: np.ndarray) -> bool:
    """Whether a simple graph has these degrees (Erdős and Gallai 1960).

    Parameters
    ----------
    degrees : int array
        In any order.

    Returns
    -------
    bool
        Time and memory grow linearly with the nodes: degrees are counted, not sorted.

    Examples
    --------
    >>> is_graphical([3, 3, 1, 1, 1, 1])
    True
    >>> is_graphical([3, 3, 1, 1])
    False
    """
    degrees = np.asarray(degrees)
    n = len(degrees)
    if not n:
        return True
    if degrees.min() < 0 or degrees.max() >= n or degrees.sum() % 2:
        return False
    histogram = np.bincount(degrees, minlength=n)
    # at_least[g] nodes have a degree of g or more, and below[g] is the sum of the rest.
    at_least = np.cumsum(histogram[::-1])[::-1]
    below = np.concatenate([[0], np.cumsum(histogram * np.arange(n))])
    falling = np.repeat(np.arange(n)[::-1], histogram[::-1])
    taken = np.cumsum(falling)
    chosen = np.arange(1, n + 1)
    # Beyond the Durfee number, where degrees fall below the number chosen, the
    # inequalities of Erdős and Gallai follow from those before.
    chosen = chosen[falling >= chosen - 1]
    wide = np.minimum(chosen, n - 1)
    others = np.maximum(at_least[wide] - chosen, 0)
    rest = np.where(
        at_least[wide] >= chosen, below[wide], below[-1] - taken[chosen - 1]
    )
    room = chosen * (chosen - 1) + chosen * others + rest
    return bool((taken[chosen - 1] <= room).all())
