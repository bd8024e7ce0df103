"""``anon anonymize`` with a plugin whose report has details of any shape."""

import json

import pandas as pd
import pytest

from anon_transformers import MondrianAnonymizer


class ListsLevels(MondrianAnonymizer):
    """Levels in a list, as a plugin may have them."""

    def _details(self):
        return {"levels": [1, 2], "value_disclosure": 3}


class NamesLevels(MondrianAnonymizer):
    """Levels by column, one of them no number."""

    def _details(self):
        return {"levels": {"age": 1, "zip": "all"}}


class CannotBeTold(MondrianAnonymizer):
    """Details that hold themselves, and no text holds them."""

    def _details(self):
        details = {}
        details["again"] = details
        return details


@pytest.fixture
def people(tmp_path, registered):
    for cls in (ListsLevels, NamesLevels, CannotBeTold):
        registered("anonymizers", cls.__name__.lower(), cls)
    path = tmp_path / "people.csv"
    pd.DataFrame({"age": range(20, 60), "job": list("ab") * 20}).to_csv(
        path, index=False
    )
    return path


def call(people, method, *more):
    target = people.with_name("safe.csv")
    return ["anonymize", people, target, "-q", "age", "-s", "job", "-m", method, *more]


def test_details_of_any_shape_are_no_error(anon, people):
    made = anon(*call(people, "listslevels"))
    assert made.exit_code == 0, made.output
    assert people.with_name("safe.csv").exists()


def test_levels_that_are_numbers_are_shown(anon, people):
    made = anon(*call(people, "nameslevels"))
    assert made.exit_code == 0, made.output
    assert "level of age" in made.output
    assert "level of zip" not in made.output


def test_nothing_is_written_where_the_report_cannot_be_told(anon, people):
    made = anon(*call(people, "cannotbetold", "--json"))
    assert made.exit_code != 0
    assert not people.with_name("safe.csv").exists()


def test_json_holds_the_details(anon, people):
    made = anon(*call(people, "listslevels", "--json"))
    assert json.loads(made.stdout)["details"]["levels"] == [1, 2]
