"""Targets as levels: the repairs that keep k nodes or more at each of them."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Levels:
    """Targets of sorted degrees as runs of equal ones, highest first."""

    values: np.ndarray
    counts: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, targets: np.ndarray) -> "Levels":
        """Runs of targets that fall, or stay."""
        last = np.flatnonzero(np.append(np.diff(targets) != 0, True))
        ends = last + 1
        return cls(targets[last], np.diff(ends, prepend=0), ends)

    @property
    def starts(self) -> np.ndarray:
        """Where each level starts."""
        return self.ends - self.counts


class Distances:
    """Sums of absolute differences between sorted degrees and a value."""

    def __init__(self, degrees: np.ndarray):
        self._sums = np.concatenate([[0], np.cumsum(degrees)])
        # The number of degrees of g or more is where a falling list passes below g.
        self._at_least = len(degrees) - np.searchsorted(
            degrees[::-1], np.arange(len(degrees) + 1)
        )

    def __call__(
        self, starts: np.ndarray, ends: np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        """Cost of giving the places from starts to ends these values."""
        middles = np.clip(self._at_least[values], starts, ends)
        upper = self._sums[middles] - self._sums[starts]
        lower = self._sums[ends] - self._sums[middles]
        above, below = middles - starts, ends - middles
        return upper - above * values + below * values - lower


def with_sum(degrees: np.ndarray, targets: np.ndarray, k: int, total: int):
    """Targets moved towards a sum, at least cost a step; all levels stay k-anonymous.

    A step moves a whole level, or the nodes of one that are nearest to the next level
    and not needed in theirs. Both are tried with as many units as fit and with one.

    Parameters
    ----------
    degrees, targets : int64 arrays
        Highest first; the targets have an even sum.
    k : int
        Nodes of a level.
    total : int
        The wanted sum, even.

    Returns
    -------
    int64 array
        Targets of an even sum: the wanted one, or as near as the steps came.
    """
    distances = Distances(degrees)
    best = targets = targets.copy()
    while (left := total - int(targets.sum())) != 0:
        step = _best_step(distances, Levels.of(targets), k, left, len(degrees) - 1)
        if step is None:
            break
        start, end, value = step
        targets = targets.copy()
        targets[start:end] = value
        if targets.sum() % 2 == 0:
            best = targets
    return best if left else targets


def _best_step(distances, levels, k, left, most):
    """Places and their new value, or None; ``left`` is still to be added."""
    way = 1 if left > 0 else -1
    left = abs(left)
    values, counts = levels.values, levels.counts
    if way > 0:
        next_values = np.concatenate([[most], values[:-1]])
        has_next = np.arange(len(values)) > 0
    else:
        next_values = np.append(values[1:], 0)
        has_next = np.arange(len(values)) < len(values) - 1
    gaps = np.abs(next_values - values)
    steps = []
    far = np.minimum(gaps, left // counts)
    for units in (np.minimum(far, 1), far):
        ends = levels.ends
        steps.append((levels.starts, ends, units, units * counts, values))
    many = np.minimum(counts - k, left // np.maximum(gaps, 1)) * has_next * (gaps > 0)
    for nodes in (np.minimum(many, 1), many):
        starts = levels.starts if way > 0 else levels.ends - nodes
        steps.append((starts, starts + nodes, gaps, nodes * gaps, values))
    starts, ends, moves, gains, values = map(np.concatenate, zip(*steps, strict=True))
    legal = gains > 0
    if not legal.any():
        return None
    starts, ends, moves = starts[legal], ends[legal], moves[legal] * way
    values, gains = values[legal], gains[legal]
    new = values + moves
    costs = distances(starts, ends, new) - distances(starts, ends, values)
    chosen = np.lexsort([-gains, costs / gains])[0]
    return starts[chosen], ends[chosen], new[chosen]


def with_even_sum(degrees: np.ndarray, targets: np.ndarray, only_up: bool):
    """Targets with one level of an odd number of nodes moved by one, if need be.

    A sum is odd only if such a level has an odd value; not all of them can be at the
    highest one, n - 1, for then n is odd and n - 1 is not.
    """
    if targets.sum() % 2 == 0:
        return targets
    levels, distances = Levels.of(targets), Distances(degrees)
    steps: list[tuple[int, int, int, int]] = []
    for way in (1,) if only_up else (1, -1):
        new = levels.values + way
        legal = (levels.counts % 2 == 1) & (new >= 0) & (new < len(degrees))
        starts, ends, new = levels.starts[legal], levels.ends[legal], new[legal]
        costs = distances(starts, ends, new) - distances(starts, ends, new - way)
        steps += zip(costs, starts, ends, new, strict=True)
    _, start, end, value = min(steps)
    targets = targets.copy()
    targets[start:end] = value
    return targets
