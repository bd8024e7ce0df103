"""How a graph was given."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.graphs._graph import Graph


@dataclass(frozen=True)
class GraphForm:
    """How a graph was given, and how the same kind of thing is made again.

    Attributes
    ----------
    kind : {"edge table", "tables", "networkx", "sparse"}
        What was given.
    names : numpy array
        The name of each node.
    """

    kind: str
    names: np.ndarray = field(repr=False)
    _write: Callable[[Graph, np.ndarray], Any] = field(repr=False)

    def write(self, graph: Graph, names: np.ndarray | None = None) -> Any:
        """``graph`` in this form.

        Parameters
        ----------
        graph : Graph
            What to write; it may have other nodes than the one that was opened.
        names : array, optional
            A name for each node; by default its number.
        """
        return self._write(graph, np.arange(graph.n_nodes) if names is None else names)


def joined(
    n_nodes: int,
    edges: np.ndarray,
    weights: np.ndarray | None,
    labels: pd.DataFrame | None = None,
) -> Graph:
    """A simple graph of edges that may be loops or come more than once."""
    straight = edges[:, 0] != edges[:, 1]
    low, high = edges.min(axis=1), edges.max(axis=1)
    keys, which = np.unique(
        (low.astype(np.int64) * n_nodes + high)[straight], return_inverse=True
    )
    pairs = np.column_stack(np.divmod(keys, max(n_nodes, 1)))
    added = None
    if weights is not None:
        added = np.bincount(which, weights[straight], len(keys)).astype(weights.dtype)
    return Graph(n_nodes, pairs, added, labels)
