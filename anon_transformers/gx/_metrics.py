"""Metrics of Great Expectations that ask the registered models and metrics."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from great_expectations.core.metric_domain_types import MetricDomainTypes
from great_expectations.execution_engine import PandasExecutionEngine
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import (
    TableMetricProvider,
)

from anon_transformers.gx._judging import (
    Scope,
    discreetly,
    judge_table,
    measure_table,
)

MODEL_METRIC = "table.privacy_model"
METRIC_METRIC = "table.privacy_metric"
SCOPE_KEYS = ("quasi_identifiers", "sensitive", "subject", "suppression_label")


class TablePrivacyModel(TableMetricProvider):
    """Verdict of a registered privacy model on the whole table."""

    metric_name = MODEL_METRIC
    # No row condition: it could hide the rows that fail.
    domain_keys = ("batch_id", "table")
    value_keys = ("model", "params", *SCOPE_KEYS)

    @metric_value(engine=PandasExecutionEngine)
    @discreetly
    def _pandas(
        cls: Any,
        execution_engine: PandasExecutionEngine,
        metric_domain_kwargs: dict[str, Any],
        metric_value_kwargs: dict[str, Any],
        **_: Any,
    ) -> dict[str, Any]:
        asked = metric_value_kwargs
        table = _table(execution_engine, metric_domain_kwargs)
        return judge_table(table, asked["model"], asked["params"], _scope(asked))


class TablePrivacyMetric(TableMetricProvider):
    """Number that a registered metric gives for the whole table."""

    metric_name = METRIC_METRIC
    domain_keys = ("batch_id", "table")
    value_keys = ("metric", "params", *SCOPE_KEYS, "report")

    @metric_value(engine=PandasExecutionEngine)
    @discreetly
    def _pandas(
        cls: Any,
        execution_engine: PandasExecutionEngine,
        metric_domain_kwargs: dict[str, Any],
        metric_value_kwargs: dict[str, Any],
        **_: Any,
    ) -> dict[str, Any]:
        asked = metric_value_kwargs
        table = _table(execution_engine, metric_domain_kwargs)
        return measure_table(
            table, asked["metric"], asked["params"], _scope(asked), asked["report"]
        )


def _table(engine: PandasExecutionEngine, domain: dict[str, Any]) -> pd.DataFrame:
    table, *_ = engine.get_compute_domain(domain, domain_type=MetricDomainTypes.TABLE)
    return table


def _scope(asked: Mapping[str, Any]) -> Scope:
    return Scope(**{key: asked[key] for key in SCOPE_KEYS})
