"""Super-nodes: the search, what is published, and graphs drawn from it."""

import math
from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

from anon_transformers.base import GraphAnonymizer
from anon_transformers.exceptions import (
    DataError,
    InfeasibleError,
    LabelsLeftOutWarning,
    ParameterError,
    WeightsLeftOutWarning,
)
from anon_transformers.graphs import Graph, open_graph
from anon_transformers_graphs._kernels.random_numbers import new_state
from anon_transformers_graphs.generalization import (
    NodeClusterGeneralizer,
    count_consistent_graphs,
    log_consistent_graphs,
    sample_graph,
)
from anon_transformers_graphs.generalization._kernels.supernodes import (
    close_gaps,
    dissolve_nodes,
    log_choose,
    new_division,
    refine_nodes,
    split_nodes,
)
from anon_transformers_graphs.generalization._node_clusters import LOGS


@st.composite
def graphs(draw, most=16):
    n = draw(st.integers(1, most))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    kept = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph(n, np.array(kept, dtype=np.int64).reshape(-1, 2))


def counts_between(edges, partition):
    """Edges between any two groups, the slow way."""
    counts = {}
    for u, v in edges:
        key = tuple(sorted((partition[u], partition[v])))
        counts[key] = counts.get(key, 0) + 1
    return counts


def consistent_graphs(graph, partition):
    """All graphs of the same counts, by enumeration."""
    pairs = list(combinations(range(graph.n_nodes), 2))
    wanted = counts_between(graph.edges.tolist(), partition)
    return [
        edges
        for edges in combinations(pairs, graph.n_edges)
        if counts_between(edges, partition) == wanted
    ]


@pytest.mark.parametrize(
    "name", ["two_blocks", "one_supernode", "singletons", "H2_classes"]
)
def test_worked_examples(vector, name):
    case = vector(f"fig_2_6_generalization_{name}")
    place = {node: i for i, node in enumerate(case["input"]["nodes"])}
    graph = Graph(8, [[place[u], place[v]] for u, v in case["input"]["edges"]])
    partition = np.empty(8, dtype=int)
    for number, group in enumerate(case["parameters"]["partition"]):
        partition[[place[node] for node in group]] = number
    expected = case["expected"]["W"]
    assert count_consistent_graphs(graph, partition) == expected
    assert log_consistent_graphs(graph, partition) == pytest.approx(math.log(expected))


@settings(max_examples=30, deadline=None)
@given(graphs(most=5), st.data())
def test_consistent_graphs_are_counted(graph, data):
    groups = st.lists(
        st.sampled_from("xyz"), min_size=graph.n_nodes, max_size=graph.n_nodes
    )
    partition = data.draw(groups)
    counted = len(consistent_graphs(graph, partition))
    assert count_consistent_graphs(graph, partition) == counted
    assert math.exp(log_consistent_graphs(graph, partition)) == pytest.approx(counted)


def test_a_partition_of_other_nodes_is_refused():
    with pytest.raises(DataError, match="3 entries"):
        log_consistent_graphs(Graph(2, []), [0, 1, 1])


@settings(max_examples=40, deadline=None)
@given(graphs(), st.integers(1, 6))
def test_what_is_published_counts_the_graph(graph, k):
    method = NodeClusterGeneralizer(k, relabel=False, keep_mapping=True, random_state=0)
    if graph.n_nodes < k:
        with pytest.raises(InfeasibleError, match=f"k={k}"):
            method.fit_transform(graph)
        return
    published = method.fit_transform(graph)
    partition = [method.mapping_[node] for node in range(graph.n_nodes)]
    sizes = np.bincount(partition)
    counts = counts_between(graph.edges.tolist(), partition)
    assert (published.labels["nodes"] == sizes).all()
    assert k <= sizes.min() and sizes.max() < 2 * k
    inside = [counts.get((x, x), 0) for x in range(len(sizes))]
    assert published.labels["edges_inside"].tolist() == inside
    between = {
        tuple(e): w
        for e, w in zip(published.edges.tolist(), published.weights, strict=True)
    }
    assert between == {pair: c for pair, c in counts.items() if pair[0] != pair[1]}
    assert method.log_w_ == pytest.approx(
        log_consistent_graphs(graph, partition), abs=1e-6
    )
    assert method.n_supernodes_ == len(sizes) == method.report_.details["supernodes"]
    assert not [key for key in vars(method) if "partition" in key]


