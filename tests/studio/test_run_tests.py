"""Run tests: the published numbers on Adult, from one click."""

import pytest

from anon_transformers.exceptions import ParameterError
from anon_transformers.studio._run_tests import (
    OCCUPATIONS,
    PERSONS,
    SENSITIVE,
    checked,
)

ASKED = {"method": "full-domain", "k": 5, "c": 4.0, "l": 2, "t": 0.2}


@pytest.fixture
def adult(studio):
    return studio.adult()


def address_of(project, rest=""):
    return f"/p/{project.id}/protect/tests/{rest}"


def test_the_form_shows_the_legal_limits(studio, adult):
    shown = studio.get(address_of(adult))
    text = studio.text(shown)
    assert "From 2 to 30,162 persons." in text and "From 1 to 14 occupations." in text
    assert "Above 0; smaller asks for more." in text and "From 0 to 1" in text
    studio.check_accessible(shown)
    assert 'href="/p/' in studio.get(f"/p/{adult.id}/protect/").text


def test_the_limits_are_those_of_the_census():
    from anon_transformers.datasets import load_adult

    census = load_adult()
    assert (len(census), census[SENSITIVE].nunique()) == (PERSONS, OCCUPATIONS)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"k": 1}, "k must be a whole number of at least 2"),
        ({"k": PERSONS + 1}, "k must be at most 30162, the number of persons"),
        ({"l": 15}, "l must be at most 14, the number of occupations"),
        ({"l": 0}, "l must be a whole number of at least 1"),
        ({"c": 0}, "c must be a number above 0"),
        ({"t": 1.5}, "t must be a number of at least 0 and at most 1"),
        ({"method": "mdav"}, "method"),
        ({"ages": "wrong"}, "ages"),
        ({"tests": ["q"]}, "tests"),
    ],
)
def test_what_is_outside_the_limits_is_refused(changed, words):
    with pytest.raises(ParameterError, match=words):
        checked({**ASKED, **changed})


def test_a_refusal_is_shown_and_nothing_runs(studio, adult):
    form = {"method": "full-domain", "k": "1", "c": "4", "l": "2", "t": "0.2"}
    shown = studio.post(address_of(adult, "run"), form, address_of(adult))
    assert "k must be a whole number of at least 2" in studio.text(shown)
    assert adult.result("tests") is None


def test_only_adult_has_these_tests(studio):
    project = studio.upload()
    assert studio.get(address_of(project)).status_code == 404


@pytest.mark.slow
def test_one_click_gives_the_published_numbers(studio, adult):
    before = adult.text
    form = {"method": "full-domain", "k": "5", "c": "4", "l": "2", "t": "0.2"}
    form |= {"ages": "published", "tests": ""}
    shown = studio.post(address_of(adult, "run"), form, "/projects/")
    found = adult.result("tests").found["tests"]
    # Rows, suppressed rows, classes, largest class and loss as they were published.
    published = {
        "k": (27978, 2184, 518, 1340, 0.16213261),
        "l": (27805, 2357, 502, 1340, 0.16737464),
        "t": (22891, 7271, 37, 5047, 0.50498462),
    }
    for test, numbers in published.items():
        one = found[test]
        classes = one["classes"]
        reached = (one["rows"], one["suppressed_rows"], classes["count"])
        assert (*reached, classes["largest"]) == numbers[:4], test
        assert one["loss"] == pytest.approx(numbers[4], abs=1e-7)
        assert one["passed"], one["reasons"]
    levels = found["t"]["details"]["levels"]
    assert levels == {
        "sex": 0, "age": 3, "race": 0, "marital-status": 0, "education": 3,
        "native-country": 0, "workclass": 2, "salary-class": 1,
    }  # fmt: skip
    answers = found["k"]["answers"]
    assert answers["minimum"]["original"] == 17 and answers["maximum"]["original"] == 90
    assert answers["mean_middle"]["error"] == pytest.approx(
        answers["mean_middle"]["released"] - answers["mean_middle"]["original"]
    )
    text = studio.text(shown)
    assert "Smallest 17" in text and "Levels of the hierarchies" in text
    studio.check_accessible(shown)
    shown = studio.text(studio.get(address_of(adult, "?test=t&row=21")))
    assert "Rows 21 to 40 of 30,162" in shown and "left out" in shown
    assert adult.text == before


@pytest.mark.slow
def test_an_impossible_test_says_why_and_the_others_go_on(studio, adult):
    form = {"method": "mondrian", "k": "5", "c": "0.1", "l": "14", "t": "0.5"}
    address = address_of(adult, "run")
    shown = studio.post(address, {**form, "tests": ["k", "l"]}, "/projects/")
    text = studio.text(shown)
    assert "k + (c, l): no table was made" in text
    assert "recursive-cl-diversity" in text
    assert set(adult.result("tests").found["tests"]) == {"k", "l"}
    assert "What they came to" in text
