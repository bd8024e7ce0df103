"""Expect a registered metric to lie between two bounds."""

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.compatibility import pydantic

from anon_transformers.gx._conditions import condition_text
from anon_transformers.gx._expectation import (
    METRIC_METRIC,
    Name,
    Number,
    NumberExpectation,
    is_parameter,
)
from anon_transformers.gx._judging import judges_classes
from anon_transformers.gx._sentences import Sentence, metric_sentence, on_part


class ExpectPrivacyMetricToBeBetween(NumberExpectation):
    """Expect a registered metric, also one of a plugin, to lie between two bounds.

    Parameters
    ----------
    metric : str
        Its name in the registry, such as "average-risk".
    params : dict, default={}
        Its parameters.
    quasi_identifiers : list of columns
        What an intruder may know. A missing value is a value of its own.
    min_value, max_value : number, optional
        The bounds, which belong to what is allowed; at least one.
    sensitive : list of columns, default=[]
        What an intruder wants to know.
    subject : column, optional
        Tells persons apart, so that persons are counted, not rows.
    suppression_label : str, default="*"
        The label of a suppressed cell.
    report : dict, optional
        Fields of the report of the run, for metrics that are taken from it.
    row_condition : condition, optional
        Judge the rows that meet it as if they were the table, and say so.

    Notes
    -----
    Each but the condition may be given as ``{"$PARAMETER": name}``. An unknown metric
    or parameter gives a failing result, for the suite may be read where a plugin is not
    installed.

    Examples
    --------
    >>> asked = ExpectPrivacyMetricToBeBetween(
    ...     metric="average-risk", quasi_identifiers=["age"], max_value=0.1
    ... )
    >>> str(asked.sentence(asked.configuration.kwargs))
    'average-risk must be at most 0.1, judged on age.'
    """

    answers: ClassVar[str] = METRIC_METRIC

    metric: Name
    min_value: Number | None = None
    max_value: Number | None = None
    report: dict | None = None

    success_keys: ClassVar[tuple[str, ...]] = (
        "metric",
        "params",
        "quasi_identifiers",
        "min_value",
        "max_value",
        "sensitive",
        "subject",
        "suppression_label",
        "report",
    )
    args_keys: ClassVar[tuple[str, ...]] = ("metric", "params", "quasi_identifiers")

    @pydantic.validator("min_value", "max_value")
    def _finite(cls, value):
        if value is None or is_parameter(value):
            return value
        if isinstance(value, dict) or not math.isfinite(value):
            raise ValueError("a bound must be a finite number.")
        return value

    @pydantic.root_validator(skip_on_failure=True)
    def _at_least_one_bound(cls, values):
        if values.get("min_value") is None and values.get("max_value") is None:
            raise ValueError("give min_value, max_value or both.")
        return values

    def allows(self, value: float) -> bool:
        """Whether a number lies between the bounds."""
        low = self.min_value is None or value >= self.min_value
        high = self.max_value is None or value <= self.max_value
        return low and high

    @classmethod
    def sentence(cls, arguments: Mapping[str, Any]) -> Sentence:
        """What is asked, in words."""
        asked = metric_sentence(
            arguments.get("metric"),
            arguments.get("params"),
            arguments.get("quasi_identifiers"),
            arguments.get("min_value"),
            arguments.get("max_value"),
            sensitive=arguments.get("sensitive"),
            of_classes=judges_classes("metric", arguments.get("metric")),
        )
        return on_part(asked, condition_text(arguments.get("row_condition")))
