"""``anon graph``: as people call it, and as machines read it."""

import gzip
import json
import subprocess
import sys
from itertools import pairwise

import networkx as nx
import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers.evidence import GraphEvidence
from anon_transformers.graphs import open_graph
from anon_transformers_graphs.cli import graph_commands
from anon_transformers_graphs.cli._files import read_network
from anon_transformers_graphs.privacy import KDegree


@pytest.fixture
def anon(tmp_path, monkeypatch):
    """Run a command in a folder that has the karate club, with names."""
    monkeypatch.chdir(tmp_path)
    club = nx.karate_club_graph()
    edges = pd.DataFrame(list(club.edges()), columns=["one", "other"])
    edges = "member " + edges.astype(str)
    edges.to_csv("club.csv", index=False)
    nodes = pd.DataFrame({"person": [f"member {i}" for i in range(36)]})
    nodes.to_csv("people.csv", index=False)

    def run(*arguments):
        result = CliRunner().invoke(graph_commands(), list(arguments))
        assert "member" not in result.output.replace("members", "")
        return result

    return run


def read(result, code=0):
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def test_typer_is_not_loaded_before_a_command_is():
    code = (
        "import sys, anon_transformers_graphs.cli; "
        "print({'typer', 'rich'} & set(sys.modules))"
    )
    made = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert made.stdout.strip() == "set()"


def test_describe_shows_structure_candidates_and_links(anon):
    found = read(anon("describe", "club.csv", "--json"))
    assert found["structure"]["n_edges"] == 78
    assert list(found["candidates"]) == ["h1", "h2", "h3", "h4"]
    assert found["candidates"]["h1"]["reidentified"] == pytest.approx(6 / 34)
    assert found["links"]["disclosed_edges"] == 11
    said = anon("describe", "club.csv", "--depth", "2").output
    assert "very high risk" in said
    assert "h3" not in said


def test_describe_counts_those_who_know_nobody(anon):
    found = read(anon("describe", "club.csv", "--nodes", "people.csv", "--json"))
    assert found["structure"]["n_nodes"] == 36
    assert found["structure"]["diameter"] is None
    said = anon("describe", "club.csv", "--nodes", "people.csv").output
    assert "not defined" in said


def numbered(first, count):
    """New names: letters that are drawn once, and two digits."""
    start = first.removesuffix("00")
    assert start.isalpha()
    return [f"{start}{i:02}" for i in range(count)]


@pytest.mark.parametrize("out", ["safe.csv", "safe.parquet", "safe.edges.gz"])
def test_anonymize_writes_a_network_without_names(anon, tmp_path, out):
    asked = ["anonymize", "club.csv", out, "-k", "3", "-o", "sequence=exact"]
    found = read(anon(*asked, "--json"))
    assert found["models"][0]["level"] >= 3
    graph, form = open_graph(read_network(tmp_path / out))
    assert KDegree(3).satisfied(GraphEvidence(graph)).all()
    assert sorted(form.names) == numbered(sorted(form.names)[0], 34)
    assert [f.name for f in tmp_path.glob(".draft*")] == []


def test_anonymize_says_what_it_did(anon):
    said = anon("anonymize", "club.csv", "safe.csv", "-k", "3").output
    assert "Wrote safe.csv" in said
    assert "k-degree" in said
    assert "edges added" in said


def test_anonymize_takes_and_makes_a_file_of_nodes(anon, tmp_path):
    asked = ["anonymize", "club.csv", "e.csv", "--nodes", "people.csv", "-k", "2"]
    assert anon(*asked).exit_code == 2
    assert not (tmp_path / "e.csv").exists()
    assert anon(*asked, "--nodes-out", "n.csv").exit_code == 0
    names = pd.read_csv("n.csv")["person"].tolist()
    assert names == numbered(names[0], 36)
    alone = ["anonymize", "club.csv", "e2.csv", "--nodes-out", "n2.csv", "-k", "2"]
    assert anon(*alone).exit_code == 0
    names = pd.read_csv("n2.csv")["node"].tolist()
    assert names == numbered(names[0], 34)


