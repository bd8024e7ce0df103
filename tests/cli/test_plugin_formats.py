"""Files of a plugin's format, in every command that reads or writes a table."""

import json

import pandas as pd
import pytest
import typer

from anon_transformers.cli._app import app
from anon_transformers.exceptions import DataError
from anon_transformers.registry import registry

SECRET = "Zebedee-the-secret"
ROLES = ("-q", "age", "-s", "job")


def read_lines(path):
    """Read JSON, a row in each line."""
    return pd.read_json(path, lines=True, dtype={"zip": str})


def write_lines(frame, path):
    """Write JSON, a row in each line."""
    frame.to_json(path, orient="records", lines=True)


@pytest.fixture
def register():
    added = []

    def add(shelf, name, item):
        catalog = getattr(registry(), shelf)
        catalog.add(name, item, "a-stranger")
        added.append((catalog, name))

    yield add
    for catalog, name in added:
        catalog.remove(name)


@pytest.fixture
def people(tmp_path, monkeypatch, register):
    """People in lines of JSON, and in a published form beside them."""
    register("readers", "jsonl", read_lines)
    register("writers", "jsonl", write_lines)
    monkeypatch.chdir(tmp_path)
    ages = [20 + i % 9 for i in range(36)]
    table = pd.DataFrame({"age": ages, "job": ["a", "b", "c"] * 12})
    write_lines(table, "people.jsonl")
    write_lines(table.assign(age="[20, 28]"), "safe.jsonl")
    write_lines(table.assign(pay=range(36)), "paid.jsonl")
    return tmp_path


READING = {
    "anonymize": ("people.jsonl", "out.csv", *ROLES, "-k", "3", "-m", "mondrian"),
    "attack": ("safe.jsonl", *ROLES, "--original", "people.jsonl"),
    "compare": ("people.jsonl", *ROLES, "-m", "mondrian", "-g", "k=3"),
    "compare-codings": ("paid.jsonl", *ROLES, "-q", "pay"),
    "frontier": ("people.jsonl", *ROLES, "--max-k", "3"),
    "hierarchy check": ("jobs.csv", "--table", "people.jsonl", "--column", "job"),
    "hierarchy suggest": ("people.jsonl", "--column", "age"),
    "init": ("people.jsonl", "--out", "study"),
    "quality": ("people.jsonl", "people.jsonl", "-q", "age"),
    "risk": ("safe.jsonl", "-q", "age"),
    "validate": ("safe.jsonl", "-q", "age", "--k", "3"),
}


def commands(group, name=""):
    for key, command in getattr(group, "commands", {}).items():
        yield f"{name} {key}".strip(), command
        yield from commands(command, f"{name} {key}".strip())


def test_every_command_that_reads_a_table_is_tried_below():
    found = dict(commands(typer.main.get_command(app)))
    reading = {
        name
        for name, command in found.items()
        if "separator" in {parameter.name for parameter in command.params}
    }
    assert reading == set(READING)


@pytest.mark.parametrize("command", READING)
def test_every_command_reads_it(anon, people, command):
    (people / "jobs.csv").write_text("a;*\nb;*\nc;*\n")
    made = anon(*command.split(), *READING[command])
    assert made.exit_code in {0, 1}, made.output
    assert "error:" not in made.stderr


@pytest.mark.parametrize("name", ["people.v2.jsonl", "people.v2.JSONL"])
def test_a_proposed_release_is_named_without_its_suffix(anon, people, name):
    (people / "people.jsonl").rename(people / name)
    made = anon("init", name, "--out", "study")
    assert made.exit_code == 0, made.output
    (file,) = (people / "study/releases").iterdir()
    assert file.name == "people.v2.yaml"


def test_a_table_is_written_in_it_too(anon, people):
    made = anon("anonymize", "people.jsonl", "out.jsonl", *ROLES, "-k", 4)
    assert made.exit_code == 0, made.output
    assert read_lines("out.jsonl").groupby("age").size().min() >= 4


