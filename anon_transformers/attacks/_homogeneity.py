"""Homogeneity: everybody in a class has one sensitive value."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._value_counts import ValueCounts


@dataclass(frozen=True)
class Homogeneity(Attack):
    """Find classes in which only one sensitive value is known.

    A missing value is no second value: a class of ``flu`` and missing ones counts, and
    its rows of ``flu`` are exposed. A class of nothing but missing values tells
    nothing. Where persons are counted, a value that every person of the class has is
    exposed, too, be it beside others.

    References
    ----------
    .. [1] A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam,
       "l-diversity: privacy beyond k-anonymity", ICDE 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> release = pd.DataFrame(
    ...     {"age": ["<50"] * 3 + [">=50"] * 2, "problem": ["flu"] * 4 + ["gout"]}
    ... )
    >>> report = Homogeneity().run(
    ...     release, quasi_identifiers=["age"], sensitive=["problem"]
    ... )
    >>> report.exposed, report.exposed_units, report.units
    (3, 1, 2)
    """

    name: ClassVar[str] = "homogeneity"
    counts_persons: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("release", "sensitive")
    meaning: ClassVar[str] = (
        "Whoever is known to be in the class is known to have its only sensitive value."
    )
    remedy: ClassVar[str] = "Ask for l-diversity or t-closeness beside k-anonymity."

    def _find(self, attack_input: AttackInput) -> AttackResult:
        exposed = np.zeros(attack_input.rows, dtype=bool)
        classes = np.zeros(attack_input.classes.n_classes, dtype=bool)
        details = {}
        for column in attack_input.sensitive:
            counts = ValueCounts.of(attack_input, column)
            alone = counts.distinct[counts.at] == 1
            if attack_input.subject is not None:
                alone |= (
                    counts.n_persons(attack_input)
                    >= attack_input.classes.sizes[counts.at]
                )
            exposed |= counts.rows_of(alone)
            classes[counts.at[alone]] = True
            details[str(column)] = {
                **counts.summarize(alone),
                "fewest_values": int(counts.distinct.min()),
            }
        return AttackResult(exposed, "classes", len(classes), classes.sum(), details)
