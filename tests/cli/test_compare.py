"""``anon compare`` and ``anon reproduce``, as a person or a script calls them."""

import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from anon_transformers.experiments import NUMBER_COLUMNS, Findings

pytestmark = pytest.mark.usefixtures("declared")

SECRET = "Zebedee-the-secret"
ASKED = ["-q", "age", "-q", "zip", "-s", "disease", "-i", "name"]
METHODS = ["-m", "mondrian", "-m", "datafly"]


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    pd.DataFrame(
        {
            "name": [f"{SECRET}-{i}" for i in range(60)],
            "age": [20 + i % 17 for i in range(60)],
            "zip": [500 + i % 7 for i in range(60)],
            "disease": ["flu", "cold", "gout", "none"] * 15,
        }
    ).to_csv(path, index=False)
    return path


def test_a_grid_over_two_methods(anon, people):
    made = anon(
        "compare", people, *ASKED, *METHODS, "--grid", "k=2,5", "--grid",
        "mondrian.mode=strict,relaxed", "--json",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    assert [(r["method"], r["parameters"]) for r in found["runs"]] == [
        ("mondrian", {"k": 2, "mode": "strict"}),
        ("mondrian", {"k": 2, "mode": "relaxed"}),
        ("mondrian", {"k": 5, "mode": "strict"}),
        ("mondrian", {"k": 5, "mode": "relaxed"}),
        ("datafly", {"k": 2}),
        ("datafly", {"k": 5}),
    ]
    assert all(r["smallest"] >= r["k"] and r["error"] is None for r in found["runs"])
    assert found["files"] == []


def test_metrics_of_anybody_stand_beside_the_other_numbers(anon, people, declared):
    @dataclass(frozen=True)
    class Crowd:
        """Rows of the largest class, or ``most``."""

        most: int = 99
        name = "crowd"
        evidence = "classes"
        better = "lower"

        def measure(self, evidence):
            return min(int(evidence.sizes.max()), self.most)

    declared.metrics.add("crowd", Crowd, "a-stranger")
    asked = ["compare", people, *ASKED, "-m", "mondrian", "-g", "k=5"]
    wanted = ["--metric", "crowd", "--metric", "crowd,most=3"]
    made = anon(*asked, *wanted, "--json")
    assert made.exit_code == 0, made.output
    (run,) = json.loads(made.stdout)["runs"]
    assert (run["crowd"], run["crowd most=3"]) == (run["largest"], 3)
    assert "crowd most=3" in anon(*asked, *wanted).stdout


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("croud", "unknown metric 'croud'"),
        ("records-at-risk,treshold=1", "did you mean 'threshold'"),
        ("loss,max", "--metric: expected NAME=VALUE"),
    ],
)
def test_a_metric_that_nobody_has_is_refused_before_a_run(
    anon, people, metric, message
):
    made = anon("compare", people, *ASKED, "--metric", metric)
    assert made.exit_code == 2
    assert message in made.stderr
    twice = anon("compare", people, *ASKED, "--metric", "loss", "--metric", "loss")
    assert "--metric: loss stands twice" in twice.stderr


def test_people_read_a_table_and_the_errors_below_it(anon, people):
    made = anon("compare", people, *ASKED, *METHODS, "--grid", "k=2,61")
    assert made.exit_code == 0, made.output
    assert "2 runs" in made.stdout
    assert "average risk" in made.stdout
    assert "2 runs without a result" in made.stdout
    assert "has 60 rows" in made.stdout
    assert SECRET not in made.output


def test_mondrian_and_datafly_are_compared_unless_told_otherwise(anon, people):
    made = anon("compare", people, *ASKED, "--json")
    assert [r["method"] for r in json.loads(made.stdout)["runs"]] == [
        "mondrian", "datafly",
    ]  # fmt: skip


def test_the_page_is_written_once(anon, people, tmp_path):
    pytest.importorskip("matplotlib", reason="the plots extra")
    call = ["compare", people, *ASKED, "--grid", "k=2,5", "--out", tmp_path / "out"]
    made = anon(*call, "--json")
    assert made.exit_code == 0, made.output
    files = json.loads(made.stdout)["files"]
    assert len(files) == 12
    page = (tmp_path / "out/comparison.html").read_text(encoding="utf-8")
    assert "people.csv" in page
    assert page.count("data:image/png;base64,") == 10
    assert SECRET not in page
    again = anon(*call)
    assert again.exit_code == 2
    assert "--force" in " ".join(again.stderr.split())
    assert anon(*call, "--force").exit_code == 0


