"""Lower the loss of a grouping: local search among near groups.

The loss is the sum of squared distances of rows from the center of their group. Three
steps can lower it: a row moves to another group, two rows change places, and a group is
given up, its rows going to groups near by. Where no step helps any more, a group and
those around it are grouped anew. All this is done only where it lowers the loss.
"""

from typing import Annotated, NamedTuple

import numpy as np

from anon_transformers._kernels.centers import squared_distance
from anon_transformers._kernels.leaves import build, nearest
from anon_transformers._kernels.mdav import check_points, counter, group_checked
from anon_transformers.jit import njit, njit_nogil

# A step must win this share of what it can change, and this share of the mean squared
# distance of rows from the center of all: less may be an effect of rounding only.
_SHARE, _SHARE_OF_ALL = 1e-9, 1e-12
# Groups that are grouped anew together.
_TOGETHER = 10

SWEEPS = 2
"""How often each group is grouped anew, unless told otherwise."""


class Groups(NamedTuple):
    """A grouping that can be changed.

    Attributes
    ----------
    members : int64 ndarray of shape (groups, 2k - 1)
        Rows of each group.
    size : int64 ndarray of shape (groups,)
        Number of rows of each group; 0 if there is no such group.
    center : float64 ndarray of shape (groups, columns)
        Mean of each group's rows.
    """

    members: Annotated[np.ndarray, "int64[:, ::1]"]
    size: Annotated[np.ndarray, "int64[::1]"]
    center: Annotated[np.ndarray, "float64[:, ::1]"]


def refine(
    points: np.ndarray,
    labels: np.ndarray,
    k: int,
    neighbors: int = 16,
    rounds: int = 50,
    sweeps: int = SWEEPS,
    done: np.ndarray | None = None,
) -> np.ndarray:
    """Labels of groups with less loss, or the same if no step lowers it.

    Groups of ``2k`` rows or more are split first. Every group then has ``k`` to
    ``2k - 1`` rows, and their sizes may differ.

    Parameters
    ----------
    points : float64 ndarray of shape (n, d)
        Coordinates, at most 1e150 in size.
    labels : int64 ndarray of shape (n,)
        Number of each row's group, from 0 on. Every group has at least ``k`` rows.
    k : int
        Smallest size of a group.
    neighbors : int
        With how many groups, those with the nearest centers, each one exchanges rows.
    rounds : int
        Most rounds over all groups. The search ends sooner if a round changes nothing.
    sweeps : int
        How often each group is grouped anew with those around it; less often if that
        lowers the loss nowhere. A sweep takes longer than the search before it.
    done : int64 ndarray of shape (1,), optional
        Counts rows whose group was grouped anew, in every sweep, while others run.

    Returns
    -------
    labels : int64 ndarray of shape (n,)
        Number of each row's group.

    Examples
    --------
    >>> import numpy as np
    >>> ages = np.array([1.0, 2, 20, 3, 21, 22]).reshape(-1, 1)
    >>> refine(ages, np.array([0, 0, 0, 1, 1, 1]), 3)
    array([0, 0, 1, 0, 1, 1])
    """
    points = check_points(points)
    sizes = np.bincount(labels)
    if sizes.min() < k:
        raise ValueError(
            f"labels: {(sizes < k).sum()} groups have fewer than k={k} rows"
        )
    if k == 1:
        # Groups of one row have no loss.
        return np.arange(len(points))
    # Near zero, centers keep more digits of what is inside a group.
    points = points - points.mean(axis=0)
    groups = _as_groups(points, _split_large(points, labels, k), k)
    least = _SHARE_OF_ALL * np.square(points).sum(axis=1).mean()
    _search(points, groups, k, neighbors, rounds, least)
    done = counter(done)
    for _ in range(sweeps):
        if not _regroup_all(points, groups, k, neighbors, rounds, least, done):
            break
        _search(points, groups, k, neighbors, rounds, least)
    return _as_labels(groups, len(points))


def _split_large(points, labels, k):
    """Labels with MDAV's groups in place of each group of ``2k`` rows or more."""
    labels = labels.astype(np.int64)
    sizes = np.bincount(labels)
    following = len(sizes)
    for label in np.flatnonzero(sizes >= 2 * k):
        rows = np.flatnonzero(labels == label)
        parts = group_checked(points[rows], k, counter(None))
        # The first part keeps the number.
        labels[rows] = np.where(parts == 0, label, following + parts - 1)
        following += parts.max()
    return labels


