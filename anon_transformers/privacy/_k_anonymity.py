"""k-anonymity (Samarati and Sweeney 1998)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.parameters import whole
from anon_transformers.privacy._judge import Direction, Merging


@dataclass(frozen=True)
class KAnonymity:
    """Every class holds at least ``k`` rows, or persons where a subject is given.

    Parameters
    ----------
    k : int
        At least 1; 1 asks for nothing.

    References
    ----------
    .. [1] P. Samarati and L. Sweeney, "Protecting privacy when disclosing
       information: k-anonymity and its enforcement through generalization and
       suppression", SRI International, 1998.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.evidence import Classes
    >>> classes = Classes.from_frame(pd.DataFrame({"age": [20, 20, 30]}), ["age"])
    >>> KAnonymity(k=2).satisfied(classes)
    array([ True, False])
    >>> KAnonymity(k=2).level(classes)
    1
    """

    k: int
    name: ClassVar[str] = "k-anonymity"
    evidence: ClassVar[str] = "classes"
    judges_readings: ClassVar[bool] = True
    better: ClassVar[Direction] = "higher"
    merging: ClassVar[Merging] = "any"
    tighter: ClassVar[Mapping[str, Direction]] = {"k": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "All persons of a class may have the same sensitive value: who finds the "
        "class knows it (homogeneity).",
        "Who knows more of a person than the quasi-identifiers may rule out values "
        "of the class until one is left (background knowledge).",
        "Releases of the same persons at several times may tell together what none "
        "tells alone.",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))

    @classmethod
    def test_instances(cls) -> list["KAnonymity"]:
        """Configurations that the contract checks run on."""
        return [cls(k=1), cls(k=2), cls(k=5)]

    def satisfied(self, evidence: Classes) -> np.ndarray:
        """Which classes are large enough."""
        return evidence.sizes >= self.k

    def level(self, evidence: Classes) -> int:
        """Size of the smallest class."""
        if not evidence.n_classes:
            raise NotEvaluable("k-anonymity has nothing to judge: the table is empty.")
        return int(evidence.sizes.min())
