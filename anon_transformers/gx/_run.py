"""One run of a suite on a table, in a Great Expectations context of its own.

Great Expectations drops what it does not know and goes on. Here that is an error.
"""

import copy
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import great_expectations
import pandas as pd
from great_expectations.data_context.data_context.context_factory import (
    project_manager,
)
from great_expectations.exceptions import DataContextRequiredError
from great_expectations.expectations.registry import get_expectation_impl

from anon_transformers.exceptions import NotEvaluable
from anon_transformers.gx import expectations
from anon_transformers.gx._threshold import KINDS
from anon_transformers.gx.expect_privacy_attack_to_expose_at_most import (
    ExpectPrivacyAttackToExposeAtMost,
)
from anon_transformers.gx.expect_privacy_metric_to_be_between import (
    ExpectPrivacyMetricToBeBetween,
)
from anon_transformers.gx.expect_privacy_model_to_hold import ExpectPrivacyModelToHold
from anon_transformers.parameters import is_number

OUR_EXPECTATIONS = {
    cls.expectation_type: cls
    for cls in (
        *(getattr(expectations, name) for name in expectations.__all__),
        ExpectPrivacyModelToHold,
        ExpectPrivacyMetricToBeBetween,
        ExpectPrivacyAttackToExposeAtMost,
    )
}
# The context and the loggers belong to the process.
_LOCK = threading.RLock()


@dataclass(frozen=True)
class Outcome:
    """What came of one expectation, in safe words.

    Attributes
    ----------
    type : str
        Its registered name.
    passed : bool
        It was evaluated and holds.
    asked : tuple or None
        Kind and name of what is judged by, if the expectation is one of ours.
    observed : number or None
        Level or value.
    found : mapping
        What our metric says it judged and counted; empty if it did not get there.
    reason : str or None
        Why it could not be evaluated.
    """

    type: str
    passed: bool
    asked: tuple[str, Any] | None = None
    observed: int | float | None = None
    found: Mapping[str, Any] = field(default_factory=dict)
    reason: str | None = None


def run_suite(
    frame: pd.DataFrame, suite: Mapping[str, Any], parameters: Mapping[str, Any]
) -> list[Outcome]:
    """Evaluate every expectation that ``suite`` lists, or raise."""
    listed = Counter(expectation["type"] for expectation in suite["expectations"])
    with _LOCK, _own_context() as context:
        loaded = great_expectations.ExpectationSuite(**copy.deepcopy(dict(suite)))
        registered = Counter(e.expectation_type for e in loaded.expectations)
        _refuse_lost(listed, registered, "is not registered")
        _refuse_impostors(registered)
        source = context.data_sources.add_pandas("gate")
        asset = source.add_dataframe_asset("candidate")
        batch = asset.add_batch_definition_whole_dataframe("all").get_batch(
            {"dataframe": frame}
        )
        result = batch.validate(
            loaded, result_format="BASIC", expectation_parameters=dict(parameters)
        )
    evaluated = Counter(r.expectation_config.type for r in result.results)
    _refuse_lost(listed, evaluated, "was not evaluated")
    outcomes = [_outcome(single) for single in result.results]
    if not result.success and all(outcome.passed for outcome in outcomes):
        raise NotEvaluable("the suite failed, and no expectation of it did.")
    return outcomes


def _refuse_lost(
    listed: Mapping[str, int], found: Mapping[str, int], what: str
) -> None:
    lost = sorted(kind for kind in listed if found.get(kind, 0) < listed[kind])
    if lost:
        raise NotEvaluable(f"{', '.join(lost)} of the suite {what}.")
    if found != listed:
        raise NotEvaluable("the suite evaluated more than it lists.")


def _refuse_impostors(registered: Mapping[str, int]) -> None:
    for kind in registered:
        if (
            kind in OUR_EXPECTATIONS
            and get_expectation_impl(kind) is not OUR_EXPECTATIONS[kind]
        ):
            raise NotEvaluable(f"{kind} was registered anew by another class.")


def _outcome(single: Any) -> Outcome:
    config = single.expectation_config
    reason = _reason(single.exception_info or {})
    passed = single.success is True and reason is None
    if config.type not in OUR_EXPECTATIONS:
        return Outcome(config.type, passed, reason=reason)
    asked = ("model", getattr(OUR_EXPECTATIONS[config.type], "model_name", None))
    for kind in KINDS:
        if kind in config.kwargs:
            asked = (kind, config.kwargs[kind])
    result = single.result or {}
    found, observed = result.get("details") or {}, result.get("observed_value")
    if reason is None and "reason" in found:
        passed, reason = False, str(found["reason"])
    if reason is None and (not found or not is_number(observed)):
        passed, reason = False, "the result holds no observed value."
    return Outcome(config.type, passed, asked, observed, found, reason)


def _reason(info: Mapping[str, Any]) -> str | None:
    """Why there was no evaluation; what Great Expectations says could quote a cell."""
    raised = [info] if "raised_exception" in info else list(info.values())
    if not any(one["raised_exception"] for one in raised):
        return None
    return "it could not be evaluated."


@contextmanager
def _own_context() -> Iterator[Any]:
    """A context in memory; the process gets back the one that it had."""
    try:
        before = project_manager._project  # has no public reader in older versions
    except DataContextRequiredError:
        before = None
    try:
        context = great_expectations.get_context(mode="ephemeral")
        context.variables.progress_bars = {"globally": False}
        yield context
    finally:
        project_manager.set_project(before)
