"""The gate judges a table where it is counted as it judges the same rows."""

import duckdb
import pandas as pd
import pytest

from anon_transformers.gx import Threshold, run_gate, suite_for

pytest.importorskip("great_expectations")
pytestmark = pytest.mark.gx

PEOPLE = pd.DataFrame(
    {
        "age": ["[20, 29]"] * 3 + ["[30, 39]"] * 2 + ["*"] * 2,
        "ill": ["flu", "cold", "flu", "flu", "cold", "flu", "cold"],
    }
)
THRESHOLDS = [
    {"model": "k-anonymity", "k": 2},
    {"model": "k-anonymity", "k": 3, "id": "more"},
    {"model": "distinct-l-diversity", "l": 2},
    {"model": "t-closeness", "t": 0.3},
    {"metric": "average-risk", "max": 0.5},
    {"metric": "suppressed-share", "max": 0.1},
]


def judged(frame, thresholds=THRESHOLDS, suite=None):
    return run_gate(
        frame,
        thresholds=[Threshold.read(one) for one in thresholds],
        quasi_identifiers=["age"],
        sensitive=["ill"],
        suite=suite,
    )


@pytest.fixture
def relation():
    return duckdb.connect().from_df(PEOPLE)


def test_every_check_is_that_of_the_rows(relation):
    of_rows = judged(PEOPLE)
    assert [check.passed for check in of_rows.checks].count(False) == 3
    assert judged(relation).to_dict() == of_rows.to_dict()


def test_an_empty_table_fails(relation):
    assert judged(relation.filter("age = 'x'")).reasons == ("the table is empty",)


def test_what_needs_the_rows_is_refused_and_not_passed(relation):
    (asked,) = [Threshold.read(THRESHOLDS[0])]
    suite = suite_for("gate", [asked])
    # On an empty table in its place this would hold.
    stranger = {
        "type": "expect_column_values_to_not_be_null",
        "kwargs": {"column": "age"},
    }
    suite["expectations"].append(stranger)
    result = judged(relation, THRESHOLDS[:1], suite)
    assert not result.passed
    assert "needs the rows of the table" in result.reasons[0]
    assert judged(PEOPLE, THRESHOLDS[:1], suite).passed


def test_a_part_of_the_table_is_not_judged(relation):
    (asked,) = [Threshold.read(THRESHOLDS[0])]
    suite = suite_for("gate", [asked])
    suite["expectations"][0]["kwargs"]["row_condition"] = {
        "type": "pass_through",
        "pass_through_filter": "age == '*'",
    }
    result = judged(relation, THRESHOLDS[:1], suite)
    assert not result.passed
    assert "row_condition" in str(result.reasons)


OF_ROWS = [
    {"attack": "homogeneity", "max": 0.9},
    {"model": "probabilistic-k-anonymity", "k": 2},
]


@pytest.mark.parametrize("asked", OF_ROWS)
def test_attacks_and_links_fail(relation, asked):
    result = judged(relation, [THRESHOLDS[0], asked])
    assert not result.passed
    assert result.checks[0].passed
    assert "needs the rows themselves" in str(result.reasons)
