"""Edges replaced at random: counts, chances, the published shares, and errors."""

import json
from itertools import combinations
from math import comb, sqrt
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import (
    InfeasibleError,
    ParameterError,
    TellingWeightsWarning,
)
from anon_transformers.graphs import Graph
from anon_transformers.testing import anonymizer_checks
from anon_transformers_graphs.privacy import KDegree
from anon_transformers_graphs.randomization import (
    NaiveAnonymizer,
    RandomAddDelete,
    RandomPerturbation,
)
from anon_transformers_graphs.randomization._kernels.perturb import (
    draw_distinct,
    draw_non_edges,
)

TABLES = Path(__file__).parents[3] / "tests/data/vectors/graphs_tables.json"
COUNTS = ("karate", "football", "jazz")


def random_graph(n, seed, share):
    pairs = np.array(list(combinations(range(n), 2)), dtype=np.int64).reshape(-1, 2)
    chosen = np.random.default_rng(seed).random(len(pairs)) < share
    return Graph(n, pairs[chosen])


GRAPHS = st.builds(
    random_graph,
    st.integers(1, 12),
    st.integers(0, 10**6),
    st.floats(0, 1),
)


def level(graph):
    return int(graph.degree_histogram[graph.degrees].min())


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{cls.__name__}-{place}-{name.rpartition('-')[2]}")
        for cls in (NaiveAnonymizer, RandomPerturbation, RandomAddDelete)
        for place, (name, check) in enumerate(anonymizer_checks(cls))
    ],
)
def test_contract(check):
    check()


# Drawing


@given(st.integers(0, 40), st.data())
@settings(max_examples=40, deadline=None)
def test_drawn_numbers_are_different_and_below_the_total(total, data):
    count = data.draw(st.integers(0, total))
    drawn = draw_distinct(total, count, np.random.default_rng(total))
    assert len(set(drawn.tolist())) == count
    assert not count or (drawn.min() >= 0 and drawn.max() < total)


def test_every_set_is_drawn_as_often_as_another():
    rng = np.random.default_rng(5)
    sets = dict.fromkeys(combinations(range(6), 3), 0)
    for _ in range(4000):
        sets[tuple(sorted(draw_distinct(6, 3, rng).tolist()))] += 1
    assert chisquare(list(sets.values())).pvalue > 0.001


@given(GRAPHS, st.data())
@settings(max_examples=50, deadline=None)
def test_all_pairs_without_an_edge_can_be_drawn_and_no_other(graph, data):
    free = {
        pair
        for pair in combinations(range(graph.n_nodes), 2)
        if not graph.has_edges(np.array([pair]))[0]
    }
    count = data.draw(st.sampled_from([len(free), len(free) // 2]))
    rng = np.random.default_rng(0)
    drawn = draw_non_edges(graph.edges, graph.n_nodes, count, rng)
    pairs = {tuple(pair) for pair in drawn.tolist()}
    assert len(pairs) == count
    assert pairs <= free


def test_pairs_of_a_large_graph_are_numbered_without_overflow():
    n = 3_000_000
    last = Graph(n, [[0, n - 1], [n - 2, n - 1]])
    drawn = draw_non_edges(last.edges, n, 1000, np.random.default_rng(1))
    assert (drawn[:, 0] < drawn[:, 1]).all()
    assert drawn.min() >= 0 and drawn.max() < n
    assert not last.has_edges(drawn).any()


# Random perturbation


@pytest.mark.parametrize("name", COUNTS)
def test_steps_are_those_of_the_tables(name, dataset, vector):
    stored, graph = vector(f"edge_count_rule_{name}"), dataset(name)
    for percent, expected in zip(
        stored["parameters"]["p_percent"], stored["expected"]["num"], strict=True
    ):
        doubled = RandomPerturbation(percent / 100, random_state=0).fit(graph)
        single = RandomPerturbation(percent / 100, pairwise=False).fit(graph)
        assert (
            doubled.n_added_ == doubled.n_removed_ == min(2 * expected, graph.n_edges)
        )
        assert single.n_added_ == single.n_removed_ == expected


@given(GRAPHS, st.floats(0, 1), st.booleans(), st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_as_many_edges_are_added_as_removed_or_it_raises(graph, p, pairwise, seed):
    steps = min(round(graph.n_edges * p) * (2 if pairwise else 1), graph.n_edges)
    method = RandomPerturbation(p, pairwise=pairwise, relabel=False, random_state=seed)
    if steps > comb(graph.n_nodes, 2) - graph.n_edges:
        with pytest.raises(InfeasibleError, match="pairs of nodes have no edge"):
            method.fit_transform(graph)
        return
    published = method.fit_transform(graph)
    assert published.n_nodes == graph.n_nodes
    assert published.n_edges == graph.n_edges
    # No false edge is an original one: exactly the steps are missing.
    assert graph.common_edges(published) == graph.n_edges - steps
    assert method.n_steps_ == method.n_added_ == method.n_removed_ == steps


@pytest.mark.parametrize(("pairwise", "agrees"), [(True, True), (False, False)])
def test_football_reaches_k_as_often_as_the_table_says(dataset, pairwise, agrees):
    # The source replaced edges two at a time: with one at a time k rises more often.
    tables = json.loads(TABLES.read_text())["prose_tables"]
    rows = next(table["rows"] for table in tables if table["id"] == "P3")
    reported = sum(graphs for _, graphs, _ in rows) / 2500
    graph, rng = dataset("football"), np.random.default_rng(3)
    reached = np.mean(
        [
            level(
                RandomPerturbation(
                    percent / 100, pairwise=pairwise, random_state=rng
                )._alter(graph, rng)
            )
            > 1
            for percent in range(1, 51)
            for _ in range(50)
        ]
    )
    # Both shares are of 2500 graphs and have the error of a binomial share.
    error = sqrt(2 * reported * (1 - reported) / 2500)
    assert (abs(reached - reported) < 2.5 * error) == agrees


def test_search_returns_what_it_promises(dataset):
    method = RandomPerturbation(0.1, k=2, random_state=1)
    published = method.fit_transform(dataset("football"))
    assert KDegree(2).satisfied(GraphEvidence(published)).all()
    assert method.k_ == level(published) >= 2
    assert method.n_tries_ > 1
    assert method.report_.details["tries"] == method.n_tries_
    assert method.report_.models[0]["model"] == "k-degree"


def test_search_ends_at_its_limit(dataset):
    method = RandomPerturbation(0.1, k=20, max_tries=5, random_state=4)
    with pytest.raises(InfeasibleError, match=r"no graph of 5 has 20 nodes or more"):
        method.fit(dataset("football"))
    assert not hasattr(method, "report_")


def test_more_nodes_than_there_are_cannot_share_a_degree(dataset):
    with pytest.raises(InfeasibleError, match="k=35 is more than the 34 nodes"):
        RandomPerturbation(k=35).fit(dataset("karate"))


def test_all_edges_are_replaced_at_most(dataset):
    karate = dataset("karate")
    method = RandomPerturbation(1.0, relabel=False, random_state=0)
    assert karate.common_edges(method.fit_transform(karate)) == 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"p": 1.5}, "p must be"),
        ({"p": -0.1}, "p must be"),
        ({"p": "much"}, "p must be"),
        ({"pairwise": 2}, "pairwise"),
        ({"k": 0}, "k must be"),
        ({"max_tries": 0}, "max_tries must be"),
    ],
)
def test_illegal_parameters_are_named(parameters, message, dataset):
    with pytest.raises(ParameterError, match=message):
        RandomPerturbation(**parameters).fit(dataset("karate"))


