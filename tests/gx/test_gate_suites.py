"""Suites that ask for something else, and answers that are not so, fail the gate."""

import importlib
import logging

import pytest

from anon_transformers.gx import Threshold, suite_for
from anon_transformers.gx.gate import _SILENCE

gx = pytest.importorskip("great_expectations")
pytestmark = pytest.mark.gx

RISK = Threshold("average-risk", "metric", "average-risk", {"max": 0.5})


def wants_k(k):
    return Threshold("k-anonymity", "model", "k-anonymity", {"k": k})


@pytest.fixture
def meddle(monkeypatch):
    """Change what Great Expectations answers."""
    from great_expectations.datasource.fluent.interfaces import Batch

    true = Batch.validate

    def run(change, **forced):
        def validate(self, *args, **kwargs):
            result = true(self, *args, **{**kwargs, **forced})
            change(result)
            return result

        monkeypatch.setattr(Batch, "validate", validate)

    return run


# Suites that ask for something else, or for nothing.


def edited(change, *thresholds):
    suite = suite_for("release", thresholds or [wants_k(2)])
    change(suite["expectations"])
    return suite


def test_an_empty_suite_fails(ask, people):
    result = ask(people, wants_k(1), suite=edited(list.clear))
    assert result.reasons == ("the suite lists no expectation",)


def test_an_unknown_expectation_fails(ask, people, caplog):
    """Great Expectations drops it, and calls the rest a success."""
    importlib.import_module("anon_transformers.gx.expectations")  # registers ours
    stranger = {"type": "expect_something_unknown", "kwargs": {}}
    suite = edited(lambda listed: listed.append(stranger))
    assert len(gx.ExpectationSuite(**suite).expectations) == 1
    assert "Could not add expectation" in caplog.text
    caplog.clear()
    result = ask(people, wants_k(2), suite=suite)
    assert not result.passed
    assert result.reasons == (
        "expect_something_unknown of the suite is not registered",
    )
    assert caplog.text == ""


def test_its_loggers_are_silent_whatever_handlers_they_have(ask, people):
    logger = logging.getLogger("great_expectations.core.expectation_suite")
    heard = []
    handler = logging.Handler()
    handler.emit = heard.append
    logger.addHandler(handler)
    try:
        stranger = {"type": "expect_something_unknown", "kwargs": {}}
        suite = edited(lambda listed: listed.append(stranger))
        assert not ask(people, wants_k(2), suite=suite).passed
    finally:
        logger.removeHandler(handler)
    assert heard == []
    assert not logger.disabled


def test_gates_side_by_side_leave_its_loggers_as_they_were():
    logger = logging.getLogger("great_expectations.core.expectation_suite")
    top = logging.getLogger("great_expectations")
    before = logger.disabled, top.propagate, list(top.handlers)
    _SILENCE.__enter__()
    _SILENCE.__enter__()
    _SILENCE.__exit__()
    assert logger.disabled and not top.propagate
    _SILENCE.__exit__()
    assert (logger.disabled, top.propagate, list(top.handlers)) == before


def test_an_expectation_that_is_not_imported_fails(ask, people, monkeypatch):
    from great_expectations.expectations import registry

    from anon_transformers.gx import ExpectTableToBeKAnonymous

    name = ExpectTableToBeKAnonymous.expectation_type
    monkeypatch.delitem(registry._registered_expectations, name)
    result = ask(people, wants_k(2))
    assert result.reasons == (f"{name} of the suite is not registered",)


def test_an_impostor_fails(ask, people, monkeypatch):
    from great_expectations.expectations import registry

    from anon_transformers.gx import ExpectTableToBeKAnonymous as Real

    name = Real.expectation_type
    shown = dict(registry._registered_renderers[name])
    monkeypatch.setitem(registry._registered_renderers, name, shown)
    monkeypatch.setitem(registry._registered_expectations, name, Real)

    class ExpectTableToBeKAnonymous(Real):  # takes the name by being defined
        def _validate(self, *args, **kwargs):
            return {**super()._validate(*args, **kwargs), "success": True}

    assert registry.get_expectation_impl(name) is ExpectTableToBeKAnonymous
    result = ask(people, wants_k(3))
    assert result.reasons == (f"{name} was registered anew by another class",)


