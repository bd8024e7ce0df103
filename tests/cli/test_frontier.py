"""``anon frontier`` as its user runs it."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers.cli._app import app

PNG = b"\x89PNG"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    ages = [21, 22, 22, 35, 38, 38, 61, 62]
    pd.DataFrame({"age": ages, "ill": list("abcabcab")}).to_csv(path, index=False)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["frontier", *map(str, arguments)])


def test_it_shows_every_range_of_k(table):
    done = run(table, "-q", "age", "--suppression-limit", "0")
    assert done.exit_code == 0, done.output
    assert "loss by k" in done.stdout


def test_as_json_and_plot(table, tmp_path):
    plot = tmp_path / "curve.png"
    given = ["-q", "age", "--max-k", "2", "--suppression-limit", "0.5"]
    done = run(table, *given, "--plot", plot, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    ranges = found["ranges"]
    assert ranges[0]["k_from"] == 1
    assert max(row["k_to"] for row in ranges) == 2
    assert set(ranges[0]["levels"]) == {"age"}
    losses = [row["loss"] for row in ranges]
    assert losses == sorted(losses)
    assert plot.read_bytes().startswith(PNG)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--loss", "precison"], "precision"),
        (["--plot", "curve.txt"], "must end in .png"),
        (["-q", "agee"], "'agee'"),
    ],
)
def test_mistakes_are_told(table, arguments, message):
    given = arguments if "-q" in arguments else ["-q", "age", *arguments]
    done = run(table, *given)
    assert done.exit_code == 2
    assert message in done.output
