"""``anon attack``: what runs, what does not and why, and what is never printed."""

import json
import tomllib
from dataclasses import dataclass
from importlib.metadata import EntryPoint

import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers import registry
from anon_transformers.attacks import GraphAttack, GraphAttackResult
from anon_transformers.cli._app import app
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.hookspecs import PROJECT

SECRET = "Zebedee-the-secret"
KNOWN = ["-q", "age", "-q", "zip"]
ROLES = [*KNOWN, "-s", "disease"]


@pytest.fixture(autouse=True)
def attacks_declared(root, monkeypatch):
    """The registry of pyproject.toml, whatever is installed."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    points = settings["project"]["entry-points"][PROJECT]
    points = {"attacks": "anon_transformers.attacks._plugin", **points}
    found = registry.create_registry(
        EntryPoint(name, value, PROJECT) for name, value in points.items()
    )
    assert not found.broken
    monkeypatch.setattr(registry, "registry", lambda: found)


@pytest.fixture
def anon():
    def run(*arguments):
        return CliRunner().invoke(app, ["attack", *(str(a) for a in arguments)])

    return run


@pytest.fixture
def write(tmp_path):
    def save(file, **columns):
        path = tmp_path / file
        pd.DataFrame(columns).to_csv(path, index=False)
        return path

    return save


@pytest.fixture
def release(write):
    return write(
        "release.csv",
        age=["[20, 29]"] * 3 + ["[30, 39]"] * 3,
        zip=["053**"] * 6,
        disease=[SECRET] * 3 + ["flu", "gout", "cold"],
    )


def test_every_attack_runs_whose_inputs_are_given(anon, release):
    made = anon(release, *ROLES, "--json")
    assert made.exit_code == 1
    found = json.loads(made.stdout)
    ran = {report["attack"]: report for report in found["attacks"]}
    assert ran["homogeneity"]["exposed"] == 3
    assert ran["unique-combinations"]["exposed"] == 0
    assert found["exposed"] is True
    assert set(found["not_run"]) == {
        "linkage", "tuple-order", "complementary-release", "similarity",
        "record-intruder", "tight-boxes", "downcoding", "minimality",
        "differencing", "singling-out", "linkability", "inference", "record-linkage",
    }  # fmt: skip
    assert found["not_run"]["linkage"] == "linkage needs external."
    offered = registry.registry().attacks.values()
    of_tables = [attack for attack in offered if attack.kind == "table"]
    assert len(ran) + len(found["not_run"]) == len(of_tables) == 20
    assert SECRET not in made.output


def test_nothing_exposed_is_exit_code_zero(anon, write):
    path = write("a.csv", age=["<50"] * 4, zip=["0"] * 4, disease=list("abcd"))
    made = anon(path, *ROLES)
    assert made.exit_code == 0, made.output
    assert "similarity was not run" in made.output


def test_people_get_a_table_with_remedies_and_no_values(anon, release):
    made = anon(release, *ROLES)
    assert made.exit_code == 1
    assert "homogeneity: Ask for l-diversity" in made.stdout
    assert "linkage was not run: linkage needs external" in made.stdout
    assert SECRET not in made.output


def test_values_are_shown_when_asked(anon, release):
    arguments = (release, *ROLES, "-a", "homogeneity", "--show-values")
    assert anon(*arguments).stdout.count("Zebedee") == 3
    found = json.loads(anon(*arguments, "--json").stdout)
    (report,) = found["attacks"]
    assert report["exposed_records"] == 3 * [
        {"age": "[20, 29]", "zip": "053**", "disease": SECRET}
    ]


def test_an_external_table_is_linked_by_hierarchies_and_ranges(
    anon, release, write, tmp_path
):
    voters = write(
        "voters.csv", name=[SECRET, "b"], age=[25, 35], zip=["05301", "05302"]
    )
    trees = tmp_path / "trees"
    trees.mkdir()
    rows = [(z, "053**", "*") for z in ("05301", "05302")]
    Hierarchy(rows).to_csv(trees / "zip.csv")
    made = anon(
        release, *KNOWN, "--external", voters, "--hierarchies", trees, "--json",
        "-a", "linkage",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    (report,) = json.loads(made.stdout)["attacks"]
    assert report["details"]["matched_pairs"] == 6
    assert SECRET not in made.output


def test_a_second_release_and_the_original_are_read(anon, release, write):
    other = write(
        "other.csv", age=["*"] * 6, zip=[f"0530{n}" for n in range(6)],
        disease=[SECRET] * 3 + ["flu", "gout", "cold"],
    )  # fmt: skip
    first = write(
        "first.csv", age=["[20, 29]"] * 3 + ["[30, 39]"] * 3, zip=["*"] * 6,
        disease=[SECRET] * 3 + ["flu", "gout", "cold"],
    )  # fmt: skip
    made = anon(
        first, *ROLES, "--other", other, "--original", release, "--json",
        "-a", "tuple-order", "-a", "complementary-release,k=2", "-a", "skewness",
    )  # fmt: skip
    order, joined, _ = json.loads(made.stdout)["attacks"]
    assert order["exposed"] == 6
    assert joined["params"]["k"] == 2
    assert joined["exposed"] == 3
    assert joined["details"]["ambiguous_records"] == 3


def test_parameters_follow_the_name(anon, release):
    made = anon(release, *ROLES, "-a", "background-knowledge,exclusions=2", "--json")
    (report,) = json.loads(made.stdout)["attacks"]
    assert report["params"]["exclusions"] == 2
    assert report["exposed"] == 6


def test_an_attack_that_was_asked_for_and_cannot_run_fails(anon, release):
    made = anon(release, *KNOWN, "-a", "linkage")
    assert made.exit_code == 1
    assert "linkage was not run: linkage needs external" in made.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param([], "name the quasi-identifiers", id="roles"),
        pytest.param(["-q", "agee"], "unknown column 'agee'", id="column"),
        pytest.param([*ROLES, "-a", "homogenity"], "mean 'homogeneity'", id="attack"),
        pytest.param([*ROLES, "-a", "skewness,diff=1"], "unknown parameter 'diff'",
                     id="parameter"),
        pytest.param([*ROLES, "-a", "skewness,ratio=0"], "ratio must be at least 1",
                     id="value"),
        pytest.param([*ROLES, "--other", "none.csv"], "does not exist", id="file"),
        pytest.param([*ROLES, "--hierarchies", "nowhere"], "not a folder", id="folder"),
    ],
)  # fmt: skip
def test_bad_input_is_told_and_nothing_else(anon, release, arguments, message):
    made = anon(release, *arguments)
    assert made.exit_code == 2, made.output
    assert message in " ".join(made.stderr.split())
    assert SECRET not in made.output


def test_a_folder_without_a_hierarchy_of_the_release_is_refused(
    anon, release, tmp_path
):
    (tmp_path / "trees").mkdir()
    made = anon(release, *ROLES, "--hierarchies", tmp_path / "trees")
    assert made.exit_code == 2
    assert "COLUMN.csv" in made.stderr


def test_tables_that_one_attack_cannot_use_do_not_stop_the_others(anon, write):
    columns = {"age": ["<50"] * 4, "zip": ["0"] * 4}
    path = write("a.csv", **columns, disease=list("abcd"))
    original = write("original.csv", **columns)
    made = anon(path, *ROLES, "--original", original, "--json")
    assert made.exit_code == 1, made.output
    found = json.loads(made.stdout)
    assert found["exposed"] is False
    assert "homogeneity" in {report["attack"] for report in found["attacks"]}
    for name in ("small-classes", "skewness"):
        assert found["not_run"][name] == "the original has no column 'disease'."


def test_the_original_is_linked_with_the_release(anon, write):
    columns = {"age": range(20, 60), "zip": ["053"] * 40}
    original = write("original.csv", **columns, disease=range(40))
    release = write("safe.csv", **columns, disease=range(40))
    made = anon(release, *ROLES, "--original", original, "--json")
    ran = {report["attack"]: report for report in json.loads(made.stdout)["attacks"]}
    assert ran["record-intruder"]["exposed"] == 40
    boxes = [f"[{20 + 10 * (i // 10)}, {29 + 10 * (i // 10)}]" for i in range(40)]
    release = write("safe.csv", age=boxes, zip=["053"] * 40, disease=range(40))
    made = anon(
        release, *ROLES, "--original", original, "--json",
        "-a", "record-intruder,k=10,linkage=rank",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    (report,) = json.loads(made.stdout)["attacks"]
    assert report["params"] == {
        "scenario": "uninformed", "linkage": "rank", "k": 10, "confidence": 0.95,
        "key": None,
    }  # fmt: skip
    assert report["details"]["share"] == pytest.approx(0.1)


def test_a_release_in_another_order_needs_a_key(anon, write):
    columns = {"zip": ["053"] * 6, "id": range(6)}
    original = write("original.csv", age=range(6), disease=range(6), **columns)
    release = write(
        "safe.csv", age=range(5, -1, -1), disease=range(5, -1, -1),
        zip=["053"] * 6, id=range(5, -1, -1),
    )  # fmt: skip
    made = anon(release, *ROLES, "--original", original, "-a", "record-intruder")
    assert made.exit_code == 1
    assert "record-intruder was not run: no column shows" in made.stdout
    made = anon(
        release, *ROLES, "--original", original, "-a", "record-intruder,key=id",
        "--json",
    )  # fmt: skip
    (report,) = json.loads(made.stdout)["attacks"]
    assert report["exposed"] == 6


@pytest.mark.parametrize(
    ("roles", "options", "message"),
    [
        (ROLES, "", "by disease, which fares worst, 100 % of the persons are linked"),
        (ROLES, "", "(95 % confidence interval: 91.2 % to 100 %)"),
        (ROLES, "", "those linked for sure, by any sensitive column"),
        (ROLES, ",k=3", "those linked more often than 1/3, where the interval lies"),
        (ROLES, ",confidence=0.5", "(50 % confidence interval"),
        (ROLES[:-2], "", "record-intruder: 100 % of the persons are linked"),
    ],
)
def test_both_numbers_of_the_intruder_say_what_they_count(
    anon, write, roles, options, message
):
    table = write("same.csv", age=range(20, 60), zip=["053"] * 40, disease=range(40))
    made = anon(table, *roles, "--original", table, "-a", f"record-intruder{options}")
    assert message in made.stdout
    assert "by chance" not in made.stdout


def test_attacks_on_graphs_are_not_run_on_tables(anon, release):
    @dataclass(frozen=True)
    class Busiest(GraphAttack):
        name = "busiest"

        def _find(self, attack_input):
            return GraphAttackResult(1, [])

    registry.registry().attacks.add("busiest", Busiest, "a-stranger")
    found = json.loads(anon(release, *ROLES, "--json").stdout)
    ran = [report["attack"] for report in found["attacks"]]
    assert "busiest" not in [*ran, *found["not_run"]]
    named = anon(release, *ROLES, "-a", "busiest")
    assert named.exit_code == 2
    assert "busiest: it attacks a graph, and the release is a table" in named.stderr


def test_a_held_out_part_is_compared_with(anon, write):
    ages = [str(20 + at) for at in range(60)]
    people = {"age": ages, "zip": ["1"] * 60, "disease": ["flu", "gout"] * 30}
    raw = write("raw.csv", **people)
    strangers = write("strangers.csv", **{**people, "disease": ["gout", "flu"] * 30})
    given = [raw, *ROLES, "--original", raw, "--control", strangers]
    made = anon(*given, "-a", "inference", "--json")
    assert made.exit_code == 1
    (report,) = json.loads(made.stdout)["attacks"]
    assert report["exposed"] == 60
    assert report["details"]["columns"]["disease"]["control"]["share"] == 0
