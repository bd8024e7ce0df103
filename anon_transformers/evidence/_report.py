"""What a run did, in numbers only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Report:
    """What a run did, in numbers only.

    Attributes
    ----------
    method : str
        Class name of the anonymizer.
    rows, suppressed_rows, extra_suppressed_rows : int
        Rows of the input; rows that show nothing but the label, or were dropped; those
        that satisfied every model and went only so that the suppressed class would
        satisfy them too.
    classes : mapping
        Sizes of the kept classes in rows, or in persons where these are known: count,
        smallest, largest, mean, variance; the rows that were kept.
    models : tuple of mappings
        Each model with its parameters, level and verdict.
    loss : float
        Domain-share loss.
    column_losses : mapping of str to float
        The loss of each quasi-identifier.
    risk : mapping of str to float
        Average and highest risk over the kept rows, or the persons in them.
    seconds : float
        Time to fit and recode.
    details : mapping
        What the method itself has to tell: levels, boxes.
    """

    method: str
    rows: int
    suppressed_rows: int
    extra_suppressed_rows: int
    classes: Mapping[str, float]
    models: tuple[Mapping[str, Any], ...]
    loss: float
    column_losses: Mapping[str, float]
    risk: Mapping[str, float]
    seconds: float
    details: Mapping[str, Any] = field(default_factory=dict)

    kind = "report"
