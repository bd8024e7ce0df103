"""Who is in which class of a published table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify, to_text
from anon_transformers._data.persons import person_key, read_persons
from anon_transformers._data.readings import read_values, value_keys
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.release._stated_composition import OR_ACCEPT

SUPPRESSED_CLASS = -1
LEFT_OUT = -2
"""The first class of those who were left out of the table because of their values."""


@dataclass(frozen=True)
class PersonsInClasses:
    """The persons of a candidate, each in one class. Private.

    Attributes
    ----------
    persons : list of str
        The key of each.
    classes : int array
        The class of each; -1 where all quasi-identifiers are suppressed, and less for
        those who were left out.
    values : dict of str to list
        The value of each in the sensitive columns that are judged; None is missing.
    suppressed_shown : bool
        Whether the sensitive values of suppressed persons are published.
    rows : int array
        The first row of each.
    """

    persons: list[str]
    classes: np.ndarray
    values: dict[str, list[str | None]]
    suppressed_shown: bool
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def with_left_out(
        self, persons: Sequence[str], cells: np.ndarray
    ) -> "PersonsInClasses":
        """The same, with those whom ``recoding: reuse`` left out of a cell.

        No table shows a value of them, and none is kept.
        """
        return replace(
            self,
            persons=[*self.persons, *persons],
            classes=np.concatenate([self.classes, LEFT_OUT - cells]),
            values={n: [*of, *[None] * len(cells)] for n, of in self.values.items()},
        )


@dataclass(frozen=True)
class PersonsOfRows:
    """The persons of a source, and their rows. Private.

    Attributes
    ----------
    keys : list of str
        The key of each.
    values : dict of str to list
        The value of each in the sensitive columns that are judged; None is missing.
    of_rows : int array
        The person of each row.
    first : int array
        The first row of each.
    """

    keys: list[str]
    values: dict[str, list[str | None]]
    of_rows: np.ndarray
    first: np.ndarray

    @classmethod
    def of(
        cls,
        table: pd.DataFrame,
        subject: str,
        columns: Sequence[str],
        marks: Mapping[str, Sequence[str] | None],
    ) -> "PersonsOfRows":
        """The persons of a table, with their values in these columns."""
        codes, keys = _persons(table[subject])
        first = _first_rows(codes, len(keys))
        values = {
            name: _value_of_each(table[name], codes, first, marks.get(name))
            for name in columns
        }
        return cls(keys, values, codes, first)

    def all_of(self, rows: np.ndarray) -> np.ndarray:
        """Whether something holds for all rows of each person."""
        wrong = np.bincount(self.of_rows[~rows], minlength=len(self.keys))
        return wrong == 0

    def common(self, numbers: np.ndarray, otherwise: int) -> np.ndarray:
        """What all rows of each person have in common, or something else."""
        own = numbers[self.first]
        return np.where(self.all_of(numbers == own[self.of_rows]), own, otherwise)


def persons_in_classes(
    table: pd.DataFrame,
    subject: pd.Series,
    quasi_identifiers: Sequence[str],
    columns: Sequence[str],
    suppression_label: str,
    marks: Mapping[str, Sequence[str] | None],
    suppressed_shown: bool,
    linked: np.ndarray | None = None,
) -> PersonsInClasses:
    """Who is in which class of a published table.

    Parameters
    ----------
    table : data frame
        As it is published.
    subject : Series
        The key of the person of each row.
    quasi_identifiers, columns : sequence of str
        What classes are made of, and the sensitive columns that are judged.
    suppression_label : str
        The label of a suppressed cell.
    marks : mapping
        Marks of missing values that thresholds name, by column.
    suppressed_shown : bool
        Whether the sensitive values of suppressed rows are published.
    linked : int array, optional
        The class of each row where pseudonyms link some, as an intruder sees it.

    Raises
    ------
    NotEvaluable
        If a person has rows in several classes.
    """
    classes = Classes.from_frame(
        table, list(quasi_identifiers), suppression_label=suppression_label
    )
    labels = np.asarray(classes.labels).astype(np.int64)
    if classes.suppressed is not None:
        labels[labels == classes.suppressed] = SUPPRESSED_CLASS
    if linked is not None:  # finer than labels, suppressed rows among them
        labels = np.asarray(linked).astype(np.int64)
    codes, keys = _persons(subject)
    first = _first_rows(codes, len(keys))
    apart = np.unique(codes[labels != labels[first][codes]])
    if len(apart):
        raise NotEvaluable(
            f"{len(apart):,} persons have rows in several classes, and whoever knows "
            "these finds them; make one row per person before the release, leave out "
            f"quasi-identifiers in which the rows of a person differ{OR_ACCEPT}"
        )
    values = {
        name: _value_of_each(table[name], codes, first, marks.get(name))
        for name in columns
    }
    return PersonsInClasses(keys, labels[first], values, suppressed_shown, first)


def _first_rows(codes: np.ndarray, n_persons: int) -> np.ndarray:
    first = np.full(n_persons, -1)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def _persons(subject: pd.Series) -> tuple[np.ndarray, list[str]]:
    """A number for the person of each row, and the key of each person."""
    column = identify(subject)
    texts = [str(text) for text in column.texts()]
    if (column.codes == column.missing_code).any():
        missing = int((column.codes == column.missing_code).sum())
        raise NotEvaluable(f"{missing:,} rows name no person.")
    groups, codes = np.unique(read_persons(texts), return_inverse=True)
    # The same in every release, whichever spellings it has.
    keys: list[str | None] = [None] * len(groups)
    for text, code in zip(map(person_key, texts), codes, strict=True):
        known = keys[code]
        keys[code] = text if known is None else min(known, text)
    n_alike = len(keys) - len(set(keys))
    if n_alike:
        raise NotEvaluable(
            f"{n_alike:,} persons have keys that differ by what divides them alone, or "
            "by leading zeros, and nobody could tell them apart in a table that writes "
            "them otherwise"
        )
    return codes[column.codes], [str(key) for key in keys]


def _value_of_each(
    cells: pd.Series,
    persons: np.ndarray,
    first: np.ndarray,
    marks: Sequence[str] | None,
) -> list[str | None]:
    """The value of each person, by what it is known by in the tables of other months.

    A person with several values is taken for one whose value is missing: whoever else
    is in their class must be diverse without them.
    """
    codes, texts = pd.factorize(to_text(cells))
    spelled = [str(text) for text in texts]
    read = read_values(spelled, marks)
    lost = [False] * len(spelled) if read is None else (read[:-1] == read[-1]).tolist()
    names: list[str | None] = [
        None if missing else name
        for name, missing in zip(value_keys(spelled), lost, strict=True)
    ]
    names.append(None)  # of a missing cell, whose code is -1
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    found = np.array([numbers[name] for name in names])[codes]
    several = np.zeros(len(first), dtype=bool)
    several[persons[found != found[first][persons]]] = True
    return [
        None if unsure else names[code]
        for code, unsure in zip(codes[first].tolist(), several.tolist(), strict=True)
    ]
