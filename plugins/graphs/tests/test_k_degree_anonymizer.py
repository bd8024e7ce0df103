"""k-degree anonymization: the published tables, odd graphs, and the promise."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from anon_transformers.exceptions import (
    InfeasibleError,
    ParameterError,
    TellingWeightsWarning,
)
from anon_transformers.graphs import Graph
from anon_transformers_graphs.degrees import KDegreeAnonymizer

VECTORS = Path(__file__).parents[3] / "tests" / "data" / "vectors" / "graphs.json"
STORED = json.loads(VECTORS.read_text(encoding="utf-8"))["datasets"]
EDGES_MODIFIED = {
    ("karate", 2): 3,
    ("karate", 3): 6,
    ("karate", 4): 10,
    ("karate", 5): 10,
    ("football", 4): 1,
    ("football", 5): 2,
    ("football", 10): 4,
    ("jazz", 2): 11,
}
PAIRS = [
    (sequence, construction)
    for sequence in ("exact", "liu-terzi", "greedy")
    for construction in ("endpoint-moves", "relaxed", "supergraph")
    if (sequence, construction) != ("exact", "supergraph")
]
ODD = {
    ("star", 3): nx.star_graph(9),
    ("complete", 5): nx.complete_graph(8),
    ("without-edges", 6): nx.empty_graph(6),
    ("disconnected", 4): nx.disjoint_union(nx.star_graph(6), nx.path_graph(9)),
    ("isolated", 3): nx.disjoint_union(nx.wheel_graph(7), nx.empty_graph(5)),
    ("bipartite", 4): nx.Graph(nx.complete_bipartite_graph(3, 8).edges),
}


def dataset(name):
    stored = STORED[name]
    return Graph(stored["n"], np.reshape(stored["edges_flat"], (-1, 2)))


def level(graph):
    return int(graph.degree_histogram[graph.degrees].min())


@pytest.mark.parametrize("construction", ["endpoint-moves", "relaxed"])
@pytest.mark.parametrize(("name", "k"), EDGES_MODIFIED)
def test_no_more_edges_change_than_the_tables_say(name, k, construction):
    graph = dataset(name)
    anonymizer = KDegreeAnonymizer(
        k,
        sequence="exact",
        construction=construction,
        n_starts=30,
        relabel=False,
        random_state=0,
    )
    published = anonymizer.fit_transform(graph)
    lost = graph.n_edges - graph.common_edges(published)
    assert lost == anonymizer.n_modified_edges_ <= EDGES_MODIFIED[name, k]
    assert 4 * lost >= anonymizer.l1_distance_
    assert published.n_edges == graph.n_edges
    assert level(published) == anonymizer.k_ >= k


@pytest.mark.parametrize(("name", "k"), EDGES_MODIFIED)
def test_defaults_do_as_well(name, k):
    anonymizer = KDegreeAnonymizer(k, random_state=0).fit(dataset(name))
    assert anonymizer.n_modified_edges_ <= EDGES_MODIFIED[name, k]


@pytest.mark.parametrize(("sequence", "construction"), PAIRS)
@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(2, 25),
    p=st.sampled_from([0.0, 0.05, 0.2, 0.5, 0.95, 1.0]),
    k=st.integers(1, 12),
    seed=st.integers(0, 10**6),
)
def test_the_promise_is_kept_or_an_error_is_raised(
    sequence, construction, n, p, k, seed
):
    given_graph = nx.gnp_random_graph(n, p, seed=seed)
    before = nx.to_dict_of_lists(given_graph)
    anonymizer = KDegreeAnonymizer(
        k,
        sequence=sequence,
        construction=construction,
        n_starts=2,
        relabel=False,
        random_state=seed,
    )
    try:
        published = anonymizer.fit_transform(given_graph)
    except InfeasibleError:
        # Only the exact sum can be out of reach, or there are too few nodes.
        assert k > n or sequence == "exact"
        return
    assert nx.to_dict_of_lists(given_graph) == before
    assert list(published) == list(given_graph)
    assert nx.number_of_selfloops(published) == 0
    histogram = np.array(nx.degree_histogram(published))
    assert histogram[histogram > 0].min() >= k
    if sequence == "exact":
        assert published.number_of_edges() == given_graph.number_of_edges()
    if construction == "supergraph":
        assert set(given_graph.edges) <= set(published.edges)
        assert anonymizer.n_modified_edges_ == 0


@pytest.mark.parametrize(("sequence", "construction"), PAIRS)
@pytest.mark.parametrize(("name", "k"), ODD.keys())
def test_odd_graphs(name, k, sequence, construction):
    graph = ODD[name, k]
    anonymizer = KDegreeAnonymizer(
        k, sequence=sequence, construction=construction, random_state=0
    )
    histogram = np.array(nx.degree_histogram(anonymizer.fit_transform(graph)))
    assert histogram[histogram > 0].min() >= k


@pytest.mark.parametrize("construction", ["endpoint-moves", "relaxed", "supergraph"])
def test_a_graph_that_has_it_stays(construction):
    ring = nx.cycle_graph(7)
    anonymizer = KDegreeAnonymizer(5, construction=construction, relabel=False)
    assert nx.utils.graphs_equal(anonymizer.fit_transform(ring), ring)
    assert (anonymizer.k_, anonymizer.l1_distance_) == (7, 0)
    assert anonymizer.target_degrees_.tolist() == [2] * 7


def test_more_than_there_are_nodes():
    with pytest.raises(InfeasibleError, match="k=35 is more than the 34 nodes"):
        KDegreeAnonymizer(35).fit(dataset("karate"))


def test_sums_that_no_k_anonymous_degrees_have():
    with pytest.raises(InfeasibleError, match=r"34 nodes.*156"):
        KDegreeAnonymizer(17, sequence="exact").fit(dataset("karate"))
    published = KDegreeAnonymizer(34, random_state=0).fit_transform(dataset("karate"))
    assert level(published) == 34


def test_degrees_that_no_graph_has_are_refused():
    # Of seven nodes with 13 edges, four of degree 5 and three of degree 2 are the only
    # 3-anonymous degrees, or four of degree 2 and three of degree 6.
    pairs = (2, 5, 6, 12, 14, 16, 23, 34, 35, 36, 45, 46, 56)
    graph = Graph(7, [divmod(pair, 10) for pair in pairs])
    with pytest.raises(InfeasibleError, match="7 nodes are those of no simple graph"):
        KDegreeAnonymizer(3, sequence="exact").fit(graph)
    assert level(KDegreeAnonymizer(3).fit_transform(graph)) >= 3


def test_the_genetic_search():
    for k in (2, 3, 4, 5):
        anonymizer = KDegreeAnonymizer(k, sequence="genetic", random_state=0)
        published = anonymizer.fit_transform(dataset("karate"))
        assert level(published) >= k
        assert published.n_edges == 78
    with pytest.raises(InfeasibleError, match="sequence='exact'"):
        KDegreeAnonymizer(18, sequence="genetic", random_state=0).fit(dataset("karate"))


@pytest.mark.parametrize("sequence", ["exact", "genetic"])
def test_what_cannot_be_combined(sequence):
    anonymizer = KDegreeAnonymizer(2, sequence=sequence, construction="supergraph")
    with pytest.raises(ParameterError, match="only adds"):
        anonymizer.fit(dataset("karate"))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0}, "k must be a whole number"),
        ({"sequence": "best"}, "sequence: unknown option 'best'"),
        ({"construction": "moves"}, "construction: unknown option 'moves'"),
        ({"n_starts": 0}, "n_starts must be"),
        ({"sequence": "exact", "max_states": 10}, "max_states=10 is too small"),
        ({"sequence": "genetic", "n_replace": 51}, "n_replace must be at most"),
    ],
)
def test_refused_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        KDegreeAnonymizer(**{"k": 2, **parameters}).fit(dataset("karate"))


def test_one_seed_one_graph():
    anonymizer = KDegreeAnonymizer(3, random_state=5)
    first = anonymizer.fit_transform(dataset("karate"))
    again = clone(anonymizer).fit_transform(dataset("karate"))
    assert np.array_equal(first.edges, again.edges)


def test_the_report_holds_numbers_only():
    anonymizer = KDegreeAnonymizer(5, sequence="exact", random_state=0)
    report = anonymizer.fit(dataset("karate")).report_
    assert report.details["l1_distance"] == 18
    assert report.details["modified_edges"] == report.details["edges_removed"]
    assert report.details["k_reached"] >= 5
    assert json.loads(json.dumps(report.details)) == report.details


def test_weights_are_carried_along():
    edges = pd.DataFrame(
        {"a": [0, 0, 0, 3], "b": [1, 2, 3, 4], "w": [1.5, 2.5, 3.5, 4.5]}
    )
    method = KDegreeAnonymizer(2, sequence="exact", weights="carry", random_state=0)
    with pytest.warns(TellingWeightsWarning):
        published = method.fit_transform(edges)
    assert sorted(published["w"]) == [1.5, 2.5, 3.5, 4.5]
    degrees = published[["a", "b"]].stack().value_counts()
    assert degrees.value_counts().min() >= 2
