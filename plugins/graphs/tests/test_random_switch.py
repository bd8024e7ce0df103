"""Switches: the set of pairs, what stays, which graphs are reached, and errors."""

from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from anon_transformers.exceptions import InfeasibleError, ParameterError
from anon_transformers.graphs import Graph
from anon_transformers.testing import anonymizer_checks
from anon_transformers_graphs._kernels.edge_tables import (
    count_down,
    count_up,
    holds,
    home_of,
    new_table,
    pair_key,
    put,
    take,
)
from anon_transformers_graphs.randomization import RandomSwitch
from anon_transformers_graphs.randomization._kernels.switch import switch_edges

UNSWITCHABLE = {
    "star": nx.star_graph(8),
    "complete": nx.complete_graph(6),
    "one edge": nx.path_graph(2),
    "triangle": nx.complete_graph(3),
    "path of two edges": nx.path_graph(3),
    "complete but one": nx.complete_graph(5).edge_subgraph(
        [edge for edge in combinations(range(5), 2) if edge != (0, 1)]
    ),
}

# Numbers that all want one of the last or first slots of 64, so that they get into each
# other's way across the end, and one that goes has others behind it to move.
CROWDED = [key for key in range(2000) if home_of(key, 63) in (62, 63, 0)][:31]


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{place}-{name.rpartition('-')[2]}")
        for place, (name, check) in enumerate(anonymizer_checks(RandomSwitch))
    ],
)
def test_contract(check):
    check()


# The set of pairs


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30)), max_size=200))
@settings(max_examples=50, deadline=None)
def test_the_table_is_a_set(moves):
    table, twin = new_table(len(CROWDED)), set()
    for adds, place in moves:
        key = CROWDED[place]
        if adds:
            assert put(table, key) == (key not in twin)
            twin.add(key)
        elif key in twin:
            take(table, key)
            twin.remove(key)
        assert [holds(table, other) for other in CROWDED] == [
            other in twin for other in CROWDED
        ]


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30)), max_size=200))
@settings(max_examples=50, deadline=None)
def test_the_table_counts(moves):
    table, twin = new_table(len(CROWDED)), Counter()
    counts = np.zeros(len(table), dtype=np.int32)
    for adds, place in moves:
        key = CROWDED[place]
        if adds:
            twin[key] += 1
            assert count_up(table, counts, key) == (twin[key] == 1)
        elif twin[key]:
            twin[key] -= 1
            assert count_down(table, counts, key) == (twin[key] == 0)
        held = {int(at): int(n) for at, n in zip(table, counts, strict=True) if n}
        assert held == +twin


def test_a_full_table_keeps_free_slots():
    for n_keys in (0, 1, 5, 6, 100, 1000):
        table = new_table(n_keys)
        for key in range(n_keys):
            put(table, key)
        assert (table >= 0).sum() == n_keys
        assert (table < 0).sum() * 3 >= len(table)


def test_a_pair_has_one_key_whichever_node_comes_first():
    assert pair_key(3, 7, 10) == pair_key(7, 3, 10) == 37
    assert pair_key(np.int32(2**31 - 1), np.int32(5), 2**31) == 5 * 2**31 + 2**31 - 1


# What stays


@given(st.integers(4, 14), st.integers(0, 10**6), st.floats(0.1, 0.8), st.floats(0, 1))
@settings(max_examples=50, deadline=None)
def test_degrees_stay_and_the_graph_is_simple(n, seed, density, p):
    graph = Graph(n, list(nx.gnp_random_graph(n, density, seed=seed).edges))
    method = RandomSwitch(p, max_failures=2000, relabel=False, random_state=seed)
    try:
        published = method.fit_transform(graph)
    except InfeasibleError:
        return
    # A published graph with loops or parallel edges could not have been made.
    assert published.n_nodes == graph.n_nodes
    assert np.array_equal(published.degrees, graph.degrees)
    assert method.n_steps_ == round(p * graph.n_edges)
    assert method.n_removed_ == method.n_added_ <= 2 * method.n_steps_


