"""Mondrian kernel: against a slow, recursive twin, and its properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._kernels import mondrian

MISSING = None


# --- the twin: rows one by one, straight from the specification, section 4 ---


def known(rows, attribute):
    return [row[attribute] for row in rows if row[attribute] is not MISSING]


def spread(values):
    return max(values) - min(values) if values else 0


def median_cut(rows, attribute):
    """Halves at the lower median, ties left; a missing value sorts last."""
    order = lambda value: (value is MISSING, 0 if value is MISSING else value)  # noqa: E731
    ranked = sorted((row[attribute] for row in rows), key=order)
    median = order(ranked[(len(ranked) - 1) // 2])
    return (
        [row for row in rows if order(row[attribute]) <= median],
        [row for row in rows if order(row[attribute]) > median],
    )


def missing_cut(rows, attribute):
    return (
        [row for row in rows if row[attribute] is not MISSING],
        [row for row in rows if row[attribute] is MISSING],
    )


def candidate_cuts(rows, ranges):
    """Known from missing first, then medians by falling normalized width."""
    attributes = range(len(ranges))
    for a in attributes:
        values = known(rows, a)
        if values and len(values) < len(rows):
            yield missing_cut(rows, a)
    width = {a: spread(known(rows, a)) / (ranges[a] or 1) for a in attributes}
    for a in sorted(attributes, key=lambda a: -width[a]):
        if width[a] > 0:
            yield median_cut(rows, a)


def slow_mondrian(rows, ranges, allowed):
    """Boxes as lists of rows, each row ending in its number."""
    for left, right in candidate_cuts(rows, ranges):
        if allowed(left) and allowed(right):
            return slow_mondrian(left, ranges, allowed) + slow_mondrian(
                right, ranges, allowed
            )
    return [rows]


def twin(points, weights, k, allowed=lambda box: True):
    """Partition of the points as a set of sets, weights expanded into rows."""
    rows = [
        (*point, number)
        for number, (point, weight) in enumerate(zip(points, weights, strict=True))
        for _ in range(weight)
    ]
    ranges = [spread(known(rows, a)) for a in range(len(points[0]))]
    boxes = slow_mondrian(
        rows, ranges, lambda box: len(box) >= k and allowed({row[-1] for row in box})
    )
    return {frozenset(row[-1] for row in box) for box in boxes}


# --- the kernel on the same points ---


def space_of(points, weights, spacing=None):
    """Codes and positions; ``spacing`` puts gaps between neighbouring codes."""
    n_attributes = len(points[0])
    codes = np.empty((n_attributes, len(points)), dtype=np.int32)
    positions = []
    for a in range(n_attributes):
        values = sorted({p[a] for p in points if p[a] is not MISSING})
        if spacing:
            values = list(range(0, spacing * (max(values, default=0) + 1)))
        rank = {v: i for i, v in enumerate(values)}
        scaled = {p[a]: p[a] * (spacing or 1) for p in points if p[a] is not MISSING}
        codes[a] = [
            len(values) if p[a] is MISSING else rank[scaled[p[a]]] for p in points
        ]
        positions.append(np.array(values, dtype=float))
    return mondrian.make_space(codes, np.array(weights, dtype=np.int64), positions)


def partition(box_of):
    return {
        frozenset(np.flatnonzero(box_of == box).tolist())
        for box in set(box_of.tolist())
    }


def grown(points, weights, k, spacing=None, allowed=None):
    space = space_of(points, weights, spacing)
    tree, box_of = mondrian.grow(space, k, allowed)
    return space, tree, box_of


@st.composite
def clouds(draw, missing=True):
    n_attributes = draw(st.integers(1, 4))
    largest = draw(st.sampled_from([1, 3, 9, 40]))
    value = st.integers(0, largest)
    if missing and draw(st.booleans()):
        value = value | st.none()
    points = draw(
        st.lists(
            st.tuples(*[value] * n_attributes), min_size=1, max_size=50, unique=True
        )
    )
    weights = [draw(st.sampled_from([1, 1, 1, 2, 3, 7])) for _ in points]
    return points, weights


ks = st.sampled_from([1, 2, 3, 5, 8])


@pytest.mark.parametrize(
    ("points", "k", "expected"),
    [
        pytest.param([(0,), (2,), (3,), (4,), (6,), (9,)], 2, [3, 3], id="figure-3-k2"),
        pytest.param([(0,), (2,), (3,), (4,), (6,), (9,)], 3, [3, 3], id="figure-3-k3"),
        pytest.param([(i,) for i in range(32)], 4, [4] * 8, id="figure-4"),
        pytest.param([(7,)], 1, [1], id="one-point"),
        pytest.param([(1,), (2,), (3,)], 2, [3], id="too-few-to-cut"),
        pytest.param([(1,), (2,), (3,), (4,)], 2, [2, 2], id="lower-median"),
    ],
)
def test_worked_examples(points, k, expected):
    _, _, box_of = grown(points, [1] * len(points), k)
    assert sorted(np.bincount(box_of).tolist()) == expected


def test_the_widest_attribute_is_cut():
    # Specification 4.8: widths 0.25 and 0.333 in the box, so the second is cut.
    points = [(100, 4), (101, 4), (102, 3), (103, 1), (103, 2), (104, 1), (104, 2)]
    _, _, box_of = grown(points, [9, 9, 9, 2, 2, 2, 2], 4)
    at = dict(zip(points, box_of.tolist(), strict=True))
    assert at[103, 1] == at[104, 1]
    assert at[103, 2] == at[104, 2]
    assert at[103, 1] != at[103, 2]


def test_equal_widths_cut_the_first_attribute():
    points = [(a, b) for a in (10, 19) for b in (10, 11, 21)]
    _, tree, box_of = grown(points, [1] * 6, 2)
    assert tree.attribute[0] == 0
    assert box_of.tolist() == [0, 0, 0, 1, 1, 1]


def test_known_and_missing_are_parted_before_anything_else():
    points = [(0, 5), (9, 5), (0, MISSING), (9, MISSING)]
    _, tree, box_of = grown(points, [2, 2, 2, 2], 4)
    assert tree.attribute[0] == 1
    assert box_of.tolist() == [0, 0, 1, 1]


def test_missing_values_that_cannot_stand_alone_sort_last():
    points = [(1,), (2,), (3,), (4,), (MISSING,)]
    _, _, box_of = grown(points, [1] * 5, 2)
    assert partition(box_of) == {frozenset({0, 1, 2}), frozenset({3, 4})}


@given(clouds(), ks)
def test_the_kernel_makes_the_partition_of_its_twin(cloud, k):
    points, weights = cloud
    _, _, box_of = grown(points, weights, k)
    assert partition(box_of) == twin(points, weights, k)


@given(clouds(), ks)
def test_the_median_is_the_same_when_codes_are_far_apart(cloud, k):
    # Gaps make the range of codes wide, so that medians are found by sorting.
    points, weights = cloud
    _, _, box_of = grown(points, weights, k, spacing=1000)
    assert partition(box_of) == twin(points, weights, k)


@pytest.mark.parametrize("gap", [1, 10_000], ids=["counting", "sorting"])
@given(
    cells=st.lists(
        st.tuples(st.integers(0, 30), st.integers(1, 5)), min_size=1, max_size=40
    )
)
def test_both_ways_to_the_lower_median(gap, cells):
    codes = np.array([gap * code for code, _ in cells], dtype=np.int32)
    weights = np.array([weight for _, weight in cells], dtype=np.int64)
    rows = np.arange(len(cells))
    ranked = sorted(
        code for code, n in zip(codes.tolist(), weights, strict=True) for _ in range(n)
    )
    median = ranked[(len(ranked) - 1) // 2]
    at, below = mondrian._lower_median(codes, weights, rows, weights.sum())
    assert at == median
    assert below == sum(value <= median for value in ranked)


@given(clouds(), ks)
def test_every_box_holds_k_rows(cloud, k):
    points, weights = cloud
    _, _, box_of = grown(points, weights, k)
    assert np.bincount(box_of, weights).min() >= min(k, sum(weights))


@given(clouds(), ks)
def test_no_box_has_an_allowable_cut_left(cloud, k):
    points, weights = cloud
    space, _, box_of = grown(points, weights, k)
    for box in partition(box_of):
        rows = [points[i] for i in box for _ in range(weights[i])]
        for left, right in candidate_cuts(rows, space.ranges.tolist()):
            assert min(len(left), len(right)) < k


@given(clouds(), ks)
def test_boxes_do_not_overlap(cloud, k):
    points, weights = cloud
    space, _, box_of = grown(points, weights, k)
    low, high, missing = mondrian.bounds(
        space.codes, space.n_known, box_of, int(box_of.max()) + 1
    )
    for one in range(len(low)):
        for other in range(one):
            apart = (high[one] < low[other]) | (high[other] < low[one])
            # Two boxes apart in what is known may still share "missing".
            apart &= ~(missing[one] & missing[other])
            assert apart.any()


@given(clouds(), ks, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(cloud, k, random):
    points, weights = cloud
    shuffled = list(range(len(points)))
    random.shuffle(shuffled)
    _, _, box_of = grown(points, weights, k)
    _, _, other = grown(
        [points[i] for i in shuffled], [weights[i] for i in shuffled], k
    )
    back = {frozenset(shuffled[i] for i in box) for box in partition(other)}
    assert partition(box_of) == back


@given(clouds(), ks)
def test_routing_the_points_finds_their_boxes(cloud, k):
    points, weights = cloud
    space, tree, box_of = grown(points, weights, k)
    np.testing.assert_array_equal(mondrian.route(tree, space.codes), box_of)
    assert sorted(set(box_of.tolist())) == list(range(box_of.max() + 1))


@given(clouds(), ks)
def test_bounds_are_those_of_the_members(cloud, k):
    points, weights = cloud
    space, _, box_of = grown(points, weights, k)
    low, high, missing = mondrian.bounds(
        space.codes, space.n_known, box_of, int(box_of.max()) + 1
    )
    for box in range(len(low)):
        for a, n_known in enumerate(space.n_known):
            codes = space.codes[a][box_of == box]
            inside = codes[codes < n_known]
            assert missing[box, a] == (codes == n_known).any()
            expected = (inside.min(), inside.max()) if len(inside) else (n_known, -1)
            assert (low[box, a], high[box, a]) == expected


@given(clouds(), ks, st.integers(2, 4))
def test_cuts_that_are_not_allowed_are_not_made(cloud, k, n_colours):
    """Every box must hold a point of each colour: distinct l, in the small."""
    points, weights = cloud
    colour = np.arange(len(points)) % n_colours

    def allowed(half, n_halves):
        asked = np.unique(half[half >= 0])
        assert asked.tolist() == list(range(n_halves))
        return np.array(
            [len(set(colour[half == h])) == n_colours for h in range(n_halves)]
        )

    _, _, box_of = grown(points, weights, k, allowed=allowed)
    expected = twin(
        points, weights, k, lambda box: len({colour[i] for i in box}) == n_colours
    )
    assert partition(box_of) == expected


def test_one_forbidden_half_forbids_the_cut():
    points = [(i,) for i in range(8)]
    _, tree, box_of = grown(
        points, [1] * 8, 2, allowed=lambda half, n: np.arange(n) % 2 == 0
    )
    assert set(box_of.tolist()) == {0}
    assert tree.attribute.tolist() == [mondrian.LEAF]


def test_places_that_a_float_cannot_tell_apart_are_not_cut():
    codes = np.array([[0, 0, 1, 1]], dtype=np.int32)
    space = mondrian.make_space(
        codes, np.ones(4, dtype=np.int64), [np.array([2.0**60, 2.0**60])]
    )
    _, box_of = mondrian.grow(space, 2)
    assert box_of.tolist() == [0, 0, 0, 0]
