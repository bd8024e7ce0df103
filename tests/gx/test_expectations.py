"""The expectations: worked tables, an oracle, suites, checkpoints, Data Docs."""

import html
import json
import re
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anon_transformers.evidence import Classes
from anon_transformers.gx import (
    ExpectPrivacyMetricToBeBetween,
    ExpectPrivacyModelToHold,
    ExpectTableToBeKAnonymous,
    ExpectTableToBeTClose,
)
from anon_transformers.partitioning import MondrianAnonymizer
from anon_transformers.privacy import KAnonymity, judge

gx = pytest.importorskip("great_expectations")
pytestmark = pytest.mark.gx

SENTENCE = "Every combination of age, sex must be shared by at least 2 rows."


@dataclass(frozen=True)
class LargestShare:
    """A plugin's model of the whole table: no class holds more than a share."""

    share: float
    name: ClassVar[str] = "no-large-class"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "lower"
    merging: ClassVar[str] = "none"
    tighter: ClassVar[dict[str, str]] = {"share": "lower"}

    def satisfied(self, evidence):
        return np.array([self.level(evidence) <= self.share])

    def level(self, evidence):
        return evidence.rows.max() / evidence.rows.sum()  # a numpy scalar, on purpose


def slow_k(frame, columns):
    """Rows of the rarest combination of texts, counted one row at a time."""
    counts = Counter()
    for _, row in frame.iterrows():
        cells = [row[column] for column in columns]
        counts[tuple("" if pd.isna(cell) else str(cell) for cell in cells)] += 1
    return min(counts.values())


@pytest.mark.parametrize(
    ("columns", "k", "level", "failing", "classes"),
    [
        pytest.param(["age", "sex"], 2, 2, 0, 3, id="reached"),
        pytest.param(["age", "sex"], 3, 2, 2, 3, id="two-of-three-fail"),
        pytest.param(["sex"], 2, 2, 0, 2, id="one-column"),
        pytest.param(["job", "age", "sex"], 2, 1, 5, 6, id="finer"),
        pytest.param(["age"], 1, 2, 0, 3, id="one-asks-for-nothing"),
    ],
)
def test_worked_tables(validate, people, columns, k, level, failing, classes):
    asked = ExpectTableToBeKAnonymous(quasi_identifiers=columns, k=k)
    result = validate(people, asked)
    details = result.result["details"]
    assert result.success is (level >= k)
    assert result.result["observed_value"] == level
    assert (details["failing"], details["units"]) == (failing, classes)
    assert details["rows"] == len(people)


