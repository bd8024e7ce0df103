"""What is learned from counts in an engine is what is learned from all rows."""

from dataclasses import asdict

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import clone

from anon_transformers import (
    DataflyAnonymizer,
    FullDomainAnonymizer,
    MondrianAnonymizer,
)
from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.engines import SQLTable, open_engine
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import (
    DataError,
    InfeasibleError,
    NotEvaluable,
    ParameterError,
)
from anon_transformers.hierarchies import Intervals
from anon_transformers.microaggregation import MDAVAnonymizer
from anon_transformers.privacy import DistinctLDiversity, TCloseness
from tests.engines.conftest import KINDS, collect, put, rows

QUASI_IDENTIFIERS = ["age", "sex", "race", "education"]


@pytest.fixture(scope="module")
def adult():
    """The first rows of Adult, with gaps in a number and in a text."""
    people = load_adult().head(4000).reset_index(drop=True)
    people["age"] = people["age"].astype(float)
    people.loc[people.index % 61 == 0, "age"] = np.nan
    people.loc[people.index % 53 == 0, "education"] = None
    return people.assign(name=[f"person {i}" for i in people.index])


def methods():
    sensitive = {"sensitive": ["occupation"]}
    return {
        "mondrian": MondrianAnonymizer(
            models=[DistinctLDiversity(3)], **sensitive, identifiers=["name"]
        ),
        "cuts": MondrianAnonymizer(boxes="cuts"),
        "centers": MondrianAnonymizer(output="center"),
        "datafly": DataflyAnonymizer(),
        "datafly-mask": DataflyAnonymizer(suppression="mask"),
        "full-domain": FullDomainAnonymizer(
            models=[TCloseness(0.4)], suppression_limit=0.05, **sensitive
        ),
        "full-domain-drop": FullDomainAnonymizer(
            suppression_limit=0.1, suppression="drop", search="samarati"
        ),
        "full-domain-blank": FullDomainAnonymizer(
            suppression_limit=0.1, suppression="blank", **sensitive
        ),
        "local-recoding": FullDomainAnonymizer(local_recoding=True),
    }


def fit_both(method, table, frame=None):
    """The method fitted to all rows and to the table in its engine.

    Without a frame, the rows are those that the engine gives back.
    """
    whole, counted = clone(method), clone(method)
    published = whole.fit_transform(collect(table) if frame is None else frame)
    return whole, published, counted, counted.fit_transform(table)


def assert_alike(whole, counted):
    one, other = (flat(asdict(m.report_)) for m in (whole, counted))
    for held in (one, other):
        del held["seconds"]
    assert other == one
    assert counted.n_suppressed_ == whole.n_suppressed_
    assert counted.n_extra_suppressed_ == whole.n_extra_suppressed_


def flat(held):
    """A report with numbers that do not depend on the order they were added up in."""
    if isinstance(held, dict):
        return {key: flat(value) for key, value in held.items()}
    if isinstance(held, list | tuple):
        return [flat(value) for value in held]
    if isinstance(held, pd.DataFrame):
        return flat(held.to_dict("list"))
    return f"{held:.9g}" if isinstance(held, float) else held


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", methods())
def test_counts_tell_as_much_as_all_rows(name, kind, adult):
    method = methods()[name].set_params(quasi_identifiers=QUASI_IDENTIFIERS, k=5)
    table = put(adult, kind)
    whole, published, counted, recoded = fit_both(method, table)
    assert type(recoded) is type(table)
    assert rows(collect(recoded)) == rows(published)
    assert list(collect(recoded).columns) == list(published.columns)
    assert_alike(whole, counted)


@pytest.mark.parametrize("kind", KINDS)
def test_other_rows_are_recoded_where_they_live(kind, adult):
    method = MondrianAnonymizer(QUASI_IDENTIFIERS, k=5)
    first, others = adult.iloc[:2000], adult.iloc[2000:]
    method.fit(put(first, kind))
    recoded = collect(method.transform(put(others, kind)))
    assert rows(recoded) == rows(method.transform(collect(put(others, kind))))
    assert (recoded["age"] == "*").any()


@pytest.mark.parametrize("kind", KINDS)
def test_persons_are_counted_in_an_engine(kind):
    people = pd.DataFrame(
        {
            "who": [1, 1, 1, 2, 2, 3, 4, 5, 6, 7],
            "age": [20, 20, 20, 21, 21, 22, 40, 41, 42, 43],
            "ill": list("abcaabcabc"),
        }
    )
    method = MondrianAnonymizer(["age"], k=3, subject="who", sensitive=["ill"])
    whole, published, counted, recoded = fit_both(method, put(people, kind))
    assert rows(collect(recoded)) == rows(published)
    assert_alike(whole, counted)
    with pytest.raises(NotEvaluable, match="who"):
        counted.check(recoded)


