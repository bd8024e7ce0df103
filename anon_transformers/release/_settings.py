"""Which other settings of a release may pass, in the order in which they are tried.

Thresholds of the file stay in force in all but the last kind, which says that it
promises less.
"""

import inspect
import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from pydantic import ValidationError

from anon_transformers.gx._threshold import Threshold
from anon_transformers.parameters import is_number, is_whole
from anon_transformers.release._build import installed, make_model
from anon_transformers.release._coarser import coarser
from anon_transformers.release._config import ReleaseConfig
from anon_transformers.release._gaps import Gap
from anon_transformers.release._on_refusal import without_columns
from anon_transformers.release._stated_recoding import REUSE

LIMITS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
"""Shares of rows that may be suppressed, tried from the smallest."""
LIMIT_STEP = 0.01
"""How near to the smallest limit that passes the one is that is told."""
LARGER_K = (2, 4, 8)
"""Times the k of the thresholds that an anonymizer is asked for."""
METHODS = ("full-domain", "datafly", "mondrian")
"""Methods that are tried in place of another one, each with hierarchies."""
CARRIED = ("suppression", "suppression_limit", "suppression_label")
"""Parameters that another method is given as they are for the one of the file."""
OWN_GOAL = ("k", "models", "levels")
"""Parameters by which an anonymizer aims at something else than the thresholds."""
MOST_COARSER = 2
"""Columns that are tried with a coarser step, level or hierarchy, one at a time."""
LOOSER = (1.25, 1.5, 2.0, 3.0, 4.0)
"""Times a bound that is no whole number, until one passes."""
STEPS_TO_TEN = 200
"""A bound is neared in so many steps to the next power of ten: below 10 in 0.05."""
LOSS = "loss"
ROUNDING = 1e-9
SMALLEST_COUNT = 2
"""A k or an l of one promises nothing."""


@dataclass
class Proposal:
    """A setting to try.

    Attributes
    ----------
    kind, words, change, loosens, dropped
        As an advice tells them.
    config : ReleaseConfig
        The release with it.
    thresholds : tuple of Threshold
        What is in force.
    """

    kind: str
    words: str
    change: Mapping[str, Any]
    config: ReleaseConfig
    thresholds: tuple[Threshold, ...]
    loosens: bool = False
    dropped: Sequence[str] = ()
    search: "Bisection | Approach | None" = field(default=None, repr=False)

    def answer(self, passed: bool) -> bool:
        """Take the outcome; whether there is more of its kind to try."""
        if self.search is None:
            return not passed
        self.search.answer(passed)
        return True


class Bisection:
    """The largest whole number that passes, of those from ``low`` to ``high``."""

    def __init__(self, low: int, high: int):
        self.low, self.high, self.asked = low, high, low
        self.found = False

    def __iter__(self) -> Iterator[int]:
        # The smallest first: if that fails, nothing above it needs to be asked.
        while self.low <= self.high:
            yield self.asked
            self.asked = (self.low + self.high + 1) // 2

    def answer(self, passed: bool) -> None:
        """Go on above what passed, or below what did not."""
        self.found = self.found or passed
        if passed:
            self.low = self.asked + 1
        elif self.asked == self.low:
            self.high = self.low - 1
        else:
            self.high = self.asked - 1


class Approach:
    """The number nearest to what is asked for that passes, as far as steps tell.

    Parameters
    ----------
    asked : float
        What does not pass.
    ladder : sequence of float
        Numbers farther and farther away from it, tried until one passes. Between that
        and the one before it the search goes on.
    step : float
        Of the numbers in between the multiples of this are tried.

    Examples
    --------
    >>> search, tried = Approach(1.8, [1.44, 1.2, 0.9], step=0.05), []
    >>> for number in search:
    ...     tried.append(number)
    ...     search.answer(number <= 1.41)
    >>> tried
    [1.44, 1.2, 1.3, 1.35, 1.4]
    """

    def __init__(self, asked: float, ladder: Sequence[float], step: float):
        self.refused, self.ladder, self.step = asked, ladder, step
        self.asked = asked
        self.passed: float | None = None

    def __iter__(self) -> Iterator[float]:
        for number in self.ladder:
            self.asked = number
            yield number
            if self.passed is not None:
                break
        while self.passed is not None:
            halfway = (self.refused + self.passed) / 2
            self.asked = round(round(halfway / self.step) * self.step, 6)
            low, high = sorted((self.refused, self.passed))
            if not low + ROUNDING < self.asked < high - ROUNDING:
                return
            before = low, high
            yield self.asked
            if before == tuple(sorted((self.refused, self.passed))):
                self.refused = self.asked  # a file could not state it

    def answer(self, passed: bool) -> None:
        """Go on nearer to what is asked for than what passed, or farther away."""
        if passed:
            self.passed = self.asked
        else:
            self.refused = self.asked


