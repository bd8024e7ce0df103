"""Edges and pairs without an edge, drawn at random and never twice."""

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs._kernels.edge_tables import new_table, put


@njit("int64, int64, generator")
def draw_distinct(total, count, rng):
    """``count`` different whole numbers below ``total``; every set is as likely.

    Floyd's way: time and memory grow with ``count`` alone, so that ``total`` may be the
    number of all pairs of a million nodes.
    """
    drawn = np.empty(count, np.int64)
    table = new_table(count)
    for turn in range(count):
        last = np.int64(total - count + turn)
        number = np.int64(rng.integers(0, last + 1))
        if not put(table, number):
            put(table, last)
            number = last
        drawn[turn] = number
    return drawn


def draw_non_edges(
    edges: np.ndarray, n_nodes: int, count: int, rng: np.random.Generator
) -> np.ndarray:
    """Different pairs of nodes that no edge joins; every set is as likely.

    Pairs are numbered row by row: (0, 1), (0, 2), … Pairs without an edge are drawn by
    their number among their own kind, so that nothing is drawn in vain, however dense
    the graph is.

    Parameters
    ----------
    edges : int array of shape (n_edges, 2)
        Sorted, and the first end of each is the lower one.
    n_nodes, count : int
        Nodes, and pairs to draw; there must be as many.
    rng : numpy.random.Generator
        Where chance comes from.
    """
    nodes = np.arange(n_nodes, dtype=np.int64)
    # Number of the pair (u, u), if there were one: pair (u, v) is v - u further on.
    starts = nodes * n_nodes - nodes * (nodes + 1) // 2 - 1
    first, second = edges.astype(np.int64).T
    taken = starts[first] + (second - first)
    free_before = taken - np.arange(len(taken))
    total = n_nodes * (n_nodes - 1) // 2 - len(edges)
    drawn = draw_distinct(total, count, rng)
    numbers = drawn + np.searchsorted(free_before, drawn, side="right")
    low = np.searchsorted(starts, numbers, side="left") - 1
    return np.column_stack([low, low + numbers - starts[low]])
