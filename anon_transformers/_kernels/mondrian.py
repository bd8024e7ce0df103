"""Median cuts of LeFevre, DeWitt and Ramakrishnan (2006), strict and relaxed.

Strict cuts work on distinct combinations with their weights, for equal rows always
fall on the same side. Where a privacy model must be asked, all open boxes are cut at
once, one level of the tree after another, so that it judges a whole level in one go.
The points of a box lie together and are moved when it is cut: each pass reads memory
in order.
"""

from collections.abc import Callable
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
from numba import get_num_threads, prange, set_num_threads

from anon_transformers._kernels.arrays import as_input
from anon_transformers._kernels.selection import part_at_pivot
from anon_transformers.jit import njit, njit_parallel

LEAF = -1
ALL = 2**62
"""Share of the equal ones that go to the low side: all of them."""

FIRST_OF_ALL = 3.0
"""Score of the cut between known and missing; a width is never above 1."""


class Rules(NamedTuple):
    """How boxes are cut.

    Attributes
    ----------
    k : int
        Smallest weight of a box.
    relaxed : bool
        Values equal to the median are shared out so that both halves are even.
    both_sides : bool
        Where "up to the median" is not allowable, try "below the median".
    fall_back : bool
        Where the widest attribute has no allowable median cut, try the others.
    """

    k: int
    relaxed: bool = False
    both_sides: bool = False
    fall_back: bool = True


@njit
def next_cut(space, first, last, tried, rules):
    """Attribute, code and share of equal ones of a box's next cut, and its number.

    Candidates come in a fixed order: known or missing first, then medians by normalized
    width. The first ``tried`` of them were refused before.
    """
    total = space.weights[first:last].sum()
    if total < 2 * rules.k:
        return LEAF, 0, 0, tried
    n_attributes = len(space.n_known)
    score, low, high = _scores(space, first, last, rules.relaxed)
    number, medians = 0, 0
    while True:
        best = np.argmax(score)
        if score[best] <= 0 or (medians > 0 and not rules.fall_back):
            return LEAF, 0, 0, number
        score[best] = 0
        medians += int(best >= n_attributes)
        attribute = best % n_attributes
        for side in range(1 + (rules.both_sides and not rules.relaxed)):
            number += 1
            if number <= tried:
                continue
            if best < n_attributes:
                cut = _known_or_missing(space, attribute, first, last)
            elif not rules.relaxed and _has_hierarchy(space, attribute):
                cut = _along_hierarchy(
                    space,
                    attribute,
                    first,
                    last,
                    low[attribute],
                    high[attribute],
                    total,
                    rules.k,
                )
            else:
                bounds = (low[attribute], high[attribute])
                cut = _at_median(
                    space, attribute, first, last, bounds, total, side, rules.relaxed
                )
            at, share, below = cut
            if rules.k <= below <= total - rules.k:
                return attribute, at, share, number


@njit
def _scores(space, first, last, relaxed):
    """Known-or-missing cuts, then median cuts; and the known bounds of the box."""
    n_attributes = len(space.n_known)
    score = np.zeros(2 * n_attributes)
    lows = np.empty(n_attributes, np.int64)
    highs = np.empty(n_attributes, np.int64)
    for a in range(n_attributes):
        codes = space.codes[a]
        n_known = space.n_known[a]
        low, high, missing = n_known, np.int64(-1), False
        for at in range(first, last):
            code = np.int64(codes[at])
            if code == n_known:
                missing = True
            else:
                low = min(low, code)
                high = max(high, code)
        lows[a], highs[a] = low, high
        if missing and high >= 0:
            score[a] = FIRST_OF_ALL
        if high > low and space.ranges[a] > 0:
            at = space.offsets[a]
            width = space.positions[at + high] - space.positions[at + low]
            score[n_attributes + a] = width / space.ranges[a]
        if relaxed:
            # Equal values can be shared out as well, after all others.
            score[n_attributes + a] += 1.0
    return score, lows, highs


@njit
def _known_or_missing(space, attribute, first, last):
    codes = space.codes[attribute]
    at = space.n_known[attribute] - 1
    below = np.int64(0)
    for row in range(first, last):
        if codes[row] <= at:
            below += space.weights[row]
    return at, ALL, below


