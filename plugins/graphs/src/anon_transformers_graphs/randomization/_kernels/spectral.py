"""Random steps that eigenvalues of a graph should hardly feel.

To first order a new edge (u, v) adds 2 x[u] x[v] to the largest eigenvalue of the
adjacency matrix, whose vector is x, and (y[u] - y[v])² to one of the Laplacian
whose vector is y; a deleted edge subtracts as much.
"""

from typing import NamedTuple

import numpy as np

from anon_transformers.jit import njit
from anon_transformers_graphs._kernels.edge_tables import holds, pair_key, put
from anon_transformers_graphs.randomization._kernels.switch import (
    apply_switch,
    draw_switch,
)


class Screen(NamedTuple):
    """What steps are measured by.

    Attributes
    ----------
    x, y : arrays of shape (n_nodes,)
        Vectors of λ1 and of μ2.
    offsets : array of shape (2,)
        How far λ1 and μ2 are from where they should be; estimates are added in place.
    limits : array of shape (2,)
        How far they may be.
    """

    x: np.ndarray
    y: np.ndarray
    offsets: np.ndarray
    limits: np.ndarray


@njit
def _share(screen, u, v):
    """What the edge (u, v) has of λ1 and of μ2."""
    return 2 * screen.x[u] * screen.x[v], (screen.y[u] - screen.y[v]) ** 2


@njit
def _passes(screen, to_lambda, to_mu):
    """Take a change that stays within the limits; whether it does."""
    new_lambda, new_mu = screen.offsets[0] + to_lambda, screen.offsets[1] + to_mu
    if abs(new_lambda) > screen.limits[0] or abs(new_mu) > screen.limits[1]:
        return False
    screen.offsets[0], screen.offsets[1] = new_lambda, new_mu
    return True


@njit
def screened_switches(edges, table, n_nodes, n_steps, screen, max_failures, rng):
    """Switch random pairs of edges that pass the screen; how many.

    ``edges`` and ``table`` change in place. It ends early after ``max_failures`` draws
    in a row that are illegal or do not pass.
    """
    n_done, in_a_row = 0, 0
    while n_done < n_steps and in_a_row < max_failures:
        in_a_row += 1
        first, second, a, b, c, d, is_legal = draw_switch(edges, table, n_nodes, rng)
        if not is_legal:
            continue
        in_ac, in_bd = _share(screen, a, c), _share(screen, b, d)
        in_ab, in_cd = _share(screen, a, b), _share(screen, c, d)
        to_lambda = in_ac[0] + in_bd[0] - in_ab[0] - in_cd[0]
        to_mu = in_ac[1] + in_bd[1] - in_ab[1] - in_cd[1]
        if _passes(screen, to_lambda, to_mu):
            apply_switch(edges, table, n_nodes, first, second, a, b, c, d)
            n_done += 1
            in_a_row = 0
    return n_done


@njit
def screened_replacements(
    edges, table, n_nodes, n_left, n_steps, screen, max_failures, rng
):
    """Replace random original edges by false ones that pass the screen; how many.

    The first ``n_left`` edges are original; one that is replaced gives its place to the
    last of them, and the new edge comes behind. ``table`` holds originals that went
    too, so that none comes back.
    """
    n_done, in_a_row = 0, 0
    while n_done < n_steps and n_left > 0 and in_a_row < max_failures:
        in_a_row += 1
        u, v = rng.integers(0, n_nodes), rng.integers(0, n_nodes)
        place = rng.integers(0, n_left)
        if u == v or holds(table, pair_key(u, v, n_nodes)):
            continue
        gained = _share(screen, u, v)
        lost = _share(screen, edges[place, 0], edges[place, 1])
        if _passes(screen, gained[0] - lost[0], gained[1] - lost[1]):
            put(table, pair_key(u, v, n_nodes))
            n_left -= 1
            edges[place] = edges[n_left]
            edges[n_left, 0], edges[n_left, 1] = u, v
            n_done += 1
            in_a_row = 0
    return n_done