@pytest.mark.parametrize("change", [refine_nodes, dissolve_nodes])
@settings(max_examples=30, deadline=None)
@given(graph=graphs(), k=st.integers(2, 4), seed=st.integers(0, 2**32 - 1))
def test_the_search_knows_what_it_gains(change, graph, k, seed):
    if graph.n_nodes < k:
        return
    lists = graph.adjacency.indptr.astype(np.int64), graph.adjacency.indices
    division = new_division(lists, LOGS, k)
    state = new_state(np.random.default_rng(seed))
    n_blocks = split_nodes(division, 1, state)
    before = log_consistent_graphs(graph, division.block)
    gained = change(division, 10, state)
    after = log_consistent_graphs(graph, division.block)
    assert gained >= -1e-9
    assert after == pytest.approx(before - gained, abs=1e-6)
    sizes = np.bincount(division.block, minlength=len(division.sizes))
    assert np.array_equal(sizes, division.sizes)
    assert sizes[sizes > 0].min() >= k
    assert close_gaps(division) <= n_blocks
    held = np.bincount(division.block, minlength=len(division.sizes))
    assert np.array_equal(held, division.sizes)
    n_blocks = split_nodes(division, len(np.unique(division.block)), state)
    assert np.bincount(division.block).max() < 2 * k
    assert n_blocks == division.block.max() + 1
    assert log_consistent_graphs(graph, division.block) <= after + 1e-9


def test_log_choose_within_and_beyond_the_table():
    logs = LOGS[:10]
    for total, taken in [(5, 2), (9, 9), (30, 7), (30, 0)]:
        expected = math.log(math.comb(total, taken))
        assert log_choose(logs, total, taken) == pytest.approx(expected)


@settings(max_examples=20, deadline=None)
@given(graphs(most=7))
def test_two_super_nodes_are_the_best_two(graph):
    if graph.n_nodes < 6:
        return
    method = NodeClusterGeneralizer(3, random_state=0).fit(graph)
    every = [log_consistent_graphs(graph, p) for p in partitions(graph.n_nodes, 3)]
    assert method.log_w_ == pytest.approx(min(every), abs=1e-6)


def test_most_small_graphs_are_divided_in_the_best_way():
    assert sum(is_divided_best(seed) for seed in range(300, 320)) >= 16


def is_divided_best(seed):
    drawn = nx.gnp_random_graph(8, (0.2, 0.4, 0.6)[seed % 3], seed=seed)
    graph = Graph(8, np.array(drawn.edges).reshape(-1, 2))
    # What has four nodes can be split, which is never worse.
    every = [p for p in partitions(8, 2) if np.bincount(p).max() < 4]
    best = min(log_consistent_graphs(graph, p) for p in every)
    found = NodeClusterGeneralizer(2, random_state=0).fit(graph)
    assert found.log_w_ >= best - 1e-6
    return found.log_w_ == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("k", [2, 5])
def test_no_super_node_can_be_split(k):
    tree = nx.barabasi_albert_graph(400, 1, seed=1)
    published = NodeClusterGeneralizer(k, random_state=0).fit_transform(tree)
    sizes = [size for _, size in published.nodes(data="nodes")]
    assert k <= min(sizes)
    assert max(sizes) < 2 * k


def test_nothing_stays_behind_when_a_promise_is_broken(monkeypatch):
    def broken(self, evidence):
        raise InfeasibleError("not today.")

    monkeypatch.setattr(GraphAnonymizer, "_keep_promises", broken)
    method = NodeClusterGeneralizer(2, random_state=0)
    with pytest.raises(InfeasibleError, match="not today"):
        method.fit(nx.path_graph(6))
    assert "_partition" not in vars(method)


