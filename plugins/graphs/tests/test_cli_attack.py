"""``anon graph attack`` and ``anon graph compare``."""

import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers.graphs import Graph
from anon_transformers_graphs import (
    KDegreeAnonymizer,
    NodeClusterGeneralizer,
    metrics,
    neighborhood_attack,
    refinement_attack,
)
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
    assert set(found["not_asked"]) == {"walk", "cut", "seed-propagation"}
    assert found["not_run"] == {}
    assert found["exposed"] == 0
    said = anon("attack", "ring.csv").output
    assert "walk was not asked for: it needs --method" in said


def test_those_who_are_found_are_counted(anon):
    found = read(anon("attack", "club.csv", "-a", "degree", "--json"), 1)
    assert found["exposed"] == found["attacks"][0]["correct"] == 6
    assert "17.6 %" in anon("attack", "club.csv", "-a", "degree").output


def test_people_are_counted_once(anon):
    found = read(anon("attack", "club.csv", "--json"), 1)
    single = [report["exposed"] for report in found["attacks"]]
    club = nx.convert_node_labels_to_integers(nx.karate_club_graph())
    apart = [
        refinement_attack(Graph(34, list(club.edges())), depth=2).exposed,
        neighborhood_attack(Graph(34, list(club.edges()))).exposed,
    ]
    assert found["exposed"] == len(np.union1d(*apart)) < sum(single)
    said = anon("attack", "club.csv").output
    assert f"found by any of them: {found['exposed']}" in said


def test_an_attack_that_was_named_must_run(anon):
    said = anon("attack", "ring.csv", "-a", "walk")
    assert said.exit_code == 1
    assert said.output == "- walk was not run: it needs --method.\n"
    assert anon("attack", "ring.csv", "-a", "wlak").exit_code == 2


def test_only_what_is_missing_is_named(anon):
    asked = ["attack", "ring.csv", "--auxiliary", "ring.csv", "--json"]
    for named in ([], ["-a", "seed-propagation"]):
        found = read(anon(*asked, *named), 1)
        assert found["not_run"] == {"seed-propagation": "it needs --seeds."}


@pytest.mark.parametrize(
    ("option", "needed"),
    [
        (["-k", "2"], "--k needs --method"),
        (["-o", "p=0.5"], "--option needs --method"),
        (["--original-nodes", "ring.csv"], "--original-nodes needs --original"),
        (["--auxiliary-nodes", "ring.csv"], "--auxiliary-nodes needs --auxiliary"),
    ],
    ids=["k", "option", "original", "auxiliary"],
)
def test_options_that_say_nothing_are_refused(anon, option, needed):
    assert needed in read(anon("attack", "ring.csv", *option, "--json"), 2)["error"]


@pytest.mark.parametrize("named", [[], ["-a", "neighborhood"]], ids=["all", "named"])
def test_an_attack_that_was_cut_off_does_not_pass_for_safe(anon, named):
    asked = ["attack", "ring.csv", "--time-limit", "0", *named]
    found = read(anon(*asked, "--json"), 1)
    assert "neighborhood" in found["not_run"]
    assert "--time-limit" in found["not_run"]["neighborhood"]
    assert "neighborhood was not run" in anon(*asked).output
    if not named:
        assert "refinement" in found["not_run"]
        assert "walk" in found["not_asked"]


def test_labels_that_are_published_distinguish_people(anon):
    people = pd.DataFrame({"who": range(20), "job": ["nurse"] * 19 + ["mayor"]})
    people.to_csv("people.csv", index=False)
    assert anon("attack", "ring.csv").exit_code == 0
    asked = ["attack", "ring.csv", "--nodes", "people.csv", "--json"]
    found = read(anon(*asked), 1)
    assert {a["attack"]: a["correct"] for a in found["attacks"]} == {
        "degree": 0,
        "h2": 1,
        "neighborhood": 1,
    }


def test_the_tables_of_nodes_name_those_without_edges(anon):
    people = pd.DataFrame({"who": range(22)})
    people.to_csv("people.csv", index=False)
    both = ["attack", "ring.csv", "--nodes", "people.csv", "--original", "ring.csv"]
    # Nodes that the original lacks are noise, and nobody whom an intruder looks for.
    short = read(anon(*both, "-a", "degree", "--json"), 0)
    assert short["attacks"][0]["targets"] == 20
    whole = [*both, "--original-nodes", "people.csv", "-a", "degree", "--json"]
    assert read(anon(*whole), 0)["attacks"][0]["targets"] == 22
    pd.DataFrame({"a": [0, 1], "b": [0, 1]}).to_csv("seeds.csv", index=False)
    known = ["--auxiliary", "ring.csv", "--auxiliary-nodes", "people.csv"]
    asked = [*both[:4], *known, "--seeds", "seeds.csv", "-a", "seed-propagation"]
    assert anon(*asked, "--json").stdout.count('"targets": 20') == 1


def test_loops_are_dropped_where_that_is_asked_for(anon, tmp_path):
    with (tmp_path / "ring.csv").open("a") as lines:
        lines.write("3,3\n3,4\n4,3\n")
    for command in (["attack", "ring.csv"], ["compare", "ring.csv", "ring.csv"]):
        refused = anon(*command)
        assert refused.exit_code in (1, 2)
        assert "--reduce" in refused.output and "reduce=True" not in refused.output
        assert anon(*command, "--reduce").exit_code == 0


