"""A graph as arrays: lists of neighbors, colors of labels, sizes of classes."""

import numpy as np

from anon_transformers.graphs import Graph, label_codes


def neighbor_lists(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Where the list of each node starts, and the lists one after the other."""
    adjacency = graph.adjacency
    return adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int32)


def label_colors(graph: Graph) -> np.ndarray:
    """One number for each combination of labels; 0 for all nodes if there are none.

    Labels are the same where readers see the same text.
    """
    colors = np.zeros(graph.n_nodes, dtype=np.int64)
    if graph.labels is None:
        return colors
    for name in graph.labels.columns:
        codes = label_codes(graph.labels[name])
        colors = combined_codes(colors, codes, int(codes.max(initial=0)) + 1)
    return colors


def combined_codes(colors: np.ndarray, codes: np.ndarray, n_codes: int) -> np.ndarray:
    """One number for each pair of a color and a code."""
    pairs = colors * max(n_codes, 1) + codes
    return np.unique(pairs, return_inverse=True)[1].astype(np.int64)


def class_sizes(classes: np.ndarray) -> np.ndarray:
    """How many nodes are in the class of each node."""
    return np.bincount(classes)[classes]


def smallest_degree_class(graph: Graph) -> int:
    """Nodes that share the rarest degree: the largest k of k-degree anonymity.

    Examples
    --------
    >>> smallest_degree_class(Graph(4, [[0, 1], [1, 2], [2, 3]]))
    2
    """
    return int(graph.degree_histogram[graph.degrees].min())
