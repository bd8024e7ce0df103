"""Eigenvalues and what they tell."""

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from anon_transformers.exceptions import NotEvaluable
from anon_transformers.graphs import Graph
from anon_transformers_graphs.metrics import (
    _spectrum,
    lambda1,
    log_subgraph_centrality,
    mu2,
    spectral_report,
    subgraph_centrality,
)


def random_graph(n_nodes, density, seed):
    pairs = np.column_stack(np.triu_indices(n_nodes, 1))
    chosen = np.random.default_rng(seed).random(len(pairs)) < density
    return Graph(n_nodes, pairs[chosen])


@pytest.fixture
def as_large(monkeypatch):
    """Small graphs take the way of large ones."""
    monkeypatch.setattr(_spectrum, "SMALL", 20)


@pytest.mark.parametrize("name", ["karate", "football", "jazz"])
def test_spectra_of_the_datasets(name, dataset, vector):
    expected = vector(f"dataset_properties_{name}")["expected"]
    report = spectral_report(dataset(name))
    assert report.lambda1 == pytest.approx(expected["lambda1"], rel=1e-12)
    assert report.mu2 == pytest.approx(expected["mu2"], rel=1e-10)
    centrality = expected["subgraph_centrality_mean"]
    assert report.subgraph_centrality == pytest.approx(centrality, rel=1e-10)
    logarithm = math.log(centrality)
    assert report.log_subgraph_centrality == pytest.approx(logarithm, rel=1e-12)


def test_worked_values(people, vector):
    expected = vector("fig_2_6_metrics")["expected"]
    graph, _ = people
    assert lambda1(graph) == pytest.approx(expected["lambda1"])
    assert mu2(graph) == pytest.approx(expected["mu2"])
    centrality = expected["subgraph_centrality_mean"]
    assert subgraph_centrality(graph) == pytest.approx(centrality)


@given(st.integers(2, 15), st.floats(0, 1), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_against_matrices(n_nodes, density, seed):
    graph = random_graph(n_nodes, density, seed)
    adjacency = graph.adjacency.toarray().astype(float)
    trace = np.trace(expm(adjacency)) / n_nodes
    assert subgraph_centrality(graph) == pytest.approx(trace)
    assert lambda1(graph) == pytest.approx(np.linalg.eigvalsh(adjacency)[-1], abs=1e-9)
    laplacian = np.diag(adjacency.sum(axis=0)) - adjacency
    expected = np.linalg.eigvalsh(laplacian)[1]
    assert mu2(graph) == pytest.approx(expected, abs=1e-9)


@pytest.mark.usefixtures("as_large")
@pytest.mark.parametrize("name", ["karate", "football", "jazz"])
def test_large_graphs_take_another_way_to_the_same_numbers(name, dataset, vector):
    expected = vector(f"dataset_properties_{name}")["expected"]
    report = spectral_report(dataset(name))
    assert report.lambda1 == pytest.approx(expected["lambda1"], rel=1e-9)
    assert report.mu2 == pytest.approx(expected["mu2"], rel=1e-7)
    logarithm = math.log(expected["subgraph_centrality_mean"])
    assert report.log_subgraph_centrality == pytest.approx(logarithm, abs=0.01)


@pytest.mark.usefixtures("as_large")
@pytest.mark.parametrize(
    "made",
    [
        nx.star_graph(60),
        nx.path_graph(60),
        nx.cycle_graph(60),
        nx.gnm_random_graph(60, 90, 3),
    ],
    ids=["star", "path", "cycle", "random"],
)
def test_shapes_whose_eigenvalues_coincide(made):
    graph = Graph(len(made), np.array(made.edges))
    values = np.linalg.eigvalsh(nx.to_numpy_array(made))
    assert lambda1(graph) == pytest.approx(values[-1])
    expected = nx.laplacian_spectrum(made)[1] if nx.is_connected(made) else 0
    assert mu2(graph) == pytest.approx(expected, abs=1e-9)
    logarithm = math.log(np.exp(values).mean())
    assert log_subgraph_centrality(graph) == pytest.approx(logarithm, abs=0.05)


@pytest.mark.usefixtures("as_large")
def test_searches_repeat(dataset):
    one, other = (spectral_report(dataset("football")) for _ in range(2))
    assert one == other
    assert one != spectral_report(dataset("football"), random_state=1)


@pytest.mark.usefixtures("as_large")
def test_a_search_without_an_end_raises(monkeypatch, dataset):
    def never(*args, **options):
        raise _spectrum.ArpackNoConvergence("no", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr(_spectrum, "eigsh", never)
    with pytest.raises(NotEvaluable, match="115 nodes did not converge"):
        lambda1(dataset("football"))


@pytest.mark.usefixtures("as_large")
def test_a_system_that_is_not_solved_raises(monkeypatch, dataset):
    monkeypatch.setattr(_spectrum, "cg", lambda *args, **options: (args[1], 1))
    with pytest.raises(NotEvaluable, match="115 nodes did not converge"):
        mu2(dataset("football"))


def test_disconnected_and_tiny_graphs():
    assert mu2(Graph(4, [[0, 1], [2, 3]])) == 0.0
    assert mu2(Graph(2, [[0, 1]])) == pytest.approx(2)
    assert np.isnan(mu2(Graph(1, [])))
    assert lambda1(Graph(3, [])) == 0.0
    assert np.isnan(
        [lambda1(Graph(0, [])), log_subgraph_centrality(Graph(0, []))]
    ).all()
    assert subgraph_centrality(Graph(3, [])) == 1.0


def test_a_centrality_too_large_for_a_float_has_a_logarithm():
    """Of a complete graph the largest eigenvalue is n - 1, and the others are -1."""
    n = 720
    graph = Graph(n, np.column_stack(np.triu_indices(n, 1)))
    assert subgraph_centrality(graph) == np.inf
    assert spectral_report(graph).to_dict()["subgraph_centrality"] is None
    expected = n - 1 - math.log(n)
    assert log_subgraph_centrality(graph) == pytest.approx(expected, rel=1e-12)
