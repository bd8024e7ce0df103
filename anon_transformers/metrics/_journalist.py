"""Re-identification risk by an intruder who has a register of the population.

The intruder does not know who is in the table. A row can be mistaken for everybody in
the population who shares its published combination. All are taken over kept rows, and
need ``population_sizes``; without them they are not available.
"""

from dataclasses import dataclass
from typing import ClassVar

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import ParameterError
from anon_transformers.metrics._population import known_population


@dataclass(frozen=True)
class AverageJournalistRisk:
    """Share of right guesses, by the better one of two attacks.

    Either each row is looked for in the register: the mean over rows of one divided by
    the persons behind the row's class. Or each person behind a class is looked for in
    the table: the number of classes by the number of those persons.

    References
    ----------
    .. [1] K. El Emam, "Guide to the de-identification of personal health
       information", CRC Press, 2013.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.metrics import weigh_population
    >>> table = pd.DataFrame({"age": [20, 20, 30, 30], "weight": [2, 2, 4, 4]})
    >>> classes = Classes.from_frame(table, ["age"])
    >>> AverageJournalistRisk().measure(weigh_population(classes, table["weight"]))
    0.1875
    """

    name: ClassVar[str] = "average-journalist-risk"
    needs_population: ClassVar[bool] = True
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"

    def measure(self, evidence: Classes) -> float:
        """Expected share of right guesses."""
        kept, behind = known_population(evidence, self.name)
        by_rows = (kept.sizes / behind).sum() / kept.sizes.sum()
        return float(max(by_rows, kept.n_classes / behind.sum()))


@dataclass(frozen=True)
class HighestJournalistRisk:
    """One divided by the smallest number of persons behind a class."""

    name: ClassVar[str] = "highest-journalist-risk"
    needs_population: ClassVar[bool] = True
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"

    def measure(self, evidence: Classes) -> float:
        """Chance of a right guess for the row that is easiest to find."""
        _, behind = known_population(evidence, self.name)
        return float(1.0 / behind.min())


@dataclass(frozen=True)
class RecordsAtJournalistRisk:
    """Share of kept rows that can be mistaken for too few persons.

    Parameters
    ----------
    threshold : float, default=0.1
        Ten persons are a risk of 0.1, which is not above it.
    """

    threshold: float = 0.1
    name: ClassVar[str] = "records-at-journalist-risk"
    needs_population: ClassVar[bool] = True
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ParameterError(
                f"threshold must lie between 0 and 1, got {self.threshold!r}."
            )

    def measure(self, evidence: Classes) -> float:
        """Share of the kept rows whose own risk is above the threshold."""
        kept, behind = known_population(evidence, self.name)
        at_risk = 1 / behind > self.threshold
        return float(kept.sizes[at_risk].sum() / kept.sizes.sum())
