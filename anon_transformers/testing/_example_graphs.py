"""Graphs that anonymizers, models and metrics are tried on."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from anon_transformers.evidence import GraphEvidence
from anon_transformers.graphs import Graph

NAME = "person "
"""How the name of every node of an example starts."""


def random_graph(rng: np.random.Generator, _: Hashable = None) -> GraphEvidence:
    """A small graph, from rings that look alike everywhere to noise and to stars.

    It has an original to compare with, functions that are automorphisms of the rings
    only, and a number of nodes behind each node.
    """
    n_nodes = int(rng.integers(4, 30))
    pairs = np.column_stack(np.triu_indices(n_nodes, 1))
    distance = np.minimum(
        pairs[:, 1] - pairs[:, 0], n_nodes - pairs[:, 1] + pairs[:, 0]
    )
    kinds = (
        distance <= int(rng.integers(1, 3)),
        rng.random(len(pairs)) < rng.random(),
        pairs[:, 0] == 0,
    )
    edges = kinds[int(rng.integers(len(kinds)))]
    changed = edges ^ (rng.random(len(pairs)) < 1 / n_nodes)
    places = np.arange(n_nodes)
    return GraphEvidence(
        Graph(n_nodes, pairs[edges], labels=_sizes(rng, n_nodes)),
        Graph(n_nodes, pairs[changed]),
        np.array([(places + step) % n_nodes for step in (1, 2, 3)]),
    )


def _sizes(rng: np.random.Generator, n_nodes: int) -> pd.DataFrame:
    most = int(rng.integers(2, 9))
    return pd.DataFrame({"nodes": rng.integers(1, most, n_nodes), "edges_inside": 0})


def empty_graph(_: Hashable = None) -> GraphEvidence:
    """A graph without nodes."""
    return GraphEvidence(Graph(0, np.empty((0, 2), dtype=np.int64)))


def friends(seed: int = 0, n_nodes: int = 60) -> pd.DataFrame:
    """Edges between persons, a few of whom have many; two persons have none."""
    rng = np.random.default_rng(seed)
    reach = 1 / np.arange(2, n_nodes)
    chosen = rng.choice(n_nodes - 2, (6 * n_nodes, 2), p=reach / reach.sum())
    chosen = chosen[chosen[:, 0] != chosen[:, 1]]
    pairs = np.unique(np.sort(chosen, axis=1), axis=0)
    names = np.array([f"{NAME}{i}" for i in rng.permutation(n_nodes)])
    met = np.isin(np.arange(n_nodes), pairs)
    table = pd.DataFrame({"one": names[pairs[:, 0]], "other": names[pairs[:, 1]]})
    alone = pd.DataFrame({"one": names[~met], "other": None})
    return pd.concat([table, alone.astype(table.dtypes)], ignore_index=True)


def every_form(table: pd.DataFrame) -> dict[str, Any]:
    """The same graph as an edge table, as two tables and as a matrix."""
    whole = table.dropna().reset_index(drop=True)
    names = pd.unique(pd.concat([table["one"], whole["other"]]))
    places = pd.Series(np.arange(len(names)), index=names)
    first, second = places[whole["one"]], places[whole["other"]]
    ones = np.ones(len(whole), dtype=np.int64)
    upper = sparse.coo_array((ones, (first, second)), (len(names),) * 2)
    return {
        "an edge table": table,
        "two tables": (whole, pd.DataFrame({"person": names})),
        "a sparse matrix": sparse.csr_matrix(upper + upper.T),
    }
