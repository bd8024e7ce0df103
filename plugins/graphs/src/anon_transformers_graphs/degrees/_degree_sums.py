"""Target degrees of a given sum, of which k nodes or more share each."""

from collections import deque
from dataclasses import dataclass

import numpy as np

RECENT = 8
"""Number of last steps that are replaced if they do not lead to the wanted sum."""
RANKS = 12
"""A step is replaced by the next cheapest ones, up to this rank."""

Step = tuple[int, int, int]
"""Where the nodes that move start and end, and their new value."""


@dataclass(frozen=True)
class DegreeRuns:
    """Targets of sorted degrees as runs of equal ones, highest first."""

    values: np.ndarray
    counts: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, targets: np.ndarray) -> "DegreeRuns":
        """Runs of targets in falling order."""
        last = np.flatnonzero(np.append(np.diff(targets) != 0, True))
        ends = last + 1
        return cls(targets[last], np.diff(ends, prepend=0), ends)

    @property
    def starts(self) -> np.ndarray:
        """Where each run starts."""
        return self.ends - self.counts


class ChangeCosts:
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
        """Cost of giving the places from ``starts`` to ``ends`` these values."""
        middles = np.clip(self._at_least[values], starts, ends)
        upper = self._sums[middles] - self._sums[starts]
        lower = self._sums[ends] - self._sums[middles]
        above, below = middles - starts, ends - middles
        return upper - above * values + below * values - lower


def with_sum(
    degrees: np.ndarray, targets: np.ndarray, k: int, total: int, most: int
) -> np.ndarray:
    """Targets moved towards a sum by cheapest steps; they stay k-anonymous.

    A step moves a whole run of equal targets, or those nodes of a run that are nearest
    to the next run and not needed in their own, to the next run or to a new one. If no
    step is left and the sum is not the wanted one, one of the last steps is replaced by
    one that costs more.

    Parameters
    ----------
    degrees, targets : int64 arrays
        Highest first; the targets have an even sum.
    k : int
        Fewest nodes of a run.
    total : int
        The wanted sum, even.
    most : int
        No step exceeds it.

    Returns
    -------
    int64 array
        Targets of an even sum: the wanted one, or as near as the steps came.
    """
    search = _SumSearch(ChangeCosts(degrees), targets, k, total, most)
    recent = search.descend(targets)
    for rank in range(1, RANKS):
        for state in reversed(recent):
            if not search.left:
                return search.best
            steps = search.steps(state)[rank:]
            if steps:
                search.descend(_apply_step(state, steps[0]))
    return search.best


class _SumSearch:
    """Steps towards a sum, and the nearest targets of an even sum that they came to."""

    def __init__(
        self,
        costs_of: ChangeCosts,
        targets: np.ndarray,
        k: int,
        total: int,
        most: int,
    ):
        self.costs_of, self.k, self.total, self.most = costs_of, k, total, most
        self.best, self.left = targets, abs(total - int(targets.sum()))

    def steps(self, targets: np.ndarray) -> list[Step]:
        """Steps that are possible, the cheapest first."""
        left = self.total - int(targets.sum())
        runs = DegreeRuns.of(targets)
        most = max(self.most, int(runs.values[0]))
        return _cheapest_steps(self.costs_of, runs, self.k, left, most)

    def descend(self, targets: np.ndarray) -> deque[np.ndarray]:
        """Take the best step again and again; the last targets that had another."""
        recent: deque[np.ndarray] = deque(maxlen=RECENT)
        while True:
            left = abs(self.total - int(targets.sum()))
            if left % 2 == 0 and left < self.left:
                self.best, self.left = targets, left
            steps = self.steps(targets) if left else []
            if not steps:
                return recent
            recent.append(targets)
            targets = _apply_step(targets, steps[0])


def _apply_step(targets: np.ndarray, step: Step) -> np.ndarray:
    start, end, value = step
    moved = targets.copy()
    moved[start:end] = value
    return moved


def _cheapest_steps(costs_of, runs, k, left, most) -> list[Step]:
    """Places and their new value, ordered by the cost of one unit.

    ``left`` is the sum that is still to be added.
    """
    direction = 1 if left > 0 else -1
    left = abs(left)
    values, counts = runs.values, runs.counts
    if direction > 0:
        next_values = np.concatenate([[most], values[:-1]])
        has_next = np.arange(len(values)) > 0
    else:
        next_values = np.append(values[1:], 0)
        has_next = np.arange(len(values)) < len(values) - 1
    gaps = np.abs(next_values - values)
    far = np.minimum(gaps, left // counts)
    sizes = [(counts, np.minimum(far, 1)), (counts, far), (counts, far - 1)]
    n_movable = (
        np.minimum(counts - k, left // np.maximum(gaps, 1)) * has_next * (gaps > 0)
    )
    sizes += [(np.minimum(n_movable, 1), gaps), (n_movable, gaps)]
    sizes += _split_steps(counts, gaps, k, left)
    nodes, units = (np.concatenate(column) for column in zip(*sizes, strict=True))
    level = np.tile(np.arange(len(values)), len(sizes))
    gains = nodes * units
    legal = gains > 0
    nodes, units, gains, level = nodes[legal], units[legal], gains[legal], level[legal]
    starts = runs.starts[level] if direction > 0 else runs.ends[level] - nodes
    ends, new = starts + nodes, values[level] + direction * units
    costs = costs_of(starts, ends, new) - costs_of(starts, ends, values[level])
    order = np.lexsort([-gains, costs / gains])[:RANKS]
    return list(zip(starts[order], ends[order], new[order], strict=True))


def _split_steps(counts, gaps, k, left) -> list[tuple[np.ndarray, np.ndarray]]:
    """Nodes that become a new run, and the units that they move by.

    Of nodes that are far from the next run ``k`` move together; either nothing is left
    then, or enough for ``k`` others to move by one.
    """
    roomy = counts >= 2 * k
    far = left // k if left % k == 0 else left // k - 1
    alone = np.where(roomy & (counts - left >= k) & (left >= k), left, 0)
    return [
        (np.where(roomy, k, 0), np.minimum(gaps, max(far, 0))),
        (alone, np.minimum(gaps, 1)),
    ]


def with_even_sum(degrees: np.ndarray, targets: np.ndarray, only_up: bool):
    """Targets of which one run of odd length is moved by one if their sum is odd.

    A sum is odd only if such a run has an odd value; not all of them can be at the
    highest one, n - 1, for then n is odd and n - 1 is not.
    """
    if targets.sum() % 2 == 0:
        return targets
    runs, costs_of = DegreeRuns.of(targets), ChangeCosts(degrees)
    steps: list[tuple[int, int, int, int]] = []
    for direction in (1,) if only_up else (1, -1):
        new = runs.values + direction
        legal = (runs.counts % 2 == 1) & (new >= 0) & (new < len(degrees))
        starts, ends, new = runs.starts[legal], runs.ends[legal], new[legal]
        costs = costs_of(starts, ends, new) - costs_of(starts, ends, new - direction)
        steps += zip(costs, starts, ends, new, strict=True)
    _, start, end, value = min(steps)
    targets = targets.copy()
    targets[start:end] = value
    return targets
