"""The range part of (k, e)-anonymity."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from anon_transformers.evidence import Classes, SensitiveCounts
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.parameters import real


@dataclass(frozen=True)
class RangeDiversity:
    """The known sensitive numbers of each class span at least ``e``.

    An intruder who finds the class of a person learns the number no more closely than
    that. A class without a known number never passes.

    Parameters
    ----------
    e : float
        Smallest difference between the largest and the smallest number; 0 asks for one
        known number.
    sensitive : column, default=None
        The column to judge. None: every sensitive column must pass.

    References
    ----------
    .. [1] Q. Zhang, N. Koudas, D. Srivastava and T. Yu, "Aggregate query answering on
       anonymized tables", ICDE 2007.

    Examples
    --------
    >>> import pandas as pd
    >>> from anon_transformers import Classes
    >>> table = pd.DataFrame({"zip": list("aabb"), "income": [1000, 1900, 1000, 1100]})
    >>> classes = Classes.from_frame(table, ["zip"], sensitive=["income"])
    >>> RangeDiversity(e=500).satisfied(classes)
    array([ True, False])
    >>> RangeDiversity(e=500).level(classes)
    100.0
    """

    e: float
    sensitive: str | None = None
    name: ClassVar[str] = "range-diversity"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    merging: ClassVar[Literal["any", "satisfying", "none"]] = "any"
    tighter: ClassVar[Mapping[str, Literal["higher", "lower"]]] = {"e": "higher"}
    not_promised: ClassVar[tuple[str, ...]] = (
        "Values of a class may be far apart and one of them far more frequent.",
    )

    def __post_init__(self) -> None:
        real("e", self.e, 0)

    @classmethod
    def test_instances(cls) -> list["RangeDiversity"]:
        """Configurations that the contract checks run on."""
        return [cls(e=0), cls(e=1000), cls(e=2500.5, sensitive="income")]

    def satisfied(self, evidence: Classes) -> np.ndarray:
        """Which classes span enough, in every column that is judged."""
        return self._narrowest(evidence) >= self.e

    def level(self, evidence: Classes) -> float:
        """Narrowest span of all classes; -1 where a class has no known number."""
        if not evidence.n_classes:
            raise NotEvaluable(f"{self.name} has nothing to judge: the table is empty.")
        return float(self._narrowest(evidence).min())

    def _narrowest(self, evidence: Classes) -> np.ndarray:
        """Span of each class, in the column where it is narrowest."""
        columns = evidence.sensitive_columns(self.sensitive)
        return np.min([_spans(column) for column in columns], axis=0)


def _spans(column: SensitiveCounts) -> np.ndarray:
    """Largest less smallest known number of each class; -1 where none is known."""
    if column.values.dtype.kind not in "iuf":
        raise NotEvaluable(
            "range-diversity judges numbers, and the values are not numbers."
        )
    numbers = column.values.astype(float)
    cells = column.counts.tocoo()
    at, value = cells.coords
    known = (value < len(numbers)) & (cells.data > 0)  # the last one counts missing
    at, value = at[known], value[known]
    largest = np.full(cells.shape[0], -np.inf)
    smallest = np.full(cells.shape[0], np.inf)
    np.maximum.at(largest, at, numbers[value])
    np.minimum.at(smallest, at, numbers[value])
    return np.where(largest >= smallest, largest - smallest, -1.0)
