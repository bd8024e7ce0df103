"""Inference: a sensitive value is guessed from the rows that fit a person."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify
from anon_transformers.attacks._attack import AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._excess import Excess
from anon_transformers.attacks._held_out import (
    NEEDS,
    SURE,
    HeldOutAttack,
    covering,
    exposed_persons,
)
from anon_transformers.attacks._matching import agreeing


@dataclass(frozen=True)
class Inference(HeldOutAttack):
    """Find the persons whose sensitive value is guessed better than a stranger's.

    The intruder knows the quasi-identifiers of a person, takes a published row that
    covers them, each as likely, and reads the sensitive value there. Where no row
    does, any row is taken. What is true of people in general can be learned of
    everybody, in the table or not: the same guesses are made of the control part, which
    is of the same population and not in the release. If persons of the original are
    guessed rightly more often than those of the control, those are exposed of whom
    every row that covers them tells the value.

    Parameters
    ----------
    largest : float, default=0.0
        Excess above which persons count as exposed: the lower end of its confidence
        interval must be above, in some sensitive column.
    confidence : float, default=0.95
        Of the interval.

    Notes
    -----
    ``details`` has, for each sensitive column, the mean chances of a right guess on
    both parts and the excess risk, each with its interval (Wilson's), and in
    ``column`` the one with the largest excess. A release whose values cover nobody,
    such as means of groups, is not evaluable: see :class:`RecordIntruder`.

    References
    ----------
    .. [1] Article 29 Data Protection Working Party, "Opinion 05/2014 on anonymisation
       techniques" (WP216), 2014.
    .. [2] M. Giomi, F. Boenisch, C. Wehmeyer and B. Tasnádi, "A unified framework for
       quantifying privacy risk in synthetic data", PoPETs, 2023.

    Examples
    --------
    >>> original = pd.DataFrame({"age": range(20, 60), "ill": list("abcd") * 10})
    >>> control = original.assign(ill=list("dabc") * 10)
    >>> report = Inference().run(
    ...     original, original=original, control=control,
    ...     quasi_identifiers=["age"], sensitive=["ill"],
    ... )
    >>> report.exposed, report.details["columns"]["ill"]["control"]["share"]
    (40, 0.0)
    """

    largest: float = 0.0
    confidence: float = 0.95
    name: ClassVar[str] = "inference"
    needs: ClassVar[tuple[str, ...]] = (NEEDS[0], "sensitive", *NEEDS[1:])
    meaning: ClassVar[str] = (
        "Every row that fits this person tells the sensitive value, and guesses are "
        "right more often of persons of the table than of strangers."
    )
    remedy: ClassVar[str] = (
        "Ask for l-diversity or t-closeness, so that a class tells little more than "
        "the whole table."
    )

    def _compare(
        self, attack_input: AttackInput, original: pd.DataFrame, control: pd.DataFrame
    ) -> AttackResult:
        names = attack_input.quasi_identifiers
        covered, of_control = (
            covering(attack_input, table, names) for table in (original, control)
        )
        self._refuse_uncovered(covered)
        confidence = 1 - (1 - self.confidence) / len(attack_input.sensitive)
        persons = np.zeros(len(original), dtype=bool)
        columns: dict[str, dict[str, Any]] = {}
        for name in attack_input.sensitive:
            chance = _chances(attack_input, original, name, covered)
            found = Excess.of(
                chance,
                _chances(attack_input, control, name, of_control),
                confidence,
            )
            columns[str(name)] = found.details()
            if found.proven(self.largest):
                persons |= (chance >= SURE) & (covered > 0)
        details = {
            "column": max(columns, key=lambda name: columns[name]["excess"]["share"]),
            "columns": columns,
        }
        return exposed_persons(attack_input, original, persons, details)


def _chances(
    attack_input: AttackInput, table: pd.DataFrame, name: Hashable, covered: np.ndarray
) -> np.ndarray:
    """Chance of a right guess of each person."""
    names = attack_input.quasi_identifiers
    right = covering(attack_input, table, names, {name: name})
    own, published = agreeing(identify(table[name]), attack_input.coded(name))
    overall = np.bincount(
        published, minlength=1 + max(int(own.max()), int(published.max()))
    )
    anybody = overall[own] / attack_input.rows
    return np.where(covered > 0, right / np.maximum(covered, 1), anybody)
