"""What the README shows is what happens."""

import re
import shlex
from pathlib import Path

import networkx as nx
import pandas as pd
import pytest
from typer.testing import CliRunner

import anon_transformers_graphs
from anon_transformers.evidence import GraphEvidence
from anon_transformers.registry import registry
from anon_transformers.release import read_published, run_release
from anon_transformers_graphs import KDegree, KDegreeAnonymizer
from anon_transformers_graphs.cli import graph_commands

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, flags=re.M | re.S)
OWNER = "anon-transformers-graphs"


def blocks(language):
    return [code for kind, code in BLOCKS if kind == language]


def owned(catalog):
    found = getattr(registry(), catalog)
    return {name for name in found if found.owner(name) == OWNER}


@pytest.fixture
def friends(tmp_path, monkeypatch):
    """The files that the README speaks of: the karate club, with names."""
    monkeypatch.chdir(tmp_path)
    club = nx.Graph(list(nx.karate_club_graph().edges()))
    club = nx.relabel_nodes(club, {node: f"member {node}" for node in club})
    changed = KDegreeAnonymizer(k=3, relabel=False).fit_transform(club)
    for name, graph in (("friends.csv", club), ("changed.csv", changed)):
        edges = pd.DataFrame(list(graph.edges()), columns=["one", "other"])
        edges.to_csv(name, index=False)
    pd.DataFrame({"person": list(club)}).to_csv("people.csv", index=False)
    (release,) = blocks("yaml")
    Path("friends.yaml").write_text(release)
    return tmp_path


def test_every_block_is_tried():
    assert {language for language, _ in BLOCKS} == {"python", "yaml", "console"}
    assert TEXT.count("```") == 2 * len(BLOCKS)


def test_python_blocks_run_in_order(capsys):
    together = {}
    for code in blocks("python"):
        exec(compile(code, "README.md", "exec"), together)
        assert capsys.readouterr().out
    assert together["anonymizer"].k_ >= 3


def test_the_yaml_block_is_a_release_that_runs(friends):
    run_release(friends / "friends.yaml")
    published = read_published(friends / "out", labels="text")
    assert KDegree(5).satisfied(GraphEvidence(published)).all()
    for path in (friends / "out").rglob("*"):
        assert not path.is_file() or "member" not in path.read_text()


def commands():
    lines = [line for text in blocks("console") for line in text.splitlines()]
    return [line.partition("#")[0].removeprefix("$").strip() for line in lines]


def test_console_blocks_run(friends):
    run = []
    for line in commands():
        program, *arguments = shlex.split(line)
        if program == "anon" and arguments[0] == "graph":
            result = CliRunner().invoke(graph_commands(), arguments[1:])
            assert result.exit_code == 0, (line, result.output)
            assert "member" not in result.output
            run.append(arguments[1])
    assert run == ["describe", "anonymize", "attack", "compare"]
    assert "anon release friends.yaml" in commands()


@pytest.mark.parametrize("command", ["describe", "anonymize", "attack", "compare"])
def test_every_command_explains_itself(command):
    result = CliRunner().invoke(graph_commands(), [command, "--help"])
    assert result.exit_code == 0
    assert "--json" in result.output


def test_tables_name_all_that_is_registered():
    rows = set(re.findall(r"^\| `([\w-]+)` \|", TEXT, re.M))
    for catalog in ("anonymizers", "privacy_models", "metrics"):
        assert owned(catalog) <= rows


def test_classes_and_functions_in_tables_can_be_imported():
    rows = re.findall(r"^\| `([\w-]+)` \| (?:`(\w+)` \|)?", TEXT, re.M)
    named = {cls or name for name, cls in rows}
    public = {name for name in named if "-" not in name}
    assert len(public) > 30
    for name in public - set(registry().privacy_models):
        assert name in anon_transformers_graphs.__all__