def test_hierarchies_are_read_from_files(anon, people, tmp_path):
    tree = tmp_path / "zip.csv"
    tree.write_text("".join(f"{n};all;*\n" for n in range(500, 507)))
    made = anon(
        "compare", people, *ASKED, "-m", "datafly", "--hierarchy", f"zip={tree}",
        "--grid", "k=30", "--json",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["runs"][0]["classes"] >= 1


def test_values_that_a_hierarchy_lacks_follow_the_option(anon, people, tmp_path):
    tree = tmp_path / "zip.csv"
    tree.write_text("".join(f"{500 + i};50*;*\n" for i in range(6)))
    call = ["compare", people, *ASKED, "-m", "datafly", "--hierarchy", f"zip={tree}"]
    refused = anon(*call)
    assert refused.exit_code == 2
    assert "hierarchy" in refused.stderr
    for policy in ("root", "suppress"):
        made = anon(*call, "--unknown", policy, "--json")
        assert made.exit_code == 0, made.output
        assert f"unknown={policy}" in json.loads(made.stdout)["about"]["hierarchies"]
    assert anon(*call, "--unknown", "roots").exit_code == 2


def test_hierarchies_may_be_the_bundled_ones(anon, people, tmp_path):
    adult = tmp_path / "adult.csv"
    adult.write_text("sex,age\n" + "Male,20\nFemale,30\n" * 10)
    tree = "sex=bundled:adult/hierarchies/sex.csv"
    made = anon("compare", adult, "-m", "datafly", "--hierarchy", tree, "--json")
    assert made.exit_code == 0, made.output
    safe = ["anonymize", adult, tmp_path / "safe.csv", "-q", "sex", "-q", "age"]
    assert anon(*safe, "--hierarchy", tree).exit_code == 0
    lost = anon(*safe, "--force", "--hierarchy", "sex=bundled:adult/sexx.csv")
    assert lost.exit_code == 2
    assert "bundled data" in lost.stderr


def test_columns_that_nobody_declared_are_said_to_be_taken(anon, people):
    made = anon("compare", people, "-i", "name", "-s", "disease")
    assert made.exit_code == 0, made.output
    assert "quasi-identifiers: column 2, column 3 (all columns that were" in made.stdout
    asked = anon("compare", people, *ASKED)
    assert "quasi-identifiers: age, zip\n" in asked.stdout


def test_where_the_numbers_come_from_is_told(anon, people):
    made = anon("compare", people, *ASKED, "--grid", "k=2,5", "--json")
    about = json.loads(made.stdout)["about"]
    assert about["rows"] == "60"
    assert about["quasi-identifiers"] == "age, zip"
    assert about["dropped"] == "name"
    assert "tie_side=both" in about["fixed for mondrian"]
    assert "k=" not in about["fixed for mondrian"]
    assert "anon-transformers" in about["versions"]
    assert about["run"].endswith("UTC")


def test_other_encodings_and_separators_are_read(anon, tmp_path):
    source, target = tmp_path / "people.csv", tmp_path / "safe.csv"
    source.write_bytes("stadt;age\nKöln;20\nKöln;30\n".encode("latin-1"))
    roles = ["-q", "stadt", "-q", "age", "-k", 2, "--separator", ";"]
    assert anon("anonymize", source, target, *roles).exit_code == 2
    made = anon("anonymize", source, target, *roles, "--encoding", "latin-1")
    assert made.exit_code == 0, made.output
    assert target.read_text(encoding="latin-1").startswith("stadt;age\nKöln;")


def test_exit_code_one_if_no_run_keeps_its_promise(anon, people):
    made = anon("compare", people, *ASKED, "--grid", "k=61", "--json")
    assert made.exit_code == 1
    assert all(r["classes"] is None for r in json.loads(made.stdout)["runs"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["-q", "agee"], "unknown column 'agee'", id="column"),
        pytest.param([*ASKED, "-m", "mondrain"], "mean 'mondrian'", id="method"),
        pytest.param([*ASKED, "--grid", "k"], "NAME=VALUE", id="no-values"),
        pytest.param([*ASKED, "--grid", "k=2,"], "NAME=VALUE", id="no-last-value"),
        pytest.param([*ASKED, "--grid", "kk=2"], "unknown parameter 'kk'", id="name"),
        pytest.param([*ASKED, "--grid", "mondrian.mode=strickt", "-m", "mondrian"],
                     "did you mean 'strict'", id="value"),
        pytest.param([*ASKED, "--hierarchy", "zip=nowhere.csv"], "does not exist",
                     id="hierarchy"),
    ],
)  # fmt: skip
def test_bad_input_is_told_by_name(anon, people, arguments, message):
    made = anon("compare", people, *arguments)
    assert made.exit_code == 2, made.output
    assert message in " ".join(made.stderr.split())
    assert SECRET not in made.output


