"""Compare: methods side by side, and one that is taken."""

import csv
import io

import pytest

from anon_transformers.exceptions import ParameterError
from anon_transformers.studio import _compared

AGES = {
    "roles": {
        "quasi_identifiers": ["age", "sex"],
        "sensitive": ["disease"],
        "identifiers": ["id"],
        "dropped": ["town"],
    },
    "hierarchies": {
        "age": {"kind": "intervals", "widths": [5, 20]},
        "sex": "../sex.csv",
    },
}


@pytest.fixture
def project(studio):
    project = studio.project(AGES)
    (project.folder / "sex.csv").write_text("f;*\nm;*\n")
    return project


def page_of(project):
    return f"/p/{project.id}/compare/"


def post(studio, project, what, **form):
    here = page_of(project)
    return studio.post(f"{here}{what}", form, came_from=here)


def compared(studio, project, **form):
    given = {"methods": ["mondrian", "full-domain"], "k": "2, 4", **form}
    return post(studio, project, "run", **given)


def test_methods_side_by_side(studio, project):
    project.edit("loss", lambda c: c["thresholds"].append(
        {"metric": "average-risk", "max": 0.3}
    ))  # fmt: skip
    page = compared(studio, project)
    assert page.status_code == 200
    studio.check_accessible(page)
    runs = project.result("compare").found["runs"]
    assert [(run["method"], run["k"]) for run in runs] == [
        ("mondrian", 2),
        ("mondrian", 4),
        ("full-domain", 2),
        ("full-domain", 4),
    ]
    assert all(run["smallest"] >= run["k"] for run in runs)
    assert runs[0]["loss"] < runs[1]["loss"]
    # Two persons in a class are a risk of a half; four are one of a quarter.
    assert runs[0]["broken"] == ["average-risk above 0.3"]
    assert runs[1]["broken"] == []
    assert page.text.count("<svg") == 3
    assert "least loss" in page.text
    best = _compared.best_of(runs)
    assert not runs[best]["broken"]


def test_one_that_is_taken_changes_the_release_file(studio, project):
    compared(studio, project, suppression_limit="0.25", more="t-closeness.t=0.9")
    runs = project.result("compare").found["runs"]
    at = next(i for i, run in enumerate(runs) if run["method"] == "full-domain")
    post(studio, project, "take", run=str(at))
    assert project.content["anonymizer"] == {
        "name": "full-domain",
        "suppression_limit": 0.25,
    }
    assert project.content["thresholds"] == [
        {"model": "k-anonymity", "k": runs[at]["k"]},
        {"model": "t-closeness", "t": 0.9},
    ]
    assert project.fault is None
    shown = studio.get(page_of(project))
    assert "earlier state" in studio.text(shown)
    assert 'class="passed"' not in shown.text and "were kept" in shown.text
    studio.post(f"/p/{project.id}/undo", came_from=page_of(project))
    assert project.content["anonymizer"] == {"name": "mondrian"}


def test_what_the_file_states_of_its_own_method_stays():
    content = {
        "anonymizer": {"name": "mondrian", "mode": "strict", "k": 9},
        "thresholds": [{"model": "k-anonymity", "k": 2}, {"metric": "loss", "max": 1}],
    }
    run = {"method": "mondrian", "parameters": {"k": 7, "tie_side": "left"}}
    _compared.take(content, run)
    assert content == {
        "anonymizer": {"name": "mondrian", "mode": "strict", "tie_side": "left"},
        "thresholds": [{"model": "k-anonymity", "k": 7}, {"metric": "loss", "max": 1}],
    }


def test_a_run_that_cannot_be_says_why(studio, project):
    page = compared(studio, project, k="2, 9")
    shown = studio.text(page)
    assert "Runs without a result" in shown
    runs = project.result("compare").found["runs"]
    failed = [at for at, run in enumerate(runs) if run["error"]]
    assert failed
    before = project.text
    page = post(studio, project, "take", run=str(failed[0]))
    assert "this run made no table" in page.text
    assert project.text == before


def test_the_table_as_csv(studio, project):
    assert studio.get(f"{page_of(project)}comparison.csv").status_code == 404
    compared(studio, project, methods="mondrian")
    answer = studio.get(f"{page_of(project)}comparison.csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["k"] for row in rows] == ["2", "4"]
    assert float(rows[0]["loss"]) > 0


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"methods": []}, "choose at least one method"),
        ({"k": "2,,5"}, "write values with commas between"),
        ({"more": "<b>"}, "one NAME=VALUE"),
        ({"more": "mondrian.nothing=1"}, "nothing"),
        ({"methods": "<b>"}, "unknown method"),
        ({"k": ",".join(map(str, range(2, 300)))}, "at most 200"),
    ],
)
def test_what_cannot_be_compared(studio, project, form, words):
    page = compared(studio, project, **form)
    assert words in studio.text(page)
    assert "<b>" not in page.text
    assert project.result("compare") is None


@pytest.mark.parametrize("given", ["", "x", "99", "-1"])
def test_no_such_run(studio, project, given):
    page = post(studio, project, "take", run=given)
    assert "there is no such run" in page.text


def test_a_file_that_is_no_release_yet(studio, project):
    project.edit("none", lambda c: c.update(thresholds=[]))
    page = studio.get(page_of(project))
    assert page.status_code == 200
    assert f'action="{page_of(project)}run"' not in page.text


@pytest.mark.parametrize("text", ["k=1,,2", "=1", "k"])
def test_a_grid_that_is_none(text):
    with pytest.raises(ParameterError):
        _compared.read_grid(text)


def test_values_are_what_they_look_like():
    found = _compared.read_values("x", "1, 0.5, true, nan, text, 1")
    assert found == [1, 0.5, True, "nan", "text"]
    assert [type(value) for value in found] == [int, float, bool, str, str]