def test_a_release_reads_and_writes_it(anon, people):
    (people / "people.yaml").write_text(
        json.dumps(
            {
                "source": {"path": "people.jsonl"},
                "roles": {"quasi_identifiers": ["age"], "sensitive": ["job"]},
                "anonymizer": {"name": "mondrian", "step": {"age": 5}},
                "thresholds": [{"model": "k-anonymity", "k": 3}],
                "target": {"path": "out", "format": "jsonl"},
            }
        )
    )
    made = anon("release", "people.yaml", "--json")
    assert made.exit_code == 0, made.output
    (file,) = (people / "out/current").glob("*.jsonl")
    assert read_lines(file).groupby("age").size().min() >= 3


def test_columns_that_were_not_typed_are_not_named(anon, people):
    table = pd.DataFrame({"age": [1, 2, 2], SECRET: [1, 2, 3]})
    write_lines(table, "odd.jsonl")
    made = anon("risk", "odd.jsonl", "-q", "agee")
    assert made.exit_code == 2
    assert "odd.jsonl: unknown column 'agee'" in made.stderr
    assert SECRET not in made.output
    compared = anon("compare", "odd.jsonl", "-m", "mondrian", "-g", "k=2", "--json")
    assert SECRET not in compared.output


def test_what_a_reader_says_is_not_repeated(anon, people, register):
    def fails(path):
        raise DataError(f"{SECRET} is no number.")

    register("readers", "odd", fails)
    (people / "x.odd").write_text("")
    made = anon("risk", "x.odd", "-q", "age")
    assert made.exit_code == 2
    assert "the reader 'odd' failed with DataError" in made.stderr
    assert SECRET not in made.output


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        (lambda path, sheet: None, "the reader 'odd' needs the parameter 'sheet'"),
        (lambda path: (1, 2), "the reader 'odd' gives no table"),
    ],
)
def test_a_reader_that_does_not_fit_is_told(anon, people, register, reader, message):
    register("readers", "odd", reader)
    (people / "x.odd").write_text("")
    made = anon("risk", "x.odd", "-q", "age")
    assert made.exit_code == 2
    assert message in made.stderr


class Meetings:
    """Read a graph."""

    kind = "graph"

    def __call__(self, path):
        raise AssertionError("nothing is read")


@pytest.mark.parametrize(
    "words",
    [
        ("risk", "-q", "one"),
        ("validate", "-q", "one", "--k", 2),
        ("init",),
    ],
)
def test_a_graph_is_no_table(anon, people, register, words):
    register("readers", "odd", Meetings())
    (people / "x.odd").write_text("")
    command, *options = words
    made = anon(command, "x.odd", *options)
    assert made.exit_code == 2
    assert "x.odd is a graph, and no table; see anon graph." in made.stderr


def test_an_unknown_format_is_told_with_those_there_are(anon, people):
    (people / "x.json").write_text("")
    made = anon("risk", "x.json", "-q", "age")
    assert made.exit_code == 2
    assert "unknown file type; choices: csv, jsonl, parquet" in made.stderr


@pytest.mark.parametrize("command", [("risk", "-q", "age"), ("init",)])
@pytest.mark.parametrize("kind", ["duckdb", "graph", "sql"])
def test_readers_that_need_more_than_a_path_read_no_file_of_their_name(
    anon, people, command, kind
):
    (people / f"x.{kind}").write_text("age\n1\n")
    name, *options = command
    made = anon(name, f"x.{kind}", *options)
    assert made.exit_code == 2
    assert "unknown file type; choices: csv, jsonl, parquet" in made.stderr


def test_dates_of_other_formats_are_their_readers_to_read(anon, people):
    made = anon(
        "frontier", "people.jsonl", "-q", "age", "--date", "age=%Y", "--max-k", 2
    )
    assert made.exit_code == 2
    assert "--date: this is for CSV files" in made.stderr