def test_without_matplotlib_nothing_is_run(anon, people, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = []
    from anon_transformers import experiments

    monkeypatch.setattr(experiments, "compare", ran.append, raising=False)
    made = anon("compare", people, *ASKED, "--out", tmp_path / "out")
    assert made.exit_code == 2
    assert "anon-transformers[plots]" in " ".join(made.stderr.split())
    assert ran == []
    assert not (tmp_path / "out").exists()


@dataclass(frozen=True)
class Tiny:
    """The smallest experiment there is.

    Parameters
    ----------
    quick : bool
        Ignored.
    reason : str
        Of the only difference.
    table : path
        A table that it
        needs.
    """

    quick: bool = False
    reason: str = "known"
    table: Path | None = None

    def run(self, progress=None):
        five = "five measures"
        rows = [
            ["Table 1", "a", "m", 2, "classes", 5, 5, 5, True, ""],
            ["Table 1", "a", "m", 8, "classes", 4, 3, 3, False, self.reason],
            ["recomputed", "a", "m", 2, five, None, "x", "x", True, ""],
            ["recomputed", "b", "m", 2, five, None, "x", None, None, "not run"],
            ["Table 9", "b", "m", 5, "classes", 7, 7, None, None, "not run"],
        ]  # fmt: skip
        numbers = pd.DataFrame(rows, columns=list(NUMBER_COLUMNS))
        runs = pd.DataFrame({"quick": [self.quick]})
        notes = ("mind the gap",)
        return Findings("Tiny", numbers, runs, notes=notes, source="A book, 2001")


@pytest.fixture
def tiny(anon, declared):
    declared.experiments.add("tiny", Tiny, "tiny-dist")
    return lambda *options: anon("reproduce", "tiny", *options)


def test_reproduce_shows_what_was_published_ours_and_why(tiny):
    made = tiny()
    assert made.exit_code == 0, made.output
    assert "Table 1" in made.stdout
    assert "known" in made.stdout
    assert "mind the gap" in made.stdout
    assert "source: A book, 2001" in made.stdout
    assert "(1) known" in made.stdout
    assert "not run, with how many numbers: b (2)" in made.stdout
    assert "Table 9" not in made.stdout
    assert "recomputed: by others, from the rules of the source" in made.stdout
    assert "2 equal, 1 differ for a known reason, 0 differ without one" in made.stdout


def test_reproduce_for_machines(tiny, tmp_path):
    made = tiny("--quick", "--json")
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    assert found["runs"] == [{"quick": True}]
    assert [n["equal"] for n in found["numbers"]] == [True, False, True, None, None]
    assert found["numbers"][1]["reason"] == "known"


@pytest.mark.parametrize("given", [["-o", "reason="], ["--reason="]])
def test_a_difference_without_a_reason_is_exit_code_one(tiny, given):
    assert tiny(*given, "--json").exit_code == 1


def test_help_tells_the_options_of_the_experiment(tiny, anon):
    message = " ".join(tiny("--help").stdout.split())
    assert "--reason VALUE Of the only difference." in message
    assert "--table PATH A table that it needs." in message
    assert "--reason" not in anon("reproduce", "--help").stdout


def test_reproduce_writes_its_page(tiny, tmp_path):
    pytest.importorskip("matplotlib", reason="the plots extra")
    made = tiny("--out", tmp_path)
    assert made.exit_code == 0, made.output
    assert "A book, 2001" in (tmp_path / "tiny.html").read_text(encoding="utf-8")
    assert tiny("--out", tmp_path).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tinny"], "did you mean 'tiny'"),
        (["tiny", "-o", "quik=1"], "did you mean 'quick'"),
        (["tiny", "--quik"], "tiny: unknown option 'quik'"),
        (["tiny", "--reason"], "--reason needs a value"),
        (["tiny", "--reason", "a", "--reason=b"], "--reason is given twice"),
        (["tiny", "tinier"], "expected an option of tiny, got 'tinier'"),
        (["tiny", "--table", "nowhere.csv"], "nowhere.csv does not exist"),
        (["tiny", "--table=nowhere.csv"], "nowhere.csv does not exist"),
        (["fuzzy"], "pip install anon-transformers-reproductions adds fuzzy"),
    ],
)
def test_reproduce_refuses_what_it_does_not_know(tiny, anon, arguments, message):
    made = anon("reproduce", *arguments)
    assert made.exit_code == 2
    assert message in " ".join(made.stderr.split())


def test_both_commands_have_help(anon):
    for command in ("compare", "reproduce"):
        message = anon(command, "--help")
        assert message.exit_code == 0
        assert "--out" in message.stdout
