"""Distinct l-diversity of a table whose classes are fuzzy sets."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from anon_transformers._kernels.cardinality import TIE
from anon_transformers.evidence import Memberships
from anon_transformers.exceptions import check_choice
from anon_transformers.parameters import substitute, whole
from anon_transformers.privacy._fuzzy_model import FuzzyModel
from anon_transformers.privacy._judge import Direction
from anon_transformers.privacy._q_anonymity import EMPTY
from anon_transformers.privacy._sensitive_model import SENSITIVE_TEXTS


@substitute(SENSITIVE_TEXTS)
@dataclass(frozen=True)
class FuzzyLDiversity(FuzzyModel):
    """In every set at least ``l`` known values are represented.

    A value is represented if at least one row of the set has it. Counted without
    fuzziness that is a row with a degree of one half or more, so that a set whose rows
    all belong to it by less has no value at all. A missing value is never one.

    Parameters
    ----------
    l : int
        At least 1.
    empty : {"ignore", "keep"}, default="ignore"
        Sets that a release does not show are left out, or they count as sets without
        values. See :class:`QAnonymity`.
    {sensitive}
    cardinality : {"non-fuzzy", "sigma"}, default="non-fuzzy"
        How rows are counted: those at one half or more, or the sum of all degrees.
    {missing_marks}

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.evidence import Memberships
    >>> table = pd.DataFrame({"ill": ["flu", "cold", "flu", "flu"]})
    >>> degrees = [[1, 0], [0.75, 0.25], [0.25, 0.75], [0, 1]]
    >>> memberships = Memberships.from_frame(degrees, table, sensitive=["ill"])
    >>> FuzzyLDiversity(l=2).satisfied(memberships)
    array([ True, False])
    """

    l: int  # noqa: E741 - the letter of the literature
    empty: Literal["ignore", "keep"] = "ignore"
    name: ClassVar[str] = "fuzzy-l-diversity"
    better: ClassVar[Direction] = "higher"
    tighter: ClassVar[Mapping[str, Direction]] = {"l": "higher"}

    not_promised: ClassVar[tuple[str, ...]] = (
        "One of the l values may be far more frequent than the others.",
        "Values that mean nearly the same count as different ones (similarity).",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "l", whole("l", self.l))
        check_choice("empty", self.empty, EMPTY)

    @classmethod
    def test_instances(cls) -> list["FuzzyLDiversity"]:
        """Configurations that the contract checks run on."""
        return [cls(l=1), cls(l=2), cls(l=3, cardinality="sigma", empty="keep")]

    def satisfied(self, evidence: Memberships) -> np.ndarray:
        """Which sets are diverse in every column; one that is left out is no fault."""
        return self.set_levels(evidence) >= self.l

    def level(self, evidence: Memberships) -> int:
        """Values of the set that has the fewest."""
        return int(self.set_levels(evidence).min())

    def set_levels(self, evidence: Memberships) -> np.ndarray:
        """Values of each set in its worst column; infinite for sets left out."""
        columns = self._columns(evidence)
        levels = np.min(
            [
                self._values(read, name)
                for read in self._readings(evidence)
                for name in columns
            ],
            axis=0,
        )
        if self.empty == "ignore":
            levels = np.where(evidence.shown(), levels, np.inf)
        return levels

    def represented(self, evidence: Memberships, name: Hashable) -> np.ndarray:
        """Which known values of a column are represented in which sets."""
        counts = evidence.counts(name, self.cardinality)
        return counts[:, :-1] >= 1 - TIE

    def _values(self, evidence: Memberships, name: Hashable) -> np.ndarray:
        return self.represented(evidence, name).sum(axis=1)
