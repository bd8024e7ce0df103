"""Numbers that describe a release: loss, risk, class statistics, queries, quality."""

from typing import TYPE_CHECKING

from anon_transformers.lazy import lazy_names

if TYPE_CHECKING:
    from anon_transformers.metrics._aggregates import (
        AggregateAnswers,
        AnswerError,
        aggregate_answers,
        aggregate_query_error,
    )
    from anon_transformers.metrics._attribute_loss import (
        Loss,
        attribute_losses,
        domain_share_loss,
        information_loss,
        released_losses,
    )
    from anon_transformers.metrics._class_size import (
        AverageClassSize,
        average_class_size,
    )
    from anon_transformers.metrics._class_statistics import (
        ClassStatistics,
        class_statistics,
    )
    from anon_transformers.metrics._correlations import (
        CorrelationDifference,
        CorrelationDifferences,
        correlation_differences,
    )
    from anon_transformers.metrics._discernibility import Discernibility, discernibility
    from anon_transformers.metrics._distinguishability import (
        Distinguishability,
        Propensity,
        distinguishability,
    )
    from anon_transformers.metrics._entropy import (
        attribute_entropies,
        non_uniform_entropy,
    )
    from anon_transformers.metrics._height import (
        generalization_height,
        generalization_levels,
        generalization_precision,
    )
    from anon_transformers.metrics._intervals import Interval, parse_interval
    from anon_transformers.metrics._measure import Metric, measure
    from anon_transformers.metrics._measure_risk import (
        MeasureRisk,
        RiskOutliers,
        measure_risk,
    )
    from anon_transformers.metrics._moment_change import (
        MeanChange,
        MomentChanges,
        moment_changes,
    )
    from anon_transformers.metrics._population import match_population, weigh_population
    from anon_transformers.metrics._quality import QualityReport, quality
    from anon_transformers.metrics._risk import (
        AverageJournalistRisk,
        AverageRisk,
        HighestJournalistRisk,
        HighestRisk,
        MarketerRisk,
        RecordsAtJournalistRisk,
        RecordsAtRisk,
        Risk,
        SuppressedShare,
        journalist_risk,
        marketer_risk,
        prosecutor_risk,
    )
    from anon_transformers.metrics._size_histogram import size_histogram
    from anon_transformers.metrics._squared_error import (
        SquaredErrors,
        SquaredErrorShare,
        squared_error_share,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__, __file__)

__all__ = [
    "AggregateAnswers",
    "AnswerError",
    "AverageClassSize",
    "AverageJournalistRisk",
    "AverageRisk",
    "ClassStatistics",
    "CorrelationDifference",
    "CorrelationDifferences",
    "Discernibility",
    "Distinguishability",
    "HighestJournalistRisk",
    "HighestRisk",
    "Interval",
    "Loss",
    "MarketerRisk",
    "MeanChange",
    "MeasureRisk",
    "Metric",
    "MomentChanges",
    "Propensity",
    "QualityReport",
    "RecordsAtJournalistRisk",
    "RecordsAtRisk",
    "Risk",
    "RiskOutliers",
    "SquaredErrorShare",
    "SquaredErrors",
    "SuppressedShare",
    "aggregate_answers",
    "aggregate_query_error",
    "attribute_entropies",
    "attribute_losses",
    "average_class_size",
    "class_statistics",
    "correlation_differences",
    "discernibility",
    "distinguishability",
    "domain_share_loss",
    "generalization_height",
    "generalization_levels",
    "generalization_precision",
    "information_loss",
    "journalist_risk",
    "marketer_risk",
    "match_population",
    "measure",
    "measure_risk",
    "moment_changes",
    "non_uniform_entropy",
    "parse_interval",
    "prosecutor_risk",
    "quality",
    "released_losses",
    "size_histogram",
    "squared_error_share",
    "weigh_population",
]
