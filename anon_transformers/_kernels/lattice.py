"""Classes of full-domain generalizations, each derived from a finer one.

A node says the level of every attribute. Its classes are kept as a point that lies in
each of them and the rows of each: enough to derive every node above it, and far less
than the table.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np

from anon_transformers._kernels.counting import add_up
from anon_transformers._kernels.grouping import (
    LARGEST_KEY,
    number_keys,
    slot_of,
)
from anon_transformers.jit import njit

Node = tuple[int, ...]

SLACK = 1e-12
"""Rounding of a loss: a worse one is worse by more."""


class Levels(NamedTuple):
    """Groups of every attribute at every level, and what publishing them costs.

    ``groups`` holds for each ground value its group, ``costs`` the cost of a cell by
    group; those of attribute ``a`` at level ``l`` start at ``group_start[a, l]`` and
    ``cost_start[a, l]``. ``n_groups[a, l]`` counts the groups.
    """

    groups: Annotated[np.ndarray, "int32[::1]"]
    costs: Annotated[np.ndarray, "float64[::1]"]
    group_start: Annotated[np.ndarray, "int64[:, ::1]"]
    cost_start: Annotated[np.ndarray, "int64[:, ::1]"]
    n_groups: Annotated[np.ndarray, "int64[:, ::1]"]


class Held(NamedTuple):
    """Classes of a node: one point of each, its rows, and a number for its groups.

    ``keys`` are the groups of all attributes, each times a stride that is the same at
    all levels; empty where such a number would be too large.
    """

    first: Annotated[np.ndarray, "int64[::1]"]
    sizes: Annotated[np.ndarray, "int64[::1]"]
    keys: Annotated[np.ndarray, "int64[::1]"]


class Curve(NamedTuple):
    """For every k the best loss so far, its node, suppressed rows and classes."""

    loss: Annotated[np.ndarray, "float64[::1]"]
    node: Annotated[np.ndarray, "int64[::1]"]
    gone: Annotated[np.ndarray, "int64[::1]"]
    classes: Annotated[np.ndarray, "int64[::1]"]


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
        _append_level(key, codes, a, held.first, levels.groups, start, n_groups)
        span *= n_groups
    labels, at, _ = number_keys(key, span)
    return labels, at


def hold_ground(codes: np.ndarray, levels: Levels, weights: np.ndarray) -> Held:
    """Every point as a class of its own."""
    first, strides = np.arange(len(codes)), _strides(levels)
    if strides is None:
        return Held(first, weights, np.empty(0, np.int64))
    return Held(first, weights, codes.astype(np.int64) @ strides)


def _strides(levels: Levels) -> np.ndarray | None:
    """Strides of a number with one digit per attribute, if it does not overflow."""
    n_groups = levels.n_groups[:, 0].tolist()
    if math.prod(n_groups) > LARGEST_KEY:
        return None
    return np.array([math.prod(n_groups[a + 1 :]) for a in range(len(n_groups))])


def derive(
    codes: np.ndarray, levels: Levels, below: np.ndarray, node: np.ndarray, held: Held
) -> Held:
    """Classes of ``node`` from those of a node below it.

    Parameters
    ----------
    codes : int32 array of shape (n_points, n_attributes)
        Ground values; a point lies together, for all of it is read at once.
    levels : Levels
        Groups of every attribute at every level.
    below, node : int arrays
        The level of every attribute, there and here.
    held : Held
        Classes of the node below.
    """
    if len(held.keys):
        return Held(*_derive(codes, levels, below, node, held))
    labels, at = label_points(codes, levels, tuple(node.tolist()), held)
    sizes = add_up(labels, held.sizes, len(at))
    return Held(held.first[at], sizes, held.keys)


@njit("int32[:, ::1], Levels, int64[::1], int64[::1], Held")
def _derive(codes, levels, below, node, held):
    """Open addressing by keys, of which only the digits that change are renewed."""
    changed, starts, changes = _digit_changes(levels, below, node)
    n_most = np.int64(1)
    for a in range(len(node)):
        n_most = min(n_most * levels.n_groups[a, node[a]], np.int64(len(held.first)))
    n_slots = 16
    while n_slots < 2 * n_most:
        n_slots *= 2
    slots = np.full(n_slots, -1, np.int32)
    first, sizes = np.empty(n_most, np.int64), np.empty(n_most, np.int64)
    keys = np.empty(n_most, np.int64)
    count = 0
    for i in range(len(held.first)):
        point, key = held.first[i], held.keys[i]
        for j in range(len(changed)):
            key += changes[starts[j] + codes[point, changed[j]]]
        slot = slot_of(key, n_slots)
        while slots[slot] >= 0 and keys[slots[slot]] != key:
            slot = (slot + 1) & (n_slots - 1)
        place = slots[slot]
        if place < 0:
            slots[slot] = count
            first[count], sizes[count], keys[count] = point, held.sizes[i], key
            count += 1
        else:
            sizes[place] += held.sizes[i]
    return first[:count].copy(), sizes[:count].copy(), keys[:count].copy()


@njit
def _digit_changes(levels, below, node):
    """Attributes that change, and by ground value what that adds to a key."""
    n_attributes = len(node)
    changed = np.flatnonzero(below != node)
    starts = np.empty(len(changed), np.int64)
    total = 0
    for j in range(len(changed)):
        starts[j] = total
        total += levels.n_groups[changed[j], 0]
    changes = np.empty(total, np.int64)
    for j in range(len(changed)):
        a = changed[j]
        stride = np.int64(1)
        for other in range(a + 1, n_attributes):
            stride *= levels.n_groups[other, 0]
        before = levels.group_start[a, below[a]]
        after = levels.group_start[a, node[a]]
        for code in range(levels.n_groups[a, 0]):
            step = np.int64(levels.groups[after + code]) - levels.groups[before + code]
            changes[starts[j] + code] = step * stride
    return changed, starts, changes


@njit("int64[::1], int64")
def count_kept(sizes, k):
    """Classes and rows that are large enough."""
    classes, rows = 0, 0
    for size in sizes:
        if size >= k:
            classes += 1
            rows += size
    return classes, rows


@njit("int64[::1], int32[:, ::1], int64, int64[::1], int32[::1], int64, int64")
def _append_level(key, codes, attribute, first, groups, start, n_groups):
    for i in range(len(key)):
        key[i] = key[i] * n_groups + groups[start + codes[first[i], attribute]]


@njit("int32[:, ::1], Levels, int64[::1], int64[::1], int64[::1], bool[::1]")
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


@njit("int64[:, ::1], int64[::1], int64, int64[::1]")
def smallest_source(nodes, n_classes, n_stored, node):
    """Position of the stored node up to ``node`` that has the fewest classes."""
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


@njit("int32[:, ::1], Levels, int64[::1], int64[::1], int64[::1]")
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
        found[:count][::-1].copy(),
        rows[:count][::-1].copy(),
        classes[:count][::-1].copy(),
        costs[:count][::-1].copy(),
    )


@njit("Curve, int64, int64[::1], float64[::1], int64[::1], int64[::1]")
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