def proposals(
    config: ReleaseConfig,
    thresholds: tuple[Threshold, ...],
    gaps: Sequence[Gap],
    order: Sequence[str],
    *,
    made: bool,
    levels: Mapping[str, int] | None = None,
) -> dict[str, Iterator[Proposal]]:
    """Settings to try, by kind, each kind until one passes.

    Parameters
    ----------
    config : ReleaseConfig
        The release as it is stated.
    thresholds : tuple of Threshold
        What is in force.
    gaps : sequence of Gap
        How far it is off.
    order : sequence of str
        Quasi-identifiers, first the one to do without.
    made : bool
        The method made a candidate, and the gate refused it.
    levels : mapping of column to int, optional
        Levels of that candidate, where the method has one for each column.
    """
    maker = _Maker(config, thresholds)
    return {
        "suppression": maker.more_suppression(),
        "method": maker.other_methods(larger_k=made and any(map(_of_classes, gaps))),
        "coarser": islice(maker.coarser_columns(order, levels), MOST_COARSER),
        "drop": maker.fewer_columns(order),
        "threshold": maker.looser(gaps),
    }


def kept_cells(
    config: ReleaseConfig, thresholds: tuple[Threshold, ...]
) -> dict[str, Iterator[Proposal]]:
    """What to try where earlier tables alone refuse a table: their cells stay."""
    change = {"recoding": REUSE}
    found = _Maker(config, thresholds).proposal("recoding", "recoding: reuse", change)
    return {"recoding": found}


def shows_nothing(gaps: Sequence[Gap]) -> bool:
    """Whether a candidate lost everything, so that it keeps every promise."""
    return any(
        gap.name == LOSS
        and gap.of == "candidate"
        and gap.reached is not None
        and gap.reached >= 1 - ROUNDING
        for gap in gaps
    )


def _of_classes(gap: Gap) -> bool:
    """Whether it is classes that fall short, which larger ones may mend."""
    return gap.holds is False and (gap.kind == "model" or "risk" in gap.name)


