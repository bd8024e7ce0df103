"""How much detail a release gave up."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from anon_transformers.evidence import Report


def domain_share_loss(column_losses: Iterable[float]) -> float:
    """Join the losses of the quasi-identifiers by a geometric mean.

    Each is the mean over all rows of the share of the attribute's domain that the
    published value covers, 0 for an untouched value, 1 for the root or a
    suppressed row. This is the loss that ARX reports by default.

    Examples
    --------
    >>> domain_share_loss([0.0, 0.0])
    0.0
    >>> domain_share_loss([1.0, 1.0])
    1.0
    """
    losses = list(column_losses)
    return math.prod(1 + loss for loss in losses) ** (1 / len(losses)) - 1


@dataclass(frozen=True)
class Loss:
    """Domain-share loss of the run, from its report."""

    name: ClassVar[str] = "loss"
    evidence: ClassVar[str] = "report"
    better: ClassVar[str] = "lower"

    def measure(self, evidence: Report) -> float:
        """0 if nothing was changed, 1 if everything was suppressed."""
        return evidence.loss
