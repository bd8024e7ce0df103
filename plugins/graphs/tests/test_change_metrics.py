"""What anonymization did to a graph, and the registered metrics."""

import json
import math

import networkx as nx
import numpy as np
import pytest

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import DataError, NotEvaluable, ParameterError
from anon_transformers.graphs import Graph
from anon_transformers.metrics import measure
from anon_transformers.testing import metric_checks
from anon_transformers_graphs import metrics
from anon_transformers_graphs.metrics import compare_graphs, edge_change

CLASSES = [
    found
    for found in (getattr(metrics, name) for name in metrics.__all__)
    if hasattr(found, "better")
]
ALONE = [
    found
    for found in CLASSES
    if issubclass(found, metrics._published_metrics.PublishedMetric)
]
COMPARING = [found for found in CLASSES if found not in ALONE]


def without(graph, places):
    return graph.with_edges(np.delete(graph.edges, places, axis=0))


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{cls.name}-{name}")
        for cls in CLASSES
        for name, check in metric_checks(cls)
    ],
)
def test_metrics_keep_the_contract(check):
    check()


def test_names_are_different():
    assert len(ALONE) == 10
    assert len(COMPARING) == 5
    assert len({found.name for found in CLASSES}) == len(CLASSES)


@pytest.mark.parametrize("cls", COMPARING)
def test_a_gate_has_no_original(cls, dataset):
    with pytest.raises(NotEvaluable, match="needs the original graph"):
        measure(cls(), GraphEvidence(dataset("karate")))


@pytest.mark.parametrize("cls", ALONE)
def test_the_original_is_not_looked_at(cls, dataset):
    graph = dataset("karate")
    alone = measure(cls(), GraphEvidence(graph))
    beside = GraphEvidence(graph, without(graph, range(40)))
    assert measure(cls(), beside) == alone


def test_numbers_of_karate(dataset, vector):
    expected = vector("dataset_properties_karate")["expected"]
    evidence = GraphEvidence(dataset("karate"))
    for cls, key in (
        (metrics.AverageDegree, "average_degree"),
        (metrics.AverageDistance, "average_distance_float"),
        (metrics.Diameter, "diameter"),
        (metrics.HarmonicDistance, "harmonic_mean_distance"),
        (metrics.Transitivity, "transitivity"),
        (metrics.Lambda1, "lambda1"),
        (metrics.Mu2, "mu2"),
    ):
        assert cls().measure(evidence) == pytest.approx(expected[key])
    logarithm = math.log(expected["subgraph_centrality_mean"])
    found = metrics.LogSubgraphCentrality().measure(evidence)
    assert found == pytest.approx(logarithm)
    clusters = metrics.ClusterModularity(inflation=1.8).measure(evidence)
    assert clusters == pytest.approx(0.37146614069691)


def test_what_is_not_defined_cannot_be_evaluated():
    parts = GraphEvidence(Graph(4, [[0, 1]]))
    for cls in (metrics.AverageDistance, metrics.Diameter):
        with pytest.raises(NotEvaluable, match=f"{cls.name} is not defined"):
            cls().measure(parts)
    bare = GraphEvidence(Graph(3, []))
    for cls in (metrics.HarmonicDistance, metrics.ClusterModularity):
        with pytest.raises(NotEvaluable, match=f"{cls.name} is not defined"):
            cls().measure(bare)
    with pytest.raises(NotEvaluable, match="mu2 is not defined"):
        metrics.Mu2().measure(GraphEvidence(Graph(1, [])))
    assert metrics.LargestComponentShare().measure(parts) == 0.5


def test_no_threshold_rests_on_a_lower_bound(dataset):
    with pytest.raises(TypeError, match="n_sources"):
        metrics.Diameter(n_sources=1)
    evidence = GraphEvidence(dataset("karate"))
    assert metrics.Diameter().measure(evidence) == 5


@pytest.mark.parametrize(
    "measured",
    [
        lambda graph: metrics.compare_graphs(graph, graph, random_state="x"),
        lambda graph: metrics.centralities(graph, random_state="x"),
        lambda graph: metrics.closeness(graph, n_sources=2, random_state="x"),
        lambda graph: metrics.spectral_report(graph, random_state="x"),
    ],
    ids=["compare", "centralities", "closeness", "spectrum"],
)
def test_seeds_that_are_none_are_refused(measured):
    with pytest.raises(ParameterError, match="random_state"):
        measured(Graph(3, [[0, 1]]))


def test_both_sides_must_be_defined():
    ring, broken = Graph(3, [[0, 1], [1, 2], [0, 2]]), Graph(3, [[0, 1]])
    change = metrics.StructuralChange("diameter")
    with pytest.raises(NotEvaluable, match="diameter is not defined"):
        change.measure(GraphEvidence(ring, broken))
    assert metrics.StructuralChange("mu2").measure(
        GraphEvidence(ring, broken)
    ) == pytest.approx(3)


@pytest.mark.parametrize(
    ("cls", "options"),
    [
        (metrics.StructuralChange, {"of": "radius"}),
        (metrics.CentralityError, {"of": "eigenvector"}),
        (metrics.AverageDistance, {"n_sources": 0}),
        (metrics.ClusterModularity, {"inflation": 1}),
        (metrics.ClusteringSimilarity, {"inflation": "high"}),
    ],
)
def test_parameters(cls, options):
    with pytest.raises(ParameterError, match=next(iter(options))):
        cls(**options)


