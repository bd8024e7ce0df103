"""A graph drawn from those that a generalized graph leaves possible."""

from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, open_graph
from anon_transformers.parameters import generator
from anon_transformers_graphs.generalization._generalized_graphs import (
    EDGES_INSIDE,
    NODES,
    SUPER_NODE,
    pairs_and_edges,
    super_node_labels,
)


def sample_graph(
    generalized: Any, random_state: int | np.random.Generator | None = None
) -> Any:
    """Draw a graph that is consistent with a generalized one, all with equal chance.

    Parameters
    ----------
    generalized : pair of tables, networkx graph or Graph
        What :class:`NodeClusterGeneralizer` or :class:`LabelGeneralizer` publishes:
        super-nodes with the labels "nodes" and "edges_inside", and edges whose weight
        is the number of edges between two super-nodes.
    random_state : int or Generator, default=None
        None: fresh entropy.

    Returns
    -------
    graph
        In the form of ``generalized``. Each node has its super-node's number as the
        label "supernode", and other labels of that.

    Examples
    --------
    >>> import networkx as nx
    >>> published = nx.Graph()
    >>> published.add_node(0, nodes=3, edges_inside=1)
    >>> published.add_node(1, nodes=2, edges_inside=0)
    >>> published.add_edge(0, 1, weight=6)
    >>> drawn = sample_graph(published, random_state=0)
    >>> drawn.number_of_nodes(), drawn.number_of_edges()
    (5, 7)
    """
    graph, form = open_graph(generalized)
    rng = generator(random_state)
    pairs, edges = pairs_and_edges(graph)
    owner, number = _draw_distinct(pairs, edges, rng)
    sizes = super_node_labels(graph)[NODES].to_numpy().astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    inside = owner < graph.n_nodes
    ends = np.empty((len(owner), 2), dtype=np.int64)
    ends[inside] = starts[owner[inside], None] + _pair_of(number[inside])
    first, second = graph.edges[owner[~inside] - graph.n_nodes].T
    ends[~inside, 0] = starts[first] + number[~inside] // sizes[second]
    ends[~inside, 1] = starts[second] + number[~inside] % sizes[second]
    return form.write(Graph(int(sizes.sum()), ends, labels=_labels(graph, sizes)))


def _draw_distinct(
    pairs: np.ndarray, edges: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Of each ``pairs[i]`` numbers ``edges[i]`` different ones, as (i, number).

    Numbers that were drawn before are drawn again: the set of the first different ones
    of a sequence is uniform. Where most are wanted, those that are not are drawn.
    """
    most = 2 * edges > pairs
    missing = wanted = np.where(most, pairs - edges, edges)
    ends = np.cumsum(pairs)
    starts = ends - pairs
    held = np.empty(0, dtype=np.int64)
    while missing.any():
        owner = np.repeat(np.arange(len(pairs)), missing)
        more = starts[owner] + rng.integers(0, pairs[owner])
        held = np.unique(np.concatenate([held, more]))
        owner = np.searchsorted(ends, held, side="right")
        missing = wanted - np.bincount(owner, minlength=len(pairs))
    owner = np.searchsorted(ends, held, side="right")
    every = np.repeat(starts[most] - np.cumsum(pairs[most]) + pairs[most], pairs[most])
    left = np.setdiff1d(every + np.arange(len(every)), held, assume_unique=True)
    held = np.concatenate([held[~most[owner]], left])
    owner = np.searchsorted(ends, held, side="right")
    return owner, held - starts[owner]


def _pair_of(number: np.ndarray) -> np.ndarray:
    """The pair (j, i) with j < i that has this number: i * (i - 1) / 2 + j."""
    high = np.floor((1 + np.sqrt(1 + 8.0 * number)) / 2).astype(np.int64)
    # A square root of large numbers may be off by one.
    high -= high * (high - 1) // 2 > number
    high += high * (high + 1) // 2 <= number
    return np.column_stack([number - high * (high - 1) // 2, high])


def _labels(graph: Graph, sizes: np.ndarray) -> pd.DataFrame:
    """What is known of each node: its super-node, and the labels of that."""
    which = np.repeat(np.arange(graph.n_nodes), sizes)
    known = super_node_labels(graph).drop(columns=[NODES, EDGES_INSIDE])
    if SUPER_NODE in known:
        raise DataError(f"the label {SUPER_NODE!r} is that of drawn nodes: rename it.")
    labels = known.iloc[which].reset_index(drop=True)
    labels.insert(0, SUPER_NODE, which)
    return labels
