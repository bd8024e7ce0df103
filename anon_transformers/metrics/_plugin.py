"""Offers the built-in metrics."""

from anon_transformers.hookspecs import hookimpl
from anon_transformers.metrics import (
    AverageRisk,
    HighestRisk,
    Loss,
    RecordsAtRisk,
    SuppressedShare,
)


@hookimpl
def register_metrics(register):
    for metric in (AverageRisk, HighestRisk, Loss, RecordsAtRisk, SuppressedShare):
        register(metric.name, metric)
