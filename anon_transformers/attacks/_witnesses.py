"""Persons of a register who alone can account for what a minimal method published."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify
from anon_transformers._kernels.grouping import group_rows
from anon_transformers._kernels.witnesses import MANY, NOBODY
from anon_transformers.attacks._attack import AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._matching import Matching, refuse_unrelated_tables
from anon_transformers.exceptions import NotEvaluable


@dataclass(frozen=True)
class Register:
    """The external table, matched with the release.

    Attributes
    ----------
    table : pandas.DataFrame
        The external table.
    names : list of columns
        Quasi-identifiers that it has.
    matching : Matching
        Release and register; a left combination is a class, as far as the register
        tells classes apart.
    """

    table: pd.DataFrame
    names: list[Hashable]
    matching: Matching
    subject: Hashable | None

    @classmethod
    def of(cls, attack: str, attack_input: AttackInput) -> "Register":
        """Match the external table of an attack's input."""
        table = attack_input.external
        assert table is not None
        names = [n for n in attack_input.quasi_identifiers if n in table.columns]
        if not names:
            raise NotEvaluable(
                f"{attack}: the external table has none of the quasi-identifiers."
            )
        if not len(table):
            raise NotEvaluable(f"{attack}: the external table is empty.")
        matching = Matching.of(attack_input, table, {name: name for name in names})
        refuse_unrelated_tables(matching, matching.candidates()[0], names)
        subject = attack_input.subject
        known = subject is not None and subject in table.columns
        return cls(table, names, matching, subject if known else None)

    @cached_property
    def row_person(self) -> np.ndarray:
        """Number of the person of each row; without a subject each row is another's."""
        rows = np.arange(len(self.table), dtype=np.int64)
        if self.subject is None:
            return rows
        codes = identify(self.table[self.subject]).codes.astype(np.int64)
        nobody = self.table[self.subject].isna().to_numpy()
        return np.where(nobody, rows + codes.max(initial=0) + 1, codes)

    def persons(self) -> np.ndarray:
        """Who stands behind each right combination, as the kernels take it."""
        groups, order = self.matching.groups[1], self.matching.order[1]
        first = self.row_person[groups.first]
        alone = np.ones(len(first), dtype=bool)
        alone[groups.labels[self.row_person != first[groups.labels]]] = False
        return np.where(alone, first, MANY)[order]


def pinned_persons(
    attack_input: AttackInput,
    register: Register,
    judged: np.ndarray,
    found: np.ndarray,
    words: str,
) -> AttackResult:
    """Report the persons who alone account for a fact.

    Parameters
    ----------
    judged : bool array of shape (n_left, n_columns)
        Of which classes a column states facts.
    found : int64 array of shape (n_left, n_columns, 2)
        Who can account for the two facts of a column.
    words : str
        What the facts of the method are called, as in ``columns_not_WORDS``.

    Notes
    -----
    A column in which some fact has no candidate was not made by such a method, or the
    register lacks persons: nothing follows from it, and it exposes nobody.
    """
    matching = register.matching
    matched = matching.links[0][matching.order[0]] >= 0
    judged = judged & matched[:, None]
    refuted = ((found == NOBODY).any(axis=2) & judged).any(axis=0)
    believed = judged & ~refuted
    left, column, side = np.nonzero((found >= 0) & believed[:, :, None])
    person = found[left, column, side]
    pairs = group_rows(
        [left, person], [len(judged), int(register.row_person.max(initial=0)) + 1]
    )
    per_class = np.bincount(left[pairs.first], minlength=len(judged))
    # More such persons than members: the class was not made by such a method.
    consistent = per_class <= matching.rows(0)
    kept = pairs.first[consistent[left[pairs.first]]]
    whom = np.unique(person[kept])
    classes = (per_class > 0) & consistent
    rows = attack_input.count(np.ones(attack_input.rows, dtype=bool))
    details: dict[str, Any] = {
        "persons_in_register": len(np.unique(register.row_person)),
        f"columns_{words}": _names(register, judged.any(axis=0) & ~refuted),
        f"columns_not_{words}": _names(register, refuted),
        "facts": int(2 * believed.sum()),
        "facts_with_one_candidate": len(left),
        "pinned_by_column": {
            str(name): len(np.unique(person[(column == at) & consistent[left]]))
            for at, name in enumerate(register.names)
            if judged[:, at].any()
        },
    }
    return AttackResult(
        classes[matching.rank(0)],
        "classes",
        int(matched.sum()),
        int(classes.sum()),
        details,
        lambda: register.table.iloc[_first_rows(register.row_person, whom)][:rows],
        n_exposed=min(len(whom), rows),
    )


def _names(register: Register, chosen: np.ndarray) -> list[str]:
    return [str(register.names[at]) for at in np.flatnonzero(chosen)]


def _first_rows(row_person: np.ndarray, whom: np.ndarray) -> np.ndarray:
    """First row of each of some persons."""
    persons, first = np.unique(row_person, return_index=True)
    return first[np.searchsorted(persons, whom)]
