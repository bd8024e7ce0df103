"""What is said of releases that are judged together."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._kernels.composition import (
    ABSENT,
    count_common,
    count_compatible,
)
from anon_transformers.base import tell_progress
from anon_transformers.exceptions import NotEvaluable

REASONS = (
    "class",
    "joiners",
    "leavers",
    "moved",
    "suppressed",
    "intersection",
    "difference",
)
"""Why groups fail: the first is of k and l, four are of k, the last two of l."""
MOST_COMPARISONS = 4_000_000_000
"""Pairs of classes that are compared where presence is unknown."""
SUPPRESSED_CODE = 1
MANY = 2**62
"""More values than any group can hold."""


class GroupValues(NamedTuple):
    """A sensitive column by group: the histogram of each, as triples."""

    dictionary: pd.Index
    groups: np.ndarray
    values: np.ndarray
    counts: np.ndarray
    past: np.ndarray  # fewest known values in earlier releases, by group
    shown: np.ndarray  # whether any release shows values of a group
    of_classes: tuple[np.ndarray, ...]  # (class, value) pairs of each release
    from_class: tuple[int, ...]  # the first class whose values a release shows
    kind: str = "permanent"

    def distinct(self) -> np.ndarray:
        """Known values of each group."""
        known = (self.values > 0) & (self.counts > 0)
        return np.bincount(self.groups[known], minlength=len(self.past))


class GroupLevel(NamedTuple):
    """The groups after one release, as parts of those before it."""

    parents: np.ndarray
    classes: np.ndarray  # 0 absent, 1 suppressed
    sizes: np.ndarray
    end: int  # codes from here on are of persons who were left out

    def shows(self, classes: np.ndarray, from_class: int) -> np.ndarray:
        """Whether the table shows values of classes, by the first that it does."""
        return (classes >= from_class) & (classes < self.end)


@dataclass(frozen=True)
class GroupedPersons:
    """Persons by their tuple of classes; group 0 is absent everywhere.

    The groups are a tree with a level per release, so that one more release costs one
    more level, and tuples are written out only where they are asked for.
    """

    levels: tuple[GroupLevel, ...]
    columns: dict[str, GroupValues]

    @property
    def sizes(self) -> np.ndarray:
        """Persons of each group."""
        return self.levels[-1].sizes if self.levels else np.zeros(1, dtype=np.int64)

    def histories(self, which: np.ndarray) -> np.ndarray:
        """Class of some groups in each release, of shape (n_groups, n_releases)."""
        found = np.empty((len(which), len(self.levels)), dtype=np.int64)
        for release in reversed(range(len(self.levels))):
            level = self.levels[release]
            found[:, release] = level.classes[which]
            which = level.parents[which]
        return found


PRIVATE = ("failing", "to_withhold")
"""What a report tells of single persons."""


@dataclass(frozen=True, eq=False)
class CompositionReport:
    """How far releases protect persons together. Counts alone, for the operator.

    Attributes
    ----------
    passed : bool
        Whether each group of persons holds k persons and l values of each column.
    k, l : int, mapping of str to int
        The thresholds.
    k_reached, l_reached : int, mapping of str to int
        Persons and known values of the worst group. Where no group has shown values,
        0 is reached if no group needs any.
    releases, persons, groups : int
        What was judged.
    failing_persons, failing_groups : int
        How many of them fail.
    reasons : mapping of str to mapping
        Persons and groups that fail, by kind: a ``class`` of one release fails by
        itself. Of k: too few ``joiners``, ``leavers``, persons who ``moved`` from
        the class of the others, or changed to or from the ``suppressed``. Of l: the
        ``intersection`` of the value sets of their classes, or only the
        ``difference`` of histograms.
    presence, window
        As they were asked for.
    failing : bool array
        Which persons of the latest release fail, in its order. Private: it is in no
        copy, no file and no text.
    to_withhold : bool array
        Which of them must be left out so that nothing fails that did not fail before:
        those, and who was in one group with somebody who fails. Private in the same
        way.
    """

    passed: bool
    k: int
    l: Mapping[str, int]  # noqa: E741 - the model's own name
    k_reached: int
    l_reached: Mapping[str, int]
    releases: int
    persons: int
    groups: int
    failing_persons: int
    failing_groups: int
    reasons: Mapping[str, Mapping[str, int]]
    presence: str
    window: int | None
    failing: np.ndarray | None = field(default=None, repr=False)
    to_withhold: np.ndarray | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything that may be written down: plain numbers and texts."""
        names = [f.name for f in fields(self) if f.name not in PRIVATE]
        return {name: _plain(getattr(self, name)) for name in names}

    def __getstate__(self) -> dict[str, Any]:
        """Copies for other processes do not say who fails."""
        return {**self.__dict__, **dict.fromkeys(PRIVATE)}


