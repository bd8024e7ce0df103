"""Mondrian as a slow, recursive twin: row by row, straight from the specification."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import strategies as st

from anon_transformers._kernels import mondrian

MISSING = None


def order(value):
    """A missing value sorts last."""
    return (value is MISSING, 0 if value is MISSING else value)


def known(rows, attribute):
    return [row[attribute] for row in rows if row[attribute] is not MISSING]


def spread(values):
    return max(values) - min(values) if values else 0


def lower_median(rows, attribute):
    ranked = sorted(order(row[attribute]) for row in rows)
    return ranked[(len(ranked) - 1) // 2]


def part(rows, goes_low):
    return [r for r in rows if goes_low(r)], [r for r in rows if not goes_low(r)]


def strict_cuts(rows, attribute, both_sides):
    """Section 4.4: values equal to the median to the left, or to the right."""
    median = lower_median(rows, attribute)
    yield part(rows, lambda row: order(row[attribute]) <= median)
    if both_sides:
        yield part(rows, lambda row: order(row[attribute]) < median)


def relaxed_cut(rows, attribute):
    """Section 4.5: the equal ones are shared out in row order."""
    median = lower_median(rows, attribute)
    below = [row for row in rows if order(row[attribute]) < median]
    equal = [row for row in rows if order(row[attribute]) == median]
    quota = -(-len(rows) // 2) - len(below)
    chosen = {row[-1] for row in (*below, *equal[:quota])}
    return part(rows, lambda row: row[-1] in chosen)


def tree_cuts(rows, attribute, tree, k):
    """Between two groups below the lowest common ancestor, as evenly as can be.

    ``tree[value]`` lists the ancestors of a value from the ground up.
    """
    values = known(rows, attribute)
    level = next(i for i in range(99) if len({tree[v][i] for v in values}) == 1)
    found = []
    for cut in range(min(values), max(values)):
        if tree[cut][level - 1] == tree[cut + 1][level - 1]:
            continue
        low, high = part(
            rows, lambda r, cut=cut: r[attribute] is not MISSING and r[attribute] <= cut
        )
        if min(len(low), len(high)) >= k:
            found.append((abs(len(low) - len(high)), cut, low, high))
    if found:
        *_, low, high = min(found, key=lambda f: f[:2])
        yield low, high


def candidate_cuts(rows, ranges, rules, trees):
    """Known from missing first, then cuts by falling normalized width."""
    attributes = range(len(ranges))
    for a in attributes:
        if 0 < len(known(rows, a)) < len(rows):
            yield part(rows, lambda row, a=a: row[a] is not MISSING)
    width = {a: spread(known(rows, a)) / (ranges[a] or 1) for a in attributes}
    for a in sorted(attributes, key=lambda a: -width[a]):
        if rules.relaxed:
            yield relaxed_cut(rows, a)
        elif width[a] > 0:
            if a in trees:
                yield from tree_cuts(rows, a, trees[a], rules.k)
            else:
                yield from strict_cuts(rows, a, rules.both_sides)
        if not rules.fall_back:
            return


def boxes_of(rows, ranges, rules, trees, allowed):
    """Boxes as lists of rows, each row ending in its number."""
    for low, high in candidate_cuts(rows, ranges, rules, trees):
        if min(len(low), len(high)) >= rules.k and allowed(low) and allowed(high):
            return boxes_of(low, ranges, rules, trees, allowed) + boxes_of(
                high, ranges, rules, trees, allowed
            )
    return [rows]


def twin(points, weights, rules, trees=None, allowed=lambda numbers: True):
    """Partition of the points as a set of sets, weights expanded into rows."""
    rows = [
        (*point, number)
        for number, (point, weight) in enumerate(zip(points, weights, strict=True))
        for _ in range(weight)
    ]
    ranges = [spread(known(rows, a)) for a in range(len(points[0]))]
    boxes = boxes_of(
        rows, ranges, rules, trees or {}, lambda box: allowed({row[-1] for row in box})
    )
    return {frozenset(row[-1] for row in box) for box in boxes}


def space_of(points, weights, trees=None, spacing=1):
    """The kernel's view; ``spacing`` puts gaps between neighboring codes."""
    codes, positions, joins = [], [], []
    for a in range(len(points[0])):
        column = [point[a] for point in points]
        tree = (trees or {}).get(a)
        if tree is not None:
            values = list(range(len(tree)))
        else:
            top = max((v for v in column if v is not MISSING), default=-1)
            values = [v / spacing for v in range(spacing * (top + 1))]
        place = {value: at for at, value in enumerate(values)}
        codes.append([len(values) if v is MISSING else place[v] for v in column])
        positions.append(np.array(values, dtype=float))
        joins.append(_joins(tree, len(values)))
    return mondrian.make_space(
        np.array(codes, dtype=np.int32),
        np.array(weights, dtype=np.int64),
        positions,
        joins,
    )


def _joins(tree, n_values):
    if tree is None:
        return np.zeros(n_values, dtype=np.int32)
    levels = [
        next(i for i in range(99) if tree[v][i] == tree[v + 1][i])
        for v in range(n_values - 1)
    ]
    return np.array([*levels, len(tree[0]) - 1], dtype=np.int32)


def partition(box_of):
    return {
        frozenset(np.flatnonzero(box_of == box).tolist())
        for box in set(box_of.tolist())
    }


@st.composite
def clouds(draw, missing=True, weighted=True, duplicates=False):
    """Points and weights."""
    n_attributes = draw(st.integers(1, 4))
    value = st.integers(0, draw(st.sampled_from([1, 3, 9, 40])))
    if missing and draw(st.booleans()):
        value = value | st.none()
    points = draw(
        st.lists(
            st.tuples(*[value] * n_attributes),
            min_size=1,
            max_size=50,
            unique=not duplicates,
        )
    )
    share = [1, 1, 1, 2, 3, 7] if weighted else [1]
    return points, [draw(st.sampled_from(share)) for _ in points]


@st.composite
def forests(draw):
    """Points of which some attributes have a tree over the values 0, 1, …."""
    n_attributes = draw(st.integers(1, 3))
    trees, values = {}, []
    for a in range(n_attributes):
        n_values = draw(st.integers(2, 9))
        values.append(st.integers(0, n_values - 1))
        if draw(st.booleans()):
            values[-1] = values[-1] | st.none()
        if a and draw(st.booleans()):
            continue
        groups = sorted(draw(st.integers(0, 3)) for _ in range(n_values))
        trees[a] = [(v, f"g{g}", f"h{g // 2}", "*") for v, g in enumerate(groups)]
    cells = st.tuples(*values)
    points = draw(st.lists(cells, min_size=1, max_size=40, unique=True))
    return points, [draw(st.sampled_from([1, 1, 2, 5])) for _ in points], trees


@st.composite
def rule_sets(draw, relaxed=False):
    return mondrian.Rules(
        draw(st.sampled_from([1, 2, 3, 5, 8])),
        relaxed,
        draw(st.booleans()),
        draw(st.booleans()),
    )


@pytest.fixture(scope="session")
def slow():
    return SimpleNamespace(
        twin=twin,
        space_of=space_of,
        partition=partition,
        candidate_cuts=candidate_cuts,
        known=known,
    )


@pytest.fixture(scope="session")
def draws():
    """Strategies, for ``data.draw``: a fixture is the only way they reach a test."""
    return SimpleNamespace(clouds=clouds, forests=forests, rule_sets=rule_sets)
