"""Arrays of a graph as the kernels want them."""

import time

import numpy as np

from anon_transformers.exceptions import NotEvaluable
from anon_transformers.graphs import Graph, label_codes
from anon_transformers.parameters import real

COMPILATION = 3600.0
"""Seconds for the first use of kernels, which no time_limit counts."""


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
        colors = folded(colors, codes, int(codes.max(initial=0)) + 1)
    return colors


def folded(colors: np.ndarray, codes: np.ndarray, n_codes: int) -> np.ndarray:
    """One number for each pair of a color and a code."""
    pairs = colors * max(n_codes, 1) + codes
    return np.unique(pairs, return_inverse=True)[1].astype(np.int64)


def sharing(classes: np.ndarray) -> np.ndarray:
    """How many nodes are in the class of each node."""
    return np.bincount(classes)[classes]


class Deadline:
    """When a search has to end.

    Parameters
    ----------
    what : str
        Who searches, for the message.
    time_limit : float
        Seconds from now.
    """

    def __init__(self, what: str, time_limit: float):
        self.what = what
        self.time_limit = real("time_limit", time_limit, 0)
        self._end = time.monotonic() + self.time_limit

    def check(self) -> None:
        """Raise if the time is over: what was not searched cannot be judged."""
        if time.monotonic() > self._end:
            raise NotEvaluable(
                f"{self.what} was not done within {self.time_limit:g} seconds, which "
                "is its time_limit."
            )