class _Maker:
    def __init__(self, config: ReleaseConfig, thresholds: tuple[Threshold, ...]):
        self.config, self.thresholds = config, thresholds
        self.stated = {"name": config.anonymizer.name, **config.anonymizer.params}
        self.cls = installed().anonymizers[config.anonymizer.name]
        self.takes = inspect.signature(self.cls).parameters

    def proposal(
        self, kind: str, words: str, change: Mapping[str, Any], **more: Any
    ) -> Iterator[Proposal]:
        """A proposal, unless the file could not state it."""
        thresholds = more.pop("thresholds", self.thresholds)
        try:
            changed = self.config.with_keys(change)
        except ValidationError:
            return
        short = changed.stated.model_dump(mode="json", exclude_defaults=True)
        whole = changed.stated.model_dump(mode="json")
        shown = {key: short.get(key, whole[key]) for key in change}
        yield Proposal(kind, words, shown, changed, thresholds, **more)

    def more_suppression(self) -> Iterator[Proposal]:
        """A larger limit, from the smallest; then what is just enough."""
        if "suppression_limit" not in self.takes:
            return
        default = self.takes["suppression_limit"].default
        now = self.stated.get("suppression_limit", default)
        least = now if is_number(now) and not (is_whole(now) and now >= 1) else 0
        limits = [limit for limit in LIMITS if limit > least]
        search = Approach(least, limits, LIMIT_STEP)
        for limit in search:
            change = {"anonymizer": {**self.stated, "suppression_limit": limit}}
            words = f"anonymizer: suppression_limit: {limit:g}"
            yield from self.proposal("suppression", words, change, search=search)

    def other_methods(self, *, larger_k: bool) -> Iterator[Proposal]:
        """The thresholds as the goal, a larger k, another method."""
        own = [name for name in OWN_GOAL if name in self.stated]
        if own:
            kept = {k: v for k, v in self.stated.items() if k not in own}
            words = f"anonymizer: without {', '.join(own)}, for the thresholds alone"
            yield from self.proposal("method", words, {"anonymizer": kept})
        sizes = [t.params["k"] for t in self.thresholds if is_whole(t.params.get("k"))]
        if larger_k and sizes and "k" in self.takes:
            for times in LARGER_K:
                change = {"anonymizer": {**self.stated, "k": max(sizes) * times}}
                words = f"anonymizer: k: {max(sizes) * times}, larger than asked for"
                yield from self.proposal("method", words, change)
        if self.cls.kind != "table":
            return
        # What it suppresses stays the same, also where the file states nothing of it.
        now = {key: self.takes[key].default for key in CARRIED if key in self.takes}
        now |= {key: self.stated[key] for key in CARRIED if key in self.stated}
        carried = {key: value for key, value in now.items() if value is not None}
        for name in METHODS:
            if name != self.stated["name"] and name in installed().anonymizers:
                change = {"anonymizer": {"name": name, **carried}}
                yield from self.proposal("method", f"anonymizer: {name}", change)

    def coarser_columns(
        self, order: Sequence[str], levels: Mapping[str, int] | None
    ) -> Iterator[Proposal]:
        """One quasi-identifier in coarser steps, or one level up."""
        if self.cls.kind != "table":
            return
        for name in order:
            for words, change in coarser(self.config, name, levels):
                yield from self.proposal("coarser", words, change)

    def fewer_columns(self, order: Sequence[str]) -> Iterator[Proposal]:
        """One quasi-identifier less."""
        stated = self.config.model_dump()
        both = self.config.roles.both
        for name in order:
            if len(order) == 1 or name in both:
                continue
            without = without_columns(stated, [name])
            keys = ("roles", "hierarchies", "anonymizer")
            change = {key: without[key] for key in keys if without[key] != stated[key]}
            words = f"roles: {name} is not published (dropped)"
            yield from self.proposal("drop", words, change, dropped=[name])

    def looser(self, gaps: Sequence[Gap]) -> Iterator[Proposal]:
        """Less than what is asked for, first of what does not hold."""
        holds = {gap.id: gap.holds for gap in gaps}
        reached = {gap.id: gap.reached for gap in gaps if gap.of == "candidate"}
        empty = shows_nothing(gaps)

        def turn(threshold: Threshold) -> tuple[bool, bool]:
            # Of models, those of values first: they are what takes all rows together.
            return bool(holds.get(threshold.id)), empty and "k" in threshold.params

        for threshold in sorted(self.thresholds, key=turn):
            # A table that shows nothing keeps every promise; one of them is the reason.
            judged = threshold.kind != "model" or not empty
            if judged and holds.get(threshold.id) and threshold.id in reached:
                continue  # the gate has nothing against it
            if threshold.kind != "model":
                yield from self._looser_bounds(threshold, reached.get(threshold.id))
                continue
            for name, way in make_model(threshold).tighter.items():
                asked = threshold.params.get(name)
                found = False
                if is_whole(asked) and way == "higher":
                    found = yield from self._smaller(threshold, name, int(asked))
                elif is_number(asked):
                    found = yield from self._looser_numbers(threshold, name, asked, way)
                if found:
                    return

    def _smaller(
        self, threshold: Threshold, name: str, asked: int
    ) -> Generator[Proposal, None, bool]:
        """Smaller whole numbers; whether one of them passed."""
        search = Bisection(SMALLEST_COUNT, asked - 1)
        for number in search:
            yield from self._with(threshold, name, number, asked, search=search)
        return search.found

    def _looser_numbers(
        self, threshold: Threshold, name: str, asked: float, way: str
    ) -> Generator[Proposal, None, bool]:
        """Looser numbers, then those nearer to what is asked; whether one passed."""
        ladder = [
            round(asked * times if way == "lower" else asked / times, 6)
            for times in LOOSER
        ]
        if not asked > 0:
            return False
        step = 10 ** (math.floor(math.log10(asked)) + 1) / STEPS_TO_TEN
        search = Approach(asked, ladder, step)
        for number in search:
            yield from self._with(threshold, name, number, asked, search=search)
        return search.passed is not None

    def _looser_bounds(
        self, threshold: Threshold, reached: int | float | None
    ) -> Iterator[Proposal]:
        """The bound at what the candidate reaches, rounded to its side."""
        for name, asked in threshold.bounds.items():
            if asked is None or reached is None:
                continue
            up = name == "max"
            if (reached > asked) != up:
                continue
            scaled = reached * 1000
            number = (math.ceil(scaled) if up else math.floor(scaled)) / 1000
            if up and threshold.name == LOSS and number >= 1:
                continue  # it would publish a table that shows nothing
            yield from self._with(threshold, name, number, asked)

    def _with(
        self, threshold: Threshold, name: str, number: Any, asked: Any, **more: Any
    ) -> Iterator[Proposal]:
        looser = replace(threshold, params={**threshold.params, name: number})
        in_force = tuple(looser if t is threshold else t for t in self.thresholds)
        change: dict[str, Any] = {"thresholds": [t.to_dict() for t in in_force]}
        if name in self.stated:  # it aims at a number of its own
            change["anonymizer"] = {**self.stated, name: number}
        words = f"thresholds, {threshold.id}: {name}: {number:g} (asked: {asked:g})"
        yield from self.proposal(
            "threshold", words, change, thresholds=in_force, loosens=True, **more
        )