@njit("float64[:, ::1], int64[::1], int64")
def _as_groups(points, labels, k):
    total = len(labels) // k
    groups = Groups(
        np.empty((total, 2 * k - 1), dtype=np.int64),
        np.zeros(total, dtype=np.int64),
        np.zeros((total, points.shape[1])),
    )
    for row in range(len(labels)):
        label = labels[row]
        groups.members[label, groups.size[label]] = row
        groups.size[label] += 1
    return groups


@njit("Groups, int64")
def _as_labels(groups, count):
    """Labels without the numbers of groups that are not there."""
    labels = np.empty(count, dtype=np.int64)
    label = 0
    for number in range(len(groups.size)):
        size = groups.size[number]
        if size > 0:
            labels[groups.members[number, :size]] = label
            label += 1
    return labels


@njit_nogil("float64[:, ::1], Groups, int64, int64, int64, float64")
def _search(points, groups, k, neighbors, rounds, least):
    """Take steps until none wins ``least``, or the rounds are over."""
    changed = np.ones(len(groups.size), dtype=np.bool_)
    for _ in range(rounds):
        _set_centers(points, groups)
        near = _near_groups(groups, neighbors)
        before, changed = changed, np.zeros_like(changed)
        for one in range(len(near)):
            if groups.size[one] == 0:
                continue
            if _give_up(points, groups, one, near[one], k, least):
                changed[near[one]] = True
                continue
            for other in near[one]:
                fresh = before[one] or before[other] or changed[one] or changed[other]
                if groups.size[other] == 0 or not fresh:
                    continue
                if _exchange(points, groups, one, other, k, least):
                    changed[one] = changed[other] = True
        if not changed.any():
            break


@njit_nogil("float64[:, ::1], Groups, int64, int64, int64, float64, int64[::1]")
def _regroup_all(points, groups, k, neighbors, rounds, least, done):
    """Group anew around every group where it lowers the loss; whether it did."""
    _set_centers(points, groups)
    near = _near_groups(groups, _TOGETHER - 1)
    lower = False
    # A number that comes into use on the way has no near groups yet.
    for one in np.flatnonzero(groups.size > 0):
        done[0] += groups.size[one]
        numbers = np.append(near[one], one)
        numbers = numbers[groups.size[numbers] > 0]
        if groups.size[one] > 0 and len(numbers) > 1:
            lower |= _regroup(points, groups, numbers, k, neighbors, rounds, least)
    return lower


@njit
def _regroup(points, groups, numbers, k, neighbors, rounds, least):
    """Forget some groups and search for better ones from MDAV's; whether any are."""
    rows = np.empty(groups.size[numbers].sum(), dtype=np.int64)
    start = 0
    for number in numbers:
        stop = start + groups.size[number]
        rows[start:stop] = groups.members[number, : stop - start]
        start = stop
    inside = points[rows]
    better = _as_groups(inside, group_checked(inside, k, np.zeros(1, np.int64)), k)
    _search(inside, better, k, neighbors, rounds, least)
    before = _loss(points, groups, numbers)
    after = _loss(inside, better, np.flatnonzero(better.size > 0))
    if after >= before * (1 - _SHARE) - least:
        return False
    groups.size[numbers] = 0
    free = np.flatnonzero(groups.size == 0)
    for at, number in enumerate(np.flatnonzero(better.size > 0)):
        size = better.size[number]
        groups.members[free[at], :size] = rows[better.members[number, :size]]
        groups.size[free[at]] = size
        groups.center[free[at]] = better.center[number]
    return True


@njit
def _loss(points, groups, numbers):
    total = 0.0
    for number in numbers:
        for row in groups.members[number, : groups.size[number]]:
            total += squared_distance(points[row], groups.center[number])
    return total


@njit
def _set_centers(points, groups):
    """Compute centers anew, free of the rounding of many small steps."""
    groups.center[:] = 0.0
    for number in range(len(groups.size)):
        size = groups.size[number]
        for row in groups.members[number, :size]:
            groups.center[number] += points[row] / size


@njit
def _near_groups(groups, neighbors):
    """For each group those with the nearest centers, the nearest first."""
    living = np.flatnonzero(groups.size > 0)
    centers = groups.center[living]
    count = min(neighbors, len(living) - 1)
    tree = build(centers, np.arange(len(living)), np.empty(len(living), dtype=np.int64))
    distances, found = np.empty(count), np.empty(count, dtype=np.int64)
    near = np.zeros((len(groups.size), count), dtype=np.int64)
    for at in range(len(living)):
        nearest(tree, centers[at], at, distances, found)
        near[living[at]] = living[found[np.argsort(distances)]]
    return near


