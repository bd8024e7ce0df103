"""Tables in Spark: counted there, and judged as data frames are."""

import json
import logging
from functools import partial

import great_expectations
import numpy as np
import pandas as pd
import pytest
from great_expectations.expectations.row_conditions import Column

from anon_transformers import (
    DataflyAnonymizer,
    FullDomainAnonymizer,
    MondrianAnonymizer,
    gx,
)
from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.engines import LabelTable, open_engine
from anon_transformers.engines._spark import SparkEngine
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.privacy import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    TCloseness,
)
from tests.engines.conftest import collect, rows
from tests.engines.test_corpus import (
    JUDGED,
    PUBLISHED,
    assert_judged_alike,
    assert_published_alike,
)
from tests.engines.test_estimators import assert_alike, fit_both
from tests.engines.test_large_tables import assert_alike_there, diabetes130, fars
from tests.gx import verdicts
from tests.real.spark import put, running_spark

pytestmark = [
    pytest.mark.real,
    # PySpark leaves the sockets that it reads results from to the garbage collector.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]
COLUMNS = ["age", "education", "marital-status", "race", "sex"]


@pytest.fixture(scope="module")
def session():
    with running_spark() as session:
        yield session


@pytest.fixture(scope="module")
def context():
    context = great_expectations.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    return context


@pytest.fixture(scope="module")
def in_spark(session, context):
    """Put a frame, or a data frame of Spark, into a batch."""

    def batch(frame):
        held = put(frame, session) if isinstance(frame, pd.DataFrame) else frame
        source = context.data_sources.add_or_update_spark("spark")
        asset = source.add_dataframe_asset("people")
        whole = asset.add_batch_definition_whole_dataframe("all")
        return whole.get_batch(batch_parameters={"dataframe": held})

    return batch


@pytest.mark.parametrize("subject", [None, "person"], ids=["rows", "persons"])
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["id"]) for case in verdicts.CASES]
)
def test_spark_gives_the_verdicts_of_a_frame(case, subject, context, in_spark):
    verdicts.assert_alike(context, case, subject, [in_spark])


def test_real_tables_are_judged_alike(session):
    people = load_adult().head(5000)
    people.loc[people.index % 61 == 0, "education"] = None
    columns, sensitive = ["age", "education", "race", "sex"], ["occupation"]
    here = Classes.from_frame(people, columns, sensitive)
    there = Classes.from_frame(put(people, session), columns, sensitive)
    assert sorted(there.sizes) == sorted(here.sizes)
    for model in (
        KAnonymity(1),
        DistinctLDiversity(1),
        EntropyLDiversity(1.0),
        TCloseness(1.0, reference="released"),
    ):
        assert model.level(there) == pytest.approx(model.level(here))


def test_combinations_are_counted(session):
    table = session.createDataFrame(
        [
            (2**53, "a", 1.0, None),
            (2**53 + 1, "A", float("nan"), True),
            (None, "a", None, True),
            (None, "a", -0.0, True),
            (None, "a", 0.0, True),
            (2, "", float("nan"), False),
        ],
        "`age.of` bigint, `sex` string, `Sex` double, `a``b` boolean",
    )
    engine = open_engine(table)
    assert engine.columns == ["age.of", "sex", "Sex", "a`b"]
    assert len(engine) == 6
    assert engine.n_combinations(["sex", "a`b"]) == 4
    assert engine.n_repeated("sex") == 1
    assert engine.n_repeated("age.of") == 0
    ages = engine.count(["age.of"])
    # As floating numbers, the two large ones would be one.
    assert dict(zip(ages.frame["age.of"].astype(object), ages.rows, strict=True)) == {
        2**53: 1,
        2**53 + 1: 1,
        2: 1,
        pd.NA: 3,
    }
    sizes = Classes.from_frame(table, ["Sex"]).sizes  # NaN and NULL are both missing
    assert sorted(sizes) == [1, 2, 3]


