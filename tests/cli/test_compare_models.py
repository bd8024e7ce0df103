"""``anon compare`` over thresholds of privacy models."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers.cli._app import app


@pytest.fixture
def anon(declared, monkeypatch):
    # Wide enough for every column of a table.
    monkeypatch.setenv("COLUMNS", "220")

    def run(*arguments):
        return CliRunner().invoke(app, [str(a) for a in arguments])

    return run


@pytest.fixture
def people(tmp_path):
    file = tmp_path / "people.csv"
    rows = range(120)
    pd.DataFrame(
        {"age": [20 + i % 17 for i in rows], "job": [f"j{i % 3}" for i in rows]}
    ).to_csv(file, index=False)
    return file


ASKED = ["-s", "job", "-m", "full-domain", "-g", "k=3", "-g", "suppression_limit=0.5"]


def test_thresholds_are_swept(anon, people):
    made = anon("compare", people, *ASKED, "-g", "t-closeness.t=0.05,0.5", "--json")
    assert made.exit_code == 0, made.output
    runs = json.loads(made.stdout)["runs"]
    assert [run["parameters"]["t-closeness.t"] for run in runs] == [0.05, 0.5]
    assert [run["k"] for run in runs] == [3, 3]
    assert runs[0]["loss"] >= runs[1]["loss"]
    assert runs[0]["error"] is None


def test_plots_go_against_the_threshold(anon, people, tmp_path):
    pytest.importorskip("matplotlib", reason="the plots extra")
    out = tmp_path / "out"
    made = anon(
        "compare", people, *ASKED, "-g", "distinct-l-diversity.l=2,3", "--out", out,
        "--json",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    drawn = {file.name for file in out.glob("*.png")}
    assert "loss-distinct-l-diversity-l.png" in drawn
    assert "loss.png" not in drawn


def test_a_misspelled_threshold_is_refused(anon, people):
    made = anon("compare", people, *ASKED, "-g", "t-closeness.tt=0.1")
    assert made.exit_code == 2
    assert "unknown parameter 'tt'" in " ".join(made.stderr.split())
