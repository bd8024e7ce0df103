"""What three kinds of intruder can expect."""

from dataclasses import dataclass

from anon_transformers.evidence import Classes
from anon_transformers.metrics._journalist import (
    AverageJournalistRisk,
    HighestJournalistRisk,
    RecordsAtJournalistRisk,
)
from anon_transformers.metrics._marketer import MarketerRisk
from anon_transformers.metrics._measure import measure
from anon_transformers.metrics._risk import AverageRisk, HighestRisk, RecordsAtRisk


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
