"""Chains of switches: each step, where they end up, bounds, and errors."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers.graphs import Graph
from anon_transformers.testing import anonymizer_checks
from anon_transformers_graphs._kernels.edge_tables import holds, pair_key
from anon_transformers_graphs._kernels.triangles import count_triangles
from anon_transformers_graphs.randomization import FeatureChain
from anon_transformers_graphs.randomization._features import FEATURES
from anon_transformers_graphs.randomization._kernels.switch_chain import (
    new_chain,
    walk,
    walk_back,
)

# A triangle and a path of three nodes. 31 graphs have its degrees, 4 with a triangle.
SMALL = Graph(6, [[0, 1], [1, 2], [0, 2], [3, 4], [3, 5]])


def to_networkx(graph):
    made = nx.empty_graph(graph.n_nodes)
    made.add_edges_from(graph.edges.tolist())
    return made


def lists(graph):
    return graph.adjacency.indptr, graph.adjacency.indices


def members(graph):
    """All graphs of the same degrees, by their edges, with their transitivity."""
    pairs = list(combinations(range(graph.n_nodes), 2))
    found = {}
    for edges in combinations(pairs, graph.n_edges):
        made = Graph(graph.n_nodes, list(edges))
        if np.array_equal(made.degrees, graph.degrees):
            found[edges] = nx.transitivity(to_networkx(made))
    return found


def ends(n_runs, **parameters):
    """Where chains from the small graph end, by edges."""
    rng, times = np.random.default_rng(7), Counter()
    for _ in range(n_runs):
        result = FeatureChain(**parameters)._alter(SMALL, rng)
        times[tuple(map(tuple, result.edges.tolist()))] += 1
    return times


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{place}-{name.rpartition('-')[2]}")
        for place, (name, check) in enumerate(anonymizer_checks(FeatureChain))
    ],
)
def test_contract(check):
    check()


# Features


def test_features_are_those_of_the_worked_example(people, vector):
    stored = vector("fig_2_6_metrics")["expected"]
    names = {"average-distance": "average_distance", "transitivity": "transitivity"}
    names |= {"harmonic-distance": "harmonic_mean_distance"}
    names |= {"lambda1": "lambda1", "mu2": "mu2"}
    for name, key in names.items():
        expected = float(Fraction(stored[key]))
        assert FEATURES[name](*lists(people[0])) == pytest.approx(expected), name


@pytest.mark.parametrize("name", ["karate", "football", "jazz"])
def test_features_are_those_of_networkx(name, dataset):
    graph = dataset(name)
    twin = to_networkx(graph)
    assert FEATURES["transitivity"](*lists(graph)) == pytest.approx(
        nx.transitivity(twin)
    )
    assert FEATURES["average-distance"](*lists(graph)) == pytest.approx(
        nx.average_shortest_path_length(twin)
    )
    assert FEATURES["harmonic-distance"](*lists(graph)) == pytest.approx(
        1 / nx.global_efficiency(twin)
    )


# Steps


@given(
    st.integers(4, 14),
    st.integers(0, 10**6),
    st.floats(0.15, 0.8),
    st.integers(1, 12),
)
@settings(max_examples=50, deadline=None)
def test_a_walk_is_followed_and_undone(n, seed, density, block):
    twin = nx.gnp_random_graph(n, density, seed=seed)
    graph = Graph(n, list(twin.edges) or [(0, 1)])
    chain = new_chain(graph.edges, *lists(graph), block)
    rng = np.random.default_rng(seed)
    before = count_triangles(chain.starts, chain.neighbors)
    assert before == sum(nx.triangles(to_networkx(graph)).values()) // 3
    n_done, change = walk(chain, block, rng)
    walked = Graph(n, chain.edges)
    assert np.array_equal(walked.degrees, graph.degrees)
    assert_consistent(chain, walked)
    assert count_triangles(chain.starts, chain.neighbors) == before + change
    walk_back(chain, n_done)
    assert np.array_equal(Graph(n, chain.edges).edges, graph.edges)
    assert_consistent(chain, graph)


def assert_consistent(chain, graph):
    """The set of edges and the lists of neighbors are those of the graph."""
    n = graph.n_nodes
    assert (chain.table >= 0).sum() == graph.n_edges
    assert all(holds(chain.table, pair_key(a, b, n)) for a, b in graph.edges)
    for node in range(n):
        listed = chain.neighbors[chain.starts[node] : chain.starts[node + 1]]
        there = graph.edges[(graph.edges == node).any(axis=1)]
        assert sorted(listed) == sorted(there[there != node])


# Where chains end


@pytest.mark.parametrize(
    "parameters",
    [
        {"features": (), "steps_per_edge": 15},
        {"features": (), "steps_per_edge": 15, "block": 3},
        {"features": {"harmonic-distance": (0, 99)}, "steps_per_edge": 8},
    ],
    ids=["quick", "blocks", "general"],
)
def test_all_graphs_of_these_degrees_are_as_likely(parameters):
    expected = members(SMALL)
    times = ends(500, **parameters)
    assert set(times) == set(expected)
    assert chisquare(list(times.values())).pvalue > 0.001


def test_all_graphs_within_bounds_are_as_likely():
    wanted = {edges for edges, value in members(SMALL).items() if value > 0}
    times = ends(600, features={"transitivity": (0.5, 1)}, block=2, steps_per_edge=99)
    assert set(times) == wanted
    assert len(wanted) == 4
    assert chisquare(list(times.values())).pvalue > 0.001


def test_bounds_that_no_step_keeps_raise():
    # Every single switch breaks the triangle.
    with pytest.raises(InfeasibleError, match="none of 50 steps could be done"):
        ends(1, features={"transitivity": (0.5, 1)})


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "general"])
def test_metropolis_prefers_what_is_like_the_original(quick):
    # Without a triangle transitivity is off by all of its value, 3/4.
    features = {"transitivity": (0, 1)}
    if not quick:
        features["harmonic-distance"] = (0, 99)
    strength = 1.0
    weights = {
        edges: np.exp(-strength * (1 - value / 0.75))
        for edges, value in members(SMALL).items()
    }
    if not quick:
        distance = FEATURES["harmonic-distance"]
        aim = distance(*lists(SMALL))
        for edges in weights:
            off = abs(distance(*lists(Graph(6, list(edges)))) - aim) / aim
            weights[edges] *= np.exp(-strength * off)
    n_runs = 900 if quick else 300
    times = ends(
        n_runs,
        features=features,
        method="metropolis",
        strength=strength / SMALL.n_edges,
        steps_per_edge=40 if quick else 20,
    )
    expected = np.array([weights[edges] for edges in times])
    expected *= n_runs / sum(weights.values())
    assert len(times) == len(weights)
    assert chisquare(list(times.values()), expected).pvalue > 0.001


# Real graphs


@pytest.mark.parametrize(
    ("features", "parameters"),
    [
        (["transitivity"], {}),
        ({"transitivity": (0.39, 0.42)}, {}),
        (["average-distance"], {"tolerance": 0.02, "steps_per_edge": 1}),
        (["harmonic-distance", "transitivity"], {"steps_per_edge": 1}),
        (["lambda1", "mu2"], {"steps_per_edge": 0.5, "tolerance": 0.01}),
    ],
    ids=["transitivity", "bounds", "distance", "two", "spectrum"],
)
def test_features_of_football_stay_within_bounds(features, parameters, dataset):
    football = dataset("football")
    method = FeatureChain(features, relabel=False, random_state=0, **parameters)
    published = method.fit_transform(football)
    assert np.array_equal(published.degrees, football.degrees)
    assert 0 < method.n_accepted_ < method.n_steps_
    assert method.n_removed_ > 0
    for name in features:
        value, was = (FEATURES[name](*lists(g)) for g in (published, football))
        reach = method.tolerance * was
        low, high = (was - reach, was + reach)
        if isinstance(features, dict):
            low, high = features[name]
        assert low <= value <= high
        assert method.features_[name] == pytest.approx(value)
    assert method.report_.details["features"] == method.features_


def test_without_bounds_transitivity_is_lost_and_metropolis_keeps_it(dataset):
    football = dataset("football")
    free = FeatureChain((), random_state=0)
    published = free.fit_transform(football)
    assert free.features_ == {}
    assert FEATURES["transitivity"](*lists(published)) < 0.15
    strong = FeatureChain(method="metropolis", random_state=0)
    strong.fit(football)
    assert strong.features_["transitivity"] == pytest.approx(0.407240, abs=0.02)


def test_no_step_leaves_the_graph_as_it_is(dataset):
    method = FeatureChain(steps_per_edge=0, relabel=False)
    karate = dataset("karate")
    assert np.array_equal(method.fit_transform(karate).edges, karate.edges)
    assert FeatureChain().fit(nx.empty_graph(3)).n_steps_ == 0


# Errors


@pytest.mark.parametrize("graph", [nx.star_graph(6), nx.complete_graph(5)])
def test_a_graph_that_is_alone_with_its_degrees_raises(graph):
    with pytest.raises(InfeasibleError, match="could be done"):
        FeatureChain().fit(graph)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "help: a tolerance above 0.05, more than 10.0 steps_per_edge"),
        ({"features": {"transitivity": (0, 1)}}, "help: wider bounds, more than"),
        ({"method": "metropolis"}, "help: a strength below 10.0, more than"),
        (
            {"features": {"transitivity": (0, 1)}, "method": "metropolis"},
            "help: wider bounds, a strength below 10.0, more than",
        ),
        ({"features": []}, "help: more than 10.0 steps_per_edge"),
    ],
    ids=["tolerance", "bounds", "strength", "both", "none"],
)
def test_what_may_help_is_what_was_set(given, message):
    with pytest.raises(InfeasibleError, match=message):
        FeatureChain(**given).fit(nx.star_graph(6))


def test_bounds_that_leave_the_original_out_raise(dataset):
    with pytest.raises(InfeasibleError, match=r"original graph is not between 0.5"):
        FeatureChain({"transitivity": (0.5, 0.9)}).fit(dataset("football"))


def test_distance_needs_a_connected_graph():
    parts = nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(6))
    with pytest.raises(DataError, match="average-distance is not defined"):
        FeatureChain(["average-distance"]).fit(parts)
    assert FeatureChain(["harmonic-distance"], tolerance=0.5).fit(parts).n_accepted_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"features": ["transitivty"]}, "did you mean 'transitivity'"),
        ({"features": "transitivity"}, "features must be a list of names"),
        ({"features": 3}, "features must be a list of names"),
        ({"features": {"mu2": (2, 1)}}, r"features\['mu2'\] must be \(low, high\)"),
        ({"features": {"mu2": 1}}, r"features\['mu2'\] must be \(low, high\)"),
        ({"features": {"mu2": ("a", "b")}}, r"features\['mu2'\] must be"),
        ({"method": "random"}, "method"),
        ({"tolerance": -1}, "tolerance must be"),
        ({"strength": -1}, "strength must be"),
        ({"steps_per_edge": -1}, "steps_per_edge must be"),
        ({"block": 0}, "block must be"),
    ],
)
def test_illegal_parameters_are_named(parameters, message, dataset):
    with pytest.raises(ParameterError, match=message):
        FeatureChain(**parameters).fit(dataset("karate"))
