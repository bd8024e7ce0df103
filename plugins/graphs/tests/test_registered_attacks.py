"""Attacks on graphs as they are registered, beside those on tables."""

import json
from dataclasses import dataclass

import networkx as nx
import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers.attacks import GraphAttack, GraphAttackResult
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.graphs import open_graph
from anon_transformers.registry import registry
from anon_transformers.testing import attack_checks
from anon_transformers_graphs import (
    DegreeAttack,
    NaiveAnonymizer,
    RefinementAttack,
    SeedPropagationAttack,
    WalkAttack,
    degree_attack,
    refinement_attack,
)
from anon_transformers_graphs.cli import graph_commands
from anon_transformers_graphs.plugin import ATTACKS

CLUB = nx.Graph(list(nx.karate_club_graph().edges()))


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{name}-{check_name}")
        for name in ATTACKS
        for check_name, check in attack_checks(registry().attacks[name])
    ],
)
def test_registered_attacks_keep_the_contract(check):
    check()


def test_they_stand_on_the_shelf_of_all_attacks():
    catalog = registry().attacks
    assert {"homogeneity", *ATTACKS} <= set(catalog)
    assert {catalog[name].kind for name in ATTACKS} == {"graph"}
    assert catalog["homogeneity"].kind == "table"


def test_a_class_reports_what_its_function_finds():
    report, found = DegreeAttack().run(CLUB, show_values=True), degree_attack(CLUB)
    assert (report.rows, report.exposed) == (found.targets, found.correct) == (34, 6)
    assert report.details == found.to_dict()
    assert report.exposed_records["node"].tolist() == found.exposed.tolist()
    deep = RefinementAttack(depth=3).run(CLUB)
    assert deep.details == refinement_attack(CLUB, depth=3).to_dict()
    assert deep.params == {"depth": 3, "time_limit": 60.0}


def test_planted_nodes_are_looked_for_in_what_a_method_publishes():
    attack = WalkAttack(n_targets=3, random_state=0)
    report = attack.run(CLUB, method=NaiveAnonymizer())
    assert report.rows == 3
    assert report.exposed == 3
    with pytest.raises(NotEvaluable, match="walk needs method"):
        attack.run(CLUB)


def test_persons_found_from_seeds_go_by_the_names_of_the_others():
    method = NaiveAnonymizer(keep_mapping=True, random_state=0)
    published = method.fit_transform(CLUB)
    seeds = {name: method.mapping_[name] for name in (0, 33, 2, 32)}
    report = SeedPropagationAttack().run(
        published,
        auxiliary=CLUB,
        seeds=seeds,
        mapping=method.mapping_,
        show_values=True,
    )
    assert report.rows == 30
    assert set(report.exposed_records["node"]) <= set(CLUB)


@dataclass(frozen=True)
class Lonely(GraphAttack):
    """Look for the nodes that have one edge."""

    depth: int = 1
    name = "lonely"
    meaning = "The node has one edge."
    remedy = "Add edges."

    def _find(self, attack_input):
        graph, form = open_graph(attack_input.published)
        found = form.names[graph.degrees == 1].tolist()
        return GraphAttackResult(graph.n_nodes, found, {"depth": self.depth})


@pytest.fixture
def anon(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(list(CLUB.edges()), columns=["one", "other"]).to_csv(
        "club.csv", index=False
    )
    return lambda *words: CliRunner().invoke(graph_commands(), ["attack", *words])


def test_a_strangers_attack_is_run_beside_the_others(anon):
    catalog = registry().attacks
    catalog.add("lonely", Lonely, "a test")
    try:
        named = anon("club.csv", "-a", "lonely", "--depth", "3", "--json")
        listed = anon("club.csv", "--json")
    finally:
        catalog.remove("lonely")
    (report,) = json.loads(named.stdout)["attacks"]
    assert report == {"attack": "lonely", "targets": 34, "depth": 3, "exposed": 1}
    assert named.exit_code == 1
    ran = [report["attack"] for report in json.loads(listed.stdout)["attacks"]]
    assert ran == ["degree", "h2", "neighborhood", "lonely"]


def test_an_attack_on_tables_is_refused(anon):
    made = anon("club.csv", "-a", "homogeneity")
    assert made.exit_code == 2
    assert "homogeneity attacks a table; see anon attack" in made.stderr
