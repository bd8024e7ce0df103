"""``anon init TABLE``: from a messy table to a release that runs."""

import json
import random

import pytest
import yaml

from anon_transformers.release import read_config
from anon_transformers.release._resolve import resolve

SECRET = "Kowalczyk"


def rows(n_rows=400):
    draw = random.Random(5)
    yield [
        "encounter_id",
        "patient_nbr",
        "age",
        "zip",
        "type_id",
        "born",
        "diag",
        "name",
    ]
    for number in range(n_rows):
        yield [
            str(5_000_000 + 17 * number),
            str(800 + 3 * draw.randrange(n_rows // 2)),
            draw.choice(["?", *(f"[{low}-{low + 10})" for low in range(20, 90, 10))]),
            f"{draw.choice([10, 20, 30])}{draw.randrange(100):03}",
            draw.choice(list("111113256")),
            f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.{1940 + number % 60}",
            draw.choice(["250", "276", "414", "V45"]),
            f"{SECRET}{number}",
        ]


@pytest.fixture
def people(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("".join(";".join(row) + "\n" for row in rows()))
    return file


@pytest.fixture
def init(anon, people):
    def run(*options):
        return anon("init", people, "--separator", ";", *options)

    return run


def test_what_is_proposed_runs_to_the_end(anon, init, tmp_path):
    made = init("--out", tmp_path / "study", "--json")
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    roles = {one["column"]: one["role"] for one in found["columns"]}
    assert roles == {
        "encounter_id": "identifiers",
        "patient_nbr": "subject",
        "age": "quasi_identifiers",
        "zip": "quasi_identifiers",
        "type_id": "quasi_identifiers",
        "born": "quasi_identifiers",
        "diag": "sensitive",
        "name": "identifiers",
    }
    assert found["missing"] == ["?"]
    assert found["refusal"] is None
    assert found["hierarchies"]["age"]["score"] is not None
    file = tmp_path / "study" / "releases" / "people.yaml"
    done = anon("release", file, "--json")
    assert done.exit_code == 0, done.output
    published = json.loads(done.stdout)
    assert published["roles"]["subject"] == "patient_nbr"
    data = next((tmp_path / "study" / "build").rglob("data.csv")).read_text()
    assert SECRET not in data
    assert data.count("\n") == 401


def test_the_file_says_what_to_review_and_why(init, tmp_path):
    made = init("--out", tmp_path)
    assert made.exit_code == 0, made.output
    text = (tmp_path / "releases" / "people.yaml").read_text()
    assert text.startswith("# Proposed from a table of 400 rows of ")
    assert "A person must review" in text
    stated = yaml.safe_load(text)
    assert stated["source"] == {
        "path": "../people.csv",
        "separator": ";",
        "missing": ["?"],
        "columns": {
            "age": "text",
            "zip": "text",
            "type_id": "text",
            "born": {"date": "%d.%m.%Y"},
        },
    }
    assert stated["hierarchies"]["zip"] == {"kind": "masking", "length": 5}
    assert stated["hierarchies"]["age"] == {
        "path": "../hierarchies/people/age.csv",
        "unknown": "suppress",
    }
    lines = [line for line in text.splitlines() if line.startswith("    - ")]
    assert all("  # " in line for line in lines)
    assert SECRET not in text + made.output
    suite = json.loads((tmp_path / "expectations" / "people.json").read_text())
    assert len(suite["expectations"]) == len(stated["thresholds"])


def test_nothing_is_overwritten_unasked(init, tmp_path):
    assert init("--out", tmp_path, "--no-scores").exit_code == 0
    mine = tmp_path / "releases" / "people.yaml"
    mine.write_text("mine")
    again = init("--out", tmp_path, "--no-scores")
    assert again.exit_code == 2
    assert "is there already" in again.stderr
    assert mine.read_text() == "mine"
    assert init("--out", tmp_path, "--no-scores", "--force").exit_code == 0
    assert mine.read_text() != "mine"


def test_what_is_typed_goes_first(init, tmp_path):
    made = init(
        "--out", tmp_path, "--no-scores", "--json", "--subject", "encounter_id",
        "--drop", "zip", "-s", "type_id", "--date", "born=%m.%d.%Y",
    )  # fmt: skip
    # Not every day is a month: the file is written, and what is wrong is said.
    found = json.loads(made.stdout)
    roles = {one["column"]: one["role"] for one in found["columns"]}
    assert roles["encounter_id"] == "subject"
    assert roles["zip"] == "dropped"
    assert roles["type_id"] == "sensitive"
    assert "written as %m.%d.%Y" in found["refusal"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--drop", "zipp"], "unknown column 'zipp'"),
        (["--drop", "zip", "-s", "zip"], "declared as sensitive and as dropped"),
    ],
)
def test_refusals_write_nothing(init, tmp_path, options, message):
    made = init("--out", tmp_path / "new", *options)
    assert made.exit_code == 2
    assert message in made.stderr
    assert not (tmp_path / "new").exists()


def test_a_file_without_a_header_is_refused_without_a_word_of_it(anon, tmp_path):
    file = tmp_path / "people.csv"
    body = [",".join(row) for row in rows(50)][1:]
    file.write_text("\n".join(body) + "\n")
    made = anon("init", file, "--out", tmp_path / "new")
    assert made.exit_code == 2
    assert "no header" in made.stderr
    assert SECRET not in made.output
    assert not (tmp_path / "new").exists()


def test_another_separator_is_told(anon, people, tmp_path):
    made = anon("init", people, "--out", tmp_path / "new")
    assert made.exit_code == 2
    assert "--separator" in made.stderr
    assert SECRET not in made.output


def test_a_table_that_is_not_there(anon, tmp_path):
    made = anon("init", tmp_path / "nobody.csv")
    assert made.exit_code == 2
    assert "does not exist" in made.stderr


def test_a_parquet_file_knows_its_types(anon, tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"age": [20 + n % 50 for n in range(300)],
                          "sex": ["m", "f", None] * 100})  # fmt: skip
    frame.to_parquet(tmp_path / "people.parquet")
    made = anon("init", tmp_path / "people.parquet", "--out", tmp_path, "--json")
    assert made.exit_code == 0, made.output
    stated = yaml.safe_load((tmp_path / "releases" / "people.yaml").read_text())
    assert stated["source"] == {"path": "../people.parquet"}
    done = anon("release", tmp_path / "releases" / "people.yaml", "--json")
    assert done.exit_code == 0, done.output


def test_a_name_that_reads_like_a_placeholder_stands_for_itself(anon, people, tmp_path):
    odd = people.rename(tmp_path / "pe{o}ple$x[1].csv")
    made = anon("init", odd, "--separator", ";", "--out", tmp_path, "--no-scores")
    assert made.exit_code == 0, made.output
    assert "will be refused" not in made.stderr
    (file,) = (tmp_path / "releases").iterdir()
    path = resolve(read_config(file)).source.path
    assert (file.parent / path).samefile(odd)
