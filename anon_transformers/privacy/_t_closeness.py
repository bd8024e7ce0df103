"""t-closeness (Li, Li and Venkatasubramanian 2007)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from anon_transformers._kernels.diversity import ROUNDING
from anon_transformers._kernels.transport import ordered_distances, tree_distances
from anon_transformers.evidence import SensitiveCounts
from anon_transformers.exceptions import NotEvaluable, check_choice
from anon_transformers.parameters import real
from anon_transformers.privacy._judge import Direction
from anon_transformers.privacy._sensitive_model import ReferenceModel, in_rows

DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True)
class TCloseness(ReferenceModel):
    """The values of every class are spread almost as in the whole table.

    The earth mover's distance between the two is at most ``t``. A missing value is a
    category of its own, at distance 1 from every other. Where persons are known, each
    must have one value, or the model cannot be evaluated.

    Parameters
    ----------
    t : float
        From 0 to 1; 1 asks for nothing.
    distance : {"equal", "ordered", "hierarchical"}, default="equal"
        How far apart two values are: 1; by rank, |i - j| / (m - 1), where texts rank by
        the alphabet unless they are an ordered categorical; or by the level at which
        the column's hierarchy joins them, divided by its height.
    reference : {"input", "released"}, default="input"
        The whole table: the one that was anonymized, or what was published of it.
    sensitive : column, default=None
        The column that is judged; None: every sensitive column must pass.
    multiple : {"each", "extended"}, default="each"
        Judge each sensitive column for itself, or take the others for
        quasi-identifiers.
    missing_marks : list of str, default=None
        Texts that say that a value is missing; None: the usual ones.

    References
    ----------
    .. [1] N. Li, T. Li and S. Venkatasubramanian, "t-closeness: privacy beyond
       k-anonymity and l-diversity", ICDE, 2007.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers.evidence import Classes
    >>> table = pd.DataFrame({"age": [20, 20, 30, 30], "pay": [3, 5, 4, 6]})
    >>> classes = Classes.from_frame(table, ["age"], sensitive=["pay"])
    >>> model = TCloseness(t=0.2, distance="ordered", reference="released")
    >>> round(model.level(classes), 4)
    0.1667
    """

    t: float
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    name: ClassVar[str] = "t-closeness"
    better: ClassVar[Direction] = "lower"
    tighter: ClassVar[Mapping[str, Direction]] = {"t": "lower"}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("distance", self.distance, DISTANCES)
        object.__setattr__(self, "t", real("t", self.t, 0, 1))

    @classmethod
    def test_instances(cls) -> list["TCloseness"]:
        """Configurations that the contract checks run on."""
        return [
            cls(t=0.4),
            cls(t=0.3, distance="ordered"),
            cls(t=0.4, distance="hierarchical", multiple="extended"),
            cls(t=0.5, reference="released"),
        ]

    def distances(self, column: SensitiveCounts) -> np.ndarray:
        """How far each class lies from the reference."""
        refuse_several(column)
        shares = self._shares(column)
        if self.distance == "ordered":
            return ordered_distances(*_without_unused(column, shares))
        groups = np.arange(len(shares))[np.newaxis]
        if self.distance == "hierarchical":
            if column.hierarchy is None:
                raise NotEvaluable(
                    "t-closeness by a hierarchy needs that of the sensitive column: "
                    "Classes.from_frame(…, hierarchies={column: hierarchy})."
                )
            # A tree of one level joins nothing.
            groups = column.ancestors if len(column.ancestors) else groups
        return tree_distances(*in_rows(column), shares, groups)

    _levels = distances

    def _passes(self, levels: np.ndarray) -> np.ndarray:
        return levels <= self.t + ROUNDING


def refuse_several(column: SensitiveCounts) -> None:
    """Refuse persons with several values: these have no distribution over persons."""
    if column.several.any():
        raise NotEvaluable(
            "t-closeness compares distributions of one value per person, and persons "
            f"of {int(column.several.sum())} classes have several."
        )


def _without_unused(column: SensitiveCounts, shares: np.ndarray) -> tuple:
    """Counts and shares of the values that occur: a rank counts these only."""
    indptr, indices, data = in_rows(column)
    used = shares > 0
    used[indices] = True
    used[-1] = True
    if used.all():
        return indptr, indices, data, shares
    rank = (np.cumsum(used) - 1).astype(indices.dtype)
    return indptr, rank[indices], data, shares[used]
