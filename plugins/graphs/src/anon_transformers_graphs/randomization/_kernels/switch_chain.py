"""Chains of switches that know their neighbors and triangles.

Switches keep degrees, so that lists of neighbors keep their lengths and a new
neighbor takes the place of the old one.
"""

from typing import Annotated, NamedTuple

import numpy as np

from anon_transformers.jit import njit, njit_nogil
from anon_transformers_graphs._kernels.edge_tables import holds, pair_key, table_of
from anon_transformers_graphs._kernels.triangles import count_triangles
from anon_transformers_graphs.randomization._kernels.switch import (
    apply_switch,
    draw_switch,
)


class Switched(NamedTuple):
    """A graph that is being switched; all arrays change in place.

    Attributes
    ----------
    edges : int32 array of shape (n_edges, 2)
    table : int64 array
        The same edges as a set.
    starts, neighbors : int arrays
        Neighbors of node u, in no order, at starts[u] to starts[u + 1].
    log : int64 array of shape (block, 3)
        Places of the edges of the last switches, and whether the second was turned
        round, to undo them.
    """

    edges: Annotated[np.ndarray, "int32[:, ::1]"]
    table: Annotated[np.ndarray, "int64[::1]"]
    starts: Annotated[np.ndarray, "int64[::1]"]
    neighbors: Annotated[np.ndarray, "int32[::1]"]
    log: Annotated[np.ndarray, "int64[:, ::1]"]


def new_chain(
    edges: np.ndarray, starts: np.ndarray, neighbors: np.ndarray, block: int
) -> Switched:
    """A graph to be switched; the arrays given stay as they are."""
    return Switched(
        edges.copy(),
        table_of(edges, len(starts) - 1, 0),
        starts.astype(np.int64),
        neighbors.astype(np.int32),
        np.empty((block, 3), np.int64),
    )


@njit
def _in_common(chain, u, v):
    """Neighbors that both nodes have: triangles that the edge (u, v) closes."""
    starts, n = chain.starts, len(chain.starts) - 1
    if starts[u + 1] - starts[u] > starts[v + 1] - starts[v]:
        u, v = v, u
    count = 0
    for place in range(starts[u], starts[u + 1]):
        w = np.int64(chain.neighbors[place])
        if holds(chain.table, pair_key(w, v, n)):
            count += 1
    return count


@njit
def _rename(chain, node, old, new):
    place = chain.starts[node]
    while chain.neighbors[place] != old:
        place += 1
    chain.neighbors[place] = new


@njit
def _switch(chain, first, second, a, b, c, d):
    """Do a switch; how many triangles it adds."""
    # A triangle that holds both old edges would hold three of four different nodes and
    # two edges without a common end: there is none, and nothing is counted twice.
    change = -_in_common(chain, a, b) - _in_common(chain, c, d)
    apply_switch(
        chain.edges, chain.table, len(chain.starts) - 1, first, second, a, b, c, d
    )
    _rename(chain, a, b, c)
    _rename(chain, b, a, d)
    _rename(chain, c, d, a)
    _rename(chain, d, c, b)
    return change + _in_common(chain, a, c) + _in_common(chain, b, d)


@njit("Switched, int64, generator")
def walk(chain, block, rng):
    """Draw switches and do the legal ones; an illegal one is a step that stays.

    Returns
    -------
    n_done, change : int
        Switches done, and triangles that they added.
    """
    n_done, change = 0, 0
    for _ in range(block):
        first, second, a, b, c, d, is_legal = draw_switch(
            chain.edges, chain.table, len(chain.starts) - 1, rng
        )
        if is_legal:
            chain.log[n_done, 0], chain.log[n_done, 1] = first, second
            chain.log[n_done, 2] = chain.edges[second, 0] != c
            change += _switch(chain, first, second, a, b, c, d)
            n_done += 1
    return n_done, change


@njit("Switched, int64")
def walk_back(chain, n_done):
    """Undo the last walk: edges that were switched, switched again, are as before."""
    for turn in range(n_done - 1, -1, -1):
        first, second = chain.log[turn, 0], chain.log[turn, 1]
        a, c = np.int64(chain.edges[first, 0]), np.int64(chain.edges[first, 1])
        b, d = np.int64(chain.edges[second, 0]), np.int64(chain.edges[second, 1])
        _switch(chain, first, second, a, c, b, d)
        # The switch before this one, undone next, left the ends in their old order.
        if chain.log[turn, 2]:
            chain.edges[second, 0], chain.edges[second, 1] = d, c


@njit("float64, float64, generator")
def is_accepted(error, new_error, rng):
    """Metropolis' rule: what is no worse is accepted, what is worse by chance."""
    return new_error <= error or rng.random() < np.exp(error - new_error)


@njit_nogil("Switched, int64, float64, float64, float64, float64, float64, generator")
def triangle_chain(chain, n_steps, scale, low, high, aim, strength, rng):
    """A chain that looks at triangles only, which a switch changes by few.

    Parameters
    ----------
    chain : Switched
        Changed in place.
    n_steps : int
        Steps; one is as many switches as the log has room for.
    scale : float
        Feature for each triangle.
    low, high : float
        Bounds of the feature; a step beyond them is undone.
    aim, strength : float
        A step that goes away from ``aim`` is accepted by chance, the less likely the
        greater ``strength`` times the change is.
    rng : numpy.random.Generator
        Where chance comes from.

    Returns
    -------
    int
        Steps that changed the graph.
    """
    triangles = count_triangles(chain.starts, chain.neighbors)
    error = strength * abs(scale * triangles - aim)
    n_accepted = 0
    for _ in range(n_steps):
        n_done, change = walk(chain, len(chain.log), rng)
        value = scale * (triangles + change)
        new_error = strength * abs(value - aim)
        if low <= value <= high and is_accepted(error, new_error, rng):
            triangles += change
            error = new_error
            n_accepted += n_done > 0
        else:
            walk_back(chain, n_done)
    return n_accepted
