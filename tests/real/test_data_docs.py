"""Data Docs of a suite on PostgreSQL, as a browser shows them."""

import great_expectations
import pytest
import sqlalchemy as sa

from anon_transformers.datasets import load_adult
from anon_transformers.gx import (
    ExpectPrivacyMetricToBeBetween,
    ExpectTableToBeDistinctLDiverse,
    ExpectTableToBeKAnonymous,
    ExpectTableToBeProbabilisticallyKAnonymous,
    build_data_docs,
)
from tests.real.grid import BROWSER, FLAGS
from tests.real.postgres import running_cluster

pytestmark = pytest.mark.real
COLUMNS = ["race", "sex"]


@pytest.fixture(scope="module")
def people():
    return load_adult()


@pytest.fixture(scope="module")
def address(people, tmp_path_factory):
    """The index of the pages, after a checkpoint on a table of PostgreSQL."""
    suite = great_expectations.ExpectationSuite(
        name="people",
        expectations=[
            ExpectTableToBeKAnonymous(quasi_identifiers=COLUMNS, k=100),
            ExpectTableToBeKAnonymous(quasi_identifiers=["sex"], k=100),
            ExpectTableToBeDistinctLDiverse(
                quasi_identifiers=["sex"], sensitive=["occupation"], l=3
            ),
            ExpectPrivacyMetricToBeBetween(
                metric="average-risk", max_value=0.1, quasi_identifiers=COLUMNS
            ),
            ExpectTableToBeProbabilisticallyKAnonymous(quasi_identifiers=COLUMNS, k=2),
        ],
    )
    folder = tmp_path_factory.mktemp("project")
    context = great_expectations.get_context(mode="file", project_root_dir=folder)
    context.variables.progress_bars = {"globally": False}
    with running_cluster() as cluster:
        engine = sa.create_engine(cluster.url)
        people.to_sql("people", engine, index=False)
        engine.dispose()
        source = context.data_sources.add_postgres("db", connection_string=cluster.url)
        asset = source.add_table_asset("people", table_name="people")
        definition = great_expectations.ValidationDefinition(
            name="people",
            data=asset.add_batch_definition_whole_table("all"),
            suite=context.suites.add(suite),
        )
        checkpoint = great_expectations.Checkpoint(
            name="people",
            validation_definitions=[context.validation_definitions.add(definition)],
        )
        assert not context.checkpoints.add(checkpoint).run().success
        (found,) = build_data_docs(context).values()
    return found


@pytest.fixture
def page():
    """A page of a browser that may load files of this machine alone."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 1400})
            page.asked = []
            page.on("request", lambda request: page.asked.append(request.url))
            yield page
        finally:
            browser.close()


def test_a_reader_sees_sentence_level_and_threshold(address, page, people, tmp_path):
    page.goto(address)
    page.get_by_role("link", name="people").first.wait_for()
    results = page.locator("a[href*='validations/']").first.get_attribute("href")
    page.goto(f"{address.rpartition('/')[0]}/{results}")
    text = page.inner_text("body")
    page.screenshot(path=str(tmp_path / "data_docs.png"), full_page=True)

    smallest = people.groupby(COLUMNS).size()
    failing = int((smallest < 100).sum())
    assert failing > 0
    assert "Every combination of race, sex must be shared by at least 100 rows." in text
    shown = f"{smallest.min()} ({failing} of {len(smallest)} classes fail)"
    assert shown in text
    assert "Every combination of sex must be shared by at least 100 rows." in text
    by_sex = people.groupby("sex").size()
    assert f"{by_sex.min()} (0 of {len(by_sex)} classes fail)" in text.replace(",", "")
    assert "average-risk must be at most 0.1, judged on race, sex." in text
    assert "not evaluated: it needs the rows themselves" in text
    assert "newsletter" not in text  # it would lie over the last row
    assert "Traceback" not in text
    assert not [url for url in page.asked if not url.startswith("file://")]
