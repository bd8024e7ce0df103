"""Offers the built-in metrics."""

from anon_transformers.hookspecs import hookimpl
from anon_transformers.metrics import (
    AverageClassSize,
    AverageJournalistRisk,
    AverageRisk,
    CorrelationDifference,
    Discernibility,
    Distinguishability,
    HighestJournalistRisk,
    HighestRisk,
    Loss,
    MarketerRisk,
    MeanChange,
    MeasureRisk,
    RecordsAtJournalistRisk,
    RecordsAtRisk,
    SquaredErrorShare,
    SuppressedShare,
)

METRICS = (
    AverageClassSize,
    AverageJournalistRisk,
    AverageRisk,
    CorrelationDifference,
    Discernibility,
    Distinguishability,
    HighestJournalistRisk,
    HighestRisk,
    Loss,
    MarketerRisk,
    MeanChange,
    MeasureRisk,
    RecordsAtJournalistRisk,
    RecordsAtRisk,
    SquaredErrorShare,
    SuppressedShare,
)


@hookimpl
def register_metrics(register):
    for metric in METRICS:
        register(metric.name, metric)