@njit
def _at_median(space, attribute, first, last, bounds, total, side, relaxed):
    """Cut at the lower median: with it, before it, or so that both halves are even."""
    half = (total + 1) // 2
    codes, weights = space.codes[attribute, first:last], space.weights[first:last]
    if bounds[1] - bounds[0] < 2 * len(codes):
        at, before, equal = _count_to(codes, weights, bounds, half)
    else:
        at, before, equal = _select_to(codes, weights, half)
    if relaxed:
        return at, half - before, half
    if side == 1:
        return at, np.int64(0), before
    return at, np.int64(ALL), before + equal


@njit
def _count_to(codes, weights, bounds, wanted):
    """Like ``_select_to``, for codes that lie close together."""
    low, high = bounds[0], max(bounds[1], bounds[0] - 1)
    counts = np.zeros(high - low + 2, np.int64)
    missing = high + 1
    for row in range(len(codes)):
        code = np.int64(codes[row])
        if code > high:
            # Only the missing code may lie above the known bounds of a box.
            missing = code
            code = high + 1
        counts[code - low] += weights[row]
    place, before = 0, np.int64(0)
    while before + counts[place] < wanted:
        before += counts[place]
        place += 1
    at = missing if low + place > high else np.int64(low + place)
    return at, before, counts[place]


@njit
def _select_to(codes, weights, wanted):
    """Smallest code up to which weights reach ``wanted``; weight before and of it."""
    at = np.int64(_select(codes.copy(), weights.copy(), wanted))
    before, equal = np.int64(0), np.int64(0)
    for row in range(len(codes)):
        if codes[row] < at:
            before += weights[row]
        elif codes[row] == at:
            equal += weights[row]
    return at, before, equal


@njit
def _select(codes, weights, wanted):
    """Smallest code up to which the weights reach ``wanted``."""
    low, high = 0, len(codes) - 1
    while low < high:
        pivot, right, left = part_at_pivot(codes, weights, low, high)
        # low..right is up to the pivot, left..high from it on, between them the pivot.
        below = weights[low : right + 1].sum()
        if wanted <= below:
            high = right
            continue
        between = weights[right + 1 : left].sum()
        if wanted <= below + between:
            return pivot
        wanted -= below + between
        low = left
    return codes[low]


@njit
def _has_hierarchy(space, attribute):
    return space.joins[space.offsets[attribute]] > 0


@njit
def _along_hierarchy(space, attribute, first, last, low, high, total, k):
    """Cut between two groups below the lowest common ancestor, as evenly as can be."""
    codes, weights = space.codes[attribute], space.weights
    joins = space.joins[space.offsets[attribute] : space.offsets[attribute] + high]
    counts = np.zeros(high - low + 1, np.int64)
    for row in range(first, last):
        if codes[row] <= high:
            counts[codes[row] - low] += weights[row]
    level = joins[low:high].max()
    below, best, best_below = np.int64(0), low, np.int64(-1)
    for code in range(low, high):
        below += counts[code - low]
        if joins[code] != level or not k <= below <= total - k:
            continue
        if best_below < 0 or abs(2 * below - total) < abs(2 * best_below - total):
            best, best_below = code, below
    return np.int64(best), np.int64(ALL), best_below


__all__ = [
    "LEAF",
    "Boxes",
    "CutTree",
    "Rules",
    "Space",
    "bounds",
    "cut_bounds",
    "grow",
    "make_space",
    "route",
]


class Space(NamedTuple):
    """Distinct combinations as points.

    ``codes`` has one row per attribute. Codes below ``n_known[a]`` are values in
    their order; ``n_known[a]`` itself stands for a missing one. ``positions`` holds the
    place of every code on its axis, attribute after attribute from ``offsets[a]`` on.
    ``joins`` is laid out alike: the level at which a code and the next one fall into
    one group of a hierarchy, 0 without a hierarchy.
    """

    codes: Annotated[np.ndarray, "int32[:, ::1]"]
    weights: Annotated[np.ndarray, "int64[::1]"]
    n_known: Annotated[np.ndarray, "int64[::1]"]
    positions: Annotated[np.ndarray, "float64[::1]"]
    joins: Annotated[np.ndarray, "int32[::1]"]
    offsets: Annotated[np.ndarray, "int64[::1]"]
    ranges: Annotated[np.ndarray, "float64[::1]"]


class CutTree(NamedTuple):
    """Binary cuts; a code up to ``threshold`` goes to ``low``, others to ``high``.

    Node 0 is the root; at a leaf ``attribute`` is LEAF and ``low`` is its box.
    """

    attribute: Annotated[np.ndarray, "int32[::1]"]
    threshold: Annotated[np.ndarray, "int32[::1]"]
    low: Annotated[np.ndarray, "int32[::1]"]
    high: Annotated[np.ndarray, "int32[::1]"]


