"""No cell's value in a result, in Data Docs, in a log or on the terminal."""

import json
import logging
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import DataError
from anon_transformers.gx import (
    ExpectPrivacyMetricToBeBetween,
    ExpectPrivacyModelToHold,
    ExpectTableToBeKAnonymous,
    Threshold,
    run_gate,
    suite_for,
)
from anon_transformers.metrics import AverageRisk

gx = pytest.importorskip("great_expectations")
pytestmark = pytest.mark.gx

SECRETS = ("S3CRET-HIV", "918273645")


def secret_table():
    return pd.DataFrame(
        {
            "age": ["S3CRET-HIV-1", "S3CRET-HIV-1", "S3CRET-HIV-2", None],
            "zip": [918273645, 918273645, 918273645, 0],
            "ill": ["S3CRET-HIV", "none", "S3CRET-HIV", "none"],
            "odd": [["S3CRET-HIV"], {"S3CRET-HIV": 1}, 918273645, "S3CRET-HIV"],
        },
        index=["S3CRET-HIV"] * 4,
    )


@dataclass(frozen=True)
class Indiscreet:
    """A plugin's model that quotes what it sees, in one way or another."""

    how: str
    name: ClassVar[str] = "indiscreet"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "none"
    tighter: ClassVar[dict[str, str]] = {}

    def satisfied(self, evidence):
        cell = str(evidence.sensitive["ill"].values[0])
        if self.how == "raise":
            raise ValueError(f"cannot judge {cell}")
        if self.how == "chain":
            try:
                int(cell)
            except ValueError as error:
                raise DataError("a column is no number.") from error
        return np.array([True])

    def level(self, evidence):
        cell = evidence.sensitive["ill"].values[0]
        return Decimal(918273645) if self.how == "decimal" else cell


def suite():
    def indiscreet(how):
        return ExpectPrivacyModelToHold(
            model="indiscreet",
            params={"how": how},
            quasi_identifiers=["age", "zip"],
            sensitive=["ill"],
        )

    return gx.ExpectationSuite(
        "secret",
        [
            ExpectTableToBeKAnonymous(quasi_identifiers=["age", "zip"], k=2),
            ExpectTableToBeKAnonymous(quasi_identifiers=["odd"], k=2),
            ExpectTableToBeKAnonymous(quasi_identifiers=["gone"], k=2),
            indiscreet("raise"),
            indiscreet("chain"),
            indiscreet("answer"),
            indiscreet("decimal"),
            ExpectPrivacyMetricToBeBetween(
                metric="average-risk", quasi_identifiers=["age", "zip"], max_value=0.1
            ),
        ],
    )


def refuse_secrets(text):
    leaked = [secret for secret in SECRETS if secret in text]
    assert leaked == []


def test_nothing_is_told_in_great_expectations(
    file_context, publish_docs, install, caplog, capfd
):
    install(models={"indiscreet": Indiscreet})
    caplog.set_level(logging.DEBUG)
    result = publish_docs(secret_table(), suite())
    (run,) = result.run_results.values()
    assert [r.success for r in run.results] == [False] * 8
    text = json.dumps(run.to_json_dict())
    assert "it could not be evaluated: ValueError." in text
    assert "it could not be evaluated: TypeError." in text
    assert "it could not be evaluated: DataError." in text
    assert "a column is no number." not in text
    assert "indiscreet did not answer with a number." in text
    refuse_secrets(text)
    files = [p for p in Path(file_context.root_directory).rglob("*") if p.is_file()]
    pages = [p for p in files if p.suffix == ".html"]
    assert len(pages) >= 3
    for path in files:
        refuse_secrets(path.read_bytes().decode("utf-8", errors="replace"))
    assert caplog.records
    refuse_secrets(caplog.text)
    refuse_secrets("".join(capfd.readouterr()))


@pytest.mark.parametrize("how", ["raise", "chain", "answer", "decimal"])
@pytest.mark.parametrize("columns", [["age", "zip"], ["odd"], ["gone"]])
def test_nothing_is_told_by_the_gate(install, how, columns, caplog, capfd):
    install(models={"indiscreet": Indiscreet})
    caplog.set_level(logging.DEBUG)
    result = run_gate(
        secret_table(),
        thresholds=[
            Threshold("k-anonymity", "model", "k-anonymity", {"k": 2}),
            Threshold("indiscreet", "model", "indiscreet", {"how": how}),
            Threshold("average-risk", "metric", "average-risk", {"max": 0.1}),
        ],
        quasi_identifiers=columns,
        sensitive=["ill"],
    )
    assert not result.passed
    assert [check.passed for check in result.checks] == [False] * 3
    refuse_secrets(json.dumps(result.to_dict()))
    refuse_secrets(caplog.text)
    assert capfd.readouterr() == ("", "")


def test_the_gate_repeats_nothing_of_other_expectations(capfd):
    """Those of Great Expectations put the unexpected values into their results."""
    wanted = Threshold("k-anonymity", "model", "k-anonymity", {"k": 1})
    suite = suite_for("release", [wanted])
    suite["expectations"].append(
        {
            "type": "expect_column_values_to_be_in_set",
            "kwargs": {"column": "ill", "value_set": ["none"]},
        }
    )
    result = run_gate(
        secret_table(), thresholds=[wanted], quasi_identifiers=["age"], suite=suite
    )
    assert result.reasons == (
        "expect_column_values_to_be_in_set of the suite: it does not hold",
    )
    refuse_secrets(json.dumps(result.to_dict()))
    assert capfd.readouterr() == ("", "")


def test_an_error_of_great_expectations_is_told_by_its_type_alone(
    monkeypatch, capfd, caplog
):
    from anon_transformers.gx import _run

    def stop(*args, **kwargs):
        raise KeyError("S3CRET-HIV")

    monkeypatch.setattr(_run.great_expectations, "get_context", stop)
    result = run_gate(
        secret_table(),
        thresholds=[Threshold("k-anonymity", "model", "k-anonymity", {"k": 1})],
        quasi_identifiers=["age"],
    )
    assert not result.passed
    assert result.reasons == ("the gate stopped with KeyError",)
    assert result.checks[0].reason == "it was not judged"
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


def test_details_of_a_report_lose_their_texts(monkeypatch):
    """A method may write labels of boxes into its details."""
    seen = {}
    monkeypatch.setattr(
        "anon_transformers.gx.gate._evaluate",
        lambda frame, suite, parameters: seen.update(parameters) or [],
    )
    report = {"loss": 0.5, "details": {"boxes": ["S3CRET-HIV", 3], "n": 2}}
    run_gate(
        secret_table(),
        thresholds=[Threshold("loss", "metric", "loss", {"max": 1})],
        quasi_identifiers=["age"],
        report=report,
    )
    assert seen["report"] == {"loss": 0.5, "details": {"boxes": [3], "n": 2}}


def test_what_is_told_is_not_empty():
    """The other tests would pass if nothing were ever told."""
    result = run_gate(
        secret_table(),
        thresholds=[
            Threshold("average-risk", "metric", AverageRisk.name, {"max": 0.1})
        ],
        quasi_identifiers=["age", "zip"],
    )
    assert result.reasons == ("average-risk: it is 0.75, above the max of 0.1",)
