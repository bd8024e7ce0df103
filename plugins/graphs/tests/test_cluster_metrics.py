"""Markov clusters, repeated random walks, and how families of clusters compare."""

import gzip
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import normalized_mutual_info_score

from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.graphs import Graph
from anon_transformers_graphs._graph_arrays import neighbor_lists
from anon_transformers_graphs.metrics import (
    _markov,
    clustering_change,
    clustering_jaccard,
    clustering_precision,
    markov_clusters,
    modularity,
    normalized_mutual_information,
    random_walk_clusters,
    single_cluster_baseline,
)
from anon_transformers_graphs.metrics._kernels.walk_growth import grow_sets

FILES = Path(__file__).parents[3] / "tests" / "data" / "graphs"
CLIQUES = [*combinations(range(6), 2), *combinations(range(6, 11), 2), (0, 6)]


def sizes(clusters):
    return [len(cluster) for cluster in clusters]


def families(labels):
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


partitions = st.lists(st.integers(0, 5), min_size=1, max_size=20).map(np.array)


@pytest.mark.parametrize("name", ["karate", "football_1.4", "football_1.5", "jazz"])
def test_markov_clusters_of_the_source(name, dataset, vector):
    entry = vector(f"mcl_{name}")
    graph = dataset(entry["input"]["dataset"])
    found = markov_clusters(graph, entry["parameters"]["inflation"])
    expected = entry["expected"]
    assert sizes(found) == expected["cluster_sizes"]
    theirs = {tuple(cluster) for cluster in expected["clusters_0based"]}
    assert {tuple(sorted(cluster)) for cluster in found} == theirs
    assert modularity(graph, found) == pytest.approx(expected["modularity"])


def test_clusters_are_sets_of_names(dataset):
    club = nx.karate_club_graph()
    named = nx.relabel_nodes(club, {node: f"member {node}" for node in club})
    turned = nx.Graph(list(reversed(list(named.edges()))))
    found = markov_clusters(turned, 1.8)
    plain = markov_clusters(dataset("karate"), 1.8)
    assert {frozenset(c) for c in found} == {
        frozenset(f"member {node}" for node in cluster) for cluster in plain
    }
    theirs = nx.community.louvain_communities(turned, seed=0)
    assert modularity(turned, theirs) == pytest.approx(
        nx.community.modularity(turned, theirs, weight=None)
    )
    assert 0 < clustering_jaccard(found, theirs) < 1
    clubs = nx.get_node_attributes(named, "club")
    assert clustering_precision(found, clubs) > 0.9
    for clusters in (
        random_walk_clusters(turned),
        clustering_change(turned, named).original,
    ):
        assert set().union(*clusters) <= set(turned)
    with pytest.raises(DataError, match="1 nodes that the graph does not have"):
        modularity(turned, [{"member 0", "Zoe"}])


@pytest.mark.parametrize("inflation", [1.8, 1.9, 2.0])
def test_jazz_has_the_same_sizes_over_a_range(inflation, dataset):
    found = markov_clusters(dataset("jazz"), inflation)
    assert sizes(found) == [134, 56, 4, 2, 2]


def plain_markov(graph, inflation):
    """The algorithm as it is printed, on a dense matrix."""
    flow = graph.adjacency.toarray() + np.eye(graph.n_nodes)
    flow /= flow.sum(axis=0)
    for _ in range(200):
        last, flow = flow, (flow @ flow) ** inflation
        flow /= flow.sum(axis=0)
        flow[flow < 1e-5] = 0
        flow /= flow.sum(axis=0)
        if np.allclose(last, flow, rtol=0, atol=1e-9):
            break
    parts = nx.connected_components(nx.from_numpy_array(flow + flow.T))
    return {frozenset(part) for part in parts}


