"""How many sets a table can be published in."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import NamedTuple

Numbers = tuple[int, ...]
"""Sets of each block of columns."""
EACH_UP_TO = 16
"""Numbers that all blocks share are tried one by one so far, then in larger steps."""
MOST_CHOICES = 25_000
"""Up to so many choices, such as those of four columns, all are looked through."""
FARTHEST_STEP = 2
"""How far neighbours are in each block."""
MOST_TRIALS = 250
"""A search ends after so many trials."""


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


class _Trials:
    """Everything that was tried, each choice once, up to a most of them."""

    def __init__(
        self,
        attempt: Callable[[Numbers], Trial],
        floor: Callable[[Numbers], float] | None,
        most: int,
    ):
        self._attempt, self._floor, self._most = attempt, floor, most
        self.made: dict[Numbers, Trial] = {}

    def __call__(self, numbers: Numbers) -> Trial | None:
        """What becomes of a choice; None if it may not be tried any more."""
        if numbers not in self.made:
            if len(self.made) >= self._most:
                return None
            self.made[numbers] = self._attempt(numbers)
        return self.made[numbers]

    def may_beat(self, numbers: Numbers, loss: float) -> bool:
        """Whether a choice could have less loss; without a floor, any could."""
        return self._floor is None or self._floor(numbers) < loss

    @property
    def best(self) -> Trial | None:
        """The one with the least loss, the first of equals."""
        return _best(self.made.values())


def find_n_sets(
    bounds: Sequence[Bounds],
    attempt: Callable[[Numbers], Trial],
    floor: Callable[[Numbers], float] | None = None,
    most_trials: int = MOST_TRIALS,
) -> tuple[Trial | None, list[Trial]]:
    """Look for the numbers of sets that keep the promise with little loss.

    First every block gets the same number, from 2 to the most; above 16 numbers grow by
    a quarter each time. From the best of these, or from one set for each, one block
    after another is then given more sets: always the one that brings the loss down
    most. A promise that breaks with one number may hold again with the next, so that no
    number is left out for the one before it. Then come the neighbours of the best: one
    or two blocks with up to two sets more or fewer, until none of them is better. Last,
    all other choices that could be better, those with few classes first.

    If fewer than ``most_trials`` were needed, and there are 25,000 choices at most,
    nothing better exists: so it is with two columns of 12 sets. Otherwise what is found
    is good, and nothing is proved.

    Parameters
    ----------
    bounds : sequence of Bounds
        One a block.
    attempt : callable
        Tries numbers of sets.
    floor : callable, optional
        The least loss that numbers of sets could have, promise or not; it is cheaper
        than a trial, and what cannot be better is not tried.
    most_trials : int, default=250
        After so many the best until then is taken.

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
    trials = _Trials(attempt, floor, most_trials)
    for number in _ladder(max(bound.most for bound in bounds)):
        trials(tuple(min(max(number, low), high) for low, high in bounds))
    _climb(bounds, trials)
    while (best := trials.best) is not None:
        _improve(trials, _neighbours(best.n_sets, bounds))
        if trials.best is best:
            break
    if prod(bound.most - bound.fewest + 1 for bound in bounds) <= MOST_CHOICES:
        # Those with few classes first: they are the likeliest to keep a promise.
        _improve(trials, sorted(_choices(bounds), key=prod))
    return trials.best, list(trials.made.values())


def _ladder(most: int) -> list[int]:
    """Numbers from 2 to the most: each, then in growing steps."""
    numbers = [2]
    while numbers[-1] < most:
        last = numbers[-1]
        numbers.append(min(last + (1 if last < EACH_UP_TO else last // 4), most))
    return numbers


def _climb(bounds: Sequence[Bounds], trials: _Trials) -> None:
    """Give blocks more sets, one after another, as long as a promise is kept."""
    start = trials.best
    numbers = tuple(bound.fewest for bound in bounds) if start is None else start.n_sets
    while True:
        raised = [
            _raise(numbers, at, bound.most, trials) for at, bound in enumerate(bounds)
        ]
        step = _best(trial for trial in raised if trial is not None)
        if step is None:
            break
        numbers = step.n_sets


def _raise(numbers: Numbers, at: int, most: int, trials: _Trials) -> Trial | None:
    """The next larger number of one block that keeps the promise."""
    for number in range(numbers[at] + 1, most + 1):
        trial = trials((*numbers[:at], number, *numbers[at + 1 :]))
        if trial is None:
            break
        if trial.loss is not None:
            return trial
    return None


def _improve(trials: _Trials, choices: Iterable[Numbers]) -> None:
    """Try all choices that may be better than the best until then."""
    for numbers in choices:
        best = trials.best
        if best is None or trials.may_beat(numbers, best.loss or 0.0):
            trials(numbers)


def _choices(bounds: Sequence[Bounds]) -> Iterator[Numbers]:
    """Every choice, but for one set of everything."""
    choices = product(*(range(bound.fewest, bound.most + 1) for bound in bounds))
    return (numbers for numbers in choices if max(numbers) > 1)


def _neighbours(numbers: Numbers, bounds: Sequence[Bounds]) -> Iterator[Numbers]:
    """Choices that differ in one or two blocks, by up to two sets in each."""
    steps = range(-FARTHEST_STEP, FARTHEST_STEP + 1)
    for places in combinations(range(len(numbers)), min(2, len(numbers))):
        for moves in product(steps, repeat=len(places)):
            moved = list(numbers)
            for at, move in zip(places, moves, strict=True):
                moved[at] += move
            inside = all(
                low <= n <= high for n, (low, high) in zip(moved, bounds, strict=True)
            )
            if inside and max(moved) > 1:
                yield tuple(moved)


def _best(trials: Iterable[Trial]) -> Trial | None:
    """The one with the least loss, the first of equals."""
    kept = [trial for trial in trials if trial.loss is not None]
    return min(kept, key=lambda trial: trial.loss or 0.0, default=None)
