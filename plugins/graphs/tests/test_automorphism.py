"""k-automorphism by K-Match."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import (
    InfeasibleError,
    ParameterError,
    TellingWeightsWarning,
)
from anon_transformers.graphs import Graph
from anon_transformers_graphs.automorphism import KAutomorphismAnonymizer
from anon_transformers_graphs.automorphism._kernels.alignment import (
    grow_table,
    improve_table,
    orbit,
    orbit_size,
)
from anon_transformers_graphs.automorphism._match import match


@st.composite
def graphs(draw, most=14):
    n = draw(st.integers(1, most))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    kept = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph(n, np.array(kept, dtype=np.int64).reshape(-1, 2))


def edge_set(graph):
    return {tuple(edge) for edge in graph.edges.tolist()}


def assert_automorphisms(graph, functions, k):
    """Edge by edge, and node by node."""
    held = edge_set(graph)
    assert functions.shape == (k - 1, graph.n_nodes)
    for function in functions.tolist():
        assert sorted(function) == list(range(graph.n_nodes))
        for u, v in held:
            assert tuple(sorted((function[u], function[v]))) in held
    for node in range(graph.n_nodes):
        assert len({node, *functions[:, node].tolist()}) == k


@settings(max_examples=50, deadline=None)
@given(graphs(), st.integers(1, 6), st.sampled_from(["nodes", "twins"]))
def test_automorphisms_hold_and_edges_stay(graph, k, padding):
    method = KAutomorphismAnonymizer(
        k, padding=padding, relabel=False, max_iter=5, random_state=0
    )
    if graph.n_nodes < k:
        with pytest.raises(InfeasibleError, match=f"k={k}"):
            method.fit_transform(graph)
        return
    published = method.fit_transform(graph)
    assert edge_set(graph) <= edge_set(published)
    assert_automorphisms(published, method.evidence_.functions, k)
    padded = -graph.n_nodes % k if padding == "nodes" else 0
    assert published.n_nodes == graph.n_nodes + padded == len(published.degrees)
    assert method.n_noise_nodes_ == padded
    assert method.n_removed_ == 0
    assert method.n_added_ == published.n_edges - graph.n_edges


@settings(max_examples=30, deadline=None)
@given(graphs(), st.integers(2, 5))
def test_new_names_carry_the_automorphisms_along(graph, k):
    if graph.n_nodes < k:
        return
    method = KAutomorphismAnonymizer(k, max_iter=2, random_state=1)
    published = method.fit_transform(graph)
    assert_automorphisms(published, method.evidence_.functions, k)


@settings(max_examples=40, deadline=None)
@given(graphs(), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_the_search_counts_the_edges_that_are_published(graph, k, seed):
    graph = Graph(graph.n_nodes + -graph.n_nodes % k, graph.edges)
    indptr = graph.adjacency.indptr.astype(np.int64)
    indices = graph.adjacency.indices
    places = grow_table(indptr, indices, 0, k)
    assert sorted(places) == list(range(graph.n_nodes))
    rng = np.random.default_rng(seed)
    outside = rng.integers(0, 3, graph.n_nodes)
    done = np.zeros(1, dtype=np.int64)
    counted = improve_table(indptr, indices, outside, places, 0, k, rng, 50, 1.0, done)
    table, held = places.reshape(-1, k).tolist(), set()
    at = {node: (r, c) for r, row in enumerate(table) for c, node in enumerate(row)}
    for u, v in edge_set(graph):
        (r, c), (s, d) = at[u], at[v]
        for t in range(k):
            copy = table[r][(c + t) % k], table[s][(d + t) % k]
            held.add(tuple(sorted(copy)))
    assert counted == len(held)


@settings(max_examples=40, deadline=None)
@given(graphs(), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_rows_that_there_are_stay(graph, k, seed):
    graph = Graph(graph.n_nodes + -graph.n_nodes % k, graph.edges)
    rng = np.random.default_rng(seed)
    n_fixed = rng.integers(0, graph.n_nodes // k + 1)
    rows = rng.permutation(graph.n_nodes)[: n_fixed * k].reshape(-1, k)
    found = match(graph, k, rng, 5, rows=rows)
    assert found.table[:n_fixed].tolist() == rows.tolist()
    assert sorted(found.table.ravel()) == list(range(graph.n_nodes))
    assert edge_set(graph) <= set(map(tuple, np.sort(found.edges, axis=1).tolist()))
    assert_automorphisms(Graph(graph.n_nodes, found.edges), found.functions, k)


def test_orbits_partition_all_pairs():
    q, k = 3, 4
    sizes = {}
    for one in range(q * k):
        for other in range(one):
            key = orbit(one, other, q, k)
            assert key == orbit(other, one, q, k)
            sizes[key] = sizes.get(key, 0) + 1
    assert sizes == {key: orbit_size(key, q, k) for key in sizes}


def test_a_graph_that_is_automorphic_needs_no_edge():
    cube = nx.hypercube_graph(3)
    graph = Graph(8, np.array(nx.convert_node_labels_to_integers(cube).edges))
    found = match(graph, 2, np.random.default_rng(0), 500)
    assert len(found.edges) == graph.n_edges


def test_four_copies_of_a_star_are_found():
    forest = nx.disjoint_union_all([nx.star_graph(5)] * 4)
    method = KAutomorphismAnonymizer(4, random_state=0)
    method.fit_transform(forest)
    assert method.n_added_ == 0


def test_the_search_saves_edges(karate):
    rough = KAutomorphismAnonymizer(2, max_iter=0, random_state=0).fit(karate)
    searched = KAutomorphismAnonymizer(2, max_iter=200, random_state=0).fit(karate)
    assert searched.n_added_ <= 20 < rough.n_added_


@pytest.mark.parametrize("padding", ["nodes", "twins"])
def test_complete_and_empty_graphs_stay_so(padding):
    complete = KAutomorphismAnonymizer(3, padding=padding, random_state=0)
    published = complete.fit_transform(nx.complete_graph(6))
    assert published.number_of_edges() == 15
    empty = KAutomorphismAnonymizer(3, padding=padding, random_state=0)
    assert empty.fit_transform(nx.empty_graph(7)).number_of_edges() == 0


def test_twins_keep_the_nodes():
    star = nx.star_graph(6)
    method = KAutomorphismAnonymizer(2, padding="twins", random_state=0)
    published = method.fit_transform(star)
    assert len(published) == 7
    assert method.n_noise_nodes_ == 0


def test_forms_weights_and_mapping_survive():
    table = pd.DataFrame(
        {"a": ["x", "y", "z"], "b": ["y", "z", None], "weight": [2.0, 5.0, None]}
    )
    before = table.copy()
    method = KAutomorphismAnonymizer(
        2, weights="carry", keep_mapping=True, random_state=0
    )
    with pytest.warns(TellingWeightsWarning):
        published = method.fit_transform(table)
    pd.testing.assert_frame_equal(table, before)
    assert list(published.columns) == ["a", "b", "weight"]
    assert set(published["weight"].dropna()) <= {2.0, 5.0}
    assert sorted(method.mapping_) == ["x", "y", "z"]
    assert {name[-1] for name in method.mapping_.values()} <= {"0", "1", "2", "3"}


def test_the_same_seed_gives_the_same_graph(karate):
    first, second = (
        KAutomorphismAnonymizer(3, random_state=4).fit_transform(karate)
        for _ in range(2)
    )
    assert nx.utils.graphs_equal(first, second)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": 0}, "k must be"),
        ({"padding": "no"}, "padding"),
        ({"max_iter": -1}, "max"),
    ],
)
def test_wrong_parameters_are_refused(wrong, message):
    with pytest.raises(ParameterError, match=message):
        KAutomorphismAnonymizer(**wrong).fit(nx.path_graph(4))


@pytest.fixture
def karate():
    graph = nx.karate_club_graph()
    return nx.Graph(graph.edges())


@pytest.mark.slow
def test_ten_thousand_nodes():
    graph = nx.powerlaw_cluster_graph(10_000, 3, 0.3, seed=1)
    method = KAutomorphismAnonymizer(5, max_iter=10, random_state=0)
    published = method.fit_transform(graph)
    assert method.report_.models[0]["level"] == 5
    assert published.number_of_edges() < 4 * graph.number_of_edges()
