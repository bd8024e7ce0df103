"""k-neighborhood anonymity."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers.graphs import Graph
from anon_transformers.hierarchies import Hierarchy
from anon_transformers_graphs._kernels.triangles import in_triangles, triangle_closure
from anon_transformers_graphs.neighborhoods import KNeighborhoodAnonymizer

TOWNS = Hierarchy.from_groups({"IT": ["Rome", "Pisa"], "DE": ["Bonn", "Ulm"]})


@st.composite
def graphs(draw, most=14):
    n = draw(st.integers(1, most))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    kept = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph(n, np.array(kept, dtype=np.int64).reshape(-1, 2))


def opened(graph):
    made = nx.Graph()
    made.add_nodes_from(range(graph.n_nodes))
    made.add_edges_from(graph.edges.tolist())
    if graph.labels is not None:
        for node, row in enumerate(graph.labels.astype(object).to_numpy().tolist()):
            made.nodes[node]["label"] = tuple(map(str, row))
    return made


def level(graph):
    """Nodes that share the rarest neighborhood, by networkx."""
    made = opened(graph)
    classes = []
    for node in made:
        ball = made.subgraph([node, *made[node]]).copy()
        ball.nodes[node]["center"] = True
        for held in classes:
            if nx.is_isomorphic(ball, held[0], node_match=lambda a, b: a == b):
                held[1] += 1
                break
        else:
            classes.append([ball, 1])
    return min(count for _, count in classes)


def edge_set(graph):
    return {tuple(edge) for edge in graph.edges.tolist()}


@settings(max_examples=50, deadline=None)
@given(graphs(), st.integers(1, 6))
def test_neighborhoods_are_alike_and_edges_stay(graph, k):
    method = KNeighborhoodAnonymizer(k, relabel=False, max_iter=5, random_state=0)
    if graph.n_nodes < k:
        with pytest.raises(InfeasibleError, match=f"k={k}"):
            method.fit_transform(graph)
        return
    published = method.fit_transform(graph)
    assert published.n_nodes == graph.n_nodes
    assert edge_set(graph) <= edge_set(published)
    assert level(published) >= k
    assert method.n_removed_ == 0
    if level(graph) >= k:
        assert method.n_added_ == 0


@settings(max_examples=40, deadline=None)
@given(graphs(most=12), st.integers(1, 4), st.data())
def test_labels_are_generalized_along_their_hierarchy(graph, k, data):
    if graph.n_nodes < k:
        return
    towns = st.sampled_from(["Rome", "Pisa", "Bonn", "Ulm", None])
    town = data.draw(st.lists(towns, min_size=graph.n_nodes, max_size=graph.n_nodes))
    labels = pd.DataFrame({"town": pd.Series(town, dtype="str")})
    before = labels.copy()
    given_ = Graph(graph.n_nodes, graph.edges, labels=labels)
    method = KNeighborhoodAnonymizer(
        k, hierarchies={"town": TOWNS}, relabel=False, max_iter=2, random_state=0
    )
    published = method.fit_transform(given_)
    pd.testing.assert_frame_equal(labels, before)
    assert edge_set(graph) <= edge_set(published)
    assert level(published) >= k
    above = {row[0]: {row[0], row[1], "*"} for row in TOWNS.rows}
    for was, now in zip(town, published.labels["town"], strict=True):
        assert pd.isna(now) or now == "*" if was is None else now in above[was]


def test_a_large_sparse_graph_stays_mostly_as_it_is():
    graph = nx.gnm_random_graph(2000, 4000, seed=1)
    method = KNeighborhoodAnonymizer(5, random_state=0)
    published = method.fit_transform(graph)
    assert method.report_.models[0]["level"] >= 5
    assert len(published) == 2000
    assert 0 < method.n_added_ < 400
    assert method.n_grouped_ < 200


def test_rare_neighborhoods_are_met(dataset):
    graph = dataset("karate")
    method = KNeighborhoodAnonymizer(2, relabel=False, random_state=0)
    published = method.fit_transform(graph)
    assert level(published) >= 2
    assert method.n_added_ <= 30


def test_complete_and_empty_graphs_stay_so():
    for graph in (nx.complete_graph(5), nx.empty_graph(5), nx.cycle_graph(7)):
        method = KNeighborhoodAnonymizer(5, random_state=0)
        assert len(method.fit_transform(graph)) == len(graph)
        assert (method.n_added_, method.n_grouped_) == (0, 0)


def test_nodes_without_edges_stay():
    graph = nx.disjoint_union(nx.star_graph(4), nx.empty_graph(3))
    method = KNeighborhoodAnonymizer(2, random_state=0)
    published = method.fit_transform(graph)
    assert len(published) == 8
    assert method.report_.models[0]["level"] >= 2


def test_only_the_labels_asked_for_are_published():
    edges = pd.DataFrame({"a": [1, 2, 3], "b": [2, 3, 4]})
    nodes = pd.DataFrame({"name": [1, 2, 3, 4], "x": [1, 1, 2, 2], "y": list("stuv")})
    method = KNeighborhoodAnonymizer(2, labels=["x"], random_state=0)
    _, published = method.fit_transform((edges, nodes))
    assert list(published.columns) == ["name", "x"]
    bare = KNeighborhoodAnonymizer(2, labels=[], random_state=0)
    assert list(bare.fit_transform((edges, nodes))[1].columns) == ["name"]
    with pytest.raises(ParameterError, match="labels: unknown label 'z'"):
        KNeighborhoodAnonymizer(2, labels=["z"]).fit((edges, nodes))
    with pytest.raises(ParameterError, match="hierarchies: unknown label 'town'"):
        KNeighborhoodAnonymizer(2, hierarchies={"town": TOWNS}).fit((edges, nodes))


def test_labels_that_a_hierarchy_does_not_know_are_counted_and_not_shown():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, "Atlantis", "town")
    method = KNeighborhoodAnonymizer(2, hierarchies={"town": TOWNS})
    with pytest.raises(DataError, match="3 nodes") as caught:
        method.fit(graph)
    assert "Atlantis" not in str(caught.value)


@pytest.mark.parametrize(
    "wrong", [{"k": 0}, {"max_iter": -1}, {"time_limit": -1}, {"hierarchies": {"x": 3}}]
)
def test_wrong_parameters_are_refused(wrong):
    graph = nx.path_graph(6)
    nx.set_node_attributes(graph, 1, "x")
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        KNeighborhoodAnonymizer(**wrong).fit(graph)


def test_a_seed_settles_everything():
    graph = nx.gnm_random_graph(60, 120, seed=3)
    one, two = (
        KNeighborhoodAnonymizer(3, random_state=3).fit_transform(graph)
        for _ in range(2)
    )
    assert nx.utils.graphs_equal(one, two)


@settings(max_examples=30, deadline=None)
@given(graphs(), st.data())
def test_closures_by_triangles(graph, data):
    made = opened(graph)
    lists = graph.adjacency.indptr, graph.adjacency.indices
    triangles = nx.triangles(made)
    assert in_triangles(*lists).tolist() == [triangles[v] > 0 for v in made]
    inside = set(data.draw(st.lists(st.sampled_from(sorted(made)))))
    mask = np.isin(np.arange(graph.n_nodes), list(inside))
    triangle_closure(*lists, mask)
    grown = True
    while grown:
        grown = {
            other
            for node in inside
            for other in made[node]
            if set(made[node]) & set(made[other])
        } - inside
        inside |= grown
    assert set(np.flatnonzero(mask).tolist()) == inside


@pytest.mark.slow
def test_ten_thousand_nodes():
    graph = nx.barabasi_albert_graph(10_000, 3, seed=1)
    method = KNeighborhoodAnonymizer(2, max_iter=5, random_state=0)
    method.fit(graph)
    assert method.report_.models[0]["level"] >= 2
    assert method.n_added_ < 6000


def test_labels_are_a_list():
    with pytest.raises(ParameterError, match="labels must be a list"):
        KNeighborhoodAnonymizer(2, labels="town").fit(nx.path_graph(4))
