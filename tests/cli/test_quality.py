"""``anon quality``: the report of a file or of a published release."""

import json

import numpy as np
import pandas as pd
import pytest

from anon_transformers.metrics import quality

FEW = ["--permutations", 1, "--random-state", 0]


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, 60)
    return pd.DataFrame(
        {"age": age, "pay": age * 30 + rng.integers(0, 900, 60), "zip": age % 7}
    ).assign(land=rng.choice(["FR", "Lilliput"], 60))


@pytest.fixture
def safe(people):
    return people.assign(age=people["age"] // 10 * 10, zip="[0, 6]")


@pytest.fixture
def files(tmp_path, people, safe):
    people.to_csv(tmp_path / "people.csv", index=False)
    safe.to_csv(tmp_path / "safe.csv", index=False)
    return tmp_path / "safe.csv", tmp_path / "people.csv"


def json_of(run):
    assert run.exit_code == 0, run.output
    return json.loads(run.stdout)


def test_the_report_of_a_file(anon, files, people, safe):
    named = [part for name in people for part in ("-q", name)]
    found = json_of(anon("quality", *files, *FEW, "--aligned", "--json", *named))
    expected = quality(people, safe, aligned=True, permutations=1, random_state=0)
    assert found.pop("release") == str(files[0])
    assert found.pop("original") == str(files[1])
    assert found == json.loads(json.dumps(expected.to_dict()))
    assert found["left_out"] == ["zip"]


def test_columns_that_nobody_named_go_by_where_they_stand(anon, files):
    found = json_of(anon("quality", *files, *FEW, "--aligned", "--json"))
    assert found["left_out"] == ["column 3"]
    assert found["nominal"] == ["column 4"]
    assert set(found["moments"]) == {"column 1", "column 2"}


def test_named_columns(anon, files):
    found = json_of(anon("quality", *files, *FEW, "-q", "age", "-s", "pay", "--json"))
    assert found["numbers"] == ["age", "pay"]
    assert found["squared_error"] is None
    assert "aligned" in found["not_available"]["squared error"]
    assert "two columns" in found["not_available"]["correlations, sensitive"]
    assert found["correlations"]["all"]["entries"] == 1


def test_a_table_a_topic_for_people(anon, files):
    run = anon("quality", *files, *FEW, "--aligned")
    assert run.exit_code == 0, run.output
    for title in (
        "differences of correlations", "Changes, in standard deviations",
        "Squared error", "Published rows told from original ones",
    ):  # fmt: skip
        assert run.stdout.count(title) == 1
    assert "quantile 0.95" in run.stdout
    assert "published as no numbers: column 3" in run.stdout
    (title,) = [x for x in run.stdout.splitlines() if "told from original" in x]
    assert " by " in title
    assert title.strip().endswith(" alone")
    assert "column 3" not in title
    assert "Lilliput" not in run.output
    assert "e-1" not in run.stdout  # rounding errors are no news


def test_what_is_missing_says_why(anon, files):
    run = anon("quality", *files, "--permutations", 0, "-q", "pay", "-s", "pay")
    assert run.exit_code == 0, run.output
    assert "differences of correlations" not in run.stdout
    assert "- correlations, all: not available: correlations need two" in run.stdout
    assert "- squared error: not available" in run.stdout
    assert "pMSE by chance" in run.stdout
    assert "not available" in run.stdout.split("pMSE by chance")[1].splitlines()[0]


def test_shuffled_rows_are_not_compared_in_silence(anon, tmp_path, files, people):
    place = tmp_path / "shuffled.csv"
    people.sample(frac=1, random_state=1).to_csv(place, index=False)
    run = anon("quality", place, files[1], *FEW, "--aligned")
    assert "no column shows that the rows are those of the original" in run.stdout
    assert "no column shows" not in anon("quality", *files, *FEW, "--aligned").stdout
    assert "no column shows" not in anon("quality", place, files[1], *FEW).stdout


def test_suppressed_numbers_can_be_read_as_missing(anon, tmp_path, files, people):
    marked = people.astype({"pay": object})
    marked.loc[:3, "pay"] = "*"
    marked.to_csv(tmp_path / "marked.csv", index=False)
    place = tmp_path / "marked.csv"
    asked = ["quality", place, files[1], *FEW, "-q", "pay", "-q", "age", "--json"]
    assert json_of(anon(*asked))["left_out"] == ["pay"]
    found = json_of(anon(*asked, "--missing", "*", "--aligned"))
    assert found["left_out"] == []
    assert 0 < found["squared_error"]["columns"]["pay"] < 1
    assert found["squared_error"]["columns"]["age"] == 0


def test_mistakes_are_told(anon, tmp_path, files):
    run = anon("quality", tmp_path / "none.csv", files[1])
    assert run.exit_code == 2
    assert "does not exist" in run.output
    run = anon("quality", *files, "-q", "agee", "--json")
    assert run.exit_code == 2
    assert "unknown column 'agee'" in json.loads(run.stdout)["error"]
    run = anon("quality", tmp_path, files[1])
    assert run.exit_code == 2
    assert "holds no published release" in run.output


def test_a_published_release_says_which_columns_are_compared(
    anon, tmp_path, files, people
):
    yaml = pytest.importorskip("yaml")
    config = {
        "source": {"path": "people.csv"},
        "roles": {
            "quasi_identifiers": ["age", "zip"],
            "sensitive": ["pay"],
            "insensitive": ["land"],
            "accept_unique": ["pay"],
        },
        "anonymizer": {
            "name": "mondrian",
            "output": "center",
            "step": {"age": 1, "zip": 1},
        },
        "thresholds": [{"model": "k-anonymity", "k": 3}],
        "target": {"path": "out"},
    }
    (tmp_path / "people.yaml").write_text(yaml.safe_dump(config))
    run = anon("release", tmp_path / "people.yaml")
    assert run.exit_code == 0, run.output
    found = json_of(anon("quality", tmp_path / "out", files[1], *FEW, "--json"))
    assert found["numbers"] == ["age", "pay", "zip"]
    assert found["nominal"] == []
    assert set(found["correlations"]) == {"all"}
    # Boxes become their centers, and pay is published as it is.
    assert found["moments"]["pay"]["mean"] == pytest.approx(0)
    assert 0 < abs(found["moments"]["age"]["variance"]) < 0.2
    narrow = json_of(
        anon("quality", tmp_path / "out", files[1], *FEW, "-q", "age", "--json")
    )
    assert narrow["numbers"] == ["age"]
