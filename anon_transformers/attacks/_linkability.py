"""Linkability: two parts of what is known of a person lead to the same row."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers.attacks._attack import AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._excess import Excess
from anon_transformers.attacks._held_out import (
    SURE,
    HeldOutAttack,
    covering,
    exposed_persons,
)
from anon_transformers.exceptions import NotEvaluable, ParameterError, unknown_choice


@dataclass(frozen=True)
class Linkability(HeldOutAttack):
    """Find the persons whose two parts the release brings together.

    The intruder has two tables of the same persons without a key: one with some
    quasi-identifiers, one with the others. Of each part of a person a published row is
    taken that covers it, each as likely. The person is linked if both are the same row.
    The same is done to the control part, which is of the same population and not in the
    release. If persons of the original are linked more often than those of the control,
    those are exposed who are linked for sure: each part leads to one row, the same.

    Parameters
    ----------
    first : sequence of columns, optional
        Quasi-identifiers of the one table; the other has the rest. Default: the first
        half of them.
    largest : float, default=0.0
        Excess above which persons count as exposed: the lower end of its confidence
        interval must be above.
    confidence : float, default=0.95
        Of the interval.

    Notes
    -----
    ``details`` has the mean chances of a link on both parts and the excess risk, each
    with its interval (Wilson's). A release whose values cover nobody, such as means of
    groups, is not evaluable.

    References
    ----------
    .. [1] Article 29 Data Protection Working Party, "Opinion 05/2014 on anonymisation
       techniques" (WP216), 2014.
    .. [2] M. Giomi, F. Boenisch, C. Wehmeyer and B. Tasnádi, "A unified framework for
       quantifying privacy risk in synthetic data", PoPETs, 2023.

    Examples
    --------
    >>> original = pd.DataFrame({"age": range(20, 60), "pay": range(40)})
    >>> control = pd.DataFrame({"age": range(20, 60), "pay": range(39, -1, -1)})
    >>> report = Linkability().run(
    ...     original, original=original, control=control,
    ...     quasi_identifiers=["age", "pay"],
    ... )
    >>> report.exposed, report.details["control"]["share"]
    (40, 0.0)
    """

    first: Sequence[Hashable] | None = None
    largest: float = 0.0
    confidence: float = 0.95
    name: ClassVar[str] = "linkability"
    meaning: ClassVar[str] = (
        "Two parts of what is known of this person lead to one and the same published "
        "row, more often than those of strangers."
    )
    remedy: ClassVar[str] = (
        "Ask for a larger k, or publish the columns in two tables that share none."
    )

    def _compare(
        self, attack_input: AttackInput, original: pd.DataFrame, control: pd.DataFrame
    ) -> AttackResult:
        parts = self._parts(attack_input)
        chance = _linked(attack_input, original, parts)
        self._refuse_uncovered(chance)
        found = Excess.of(
            chance, _linked(attack_input, control, parts), self.confidence
        )
        persons = (chance >= SURE) & found.proven(self.largest)
        details: dict[str, Any] = {
            "first": [str(name) for name in parts[0]],
            "second": [str(name) for name in parts[1]],
            **found.details(),
        }
        return exposed_persons(attack_input, original, persons, details)

    def _parts(
        self, attack_input: AttackInput
    ) -> tuple[list[Hashable], list[Hashable]]:
        names = list(attack_input.quasi_identifiers)
        if len(names) == 1:
            raise NotEvaluable(f"{self.name}: one quasi-identifier has no two parts.")
        first = names[: len(names) // 2] if self.first is None else list(self.first)
        for name in first:
            if name not in names:
                raise ParameterError(
                    f"first: {unknown_choice('quasi-identifier', name, names)}"
                )
        second = [name for name in names if name not in first]
        if not first or not second:
            raise ParameterError("first must name some of the quasi-identifiers.")
        return first, second


def _linked(
    attack_input: AttackInput,
    table: pd.DataFrame,
    parts: tuple[list[Hashable], list[Hashable]],
) -> np.ndarray:
    """Chance of each person that a row of each part is the same."""
    one, two, both = (
        covering(attack_input, table, names)
        for names in (parts[0], parts[1], [*parts[0], *parts[1]])
    )
    return both / np.maximum(one * two, 1)
