"""Every check of the contract says how far it is, if it is asked to."""

import inspect
import re
from itertools import islice

import pandas as pd
import pytest

pytest.importorskip("typer")
pytest.importorskip("starlette")
pytest.importorskip("jinja2")

import typer
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from anon_transformers import KAnonymity, MondrianAnonymizer, testing
from anon_transformers.attacks import UniqueCombinations
from anon_transformers.experiments import NUMBER_COLUMNS, Findings
from anon_transformers.hierarchies import Intervals
from anon_transformers.metrics import AverageRisk
from anon_transformers.registry import registry
from anon_transformers.studio import Page

LINE = re.compile(r"\[(\d+)/(\d+)\] \S+ passed in \d+\.\d s")


class OneRow:
    """One row, counted again."""

    def run(self, progress=None):
        row = ("page 1", "toy", "all", 1, "rows", 1, None, 1, True, "")
        numbers = pd.DataFrame([row], columns=list(NUMBER_COLUMNS))
        return Findings("One row", numbers, pd.DataFrame({"rows": [1]}))


def greeting():
    """Greet somebody."""
    app = typer.Typer(help="Greet somebody.")

    @app.command()
    def greet(name: str = typer.Option("you", help="Who is greeted.")):
        """Greet somebody by name."""

    return app


def read_pickle(path):
    """Read a pickled frame."""
    return pd.read_pickle(path)


def write_pickle(frame, path):
    """Write a frame, and nothing else of it."""
    pd.DataFrame(dict(frame.items())).reset_index(drop=True).to_pickle(path)


def hello(request):
    return PlainTextResponse("Hello.")


@pytest.fixture
def sound(tmp_path):
    """What each check is called with: something that passes it."""
    people, file = pd.DataFrame({"zip": ["01234", "00501"]}), tmp_path / "people.dat"
    people.to_pickle(file)
    return {
        "check_anonymizer": (MondrianAnonymizer(k=3),),
        "check_attack": (UniqueCombinations,),
        "check_command": (greeting,),
        "check_experiment": (OneRow,),
        "check_hierarchy_builder": (Intervals((5, 10)), ["17", "34", "35", "90"]),
        "check_metric": (AverageRisk,),
        "check_page": (Page("hello", "Hello", "Greets.", (Route("/", hello),)),),
        "check_policy": (registry().policies["ontario-15"],),
        "check_privacy_model": (KAnonymity(k=2),),
        "check_reader": (read_pickle, {"path": file}, people),
        "check_writer": (write_pickle, read_pickle),
    }


CHECKS = sorted(name for name in dir(testing) if name.startswith("check_"))


def test_every_check_is_tried_below(sound):
    assert sorted(sound) == CHECKS


@pytest.mark.parametrize("name", CHECKS)
def test_it_says_how_far_it_is_if_asked(name, sound, capsys, monkeypatch):
    # All checks of an anonymizer take seconds, and its progress is that of the first.
    every = testing.anonymizer_checks
    monkeypatch.setattr(
        "anon_transformers.testing._anonymizers.anonymizer_checks",
        lambda estimator: islice(every(estimator), 2),
    )
    check = getattr(testing, name)
    check(*sound[name], verbose=True)
    said = capsys.readouterr().err.splitlines()
    found = [LINE.fullmatch(line) for line in said]
    assert all(found), said
    assert [int(line[1]) for line in found] == list(range(1, len(said) + 1))
    assert {int(line[2]) for line in found} == {len(said)}
    assert inspect.signature(check).parameters["verbose"].default is False
    check(*sound[name])
    assert capsys.readouterr().err == ""
