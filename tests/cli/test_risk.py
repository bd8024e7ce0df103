"""``anon risk``: the numbers of a table, and those of its original beside them."""

import json

import pandas as pd
import pytest

from anon_transformers.evidence import Classes
from anon_transformers.hierarchies import Hierarchy, Intervals
from anon_transformers.metrics import (
    attribute_losses,
    information_loss,
    prosecutor_risk,
    weigh_population,
)

KNOWN = ["age", "land"]
ROLES = ["-q", "age", "-q", "land", "-s", "job"]
TREE = Hierarchy.from_groups({"Europe": ["FR", "IT"], "Asia": ["JP", "CN"]})


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "age": [21, 22, 23, 24, 41, 42],
            "land": ["FR", "IT", "FR", "IT", "JP", "CN"],
            "job": ["clerk", "clerk", "cook", "cook", "cook", "Zebedee"],
            "weight": [2, 3, 4, 5, 6, 7],
        }
    )


@pytest.fixture
def safe(people):
    ages = ["[20, 29]"] * 4 + ["*"] * 2
    return people.assign(age=ages, land=["Europe"] * 4 + ["*"] * 2)


@pytest.fixture
def files(tmp_path, people, safe):
    people.to_csv(tmp_path / "people.csv", index=False)
    safe.to_csv(tmp_path / "safe.csv", index=False)
    register = pd.concat([people] * 3).drop(columns="weight")
    register.to_csv(tmp_path / "register.csv", index=False)
    (tmp_path / "trees").mkdir()
    TREE.to_csv(tmp_path / "trees" / "land.csv")
    return tmp_path


def json_of(run):
    assert run.exit_code == 0, run.output
    return json.loads(run.stdout)


def test_before_and_after_stand_side_by_side(anon, files, people, safe):
    found = json_of(
        anon("risk", files / "safe.csv", "--original", files / "people.csv", *ROLES,
             "--hierarchies", files / "trees", "--threshold", 0.3, "--json")
    )  # fmt: skip
    for side, frame in (("before", people), ("after", safe)):
        classes = Classes.from_frame(frame, KNOWN)
        risk = prosecutor_risk(classes, 0.3)
        assert found[side]["prosecutor"]["average"] == pytest.approx(risk.average)
        assert found[side]["prosecutor"]["records_at_risk"] == risk.records_at_risk
    assert found["before"]["classes"]["count"] == 6
    assert found["after"]["classes"]["suppressed_rows"] == 2
    assert found["after"]["sensitive"]["job"]["distinct_l"] == 2
    assert found["before"]["sensitive"]["job"]["distinct_l"] == 1
    texts = people.astype({"age": str})
    losses = attribute_losses(texts, safe, {"land": TREE}, KNOWN)
    assert found["loss"]["attributes"] == pytest.approx(losses)
    assert found["loss"]["total"] == pytest.approx(
        information_loss(texts, safe, {"land": TREE}, KNOWN)
    )
    # (4 * 2/4 + 2 - 6/4) / (6 - 6/4)
    assert found["loss"]["attributes"]["land"] == pytest.approx(2.5 / 4.5)


def test_a_table_alone_has_no_loss(anon, files):
    found = json_of(anon("risk", files / "people.csv", *ROLES, "--json"))
    assert found["before"] is None
    assert found["loss"] is None
    assert found["after"]["prosecutor"]["highest"] == 1.0


def test_without_a_population_two_risks_are_not_available(anon, files):
    run = anon("risk", files / "safe.csv", *ROLES)
    assert run.exit_code == 0, run.output
    assert run.stdout.count("not available") >= 4
    found = json_of(anon("risk", files / "safe.csv", *ROLES, "--json"))
    assert found["after"]["journalist"] is found["after"]["marketer"] is None
    assert "sampling weights" in found["not_available"]["journalist"]


def test_weights_estimate_the_population(anon, files, safe):
    found = json_of(
        anon("risk", files / "safe.csv", *ROLES, "--weights", "weight", "--json")
    )
    assert found["after"]["journalist"]["highest"] == pytest.approx(1 / 14)
    classes = weigh_population(Classes.from_frame(safe, KNOWN), safe["weight"])
    assert classes.population_sizes.tolist() == [14, 13]
    assert found["after"]["marketer"]["average"] == pytest.approx(1 / 14)


def test_a_register_is_matched_with_the_labels(anon, files):
    found = json_of(
        anon("risk", files / "safe.csv", "--original", files / "people.csv", *ROLES,
             "--population", files / "register.csv", "--hierarchies", files / "trees",
             "--json")
    )  # fmt: skip
    assert found["before"]["journalist"]["highest"] == pytest.approx(1 / 3)
    assert found["after"]["journalist"]["highest"] == pytest.approx(1 / 12)


