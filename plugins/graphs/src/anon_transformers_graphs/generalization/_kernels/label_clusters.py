"""Clusters of nodes that are alike in labels and neighbors (Campan and Truta 2008)."""

import numpy as np

from anon_transformers.jit import njit

ALONE = -1


@njit
def _share(lists, member, isolated, marks, touched, shares):
    """Add to ``shares`` how much of their neighbors nodes share with a new member.

    That is twice the neighbors in common, by the neighbors of both; two that know
    each other count each other. Nodes without neighbors share all with their like.
    """
    indptr, indices = lists
    degree = indptr[member + 1] - indptr[member]
    if degree == 0:
        for i in range(len(isolated)):
            shares[isolated[i]] += 1.0
        return
    n_touched = 0
    for i in range(indptr[member], indptr[member + 1]):
        near = indices[i]
        if marks[near] == 0:
            touched[n_touched] = near
            n_touched += 1
        marks[near] += 1
        for j in range(indptr[near], indptr[near + 1]):
            far = indices[j]
            if marks[far] == 0:
                touched[n_touched] = far
                n_touched += 1
            marks[far] += 1
    for i in range(n_touched):
        node = touched[i]
        both = degree + indptr[node + 1] - indptr[node]
        shares[node] += 2.0 * marks[node] / both
        marks[node] = 0


@njit
def _label_loss(groups, starts, node, first, levels, found):
    """Share of the height that labels of a cluster rise if ``node`` joins it."""
    loss = 0.0
    for c in range(len(starts) - 1):
        height = starts[c + 1] - starts[c] - 1
        level = levels[c]
        while groups[starts[c] + level, node] != groups[starts[c] + level, first]:
            level += 1
        found[c] = level
        loss += level / max(height, 1)
    return loss / max(len(starts) - 1, 1)


@njit(
    "(int64[::1], int32[::1]), int64[:, ::1], int64[::1], int64[::1], int64, "
    "float64, float64"
)
def cluster_nodes(lists, groups, starts, order, k, alpha, beta):
    """Grow clusters of ``k`` nodes, one after the other, each from the next in order.

    A cluster takes the node that makes labels and neighbors the least different. Nodes
    that are left over, fewer than ``k``, go where they do the least harm.

    Parameters
    ----------
    lists : pair of int arrays
        Where the list of neighbors of each node starts, and the lists.
    groups : int64 ndarray of shape (n_rows, n_nodes)
        Groups of the nodes, a row for each level of each label.
    starts : int64 ndarray
        First row of each label, and the number of rows.
    order : int64 ndarray
        All nodes; seeds are taken in this order.
    k : int
        Nodes of a cluster.
    alpha, beta : float
        Weights of labels and of neighbors.

    Returns
    -------
    block : int64 ndarray
        Cluster of each node.
    levels : int64 ndarray of shape (n_clusters, n_labels)
        Level at which all nodes of a cluster have one label.
    """
    n = len(order)
    block = np.full(n, ALONE, dtype=np.int64)
    levels = np.zeros((n // k, len(starts) - 1), dtype=np.int64)
    seeds = np.empty(n // k, dtype=np.int64)
    marks, touched = np.zeros(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    isolated = np.flatnonzero(np.diff(lists[0]) == 0)
    left, at = order.copy(), 0
    for cluster in range(n // k):
        while block[order[at]] != ALONE:
            at += 1
        seeds[cluster] = member = order[at]
        block[member] = cluster
        shares = np.zeros(n)
        for size in range(1, k):
            _share(lists, member, isolated, marks, touched, shares)
            left = left[block[left] == ALONE]
            member = _nearest(
                left,
                shares / size,
                groups,
                starts,
                seeds[cluster],
                levels[cluster],
                alpha,
                beta,
            )
            block[member] = cluster
    for node in left[block[left] == ALONE]:
        shares = np.zeros(n)
        _share(lists, node, isolated, marks, touched, shares)
        home = _home(block, node, shares, groups, starts, seeds, levels, alpha, beta)
        _label_loss(groups, starts, node, seeds[home], levels[home], levels[home])
        block[node] = home
    return block, levels


@njit
def _nearest(left, shares, groups, starts, seed, levels, alpha, beta):
    """The node of ``left`` that changes a cluster least; ``levels`` rise for it."""
    found = np.empty_like(levels)
    lowest, nearest = np.inf, left[0]
    for node in left:
        apart = beta * (1.0 - shares[node])
        if apart >= lowest:
            continue
        loss = alpha * _label_loss(groups, starts, node, seed, levels, found) + apart
        if loss < lowest:
            lowest, nearest = loss, node
    _label_loss(groups, starts, nearest, seed, levels, levels)
    return nearest


@njit
def _home(block, node, shares, groups, starts, seeds, levels, alpha, beta):
    """The cluster that a node that is left over changes least."""
    sums, sizes = np.zeros(len(seeds)), np.zeros(len(seeds))
    for other in range(len(block)):
        if block[other] != ALONE:
            sums[block[other]] += shares[other]
            sizes[block[other]] += 1
    found = np.empty(levels.shape[1], dtype=np.int64)
    lowest, home = np.inf, 0
    for cluster in range(len(seeds)):
        held, seed = levels[cluster], seeds[cluster]
        before = _label_loss(groups, starts, seed, seed, held, found)
        loss = _label_loss(groups, starts, node, seed, held, found)
        # What rises, rises for all nodes of the cluster.
        loss += (loss - before) * sizes[cluster]
        total = alpha * loss + beta * (1.0 - sums[cluster] / sizes[cluster])
        if total < lowest:
            lowest, home = total, cluster
    return home
