"""How clusters of nodes compare, with each other and with the edges."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from anon_transformers.exceptions import DataError
from anon_transformers.graphs import Graph, open_graph, places_of

Clusters = Collection[Collection[Hashable]]
"""Each cluster is a set or list of names of nodes, which may be numbers; a node may be
in none, and in several."""
Groups = Sequence[np.ndarray]
"""The same, by places of nodes in some list of names."""


def clustering_jaccard(one: Clusters, other: Clusters) -> float:
    """Jaccard index of two families of clusters.

    Clusters are paired, each at most once, so that the paired ones share as many nodes
    as possible; those nodes are divided by all nodes that are in some cluster of either
    family. The pairs are those of an exact assignment: to take the largest overlap
    first would be too low.

    Parameters
    ----------
    one, other : sequence of clusters
        Each is a set, or another collection, of names of nodes.

    Returns
    -------
    float
        From 0 to 1, which only equal families reach. Compare it with
        :func:`single_cluster_baseline`. Two families without any node are equal.

    Examples
    --------
    >>> clustering_jaccard([{"a", "b", "c"}, {"d", "e"}], [{"a", "b"}, {"c", "d", "e"}])
    0.8
    """
    names = _all_names(one, other)
    first, second = (
        memberships(cluster_positions(family, names), len(names))
        for family in (one, other)
    )
    held = np.union1d(first.indices, second.indices)
    return _best_overlap(first @ second.T) / len(held) if len(held) else 1.0


def single_cluster_baseline(clusters: Clusters, n_nodes: int) -> float:
    """Jaccard index of one cluster of all nodes, which is no information.

    Parameters
    ----------
    clusters : sequence of clusters
        Of the original graph.
    n_nodes : int
        Nodes of the graph.

    Examples
    --------
    >>> round(single_cluster_baseline([range(18), range(18, 34)], 34), 3)
    0.529
    """
    unknown = len(_all_names(clusters)) - n_nodes
    if unknown > 0:
        raise DataError(f"clusters name {unknown} nodes more than the graph has.")
    return max((len(cluster) for cluster in clusters), default=0) / max(n_nodes, 1)


def clustering_precision(
    clusters: Clusters, labels: Mapping[Any, Any] | Sequence | np.ndarray
) -> float:
    """Share of the nodes that are grouped as known labels say.

    Each cluster stands for at most one label and each label for at most one cluster, so
    that most nodes are right; a node in no cluster is wrong. (If every cluster could
    take its most frequent label, clusters of one node would be perfect.)

    Parameters
    ----------
    clusters : sequence of clusters
        Without nodes in common.
    labels : mapping, or sequence of one label per node
        The group each node is known to belong to, by its name; a sequence is of nodes
        that are numbers from 0 on.

    Examples
    --------
    >>> known = {"Ann": "x", "Bob": "x", "Cid": "x", "Dan": "y"}
    >>> clustering_precision([{"Ann", "Bob"}, {"Cid", "Dan"}], known)
    0.75
    """
    by_name = labels if isinstance(labels, Mapping) else dict(enumerate(labels))
    if not by_name:
        raise DataError("there are no labels: precision needs one per node.")
    found = cluster_labels(cluster_positions(clusters, list(by_name)), len(by_name))
    known = np.unique(np.asarray(list(by_name.values())), return_inverse=True)[1]
    right = _best_overlap(_contingency(found, known)[: len(clusters)])
    return right / len(labels)


def normalized_mutual_information(one: Clusters, other: Clusters) -> float:
    """Information that two families of clusters share, by the mean of what each has.

    A node that only one of them holds is a cluster of its own in the other.

    Parameters
    ----------
    one, other : sequence of clusters
        Without nodes in common within a family.

    Returns
    -------
    float
        From 0 to 1. Where neither holds any information they are equal: 1.

    Examples
    --------
    >>> normalized_mutual_information([{0, 1}, {2, 3}], [{2, 3}, {0, 1}])
    1.0
    >>> normalized_mutual_information([{0, 1}, {2, 3}], [{0, 2}, {1, 3}])
    0.0
    """
    names = _all_names(one, other)
    both = [
        cluster_labels(cluster_positions(family, names), len(names))
        for family in (one, other)
    ]
    held = (both[0] < len(one)) | (both[1] < len(other))
    counts = _contingency(both[0][held], both[1][held])
    shared = _entropy(counts.sum(axis=1)) + _entropy(counts.sum(axis=0))
    if not shared:
        return 1.0
    # Rounding may leave independent families a hair below 0.
    return max(2 * (shared - _entropy(counts.data)) / shared, 0.0)


def modularity(graph: Any, clusters: Clusters) -> float:
    """Edges within clusters, compared with what random edges would give.

    The sum over clusters of the share of edges inside, less the square of the share of
    edge ends. Nodes in no cluster are clusters of their own.

    Parameters
    ----------
    graph : Graph, or a graph in any form
        With at least one edge.
    clusters : sequence of clusters
        Names of nodes, without nodes in common.

    Examples
    --------
    >>> two = Graph(6, [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]])
    >>> modularity(two, [{0, 1, 2}, {3, 4, 5}])
    0.5
    """
    opened, form = open_graph(graph)
    return group_modularity(opened, cluster_positions(clusters, form.names.tolist()))


def group_modularity(graph: Graph, clusters: Groups) -> float:
    """:func:`modularity` of clusters of places."""
    if not graph.n_edges:
        raise DataError("a graph without edges has no modularity.")
    labels = cluster_labels(clusters, graph.n_nodes)
    inside = int((labels[graph.edges[:, 0]] == labels[graph.edges[:, 1]]).sum())
    ends = np.bincount(labels, graph.degrees) / (2 * graph.n_edges)
    return inside / graph.n_edges - float((ends**2).sum())


def cluster_labels(clusters: Groups, n_nodes: int) -> np.ndarray:
    """Number of the cluster of each node; what is in none gets a number of its own."""
    members = memberships(clusters, n_nodes)
    counts = np.bincount(members.indices, minlength=n_nodes)
    if (counts > 1).any():
        raise DataError(
            f"{int((counts > 1).sum())} nodes are in more than one cluster: this is "
            "defined for clusters without nodes in common only."
        )
    labels = np.empty(n_nodes, dtype=np.int64)
    alone = counts == 0
    labels[alone] = len(clusters) + np.arange(int(alone.sum()))
    labels[members.indices] = np.repeat(
        np.arange(len(clusters)), np.diff(members.indptr)
    )
    return labels


def memberships(clusters: Groups, n_nodes: int) -> sparse.csr_array:
    """Matrix of clusters by nodes, 1 where a cluster holds a node."""
    sizes = [len(cluster) for cluster in clusters]
    nodes = np.concatenate([np.empty(0, np.int64), *map(np.asarray, clusters)])
    starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    shape = (len(clusters), n_nodes)
    ones = np.ones(len(nodes), dtype=np.int64)
    matrix = sparse.csr_array((ones, nodes.astype(np.int64), starts), shape)
    matrix.sum_duplicates()
    n_repeated = int((matrix.data > 1).sum())
    if n_repeated:
        raise DataError(f"clusters name {n_repeated} of their nodes more than once.")
    return matrix


def _best_overlap(shared: sparse.csr_array) -> int:
    """Largest sum of entries of which no two are in the same row or column.

    The matrix stays sparse. A row or column that is paired with none gets a partner of
    its own; partners of paired ones are paired as those are. With 1 added to all
    numbers each way to pair has as many entries, and none of them is 0.
    """
    shared = sparse.csr_array(shared).astype(np.float64)
    rows, columns = shared.shape
    if not shared.nnz:
        return 0
    pattern = shared.copy()
    pattern.data[:] = 1.0
    own = sparse.eye_array(rows), sparse.eye_array(columns)
    square = sparse.block_array(
        [[shared + pattern, own[0]], [own[1], pattern.T]], format="csr"
    )
    chosen = min_weight_full_bipartite_matching(square, maximize=True)
    return round(float(square[chosen].sum())) - rows - columns


def _contingency(first: np.ndarray, second: np.ndarray) -> sparse.csr_array:
    """Nodes by their label in either family."""
    shape = (int(first.max(initial=0)) + 1, int(second.max(initial=0)) + 1)
    ones = np.ones(len(first), dtype=np.int64)
    counts = sparse.coo_array((ones, (first, second)), shape).tocsr()
    counts.sum_duplicates()
    return counts


def _entropy(counts: np.ndarray) -> float:
    shares = counts[counts > 0] / counts.sum()
    # Adding 0.0 turns -0.0, the entropy of one cluster, into 0.0.
    return float(-(shares * np.log(shares)).sum()) + 0.0


def cluster_positions(
    clusters: Clusters, names: Sequence[Hashable]
) -> list[np.ndarray]:
    """Clusters by places of their nodes among all names."""
    members = [list(cluster) for cluster in clusters]
    places = places_of([name for cluster in members for name in cluster], names)
    unknown = int((places < 0).sum())
    if unknown:
        raise DataError(f"clusters name {unknown} nodes that the graph does not have.")
    ends = np.cumsum([len(cluster) for cluster in members])
    return np.split(places, ends[:-1]) if members else []


def _all_names(*families: Clusters) -> list[Hashable]:
    """Every name once, in the order in which it comes."""
    return list(
        dict.fromkeys(
            name for family in families for cluster in family for name in cluster
        )
    )
