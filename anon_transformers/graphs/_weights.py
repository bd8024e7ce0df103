"""What weights of edges reveal about nodes."""

import numpy as np
import pandas as pd

from anon_transformers.graphs._graph import Graph

TELLING = 0.05
"""Share of nodes above which weights are said to tell nodes apart."""


def telling_weights(graph: Graph, *, beyond_degrees: bool = False) -> float:
    """Share of nodes with edges whose weights, taken together, no other node has.

    A weight that several edges have points at somebody all the same where the weights
    around a node are rare together.

    Parameters
    ----------
    graph : Graph
        With weights or without.
    beyond_degrees : bool, default=False
        Leave out nodes that their degree alone tells apart, which a method may change.

    Examples
    --------
    >>> telling_weights(Graph(4, [[0, 1], [1, 2], [2, 3]], np.array([1, 2, 1])))
    0.0
    >>> telling_weights(Graph(4, [[0, 1], [1, 2], [2, 3]], np.array([1, 2, 3])))
    1.0
    """
    if graph.weights is None or not graph.n_edges:
        return 0.0
    _, codes = np.unique(graph.weights, return_inverse=True)
    # Sums of two long random numbers per weight are equal for equal weights only.
    marks = np.random.default_rng(0).integers(
        0, 1 << 64, (codes.max() + 1, 2), dtype=np.uint64
    )
    sums = np.zeros((graph.n_nodes, 2), dtype=np.uint64)
    for ends in graph.edges.T:
        np.add.at(sums, ends, marks[codes])
    alone = ~pd.DataFrame(sums).duplicated(keep=False).to_numpy()
    if beyond_degrees:
        alone &= graph.degree_histogram[graph.degrees] > 1
    return float(alone[graph.degrees > 0].mean())
