"""What a metric is, and how it is taken."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from anon_transformers.exceptions import NotEvaluable


@runtime_checkable
class Metric(Protocol):
    """A frozen dataclass that turns evidence into one number.

    Attributes
    ----------
    name : str
        Its name in configurations: lower case with hyphens.
    evidence : str
        "classes" for the published equivalence classes, "report" for the
        report of the run, "linkage" for the original beside the published table.
    better : {"higher", "lower"}
        Which number is the better one.
    """

    name: ClassVar[str]
    evidence: ClassVar[str]
    better: ClassVar[str]

    def measure(self, evidence: Any) -> float:
        """Take the number."""
        ...


def measure(metric: Metric, evidence: Any) -> float:
    """Take a metric; what cannot be evaluated raises.

    Raises
    ------
    NotEvaluable
        If the evidence is of another kind, or the metric gives no finite number.
    """
    kind = getattr(evidence, "kind", None)
    if kind != metric.evidence:
        raise NotEvaluable(f"{metric.name} needs the {metric.evidence}, not {kind}.")
    value = float(metric.measure(evidence))
    if not math.isfinite(value):
        raise NotEvaluable(f"{metric.name} gives no number for this table.")
    return value


@dataclass(frozen=True)
class QualityMetric:
    """Base of metrics that compare a published table with its original.

    Parameters
    ----------
    columns : sequence, optional
        Columns to compare; by default all that both tables have.
    """

    columns: Sequence[Hashable] | None = None
    evidence: ClassVar[str] = "linkage"
    better: ClassVar[str] = "lower"

    def __post_init__(self) -> None:
        # A configuration has a list, which no frozen value can hold.
        if isinstance(self.columns, str):
            object.__setattr__(self, "columns", (self.columns,))
        elif self.columns is not None:
            object.__setattr__(self, "columns", tuple(self.columns))
