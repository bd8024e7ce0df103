"""Recursive (c, l)-diversity (Machanavajjhala et al. 2006)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers._kernels.diversity import recursive_levels
from anon_transformers.evidence import SensitiveCounts
from anon_transformers.parameters import real, substitute, whole
from anon_transformers.privacy._judge import Direction
from anon_transformers.privacy._l_diversity import LDiversity, capped_by_shares
from anon_transformers.privacy._sensitive_model import SENSITIVE_TEXTS, in_rows


@substitute(SENSITIVE_TEXTS)
@dataclass(frozen=True)
class RecursiveCLDiversity(LDiversity):
    """The most frequent value of a class is not too frequent, the others not too rare.

    With the counts of a class in descending order, n_1 < c (n_l + n_{l+1} + … + n_m). A
    missing value may be any value, so it is counted as the most frequent one. The level
    is the largest l that holds for the given c.

    Where persons have several values, or a missing one beside another, no value may be
    held by more than one in ``l`` of the persons of a class either, those with a
    missing value among them.

    Parameters
    ----------
    c : float
        Above 0; smaller asks for more.
    l : int
        At least 1.
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
    >>> table = pd.DataFrame({"age": [20] * 7, "ill": list("aaabbcd")})
    >>> classes = Classes.from_frame(table, ["age"], sensitive=["ill"])
    >>> RecursiveCLDiversity(c=2, l=3).level(classes)
    3
    """

    c: float
    l: int  # noqa: E741 - the letter of the literature
    name: ClassVar[str] = "recursive-cl-diversity"
    better: ClassVar[Direction] = "higher"
    tighter: ClassVar[Mapping[str, Direction]] = {"c": "lower", "l": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "Values that mean nearly the same count as different ones (similarity).",
        "A value that is rare in the whole table may be frequent in a class "
        "(skewness).",
        "Who can rule out l - 1 values of a class may be left with one.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "c", real("c", self.c, 0, above=True))
        object.__setattr__(self, "l", whole("l", self.l))

    @classmethod
    def test_instances(cls) -> list["RecursiveCLDiversity"]:
        """Configurations that the contract checks run on."""
        return [cls(c=1.5, l=1), cls(c=3, l=2), cls(c=4, l=2, multiple="extended")]

    def _levels(self, column: SensitiveCounts) -> np.ndarray:
        entries = (*in_rows(column), column.lacking)
        levels = recursive_levels(*entries, column.missing, self.c)
        return np.floor(capped_by_shares(column, levels)).astype(np.int64)

    def _passes(self, levels: np.ndarray) -> np.ndarray:
        return levels >= self.l
