"""Where one box is cut."""

from typing import NamedTuple

import numpy as np

from anon_transformers._kernels._jit import njit

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
        pivot = codes[(low + high) // 2]
        left, right = low, high
        while left <= right:
            while codes[left] < pivot:
                left += 1
            while codes[right] > pivot:
                right -= 1
            if left <= right:
                codes[left], codes[right] = codes[right], codes[left]
                weights[left], weights[right] = weights[right], weights[left]
                left += 1
                right -= 1
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
