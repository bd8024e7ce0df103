"""Re-identification risk of an intruder who knows that the person is in the table.

All are taken over the rows that were kept, or the persons in them.
"""

from dataclasses import dataclass
from typing import ClassVar

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError


@dataclass(frozen=True)
class AverageRisk:
    """Mean over the kept rows of one divided by the size of the row's class.

    Where persons are known, the mean is over the persons of each class.

    Examples
    --------
    >>> import pandas as pd
    >>> classes = Classes.from_frame(pd.DataFrame({"age": [20, 20, 30, 30]}), ["age"])
    >>> AverageRisk().measure(classes)
    0.5
    """

    name: ClassVar[str] = "average-risk"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"

    def measure(self, evidence: Classes) -> float:
        """Expected share of right guesses when every person is looked for."""
        kept = _kept(evidence)
        return float(kept.n_classes / kept.sizes.sum())


@dataclass(frozen=True)
class HighestRisk:
    """One divided by the size of the smallest class."""

    name: ClassVar[str] = "highest-risk"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"

    def measure(self, evidence: Classes) -> float:
        """Chance of a right guess for the person who is easiest to find."""
        return float(1.0 / _kept(evidence).sizes.min())


@dataclass(frozen=True)
class RecordsAtRisk:
    """Share of kept rows, or persons, whose own risk is above a threshold.

    Parameters
    ----------
    threshold : float, default=0.1
        A class of ten is at 0.1, which is not above it.
    """

    threshold: float = 0.1
    name: ClassVar[str] = "records-at-risk"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ParameterError(
                f"threshold must lie between 0 and 1, got {self.threshold!r}."
            )

    def measure(self, evidence: Classes) -> float:
        """Share of what is kept in classes that are too small."""
        kept = _kept(evidence)
        at_risk = 1 / kept.sizes > self.threshold
        return float(kept.sizes[at_risk].sum() / kept.sizes.sum())


@dataclass(frozen=True)
class SuppressedShare:
    """Share of rows whose quasi-identifiers are all suppressed."""

    name: ClassVar[str] = "suppressed-share"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"

    def measure(self, evidence: Classes) -> float:
        """Suppressed rows among those published."""
        if not evidence.n_classes:
            raise NotEvaluable("suppressed-share: the table is empty.")
        if evidence.suppressed is None:
            return 0.0
        return float(evidence.rows[evidence.suppressed] / evidence.rows.sum())


def _kept(evidence: Classes) -> Classes:
    kept = evidence.kept()
    if not kept.n_classes:
        raise NotEvaluable("risk has nothing to judge: no row was kept.")
    if not kept.sizes.all():
        raise NotEvaluable("risk: a class holds rows that belong to no person.")
    return kept
