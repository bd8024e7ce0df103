"""How often each sensitive value occurs in each class, entry by entry."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from anon_transformers.attacks._attack_input import AttackInput, count_persons

ROUNDING = 1e-12
"""Shares that differ by less are one: 0.3 of 10 rows is 3 rows."""


@dataclass(frozen=True)
class ValueCounts:
    """One sensitive column; an entry is a known value that occurs in a class.

    Attributes
    ----------
    at, value, count : ndarray of shape (n_entries,)
        Class, code of the value, and rows of each entry; sorted by class.
    share : ndarray of shape (n_entries,)
        Rows of the entry among all rows of its class, those of missing values too.
    distinct : ndarray of shape (n_classes,)
        Known values of each class.
    row_entry : ndarray of shape (n_rows,)
        Entry of each row; -1 where the value is missing.
    """

    at: np.ndarray
    value: np.ndarray
    count: np.ndarray
    share: np.ndarray
    distinct: np.ndarray
    row_entry: np.ndarray

    @classmethod
    def of(cls, attack_input: AttackInput, column: Hashable) -> "ValueCounts":
        """Count a sensitive column of a release."""
        classes, coded = attack_input.classes, attack_input.coded(column)
        span = coded.cardinality
        keys = attack_input.labels.astype(np.int64) * span + coded.codes
        known = coded.codes < coded.missing_code
        entries, count = np.unique(keys[known], return_counts=True)
        row_entry = np.full(len(keys), -1, dtype=np.int64)
        row_entry[known] = np.searchsorted(entries, keys[known])
        at, value = np.divmod(entries, span)
        return cls(
            at,
            value,
            count,
            count / classes.rows[at],
            np.bincount(at, minlength=classes.n_classes),
            row_entry,
        )

    def n_persons(self, attack_input: AttackInput) -> np.ndarray:
        """Persons who hold the value of each entry in its class."""
        persons = attack_input.coded(attack_input.subject)
        return count_persons(self.row_entry, persons, len(self.at))

    def rows_of(self, entries: np.ndarray) -> np.ndarray:
        """Which rows hold one of the ``entries``, given as booleans."""
        return np.append(entries, False)[self.row_entry]

    def summarize(self, entries: np.ndarray) -> dict[str, int]:
        """Classes and records of some entries."""
        return {
            "classes": len(np.unique(self.at[entries])),
            "records": int(self.count[entries].sum()),
        }
