"""What the command line makes of the words for fuzzy sets."""

from pathlib import Path

import pandas as pd
from typer.testing import CliRunner

from anon_transformers.cli._app import app

CENSUS = Path(__file__).parents[1] / "data" / "casc_census.csv"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_no_scale_is_written_as_in_python(tmp_path):
    source, target = tmp_path / "people.csv", tmp_path / "published.csv"
    pd.DataFrame({"age": range(20, 60)}).to_csv(source, index=False)
    method = ("--method", "fuzzy-c-means", "-o", "scale=None", "-o", "n_sets=2")
    found = run("anonymize", source, target, "-q", "age", "-k", "5", *method)
    assert found.exit_code == 0, found.output
    assert set(pd.read_csv(target)["age"]) == {"Low", "High"}


def test_blanks_are_explained():
    chosen = ("-q", "AFNLWGT", "-q", "AGI", "-c", "joint:k-means")
    found = run("compare-codings", CENSUS, *chosen)
    assert found.exit_code == 0, found.output
    assert "A dash (-) stands where nothing is defined: Q of crisp" in found.output
    assert "no row belongs to by half has Q 0 and l 0, and no t." in found.output
