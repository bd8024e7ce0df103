"""Exact comparison of small graphs."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers.graphs import Graph
from anon_transformers_graphs.queries import neighborhood_classes
from anon_transformers_graphs.queries._kernels.shapes import (
    FOUND,
    NONE,
    RUNNING,
    isomorphic,
    new_search,
)


def comparison(one, other, kinds=None):
    """What compares two graphs of networkx that lie side by side in one list."""
    both = nx.disjoint_union(one, other)
    adjacency = Graph(len(both), np.array(both.edges).reshape(-1, 2)).adjacency
    lists = adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int32)
    held = np.zeros(len(both), dtype=np.int64) if kinds is None else np.array(kinds)
    search = new_search(len(one))

    def go_on(budget):
        left = np.array([budget])
        firsts = (0, len(one))
        return isomorphic(lists, firsts, len(one), held, held, search, left)

    return go_on


def compared(one, other, kinds=None):
    return comparison(one, other, kinds)(10**9)


@st.composite
def pairs(draw):
    n = draw(st.integers(1, 8))
    possible = [(i, j) for i in range(n) for j in range(i)]
    many = st.lists(st.sampled_from(possible), unique=True) if possible else st.just([])
    made = []
    for _ in range(2):
        graph = nx.empty_graph(n)
        graph.add_edges_from(draw(many))
        made.append(graph)
    if draw(st.booleans()):
        places = draw(st.permutations(range(n)))
        renamed = nx.relabel_nodes(made[0], dict(enumerate(places)))
        made[1] = nx.empty_graph(n)
        made[1].add_edges_from(renamed.edges)
    return made


@settings(max_examples=50, deadline=None)
@given(pairs())
def test_networkx_agrees(both):
    expected = FOUND if nx.is_isomorphic(*both) else NONE
    assert compared(*both) == expected


def test_kinds_must_agree():
    path = nx.path_graph(3)
    assert compared(path, path, [0, 0, 1, 1, 0, 0]) == FOUND
    assert compared(path, path, [0, 0, 1, 0, 1, 0]) == NONE


def shrikhande():
    steps = [(0, 1), (1, 0), (1, 1), (0, 3), (3, 0), (3, 3)]
    graph = nx.Graph()
    for x in range(4):
        for y in range(4):
            for a, b in steps:
                graph.add_edge(4 * x + y, 4 * ((x + a) % 4) + (y + b) % 4)
    return graph


def rook():
    board = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    return nx.convert_node_labels_to_integers(board)


def test_graphs_that_colors_cannot_distinguish():
    six, threes = nx.cycle_graph(6), nx.disjoint_union(*[nx.cycle_graph(3)] * 2)
    assert compared(six, threes) == NONE
    assert compared(shrikhande(), rook()) == NONE
    assert compared(rook(), nx.relabel_nodes(rook(), {0: 5, 5: 0}, copy=True)) == FOUND


def test_equal_colors_of_unequal_kinds_are_distinguished():
    """Colors are hashes, and may be equal by accident; kinds are looked at too."""
    edges = Graph(4, [[0, 1], [2, 3]]).adjacency
    lists = edges.indptr.astype(np.int64), edges.indices.astype(np.int32)
    colors, kinds = np.zeros(4, dtype=np.int64), np.array([0, 1, 0, 0])
    left = np.array([10**6])
    found = isomorphic(lists, (0, 2), 2, kinds, colors, new_search(2), left)
    assert found == NONE


@pytest.mark.parametrize(
    ("other", "expected"), [(shrikhande(), NONE), (rook(), FOUND)], ids=["other", "own"]
)
def test_a_search_that_is_cut_off_goes_on(other, expected):
    places = dict(enumerate(np.random.default_rng(0).permutation(16).tolist()))
    moved = nx.empty_graph(16)
    moved.add_edges_from(nx.relabel_nodes(other, places).edges)
    go_on, calls = comparison(rook(), moved), 1
    while (status := go_on(1)) == RUNNING:
        calls += 1
    assert status == expected
    assert calls > 3
    assert go_on(10**9) == expected


@pytest.mark.parametrize("size", [40, 90])
def test_dense_neighborhoods_take_no_time(size):
    """Cliques without a few edges: a plain search would try all permutations."""
    rng = np.random.default_rng(size)
    clique = nx.complete_graph(size)
    clique.remove_edges_from(nx.cycle_graph(size // 2).edges)
    clique.remove_edges_from([(size - 1 - i, size - 2 - i) for i in range(0, 16, 2)])
    places = dict(enumerate(rng.permutation(size).tolist()))
    other = nx.empty_graph(size)
    other.add_edges_from(nx.relabel_nodes(clique, places).edges)
    assert compared(clique, other) == FOUND


def test_classes_of_neighborhoods_are_exact():
    made = nx.Graph()
    for ring in (nx.cycle_graph(6), nx.disjoint_union(*[nx.cycle_graph(3)] * 2)):
        hub = len(made)
        made = nx.disjoint_union(made, nx.disjoint_union(nx.empty_graph(1), ring))
        made.add_edges_from((hub, hub + 1 + i) for i in range(6))
    classes = neighborhood_classes(Graph(len(made), np.array(made.edges)))
    assert classes[0] != classes[7]
