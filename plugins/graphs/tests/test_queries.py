"""Queries against worked examples and slow obvious twins."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.graphs import Graph, open_graph
from anon_transformers_graphs.queries import (
    candidate_sizes,
    hub_candidates,
    hub_fingerprints,
    neighborhood_classes,
    refinement_classes,
    subgraph_candidates,
    top_hubs,
)
from anon_transformers_graphs.queries._kernels.refinement import colors_of_lists


@st.composite
def graphs(draw, most=12):
    n = draw(st.integers(1, most))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph(n, edges)


def as_networkx(graph):
    drawn = nx.empty_graph(graph.n_nodes)
    drawn.add_edges_from(graph.edges.tolist())
    return drawn


def named_classes(classes, names):
    parts = {}
    for number, name in zip(classes, names, strict=True):
        parts.setdefault(int(number), []).append(name)
    return sorted(parts.values())


def same_partition(one, other):
    pairs = len(set(zip(one, other, strict=True)))
    return pairs == len(set(one)) == len(set(other))


def finer(one, other):
    """Whether each class of ``one`` lies within a class of ``other``."""
    return len(set(zip(one, other, strict=True))) == len(set(one))


def literal_refinement(graph, depth):
    """H by its definition: multisets of multisets."""
    neighbors = as_networkx(graph)
    seen = dict.fromkeys(neighbors, "")
    for _ in range(depth):
        seen = {x: str(sorted(seen[y] for y in neighbors[x])) for x in neighbors}
    return [seen[x] for x in range(graph.n_nodes)]


def test_refinement_of_the_table(people, vector):
    graph, names = people
    expected = vector("fig_2_6_equivalence_classes")["expected"]
    for depth in range(5):
        found = named_classes(refinement_classes(graph, depth), names)
        assert found == expected[f"H{depth}"]
    table = vector("fig_2_6_vertex_refinement")["expected"]
    assert graph.degrees.tolist() == list(table["H1"].values())
    h2 = [str(table["H2"][name]) for name in names]
    assert same_partition(refinement_classes(graph, 2).tolist(), h2)


@settings(max_examples=50, deadline=None)
@given(graphs(), st.integers(0, 4))
def test_refinement_is_the_literal_one(graph, depth):
    found = refinement_classes(graph, depth).tolist()
    assert same_partition(found, literal_refinement(graph, depth))


@settings(max_examples=50, deadline=None)
@given(graphs(), st.integers(0, 4), st.randoms(use_true_random=False))
def test_refinement_splits_with_depth_and_ignores_names(graph, depth, random):
    classes = refinement_classes(graph, depth)
    assert finer(refinement_classes(graph, depth + 1).tolist(), classes.tolist())
    assert finer(refinement_classes(graph).tolist(), classes.tolist())
    assert same_partition(refinement_classes(graph, 1).tolist(), graph.degrees.tolist())
    places = np.array(random.sample(range(graph.n_nodes), graph.n_nodes))
    moved = refinement_classes(graph.relabeled(places), depth)
    assert same_partition(moved[places].tolist(), classes.tolist())


@settings(max_examples=30, deadline=None)
@given(graphs(most=6))
def test_refinement_is_coarser_than_orbits(graph):
    drawn = as_networkx(graph)
    matcher = nx.algorithms.isomorphism.GraphMatcher(drawn, drawn)
    classes = refinement_classes(graph)
    for function in matcher.isomorphisms_iter():
        assert all(classes[x] == classes[y] for x, y in function.items())


def test_labels_are_known_to_the_intruder():
    labels = pd.DataFrame({"sex": ["f", "m", "f", None]})
    square = Graph(4, [[0, 1], [1, 2], [2, 3], [3, 0]], labels=labels)
    assert candidate_sizes(square, "h0").tolist() == [2, 1, 2, 1]
    assert candidate_sizes(square, "h3").tolist() == [2, 1, 2, 1]
    assert candidate_sizes(square, "neighborhood").tolist() == [2, 1, 2, 1]


def test_equal_hashes_of_unequal_lists_are_distinguished():
    indptr, lists = np.array([0, 1, 2, 3]), np.array([5, 7, 5])
    colors, hashes = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.uint64)
    found, count = colors_of_lists(indptr, lists, colors, hashes, np.arange(3))
    assert count == 2
    assert found.tolist() == [0, 1, 0]


def test_neighborhoods_of_the_table(people, vector):
    graph, names = people
    expected = vector("fig_2_6_neighbourhood_anonymity")["expected"]
    found = named_classes(neighborhood_classes(graph), names)
    assert found == expected["classes"]


def slow_neighborhoods(graph, radius):
    drawn = as_networkx(graph)
    match = nx.algorithms.isomorphism.categorical_node_match("root", None)
    balls, classes = [], []
    for node in drawn:
        ball = nx.ego_graph(drawn, node, radius)
        nx.set_node_attributes(ball, {x: x == node for x in ball}, "root")
        same = [nx.is_isomorphic(ball, other, match) for other in balls]
        if not any(same):
            balls.append(ball)
        classes.append(same.index(True) if any(same) else len(balls) - 1)
    return classes


@settings(max_examples=50, deadline=None)
@given(graphs(), st.integers(1, 3))
def test_neighborhoods_are_those_of_networkx(graph, radius):
    found = neighborhood_classes(graph, radius).tolist()
    assert same_partition(found, slow_neighborhoods(graph, radius))


def test_neighborhoods_that_refinement_cannot_distinguish():
    # A hub with six neighbors on a ring, and one with six on two triangles.
    ring = [[1 + i, 1 + (i + 1) % 6] for i in range(6)]
    triangles = [[8, 9], [9, 10], [8, 10], [11, 12], [12, 13], [11, 13]]
    spokes = [[0, i] for i in range(1, 7)] + [[7, i] for i in range(8, 14)]
    graph = Graph(14, ring + triangles + spokes)
    assert refinement_classes(graph)[0] == refinement_classes(graph)[7]
    classes = neighborhood_classes(graph)
    assert classes[0] != classes[7]
    assert same_partition(classes.tolist(), slow_neighborhoods(graph, 1))


@pytest.mark.parametrize("query", ["h1", "h4", "neighborhood"])
def test_no_time_is_not_enough(dataset, query):
    with pytest.raises(NotEvaluable, match="time_limit"):
        candidate_sizes(dataset("jazz"), query, time_limit=0)


def test_classes_that_split_again_and_again_take_time():
    path = Graph(50_000, np.column_stack([np.arange(49_999), np.arange(1, 50_000)]))
    with pytest.raises(NotEvaluable, match="refinement of classes"):
        refinement_classes(path, time_limit=0.1)


def test_no_round_is_done_that_nobody_asked_for(dataset):
    assert not refinement_classes(dataset("karate"), 0, time_limit=0).any()


def test_fingerprints_of_the_table(people, vector):
    graph, names = people
    given = vector("fig_2_6_hub_fingerprints")
    hubs = [names.index(name) for name in given["parameters"]["hubs"]]
    for radius in (1, 2):
        found = hub_fingerprints(graph, hubs, radius).tolist()
        assert found == list(given["expected"][f"F{radius}"].values())


@settings(max_examples=50, deadline=None)
@given(graphs(), st.integers(1, 3), st.sampled_from(["closed", "open"]), st.data())
def test_hub_candidates_are_counted_pair_by_pair(graph, radius, world, data):
    nodes = st.integers(0, graph.n_nodes - 1)
    hubs = data.draw(st.lists(nodes, min_size=1, max_size=3, unique=True))
    prints = hub_fingerprints(graph, hubs, radius)
    distances = dict(nx.all_pairs_shortest_path_length(as_networkx(graph)))
    for node, row in enumerate(prints):
        far = [distances[node].get(hub, radius + 1) for hub in hubs]
        assert row.tolist() == [d if d <= radius else 0 for d in far]

    def fits(x, y):
        known = prints[x] > 0 if world == "open" else np.ones(len(hubs), dtype=bool)
        return (y not in hubs or x in hubs) and (prints[x] == prints[y])[known].all()

    everybody = range(graph.n_nodes)
    expected = [sum(bool(fits(x, y)) for y in everybody) for x in everybody]
    assert hub_candidates(graph, hubs, radius, world).tolist() == expected


def test_hubs_of_one_degree_are_all_hubs(people, dataset):
    graph, names = people
    assert [names[i] for i in top_hubs(graph, 1)] == ["Bob", "Dave", "Ed", "Greg"]
    assert top_hubs(dataset("karate"), 2).tolist() == [0, 33]


def test_hubs_are_given_by_name():
    club = nx.karate_club_graph()
    named = nx.relabel_nodes(club, {node: f"member {node}" for node in club})
    turned = nx.Graph(list(reversed(list(named.edges()))))
    hubs = top_hubs(turned, 2)
    assert set(hubs) == {"member 0", "member 33"}
    prints = hub_fingerprints(turned, hubs, radius=3)
    for row, node in zip(prints, turned, strict=True):
        for distance, hub in zip(row, hubs, strict=True):
            apart = nx.shortest_path_length(turned, node, hub)
            assert distance == (apart if apart <= 3 else 0)
    expected = hub_candidates(club, [33, 0]).tolist()
    found = dict(zip(turned, hub_candidates(turned, set(hubs)).tolist(), strict=True))
    assert [found[f"member {node}"] for node in club] == expected
    with pytest.raises(DataError, match="1 of 2 hubs are not among the 34"):
        hub_fingerprints(turned, ["member 0", "Zoe"])
    ring = Graph(1200, [[i, (i + 1) % 1200] for i in range(1200)])
    with pytest.raises(NotEvaluable, match="1200 nodes are tied"):
        candidate_sizes(ring, "hub-fingerprint")


def slow_subgraph_candidates(graph, pattern, target):
    matcher = nx.algorithms.isomorphism.GraphMatcher(
        as_networkx(graph), as_networkx(pattern)
    )
    found = matcher.subgraph_monomorphisms_iter()
    return sorted({x for match in found for x, y in match.items() if y == target})


@settings(max_examples=50, deadline=None)
@given(graphs(most=8), graphs(most=4), st.data())
def test_subgraph_candidates_are_those_of_networkx(graph, pattern, data):
    target = data.draw(st.integers(0, pattern.n_nodes - 1))
    found = subgraph_candidates(graph, pattern, target).tolist()
    assert found == slow_subgraph_candidates(graph, pattern, target)


def test_subgraph_search_goes_on_after_an_interruption(people, monkeypatch):
    graph, names = people
    ana = Graph(5, [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2]])
    expected = slow_subgraph_candidates(graph, ana, 0)
    assert [names[i] for i in expected] == ["Bob", "Dave", "Ed", "Greg"]
    monkeypatch.setattr("anon_transformers_graphs.queries._subgraphs.BUDGET", 1)
    assert subgraph_candidates(graph, ana).tolist() == expected


def test_labels_of_a_pattern():
    labels = pd.DataFrame({"sex": ["f", "m", "f", "m"], "age": [1, 2, 3, 4]})
    path = Graph(4, [[0, 1], [1, 2], [2, 3]], labels=labels)
    edge = Graph(2, [[0, 1]], labels=pd.DataFrame({"sex": [None, "f"]}))
    assert subgraph_candidates(path, edge).tolist() == [1, 3]
    assert subgraph_candidates(path, edge, target=1).tolist() == [0, 2]
    both = pd.DataFrame({"sex": ["f", "f"], "age": [None, 1]})
    with pytest.raises(DataError, match="1 nodes of the pattern lack some labels"):
        subgraph_candidates(path, Graph(2, [[0, 1]], labels=both))
    with pytest.raises(DataError, match="labels that the nodes of the graph have not"):
        subgraph_candidates(Graph(2, [[0, 1]]), edge)


def test_a_clique_is_not_in_a_sparse_graph_in_no_time():
    graph = open_graph(nx.gnp_random_graph(300, 0.5, seed=0))[0]
    clique = open_graph(nx.complete_graph(16))[0]
    with pytest.raises(NotEvaluable, match="time_limit"):
        subgraph_candidates(graph, clique, time_limit=0)


@pytest.mark.parametrize(
    "query", ["h", "h-1", "H1", "degree", 1, None, "h1000", "h01", "h00", "h\u0661"]
)
def test_unknown_queries_are_refused(query):
    with pytest.raises(ParameterError, match=r"query: .*'h1', 'h2'"):
        candidate_sizes(Graph(2, [[0, 1]]), query)


def test_nodes_that_do_not_exist_are_refused():
    edge = Graph(2, [[0, 1]])
    for hubs in ([2], [-1], [], [0.5]):
        with pytest.raises(DataError, match="hubs"):
            hub_fingerprints(edge, hubs)
    with pytest.raises(DataError, match="not the target"):
        subgraph_candidates(edge, edge, target=2)
    with pytest.raises(ParameterError, match="world"):
        hub_candidates(edge, [0], world="half")


def test_a_graph_without_nodes_has_no_classes():
    nothing = Graph(0, [])
    assert not len(refinement_classes(nothing))
    assert not len(neighborhood_classes(nothing))
    assert not len(candidate_sizes(nothing, "h2"))


def test_labels_are_distinguished_as_readers_see_them():
    ring = [[0, 1], [1, 2], [2, 3], [3, 0]]
    mixed = pd.DataFrame({"a": pd.Series([True, 1, 1, 1], dtype=object)})
    sizes = candidate_sizes(Graph(4, ring, labels=mixed), "h0")
    assert sizes.tolist() == [1, 3, 3, 3]
    same = pd.DataFrame({"a": pd.Series(["1", 1, 1, 1], dtype=object)})
    assert candidate_sizes(Graph(4, ring, labels=same), "h0").tolist() == [4] * 4
