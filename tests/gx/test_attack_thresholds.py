"""Attacks in the gate: judged with private evidence, or failed."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from anon_transformers.attacks import Attack, AttackResult
from anon_transformers.gx import PrivateEvidence, Threshold, run_gate, suite_for

pytest.importorskip("great_expectations")

K = Threshold.read({"model": "k-anonymity", "k": 2})
ROLES = {"quasi_identifiers": ["age"], "sensitive": ["job"]}


def asked(**given):
    return Threshold.read({"attack": "tight-boxes", "max": 0.5, **given})


@pytest.fixture
def table():
    """Of four ends of ranges, three are attained by one person each."""
    ages = ["[20, 35]"] * 3 + ["[40, 60]"] * 3
    return pd.DataFrame({"age": ages, "job": list("abcabc")})


@pytest.fixture
def evidence():
    ages = [20, 20, 35, 40, 50, 60]
    return PrivateEvidence(original=pd.DataFrame({"age": ages, "job": list("abcabc")}))


def test_the_share_of_rows_that_are_exposed_decides(table, evidence):
    for most, passed in ((0.5, True), (0.49, False)):
        result = run_gate(
            table, thresholds=[K, asked(max=most)], evidence=evidence, **ROLES
        )
        assert result.passed is passed
        _, check = result.checks
        assert (check.observed, check.failing, check.units) == (0.5, 3, 6)
    (reason,) = result.reasons
    assert reason.startswith("tight-boxes: it exposes 3 of 6 rows (0.5), above")
    assert 'boxes="cuts"' in reason


def test_persons_count_where_a_subject_is_named(table, evidence):
    """The three at the ends of ranges are two persons, of five."""
    who = pd.Series([1, 2, 3, 3, 4, 5])
    held = replace(evidence, original=evidence.original.assign(who=who))
    result = run_gate(
        table.assign(who=who),
        thresholds=[asked(max=0.3)],
        evidence=held,
        subject="who",
        **ROLES,
    )
    (check,) = result.checks
    assert (check.failing, check.units, check.passed) == (2, 5, False)
    assert check.sentence.endswith("of the persons.")


def test_an_attack_without_its_private_input_fails(table):
    result = run_gate(table, thresholds=[K, asked()], **ROLES)
    assert not result.passed
    assert result.reasons == ("tight-boxes: tight-boxes needs external",)


def test_a_control_part_that_the_run_does_not_hold_fails(table, evidence):
    named = Threshold.read({"attack": "inference", "max": 0.9, "control": "x.csv"})
    result = run_gate(table, thresholds=[named], evidence=evidence, **ROLES)
    assert "control: the file is no evidence of this run" in result.reasons[0]
    assert "x.csv" not in str(result.to_dict())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"max": 0.6}, "the suite judges it with other max"),
        ({"attack": "linkage"}, "no expectation of the suite judges it"),
    ],
)
def test_another_question_does_not_stand_for_the_threshold(
    table, evidence, given, told
):
    suite = suite_for("own", [K, replace(asked(), id="tight-boxes")])
    kwargs = suite["expectations"][1]["kwargs"]
    kwargs["max_value"] = given.get("max", 0.5)
    kwargs["attack"] = given.get("attack", "tight-boxes")
    result = run_gate(
        table, thresholds=[K, asked()], evidence=evidence, suite=suite, **ROLES
    )
    assert not result.passed
    assert f"tight-boxes: {told}" in result.reasons


def test_a_suite_that_lost_the_expectation_fails(table, evidence):
    suite = suite_for("own", [K])
    result = run_gate(
        table, thresholds=[K, asked()], evidence=evidence, suite=suite, **ROLES
    )
    assert result.reasons == ("tight-boxes: no expectation of the suite judges it",)


@dataclass(frozen=True)
class Liar(Attack):
    """A plugin's attack that counts less than nobody."""

    exposed: int = -1
    name: ClassVar[str] = "liar"
    meaning: ClassVar[str] = "Nothing."
    remedy: ClassVar[str] = "Nothing."

    def _find(self, attack_input):
        nobody = np.zeros(attack_input.rows, dtype=bool)
        return AttackResult(nobody, "records", 1, 0, n_exposed=self.exposed)


@pytest.mark.parametrize("exposed", [-1, 7, 0.5])
def test_a_count_that_cannot_be_is_no_proof(install, table, exposed):
    install().attacks.add("liar", Liar, "stand-in")
    named = Threshold.read({"attack": "liar", "max": 0.9, "exposed": exposed})
    result = run_gate(table, thresholds=[named], **ROLES)
    assert not result.passed
    assert "report" in result.reasons[0]
