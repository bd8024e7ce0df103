"""What an intruder may come to believe: positive and negative disclosure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers._kernels.diversity import ROUNDING
from anon_transformers.evidence import Candidates, SensitiveCounts
from anon_transformers.parameters import real, substitute
from anon_transformers.privacy._judge import Direction
from anon_transformers.privacy._sensitive_model import (
    SENSITIVE_TEXTS,
    ReferenceModel,
    in_rows,
    largest_shares,
)


@substitute(SENSITIVE_TEXTS)
@dataclass(frozen=True)
class BeliefBound(ReferenceModel):
    """No class makes a value almost certain, and none rules a likely one out.

    The intruder knows the whole table's distribution: the prior belief in a value is
    its share there, the posterior its share in the class. A missing value may be any
    value, and is counted as what discloses most.

    The level is the largest posterior belief; a value that is ruled out counts as 1,
    for its absence is as good as certain.

    Parameters
    ----------
    positive : float, default=1.0
        Positive disclosure: a posterior belief of this or more. Above 0, at most 1.
    negative : float, default=None
        Negative disclosure: a posterior belief of this or less in a value whose prior
        is above it. From 0, below 1; None: not judged.
    reference : {"input", "released"}, default="input"
        Whose distribution the prior is: that of the table that was anonymized, or of
        what was published of it.
    {sensitive}
    {multiple}
    {missing_marks}

    See Also
    --------
    posterior_belief : For an intruder who knows more than the table's distribution.

    References
    ----------
    .. [1] A. Machanavajjhala, J. Gehrke, D. Kifer and M. Venkitasubramaniam,
       "l-diversity: privacy beyond k-anonymity", ICDE, 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.evidence import Classes
    >>> table = pd.DataFrame({"age": [20, 20, 30, 30], "ill": ["a", "b", "a", "a"]})
    >>> classes = Classes.from_frame(table, ["age"], sensitive=["ill"])
    >>> BeliefBound(positive=0.9).satisfied(classes)
    array([ True, False])
    """

    positive: float = 1.0
    negative: float | None = None
    name: ClassVar[str] = "belief-bound"
    better: ClassVar[Direction] = "lower"
    # Not ``negative``: a higher one looks at fewer values.
    tighter: ClassVar[Mapping[str, Direction]] = {"positive": "lower"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "The intruder knows the distribution of the whole table and no more: other "
        "knowledge of a person is not bounded.",
        "Values that mean nearly the same are looked at one by one (similarity).",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        bound = real("positive", self.positive, 0, 1, above=True)
        object.__setattr__(self, "positive", bound)
        if self.negative is not None:
            bound = real("negative", self.negative, 0, 1, below=True)
            object.__setattr__(self, "negative", bound)

    @classmethod
    def test_instances(cls) -> list["BeliefBound"]:
        """Configurations that the contract checks run on."""
        return [cls(positive=0.8), cls(positive=0.9, negative=0.01)]

    def _levels(self, column: SensitiveCounts) -> np.ndarray:
        beliefs = largest_shares(column)
        if self.negative is None:
            return beliefs
        ruled_out = self._rules_out(column, self.negative + ROUNDING)
        return np.where(ruled_out, 1.0, beliefs)

    def _rules_out(self, column: SensitiveCounts, bound: float) -> np.ndarray:
        """Which classes leave no more than the bound of a value that was likelier."""
        likely, rows = self._shares(column) > bound, column.totals
        likely[-1] = False
        indptr, indices, data = in_rows(column)
        owner = np.repeat(np.arange(len(rows)), np.diff(indptr))
        left = likely[indices] & (data / rows[owner] > bound)
        return np.bincount(owner[left], minlength=len(rows)) < likely.sum()

    def _left_levels(self, column: SensitiveCounts, left: Candidates) -> np.ndarray:
        return 1 / left.sizes

    def _passes(self, levels: np.ndarray) -> np.ndarray:
        return levels < self.positive - ROUNDING
