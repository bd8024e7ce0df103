"""Skewness: a class shifts belief far from what the whole table tells."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from anon_transformers.attacks._attack import Attack, AttackResult
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._value_counts import ROUNDING, ValueCounts
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.parameters import is_number, real


@dataclass(frozen=True)
class Skewness(Attack):
    """Find values that are much more frequent in a class than in the whole table.

    A value is exposed in a class if its share there is larger than in the whole table
    by ``difference`` and by the factor ``ratio``, both.

    Parameters
    ----------
    difference : float, default=0.3
        Share in the class minus share in the table.
    ratio : float, default=2.0
        Share in the class divided by share in the table.

    Notes
    -----
    The whole table is the original where it was given, else the release.

    Examples
    --------
    >>> release = pd.DataFrame(
    ...     {"age": ["<50"] * 8 + [">=50"] * 2, "test": ["-"] * 9 + ["+"]}
    ... )
    >>> report = Skewness().run(release, quasi_identifiers=["age"], sensitive=["test"])
    >>> report.exposed, report.details["test"]["largest_difference"]
    (1, 0.4)
    """

    difference: float = 0.3
    ratio: float = 2.0
    name: ClassVar[str] = "skewness"
    needs: ClassVar[tuple[str, ...]] = ("release", "sensitive")
    meaning: ClassVar[str] = (
        "Being in the class makes a sensitive value much more likely than it is in the "
        "whole table."
    )
    remedy: ClassVar[str] = "Ask for t-closeness."

    def __post_init__(self) -> None:
        real("difference", self.difference, 0, 1)
        if not is_number(self.ratio) or not self.ratio >= 1:  # may be infinite
            raise ParameterError(f"ratio must be at least 1, got {self.ratio!r}.")

    def _find(self, attack_input: AttackInput) -> AttackResult:
        exposed = np.zeros(attack_input.rows, dtype=bool)
        classes = np.zeros(attack_input.classes.n_classes, dtype=bool)
        details: dict[str, Any] = {}
        for column in attack_input.sensitive:
            counts = ValueCounts.of(attack_input, column)
            whole = _whole_shares(attack_input, column)[counts.value]
            shift, factor = counts.share - whole, counts.share / whole
            far = (shift >= self.difference - ROUNDING) & (
                factor >= self.ratio - ROUNDING
            )
            exposed |= counts.rows_of(far)
            classes[counts.at[far]] = True
            details[str(column)] = {
                **counts.summarize(far),
                "largest_difference": float(shift.max(initial=0.0)),
                "largest_ratio": float(factor.max(initial=0.0)),
            }
        return AttackResult(exposed, "classes", len(classes), classes.sum(), details)


def _whole_shares(attack_input: AttackInput, column: Hashable) -> np.ndarray:
    """Share in the whole table of each value that the release has."""
    coded = attack_input.coded(column)
    texts, rows = attack_input.reference(column)
    table = (
        attack_input.release if attack_input.original is None else attack_input.original
    )
    shares = rows / len(table)
    at = pd.Index(texts).get_indexer(pd.Index(coded.texts()))
    strangers = int((at < 0)[coded.codes[coded.codes < coded.missing_code]].sum())
    if strangers:
        raise DataError(
            f"column {column!r} of the release holds values in {strangers} rows that "
            "the original does not have."
        )
    return shares[at]
