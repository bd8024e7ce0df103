"""What releases of the same persons tell together."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._kernels.composition import number_persons, room_for
from anon_transformers._kernels.counting import add_up
from anon_transformers._kernels.grouping import number_keys
from anon_transformers.base import part_of_progress, tell_progress
from anon_transformers.exceptions import DataError, NotEvaluable, check_choice
from anon_transformers.ledger._composition_report import (
    FIRST_CLASS,
    CompositionReport,
    GroupedPersons,
    GroupLevel,
    report_groups,
)
from anon_transformers.ledger._published_classes import (
    LEFT_OUT,
    KeyWords,
    PublishedClasses,
)
from anon_transformers.ledger._values_of_persons import Kind, ValuesOfPersons
from anon_transformers.parameters import whole

Presence = Literal["known", "unknown"]


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

    * ``"permanent"``: a person has one value. If it has changed all the same, nothing
      can be judged; one that was missing may become known.
    * ``"changing"``: a person has a value in each release, and each group holds l
      values of *every* release that showed it. Two persons of a group can then exchange
      all that was ever published of them. No table changes, and neither does how often
      values have changed. So nothing is found by whoever subtracts histograms and
      supposes that nobody changed, or few, or who follows a row by its other columns.
      Not judged is an intruder who knows whose value has changed.

    Persons whom a rule left out of a table because of their values are a class of their
    own there: whoever knows the rule knows that they have few values, and if they come
    into a table together with others later, their values are found by the difference.

    A group of which no table has shown a value is judged by k alone. A table may lack a
    column that another one shows; it is given as not shown.

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
        self._groups = GroupedPersons(())
        none = pd.Index([], dtype=object)
        self._values = {
            name: ValuesOfPersons(name, kind, none)
            for name, kind in self.sensitive.items()
        }

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
        values = self._values
        if self.window is not None and self.n_releases >= self.window:
            into, groups = _without_oldest(groups)
            membership = into[membership]
            values = {name: column.without_oldest() for name, column in values.items()}
        persons, slots, numbers = self._numbered(release.persons)
        n_persons = len(persons.words)
        n_new = n_persons - len(membership)
        membership = np.concatenate([membership, np.zeros(n_new, np.int64)])
        split = _split_groups(membership, numbers, release.classes)
        rows = split.labels[numbers]
        classes = split.level.classes[rows]
        made = Composition(self.sensitive, presence=self.presence, window=self.window)
        made._persons, made._slots = persons, slots
        made._membership, made._rows = split.labels, rows
        made._groups = GroupedPersons((*groups.levels, split.level))
        made._values = {
            name: column.extended(release, numbers, split.level, classes, n_persons)
            for name, column in values.items()
        }
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
        wanted = self._wanted(l)
        n_groups = len(self._groups.sizes)
        columns = [
            judged
            for column in self._values.values()
            for judged in column.judged(self._membership, n_groups)
        ]
        return report_groups(
            self._groups,
            columns,
            self._rows,
            k=whole("k", k),
            l=wanted,
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
    return into, GroupedPersons(tuple(levels))
