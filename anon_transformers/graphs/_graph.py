"""A simple undirected graph as arrays."""

from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral

import numpy as np
import pandas as pd
from scipy import sparse

from anon_transformers._data.columns import identify
from anon_transformers.exceptions import DataError


def label_codes(labels: pd.Series) -> np.ndarray:
    """One number for each text that a label is published as.

    A missing label and an empty text have a number of their own.

    Parameters
    ----------
    labels : Series
        One label per node.

    Returns
    -------
    int32 ndarray
        The same number where readers see the same, and only there.

    Examples
    --------
    >>> label_codes(pd.Series([True, 1, 1, None, ""], dtype=object)).tolist()
    [1, 0, 0, 2, 2]
    """
    return identify(labels).codes


MOST_NODES = 2**31
"""Node numbers take four bytes each."""


@dataclass(frozen=True, eq=False)
class Graph:
    """Simple undirected graph; its nodes are the numbers from 0 to ``n_nodes - 1``.

    No loops, no parallel edges, no directions. Edges are kept sorted, so that two
    graphs are the same exactly if their ``edges`` are.

    Parameters
    ----------
    n_nodes : int
        Nodes, those without an edge too.
    edges : int array of shape (n_edges, 2)
        Pairs of nodes, in any order.
    weights : float array of shape (n_edges,), optional
        Carried along with the edges; no method looks at them.
    labels : data frame of n_nodes rows, optional
        Attributes of the nodes.
    naming : str, optional
        A mark of the order of its nodes, another one each time that they are renamed.
        Graphs of different marks are not compared node by node unless it is stated who
        is who.

    Examples
    --------
    >>> path = Graph(4, [[1, 0], [1, 2]])
    >>> path.degrees
    array([1, 2, 1, 0])
    >>> path.edges.tolist()
    [[0, 1], [1, 2]]
    """

    n_nodes: int
    edges: np.ndarray = field(repr=False)
    weights: np.ndarray | None = field(default=None, repr=False)
    labels: pd.DataFrame | None = field(default=None, repr=False)
    naming: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.n_nodes, Integral) or not 0 <= self.n_nodes < MOST_NODES:
            raise DataError(f"n_nodes must be a whole number below {MOST_NODES:,}.")
        edges = np.asarray(self.edges)
        if not edges.size:
            edges = np.empty((0, 2), dtype=np.int64)
        if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":  # noqa: PLR2004
            raise DataError("edges must be pairs of node numbers.")
        if edges.size and not (edges.min() >= 0 and edges.max() < self.n_nodes):
            raise DataError(
                f"edges name nodes that are not among the {self.n_nodes} of the graph."
            )
        low, high = edges.min(axis=1), edges.max(axis=1)
        keys = low.astype(np.int64) * self.n_nodes + high
        order = np.argsort(keys, kind="stable")
        _refuse_rich(int((low == high).sum()), int((np.diff(keys[order]) == 0).sum()))
        sorted_edges = np.column_stack([low, high])[order].astype(np.int32)
        object.__setattr__(self, "n_nodes", int(self.n_nodes))
        object.__setattr__(self, "edges", _frozen(sorted_edges))
        if self.weights is not None:
            weights = np.asarray(self.weights)
            if weights.shape != (len(edges),):
                raise DataError(f"{len(edges)} edges need as many weights.")
            object.__setattr__(self, "weights", _frozen(weights[order]))
        if self.labels is not None and len(self.labels) != self.n_nodes:
            raise DataError(f"{self.n_nodes} nodes need as many rows of labels.")

    @property
    def n_edges(self) -> int:
        """How many edges there are."""
        return len(self.edges)

    @cached_property
    def degrees(self) -> np.ndarray:
        """Number of neighbors of each node."""
        return _frozen(np.bincount(self.edges.ravel(), minlength=self.n_nodes))

    @cached_property
    def degree_histogram(self) -> np.ndarray:
        """Position g holds the number of nodes of degree g."""
        return np.bincount(self.degrees)

    @cached_property
    def keys(self) -> np.ndarray:
        """One number per edge, in rising order: first node * n_nodes + second node."""
        first, second = self.edges.T.astype(np.int64)
        return _frozen(first * self.n_nodes + second)

    @cached_property
    def adjacency(self) -> sparse.csr_array:
        """Symmetric matrix of zeros and ones, sparse; column numbers are sorted.

        ``adjacency.indptr`` and ``adjacency.indices`` are the lists of neighbors.
        """
        ends = np.concatenate([self.edges, self.edges[:, ::-1]]).astype(np.int32)
        ones = np.ones(len(ends), dtype=np.int8)
        shape = (self.n_nodes, self.n_nodes)
        return sparse.coo_array((ones, (ends[:, 0], ends[:, 1])), shape).tocsr()

    def has_edges(self, pairs: np.ndarray) -> np.ndarray:
        """Which of these pairs of nodes are edges; pairs of other nodes are not."""
        pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        wanted = pairs.min(axis=1) * self.n_nodes + pairs.max(axis=1)
        if not self.n_edges:
            return np.zeros(len(wanted), dtype=bool)
        at = np.minimum(np.searchsorted(self.keys, wanted), self.n_edges - 1)
        return (self.keys[at] == wanted) & (pairs.max(axis=1) < self.n_nodes)

    def common_edges(self, other: "Graph") -> int:
        """Edges that both graphs have, node by node."""
        return int(other.has_edges(self.edges).sum())

    def with_edges(
        self, edges: np.ndarray, rng: np.random.Generator | None = None
    ) -> "Graph":
        """The same nodes with other edges; kept edges keep their weights.

        A false edge without a weight would be known by that. So new edges take the
        weights of those that went, in random order, and then random ones of the
        graph's own.
        """
        bare = Graph(self.n_nodes, edges, labels=self.labels)
        if self.weights is None:
            return bare
        rng = np.random.default_rng(rng)
        kept = np.isin(self.keys, bare.keys, assume_unique=True)
        stays = np.isin(bare.keys, self.keys, assume_unique=True)
        weights = np.empty(bare.n_edges, dtype=self.weights.dtype)
        weights[stays] = self.weights[kept]
        free = rng.permutation(self.weights[~kept])
        more = max(int((~stays).sum()) - len(free), 0)
        if more:
            free = np.concatenate([free, rng.choice(self.weights, more)])
        weights[~stays] = free[: int((~stays).sum())]
        return Graph(self.n_nodes, bare.edges, weights, self.labels)

    def relabeled(self, places: np.ndarray, naming: str | None = None) -> "Graph":
        """The same graph, where node ``i`` is now called ``places[i]``.

        ``naming`` marks the new order.
        """
        places = np.asarray(places)
        if not np.array_equal(np.sort(places), np.arange(self.n_nodes)):
            raise DataError(f"places is no permutation of {self.n_nodes} nodes.")
        if naming == self.naming and (places == np.arange(self.n_nodes)).all():
            return self  # with what was computed of it already
        labels = self.labels
        if labels is not None:
            labels = labels.iloc[np.argsort(places)].reset_index(drop=True)
        edges = places[self.edges]
        return Graph(self.n_nodes, edges, self.weights, labels, naming)


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def _refuse_rich(loops: int, parallel: int) -> None:
    if loops or parallel:
        raise DataError(
            f"the graph has {loops} loops and {parallel} parallel edges; a simple "
            "graph has none. reduce=True drops loops and joins parallel edges."
        )
