"""What is said of releases that are judged together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np

from anon_transformers._kernels.composition import (
    ABSENT,
    count_common,
    count_compatible,
    value_sets,
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
FIRST_CLASS = 2
"""Code of the first class: 0 is absent, 1 is suppressed."""
MANY = 2**62
"""More values than any group can hold."""


class TableHistograms(NamedTuple):
    """Which known values the classes of one release show, as pairs."""

    classes: np.ndarray
    values: np.ndarray
    from_class: int  # the first class whose values it shows


@dataclass(frozen=True)
class JudgedValues:
    """A sensitive column by group: of all releases, or as one of them showed it.

    Attributes
    ----------
    name : str
        The column.
    permanent : bool
        Whether a person has one value in all releases.
    distinct : int array
        Known values of each group.
    shown : bool array
        Whether a release shows values of a group.
    tables : mapping of int to TableHistograms
        What these releases show.
    n_values : int
        Values of the column.
    pairs : callable
        Lists group and known value of each pair that occurs.
    """

    name: str
    permanent: bool
    distinct: np.ndarray
    shown: np.ndarray
    tables: Mapping[int, TableHistograms]
    n_values: int
    pairs: Callable[[], tuple[np.ndarray, np.ndarray]]


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

    @property
    def sizes(self) -> np.ndarray:
        """Persons of each group."""
        return self.levels[-1].sizes if self.levels else np.zeros(1, dtype=np.int64)

    def histories(self, which: np.ndarray) -> np.ndarray:
        """Class of some groups in each release, of shape (n_groups, n_releases).

        Those of one release lie side by side, for they are read release by release.
        """
        shape = len(which), len(self.levels)
        found = np.empty(shape, dtype=np.int64, order="F")
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
    columns: Sequence[JudgedValues],
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
    distinct = [column.distinct for column in columns]
    if presence == "unknown":
        persons, distinct = _relaxed(groups, columns, occupied, k, l)
    tell_progress(2 / 3)
    small = occupied & (persons < k)
    judged = [occupied & column.shown for column in columns]
    poor = [
        those & (found < l[column.name])
        for column, those, found in zip(columns, judged, distinct, strict=True)
    ]
    failing = np.logical_or.reduce([small, *poor])
    reached: dict[str, list[int]] = {name: [] for name in l}
    for column, those, found in zip(columns, judged, distinct, strict=True):
        if those.any():
            reached[column.name].append(int(found[those].min()))
    return CompositionReport(
        passed=not failing.any(),
        k=k,
        l=dict(l),
        k_reached=int(persons[occupied].min()),
        l_reached={name: min(found, default=0) for name, found in reached.items()},
        releases=len(groups.levels),
        persons=int(groups.sizes[occupied].sum()),
        groups=int(occupied.sum()),
        failing_persons=int(groups.sizes[failing].sum()),
        failing_groups=int(failing.sum()),
        reasons=_reasons(groups, columns, small, poor, k, l),
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
    columns: Sequence[JudgedValues],
    occupied: np.ndarray,
    k: int,
    l: Mapping[str, int],  # noqa: E741 - the model's own name
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Persons and values where an intruder does not know who was absent."""
    sizes, n_groups = groups.sizes, len(groups.sizes)
    small = np.flatnonzero(occupied & (sizes < k))
    poor = [np.flatnonzero(occupied & c.shown & (c.distinct < l[c.name]))
            for c in columns]  # fmt: skip
    histories = np.ascontiguousarray(groups.histories(np.arange(n_groups)))
    asked = len(small) + sum(map(len, poor))
    if asked * histories.size > MOST_COMPARISONS:
        failing = len(np.unique(np.concatenate([small, *poor])))
        raise NotEvaluable(
            f"composition: presence is unknown and {failing} groups fail with known "
            "presence, which are too many to compare with all others."
        )
    persons, nothing = sizes.copy(), np.zeros(n_groups + 1, dtype=np.int64)
    persons[small], _ = count_compatible(
        histories, small, sizes, nothing, nothing[:0], 0
    )
    values = []
    for column, which in zip(columns, poor, strict=True):
        found = column.distinct.copy()
        if len(which):
            _, found[which] = count_compatible(
                histories,
                which,
                sizes,
                *_in_rows(*column.pairs(), n_groups),
                column.n_values + 1,
            )
        # Whole classes: nobody knows the groups of then.
        everybody = np.arange(n_groups)
        found = np.minimum(
            found, _fewest_of_a_class(groups, column, histories, everybody)
        )
        values.append(found)
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
    columns: Sequence[JudgedValues],
    small: np.ndarray,
    poor: Sequence[np.ndarray],
    k: int,
    l: Mapping[str, int],  # noqa: E741 - the model's own name
) -> dict[str, dict[str, int]]:
    which = np.full(len(groups.sizes), -1)
    which[small] = _reasons_of_k(groups, np.flatnonzero(small), k)
    kinds = {name: which == at for at, name in enumerate(REASONS[:5])}
    kinds["intersection"] = np.zeros(len(small), dtype=bool)
    kinds["difference"] = kinds["intersection"].copy()
    any_poor = np.flatnonzero(np.logical_or.reduce([kinds["intersection"], *poor]))
    histories = groups.histories(any_poor)
    for column, fails in zip(columns, poor, strict=True):
        found, at = np.flatnonzero(fails), np.flatnonzero(fails[any_poor])
        if len(found):
            fewest = l[column.name]
            alone = _fewest_of_a_class(groups, column, histories, at) < fewest
            few = np.zeros_like(alone)
            if column.permanent:
                shared = _common(groups, column, histories, at[~alone])
                few[~alone] = shared < fewest
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
    reasons, asked = np.full(len(which), -1), np.arange(len(which))
    for release in reversed(range(len(groups.levels))):
        level = groups.levels[release]
        # A group is never larger than the one that it is a part of.
        small = (level.sizes[which] < k) & (which > 0)
        asked, which = asked[small], which[small]
        if not len(which):
            break
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
        reasons[asked] = kind  # an earlier release overwrites a later one
        which = parents
    return reasons


def _fewest_of_a_class(
    groups: GroupedPersons,
    column: JudgedValues,
    histories: np.ndarray,
    which: np.ndarray,
) -> np.ndarray:
    """Known values of the poorest class that some of the groups have been in."""
    fewest = np.full(len(which), MANY, dtype=np.int64)
    for release, table in column.tables.items():
        codes = histories[which, release]
        known = np.bincount(table.classes, minlength=int(codes.max(initial=0)) + 1)
        there = groups.levels[release].shows(codes, table.from_class)
        fewest = np.where(there, np.minimum(fewest, known[codes]), fewest)
    return fewest


def _common(
    groups: GroupedPersons,
    column: JudgedValues,
    histories: np.ndarray,
    which: np.ndarray,
) -> np.ndarray:
    """Values that all classes share which some of the groups have been in."""
    shape = len(which), len(groups.levels)
    shown = np.full(shape, ABSENT, dtype=np.int64, order="F")
    for release, table in column.tables.items():
        codes = histories[which, release]
        there = groups.levels[release].shows(codes, table.from_class)
        shown[:, release] = np.where(there, codes, ABSENT)
    lengths = shown.max(axis=0, initial=0) + 1
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    pairs = [
        (start[release] + table.classes[kept], table.values[kept])
        for release, table in column.tables.items()
        for kept in [table.classes < lengths[release]]
    ]
    rows = np.concatenate([row for row, _ in pairs])
    values = np.concatenate([value for _, value in pairs]).astype(np.int32)
    sets = value_sets(rows, values, int(start[-1]), column.n_values)
    return count_common(shown, start[:-1], sets)
