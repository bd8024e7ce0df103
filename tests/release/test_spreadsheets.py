"""No cell of a published CSV file is run by a spreadsheet, and none is lost."""

import csv
import json
import re
import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers._data.columns import to_text
from anon_transformers.release import read_published, run_release
from anon_transformers.release._files import read_data, schema_of, write_csv
from anon_transformers.release._spreadsheets import (
    guard,
    guard_texts,
    unguard,
    would_run,
)

pytestmark = pytest.mark.gx
RUN = "=+-@\t\r\n"
texts = st.text(
    st.one_of(
        st.sampled_from("=+-@;\t\r\n'\" 15.e"),
        st.characters(exclude_categories=("Cs",), exclude_characters="\x00"),
    ),
    max_size=8,
)


def is_number(text):
    """What a spreadsheet shows as a number: slow, and not by a pattern."""
    digits = set("0123456789+-.eE")
    try:
        float(text)
    except ValueError:
        return False
    return set(text) <= digits and text.lstrip("+-")[0].isdigit()


# ---------------------------------------------------------------- texts


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'),
        ("+49 30 123", "'+49 30 123"),
        ("-", "'-"),
        ("-x", "'-x"),
        ("-5+2", "'-5+2"),
        ("--5", "'--5"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t'=1"),
        ("gout;=1+2;x", "gout;'=1+2;x"),
        ("gout;'=1+2;x", "gout;''=1+2;x"),
        ("gout; @x", "gout;' @x"),
        ("gout\t=1\r\n-x", "gout\t'=1\r\n'-x"),
        ('gout;"=1&"', 'gout;\'"=1&"'),
        (";=1", ";'=1"),
        ("=1;=2", "'=1;'=2"),
        ("a;-5+2;-5", "a;'-5+2;-5"),
        ("\rx", "'\rx"),
        ("\nx", "'\nx"),
        (" =1", "' =1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("'=1", "''=1"),
        ("''=1", "'''=1"),
        ("'\t", "''\t"),
        ("\ufeff=1", "'\ufeff=1"),
        ("\u200b=1", "'\u200b=1"),
        (" \u2060'\u200e@x", "' \u2060'\u200e@x"),
        ("\u00ad\tx", "'\u00ad\tx"),
        ("\x01+x", "'\x01+x"),
        ("\u200b-5", "'\u200b-5"),
    ],
)
def test_what_would_be_run_gets_an_apostrophe(text, written):
    assert guard(text) == written
    assert unguard(written) == text


@pytest.mark.parametrize(
    "text",
    [
        "-5", "+5", "-5.25", "-1e5", "+1.5E-3", "0", "2024-01-31", "[-5, -1]",
        "(-5, 3]", " ", "{-a, b}", "<= -5", "*", "'", "''", "it's", "'quoted'", "a=b",
        "x@y.org", "", "a;b", "a;-5;+5", "a;'b", "a; b=c", "a,=1",
    ],
)  # fmt: skip
def test_numbers_dates_and_labels_stay_as_they_are(text):
    assert guard(text) == text
    assert unguard(text) == text


@given(text=texts)
def test_every_text_comes_back(text):
    assert unguard(guard(text)) == text


@given(text=texts)
def test_nothing_that_is_written_would_be_run(text):
    written = guard(text)
    first = written[:1]
    assert not first or first not in RUN or is_number(written)
    for part in re.split("[;\t\r\n]", written)[1:]:
        first = part.strip(' "')[:1]
        assert not first or first not in RUN or is_number(part)


@pytest.mark.parametrize("separator", [";", "\t"])
@given(text=texts)
def test_nothing_would_be_run_where_another_sign_ends_a_cell(separator, text):
    frame = pd.DataFrame({"n": [1], "a": [text]})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        write_csv(guard_texts(frame, schema_of(frame))[0], path)
        with path.open(newline="") as file:
            rows = list(csv.reader(file, delimiter=separator))
    for cell in (cell for row in rows for cell in row):
        # The quotation mark that ends the text may stick to its last number.
        number = is_number(cell.rstrip('"')) if cell.strip('"') else True
        assert cell[:1] not in {*"=+-@"} or number


@given(one=texts, other=texts)
def test_two_texts_are_written_as_two(one, other):
    assert (guard(one) == guard(other)) == (one == other)


