"""Unique combinations: no name is there, yet the record is one person's."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anon_transformers._kernels.grouping import group_rows
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput, count_persons

OF_A_PERSON = (
    "All records with these quasi-identifiers are of one person: whoever knows them "
    "has found the person."
)


@dataclass(frozen=True)
class UniqueCombinations(Attack):
    """Find records whose combination of quasi-identifiers nobody shares.

    Notes
    -----
    Where persons are counted, records are exposed whose combination no other person
    shares, be they several.

    ``details`` has, for each quasi-identifier, how many records it makes unique
    ``alone``, and how many would be unique ``without`` it.

    References
    ----------
    .. [1] L. Sweeney, "k-anonymity: a model for protecting privacy", International
       Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10 (5), 2002.

    Examples
    --------
    >>> import pandas as pd
    >>> release = pd.DataFrame({"age": [20, 20, 30], "sex": ["f", "m", "m"]})
    >>> report = UniqueCombinations().run(release, quasi_identifiers=["age", "sex"])
    >>> report.exposed, report.details["age"]
    (3, {'alone': 1, 'without': 1})
    """

    name: ClassVar[str] = "unique-combinations"
    counts_persons: ClassVar[bool] = True
    meaning: ClassVar[str] = (
        "The record is the only one with its quasi-identifiers: whoever knows them has "
        "found the person."
    )
    remedy: ClassVar[str] = "Generalize or suppress until k-anonymity holds."

    def _find(self, attack_input: AttackInput) -> AttackResult:
        # Rows that belong to no known person may be anybody's, also all of one.
        alone = attack_input.classes.sizes <= 1
        persons = (
            None
            if attack_input.subject is None
            else attack_input.coded(attack_input.subject)
        )
        details: dict[str, Any] = {}
        columns = [attack_input.coded(name) for name in attack_input.quasi_identifiers]
        for at, column in enumerate(columns):
            rest = columns[:at] + columns[at + 1 :]
            details[str(column.name)] = {
                "alone": _n_unique([column], persons),
                "without": _n_unique(rest, persons, attack_input.rows),
            }
        exposed = alone[attack_input.labels]
        return AttackResult(
            exposed, "classes", len(alone), alone.sum(), details,
            meaning=None if persons is None else OF_A_PERSON,
        )  # fmt: skip


def _n_unique(columns: list[Any], persons: Any, n_rows: int = 0) -> int:
    """Records that are alone with their values, or with those of their person only."""
    labels = np.zeros(n_rows, dtype=np.int64)
    if columns:
        sizes = [c.cardinality for c in columns]
        labels = group_rows([c.codes for c in columns], sizes).labels
    if persons is None:
        return int(np.count_nonzero(np.bincount(labels) == 1))
    held = count_persons(labels, persons, int(labels.max(initial=0)) + 1)
    return int(np.count_nonzero(held[labels] <= 1))
