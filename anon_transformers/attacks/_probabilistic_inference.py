"""Probabilistic inference: one value is much more frequent than the others."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._value_counts import ROUNDING, ValueCounts
from anon_transformers.parameters import real


@dataclass(frozen=True)
class ProbabilisticInference(Attack):
    """Find values that an intruder can guess with confidence.

    Parameters
    ----------
    threshold : float, default=0.8
        Share of a class from which on a value is as good as known. The rows that hold
        such a value are exposed: for them the guess is right.

    Examples
    --------
    >>> import pandas as pd
    >>> release = pd.DataFrame({"age": [">=50"] * 5, "problem": ["flu"] * 4 + ["gout"]})
    >>> report = ProbabilisticInference().run(
    ...     release, quasi_identifiers=["age"], sensitive=["problem"]
    ... )
    >>> report.exposed, report.details["problem"]["highest_share"]
    (4, 0.8)
    """

    threshold: float = 0.8
    name: ClassVar[str] = "probabilistic-inference"
    needs: ClassVar[tuple[str, ...]] = ("release", "sensitive")
    meaning: ClassVar[str] = (
        "One sensitive value is so frequent in the class that guessing it is mostly "
        "right."
    )
    remedy: ClassVar[str] = "Ask for entropy or recursive l-diversity, or t-closeness."

    def __post_init__(self) -> None:
        real("threshold", self.threshold, 0, 1)

    def _find(self, attack_input: AttackInput) -> AttackResult:
        exposed = np.zeros(attack_input.rows, dtype=bool)
        classes = np.zeros(attack_input.classes.n_classes, dtype=bool)
        details = {}
        for column in attack_input.sensitive:
            counts = ValueCounts.of(attack_input, column)
            frequent = counts.share >= self.threshold - ROUNDING
            exposed |= counts.rows_of(frequent)
            classes[counts.at[frequent]] = True
            details[str(column)] = {
                **counts.summarize(frequent),
                "highest_share": float(counts.share.max(initial=0.0)),
            }
        return AttackResult(exposed, "classes", len(classes), classes.sum(), details)
