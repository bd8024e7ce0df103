"""Distinct l-diversity (Machanavajjhala et al. 2006)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anon_transformers._kernels.diversity import count_values
from anon_transformers.evidence import SensitiveCounts
from anon_transformers.parameters import substitute, whole
from anon_transformers.privacy._judge import Direction, Merging
from anon_transformers.privacy._l_diversity import LDiversity
from anon_transformers.privacy._sensitive_model import (
    SENSITIVE_TEXTS,
    in_rows,
    largest_shares,
)


@substitute(SENSITIVE_TEXTS)
@dataclass(frozen=True)
class DistinctLDiversity(LDiversity):
    """Every class holds at least ``l`` distinct known values.

    The weakest kind: one value may still be far more frequent than the others. Where
    persons have several values, or a missing one beside another, one that everybody of
    a class holds or may hold leaves level 1.

    Parameters
    ----------
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
    >>> table = pd.DataFrame({"age": [20, 20, 30, 30], "ill": ["a", "b", "a", None]})
    >>> classes = Classes.from_frame(table, ["age"], sensitive=["ill"])
    >>> DistinctLDiversity(l=2).satisfied(classes)
    array([ True, False])
    """

    l: int  # noqa: E741 - the letter of the literature
    name: ClassVar[str] = "distinct-l-diversity"
    better: ClassVar[Direction] = "higher"
    tighter: ClassVar[Mapping[str, Direction]] = {"l": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "One of the l values may be far more frequent than the others: to guess it "
        "is mostly right.",
        "Values that mean nearly the same count as different ones (similarity).",
        "A value that is rare in the whole table may be frequent in a class "
        "(skewness).",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "l", whole("l", self.l))

    @property
    def merging(self) -> Merging:
        """A class stays diverse whatever joins it; finer classes may be new ones."""
        return "any" if self.multiple == "each" else "satisfying"

    @classmethod
    def test_instances(cls) -> list["DistinctLDiversity"]:
        """Configurations that the contract checks run on."""
        return [cls(l=1), cls(l=2), cls(l=3, multiple="extended")]

    def _levels(self, column: SensitiveCounts) -> np.ndarray:
        levels = count_values(*in_rows(column), column.missing)
        certain = column.overlapping & (largest_shares(column) >= 1)
        return np.where(certain, np.minimum(levels, 1), levels)

    def _passes(self, levels: np.ndarray) -> np.ndarray:
        return levels >= self.l