def test_a_missing_parameter_fails(ask, people):
    def rename(listed):
        listed[0]["kwargs"]["k"] = {"$PARAMETER": "k_anonymty_k"}

    result = ask(people, wants_k(2), suite=edited(rename))
    assert "did you mean 'k_anonymity_k'?" in result.reasons[0]
    assert not result.passed


WEAKER = {
    "number": ({"k": 1}, "params"),
    "expression": ({"k": {"$PARAMETER": "k_anonymity_k - 1"}}, "params"),
    "stored": (
        {"k": {"$PARAMETER": "k_anonymity_k", "$PARAMETER.k_anonymity_k": 1}},
        "params",
    ),
    "fewer-columns": ({"quasi_identifiers": ["sex"]}, "quasi_identifiers"),
    "other-mark": ({"suppression_label": "f"}, "suppression_label"),
    "persons": ({"subject": "job"}, "subject"),
}


@pytest.mark.parametrize(("change", "message"), WEAKER.values(), ids=WEAKER)
def test_a_suite_that_asks_for_something_else_fails(ask, people, change, message):
    suite = edited(lambda listed: listed[0]["kwargs"].update(change))
    result = ask(people, wants_k(2), suite=suite)
    assert not result.passed
    assert result.checks[0].passed is False
    assert f"the suite judges it with other {message}" in result.reasons[0]


def test_a_suite_with_other_bounds_fails(ask, people):
    suite = edited(lambda listed: listed[0]["kwargs"].update(max_value=0.9), RISK)
    result = ask(people, RISK, suite=suite)
    assert result.reasons == ("average-risk: the suite judges it with other max",)


def test_a_suite_with_fewer_sensitive_columns_fails(ask, people, half_safe):
    people["state"] = "x"
    every = Threshold("every", "model", "half-safe")
    suite = edited(lambda listed: listed[0]["kwargs"].update(sensitive=["job"]), every)
    result = ask(people, every, sensitive=["job", "state"], suite=suite)
    assert result.reasons == ("every: the suite judges it with other sensitive",)


def test_a_suite_that_leaves_a_threshold_out_fails(ask, people):
    suite = suite_for("release", [wants_k(2)])
    result = ask(people, wants_k(2), RISK, suite=suite)
    assert not result.passed
    assert [check.passed for check in result.checks] == [True, False]
    assert result.reasons == ("average-risk: no expectation of the suite judges it",)


def test_a_name_in_meta_proves_nothing(ask, people):
    def pretend(listed):
        listed[0]["kwargs"]["k"] = 1
        listed[0]["meta"] = {"threshold": "k-anonymity", "k": 2}

    assert not ask(people, wants_k(2), suite=edited(pretend)).passed


def condition(column, operator, value):
    """A row condition as suites store it."""
    return {
        "type": "comparison",
        "column": {"name": column},
        "operator": operator,
        "parameter": value,
    }


@pytest.mark.parametrize("least", [20, 0])
def test_a_threshold_is_not_judged_on_a_part_of_the_rows(ask, people, least):
    """Also where every row meets the condition today."""
    hide = {"row_condition": condition("age", ">", least)}
    suite = edited(lambda listed: listed[0]["kwargs"].update(hide))
    result = ask(people, wants_k(2), suite=suite)
    assert not result.passed
    assert result.reasons == (
        "k-anonymity: the suite judges it on a part of the rows only",
    )


def test_a_part_may_be_asked_beside_the_whole_and_must_hold_too(ask, people):
    def part(k):
        def add(listed):
            hide = {"row_condition": condition("sex", "==", "m"), "k": k}
            more = {**listed[0], "kwargs": {**listed[0]["kwargs"], **hide}}
            listed.append(more)

        return edited(add)

    assert ask(people, wants_k(2), suite=part(2)).passed
    result = ask(people, wants_k(2), suite=part(3))
    assert [check.passed for check in result.checks] == [True]
    assert result.reasons == (
        "expect_table_to_be_k_anonymous of the suite: it does not hold",
    )


def test_a_condition_that_cannot_be_evaluated_fails(ask, people):
    hide = {"row_condition": condition("gone", ">", 1)}
    suite = edited(lambda listed: listed[0]["kwargs"].update(hide))
    result = ask(people, wants_k(2), suite=suite)
    assert not result.passed
    assert "row_condition: it cannot be evaluated on this table" in result.reasons[0]


