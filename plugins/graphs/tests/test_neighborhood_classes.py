"""Neighborhoods: how often the clock is looked at, and how work and memory grow."""

import gc
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from types import SimpleNamespace

import networkx as nx
import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anon_transformers.evidence import GraphEvidence
from anon_transformers.exceptions import NotEvaluable
from anon_transformers.graphs import Graph
from anon_transformers.privacy import judge
from anon_transformers_graphs import _deadline
from anon_transformers_graphs._graph_arrays import label_colors
from anon_transformers_graphs.privacy import KCandidate, KNeighborhood
from anon_transformers_graphs.queries import (
    _neighborhoods,
    _refinement,
    candidate_sizes,
)
from anon_transformers_graphs.queries import neighborhood_classes as classes_of
from anon_transformers_graphs.queries._kernels.balls import edges_once
from anon_transformers_graphs.queries._kernels.shapes import ODD, ODDER, mixed


def opened(drawn, labels=None):
    return Graph(len(drawn), np.array(drawn.edges).reshape(-1, 2), labels=labels)


def side_by_side(*drawn):
    return opened(nx.disjoint_union_all(drawn))


def with_hub(drawn):
    """A new node 0 that knows everybody."""
    found = nx.disjoint_union(nx.empty_graph(1), drawn)
    found.add_edges_from((0, i) for i in range(1, len(found)))
    return found


def spider(legs):
    """A star whose leaves have a leaf each: no two of them have the same neighbors."""
    found = nx.star_graph(legs)
    found.add_edges_from((i, i + legs) for i in range(1, legs + 1))
    return found


def windmill(sails):
    return with_hub(nx.disjoint_union_all([nx.path_graph(2)] * sails))


def dense(n_nodes):
    """Nearly complete, but no two nodes have the same neighbors."""
    return nx.complement(nx.cycle_graph(n_nodes))


def latin(order, step):
    """Cells of a Latin square; those of a row, a column or a symbol are joined."""
    row, column = np.divmod(np.arange(order**2), order)
    symbol = (row + column) % order
    if step:  # the table of another group, where rows go in pairs
        symbol = (row ^ column) % order
    alike = [np.equal.outer(x, x) for x in (row, column, symbol)]
    return nx.from_numpy_array(np.triu(np.any(alike, axis=0), 1))


def same_partition(one, other):
    pairs = len(set(zip(one, other, strict=True)))
    return pairs == len(set(one)) == len(set(other))


@pytest.fixture
def budgets(monkeypatch):
    """All budgets that kernels were given; what is left of them tells the work."""
    classes_of(Graph(1, []))  # whatever is done once, when all begins
    given = []

    def budget():
        given.append(np.array([_neighborhoods.BUDGET]))
        return given[-1]

    monkeypatch.setattr(_neighborhoods, "_budget", budget)
    return given


def work(budgets):
    return sum(_neighborhoods.BUDGET - int(left[0]) for left in budgets)


PARTS = [
    nx.cycle_graph(6),
    nx.cycle_graph(3),
    nx.complete_graph(4),
    nx.path_graph(3),
    nx.path_graph(2),
    nx.empty_graph(1),
    nx.complete_bipartite_graph(3, 3),
    nx.circular_ladder_graph(3),
]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.booleans(), st.integers(1, 2), st.sampled_from([1, 1 << 22]))
def test_hubs_are_alike_if_they_have_the_same_parts(data, labeled, radius, budget):
    """Many have the same sizes and colors, so that components must be paired."""
    part = st.tuples(st.integers(0, len(PARTS) - 1), st.integers(0, int(labeled)))
    parts = data.draw(st.lists(st.lists(part, min_size=1, max_size=5), max_size=4))
    hubs, kinds = nx.empty_graph(0), []
    for held in parts:
        hubs = nx.disjoint_union(
            hubs, with_hub(nx.disjoint_union_all([PARTS[shape] for shape, _ in held]))
        )
        kinds += [2] + [kind for shape, kind in held for _ in PARTS[shape]]
    places = np.array(data.draw(st.permutations(range(len(hubs)))), dtype=int)
    graph = opened(hubs, pd.DataFrame({"kind": kinds})).relabeled(places)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_neighborhoods, "BUDGET", budget)
        found = classes_of(graph, radius)
    roots = places[np.flatnonzero(np.array(kinds) == 2)]
    expected = [str(sorted(held)) for held in parts]
    assert same_partition(found[roots].tolist(), expected)


