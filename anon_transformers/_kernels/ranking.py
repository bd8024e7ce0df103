"""Individual ranking: blocks of neighbors in the order of one column."""

import numpy as np

from anon_transformers.jit import njit


def rank_groups(order_key: np.ndarray, k: int) -> np.ndarray:
    """Cut the sorted rows into blocks of ``k``; what is left joins the last block.

    Parameters
    ----------
    order_key : int or float array
        What the rows are sorted by; NaN goes last. Equal rows keep their order.
    k : int
        Rows of a block, from 1 to the number of rows.

    Returns
    -------
    int64 array
        Block of each row, numbered from the lowest one.

    Examples
    --------
    >>> rank_groups(np.array([5.0, 1, 9, 3, 7, 11, 2]), 3)
    array([1, 0, 1, 0, 1, 1, 0])
    """
    return _blocks(np.argsort(order_key, kind="stable"), k)


@njit("int64[::1], int64")
def _blocks(order, k):
    last = len(order) // k - 1
    labels = np.empty(len(order), np.int64)
    for place in range(len(order)):
        labels[order[place]] = min(place // k, last)
    return labels
