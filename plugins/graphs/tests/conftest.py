"""Worked examples and graphs that several tests use."""

import json
from pathlib import Path

import numpy as np
import pytest

from anon_transformers.graphs import Graph

DATA = Path(__file__).parents[3] / "tests" / "data" / "vectors" / "graphs.json"
VECTORS = json.loads(DATA.read_text())


@pytest.fixture(scope="session")
def vector():
    """A worked example by its name."""
    by_name = {entry["name"]: entry for entry in VECTORS["vectors"]}
    return by_name.__getitem__


@pytest.fixture(scope="session")
def dataset():
    """One of karate, football and jazz."""

    def load(name: str) -> Graph:
        given = VECTORS["datasets"][name]
        return Graph(given["n"], np.reshape(given["edges_flat"], (-1, 2)))

    return load


@pytest.fixture(scope="session")
def people(vector):
    """The graph of Table 2.1, and the names of its nodes."""
    given = vector("fig_2_6_vertex_refinement")["input"]
    place = {name: i for i, name in enumerate(given["nodes"])}
    edges = [[place[one], place[other]] for one, other in given["edges"]]
    return Graph(len(place), edges), given["nodes"]
