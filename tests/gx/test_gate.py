"""The gate passes what is proven, and nothing else."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import numpy as np
import pandas as pd
import polars as pl
import pytest

from anon_transformers.gx import GateResult, Threshold, run_gate
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.privacy import KAnonymity
from anon_transformers.registry import BrokenPlugin

gx = pytest.importorskip("great_expectations")
pytestmark = pytest.mark.gx

COLUMNS = ["age", "sex"]


def wants_k(k=2, **given):
    return Threshold(**{"id": "k-anonymity", **K, "params": {"k": k}, **given})


K = {"kind": "model", "name": "k-anonymity"}
RISK = Threshold("average-risk", "metric", "average-risk", {"max": 0.5})


# What passes, and what a plain failure looks like.


def test_what_holds_passes(ask, people):
    result = ask(people, wants_k(2), RISK)
    assert result.passed
    assert result.reasons == ()
    size, risk = result.checks
    assert size.sentence == (
        "Every combination of age, sex must be shared by at least 2 rows."
    )
    assert (size.observed, size.units, size.failing) == (2, 3, 0)
    assert (size.passed, size.reason) == (True, None)
    assert risk.observed == pytest.approx(3 / 7)
    assert (risk.units, risk.failing) == (None, None)
    assert json.loads(json.dumps(result.to_dict()))["checks"][0]["params"] == {"k": 2}


def test_a_model_that_counts_rows_is_given_persons(ask, row_crowd):
    # Two classes of one person each, who have six rows; one class of suppressed rows.
    visits = pd.DataFrame(
        {
            "age": ["20"] * 6 + ["30"] * 6 + ["*"] * 6,
            "sex": ["f"] * 12 + ["*"] * 6,
            "who": ["Ann"] * 6 + ["Bob"] * 6 + [*"pqrstu"],
        }
    )
    crowd = Threshold("crowd", "model", "row-crowd", {"k": 6})
    (check,) = ask(visits, crowd, quasi_identifiers=COLUMNS, subject="who").checks
    assert (check.passed, check.observed, check.failing) == (False, 1, 2)
    (check,) = ask(visits, crowd, quasi_identifiers=COLUMNS).checks
    assert (check.passed, check.observed, check.failing) == (True, 6, 0)


def test_a_secret_that_several_classes_of_a_person_give_away_fails(ask):
    # Four values in each class; Ann is in both, and they share hers only.
    visits = pd.DataFrame(
        {
            "age": [20] * 4 + [30] * 4,
            "sex": ["f"] * 8,
            "job": [*"abcd", *"aefg"],
            "who": ["Ann", *"pqr", "Ann", *"stu"],
        }
    )
    wanted = Threshold("l", "model", "distinct-l-diversity", {"l": 3})
    asked = {"quasi_identifiers": COLUMNS, "sensitive": ["job"]}
    assert run_gate(visits, thresholds=[wanted], **asked).passed
    result = run_gate(visits, thresholds=[wanted], subject="who", **asked)
    assert not result.passed
    assert result.reasons == (
        "l: the level is 1; 2 of 2 classes fail; 1 of 1 persons in several classes are "
        "left with too few values that all their classes have; make quasi-identifiers "
        "the same in all rows of a person, or aggregate to one row per person",
    )


def test_what_does_not_hold_fails(ask, people):
    tight = Threshold("risk", "metric", "average-risk", {"max": 0.4})
    low = Threshold("low", "metric", "average-risk", {"min": 0.6, "max": 1})
    result = ask(people, wants_k(3), wants_k(2, id="weak"), tight, low)
    assert not result.passed
    assert [check.passed for check in result.checks] == [False, True, False, False]
    assert result.reasons == (
        "k-anonymity: the level is 2; 2 of 3 classes fail",
        "risk: it is 0.428571, above the max of 0.4",
        "low: it is 0.428571, below the min of 0.6",
    )


def test_metrics_of_the_report(ask, people):
    anonymizer = MondrianAnonymizer(quasi_identifiers=["age"], k=3)
    table = anonymizer.fit_transform(people)
    loss = Threshold("loss", "metric", "loss", {"max": 1.0})
    options = {"quasi_identifiers": ["age"]}
    passed = ask(table, loss, report=asdict(anonymizer.report_), **options)
    assert passed.passed
    assert passed.checks[0].observed == pytest.approx(anonymizer.report_.loss)
    missing = ask(table, loss, **options)
    assert not missing.passed
    assert "needs the report of the run" in missing.reasons[0]


def test_models_and_metrics_with_parameters(ask, people, half_safe):
    people["state"] = "x"
    thresholds = [
        Threshold("job", "model", "half-safe", {"sensitive": "job"}),
        Threshold("state", "model", "half-safe", {"sensitive": "state"}),
        Threshold("all", "model", "half-safe"),
        Threshold("at-risk", "metric", "records-at-risk", {"max": 0, "threshold": 0.5}),
    ]
    result = ask(people, *thresholds, sensitive=["job", "state"])
    assert [check.passed for check in result.checks] == [True, False, False, True]
    assert [check.observed for check in result.checks] == [2, 1, 1, 0]


def test_an_infinite_level_can_be_written_as_json(people, ask, install):
    class Boundless(KAnonymity):
        def level(self, evidence):
            return float("inf")

    install(models={"boundless": Boundless})
    result = ask(people, Threshold("boundless", "model", "boundless", {"k": 2}))
    assert result.passed
    assert result.checks[0].observed == float("inf")
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert json.loads(text)["checks"][0]["observed"] == "inf"


def test_missing_values_and_a_repeated_index(ask, people):
    people.loc[[0, 1], "age"] = np.nan
    people.index = [3] * len(people)
    assert ask(people, wants_k(2)).passed


def test_persons_are_counted(ask, people):
    people["who"] = [1, 1, 2, 3, 4, 5, 6]
    result = ask(people, wants_k(2), subject="who")
    assert result.checks[0].observed == 1
    assert not result.passed


def test_the_mark_of_suppression_counts(ask, people):
    people = people.astype({"age": object})
    people.loc[:4, COLUMNS] = "?"
    share = Threshold("share", "metric", "suppressed-share", {"max": 0.5})
    assert ask(people, share).passed
    assert not ask(people, share, suppression_label="?").passed


def test_other_frames(ask, people):
    assert ask(pl.from_pandas(people), wants_k(2)).passed


# Candidates and thresholds that cannot be judged.


@pytest.mark.parametrize("threshold", [wants_k(1), RISK], ids=["model", "metric"])
def test_an_empty_table_fails(ask, people, threshold):
    result = ask(people.iloc[:0], threshold)
    assert result.reasons == ("the table is empty",)
    assert not result.passed


def test_an_empty_table_fails_though_the_report_is_fine(ask, people):
    anonymizer = MondrianAnonymizer(quasi_identifiers=["age"], k=2).fit(people)
    loss = Threshold("loss", "metric", "loss", {"max": 1})
    result = ask(people.iloc[:0], loss, report=asdict(anonymizer.report_))
    assert not result.passed


@pytest.mark.parametrize("frame", [None, "text", 7, [[1, 2]]])
def test_what_is_no_table_fails(ask, frame):
    assert not ask(frame, wants_k(1)).passed


def test_a_missing_column_fails(ask, people):
    result = ask(people.drop(columns="sex"), wants_k(1))
    assert not result.passed
    assert "unknown column 'sex'" in result.reasons[0]


def test_a_repeated_column_fails(ask, people):
    twice = pd.concat([people, people[["age"]]], axis=1)
    result = ask(twice, wants_k(1))
    assert "the table has a column twice: age" in result.reasons[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quasi_identifiers": []}, "quasi_identifiers is empty"),
        ({"quasi_identifiers": "age"}, "must be a list of columns"),
        ({"quasi_identifiers": ["age", "age"]}, "ValidationError"),
        ({"quasi_identifiers": None}, "TypeError"),
        ({"suppression_label": None}, "suppression_label"),
        ({"suite": {"name": "x"}}, "the suite lists no expectation"),
        ({"suite": []}, "a suite is a mapping"),
        ({"suite": {"name": "x", "expectations": [1]}}, "expectation 1 of the suite"),
    ],
)
def test_bad_arguments_fail(ask, people, options, message):
    result = ask(people, wants_k(1), **options)
    assert not result.passed
    assert message in result.reasons[0]


def test_no_thresholds_fail(ask, people):
    assert ask(people) == GateResult(False, (), ("there is no threshold to check",))


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ([wants_k(1), wants_k(2)], "several thresholds have the id 'k-anonymity'"),
        ([wants_k(1, id="a-b"), wants_k(2, id="a_b")], "choose another id"),
        ([wants_k(1, id="report")], "choose another id"),
        ([wants_k(1, id="a b")], "cannot be the id"),
        ([wants_k(1, id="pi")], "cannot be the id"),
        ([wants_k(1, id=None)], "cannot be the id"),
        ([wants_k(1, id=7)], "cannot be the id"),
        ([wants_k(1, id=["k"])], "cannot be the id"),
        ([wants_k(1, kind="modle")], "did you mean 'model'?"),
        ([wants_k(1, name="k-anonmity")], "did you mean 'k-anonymity'?"),
        ([wants_k(1, name=None)], "unknown privacy model"),
        ([wants_k(0)], "k must be a whole number of at least 1"),
        ([wants_k(1, params={"kk": 1})], "unknown parameter 'kk'"),
        ([wants_k(1, params={})], "needs the parameter 'k'"),
        ([wants_k(1, params=None)], "params must be a mapping"),
        ([Threshold("r", "metric", "average-risk", {})], "a metric needs min or max"),
        ([Threshold("r", "metric", "average-risk", {"max": "1"})], "finite number"),
        ([Threshold("r", "metric", "average-risk", {"max": np.nan})], "finite"),
        ([Threshold("r", "metric", "average-risk", {"max": True})], "finite"),
        ([Threshold("r", "metric", "risk", {"max": 1})], "unknown metric 'risk'"),
        (["k-anonymity"], "expected a Threshold, got str"),
    ],
)
def test_bad_thresholds_fail(ask, people, thresholds, message):
    result = ask(people, *thresholds)
    assert not result.passed
    assert message in result.reasons[0]
    assert not any(check.passed for check in result.checks)


def test_a_model_that_raises_fails_and_the_others_are_judged(ask, people, half_safe):
    broken = Threshold("broken", "model", "half-safe", {"values": "many"})
    result = ask(people, broken, wants_k(2), sensitive=["job"])
    assert not result.passed
    assert [check.passed for check in result.checks] == [False, True]
    assert result.checks[0].observed is None
    assert result.reasons == ("broken: it could not be evaluated: ValueError",)


def test_a_broken_plugin_fails(ask, people, install):
    install(broken=[BrokenPlugin("shaky", "shaky-dist", "ImportError: no module")])
    result = ask(people, wants_k(1))
    assert not result.passed
    assert "shaky of shaky-dist" in result.reasons[0]


def test_an_uninstalled_plugin_fails(ask, people):
    gone = Threshold("gone", "model", "half-safe", {})
    assert "unknown privacy model 'half-safe'" in ask(people, gone).reasons[0]


# Its manners in a process.


def test_the_context_of_the_process_stays(ask, people, file_context):
    from great_expectations.data_context.data_context.context_factory import (
        project_manager,
    )

    assert ask(people, wants_k(2)).passed
    assert project_manager._project is file_context


def test_threads_do_not_disturb_each_other(ask, people):
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda k: ask(people, wants_k(k)), [1, 2, 3, 4] * 2))
    assert [result.passed for result in results] == [True, True, False, False] * 2