def test_queries_are_answered_before_and_after(anon, files):
    run = ["risk", files / "safe.csv", *ROLES, "--query", "age", "--json"]
    found = json_of(anon(*run, "--original", files / "people.csv"))
    both = found["queries"]["age"]
    assert both["minimum"] == {"original": 21.0, "released": 20.0, "error": -1.0}
    assert both["mean_middle"]["released"] == 24.5
    # Nobody says what "Europe" stands for.
    assert found["loss"]["attributes"]["land"] is found["loss"]["total"] is None
    assert found["loss"]["attributes"]["age"] > 0
    assert "'land' holds labels in 4 rows" in found["not_available"]["loss, land"]
    alone = json_of(anon(*run))["queries"]["age"]
    assert alone["mode"] == {"released": "[20, 29]"}


def test_means_of_groups_are_no_exact_values(anon, files, people):
    means = people.assign(age=[21.5, 21.5, 23.5, 23.5, 41, 42])
    means.to_csv(files / "means.csv", index=False)
    run = ["risk", files / "means.csv", "--original", files / "people.csv", *ROLES]
    found = json_of(anon(*run, "--json"))
    assert found["loss"] == {"total": None, "attributes": {"age": None, "land": 0}}
    why = found["not_available"]["loss, age"]
    assert "in 4 rows that no value of the original lies in" in why
    shown = anon(*run).stdout.split("Loss")[1].split("└")[0]
    assert shown.count("not available") == 2
    assert "0 %" in shown


def test_people_get_tables(anon, files):
    run = anon(
        "risk", files / "safe.csv", "--original", files / "people.csv", *ROLES,
        "--query", "age", "--hierarchies", files / "trees",
    )  # fmt: skip
    assert run.exit_code == 0, run.output
    for words in ("before", "after", "prosecutor, average", "job, distinct l", "Loss",
                  "Queries of age", "mean_middle"):  # fmt: skip
        assert words in run.stdout
    assert "Zebedee" not in run.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "-q COLUMN", id="no-quasi-identifier"),
        pytest.param(["-q", "agee"], "unknown column 'agee'", id="column"),
        pytest.param([*ROLES, "--weights", "weightt"], "'weightt'", id="weights"),
        pytest.param([*ROLES, "--query", "agee"], "mean 'age'", id="query"),
        pytest.param([*ROLES, "--query", "job"], "no range of numbers", id="no-number"),
        pytest.param([*ROLES, "--hierarchies", "none"], "not a folder", id="no-folder"),
        pytest.param([*ROLES, "--original", "none.csv"], "not exist", id="no-file"),
        pytest.param([*ROLES, "--weights", "weight", "--population", "x.csv"],
                     "not both", id="two-populations"),
    ],
)  # fmt: skip
def test_mistakes_are_told(anon, files, arguments, message):
    run = anon("risk", files / "safe.csv", *arguments)
    assert run.exit_code == 2, run.output
    assert message in " ".join(run.stderr.split())
    assert "Zebedee" not in run.output


def test_a_folder_without_a_hierarchy_is_refused(anon, files):
    (files / "empty").mkdir()
    run = anon("risk", files / "safe.csv", *ROLES, "--hierarchies", files / "empty")
    assert run.exit_code == 2
    assert "COLUMN.csv" in run.stderr


@pytest.mark.parametrize("with_trees", [False, True])
def test_the_loss_is_the_one_that_anonymize_tells(anon, files, with_trees):
    table = pd.DataFrame(
        {
            "age": [21, 22, 25, 31, 38, 44, 61, 90] * 2,
            "land": ["FR", "IT", "FR", "IT", "JP", "CN", "CN", "JP"] * 2,
            "job": ["clerk", "cook"] * 8,
        }
    )
    table.to_csv(files / "people.csv", index=False)
    safe, trees = files / "made.csv", []
    made = ["anonymize", files / "people.csv", safe, *ROLES, "-k", 4, "--json"]
    if with_trees:
        made += ["-m", "full-domain", "--hierarchy", f"land={files / 'trees/land.csv'}"]
        ages = Intervals(widths=(10, 20)).build(sorted(set(table["age"].astype(str))))
        ages.to_csv(files / "trees" / "age.csv")
        made += ["--hierarchy", f"age={files / 'trees/age.csv'}"]
        trees = ["--hierarchies", files / "trees"]
    loss = json_of(anon(*made))["loss"]
    original = ["--original", files / "people.csv"]
    found = json_of(anon("risk", safe, *original, *ROLES, *trees, "--json"))
    assert 0 < found["loss"]["total"] < 1
    assert found["loss"]["total"] == pytest.approx(loss)
