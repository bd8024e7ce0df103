"""``anon compare-codings`` as a person or a script calls it."""

import json

import pandas as pd
import pytest

pytestmark = pytest.mark.usefixtures("declared")

SECRET = "Zebedee-the-secret"
ASKED = ["-q", "age", "-q", "pay", "-s", "ill"]
TWO = ["-c", "independent:global-recode", "-c", "joint:fuzzy-c-means"]


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    pd.DataFrame(
        {
            "age": [20 + i * 7 % 41 for i in range(90)],
            "pay": [900 + i * 13 % 77 for i in range(90)],
            "name": [f"{SECRET}-{i}" for i in range(90)],
            "ill": ["flu", "cold", "gout"] * 30,
        }
    ).to_csv(path, index=False)
    return path


def test_all_six_codings_for_machines(anon, people):
    made = anon("compare-codings", people, *ASKED, "--json")
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    assert [(run["coding"], run["method"]) for run in found["runs"]] == [
        ("independent", "k-means"), ("independent", "global-recode"),
        ("independent", "fuzzy-c-means"), ("joint", "k-means"),
        ("joint", "gustafson-kessel"), ("joint", "fuzzy-c-means"),
    ]  # fmt: skip
    assert found["runs"][0]["q_min"] is None
    assert all(run["k"] >= 1 for run in found["runs"])
    assert {row["criterion"] for row in found["summary"]} == {
        "k", "measure_risk", "q_min", "l ill", "t ill",
    }  # fmt: skip
    assert found["about"]["quasi-identifiers"] == "age, pay"
    assert found["files"] == []


def test_people_read_two_tables(anon, people):
    made = anon("compare-codings", people, *ASKED, *TWO)
    assert made.exit_code == 0, made.output
    assert "2 runs" in made.stdout
    assert "joint coding: wins" in made.stdout
    assert "promise nothing" not in made.stdout
    assert SECRET not in made.output


def test_the_convention_of_the_source_is_told(anon, people):
    call = ["compare-codings", people, *ASKED, *TWO, "--convention", "source"]
    made = anon(*call)
    assert made.exit_code == 0, made.output
    assert "promise nothing" in made.stdout
    found = json.loads(anon(*call, "--json").stdout)
    assert found["convention"] == "source"
    assert any(row["criterion"] == "q_mean" for row in found["summary"])


def test_sets_subsets_and_scale_are_passed_on(anon, people):
    made = anon(
        "compare-codings", people, *ASKED, "--subset", "age", "--subset", "age,pay",
        "-c", "joint:k-means", "--sets", 2, "--scale", "none", "--json",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    assert [run["quasi_identifiers"] for run in found["runs"]] == ["age", "age, pay"]
    assert [run["classes"] for run in found["runs"]] == [2, 2]
    assert found["about"]["scale"] == "None"


def test_exit_code_one_if_a_run_failed(anon, people):
    made = anon(
        "compare-codings", people, "-q", "age", "-q", "name", "-s", "ill",
        "--subset", "age", "--subset", "name", "-c", "joint:k-means",
    )  # fmt: skip
    assert made.exit_code == 1
    assert "1 runs without a result" in made.stdout
    assert SECRET not in made.output


def test_the_page_is_written_once(anon, people, tmp_path):
    pytest.importorskip("matplotlib", reason="the plots extra")
    call = ["compare-codings", people, *ASKED, *TWO, "--out", tmp_path / "out"]
    made = anon(*call, "--json")
    assert made.exit_code == 0, made.output
    assert len(json.loads(made.stdout)["files"]) == 5
    assert "people.csv" in (tmp_path / "out/codings.html").read_text(encoding="utf-8")
    again = anon(*call)
    assert again.exit_code == 2
    assert "--force" in " ".join(again.stderr.split())
    assert anon(*call, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-q", "agee", "-q", "pay"], "unknown column 'agee'"),
        ([*ASKED, "-c", "k-means"], "independent:NAME"),
        ([*ASKED, "--subset", "age,"], "--subset: expected COLUMN"),
        ([*ASKED, "--scale", "rang"], "did you mean 'range'"),
        ([*ASKED, "--convention", "mine"], "convention"),
        ([*ASKED, "--sets", "0"], "n_sets"),
    ],
)
def test_bad_input_is_told_by_name(anon, people, arguments, message):
    made = anon("compare-codings", people, *arguments)
    assert made.exit_code == 2, made.output
    assert message in " ".join(made.stderr.split())
    assert SECRET not in made.output
