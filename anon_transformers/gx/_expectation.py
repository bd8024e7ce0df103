"""What the expectations of this package share: their metrics and base classes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, TypeAlias

from great_expectations.compatibility import pydantic
from great_expectations.core.suite_parameters import SuiteParameterDict
from great_expectations.execution_engine import (
    PandasExecutionEngine,
    SparkDFExecutionEngine,
    SqlAlchemyExecutionEngine,
)
from great_expectations.expectations.expectation import (
    BatchExpectation,
    render_suite_parameter_string,
)
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import (
    TableMetricProvider,
)
from great_expectations.expectations.model_field_types import ConditionParser
from great_expectations.expectations.row_conditions import (
    Condition,
    RowConditionType,
    deserialize_row_condition,
)
from great_expectations.render import LegacyRendererType, RenderedStringTemplateContent
from great_expectations.render.renderer.renderer import renderer
from great_expectations.render.renderer_configuration import (
    RendererConfiguration,
    RendererValueType,
)
from great_expectations.validator.metric_configuration import MetricConfiguration

from anon_transformers.engines import Engine
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import NotEvaluable, unknown_choice
from anon_transformers.gx._conditions import (
    Table,
    condition_text,
    judged_rows,
    rows_of,
)
from anon_transformers.gx._judging import (
    Scope,
    attack_table,
    build,
    discreetly,
    judge_table,
    judged_elsewhere,
    measure_table,
    open_once,
    refuse_part,
)
from anon_transformers.gx._sentences import Sentence, model_sentence, on_part

MODEL_METRIC = "table.privacy_model"
METRIC_METRIC = "table.privacy_metric"
ATTACK_METRIC = "table.privacy_attack"
SCOPE = ("quasi_identifiers", "sensitive", "subject", "suppression_label")
BOUNDS = {"min_value": "min", "max_value": "max"}
"""Arguments that bound a number, and what results call them."""
MEANINGLESS = {
    "mostly": (
        "a privacy model holds for every class or it protects nobody in those that "
        "fail; ask ExpectPrivacyMetricToBeBetween for a share that may"
    ),
    "ignore_row_if": "a missing value is a value of its own, and no row is ignored",
    "column_list": "name the columns in quasi_identifiers and sensitive",
    "unexpected_index_column_names": "a result names no rows, for they are persons",
}
"""Arguments of other expectations, and why these have none of them."""


DOMAIN = ("batch_id", "table", "row_condition", "condition_parser")


class _TableMetric(TableMetricProvider):
    """Number or verdict on a table, or the reason why there is none.

    A reason is an answer: Great Expectations would print the trace of an error.
    """

    domain_keys = DOMAIN

    @metric_value(engine=PandasExecutionEngine)
    def _pandas(
        cls: Any,
        execution_engine: PandasExecutionEngine,
        metric_domain_kwargs: dict[str, Any],
        metric_value_kwargs: dict[str, Any],
        **_: Any,
    ) -> dict[str, Any]:
        table = judged_elsewhere()
        rows: Callable[[Any], Table] = partial(rows_of, execution_engine)
        if table is not None:
            rows = partial(_whole, table)
        return cls._answer_or_reason(rows, metric_domain_kwargs, metric_value_kwargs)

    @metric_value(engine=SqlAlchemyExecutionEngine)
    def _sql(
        cls: Any,
        execution_engine: SqlAlchemyExecutionEngine,
        metric_domain_kwargs: dict[str, Any],
        metric_value_kwargs: dict[str, Any],
        **_: Any,
    ) -> dict[str, Any]:
        from anon_transformers.engines import SQLTable  # who is here has SQLAlchemy

        with execution_engine.get_connection() as connection:

            def rows(domain: dict[str, Any]) -> SQLTable:
                selected = rows_of(execution_engine, domain)
                return SQLTable(connection, selectable=selected)

            return cls._answer_or_reason(
                rows, metric_domain_kwargs, metric_value_kwargs
            )

    @metric_value(engine=SparkDFExecutionEngine)
    def _spark(
        cls: Any,
        execution_engine: SparkDFExecutionEngine,
        metric_domain_kwargs: dict[str, Any],
        metric_value_kwargs: dict[str, Any],
        **_: Any,
    ) -> dict[str, Any]:
        def rows(domain: dict[str, Any]) -> Engine:
            engine = open_once(rows_of(execution_engine, domain))
            if engine is None:  # judged as something else it might pass
                raise NotEvaluable("the batch is no data frame of Spark.")
            return engine

        return cls._answer_or_reason(rows, metric_domain_kwargs, metric_value_kwargs)

    @classmethod
    def _answer_or_reason(
        cls, rows: Callable[[Any], Table], domain: dict[str, Any], asked: Any
    ) -> dict[str, Any]:
        try:
            return cls._answer(rows, domain, asked)
        except NotEvaluable as error:
            return {"reason": str(error)}

    @classmethod
    @discreetly
    def _answer(
        cls, rows: Callable[[Any], Table], domain: dict[str, Any], asked: Any
    ) -> dict[str, Any]:
        table, n_rows = judged_rows(rows, domain)
        condition = condition_text(domain.get("row_condition"))
        if condition is not None:
            refuse_part(*cls._asked(asked))
        found = cls._judge(table, asked)
        if condition is not None:
            found["part"] = {"row_condition": condition, "of_rows": n_rows}
        return found

    @classmethod
    def _asked(cls, asked: Mapping[str, Any]) -> tuple[str, Any]:
        raise NotImplementedError

    @classmethod
    def _judge(cls, table: Table, asked: Mapping[str, Any]) -> dict[str, Any]:
        raise NotImplementedError


def _whole(table: Engine, domain: Mapping[str, Any]) -> Engine:
    """A table that is only counted; it has no part."""
    if domain.get("row_condition"):
        raise NotEvaluable("a part of a table that is only counted is not judged.")
    return table


class TablePrivacyModel(_TableMetric):
    """Verdict of a registered privacy model on a table or a part of it."""

    metric_name = MODEL_METRIC
    value_keys = ("model", "params", *SCOPE)

    @classmethod
    def _asked(cls, asked: Mapping[str, Any]) -> tuple[str, Any]:
        return "model", asked["model"]

    @classmethod
    def _judge(cls, table: Table, asked: Mapping[str, Any]) -> dict[str, Any]:
        return judge_table(table, asked["model"], asked["params"], _scope(asked))


class TablePrivacyMetric(_TableMetric):
    """Number that a registered metric gives for a table or a part of it."""

    metric_name = METRIC_METRIC
    value_keys = ("metric", "params", *SCOPE, "report")

    @classmethod
    def _asked(cls, asked: Mapping[str, Any]) -> tuple[str, Any]:
        return "metric", asked["metric"]

    @classmethod
    def _judge(cls, table: Table, asked: Mapping[str, Any]) -> dict[str, Any]:
        return measure_table(
            table, asked["metric"], asked["params"], _scope(asked), asked["report"]
        )


class TablePrivacyAttack(_TableMetric):
    """Share of a table that a registered attack exposes."""

    metric_name = ATTACK_METRIC
    value_keys = ("attack", "params", *SCOPE, "control")

    @classmethod
    def _asked(cls, asked: Mapping[str, Any]) -> tuple[str, Any]:
        return "attack", asked["attack"]

    @classmethod
    def _judge(cls, table: Table, asked: Mapping[str, Any]) -> dict[str, Any]:
        return attack_table(
            table, asked["attack"], asked["params"], _scope(asked), asked["control"]
        )


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

    With a row condition the rows that meet it are judged as if they were the table, and
    sentence and result say so; the gate of a release counts that for no threshold.
    """

    quasi_identifiers: Columns
    subject: Column | SuiteParameterDict | None = None
    suppression_label: Name = SUPPRESSED
    row_condition: RowConditionType = None
    condition_parser: ConditionParser | None = None

    domain_keys: ClassVar[tuple[str, ...]] = (
        "batch_id",
        "row_condition",
        "condition_parser",
    )

    @pydantic.root_validator(pre=True)
    def _known_arguments(cls, values):
        for name in values:
            if name in cls.__fields__:
                continue
            if name in MEANINGLESS:
                raise ValueError(f"{name} has no meaning here: {MEANINGLESS[name]}.")
            legal = [*cls.__fields__]
            raise ValueError(unknown_choice("argument", name, legal))
        return values

    @pydantic.validator("row_condition", pre=True)
    def _a_condition(cls, value):
        # Anything else would be bent into a text, and that taken for a query.
        if value is None or isinstance(value, Condition | dict | str):
            return deserialize_row_condition(value)
        raise ValueError(
            "expected a condition, such as Column('age') > 20 of "
            "great_expectations.expectations.row_conditions."
        )

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
                metric_domain_kwargs=self._domain(),
                metric_value_kwargs=asked,
            ),
        )
        return dependencies

    def _domain(self) -> dict[str, Any]:
        """What is judged: a batch, or the rows of it that meet the condition."""
        whole = {"batch_id": self.batch_id}
        if self.row_condition is None:
            return whole
        condition = self.row_condition
        return {
            **whole,
            "row_condition": condition.dict(),
            "condition_parser": self.condition_parser,
        }

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
        if "reason" in details:
            return f"not evaluated: {details['reason']}"
        if "failing" in details:
            count = f"{details['failing']} of {details['units']} {details['unit']}"
            shown = f"{shown} ({count} fail)"
        if "part" in details:
            rows = f"{details['rows']} of {details['part']['of_rows']} rows"
            shown = f"{shown}, judged on {rows}"
        return shown