@given(st.integers(1, 14), st.floats(0.1, 0.6), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_markov_clusters_against_the_printed_algorithm(n_nodes, density, seed):
    pairs = np.column_stack(np.triu_indices(n_nodes, 1))
    chosen = np.random.default_rng(seed).random(len(pairs)) < density
    graph = Graph(n_nodes, pairs[chosen])
    found = markov_clusters(graph)
    assert {frozenset(c) for c in found} == plain_markov(graph, 2.0)
    assert sorted(node for cluster in found for node in cluster) == [*range(n_nodes)]


def test_blocks_of_columns_change_nothing(dataset, monkeypatch):
    whole = markov_clusters(dataset("football"), 1.5)
    monkeypatch.setattr(_markov, "ROOM", 2_000)
    parts = markov_clusters(dataset("football"), 1.5)
    assert parts == whole


def test_markov_clusters_of_small_graphs():
    assert markov_clusters(Graph(0, [])) == []
    assert markov_clusters(Graph(3, [[0, 2]])) == [{0, 2}, {1}]


def test_more_equal_flows_than_can_be_distinguished_from_none(monkeypatch):
    monkeypatch.setattr(_markov, "LEAST", 0.5)
    complete = Graph(5, list(combinations(range(5), 2)))
    assert sizes(markov_clusters(complete)) == [5]


def test_markov_clusters_that_do_not_come_to_rest(dataset):
    with pytest.raises(NotEvaluable, match="not converged in 2 rounds"):
        markov_clusters(dataset("karate"), max_iterations=2)
    with pytest.raises(ParameterError, match="inflation must be a number above 1"):
        markov_clusters(dataset("karate"), 1.0)


def test_walks_on_karate_find_as_many_as_the_source(dataset, vector):
    entry = vector("karate_RRW_coverage")
    found = random_walk_clusters(dataset("karate"), 5, 20)
    assert sizes(found) == entry["input"]["cluster_sizes"]


def test_walks_on_football_come_near_the_source(dataset):
    """The source has 8 clusters of 11 to 14; its program is not described."""
    found = random_walk_clusters(dataset("football"), 10, 50)
    assert 7 <= len(found) <= 9
    assert all(10 <= size <= 14 for size in sizes(found))
    conferences = read_labels("football", "conference")
    for cluster in found:
        named = np.bincount(conferences[list(cluster)])
        assert named.max() >= 0.6 * len(cluster)


def read_labels(name, column):
    with gzip.open(FILES / f"{name}.nodes.csv.gz", "rt") as file:
        return pd.read_csv(file)[column].to_numpy()


def slow_growth(graph, start, restart, cutoff, max_size):
    """Solve for the walk of the whole set at each step."""
    adjacency = graph.adjacency.toarray().astype(float)
    step = adjacency / np.maximum(adjacency.sum(axis=0), 1)
    members, highest = [start], 0.0
    while len(members) < max_size:
        begin = np.zeros(len(step))
        begin[members] = 1 / len(members)
        near = np.linalg.solve(
            np.eye(len(step)) - (1 - restart) * step, restart * begin
        )
        near[members] = -1
        best = int(near.argmax())
        highest = max(highest, near[best])
        if near[best] <= 0 or near[best] < cutoff * highest:
            break
        members.append(best)
    return set(members)


@pytest.mark.parametrize("name", ["karate", "football"])
def test_sets_grow_along_exact_walks(name, dataset):
    graph = dataset(name)
    lists = neighbor_lists(graph)
    members, counts = grow_sets(*lists, 0.3, 0.5, 20, 1e-7)
    for start in range(0, graph.n_nodes, 7):
        found = set(members[start, : counts[start]].tolist())
        assert found == slow_growth(graph, start, 0.3, 0.5, 20)


def test_walks_stay_in_cliques():
    found = random_walk_clusters(Graph(12, CLIQUES))
    assert found == [set(range(6)), set(range(6, 11))]


def test_walks_of_small_sets():
    graph = Graph(12, CLIQUES)
    assert sizes(random_walk_clusters(graph, min_size=6)) == [6]
    assert random_walk_clusters(graph, 7, 20) == []
    assert sizes(random_walk_clusters(graph, 2, 4, cutoff=0.0)) == [4, 4]
    assert random_walk_clusters(Graph(5, [])) == []
    assert random_walk_clusters(graph, significance=0.0) == []
    complete = Graph(6, list(combinations(range(6), 2)))
    assert random_walk_clusters(complete) == []


@pytest.mark.parametrize("overlap", [0.0, 0.2, 0.5])
def test_clusters_overlap_no_more_than_allowed(overlap, dataset):
    found = random_walk_clusters(dataset("football"), 5, 12, overlap, cutoff=0.2)
    for one, other in combinations(found, 2):
        shared = len(one & other)
        assert shared <= overlap * min(len(one), len(other))
    held = [node for cluster in found for node in cluster]
    assert (len(np.unique(held)) < len(held)) == (overlap > 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_size": 1}, "min_size"),
        ({"min_size": 9, "max_size": 8}, "max_size must be at least 9"),
        ({"overlap": 1.0}, "overlap"),
        ({"restart": 0.0}, "restart"),
        ({"cutoff": 1.5}, "cutoff"),
        ({"significance": -1}, "significance"),
    ],
)
def test_parameters_of_walks(options, message):
    with pytest.raises(ParameterError, match=message):
        random_walk_clusters(Graph(3, [[0, 1]]), **options)


