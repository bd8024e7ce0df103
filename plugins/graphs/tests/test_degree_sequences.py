"""k-anonymous degrees: published numbers, all small cases, and what is refused."""

import json
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, InfeasibleError, ParameterError
from anon_transformers_graphs.degrees import (
    exact_sequence,
    genetic_sequence,
    greedy_sequence,
    is_graphical,
    liu_terzi_sequence,
)
from anon_transformers_graphs.degrees._kernels.genetic import _shortfall
from anon_transformers_graphs.degrees._kernels.groups import best_targets

VECTORS = Path(__file__).parents[3] / "tests" / "data" / "vectors" / "graphs.json"
STORED = json.loads(VECTORS.read_text(encoding="utf-8"))
OPTIMA = [
    vector
    for vector in STORED["vectors"]
    if vector["name"].startswith("optimal_k_degree_sequence")
]
SEQUENCES = [liu_terzi_sequence, greedy_sequence]


def degrees_of(dataset):
    stored = STORED["datasets"][dataset]
    return np.bincount(stored["edges_flat"], minlength=stored["n"])


def changes(degrees, targets):
    return int(np.abs(np.asarray(targets) - degrees).sum())


def smallest_group(targets):
    return np.unique(targets, return_counts=True)[1].min()


@cache
def falling_degrees(n):
    """All degrees that n nodes could have, highest first, one row each."""
    return np.array(list(combinations_with_replacement(range(n - 1, -1, -1), n)))


def small_cases():
    """Degrees of all graphs of up to six nodes, each k, and k-anonymous degrees."""
    for n in range(1, 7):
        candidates = falling_degrees(n)
        groups = np.array([smallest_group(candidate) for candidate in candidates])
        for degrees in candidates:
            if nx.is_graphical(degrees.tolist()):
                for k in range(1, n + 1):
                    yield degrees, k, candidates[groups >= k]


def some_degrees(most=6):
    """Degrees of a small graph."""
    pairs = st.integers(2, most).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.sets(
                st.sampled_from([(a, b) for b in range(n) for a in range(b)]),
            ),
        )
    )
    return pairs.map(
        lambda drawn: np.bincount(
            np.array(sorted(drawn[1]), dtype=int).ravel(), minlength=drawn[0]
        )
    )


@pytest.mark.parametrize("vector", OPTIMA, ids=lambda vector: vector["name"])
def test_published_optima(vector):
    degrees = degrees_of(vector["input"]["dataset"])
    targets = exact_sequence(degrees, vector["parameters"]["k"])
    assert changes(degrees, targets) == vector["expected"]["min_L1"]
    assert targets.sum() == degrees.sum()
    assert smallest_group(targets) >= vector["parameters"]["k"]
    assert is_graphical(targets)


def test_every_k_of_karate():
    (vector,) = (
        vector
        for vector in STORED["vectors"]
        if vector["name"] == "sum_preserving_feasibility_karate"
    )
    degrees = degrees_of("karate")
    for k, expected in zip(
        vector["parameters"]["k"], vector["expected"]["min_L1"], strict=True
    ):
        if expected is None:
            with pytest.raises(InfeasibleError, match="34 nodes"):
                exact_sequence(degrees, k)
        else:
            assert changes(degrees, exact_sequence(degrees, k)) == expected


def test_worked_examples():
    assert liu_terzi_sequence([5, 5, 3, 2, 2, 1], 2).tolist() == [5, 5, 3, 3, 2, 2]
    up_and_down = liu_terzi_sequence([6, 5, 4, 3, 3, 3, 3, 3], 3, additions_only=False)
    assert up_and_down.tolist() == [5, 5, 5, 3, 3, 3, 3, 3]
    # The fifth node may join the open group at no more than a group of its own costs.
    assert greedy_sequence([5, 4, 2, 2, 1, 0], 2).tolist() == [5, 5, 2, 2, 2, 2]


