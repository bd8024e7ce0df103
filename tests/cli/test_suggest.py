"""``anon release --suggest``: what a user reads when a release is refused."""

import json
import time
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml

pytest.importorskip("great_expectations")
pytestmark = pytest.mark.gx

RELEASE = {
    "source": {"path": "people.csv"},
    "roles": {"quasi_identifiers": ["age", "town"], "sensitive": ["job"]},
    "hierarchies": {
        "age": {"kind": "intervals", "widths": [10]},
        "town": "town.csv",
    },
    "anonymizer": {"name": "full-domain", "levels": {"age": 1}},
    "thresholds": [{"model": "k-anonymity", "k": 3}],
    "target": {"path": "out"},
}


@pytest.fixture
def file(tmp_path):
    people = pd.DataFrame(
        {
            "age": [31, 32, 33, 34, 35, 36, 37, 38],
            "town": ["TOWNMARK-n"] * 6 + ["TOWNMARK-s"] * 2,
            "job": ["JOBMARK-a", "JOBMARK-b"] * 4,
        }
    )
    people.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "town.csv").write_text("TOWNMARK-n;*\nTOWNMARK-s;*\n")
    path = tmp_path / "people.yaml"
    path.write_text(yaml.safe_dump(RELEASE))
    return path


def test_a_refusal_names_the_option(anon, file):
    refused = anon("release", file)
    assert refused.exit_code == 1
    last = refused.stderr.strip().splitlines()[-1]
    assert f"anon release {file} --suggest" in last
    assert "--suggest" in json.loads(anon("release", file, "--json").stdout)["error"]


def test_the_command_that_a_refusal_names_asks_for_the_same_run(anon, file):
    stated = RELEASE | {"anonymizer": {"name": "full-domain"}}
    file.write_text(yaml.safe_dump(stated))
    refused = anon("release", file, "--set", "k_anonymity_k=9")
    assert refused.exit_code == 1
    hint = f"anon release {file} --set k_anonymity_k=9 --suggest"
    assert hint in refused.stderr.replace("\n", "")


def test_it_says_how_far_why_and_what_passes(anon, file):
    refused = anon("release", file, "--suggest")
    assert refused.exit_code == 1
    assert "these levels do not keep" in refused.stderr
    told = refused.stdout
    # Of what the levels of the file make, nothing can be judged: it is not made.
    assert "The method made no candidate that could be judged" in told
    assert "asked for k: 3; the source, nothing generalized, reaches 1" in told
    assert "8 rows would have to go if it stayed so" in told
    assert "Which quasi-identifiers cause k-anonymity (in the source" in told
    assert "Settings that pass" in told
    assert "promises less" in told
    for text in (refused.stdout, refused.stderr):
        assert "TOWNMARK" not in text
        assert "JOBMARK" not in text
    assert not (file.parent / "out").exists()


def test_tries_are_told_where_nobody_sees_a_bar(anon, file):
    said = anon("release", file, "--suggest").stderr.splitlines()
    tries = [line for line in said if line.startswith("try ")]
    assert tries[0].startswith("try the file as it is stated (")
    assert len(tries) == len(set(tries)) > 2
    assert all(line.endswith("of the time is used)") for line in tries)
    as_json = anon("release", file, "--suggest", "--log-json").stderr.splitlines()
    facts = [json.loads(line) for line in as_json if line.startswith("{")]
    told = [fact for fact in facts if fact["step"] == "suggest"]
    assert told[0]["try"] == "the file as it is stated"
    assert all(0 <= fact["share"] <= 1 for fact in told)
    assert "try " not in anon("release", file, "--suggest", "--json").stderr


