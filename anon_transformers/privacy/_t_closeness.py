"""t-closeness (Li, Li and Venkatasubramanian 2007)."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from anon_transformers._kernels.diversity import ROUNDING
from anon_transformers._kernels.transport import ordered_distances, tree_distances
from anon_transformers.evidence import Classes, SensitiveCounts
from anon_transformers.exceptions import NotEvaluable, check_choice
from anon_transformers.parameters import real, substitute
from anon_transformers.privacy._judge import Direction
from anon_transformers.privacy._sensitive_model import (
    SENSITIVE_TEXTS,
    ReferenceModel,
    in_rows,
)

DISTANCES = ("equal", "ordered", "hierarchical")
GIVE_HIERARCHY = "Classes.from_frame(…, hierarchies={column: hierarchy})"
"""What to do where the hierarchy of a sensitive column is not known."""


@substitute(SENSITIVE_TEXTS)
@dataclass(frozen=True)
class TCloseness(ReferenceModel):
    """The values of every class are spread almost as in the whole table.

    The earth mover's distance between the two is at most ``t``. A missing value is a
    category of its own, at distance 1 from every other.

    Where persons are known, each must have one value, or the model cannot be evaluated.
    Spellings of one value are one, and a missing value is none beside another: it is
    counted for persons of whom nothing else is known, in a class or in the whole table.

    Parameters
    ----------
    t : float
        From 0 to 1; 1 asks for nothing.
    distance : {"equal", "ordered", "hierarchical"}, default="equal"
        How far apart two values are: 1; by rank, ``|i - j| / (m - 1)``, for numbers,
        dates and ordered categoricals, while texts have no rank; or by the level at
        which the column's hierarchy joins them, divided by its height.
    reference : {"input", "released"}, default="input"
        The whole table: the one that was anonymized, or what was published of it.
    {sensitive}
    {multiple}
    {missing_marks}

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
    one_value_per_person: ClassVar[bool] = True
    """A release with a subject declares it of every column that is judged."""

    not_promised: ClassVar[tuple[str, ...]] = (
        "The distance is one of whole distributions: a rare value may become "
        "several times as likely in a class.",
        "It does not hide who stands behind a class: ask for k beside it.",
        "A small t hides how the sensitive column depends on the others, which "
        "readers may want to know.",
    )

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

    def check_feasible(self, evidence: Classes) -> None:
        """Refuse what no class could be judged by; before a search begins.

        Raises
        ------
        NotEvaluable
            If persons have several values, or a column holds texts and ``distance`` is
            "ordered".
        """
        for name in evidence.sensitive_names(self.sensitive):
            column = evidence.sensitive[name]
            self._readings(name, column, column.as_read(self.missing_marks))
            if self.distance == "ordered" and not evidence.sensitive[name].ordered:
                raise NotEvaluable(without_order(self.name, name))

    def distances(self, column: SensitiveCounts) -> np.ndarray:
        """How far each class lies from the reference."""
        refuse_several(column)
        column, shares = column.once(), self._shares(column)
        if self.distance == "ordered":
            if not column.ordered:
                raise NotEvaluable(without_order(self.name))
            return ordered_distances(*_without_unused(column, shares))
        groups = np.arange(len(shares))[np.newaxis]
        if self.distance == "hierarchical":
            if column.hierarchy is None:
                raise NotEvaluable(
                    "t-closeness by a hierarchy needs that of the sensitive column: "
                    f"{GIVE_HIERARCHY}."
                )
            # A tree of one level joins nothing.
            groups = column.ancestors if len(column.ancestors) else groups
        return tree_distances(*in_rows(column), shares, groups)

    _levels = distances

    def _readings(
        self, name: Hashable, column: SensitiveCounts, read: SensitiveCounts | None
    ) -> list[SensitiveCounts]:
        """As they are, values may be several that people read as one."""
        if not has_several(column):
            return super()._readings(name, column, read)
        read = column if read is None else read
        refuse_several(read, name)
        return [read]

    def _whole(self, column: SensitiveCounts) -> tuple[np.ndarray, int | None]:
        held, persons = super()._whole(column)
        if persons is not None:
            # Who has one value has no missing one.
            held = np.append(held[:-1], persons - held[:-1].sum())
        return held, persons

    def _passes(self, levels: np.ndarray) -> np.ndarray:
        return levels <= self.t + ROUNDING


def has_several(column: SensitiveCounts) -> bool:
    """Whether a person has several known values, in a class or in the whole table."""
    if column.several.any():
        return True
    if column.reference_persons is None:
        return column.holdings is not None and bool(column.whole.several.any())
    return bool(column.reference[:-1].sum() > column.reference_persons)


def refuse_several(column: SensitiveCounts, name: Hashable | None = None) -> None:
    """Refuse persons with several values: these have no distribution over persons."""
    if has_several(column):
        where = "a sensitive column" if name is None else f"column {name!r}"
        raise NotEvaluable(
            "t-closeness compares distributions of one value per person, and persons "
            f"have several in {where}, with spellings of one value taken for one and "
            "missing ones left out. Name marks of missing values that are not usual in "
            "missing_marks, write each value one way, or judge by another model."
        )


def without_order(model: str, name: Hashable | None = None) -> str:
    """Why values cannot be ranked, and what can be done about it."""
    where = "the column" if name is None else f"column {name!r}"
    return (
        f"{model} with distance='ordered': {where} holds texts, which have no order. "
        "Make it an ordered categorical (in a release file, source.columns: {column: "
        "{order: [low, …, high]}}), or use distance='equal' or 'hierarchical'."
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