def test_edges_of_the_worked_case(vector):
    """Case 1 of the source: one edge goes, another one comes."""
    original = Graph(6, [[0, 1], [0, 3], [1, 2], [1, 4], [2, 4], [2, 5], [3, 5]])
    published = Graph(6, [[0, 2], [0, 3], [1, 2], [1, 4], [2, 4], [2, 5], [3, 5]])
    change = edge_change(original, published)
    assert (change.kept, change.deleted, change.added) == (6, 1, 1)
    assert change.cost == 2 * change.deleted
    evidence = GraphEvidence(published, original)
    assert metrics.EdgeCost().measure(evidence) == 2
    assert metrics.ModifiedEdges().measure(evidence) == pytest.approx(1 / 7)


@pytest.mark.parametrize("name", ["karate", "football", "jazz"])
def test_percentages_of_the_tables(name, dataset, vector):
    entry = vector(f"rgc_modified_edge_percent_{name}")
    graph = dataset(name)
    for k, modified in entry["input"]["modified"].items():
        change = edge_change(graph, without(graph, range(modified)))
        digits = 1 if name in {"karate", "jazz"} else 2
        found = round(change.modified_percent, digits)
        assert found == entry["expected"]["percent"][k]


def test_a_graph_and_itself(dataset):
    found = compare_graphs(dataset("karate"), dataset("karate"))
    assert found.edges.cost == 0
    assert set(found.errors.values()) == {0.0}
    assert set(found.distribution_changes.values()) == {0.0}
    assert (found.measures()["difference"] == 0).all()


def test_a_graph_that_was_changed(dataset):
    original = dataset("karate")
    published = without(original, [0, 5])
    found = compare_graphs(original, published)
    table = found.measures()
    assert table.loc["n_edges"].tolist() == [78, 76, -2]
    assert table.loc["lambda1", "difference"] < 0
    moves = (published.degrees - original.degrees) / 33
    assert found.errors["degree"] == pytest.approx(math.sqrt((moves**2).sum() / 34))
    for of in ("betweenness", "closeness", "degree"):
        error = metrics.CentralityError(of).measure(GraphEvidence(published, original))
        assert error == pytest.approx(found.errors[of])
        assert error > 0
    changed = original.degree_histogram / 34
    padded = np.pad(published.degree_histogram, (0, 1))[: len(changed)] / 34
    expected = np.abs(changed - padded).sum() / 2
    assert found.distribution_changes["degrees"] == pytest.approx(expected)
    change = metrics.StructuralChange("transitivity")
    value = change.measure(GraphEvidence(published, original))
    assert value == pytest.approx(abs(table.loc["transitivity", "difference"]))


def test_a_comparison_can_be_written(dataset):
    graph = dataset("karate")
    found = compare_graphs(graph, Graph(34, []), n_sources=5)
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert written["measures"]["diameter"]["published"] is None
    assert written["measures"]["n_edges"]["difference"] == -78
    assert written["errors"]["mean_distance"] is None
    assert written["distribution_changes"]["path_lengths"] is None
    assert written["edges"]["cost"] == 78


def test_samples_are_of_the_same_nodes(dataset):
    graph = dataset("jazz")
    found = compare_graphs(graph, graph, n_sources=20, random_state=4)
    assert found.original.n_sources == 20
    assert (found.measures()["difference"] == 0).all()
    assert set(found.errors.values()) == {0.0}


def test_other_nodes_cannot_be_compared(dataset):
    with pytest.raises(DataError, match="34 nodes and what is published 5"):
        compare_graphs(dataset("karate"), Graph(5, []))


def test_noise_nodes_and_their_edges_count_as_added():
    square = nx.cycle_graph("abcd")
    noisy = nx.Graph([*square.edges, ("y", "a"), ("y", "z")])
    noisy.remove_edge("c", "d")
    found = compare_graphs(square, noisy)
    assert found.edges == metrics.EdgeChange(kept=3, deleted=1, added=2)
    assert edge_change(square, noisy) == found.edges
    assert found.measures().loc["n_nodes"].tolist() == [4, 6, 2]
    # Over a, b, c, d: degrees were 2 of 3 others, and are 3, 2, 1, 1 of 5.
    moves = np.array([3 / 5, 2 / 5, 1 / 5, 1 / 5]) - 2 / 3
    assert found.errors["degree"] == pytest.approx(math.sqrt((moves**2).mean()))
    # Sums of distances from a, b, c and d in the tree c - b - a - d with a - y - z.
    means = np.array([7, 9, 13, 11]) / 5 - 4 / 3
    assert found.errors["mean_distance"] == pytest.approx(math.sqrt((means**2).mean()))
    sampled = compare_graphs(square, noisy, n_sources=2)
    assert sampled.edges == found.edges


def test_clusters_are_of_the_originals_nodes():
    two = nx.Graph([*nx.complete_graph("abc").edges, *nx.complete_graph("xyz").edges])
    noisy = nx.Graph([*two.edges, ("q", "a"), ("q", "b"), ("q", "c"), ("n", "m")])
    found = metrics.clustering_change(two, noisy)
    assert found.jaccard == 1
    assert sorted(map(sorted, found.published)) == [["a", "b", "c"], ["x", "y", "z"]]
    assert found.published_coverage == 1
