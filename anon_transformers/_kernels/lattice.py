"""Classes of full-domain generalizations, each derived from a finer one.

A node says the level of every attribute. Its classes are kept as a point that lies in
each of them and the rows of each: enough to derive every node above it, and far less
than the table.
"""

import math
from typing import NamedTuple

import numpy as np

from anon_transformers._kernels._jit import njit
from anon_transformers._kernels.counting import add_up
from anon_transformers._kernels.grouping import (
    LARGEST_KEY,
    number_keys,
    slot_of,
)

Node = tuple[int, ...]

SLACK = 1e-12
"""Rounding of a loss: a worse one is worse by more."""


class Levels(NamedTuple):
    """Groups of every attribute at every level, and what publishing them costs.

    ``groups`` holds for each ground value its group, ``costs`` the cost of a cell by
    group; those of attribute ``a`` at level ``l`` start at ``group_start[a, l]`` and
    ``cost_start[a, l]``. ``n_groups[a, l]`` counts the groups.
    """

    groups: np.ndarray
    costs: np.ndarray
    group_start: np.ndarray
    cost_start: np.ndarray
    n_groups: np.ndarray


class Held(NamedTuple):
    """Classes of a node: one point of each, and its rows."""

    first: np.ndarray
    sizes: np.ndarray


class Curve(NamedTuple):
    """For every k the best loss so far, its node, suppressed rows and classes."""

    loss: np.ndarray
    node: np.ndarray
    gone: np.ndarray
    classes: np.ndarray


def lay_out(groups: list[list[np.ndarray]], costs: list[list[np.ndarray]]) -> Levels:
    """Put the levels of all attributes one behind the other.

    Parameters
    ----------
    groups : list of lists of int arrays
        For each attribute and level the group of every ground value.
    costs : list of lists of float arrays
        For each attribute and level what a cell of each group costs.
    """
    depth = max(len(tables) for tables in groups)
    shape = (len(groups), depth)
    group_start, cost_start = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    n_groups = np.ones(shape, np.int64)
    n_values = n_costs = 0
    for a, tables in enumerate(groups):
        for level, table in enumerate(tables):
            group_start[a, level], cost_start[a, level] = n_values, n_costs
            n_groups[a, level] = len(costs[a][level])
            n_values += len(table)
            n_costs += len(costs[a][level])
    return Levels(
        np.concatenate([t for tables in groups for t in tables]).astype(np.int32),
        np.concatenate([c for tables in costs for c in tables]).astype(np.float64),
        group_start,
        cost_start,
        n_groups,
    )


def label_points(codes: np.ndarray, levels: Levels, node: Node, held: Held):
    """Class of each of the ``held`` ones at ``node``, and where each class appears.

    Returns
    -------
    labels, at : int arrays
        Class of each held class, and the first held class of each class.
    """
    key, span = np.zeros(len(held.first), np.int64), 1
    for a, level in enumerate(node):
        n_groups = int(levels.n_groups[a, level])
        if span * n_groups > LARGEST_KEY:
            key, at, _ = number_keys(key, span)
            key, span = key.astype(np.int64), len(at)
        start = levels.group_start[a, level]
        _append_level(key, codes[:, a], held.first, levels.groups, start, n_groups)
        span *= n_groups
    labels, at, _ = number_keys(key, span)
    return labels, at


def derive(codes: np.ndarray, levels: Levels, node: np.ndarray, held: Held) -> Held:
    """Classes of ``node`` from those of a node below it.

    Parameters
    ----------
    codes : int32 array of shape (n_points, n_attributes)
        Ground values; a point lies together, for all of it is read at once.
    levels : Levels
        Groups of every attribute at every level.
    node : int array
        The level of every attribute.
    held : Held
        Classes of a node below.
    """
    span = math.prod(levels.n_groups[np.arange(len(node)), node].tolist())
    if span <= LARGEST_KEY:
        return Held(*_derive(codes, levels, node, held.first, held.sizes, span))
    labels, at = label_points(codes, levels, tuple(node.tolist()), held)
    return Held(held.first[at], add_up(labels, held.sizes, len(at)))


