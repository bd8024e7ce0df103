"""What releases of the same persons tell together."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._kernels.composition import number_persons, room_for
from anon_transformers._kernels.counting import add_up
from anon_transformers._kernels.grouping import number_keys
from anon_transformers.base import part_of_progress, tell_progress
from anon_transformers.exceptions import DataError, NotEvaluable, check_choice
from anon_transformers.ledger._composition_report import (
    MANY,
    CompositionReport,
    GroupedPersons,
    GroupLevel,
    GroupValues,
    report_groups,
)
from anon_transformers.ledger._published_classes import (
    LEFT_OUT,
    KeyWords,
    PublishedClasses,
)
from anon_transformers.parameters import whole

Kind = Literal["permanent", "changing"]
Presence = Literal["known", "unknown"]
MISSING = 0
"""Code of a missing value; it is counted, and never a known value."""
FIRST_CLASS = 2
"""Code of the first class: 0 is absent, 1 is suppressed."""


class Composition:
    """The classes that persons have been in over an ordered list of releases.

    It is private and is never changed: :meth:`extended` returns another one.

    Parameters
    ----------
    sensitive : mapping of str to {"permanent", "changing"}, optional
        The sensitive columns, and whether the value of a person stays for ever.
    presence : {"known", "unknown"}, default="known"
        Whether an intruder knows who was in which release. With ``"unknown"`` a
        group that fails is counted again together with all groups that share a
        release with it and are in its classes wherever both are. This protects
        nobody from an intruder who knows who joined or left.
    window : int, optional
        Judge the last releases only. Older ones are still published: this protects
        nobody from an intruder who kept them.

    Notes
    -----
    **What the intruder has**: all published tables, that is for each class of each
    release the histogram of each sensitive column, and a register of who was present
    when, with exact quasi-identifiers. So they know the class of each person in each
    release: the *tuple* of a person, with "absent" and "suppressed" as classes. They
    do not know who in a class holds which value.

    **k.** Each published number is a sum over a class, and each class is a union of
    groups of persons with the same tuple. Two persons of one group can therefore
    change places in every release at once, and no published table changes. Persons
    of different groups can be told apart. So each group must hold k persons. A lone
    joiner sits in a class of k + 1 and is a group of one.

    **l.** Let x(g) be the unknown histogram of group g. For each class c of a release
    its published histogram is H(c) = sum of x(g) over the groups g in c. The intruder
    knows exactly these equations and the sizes of groups. What they determine:

    * If a class B of release 2 holds all persons of class A of release 1, then
      H(B) - H(A) is the histogram of the joiners of B. If A holds all of B, then
      H(A) - H(B) is that of the leavers. This holds for unions of classes too: any
      union of groups whose indicator is a sum and difference of classes.
    * Where no difference determines x(g), it is still bounded: no value of g can be
      missing from a class that g has been in (the intersection of their value sets),
      and what the rest of a class cannot hold must be in g.
    * To find all that follows from all equations is a problem of integer tables with
      given sums, which is hard for more than two sums. No check that looks at some
      differences only is safe: three releases can tell together what no two do.

    So the criterion asks for more: the *true* histogram of each group holds l known
    values. Then l values remain for each person whatever the intruder computes,
    because exchanging persons of a group agrees with every release. It implies that
    the value sets intersect in l values and that each difference holds l values
    (a difference that determines anything is a sum over whole groups). It refuses
    some releases from which nothing follows: groups whose histogram stays undetermined.

    The true histograms are kept by group, never by person: that of a group that
    splits is counted from the values of those who are present, and what is left
    belongs to those who are absent.

    * ``"permanent"``: a person has one value. If what is left is negative then a
      value has changed, and nothing can be judged.
    * ``"changing"``: each release has its own values. Judged are the values of
      each group in each release, as the groups were then; with unknown presence, in
      the latest release. What is left for the absent
      is the difference that an intruder takes who supposes that nobody has changed;
      below zero it is taken for zero. Not judged is an intruder who knows whose value
      has changed.

    Persons whom a rule left out of a table because of their values are a class of their
    own there: whoever knows the rule knows that they have few values, and if they come
    into a table together with others later, their values are found by the difference.

    A group of which no table has shown a value is judged by k alone. A table may lack a
    column that another one shows; its values are given all the same, and as not shown.

    Examples
    --------
    A lone joiner. Each release is 2-anonymous and 2-diverse by itself.

    >>> from anon_transformers.ledger import Composition, PublishedClasses
    >>> first = PublishedClasses([1, 2], [0, 0], {"ill": ["flu", "cold"]})
    >>> second = PublishedClasses([1, 2, 3], [0, 0, 0], {"ill": ["flu", "cold", "HIV"]})
    >>> composition = Composition({"ill": "permanent"}).extended(first)
    >>> composition.report(k=2, l=2).passed
    True
    >>> report = composition.extended(second).report(k=2, l=2)
    >>> report.passed, report.k_reached, report.l_reached
    (False, 1, {'ill': 1})
    >>> report.reasons["joiners"]
    {'persons': 1, 'groups': 1}
    """

    def __init__(
        self,
        sensitive: Mapping[str, Kind] | None = None,
        *,
        presence: Presence = "known",
        window: int | None = None,
    ):
        check_choice("presence", presence, ["known", "unknown"])
        for name, kind in (sensitive or {}).items():
            check_choice(f"sensitive: {name}", kind, ["permanent", "changing"])
        self.sensitive = dict(sensitive or {})
        self.presence = presence
        self.window = None if window is None else whole("window", window)
        self._persons: KeyWords | None = None
        self._slots = np.full(16, -1, dtype=np.int64)
        self._membership = np.empty(0, dtype=np.int64)
        self._rows = np.empty(0, dtype=np.int64)
        self._groups = _nobody(self.sensitive)

    @property
    def n_releases(self) -> int:
        """How many releases are judged together."""
        return len(self._groups.levels)

    @property
    def n_persons(self) -> int:
        """How many persons any of them holds."""
        return int(self._groups.sizes[1:].sum())

    def extended(self, release: PublishedClasses) -> "Composition":
        """One more release, the latest.

        Raises
        ------
        NotEvaluable
            If a sensitive column is not declared, has no values in the release, or is
            declared permanent and has changed.
        DataError
            If persons occur more than once, or their keys are of another kind.
        """
        self._refuse_other_columns(release)
        membership, groups = self._membership, self._groups
        if self.window is not None and self.n_releases >= self.window:
            into, groups = _without_oldest(groups)
            membership = into[membership]
        persons, slots, numbers = self._numbered(release.persons)
        n_new = len(persons.words) - len(membership)
        membership = np.concatenate([membership, np.zeros(n_new, np.int64)])
        split = _split_groups(membership, numbers, release.classes)
        rows = split.labels[numbers]
        columns = {
            name: _split_values(column, name, split.level, rows, release)
            for name, column in groups.columns.items()
        }
        made = Composition(self.sensitive, presence=self.presence, window=self.window)
        made._persons, made._slots = persons, slots
        made._membership, made._rows = split.labels, rows
        made._groups = GroupedPersons((*groups.levels, split.level), columns)
        return made

    def report(
        self,
        k: int,
        l: int | Mapping[str, int] | None = None,  # noqa: E741 - the model's own name
    ) -> CompositionReport:
        """Judge all releases together.

        Parameters
        ----------
        k : int
            Persons of each group.
        l : int or mapping of str to int, optional
            Known values of each group in every sensitive column, or by column. None:
            values are not judged, which is legal only without sensitive columns.
        """
        if self.n_persons == 0:
            raise NotEvaluable("composition: no release holds any person.")
        return report_groups(
            self._groups,
            self._rows,
            k=whole("k", k),
            l=self._wanted(l),
            presence=self.presence,
            window=self.window,
        )

    def __repr__(self) -> str:
        """Counts alone."""
        return (
            f"{type(self).__name__}({self.n_releases} releases, "
            f"{self.n_persons} persons)"
        )

    def _wanted(self, given: int | Mapping[str, int] | None) -> dict[str, int]:
        if not isinstance(given, Mapping):
            given = {} if given is None else dict.fromkeys(self.sensitive, given)
        for name in given:
            check_choice("l", name, self.sensitive)
        missing = [name for name in self.sensitive if name not in given]
        if missing:
            raise NotEvaluable(
                f"composition: no l is given for the sensitive columns {missing}."
            )
        return {name: whole(f"l of {name}", number) for name, number in given.items()}

    def _refuse_other_columns(self, release: PublishedClasses) -> None:
        for name in self.sensitive:
            if name not in release.values:
                raise NotEvaluable(
                    f"composition: the values of sensitive column {name!r} are not "
                    "known for a release."
                )
        for name in release.values:
            if name not in self.sensitive:
                raise NotEvaluable(
                    f"composition: sensitive column {name!r} is not declared "
                    "'permanent' or 'changing'."
                )

    def _numbered(self, given: KeyWords) -> tuple[KeyWords, np.ndarray, np.ndarray]:
        known = self._persons or KeyWords(given.words[:0], given.kind)
        if given.kind != known.kind and len(given.words):
            raise DataError(
                f"persons are given as {given.kind}, in earlier releases as "
                f"{known.kind}."
            )
        words = given.words if len(given.words) else known.words[:0]
        before = known.words
        slots = room_for(
            self._slots, np.ascontiguousarray(before), len(before) + len(words)
        )
        both = np.concatenate([before, np.zeros_like(words)])
        numbers, n_known, n_repeated = number_persons(
            np.array(words), both, len(before), slots
        )
        if n_repeated:
            raise DataError(
                f"persons: {n_repeated} keys occur more than once in a release; "
                "list each person once."
            )
        return KeyWords(both[:n_known].copy(), known.kind), slots, numbers


def judge_composition(
    releases: Iterable[PublishedClasses],
    *,
    k: int,
    l: int | Mapping[str, int] | None = None,  # noqa: E741 - the model's own name
    sensitive: Mapping[str, Kind] | None = None,
    presence: Presence = "known",
    window: int | None = None,
) -> CompositionReport:
    """Judge an ordered list of releases together, the candidate last.

    The parameters are those of :class:`Composition` and its ``report``.

    Examples
    --------
    >>> from anon_transformers.ledger import PublishedClasses, judge_composition
    >>> releases = [PublishedClasses([1, 2, 3, 4], [0, 0, 1, 1])] * 2
    >>> judge_composition(releases, k=2).passed
    True
    """
    composition = Composition(sensitive, presence=presence, window=window)
    given = list(releases)
    for number, release in enumerate(given):
        tell_progress(number / (len(given) + 1))
        composition = composition.extended(release)
    with part_of_progress(len(given), len(given) + 1):
        return composition.report(k, l)


class _Split(NamedTuple):
    """How a release splits the groups, and the new group of each person."""

    labels: np.ndarray
    level: GroupLevel


class _Pairs(NamedTuple):
    groups: np.ndarray
    values: np.ndarray
    counts: np.ndarray


def _nobody(columns: Mapping[str, Kind]) -> GroupedPersons:
    none = np.empty(0, dtype=np.int64)
    most = np.full(1, MANY, dtype=np.int64)
    unseen = np.zeros(1, dtype=bool)
    empty = GroupValues(
        pd.Index([], dtype=object), none, none, none, most, unseen, (), ()
    )
    return GroupedPersons(
        (), {name: empty._replace(kind=kind) for name, kind in columns.items()}
    )


def _split_groups(
    membership: np.ndarray, numbers: np.ndarray, classes: np.ndarray
) -> _Split:
    largest, fewest = int(classes.max(initial=0)), int(classes.min(initial=0))
    if largest - fewest > 4 * len(classes) + 1024:
        kept, left_out = classes >= 0, classes <= LEFT_OUT
        named = classes.copy()
        named[kept] = np.unique(classes[kept], return_inverse=True)[1]
        named[left_out] = (
            LEFT_OUT - np.unique(classes[left_out], return_inverse=True)[1]
        )
        classes = named
        largest, fewest = int(named.max(initial=0)), int(named.min(initial=0))
    end = largest + FIRST_CLASS + 1
    span = end + max(LEFT_OUT - fewest + 1, 0)
    # Nobody comes first, so that group 0 stays that of persons who are absent.
    codes = np.zeros(len(membership) + 1, dtype=np.int64)
    codes[numbers + 1] = np.where(
        classes <= LEFT_OUT, end + LEFT_OUT - classes, classes + FIRST_CLASS
    )
    before = np.concatenate([np.zeros(1, np.int64), membership])
    found = number_keys(before * span + codes, span * (int(before.max(initial=0)) + 1))
    sizes = found.sizes.copy()
    sizes[0] -= 1
    level = GroupLevel(before[found.first], codes[found.first], sizes, end)
    return _Split(found.labels[1:].astype(np.int64), level)


def _split_values(
    column: GroupValues,
    name: str,
    level: GroupLevel,
    rows: np.ndarray,
    release: PublishedClasses,
) -> GroupValues:
    """Histograms of the new groups of one sensitive column."""
    dictionary, values = _coded(column.dictionary, release.values[name])
    span = len(dictionary) + 1
    found = number_keys(rows * span + values, len(level.sizes) * span)
    present = _Pairs(rows[found.first], values[found.first], found.sizes)
    left = _left_over(column, present, level, span)
    if column.kind == "permanent":
        left = _unchanged(left, name, level)
    absent = _absent_children(level)[left.groups]
    stays = (left.counts > 0) & (absent > 0)
    of_classes = np.unique(level.classes[present.groups] * span + present.values)
    if name in release.not_shown:
        from_class = MANY
    else:
        from_class = FIRST_CLASS - int(release.suppressed_shown)
    return GroupValues(
        dictionary,
        np.concatenate([present.groups, absent[stays]]),
        np.concatenate([present.values, left.values[stays]]),
        np.concatenate([present.counts, left.counts[stays]]),
        _past(column, level),
        column.shown[level.parents] | level.shows(level.classes, from_class),
        (*column.of_classes, np.stack([of_classes // span, of_classes % span])),
        (*column.from_class, from_class),
        column.kind,
    )


def _past(column: GroupValues, level: GroupLevel) -> np.ndarray:
    """Fewest values that were shown of each new group before this release."""
    if column.kind == "permanent":
        return np.full(len(level.sizes), MANY)  # a part has no more than the whole
    last = np.where(column.shown, column.distinct(), MANY)
    return np.minimum(column.past, last)[level.parents]


def _coded(dictionary: pd.Index, given: pd.Series) -> tuple[pd.Index, np.ndarray]:
    """Values as codes of a dictionary that grows; missing ones are 0."""
    codes, distinct = pd.factorize(given)
    places = dictionary.get_indexer(pd.Index(distinct, dtype=object))
    new = np.flatnonzero(places < 0)
    places[new] = len(dictionary) + np.arange(len(new))
    if len(new):
        added = pd.Index(np.asarray(distinct, dtype=object)[new], dtype=object)
        dictionary = dictionary.append(added)
    return dictionary, np.append(places + 1, MISSING)[codes].astype(np.int64)


def _left_over(
    column: GroupValues, present: _Pairs, level: GroupLevel, span: int
) -> _Pairs:
    """Histogram of each old group less those of its members who are present."""
    owners = level.parents[present.groups]
    inside = owners > 0
    groups = np.concatenate([column.groups, owners[inside]])
    values = np.concatenate([column.values, present.values[inside]])
    counts = np.concatenate([column.counts, -present.counts[inside]])
    n_groups = int(groups.max(initial=0)) + 1
    found = number_keys(groups * span + values, n_groups * span)
    total = add_up(found.labels.astype(np.int64), counts, len(found.first))
    return _Pairs(groups[found.first], values[found.first], total)


def _unchanged(left: _Pairs, name: Hashable, level: GroupLevel) -> _Pairs:
    """What is left if no value has changed; one that was missing may become known."""
    n_groups = int(level.parents.max(initial=0)) + 1
    known = left.values != MISSING
    lacking = np.minimum(left.counts, 0) * known
    lacks = -np.bincount(left.groups, lacking, minlength=n_groups).astype(np.int64)
    counts = np.where(known, np.maximum(left.counts, 0), left.counts)
    counts[~known] -= lacks[left.groups[~known]]
    unfilled = lacks.copy()
    unfilled[left.groups[~known]] = 0
    # Those who are absent now hold what is left: no more, no less.
    wanted = np.zeros(n_groups, dtype=np.int64)
    children = _absent_children(level)
    has_absent = np.flatnonzero(children)
    wanted[has_absent] = level.sizes[children[has_absent]]
    held = np.bincount(left.groups, counts, minlength=n_groups).astype(np.int64)
    changed = unfilled.sum() - np.minimum(counts, 0).sum()
    changed += np.abs(held - wanted)[1:].sum()
    if changed:
        raise NotEvaluable(
            f"composition: sensitive column {name!r} is declared permanent, and its "
            f"values have changed for at least {max(int(changed) // 2, 1)} persons."
        )
    return left._replace(counts=counts)


def _absent_children(level: GroupLevel) -> np.ndarray:
    """The new group of the members of each old group who are absent; 0 if none."""
    children = np.zeros(int(level.parents.max(initial=0)) + 1, dtype=np.int64)
    absent = np.flatnonzero(level.classes == 0)
    children[level.parents[absent]] = absent
    return children


def _without_oldest(groups: GroupedPersons) -> tuple[np.ndarray, GroupedPersons]:
    """Forget the oldest release: groups that it alone tells apart become one."""
    sizes = groups.sizes.copy()
    histories = groups.histories(np.arange(len(sizes)))[:, 1:]
    into, levels = np.zeros(len(sizes), dtype=np.int64), []
    for codes, before in zip(histories.T, groups.levels[1:], strict=True):
        span = int(codes.max()) + 1
        found = number_keys(into * span + codes, (int(into.max()) + 1) * span)
        level = before._replace(parents=into[found.first], classes=codes[found.first])
        into = found.labels.astype(np.int64)  # group 0 comes first and stays 0
        level = level._replace(sizes=add_up(into, sizes, len(found.first)))
        level.sizes[0] = 0
        levels.append(level)
    columns = {
        name: _merged_values(column, into, levels)
        for name, column in groups.columns.items()
    }
    return into, GroupedPersons(tuple(levels), columns)


def _merged_values(
    column: GroupValues, into: np.ndarray, levels: Sequence[GroupLevel]
) -> GroupValues:
    span = len(column.dictionary) + 1
    groups = into[column.groups]
    inside = groups > 0
    groups, values = groups[inside], column.values[inside]
    found = number_keys(groups * span + values, (int(into.max()) + 1) * span)
    labels = found.labels.astype(np.int64)
    counts = add_up(labels, column.counts[inside], len(found.first))
    past = np.full(int(into.max()) + 1, MANY, dtype=np.int64)
    np.minimum.at(past, into, column.past)
    past[0] = MANY
    shown = np.zeros(1, dtype=bool)
    for level, from_class in zip(levels, column.from_class[1:], strict=True):
        shown = shown[level.parents] | level.shows(level.classes, from_class)
    return GroupValues(
        column.dictionary,
        groups[found.first],
        values[found.first],
        counts,
        past,
        shown,
        column.of_classes[1:],
        column.from_class[1:],
        column.kind,
    )
