"""Tables in other dialects: what is found out, what must be said, what is written."""

import codecs
import csv
import gzip
import json

import pandas as pd
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.cli._app import app
from anon_transformers.cli._dialects import Dialect, find_dialect

pytestmark = pytest.mark.usefixtures("declared")

COMMANDS = ("risk", "validate", "attack", "quality")
FOREIGN = {
    "semicolon": (";", "utf-8"),
    "tab": ("\t", "utf-8"),
    "bar": ("|", "utf-8"),
    "marked": (";", "utf-8-sig"),
    "utf-16": (",", "utf-16"),
}


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "größe": [160, 161, 170, 171] * 3,
            "ort": ["Köln", "Köln", "Bonn", "Bonn"] * 3,
            "leiden": ["Gicht", "Grippe", "Gicht", "Grippe"] * 3,
        }
    )


@pytest.fixture
def safe(tmp_path, people):
    path = tmp_path / "safe.csv"
    heights = ["[160, 169]", "[160, 169]", "[170, 179]", "[170, 179]"] * 3
    people.assign(größe=heights).to_csv(path, index=False)
    return path


@pytest.fixture
def original(tmp_path, people):
    def save(separator, encoding):
        path = tmp_path / "people.csv"
        people.to_csv(path, index=False, sep=separator, encoding=encoding)
        return path

    return save


def call(command, safe, original, *options):
    roles = ["-q", "größe", "-q", "ort", "-s", "leiden"]
    if command == "quality":
        seed = ["--random-state", "0"]
        return [command, safe, original, *roles, *seed, "--json", *options]
    own = {
        "risk": [],
        "validate": ["-t", "t-closeness,t=0.9"],
        "attack": ["-a", "record-intruder"],
    }[command]
    return [command, safe, "--original", original, *roles, *own, "--json", *options]


@pytest.mark.parametrize("how", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_original_in_another_dialect_is_read(anon, safe, original, command, how):
    same = anon(*call(command, safe, original(",", "utf-8")))
    found = anon(*call(command, safe, original(*how)))
    assert found.exit_code == same.exit_code, found.output
    assert json.loads(found.stdout) == json.loads(same.stdout)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_utf8_is_read_with_a_warning(
    anon, safe, original, command, encoding
):
    stated = ["--original-encoding", encoding]
    same = anon(*call(command, safe, original(";", encoding), *stated))
    assert "warning" not in same.stderr
    found = anon(*call(command, safe, original(";", encoding)))
    assert found.exit_code == same.exit_code, found.output
    assert json.loads(found.stdout) == json.loads(same.stdout)
    (line,) = [x for x in found.stderr.splitlines() if x.startswith("warning")]
    assert "people.csv is not in UTF-8" in line
    assert "--original-encoding" in line
    assert "K\xf6ln" not in line


@pytest.mark.parametrize(
    ("cell", "encoding"),
    [
        (b"\x80 5", "cp1252"),  # the sign of the euro
        (b"K\xf6ln", "cp1252"),
        (b"K\xf6ln \x81", "latin-1"),  # cp1252 has no such byte
        ("K\xf6ln".encode(), "utf-8"),
    ],
)
def test_the_encoding_that_the_bytes_show(tmp_path, capsys, cell, encoding):
    path = tmp_path / "people.csv"
    path.write_bytes(b"ort;x\n" + cell + b";1\n")
    found = find_dialect(path, Dialect(), option="--original")
    assert found == Dialect(";", encoding)
    message = capsys.readouterr().err
    assert message.count("\n") == (encoding != "utf-8")
    if message:
        assert f"read as {encoding}" in " ".join(message.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_a_separator_that_cannot_be_found_out_is_asked_for(
    anon, safe, tmp_path, command
):
    foreign = tmp_path / "people.csv"
    foreign.write_text("größe;ort;leiden,alt\n1;a;Gicht,x\n2;b;Grippe,y\n")
    asked = anon(*call(command, safe, foreign))
    assert asked.exit_code == 2
    assert "',' or ';'" in asked.stdout
    assert "--original-separator" in asked.stdout


def test_the_encoding_of_both_tables_may_be_stated_once(anon, people, tmp_path):
    for name in ("safe.csv", "people.csv"):
        people.to_csv(tmp_path / name, index=False, sep=";", encoding="latin-1")
    both = call("quality", tmp_path / "safe.csv", tmp_path / "people.csv")
    done = anon(*both, "--separator", ";", "--encoding", "latin-1")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("age;zip;ill\n[20, 29];053;flu\n[30, 39];053;cold\n", ";"),
        ("name;pay, a year\nx;1\ny;2\n", ";"),
        ('"age";"zip, code"\n20;1\n30;2\n', ";"),
        ("x;y\n1,5;2,5\n1,5;3,5\n", ";"),
        ("name|tags\nO'Neil|a, b\nO'Hara|c, d\n", "|"),
        ('name;note\nx;"two\nlines, quoted"\n', ";"),
        ("age,zip\n", ","),
        ("ill\nflu, bad\n", "#"),  # one column: the other table's will do
        ("", "#"),
    ],
)
def test_the_separator_that_the_first_lines_show(tmp_path, text, separator):
    path = tmp_path / "table.csv"
    path.write_text(text)
    found = find_dialect(path, Dialect("#"), option="--original")
    assert found == Dialect(separator, "utf-8")