def test_dates_exact_numbers_and_texts_of_a_collation(session):
    table = session.sql("""
        SELECT DATE '2020-01-01' + CAST(id % 3 AS INT) AS day,
            CAST(id % 2 AS DECIMAL(9, 2)) AS paid,
            TIMESTAMP '2020-01-01 10:00' + INTERVAL 1 HOUR * (id % 2) AS seen,
            IF(id % 2 = 0, 'a', 'A') COLLATE UTF8_LCASE AS ward
        FROM range(12)
    """)
    for column, sizes in {
        "day": [4, 4, 4],
        "paid": [6, 6],
        "seen": [6, 6],
        "ward": [6, 6],  # published differently, they are two values
    }.items():
        assert Classes.from_frame(table, [column]).sizes.tolist() == sizes


@pytest.fixture(scope="module")
def people():
    return pd.DataFrame(
        {
            "who": [1, 1, 2, 3, 4, 5],
            "age": [20, 20, 20, 30, 30, 30],
            "sex": list("ffmfmf"),
            "notes": [["x"]] * 6,
        }
    )


def test_the_rows_of_a_condition(in_spark, people):
    women = gx.ExpectTableToBeKAnonymous(
        k=2, quasi_identifiers=["age"], row_condition=Column("sex") == "f"
    )
    result = in_spark(people).validate(women)
    assert result.success
    assert result.result["details"]["part"]["of_rows"] == len(people)
    assert result.result["details"]["rows"] == 4


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"quasi_identifiers": ["agee"]}, "unknown column 'agee'"),
        ({"quasi_identifiers": ["Age"]}, "unknown column 'Age'"),
        ({"quasi_identifiers": ["notes"]}, "column 'notes': Spark holds it as array"),
        (
            {"quasi_identifiers": ["age"], "row_condition": Column("nobody") == 1},
            "row_condition: it cannot be evaluated",
        ),
        (
            {"quasi_identifiers": ["age"], "row_condition": Column("age") == 99},
            "no row of the table meets it",
        ),
    ],
)
def test_what_cannot_be_judged_fails_and_says_why(in_spark, people, asked, why):
    result = in_spark(people).validate(gx.ExpectTableToBeKAnonymous(k=1, **asked))
    assert not result.success
    assert why in result.result["details"]["reason"]
    assert "Traceback" not in json.dumps(result.to_json_dict())


@pytest.mark.parametrize(
    "asked",
    [
        gx.ExpectPrivacyModelToHold(
            model="probabilistic-k-anonymity",
            params={"k": 1},
            quasi_identifiers=["age"],
        ),
        gx.ExpectPrivacyAttackToExposeAtMost(
            attack="unique-combinations", max_value=0.9, quasi_identifiers=["age"]
        ),
    ],
)
def test_what_needs_rows_fails_and_says_so(in_spark, people, asked):
    result = in_spark(people).validate(asked)
    assert not result.success
    assert "needs the rows themselves" in result.result["details"]["reason"]


def test_in_a_gate_spark_counts_once(in_spark, people, monkeypatch):
    counted, count = [], SparkEngine.count

    def note(engine, columns):
        counted.append(columns)
        return count(engine, columns)

    monkeypatch.setattr(SparkEngine, "count", note)
    batch = in_spark(people)
    with gx.private_evidence(gx.PrivateEvidence()):
        for k, success in ((3, True), (4, False)):
            asked = gx.ExpectTableToBeKAnonymous(k=k, quasi_identifiers=["age"])
            assert batch.validate(asked).success is success
    assert counted == [["age"]]


def test_an_empty_table_fails(in_spark, session):
    empty = session.createDataFrame([], "age int")
    asked = gx.ExpectTableToBeKAnonymous(k=1, quasi_identifiers=["age"])
    assert not in_spark(empty).validate(asked).success


def test_a_fault_of_spark_quotes_no_cell(session, caplog, capfd):
    table = session.sql("SELECT CAST(x AS INT) AS age FROM VALUES ('1'), ('Ann') t(x)")
    with caplog.at_level(logging.INFO), pytest.raises(DataError) as caught:
        Classes.from_frame(table, ["age"])
    assert "the Spark table cannot be read" in str(caught.value)
    told = [str(caught.value), caplog.text, *capfd.readouterr()]
    assert not [text for text in told if "Ann" in text]


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
        "full-domain-blank": FullDomainAnonymizer(
            COLUMNS, k=5, hierarchies=trees, suppression_limit=0.05,
            suppression="blank", **sensitive,
        ),
    }  # fmt: skip


