"""``anon dataset``: the tables that the library has or makes, as files."""

import io
import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.cli._dataset import DATASETS
from anon_transformers.datasets import load_adult, make_dependent, make_independent


@pytest.fixture
def anon(declared):
    def run(*arguments):
        return CliRunner().invoke(app, ["dataset", *(str(a) for a in arguments)])

    return run


def test_every_table_that_is_listed_can_be_made(anon, tmp_path):
    listed = json.loads(anon("list", "--json").stdout)
    assert [one["name"] for one in listed] == list(DATASETS)
    printed = anon("list").stdout
    for name in DATASETS:
        assert name in printed
        rows = [] if name == "adult" else ["--rows", 25]
        made = anon("make", name, *rows, "-o", tmp_path / f"{name}.csv")
        assert made.exit_code == 0, made.output


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["independent", "--rows", 7], make_independent(7, 2)),
        (["independent", "--rows", 7, "--attributes", 3, "--func", "quadratic",
          "--seed", 4], make_independent(7, 3, "quadratic", 4)),
        (["dependent", "--rows", 27, "--attributes", 3], make_dependent(3, 3)),
        (["dependent", "--rows", 16, "--random-state", 1],
         make_dependent(4, 2, random_state=1)),
        (["adult"], load_adult()),
    ],
    ids=["independent", "random", "dependent", "random-dependent", "adult"],
)  # fmt: skip
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_file_is_the_table_of_the_library(
    anon, tmp_path, arguments, expected, suffix
):
    path = tmp_path / f"table.{suffix}"
    made = anon("make", *arguments, "-o", path, "--json")
    assert made.exit_code == 0, made.output
    read = pd.read_csv if suffix == "csv" else pd.read_parquet
    pd.testing.assert_frame_equal(read(path), expected, check_dtype=False)
    assert json.loads(made.stdout) == {
        "name": arguments[0],
        "rows": len(expected),
        "columns": list(expected.columns),
        "file": str(path),
    }


def test_it_writes_to_the_output(anon):
    made = anon("make", "independent", "--rows", 3, "-o", "-")
    assert made.stderr.startswith("wrote 3 rows")
    assert pd.read_csv(io.StringIO(made.stdout)).equals(make_independent(3, 2))
    assert "3 rows" in made.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["independant", "--rows", 3], "did you mean 'independent'"),
        (["independent"], "--rows"),
        (["independent", "--rows", 0], "--rows"),
        (["independent", "--rows", 10**9], "500,000,000 cells"),
        (["independent", "--rows", 3, "--func", "cubic"], "'quadratic'"),
        (["dependent", "--rows", 1000], "961 or 1,024 rows"),
        (["dependent", "--rows", 15], "9 or 16 rows"),
        (["dependent", "--rows", 2, "--attributes", 60], "1 or 1,152,921,504,606"),
        (["adult", "--rows", 10], "--rows: adult is written as it is"),
    ],
)
def test_mistakes_are_told(anon, tmp_path, arguments, message):
    made = anon("make", *arguments, "-o", tmp_path / "table.csv")
    assert made.exit_code == 2, made.output
    assert message in " ".join(made.stderr.split())
    assert not list(tmp_path.iterdir())


def test_files_are_not_overwritten_unasked(anon, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("mine")
    call = ["make", "independent", "--rows", 3, "-o", path]
    assert anon(*call).exit_code == 2
    assert path.read_text() == "mine"
    assert anon(*call, "--force").exit_code == 0
    assert anon(*call[:-1], tmp_path / "table.txt").exit_code == 2
