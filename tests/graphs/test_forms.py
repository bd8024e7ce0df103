"""Graphs go in and come out in the form that users hold them in."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, label_codes, open_graph, telling_weights

SECRET = "Ann Smith"


@st.composite
def graphs(draw):
    n_nodes = draw(st.integers(1, 12))
    pairs = [(i, j) for i in range(n_nodes) for j in range(i)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph(n_nodes, np.array(edges, dtype=np.int64).reshape(-1, 2))


def same(one, other):
    return one.n_nodes == other.n_nodes and np.array_equal(one.edges, other.edges)


@given(graphs())
def test_a_graph_is_what_networkx_says(graph):
    twin = nx.empty_graph(graph.n_nodes)
    twin.add_edges_from(graph.edges.tolist())
    assert graph.n_edges == twin.number_of_edges()
    assert graph.degrees.tolist() == [twin.degree[i] for i in range(graph.n_nodes)]
    assert graph.degree_histogram.tolist() == nx.degree_histogram(twin)
    assert (graph.adjacency != nx.to_scipy_sparse_array(twin, weight=None)).nnz == 0
    asked = [(i, j) for i in range(graph.n_nodes) for j in range(graph.n_nodes)]
    assert graph.has_edges(asked).tolist() == [twin.has_edge(*pair) for pair in asked]


@given(graphs())
def test_every_form_comes_back(graph):
    names = np.array([f"p{i:03d}" for i in range(graph.n_nodes)])
    twin = nx.empty_graph(graph.n_nodes)
    twin.add_edges_from(graph.edges.tolist())
    whole = pd.DataFrame(names[graph.edges], columns=["a", "b"]).astype("str")
    alone = pd.DataFrame({"a": names[graph.degrees == 0], "b": None})
    forms = [
        pd.concat([whole, alone.astype(whole.dtypes)], ignore_index=True),
        (whole, pd.DataFrame({"id": names})),
        nx.relabel_nodes(twin, dict(enumerate(names))),
        sparse.csc_array(graph.adjacency),
    ]
    for given_form in forms:
        opened, form = open_graph(given_form)
        assert same(opened, graph)
        written = form.write(opened, form.names)
        assert type(written) is type(given_form)
        assert same(open_graph(written)[0], graph)
        assert sorted(open_graph(written)[1].names) == sorted(form.names)


def test_the_networkx_graph_that_is_written_is_equal():
    club = nx.karate_club_graph()
    graph, form = open_graph(club)
    again = form.write(graph, form.names)
    assert dict(again.nodes(data=True)) == dict(club.nodes(data=True))
    assert nx.utils.edges_equal(again.edges(data=True), club.edges(data=True))
    assert not again.graph, "a graph's own attributes are not ours to publish"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_whole_numbers_beside_a_missing_name_stay_whole(library):
    frames = pytest.importorskip(library)
    table = frames.DataFrame({"a": [1, 2, 9], "b": [2, 3, None], "w": [0.5, 2, None]})
    graph, form = open_graph(table)
    assert form.names.tolist() == [1, 2, 3, 9]
    assert graph.n_edges == 2
    assert graph.weights.tolist() == [0.5, 2.0]
    written = form.write(graph, form.names)
    assert type(written) is type(table)
    assert written["a"].to_list() == [1, 2, 9]


def test_names_are_compared_as_they_are_published():
    edges = pd.DataFrame({"a": [1, 2], "b": [2.0, 3.0]})
    nodes = pd.DataFrame({"id": [1, 2, 3, 4]})
    graph, _ = open_graph((edges, nodes))
    assert graph.degrees.tolist() == [1, 2, 1, 0]


def test_labels_follow_their_nodes():
    edges = pd.DataFrame({"a": ["x"], "b": ["z"]})
    nodes = pd.DataFrame({"id": ["z", "x", "y"], "club": ["1", "2", "3"]})
    graph, form = open_graph((edges, nodes))
    moved = graph.relabeled(np.array([2, 0, 1]))
    assert moved.labels["club"].tolist() == ["2", "3", "1"]
    written, listed = form.write(moved)
    assert listed["club"].tolist() == ["2", "3", "1"]
    assert written.to_numpy().tolist() == [[0, 2]]


def test_false_edges_take_weights_of_those_that_went():
    graph = Graph(6, [[0, 1], [1, 2], [2, 3]], np.array([5.0, 6.0, 7.0]))
    other = graph.with_edges([[0, 1], [3, 4], [4, 5]], np.random.default_rng(0))
    assert sorted(other.weights) == [5.0, 6.0, 7.0]
    assert other.weights[0] == 5.0
    more = graph.with_edges([[0, 1], [1, 2], [2, 3], [3, 4]], np.random.default_rng(0))
    assert more.weights[3] in {5.0, 6.0, 7.0}


def test_a_graph_cannot_be_changed():
    graph = Graph(3, [[0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        graph.edges[0, 0] = 2


LOOPS = pd.DataFrame({"a": [SECRET], "b": [SECRET]})
TWICE = pd.DataFrame({"a": [SECRET, "Bob"], "b": ["Bob", SECRET]})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (LOOPS, "1 loops"),
        (TWICE, "1 parallel edges"),
        (pd.DataFrame({"a": [None, SECRET], "b": [SECRET, "Bob"]}), "1 rows name no"),
        (pd.DataFrame({"a": [SECRET]}), "two columns"),
        (
            pd.DataFrame({"a": [SECRET], "b": ["Bob"], "w": ["much"]}),
            "column 3.*numbers",
        ),
        (pd.DataFrame({"a": [SECRET], "b": ["Bob"], "w": [np.nan]}), "no weight"),
        ((TWICE[:1], pd.DataFrame({"id": ["Bob"]})), "1 edges name a node"),
        ((TWICE[:1], pd.DataFrame({"id": ["Bob", SECRET, SECRET]})), "1 rows name"),
        (nx.DiGraph([(SECRET, "Bob")]), "directed"),
        (nx.MultiGraph([(SECRET, "Bob")]), "multigraph"),
        (nx.Graph([(SECRET, "Bob", {"since": SECRET})]), "since"),
        (sparse.csr_array(np.array([[0, 1], [0, 0]])), "not symmetric"),
        (sparse.csr_array(np.array([[1, 1], [1, 0]])), "1 loops"),
        (sparse.csr_array(np.ones((2, 3))), "square"),
        ([1, 2, 3], "list"),
        (pd.DataFrame({"a": ["", SECRET], "b": [SECRET, "Bob"]}), "1 rows name no"),
        ((TWICE[:1], pd.DataFrame({"id": ["Bob", SECRET, ""]})), "1 rows of the node"),
        (nx.Graph([("Ann", "Bob", {"weight": SECRET})]), "weights of 1 edges"),
        (nx.Graph([("Ann", "Bob", {"weight": np.nan})]), "weights of 1 edges"),
    ],
    ids=range(19),
)
def test_what_is_no_simple_graph_is_refused(given, message):
    with pytest.raises(DataError, match=message) as caught:
        open_graph(given)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "n_edges"),
    [
        (LOOPS, 0),
        (TWICE, 1),
        (nx.DiGraph([(0, 1), (1, 0), (1, 2)]), 2),
        (nx.MultiGraph([(0, 1), (0, 1)]), 1),
        (nx.Graph([(0, 1, {"since": 1999})]), 1),
        (sparse.csr_array(np.array([[1, 1, 0], [0, 0, 0], [0, 2, 0]])), 2),
    ],
    ids=range(6),
)
def test_reduce_makes_it_simple(given, n_edges):
    assert open_graph(given, reduce=True)[0].n_edges == n_edges


def test_large_numbers_are_told_apart():
    large = 2**53
    alone = pd.DataFrame({"a": [large, large + 1, large + 2], "b": [5.0, 6.0, np.nan]})
    graph, form = open_graph(alone)
    assert graph.n_nodes == 5
    assert form.names.tolist() == [5, 6, large, large + 1, large + 2]
    with pytest.raises(DataError, match="1 rows name nodes by floats"):
        open_graph(pd.DataFrame({"a": [1, 2], "b": [float(large), 3.0]}))


def test_directions_of_a_matrix_are_joined():
    matrix = sparse.csr_array(np.array([[0, -3, 0], [0, 0, 2], [0, 2, 0]]))
    graph, _ = open_graph(matrix, reduce=True)
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.weights.tolist() == [-3, 4]
    even, _ = open_graph(sparse.csr_array(np.array([[1, 5], [5, 0]])), reduce=True)
    assert even.weights.tolist() == [5]


@pytest.mark.parametrize("n_nodes", [-1, 2.5, 2**31])
def test_numbers_of_nodes_that_mean_nothing_are_refused(n_nodes):
    with pytest.raises(DataError, match="n_nodes"):
        Graph(n_nodes, [])


def test_parallel_edges_add_their_weights():
    table = pd.DataFrame({"a": [0, 1, 1], "b": [1, 0, 2], "w": [2, 3, 4]})
    graph, _ = open_graph(table, reduce=True)
    assert graph.weights.tolist() == [5, 4]


def test_sums_of_weights_that_do_not_fit_are_refused():
    edges, weights = np.array([[0, 1], [1, 0]]), np.array([200, 100], dtype=np.uint8)
    ends = [0, 1], [1, 0]
    with pytest.raises(DataError, match=r"of 1 edges.*uint8"):
        open_graph(sparse.coo_array((weights, ends), (2, 2)), reduce=True)
    table = pd.DataFrame({"a": edges[:, 0], "b": edges[:, 1], "w": [2**62, 2**62 - 1]})
    graph, _ = open_graph(table, reduce=True)
    assert graph.weights.tolist() == [2**63 - 1]


def test_a_matrix_loses_no_edge_to_weights_that_cancel_out():
    matrix = sparse.csr_array([[0, 1, 0], [-1, 0, 2], [0, 2, 0]])
    with pytest.raises(DataError, match="directions of 1 edges add up to 0"):
        open_graph(matrix, reduce=True)
    table = pd.DataFrame({"a": [0, 1], "b": [1, 0], "w": [1, -1]})
    graph, form = open_graph(table, reduce=True)
    assert form.write(graph).to_numpy().tolist() == [[0, 1, 0]]


def test_a_matrix_of_numbers_only():
    matrix = sparse.csr_array([[0, np.nan], [np.nan, 0]])
    with pytest.raises(DataError, match="2 cells of the adjacency matrix"):
        open_graph(matrix)


def test_a_column_of_nodes_comes_once():
    nodes = pd.DataFrame([[0, 1, 2]], columns=["node", "town", "town"])
    with pytest.raises(DataError, match="columns of one name \\(columns 2 and 3\\)"):
        open_graph((pd.DataFrame({"a": [], "b": []}), nodes))


def test_labels_are_what_readers_see():
    codes = label_codes(pd.Series([True, 1, 1.0, "1", None, np.nan], dtype=object))
    assert codes[1] == codes[3]
    assert codes[4] == codes[5]
    assert len({codes[0], codes[1], codes[2], codes[4]}) == 4


@given(st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_telling_weights_are_those_of_one_node(weights):
    ring = Graph(6, np.array([(i, (i + 1) % 6) for i in range(6)]), np.array(weights))
    around = [[] for _ in range(6)]
    for (u, v), weight in zip(ring.edges.tolist(), ring.weights.tolist(), strict=True):
        around[u].append(weight)
        around[v].append(weight)
    texts = [str(sorted(held)) for held in around]
    unique = sum(texts.count(text) == 1 for text in texts)
    assert telling_weights(ring) == pytest.approx(unique / 6)