@pytest.mark.parametrize("budget", [1, 1 << 22])
def test_components_of_one_color_are_paired_in_any_order(budget, monkeypatch):
    """Refinement cannot tell the bipartite graph of six nodes from the prism."""
    monkeypatch.setattr(_neighborhoods, "BUDGET", budget)
    both = [nx.complete_bipartite_graph(3, 3), nx.circular_ladder_graph(3)]
    held = [(0, 1, 1, 0), (1, 0, 0, 1), (0, 0, 1, 1), (1, 1, 0, 0), (0, 0, 0, 1)]
    hubs = [with_hub(nx.disjoint_union_all([both[i] for i in row])) for row in held]
    classes = classes_of(side_by_side(*hubs))[:: len(hubs[0])]
    assert same_partition(classes.tolist(), [2, 2, 2, 2, 1])


def test_every_stop_is_taken_up_again(dataset, monkeypatch):
    whole = classes_of(dataset("football")).tolist()
    monkeypatch.setattr(_neighborhoods, "BUDGET", 1)
    assert classes_of(dataset("football")).tolist() == whole


@pytest.mark.parametrize(
    "graph",
    [
        side_by_side(dense(60), dense(60)),
        side_by_side(spider(300), windmill(100), windmill(100)),
        side_by_side(with_hub(latin(4, 0)), with_hub(latin(4, 1))),
    ],
    ids=["dense", "hubs", "search"],
)
def test_no_kernel_goes_far_beyond_its_budget(graph, budgets, monkeypatch):
    monkeypatch.setattr(_neighborhoods, "BUDGET", 100)
    classes_of(graph)
    # One ball, or one guess about it, is the least that is done at a time.
    entries = 2 * graph.n_edges + graph.n_nodes
    assert len(budgets) > 30
    assert max(-int(left[0]) for left in budgets) < 50 * entries


def test_the_clock_is_looked_at_after_each_budget(budgets, monkeypatch):
    seconds = count()
    clock = SimpleNamespace(monotonic=lambda: next(seconds))
    monkeypatch.setattr(_deadline, "time", clock)
    monkeypatch.setattr(_neighborhoods, "BUDGET", 1)
    with pytest.raises(NotEvaluable, match="time_limit"):
        classes_of(side_by_side(dense(60), dense(60)), time_limit=20)
    assert len(budgets) < 21


