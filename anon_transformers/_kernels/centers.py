"""Nearest centers of groups: for rows that look for one, and groups that merge."""

import numpy as np

from anon_transformers.jit import njit


@njit("float64[:, ::1], float64[:, ::1]")
def nearest_centers(points, centers):
    """For each point the nearest center; of those equally near the first.

    Parameters
    ----------
    points : float64 array of shape (n_points, n_coordinates)
    centers : float64 array of shape (n_centers, n_coordinates)
        At least one.

    Returns
    -------
    int64 array of shape (n_points,)
    """
    nearest = np.zeros(len(points), np.int64)
    for row in range(len(points)):
        best = np.inf
        for at in range(len(centers)):
            distance = _squared_distance(points[row], centers[at], best)
            if distance < best:
                best = distance
                nearest[row] = at
    return nearest


@njit("float64[:, ::1], int64[::1], int64[::1]")
def cheapest_partners(centers, sizes, asking):
    """For each group that asks, the other one it costs least to join.

    The cost is the increase of the sum of squared distances to the center. Among equal
    ones the next in number is taken: with one and the same group for all of them, only
    one pair could form at a time.

    Parameters
    ----------
    centers : float64 array of shape (n_groups, n_coordinates)
        Two groups or more.
    sizes : int64 array of shape (n_groups,)
        Rows of each.
    asking : int64 array
        Numbers of the groups that ask.

    Returns
    -------
    partners : int64 array
    costs : float64 array
    """
    n_groups = len(centers)
    partners = np.empty(len(asking), np.int64)
    costs = np.full(len(asking), np.inf)
    for i in range(len(asking)):
        own = asking[i]
        partners[i] = (own + 1) % n_groups
        for step in range(1, n_groups):
            other = (own + step) % n_groups
            share = sizes[own] * sizes[other] / (sizes[own] + sizes[other])
            distance = _squared_distance(centers[own], centers[other], costs[i] / share)
            if distance * share < costs[i]:
                costs[i] = distance * share
                partners[i] = other
    return partners, costs


@njit("int64[::1], int64[::1], float64[::1], int64")
def pair_off(asking, partners, costs, n_groups):
    """Join groups to their partners, cheapest first, each at most once.

    Returns
    -------
    into : int64 array of shape (n_groups,)
        New number of each group; the order of the first members stays.
    n_left : int
    """
    partner_of = np.full(n_groups, -1, np.int64)
    for i in np.argsort(costs, kind="mergesort"):
        one, other = asking[i], partners[i]
        if partner_of[one] < 0 and partner_of[other] < 0:
            partner_of[one] = other
            partner_of[other] = one
    into = np.empty(n_groups, np.int64)
    n_left = 0
    for group in range(n_groups):
        if 0 <= partner_of[group] < group:
            into[group] = into[partner_of[group]]
        else:
            into[group] = n_left
            n_left += 1
    return into, n_left


@njit
def _squared_distance(one, other, limit):
    """Squared distance, or something above ``limit`` as soon as it is passed."""
    total = 0.0
    for at in range(len(one)):
        difference = one[at] - other[at]
        total += difference * difference
        if total > limit:
            break
    return total


@njit
def squared_distance(one, other):
    """Sum of the squared differences of two points."""
    total = 0.0
    for column in range(len(one)):
        difference = one[column] - other[column]
        total += difference * difference
    return total
