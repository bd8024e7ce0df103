"""What weights of edges tell about nodes."""

import numpy as np
import pandas as pd

from anon_transformers.graphs._graph import Graph


def telling_weights(graph: Graph) -> float:
    """Share of nodes with edges whose weights, taken together, no other node has.

    A weight that several edges have points at somebody all the same where the weights
    around a node are rare together.

    Parameters
    ----------
    graph : Graph
        With weights or without.

    Examples
    --------
    >>> telling_weights(Graph(4, [[0, 1], [1, 2], [2, 3]], np.array([1, 2, 1])))
    0.0
    >>> telling_weights(Graph(4, [[0, 1], [1, 2], [2, 3]], np.array([1, 2, 3])))
    1.0
    """
    if graph.weights is None or not graph.n_edges:
        return 0.0
    ends = graph.edges.T.ravel()
    weights = np.tile(graph.weights, 2)
    order = np.lexsort((weights, ends))
    around = pd.Series(weights[order]).groupby(ends[order]).agg(tuple)
    return float((~around.duplicated(keep=False)).mean())
