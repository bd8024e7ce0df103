"""Several promises at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable, ParameterError
from anon_transformers.privacy._judge import (
    Direction,
    Merging,
    PrivacyModel,
    answers,
)


@dataclass(frozen=True)
class AllOf:
    """A class satisfies this if it satisfies each of ``models``.

    Parameters
    ----------
    models : tuple of PrivacyModel
        Models that judge equivalence classes.

    Examples
    --------
    >>> from anon_transformers.privacy import KAnonymity
    >>> AllOf((KAnonymity(k=2), KAnonymity(k=3))).merging
    'any'
    """

    models: tuple[PrivacyModel, ...]
    name: ClassVar[str] = "all-of"
    evidence: ClassVar[str] = "classes"
    judges_readings: ClassVar[bool] = True
    better: ClassVar[Direction] = "lower"
    tighter: ClassVar[Mapping[str, Direction]] = {}

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", tuple(self.models))
        if not self.models:
            raise ParameterError("models is empty; name at least one privacy model.")
        for model in self.models:
            evidence = getattr(model, "evidence", None)
            if evidence != "classes" or isinstance(model, type):
                raise ParameterError(
                    f"models: {model!r} is no model of equivalence classes."
                )

    @property
    def merging(self) -> Merging:
        """The weakest of the parts."""
        flags = {model.merging for model in self.models}
        if "none" in flags:
            return "none"
        return "satisfying" if "satisfying" in flags else "any"

    @property
    def for_search(self) -> bool:
        """Whether a search can be asked for every part; a model need not say so."""
        return all(getattr(model, "for_search", True) for model in self.models)

    def satisfied(self, evidence: Classes) -> np.ndarray:
        """Which classes satisfy every model."""
        passed = np.ones(evidence.n_classes, dtype=bool)
        for model in self.models:
            answer = answers(model, evidence)
            # A model of the whole table answers once, for every class.
            if len(answer) not in {1, len(passed)}:
                raise NotEvaluable(f"{model.name} did not answer for every class.")
            passed = passed & answer
        return passed

    def level(self, evidence: Classes) -> int:
        """How many classes fail."""
        return int(np.count_nonzero(~self.satisfied(evidence)))
