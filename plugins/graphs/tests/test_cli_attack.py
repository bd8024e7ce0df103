"""``anon graph attack`` and ``anon graph compare``."""

import json

import networkx as nx
import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers_graphs import KDegreeAnonymizer, NodeClusterGeneralizer
from anon_transformers_graphs.cli import graph_commands


@pytest.fixture
def club():
    names = {node: f"member {node}" for node in range(34)}
    plain = nx.Graph(list(nx.karate_club_graph().edges()))
    return nx.relabel_nodes(plain, names)


@pytest.fixture
def anon(club, tmp_path, monkeypatch):
    """Run a command where the club is, and a ring in which all are alike."""
    monkeypatch.chdir(tmp_path)
    save(club, "club.csv")
    save(nx.cycle_graph(20), "ring.csv")

    def run(*arguments):
        result = CliRunner().invoke(graph_commands(), list(arguments))
        assert "member" not in result.output
        return result

    return run


def save(graph, path):
    table = pd.DataFrame(list(graph.edges()), columns=["one", "other"])
    table.sample(frac=1, random_state=0).to_csv(path, index=False)


def read(result, code):
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def test_nobody_is_found_where_all_are_alike(anon):
    found = read(anon("attack", "ring.csv", "--json"), 0)
    assert [a["attack"] for a in found["attacks"]] == ["degree", "h2", "neighborhood"]
    assert set(found["not_run"]) == {"walk", "cut", "seed-propagation"}
    assert found["exposed"] == 0
    said = anon("attack", "ring.csv").output
    assert "walk was not run: it needs --method" in said


def test_those_who_are_found_are_counted(anon):
    found = read(anon("attack", "club.csv", "-a", "degree", "--json"), 1)
    assert found["exposed"] == found["attacks"][0]["correct"] == 6
    assert "17.6%" in anon("attack", "club.csv", "-a", "degree").output


def test_an_attack_that_was_named_must_run(anon):
    assert anon("attack", "ring.csv", "-a", "walk").exit_code == 1
    assert anon("attack", "ring.csv", "-a", "wlak").exit_code == 2


def test_the_original_tells_who_is_found_rightly(anon, club):
    club.remove_edge("member 0", "member 1")
    save(club, "changed.csv")
    asked = ["attack", "changed.csv", "--original", "club.csv", "--json"]
    found = read(anon(*asked, "-a", "degree"), 1)["attacks"][0]
    # Two of the six degrees that one member only has are those of the lost edge.
    assert found["correct"] == 4
    deeper = read(anon(*asked, "-a", "refinement", "--depth", "3"), 1)
    assert deeper["attacks"][0]["attack"] == "h3"


def test_a_network_with_other_names_does_not_pass_for_safe(anon):
    asked = ["attack", "ring.csv", "--original", "club.csv", "--json"]
    found = read(anon(*asked), 1)
    assert "34 nodes" in found["not_run"]["degree"]
    assert found["exposed"] == 0


def test_planted_nodes_find_their_targets_in_what_is_only_renamed(anon):
    asked = ["attack", "ring.csv", "--random-state", "0", "-a", "walk", "-a", "cut"]
    found = read(anon(*asked, "--method", "naive", "--json"), 1)
    assert [a["correct"] for a in found["attacks"]] == [10, 3]
    changed = ["--method", "random-perturbation", "-o", "p=0.5", "--json"]
    lost = read(anon(*asked, *changed), 0)
    assert lost["exposed"] == 0


def test_planted_nodes_cannot_be_followed_into_groups(anon, monkeypatch):
    from anon_transformers_graphs.cli import _attack

    groups = NodeClusterGeneralizer(k=4, keep_mapping=True)
    monkeypatch.setattr(_attack, "anonymizer", lambda *_, **__: groups)
    asked = ["attack", "ring.csv", "-a", "walk", "--method", "groups", "--json"]
    found = read(anon(*asked), 1)
    assert "to be published" in found["not_run"]["walk"]


@pytest.mark.parametrize("same_names", [True, False])
def test_seeds_lead_to_others(anon, club, same_names):
    def renamed(name):
        return name if same_names else f"n{99 - int(name.split()[1])}"

    save(nx.relabel_nodes(club, renamed), "published.csv")
    known = [f"member {i}" for i in (0, 33, 2, 32)]
    seeds = pd.DataFrame({"known": known, "published": map(renamed, known)})
    seeds.to_csv("seeds.csv", index=False)
    asked = ["attack", "published.csv", "--auxiliary", "club.csv", "--json"]
    asked += ["-a", "seed-propagation", "--seeds", "seeds.csv"]
    found = read(anon(*asked), 1)["attacks"][0]
    assert found["targets"] == 30
    assert found["exposed"] == found["mapped"] > 5
    assert found["correct"] == (found["mapped"] if same_names else None)
    seeds.assign(known="nobody").to_csv("seeds.csv", index=False)
    lost = read(anon(*asked), 1)
    assert lost["not_run"]["seed-propagation"] == "--seeds: 4 of 4 name nobody."


def test_compare_tells_what_changed(anon, club):
    published = KDegreeAnonymizer(k=4, relabel=False, random_state=0)
    save(published.fit_transform(club), "changed.csv")
    found = read(anon("compare", "club.csv", "changed.csv", "--json"), 0)
    assert found["edges"]["deleted"] == published.n_removed_ > 0
    assert found["edges"]["added"] == published.n_added_
    assert found["measures"]["lambda1"]["difference"] != 0
    assert 0 < found["clusters"]["jaccard"] <= 1
    said = anon("compare", "club.csv", "changed.csv").output
    assert "modified percent" in said
    assert "published clusters" in said


def test_compare_finds_nothing_where_nothing_changed(anon):
    asked = ["compare", "club.csv", "club.csv", "--clusters", "random-walk", "--json"]
    found = read(anon(*asked), 0)
    assert found["edges"]["cost"] == 0
    assert found["clusters"]["method"] == "random-walk"


def test_compare_says_why_there_are_no_clusters(anon, monkeypatch):
    from anon_transformers.exceptions import NotEvaluable
    from anon_transformers_graphs.cli import _compare

    def tired(*_):
        raise NotEvaluable("the flow has not come to rest")

    monkeypatch.setattr(_compare, "clustering_change", tired)
    found = read(anon("compare", "ring.csv", "ring.csv", "--json"), 0)
    assert found["clusters"]["not_evaluable"] == "the flow has not come to rest"
    assert "come to rest" in anon("compare", "ring.csv", "ring.csv").output


def test_networks_of_other_people_cannot_be_compared(anon, club):
    save(nx.relabel_nodes(club, lambda name: f"not {name}"), "others.csv")
    assert anon("compare", "club.csv", "others.csv").exit_code == 2
