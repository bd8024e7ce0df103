"""How far the values of a class lie from a reference: earth mover's distances.

The counts of a class x value table come in compressed rows (``indptr``, ``indices``,
``data``), the reference as the share of each value. The last value stands for missing
ones, which lie at distance 1 from every other. A class without rows is at distance 1.
"""

import numpy as np

from anon_transformers.jit import njit


@njit("int64[::1], int64[::1], int64[::1], float64[::1], int64[:, ::1]")
def tree_distances(indptr, indices, data, shares, groups):
    """Distance of each class where values meet at the levels of a tree.

    Two values that meet at level i of H are i / H apart. An edge of the tree is then
    1 / 2H long, and the distance is the mean over the levels below the root of half the
    sum of |P - Q| over the groups of that level. The groups in which P exceeds Q hold
    the half of it, so that only groups with rows need be looked at.

    Parameters
    ----------
    indptr, indices, data : int arrays
        Rows by class and value.
    shares : float array of shape (n_values,)
        The reference.
    groups : int array of shape (H, n_values)
        Group of each value at each level below the root.
    """
    n_levels = len(groups)
    distances = np.zeros(len(indptr) - 1)
    for level in range(n_levels):
        group = groups[level]
        expected = np.zeros(group.max() + 1)
        for value in range(len(shares)):
            expected[group[value]] += shares[value]
        mass = np.zeros(len(expected), np.int64)
        for row in range(len(distances)):
            total = 0
            for at in range(indptr[row], indptr[row + 1]):
                mass[group[indices[at]]] += data[at]
                total += data[at]
            moved = 0.0 if total else 1.0
            for at in range(indptr[row], indptr[row + 1]):
                here = group[indices[at]]
                if mass[here]:
                    moved += max(0.0, mass[here] / total - expected[here])
                    mass[here] = 0
            distances[row] += moved / n_levels
    return distances


@njit(
    "int64[::1], int64[::1], int64[::1], float64[::1]",
    "int64[::1], int64[::1], float64[::1], float64[::1]",
)
def ordered_distances(indptr, indices, data, shares):
    """Distance of each class where values i and j are |i - j| / (m - 1) apart.

    ``indices`` are sorted in each class; the m known values stand in their order. Where
    a class has the share of missing values that the reference has, only its own values
    are visited. Elsewhere the cost is of order m log m.
    """
    m = len(shares) - 1
    below = np.cumsum(shares[:m])
    sums = np.zeros(m + 1)
    sums[1:] = np.cumsum(below)
    distances = np.ones(len(indptr) - 1)
    own = np.empty(m)
    heap = np.empty(m)
    for row in range(len(distances)):
        first, last = indptr[row], indptr[row + 1]
        total = 0
        for at in range(first, last):
            total += data[at]
        if total == 0:
            continue
        unknown = 0.0
        if indices[last - 1] == m:
            last -= 1
            unknown = data[last] / total
        surplus = unknown - shares[m]
        if surplus == 0.0:  # equal fractions are equal numbers
            moved = _moved_along(indices, data, first, last, total, below, sums)
            distances[row] = max(moved, 0.0) / max(m - 1, 1)
            continue
        own[:] = 0.0
        for at in range(first, last):
            own[indices[at]] = data[at] / total
        moved = _moved_beside(own, below, surplus, heap)
        distances[row] = abs(surplus) + moved / max(m - 1, 1)
    return distances


@njit
def _moved_along(indices, data, first, last, total, below, sums):
    """Sum over the steps between neighbors of the mass that crosses the step.

    Between two values of the class P does not change and Q only grows: one search finds
    where it overtakes.
    """
    n_steps = len(below) - 1
    moved = 0.0
    count = 0
    start = 0
    for at in range(first, last + 1):
        end = min(indices[at], n_steps) if at < last else n_steps
        if end > start:
            share = count / total
            turn = start + np.searchsorted(below[start:end], share)
            moved += share * (turn - start) - (sums[turn] - sums[start])
            moved += (sums[end] - sums[turn]) - share * (end - turn)
            start = end
        if at < last:
            count += data[at]
    return moved


@njit
def _moved_beside(own, below, surplus, heap):
    """The same where missing values fill, or take, ``surplus`` wherever it helps most.

    If P misses more than Q, the surplus goes to known values at distance 1 each,
    whichever they are. Let G(i) be what has gone to values up to i: it grows from 0 to
    the surplus, and the sum of |G(i) - B(i)| is left to move, where B(i) is what Q has
    up to i beyond P. That is an isotonic regression with bounds. If P misses less, P
    and Q change roles.
    """
    sign = 1.0 if surplus > 0 else -1.0
    limit = abs(surplus)
    moved = 0.0
    cumulated = 0.0
    for i in range(len(own) - 1):
        cumulated += own[i]
        target = sign * (below[i] - cumulated)
        inside = min(max(target, 0.0), limit)
        moved += abs(target - inside)
        _push(heap, i, inside)
        if heap[0] > inside:
            moved += heap[0] - inside
            _lower_top(heap, i + 1, inside)
    return moved


@njit
def _push(heap, size, number):
    """Add to a heap whose largest number stands first."""
    at = size
    while at > 0 and heap[(at - 1) // 2] < number:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = number


@njit
def _lower_top(heap, size, number):
    """Put a smaller number in the place of the largest."""
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= number:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = number
