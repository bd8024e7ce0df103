"""(α, k)-anonymity (Wong et al. 2006)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from anon_transformers._data.readings import reads_as
from anon_transformers._kernels.diversity import ROUNDING
from anon_transformers.evidence import Candidates, Classes, SensitiveCounts
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.parameters import real, substitute, whole
from anon_transformers.privacy._judge import Direction
from anon_transformers.privacy._sensitive_model import (
    SENSITIVE_TEXTS,
    SensitiveModel,
    largest_shares,
)


@substitute(SENSITIVE_TEXTS)
@dataclass(frozen=True)
class AlphaKAnonymity(SensitiveModel):
    """Classes of ``k``, in which no value takes more than a share of ``alpha``.

    A missing value may be any value and is counted as the one that is judged. The level
    is the largest share that a value takes in a class.

    Parameters
    ----------
    alpha : float
        Above 0 and at most 1; smaller asks for more.
    k : int
        At least 1: rows of a class, or persons where a subject is given.
    value : default=None
        The one value to protect, as it is published; None: every value.
    {sensitive}
    {multiple}
    {missing_marks}

    References
    ----------
    .. [1] R. Wong, J. Li, A. Fu and K. Wang, "(α, k)-anonymity: an enhanced
       k-anonymity model for privacy preserving data publishing", KDD, 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.evidence import Classes
    >>> table = pd.DataFrame({"age": [20] * 3 + [30] * 2, "ill": list("aabab")})
    >>> classes = Classes.from_frame(table, ["age"], sensitive=["ill"])
    >>> AlphaKAnonymity(alpha=0.5, k=2).satisfied(classes)
    array([False,  True])
    """

    alpha: float
    k: int
    value: Any = None
    name: ClassVar[str] = "alpha-k-anonymity"
    better: ClassVar[Direction] = "lower"
    tighter: ClassVar[Mapping[str, Direction]] = {"alpha": "lower", "k": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "A value that is rare in the whole table may reach a share of alpha in a "
        "class (skewness).",
        "Values that mean nearly the same are looked at one by one (similarity).",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "alpha", real("alpha", self.alpha, 0, 1, above=True))
        object.__setattr__(self, "k", whole("k", self.k))

    @classmethod
    def test_instances(cls) -> list["AlphaKAnonymity"]:
        """Configurations that the contract checks run on."""
        return [cls(alpha=0.7, k=1), cls(alpha=0.8, k=2, multiple="extended")]

    def satisfied(self, evidence: Classes) -> np.ndarray:
        """Which classes are large enough and mixed enough."""
        return super().satisfied(evidence) & (evidence.sizes >= self.k)

    def _levels(self, column: SensitiveCounts) -> np.ndarray:
        if self.value is None:
            return largest_shares(column)
        # 20.0 is published as 20 in a column of whole numbers.
        spellings = {str(self.value), str(self.value).removesuffix(".0")}
        texts = column.texts.tolist()
        at = np.flatnonzero(np.any([reads_as(texts, s) for s in spellings], axis=0))
        if not len(at):
            raise NotEvaluable(
                "alpha-k-anonymity: the value to protect does not occur in the column "
                "that is judged."
            )
        shares = column.possible(at) / np.maximum(column.totals, 1)
        return np.where(column.totals > 0, shares, 1.0)

    def _left_levels(self, column: SensitiveCounts, left: Candidates) -> np.ndarray:
        if self.value is not None:
            return super()._left_levels(column, left)
        return 1 / left.sizes

    def _passes(self, levels: np.ndarray) -> np.ndarray:
        return levels <= self.alpha + ROUNDING
