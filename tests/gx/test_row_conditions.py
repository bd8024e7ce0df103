"""Expectations that judge a part of a table, and those that cannot judge at all."""

import json
from pathlib import Path

import pytest

from anon_transformers.gx import (
    ExpectPrivacyMetricToBeBetween,
    ExpectPrivacyModelToHold,
    ExpectTableToBeDistinctLDiverse,
    ExpectTableToBeKAnonymous,
    ExpectTableToBeKMapped,
    ExpectTableToBeProbabilisticallyKAnonymous,
    ExpectTableToBeQAnonymous,
)

gx = pytest.importorskip("great_expectations")
pytestmark = pytest.mark.gx

from great_expectations.expectations.row_conditions import Column  # noqa: E402

WOMEN = Column("sex") == "f"
CONDITIONS = [
    pytest.param(Column("age") > 20, "age > 20", 5, id="comparison"),
    pytest.param(WOMEN | (Column("age") > 30), "sex == 'f' or age > 30", 4, id="or"),
    pytest.param(WOMEN & (Column("age") < 30), "sex == 'f' and age < 30", 2, id="and"),
    pytest.param(Column("age").is_in([20, 40]), "age in [20, 40]", 4, id="in"),
    pytest.param(Column("job").is_not_null(), "job is not missing", 7, id="nullity"),
]


def asks_k(k, **more):
    return ExpectTableToBeKAnonymous(quasi_identifiers=["age", "sex"], k=k, **more)


@pytest.mark.parametrize(("condition", "text", "rows"), CONDITIONS)
def test_the_rows_that_meet_it_are_judged(validate, people, condition, text, rows):
    asked = asks_k(2, row_condition=condition)
    result = validate(people, asked)
    details = result.result["details"]
    assert result.success is True
    assert details["rows"] == rows
    assert details["part"] == {"row_condition": text, "of_rows": 7}
    assert str(asked.sentence(asked.configuration.kwargs)) == (
        "Every combination of age, sex must be shared by at least 2 rows. "
        f"Judged only on the rows where {text}."
    )


def test_the_part_decides_and_nothing_else(validate, people):
    assert not validate(people, asks_k(3)).success
    held = validate(people, asks_k(3, row_condition=Column("age") == 30))
    assert held.success
    assert held.result["observed_value"] == 3
    failed = validate(people, asks_k(3, row_condition=Column("age") != 30))
    assert not failed.success
    assert failed.result["observed_value"] == 2


def test_every_expectation_takes_one(validate, people):
    part = {"quasi_identifiers": ["age"], "row_condition": Column("age") > 20}
    diverse = ExpectTableToBeDistinctLDiverse(sensitive=["job"], l=2, **part)
    general = ExpectPrivacyModelToHold(model="k-anonymity", params={"k": 2}, **part)
    metric = ExpectPrivacyMetricToBeBetween(
        metric="average-risk", max_value=0.4, **part
    )
    for asked in (diverse, general, metric):
        result = validate(people, asked)
        assert result.success is True, result
        assert result.result["details"]["rows"] == 5
        said = str(asked.sentence(asked.configuration.kwargs))
        assert said.endswith("Judged only on the rows where age > 20.")
    assert validate(people, metric).result["observed_value"] == 2 / 5


@pytest.mark.parametrize("parser", ["pandas", "great_expectations"])
def test_conditions_that_are_texts(validate, people, parser):
    text = "age > 20" if parser == "pandas" else 'col("age") > 20'
    with pytest.warns(DeprecationWarning):
        asked = asks_k(2, row_condition=text, condition_parser=parser)
        result = validate(people, asked)
    assert result.result["details"]["rows"] == 5
    assert result.result["details"]["part"]["row_condition"] == "age > 20"


def test_a_suite_keeps_it(people, validate):
    suite = gx.ExpectationSuite("s", [asks_k(3, row_condition=Column("age") == 30)])
    stored = json.loads(json.dumps(suite.to_json_dict()))
    again = gx.ExpectationSuite(
        name="t",
        expectations=[
            {key: one[key] for key in ("type", "kwargs", "meta")}
            for one in stored["expectations"]
        ],
    )
    result = validate(people, again)
    assert result.success
    assert result.results[0].result["details"]["rows"] == 3


