"""Columns that are left out, and look as if they told persons apart.

An identifier that repeats says that persons have several rows, and a release refuses to
count rows for persons then. Whoever declares the same column as dropped would take that
evidence away: k rows of one person would pass for k persons.

Three things are signs of persons where values repeat, and there are more than a few:

* the name of the column is that of a person or of a person's identifier;
* its name is that of an identifier of something, and few rows share a value;
* rows that share a value agree in most quasi-identifiers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import single_texts, to_text
from anon_transformers._data.readings import read_values
from anon_transformers.base._base import persons_in
from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies._kinds import find_kind
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._person_names import person_name

FEWEST_PERSONS = 10
"""A column with fewer values groups rows, and tells no persons apart."""
WEAK_SHARE = 0.2
"""Values per row of a column that is named as an identifier of something."""
ROWS_SHARE = 0.05
"""Values per row of a column whose rows are compared."""
FEWEST_REPEATED = 3
"""Values that must repeat before their rows are compared."""
AGREEING = 0.5
"""How far rows with one value agree in a quasi-identifier: 0 is chance, 1 always."""
FEWEST_AGREEING = 2
"""Quasi-identifiers, none of which gives another one, in which they must agree."""
NEARLY_CONSTANT = 0.99
MOST_READ = 10_000
"""Values that are read as people read them."""
MOST_USUAL = 100
"""Values among which marks of missing ones are looked for."""
MOST_COMPARED = 2_000
"""Rows by which the kind of a column is found, and values whose rows are compared."""


@dataclass(frozen=True)
class PersonSign:
    """Why a column seems to tell persons apart who have several rows.

    Attributes
    ----------
    words : str
        Counts, and the reason; no value of the column.
    named : bool
        Its name is that of a person, or of a person's identifier.
    """

    words: str
    named: bool


def refuse_dropped_persons(
    frame: pd.DataFrame, roles: DeclaredRoles, key: str = "roles.dropped"
) -> None:
    """Refuse to count rows where a dropped column says that persons have several.

    Parameters
    ----------
    frame : data frame
        The source; columns that it lacks were left out, and judged, before.
    roles : DeclaredRoles
        What its columns are, and what was accepted.
    key : str
        The key of the release file that drops them.
    """
    if roles.subject is not None or roles.rows_are_persons:
        return
    signs = PersonSigns(frame, roles.quasi_identifiers)
    faults = {}
    for name in roles.dropped:
        if name in frame.columns and name not in roles.accept_repeated:
            found = signs.of(name)
            if found is not None:
                faults[name] = found
    if not faults:
        return
    said = "; ".join(f"column {name!r} has {one.words}" for name, one in faults.items())
    named = [name for name, one in faults.items() if one.named]
    first = next(iter(named or faults))
    accept = (
        f"'accept_repeated: [{', '.join(faults)}]' if its values do not stand for "
        "persons"
    )
    count = (
        f"'subject: {first}' in place of dropping it, and persons are counted (it is "
        "not published, either)"
    )
    ways = [count, accept] if named else [accept, count]
    raise DataError(
        f"{key}: {said}. It seems to tell persons apart who have several rows, and "
        f"rows would be counted for persons. State under roles {'; '.join(ways)}; or "
        "'rows_are_persons: true' if every row is a person all the same."
    )


class PersonSigns:
    """What columns of a table say of its persons.

    Parameters
    ----------
    frame : data frame
        The table.
    quasi_identifiers : sequence of str
        Columns of it that are published; they are coded once, and only if rows are
        compared.

    Examples
    --------
    >>> rows = range(60)
    >>> visits = pd.DataFrame({
    ...     "patient": [f"P{i // 3}" for i in rows],
    ...     "ward": [f"W{i % 5}" for i in rows],
    ... })
    >>> signs = PersonSigns(visits, [])
    >>> signs.of("patient").words
    "20 values in 60 rows, of which 20 repeat, and a person's name"
    >>> signs.of("ward") is None
    True
    """

    def __init__(self, frame: pd.DataFrame, quasi_identifiers: Sequence[str]):
        self.frame = frame
        self.quasi_identifiers = quasi_identifiers

    def of(self, name: str) -> PersonSign | None:
        """Why a column seems to tell persons apart who have several rows.

        Dates, ranges, numbers with decimals and free texts never do.
        """
        named = person_name(name)
        if named is None and len(self.quasi_identifiers) < FEWEST_AGREEING:
            return None
        column = self.frame[name]
        some = _some(np.arange(len(column)), MOST_COMPARED)
        if not _Held.of(column.iloc[some]).may_name_persons(name):
            return None  # before all of its values are looked at
        held = _Held.of(column)
        if len(held.counts) < FEWEST_PERSONS:
            return None
        by_name = named == "strong" or (named == "weak" and held.share >= WEAK_SHARE)
        if not by_name and not held.can_be_compared:
            return None
        if by_name:
            n_values, n_repeated = held.repeated_as_read()
            whose = "a person's" if named == "strong" else "an identifier's"
            why: str | None = f"{whose} name"
        else:
            n_values, n_repeated = len(held.counts), held.n_repeated
            why = self._agreeing(held)
        if not n_repeated or n_values < FEWEST_PERSONS or why is None:
            return None
        found = f"{n_values:,} values in {held.n_rows:,} rows"
        words = f"{found}, of which {n_repeated:,} repeat, and {why}"
        return PersonSign(words, named == "strong")

    def _agreeing(self, held: "_Held") -> str | None:
        """Whether rows with one value agree in most quasi-identifiers, beyond chance.

        Those that give each other count as one: a town gives its county and its state,
        a year of birth the age and its group, and neither is a person.
        """
        rows, labels = held.rows_to_compare()
        alike = {
            name: agreement(codes[rows], labels, codes)
            for name, codes in self._codes.items()
        }
        if sum(found >= AGREEING for found in alike.values()) < FEWEST_AGREEING:
            return None
        groups = self._independent(held.labels)
        agreeing = [g for g in groups if max(alike[name] for name in g) >= AGREEING]
        if 2 * len(agreeing) <= len(groups) or len(agreeing) < FEWEST_AGREEING:
            return None
        return (
            f"rows with one value agree in {len(agreeing)} of {len(groups)} "
            "independent quasi-identifiers"
        )

    @cached_property
    def _codes(self) -> dict[str, np.ndarray]:
        """Codes of the quasi-identifiers that say something; a missing value is one."""
        coded = {}
        for name in self.quasi_identifiers:
            codes = _numbered(self.frame[name])[0] + 1
            if chance(codes) < NEARLY_CONSTANT:
                coded[name] = codes
        return coded

    def _independent(self, labels: np.ndarray) -> list[list[str]]:
        """Quasi-identifiers in groups that give each other."""
        values, first = np.unique(labels, return_index=True)
        first = _some(first[values >= 0], MOST_COMPARED)
        groups: list[list[str]] = []
        for name in self._codes:
            near = [g for g in groups if any(self._gives(name, o, first) for o in g)]
            groups = [g for g in groups if g not in near]
            groups.append([*(other for g in near for other in g), name])
        return groups

    def _gives(self, one: str, other: str, first: np.ndarray) -> bool:
        """Whether one of two quasi-identifiers tells the other, beyond chance.

        Asked of one row per value of the column that is judged: if that is a person,
        its own rows always agree. Where nearly all of these rows differ in a
        quasi-identifier, that stands for the column, and rows of all are asked.
        """
        for left, right in ((one, other), (other, one)):
            given, asked = self._codes[left], self._codes[right]
            shared = int((np.bincount(given[first]) > 1).sum())
            all_rows = np.arange(len(given))
            rows = first if shared >= FEWEST_REPEATED else _some(all_rows, MOST_READ)
            if agreement(asked[rows], given[rows]) >= AGREEING:
                return True
        return False


@dataclass(frozen=True)
class _Held:
    """The values of a column, without those that say that one is missing."""

    labels: np.ndarray
    """Number of each row's value; -1 where it is missing."""
    values: pd.Series
    counts: np.ndarray

    @classmethod
    def of(cls, column: pd.Series) -> "_Held":
        labels, values = _numbered(column)
        counts = np.bincount(labels + 1, minlength=len(values) + 1)[1:]
        # Marks of missing values are among those of the most rows.
        usual = np.argsort(-counts, kind="stable")[:MOST_USUAL]
        read = read_values(single_texts(values.iloc[usual]).fillna("").tolist())
        if read is None or not (missing := read[:-1] == read[-1]).any():
            return cls(labels, values, counts)
        kept = np.ones(len(counts), dtype=bool)
        kept[usual[missing]] = False
        number = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1)
        return cls(number[labels], values[kept], counts[kept])

    @property
    def n_rows(self) -> int:
        return int(self.counts.sum())

    @property
    def share(self) -> float:
        """Values per row."""
        return len(self.counts) / max(self.n_rows, 1)

    @property
    def n_repeated(self) -> int:
        return int((self.counts > 1).sum())

    @property
    def can_be_compared(self) -> bool:
        return self.share >= ROWS_SHARE and self.n_repeated >= FEWEST_REPEATED

    def may_name_persons(self, name: str) -> bool:
        """Whether they are no dates, ranges, numbers with decimals or free texts."""
        texts = single_texts(self.values).tolist()
        kind = find_kind(texts, self.counts.tolist(), name)
        whole = kind.kind != "number" or kind.whole
        return whole and kind.kind not in {"date", "ordered ranges", "free text"}

    def repeated_as_read(self) -> tuple[int, int]:
        """How many values there are, and how many of them repeat.

        One person may be written in several ways; of very many values, case and blanks
        alone are overlooked.
        """
        if self.n_repeated or types.is_numeric_dtype(self.values.dtype):
            return len(self.counts), self.n_repeated
        plain = types.is_string_dtype(self.values.dtype)
        texts = self.values if plain else single_texts(self.values)
        if len(texts) > MOST_READ:
            folded = texts.str.casefold().str.replace(" ", "", regex=False)
            persons = pd.factorize(folded)[0]
        else:
            persons = persons_in(texts, texts.tolist())
        rows = np.unique(persons, return_counts=True)[1]
        return len(rows), int((rows > 1).sum())

    def rows_to_compare(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows of values that repeat, and the number of each one's value."""
        asked = np.zeros(len(self.counts) + 1, dtype=bool)
        asked[_some(np.flatnonzero(self.counts > 1), MOST_COMPARED)] = True
        rows = np.flatnonzero(asked[self.labels])
        return rows, self.labels[rows]


def agreement(
    codes: np.ndarray, labels: np.ndarray, of_all: np.ndarray | None = None
) -> float:
    """How far rows of one label have one code: 0 is chance, 1 always.

    Every label that has several rows counts alike; where none has, it is 0.

    Parameters
    ----------
    codes, labels : int arrays
        Of the rows that are asked.
    of_all : int array, optional
        Codes by which chance is judged; ``codes`` by default.

    Examples
    --------
    >>> agreement(np.array([0, 0, 1, 1, 0, 1]), np.array([0, 0, 1, 1, 2, 2]))
    0.333...
    """
    by_chance = chance(codes if of_all is None else of_all)
    labels = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(labels)
    several = sizes > 1
    if not several.any() or by_chance >= NEARLY_CONSTANT:
        return 0.0
    width = int(codes.max()) + 1
    both, counts = np.unique(labels * width + codes, return_counts=True)
    pairs = np.bincount(both // width, weights=counts * (counts - 1))
    alike = pairs[several] / (sizes[several] * (sizes[several] - 1))
    return float((alike.mean() - by_chance) / (1 - by_chance))


def chance(codes: np.ndarray) -> float:
    """How often two rows have one code.

    Examples
    --------
    >>> chance(np.array([0, 0, 1, 1]))
    0.5
    """
    return float(((np.bincount(codes) / len(codes)) ** 2).sum())


def _numbered(column: pd.Series) -> tuple[np.ndarray, pd.Series]:
    """A number for each row's value, -1 for none, and the values; in no order."""
    plain = to_text(column) if column.dtype == object else column
    labels, values = pd.factorize(plain)
    return labels.astype(np.int64), pd.Series(values)


def _some(places: np.ndarray, most: int) -> np.ndarray:
    """At most so many, evenly spread."""
    return places[:: max(1, -(-len(places) // most))]
