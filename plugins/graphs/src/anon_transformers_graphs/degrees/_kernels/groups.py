"""Groups of k or more neighboring degrees: the best ones, and greedy ones.

Degrees are sorted, highest first. An optimal grouping takes neighbors in that order,
and none of its groups needs 2k nodes, for it could be cut in two.
"""

import numpy as np

from anon_transformers.jit import njit

FAR = np.int64(1) << 62


@njit("int64[::1], int64, bool, int64, int64")
def best_targets(
    degrees: np.ndarray, k: int, only_up: bool, most: int, odd: int
) -> np.ndarray:
    """Nearest degrees that k nodes or more share.

    Parameters
    ----------
    degrees : int64 array
        Highest first; at least ``k``.
    k : int
        Nodes of a group.
    only_up : bool
        No degree may fall: each group takes its highest. Otherwise it takes its
        median.
    most : int
        No target exceeds this.
    odd : {0, 1}
        Whether the sum of all changes is to be even or odd, so that the sum of degrees
        comes out even, as that of a graph is.

    Returns
    -------
    int64 array
        A degree for each of ``degrees``; the sum of absolute changes is least.
    """
    n = len(degrees)
    sums, first, last = _prepared(degrees)
    # By length of the prefix, and by whether the sum of its changes is odd.
    cost = np.full((n + 1, 2), FAR)
    size = np.zeros((n + 1, 2), np.int32)
    target = np.zeros((n + 1, 2), np.int64)
    cost[0, 0] = 0
    for end in range(k, n + 1):
        for s in range(k, min(2 * k - 1, end) + 1):
            start = end - s
            if cost[start, 0] == FAR and cost[start, 1] == FAR:
                continue
            middle = start if only_up else start + s // 2
            value, total = degrees[middle], sums[end] - sums[start]
            above = max(first[middle], start) - start
            upper = sums[start + above] - sums[start]
            plain = upper - above * value + (s - above) * value - (total - upper)
            least = 0 if only_up else -1
            for shift in range(least, 2):
                new = value + shift
                if new < 0 or new > most or (shift and s % 2 == 0):
                    continue
                change = plain
                if shift > 0:
                    change += s - 2 * above
                elif shift < 0:
                    change += 2 * (min(last[middle], end) - start) - s
                turns = (s * new - total) & 1
                for before in range(2):
                    if cost[start, before] == FAR:
                        continue
                    now = before ^ turns
                    if cost[start, before] + change < cost[end, now]:
                        cost[end, now] = cost[start, before] + change
                        size[end, now] = s
                        target[end, now] = new
    return _traced(degrees, size, target, odd)


@njit
def _traced(degrees, size, target, odd):
    """Walk back through the table."""
    targets = np.empty_like(degrees)
    end = len(degrees)
    while end > 0:
        s, new = size[end, odd], target[end, odd]
        total = 0
        for place in range(end - s, end):
            targets[place] = new
            total += new - degrees[place]
        odd ^= total & 1
        end -= s
    return targets


@njit
def _prepared(degrees):
    """Sums of prefixes, and where each place's run of equals starts and ends."""
    n = len(degrees)
    sums = np.zeros(n + 1, np.int64)
    first, last = np.zeros(n, np.int64), np.full(n, n)
    for place in range(n):
        sums[place + 1] = sums[place] + degrees[place]
        if place and degrees[place] == degrees[place - 1]:
            first[place] = first[place - 1]
        else:
            first[place] = place
    for place in range(n - 2, -1, -1):
        same = degrees[place] == degrees[place + 1]
        last[place] = last[place + 1] if same else place + 1
    return sums, first, last


@njit("int64[::1], int64, bool")
def greedy_targets(degrees: np.ndarray, k: int, only_up: bool) -> np.ndarray:
    """Degrees that k nodes or more share, group by group without looking back.

    A node joins the open group if that, and a group of the k nodes after it, changes
    less than a group that it starts itself.
    """
    n = len(degrees)
    sums, _, _ = _prepared(degrees)
    targets = np.empty_like(degrees)
    start, end = 0, k
    while end < n:
        if n - end < k:
            end = n
            break
        joined = _change(degrees, sums, start, end + 1, only_up)
        joined -= _change(degrees, sums, start, end, only_up)
        joined += _change(degrees, sums, end + 1, min(end + 1 + k, n), only_up)
        if joined > _change(degrees, sums, end, end + k, only_up):
            targets[start:end] = _shared(degrees, start, end, only_up)
            start, end = end, end + k
        else:
            end += 1
    targets[start:n] = _shared(degrees, start, n, only_up)
    return targets


@njit
def _shared(degrees, start, end, only_up):
    return degrees[start if only_up else start + (end - start) // 2]


@njit
def _change(degrees, sums, start, end, only_up):
    """What it costs to give the places from ``start`` to ``end`` one degree."""
    if end <= start:
        return 0
    if only_up:
        return degrees[start] * (end - start) - (sums[end] - sums[start])
    # The median splits the places in halves: what lies above less what lies below.
    middle = start + (end - start) // 2
    value = degrees[middle]
    above = sums[middle] - sums[start] - value * (middle - start)
    return above + value * (end - middle) - (sums[end] - sums[middle])