def test_one_switch_of_two_edges(vector):
    stored = vector("random_switch_step")
    graph = Graph(4, stored["input"]["edges"])
    results = set()
    for seed in range(40):
        method = RandomSwitch(0.5, relabel=False, random_state=seed)
        results.add(tuple(map(tuple, method.fit_transform(graph).edges.tolist())))
    crossed = vector("random_switch_pairing_2_3_2")
    (t, v), (u, w) = crossed["expected"]["new_edges"]
    names = [*crossed["input"]["e1"], *crossed["input"]["e2"]]
    place = {name: number for number, name in enumerate(names)}
    parallel = tuple(map(tuple, stored["expected"]["edges_after"]))
    # Both pairings of the source are reached, for the second edge is turned by chance.
    assert results == {
        parallel,
        tuple(sorted(tuple(sorted((place[a], place[b]))) for a, b in ((t, v), (u, w)))),
    }


@pytest.mark.parametrize("name", ["karate", "football", "jazz"])
def test_switches_are_those_of_the_tables(name, dataset, vector):
    stored, graph = vector(f"edge_count_rule_{name}"), dataset(name)
    for percent, expected in zip(
        stored["parameters"]["p_percent"], stored["expected"]["num"], strict=True
    ):
        method = RandomSwitch(percent / 100, random_state=0).fit(graph)
        assert method.n_steps_ == expected
        assert method.report_.details["failures"] == method.n_failures_


def test_half_the_edges_of_football_leave_hardly_one_unchanged(dataset):
    method = RandomSwitch(0.5, random_state=0).fit(dataset("football"))
    # 613 edges are drawn 612 times in pairs: a share of 1/e stays, and 6 % come back.
    assert 0.55 < method.n_removed_ / 613 < 0.72


def test_every_legal_switch_is_as_likely():
    graph = Graph(6, [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
    legal = _switches(graph.edges.tolist())
    rng, times = np.random.default_rng(2), Counter()
    for _ in range(4000):
        edges = graph.edges.copy()
        switch_edges(edges, 6, 1, 1000, rng)
        times[frozenset(map(frozenset, edges.tolist()))] += 1
    assert set(times) == set(legal)
    expected = np.array([legal[result] for result in times]) / sum(legal.values())
    assert chisquare(list(times.values()), 4000 * expected).pvalue > 0.001


def _switches(edges):
    """Graphs that one switch reaches, and by how many switches: the slow way."""
    present, reached = set(map(frozenset, edges)), Counter()
    for (a, b), (c, d) in combinations(edges, 2):
        for one, other in (((a, c), (b, d)), ((a, d), (b, c))):
            new = {frozenset(one), frozenset(other)}
            if len({a, b, c, d}) == 4 and not new & present:
                kept = present - {frozenset((a, b)), frozenset((c, d))}
                reached[frozenset(kept | new)] += 1
    return reached


# Odd graphs and errors


@pytest.mark.parametrize("name", UNSWITCHABLE)
def test_a_graph_without_a_legal_switch_raises(name):
    method = RandomSwitch(1.0, max_failures=1000, random_state=0)
    with pytest.raises(InfeasibleError, match=r"after 0 of .* switches no pair"):
        method.fit(UNSWITCHABLE[name])
    assert not hasattr(method, "report_")


def test_nothing_to_do_is_done(dataset):
    karate = dataset("karate")
    method = RandomSwitch(0.0, relabel=False)
    assert np.array_equal(method.fit_transform(karate).edges, karate.edges)
    assert RandomSwitch(1.0).fit(nx.empty_graph(5)).n_steps_ == 0


def test_the_input_is_not_written_to(dataset):
    karate = dataset("karate")
    before = karate.edges.copy()
    RandomSwitch(0.5).fit_transform(karate)
    assert np.array_equal(karate.edges, before)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"p": 1.01}, "p must be"), ({"max_failures": 0}, "max_failures must be")],
)
def test_illegal_parameters_are_named(parameters, message, dataset):
    with pytest.raises(ParameterError, match=message):
        RandomSwitch(**parameters).fit(dataset("karate"))


def test_a_share_of_few_edges_may_be_no_step():
    star = nx.star_graph(5)
    method = RandomSwitch(relabel=False)
    assert nx.utils.graphs_equal(method.fit_transform(star), star)
    assert method.n_steps_ == 0
