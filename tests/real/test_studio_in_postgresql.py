"""Studio opens a table of PostgreSQL, which counts there what the pages show."""

import io

import pandas as pd
import pytest
import sqlalchemy as sa

from anon_transformers.engines import SQLTable
from anon_transformers.release._config import read_config
from anon_transformers.studio import _counted_profile
from anon_transformers.studio._profile import profile_of
from anon_transformers.studio._source import StatedSource, source_of
from tests.real.postgres import running_cluster
from tests.studio.conftest import PEOPLE, studio

__all__ = ["studio"]

pytestmark = pytest.mark.real
PASSWORD = "hunter2-of-the-server"
ROLES = {
    "id": "identifiers",
    "age": "quasi_identifiers",
    "sex": "quasi_identifiers",
    "town": "quasi_identifiers",
    "disease": "sensitive",
}


@pytest.fixture(scope="module")
def url():
    with running_cluster() as cluster:
        engine = sa.create_engine(cluster.url)
        people = pd.read_csv(io.StringIO(PEOPLE))
        people.to_sql("people", engine, schema="public", index=False)
        engine.dispose()
        user, _, place = cluster.url.rpartition("@")
        yield f"{user}:{PASSWORD}@{place}"


@pytest.fixture
def opened(studio, url, monkeypatch):
    """The page of the table, of which a few rows are read and all are counted."""
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setattr(StatedSource, "read", lambda _: pytest.fail("all rows"))
    monkeypatch.setattr(_counted_profile, "FIRST_ROWS", 3)
    stated = {"database": "$DATABASE_URL", "table": "public.people"}
    return studio.post("/projects/database", stated)


def test_what_is_shown_is_counted_in_the_server(studio, opened, monkeypatch):
    text = studio.text(opened)
    assert "8 rows, 5 columns" in text
    assert "Rows 1 to 3 of 8" in text
    studio.check_accessible(opened)
    (project,) = studio.studio.shelf.projects()
    found = profile_of(project, source_of(project))
    columns = {one["name"]: one for one in found.columns}
    people = pd.read_csv(io.StringIO(PEOPLE))
    for name in people:
        counted = found.counts(name)
        shown = dict(zip(map(str, counted.values), counted.rows, strict=True))
        assert shown == people[name].astype(str).value_counts().to_dict()
        assert columns[name]["values"] == people[name].nunique()


def test_counting_is_asked_of_the_server(studio, url, monkeypatch):
    asked = []
    count = SQLTable.count
    monkeypatch.setattr(
        SQLTable,
        "count",
        lambda self, names: (
            asked.append((self.connection.dialect.name, *names)) or count(self, names)
        ),
    )
    monkeypatch.setenv("DATABASE_URL", url)
    stated = {"database": "$DATABASE_URL", "table": "people"}
    studio.post("/projects/database", stated)
    assert asked == [("postgresql", name) for name in ROLES]


def test_roles_are_assigned_and_kept(studio, opened):
    (project,) = studio.studio.shelf.projects()
    form = {"column": list(ROLES), "role": list(ROLES.values())}
    data = f"/p/{project.id}/data/"
    page = studio.post(f"{data}columns", form, came_from=data)
    assert page.status_code == 200
    assert project.content["roles"] == {
        "quasi_identifiers": ["age", "sex", "town"],
        "sensitive": ["disease"],
        "identifiers": ["id"],
    }
    stated = read_config(project.file).source
    assert (stated.kind, stated.options["table"]) == ("sql", "public.people")


def test_no_secret_of_the_environment_is_kept_or_shown(studio, opened, url):
    (project,) = studio.studio.shelf.projects()
    assert "$DATABASE_URL" in project.file.read_text()
    shown = [opened.text, studio.get(f"/p/{project.id}/data/").text]
    files = [path.read_bytes() for path in studio.home.rglob("*") if path.is_file()]
    assert len(files) > 3
    for held in (*(text.encode() for text in shown), *files):
        assert PASSWORD.encode() not in held


def test_a_server_that_is_gone_and_a_table_that_is_not_there(studio, url, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", url)
    stated = {"database": "$DATABASE_URL", "table": "visits"}
    assert "cannot be read" in studio.text(studio.post("/projects/database", stated))
    place, _, name = url.rpartition("/")
    monkeypatch.setenv("DATABASE_URL", f"{place}1/{name}")
    said = studio.text(studio.post("/projects/database", stated))
    assert "the database cannot be reached" in said
    assert PASSWORD not in said
    assert studio.studio.shelf.projects() == []