def test_seeds_and_names_that_cannot_be_drawn_with():
    published = nx.Graph()
    published.add_node(0, nodes=3, edges_inside=1)
    with pytest.raises(ParameterError, match="random_state"):
        sample_graph(published, "x")
    published.nodes[0]["supernode"] = 7
    with pytest.raises(DataError, match="rename"):
        sample_graph(published, 0)


def partitions(n, least):
    """Every partition of n nodes into groups of at least ``least``."""

    def grow(partition):
        if len(partition) == n:
            if np.bincount(partition).min() >= least:
                yield list(partition)
            return
        for group in range(max(partition, default=-1) + 2):
            yield from grow([*partition, group])

    yield from grow([])


def test_the_search_beats_chance_and_communities(dataset):
    graph = dataset("karate")
    found = NodeClusterGeneralizer(5, random_state=0).fit(graph).log_w_
    rng = np.random.default_rng(0)
    by_degree = np.argsort(np.argsort(graph.degrees)) * 6 // 34
    tried = [rng.permutation(by_degree) for _ in range(50)]
    assert found < 115
    assert found < min(log_consistent_graphs(graph, p) for p in [by_degree, *tried])


def test_every_form_comes_back():
    table = pd.DataFrame({"a": [0, 0, 1, 3, 9], "b": [1, 2, 2, 4, None]})
    before = table.copy()
    method = NodeClusterGeneralizer(2, random_state=0)
    edges, nodes = method.fit_transform(table)
    pd.testing.assert_frame_equal(table, before)
    assert list(edges.columns) == ["a", "b", "weight"]
    assert list(nodes.columns) == ["node", "nodes", "edges_inside"]
    assert nodes["nodes"].sum() == 6
    assert edges["weight"].sum() + nodes["edges_inside"].sum() == 4
    matrix = sparse.csr_array(nx.to_scipy_sparse_array(nx.path_graph(6)))
    edges, nodes = method.fit_transform(matrix)
    assert nodes["nodes"].sum() == 6
    drawn, listed = sample_graph((edges, nodes), 0)
    assert len(drawn) == 5 and len(listed) == 6


def test_labels_and_weights_are_left_out():
    graph = nx.path_graph(4)
    nx.set_edge_attributes(graph, 7.5, "weight")
    with pytest.warns(WeightsLeftOutWarning, match=r"3 edges.*reduce=True"):
        published = NodeClusterGeneralizer(2, random_state=0).fit_transform(graph)
    assert {w for *_, w in published.edges(data="weight")} <= {1, 2, 3}
    nx.set_node_attributes(graph, "x", "name")
    with (
        pytest.warns(LabelsLeftOutWarning, match="1 label of nodes is"),
        pytest.warns(WeightsLeftOutWarning),
    ):
        published = NodeClusterGeneralizer(2, random_state=0).fit_transform(graph)
    assert {key for _, data in published.nodes(data=True) for key in data} == {
        "nodes",
        "edges_inside",
    }


def test_extremes():
    empty = NodeClusterGeneralizer(3, random_state=0).fit(nx.empty_graph(10))
    assert (empty.log_w_, empty.n_supernodes_, empty.report_.loss) == (0, 3, 0)
    complete = NodeClusterGeneralizer(3, random_state=0).fit(nx.complete_graph(10))
    assert complete.log_w_ == 0
    whole = NodeClusterGeneralizer(7, random_state=0).fit(nx.path_graph(7))
    assert whole.n_supernodes_ == 1
    assert whole.log_w_ == pytest.approx(math.log(math.comb(21, 6)))
    bare = NodeClusterGeneralizer(1, random_state=0).fit(nx.path_graph(7))
    assert (bare.n_supernodes_, bare.log_w_, bare.report_.loss) == (7, 0, 0)