def test_exact_is_the_best_there_is():
    for degrees, k, candidates in small_cases():
        legal = candidates[candidates.sum(axis=1) == degrees.sum()]
        if not len(legal):
            with pytest.raises(InfeasibleError):
                exact_sequence(degrees, k)
            continue
        targets = exact_sequence(degrees, k)
        assert changes(degrees, targets) == np.abs(legal - degrees).sum(axis=1).min()
        assert targets.sum() == degrees.sum()
        assert smallest_group(targets) >= k


@pytest.mark.parametrize(("n", "k"), [(100, 5), (100, 2), (50, 7), (20, 5), (12, 5)])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_hub_alone_is_shared_out(sequence, n, k):
    """All edges stay: k nodes get a level of their own, as near as can be."""
    star = np.array([n - 1] + [1] * (n - 1))
    found = sequence(star, k, additions_only=False)
    exact = exact_sequence(star, k)
    assert found.sum() == star.sum()
    assert np.abs(found - star).sum() == np.abs(exact - star).sum()
    assert np.unique(found, return_counts=True)[1].min() >= k


def test_levels_that_are_split_stay_below_the_cap():
    # Two nodes of degree 2 alone are those of no graph, however often they are tried.
    found = greedy_sequence([2, 1, 1, 0, 0], 2, additions_only=False)
    assert is_graphical(found)
    assert smallest_group(found) >= 2


def test_of_the_nearest_degrees_the_flattest_are_taken():
    # Two of degree two and two of none are as near, but those of no graph.
    assert exact_sequence([0, 1, 1, 2], 2).tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("only_up", [True, False])
def test_best_targets_are_the_best_with_an_even_sum(only_up):
    for degrees, k, candidates in small_cases():
        legal = candidates[candidates.sum(axis=1) % 2 == 0]
        if only_up:
            legal = legal[(legal >= degrees).all(axis=1)]
        targets = best_targets(degrees, k, only_up, len(degrees) - 1, 0)
        assert changes(degrees, targets) == np.abs(legal - degrees).sum(axis=1).min()
        assert targets.sum() % 2 == 0
        assert smallest_group(targets) >= k


@pytest.mark.parametrize("sequence", SEQUENCES)
@settings(max_examples=50, deadline=None)
@given(degrees=some_degrees(12), k=st.integers(1, 12), additions_only=st.booleans())
def test_a_graph_can_have_what_comes_out(sequence, degrees, k, additions_only):
    k = min(k, len(degrees))
    before = degrees.copy()
    targets = sequence(degrees, k, additions_only=additions_only)
    assert np.array_equal(degrees, before)
    assert smallest_group(targets) >= k
    assert nx.is_graphical(targets.tolist())
    if additions_only:
        assert (targets >= degrees).all()
    # Nodes keep their order of degree.
    order = np.argsort(-degrees, kind="stable")
    assert (np.diff(targets[order]) <= 0).all() or additions_only


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_long_runs_are_read_in_part_only(sequence):
    rng = np.random.default_rng(0)
    degrees = np.minimum(rng.zipf(2.0, 20_000), 900)
    degrees[0] += degrees.sum() % 2
    for k in (1, 7, 40):
        targets = sequence(degrees, k)
        assert smallest_group(targets) >= k
        assert (targets >= degrees).all()
        kept = sequence(degrees, k, additions_only=False)
        assert kept.sum() == degrees.sum()
        assert smallest_group(kept) >= k
        assert changes(degrees, kept) <= changes(degrees, targets)


def test_leaving_nodes_out_of_long_runs_changes_nothing():
    degrees = np.repeat([9, 7, 4, 3, 1], [2, 5, 60, 3, 90])
    k = 4
    whole = best_targets(degrees, k, True, len(degrees) - 1, int(degrees.sum()) % 2)
    assert changes(degrees, whole) == changes(degrees, liu_terzi_sequence(degrees, k))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=10))
def test_erdos_gallai(degrees):
    assert is_graphical(degrees) == nx.is_graphical(degrees)


@settings(max_examples=50, deadline=None)
@given(some_degrees(10))
def test_degrees_of_graphs_are_graphical(degrees):
    assert is_graphical(degrees)


def test_degrees_that_no_graph_has():
    assert not is_graphical([2, 2, -2])
    assert not is_graphical([3, 3, 1, 1])
    assert is_graphical([])


