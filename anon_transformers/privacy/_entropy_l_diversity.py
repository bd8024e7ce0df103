"""Entropy l-diversity (Machanavajjhala et al. 2006)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers._kernels.diversity import ROUNDING, effective_values
from anon_transformers.evidence import SensitiveCounts
from anon_transformers.parameters import real, substitute
from anon_transformers.privacy._judge import Direction
from anon_transformers.privacy._l_diversity import LDiversity, capped_by_shares
from anon_transformers.privacy._sensitive_model import SENSITIVE_TEXTS, in_rows


@substitute(SENSITIVE_TEXTS)
@dataclass(frozen=True)
class EntropyLDiversity(LDiversity):
    """The values of every class are as mixed as ``l`` equally frequent ones.

    The entropy of each class is at least log ``l``. A missing value may be any value,
    so it is counted as the one that makes the entropy smallest: the most frequent one
    of its class, where rows are counted. A class without a known value has level 0.

    Where persons have several values, or a missing one beside another, no value may be
    held by more than one in ``l`` of the persons of a class either, those with a
    missing value among them.

    Parameters
    ----------
    l : float
        At least 1; need not be whole.
    {sensitive}
    {multiple}
    {missing_marks}

    References
    ----------
    .. [1] A. Machanavajjhala, J. Gehrke, D. Kifer and M. Venkitasubramaniam,
       "l-diversity: privacy beyond k-anonymity", ICDE, 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.evidence import Classes
    >>> table = pd.DataFrame({"age": [20] * 4, "ill": ["a", "b", "c", "c"]})
    >>> classes = Classes.from_frame(table, ["age"], sensitive=["ill"])
    >>> round(EntropyLDiversity(l=2).level(classes), 4)
    2.8284
    """

    l: float  # noqa: E741 - the letter of the literature
    name: ClassVar[str] = "entropy-l-diversity"
    better: ClassVar[Direction] = "higher"
    tighter: ClassVar[Mapping[str, Direction]] = {"l": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "Values that mean nearly the same count as different ones (similarity).",
        "A value that is rare in the whole table may be frequent in a class "
        "(skewness).",
        "A table in which one value is very frequent cannot keep it at all, also "
        "where that value hurts nobody.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "l", real("l", self.l, 1))

    @classmethod
    def test_instances(cls) -> list["EntropyLDiversity"]:
        """Configurations that the contract checks run on."""
        return [cls(l=1), cls(l=1.5), cls(l=2, multiple="extended")]

    def _levels(self, column: SensitiveCounts) -> np.ndarray:
        levels = effective_values(*in_rows(column), column.lacking, column.missing)
        return capped_by_shares(column, levels)

    def _passes(self, levels: np.ndarray) -> np.ndarray:
        # Three equally frequent values give 2.9999999999999996.
        return levels * (1 + ROUNDING) >= self.l
