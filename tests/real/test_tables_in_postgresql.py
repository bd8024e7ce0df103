"""Tables in PostgreSQL: counted, recoded and judged there as in memory."""

from functools import partial

import great_expectations
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
from anon_transformers.exceptions import DataError, SpellingWarning
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import DistinctLDiversity
from tests.engines.conftest import rows
from tests.engines.test_corpus import (
    JUDGED,
    PUBLISHED,
    assert_judged_alike,
    assert_published_alike,
)
from tests.engines.test_estimators import assert_alike
from tests.engines.test_large_tables import assert_alike_there, diabetes130, fars
from tests.gx import verdicts
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


@pytest.mark.parametrize("table", [fars, diabetes130])
def test_real_tables_are_learned_and_judged_alike(table, connection):
    assert_alike_there(table, partial(put, connection=connection))


@pytest.mark.parametrize(("case", "question"), JUDGED)
def test_the_corpus_is_judged_alike(case, question, connection):
    assert_judged_alike(case, question, partial(put, connection=connection))


@pytest.mark.parametrize(("case", "question", "method"), PUBLISHED)
def test_the_corpus_is_published_alike(case, question, method, connection):
    assert_published_alike(case, question, method, partial(put, connection=connection))


@pytest.fixture(scope="module")
def context():
    context = great_expectations.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    return context


@pytest.mark.parametrize("subject", [None, "person"], ids=["rows", "persons"])
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["id"]) for case in verdicts.CASES]
)
def test_expectations_give_the_verdicts_of_a_frame(
    case, subject, context, connection, url
):
    def in_postgresql(frame):
        put(frame, connection)
        source = context.data_sources.add_or_update_postgres(
            "db", connection_string=url
        )
        return verdicts.of_table(source)

    verdicts.assert_alike(context, case, subject, [in_postgresql])


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


def test_what_the_database_takes_for_equal_is_told_apart(connection):
    """Texts under a collation, exact numbers, and types made in the database."""
    for made in (
        "CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', "
        "deterministic = false)",
        "CREATE TYPE size AS ENUM ('small', 'large')",
        "CREATE TABLE wards (ward text COLLATE any_case, size size, id numeric(38, 0))",
        "INSERT INTO wards VALUES ('a', 'small', 9007199254740992), "
        "('A', 'large', 9007199254740993), ('a', 'small', NULL)",
    ):
        connection.execute(sa.text(made))
    assert (
        connection.execute(sa.text("SELECT count(DISTINCT ward) FROM wards")).scalar()
        == 1
    )
    table = SQLTable(connection, "wards")
    for column, sizes in {"ward": [1, 2], "size": [1, 2], "id": [1, 1, 1]}.items():
        assert sorted(Classes.from_frame(table, [column]).sizes) == sizes
        assert table.n_combinations([column]) == len(sizes)
    method = MondrianAnonymizer(["ward", "size"], k=3)
    with pytest.warns(SpellingWarning):
        assert len(method.fit_transform(table).to_frame()) == 3
    connection.rollback()


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


def test_bytes_are_refused(connection):
    query = "SELECT decode(lpad(to_hex(i % 3), 2, '0'), 'hex') AS odd FROM {}"
    table = SQLTable(connection, query=query.format("generate_series(1, 12) t(i)"))
    with pytest.raises(DataError, match=r"column 'odd' holds values .*CAST"):
        MondrianAnonymizer(["odd"], k=4).fit(table)
