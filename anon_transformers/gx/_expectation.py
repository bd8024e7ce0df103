"""What the expectations of this package share: their metrics and base classes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, TypeAlias

import pandas as pd
from great_expectations.compatibility import pydantic
from great_expectations.core.metric_domain_types import MetricDomainTypes
from great_expectations.core.suite_parameters import SuiteParameterDict
from great_expectations.execution_engine import PandasExecutionEngine
from great_expectations.expectations.expectation import (
    BatchExpectation,
    render_suite_parameter_string,
)
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import (
    TableMetricProvider,
)
from great_expectations.render import LegacyRendererType, RenderedStringTemplateContent
from great_expectations.render.renderer.renderer import renderer
from great_expectations.render.renderer_configuration import (
    RendererConfiguration,
    RendererValueType,
)
from great_expectations.validator.metric_configuration import MetricConfiguration

from anon_transformers.evidence import SUPPRESSED
from anon_transformers.gx._judging import (
    Scope,
    discreetly,
    judge_table,
    measure_table,
)
from anon_transformers.gx._threshold import Sentence, model_sentence

MODEL_METRIC = "table.privacy_model"
METRIC_METRIC = "table.privacy_metric"
SCOPE = ("quasi_identifiers", "sensitive", "subject", "suppression_label")


class TablePrivacyModel(TableMetricProvider):
    """Verdict of a registered privacy model on the whole table."""

    metric_name = MODEL_METRIC
    # No row condition: it could hide the rows that fail.
    domain_keys = ("batch_id", "table")
    value_keys = ("model", "params", *SCOPE)

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
    value_keys = ("metric", "params", *SCOPE, "report")

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
    return Scope(**{key: asked[key] for key in SCOPE})


# Strict: a threshold that is bent into another type could ask for less.
Whole: TypeAlias = pydantic.StrictInt | SuiteParameterDict
Number: TypeAlias = pydantic.StrictInt | pydantic.StrictFloat | SuiteParameterDict
Name: TypeAlias = pydantic.StrictStr | SuiteParameterDict
Column: TypeAlias = pydantic.StrictStr | pydantic.StrictInt
Columns: TypeAlias = list[Column] | SuiteParameterDict


def is_parameter(value: Any) -> bool:
    """Whether a value comes at run time."""
    return isinstance(value, Mapping) and "$PARAMETER" in value


class PrivacyExpectation(BatchExpectation, ABC):
    """Ask one metric about a table; its thresholds have no defaults.

    It takes no row condition, which could hide the rows that fail.
    """

    quasi_identifiers: Columns
    subject: Column | SuiteParameterDict | None = None
    suppression_label: Name = SUPPRESSED

    domain_keys: ClassVar[tuple[str, ...]] = ("batch_id",)

    @pydantic.validator("quasi_identifiers", "sensitive", check_fields=False)
    def _no_column_twice(cls, value):
        if not is_parameter(value) and isinstance(value, dict):
            raise ValueError("expected a list of columns or a $PARAMETER.")
        if isinstance(value, list) and len(set(value)) < len(value):
            raise ValueError("a column is named twice.")
        return value

    @pydantic.validator("quasi_identifiers")
    def _at_least_one_column(cls, value):
        if not value:
            raise ValueError("name at least one column.")
        return value

    @abstractmethod
    def question(self) -> tuple[str, dict[str, Any]]:
        """The metric that answers, and what it is asked."""

    @classmethod
    @abstractmethod
    def sentence(cls, arguments: Mapping[str, Any]) -> Sentence:
        """What is asked, in words; ``arguments`` lack those equal to a default."""

    def get_validation_dependencies(
        self, execution_engine=None, runtime_configuration=None
    ):
        """Ask for the metric with every argument, defaults too."""
        dependencies = super().get_validation_dependencies(
            execution_engine=execution_engine,
            runtime_configuration=runtime_configuration,
        )
        name, asked = self.question()
        dependencies.set_metric_configuration(
            metric_name=name,
            metric_configuration=MetricConfiguration(
                metric_name=name,
                metric_domain_kwargs={"batch_id": self.batch_id},
                metric_value_kwargs=asked,
            ),
        )
        return dependencies

    @classmethod
    def _prescriptive_template(
        cls, renderer_configuration: RendererConfiguration
    ) -> RendererConfiguration:
        sentence = cls.sentence(renderer_configuration.kwargs)
        for name, text in sentence.parts.items():
            renderer_configuration.add_param(name, RendererValueType.STRING, text)
        renderer_configuration.template_str = sentence.template
        return renderer_configuration

    @classmethod
    @renderer(renderer_type=LegacyRendererType.PRESCRIPTIVE)
    @render_suite_parameter_string
    def _prescriptive_renderer(
        cls, configuration=None, result=None, runtime_configuration=None
    ) -> list[RenderedStringTemplateContent]:
        config = configuration or result.expectation_config
        sentence = cls.sentence(config.kwargs)
        return [
            RenderedStringTemplateContent(
                content_block_type="string_template",
                string_template={
                    "template": sentence.template,
                    "params": dict(sentence.parts),
                    "styling": (runtime_configuration or {}).get("styling", {}),
                },
            )
        ]

    @classmethod
    def _get_observed_value_from_evr(cls, result) -> str:
        """The level, and how many classes fail."""
        shown = super()._get_observed_value_from_evr(result)
        details = (result.result or {}).get("details", {}) if result else {}
        if "failing" not in details:
            return shown
        count = f"{details['failing']} of {details['units']} {details['unit']}"
        return f"{shown} ({count} fail)"


class ModelExpectation(PrivacyExpectation, ABC):
    """Ask whether a privacy model holds."""

    def _validate(self, metrics, runtime_configuration=None, execution_engine=None):
        name, _ = self.question()
        found = dict(metrics[name])
        return {
            "success": found.pop("passed"),
            "result": {"observed_value": found.pop("observed"), "details": found},
        }


class FuzzyExpectation(ModelExpectation):
    """Ask a model of memberships, which only the run that made the table knows.

    Hand them over with ``private_evidence(PrivateEvidence(degrees=…))``, as a release
    does. Without them the expectation fails.
    """

    sensitive: Columns = pydantic.Field([])

    model_name: ClassVar[str]
    model_params: ClassVar[Mapping[str, str]]
    """Parameters of the model, by the argument of the expectation that gives each."""

    def question(self) -> tuple[str, dict[str, Any]]:
        """The metric that answers, and what it is asked."""
        given = {p: getattr(self, a) for a, p in self.model_params.items()}
        return MODEL_METRIC, {
            "model": self.model_name,
            "params": {
                name: value for name, value in given.items() if value is not None
            },
            **{key: getattr(self, key) for key in SCOPE},
        }

    @classmethod
    def sentence(cls, arguments: Mapping[str, Any]) -> Sentence:
        """What is asked, in words."""
        asked = {
            parameter: arguments[argument]
            for argument, parameter in cls.model_params.items()
            if arguments.get(argument) is not None
        }
        return model_sentence(cls.model_name, asked, None, of_classes=False)


def at_least_one(value: Whole) -> Whole:
    """Refuse a count below 1; what comes at run time is checked there."""
    if not is_parameter(value) and (isinstance(value, dict) or value < 1):
        raise ValueError("expected a whole number of at least 1.")
    return value
