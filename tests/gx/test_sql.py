"""Expectations on tables of a database: the verdicts of data frames, or a reason."""

import json

import great_expectations.expectations as gxe
import pandas as pd
import pytest
import sqlalchemy as sa
from great_expectations.expectations.row_conditions import Column

from anon_transformers import gx

pytestmark = pytest.mark.gx


@pytest.fixture
def in_sqlite(context, tmp_path):
    """Put a frame into a database, and give its batch there."""
    path = f"sqlite:///{tmp_path / 'people.db'}"

    def put(frame, query=None):
        engine = sa.create_engine(path)
        frame.to_sql("people", engine, index=False, if_exists="replace")
        engine.dispose()
        source = context.data_sources.add_or_update_sqlite("db", connection_string=path)
        if query is None:
            asset = source.add_table_asset("people", table_name="people")
        else:
            asset = source.add_query_asset("people", query=query)
        return asset.add_batch_definition_whole_table("all").get_batch()

    return put


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "who": [1, 1, 2, 3, 4, 5],
            "age": [20, 20, 20, 30, 30, 30],
            "sex": list("ffmfmf"),
            "ill": list("abcaab"),
        }
    )


def test_persons_are_counted_in_the_database(in_sqlite, people):
    batch = in_sqlite(people)
    asked = {"quasi_identifiers": ["age"], "subject": "who"}
    result = batch.validate(gx.ExpectTableToBeKAnonymous(k=3, **asked))
    assert not result.success
    assert result.result["observed_value"] == 2
    assert batch.validate(gx.ExpectTableToBeKAnonymous(k=2, **asked)).success


def test_the_rows_of_a_query_and_of_a_condition(in_sqlite, people):
    asked = {"quasi_identifiers": ["age"]}
    older = in_sqlite(people, query="SELECT * FROM people WHERE age > 25")
    assert older.validate(gx.ExpectTableToBeKAnonymous(k=3, **asked)).success
    women = gx.ExpectTableToBeKAnonymous(
        k=2, row_condition=Column("sex") == "f", **asked
    )
    result = in_sqlite(people).validate(women)
    assert result.success
    assert result.result["details"]["part"]["of_rows"] == len(people)
    assert result.result["details"]["rows"] == 4


@pytest.mark.parametrize(
    ("expectation", "why"),
    [
        (
            gx.ExpectTableToBeKAnonymous(k=2, quasi_identifiers=["agee"]),
            "unknown column 'agee'",
        ),
        (
            gx.ExpectPrivacyModelToHold(
                model="probabilistic-k-anonymity",
                params={"k": 2},
                quasi_identifiers=["age"],
            ),
            "needs the rows themselves",
        ),
        (
            gx.ExpectPrivacyAttackToExposeAtMost(
                attack="unique-combinations", max_value=0.1, quasi_identifiers=["age"]
            ),
            "needs the rows themselves",
        ),
        (
            gx.ExpectTableToBeKAnonymous(
                k=2, quasi_identifiers=["age"], row_condition=Column("nobody") == 1
            ),
            "row_condition: it cannot be evaluated",
        ),
        (
            gx.ExpectTableToBeKAnonymous(
                k=2, quasi_identifiers=["age"], row_condition=Column("age") == 99
            ),
            "no row of the table meets it",
        ),
    ],
)
def test_what_cannot_be_judged_there_fails_and_says_why(
    in_sqlite, people, expectation, why
):
    result = in_sqlite(people).validate(expectation)
    assert not result.success
    assert why in result.result["details"]["reason"]
    assert "Traceback" not in json.dumps(result.to_json_dict())


def test_an_empty_table_fails(in_sqlite, people):
    result = in_sqlite(people.head(0)).validate(
        gx.ExpectTableToBeKAnonymous(k=2, quasi_identifiers=["age"])
    )
    assert not result.success


def test_other_expectations_work_beside_ours(in_sqlite, people):
    batch = in_sqlite(people)
    assert batch.validate(gxe.ExpectTableRowCountToEqual(value=6)).success