def not_evaluated(found: Mapping[str, Any]) -> dict[str, Any]:
    """The result of what could not be judged: it fails, and says why."""
    result = {"observed_value": None, "details": {"reason": found["reason"]}}
    return {"success": False, "result": result}


class ModelExpectation(PrivacyExpectation, ABC):
    """Ask whether a privacy model holds."""

    def _validate(self, metrics, runtime_configuration=None, execution_engine=None):
        name, _ = self.question()
        found = dict(metrics[name])
        if "reason" in found:
            return not_evaluated(found)
        return {
            "success": found.pop("passed"),
            "result": {"observed_value": found.pop("observed"), "details": found},
        }


class NumberExpectation(PrivacyExpectation, ABC):
    """Ask for a number, and judge it by the bounds that are given.

    A subclass names the metric that answers, and says what its bounds allow.
    """

    answers: ClassVar[str]

    params: dict = pydantic.Field({})
    sensitive: Columns = pydantic.Field([])

    def question(self) -> tuple[str, dict[str, Any]]:
        """The metric that answers, and what it is asked."""
        asked = [key for key in self.success_keys if key not in BOUNDS]
        return self.answers, {key: getattr(self, key) for key in asked}

    @abstractmethod
    def allows(self, value: float) -> bool:
        """Whether the bounds allow a number."""

    def _validate(self, metrics, runtime_configuration=None, execution_engine=None):
        found = dict(metrics[self.answers])
        if "reason" in found:
            return not_evaluated(found)
        value = found.pop("observed")
        stated = [key for key in BOUNDS if key in self.success_keys]
        bounds = {BOUNDS[key]: getattr(self, key) for key in stated}
        found["judged"] = {**found["judged"], **bounds}
        return {
            "success": bool(self.allows(value)),
            "result": {"observed_value": value, "details": found},
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
        asked = model_sentence(
            cls.model_name,
            cls._stated(arguments),
            arguments.get("quasi_identifiers"),
            arguments.get("sensitive"),
            arguments.get("subject"),
        )
        return on_part(asked, condition_text(arguments.get("row_condition")))


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