@njit
def _give_up(points, groups, number, near, k, least):
    """Share a group's rows out to near groups, if that lowers the loss."""
    size = groups.size[number]
    left = _loss(points, groups, np.array([number]))
    left -= _SHARE * left + least
    hosts = np.empty(size, dtype=np.int64)
    for at in range(size):
        row = groups.members[number, at]
        cost, hosts[at] = _cheapest_host(points[row], groups, near, k)
        left -= cost
        if left <= 0:
            for done in range(at - 1, -1, -1):
                _take(points, groups, hosts[done], groups.size[hosts[done]] - 1)
            return False
        _put(points, groups, hosts[at], row)
    groups.size[number] = 0
    return True


@njit
def _cheapest_host(point, groups, near, k):
    """What joining a near group adds to the loss at least, and that group."""
    best, host = np.inf, -1
    for number in near:
        size = groups.size[number]
        if 0 < size < 2 * k - 1:
            cost = size / (size + 1) * squared_distance(point, groups.center[number])
            if cost < best:
                best, host = cost, number
    return best, host


@njit
def _exchange(points, groups, one, other, k, least):
    """Take the best steps between two groups; whether there was one."""
    # Each step lowers the loss, so the limit only guards against rounding.
    for step in range(8 * k):
        here = _distances(points, groups, one, other)
        there = _distances(points, groups, other, one)
        best = -_SHARE * (here[0].sum() + there[0].sum()) - least
        # Places of the row that leaves ``one`` and of that which comes to it.
        leaving, coming = -1, -1
        best, place = _best_move(here, there.shape[1], k, best)
        if place >= 0:
            leaving = place
        best, place = _best_move(there, here.shape[1], k, best)
        if place >= 0:
            leaving, coming = -1, place
        swap = _best_swap(points, groups, one, other, here, there, best)
        if swap[0] >= 0:
            leaving, coming = swap
        if leaving < 0 and coming < 0:
            return step > 0
        left = _take(points, groups, one, leaving) if leaving >= 0 else -1
        came = _take(points, groups, other, coming) if coming >= 0 else -1
        if left >= 0:
            _put(points, groups, other, left)
        if came >= 0:
            _put(points, groups, one, came)
    return True


@njit
def _distances(points, groups, one, other):
    """Squared distances of the rows of ``one`` from its own and the other center."""
    size = groups.size[one]
    distances = np.empty((2, size))
    for place in range(size):
        point = points[groups.members[one, place]]
        distances[0, place] = squared_distance(point, groups.center[one])
        distances[1, place] = squared_distance(point, groups.center[other])
    return distances


@njit
def _best_move(distances, host_size, k, best):
    """The move to a host that changes the loss by less than ``best``; -1 for none."""
    size, place = distances.shape[1], -1
    if size > k and host_size < 2 * k - 1:
        for at in range(size):
            joining = host_size / (host_size + 1) * distances[1, at]
            change = joining - size / (size - 1) * distances[0, at]
            if change < best:
                best, place = change, at
    return best, place


@njit
def _best_swap(points, groups, one, other, here, there, best):
    """Places of the two rows whose swap changes the loss by less than ``best``."""
    weight = 1 / here.shape[1] + 1 / there.shape[1]
    # Two rows are apart by at most the sum of their distances from one center; its
    # square is at most twice the sum of squares.
    most = (there[1] - there[0] - 2 * weight * there[0]).min()
    found = (-1, -1)
    for at in range(here.shape[1]):
        change_here = here[1, at] - here[0, at]
        if change_here - 2 * weight * here[1, at] + most >= best:
            continue
        point = points[groups.members[one, at]]
        for to in range(there.shape[1]):
            change = change_here + there[1, to] - there[0, to]
            if change - 2 * weight * (here[1, at] + there[0, to]) < best:
                apart = squared_distance(point, points[groups.members[other, to]])
                if change - weight * apart < best:
                    best, found = change - weight * apart, (at, to)
    return found


@njit
def _take(points, groups, number, place):
    """Remove the row at a place of a group and give it back."""
    last = groups.size[number] - 1
    row = groups.members[number, place]
    groups.members[number, place] = groups.members[number, last]
    groups.size[number] = last
    for column in range(points.shape[1]):
        away = groups.center[number, column] - points[row, column]
        groups.center[number, column] += away / last
    return row


@njit
def _put(points, groups, number, row):
    """Add a row to a group."""
    size = groups.size[number]
    groups.members[number, size] = row
    groups.size[number] = size + 1
    for column in range(points.shape[1]):
        away = points[row, column] - groups.center[number, column]
        groups.center[number, column] += away / (size + 1)