def test_as_json(anon, file):
    refused = anon("release", file, "--suggest", "--json")
    assert refused.exit_code == 1
    found = json.loads(refused.stdout)
    assert "these levels" in found["error"]
    advice = found["advice"]
    assert not advice["passes"]
    assert advice["gaps"][0]["rows_to_go"] == 8
    assert advice["gaps"][0]["of"] == "source"
    changed = RELEASE | advice["settings"][0]["change"]
    file.write_text(yaml.safe_dump(changed))
    assert anon("release", file).exit_code == 0


def test_a_candidate_is_judged_where_there_is_one(anon, file):
    asked = [*RELEASE["thresholds"], {"metric": "loss", "max": 0.01}]
    method = {"name": "full-domain"}
    stated = RELEASE | {"thresholds": asked, "anonymizer": method}
    file.write_text(yaml.safe_dump(stated))
    told = anon("release", file, "--suggest").stdout
    assert "the candidate reaches" in told
    assert "The method made no candidate" not in told
    assert "nothing generalized" not in told


def test_a_file_that_passes_says_so(anon, file):
    file.write_text(yaml.safe_dump(RELEASE | {"anonymizer": {"name": "full-domain"}}))
    passed = anon("release", file, "--suggest")
    assert passed.exit_code == 0, passed.output
    assert "nothing to suggest" in passed.stdout
    told = json.loads(anon("release", file, "--suggest", "--json").stdout)
    assert told["advice"] == {"passes": True}


def test_a_file_that_cannot_be_used_is_no_refusal(anon, file):
    file.write_text(yaml.safe_dump(RELEASE | {"thresholds": []}))
    broken = anon("release", file, "--suggest")
    assert broken.exit_code == 2
    assert "--suggest" not in broken.stderr


def test_the_time_can_be_given_and_is_that_of_the_processor(anon, file, monkeypatch):
    from anon_transformers.release import _advice

    clock = iter(range(0, 10**9, 10**5))  # by the clock, every look is a day later
    slow = SimpleNamespace(
        monotonic=lambda: float(next(clock)), process_time=time.process_time
    )
    monkeypatch.setattr(_advice, "time", slow)
    told = anon("release", file, "--suggest", "--suggest-seconds", 600).stdout
    assert "not tried" not in told
    monkeypatch.undo()
    told = anon("release", file, "--suggest", "--suggest-seconds", 1e-9).stdout
    assert "not tried" in told
    assert "--suggest-seconds 5e-09 allows more" in told
    for odd in (["--suggest-seconds", 5], ["--suggest", "--suggest-seconds", 0]):
        assert anon("release", file, *odd).exit_code == 2


def test_a_model_that_takes_all_rows_together_is_named_and_not_the_loss(anon, tmp_path):
    jobs = ["JOBMARK-a", "JOBMARK-b"] * 60
    jobs[7] = "JOBMARK-c"
    people = pd.DataFrame({"age": [20 + at % 50 for at in range(120)], "job": jobs})
    people.to_csv(tmp_path / "people.csv", index=False)
    stated = RELEASE | {
        "roles": {"quasi_identifiers": ["age"], "sensitive": ["job"],
                  "accept_unique": ["job"]},
        "hierarchies": {},
        "anonymizer": {"name": "mondrian", "step": {"age": 1}},
        "thresholds": [
            {"model": "k-anonymity", "k": 3},
            {"model": "distinct-l-diversity", "l": 3},
            {"metric": "loss", "max": 0.9},
        ],
    }  # fmt: skip
    file = tmp_path / "people.yaml"
    file.write_text(yaml.safe_dump(stated))
    told = anon("release", file, "--suggest", "--json")
    assert told.exit_code == 1, told.output
    advice = json.loads(told.stdout)["advice"]
    words = [one["words"] for one in advice["settings"]]
    # One job is held once: three jobs are in two classes of no table.
    assert "thresholds, distinct-l-diversity: l: 2 (asked: 3)" in words
    assert not any("loss" in one["words"] for one in advice["tried"])
    shown = " ".join(anon("release", file, "--suggest").stdout.split())
    assert "it takes all rows together to keep a promise" in shown
