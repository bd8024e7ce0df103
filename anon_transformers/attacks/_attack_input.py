"""What an intruder holds."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, identify
from anon_transformers._data.frames import to_frame
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.evidence import SUPPRESSED, Classes
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.roles import Roles, refuse_repeated_columns

TABLES = ("release", "original", "external", "other", "control")


@dataclass(frozen=True)
class AttackInput:
    """A release, what its columns are, and what else an intruder may hold.

    Parameters
    ----------
    release : data frame
        The published table.
    quasi_identifiers : sequence
        Columns an intruder may know.
    sensitive : sequence, optional
        Columns an intruder wants to know.
    original : data frame, optional
        The table that the release was made from.
    external : data frame, optional
        A table with names that shares columns with the release.
    other : data frame, optional
        A second release of the same persons.
    hierarchies : mapping of column to Hierarchy, optional
        How published values are made more general.
    suppression_label : str, default="*"
        Label of a suppressed cell.
    subject : column, optional
        Tells persons apart in the release, and in the original where it is given.
        Attacks that cannot count persons do not run then.
    control : data frame, optional
        Persons of the same population who are not in the release, with the columns of
        the original: what is found of them is no fault of the release.

    Examples
    --------
    >>> release = pd.DataFrame({"age": [20, 20, 30], "job": ["a", "b", "a"]})
    >>> attack_input = AttackInput(release, ["age"], ["job"])
    >>> attack_input.has("external")
    False
    >>> attack_input.classes.sizes
    array([2, 1])
    """

    release: pd.DataFrame = field(repr=False)
    quasi_identifiers: Sequence[Hashable]
    sensitive: Sequence[Hashable] = ()
    original: pd.DataFrame | None = field(default=None, repr=False)
    external: pd.DataFrame | None = field(default=None, repr=False)
    other: pd.DataFrame | None = field(default=None, repr=False)
    hierarchies: Mapping[Any, Hierarchy] | None = field(default=None, repr=False)
    suppression_label: str = SUPPRESSED
    subject: Hashable | None = None
    control: pd.DataFrame | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for name in TABLES:
            table = getattr(self, name)
            if table is not None:
                table = to_frame(table)
                refuse_repeated_columns(table.columns, what=name)
            object.__setattr__(self, name, table)
        roles = Roles.resolve(
            self.release.columns, self.quasi_identifiers, self.sensitive or None,
            subject=self.subject,
        )  # fmt: skip
        object.__setattr__(self, "quasi_identifiers", roles.quasi_identifiers)
        object.__setattr__(self, "sensitive", roles.sensitive)
        if not len(self.release):
            raise NotEvaluable("the release is empty: there is nothing to attack.")
        hierarchies = dict(self.hierarchies or {})
        for column, hierarchy in hierarchies.items():
            if not isinstance(hierarchy, Hierarchy):
                raise ParameterError(
                    f"hierarchies: what {column!r} has is no Hierarchy."
                )
        object.__setattr__(self, "hierarchies", hierarchies)

    def has(self, name: str) -> bool:
        """Whether an input of that name was given."""
        given = getattr(self, name)
        return given is not None and (name in TABLES or len(given) > 0)

    def hierarchy(self, column: Hashable) -> Hierarchy | None:
        """Hierarchy of a column, if it has one."""
        return (self.hierarchies or {}).get(column)

    @property
    def rows(self) -> int:
        """Rows of the release."""
        return len(self.release)

    def count(self, chosen: np.ndarray) -> int:
        """How many rows are chosen; persons, where a subject was named.

        A row of nobody known counts as a person: it may be anybody's.
        """
        if self.subject is None:
            return int(chosen.sum())
        of_nobody = self.release[self.subject].isna().to_numpy()
        known = self.coded(self.subject).codes[chosen & ~of_nobody]
        return len(np.unique(known)) + int((chosen & of_nobody).sum())

    @cached_property
    def classes(self) -> Classes:
        """Equivalence classes of the release; the suppressed rows are one."""
        return Classes.from_frame(
            self.release,
            self.quasi_identifiers,
            self.sensitive,
            self.subject,
            self.suppression_label,
        )

    @cached_property
    def labels(self) -> np.ndarray:
        """Class of each row."""
        labels = self.classes.labels
        assert labels is not None
        return labels

    @cached_property
    def suppressed(self) -> np.ndarray:
        """Which rows lie in the suppressed class."""
        if self.classes.suppressed is None:
            return np.zeros(self.rows, dtype=bool)
        return self.labels == self.classes.suppressed

    def coded(self, column: Hashable) -> Column:
        """A column of the release as codes, in the order of ``classes``."""
        return identify(self.release[column])

    def reference_column(self, column: Hashable) -> pd.Series:
        """A column of the original where that was given, else of the release."""
        table = self.release if self.original is None else self.original
        if column not in table.columns:
            raise DataError(f"the original has no column {column!r}.")
        return table[column]

    def reference(self, column: Hashable) -> tuple[np.ndarray, np.ndarray]:
        """Texts of a sensitive column's known values, and rows of each in the table.

        The original is the table where it was given, else the release.
        """
        coded = identify(self.reference_column(column))
        rows = np.bincount(coded.codes, minlength=coded.cardinality)
        return coded.texts(), rows[:-1]


def count_persons(labels: np.ndarray, persons: Column, n_labels: int) -> np.ndarray:
    """Known persons who have a row with each label; rows without one are -1.

    Examples
    --------
    >>> persons = identify(pd.Series(["anna", "anna", "bob", None]))
    >>> count_persons(np.array([0, 0, 1, 2]), persons, 3)
    array([1, 1, 0])
    """
    known = (labels >= 0) & (persons.codes != persons.missing_code)
    at, who = labels[known], persons.codes[known]
    pairs = group_rows([at, who], [n_labels, persons.cardinality])
    return np.bincount(at[pairs.first], minlength=n_labels)