def test_a_long_file_is_judged_by_whole_lines(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b;c\n" + "1,2;3;4\n" * 20_000)
    assert find_dialect(path, Dialect(), option="--original").separator == ","


def test_bytes_at_the_end_tell_the_encoding_too(tmp_path, capsys):
    path = tmp_path / "table.csv"
    path.write_bytes(b"a;b\n" + b"1;2\n" * 600_000 + b"K\xf6ln;3\n")
    found = find_dialect(path, Dialect(), option="--original")
    assert found == Dialect(";", "cp1252")
    assert "--original-encoding" in capsys.readouterr().err
    assert find_dialect(path, Dialect(",", "latin-1"), option="--original") == (
        Dialect(";", "latin-1")
    )


def test_compressed_files_and_others(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(
        gzip.compress(codecs.BOM_UTF16_LE + "a;b\n1;2".encode("utf-16-le"))
    )
    assert find_dialect(path, Dialect()) == Dialect(";", "utf-16")
    other = tmp_path / "table.parquet"
    other.write_bytes(b"PAR1")
    assert find_dialect(other, Dialect("|")) == Dialect("|")


@given(
    rows=st.lists(
        st.lists(st.text("ab, ;|\t\"'\n", max_size=6), min_size=3, max_size=3),
        min_size=1,
        max_size=5,
    ),
    separator=st.sampled_from(",;\t|"),
)
def test_a_plain_header_tells_the_separator_whatever_the_cells_hold(
    tmp_path_factory, rows, separator
):
    path = tmp_path_factory.mktemp("dialect") / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=separator).writerows([["x", "y", "z"], *rows])
    assert find_dialect(path, Dialect(), option="--original").separator == separator


WITHOUT_A_TABLE = {
    "anon abandon", "anon check", "anon compile", "anon init", "anon list",
    "anon release", "anon reproduce", "anon status", "anon studio",
    "anon hierarchy", "anon dataset", "anon dataset list", "anon dataset make",
    "anon ledger", "anon ledger list", "anon ledger show", "anon ledger diff",
    "anon ledger verify", "anon ledger forget", "anon policies", "anon policies show",
}  # fmt: skip
"""Commands that read no table, or whose file says how it is read."""


def commands(group, name="anon"):
    for key, command in getattr(group, "commands", {}).items():
        yield f"{name} {key}", command
        yield from commands(command, f"{name} {key}")


def test_every_command_that_takes_a_table_takes_its_encoding():
    found = dict(commands(typer.main.get_command(app)))
    assert set(found) > WITHOUT_A_TABLE
    for name in set(found) - WITHOUT_A_TABLE:
        options = {option for taken in found[name].params for option in taken.opts}
        assert "--encoding" in options, name


@pytest.mark.parametrize(
    "command",
    [
        ["risk", "-q", "ort"],
        ["attack", "-q", "ort", "-a", "unique-combinations"],
        ["frontier", "-q", "ort"],
        ["hierarchy", "suggest", "-c", "ort"],
        ["compare", "-q", "ort", "-m", "datafly"],
        ["validate", "-q", "ort", "-k", "2"],
    ],
    ids=lambda given: given[0],
)
def test_every_command_reads_other_encodings(anon, people, tmp_path, command):
    path = tmp_path / "people.csv"
    people[["ort"]].to_csv(path, index=False, encoding="latin-1")
    name = 2 if command[0] == "hierarchy" else 1
    given_ = [*command[:name], path, *command[name:], "--json"]
    assert anon(*given_).exit_code == 2
    read = anon(*given_, "--encoding", "latin-1")
    assert read.exit_code in {0, 1}, read.output
    assert "error" not in json.loads(read.stdout)


def test_hierarchies_are_checked_against_tables_in_other_encodings(anon, tmp_path):
    (tmp_path / "ort.csv").write_text("Köln;*\n", encoding="utf-8")
    (tmp_path / "people.csv").write_text("ort\nKöln\n", encoding="latin-1")
    given_ = ["hierarchy", "check", tmp_path / "ort.csv", "-c", "ort", "--table"]
    given_ += [tmp_path / "people.csv"]
    assert anon(*given_).exit_code == 2
    assert anon(*given_, "--encoding", "latin-1").exit_code == 0


class TestWhatIsWritten:
    @pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig", "utf-16"])
    @pytest.mark.parametrize("separator", [";", "\t"])
    def test_it_has_the_dialect_of_the_source(
        self, anon, people, tmp_path, separator, encoding
    ):
        source, target = tmp_path / "people.csv", tmp_path / "safe.csv"
        people.to_csv(source, index=False, sep=separator, encoding=encoding)
        made = anon(
            "anonymize", source, target, "-q", "größe", "-q", "ort", "-s", "leiden",
            "-k", 3, "--separator", separator, "--encoding", encoding,
        )  # fmt: skip
        assert made.exit_code == 0, made.output
        table = pd.read_csv(target, sep=separator, encoding=encoding, dtype=str)
        assert list(table.columns) == list(people.columns)
        assert sorted(table["leiden"]) == sorted(people["leiden"])
        marked = target.read_bytes().startswith((codecs.BOM_UTF8, b"\xff\xfe"))
        assert marked == (encoding != "latin-1")

    def test_characters_that_the_encoding_lacks_are_no_half_file(self, anon, tmp_path):
        source, tree = tmp_path / "people.csv", tmp_path / "ort.csv"
        source.write_text("ort\nK\xf6ln\nBonn\n", encoding="latin-1")
        tree.write_text("K\xf6ln;\u2192Rhein;*\nBonn;\u2192Rhein;*\n", encoding="utf-8")
        made = anon(
            "anonymize", source, tmp_path / "safe.csv", "-q", "ort", "-k", 2, "-m",
            "datafly", "--hierarchy", f"ort={tree}", "--encoding", "latin-1",
        )  # fmt: skip
        assert made.exit_code == 2
        assert "characters that latin-1 does not have" in made.stderr
        assert "Rhein" not in made.output
        assert {file.name for file in tmp_path.iterdir()} == {"people.csv", "ort.csv"}


@pytest.mark.parametrize("command", ["risk", "validate", "attack"])
def test_a_message_names_the_encoding_as_people_do(anon, tmp_path, command):
    path = tmp_path / "orte.csv"
    path.write_bytes("ort\nKöln\n".encode("latin-1"))
    run = anon(command, path, "-q", "ort", *(["--k", 1] * (command == "validate")))
    assert run.exit_code == 2
    assert "in UTF-8;" in run.output
    assert "sig" not in run.output


ROLES = ["-q", "größe", "-q", "ort", "-s", "leiden", "-k", 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("größe;ort;leiden,x\n1,5;a;x\n2,5,1;b;y\n", "another number of fields"),
        ("größe;ort;leiden\n1,5;a;x\n2,5;b;y\n", "has one column only"),
        ("größe;ort;leiden\n1;a;x\n2;b;y\n", "has one column only"),
    ],
)
def test_a_table_with_another_separator_is_told_the_option(
    anon, tmp_path, text, message
):
    path = tmp_path / "leute.csv"
    path.write_text(text)
    run = anon("anonymize", path, tmp_path / "safe.csv", *ROLES)
    assert run.exit_code == 2
    said = " ".join(run.stderr.split())
    assert message in said
    assert "separated by ';': state it with --separator." in said
    beside = ["validate", path, "-q", "ort", "--separator", ";", "-k", 1, "--original"]
    run = anon(*beside, path, "--original-separator", ",", "-t", "t-closeness,t=1")
    assert "state it with --original-separator" in " ".join(run.stderr.split())


def test_rows_of_other_lengths_name_the_option(anon, tmp_path):
    path = tmp_path / "leute.csv"
    path.write_text("größe,ort,leiden\n1,a,x,y\n2,b,y\n")
    run = anon("anonymize", path, tmp_path / "safe.csv", *ROLES)
    said = " ".join(run.stderr.split())
    assert "1 row has another number of fields" in said
    assert "Another separator is stated with --separator." in said


def test_a_table_in_another_encoding_is_told_the_option(anon, people, tmp_path):
    path = tmp_path / "leute.csv"
    people.to_csv(path, index=False, encoding="latin-1")
    run = anon("anonymize", path, tmp_path / "safe.csv", *ROLES)
    assert run.exit_code == 2
    assert "Name its encoding with --encoding" in " ".join(run.stderr.split())
