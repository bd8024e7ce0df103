"""Probabilistic k-anonymity of any mechanism whose law is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers._kernels.diversity import ROUNDING
from anon_transformers.evidence import Likelihoods
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.parameters import whole
from anon_transformers.privacy._judge import Direction, Merging


@dataclass(frozen=True)
class LikelihoodKAnonymity:
    """No published record is anybody's with a probability above 1/k.

    The intruder knows the mechanism and the quasi-identifiers of everybody, and holds
    each identity for the likelier the likelier it is to have given the record. The
    level is 1 over the largest probability.

    Parameters
    ----------
    k : int
        At least 1; 1 asks for nothing.

    See Also
    --------
    ProbabilisticKAnonymity : For mechanisms that swap cells inside groups.

    Examples
    --------
    >>> from anon_transformers.evidence import Likelihoods
    >>> likelihoods = Likelihoods([[0.25, 0.5], [0.5, 0.5], [0.25, 0.0]])
    >>> LikelihoodKAnonymity(k=2).satisfied(likelihoods)
    array([ True,  True])
    >>> LikelihoodKAnonymity(k=2).level(likelihoods)
    2.0
    """

    k: int
    name: ClassVar[str] = "likelihood-k-anonymity"
    for_search: ClassVar[bool] = False
    evidence: ClassVar[str] = "likelihoods"
    better: ClassVar[Direction] = "higher"
    merging: ClassVar[Merging] = "none"
    tighter: ClassVar[Mapping[str, Direction]] = {"k": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "It holds for the mechanism that was stated: an intruder who knows another "
        "one is not bounded.",
        "Each record is judged by itself, and sensitive values play no part.",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))

    @classmethod
    def test_instances(cls) -> list["LikelihoodKAnonymity"]:
        """Configurations that the contract checks run on."""
        return [cls(k=1), cls(k=2), cls(k=4)]

    def satisfied(self, evidence: Likelihoods) -> np.ndarray:
        """Which published records leave enough doubt."""
        return evidence.posterior().max(axis=0, initial=0) <= 1 / self.k + ROUNDING

    def level(self, evidence: Likelihoods) -> float:
        """One over the largest probability that a record is somebody's."""
        if not evidence.n_records:
            raise NotEvaluable(
                "likelihood-k-anonymity has nothing to judge: there is no record."
            )
        return float(1 / evidence.posterior().max())