def test_the_original_shows_who_is_found_rightly(anon, club):
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
    assert "have new names" in found["not_run"]["degree"]
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

    groups = NodeClusterGeneralizer(k=4)
    monkeypatch.setattr(_attack, "anonymizer", lambda *_, **__: groups)
    asked = ["attack", "ring.csv", "-a", "walk", "--method", "groups", "--json"]
    found = read(anon(*asked), 1)
    assert "in groups" in found["not_run"]["walk"]


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
    assert "4 of 4 seeds name no node" in lost["not_run"]["seed-propagation"]
    seeds[["known"]].to_csv("seeds.csv", index=False)
    assert "two, of names" in read(anon(*asked), 1)["not_run"]["seed-propagation"]


def test_new_names_that_are_old_names_of_others_do_not_hide_who_is_found(anon):
    ring = nx.path_graph(20)
    save(ring, "known.csv")
    save(nx.relabel_nodes(ring, {i: (i + 7) % 20 for i in range(20)}), "published.csv")
    seeds = pd.DataFrame({"known": [0, 2], "published": [7, 9]})
    seeds.to_csv("seeds.csv", index=False)
    asked = ["attack", "published.csv", "--auxiliary", "known.csv", "--json"]
    found = read(anon(*asked, "--seeds", "seeds.csv", "-a", "seed-propagation"), 1)
    assert found["attacks"][0]["correct"] is None
    assert found["attacks"][0]["targets"] == 18
    assert found["exposed"] == found["attacks"][0]["mapped"] > 0


def test_compare_shows_what_changed(anon, club):
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

    def tired(*_, **__):
        raise NotEvaluable("the flow has not converged")

    monkeypatch.setattr(metrics, "clustering_change", tired)
    found = read(anon("compare", "ring.csv", "ring.csv", "--json"), 0)
    assert found["clusters"]["not_evaluable"] == "the flow has not converged"
    assert "not converged" in anon("compare", "ring.csv", "ring.csv").output


@pytest.fixture
def renamed(club):
    """A network with new names, and a file that says who is who."""
    method = KDegreeAnonymizer(k=2, keep_mapping=True, random_state=0)
    save(method.fit_transform(club), "published.csv")
    table = pd.DataFrame(method.mapping_.items(), columns=["before", "after"])
    table.to_csv("mapping.csv", index=False)
    return method


def test_new_names_are_not_compared_without_a_mapping(anon, renamed):
    refused = anon("compare", "club.csv", "published.csv")
    assert refused.exit_code == 2
    assert "have new names" in refused.output
    assert "--mapping FILE" in refused.output and "mapping= " not in refused.output
    assert "anon graph anonymize writes" in refused.output
    for python in ("keep_", "relabel", "True", "FILETrue"):
        assert python not in refused.output
    asked = ["compare", "club.csv", "published.csv", "--mapping", "mapping.csv"]
    found = read(anon(*asked, "--json"), 0)
    assert found["edges"]["deleted"] == renamed.n_removed_ > 0


def test_new_names_do_not_pass_for_safe_in_an_attack(anon, renamed):
    asked = ["attack", "published.csv", "--original", "club.csv", "--json"]
    found = read(anon(*asked), 1)
    assert set(found["not_run"]) == {"degree", "refinement", "neighborhood"}
    for why in found["not_run"].values():
        assert "have new names" in why and "--mapping FILE" in why
    message = read(anon(*asked, "--mapping", "mapping.csv"), 1)
    assert message["not_run"] == {}
    assert message["exposed"] > 0
    alone = ["attack", "published.csv", "--mapping", "mapping.csv", "--json"]
    assert "--mapping needs --original" in read(anon(*alone), 2)["error"]


def test_a_mapping_that_names_somebody_twice_is_refused(anon, renamed):
    table = pd.read_csv("mapping.csv")
    pd.concat([table, table[:2]]).to_csv("mapping.csv", index=False)
    asked = ["compare", "club.csv", "published.csv", "--mapping", "mapping.csv"]
    refused = anon(*asked)
    assert refused.exit_code == 2
    assert "2 rows name a node again" in refused.output


def test_compare_draws_both_networks(anon, renamed, tmp_path):
    pytest.importorskip("matplotlib", reason="the plots extra")
    asked = ["compare", "club.csv", "published.csv", "--mapping", "mapping.csv"]
    assert anon(*asked, "--plot", "both.png").exit_code == 0
    first = (tmp_path / "both.png").read_bytes()
    assert first.startswith(b"\x89PNG")
    assert "--force overwrites" in anon(*asked, "--plot", "both.png").output
    assert anon(*asked, "--plot", "both.png", "--force").exit_code == 0
    assert (tmp_path / "both.png").read_bytes() == first
    assert "a .png file" in anon(*asked, "--plot", "both.jpg").output


def test_networks_of_other_people_cannot_be_compared(anon, club):
    save(nx.relabel_nodes(club, lambda name: f"not {name}"), "others.csv")
    assert anon("compare", "club.csv", "others.csv").exit_code == 2
