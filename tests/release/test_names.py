"""Names of columns are personal data until they match the declared roles."""

import logging

import pandas as pd
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

import pyarrow as pa
import pyarrow.parquet as pq

from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
    ParameterError,
)
from anon_transformers.release import load
from anon_transformers.roles import list_positions
from tests.release.test_discretion import text_of

pytestmark = pytest.mark.gx
MARK = "NAMEMARK"
HEADER = "name,age,zip,job,note\n"


def said_of(release, caplog, capfd):
    """Everything that is printed, logged or raised; nothing is written."""
    with caplog.at_level(logging.DEBUG), pytest.raises(AnonymizationError) as caught:
        load(release.file)
    assert release.nothing_written()
    printed = capfd.readouterr()
    return text_of(caught.value) + caplog.text + printed.out + printed.err


# ---------------------------------------------------------------- tables

ROWS = "".join(f"{MARK}{i},{20 + i},007,{MARK}-job,y\n" for i in range(30))
HEADERLESS = {
    "no header": (ROWS, "5 columns have no declared role (columns 1, 2, 3, 4 and 5)"),
    "one row": (ROWS.splitlines(keepends=True)[0], "5 columns have no declared role"),
    "a name twice": (
        f"{MARK}0,30,{MARK}0,x,y\n" + ROWS,
        "columns of one name (columns 1 and 3)",
    ),
    "ragged": (ROWS + f"{MARK},1\n", "5 columns have no declared role"),
    "another separator": (
        ROWS.replace(",", ";"),
        "1 column has no declared role (column 1)",
    ),
    "an undeclared column": (
        HEADER.replace("note", f"note,{MARK}")
        + "".join(f"a{i},{20 + i},007,j,y,{i}\n" for i in range(9)),
        "1 column has no declared role (column 6)",
    ),
    "another name": (
        HEADER.replace("job", f"{MARK}-job") + ROWS,
        "unknown column 'job'",
    ),
    "a declared name twice": (HEADER.replace("job", "zip") + ROWS, "twice: zip"),
}


@pytest.mark.parametrize(("content", "message"), HEADERLESS.values(), ids=HEADERLESS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"columns": {"age": "integer"}},
        {"columns": {"agee": "integer"}},
        {"columns": {"job": "date"}, "missing": ["?"]},
        {"encoding": "latin-1"},
    ],
    ids=lambda options: "-".join(options) or "plain",
)
def test_no_word_of_a_header_that_is_none(
    release, caplog, capfd, content, message, options
):
    release.source.write_text(content)
    release.write(source={"path": "people.csv", **options})
    said = said_of(release, caplog, capfd)
    assert MARK not in said
    assert message in said


def test_a_file_without_a_header_is_told_to_be_one(release, caplog, capfd):
    release.source.write_text(ROWS)
    assert "has it no header" in said_of(release, caplog, capfd)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([f"{MARK}{i}" for i in range(5)], "5 columns have no declared role"),
        (
            [f"{MARK}0", "age", "zip", "job", f"{MARK}0"],
            "columns of one name (columns 1 and 5)",
        ),
        (["name", "age", "zip", "job", f"{MARK}"], "unknown column 'note'"),
    ],
)
def test_no_word_of_a_parquet_file_with_other_names(
    release, caplog, capfd, names, message
):
    table = pa.table([pa.array(["x", "y"])] * 5, names=names)
    pq.write_table(table, release.folder / "people.parquet")
    release.write(source={"path": "people.parquet"})
    said = said_of(release, caplog, capfd)
    assert MARK not in said
    assert message in said


@pytest.mark.parametrize("error", [DataError, ParameterError])
def test_what_a_strangers_reader_says_may_quote_a_header(
    release, registered, caplog, capfd, error
):
    def quoting(path):
        raise error(f"no column like {MARK}")

    registered("readers", "quoting", quoting)
    release.write(source={"kind": "quoting", "path": "people.csv"})
    said = said_of(release, caplog, capfd)
    assert MARK not in said
    assert f"the reader 'quoting' failed with {error.__name__}" in said


