"""What attacks share that are tried on the original and on a held-out part."""

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify
from anon_transformers._data.persons import read_persons
from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._matching import Matching
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.parameters import real

NEEDS = ("release", "original", "control")
SURE = 1 - 1e-9
"""A chance from which on it is certain."""


class HeldOutAttack(Attack):
    """Base of attacks that count only what they find beyond a held-out part.

    A subclass is a frozen dataclass with the parameters ``largest`` and ``confidence``
    and implements ``_compare(attack_input, original, control)``. With a subject, each
    person has one row in all three tables.
    """

    largest: float
    confidence: float
    needs: ClassVar[tuple[str, ...]] = NEEDS
    counts_persons: ClassVar[bool] = True

    def __post_init__(self) -> None:
        real("confidence", self.confidence, 0, 1, below=True)
        real("largest", self.largest, 0, 1)

    def _find(self, attack_input: AttackInput) -> AttackResult:
        original, control = attack_input.original, attack_input.control
        assert original is not None and control is not None
        names = (*attack_input.quasi_identifiers, *attack_input.sensitive)
        for what, table in (("original", original), ("control", control)):
            if not len(table):
                raise NotEvaluable(f"{self.name}: the {what} is empty.")
            for name in names:
                if name not in table.columns:
                    raise NotEvaluable(
                        f"{self.name}: the {what} has no column {name!r}."
                    )
        if attack_input.subject is not None:
            self._refuse_several_rows(attack_input)
        return self._compare(attack_input, original, control)

    def _refuse_several_rows(self, attack_input: AttackInput) -> None:
        """Refuse tables with several rows of a person, of which each would be tried.

        With one row each, what is counted in rows is counted in persons.
        """
        subject = attack_input.subject
        for what in NEEDS:
            table = getattr(attack_input, what)
            if subject not in table.columns:
                raise NotEvaluable(
                    f"{self.name}: the {what} has no column {subject!r}."
                )
            persons = identify(table[subject])
            known = persons.codes[persons.codes != persons.missing_code]
            who = read_persons([str(text) for text in persons.texts()])[known]
            n_more = len(known) - len(np.unique(who))
            if n_more or len(known) < len(table):
                raise NotEvaluable(
                    f"{self.name}: {n_more} rows of the {what} are further rows of a "
                    f"person, and {len(table) - len(known)} of nobody known; it counts "
                    "persons with one row each."
                )

    @abstractmethod
    def _compare(
        self, attack_input: AttackInput, original: pd.DataFrame, control: pd.DataFrame
    ) -> AttackResult:
        """Try the attack on both parts."""

    def _refuse_uncovered(self, covered: np.ndarray) -> None:
        """Refuse a release whose values cover nobody, such as means of groups."""
        if not covered.any():
            raise NotEvaluable(
                f"{self.name}: the published values cover nobody of the original; does "
                "a column need its hierarchy?"
            )


def match(
    attack_input: AttackInput,
    table: pd.DataFrame,
    names: Sequence[Hashable],
    linked: Mapping[Hashable, Hashable] | None = None,
) -> Matching:
    """Compare the release with a table that has the same columns."""
    return Matching.of(attack_input, table, {name: name for name in names}, linked)


def covering(
    attack_input: AttackInput,
    table: pd.DataFrame,
    names: Sequence[Hashable],
    linked: Mapping[Hashable, Hashable] | None = None,
) -> np.ndarray:
    """Published rows that cover each person of a table in some columns."""
    matching = match(attack_input, table, names, linked)
    return matching.candidates()[1][matching.rank(1)]


def exposed_persons(
    attack_input: AttackInput,
    original: pd.DataFrame,
    persons: np.ndarray,
    details: Mapping[str, Any],
) -> AttackResult:
    """Report some persons of the original, with the rows that cover them."""
    exposed = np.zeros(attack_input.rows, dtype=bool)
    if persons.any():
        names = attack_input.quasi_identifiers
        matching = match(attack_input, original[persons], names)
        exposed = (matching.candidates()[0] > 0)[matching.rank(0)]
    return AttackResult(
        exposed,
        "records",
        len(original),
        persons.sum(),
        details,
        lambda: original[persons][: attack_input.rows],
        n_exposed=min(int(persons.sum()), attack_input.rows),
    )
