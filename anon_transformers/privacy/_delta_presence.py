"""δ-presence (Nergiz, Atzori and Clifton 2007)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers._kernels.diversity import ROUNDING
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.parameters import real
from anon_transformers.privacy._judge import Direction, Merging
from anon_transformers.privacy._k_map import population_of


@dataclass(frozen=True)
class DeltaPresence:
    """Whether a person of the population is in the table stays uncertain.

    Of the persons of the population who could be in a class, a share from ``low`` to
    ``high`` is. With ``low`` above 0 everybody in the population must have a class. The
    level is the largest share. Not available without a population.

    Parameters
    ----------
    low, high : float
        Shares, 0 ≤ low ≤ high ≤ 1.

    References
    ----------
    .. [1] M. Nergiz, M. Atzori and C. Clifton, "Hiding the presence of individuals
       from shared databases", SIGMOD, 2007.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.evidence import Classes
    >>> everyone = pd.DataFrame({"age": [20] * 4 + [30] * 2})
    >>> released = pd.DataFrame({"age": [20, 20, 30, 30]})
    >>> classes = Classes.from_frame(released, ["age"], population=everyone)
    >>> DeltaPresence(low=0, high=0.5).satisfied(classes)
    array([ True, False])
    """

    low: float
    high: float
    name: ClassVar[str] = "delta-presence"
    needs_population: ClassVar[bool] = True
    evidence: ClassVar[str] = "classes"
    judges_readings: ClassVar[bool] = True
    better: ClassVar[Direction] = "lower"
    merging: ClassVar[Merging] = "satisfying"
    tighter: ClassVar[Mapping[str, Direction]] = {"low": "higher", "high": "lower"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "Sensitive values play no part: who is known to be in a class is known by "
        "what all of it share.",
        "It holds for the population that was given; an intruder with a better "
        "register may know more.",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", real("low", self.low, 0, 1))
        object.__setattr__(self, "high", real("high", self.high, 0, 1))
        if self.low > self.high:
            raise ParameterError(
                f"low must be at most high, got low={self.low!r}, high={self.high!r}."
            )

    @classmethod
    def test_instances(cls) -> list["DeltaPresence"]:
        """Configurations that the contract checks run on."""
        return [cls(low=0, high=0.5), cls(low=0.25, high=0.75)]

    def satisfied(self, evidence: Classes) -> np.ndarray:
        """Which classes leave it open; none does where a person has no class."""
        shares = self._shares(evidence)
        inside = (shares >= self.low - ROUNDING) & (shares <= self.high + ROUNDING)
        return inside & (self.low == 0 or not evidence.population_outside)

    def level(self, evidence: Classes) -> float:
        """Largest share of a class's population that is in the table."""
        shares = self._shares(evidence)
        if not len(shares):
            raise NotEvaluable(
                "delta-presence has nothing to judge: the table is empty."
            )
        return float(shares.max())

    def _shares(self, evidence: Classes) -> np.ndarray:
        return evidence.sizes / np.maximum(population_of(self.name, evidence), 1)
