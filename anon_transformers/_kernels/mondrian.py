"""Median cuts of LeFevre, DeWitt and Ramakrishnan (2006), strict form.

The kernel works on distinct combinations with their weights: equal rows always
fall on the same side of a strict cut. All open boxes are cut at once, one level
of the tree after another, so that a privacy model judges a whole level in one go.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from anon_transformers._kernels._jit import njit

LEAF = -1
FIRST_OF_ALL = 2.0
"""Score of the cut between known and missing; a width is never above 1."""


class Space(NamedTuple):
    """Distinct combinations as points.

    ``codes`` has one row an attribute. Codes below ``n_known[a]`` are values in
    their order; ``n_known[a]`` itself stands for a missing one. ``positions`` holds the
    place of every code on its axis, attribute after attribute from ``offsets[a]`` on.
    """

    codes: np.ndarray
    weights: np.ndarray
    n_known: np.ndarray
    positions: np.ndarray
    offsets: np.ndarray
    ranges: np.ndarray


class CutTree(NamedTuple):
    """Binary cuts; a code up to ``threshold`` goes to ``low``, others to ``high``.

    Node 0 is the root; at a leaf ``attribute`` is LEAF and ``low`` is its box.
    """

    attribute: np.ndarray
    threshold: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Boxes(NamedTuple):
    """Smallest and largest known code by box and attribute, and who is missing.

    Where a box knows no value of an attribute, ``low`` is above ``high``.
    """

    low: np.ndarray
    high: np.ndarray
    missing: np.ndarray


Allowed = Callable[[np.ndarray, int], np.ndarray]


def make_space(
    codes: np.ndarray, weights: np.ndarray, positions: list[np.ndarray]
) -> Space:
    """Lay out what the cuts need.

    Parameters
    ----------
    codes : int32 array of shape (n_attributes, n_points)
        Ordered codes; one past the last position stands for a missing value.
    weights : int64 array of shape (n_points,)
        Rows of each point.
    positions : list of float arrays
        For each attribute the place of each code on its axis, increasing.
    """
    n_known = np.array([len(place) for place in positions], dtype=np.int64)
    offsets = np.concatenate(([0], np.cumsum(n_known)[:-1])).astype(np.int64)
    ranges = np.zeros(len(positions))
    for attribute, place in enumerate(positions):
        known = codes[attribute][codes[attribute] < n_known[attribute]]
        if len(known):
            ranges[attribute] = place[known.max()] - place[known.min()]
    flat = np.concatenate([np.asarray(place, dtype=np.float64) for place in positions])
    return Space(codes, weights, n_known, flat, offsets, ranges)


def grow(
    space: Space, k: int, allowed: Allowed | None = None
) -> tuple[CutTree, np.ndarray]:
    """Cut until no box has an allowable cut.

    Parameters
    ----------
    space : Space
        What to cut.
    k : int
        Smallest weight of a box.
    allowed : callable, optional
        Asked with a label for each point (-1: not concerned) and the number of labels;
        answers for each label whether that half may stand. Both halves must.

    Returns
    -------
    CutTree, ndarray
        The cuts, and the box of each point.
    """
    n_points = space.codes.shape[1]
    tree = CutTree(*(np.full(2 * n_points, LEAF, dtype=np.int32) for _ in range(4)))
    box_of = np.empty(n_points, dtype=np.int32)
    order = np.arange(n_points)
    node, start, stop = np.array([0]), np.array([0]), np.array([n_points])
    tried = np.zeros(1, dtype=np.int64)
    n_nodes, n_boxes = 1, 0
    while len(node):
        attribute, threshold, tried = _propose(space, order, start, stop, tried, k)
        final = attribute == LEAF
        ids = np.arange(n_boxes, n_boxes + final.sum())
        tree.low[node[final]] = ids
        _label_segments(order, start[final], stop[final], ids, box_of)
        n_boxes += len(ids)
        node, start, stop, tried = (
            node[~final],
            start[~final],
            stop[~final],
            tried[~final],
        )
        attribute, threshold = attribute[~final], threshold[~final]
        middle = _split(space.codes, order, start, stop, attribute, threshold)
        good = _ask(allowed, order, start, middle, stop)
        low = n_nodes + 2 * np.arange(good.sum())
        tree.attribute[node[good]] = attribute[good]
        tree.threshold[node[good]] = threshold[good]
        tree.low[node[good]], tree.high[node[good]] = low, low + 1
        n_nodes += 2 * len(low)
        start, stop = (
            np.concatenate((start[good], middle[good], start[~good])),
            np.concatenate((middle[good], stop[good], stop[~good])),
        )
        tried = np.concatenate((np.zeros(2 * len(low), dtype=np.int64), tried[~good]))
        node = np.concatenate((low, low + 1, node[~good]))
    return CutTree(*(part[:n_nodes].copy() for part in tree)), box_of


def _ask(allowed, order, start, middle, stop):
    """Which proposed cuts leave two halves that may stand."""
    if allowed is None or not len(start):
        return np.ones(len(start), dtype=bool)
    half = np.full(len(order), -1, dtype=np.int32)
    _label_segments(order, start, middle, 2 * np.arange(len(start)), half)
    _label_segments(order, middle, stop, 2 * np.arange(len(start)) + 1, half)
    return allowed(half, 2 * len(start)).reshape(-1, 2).all(axis=1)


@njit
def _propose(space, order, start, stop, tried, k):
    """For each box its next cut with ``k`` on both sides, past those tried before."""
    n_boxes = len(start)
    attribute = np.full(n_boxes, LEAF, np.int64)
    threshold = np.zeros(n_boxes, np.int64)
    attempts = tried.copy()
    for box in range(n_boxes):
        rows = order[start[box] : stop[box]]
        total = space.weights[rows].sum()
        if total < 2 * k:
            continue
        score = _scores(space, rows)
        attempt = 0
        while True:
            best = np.argmax(score)
            if score[best] <= 0:
                break
            score[best] = 0
            attempt += 1
            if attempt <= tried[box]:
                continue
            at, below = _cut(space, rows, best, total)
            if k <= below <= total - k:
                attribute[box] = best % len(space.n_known)
                threshold[box] = at
                attempts[box] = attempt
                break
    return attribute, threshold, attempts


@njit
def _scores(space, rows):
    """Known-or-missing cuts first, then median cuts by normalized width."""
    n_attributes = len(space.n_known)
    score = np.zeros(2 * n_attributes)
    for a in range(n_attributes):
        codes = space.codes[a]
        low, high, missing = space.n_known[a], np.int64(-1), False
        for row in rows:
            code = np.int64(codes[row])
            if code == space.n_known[a]:
                missing = True
            else:
                low = min(low, code)
                high = max(high, code)
        if high < 0:
            continue
        if missing:
            score[a] = FIRST_OF_ALL
        # Places that a float cannot tell apart make no range.
        if high > low and space.ranges[a] > 0:
            at = space.offsets[a]
            width = space.positions[at + high] - space.positions[at + low]
            score[n_attributes + a] = width / space.ranges[a]
    return score


@njit
def _cut(space, rows, candidate, total):
    """Last code that goes to the low side, and the weight found there."""
    n_attributes = len(space.n_known)
    codes = space.codes[candidate % n_attributes]
    if candidate >= n_attributes:
        return _lower_median(codes, space.weights, rows, total)
    at = space.n_known[candidate] - 1
    below = 0
    for row in rows:
        if codes[row] <= at:
            below += space.weights[row]
    return at, below


@njit
def _lower_median(codes, weights, rows, total):
    """Value at position ceil(total / 2), and the weight up to and with it."""
    low, high = codes[rows[0]], codes[rows[0]]
    for row in rows:
        low = min(low, codes[row])
        high = max(high, codes[row])
    half = (total + 1) // 2
    below = 0
    if high - low < 4 * len(rows) + 64:
        counts = np.zeros(high - low + 1, np.int64)
        for row in rows:
            counts[codes[row] - low] += weights[row]
        at = 0
        while below < half:
            below += counts[at]
            at += 1
        return np.int64(low + at - 1), below
    found = codes[rows]
    ranked = np.argsort(found)
    at = 0
    while below < half or (
        at < len(ranked) and found[ranked[at]] == found[ranked[at - 1]]
    ):
        below += weights[rows[ranked[at]]]
        at += 1
    return np.int64(found[ranked[at - 1]]), below


@njit
def _split(codes, order, start, stop, attribute, threshold):
    """Move the low side of every box to its front; where the high side starts."""
    middle = np.empty(len(start), np.int64)
    for box in range(len(start)):
        rows = order[start[box] : stop[box]].copy()
        axis = codes[attribute[box]]
        low = start[box]
        high = stop[box] - 1
        for row in rows:
            if axis[row] <= threshold[box]:
                order[low] = row
                low += 1
            else:
                order[high] = row
                high -= 1
        middle[box] = low
    return middle


@njit
def _label_segments(order, start, stop, labels, out):
    for segment in range(len(start)):
        for at in range(start[segment], stop[segment]):
            out[order[at]] = labels[segment]


@njit
def route(tree, codes):
    """Box each column of ``codes`` falls in."""
    box = np.empty(codes.shape[1], np.int32)
    for row in range(codes.shape[1]):
        node = 0
        while tree.attribute[node] != LEAF:
            if codes[tree.attribute[node], row] <= tree.threshold[node]:
                node = tree.low[node]
            else:
                node = tree.high[node]
        box[row] = tree.low[node]
    return box


@njit
def bounds(codes, n_known, box_of, n_boxes):
    """Smallest and largest known code, and whether one is missing, by box."""
    n_attributes, n_points = codes.shape
    low = np.empty((n_boxes, n_attributes), np.int32)
    high = np.full((n_boxes, n_attributes), -1, np.int32)
    missing = np.zeros((n_boxes, n_attributes), np.bool_)
    for a in range(n_attributes):
        low[:, a] = n_known[a]
        for point in range(n_points):
            box, code = box_of[point], codes[a, point]
            if code == n_known[a]:
                missing[box, a] = True
            else:
                low[box, a] = min(low[box, a], code)
                high[box, a] = max(high[box, a], code)
    return Boxes(low, high, missing)