VALUES = {
    "number": st.one_of(st.none(), st.integers(-3, 3)),
    "decimal": st.one_of(
        st.none(), st.sampled_from([0.0, -0.0, 0.5, 1.5, float("nan"), 1e300])
    ),
    "text": st.one_of(
        st.none(), st.sampled_from(["a", "e", "", "'b", '"c', "d\\", " "])
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30, deadline=None)
@given(
    cells=st.lists(st.tuples(*VALUES.values()), min_size=6, max_size=25),
    k=st.integers(2, 3),
)
def test_any_table_is_counted_as_it_is(kind, cells, k):
    frame = pd.DataFrame(cells, columns=list(VALUES))
    frame["number"] = frame["number"].astype("Int64")
    frame["decimal"] = frame["decimal"].astype(float)
    frame["text"] = frame["text"].astype("str")
    table = put(frame, kind)
    method = MondrianAnonymizer(list(VALUES), k=k)
    whole, published, counted, recoded = fit_both(method, table)
    assert rows(collect(recoded)) == rows(published)
    assert_alike(whole, counted)


def test_dates_and_exact_numbers_of_duckdb():
    relation = duckdb.sql(
        "SELECT DATE '2020-01-01' + (i % 7)::int AS day, "
        "(i % 3)::decimal(9, 2) AS paid, i % 2 = 0 AS member FROM range(60) t(i)"
    )
    method = MondrianAnonymizer(["day", "paid", "member"], k=4)
    whole, published, counted, recoded = fit_both(method, relation)
    assert rows(recoded.df()) == rows(published)
    assert_alike(whole, counted)


@pytest.mark.parametrize("kind", KINDS)
def test_frontier_and_solutions_are_those_of_all_rows(kind, adult):
    trees = load_adult_hierarchies()
    columns = ["sex", "race"]
    method = FullDomainAnonymizer(columns, hierarchies={n: trees[n] for n in columns})
    table = put(adult, kind)
    for found in (
        method.solutions,
        lambda held: method.frontier(held, max_k=50),
    ):
        one, other = (flat(vars(found(held))) for held in (collect(table), table))
        assert other == one


@pytest.mark.parametrize("kind", KINDS)
def test_what_needs_rows_says_so_at_once(kind, adult):
    table = put(adult, kind)
    for method in (
        MondrianAnonymizer(["age"], mode="relaxed"),
        MDAVAnonymizer(["age"]),
    ):
        with pytest.raises(DataError, match=r"needs the rows themselves.*collect"):
            method.fit(table)


@pytest.mark.parametrize("kind", KINDS)
def test_what_follows_an_order_of_rows_is_refused(kind, adult):
    table = put(adult, kind)
    method = MondrianAnonymizer(QUASI_IDENTIFIERS, k=5)
    with pytest.raises(ParameterError, match=r"y: the rows .* have no order"):
        method.fit(table, adult["sex"])
    with pytest.raises(ParameterError, match="set_output"):
        clone(method).set_output(transform="pandas").fit(table)
    method.fit(table)
    with pytest.raises(AttributeError, match="n_suppressed_ says how many"):
        _ = method.suppressed_mask_
    assert method.n_suppressed_ == 0
    assert list(method.feature_names_in_) == list(adult.columns)
    assert method.n_features_in_ == len(adult.columns)


def test_a_later_fit_to_rows_has_a_mask_again(adult):
    method = MondrianAnonymizer(QUASI_IDENTIFIERS, k=5).fit(put(adult, "polars"))
    method.fit(adult)
    assert method.suppressed_mask_.shape == (len(adult),)
    method.fit(put(adult, "polars"))
    assert not hasattr(method, "suppressed_mask_")


@pytest.mark.parametrize("kind", KINDS)
def test_errors_count_rows_and_not_combinations(kind):
    frame = pd.DataFrame({"age": [20, 20, 20, 99], "sex": ["f", "f", "f", "*"]})
    with pytest.raises(DataError, match=r"suppression label '\*' in 1 rows"):
        MondrianAnonymizer(["age", "sex"], k=2).fit(put(frame, kind))
    tree = Intervals(widths=[10], unknown="error").build(["99"])
    with pytest.raises(DataError, match="3 rows"):
        MondrianAnonymizer(["age"], k=2, hierarchies={"age": tree}).fit(
            put(frame, kind)
        )
    with pytest.raises(InfeasibleError, match=r"k=9 .* the table has 4 rows"):
        MondrianAnonymizer(["age"], k=9).fit(put(frame, kind))


@pytest.mark.parametrize("kind", KINDS)
def test_columns_that_are_not_there_are_named(kind):
    table = put(pd.DataFrame({"age": [1, 2, 3]}), kind)
    with pytest.raises((DataError, ParameterError), match="agee"):
        MondrianAnonymizer(["agee"], k=2).fit(table)


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_table_is_refused(kind):
    table = put(pd.DataFrame({"age": pd.Series([], dtype=float)}), kind)
    with pytest.raises(DataError, match="empty"):
        MondrianAnonymizer(["age"], k=2).fit(table)


def test_rows_that_came_after_counting_are_suppressed():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people AS SELECT i % 5 AS age FROM range(50) t(i)")
    method = MondrianAnonymizer(["age"], k=5)
    recoded = method.fit_transform(connection.table("people"))
    connection.execute("INSERT INTO people VALUES (77)")
    assert sorted(recoded.df()["age"].unique())[0] == "*"


def test_names_with_quotes_are_columns_like_others():
    frame = pd.DataFrame({'a "b"': [1, 1, 2, 2], "c'd": list("xyxy")})
    for kind in KINDS:
        method = MondrianAnonymizer(['a "b"'], k=2)
        recoded = method.fit_transform(put(frame, kind))
        assert rows(collect(recoded)) == rows(method.fit_transform(frame))


def test_a_repeated_identifier_is_told_by_the_engine():
    frame = pd.DataFrame({"name": list("aabc"), "age": [1, 1, 2, 2]})
    for kind in KINDS:
        with pytest.warns(match=r"identifier 'name' repeats \(1 values"):
            MondrianAnonymizer(["age"], k=2, identifiers=["name"]).fit(put(frame, kind))


def test_polars_reads_nothing_but_what_it_counts(tmp_path):
    file = tmp_path / "people.parquet"
    pl.DataFrame({"age": [1, 1, 2, 2], "note": list("abcd")}).write_parquet(file)
    recoded = MondrianAnonymizer(["age"], k=2).fit_transform(pl.scan_parquet(file))
    assert recoded.collect().get_column("note").sort().to_list() == list("abcd")


@pytest.mark.parametrize("kind", KINDS)
def test_distinct_combinations_are_counted(kind, adult):
    table = open_engine(put(adult, kind))
    expected = adult[["age", "education"]].drop_duplicates()
    assert table.n_combinations(["age", "education"]) == len(expected)
    assert len(table) == table.n_rows() == len(adult)


def test_an_error_of_the_database_quotes_no_cell(adult, monkeypatch):
    table = put(adult.head(200), "sqlite")
    method = MondrianAnonymizer(QUASI_IDENTIFIERS, k=5).fit(table)

    run = table.connection.execute

    def lost(statement, *sent, **options):
        if not sent:  # only what sends cells fails
            return run(statement, **options)
        raise sa.exc.OperationalError("INSERT", {"label": "Bachelors"}, Exception())

    monkeypatch.setattr(table.connection, "execute", lost)
    with pytest.raises(DataError, match=r"'people' cannot be read") as caught:
        method.transform(table)
    assert "Bachelors" not in str(caught.value)


@pytest.mark.parametrize(
    "cell", ["('a' || i % 3)::BLOB", "[i % 3]", "{'a': i % 3}", "map([1], [i % 3])"]
)
def test_what_is_no_single_value_is_refused_in_duckdb(cell):
    table = duckdb.sql(f"SELECT {cell} AS odd, i FROM range(12) t(i)")
    assert_refused(table)


@pytest.mark.parametrize("make", [lambda i: bytes([i % 3]), lambda i: [i % 3]])
def test_what_is_no_single_value_is_refused_in_polars(make):
    assert_refused(pl.DataFrame({"odd": [make(i) for i in range(12)]}).lazy())


def test_what_is_no_single_value_is_refused_in_sqlite():
    connection = sa.create_engine("sqlite://").connect()
    connection.execute(sa.text("CREATE TABLE people (odd BLOB)"))
    blobs = [{"odd": bytes([i % 3])} for i in range(12)]
    connection.execute(sa.text("INSERT INTO people VALUES (:odd)"), blobs)
    assert_refused(SQLTable(connection, "people"))


def assert_refused(table):
    method = MondrianAnonymizer(["odd"], k=4)
    for ask in (method.fit, lambda table: Classes.from_frame(table, ["odd"])):
        with pytest.raises(DataError, match=r"column 'odd' holds values .*CAST"):
            ask(table)