@given(
    cells=st.lists(st.one_of(texts, st.none(), st.integers()), min_size=1, max_size=6)
)
def test_every_column_comes_back_from_a_file(cells):
    frame = pd.DataFrame({"a": pd.Series(cells, dtype=object), "n": range(len(cells))})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        table, schema = guard_texts(frame, schema_of(frame))
        write_csv(table, path)
        with path.open(newline="") as file:
            written = [row[0] for row in csv.reader(file)][1:]
        assert not any(would_run(text) for text in written)
        loaded = read_data(path, "csv", schema)
    assert to_text(loaded["a"]).tolist() == to_text(frame["a"]).tolist()
    assert loaded["n"].tolist() == list(range(len(cells)))


@given(
    cells=st.lists(st.one_of(texts.filter(bool), st.none()), min_size=1, max_size=6),
    reverse=st.booleans(),
)
def test_every_ordered_column_comes_back_from_a_file(cells, reverse):
    order = sorted({cell for cell in cells if cell is not None}, reverse=reverse)
    ordered = pd.Categorical(cells, order, ordered=True)
    frame = pd.DataFrame({"a": ordered, "n": range(len(cells))})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        table, schema = guard_texts(frame, schema_of(frame))
        schema = json.loads(json.dumps(schema))
        write_csv(table, path)
        with path.open(newline="") as file:
            written = [row[0] for row in csv.reader(file)][1:]
        assert not any(would_run(text) for text in written)
        loaded = read_data(path, "csv", schema)
    assert loaded["a"].cat.ordered
    assert loaded["a"].cat.categories.tolist() == order
    assert to_text(loaded["a"]).tolist() == to_text(frame["a"]).tolist()


def test_the_schema_says_that_an_ordered_column_is_guarded():
    cells = pd.Categorical(["low", "=1+2"], ["low", "=1+2"], ordered=True)
    frame = pd.DataFrame({"a": cells, "b": pd.Categorical(["x", "y"], ordered=True)})
    table, schema = guard_texts(frame, schema_of(frame))
    assert schema == {
        "a": {"order": ["low", "=1+2"], "guarded": True},
        "b": {"order": ["x", "y"]},
    }
    assert table["a"].tolist() == ["low", "'=1+2"]


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series([True, False]),
        pd.Series([-1.5, None]),
        pd.Series([-1, 2]),
        pd.to_datetime(pd.Series(["2024-01-31", "2024-02-01"])),
    ],
)
def test_numbers_and_dates_are_not_guarded(cells):
    frame = pd.DataFrame({"a": cells})
    schema = schema_of(frame)
    assert guard_texts(frame, schema)[1] == schema


@pytest.mark.parametrize("text", ["a;=1+2", "a\t=1+2", "a\r=1+2"])
def test_what_may_end_a_cell_elsewhere_is_quoted(tmp_path, text):
    frame = pd.DataFrame({"a": [text, "b"], "n": [1, 2]})
    write_csv(frame, tmp_path / "x.csv")
    written = (tmp_path / "x.csv").read_bytes().decode()
    assert f'"{text}"' in written
    loaded = read_data(tmp_path / "x.csv", "csv", schema_of(frame))
    assert loaded["a"].tolist() == [text, "b"]


# ---------------------------------------------------------------- in a release


def test_a_formula_in_an_ordered_column_is_not_published(release):
    rows = with_formulas(release)
    order = ["plain", "=1+2", "@SUM(A1)", "'=1+2"]
    source = {**release.content["source"], "columns": {"job": {"order": order}}}
    release.write(source=source)
    run_release(release.file)
    _, found = published_cells(release)
    assert not [cell for row in found for cell in row if would_run(cell)]
    table = read_published(release.target, labels="text")
    assert table["job"].cat.categories.tolist() == order
    assert sorted(table["job"]) == sorted(row[3] for row in rows[1:])


def with_formulas(release):
    """A release whose published columns hold formulas."""
    rows = [line.split(",") for line in release.source.read_text().splitlines()]
    for number, row in enumerate(rows[1:]):
        row[3] = ["=1+2", "'=1+2", "plain", "@SUM(A1)"][number % 4]
        row[4] = ["-5", "-x"][number % 2]
    release.write_rows(rows)
    return rows


