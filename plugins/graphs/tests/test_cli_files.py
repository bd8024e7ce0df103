"""Files that ``anon graph`` reads and writes: whole, where asked for, or not at all."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers.registry import registry
from anon_transformers_graphs import NodeClusterGeneralizer
from anon_transformers_graphs.cli import _writing, graph_commands


@pytest.fixture
def anon(tmp_path, monkeypatch):
    """Run a command in a folder that has six people in a ring."""
    monkeypatch.chdir(tmp_path)
    edges = pd.DataFrame({"a": list("uvwxyz"), "b": list("vwxyzu")})
    edges.to_csv("e.csv", index=False)
    pd.DataFrame({"who": list("uvwxyz")}).to_csv("n.csv", index=False)
    (tmp_path / "sub").mkdir()

    def run(*arguments):
        return CliRunner().invoke(graph_commands(), list(arguments))

    return run


def refusal(result):
    assert result.exit_code == 2, result.output
    return json.loads(result.stdout)["error"]


NAIVE = ["-m", "naive", "--json"]


def test_edges_and_nodes_do_not_go_into_one_file(anon, tmp_path):
    asked = ["anonymize", "e.csv", "out.csv", "--nodes", "n.csv", *NAIVE]
    message = refusal(anon(*asked, "--nodes-out", "sub/../out.csv"))
    assert "one file each" in message
    assert not (tmp_path / "out.csv").exists()
    (tmp_path / "linked").symlink_to(tmp_path)
    assert "one file each" in refusal(anon(*asked, "--nodes-out", "linked/out.csv"))


@pytest.mark.parametrize("target", ["e.csv", "sub/../e.csv", "hard.csv", "n.csv"])
@pytest.mark.parametrize("force", [[], ["--force"]], ids=["kept", "forced"])
def test_a_source_is_no_target(anon, tmp_path, target, force):
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "e.csv")
    before = (tmp_path / target).read_bytes()
    nodes = ["--nodes", "n.csv", "--nodes-out", "m.csv"]
    message = refusal(anon("anonymize", "e.csv", target, *nodes, *NAIVE, *force))
    assert "a source itself" in message
    message = refusal(
        anon("anonymize", "e.csv", "o.csv", *nodes[:3], target, *NAIVE, *force)
    )
    assert "a source itself" in message
    assert (tmp_path / target).read_bytes() == before


def test_links_and_folders_are_not_overwritten(anon, tmp_path):
    (tmp_path / "loose.csv").symlink_to(tmp_path / "gone.csv")
    assert "--force" in refusal(anon("anonymize", "e.csv", "loose.csv", *NAIVE))
    (tmp_path / "f.csv").mkdir()
    message = refusal(anon("anonymize", "e.csv", "f.csv", *NAIVE, "--force"))
    assert "is a folder" in message


def test_nothing_stays_if_one_file_cannot_be_written(anon, tmp_path, monkeypatch):
    writers = _writing.registry().writers

    def full(table, path):
        writers["csv"](table, path)
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setitem(writers._items, "parquet", full)
    (tmp_path / "out.csv").write_text("precious")
    nodes = ["--nodes", "n.csv", "--nodes-out", "m.parquet", "--force"]
    message = refusal(anon("anonymize", "e.csv", "out.csv", *nodes, *NAIVE))
    assert message == "m.parquet cannot be written: No space left on device."
    assert (tmp_path / "out.csv").read_text() == "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "e.csv", "n.csv", "out.csv", "sub",
    ]  # fmt: skip


def test_a_name_as_long_as_a_name_may_be(anon, tmp_path):
    long = "x" * 251 + ".csv"
    assert anon("anonymize", "e.csv", long, *NAIVE).exit_code == 0
    assert len(pd.read_csv(tmp_path / long)) == 6


def test_nodes_are_not_written_where_labels_have_no_room(anon, tmp_path):
    asked = ["anonymize", "e.csv", "o.csv", "-m", "node-clusters", "-k", "2", "--json"]
    assert "CSV or Parquet" in refusal(anon(*asked, "--nodes-out", "m.edges"))
    assert not (tmp_path / "o.csv").exists()
    (tmp_path / "n.edges").write_text("u\nv\n")
    message = refusal(anon("describe", "e.csv", "--nodes", "n.edges", "--json"))
    assert "CSV or Parquet" in message


@pytest.mark.parametrize("name", ["o.csv.gz", "o.edges.gz", "o.CSV.GZ"])
def test_compressed_files_hold_neither_name_nor_time(anon, tmp_path, name):
    assert anon("anonymize", "e.csv", name, *NAIVE).exit_code == 0
    held = (tmp_path / name).read_bytes()
    assert held[:2] == b"\x1f\x8b"
    assert held[3] == 0  # no flag, so no name of a file
    assert held[4:8] == bytes(4)
    assert len(gzip.decompress(held).splitlines()) in (6, 7)


def test_compressed_files_can_be_read_again(anon):
    for source, target in [("e.csv", "1.csv.gz"), ("1.csv.gz", "2.edges.gz")]:
        assert anon("anonymize", source, target, *NAIVE).exit_code == 0
    found = json.loads(anon("describe", "2.edges.gz", "--json").stdout)
    assert found["structure"]["n_edges"] == 6


@pytest.mark.parametrize("name", ["o.parquet.gz", "o.csv.gz.gz", "o.gz"])
def test_what_could_not_be_read_again_is_not_written(anon, tmp_path, name):
    assert name in refusal(anon("anonymize", "e.csv", name, *NAIVE))
    assert not (tmp_path / name).exists()


def test_a_packed_part_of_a_name_is_a_part_of_a_name(anon, tmp_path):
    assert anon("anonymize", "e.csv", "o.gz.csv", *NAIVE).exit_code == 0
    assert (tmp_path / "o.gz.csv").read_text().startswith("a,b\n")


@pytest.mark.parametrize("name", ["none.csv", "none.parquet", "none.edges"])
def test_a_file_without_a_byte_is_empty(anon, tmp_path, name):
    (tmp_path / name).touch()
    assert refusal(anon("describe", name, "--json")).startswith(f"{name} is empty")


def test_a_file_of_blank_lines_is_empty(anon, tmp_path):
    (tmp_path / "blank.csv").write_text("\n\n")
    assert "is empty" in refusal(anon("describe", "blank.csv", "--json"))


def test_loops_are_refused_in_words_of_the_command(anon, tmp_path):
    with (tmp_path / "e.csv").open("a") as lines:
        lines.write("u,u\nu,v\n")
    message = refusal(anon("describe", "e.csv", "--json"))
    assert "1 loops and 1 parallel edges" in message
    assert "--reduce drops loops" in message
    found = json.loads(anon("describe", "e.csv", "--reduce", "--json").stdout)
    assert found["structure"]["n_edges"] == 6
    message = refusal(anon("anonymize", "e.csv", "o.csv", *NAIVE))
    assert "-o reduce=true drops loops" in message
    asked = ["anonymize", "e.csv", "o.csv", *NAIVE, "-o", "reduce=true"]
    assert anon(*asked).exit_code == 0


def test_reduce_keeps_labels_and_who_has_only_a_loop(anon, tmp_path):
    (tmp_path / "l.edges").write_text("u v 2\nv u 3\nw w 1\n")
    found = json.loads(anon("describe", "l.edges", "--reduce", "--json").stdout)
    assert found["structure"]["n_nodes"] == 3
    assert found["structure"]["n_edges"] == 1


@pytest.mark.parametrize(
    ("method", "more"), [("naive", []), ("node-clusters", ["-k", "2"])]
)
def test_loss_is_described_as_the_method_means_it(anon, method, more, monkeypatch):
    monkeypatch.setattr(NodeClusterGeneralizer, "loss_means", "of something else")
    nodes = ["--nodes-out", "m.csv"]
    said = anon("anonymize", "e.csv", "o.csv", "-m", method, *more, *nodes)
    assert said.exit_code == 0, said.output
    assert ("of something else" in said.output) == (method == "node-clusters")


def test_compilers_are_not_loaded_for_a_wrong_option():
    code = (
        "import sys; from typer.testing import CliRunner; "
        "from anon_transformers_graphs.cli import graph_commands; "
        "made = CliRunner().invoke(graph_commands(), sys.argv[1:]); "
        "print(made.exit_code, {'numba', 'scipy.stats', 'networkx'} & set(sys.modules))"
    )
    made = subprocess.run(
        [sys.executable, "-c", code, "attack", "e.csv", "-a", "degre"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert made.stdout.strip() == "2 set()"


class TestDialects:
    """Networks in other separators and encodings."""

    HOW = ("--separator", ";", "--encoding", "latin-1")

    @pytest.fixture
    def ring(self, tmp_path):
        """Six people in a ring, with names that encodings write differently."""
        names = ["Jörg", "Zoë", "Noël", "Åsa", "Ann", "Bob"]
        edges = pd.DataFrame({"a": names, "b": [*names[1:], names[0]]})
        nodes = pd.DataFrame({"who": names, "ort": ["Köln"] * 3 + ["Bonn"] * 3})

        def write(file, table=edges, separator=";", encoding="latin-1"):
            table.to_csv(tmp_path / file, sep=separator, encoding=encoding, index=False)

        write("r.csv")
        write("plain.csv", separator=",", encoding="utf-8")
        write("rn.csv", nodes)
        write("plain_n.csv", nodes, separator=",", encoding="utf-8")
        text = edges.to_csv(sep=" ", header=False, index=False)
        (tmp_path / "r.edges").write_bytes(text.encode("latin-1"))
        (tmp_path / "plain.edges").write_text(text, encoding="utf-8")
        return names

    @pytest.mark.parametrize("nodes", ["rn.csv", "plain_n.csv"])
    @pytest.mark.parametrize("edges", ["r.csv", "r.edges"])
    def test_describe(self, anon, ring, edges, nodes):
        made = anon("describe", edges, "--nodes", nodes, *self.HOW, "--json")
        assert made.exit_code == 0, made.output
        assert json.loads(made.stdout)["structure"]["n_nodes"] == len(ring)

    @pytest.mark.parametrize("other", ["r.csv", "plain.csv", "r.edges", "plain.edges"])
    def test_compare(self, anon, ring, other):
        made = anon("compare", "r.csv", other, *self.HOW, "--json")
        assert made.exit_code == 0, made.output
        assert json.loads(made.stdout)["edges"]["kept"] == len(ring)

    @pytest.mark.parametrize("other", ["r.csv", "plain.csv", "r.edges", "plain.edges"])
    def test_attack(self, anon, ring, other):
        given = ["--original", other, "-a", "degree", *self.HOW, "--json"]
        made = anon("attack", "r.csv", *given)
        assert made.exit_code == 0, made.output

    def test_anonymize_writes_the_dialect_of_its_source(self, anon, ring, tmp_path):
        made = anon("anonymize", "r.csv", "out.csv", "--mapping", "who.csv", *self.HOW,
                    *NAIVE)  # fmt: skip
        assert made.exit_code == 0, made.output
        who = (tmp_path / "who.csv").read_bytes().decode("latin-1")
        assert "Jörg;n" in who
        assert (tmp_path / "out.csv").read_text().splitlines()[0] == "a;b"
        back = ["--original", "plain.csv", "--mapping", "who.csv", "-a", "degree"]
        assert anon("attack", "out.csv", *back, *self.HOW).exit_code == 0

    def test_what_an_encoding_does_not_have_is_not_written(self, anon, ring, tmp_path):
        names = pd.DataFrame({"a": ["Σ", "b", "c"], "b": ["b", "c", "Σ"]})
        names.to_parquet(tmp_path / "greek.parquet")
        given = ["--mapping", "who.csv", "--encoding", "latin-1", *NAIVE]
        message = refusal(anon("anonymize", "greek.parquet", "out.csv", *given))
        assert "characters that latin-1 does not have" in message
        assert "Σ" not in message
        assert not (tmp_path / "out.csv").exists()

    @pytest.mark.parametrize("edges", ["r.csv", "r.edges"])
    def test_an_encoding_that_is_not_named_is_asked_for(self, anon, ring, edges):
        message = refusal(anon("describe", edges, "--json"))
        assert "in UTF-8" in message
        assert "encoding" in message
        message = refusal(anon("describe", edges, "--encoding", "klingon", "--json"))
        assert message == "--encoding: unknown encoding 'klingon'."
        message = refusal(anon("describe", edges, "--separator", ";;", "--json"))
        assert message.startswith("--separator: expected one character")


class TestFormatsOfPlugins:
    """Networks by readers and writers that a plugin registers."""

    class Lists:
        """Read a graph from lines: a node, and those it knows."""

        kind = "graph"

        def __call__(self, path):
            graph = nx.read_adjlist(path, delimiter=";")
            edges = pd.DataFrame(list(graph.edges()), columns=["one", "other"])
            return edges, pd.DataFrame({"who": list(graph.nodes())})

    @pytest.fixture
    def formats(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        found = registry()
        added = [
            (found.readers, "lists", self.Lists()),
            (found.readers, "jsonl", lambda path: pd.read_json(path, lines=True)),
            (
                found.writers,
                "jsonl",
                lambda frame, path: frame.to_json(path, orient="records", lines=True),
            ),
        ]
        for catalog, name, item in added:
            catalog.add(name, item, "a test")
        nx.write_adjlist(nx.star_graph(5), "star.lists", delimiter=";")
        edges = pd.DataFrame(list(nx.star_graph(5).edges()), columns=["one", "other"])
        edges.to_json("star.jsonl", orient="records", lines=True)
        yield lambda *words: CliRunner().invoke(graph_commands(), list(words))
        for catalog, name, _ in added:
            catalog.remove(name)

    @pytest.mark.parametrize("file", ["star.lists", "star.jsonl"])
    def test_a_network_is_read(self, formats, file):
        made = formats("describe", file, "--json")
        assert made.exit_code == 0, made.output
        assert json.loads(made.stdout)["structure"]["n_nodes"] == 6

    def test_a_network_is_written(self, formats):
        made = formats("anonymize", "star.jsonl", "out.jsonl", "-m", "naive")
        assert made.exit_code == 0, made.output
        assert pd.read_json("out.jsonl", lines=True).shape == (5, 2)

    @pytest.mark.parametrize("kind", ["duckdb", "graph", "sql"])
    def test_readers_that_need_more_than_a_path_are_no_formats(self, formats, kind):
        Path(f"star.{kind}").write_text("one,other\na,b\n")
        made = formats("describe", f"star.{kind}")
        assert made.exit_code == 2
        known = ".csv, .edges, .jsonl, .lists, .parquet"
        assert f"unknown file type; choices: {known}" in made.stderr

    def test_nodes_beside_a_whole_graph_are_refused(self, formats):
        made = formats("describe", "star.lists", "--nodes", "star.jsonl")
        assert made.exit_code == 2
        assert "--nodes: star.lists holds nodes and edges" in made.stderr

    def test_other_formats_are_told_with_those_there_are(self, formats, tmp_path):
        (tmp_path / "star.gml").write_text("graph [ ]")
        made = formats("describe", "star.gml")
        assert made.exit_code == 2
        assert ".csv, .edges, .jsonl, .lists, .parquet" in made.stderr