def test_what_a_strangers_reader_says_of_its_options_is_told_by_type(
    release, registered, caplog, capfd
):
    def picky(path):
        raise ConfigurationError(f"sheet: name one, not {MARK}.")

    registered("readers", "picky", picky)
    release.write(source={"kind": "picky", "path": "people.csv"})
    said = said_of(release, caplog, capfd)
    assert "the reader 'picky' failed with ConfigurationError" in said
    assert MARK not in said


@pytest.mark.parametrize(
    "names",
    [[f"{MARK}{i}" for i in range(5)], list(range(5)), ["age", "age", MARK, MARK, 7]],
)
def test_no_word_of_what_a_strangers_reader_gives(
    release, registered, caplog, capfd, names
):
    def odd(path):
        return pd.DataFrame([[1] * 5] * 9, columns=names)

    registered("readers", "odd", odd)
    release.write(source={"kind": "odd", "path": "people.csv"})
    assert MARK not in said_of(release, caplog, capfd)


@pytest.mark.parametrize("stranger", [False, True])
def test_a_column_of_lists_is_named(release, registered, stranger):
    people = pd.read_csv(release.source, dtype={"zip": str})
    people = people.assign(job=[[f"{MARK}{i}", "x"] for i in range(len(people))])
    people.to_parquet(release.folder / "people.parquet")
    registered("readers", "lists", lambda path: people)
    source = {"path": "people.parquet"}
    release.write(source={"kind": "lists", **source} if stranger else source)
    with pytest.raises(
        DataError, match="column 'job' holds lists or structs"
    ) as caught:
        load(release.file)
    assert MARK not in str(caught.value)


# ---------------------------------------------------------------- graphs


@pytest.fixture
def friends(release):
    pytest.importorskip("anon_transformers_graphs")
    release.write(
        source={"kind": "graph", "edges": "edges.csv", "nodes": "nodes.csv"},
        roles={
            "identifiers": ["one", "other", "person"],
            "insensitive": ["calls"],
            "quasi_identifiers": ["town"],
        },
        anonymizer={"name": "k-degree"},
        thresholds=[{"model": "k-degree", "k": 2}],
    )
    pairs = "".join(f"{MARK}{i},{MARK}{i + 1},1\n" for i in range(9))
    nodes = "".join(f"{MARK}{i},x\n" for i in range(10))
    (release.folder / "edges.csv").write_text("one,other,calls\n" + pairs)
    (release.folder / "nodes.csv").write_text("person,town\n" + nodes)
    return release


@pytest.mark.parametrize("nodes", [True, False])
@pytest.mark.parametrize("file", ["edges.csv", "nodes.csv"])
def test_no_word_of_a_graph_without_a_header(friends, caplog, capfd, file, nodes):
    path = friends.folder / file
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    if not nodes:
        friends.write(source={"kind": "graph", "edges": file})
    said = said_of(friends, caplog, capfd)
    assert MARK not in said
    key = "edges" if not nodes else file.removesuffix(".csv")
    assert f"source.{key}: " in said
    assert "no declared role (columns 1" in said


@pytest.mark.parametrize(
    ("file", "header"),
    [
        ("edges.csv", f"one,{MARK},calls"),
        ("edges.csv", f"one,other,{MARK}"),
        ("edges.csv", f"{MARK},{MARK},calls"),
        ("nodes.csv", f"person,{MARK}"),
        ("nodes.csv", f"{MARK},town"),
    ],
)
def test_no_word_of_an_undeclared_column_of_a_graph(
    friends, caplog, capfd, file, header
):
    path = friends.folder / file
    rows = path.read_text().splitlines(keepends=True)[1:]
    path.write_text(header + "\n" + "".join(rows))
    assert MARK not in said_of(friends, caplog, capfd)


# ---------------------------------------------------------------- positions


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([3], "column 3"),
        ([2, 5], "columns 2 and 5"),
        ([2, 5, 7], "columns 2, 5 and 7"),
        (list(range(1, 13)), "columns 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more"),
    ],
)
def test_positions_in_words(numbers, words):
    assert list_positions(numbers) == words
