"""``anon hierarchy suggest | show | check``."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.datasets import bundled_path
from anon_transformers.hierarchies import Hierarchy

SECRET = "Zebedee-the-secret"


@pytest.fixture
def anon(declared, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments):
        return CliRunner().invoke(app, ["hierarchy", *(str(a) for a in arguments)])

    return run


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    pd.DataFrame(
        {
            "age": [34, 37, 61, 34, None],
            "zip": ["50001", "50018", "50018", "51000", "51000"],
            "code": ["a", "b", "a", "b", SECRET],
            "empty": [None] * 5,
        }
    ).to_csv(path, index=False)
    return path


@pytest.fixture
def write(tmp_path):
    def written(text, name="tree.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return written


def test_suggest_writes_a_hierarchy_that_covers_the_column(anon, people, tmp_path):
    target = tmp_path / "zip.csv"
    made = anon("suggest", people, "-c", "zip", "--out", target)
    assert made.exit_code == 0, made.output
    assert Hierarchy.read_csv(target).leaves == ("50001", "50018", "51000")
    checked = anon("check", target, "--table", people, "-c", "zip", "--json")
    assert checked.exit_code == 0, checked.output
    assert json.loads(checked.stdout)["covered_values"] == 3


def test_suggest_knows_whole_numbers_beside_missing_ones(anon, people):
    made = anon("suggest", people, "-c", "age", "--json")
    assert made.exit_code == 0, made.output
    found = json.loads(made.stdout)
    assert [row[0] for row in found["rows"]] == ["34", "37", "61"]
    assert found["levels"] == len(found["rows"][0])
    assert found["file"] is None


def test_suggest_scores_a_single_column_as_it_does_among_others(anon, tmp_path):
    people = tmp_path / "p.csv"
    people.write_text("\n".join(["age", *(str(20 + n % 40) for n in range(80))]))
    alone = json.loads(anon("suggest", people, "-c", "age", "--json").stdout)
    several = json.loads(anon("suggest", people, "-q", "age", "--json").stdout)
    assert 0 < alone["score"] == several["columns"][0]["score"]
    assert "Loss saved at k = 5" in anon("suggest", people, "-c", "age").output


def test_suggest_takes_all_columns_at_once_with_scores(anon, tmp_path):
    people = tmp_path / "p.csv"
    lines = [f"{20 + n % 40},{'ab'[n % 2]},[{n % 7}0-{n % 7 + 1}0)" for n in range(280)]
    people.write_text("\n".join(["age,sex,pay", *lines]) + "\n")
    made = anon("suggest", people, "-q", "age", "-q", "pay", "--json",
                "--out", tmp_path / "trees")  # fmt: skip
    assert made.exit_code == 0, made.output
    found = {row["column"]: row for row in json.loads(made.stdout)["columns"]}
    assert found["age"]["kind"] == "number"
    assert found["pay"]["kind"] == "ordered ranges"
    assert found["age"]["score"] > 0
    assert (tmp_path / "trees" / "pay.csv").is_file()
    again = anon("suggest", people, "-q", "age", "--out", tmp_path / "trees")
    assert again.exit_code == 2
    assert "is there already" in again.stderr
    # Columns that were not typed go by where they stand: there may be no header.
    nameless = anon("suggest", people)
    assert "column 1" in nameless.stdout
    assert "pay" not in nameless.output
    wrong = anon("suggest", people, "-q", "age", "-c", "pay")
    assert wrong.exit_code == 2


def test_suggest_does_not_overwrite_unasked(anon, people, write):
    mine = write("mine")
    call = ["suggest", people, "-c", "zip", "--out", mine]
    assert anon(*call).exit_code == 2
    assert mine.read_text() == "mine"
    assert anon(*call, "--force").exit_code == 0
    assert mine.read_text() != "mine"


def test_show_draws_the_tree(anon, write):
    made = anon("show", write("cat;mammal;*\ncow;mammal;*\ncod;[fish];*\n"))
    assert made.exit_code == 0, made.output
    lines = [line.rstrip() for line in made.stdout.splitlines()]
    assert lines == [
        "*  tree.csv: 3 values, 3 levels",
        "├── mammal",
        "│   ├── cat",
        "│   └── cow",
        "└── [fish]",
        "    └── cod",
    ]


def test_show_leaves_out_what_repeats_and_what_is_too_much(anon, write):
    path = write("a;a;*\nb;g;*\nc;g;*\nd;g;*\n")
    lines = anon("show", path, "--most", 2).stdout.splitlines()
    assert [line.rstrip() for line in lines[1:]] == [
        "├── a", "└── g", "    ├── b", "    ├── c", "    └── … 1 more",
    ]  # fmt: skip


def test_show_for_machines(anon):
    made = anon("show", bundled_path("adult/hierarchies/education.csv"), "--json")
    found = json.loads(made.stdout)
    assert (found["values"], found["levels"]) == (16, 4)
    assert {row[-1] for row in found["rows"]} == {"*"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a;g;*\nb;*\n", "row 2 of the hierarchy has 2 levels", id="short"),
        pytest.param("a;g;*\nb;;*\n", "row 2 of the hierarchy has an empty", id="gap"),
        pytest.param("a;g;*\nb;g;x\n", "row 2 of the hierarchy ends", id="root"),
        pytest.param("a;g;*\nb;g;*\na;g;*\n", "row 3 of the hierarchy repeats",
                     id="twice"),
        pytest.param("a;g;x;*\nb;g;y;*\n", "row 2 .* a second parent", id="parents"),
        pytest.param("", "at least one row", id="empty"),
        pytest.param(b"\xff\xfe;x\n", "cannot be read as CSV", id="not-utf-8"),
        pytest.param("a;g;*\n\n\nb;;*\n", "row 4 of the hierarchy has an empty",
                     id="after-blank-lines"),
        pytest.param('a;g;*\n"b"z;g;*\n', "line 2 cannot be read as CSV", id="quotes"),
        pytest.param("a; ;*\n", "row 1 of the hierarchy has an empty", id="blank"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["check", "show"])
def test_a_wrong_row_is_told_by_its_number(anon, write, command, text, message):
    import re

    path = write(text)
    made = anon(command, path)
    assert made.exit_code == 2, made.output
    assert re.search(message, " ".join(made.stderr.split()))
    assert "tree.csv" in made.stderr
    machine = anon(command, path, "--json")
    assert machine.exit_code == 2
    assert re.search(message, json.loads(machine.stdout)["error"])


@pytest.mark.parametrize("command", ["check", "show"])
def test_a_file_that_is_not_packed_is_told_by_its_name(anon, write, command):
    made = anon(command, write(f"{SECRET};*\n", "tree.csv.gz"))
    assert made.exit_code == 2
    assert "tree.csv.gz: cannot be unpacked" in " ".join(made.stderr.split())
    assert SECRET[:2] not in made.output


def test_a_packed_file_is_written_and_read(anon, people, tmp_path):
    target = tmp_path / "zip.csv.gz"
    assert anon("suggest", people, "-c", "zip", "--out", target).exit_code == 0
    assert anon("check", target, "--table", people, "-c", "zip").exit_code == 0


def test_whole_numbers_beside_others_are_the_leaves_they_are_to_an_anonymizer(
    anon, write
):
    tree = write("20;[20, 21);*\n20.5;[20, 21);*\n21;[21, 23);*\n22;[21, 23);*\n")
    table = write("x\n20\n20.5\n21\n22\n\n", "table.csv")
    made = anon("check", tree, "--table", table, "-c", "x", "--json")
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["covered_values"] == 4
    other = write("x\n20\n20.5\n23\n23\n", "other.csv")
    made = anon("check", tree, "--table", other, "-c", "x")
    assert made.exit_code == 2
    assert "'x' has 1 values in 2 rows" in " ".join(made.stderr.split())


def test_a_right_hierarchy_passes(anon):
    path = bundled_path("adult/hierarchies/sex.csv")
    made = anon("check", path)
    assert made.exit_code == 0, made.output
    assert "2 values, 2 levels; no fault" in " ".join(made.stdout.split())


def test_values_that_are_not_covered_are_counted_and_not_named(anon, people, write):
    made = anon("check", write("a;*\n"), "--table", people, "-c", "code")
    assert made.exit_code == 2
    message = " ".join(made.stderr.split())
    assert (
        "column 'code' has 2 values in 3 rows that are not in the hierarchy" in message
    )
    assert SECRET not in made.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["suggest", "{people}", "-c", "zipp"], "unknown column 'zipp'"),
        (["suggest", "{people}", "-c", "empty"], "'empty' has no value in 5 rows"),
        (["suggest", "nowhere.csv", "-c", "zip"], "nowhere.csv does not exist"),
        (["show", "nowhere.csv"], "nowhere.csv does not exist"),
        (["check", "{tree}", "--table", "{people}"], "go together"),
        (["check", "{tree}", "-c", "zip"], "go together"),
    ],
)
def test_bad_input_is_told_by_name(anon, people, write, arguments, message):
    places = {"people": people, "tree": write("a;*\n")}
    made = anon(*(argument.format(**places) for argument in arguments))
    assert made.exit_code == 2, made.output
    assert message in " ".join(made.stderr.split())


def test_every_part_has_help(anon):
    for command in ("suggest", "show", "check"):
        assert anon(command, "--help").exit_code == 0


@pytest.fixture
def towns(write, tmp_path):
    """A table and a hierarchy, each in an encoding of its own."""

    def written(of_table, of_tree, name="ort.csv"):
        write("ort;leiden\nKöln;a\nBonn;b\n".encode(of_table), "orte.csv")
        write("Köln;NRW;*\nBonn;NRW;*\n".encode(of_tree), name)
        return tmp_path

    return written


def test_a_hierarchy_in_another_encoding_is_shown_and_checked(anon, towns):
    tree = towns("utf-8", "latin-1") / "ort.csv"
    shown = anon("show", tree, "--encoding", "latin-1", "--json")
    assert shown.exit_code == 0, shown.output
    assert json.loads(shown.stdout)["rows"][0][0] == "Köln"
    assert anon("check", tree, "--encoding", "latin-1").exit_code == 0
    refused = anon("check", tree)
    assert refused.exit_code == 2
    assert "not UTF-8 text" in refused.output


def test_an_encoding_that_nobody_knows_is_told(anon, towns):
    tree = towns("utf-8", "latin-1") / "ort.csv"
    for call in (["show", tree], ["check", tree]):
        refused = anon(*call, "--encoding", "klingon")
        assert refused.exit_code == 2
        assert "unknown encoding 'klingon'" in refused.output


@pytest.mark.parametrize("of_tree", ["latin-1", "utf-8", "utf-8-sig", "utf-16"])
def test_a_hierarchy_beside_a_table_may_be_in_its_encoding(anon, towns, of_tree):
    folder = towns("latin-1", of_tree)
    how = ["--encoding", "latin-1", "--separator", ";"]
    given = ["--table", folder / "orte.csv", "--column", "ort", *how, "--json"]
    made = anon("check", folder / "ort.csv", *given)
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["covered_values"] == 2


@pytest.mark.parametrize("of_tree", ["latin-1", "utf-8"])
@pytest.mark.parametrize(
    "call",
    [
        ["anonymize", "{table}", "-", "-i", "leiden", "-k", "2",
         "-m", "datafly", "--hierarchy", "ort={tree}"],
        ["compare", "{table}", "-m", "datafly", "-g", "k=2",
         "--hierarchy", "ort={tree}"],
        ["frontier", "{table}", "--hierarchy", "ort={tree}"],
        ["validate", "{table}", "--k", "1", "--hierarchy", "ort={tree}"],
        ["risk", "{table}", "--original", "{table}", "--hierarchies", "{folder}"],
        ["attack", "{table}", "-a", "unique-combinations", "--hierarchies", "{folder}"],
    ],
    ids=lambda call: call[0],
)  # fmt: skip
def test_every_command_reads_hierarchies_in_it(declared, towns, call, of_tree):
    folder = towns("latin-1", of_tree)
    places = {"table": folder / "orte.csv", "tree": folder / "ort.csv"}
    how = ["-q", "ort", "--encoding", "latin-1", "--separator", ";"]
    given = [text.format(**places, folder=folder) for text in call]
    made = CliRunner().invoke(app, [*given, *how])
    assert made.exit_code == (1 if call[0] == "attack" else 0), made.output
    assert "UTF-8" not in made.output
