"""How a graph was given."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError
from anon_transformers.graphs._graph import Graph


@dataclass(frozen=True)
class GraphForm:
    """How a graph was given, and how the same kind of thing is made again.

    Attributes
    ----------
    kind : {"edge table", "tables", "networkx", "sparse", "graph"}
        What was given.
    names : numpy array
        The name of each node.
    columns : tuple
        Columns of tables that hold names of nodes.
    """

    kind: str
    names: np.ndarray = field(repr=False)
    _write: Callable[[Graph, np.ndarray], Any] = field(repr=False)
    columns: tuple[Hashable, ...] = ()

    @property
    def named(self) -> bool:
        """Whether nodes have names; in a ``Graph`` or a matrix they are places only."""
        return self.kind not in {"graph", "sparse"}

    def names_nodes_of(self, graph: Graph) -> bool:
        """Whether ``graph`` in this form has names of nodes.

        Labels make tables of a matrix, which name nodes.
        """
        return self.named or (self.kind == "sparse" and graph.labels is not None)

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
        added = _sums(weights[straight], which, len(keys))
    return Graph(n_nodes, pairs, added, labels)


def _sums(weights: np.ndarray, which: np.ndarray, n_edges: int) -> np.ndarray:
    """Weights of each edge added up, in their own type."""
    wide = {"f": np.float64, "u": np.uint64}.get(weights.dtype.kind, np.int64)
    total = np.zeros(n_edges, dtype=wide)
    np.add.at(total, which, weights.astype(wide))
    narrow = total.astype(weights.dtype)
    # What does not fit is another number; doubles may be rounded to short floats.
    lost = np.isinf(narrow) if narrow.dtype.kind == "f" else narrow != total
    if lost.any():
        raise DataError(
            f"the weights of {int(lost.sum())} edges, added up, do not fit into "
            f"{weights.dtype}."
        )
    return narrow