def test_a_warning_fails(ask, people):
    suite = edited(lambda listed: listed[0].update(severity="warning"))
    assert ask(people, wants_k(2), suite=suite).passed
    assert not ask(people, wants_k(3), suite=suite).passed


def test_the_rest_of_a_suite_must_hold_too(ask, people):
    def add(rows):
        kwargs = {"value": rows}
        more = {"type": "expect_table_row_count_to_equal", "kwargs": kwargs}
        return edited(lambda listed: listed.append(more))

    assert ask(people, wants_k(2), suite=add(7)).passed
    result = ask(people, wants_k(2), suite=add(8))
    assert not result.passed
    assert result.checks[0].passed
    assert result.reasons == (
        "expect_table_row_count_to_equal of the suite: it does not hold",
    )


@pytest.mark.parametrize("pretend", [False, True])
def test_the_rest_of_a_suite_must_be_evaluable_too(ask, people, meddle, pretend):
    if pretend:
        meddle(succeed)
    more = {
        "type": "expect_column_values_to_not_be_null",
        "kwargs": {"column": "gone"},
    }
    suite = edited(lambda listed: listed.append(more))
    result = ask(people, wants_k(2), suite=suite)
    assert result.reasons == (
        "expect_column_values_to_not_be_null of the suite: it could not be evaluated",
    )


def test_the_order_of_columns_does_not_matter(ask, people):
    suite = edited(
        lambda listed: listed[0]["kwargs"].update(quasi_identifiers=["sex", "age"])
    )
    assert ask(people, wants_k(2), suite=suite).passed


def test_a_suite_cannot_switch_observed_values_off(ask, people):
    quiet = {"result_format": "BOOLEAN_ONLY"}
    suite = edited(lambda listed: listed[0]["kwargs"].update(quiet))
    result = ask(people, wants_k(2), suite=suite)
    assert result.passed
    assert result.checks[0].observed == 2


# Great Expectations says something that is not so.


def test_fewer_evaluated_than_listed_fails(ask, people, meddle):
    meddle(lambda result: result.results.pop())
    result = ask(people, wants_k(2), RISK)
    assert not result.passed
    assert "of the suite was not evaluated" in result.reasons[0]


def test_more_evaluated_than_listed_fails(ask, people, meddle):
    meddle(lambda result: result.results.append(result.results[0]))
    result = ask(people, wants_k(2))
    assert result.reasons == ("the suite evaluated more than it lists",)


def test_no_results_fail(ask, people, meddle):
    meddle(lambda result: result.results.clear())
    assert not ask(people, wants_k(2)).passed


def test_boolean_results_fail(ask, people, meddle):
    meddle(lambda result: None, result_format="BOOLEAN_ONLY")
    result = ask(people, wants_k(2))
    assert result.reasons == ("k-anonymity: the result holds no observed value",)


@pytest.mark.parametrize("value", [None, "2", True])
def test_a_result_without_an_observed_number_fails(ask, people, meddle, value):
    meddle(lambda result: result.results[0].result.update(observed_value=value))
    result = ask(people, wants_k(2))
    assert result.reasons == ("k-anonymity: the result holds no observed value",)


def test_a_result_for_fewer_rows_fails(ask, people, meddle):
    meddle(lambda result: result.results[0].result["details"].update(rows=6))
    result = ask(people, wants_k(2))
    assert result.reasons == ("k-anonymity: the suite judges it with other rows",)


def succeed(result):
    result.success = True
    for single in result.results:
        single.success = True


def test_a_success_that_the_numbers_deny_fails(ask, people, meddle):
    meddle(succeed)
    tight = Threshold("risk", "metric", "average-risk", {"max": 0.4})
    result = ask(people, wants_k(3), tight)
    assert [check.passed for check in result.checks] == [False, False]


def test_a_success_with_an_exception_fails(ask, people, meddle):
    meddle(succeed)
    result = ask(people.drop(columns="sex"), wants_k(1))
    assert not result.passed
    assert "unknown column 'sex'" in result.reasons[0]


def test_a_failed_suite_without_a_failed_expectation_fails(ask, people, meddle):
    meddle(lambda result: setattr(result, "success", False))
    result = ask(people, wants_k(2))
    assert result.reasons == ("the suite failed, and no expectation of it did",)
