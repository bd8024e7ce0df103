"""Numbers that describe a release: loss, risk, class statistics."""

from anon_transformers._lazy import lazy_names

__all__ = [
    "AverageRisk",
    "ClassStatistics",
    "HighestRisk",
    "Loss",
    "Metric",
    "RecordsAtRisk",
    "SuppressedShare",
    "class_statistics",
    "domain_share_loss",
    "measure",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "AverageRisk": "anon_transformers.metrics._risk",
        "ClassStatistics": "anon_transformers.metrics._class_statistics",
        "HighestRisk": "anon_transformers.metrics._risk",
        "Loss": "anon_transformers.metrics._loss",
        "Metric": "anon_transformers.metrics._measure",
        "RecordsAtRisk": "anon_transformers.metrics._risk",
        "SuppressedShare": "anon_transformers.metrics._risk",
        "class_statistics": "anon_transformers.metrics._class_statistics",
        "domain_share_loss": "anon_transformers.metrics._loss",
        "measure": "anon_transformers.metrics._measure",
    },
)