def test_risk_is_that_of_super_nodes():
    method = NodeClusterGeneralizer(3, random_state=0).fit(nx.path_graph(9))
    assert method.report_.risk["highest-risk"] == pytest.approx(1 / 3)
    assert method.report_.classes["count"] == 3


@pytest.mark.parametrize("wrong", [{"k": 0}, {"k": 2.5}, {"max_iter": -1}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        NodeClusterGeneralizer(**wrong).fit(nx.path_graph(4))


@settings(max_examples=40, deadline=None)
@given(graphs(), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_drawn_graphs_are_consistent(graph, k, seed):
    if graph.n_nodes < k:
        return
    method = NodeClusterGeneralizer(k, max_iter=1, random_state=0)
    published = method.fit_transform(graph)
    drawn = sample_graph(published, seed)
    partition = drawn.labels["supernode"].to_numpy()
    assert np.bincount(partition).tolist() == published.labels["nodes"].tolist()
    counts = counts_between(drawn.edges.tolist(), partition.tolist())
    inside = published.labels["edges_inside"].tolist()
    assert [counts.pop((x, x), 0) for x in range(len(inside))] == inside
    keys = map(tuple, published.edges.tolist())
    assert counts == dict(zip(keys, published.weights.tolist(), strict=True))


def test_draws_are_uniform():
    labels = pd.DataFrame({"nodes": [3, 2, 1], "edges_inside": [1, 1, 0]})
    generalized = Graph(3, [[0, 1], [0, 2]], [4, 1], labels)
    rng = np.random.default_rng(0)
    seen = {}
    for _ in range(2000):
        key = tuple(map(tuple, sample_graph(generalized, rng).edges.tolist()))
        seen[key] = seen.get(key, 0) + 1
    assert len(seen) == 3 * math.comb(6, 4) * 3
    assert stats.chisquare(list(seen.values())).pvalue > 1e-3


def test_networkx_and_tables_can_be_drawn_from():
    method = NodeClusterGeneralizer(4, random_state=0)
    published = method.fit_transform(nx.Graph(nx.karate_club_graph().edges()))
    drawn = sample_graph(published, 1)
    assert (len(drawn), drawn.number_of_edges()) == (34, 78)
    again = sample_graph(published, 1)
    assert nx.utils.graphs_equal(drawn, again)


@pytest.mark.parametrize(
    ("labels", "weights", "message"),
    [
        (None, None, "has the labels"),
        (
            {"nodes": [2, 1], "edges_inside": [2, 0]},
            [1],
            "1 super-nodes or super-edges",
        ),
        ({"nodes": [2, 1], "edges_inside": [0, 0]}, [1.5], "weight"),
        ({"nodes": [2, -1], "edges_inside": [0, 0]}, [1], "nodes"),
    ],
)
def test_what_no_graph_can_be_is_refused(labels, weights, message):
    frame = None if labels is None else pd.DataFrame(labels)
    with pytest.raises(DataError, match=message):
        sample_graph(Graph(2, [[0, 1]], weights, frame))


def test_a_seed_settles_everything():
    graph = nx.gnm_random_graph(30, 60, seed=1)
    one, two = (
        NodeClusterGeneralizer(4, random_state=3).fit_transform(graph) for _ in range(2)
    )
    assert nx.utils.graphs_equal(one, two)


@pytest.mark.slow
def test_ten_thousand_nodes():
    graph = open_graph(nx.powerlaw_cluster_graph(10_000, 3, 0.3, seed=1))[0]
    method = NodeClusterGeneralizer(5, max_iter=3, random_state=0).fit(graph)
    assert method.report_.models[0]["level"] >= 5
    assert method.log_w_ < 0.5 * log_consistent_graphs(graph, np.zeros(10_000))


def test_degrees_of_super_nodes_have_no_combined_k():
    method = NodeClusterGeneralizer(k=3, random_state=0).fit(nx.path_graph(9))
    assert "k_combined" not in method.report_.details
