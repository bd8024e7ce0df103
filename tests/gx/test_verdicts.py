"""The whole corpus, every expectation: engines give the verdicts of a data frame."""

import duckdb
import great_expectations
import pytest
import sqlalchemy as sa

from anon_transformers import gx
from anon_transformers.gx._expectation import TableExpectation
from anon_transformers.registry import registry
from tests.gx import verdicts

pytestmark = pytest.mark.gx


@pytest.fixture(scope="module")
def one_context():
    """Made once: to make it takes longer than to judge a table."""
    context = great_expectations.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    return context


def in_sqlite(context, folder):
    path = f"sqlite:///{folder / 'people.db'}"

    def put(frame):
        engine = sa.create_engine(path)
        frame.to_sql("people", engine, index=False, if_exists="replace")
        engine.dispose()
        source = context.data_sources.add_or_update_sqlite("db", connection_string=path)
        return verdicts.of_table(source)

    return put


def in_duckdb(context, folder):
    path = folder / "people.duckdb"

    def put(frame):
        with duckdb.connect(path) as connection:
            connection.register("given", frame)
            connection.execute("CREATE OR REPLACE TABLE people AS FROM given")
        source = context.data_sources.add_or_update_sql(
            "duck", connection_string=f"duckdb:///{path}"
        )
        return verdicts.of_table(source)

    return put


@pytest.mark.parametrize("subject", verdicts.SUBJECTS)
@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["id"]) for case in verdicts.CASES]
)
def test_databases_give_the_verdicts_of_a_frame(case, subject, one_context, tmp_path):
    puts = [put(one_context, tmp_path) for put in (in_sqlite, in_duckdb)]
    verdicts.assert_alike(one_context, case, subject, puts)


def test_no_expectation_is_left_out():
    """A new expectation belongs to one of the two tables."""
    known = {*verdicts.ABOUT_CLASSES, *verdicts.OTHERS}
    exported = {getattr(gx, name) for name in gx.__all__}
    named = {
        asked
        for asked in exported
        if isinstance(asked, type) and issubclass(asked, TableExpectation)
    }
    assert known == named
    models = registry().of_thresholds("model")
    for asked in known:
        by_counts = models[asked.model_name].evidence == "classes"
        assert by_counts == (asked in verdicts.ABOUT_CLASSES)