def test_those_who_know_nobody_stay_in_a_file_of_edges_alone(anon, tmp_path):
    (tmp_path / "few.edges").write_text('# a comment\nAnn "Bob\nCid\nDan\n')
    asked = ["anonymize", "few.edges", "out.edges", "-m", "naive"]
    assert anon(*asked).exit_code == 0
    graph, _ = open_graph(read_network(tmp_path / "out.edges"))
    assert (graph.n_nodes, graph.n_edges) == (4, 1)


def test_weights_go_through_every_format(anon, tmp_path):
    (tmp_path / "w.edges").write_text("a b 1.5\nb c 2\nd\n")
    names = ["w.edges", "w1.csv", "w2.parquet", "w3.edges.gz"]
    for source, target in pairwise(names):
        asked = ("anonymize", source, target, "-m", "naive", "--accept-weights")
        assert anon(*asked).exit_code == 0
    with gzip.open(tmp_path / "w3.edges.gz", "rt") as lines:
        assert sorted(len(line.split()) for line in lines) == [1, 3, 3]
    graph, _ = open_graph(read_network(tmp_path / "w3.edges.gz"))
    assert sorted(graph.weights) == [1.5, 2]


def test_nothing_is_overwritten_unasked(anon, tmp_path):
    (tmp_path / "safe.csv").write_text("precious")
    asked = ["anonymize", "club.csv", "safe.csv", "-k", "2"]
    assert anon(*asked).exit_code == 2
    assert (tmp_path / "safe.csv").read_text() == "precious"
    assert anon(*asked, "--force").exit_code == 0
    itself = anon("anonymize", "club.csv", "club.csv", "--force")
    assert itself.exit_code == 2
    assert "a source itself" in itself.output


@pytest.mark.parametrize(
    ("wrong", "code", "message"),
    [
        (["-k", "40"], 1, "40"),
        (["-m", "k-degre"], 2, "did you mean"),
        (["-m", "mondrian"], 2, "mondrian"),
        (["-m", "naive", "-k", "2"], 2, "parameter"),
        (["-o", "sequence"], 2, "NAME=VALUE"),
        (["-o", "k=2"], 2, "-k"),
        (["-o", "random_state=1"], 2, "fresh entropy"),
        (["-o", "relabel=false"], 2, "fresh entropy"),
        (["-o", "reduce=true", "-o", "reduce=true"], 2, "twice"),
        (["-o", "sequence=best"], 2, "sequence"),
        (["--nodes-out", "safe.csv"], 2, "one file each"),
    ],
)
def test_what_cannot_be_done_is_refused_and_nothing_written(
    anon, tmp_path, wrong, code, message
):
    found = anon("anonymize", "club.csv", "safe.csv", *wrong, "--json")
    assert message in read(found, code)["error"]
    assert not (tmp_path / "safe.csv").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b 1 2\n", "no more"),
        ("a b\nb c 1 2 3 4\n", "cannot be read"),
        ("member1 x one\n", "1 weights are not numbers"),
        ("member1 member1\n", "1 loops"),
        ("# nothing\n", "is empty"),
    ],
)
def test_a_file_that_is_no_network_is_refused(anon, tmp_path, text, message):
    (tmp_path / "odd.edges").write_text(text)
    found = anon("describe", "odd.edges", "--json")
    assert message in read(found, 2)["error"]


def test_files_that_are_not_there_or_unknown_are_refused(anon, tmp_path):
    assert "does not exist" in anon("describe", "no.csv").output
    (tmp_path / "a.xlsx").write_text("x")
    assert ".parquet" in anon("describe", "a.xlsx").output


def test_an_unexpected_error_quotes_nothing(anon, monkeypatch):
    from anon_transformers_graphs.cli import _describe

    def broken(*_, **__):
        raise KeyError("member 7")

    monkeypatch.setattr(_describe, "read_network", broken)
    found = anon("describe", "club.csv")
    assert found.exit_code == 2
    assert "unexpected KeyError" in found.output


def test_names_are_kept_as_written(anon, tmp_path):
    (tmp_path / "a.csv").write_text("one,other\n1,01\n01,NA\n")
    _, form = open_graph(read_network(tmp_path / "a.csv"))
    assert set(form.names) == {"1", "01", "NA"}
    frame = pd.DataFrame({"a": [1, 2], "b": [2.0, None]})
    frame.to_parquet(tmp_path / "a.parquet")
    assert set(open_graph(read_network(tmp_path / "a.parquet"))[1].names) == {"1", "2"}