def published_cells(release):
    with (release.target / "current" / "data.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def test_no_formula_is_published_and_readers_get_the_cells(release):
    rows = with_formulas(release)
    run_release(release.file)
    _, found = published_cells(release)
    assert not [cell for row in found for cell in row if would_run(cell)]
    table = read_published(release.target, labels="text")
    assert sorted(table["job"]) == sorted(row[3] for row in rows[1:])
    assert sorted(table["note"]) == sorted(row[4] for row in rows[1:])
    schema = release.manifest()["schema"]
    assert schema == {
        "age": "text", "zip": "text", "job": "guarded", "note": "guarded",
    }  # fmt: skip


def test_the_gate_judges_the_values_as_they_were(release):
    """Guarded, two values that differ must not become one, nor one two."""
    with_formulas(release)
    asked = {"model": "distinct-l-diversity", "l": 2, "sensitive": "job"}
    release.write(thresholds=[{"model": "k-anonymity", "k": 8}, asked])
    run_release(release.file)
    table = read_published(release.target, labels="text")
    (check,) = [
        c for c in release.manifest()["measured"]["checks"] if "diversity" in c["id"]
    ]
    # An apostrophe makes no other value to a reader.
    jobs = table["job"].str.removeprefix("'")
    least = jobs.groupby([table["age"], table["zip"]]).nunique().min()
    assert check["observed"] == least


def test_it_can_be_turned_off(release):
    rows = with_formulas(release)
    release.write(target={"path": "out", "spreadsheet_safe": False})
    run_release(release.file)
    header, found = published_cells(release)
    place = header.index("job")
    assert sorted(row[place] for row in found) == sorted(row[3] for row in rows[1:])
    assert release.manifest()["schema"]["job"] == "text"
    assert sorted(read_published(release.target, labels="text")["job"]) == sorted(
        row[3] for row in rows[1:]
    )


def test_parquet_files_are_no_spreadsheets(release):
    rows = with_formulas(release)
    release.write(target={"path": "out", "format": "parquet"})
    run_release(release.file)
    table = pd.read_parquet(release.target / "current" / "data.parquet")
    assert sorted(table["job"]) == sorted(row[3] for row in rows[1:])
    assert release.manifest()["schema"]["job"] == "text"


def test_columns_without_formulas_are_texts(release):
    run_release(release.file)
    assert set(release.manifest()["schema"].values()) == {"text"}


@pytest.mark.parametrize("name", ["=note", "@note", "-note", "\tnote", "a;=b"])
def test_a_header_that_would_be_run_is_refused(release, name):
    rows = [line.split(",") for line in release.source.read_text().splitlines()]
    rows[0][4] = name
    release.write_rows(rows)
    roles = {**release.content["roles"], "insensitive": [name]}
    release.write(roles=roles)
    message = release.refusal()
    assert "spreadsheet_safe: false" in message
    assert repr(name) in message
    release.write(target={"path": "out", "format": "parquet"})
    run_release(release.file)
    release.write(target={"path": "out", "spreadsheet_safe": False})
    run_release(release.file)
    assert name in read_published(release.target, labels="text")


def test_a_header_that_is_not_published_may_be_anything(release):
    rows = [line.split(",") for line in release.source.read_text().splitlines()]
    rows[0][0] = "=name"
    release.write_rows(rows)
    release.write(roles={**release.content["roles"], "identifiers": ["=name"]})
    table = read_published(run_release(release.file), labels="text")
    assert set(table) == {*rows[0]} - {"=name"}


@pytest.mark.parametrize("given", ["no", 0, None])
def test_it_is_either_on_or_off(release, given):
    release.write(target={"path": "out", "spreadsheet_safe": given})
    assert "target.spreadsheet_safe" in release.refusal()


def test_a_published_table_can_be_a_source_again(release):
    """What is published may be read by hand, with the kinds of its manifest."""
    rows = with_formulas(release)
    run_release(release.file)
    manifest = json.loads((release.target / "current" / "manifest.json").read_text())
    from anon_transformers.release._files import read_csv

    table = read_csv(
        release.target / "current" / "data.csv", columns=manifest["schema"]
    )
    assert sorted(table["job"]) == sorted(row[3] for row in rows[1:])
