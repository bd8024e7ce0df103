"""Re-identification risk by an intruder who matches the whole table."""

from dataclasses import dataclass
from typing import ClassVar

from anon_transformers.evidence import Classes
from anon_transformers.metrics._population import known_population


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
