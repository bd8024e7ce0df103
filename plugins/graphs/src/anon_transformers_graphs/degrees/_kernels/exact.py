"""The nearest k-anonymous degrees of the same sum."""

import numpy as np

from anon_transformers.jit import njit

FAR = np.int64(1) << 62


@njit
def exact_targets(degrees: np.ndarray, k: int, bound: int) -> np.ndarray:
    """Nearest degrees of the same sum that k nodes or more share.

    The table has a row for each number of nodes done and a column for each sum of
    their changes. That sum must come back to nothing, and each unit of it costs one
    again: sums beyond half the bound need no column.

    Parameters
    ----------
    degrees : int64 array
        Highest first.
    k : int
        Nodes of a group.
    bound : int
        Solutions that change more are not looked for.

    Returns
    -------
    int64 array
        A degree for each of ``degrees``, of several nearest ones those with the
        smallest sum of squares; empty if the bound allows none.
    """
    n, half = len(degrees), bound // 2
    width, rows = 2 * half + 1, min(2 * k, n + 1)
    # Of equal costs the least squares win: flat degrees are more often graphical.
    cost = np.full((rows, 2, width), FAR)
    size = np.zeros((n + 1, width), np.int32)
    target = np.zeros((n + 1, width), np.int32)
    sums = np.zeros(n + 1, np.int64)
    sums[1:] = np.cumsum(degrees)
    cost[0, :, half] = 0
    for start in range(n + 1 - k):
        here = cost[start % rows]
        least = here[0].min()
        for s in range(k, min(2 * k - 1, n - start) + 1):
            end, middle = start + s, start + s // 2
            for way in (1, -1):
                # Cost grows on both sides of the median, up to the bound.
                new = degrees[middle] if way > 0 else degrees[middle] - 1
                while 0 <= new < n and least < FAR:
                    change = _distance(degrees, start, end, new)
                    if least + change > bound:
                        break
                    shift = s * new - (sums[end] - sums[start])
                    there = cost[end % rows]
                    known = size[end], target[end]
                    _extend(here, there, known, shift, change, s, new, bound)
                    new += way
        here[:] = FAR
    if cost[n % rows, 0, half] == FAR:
        return np.empty(0, np.int64)
    targets = np.empty_like(degrees)
    end, column = n, half
    while end > 0:
        s, new = size[end, column], target[end, column]
        targets[end - s : end] = new
        column -= s * new - (sums[end] - sums[end - s])
        end -= s
    return targets


@njit
def _distance(degrees, start, end, value):
    total = 0
    for place in range(start, end):
        total += abs(degrees[place] - value)
    return total


@njit
def _extend(before, after, known, shift, change, s, new, bound):
    """Add a group to all that is known of the nodes before it."""
    width = before.shape[1]
    size, target = known
    for column in range(max(0, -shift), min(width, width - shift)):
        if before[0, column] == FAR:
            continue
        there, total = column + shift, before[0, column] + change
        squares = before[1, column] + s * new * new
        if total + abs(there - width // 2) > bound or total > after[0, there]:
            continue
        if total < after[0, there] or squares < after[1, there]:
            after[0, there], after[1, there] = total, squares
            size[there], target[there] = s, new
