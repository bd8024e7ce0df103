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
    build,
    discreetly,
    judge_table,
    measure_table,
)
from anon_transformers.gx._sentences import Sentence, model_sentence

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
Texts: TypeAlias = list[pydantic.StrictStr] | SuiteParameterDict
Cell: TypeAlias = (
    pydantic.StrictStr
    | pydantic.StrictInt
    | pydantic.StrictFloat
    | pydantic.StrictBool
    | SuiteParameterDict
)


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


class TableExpectation(ModelExpectation):
    """Ask whether one model holds; its parameters are the arguments.

    A subclass names the model and declares the arguments, which have the names and the
    defaults of the model's parameters; ``column`` alone gives what models call
    ``sensitive``. What the model refuses is refused at once, and what comes at run time
    is refused there.
    """

    model_name: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        judged = [name for name in SCOPE if name in cls.__fields__]
        cls.success_keys = (*cls.arguments(), *judged)
        cls.args_keys = tuple(
            name
            for name in (*judged, *cls.arguments())
            if cls.__fields__[name].required
        )

    @classmethod
    def is_abstract(cls) -> bool:
        """Whether this names no model, and is no expectation itself."""
        return not hasattr(cls, "model_name") or super().is_abstract()

    @classmethod
    def arguments(cls) -> dict[str, str]:
        """Parameters of the model, by the argument that gives each."""
        shared = {*PrivacyExpectation.__fields__, "sensitive"}
        own = [name for name in cls.__fields__ if name not in shared]
        return {name: "sensitive" if name == "column" else name for name in own}

    @classmethod
    def _stated(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters of the model that are given."""
        arguments = cls.arguments()
        return {
            arguments[name]: value
            for name, value in given.items()
            if name in arguments and value is not None
        }

    @pydantic.root_validator(skip_on_failure=True)
    def _model_takes_them(cls, values):
        stated = cls._stated(values)
        for name, value in stated.items():
            if isinstance(value, Mapping) and not is_parameter(value):
                raise ValueError(f"{name}: expected a value or a $PARAMETER.")
        if not any(map(is_parameter, stated.values())):
            build("model", cls.model_name, stated)
        return values

    def question(self) -> tuple[str, dict[str, Any]]:
        """The metric that answers, and what it is asked."""
        return MODEL_METRIC, {
            "model": self.model_name,
            "params": self._stated(dict(self)),
            **{key: getattr(self, key, []) for key in SCOPE},
        }

    @classmethod
    def sentence(cls, arguments: Mapping[str, Any]) -> Sentence:
        """What is asked, in words."""
        return model_sentence(
            cls.model_name,
            cls._stated(arguments),
            arguments.get("quasi_identifiers"),
            arguments.get("sensitive"),
            arguments.get("subject"),
        )


class SensitiveExpectation(TableExpectation):
    """Ask a model of the sensitive values of every class."""

    sensitive: Columns
    column: Column | SuiteParameterDict | None = None
    multiple: Name = "each"
    missing_marks: Texts | None = None


class ReferenceExpectation(SensitiveExpectation):
    """Ask a model that compares every class with a whole table."""

    reference: Name = "input"


class FuzzyExpectation(TableExpectation):
    """Ask a model of the sensitive values of fuzzy classes."""

    sensitive: Columns
    column: Column | SuiteParameterDict | None = None
    cardinality: Name = "non-fuzzy"
    missing_marks: Texts | None = None
