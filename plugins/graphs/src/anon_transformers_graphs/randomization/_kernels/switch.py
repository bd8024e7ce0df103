"""Switches: two edges (a, b) and (c, d) become (a, c) and (b, d); degrees stay."""

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs._kernels.edge_tables import (
    holds,
    pair_key,
    put,
    table_of,
    take,
)


@njit
def draw_switch(edges, table, n_nodes, rng):
    """Two edges that may be switched, or a refusal.

    The second edge is turned round by chance: stored ends have an order that the graph
    has not, and with a fixed one half of the switches would never be drawn. Each
    switch is drawn as often as the one that undoes it.

    Returns
    -------
    first, second : int
        Places of the edges.
    a, b, c, d : int
        Their ends, to become (a, c) and (b, d).
    is_legal : bool
        Four different nodes, and neither new pair is an edge.
    """
    first, second = rng.integers(0, len(edges)), rng.integers(0, len(edges))
    turned = rng.integers(0, 2)
    a, b = np.int64(edges[first, 0]), np.int64(edges[first, 1])
    c, d = np.int64(edges[second, turned]), np.int64(edges[second, 1 - turned])
    is_legal = (
        a not in (c, d)
        and b not in (c, d)
        and not holds(table, pair_key(a, c, n_nodes))
        and not holds(table, pair_key(b, d, n_nodes))
    )
    return first, second, a, b, c, d, is_legal


@njit
def apply_switch(edges, table, n_nodes, first, second, a, b, c, d):
    """Write (a, c) and (b, d) where (a, b) and (c, d) were."""
    take(table, pair_key(a, b, n_nodes))
    take(table, pair_key(c, d, n_nodes))
    put(table, pair_key(a, c, n_nodes))
    put(table, pair_key(b, d, n_nodes))
    edges[first, 0], edges[first, 1] = a, c
    edges[second, 0], edges[second, 1] = b, d


@njit("int32[:, ::1], int64, int64, int64, generator")
def switch_edges(edges, n_nodes, n_switches, max_failures, rng):
    """Switch random pairs of edges.

    Parameters
    ----------
    edges : int array of shape (n_edges, 2)
        At least one; changed in place.
    n_nodes, n_switches : int
        Nodes of the graph, and switches to be done.
    max_failures : int
        Draws in a row that find no legal switch before it gives up.
    rng : numpy.random.Generator
        Where chance comes from.

    Returns
    -------
    n_done, n_failed : int
        Switches done, and draws that found none.
    """
    table = table_of(edges, n_nodes, 0)
    n_done, n_failed, in_a_row = 0, 0, 0
    while n_done < n_switches and in_a_row < max_failures:
        first, second, a, b, c, d, is_legal = draw_switch(edges, table, n_nodes, rng)
        if is_legal:
            apply_switch(edges, table, n_nodes, first, second, a, b, c, d)
            n_done += 1
            in_a_row = 0
        else:
            n_failed += 1
            in_a_row += 1
    return n_done, n_failed
