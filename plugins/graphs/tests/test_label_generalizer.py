"""Clusters of nodes with generalized labels."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers.graphs import Graph
from anon_transformers.hierarchies import Hierarchy, Intervals
from anon_transformers_graphs._labels import LabelColumn, open_labels
from anon_transformers_graphs.generalization import LabelGeneralizer, sample_graph

TOWNS = Hierarchy.from_groups({"IT": ["Rome", "Pisa"], "DE": ["Bonn", "Ulm"]})


@st.composite
def graphs(draw, most=14):
    n = draw(st.integers(1, most))
    pairs = [(i, j) for i in range(n) for j in range(i)]
    kept = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    some = lambda *values: st.lists(st.sampled_from(values), min_size=n, max_size=n)  # noqa: E731
    towns = pd.Series(draw(some("Rome", "Pisa", "Bonn", "Ulm", None)), dtype="str")
    labels = pd.DataFrame({"town": towns, "age": draw(some(1, 2, 3))})
    return Graph(n, np.array(kept, dtype=np.int64).reshape(-1, 2), labels=labels)


@settings(max_examples=50, deadline=None)
@given(graphs(), st.integers(1, 5), st.floats(0, 1), st.floats(0, 1))
def test_clusters_say_the_truth(graph, k, alpha, beta):
    if alpha + beta == 0:
        return
    method = LabelGeneralizer(
        k,
        hierarchies={"town": TOWNS},
        alpha=alpha,
        beta=beta,
        relabel=False,
        keep_mapping=True,
    )
    if graph.n_nodes < k:
        with pytest.raises(InfeasibleError, match=f"k={k}"):
            method.fit_transform(graph)
        return
    published = method.fit_transform(graph)
    partition = np.array([method.mapping_[node] for node in range(graph.n_nodes)])
    sizes = np.bincount(partition)
    assert k <= sizes.min() and sizes.max() < 2 * k
    assert published.labels["nodes"].tolist() == sizes.tolist()
    within = partition[graph.edges[:, 0]] == partition[graph.edges[:, 1]]
    assert published.labels["edges_inside"].sum() == within.sum()
    lost = {"town": 0.0, "age": 0.0}
    for cluster in range(len(sizes)):
        held = graph.labels[partition == cluster]
        for name, levels in (("town", 2), ("age", 1)):
            level, text = lowest_common(held[name], name)
            now = published.labels[name][cluster]
            assert pd.isna(now) if text is None else str(now) == text
            lost[name] += level / levels * len(held) / graph.n_nodes
    assert method.label_losses_ == pytest.approx(lost)
    assert method.label_loss_ == pytest.approx(sum(lost.values()) / 2)


def lowest_common(values, name):
    """Level and text at which all values are the same, from the rows."""
    paths = {row[0]: row for row in TOWNS.rows}
    if name == "age":
        paths = {str(age): (str(age), "*") for age in (1, 2, 3)}
    texts = {None if pd.isna(value) else str(value) for value in values}
    if texts == {None}:
        return 0, None
    depth = len(next(iter(paths.values()))) - 1
    if None in texts:
        return depth, "*"
    for level in range(depth + 1):
        found = {paths[text][level] for text in texts}
        if len(found) == 1:
            return level, found.pop()
    raise AssertionError


def test_losses_of_the_structure():
    """A path of four in two halves: one of four pairs between them is an edge."""
    graph = nx.path_graph(4)
    nx.set_node_attributes(graph, dict(enumerate("aabb")), "x")
    method = LabelGeneralizer(2, relabel=False).fit(graph)
    assert (method.label_loss_, method.intra_loss_) == (0, 0)
    assert method.inter_loss_ == pytest.approx(1 * (1 - 1 / 4) / 3)
    assert method.report_.loss == pytest.approx(0.5 * method.structure_loss_)
    nx.set_node_attributes(graph, "a", "x")
    whole = LabelGeneralizer(3, relabel=False).fit(graph)
    assert (whole.n_supernodes_, whole.inter_loss_) == (1, 0)
    assert whole.intra_loss_ == pytest.approx(1 - 3 / 6)


def test_weights_choose_between_labels_and_structure():
    graph = nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4))
    nx.set_node_attributes(graph, {node: "ab"[node % 2] for node in graph}, "x")
    labels = LabelGeneralizer(4, alpha=1, beta=0, random_state=0).fit(graph)
    structure = LabelGeneralizer(4, alpha=0, beta=1, random_state=0).fit(graph)
    assert (labels.label_loss_, structure.label_loss_) == (0, 1)
    assert labels.structure_loss_ > structure.structure_loss_ == 0


def test_a_node_that_is_left_over_joins_where_least_is_lost():
    graph = nx.star_graph(4)  # its center is the first to find a like
    nx.set_node_attributes(graph, dict(enumerate("aabcd")), "x")
    method = LabelGeneralizer(2, alpha=1, beta=0).fit(graph)
    assert method.label_loss_ == pytest.approx(3 / 5)


def test_nodes_without_edges_are_put_together():
    graph = nx.disjoint_union(nx.complete_graph(3), nx.empty_graph(3))
    nx.set_node_attributes(graph, "a", "x")
    method = LabelGeneralizer(3).fit(graph)
    assert method.structure_loss_ == 0


def test_builders_and_tables():
    edges = pd.DataFrame({"one": ["a", "b", "c"], "other": ["b", "c", "d"]})
    nodes = pd.DataFrame({"name": list("abcd"), "age": [31.0, 38.0, 52.0, 55.0]})
    before = nodes.copy()
    method = LabelGeneralizer(
        2, hierarchies={"age": Intervals([10, 50])}, relabel=False
    )
    between, clusters = method.fit_transform((edges, nodes))
    pd.testing.assert_frame_equal(nodes, before)
    assert clusters["age"].tolist() == ["[30, 39]", "[50, 59]"]
    assert between["weight"].tolist() == [1]
    drawn, people = sample_graph((between, clusters), 0)
    assert len(drawn) == 3
    assert people["age"].tolist() == ["[30, 39]"] * 2 + ["[50, 59]"] * 2


@pytest.mark.parametrize("seed", range(10))
def test_a_graph_may_have_no_labels(seed):
    """Which nodes are joined depends on the order that is drawn; no edge is lost."""
    method = LabelGeneralizer(2, relabel=False, random_state=seed)
    published = method.fit_transform(nx.path_graph(4))
    assert (method.label_loss_, method.label_losses_) == (0, {})
    assert [size for _, size in published.nodes(data="nodes")] == [2, 2]
    inside = sum(count for _, count in published.nodes(data="edges_inside"))
    between = sum(count for *_, count in published.edges(data="weight"))
    assert inside + between == 3


@pytest.mark.parametrize("name", ["nodes", "edges_inside", "supernode"])
def test_labels_may_not_have_the_names_of_those_that_are_made(name):
    graph = nx.path_graph(4)
    nx.set_node_attributes(graph, 1, name)
    with pytest.raises(DataError, match="give yours"):
        LabelGeneralizer(2).fit(graph)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"alpha": -1}, "alpha"),
        ({"alpha": 0, "beta": 0}, "both"),
        ({"k": 0}, "k must"),
        ({"hierarchies": {"y": TOWNS}}, "unknown label 'y'"),
        ({"hierarchies": "town"}, "hierarchies must be a dict .* got str"),
    ],
)
def test_wrong_parameters_are_refused(wrong, message):
    graph = nx.path_graph(6)
    nx.set_node_attributes(graph, 1, "x")
    with pytest.raises(ParameterError, match=message):
        LabelGeneralizer(**wrong).fit(graph)


def test_levels_of_a_column():
    column = LabelColumn(pd.Series(["Rome", "Pisa", None, "Ulm"]), TOWNS)
    assert column.common_level(np.array([0, 1])) == 1
    assert column.common_level(np.array([0, 3])) == 2
    assert column.common_level(np.array([2, 2])) == 0
    assert column.common_level(np.array([0, 2])) == 2
    assert column.common_level(np.array([0]), least=1) == 1
    shown = column.published(np.arange(4), np.array([0, 1, 0, 2]))
    assert shown.fillna("?").tolist() == ["Rome", "IT", "?", "*"]


def test_labels_are_what_readers_see():
    given = pd.Series([True, 1, "True", "1", 1.0, None, ""], dtype=object, name="x")
    column = LabelColumn(given, None)
    assert len(set(column.groups[0].tolist())) == 4
    assert column.common_level(np.array([0, 2])) == 0
    assert column.common_level(np.array([0, 1])) == 1
    assert column.common_level(np.array([1, 3])) == 0
    assert column.common_level(np.array([1, 4])) == 1
    assert column.common_level(np.array([5, 6])) == 0
    shown = column.published(np.arange(7), np.zeros(7, dtype=int))
    assert shown.iloc[:5].tolist() == [True, 1, True, 1, 1.0]
    assert shown.iloc[2] is True
    shown = column.published(np.arange(4), np.array([0, 0, 1, 0]))
    assert shown.tolist() == ["True", "1", "*", "1"]


def test_whole_numbers_are_found_in_hierarchies():
    ages = Hierarchy.from_groups({"30s": ["31", "38"], "50s": ["52"]})
    column = LabelColumn(pd.Series([31.0, None, 52.0, 38.0]), ages)
    assert column.common_level(np.array([0, 3])) == 1
    assert column.common_level(np.array([1, 3])) == column.height


def test_marks_and_containers_are_refused():
    with pytest.raises(DataError, match=r"label 'x': 2 nodes have '\*'"):
        LabelColumn(pd.Series(["a", "*", None, "*"], name="x"), None)
    with pytest.raises(DataError, match=r"label 'x': 1 nodes have a list"):
        LabelColumn(pd.Series(["a", ["b"]], name="x"), None)
    twice = pd.DataFrame([[1, 2]], columns=["x", "x"])
    with pytest.raises(DataError, match="the name 'x'"):
        open_labels(twice, None)


@pytest.mark.slow
def test_ten_thousand_nodes():
    graph = nx.barabasi_albert_graph(10_000, 3, seed=1)
    rng = np.random.default_rng(0)
    ages = rng.integers(0, 100, 10_000).tolist()
    nx.set_node_attributes(graph, dict(enumerate(ages)), "age")
    method = LabelGeneralizer(5, hierarchies={"age": Intervals([10, 50])}).fit(graph)
    assert method.n_supernodes_ == 2000
    assert method.label_loss_ < 0.7
