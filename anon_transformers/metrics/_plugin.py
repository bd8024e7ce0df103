"""Offers the built-in metrics."""

from anon_transformers.hookspecs import hookimpl
from anon_transformers.metrics import (
    AverageClassSize,
    AverageJournalistRisk,
    AverageRisk,
    Discernibility,
    HighestJournalistRisk,
    HighestRisk,
    Loss,
    MarketerRisk,
    RecordsAtJournalistRisk,
    RecordsAtRisk,
    SuppressedShare,
)

METRICS = (
    AverageClassSize,
    AverageJournalistRisk,
    AverageRisk,
    Discernibility,
    HighestJournalistRisk,
    HighestRisk,
    Loss,
    MarketerRisk,
    RecordsAtJournalistRisk,
    RecordsAtRisk,
    SuppressedShare,
)


@hookimpl
def register_metrics(register):
    for metric in METRICS:
        register(metric.name, metric)
