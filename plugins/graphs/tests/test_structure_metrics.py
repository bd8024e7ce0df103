"""Degrees, distances, triangles and centralities."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.graphs import Graph
from anon_transformers_graphs._kernels.distances import _count_bits
from anon_transformers_graphs._kernels.triangles import count_triangles
from anon_transformers_graphs.metrics import (
    betweenness,
    centralities,
    closeness,
    degree_centrality,
    structural_report,
    transitivity,
)
from anon_transformers_graphs.metrics._distances import distances


@st.composite
def graphs(draw, most=14):
    """Small graphs: single nodes, without edges and disconnected ones too."""
    n_nodes = draw(st.integers(1, most))
    pairs = [(u, v) for v in range(n_nodes) for u in range(v)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph(n_nodes, np.array(edges, dtype=np.int64).reshape(-1, 2))


def networkx_graph(graph):
    made = nx.empty_graph(graph.n_nodes)
    made.add_edges_from(graph.edges.tolist())
    return made


def in_order(by_node):
    return np.array([by_node[node] for node in sorted(by_node)])


@pytest.mark.parametrize("name", ["karate", "football", "jazz"])
def test_properties_of_the_datasets(name, dataset, vector):
    expected = vector(f"dataset_properties_{name}")["expected"]
    report = structural_report(dataset(name))
    assert (report.n_nodes, report.n_edges) == (expected["n"], expected["m"])
    assert report.average_degree == pytest.approx(expected["average_degree"])
    exact = Fraction(expected["average_distance"])
    assert report.average_distance == pytest.approx(float(exact), rel=1e-14)
    assert report.diameter == expected["diameter"]
    assert report.degree_histogram.tolist() == expected["histogram"]
    assert report.min_degree == expected["min_degree"]
    assert report.max_degree == expected["max_degree"]
    assert report.transitivity == pytest.approx(expected["transitivity"], rel=1e-12)
    assert report.harmonic_distance == pytest.approx(
        expected["harmonic_mean_distance"], rel=1e-12
    )
    pairs = [int(number) for number in expected["distance_distribution"].values()]
    assert report.path_lengths[1:] == pytest.approx(np.array(pairs) / sum(pairs))
    assert (report.n_components, report.largest_component_share) == (1, 1.0)


@pytest.mark.parametrize(
    "name",
    ["Hep-Th", "Enron", "Net-trace", "Net-common", "karate", "football", "jazz"],
)
def test_average_degrees_are_twice_the_edges_by_the_nodes(name, vector):
    """The source prints the edges by the nodes, and reports twice that."""
    entry = vector(f"average_degree_{name}")
    n_nodes, n_edges = entry["input"]["n"], entry["input"]["m"]
    pairs = np.column_stack(np.triu_indices(n_nodes, 1))[:n_edges]
    report = structural_report(Graph(n_nodes, pairs), n_sources=1)
    assert report.average_degree == pytest.approx(entry["expected"]["average_degree"])


def test_worked_values(people, vector):
    graph, names = people
    expected = vector("fig_2_6_metrics")["expected"]
    report = structural_report(graph)
    for ours, theirs in (
        ("average_degree", "average_degree"),
        ("average_distance", "average_distance"),
        ("diameter", "diameter"),
        ("harmonic_distance", "harmonic_mean_distance"),
        ("transitivity", "transitivity"),
    ):
        value = float(Fraction(expected[theirs]))
        assert getattr(report, ours) == pytest.approx(value, rel=1e-14)
    found = centralities(graph)
    for ours, theirs in (
        (found.degree, "degree_centrality"),
        (found.closeness, "closeness_centrality"),
        (found.betweenness, "betweenness_centrality_normalised"),
    ):
        values = [float(Fraction(expected[theirs][name])) for name in names]
        assert ours == pytest.approx(values)
    assert found.mean_distance == pytest.approx(1 / found.closeness)


def test_centralities_of_karate(dataset, vector):
    expected = vector("karate_node_centralities")["expected"]
    found = centralities(dataset("karate"))
    for name in ("betweenness", "closeness", "degree"):
        values = [expected[name][str(node)] for node in range(34)]
        assert getattr(found, name) == pytest.approx(values)


def test_degree_sequence_is_in_the_order_of_the_nodes(vector):
    expected = vector("degree_sequence_example")["input"]["degree_sequence"]
    report = structural_report(Graph(4, [[2, 3], [0, 1], [1, 2]]))
    assert report.degree_sequence.tolist() == expected
    assert report.degree_histogram.tolist() == [0, 2, 2]


@given(graphs())
@settings(max_examples=50, deadline=None)
def test_against_networkx(graph):
    theirs = networkx_graph(graph)
    report = structural_report(graph)
    if nx.is_connected(theirs):
        assert report.diameter == nx.diameter(theirs)
        if graph.n_nodes > 1:
            mean = nx.average_shortest_path_length(theirs)
            assert report.average_distance == pytest.approx(mean)
    else:
        assert np.isnan(report.average_distance)
        assert np.isnan(report.diameter)
    assert report.n_components == nx.number_connected_components(theirs)
    largest = max(map(len, nx.connected_components(theirs)))
    assert report.largest_component_share == largest / graph.n_nodes
    assert report.transitivity == pytest.approx(nx.transitivity(theirs))
    if graph.n_edges:
        efficiency = nx.global_efficiency(theirs)
        assert report.harmonic_distance == pytest.approx(1 / efficiency)
    assert betweenness(graph) == pytest.approx(
        in_order(nx.betweenness_centrality(theirs)), abs=1e-12
    )
    assert closeness(graph) == pytest.approx(
        in_order(nx.closeness_centrality(theirs, wf_improved=False))
    )


@given(graphs(30), st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_the_order_of_nodes_does_not_matter(graph, seed):
    places = np.random.default_rng(seed).permutation(graph.n_nodes)
    one, other = centralities(graph), centralities(graph.relabeled(places))
    assert other.betweenness[places] == pytest.approx(one.betweenness)
    assert np.array_equal(other.closeness[places], one.closeness)
    reports = structural_report(graph), structural_report(graph.relabeled(places))
    one, other = (report.numbers() for report in reports)
    assert one == pytest.approx(other, nan_ok=True)


@pytest.mark.parametrize("n_nodes", [63, 64, 65, 200])
def test_more_searches_than_a_word_has_bits(n_nodes):
    """A path: node i is at distance |i - j| of node j."""
    path = Graph(n_nodes, [[node, node + 1] for node in range(n_nodes - 1)])
    found = distances(path)
    far = np.abs(np.subtract.outer(np.arange(n_nodes), np.arange(n_nodes)))
    assert np.array_equal(found.sums, far.sum(axis=0))
    assert np.array_equal(found.reached, np.full(n_nodes, n_nodes - 1))
    assert np.array_equal(found.counts[1:], np.bincount(far.ravel())[1:])


@pytest.mark.parametrize("word", [0, 1, 2**63, 2**64 - 1, 0x0123456789ABCDEF])
def test_bits_are_counted(word):
    assert _count_bits(np.uint64(word)) == word.bit_count()


def test_a_sample_of_all_nodes_is_exact(dataset):
    graph = dataset("football")
    assert np.array_equal(betweenness(graph, n_sources=115), betweenness(graph))
    assert np.array_equal(closeness(graph, n_sources=999), closeness(graph))


def test_a_sample_is_near_and_repeats(dataset):
    graph = dataset("jazz")
    report = structural_report(graph, n_sources=60)
    assert report.n_sources == 60
    assert report.average_distance == pytest.approx(2.235, rel=0.05)
    assert report.harmonic_distance == pytest.approx(1.9486, rel=0.05)
    assert report.diameter <= 6
    one, other = (centralities(graph, n_sources=60, random_state=3) for _ in range(2))
    assert np.array_equal(one.betweenness, other.betweenness)
    assert not np.array_equal(one.closeness, centralities(graph).closeness)


def test_samples_are_right_on_average(dataset):
    graph = dataset("karate")
    runs = [betweenness(graph, n_sources=10, random_state=seed) for seed in range(100)]
    assert np.mean(runs, axis=0) == pytest.approx(betweenness(graph), abs=0.03)


def test_a_node_is_no_witness_of_itself():
    """The center of a star, sampled alone, has no path through it."""
    star = Graph(3, [[0, 1], [0, 2]])
    seeds = range(20)
    found = {tuple(betweenness(star, n_sources=1, random_state=seed)) for seed in seeds}
    assert found == {(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)}


def test_disconnected_graphs():
    parts = Graph(5, [[0, 1], [2, 3]])
    report = structural_report(parts)
    assert np.isnan([report.average_distance, report.diameter]).all()
    assert report.harmonic_distance == 5.0
    assert report.largest_component_share == 0.4
    assert closeness(parts).tolist() == [1, 1, 1, 1, 0]
    assert np.isnan(centralities(parts).mean_distance).tolist() == [False] * 4 + [True]
    with pytest.raises(DataError, match="3 components"):
        structural_report(parts, disconnected="raise")
    with pytest.raises(ParameterError, match="disconnected"):
        structural_report(parts, disconnected="ignore")


def test_a_single_node():
    report = structural_report(Graph(1, []), disconnected="raise")
    assert report.diameter == 0
    assert np.isnan([report.average_distance, report.harmonic_distance]).all()
    assert (report.transitivity, report.largest_component_share) == (0, 1)
    found = centralities(Graph(1, []))
    assert [found.betweenness, found.closeness, found.degree] == [[0.0]] * 3


def test_no_nodes_and_no_edges():
    assert structural_report(Graph(0, [])).n_components == 0
    assert len(centralities(Graph(0, [])).betweenness) == 0
    assert structural_report(Graph(3, [])).harmonic_distance == np.inf
    assert degree_centrality(Graph(3, [])).tolist() == [0, 0, 0]


def test_transitivity_of_a_hub_is_quick_and_right():
    """A wheel: the hub's list is long, but no list of later nodes is."""
    n = 50_000
    ring = np.column_stack([np.arange(1, n), np.r_[2:n, 1]])
    spokes = np.column_stack([np.zeros(n - 1, dtype=int), np.arange(1, n)])
    paths = (n - 1) * (n - 2) / 2 + 3 * (n - 1)
    wheel = Graph(n, np.concatenate([ring, spokes]))
    assert transitivity(wheel) == pytest.approx(3 * (n - 1) / paths)


def test_a_report_has_nothing_of_single_nodes(people):
    numbers = structural_report(people[0]).to_dict()
    assert "degree_sequence" not in numbers
    assert numbers["degree_histogram"] == [0, 2, 2, 0, 4]
    undefined = structural_report(Graph(3, [])).to_dict()
    assert undefined["diameter"] is None
    assert undefined["harmonic_distance"] is None


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 12), p=st.floats(0, 1), seed=st.integers(0, 10**6))
def test_triangles_of_lists_in_any_order(n, p, seed):
    drawn = nx.gnp_random_graph(n, p, seed=seed)
    rng = np.random.default_rng(seed)
    lists = [rng.permutation(np.array(list(drawn[u]), dtype=np.int32)) for u in drawn]
    starts = np.cumsum([0, *map(len, lists)])
    found = count_triangles(starts, np.concatenate(lists))
    assert found == sum(nx.triangles(drawn).values()) // 3
