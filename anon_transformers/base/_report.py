"""The report of a run, from what it published."""

from dataclasses import asdict
from typing import Any

from anon_transformers.base._coded_table import PublishedColumn
from anon_transformers.base._suppression import SuppressionResult
from anon_transformers.evidence import Report
from anon_transformers.metrics import (
    AverageRisk,
    HighestRisk,
    class_statistics,
    domain_share_loss,
)


def make_report(
    anonymizer: Any,
    published: list[PublishedColumn],
    settled: SuppressionResult,
    seconds: float,
) -> Report:
    """Put the numbers of a fitted anonymizer together."""
    classes, n_rows = settled.published, len(anonymizer.suppressed_mask_)
    names = [str(name) for name in anonymizer.roles_.quasi_identifiers]
    losses = [column.loss(anonymizer.suppressed_mask_) for column in published]
    return Report(
        method=type(anonymizer).__name__,
        rows=n_rows,
        suppressed_rows=n_rows - int(classes.kept().rows.sum()),
        extra_suppressed_rows=anonymizer.n_extra_suppressed_,
        classes=asdict(class_statistics(classes)),
        models=tuple(verdict.to_dict() for verdict in settled.verdicts),
        loss=domain_share_loss(losses),
        column_losses=dict(zip(names, losses, strict=True)),
        risk={m.name: m.measure(classes) for m in (AverageRisk(), HighestRisk())},
        seconds=seconds,
        details=anonymizer._details(),
    )
