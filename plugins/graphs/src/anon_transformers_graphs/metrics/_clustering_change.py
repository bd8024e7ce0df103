"""What anonymization did to the clusters of a graph."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError, check_choice
from anon_transformers.graphs import Graph
from anon_transformers_graphs._any_form import any_form
from anon_transformers_graphs.metrics._markov import markov_clusters
from anon_transformers_graphs.metrics._partitions import (
    clustering_jaccard,
    memberships,
    single_cluster_baseline,
)
from anon_transformers_graphs.metrics._random_walk import random_walk_clusters

METHODS: dict[str, Callable[..., list[np.ndarray]]] = {
    "markov": markov_clusters,
    "random-walk": random_walk_clusters,
}


@dataclass(frozen=True)
class ClusteringChange:
    """Clusters before and after a graph was anonymized.

    Attributes
    ----------
    jaccard : float
        Index of both families: 1 if nothing has changed.
    baseline : float
        What a single cluster of all nodes would have reached. An index near it is
        worthless.
    original, published : list of int arrays
        Clusters of both graphs.
    original_coverage, published_coverage : float
        Share of the nodes that are in some cluster.
    """

    jaccard: float
    baseline: float
    original: list[np.ndarray] = field(repr=False)
    published: list[np.ndarray] = field(repr=False)
    original_coverage: float
    published_coverage: float

    def to_dict(self) -> dict[str, Any]:
        """Everything but what belongs to single nodes, as plain values."""
        return {
            "jaccard": self.jaccard,
            "baseline": self.baseline,
            "original_sizes": [len(cluster) for cluster in self.original],
            "published_sizes": [len(cluster) for cluster in self.published],
            "original_coverage": self.original_coverage,
            "published_coverage": self.published_coverage,
        }


@any_form(same_nodes=True)
def clustering_change(
    original: Graph, published: Graph, method: str = "markov", **options: Any
) -> ClusteringChange:
    """Cluster both graphs in the same way, and compare what comes out.

    Parameters
    ----------
    original, published : Graph, or a graph in any form
        The same nodes: they go by name, or by order where one is a ``Graph``.
    method : {"markov", "random-walk"}, default="markov"
        :func:`markov_clusters` or :func:`random_walk_clusters`.
    **options
        Parameters of that function.

    Examples
    --------
    >>> two = [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [3, 5]]
    >>> more = [*two, [1, 4]]
    >>> change = clustering_change(Graph(6, two), Graph(6, more), inflation=2.0)
    >>> change.jaccard, change.baseline
    (1.0, 0.5)
    """
    check_choice("method", method, METHODS)
    n_nodes = original.n_nodes
    if n_nodes != published.n_nodes or not n_nodes:
        raise DataError(
            f"the original has {n_nodes} nodes and what is published "
            f"{published.n_nodes}: they cannot be compared node by node."
        )
    before, after = (METHODS[method](g, **options) for g in (original, published))
    return ClusteringChange(
        clustering_jaccard(before, after),
        single_cluster_baseline(before, n_nodes),
        before,
        after,
        _coverage(before, n_nodes),
        _coverage(after, n_nodes),
    )


def _coverage(clusters: list[np.ndarray], n_nodes: int) -> float:
    return len(np.unique(memberships(clusters, n_nodes).indices)) / n_nodes
