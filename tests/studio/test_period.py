"""One period is looked at by all pages, where the release file has periods."""

import pytest

from anon_transformers.studio import _protected
from anon_transformers.studio._statistics import sweep

ROLES = {
    "identifiers": ["id"],
    "quasi_identifiers": ["age", "sex", "town"],
    "sensitive": ["disease"],
}


@pytest.fixture
def monthly(studio):
    """Eight persons in October, six of them in November."""
    content = {
        "source": {
            "path": "../data/{period:%Y-%m}.csv",
            "columns": {"age": "integer"},
        },
        "roles": ROLES,
        "anonymizer": {
            "name": "mondrian",
            "step": {"age": 1},
            "domain": {"sex": ["f", "m"], "town": ["Bonn", "Ulm"]},
        },
        "composition": {"accept_unjudged": "made-up rows that describe nobody"},
    }
    project = studio.project(content, name="people")
    lines = studio.people.splitlines(keepends=True)
    for name, count in (("2026-10", 9), ("2026-11", 7)):
        (project.folder / "data" / f"{name}.csv").write_text("".join(lines[:count]))
    return project


def look_at(studio, project, period, page="data"):
    """Choose a period on a page."""
    came_from = f"/p/{project.id}/{page}/"
    return studio.post(f"/p/{project.id}/period", {"period": period}, came_from)


def test_data_asks_for_a_period_and_shows_it(studio, monthly):
    page = studio.get(f"/p/{monthly.id}/data/")
    assert "choose one at the top of the page, such as" in studio.text(page)
    studio.check_accessible(page)
    assert "8 rows" in studio.text(look_at(studio, monthly, "2026-10"))
    assert "6 rows" in studio.text(look_at(studio, monthly, "2026-11"))


def test_numbers_of_another_period_are_of_an_earlier_state(studio, monthly):
    look_at(studio, monthly, "2026-10")
    monthly.keep_result("count", monthly.state, {}, {"rows": 8})
    assert monthly.result("count").current
    look_at(studio, monthly, "2026-11")
    assert not monthly.result("count").current


def test_the_table_of_another_period_is_made_anew(studio, monthly, monkeypatch):
    made = []

    def protect(project, params, progress):
        made.append(project.period)
        return {}

    monkeypatch.setattr(_protected, "protect", protect)
    monkeypatch.setattr(
        _protected,
        "protected_of",
        lambda project: (
            (result := project.result("protect"))
            and _protected.Protected(result, None, None)
        ),
    )
    for period in ("2026-10", "2026-10", "2026-11"):
        look_at(studio, monthly, period)
        _protected.make_protected(monthly, print)
    assert made == ["2026-10", "2026-11"]


def test_a_sweep_reads_the_table_of_the_period(studio, monthly):
    for period, rows in (("2026-10", 8), ("2026-11", 6)):
        look_at(studio, monthly, period)
        found = sweep(monthly, {"over": "k", "values": [2]}, print)["charts"]
        ((_, classes),) = found["classes"]["rows"]
        ((_, mean),) = found["mean"]["rows"]
        assert round(classes * mean) == rows


def test_python_names_the_period(studio, monthly):
    look_at(studio, monthly, "2026-10")
    assert "period='2026-10'" in monthly.python


def test_a_date_is_taken_as_its_month(studio, monthly):
    look_at(studio, monthly, "2026-10-17")
    assert monthly.period == "2026-10"
    look_at(studio, monthly, "")
    assert monthly.period is None


def test_a_file_that_has_no_periods_any_more_is_of_none(studio, monthly):
    look_at(studio, monthly, "2026-10")
    path = "../data/2026-11.csv"
    monthly.edit("one month", lambda c: c["source"].update(path=path))
    assert monthly.period is None
    page = studio.get(f"/p/{monthly.id}/data/")
    assert "6 rows" in studio.text(page)
    assert "Look at it" not in page.text
    said = studio.text(look_at(studio, monthly, "2026-10"))
    assert "the release file has no periods" in said
