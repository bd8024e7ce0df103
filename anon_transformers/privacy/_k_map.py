"""k-map (Sweeney 2002)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.parameters import whole
from anon_transformers.privacy._judge import Direction, Merging


@dataclass(frozen=True)
class KMap:
    """At least ``k`` persons of the population stand behind every class.

    Weaker than k-anonymity, for an intruder who does not know who is in the table. Not
    available without a population.

    Parameters
    ----------
    k : int
        At least 1.

    References
    ----------
    .. [1] L. Sweeney, "k-anonymity: a model for protecting privacy", International
       Journal on Uncertainty, Fuzziness and Knowledge-based Systems 10(5), 2002.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.evidence import Classes
    >>> everyone = pd.DataFrame({"age": [20, 20, 30]})
    >>> released = pd.DataFrame({"age": [20, 30]})
    >>> classes = Classes.from_frame(released, ["age"], population=everyone)
    >>> KMap(k=2).satisfied(classes)
    array([ True, False])
    """

    k: int
    name: ClassVar[str] = "k-map"
    needs_population: ClassVar[bool] = True
    evidence: ClassVar[str] = "classes"
    judges_readings: ClassVar[bool] = True
    better: ClassVar[Direction] = "higher"
    merging: ClassVar[Merging] = "any"
    tighter: ClassVar[Mapping[str, Direction]] = {"k": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "Who knows that a person is in the table may find her in a class of fewer "
        "than k rows.",
        "Sensitive values play no part.",
        "It holds for the population that was given; an intruder with a smaller one "
        "may know more.",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))

    @classmethod
    def test_instances(cls) -> list["KMap"]:
        """Configurations that the contract checks run on."""
        return [cls(k=1), cls(k=5), cls(k=20)]

    def satisfied(self, evidence: Classes) -> np.ndarray:
        """Which classes have enough persons behind them."""
        return population_of(self.name, evidence) >= self.k

    def level(self, evidence: Classes) -> int:
        """Persons behind the class that has fewest."""
        persons = population_of(self.name, evidence)
        if not len(persons):
            raise NotEvaluable("k-map has nothing to judge: the table is empty.")
        return int(persons.min())


def population_of(name: str, evidence: Classes) -> np.ndarray:
    """Persons of the population behind each class."""
    if evidence.population_sizes is None:
        raise NotEvaluable(
            f"{name} is not available without a population: "
            "Classes.from_frame(…, population=table)."
        )
    return evidence.population_sizes
