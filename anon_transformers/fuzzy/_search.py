"""How many sets a table can be published in."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import inf, prod
from typing import NamedTuple

from anon_transformers.base import (
    part_of_progress,
    progress_heard_by,
    tell_progress,
)

Numbers = tuple[int, ...]
"""Sets of each block of columns."""
EACH_UP_TO = 16
"""Numbers that all blocks share are tried one by one so far, then in larger steps."""
MOST_CHOICES = 25_000
"""Up to so many choices, such as those of four columns, all are looked through."""
FARTHEST_STEP = 2
"""How far neighbors are in each block."""
MOST_TRIALS = 250
"""A search ends so many trials after the first ones, which every search makes."""


class SetBounds(NamedTuple):
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


class SetSearch(NamedTuple):
    """What became of a search.

    Attributes
    ----------
    best : Trial or None
        The one with the least loss, the first in a tie; None if no promise was kept.
    trials : list of Trial
        All that were tried, in their order.
    n_choices : int
        How many there are to choose from.
    proved : bool
        Whether none of the others can be better.
    """

    best: Trial | None
    trials: list[Trial]
    n_choices: int
    proved: bool

    def refusal(self, max_sets: int) -> str:
        """What to say if no promise was kept, and no more than was seen."""
        if self.proved:
            return (
                f"no number of sets, up to {max_sets} of each column (max_sets), keeps "
                "the promise."
            )
        there_are = f"{self.n_choices:,}"
        if self.n_choices > MOST_CHOICES:  # may have hundreds of digits
            there_are = f"more than {MOST_CHOICES:,}"
        return (
            f"none of the {len(self.trials):,} choices tried of {there_are}, up to "
            f"{max_sets} sets of each column (max_sets), keeps the promise."
        )


class _Trials:
    """Everything that was tried, each choice once, up to a most of them.

    Each says which share of ``most_ever`` is done, the most that can be tried. Blocks
    are counted beside trials: the least loss of a choice needs its blocks, and to make
    one may take as long as a trial.
    """

    def __init__(
        self,
        attempt: Callable[[Numbers], Trial],
        floor: Callable[[Numbers], float] | None,
        most_ever: int,
    ):
        self._attempt, self._floor, self._most_ever = attempt, floor, most_ever
        self._most: tuple[float, float] = inf, inf
        self._blocks: set[tuple[int, int]] = set()
        self.made: dict[Numbers, Trial] = {}
        self.best: Trial | None = None
        self.refused = False

    def allow(self, most: int, n_blocks: int) -> None:
        """From now on, no more than so many trials, nor new numbers of a block."""
        self._most = len(self.made) + most, len(self._blocks) + most * n_blocks

    def __call__(self, numbers: Numbers) -> Trial | None:
        """What becomes of a choice; None if it may not be tried any more."""
        if numbers not in self.made:
            if self._is_spent():
                return None
            self._blocks.update(enumerate(numbers))
            number = len(self.made)
            tell_progress(number / self._most_ever)
            with part_of_progress(number, self._most_ever):
                trial = self.made[numbers] = self._attempt(numbers)
            self.best = _best([self.best, trial])
        return self.made[numbers]

    def may_beat(self, numbers: Numbers) -> bool:
        """Whether a choice could be better than the best; without a floor, any could.

        Once trials are spent, no choice is looked at any more.
        """
        if numbers in self.made or self._is_spent():
            return False
        if self._floor is None or self.best is None or self.best.loss is None:
            return True
        self._blocks.update(enumerate(numbers))
        # It is no trial: the share that is done stays as it was.
        with progress_heard_by(lambda share, found: None):
            return self._floor(numbers) < self.best.loss

    def _is_spent(self) -> bool:
        """Whether no further one is allowed; notes that one was asked for."""
        most_trials, most_blocks = self._most
        spent = len(self.made) >= most_trials or len(self._blocks) >= most_blocks
        self.refused = self.refused or spent
        return spent


def find_n_sets(
    bounds: Sequence[SetBounds],
    attempt: Callable[[Numbers], Trial],
    floor: Callable[[Numbers], float] | None = None,
    most_trials: int = MOST_TRIALS,
) -> SetSearch:
    """Look for the numbers of sets that keep the promise with little loss.

    First every block gets the same number, from 2 to the most; above 16 numbers grow by
    a quarter each time. Then each block alone gets two sets, and all others their
    fewest: in a wide table often nothing else is possible. From the best of these, or
    from the fewest of each, one block after another is given more sets: always the one
    that brings the loss down most. A promise that breaks with one number may hold again
    with the next, so that larger steps are made where none of the smallest keeps it.
    Then come the neighbors of the best: one or two blocks with up to two sets more or
    fewer, until none of them is better. Last, all other choices that could be better,
    those with few classes first.

    If ``most_trials`` were enough, and there are 25,000 choices at most, nothing better
    exists: so it is with two columns of 12 sets. Otherwise what is found is good, and
    nothing is proved.

    Parameters
    ----------
    bounds : sequence of SetBounds
        One per block.
    attempt : callable
        Tries numbers of sets.
    floor : callable, optional
        The least loss that numbers of sets could have, promise or not; it is cheaper
        than a trial, and what cannot be better is not tried.
    most_trials : int, default=250
        So many after the same number for all and two sets for each, the best until then
        is taken; or when each block had as many different numbers on average.

    Returns
    -------
    SetSearch

    Examples
    --------
    >>> def attempt(n_sets):  # of 12 rows, four in each class
    ...     classes = n_sets[0] * n_sets[1]
    ...     return Trial(n_sets, sum(1 / n for n in n_sets) if classes <= 3 else None)
    >>> found = find_n_sets([SetBounds(1, 4), SetBounds(1, 4)], attempt)
    >>> found.best.n_sets, found.n_choices, found.proved
    ((3, 1), 15, True)
    """
    n_choices = prod(bound.most - bound.fewest + 1 for bound in bounds)
    first = set(_first_choices(bounds))
    trials = _Trials(attempt, floor, min(n_choices, len(first) + most_trials))
    for numbers in _first_choices(bounds):
        trials(numbers)
    trials.allow(most_trials, len(bounds))
    _climb(bounds, trials)
    while (best := trials.best) is not None:
        _improve(trials, _neighbors(best.n_sets, bounds))
        if trials.best is best:
            break
    all_seen = n_choices <= MOST_CHOICES
    if all_seen:
        # Those with few classes first: they are the likeliest to keep a promise.
        _improve(trials, sorted(_choices(bounds), key=prod))
    n_choices -= all(bound.fewest == 1 for bound in bounds)
    proved = all_seen and not trials.refused
    return SetSearch(trials.best, list(trials.made.values()), n_choices, proved)


def _first_choices(bounds: Sequence[SetBounds]) -> Iterator[Numbers]:
    """The same number for all blocks, then two sets for each of them alone."""
    for number in _ladder(max(bound.most for bound in bounds)):
        yield tuple(min(max(number, low), high) for low, high in bounds)
    fewest = tuple(bound.fewest for bound in bounds)
    for at, bound in enumerate(bounds):
        if bound.fewest < 2 <= bound.most:  # noqa: PLR2004 - one set is no choice
            yield _moved(fewest, at, 1)


def _ladder(most: int) -> list[int]:
    """Numbers from 2 to the most: each, then in growing steps."""
    numbers = [2]
    while numbers[-1] < most:
        last = numbers[-1]
        numbers.append(min(last + (1 if last < EACH_UP_TO else last // 4), most))
    return numbers


def _climb(bounds: Sequence[SetBounds], trials: _Trials) -> None:
    """Give blocks more sets, one after another, as long as a promise is kept."""
    start = trials.best
    numbers = tuple(bound.fewest for bound in bounds) if start is None else start.n_sets
    while (step := _raise(numbers, bounds, trials)) is not None:
        numbers = step.n_sets


def _raise(
    numbers: Numbers, bounds: Sequence[SetBounds], trials: _Trials
) -> Trial | None:
    """The best way to give one block the fewest more sets that keep the promise."""
    rooms = [most - number for number, (_, most) in zip(numbers, bounds, strict=True)]
    for more in range(1, max(rooms) + 1):
        raised = [
            trials(_moved(numbers, at, more))
            for at, room in enumerate(rooms)
            if room >= more
        ]
        step = _best(raised)
        if step is not None or None in raised:
            return step
    return None


def _improve(trials: _Trials, choices: Iterable[Numbers]) -> None:
    """Try all choices that may be better than the best until then."""
    for numbers in choices:
        if trials.may_beat(numbers):
            trials(numbers)
        elif trials.refused:
            break


def _moved(numbers: Numbers, at: int, more: int) -> Numbers:
    """The same with more sets in one block."""
    return (*numbers[:at], numbers[at] + more, *numbers[at + 1 :])


def _choices(bounds: Sequence[SetBounds]) -> Iterator[Numbers]:
    """Every choice, but for one set of everything."""
    choices = product(*(range(bound.fewest, bound.most + 1) for bound in bounds))
    return (numbers for numbers in choices if max(numbers) > 1)


def _neighbors(numbers: Numbers, bounds: Sequence[SetBounds]) -> Iterator[Numbers]:
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


def _best(trials: Iterable[Trial | None]) -> Trial | None:
    """The one with the least loss, the first in a tie."""
    kept = [t for t in trials if t is not None and t.loss is not None]
    return min(kept, key=lambda trial: trial.loss or 0.0, default=None)
