"""Numbers of a published table that every reader can compute again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.evidence import Classes
from anon_transformers.gx._threshold import Threshold
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics import (
    AverageRisk,
    HighestRisk,
    RecordsAtRisk,
    SuppressedShare,
    class_statistics,
    domain_share_loss,
    released_losses,
    size_histogram,
)

OF_PUBLISHED = "loss_of_published_rows"
"""Where rows are dropped: what is lost of the others, and not what the gate judges."""


def class_numbers(classes: Classes, rows_count: bool) -> dict[str, Any]:
    """Suppressed rows and classes; risks where rows are what is counted.

    Where persons are, sizes are still those of rows, and stand under names that say so.
    """
    statistics = asdict(class_statistics(classes))
    suppressed = statistics.pop("suppressed_rows")
    numbers: dict[str, Any] = {"suppressed_rows": suppressed}
    if not rows_count:
        numbers["classes"] = {"count": statistics["count"]}
        if statistics["count"]:
            numbers["classes_in_rows"] = statistics
            numbers["class_sizes_in_rows"] = size_histogram(classes)
        return numbers
    numbers["classes"] = statistics
    if statistics["count"]:
        numbers["class_sizes"] = size_histogram(classes)
        metrics = (AverageRisk(), HighestRisk(), RecordsAtRisk())
        numbers["risk"] = {metric.name: metric.measure(classes) for metric in metrics}
    return numbers


def counts_rows(threshold: Threshold) -> bool:
    """Whether a threshold is about rows, also where persons are counted."""
    return threshold.kind == "metric" and threshold.name == SuppressedShare.name


def losses(
    table: pd.DataFrame,
    quasi_identifiers: Sequence[str],
    hierarchies: Mapping[str, Any],
    suppression_label: str,
    n_rows: int | None = None,
    weights: np.ndarray | None = None,
) -> dict[str, Any]:
    """How much of its hierarchy each column covers, where a file has the hierarchy."""
    read = {name: h for name, h in hierarchies.items() if isinstance(h, Hierarchy)}
    found = (
        released_losses(table, read, suppression_label, n_rows, weights) if read else {}
    )
    if len(found) < len(quasi_identifiers):
        return {"column_losses": found}
    return {"column_losses": found, "loss": domain_share_loss(found.values())}
