"""Twins: nodes with the same neighbours, apart from each other.

To swap two twins changes nothing in the graph, so whatever is found of one holds for
the other. The leaves of a star are twins, and all nodes of a complete graph.
"""

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs._kernels.neighbor_hashes import mixed, mixed_pair


@njit
def twin_marks(indptr, indices, labels):
    """Two numbers a node: twins that are not joined share the one, others the other."""
    apart = np.empty(len(labels), dtype=np.int64)
    joined = np.empty(len(labels), dtype=np.int64)
    for node in range(len(labels)):
        total = mixed_pair(labels[node], len(labels))
        for at in range(indptr[node], indptr[node + 1]):
            total += mixed(indices[at])
        apart[node] = np.int64(total)
        joined[node] = np.int64(total + mixed(node))
    return apart, joined


@njit
def _twins(indptr, indices, one, other):
    """Whether two nodes have the same neighbours; lists are sorted."""
    here, here_end = indptr[one], indptr[one + 1]
    there, there_end = indptr[other], indptr[other + 1]
    if here_end - here != there_end - there:
        return False
    while here < here_end or there < there_end:
        if here < here_end and indices[here] == other:
            here += 1
        elif there < there_end and indices[there] == one:
            there += 1
        elif here == here_end or there == there_end or indices[here] != indices[there]:
            return False
        else:
            here += 1
            there += 1
    return True


@njit
def find_twins(indptr, indices, labels, marks, order, firsts):
    """Write the first twin of each node into ``firsts``.

    ``order`` lists the nodes by mark. Nodes that share a mark by accident stay alone.
    """
    first = -1
    for node in order:
        if first < 0 or marks[node] != marks[first]:
            first = node
        elif labels[node] == labels[first] and _twins(indptr, indices, first, node):
            firsts[node] = first