class Boxes(NamedTuple):
    """Smallest and largest known code by box and attribute, and who is missing.

    Where a box knows no value of an attribute, ``low`` is above ``high``.
    """

    low: np.ndarray
    high: np.ndarray
    missing: np.ndarray


Allowed = Callable[[np.ndarray, int], np.ndarray]


def make_space(
    codes: np.ndarray,
    weights: np.ndarray,
    positions: list[np.ndarray],
    joins: list[np.ndarray] | None = None,
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
    joins : list of int arrays, optional
        For each attribute the level at which each code meets the next one.
    """
    n_known = np.array([len(place) for place in positions], dtype=np.int64)
    offsets = np.concatenate(([0], np.cumsum(n_known)[:-1])).astype(np.int64)
    ranges = np.zeros(len(positions))
    for attribute, place in enumerate(positions):
        known = codes[attribute][codes[attribute] < n_known[attribute]]
        if len(known):
            ranges[attribute] = place[known.max()] - place[known.min()]
    flat = np.concatenate([np.asarray(place, dtype=np.float64) for place in positions])
    levels = np.zeros(len(flat), dtype=np.int32)
    if joins is not None:
        levels = np.concatenate(joins).astype(np.int32)
    return Space(codes, weights, n_known, flat, levels, offsets, ranges)


def grow(
    space: Space,
    rules: Rules,
    allowed: Allowed | None = None,
    n_jobs: int = 1,
    progress: Callable[[float], None] | None = None,
) -> tuple[CutTree, np.ndarray]:
    """Cut until no box has an allowable cut.

    Parameters
    ----------
    space : Space
        What to cut.
    rules : Rules
        Smallest weight of a box, and how cuts are made.
    allowed : callable, optional
        Asked with a label for each point (below 0: not concerned, ``~label`` is the box
        that it is in for good) and the number of labels; answers for each label whether
        that half may stand. Both halves must.
    n_jobs : int, default=1
        Threads; they change how boxes are numbered, and nothing else.
    progress : callable, optional
        Told after each level which share of the work is done; never where weights alone
        decide and there is one thread, for that takes little time.

    Returns
    -------
    CutTree, ndarray
        The cuts, and the box of each point. Only a strict tree can route other points.
    """
    n_points = space.codes.shape[1]
    tree = CutTree(*(np.full(2 * n_points, LEAF, dtype=np.int32) for _ in range(4)))
    box_of = np.full(n_points, -1, dtype=np.int32)
    space = space._replace(codes=space.codes.copy(), weights=space.weights.copy())
    if allowed is None and n_jobs == 1:
        n_nodes = _grow_unasked(space, rules, tree, box_of)
    else:
        propose = _propose if n_jobs == 1 else _with_threads(n_jobs)
        told = partial(_tell, progress, space.weights, rules.k) if progress else None
        n_nodes = _grow_by_levels(space, rules, tree, box_of, propose, allowed, told)
    return CutTree(*(part[:n_nodes].copy() for part in tree)), box_of


@njit("Space, Rules, CutTree, int32[::1]")
def _grow_unasked(space, rules, tree, box_of):
    """Cut where weights alone decide: depth first, while a box is in the cache."""
    n_points = len(box_of)
    origin, buffer = np.arange(n_points), np.empty(2 * n_points, np.int64)
    open_boxes = np.empty((n_points + 1, 3), np.int64)
    open_boxes[0] = 0, 0, n_points
    n_open, n_nodes, n_boxes = 1, 1, 0
    while n_open:
        n_open -= 1
        node, first, last = open_boxes[n_open]
        a, code, share, _ = next_cut(space, first, last, 0, rules)
        if a == LEAF:
            tree.low[node] = n_boxes
            box_of[origin[first:last]] = n_boxes
            n_boxes += 1
            continue
        middle = _split_box(space, origin, first, last, (a, code, share), buffer)
        tree.attribute[node], tree.threshold[node] = a, code - (share == 0)
        tree.low[node], tree.high[node] = n_nodes, n_nodes + 1
        open_boxes[n_open] = n_nodes + 1, middle, last
        open_boxes[n_open + 1] = n_nodes, first, middle
        n_open += 2
        n_nodes += 2
    return n_nodes


def _grow_by_levels(space, rules, tree, box_of, propose, allowed, told=None):
    """Cut all open boxes at once, so that a level is asked about in one go."""
    n_points = len(box_of)
    origin, buffer = np.arange(n_points), np.empty(2 * n_points, np.int64)
    front = _Front.at_root(n_points)
    n_nodes, n_boxes = 1, 0
    while len(front.node):
        cuts, tried = propose(space, front.start, front.stop, front.tried, rules)
        final = cuts[:, 0] == LEAF
        ids = np.arange(n_boxes, n_boxes + final.sum())
        tree.low[front.node[final]] = ids
        _label(origin, front.start[final], front.stop[final], ids, box_of)
        n_boxes += len(ids)
        front = front.where(~final, tried)
        cuts = cuts[~final]
        middle = _split(space, origin, front.start, front.stop, cuts, buffer)
        good = _ask(allowed, origin, front.start, middle, front.stop, box_of)
        if rules.relaxed:
            # Equal values are shared out in row order, whatever was tried before.
            _put_back(space, origin, front.start[~good], front.stop[~good])
        low = n_nodes + 2 * np.arange(good.sum())
        _record(tree, front.node[good], cuts[good], low)
        n_nodes += 2 * len(low)
        front = front.cut(good, middle, low)
        if told is not None:
            told(front)
    return n_nodes


def _tell(
    progress: Callable[[float], None], weights: np.ndarray, k: int, front: "_Front"
) -> None:
    """Tell which share of the work is done; each level passes over all open points.

    A box of weight w is halved about log2(w / k) times before it cannot be cut, so that
    w log2(w / k) is left to do of it.
    """
    upto = np.concatenate(([0], np.cumsum(weights)))
    open_boxes = upto[front.stop] - upto[front.start]
    left = (open_boxes * np.log2(np.maximum(open_boxes / k, 1))).sum()
    whole = upto[-1] * np.log2(max(upto[-1] / k, 1))
    progress(float(1 - left / whole) if whole > 0 else 1.0)


def _with_threads(n_jobs: int) -> Callable:
    def propose(*arguments):
        before = get_num_threads()
        set_num_threads(min(n_jobs, before))
        try:
            return _propose_in_parallel(*arguments)
        finally:
            set_num_threads(before)

    return propose


class _Front(NamedTuple):
    """The boxes that may still be cut: their nodes, points, and cuts tried so far."""

    node: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    tried: np.ndarray

    @classmethod
    def at_root(cls, n_points: int) -> "_Front":
        zero = np.zeros(1, dtype=np.int64)
        return cls(zero, zero, np.array([n_points]), zero)

    def where(self, mask: np.ndarray, tried: np.ndarray) -> "_Front":
        return _Front(self.node[mask], self.start[mask], self.stop[mask], tried[mask])

    def cut(self, good: np.ndarray, middle: np.ndarray, low: np.ndarray) -> "_Front":
        """Both halves of the boxes that were cut, and the others as they are."""
        fresh = np.zeros(2 * len(low), dtype=np.int64)
        return _Front(
            np.concatenate((low, low + 1, self.node[~good])),
            np.concatenate((self.start[good], middle[good], self.start[~good])),
            np.concatenate((middle[good], self.stop[good], self.stop[~good])),
            np.concatenate((fresh, self.tried[~good])),
        )


def _record(tree: CutTree, node: np.ndarray, cuts: np.ndarray, low: np.ndarray) -> None:
    tree.attribute[node] = cuts[:, 0]
    # Without a share of the equal ones, the low side ends one code earlier.
    tree.threshold[node] = cuts[:, 1] - (cuts[:, 2] == 0)
    tree.low[node], tree.high[node] = low, low + 1


def _ask(allowed, origin, start, middle, stop, box_of):
    """Which proposed cuts leave two halves that may stand."""
    if allowed is None or not len(start):
        return np.ones(len(start), dtype=bool)
    half = ~box_of
    _label(origin, start, middle, 2 * np.arange(len(start)), half)
    _label(origin, middle, stop, 2 * np.arange(len(start)) + 1, half)
    return allowed(half, 2 * len(start)).reshape(-1, 2).all(axis=1)


@njit("Space, int64[::1], int64[::1], int64[::1], Rules")
def _propose(space, start, stop, tried, rules):
    """For each box its next allowable cut, past those tried before."""
    cuts = np.empty((len(start), 3), np.int64)
    attempts = tried.copy()
    for box in range(len(start)):
        found = next_cut(space, start[box], stop[box], tried[box], rules)
        cuts[box, 0], cuts[box, 1], cuts[box, 2], attempts[box] = found
    return cuts, attempts


@njit_parallel("Space, int64[::1], int64[::1], int64[::1], Rules")
def _propose_in_parallel(space, start, stop, tried, rules):
    """Like ``_propose``; a function of its own, for compiled code is kept by name."""
    cuts = np.empty((len(start), 3), np.int64)
    attempts = tried.copy()
    for box in prange(len(start)):
        found = next_cut(space, start[box], stop[box], tried[box], rules)
        cuts[box, 0], cuts[box, 1], cuts[box, 2], attempts[box] = found
    return cuts, attempts


@njit("Space, int64[::1], int64[::1], int64[::1], int64[:, ::1], int64[::1]")
def _split(space, origin, start, stop, cuts, buffer):
    """Split every box; where their high sides start."""
    middle = np.empty(len(start), np.int64)
    for box in range(len(start)):
        cut = (cuts[box, 0], cuts[box, 1], cuts[box, 2])
        middle[box] = _split_box(space, origin, start[box], stop[box], cut, buffer)
    return middle


@njit
def _split_box(space, origin, first, last, cut, buffer):
    """Move the low side of a box to its front, in order; where the high one starts.

    A row goes low if its code is below the cut, or equal to it while the cut's share of
    equal ones lasts.
    """
    attribute, code, left = cut
    axis = space.codes[attribute]
    size = last - first
    low, high = 0, size
    # From where each place is filled: those that go low, then the others.
    source, held = buffer[:size], buffer[size : 2 * size]
    for at in range(size):
        below = axis[first + at] < code
        if axis[first + at] == code and left > 0:
            below = True
            left -= 1
        if below:
            source[low] = at
            low += 1
        else:
            high -= 1
            source[high] = at
    source[low:] = source[low:][::-1].copy()
    _arrange(origin[first:last], source, held)
    _arrange(space.weights[first:last], source, held)
    for a in range(len(space.codes)):
        _arrange(space.codes[a, first:last], source, held)
    return first + low


@njit
def _arrange(values, source, held):
    """Put at each place what is at its source."""
    for at in range(len(values)):
        held[at] = values[at]
    for at in range(len(values)):
        values[at] = held[source[at]]


@njit("Space, int64[::1], int64[::1], int64[::1]")
def _put_back(space, origin, start, stop):
    """Undo a cut that was refused: the points of a box in their first order."""
    for box in range(len(start)):
        first, last = start[box], stop[box]
        order = first + np.argsort(origin[first:last])
        origin[first:last] = origin[order]
        space.weights[first:last] = space.weights[order]
        for attribute in range(len(space.codes)):
            space.codes[attribute, first:last] = space.codes[attribute][order]


@njit("int64[::1], int64[::1], int64[::1], int64[::1], int32[::1]")
def _label(origin, start, stop, labels, out):
    for segment in range(len(start)):
        for at in range(start[segment], stop[segment]):
            out[origin[at]] = labels[segment]


def route(tree: CutTree, codes: np.ndarray) -> np.ndarray:
    """Box each column of ``codes`` falls in."""
    return _route(CutTree(*map(as_input, tree)), as_input(codes))


@njit("readonly(CutTree), readonly(int32[:, ::1])")
def _route(tree, codes):
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


@njit("int32[:, ::1], int64[::1], int32[::1], int64")
def bounds(codes, n_known, box_of, n_boxes):
    """Tight boxes: what the members have."""
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


@njit("CutTree, int64[::1], int64")
def cut_bounds(tree, n_known, n_boxes):
    """Boxes of a strict tree as its cuts draw them; together they cover everything."""
    n_nodes, n_attributes = len(tree.attribute), len(n_known)
    low = np.zeros((n_nodes, n_attributes), np.int32)
    high = np.empty((n_nodes, n_attributes), np.int32)
    high[0] = n_known
    boxes = np.empty(n_boxes, np.int64)
    for node in range(n_nodes):
        a = tree.attribute[node]
        if a == LEAF:
            boxes[tree.low[node]] = node
            continue
        for child in (tree.low[node], tree.high[node]):
            low[child] = low[node]
            high[child] = high[node]
        high[tree.low[node], a] = tree.threshold[node]
        low[tree.high[node], a] = tree.threshold[node] + 1
    missing = high[boxes] == n_known
    return Boxes(low[boxes], np.minimum(high[boxes], n_known - 1), missing)
