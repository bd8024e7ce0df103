"""How many sets a table can be published in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

Numbers = tuple[int, ...]
"""Sets of each block of columns."""


class Bounds(NamedTuple):
    """Fewest and most sets of one block; the same where nothing is left to search."""

    fewest: int
    most: int


@dataclass(frozen=True)
class Trial:
    """What became of one choice.

    Attributes
    ----------
    n_sets : tuple of int
        Sets of each block.
    loss : float or None
        Loss of the published table; None if the promise is not kept.
    reason : str
        Why it is not.
    """

    n_sets: Numbers
    loss: float | None
    reason: str = ""


def find_n_sets(
    bounds: Sequence[Bounds], attempt: Callable[[Numbers], Trial]
) -> tuple[Trial | None, list[Trial]]:
    """Look for the numbers of sets that keep the promise with little loss.

    It climbs from the best number that all columns share, and proves nothing.

    First every block gets the same number, from 2 to the most. From the best of these,
    or from one set for each, one block after another is then given more sets: always
    the one that brings the loss down most. A promise that breaks with one number may
    hold again with the next, so that no number is left out for the one before it.

    Parameters
    ----------
    bounds : sequence of Bounds
        One a block.
    attempt : callable
        Tries numbers of sets.

    Returns
    -------
    best : Trial or None
        None if no promise was kept.
    trials : list of Trial
        All that were tried, in their order.

    Examples
    --------
    >>> def attempt(n_sets):  # of 12 rows, four in each class
    ...     classes = n_sets[0] * n_sets[1]
    ...     return Trial(n_sets, sum(1 / n for n in n_sets) if classes <= 3 else None)
    >>> best, trials = find_n_sets([Bounds(1, 4), Bounds(1, 4)], attempt)
    >>> best.n_sets
    (3, 1)
    """
    trials: dict[Numbers, Trial] = {}

    def tried(numbers: Numbers) -> Trial:
        if numbers not in trials:
            trials[numbers] = attempt(numbers)
        return trials[numbers]

    low = np.array([bound.fewest for bound in bounds])
    high = np.array([bound.most for bound in bounds])
    for number in range(2, max(high.max(), 2) + 1):
        tried(tuple(np.clip(number, low, high).tolist()))
    start = _best(trials.values())
    numbers = tuple(low.tolist()) if start is None else start.n_sets
    while True:
        raised = [_raise(numbers, at, int(high[at]), tried) for at in range(len(high))]
        step = _best(trial for trial in raised if trial is not None)
        if step is None:
            break
        numbers = step.n_sets
    return _best(trials.values()), list(trials.values())


def _raise(
    numbers: Numbers, at: int, most: int, tried: Callable[[Numbers], Trial]
) -> Trial | None:
    """The next larger number of one block that keeps the promise."""
    for number in range(numbers[at] + 1, most + 1):
        trial = tried((*numbers[:at], number, *numbers[at + 1 :]))
        if trial.loss is not None:
            return trial
    return None


def _best(trials) -> Trial | None:
    """The one with the least loss, the first of equals."""
    kept = [trial for trial in trials if trial.loss is not None]
    return min(kept, key=lambda trial: trial.loss, default=None)