@pytest.mark.parametrize(
    "name", ["identical", "simple", "greedy_is_wrong", "partial_coverage", "disjoint"]
)
def test_worked_indices(name, vector):
    entry = vector(f"jaccard_{name}")
    one, other = entry["input"]["A"], entry["input"]["B"]
    expected = float(Fraction(entry["expected"]["jaccard"]))
    assert clustering_jaccard(one, other) == pytest.approx(expected)
    assert clustering_jaccard(other, one) == pytest.approx(expected)


@pytest.mark.parametrize(
    "name",
    ["karate_MCL_I1.8", "football_MCL_I1.4", "football_MCL_I1.5", "jazz_MCL"],
)
def test_baselines(name, vector):
    entry = vector(f"jaccard_single_cluster_baseline_{name}")
    counts = entry["input"]["cluster_sizes"]
    n_nodes = sum(counts)
    clusters = np.split(np.arange(n_nodes), np.cumsum(counts)[:-1])
    expected = pytest.approx(entry["expected"]["value"])
    assert single_cluster_baseline(clusters, n_nodes) == expected
    assert clustering_jaccard(clusters, [np.arange(n_nodes)]) == expected


@given(partitions, st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_indices_of_partitions(labels, seed):
    others = np.random.default_rng(seed).integers(0, 4, len(labels))
    one, other = families(labels), families(others)
    overlaps = np.array([[len(np.intersect1d(a, b)) for b in other] for a in one])
    best = overlaps[linear_sum_assignment(overlaps, maximize=True)].sum()
    assert clustering_jaccard(one, other) == pytest.approx(best / len(labels))
    assert clustering_precision(one, others) == pytest.approx(best / len(labels))
    expected = normalized_mutual_info_score(labels, others)
    assert normalized_mutual_information(one, other) == pytest.approx(
        expected, abs=1e-9
    )


def test_indices_of_clusters_that_overlap():
    one, other = [[0, 1, 2], [2, 3]], [[1, 2], [2, 3, 4]]
    best = max(
        sum(len(set(a) & set(b)) for a, b in zip(one, order, strict=True))
        for order in permutations(other)
    )
    assert clustering_jaccard(one, other) == best / 5
    assert clustering_jaccard([], []) == 1.0
    assert clustering_jaccard([], [[0]]) == 0.0
    with pytest.raises(DataError, match="1 nodes are in more than one"):
        normalized_mutual_information(one, other)


def test_nodes_in_no_cluster_are_alone(dataset):
    assert normalized_mutual_information([[0, 1]], [[0, 1], [2]]) == 1.0
    assert clustering_precision([[0, 1]], ["a", "a", "b", "b"]) == 0.5
    graph = dataset("karate")
    alone = modularity(graph, [range(10)])
    singles = [[node] for node in range(10, 34)]
    assert modularity(graph, [range(10), *singles]) == pytest.approx(alone)
    theirs = nx.Graph(graph.edges.tolist())
    listed = [set(range(10)), *map(set, singles)]
    assert alone == pytest.approx(nx.community.modularity(theirs, listed))


def test_precision_of_karate(dataset):
    clubs = read_labels("karate", "club")
    found = markov_clusters(dataset("karate"), 1.8)
    assert clustering_precision(found, clubs) == 33 / 34


def test_clusters_that_cannot_be():
    graph = Graph(3, [[0, 1]])
    with pytest.raises(DataError, match="2 nodes that the graph does not have"):
        modularity(graph, [[0, 7], [-1]])
    with pytest.raises(DataError, match="1 of their nodes more than once"):
        clustering_jaccard([[0, 0]], [[0]])
    with pytest.raises(DataError, match="without edges"):
        modularity(Graph(3, []), [[0]])
    with pytest.raises(DataError, match="no labels"):
        clustering_precision([], [])


def test_change_of_clusters(dataset):
    graph = dataset("karate")
    same = clustering_change(graph, graph, inflation=1.8)
    assert (same.jaccard, same.baseline) == (1.0, 18 / 34)
    assert (same.original_coverage, same.published_coverage) == (1.0, 1.0)
    walks = clustering_change(graph, graph, "random-walk", min_size=5, max_size=20)
    assert walks.original_coverage == pytest.approx(10 / 34)
    assert walks.to_dict()["original_sizes"] == [5, 5]
    with pytest.raises(DataError, match="34 nodes and what is published 3"):
        clustering_change(graph, Graph(3, []))
    with pytest.raises(ParameterError, match="method"):
        clustering_change(graph, graph, "louvain")
