"""What the metrics of data quality have in common."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar


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