# Random add/delete


def test_edges_are_replaced_by_number_or_by_share(dataset):
    karate = dataset("karate")
    for method, expected in (
        (RandomAddDelete(0.2, random_state=0), 16),
        (RandomAddDelete(n_edges=5, random_state=0), 5),
        (RandomAddDelete(n_edges=0, random_state=0), 0),
        (RandomAddDelete(0.0, random_state=0), 0),
    ):
        published = method.fit_transform(karate)
        assert published.n_edges == karate.n_edges
        assert method.n_steps_ == method.n_added_ == method.n_removed_ == expected


def test_every_edge_and_every_pair_is_as_likely():
    graph, rng = Graph(5, [[0, 1], [1, 2], [2, 3]]), np.random.default_rng(11)
    times = np.zeros((5, 5))
    for _ in range(1500):
        method = RandomAddDelete(n_edges=1, relabel=False, random_state=rng)
        edges = method.fit_transform(graph).edges
        times[edges[:, 0], edges[:, 1]] += 1
    upper = times[np.triu_indices(5, 1)]
    kept = graph.has_edges(np.column_stack(np.triu_indices(5, 1)))
    assert chisquare(upper[~kept]).pvalue > 0.001
    assert chisquare(1500 - upper[kept]).pvalue > 0.001


@pytest.mark.parametrize(
    ("graph", "n_edges", "message"),
    [
        (nx.path_graph(5), 5, "5 edges cannot be removed: the graph has 4"),
        (nx.complete_graph(5), 1, "only 0 pairs of nodes have no edge"),
        (nx.empty_graph(5), 1, "1 edges cannot be removed: the graph has 0"),
    ],
)
def test_edges_that_are_not_there_cannot_change(graph, n_edges, message):
    with pytest.raises(InfeasibleError, match=message):
        RandomAddDelete(n_edges=n_edges).fit(graph)


def test_negative_numbers_of_edges_are_refused(dataset):
    with pytest.raises(ParameterError, match="n_edges must be a whole number"):
        RandomAddDelete(n_edges=-1).fit(dataset("karate"))


def test_weights_stay_with_their_edges_and_no_new_edge_lacks_one():
    table = pd.DataFrame({"a": range(20), "b": range(1, 21), "w": range(100, 120)})
    method = RandomAddDelete(n_edges=4, weights="carry", relabel=False, random_state=0)
    with pytest.warns(TellingWeightsWarning):
        published = method.fit_transform(table).dropna()
    assert sorted(published["w"]) == list(range(100, 120))
    kept = published.merge(table, on=["a", "b"])
    assert len(kept) == 16
    assert (kept["w_x"] == kept["w_y"]).all()


# Naive


def test_new_names_change_nothing_else(dataset):
    karate = dataset("karate")
    method = NaiveAnonymizer(keep_mapping=True, random_state=0)
    published = method.fit_transform(karate)
    mapping = np.array([method.mapping_[i] for i in range(34)])
    assert np.array_equal(karate.relabeled(mapping).edges, published.edges)
    assert not np.array_equal(karate.edges, published.edges)
    assert method.n_added_ == method.n_removed_ == 0


def test_naive_without_new_names_is_refused(dataset):
    with pytest.raises(ParameterError, match="relabel must be True"):
        NaiveAnonymizer(relabel=False).fit(dataset("karate"))
