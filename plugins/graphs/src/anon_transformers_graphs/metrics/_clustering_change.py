"""What anonymization did to the clusters of a graph."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anon_transformers.exceptions import DataError, check_choice
from anon_transformers.graphs import open_same_nodes
from anon_transformers_graphs.metrics._cluster_indices import (
    clustering_jaccard,
    single_cluster_baseline,
)
from anon_transformers_graphs.metrics._markov import markov_groups, named_sets
from anon_transformers_graphs.metrics._random_walk import random_walk_groups

METHODS: dict[str, Callable[..., list[np.ndarray]]] = {
    "markov": markov_groups,
    "random-walk": random_walk_groups,
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
    original, published : list of sets
        Clusters of both graphs, by names of the original, without noise nodes; see
        :func:`markov_clusters`.
    original_coverage, published_coverage : float
        Share of the nodes that are in some cluster.
    """

    jaccard: float
    baseline: float
    original: list[set[Any]] = field(repr=False)
    published: list[set[Any]] = field(repr=False)
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


def clustering_change(
    original: Any,
    published: Any,
    method: str = "markov",
    *,
    mapping: Mapping[Any, Hashable] | None = None,
    **options: Any,
) -> ClusteringChange:
    """Cluster both graphs in the same way, and compare the clusters.

    Parameters
    ----------
    original, published : Graph, or a graph in any form
        The same nodes: they go by name, or by order where one has no names.
    method : {"markov", "random-walk"}, default="markov"
        :func:`markov_clusters` or :func:`random_walk_clusters`.
    mapping : mapping, optional
        New name by old name, for a published graph whose nodes were renamed; see
        :func:`anon_transformers.graphs.open_same_nodes`.
    **options
        Parameters of that function.

    Examples
    --------
    >>> from anon_transformers.graphs import Graph
    >>> two = [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [3, 5]]
    >>> more = [*two, [1, 4]]
    >>> change = clustering_change(Graph(6, two), Graph(6, more), inflation=2.0)
    >>> change.jaccard, change.baseline
    (1.0, 0.5)
    """
    check_choice("method", method, METHODS)
    original, published, names = open_same_nodes(original, published, mapping)
    if not original.n_nodes:
        raise DataError("the graphs have no nodes: there is nothing to cluster.")
    groups = [METHODS[method](graph, **options) for graph in (original, published)]
    own = [[group[group < len(names)] for group in found] for found in groups]
    before, after = (
        named_sets([group for group in found if len(group)], names) for found in own
    )
    return ClusteringChange(
        clustering_jaccard(before, after),
        single_cluster_baseline(before, len(names)),
        before,
        after,
        *(len(set().union(*clusters)) / len(names) for clusters in (before, after)),
    )