@pytest.mark.parametrize("name", methods())
def test_methods_learn_the_same_of_adult(name, session):
    people = load_adult().head(20_000)
    people.loc[people.index % 71 == 0, "education"] = None
    table, method = put(people, session), methods()[name]
    whole, published, counted, recoded = fit_both(method, table, people)
    assert type(recoded) is type(table)
    assert recoded.columns == list(published.columns)
    assert_alike(whole, counted)
    assert rows(collect(recoded)) == rows(published)
    assert all(verdict.passed for verdict in counted.check(recoded))


def test_other_rows_are_recoded_where_they_live(session):
    people = load_adult().head(4000)
    first, others = people.iloc[:2000], people.iloc[2000:]
    method = MondrianAnonymizer(COLUMNS, k=5).fit(put(first, session))
    recoded = collect(method.transform(put(others, session)))
    assert rows(recoded) == rows(method.transform(others))
    assert (recoded["age"] == "*").any()


@pytest.mark.filterwarnings("ignore:column 'ward'")
def test_types_of_spark_are_recoded(session, monkeypatch):
    """Dates, moments, exact numbers, truths, NaN beside NULL, odd names, a list."""
    made = session.sql("""
        SELECT DATE '2020-01-01' + CAST(id % 5 AS INT) AS `day.of`,
            CAST(id % 3 AS DECIMAL(9, 2)) AS `a``b`, id % 2 = 0 AS Age,
            CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN double('NaN')
                WHEN 2 THEN 0.0D ELSE -0.0D END AS age,
            TIMESTAMP_NTZ '2020-01-01 10:00' + INTERVAL 1 HOUR * (id % 3) AS seen,
            TIMESTAMP '2020-01-01 10:00' + INTERVAL 1 HOUR * (id % 2) AS told,
            IF(id % 2 = 0, 'a', 'A') COLLATE UTF8_LCASE AS ward,
            NULL AS nothing, array(id) AS notes
        FROM range(480)
    """)
    columns = ["day.of", "a`b", "Age", "age", "seen", "told", "ward", "nothing"]
    method = MondrianAnonymizer(columns, k=6)
    whole, published, counted, recoded = fit_both(method, made)
    assert_alike(whole, counted)
    assert rows(collect(recoded)) == rows(published)
    # Labels that are too many to be sent to every worker are joined all the same.
    monkeypatch.setattr("anon_transformers.engines._spark.SENT_WHOLE", 0)
    assert rows(collect(counted.transform(made))) == rows(published)


@pytest.mark.parametrize("table", [fars, diabetes130])
def test_real_tables_are_learned_alike(table, session):
    assert_alike_there(table, partial(put, session=session))


@pytest.mark.parametrize(("case", "question"), JUDGED)
def test_the_corpus_is_judged_alike(case, question, session):
    assert_judged_alike(case, question, partial(put, session=session))


@pytest.mark.parametrize(("case", "question", "method"), PUBLISHED)
def test_the_corpus_is_published_alike(case, question, method, session):
    assert_published_alike(case, question, method, partial(put, session=session))


def test_rows_that_came_after_counting_are_suppressed(session):
    table = session.createDataFrame(
        [(20, "x")] * 3 + [(30, "y")] * 3, "age int, ill string"
    )
    method = MondrianAnonymizer(["age"], k=3).fit(table)
    engine = open_engine(
        table.union(session.createDataFrame([(99, "z")], table.schema))
    )
    counts = open_engine(table).count_keys(["age"])
    made = engine.recode(
        LabelTable(
            keys=counts.keys,
            labels=pd.DataFrame({"age": counts.frame["age"].astype(str)}),
            suppressed=np.zeros(len(counts.rows), dtype=bool),
            columns=["age", "ill"],
            emptied=["ill"],
            drops=False,
            suppression_label="*",
        )
    )
    late = made.filter(made.age == "*").collect()
    assert [tuple(row) for row in late] == [("*", None)]
    assert [verdict.passed for verdict in method.check(table)] == [True]