def report_groups(
    groups: GroupedPersons,
    rows: np.ndarray,
    *,
    k: int,
    l: Mapping[str, int],  # noqa: E741 - the model's own name
    presence: str,
    window: int | None,
) -> CompositionReport:
    """Judge groups of persons; ``rows`` is the group of each of the latest release."""
    tell_progress(0.0)
    persons = groups.sizes
    occupied = persons > 0
    occupied[0] = False
    judged = {name: occupied & column.shown for name, column in groups.columns.items()}
    distinct = {name: column.distinct() for name, column in groups.columns.items()}
    if presence == "unknown":
        persons, distinct = _relaxed(groups, occupied, distinct, k, l)
    for number, (name, column) in enumerate(groups.columns.items()):
        tell_progress((1 + number / len(groups.columns)) / 3)
        past = column.past
        if presence == "unknown":  # whole classes: nobody knows the groups of then
            past = _fewest_of_a_class(groups, name, np.arange(len(persons)))
        distinct[name] = np.minimum(distinct[name], past)
    small = occupied & (persons < k)
    poor = {name: judged[name] & (distinct[name] < l[name]) for name in distinct}
    failing = np.logical_or.reduce([small, *poor.values()])
    tell_progress(2 / 3)
    return CompositionReport(
        passed=not failing.any(),
        k=k,
        l=dict(l),
        k_reached=int(persons[occupied].min()),
        l_reached={
            name: int(found[judged[name]].min()) if judged[name].any() else 0
            for name, found in distinct.items()
        },
        releases=len(groups.levels),
        persons=int(groups.sizes[occupied].sum()),
        groups=int(occupied.sum()),
        failing_persons=int(groups.sizes[failing].sum()),
        failing_groups=int(failing.sum()),
        reasons=_reasons(groups, small, poor, k, l),
        presence=presence,
        window=window,
        failing=failing[rows],
        to_withhold=failing[rows] | _of_failing_parents(groups, failing, rows),
    )


def _of_failing_parents(
    groups: GroupedPersons, failing: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Whether each was, before the latest release, in a group that fails in part."""
    parents = groups.levels[-1].parents
    in_part = np.zeros(int(parents.max(initial=0)) + 1, dtype=bool)
    in_part[parents[failing]] = True
    in_part[0] = False  # those whom no release held before have nothing in common
    return in_part[parents[rows]]


def _plain(given: Any) -> Any:
    if isinstance(given, Mapping):
        return {name: _plain(value) for name, value in given.items()}
    return given


def _relaxed(
    groups: GroupedPersons,
    occupied: np.ndarray,
    distinct: Mapping[str, np.ndarray],
    k: int,
    l: Mapping[str, int],  # noqa: E741 - the model's own name
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Persons and values where an intruder does not know who was absent."""
    persons, values = groups.sizes.copy(), {n: d.copy() for n, d in distinct.items()}
    poor = [groups.columns[name].shown & (values[name] < l[name]) for name in values]
    which = np.flatnonzero(occupied & np.logical_or.reduce([groups.sizes < k, *poor]))
    histories = groups.histories(np.arange(len(persons)))
    if len(which) * histories.size > MOST_COMPARISONS:
        raise NotEvaluable(
            f"composition: presence is unknown and {len(which)} groups fail with known "
            "presence, which are too many to compare with all others."
        )
    nothing = np.zeros(len(groups.sizes) + 1, dtype=np.int64)
    persons[which], _ = count_compatible(
        histories, which, groups.sizes, nothing, nothing[:0], 0
    )
    for name, column in groups.columns.items():
        kept = (column.values > 0) & (column.counts > 0)
        indptr, listed = _in_rows(
            column.groups[kept], column.values[kept], len(groups.sizes)
        )
        _, values[name][which] = count_compatible(
            histories, which, groups.sizes, indptr, listed, len(column.dictionary) + 1
        )
    return persons, values


def _in_rows(
    rows: np.ndarray, values: np.ndarray, n_rows: int
) -> tuple[np.ndarray, np.ndarray]:
    indptr = np.zeros(n_rows + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=n_rows), out=indptr[1:])
    order = np.argsort(rows, kind="stable")
    return indptr, np.ascontiguousarray(values[order])