def test_the_group_is_a_command_of_anon(anon, monkeypatch, capsys):
    from anon_transformers.cli import main

    monkeypatch.setattr(sys, "argv", ["anon", "graph", "describe", "club.csv"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert "disclosed edges" in capsys.readouterr().out


def test_weights_that_make_people_unique_are_not_written_unasked(anon, tmp_path):
    edges = pd.read_csv("club.csv").assign(weight=range(78))
    edges.to_csv("weighted.csv", index=False)
    refused = anon("anonymize", "weighted.csv", "safe.csv", "-k", "3")
    assert refused.exit_code == 2
    assert "--accept-weights" in refused.output
    assert not (tmp_path / "safe.csv").exists()
    asked = ("anonymize", "weighted.csv", "safe.csv", "-k", "3", "--accept-weights")
    assert anon(*asked).exit_code == 0


def test_weights_that_a_method_cannot_carry_are_left_out_with_a_warning(anon):
    pd.read_csv("club.csv").assign(w=range(78)).to_csv("weighted.csv", index=False)
    out = ("out.csv", "--nodes-out", "nodes.csv", "-k", "5")
    made = anon("anonymize", "weighted.csv", *out, "-m", "node-clusters")
    assert made.exit_code == 0
    assert "warning: the weights of 78 edges are left out" in made.stderr


def test_a_promise_that_was_not_judged_in_time_is_not_kept(anon, tmp_path):
    asked = ("anonymize", "club.csv", "safe.csv", "-m", "k-neighborhood", "-k", "2")
    late = anon(*asked, "-o", "time_limit=0")
    assert late.exit_code == 1
    assert "-o time_limit" in late.output
    assert not (tmp_path / "safe.csv").exists()


def test_who_is_who_is_written_for_its_owner_alone(anon, tmp_path):
    asked = ["anonymize", "club.csv", "safe.csv", "-k", "4", "--mapping", "who.csv"]
    made = anon(*asked)
    assert made.exit_code == 0, made.output
    assert "who.csv says who is who: it is private" in made.output
    assert (tmp_path / "who.csv").stat().st_mode & 0o777 == 0o600
    who = pd.read_csv("who.csv")
    assert list(who.columns) == ["original", "published"]
    assert set(who["original"]) == {f"member {i}" for i in range(34)}
    published = set(pd.read_csv("safe.csv").to_numpy().ravel())
    assert published <= set(who["published"])
    # It is what comparisons and attacks ask for.
    found = anon("compare", "club.csv", "safe.csv", "--mapping", "who.csv", "--json")
    assert read(found)["edges"]["deleted"] >= 0
    again = anon(*asked)
    assert again.exit_code == 2
    assert "--force" in again.output


def test_no_mapping_is_written_unless_asked(anon, tmp_path):
    assert anon("anonymize", "club.csv", "safe.csv", "-k", "4").exit_code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "club.csv", "people.csv", "safe.csv",
    ]  # fmt: skip
    refused = anon("anonymize", "club.csv", "s.csv", "-o", "keep_mapping=true")
    assert refused.exit_code == 2
    assert "--mapping FILE" in refused.output
    shared = ["anonymize", "club.csv", "s.csv", "--mapping", "s.csv"]
    assert "one file each" in anon(*shared).output


@pytest.mark.parametrize(
    "content",
    ["member,member\na,b\n", "member,b,member x\na,b,z\n", "member,b,c,d\na,b,c,d\n"],
)
def test_a_first_line_may_be_persons(anon, tmp_path, content):
    """``anon`` asserts that no name is printed."""
    (tmp_path / "headless.csv").write_text(content)
    assert anon("describe", "headless.csv").exit_code == 2
    (tmp_path / "nodes.csv").write_text("member 7,member 8\nx,1\nx,2\n")
    asked = ["describe", "club.csv", "--nodes", "nodes.csv"]
    assert anon(*asked).exit_code == 2