@given(
    ages=st.lists(st.sampled_from([1, 2, None]), min_size=1, max_size=12),
    k=st.integers(1, 4),
    data=st.data(),
)
@settings(
    max_examples=25,
    deadline=None,
    # One context serves all examples.
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_level_is_the_slow_count(validate, ages, k, data):
    n = len(ages)
    texts = st.lists(st.sampled_from(["a", "", None]), min_size=n, max_size=n)
    frame = pd.DataFrame({"age": ages, "zip": data.draw(texts)}, index=[7] * n)
    asked = ExpectTableToBeKAnonymous(quasi_identifiers=["age", "zip"], k=k)
    result = validate(frame, asked)
    slow = slow_k(frame.reset_index(drop=True), ["age", "zip"])
    assert result.result["observed_value"] == slow
    assert result.success is (slow >= k)


def test_level_is_that_of_the_library(validate, people):
    people.loc[[0, 3], "age"] = np.nan
    people.index = [0, 0, 1, 1, 2, 2, 3]
    verdict = judge(KAnonymity(k=2), Classes.from_frame(people, ["age", "sex"]))
    for asked in (
        ExpectTableToBeKAnonymous(quasi_identifiers=["age", "sex"], k=2),
        ExpectPrivacyModelToHold(
            model="k-anonymity", params={"k": 2}, quasi_identifiers=["sex", "age"]
        ),
    ):
        result = validate(people, asked)
        assert result.result["observed_value"] == verdict.level
        assert result.result["details"]["failing"] == verdict.failing
        assert result.success is verdict.passed


def test_persons_are_counted_not_rows(validate, people):
    people["who"] = [1, 1, 2, 3, 4, 5, 6]
    asked = ExpectTableToBeKAnonymous(
        quasi_identifiers=["age", "sex"], k=2, subject="who"
    )
    result = validate(people, asked)
    assert not result.success
    assert result.result["observed_value"] == 1
    assert "persons" in str(asked.sentence(asked.configuration.kwargs))


def test_a_model_of_a_plugin_needs_no_change(validate, people, install):
    install(models={"no-large-class": LargestShare})
    asked = ExpectPrivacyModelToHold(
        model="no-large-class",
        params={"share": 0.5},
        quasi_identifiers=["age"],
        sensitive=["job"],
    )
    result = validate(people, asked)
    assert result.success
    assert result.result["observed_value"] == pytest.approx(3 / 7)
    assert type(result.result["observed_value"]) is float
    assert result.result["details"]["units"] == 1
    assert result.result["details"]["judged"]["sensitive"] == ["job"]
    json.dumps(result.to_json_dict())


@pytest.mark.parametrize(
    ("metric", "params", "bounds", "value", "passed"),
    [
        ("average-risk", {}, {"max_value": 3 / 7}, 3 / 7, True),
        ("average-risk", {}, {"max_value": 0.42}, 3 / 7, False),
        ("average-risk", {}, {"min_value": 0.5, "max_value": 1}, 3 / 7, False),
        ("highest-risk", {}, {"min_value": 0.5, "max_value": 0.5}, 0.5, True),
        ("records-at-risk", {"threshold": 0.4}, {"max_value": 0.6}, 4 / 7, True),
    ],
)
def test_worked_metrics(validate, people, metric, params, bounds, value, passed):
    asked = ExpectPrivacyMetricToBeBetween(
        metric=metric, params=params, quasi_identifiers=["age", "sex"], **bounds
    )
    result = validate(people, asked)
    assert result.result["observed_value"] == pytest.approx(value)
    assert result.success is passed


def test_suppressed_rows_stand_apart(validate, people):
    people = people.astype({"age": object})
    people.loc[5:, ["age", "sex"]] = "?"
    asked = ExpectPrivacyMetricToBeBetween(
        metric="suppressed-share",
        quasi_identifiers=["age", "sex"],
        max_value=0.1,
        suppression_label="?",
    )
    result = validate(people, asked)
    assert result.result["observed_value"] == pytest.approx(2 / 7)
    assert not result.success


def test_loss_comes_from_the_report(validate, people):
    anonymizer = MondrianAnonymizer(quasi_identifiers=["age"], k=3)
    table = anonymizer.fit_transform(people)
    asked = ExpectPrivacyMetricToBeBetween(
        metric="loss",
        quasi_identifiers=["age"],
        max_value=1.0,
        report={"$PARAMETER": "report"},
    )
    report = asdict(anonymizer.report_)
    result = validate(table, gx.ExpectationSuite("s", [asked]), report=report)
    assert result.success
    observed = result.results[0].result["observed_value"]
    assert observed == pytest.approx(anonymizer.report_.loss)
    report.pop("loss")
    broken = validate(table, gx.ExpectationSuite("s", [asked]), report=report)
    assert not broken.success
    assert "loss are missing" in json.dumps(broken.to_json_dict())
    assert not validate(table, gx.ExpectationSuite("s", [asked]), report=None).success


def test_a_report_does_not_save_an_empty_table(validate, people):
    anonymizer = MondrianAnonymizer(quasi_identifiers=["age"], k=3).fit(people)
    asked = ExpectPrivacyMetricToBeBetween(
        metric="loss",
        quasi_identifiers=["age"],
        max_value=1.0,
        report=asdict(anonymizer.report_),
    )
    assert validate(people, asked).success
    assert not validate(people.iloc[:0], asked).success


ILLEGAL_AT_ONCE = [
    (ExpectTableToBeKAnonymous, {"k": 0}),
    (ExpectTableToBeKAnonymous, {"k": 2.5}),
    (ExpectTableToBeKAnonymous, {"k": "2"}),
    (ExpectTableToBeKAnonymous, {"k": True}),
    (ExpectTableToBeKAnonymous, {"k": None}),
    (ExpectTableToBeKAnonymous, {"k": {"PARAMETER": "k"}}),
    (ExpectTableToBeKAnonymous, {}),
    (ExpectTableToBeKAnonymous, {"k": 1, "quasi_identifiers": []}),
    (ExpectTableToBeKAnonymous, {"k": 1, "quasi_identifiers": "age"}),
    (ExpectTableToBeKAnonymous, {"k": 1, "quasi_identifiers": ["age", "age"]}),
    (ExpectTableToBeKAnonymous, {"k": 1, "quasi_identifiers": {"age": 1}}),
    (ExpectTableToBeKAnonymous, {"k": 1, "row_condition": 7}),
    (ExpectTableToBeKAnonymous, {"k": 1, "mostly": 0.9}),
    (ExpectTableToBeKAnonymous, {"k": 1, "kk": 1}),
    (ExpectPrivacyModelToHold, {"model": "k-anonymity"}),
    (ExpectPrivacyModelToHold, {"params": {"k": 1}}),
    (ExpectPrivacyMetricToBeBetween, {"metric": "average-risk"}),
    (ExpectPrivacyMetricToBeBetween, {"metric": "average-risk", "max_value": "1"}),
    (
        ExpectPrivacyMetricToBeBetween,
        {"metric": "average-risk", "max_value": float("inf")},
    ),
]


@pytest.mark.parametrize(("expectation", "arguments"), ILLEGAL_AT_ONCE)
def test_illegal_arguments_are_refused_at_once(expectation, arguments):
    from great_expectations.compatibility.pydantic import ValidationError

    with pytest.raises(ValidationError):
        expectation(**{"quasi_identifiers": ["age"], **arguments})


ILLEGAL_AT_RUN = [
    ({"model": "k-anonmity", "params": {"k": 1}}, "did you mean 'k-anonymity'"),
    ({"model": "k-anonymity", "params": {"kk": 1}}, "unknown parameter 'kk'"),
    ({"model": "k-anonymity", "params": {}}, "needs the parameter 'k'"),
    ({"model": "k-anonymity", "params": {"k": 0}}, "k must be a whole number"),
    ({"model": "k-anonymity", "params": {"k": {"$PARAMETER": "k"}}}, "k must be"),
    ({"metric": "avarage-risk", "max_value": 1}, "did you mean 'average-risk'"),
    ({"metric": "average-risk", "max_value": 1, "params": {"x": 1}}, "parameter 'x'"),
    ({"metric": "records-at-risk", "max_value": 1, "params": {"threshold": "a"}}, ""),
    ({"metric": "loss", "max_value": 1}, "needs the report"),
    ({"k": 1, "quasi_identifiers": ["agee"]}, "unknown column 'agee'"),
    ({"k": 1, "subject": "who"}, "unknown column 'who'"),
]


@pytest.mark.parametrize(("arguments", "message"), ILLEGAL_AT_RUN)
def test_other_illegal_arguments_fail(validate, people, arguments, message):
    kinds = {
        "model": ExpectPrivacyModelToHold,
        "metric": ExpectPrivacyMetricToBeBetween,
        "k": ExpectTableToBeKAnonymous,
    }
    expectation = kinds[next(iter(arguments))]
    result = validate(
        people, expectation(**{"quasi_identifiers": ["age"], **arguments})
    )
    assert result.success is False
    assert message in json.dumps(result.to_json_dict())


@pytest.mark.parametrize(
    "asked",
    [
        ExpectTableToBeKAnonymous(quasi_identifiers=["age"], k=1),
        ExpectPrivacyMetricToBeBetween(
            metric="suppressed-share", quasi_identifiers=["age"], max_value=1
        ),
    ],
)
def test_an_empty_table_fails(validate, people, asked):
    result = validate(people.iloc[:0], asked)
    assert result.success is False
    assert "empty" in json.dumps(result.to_json_dict())


def test_severity_does_not_soften(validate, people):
    asked = ExpectTableToBeKAnonymous(
        quasi_identifiers=["age"], k=3, severity="warning"
    )
    result = validate(people, gx.ExpectationSuite("s", [asked]))
    assert result.success is False
    assert result.results[0].expectation_config.severity == "warning"


def test_a_missing_or_illegal_parameter_never_succeeds(validate, people):
    asked = ExpectTableToBeKAnonymous(quasi_identifiers=["age"], k={"$PARAMETER": "k"})
    with pytest.raises(gx.exceptions.SuiteParameterError):
        validate(people, asked)
    with pytest.raises(ValueError, match="at least 1"):
        validate(people, asked, k=0)
    assert validate(people, asked, k=2).success


def suite_of_all():
    return gx.ExpectationSuite(
        "privacy",
        [
            ExpectTableToBeKAnonymous(
                quasi_identifiers={"$PARAMETER": "columns"}, k={"$PARAMETER": "k"}
            ),
            ExpectTableToBeTClose(
                quasi_identifiers={"$PARAMETER": "columns"},
                sensitive=["job"],
                t={"$PARAMETER": "t"},
                reference="released",
            ),
            ExpectPrivacyModelToHold(
                model="k-anonymity",
                params={"$PARAMETER": "params"},
                quasi_identifiers=["age"],
            ),
            ExpectPrivacyMetricToBeBetween(
                metric="average-risk",
                quasi_identifiers={"$PARAMETER": "columns"},
                max_value={"$PARAMETER": "risk"},
            ),
        ],
    )


def pages_of(context):
    """The text of Data Docs without tags, by kind of page."""
    site = Path(context.root_directory) / "uncommitted" / "data_docs" / "local_site"
    pages = {}
    for path in site.rglob("*.html"):
        text = re.sub(r"<[^>]*>", " ", path.read_text(encoding="utf-8"))
        kind = path.relative_to(site).parts[0]
        pages[kind] = pages.get(kind, "") + re.sub(r"\s+", " ", html.unescape(text))
    return pages


PARAMETERS = {
    "columns": ["age", "sex"],
    "k": 2,
    "t": 0.5,
    "params": {"k": 2},
    "risk": 0.5,
}


def test_checkpoint_and_data_docs(file_context, publish_docs, people, caplog):
    result = publish_docs(people, suite_of_all(), **PARAMETERS)
    pages = pages_of(file_context)
    assert result.success
    assert SENTENCE in pages["validations"]
    assert "2 (0 of 3 classes fail)" in pages["validations"]
    close = "must spread job as the whole table does, within 0.5"
    assert f"Every combination of age, sex {close}" in pages["validations"]
    assert (
        "average-risk must be at most 0.5 , judged on age, sex ."
        in (pages["validations"])
    )
    generic = "Every combination of columns must be shared by at least k rows."
    assert generic in pages["expectations"]
    assert "Traceback" not in "".join(pages.values())
    assert not [r for r in caplog.records if r.levelname in {"ERROR", "CRITICAL"}]


def test_data_docs_count_what_fails(file_context, publish_docs, people):
    result = publish_docs(people, suite_of_all(), **{**PARAMETERS, "k": 3})
    assert not result.success
    assert "2 (2 of 3 classes fail)" in pages_of(file_context)["validations"]


def test_sentence_in_the_atomic_renderer():
    asked = ExpectTableToBeKAnonymous(quasi_identifiers=["age", "sex"], k=2)
    asked.render()
    (rendered,) = asked.rendered_content
    shown = rendered.to_json_dict()["value"]
    for name, part in shown["params"].items():
        shown["template"] = shown["template"].replace(f"${name}", part["value"])
    assert shown["template"] == SENTENCE


def test_a_stored_suite_comes_back(file_context, people, validate):
    stored = file_context.suites.add(suite_of_all())
    path = Path(file_context.root_directory) / "expectations" / "privacy.json"
    text = json.loads(path.read_text(encoding="utf-8"))
    assert [e["type"] for e in text["expectations"]] == [
        "expect_table_to_be_k_anonymous",
        "expect_table_to_be_t_close",
        "expect_privacy_model_to_hold",
        "expect_privacy_metric_to_be_between",
    ]
    again = file_context.suites.get("privacy")
    assert again == stored
    assert gx.ExpectationSuite(**text).to_json_dict() == stored.to_json_dict()
    assert validate(people, again, **PARAMETERS).success