def _reasons(
    groups: GroupedPersons,
    small: np.ndarray,
    poor: Mapping[str, np.ndarray],
    k: int,
    l: Mapping[str, int],  # noqa: E741 - the model's own name
) -> dict[str, dict[str, int]]:
    which = np.full(len(groups.sizes), -1)
    which[small] = _reasons_of_k(groups, np.flatnonzero(small), k)
    kinds = {name: which == at for at, name in enumerate(REASONS[:5])}
    kinds["intersection"] = np.zeros(len(small), dtype=bool)
    kinds["difference"] = kinds["intersection"].copy()
    for name, fails in poor.items():
        found = np.flatnonzero(fails)
        if len(found):
            alone = _fewest_of_a_class(groups, name, found) < l[name]
            few = ~alone & (_common(groups, name, found) < l[name])
            few &= groups.columns[name].kind == "permanent"
            kinds["class"][found[alone]] = True
            kinds["intersection"][found[few]] = True
            kinds["difference"][found[~alone & ~few]] = True
    return {
        name: {
            "persons": int(groups.sizes[kinds[name]].sum()),
            "groups": int(kinds[name].sum()),
        }
        for name in REASONS
    }


def _reasons_of_k(groups: GroupedPersons, which: np.ndarray, k: int) -> np.ndarray:
    """What made groups smaller than k, in the first release after which they were."""
    reasons = np.full(len(which), -1)
    if not len(which):
        return reasons
    for release in reversed(range(len(groups.levels))):
        level = groups.levels[release]
        codes, parents = level.classes[which], level.parents[which]
        before = np.zeros_like(codes)
        if release:
            before = groups.levels[release - 1].classes[parents]
        of_class = np.bincount(level.classes, level.sizes)[codes]
        kind = np.select(
            [
                (codes != ABSENT) & (of_class < k),
                codes == ABSENT,
                before == ABSENT,
                (codes == SUPPRESSED_CODE) | (before == SUPPRESSED_CODE),
            ],
            [0, 2, 1, 4],
            3,
        )
        small = (level.sizes[which] < k) & (which > 0)
        reasons[small] = kind[small]  # an earlier release overwrites a later one
        which = parents
    return reasons


def _fewest_of_a_class(
    groups: GroupedPersons, name: str, which: np.ndarray
) -> np.ndarray:
    """Known values of the poorest class that some groups have been in."""
    fewest = np.full(len(which), MANY, dtype=np.int64)
    for release in reversed(range(len(groups.levels))):
        level = groups.levels[release]
        column = groups.columns[name]
        classes, values = column.of_classes[release]
        codes, which = level.classes[which], level.parents[which]
        known = np.bincount(classes[values > 0], minlength=int(codes.max()) + 1)[codes]
        there = level.shows(codes, column.from_class[release])
        fewest = np.where(there, np.minimum(fewest, known), fewest)
    return fewest


def _common(groups: GroupedPersons, name: str, which: np.ndarray) -> np.ndarray:
    """Values that all classes share which a group has been in."""
    column = groups.columns[name]
    histories = groups.histories(which)
    for release, level in enumerate(groups.levels):
        codes = histories[:, release]
        codes[~level.shows(codes, column.from_class[release])] = ABSENT
    lengths = histories.max(axis=0, initial=0) + 1
    start = np.concatenate([[0], np.cumsum(lengths)])
    pairs = [
        (start[at] + classes[kept], values[kept])
        for at, (classes, values) in enumerate(column.of_classes)
        for kept in [(values > 0) & (classes < lengths[at])]
    ]
    rows = np.concatenate([row for row, _ in pairs])
    values = np.concatenate([value for _, value in pairs])
    indptr, listed = _in_rows(rows, values, int(start[-1]))
    return count_common(
        histories,
        np.arange(len(which)),
        start[:-1].astype(np.int64),
        indptr,
        listed,
        len(column.dictionary) + 1,
    )