@njit
def _derive(codes, levels, node, first, sizes, span):
    """Open addressing by the key that the groups of a class make up."""
    n_attributes = len(node)
    active = np.empty(n_attributes, np.int64)
    starts = np.empty(n_attributes, np.int64)
    factors = np.empty(n_attributes, np.int64)
    n_active = 0
    for a in range(n_attributes):
        if levels.n_groups[a, node[a]] > 1:
            active[n_active] = a
            starts[n_active] = levels.group_start[a, node[a]]
            factors[n_active] = levels.n_groups[a, node[a]]
            n_active += 1
    n_slots = 16
    while n_slots < 2 * min(len(first), span):
        n_slots *= 2
    keys = np.full(n_slots, -1, np.int64)
    places = np.empty(n_slots, np.int32)
    new_first = np.empty(min(len(first), span), np.int64)
    new_sizes = np.empty(len(new_first), np.int64)
    count = 0
    for i in range(len(first)):
        point = first[i]
        key = np.int64(0)
        for j in range(n_active):
            group = levels.groups[starts[j] + codes[point, active[j]]]
            key = key * factors[j] + group
        slot = slot_of(key, n_slots)
        while keys[slot] >= 0 and keys[slot] != key:
            slot = (slot + 1) & (n_slots - 1)
        if keys[slot] < 0:
            keys[slot] = key
            places[slot] = count
            new_first[count] = point
            new_sizes[count] = sizes[i]
            count += 1
        else:
            new_sizes[places[slot]] += sizes[i]
    return new_first[:count].copy(), new_sizes[:count].copy()


@njit
def _append_level(key, codes, first, groups, start, n_groups):
    for i in range(len(key)):
        key[i] = key[i] * n_groups + groups[start + codes[first[i]]]


@njit
def cell_costs(codes, levels, node, first, sizes, kept):
    """Cost of all cells of each attribute in the kept classes."""
    costs = np.zeros(len(node))
    for i in range(len(first)):
        if not kept[i]:
            continue
        for a in range(len(node)):
            group = levels.groups[levels.group_start[a, node[a]] + codes[first[i], a]]
            costs[a] += sizes[i] * levels.costs[levels.cost_start[a, node[a]] + group]
    return costs


@njit
def smallest_source(nodes, n_classes, n_stored, node):
    """Position of the stored node below ``node`` that has the fewest classes."""
    best = -1
    for i in range(n_stored):
        if best >= 0 and n_classes[i] >= n_classes[best]:
            continue
        below = True
        for a in range(len(node)):
            if nodes[i, a] > node[a]:
                below = False
                break
        if below:
            best = i
    return best


@njit
def totals_by_size(codes, levels, node, first, sizes):
    """What the classes from each size on hold: enough for every k at once.

    Returns
    -------
    sizes : int array
        The sizes that occur, increasing.
    rows, classes : int arrays
        Rows and classes of that size or more.
    costs : float array of shape (n_sizes, n_attributes)
        Cost of the cells of each attribute in them.
    """
    order = np.argsort(sizes)
    found = np.empty(len(sizes), np.int64)
    rows = np.empty(len(sizes), np.int64)
    classes = np.empty(len(sizes), np.int64)
    costs = np.empty((len(sizes), len(node)))
    running = np.zeros(len(node))
    n_rows, count = 0, 0
    for place in range(len(order) - 1, -1, -1):
        i = order[place]
        n_rows += sizes[i]
        for a in range(len(node)):
            group = levels.groups[levels.group_start[a, node[a]] + codes[first[i], a]]
            cost = levels.costs[levels.cost_start[a, node[a]] + group]
            running[a] += sizes[i] * cost
        if place == 0 or sizes[order[place - 1]] < sizes[i]:
            found[count], rows[count] = sizes[i], n_rows
            classes[count] = len(order) - place
            costs[count] = running
            count += 1
    return (
        found[:count][::-1],
        rows[:count][::-1],
        classes[:count][::-1],
        costs[:count][::-1],
    )


@njit
def offer(curve, number, sizes, losses, gone, classes):
    """Take a node wherever it is better; its loss holds from one size to the next.

    Of nodes that lose the same, to a rounding, the one that suppresses less is better.
    """
    low = 1
    for at in range(len(sizes)):
        high = min(sizes[at], len(curve.loss) - 1)
        for k in range(low, high + 1):
            gain = curve.loss[k] - losses[at]
            if gain > SLACK or (gain >= -SLACK and gone[at] < curve.gone[k]):
                curve.loss[k], curve.node[k] = losses[at], number
                curve.gone[k], curve.classes[k] = gone[at], classes[at]
        low = high + 1
