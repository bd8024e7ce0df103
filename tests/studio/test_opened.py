"""Files are read and written below the folders that a person opened."""

import json
from pathlib import Path

import pytest

from anon_transformers.studio import _runs
from anon_transformers.studio._opened import outside
from anon_transformers.studio._project import Project
from anon_transformers.studio._yaml import dump

SECRET = "id,age\n1,SECRET-71\n2,SECRET-72\n"


@pytest.fixture
def elsewhere(tmp_path) -> Path:
    """A folder of the same person that has nothing to do with any project."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "secret.csv").write_text(SECRET)
    return folder


@pytest.fixture
def own(tmp_path) -> Path:
    """A folder with a release file, as somebody may send it."""
    folder = tmp_path / "sent"
    (folder / "releases").mkdir(parents=True)
    (folder / "data").mkdir()
    (folder / "data" / "people.csv").write_text("id,age\n1,30\n2,31\n")
    return folder


def stated(**changes):
    return {
        "source": {"path": "../data/people.csv"},
        "roles": {"quasi_identifiers": ["age"], "identifiers": ["id"]},
        "anonymizer": {"name": "mondrian"},
        "thresholds": [{"model": "k-anonymity", "k": 2}],
        "target": {"path": "../published/people"},
        "workspace": "../.anon",
        **changes,
    }


def found(own, opened=(), period=None, **changes):
    file = own / "releases" / "people.yaml"
    return outside(stated(**changes), file, (own, *opened), period)


def test_what_lies_in_the_own_folder_asks_for_nothing(own):
    assert found(own) == ()
    assert found(own, source={"path": "bundled:adult/adult.csv.gz"}) == ()
    assert found(own, source={"kind": "sql", "url": "postgresql://h/d"}) == ()
    assert found(own, source={"path": "s3://bucket/people.csv"}) == ()
    assert found(own, source={"path": "../data/p.csv", "separator": "/"}) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"source": {"path": "{}/secret.csv"}},
        {"source": {"path": ["../data/people.csv", "{}/secret.csv"]}},
        {"source": {"path": "../../elsewhere/secret.csv"}},
        {"source": {"path": "{}/*.csv"}},
        {"source": {"path": "file://{}/secret.csv"}},
        {"source": {"kind": "graph", "edges": "{}/secret.csv"}},
        {"source": {"kind": "graph", "edges": "e.csv", "nodes": "{}/secret.csv"}},
        {"source": {"kind": "sql", "url": "sqlite:///{}/x.db", "table": "t"}},
        {"source": {"kind": "of-a-plugin", "files": {"a": "{}/secret.csv"}}},
        {"hierarchies": {"age": "{}/ages.csv"}},
        {"hierarchies": {"age": {"path": "{}/ages.csv", "unknown": "root"}}},
        {"suite": "{}/suite.json"},
        {"ledger": {"url": "sqlite:///{}/ledger.db"}},
        {"thresholds": [{"attack": "inference", "max": 0, "control": "{}/c.csv"}]},
    ],
)
def test_a_file_elsewhere_asks_for_its_folder(own, elsewhere, changes):
    text = json.dumps(changes).replace("{}", str(elsewhere))
    assert found(own, **json.loads(text)) == (elsewhere,)
    assert found(own, (elsewhere,), **json.loads(text)) == ()


@pytest.mark.parametrize("key", ["target", "workspace"])
def test_a_place_to_write_to_is_asked_for_itself(own, elsewhere, key):
    place = elsewhere / "new"
    given = {"path": str(place)} if key == "target" else str(place)
    assert found(own, **{key: given}) == (place,)


def test_a_link_is_where_it_leads(own, elsewhere):
    (own / "data" / "linked.csv").symlink_to(elsewhere / "secret.csv")
    assert found(own, source={"path": "../data/linked.csv"}) == (elsewhere,)
    assert found(own, source={"path": "../data/*.csv"}) == (elsewhere,)
    assert found(own, source={"path": "../data", "kind": "parquet"}) == (elsewhere,)
    (own / "out").symlink_to(elsewhere)
    assert found(own, target={"path": "../out"}) == (elsewhere,)
    # A step up from a link goes to where the system goes, not back.
    (elsewhere / "deep").mkdir()
    (own / "deep").symlink_to(elsewhere / "deep")
    assert found(own, source={"path": "../deep/../secret.csv"}) == (elsewhere,)


def test_periods_and_variables_are_filled_in(own, elsewhere, monkeypatch):
    monthly = {"path": f"{elsewhere}/{{period:%Y-%m}}.csv"}
    assert found(own, source=monthly) == (elsewhere,)
    assert found(own, period="2026-01", source=monthly) == (elsewhere,)
    monkeypatch.setenv("SOMEWHERE", str(elsewhere))
    assert found(own, source={"path": "$SOMEWHERE/secret.csv"}) == (elsewhere,)


def test_a_folder_that_holds_another_stands_for_it(own, elsewhere):
    (elsewhere / "below").mkdir()
    several = [f"{elsewhere}/secret.csv", f"{elsewhere}/below/x.csv"]
    assert found(own, source={"path": several}) == (elsewhere,)


def test_what_is_no_release_names_nothing(own):
    for content in ({}, {"source": 3, "hierarchies": [], "thresholds": {"a": 1}}):
        assert outside(content, own / "x.yaml", (own,)) == ()
    assert outside({"source": {"path": "a\0b"}}, own / "x.yaml", (own,)) == ()
    file = own / "releases" / "broken.yaml"
    file.write_text("source: [")
    assert Project(file).outside == ()


# ---- on the pages --------------------------------------------------------------------

PAGES = ("data", "hierarchies", "protect", "explore", "statistics", "attack",
         "compare", "release")  # fmt: skip


def open_file(studio, own, **changes):
    """Open a release file by its path; the page that comes next."""
    file = own / "releases" / "people.yaml"
    file.write_text(dump(stated(**changes)))
    return studio.post("/projects/open", {"path": str(file)})


def test_no_page_reads_what_was_not_opened(studio, own, elsewhere):
    shown = open_file(studio, own, source={"path": f"{elsewhere}/secret.csv"})
    (project,) = studio.studio.shelf.projects()
    for page in (shown, *(studio.get(f"/p/{project.id}/{one}/") for one in PAGES)):
        assert "Shall these folders be opened?" in page.text
        assert str(elsewhere) in page.text
        assert "SECRET" not in page.text
        studio.check_accessible(page)
    for form in ("data/propose", "protect/run", "release/run", "compare/run"):
        studio.post(f"/p/{project.id}/{form}", {"k": "2"})
    assert not studio.studio.worker._jobs
    assert "SECRET" not in "".join(
        file.read_text(errors="replace")
        for file in own.rglob("*")
        if file.is_file() and file.suffix != ".yaml"
    )


def test_a_click_opens_the_folders_that_were_shown(studio, own, elsewhere):
    open_file(studio, own, source={"path": f"{elsewhere}/secret.csv"})
    (project,) = studio.studio.shelf.projects()
    forms = f"/p/{project.id}/folders"
    # What was not asked for stays closed.
    studio.post(forms, {"folder": "/"})
    assert studio.studio.shelf.projects()[0].opened == ()
    page = studio.post(forms, {"folder": str(elsewhere)}, f"/p/{project.id}/data/")
    assert "SECRET-71" in page.text
    (again,) = type(studio.studio.shelf)(studio.home).projects()
    assert again.opened == (elsewhere,)
    assert again.outside == ()


def test_an_edit_that_leads_elsewhere_is_undone(studio, elsewhere):
    project = studio.upload()
    text = project.text.replace("../data/people.csv", str(elsewhere / "secret.csv"))
    text = text.replace("quasi_identifiers: []", "quasi_identifiers: [age]")
    page = studio.post(f"/p/{project.id}/release/yaml", {"text": text})
    assert "Shall these folders be opened?" in page.text
    page = studio.post(f"/p/{project.id}/undo", came_from=f"/p/{project.id}/data/")
    assert "Shall these folders" not in page.text
    assert "Ulm" in page.text


def test_a_table_that_is_opened_by_its_path_is_open(studio, elsewhere):
    page = studio.post("/projects/open", {"path": str(elsewhere / "secret.csv")})
    assert "SECRET-71" in page.text


def publish(studio):
    roles = {
        "quasi_identifiers": ["age", "sex", "town"],
        "sensitive": ["disease"],
        "identifiers": ["id"],
    }
    method = {
        "name": "mondrian",
        "step": {"age": 5},
        "domain": {"sex": ["f", "m"], "town": ["Bonn", "Ulm"]},
    }
    project = studio.project({"roles": roles, "anonymizer": method})
    studio.post(f"/p/{project.id}/release/run")
    return project


def test_a_version_elsewhere_shows_no_report(studio, elsewhere):
    """A journal that comes with a file may name any folder."""
    project = publish(studio)
    (run,) = _runs.runs_of(project)
    assert run.report is not None
    (elsewhere / "validation.html").write_text("SECRET")
    journals = [
        file
        for file in (project.folder / ".anon").rglob("*")
        if file.is_file() and str(run.folder) in file.read_text(errors="replace")
    ]
    assert journals
    for file in journals:
        moved = file.read_text().replace(str(run.folder), str(elsewhere))
        file.write_text(moved)
    answer = studio.get(f"/p/{project.id}/release/report/{run.run}")
    assert answer.status_code == 404
    assert "SECRET" not in answer.text


def test_a_link_in_place_of_a_report_is_no_report(studio, elsewhere):
    project = publish(studio)
    (run,) = _runs.runs_of(project)
    report = run.folder / "validation.html"
    report.chmod(0o600)
    run.folder.chmod(0o700)
    report.unlink()
    report.symlink_to(elsewhere / "secret.csv")
    answer = studio.get(f"/p/{project.id}/release/report/{run.run}")
    assert answer.status_code == 404
    assert "SECRET" not in answer.text
