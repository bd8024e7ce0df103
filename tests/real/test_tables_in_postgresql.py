"""Tables in PostgreSQL: counted, recoded and judged there as in memory."""

import great_expectations
import pandas as pd
import pytest
import sqlalchemy as sa
from sklearn import clone

from anon_transformers import (
    DataflyAnonymizer,
    FullDomainAnonymizer,
    MondrianAnonymizer,
    gx,
)
from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.engines import SQLTable
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import AnonymizationError, DataError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import DistinctLDiversity
from tests.engines.conftest import rows
from tests.engines.test_corpus import corpus, ours
from tests.engines.test_estimators import assert_alike
from tests.real.postgres import running_cluster

pytestmark = pytest.mark.real
COLUMNS = ["age", "education", "marital-status", "race", "sex"]


@pytest.fixture(scope="module")
def url():
    with running_cluster() as cluster:
        yield cluster.url


@pytest.fixture
def connection(url):
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def put(frame, connection, name="people"):
    frame.to_sql(name, connection, index=False, if_exists="replace")
    connection.commit()
    return SQLTable(connection, name)


def methods():
    found = load_adult_hierarchies()
    trees = {name: Hierarchy(found[name].rows, unknown="root") for name in COLUMNS}
    sensitive = {"sensitive": ["occupation"]}
    return {
        "mondrian": MondrianAnonymizer(
            COLUMNS, k=5, models=[DistinctLDiversity(3)], **sensitive
        ),
        "centers": MondrianAnonymizer(COLUMNS, k=5, output="center"),
        "datafly": DataflyAnonymizer(COLUMNS, k=5, hierarchies=trees),
        "full-domain": FullDomainAnonymizer(
            COLUMNS, k=5, hierarchies=trees, suppression_limit=0.05, **sensitive
        ),
    }


@pytest.mark.parametrize("name", ["mondrian", "centers", "datafly", "full-domain"])
def test_methods_learn_the_same_of_adult(name, connection):
    people = load_adult()
    people.loc[people.index % 71 == 0, "education"] = None
    table = put(people, connection)
    whole, counted = methods()[name], clone(methods()[name])
    published = whole.fit_transform(table.to_frame())
    recoded = counted.fit_transform(table)
    assert_alike(whole, counted)
    assert rows(recoded.to_frame()) == rows(published)
    assert all(verdict.passed for verdict in counted.check(recoded))


def test_types_of_the_database(connection):
    """Dates, moments, exact numbers, truths, NaN beside NULL."""
    made = SQLTable(
        connection,
        query="""
            SELECT DATE '2020-01-01' + i % 5 AS day,
                (i % 3)::numeric(9, 2) AS paid, i % 2 = 0 AS member,
                CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::float8
                    WHEN 2 THEN 0.0 ELSE -0.0 END AS score,
                TIMESTAMP '2020-01-01 10:00' + (i % 3) * INTERVAL '1 hour' AS seen
            FROM generate_series(1, 240) i;
        """,
    )
    method = MondrianAnonymizer(["day", "paid", "member", "score", "seen"], k=6)
    whole, counted = clone(method), clone(method)
    published = whole.fit_transform(made.to_frame())
    recoded = counted.fit_transform(made)
    assert_alike(whole, counted)
    assert rows(recoded.to_frame()) == rows(published)


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["id"]) for case in corpus.read_cases()]
)
def test_the_corpus_is_judged_and_published_alike(case, connection):
    frame = corpus.read_table(case).reset_index(drop=True)
    table = put(frame, connection)
    for question in case["ask"]:
        answers = [answer(case, question, held) for held in (table.to_frame(), table)]
        assert answers[0] == answers[1]


def answer(case, question, held):
    adapter = ours.Ours("mondrian")
    try:
        if question["question"] == "published":
            made = adapter.publish(adapter.prepare(held, case, question["asked"]))
            return rows(made if isinstance(made, pd.DataFrame) else made.to_frame())
        if question["question"] == "labels cover their values":
            return None
        return adapter.judge(held, case, question)
    except AnonymizationError as error:
        return str(error)


def test_expectations_judge_a_table_of_postgresql(connection, url):
    people = load_adult()
    put(people, connection)
    context = great_expectations.get_context(mode="ephemeral")
    source = context.data_sources.add_postgres("db", connection_string=url)
    asset = source.add_table_asset("people", table_name="people")
    batch = asset.add_batch_definition_whole_table("all").get_batch()
    columns = ["race", "sex"]
    smallest = int(people.groupby(columns).size().min())
    for k, success in ((smallest, True), (smallest + 1, False)):
        asked = gx.ExpectTableToBeKAnonymous(k=k, quasi_identifiers=columns)
        result = batch.validate(asked)
        assert result.success is success
        assert result.result["observed_value"] == smallest
    close = gx.ExpectTableToBeTClose(
        t=1.0,
        reference="released",
        quasi_identifiers=columns,
        sensitive=["occupation"],
    )
    here = Classes.from_frame(people, columns, ["occupation"])
    there = Classes.from_frame(SQLTable(connection, "people"), columns, ["occupation"])
    assert sorted(there.sizes) == sorted(here.sizes)
    assert batch.validate(close).success


def test_a_table_in_a_schema_and_one_that_is_not_there(connection):
    connection.execute(sa.text('CREATE SCHEMA IF NOT EXISTS "of people"'))
    connection.execute(
        sa.text('CREATE TABLE "of people".visits AS SELECT 1 AS age, 2 AS "the zip"')
    )
    table = SQLTable(connection, "of people.visits")
    assert table.columns == ["age", "the zip"]
    connection.rollback()
    with pytest.raises(DataError, match="table 'nowhere' cannot be read"):
        SQLTable(connection, "nowhere")


def test_counting_writes_nothing(connection):
    put(load_adult().head(200), connection)
    connection.execute(sa.text("SET TRANSACTION READ ONLY"))
    table = SQLTable(connection, "people")
    assert MondrianAnonymizer(["age"], k=5).fit(table).report_.rows == 200
    assert table.n_combinations(["sex"]) == 2
