"""Expectations on fuzzy memberships, which only the run that made a table knows."""

import great_expectations as gx
import numpy as np
import pandas as pd
import pytest

from anon_transformers.gx import (
    ExpectTableToBeFuzzyLDiverse,
    ExpectTableToBeFuzzyTClose,
    ExpectTableToBeQAnonymous,
    PrivateEvidence,
    Threshold,
    private_evidence,
    run_gate,
    suite_for,
)
from anon_transformers.gx._sentences import OWN_EXPECTATIONS

DEGREES = np.array(
    [[1.0, 0.0], [0.8, 0.2], [0.7, 0.3], [0.4, 0.6], [0.1, 0.9], [0.0, 1.0]]
)
TABLE = pd.DataFrame(
    {"age": ["Low"] * 3 + ["High"] * 3, "ill": ["a", "b", "a", "b", "b", "c"]}
)
LABELS = {"quasi_identifiers": ["age"]}
KNOWN = {**LABELS, "sensitive": ["ill"]}


def ask(expectation, table=TABLE, evidence=None):
    context = gx.get_context(mode="ephemeral")
    source = context.data_sources.add_pandas("source")
    batch = source.add_dataframe_asset("table").add_batch_definition_whole_dataframe(
        "all"
    )
    with private_evidence(evidence):
        return batch.get_batch({"dataframe": table}).validate(expectation)


@pytest.mark.parametrize(
    ("expectation", "passed", "observed"),
    [
        (ExpectTableToBeQAnonymous(q=3, **LABELS), True, 3),
        (ExpectTableToBeQAnonymous(q=4, **LABELS), False, 3),
        (ExpectTableToBeFuzzyLDiverse(l=2, **KNOWN), True, 2),
        (ExpectTableToBeFuzzyLDiverse(l=3, column="ill", **KNOWN), False, 2),
        (ExpectTableToBeFuzzyTClose(t=1, **KNOWN), True, None),
        (ExpectTableToBeFuzzyTClose(t=0, **KNOWN), False, None),
    ],
)
def test_degrees_decide(expectation, passed, observed):
    result = ask(expectation, evidence=PrivateEvidence(degrees=DEGREES))
    assert result.success is passed
    if observed is not None:
        assert result.result["observed_value"] == observed


def test_farthest_row_decides_t():
    # Each row mixes the shares of the two sets: (2/3, 1/3, 0) and (0, 2/3, 1/3).
    sets = np.array([[2, 1, 0], [0, 2, 1]]) / 3
    whole = np.array([2, 3, 1]) / 6
    distances = 0.5 * np.abs(DEGREES @ sets - whole).sum(axis=1)
    result = ask(
        ExpectTableToBeFuzzyTClose(t=1, **KNOWN),
        evidence=PrivateEvidence(degrees=DEGREES),
    )
    assert result.result["observed_value"] == pytest.approx(distances.max())


@pytest.mark.parametrize("evidence", [None, PrivateEvidence(degrees=DEGREES[:5])])
def test_without_the_degrees_of_every_row_it_fails(evidence):
    result = ask(ExpectTableToBeQAnonymous(q=1, **LABELS), evidence=evidence)
    assert not result.success


@pytest.mark.parametrize(
    "degrees", [DEGREES[::-1], np.column_stack([np.ones(6), np.zeros(6)])]
)
def test_degrees_of_other_rows_are_refused(degrees):
    evidence = PrivateEvidence(degrees=degrees)
    wanted = [Threshold("q", "model", "q-anonymity", {"q": 1})]
    result = run_gate(
        TABLE.iloc[[0, 1, 2, 3, 4, 5]].assign(age=["Low", "High"] * 3),
        thresholds=wanted,
        evidence=evidence,
        **KNOWN,
    )
    assert not result.passed
    assert "do not fit" in result.reasons[0]


def test_persons_cannot_be_counted_by_degrees():
    wanted = [Threshold("q", "model", "q-anonymity", {"q": 1})]
    result = run_gate(
        TABLE.assign(who=range(6)),
        thresholds=wanted,
        evidence=PrivateEvidence(degrees=DEGREES),
        subject="who",
        **KNOWN,
    )
    assert "not persons" in result.reasons[0]


def test_suppressed_rows_are_in_no_set():
    table = TABLE.assign(age=["Low"] * 3 + ["High", "*", "*"])
    evidence = PrivateEvidence(degrees=DEGREES)
    result = ask(ExpectTableToBeQAnonymous(q=1, **LABELS), table, evidence)
    assert result.result["observed_value"] == 1


def test_a_suite_asks_by_the_models_own_expectations():
    wanted = [
        Threshold("q", "model", "q-anonymity", {"q": 2}),
        Threshold("d", "model", "fuzzy-l-diversity", {"l": 2, "sensitive": "ill"}),
        Threshold("t", "model", "fuzzy-t-closeness", {"t": 0.9}),
    ]
    asked = suite_for("fuzzy", wanted)["expectations"]
    assert [one["type"] for one in asked] == [
        OWN_EXPECTATIONS[one.name].type for one in wanted
    ]
    assert asked[1]["kwargs"]["column"] == {"$PARAMETER": "d_sensitive"}
    result = run_gate(
        TABLE,
        thresholds=wanted,
        evidence=PrivateEvidence(degrees=DEGREES),
        **KNOWN,
    )
    assert result.passed, result.reasons
    assert [check.observed for check in result.checks[:2]] == [3, 2]


def test_other_parameters_of_the_model_are_arguments_too():
    wanted = [Threshold("q", "model", "q-anonymity", {"q": 2, "empty": "keep"})]
    (asked,) = suite_for("fuzzy", wanted)["expectations"]
    assert asked["kwargs"]["empty"] == {"$PARAMETER": "q_empty"}
    result = run_gate(
        TABLE,
        thresholds=wanted,
        evidence=PrivateEvidence(degrees=DEGREES),
        **KNOWN,
    )
    assert result.passed


def test_the_gate_says_what_it_lacks():
    wanted = [Threshold("q", "model", "q-anonymity", {"q": 2})]
    result = run_gate(TABLE, thresholds=wanted, **KNOWN)
    assert not result.passed
    assert "degrees of membership" in result.reasons[0]
