"""Graphs are drawn before and after."""

import sys

import networkx as nx
import numpy as np
import pytest

from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.graphs import Graph
from anon_transformers_graphs import KDegreeAnonymizer, RandomSwitch
from anon_transformers_graphs.plots import _before_after, draw_before_after

pytest.importorskip("matplotlib", reason="the plots extra")

CLUB = nx.Graph(list(nx.karate_club_graph().edges()))


@pytest.fixture
def drawn(monkeypatch):
    """What is drawn of the edges, by their color."""
    seen = {}
    draw = _before_after._draw

    def noted(axis, graph, places, marked, color):
        seen[color] = {tuple(edge) for edge in graph.edges[marked].tolist()}
        draw(axis, graph, places, marked, color)

    monkeypatch.setattr(_before_after, "_draw", noted)
    return seen


def test_edges_that_went_and_came_are_marked(drawn):
    before = Graph(4, [[0, 1], [1, 2], [2, 3]])
    after = Graph(4, [[0, 1], [1, 2], [0, 3]])
    assert draw_before_after(before, after).startswith(b"\x89PNG")
    assert drawn == {_before_after.GONE: {(2, 3)}, _before_after.NEW: {(0, 3)}}


def test_a_picture_is_the_same_again():
    changed = RandomSwitch(relabel=False, random_state=0).fit_transform(CLUB)
    assert draw_before_after(CLUB, changed) == draw_before_after(CLUB, changed)


def test_a_renamed_graph_is_drawn_with_its_mapping(drawn):
    method = KDegreeAnonymizer(k=3, keep_mapping=True, random_state=0)
    published = method.fit_transform(CLUB)
    with pytest.raises(DataError, match="new names"):
        draw_before_after(CLUB, published)
    draw_before_after(CLUB, published, mapping=method.mapping_)
    assert len(drawn[_before_after.GONE]) == method.n_removed_
    assert len(drawn[_before_after.NEW]) == method.n_added_


@pytest.mark.parametrize("n_nodes", [1, 3])
def test_graphs_without_edges_are_drawn(n_nodes):
    bare = Graph(n_nodes, np.empty((0, 2), dtype=int))
    assert draw_before_after(bare, bare).startswith(b"\x89PNG")


def test_without_matplotlib_it_raises(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ConfigurationError, match="plots need matplotlib"):
        draw_before_after(CLUB, CLUB)


def test_noise_nodes_are_drawn(drawn):
    noisy = nx.Graph([("y", 0), ("y", "z"), *CLUB.edges])
    assert draw_before_after(CLUB, noisy)[1:4] == b"PNG"
    assert drawn[_before_after.GONE] == set()
    assert len(drawn[_before_after.NEW]) == 2
