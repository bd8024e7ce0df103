"""Re-identification risk of three intruders: prosecutor, journalist, marketer.

The prosecutor knows that the person is in the table, the journalist has a register of
the population, the marketer matches the whole table.
"""

from dataclasses import dataclass
from typing import ClassVar

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.metrics._measure import measure
from anon_transformers.metrics._population import known_population
from anon_transformers.parameters import real


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
        kept = kept_classes(evidence)
        return float(kept.n_classes / kept.sizes.sum())


@dataclass(frozen=True)
class HighestRisk:
    """One divided by the size of the smallest class."""

    name: ClassVar[str] = "highest-risk"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"

    def measure(self, evidence: Classes) -> float:
        """Chance of a right guess for the person who is easiest to find."""
        return float(1.0 / kept_classes(evidence).sizes.min())


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
        real("threshold", self.threshold, 0, 1)

    def measure(self, evidence: Classes) -> float:
        """Share of what is kept in classes that are too small."""
        kept = kept_classes(evidence)
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


def kept_classes(evidence: Classes) -> Classes:
    kept = evidence.kept()
    if not kept.n_classes:
        raise NotEvaluable("risk has nothing to judge: no row was kept.")
    if not kept.sizes.all():
        raise NotEvaluable("risk: a class holds rows that belong to no person.")
    return kept


@dataclass(frozen=True)
class MarketerRisk:
    """Mean over the kept rows of one divided by the persons behind the row's class.

    The intruder links every row with a register of the population, and does not mind
    that some links are wrong. Without ``population_sizes`` it is not available; where
    the table is the whole population it equals the average risk.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.metrics import weigh_population
    >>> table = pd.DataFrame({"age": [20, 20, 30, 30], "weight": [2, 2, 4, 4]})
    >>> classes = Classes.from_frame(table, ["age"])
    >>> MarketerRisk().measure(weigh_population(classes, table["weight"]))
    0.1875
    """

    name: ClassVar[str] = "marketer-risk"
    needs_population: ClassVar[bool] = True
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"

    def measure(self, evidence: Classes) -> float:
        """Expected share of rows that are linked to the right person."""
        kept, behind = known_population(evidence, self.name)
        return float((kept.sizes / behind).sum() / kept.sizes.sum())


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
        real("threshold", self.threshold, 0, 1)

    def measure(self, evidence: Classes) -> float:
        """Share of the kept rows whose own risk is above the threshold."""
        kept, behind = known_population(evidence, self.name)
        at_risk = 1 / behind > self.threshold
        return float(kept.sizes[at_risk].sum() / kept.sizes.sum())


@dataclass(frozen=True)
class Risk:
    """Risk of a table, over its kept rows.

    Attributes
    ----------
    average, highest : float
        Mean and maximum over the rows of the chance to be found.
    records_at_risk : float
        Share of the rows whose chance is above the threshold.
    """

    average: float
    highest: float
    records_at_risk: float


def prosecutor_risk(classes: Classes, threshold: float = 0.1) -> Risk:
    """Risk by an intruder who knows that the person is in the table.

    Examples
    --------
    >>> import pandas as pd
    >>> classes = Classes.from_frame(pd.DataFrame({"age": [20, 20, 30]}), ["age"])
    >>> prosecutor_risk(classes, threshold=0.5).highest
    1.0
    """
    return Risk(
        measure(AverageRisk(), classes),
        measure(HighestRisk(), classes),
        measure(RecordsAtRisk(threshold), classes),
    )


def journalist_risk(classes: Classes, threshold: float = 0.1) -> Risk:
    """Risk by an intruder who has a register, and does not know who is in the table.

    Raises
    ------
    NotEvaluable
        Without ``population_sizes``.
    """
    return Risk(
        measure(AverageJournalistRisk(), classes),
        measure(HighestJournalistRisk(), classes),
        measure(RecordsAtJournalistRisk(threshold), classes),
    )


def marketer_risk(classes: Classes) -> float:
    """Share of rows that an intruder with a register links to the right person.

    Raises
    ------
    NotEvaluable
        Without ``population_sizes``.
    """
    return measure(MarketerRisk(), classes)