@pytest.mark.parametrize(
    ("dataset", "k", "expected"), [("karate", 2, 6), ("football", 4, 2)]
)
def test_genetic_search_reaches_the_optimum(dataset, k, expected):
    degrees = degrees_of(dataset)
    found = [genetic_sequence(degrees, k, random_state=seed) for seed in range(4)]
    for targets in found:
        assert targets.sum() == degrees.sum()
        assert smallest_group(targets) >= k
    assert min(changes(degrees, targets) for targets in found) == expected


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_genetic_search_comes_through(k):
    degrees = degrees_of("karate")
    for seed in range(6):
        targets = genetic_sequence(degrees, k, random_state=seed)
        assert smallest_group(targets) >= k
        assert targets.sum() == degrees.sum()
        assert changes(degrees, targets) >= changes(degrees, exact_sequence(degrees, k))


def test_the_published_search_is_stuck_or_right():
    """What it counts is a plateau: for k = 3 it does not get off it."""
    degrees = degrees_of("karate")
    found = [
        genetic_sequence(degrees, 2, fitness="groups", random_state=seed)
        for seed in range(4)
    ]
    assert min(changes(degrees, targets) for targets in found) == 6
    for seed in range(2):
        with pytest.raises(InfeasibleError, match="sequence='exact'"):
            genetic_sequence(degrees, 3, fitness="groups", random_state=seed)
    with pytest.raises(ParameterError, match="fitness"):
        genetic_sequence(degrees, 3, fitness="best")


def test_genetic_search_never_returns_less():
    # All 34 nodes would share one degree, and 156 is not a multiple of 34.
    with pytest.raises(InfeasibleError, match="sequence='exact'"):
        genetic_sequence(degrees_of("karate"), 18, random_state=0)
    with pytest.raises(InfeasibleError, match="after 1 generations"):
        genetic_sequence(degrees_of("karate"), 2, max_iter=1, random_state=0)


def test_the_genetic_search_stops_at_either_limit():
    with pytest.raises(InfeasibleError, match="after 2 generations"):
        genetic_sequence(
            degrees_of("jazz"), 50, max_iter=2, max_iter_no_improve=9, random_state=0
        )
    with pytest.raises(InfeasibleError, match=r"after [1-9] generations"):
        genetic_sequence([3, 3, 1, 1, 0, 0], 6, max_iter_no_improve=1, random_state=0)


def test_tables_that_are_too_large_are_refused_before_they_are_made():
    degrees = np.arange(100_000) // 2
    with pytest.raises(ParameterError, match="max_states=20000000 is too small"):
        exact_sequence(degrees, 10)
    with pytest.raises(ParameterError, match="max_states must be a whole number"):
        exact_sequence([1, 1], 2, max_states=0)


@pytest.mark.parametrize("sequence", [*SEQUENCES, exact_sequence, genetic_sequence])
def test_refusals(sequence):
    with pytest.raises(InfeasibleError, match="k=4 is more than the 3 nodes"):
        sequence([1, 1, 0], 4)
    with pytest.raises(ParameterError, match="k must be a whole number"):
        sequence([1, 1, 0], 0)
    with pytest.raises(DataError, match="2 of 3 degrees"):
        sequence([3, 1, -1], 1)
    with pytest.raises(DataError, match="whole numbers"):
        sequence([0.5, 0.5], 1)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 11), min_size=1, max_size=12), st.integers(1, 12))
def test_how_far_nodes_look_for_others(degrees, k):
    if k > len(degrees):
        return
    degrees = np.array(degrees)
    apart = np.sort(np.abs(degrees[:, None] - degrees), axis=1)
    counts = np.bincount(degrees, minlength=12)
    assert _shortfall(counts, k) == apart[:, k - 1].sum()


def test_seeds_that_are_none_are_refused():
    with pytest.raises(ParameterError, match="random_state"):
        genetic_sequence([1, 1], 2, random_state="x")


def test_more_is_replaced_than_there_is():
    with pytest.raises(ParameterError, match="n_replace must be at most"):
        genetic_sequence([1, 1], 2, n_replace=60)