def not_evaluated(result):
    """The reason of a result that could not be judged; no exception is in it."""
    assert result.success is False
    assert result.exception_info["raised_exception"] is False
    assert result.result["observed_value"] is None
    return result.result["details"]["reason"]


def test_an_empty_part_fails_with_the_reason(validate, people):
    asked = asks_k(1, row_condition=Column("age") > 99)
    reason = not_evaluated(validate(people, asked))
    assert reason == "row_condition: no row of the table meets it."


@pytest.mark.parametrize("condition", [Column("gone") == 1, Column("sex") > 1])
def test_a_condition_that_cannot_be_evaluated_fails(validate, people, condition):
    reason = not_evaluated(validate(people, asks_k(1, row_condition=condition)))
    assert reason.startswith("row_condition: it cannot be evaluated on this table")


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (ExpectTableToBeQAnonymous(quasi_identifiers=["age"], q=2), "degrees"),
        (
            ExpectTableToBeProbabilisticallyKAnonymous(quasi_identifiers=["age"], k=2),
            "originals",
        ),
        (
            ExpectPrivacyMetricToBeBetween(
                metric="loss", quasi_identifiers=["age"], max_value=1
            ),
            "report of the run, which is about the whole table",
        ),
    ],
)
def test_what_only_the_whole_table_shows_is_judged_of_no_part(
    validate, people, asked, why
):
    asked.row_condition = Column("age") > 20
    reason = not_evaluated(validate(people, asked))
    assert reason.startswith("row_condition: ")
    assert why in reason


def test_what_is_no_condition_is_refused():
    with pytest.raises(ValueError, match="expected a condition"):
        asks_k(1, row_condition=7)


def test_sentences_name_the_sensitive_columns():
    of_a_plugin = ExpectPrivacyModelToHold(
        model="of-a-plugin", params={}, quasi_identifiers=["age"], sensitive=["job"]
    )
    one_column = ExpectPrivacyModelToHold(
        model="of-a-plugin",
        params={"sensitive": "job"},
        quasi_identifiers=["age"],
        sensitive=["job", "pay"],
    )
    for asked in (of_a_plugin, one_column):
        assert str(asked.sentence(asked.configuration.kwargs)) == (
            "of-a-plugin must hold for every combination of age; sensitive: job."
        )


IMPOSSIBLE = [
    (asks_k(2), "unknown column 'sex'"),
    (
        ExpectTableToBeKMapped(quasi_identifiers=["age"], k=2),
        "population",
    ),
    (ExpectTableToBeQAnonymous(quasi_identifiers=["age"], q=2), "degrees"),
    (
        ExpectPrivacyMetricToBeBetween(
            metric="loss", quasi_identifiers=["age"], max_value=1
        ),
        "needs the report of the run",
    ),
]


@pytest.mark.parametrize(("asked", "why"), IMPOSSIBLE)
def test_an_impossible_judgement_says_why(validate, people, asked, why):
    result = validate(people.drop(columns="sex"), asked)
    assert why in not_evaluated(result)
    assert "Traceback" not in json.dumps(result.to_json_dict())


def pages(context):
    folder = Path(context.root_directory)
    return {path: path.read_text() for path in folder.rglob("*.html")}


def test_data_docs_show_conditions_and_reasons_and_no_trace(
    publish_docs, file_context, people
):
    suite = gx.ExpectationSuite(
        "parts",
        [
            asks_k(2, row_condition=Column("age") > 20),
            *(asked for asked, _ in IMPOSSIBLE[1:]),
            ExpectTableToBeKAnonymous(quasi_identifiers=["gone"], k=2),
        ],
    )
    publish_docs(people, suite)
    found = pages(file_context)
    (results,) = (text for path, text in found.items() if "validations" in str(path))
    assert "Judged only on the rows where" in results
    assert "judged on 5 of 7 rows" in results
    for why in ("unknown column", "population", "degrees of membership"):
        assert "not evaluated: " in results
        assert why in results
    assert not any("Traceback" in text for text in found.values())
    assert not any("raised an exception" in text for text in found.values())