@pytest.mark.parametrize("module", [_neighborhoods, _refinement], ids=["ball", "h"])
def test_compilation_takes_nothing_of_the_time(module, monkeypatch):
    now = [0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr(_deadline, "time", clock)
    monkeypatch.setattr(module, "_compile_kernels", lambda: now.append(now.pop() + 99))
    query = "neighborhood" if module is _neighborhoods else "h2"
    assert candidate_sizes(opened(nx.path_graph(3)), query).tolist() == [2, 1, 2]
    assert now == [99]


def test_a_search_that_would_take_hours_is_given_up():
    """Two squares of order 32 look alike until many cells are distinguished."""
    graph = side_by_side(with_hub(latin(32, 0)), with_hub(latin(32, 1)))
    model = KNeighborhood(k=1, time_limit=0.5)
    with pytest.raises(NotEvaluable, match=r"0\.5 seconds"):
        judge(model, GraphEvidence(graph))


@pytest.mark.parametrize(
    "shape", [nx.star_graph, spider, windmill], ids=["star", "spider", "windmill"]
)
def test_work_grows_as_hubs_do(shape, budgets):
    found = []
    for legs in (300, 1200):
        budgets.clear()
        classes_of(side_by_side(shape(legs), shape(legs)))
        found.append(work(budgets))
    assert found[1] < 5 * found[0]


def test_the_longest_list_of_edges_is_short():
    star = nx.star_graph(100)
    star.add_edges_from([(1, 2), (3, 4)])
    adjacency = opened(star).adjacency
    indptr, indices = edges_once(adjacency.indptr, adjacency.indices)
    assert np.diff(indptr).max() == 2
    assert indptr[1] == 0
    held = [(i, j) for i in range(101) for j in indices[indptr[i] : indptr[i + 1]]]
    assert sorted(map(sorted, held)) == sorted(map(sorted, star.edges))


def test_complete_graphs_need_one_ball(budgets):
    classes = classes_of(opened(nx.complete_graph(100)))
    assert not classes.any()
    assert work(budgets) < 3 * 100**2


def test_memory_is_that_of_the_largest_balls(monkeypatch):
    classes_of(Graph(1, []))  # whatever is done once, when all begins
    tables, make = [], _neighborhoods.new_table

    def table(most_nodes, most_entries):
        tables.append(make(most_nodes, most_entries))
        return tables[-1]

    monkeypatch.setattr(_neighborhoods, "new_table", table)
    graph = opened(dense(120))
    assert not classes_of(graph).any()
    arrays = [x for held in tables for x in held if isinstance(x, np.ndarray)]
    assert sum(x.nbytes for x in arrays) < 4 * graph.adjacency.nnz * 8


@pytest.fixture
def computed(monkeypatch):
    """One entry for each time that neighborhoods were compared."""
    classes_of(Graph(1, []))  # whatever is done once, when all begins
    calls, compare = [], _neighborhoods._classes

    def compared(balls):
        calls.append(balls.radius)
        return compare(balls)

    monkeypatch.setattr(_neighborhoods, "_classes", compared)
    return calls


def test_a_gate_compares_neighborhoods_once(dataset, computed):
    evidence = GraphEvidence(dataset("karate"))
    model = KNeighborhood(k=2)
    verdict = judge(model, evidence)
    assert model.report(evidence)["below_k"] == verdict.failing
    judge(KCandidate(k=2, query="neighborhood"), evidence)
    assert computed == [1]
    judge(KNeighborhood(k=2, radius=2), evidence)
    assert computed == [1, 2]
    judge(model, GraphEvidence(dataset("karate")))
    assert computed == [1, 2, 1]


def test_what_is_kept_does_not_keep_graphs_alive():
    graph = opened(nx.path_graph(5))
    gc.collect()
    before = len(_neighborhoods._CACHE)
    classes_of(graph)
    assert len(_neighborhoods._CACHE) == before + 1
    del graph
    gc.collect()
    assert len(_neighborhoods._CACHE) == before


def test_what_is_kept_cannot_be_changed(computed):
    labels = pd.DataFrame({"sex": ["f", "f", "f", "f"]})
    graph = opened(nx.cycle_graph(4), labels)
    classes_of(graph)[:] = 7
    assert classes_of(graph).tolist() == [0, 0, 0, 0]
    assert computed == [1]
    graph.labels.loc[0, "sex"] = "m"
    assert len(set(classes_of(graph).tolist())) == 3


def test_threads_share_what_is_known(dataset):
    graph = dataset("jazz")
    expected = classes_of(dataset("jazz")).tolist()
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda _: classes_of(graph).tolist(), range(16))
    assert all(one == expected for one in found)


# Not kept on disk: numba would import this module again, by another name.
@numba.njit
def all_mixed(values):
    found = np.empty(len(values), dtype=np.uint64)
    for i in range(len(values)):
        found[i] = mixed(values[i])
    return found


def mixed_by_hand(value):
    value = (value + int(ODD)) % 2**64
    value = (value ^ (value >> 30)) * int(ODDER) % 2**64
    value = (value ^ (value >> 27)) * int(ODD) % 2**64
    return value ^ (value >> 31)


@given(st.lists(st.integers(0, 2**31 - 1), max_size=20))
@settings(max_examples=20, deadline=None)
def test_numbers_are_mixed_alike_whatever_their_type(values):
    """Compiled sums of signed numbers went wrong for some types, and found no twins."""
    expected = [mixed_by_hand(value) for value in values]
    for dtype in (np.int32, np.int64, np.uint64):
        assert all_mixed(np.array(values, dtype=dtype)).tolist() == expected


@pytest.mark.parametrize(
    ("drawn", "n_roots"),
    [
        (nx.star_graph(7), 2),
        (nx.complete_graph(5), 1),
        (nx.complete_bipartite_graph(2, 3), 2),
        (nx.path_graph(5), 5),
        (nx.path_graph(3), 2),
    ],
    ids=["star", "complete", "bipartite", "long path", "path"],
)
def test_twins_are_looked_at_once(drawn, n_roots):
    graph = opened(drawn)
    lists = (graph, label_colors(graph), 1, _deadline.Deadline("", 60))
    firsts = _neighborhoods._Balls(*lists).first_twins()
    assert len(np.unique(firsts)) == n_roots


def test_twins_have_the_same_labels():
    labels = pd.DataFrame({"a": list("xyyyz")})
    graph = opened(nx.star_graph(4), labels)
    lists = (graph, label_colors(graph), 1, _deadline.Deadline("", 60))
    assert _neighborhoods._Balls(*lists).first_twins().tolist() == [0, 1, 1, 1, 4]
