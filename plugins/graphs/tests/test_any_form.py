"""Public functions take a graph in whatever form it is held."""

import inspect

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import anon_transformers_graphs
from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, open_graph
from anon_transformers_graphs import (
    candidate_sizes,
    clustering_change,
    compare_graphs,
    compare_risk,
    degree_attack,
    degree_centrality,
    edge_change,
    link_disclosure,
    modularity,
    neighborhood_attack,
    seed_propagation,
    subgraph_candidates,
    top_hubs,
    walk_attack,
)
from anon_transformers_graphs._any_form import any_form

CLUB = nx.Graph(list(nx.karate_club_graph().edges()))
NAMES = {node: f"member {node:02}" for node in CLUB}


def shuffled(seed=0):
    """The club with names, its nodes and edges in another order."""
    rng = np.random.default_rng(seed)
    named = nx.relabel_nodes(CLUB, NAMES)
    mixed = nx.Graph()
    mixed.add_nodes_from(rng.permutation(list(named)).tolist())
    mixed.add_edges_from(rng.permutation(list(named.edges())).tolist())
    return mixed


def table(graph):
    return pd.DataFrame(list(graph.edges()), columns=["one", "other"])


def forms(graph):
    return {
        "networkx": graph,
        "edge table": table(graph),
        "tables": (table(graph), pd.DataFrame({"name": list(graph)})),
        "sparse": nx.to_scipy_sparse_array(graph),
        "graph": open_graph(graph)[0],
    }


@pytest.mark.parametrize("form", ["networkx", "edge table", "tables"])
@pytest.mark.parametrize(
    "function",
    [candidate_sizes, degree_centrality, lambda g: candidate_sizes(g, "h2")],
    ids=["h1", "centrality", "h2"],
)
def test_answers_node_by_node_are_in_the_order_of_the_names(form, function):
    given = forms(shuffled())[form]
    plain = open_graph(nx.relabel_nodes(CLUB, NAMES))
    expected = dict(zip(plain[1].names, function(plain[0]), strict=True))
    names = open_graph(given)[1].names
    assert dict(zip(names, function(given), strict=True)) == expected


@pytest.mark.parametrize("form", forms(CLUB))
def test_every_form_gives_the_same_numbers(form):
    given, plain = forms(shuffled())[form], open_graph(CLUB)[0]
    assert link_disclosure(given).to_dict() == link_disclosure(plain).to_dict()
    assert degree_attack(given).to_dict() == degree_attack(plain).to_dict()
    assert len(top_hubs(given, 2)) == 2
    assert walk_attack(given, n_targets=3, random_state=0).correct == 3


@pytest.mark.parametrize("first", ["networkx", "edge table", "tables"])
@pytest.mark.parametrize("second", ["networkx", "edge table", "tables"])
def test_nodes_of_one_name_are_one_node(first, second):
    one, other = forms(shuffled(1))[first], forms(shuffled(2))[second]
    assert edge_change(one, other).cost == 0
    assert compare_graphs(one, other).errors["betweenness"] == pytest.approx(0)
    assert compare_risk(one, other).unchanged == 34
    assert clustering_change(one, other).jaccard == 1
    found = neighborhood_attack(one, original=other)
    assert found.correct == neighborhood_attack(one).correct > 0


def test_beside_a_graph_without_names_only_the_order_counts():
    mixed = shuffled()
    assert edge_change(open_graph(mixed)[0], mixed).cost == 0
    assert edge_change(open_graph(CLUB)[0], mixed).cost > 0


def test_other_names_are_refused_and_not_quoted():
    with pytest.raises(DataError, match="have new names"):
        edge_change(shuffled(), CLUB)
    with pytest.raises(DataError) as refused:
        edge_change(CLUB, shuffled())
    assert "member" not in str(refused.value)


def test_graphs_that_lack_nodes_of_the_original_are_refused():
    with pytest.raises(DataError, match="31 of 34 nodes of the original have a name"):
        edge_change(CLUB, nx.path_graph(3))


def test_names_may_be_tuples():
    grid = nx.grid_2d_graph(3, 3)
    mixed = nx.Graph(reversed(list(grid.edges())))
    assert edge_change(grid, mixed).cost == 0


def test_graphs_of_different_nodes_stay_as_they_are():
    triangle = pd.DataFrame({"a": ["x", "y", "z"], "b": ["y", "z", "x"]})
    apart = [name for name in CLUB if nx.triangles(CLUB, name)]
    for target in (None, "x", "z"):
        assert subgraph_candidates(CLUB, triangle, target).tolist() == apart
    with pytest.raises(DataError, match="3 nodes, not the target"):
        subgraph_candidates(CLUB, triangle, "Zoe")


def test_arguments_may_be_given_by_name():
    clusters = [set(range(17)), set(range(17, 34))]
    expected = nx.community.modularity(CLUB, clusters, weight=None)
    assert modularity(clusters=clusters, graph=CLUB) == pytest.approx(expected)


def test_seeds_spread_between_graphs_by_name():
    published, known = shuffled(1), shuffled(2)
    seeds = [(NAMES[node], NAMES[node]) for node in (0, 33, 2, 32)]
    found = seed_propagation(published, known, seeds)
    assert found.targets == 30
    assert found.correct == found.mapped > 5
    assert found.mapping[NAMES[0]] == NAMES[0]
    assert set(found.exposed) <= set(NAMES.values())
    strangers = nx.relabel_nodes(known, lambda name: f"not {name}")
    strange = [(f"not {one}", other) for one, other in seeds]
    assert seed_propagation(published, strangers, strange).targets == 0


def test_what_is_no_graph_is_refused():
    with pytest.raises(DataError, match="edge table"):
        candidate_sizes([[0, 1]])


def test_a_missing_argument_is_an_error_as_ever():
    with pytest.raises(TypeError, match="missing a required argument: 'graph'"):
        candidate_sizes()


def test_every_public_function_of_a_graph_takes_any_form():
    closed = []
    for name in anon_transformers_graphs.__all__:
        function = getattr(anon_transformers_graphs, name)
        if not inspect.isfunction(function):
            continue
        takes = inspect.signature(function).parameters.values()
        if any(p.annotation in (Graph, Graph | None) for p in takes):
            closed += [name] * (not hasattr(function, "__wrapped__"))
    assert closed == []


def test_what_is_wrapped_keeps_its_name_and_text():
    @any_form
    def count(graph: Graph) -> int:
        """How many."""
        return graph.n_nodes

    assert (count.__name__, count.__doc__) == ("count", "How many.")
    assert count(CLUB) == count(graph=open_graph(CLUB)[0]) == 34
