"""Active attacks follow nodes into what is published; passive ones look at labels."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from anon_transformers.base import GraphAnonymizer
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.graphs import Graph, open_graph
from anon_transformers_graphs import (
    KAutomorphismAnonymizer,
    KDegreeAnonymizer,
    NaiveAnonymizer,
    NodeClusterGeneralizer,
    RandomPerturbation,
    cut_attack,
    degree_attack,
    neighborhood_attack,
    refinement_attack,
    seed_propagation,
    walk_attack,
)

CLUB = nx.Graph(list(nx.karate_club_graph().edges()))
PATH = nx.relabel_nodes(nx.path_graph(5), dict(enumerate("abcde")))
ACTIVE = pytest.mark.parametrize("attack", [walk_attack, cut_attack])


class Turning(GraphAnonymizer):
    """Says that it keeps the order of nodes, and does not."""

    def _alter(self, graph, rng):
        return graph.relabeled(np.roll(np.arange(graph.n_nodes), 1))


@ACTIVE
@pytest.mark.parametrize("by_method", [False, True])
def test_new_names_hide_nobody(attack, by_method):
    method = NaiveAnonymizer()
    found = attack(CLUB, method.fit_transform if by_method else method, random_state=0)
    assert found.recovered
    assert found.correct == found.targets == len(np.unique(found.exposed))
    assert found == attack(CLUB, random_state=0)
    assert not hasattr(method, "mapping_") and not hasattr(method, "report_")


def test_the_callers_chance_is_not_used_up():
    method = RandomPerturbation(p=0.3, random_state=np.random.default_rng(1))
    state = method.random_state.bit_generator.state
    walk_attack(CLUB, method, random_state=0)
    assert method.random_state.bit_generator.state == state


@ACTIVE
def test_a_function_that_gives_new_names_is_refused(attack):
    def renamed(graph):
        return NaiveAnonymizer(random_state=3).fit_transform(graph)

    with pytest.raises(ParameterError, match="give the anonymizer itself"):
        attack(CLUB, renamed, random_state=0)


@ACTIVE
def test_a_function_that_keeps_names_is_believed(attack):
    def same(graph):
        kept = KDegreeAnonymizer(k=1, relabel=False).fit_transform(graph)
        assert kept.n_edges == graph.n_edges
        return kept

    assert attack(CLUB, same, random_state=0).recovered


def test_planted_nodes_that_fall_on_other_nodes_are_not_recovered():
    found = walk_attack(CLUB, Turning(relabel=False), random_state=0)
    assert found.copies == 1 and not found.recovered
    assert found.identified == 10 and found.correct == len(found.exposed) == 0


def test_nodes_are_not_followed_into_groups():
    with pytest.raises(DataError, match="in groups"):
        walk_attack(CLUB, NodeClusterGeneralizer(k=4), random_state=0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (NaiveAnonymizer, "the class NaiveAnonymizer"),
        ("naive", "got str"),
        (lambda graph: graph.edges, "it made ndarray"),
    ],
    ids=["class", "name", "array"],
)
def test_what_publishes_nothing_is_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        walk_attack(CLUB, wrong, random_state=0)


def labeled(graph, labels):
    plain = open_graph(graph)[0]
    frame = pd.DataFrame({"label": labels})
    return Graph(plain.n_nodes, plain.edges, labels=frame)


def test_labels_that_are_published_are_known():
    ring = labeled(nx.cycle_graph(6), list("aaaaab"))
    assert degree_attack(ring).correct == 0
    # By their own label, and by how far they are from it.
    assert neighborhood_attack(ring).exposed.tolist() == [5]
    assert refinement_attack(ring, depth=1).exposed.tolist() == [5]
    assert refinement_attack(ring, depth=3).exposed.tolist() == [2, 5]
    as_networkx = nx.cycle_graph(6)
    nx.set_node_attributes(as_networkx, dict(enumerate("aaaaab")), "label")
    assert neighborhood_attack(as_networkx).correct == 1


def test_labels_of_the_original_are_looked_for_as_they_are_published():
    original = labeled(nx.cycle_graph(6), list("uvwxyz"))
    published = labeled(nx.cycle_graph(6), list("aaaaab"))
    for attack in (neighborhood_attack, refinement_attack):
        found = attack(published, original)
        assert found.exposed.tolist() == attack(published).exposed.tolist()
        assert found.correct > 0
        bare = Graph(6, published.edges)
        assert attack(bare, original).correct == 0


@pytest.mark.parametrize("attack", [degree_attack, refinement_attack])
def test_exposed_are_those_who_are_found_rightly(attack):
    found = attack(PATH, nx.Graph([*PATH.edges, ("a", "c")]))
    assert len(found.exposed) == found.correct
    assert attack(PATH).exposed.tolist() == ([] if attack is degree_attack else ["c"])


SEEDS = {"a": "a", "c": "c"}


@pytest.mark.parametrize(
    "seeds",
    [SEEDS, list(SEEDS.items()), np.array(list(SEEDS.items()))],
    ids=["mapping", "pairs", "array"],
)
def test_seeds_are_given_by_name(seeds):
    found = seed_propagation(PATH, PATH, seeds)
    assert found.correct == found.mapped == len(found.exposed) > 0
    assert found == seed_propagation(PATH, PATH, {"c": "c", "a": "a"})


def test_seeds_may_have_names_that_are_tuples_or_numbers():
    grid = nx.grid_2d_graph(2, 3)
    assert seed_propagation(grid, grid, {(0, 0): (0, 0), (1, 1): (1, 1)}).seeds == 2
    turned = nx.Graph([(4, 3), (3, 2), (2, 1), (1, 0)])
    for seeds in ({4: 4}, [[4, 4]]):
        found = seed_propagation(turned, turned, seeds)
        assert found.mapping[4] == 4, "a number is a name, and no place"
        assert 0 not in found.mapping


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ({}, "at least one"),
        ({"a": "z"}, "1 of 1 seeds name no node of the published graph"),
        ({"z": "a", "a": "z"}, "1 of 2 seeds name no node of the auxiliary graph"),
        ([("a", "a", "a")], "pairs"),
        (["ab"], "pairs"),
        ({"a": "c", "b": "c"}, "more than once"),
    ],
    ids=str,
)
def test_seeds_that_name_nobody_are_refused(seeds, message):
    with pytest.raises(DataError, match=message):
        seed_propagation(PATH, PATH, seeds)


def test_who_was_found_rightly_is_unknown_if_seeds_contradict_names():
    shifted = {name: "abcde"[(place + 1) % 5] for place, name in enumerate("abcde")}
    published = nx.relabel_nodes(PATH, shifted)
    seeds = {name: shifted[name] for name in "ac"}
    found = seed_propagation(published, PATH, seeds)
    assert found.correct is None and found.correct_share is None
    assert found.mapped == len(found.exposed) > 0
    assert found.targets == 0
    known = seed_propagation(published, PATH, seeds, truth=shifted)
    assert known.correct == found.mapped
    assert known.targets == 3


def test_nodes_that_stand_for_nobody_hide_nobody():
    club = nx.Graph(list(nx.karate_club_graph().edges()))
    found = walk_attack(club, KAutomorphismAnonymizer(k=5, max_iter=1), random_state=0)
    assert found.targets == 10
    assert found.correct <= found.identified
    unchanged = cut_attack(club, KAutomorphismAnonymizer(k=1), random_state=0)
    assert unchanged.recovered


def test_propagation_without_time_is_not_over():
    club = nx.karate_club_graph()
    with pytest.raises(NotEvaluable, match="time_limit"):
        seed_propagation(club, club, {0: 0, 33: 33}, time_limit=0)


def test_seeds_of_chance_are_checked():
    with pytest.raises(ParameterError, match="random_state"):
        walk_attack(nx.karate_club_graph(), random_state="x")
