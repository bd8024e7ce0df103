"""Which of several nodes alike is altered is chance, never their order in the source.

The graph holds many copies of one small part. Copies are exchangeable: to exchange them
in what one run altered must not change how much it has in common with another run. That
is tested exactly, by exchanging them many times.
"""

from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from anon_transformers.registry import registry

N_COPIES, N_RUNS, N_EXCHANGES = 24, 24, 400
PART = [(0, 1), (1, 2)]
"""One copy: a path of three nodes."""
HUBS = [7, 5]
"""Leaves of the stars beside the copies, whose centers have rare degrees."""
PARAMETERS = {
    "k-degree": [
        {"k": 3},
        {"k": 3, "sequence": "greedy", "construction": "supergraph"},
        {"k": 3, "sequence": "exact", "construction": "relaxed"},
    ],
    "naive": [{}],
    "random-perturbation": [{"p": 0.1}],
    "random-add-delete": [{"p": 0.1}],
    "random-switch": [{"p": 0.1}],
    "spectral": [{"p": 0.1}],
    "feature-chain": [{}],
    "k-neighborhood": [{"k": 3, "max_iter": 2}],
    "k-automorphism": [
        {"k": 5, "max_iter": 0},
        {"k": 5, "max_iter": 0, "padding": "twins"},
    ],
    "node-clusters": [{"k": 4, "max_iter": 2}],
    "label-generalizer": [{"k": 4}],
}
GRAPH_METHODS = sorted(
    name
    for name, method in registry().anonymizers.items()
    if getattr(method, "kind", None) == "graph"
)
CASES = [
    pytest.param(name, one, id=f"{name}-{at}")
    for name in GRAPH_METHODS
    for at, one in enumerate(PARAMETERS[name])
]


def graph_of_copies():
    """Edges, and the names of each copy; the source lists names in their order."""
    n_nodes = N_COPIES * 3
    names = np.random.default_rng(5).permutation(n_nodes).reshape(N_COPIES, 3)
    edges = [(copy[a], copy[b]) for copy in names.tolist() for a, b in PART]
    for leaves in HUBS:
        edges += [(n_nodes, n_nodes + leaf) for leaf in range(1, leaves + 1)]
        n_nodes += leaves + 1
    return np.array(edges), names, n_nodes


def altered_pairs(name, parameters, edges, n_nodes, random_state):
    """Pairs of nodes that one run joined, parted or put together, as a matrix."""
    method = registry().anonymizers[name](
        **parameters, keep_mapping=True, random_state=random_state
    )
    source = nx.Graph()
    source.add_nodes_from(range(n_nodes))
    source.add_edges_from(edges.tolist())
    published = method.fit_transform(source)
    found = np.zeros((n_nodes, n_nodes), dtype=np.int64)
    if name in ("label-generalizer", "node-clusters"):
        homes = pd.Series(method.mapping_)
        for _, members in homes.groupby(homes):
            for pair in combinations(members.index, 2):
                found[pair] = found[pair[::-1]] = 1
        return found
    old = {new: node for node, new in method.mapping_.items()}
    after = {
        frozenset((old[a], old[b]))
        for a, b in published.edges
        if a in old and b in old  # others are noise nodes
    }
    for a, b in after ^ {frozenset(edge) for edge in edges.tolist()}:
        found[a, b] = found[b, a] = 1
    return found


def exchanged(names, n_nodes, rng):
    """Where each node goes if copies change places."""
    places = np.arange(n_nodes)
    places[names] = names[rng.permutation(len(names))]
    return places


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_copies_are_altered_by_chance(name, parameters):
    edges, names, n_nodes = graph_of_copies()
    runs = [
        altered_pairs(name, parameters, edges, n_nodes, seed) for seed in range(N_RUNS)
    ]
    rng = np.random.default_rng(0)
    pairs = list(zip(runs[::2], runs[1::2], strict=True))
    observed = sum(int((one * other).sum()) for one, other in pairs)
    by_chance = np.zeros(N_EXCHANGES, dtype=np.int64)
    for at in range(N_EXCHANGES):
        for one, other in pairs:
            places = exchanged(names, n_nodes, rng)
            by_chance[at] += int((one * other[np.ix_(places, places)]).sum())
    as_much = (1 + int((by_chance >= observed).sum())) / (1 + N_EXCHANGES)
    assert as_much > 0.005


@pytest.mark.parametrize("name", GRAPH_METHODS)
def test_new_names_do_not_follow_the_source(name):
    edges, _, n_nodes = graph_of_copies()
    source = nx.Graph()
    source.add_nodes_from(range(n_nodes))
    source.add_edges_from(edges.tolist())
    found = []
    for seed in (1, 1, 2):
        method = registry().anonymizers[name](
            **PARAMETERS[name][0], keep_mapping=True, random_state=seed
        )
        method.fit_transform(source)
        found.append(method.mapping_)
    assert found[0] == found[1]
    assert found[0] != found[2]
