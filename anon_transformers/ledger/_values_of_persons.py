"""The values that releases have shown of a sensitive column, by person. Private."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._kernels.composition import distinct_values
from anon_transformers._kernels.grouping import number_keys
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.ledger._composition_report import (
    FIRST_CLASS,
    MANY,
    GroupLevel,
    JudgedValues,
    TableHistograms,
)
from anon_transformers.ledger._published_classes import PublishedClasses

Kind = Literal["permanent", "changing"]
MISSING = 0
"""Code of a missing value; it is counted, and never a known value."""


def _nobodys() -> np.ndarray:
    return np.empty(0, dtype=np.int32)


class _TableValues(NamedTuple):
    """What one table shows of a column: of each class, and of whom what."""

    histograms: TableHistograms
    persons: np.ndarray
    codes: np.ndarray


@dataclass(frozen=True)
class ValuesOfPersons:
    """A sensitive column over an ordered list of releases; it is never changed.

    Attributes
    ----------
    name : str
        The column.
    kind : {"permanent", "changing"}
        Whether a person has one value, or one in each release.
    dictionary : Index
        The values by code, from 1 on; 0 is missing.
    tables : tuple
        What each release shows.
    known : int32 array
        The value of each person of a permanent column, by number.
    last_shown : int32 array
        The number of the last release that showed it; -1: none did.
    n_releases : int
        How many there were, those outside a window with them.
    """

    name: str
    kind: Kind
    dictionary: pd.Index
    tables: tuple[_TableValues, ...] = ()
    known: np.ndarray = field(default_factory=_nobodys)
    last_shown: np.ndarray = field(default_factory=_nobodys)
    n_releases: int = 0

    def extended(
        self,
        release: PublishedClasses,
        numbers: np.ndarray,
        level: GroupLevel,
        classes: np.ndarray,
        n_persons: int,
    ) -> "ValuesOfPersons":
        """One more release.

        Parameters
        ----------
        release : PublishedClasses
            The release.
        numbers, classes : int arrays
            Number of each of its persons, and code of their class.
        level : GroupLevel
            What codes of classes mean.
        n_persons : int
            Persons with a number.
        """
        dictionary, codes = _coded(self.dictionary, release.values[self.name])
        hidden = self.name in release.not_shown
        from_class = MANY if hidden else FIRST_CLASS - int(release.suppressed_shown)
        shows = level.shows(classes, from_class)
        occurring = _occurring(classes[shows], codes[shows], len(dictionary) + 1)
        histograms = TableHistograms(*occurring, from_class)
        made = replace(self, dictionary=dictionary, n_releases=self.n_releases + 1)
        if self.kind == "changing":
            who, codes = numbers[shows].astype(np.int32), codes[shows]
            table = _TableValues(histograms, who, codes)
            return replace(made, tables=(*self.tables, table))
        codes[classes >= level.end] = MISSING  # no table says what they have
        known = _grown(self.known, n_persons, MISSING)
        self._refuse_changed(known[numbers], codes)
        known[numbers] = np.where(codes == MISSING, known[numbers], codes)
        last_shown = _grown(self.last_shown, n_persons, -1)
        last_shown[numbers[shows]] = self.n_releases
        return replace(
            made,
            tables=(*self.tables, _TableValues(histograms, _nobodys(), _nobodys())),
            known=known,
            last_shown=last_shown,
        )

    def without_oldest(self) -> "ValuesOfPersons":
        """The same without the oldest release; what is known stays so."""
        return replace(self, tables=self.tables[1:])

    def judged(self, membership: np.ndarray, n_groups: int) -> list[JudgedValues]:
        """What groups hold: of all releases, or of each that shows the column.

        Parameters
        ----------
        membership : int64 array
            The group of each person, by number.
        n_groups : int
            Groups, of which 0 is nobody's.
        """
        if self.kind == "permanent":
            oldest = self.n_releases - len(self.tables)
            groups, values = membership, self.known
            shown = groups[self.last_shown >= oldest]
            tables = {at: table.histograms for at, table in enumerate(self.tables)}
            return [self._counted(groups, values, shown, n_groups, tables)]
        found = []
        for at, table in enumerate(self.tables):
            if len(table.persons):
                groups = membership[table.persons]
                tables = {at: table.histograms}
                found.append(
                    self._counted(groups, table.codes, groups, n_groups, tables)
                )
        return found

    def _counted(
        self,
        groups: np.ndarray,
        values: np.ndarray,
        groups_shown: np.ndarray,
        n_groups: int,
        tables: Mapping[int, TableHistograms],
    ) -> JudgedValues:
        n_values = len(self.dictionary)
        shown = np.zeros(n_groups, dtype=bool)
        shown[groups_shown] = True
        return JudgedValues(
            self.name,
            self.kind == "permanent",
            distinct_values(groups, values, n_groups, n_values),
            shown,
            tables,
            n_values,
            _pairs_of(groups, values, n_groups, n_values),
        )

    def _refuse_changed(self, before: np.ndarray, now: np.ndarray) -> None:
        known = (before != MISSING) & (now != MISSING)
        changed = int((known & (before != now)).sum())
        if changed:
            raise NotEvaluable(
                f"composition: sensitive column {self.name!r} is declared permanent, "
                f"and its values have changed for {changed} persons."
            )


def _pairs_of(
    groups: np.ndarray, values: np.ndarray, n_groups: int, n_values: int
) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    """Group and value of each pair that occurs, once somebody asks."""

    def listed() -> tuple[np.ndarray, np.ndarray]:
        span = n_values + 1
        found = number_keys(groups * span + values, n_groups * span)
        first = found.first[values[found.first] != MISSING]
        return groups[first], values[first].astype(np.int64)

    return listed


def _grown(values: np.ndarray, n_persons: int, empty: int) -> np.ndarray:
    grown = np.full(n_persons, empty, dtype=np.int32)
    grown[: len(values)] = values
    return grown


def _coded(dictionary: pd.Index, given: pd.Series) -> tuple[pd.Index, np.ndarray]:
    """Values as codes of a dictionary that grows; missing ones are 0."""
    codes, distinct = pd.factorize(given)
    places = dictionary.get_indexer(pd.Index(distinct, dtype=object))
    new = np.flatnonzero(places < 0)
    places[new] = len(dictionary) + np.arange(len(new))
    if len(new):
        added = pd.Index(np.asarray(distinct, dtype=object)[new], dtype=object)
        dictionary = dictionary.append(added)
    return dictionary, np.append(places + 1, MISSING).astype(np.int32)[codes]


def _occurring(
    classes: np.ndarray, codes: np.ndarray, span: int
) -> tuple[np.ndarray, np.ndarray]:
    """Class and known value of each pair that occurs."""
    end = (int(classes.max(initial=0)) + 1) * span
    keys = classes * span + codes
    if end <= 4 * len(keys) + 1024:
        there = np.zeros(end, dtype=bool)
        there[keys] = True
        keys = np.flatnonzero(there)
    else:
        keys = np.unique(keys)
    keys = keys[keys % span != MISSING]
    return keys // span, keys % span
