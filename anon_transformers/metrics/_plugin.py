"""Offers the built-in metrics."""

from anon_transformers.hookspecs import hookimpl

METRICS = {
    "average-class-size": (
        "AverageClassSize",
        "Published rows by classes; the suppressed rows are one class.",
    ),
    "average-journalist-risk": (
        "AverageJournalistRisk",
        "Share of right guesses, by the better one of two attacks.",
    ),
    "average-risk": (
        "AverageRisk",
        "Mean over the kept rows of one divided by the size of the row's class.",
    ),
    "correlation-difference": (
        "CorrelationDifference",
        "Difference of the correlations of a published table from the original's.",
    ),
    "discernibility": (
        "Discernibility",
        "Mean share of the published rows that a row cannot be told from.",
    ),
    "distinguishability": (
        "Distinguishability",
        "How far a classifier gets in telling published rows from original ones.",
    ),
    "highest-journalist-risk": (
        "HighestJournalistRisk",
        "One divided by the smallest number of persons behind a class.",
    ),
    "highest-risk": ("HighestRisk", "One divided by the size of the smallest class."),
    "loss": (
        "Loss",
        "Share of the information that is lost: 0 for none, 1 for all of it.",
    ),
    "marketer-risk": (
        "MarketerRisk",
        "Mean over the kept rows of one divided by the persons behind the row's class.",
    ),
    "mean-change": (
        "MeanChange",
        "Largest change of a column's mean, in standard deviations of the original.",
    ),
    "measure-risk": (
        "MeasureRisk",
        "Kept rows whose risk is far above that of the table.",
    ),
    "records-at-journalist-risk": (
        "RecordsAtJournalistRisk",
        "Share of kept rows that can be mistaken for too few persons.",
    ),
    "records-at-risk": (
        "RecordsAtRisk",
        "Share of kept rows, or persons, whose own risk is above a threshold.",
    ),
    "squared-error-share": (
        "SquaredErrorShare",
        "SSE/SST on standardized data: the information loss of microaggregation.",
    ),
    "suppressed-share": (
        "SuppressedShare",
        "Share of rows whose quasi-identifiers are all suppressed.",
    ),
}


@hookimpl
def register_metrics(register):
    for name, (cls, summary) in METRICS.items():
        register(name, f"anon_transformers.metrics:{cls}", summary=summary)
