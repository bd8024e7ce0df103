"""Strict Mondrian kernel: against a slow, recursive twin, and its properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._kernels import mondrian
from anon_transformers._kernels import mondrian as _mondrian_cuts
from anon_transformers._kernels.mondrian import Rules

MISSING = None


def grown(slow, points, weights, rules, trees=None, allowed=None, spacing=1):
    space = slow.space_of(points, weights, trees, spacing)
    tree, box_of = mondrian.grow(space, rules, allowed)
    return space, tree, box_of


def sizes_of(slow, points, k, **options):
    _, _, box_of = grown(slow, points, [1] * len(points), Rules(k, **options))
    return sorted(np.bincount(box_of).tolist())


@pytest.mark.parametrize("relaxed", [False, True])
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
def test_worked_examples(slow, points, k, expected, relaxed):
    assert sizes_of(slow, points, k, relaxed=relaxed) == expected


def test_the_widest_attribute_is_cut(slow):
    # Specification 4.8: widths 0.25 and 0.333 in the box, so the second is cut.
    points = [(100, 4), (101, 4), (102, 3), (103, 1), (103, 2), (104, 1), (104, 2)]
    _, _, box_of = grown(slow, points, [9, 9, 9, 2, 2, 2, 2], Rules(4))
    at = dict(zip(points, box_of.tolist(), strict=True))
    assert at[103, 1] == at[104, 1]
    assert at[103, 2] == at[104, 2]
    assert at[103, 1] != at[103, 2]


def test_equal_widths_cut_the_first_attribute(slow):
    points = [(a, b) for a in (10, 19) for b in (10, 11, 21)]
    _, tree, box_of = grown(slow, points, [1] * 6, Rules(2))
    assert tree.attribute[0] == 0
    assert box_of.tolist() == [0, 0, 0, 1, 1, 1]


def test_values_equal_to_the_median_may_go_to_either_side(slow):
    # 1 1 5 5 5 9 9 with k = 2: five rows up to the median, two below it.
    points, weights = [(1,), (5,), (9,)], [2, 4, 1]
    left = grown(slow, points, weights, Rules(2))[2]
    assert slow.partition(left) == {frozenset({0, 1, 2})}
    both = grown(slow, points, weights, Rules(2, both_sides=True))[2]
    assert slow.partition(both) == {frozenset({0}), frozenset({1, 2})}


def test_without_fall_back_only_the_widest_attribute_is_tried(slow):
    points = [(0, 1), (9, 1), (9, 2), (9, 3), (9, 4)]
    stop = grown(slow, points, [1] * 5, Rules(2, fall_back=False))[2]
    assert set(stop.tolist()) == {0}
    go_on = grown(slow, points, [1] * 5, Rules(2))[2]
    assert len(set(go_on.tolist())) == 2


def test_without_fall_back_missing_values_do_not_stop_it(slow):
    # One missing value cannot stand alone; the median cut is still made.
    points = [(1,), (2,), (3,), (4,), (5,), (MISSING,)]
    _, _, box_of = grown(slow, points, [1] * 6, Rules(2, fall_back=False))
    assert len(set(box_of.tolist())) == 2


def test_known_and_missing_are_parted_before_anything_else(slow):
    points = [(0, 5), (9, 5), (0, MISSING), (9, MISSING)]
    _, tree, box_of = grown(slow, points, [2, 2, 2, 2], Rules(4))
    assert tree.attribute[0] == 1
    assert box_of.tolist() == [0, 0, 1, 1]


def test_missing_values_that_cannot_stand_alone_sort_last(slow):
    points = [(1,), (2,), (3,), (4,), (MISSING,)]
    _, _, box_of = grown(slow, points, [1] * 5, Rules(2))
    assert slow.partition(box_of) == {frozenset({0, 1, 2}), frozenset({3, 4})}


@given(data=st.data())
def test_the_kernel_makes_the_partition_of_its_twin(slow, draws, data):
    points, weights = data.draw(draws.clouds())
    rules = data.draw(draws.rule_sets())
    _, _, box_of = grown(slow, points, weights, rules)
    assert slow.partition(box_of) == slow.twin(points, weights, rules)


@given(data=st.data())
def test_gaps_between_codes_change_nothing(slow, draws, data):
    points, weights = data.draw(draws.clouds())
    rules = data.draw(draws.rule_sets())
    _, _, box_of = grown(slow, points, weights, rules, spacing=1000)
    assert slow.partition(box_of) == slow.twin(points, weights, rules)


@given(data=st.data(), n_colors=st.integers(2, 4))
def test_cuts_that_are_not_allowed_are_not_made(slow, draws, data, n_colors):
    """Every box must hold a point of each color: distinct l, in the small."""
    points, weights = data.draw(draws.clouds())
    rules = data.draw(draws.rule_sets())
    color = np.arange(len(points)) % n_colors

    def allowed(half, n_halves):
        asked = np.unique(half[half >= 0])
        assert asked.tolist() == list(range(n_halves))
        return np.array(
            [len(set(color[half == h])) == n_colors for h in range(n_halves)]
        )

    _, _, box_of = grown(slow, points, weights, rules, allowed=allowed)
    expected = slow.twin(
        points,
        weights,
        rules,
        allowed=lambda box: len({color[i] for i in box}) == n_colors,
    )
    assert slow.partition(box_of) == expected


@given(
    cells=st.lists(
        st.tuples(st.integers(0, 30), st.integers(1, 5)), min_size=1, max_size=40
    ),
    share=st.floats(0, 1),
)
def test_selection_finds_the_code_at_which_the_weights_reach_a_sum(cells, share):
    codes = np.array([code for code, _ in cells], dtype=np.int32)
    weights = np.array([weight for _, weight in cells], dtype=np.int64)
    ranked = sorted(code for code, n in cells for _ in range(n))
    wanted = 1 + int(share * (len(ranked) - 1))
    found = _mondrian_cuts._select(codes.copy(), weights.copy(), wanted)
    assert found == ranked[wanted - 1]


@given(data=st.data())
def test_every_box_holds_k_rows(slow, draws, data):
    points, weights = data.draw(draws.clouds())
    rules = data.draw(draws.rule_sets())
    _, _, box_of = grown(slow, points, weights, rules)
    assert np.bincount(box_of, weights).min() >= min(rules.k, sum(weights))


@given(data=st.data())
def test_no_box_has_an_allowable_cut_left(slow, draws, data):
    points, weights = data.draw(draws.clouds())
    rules = data.draw(draws.rule_sets())
    space, _, box_of = grown(slow, points, weights, rules)
    for box in slow.partition(box_of):
        rows = [(*points[i], i) for i in box for _ in range(weights[i])]
        for cut in slow.candidate_cuts(rows, space.ranges.tolist(), rules, {}):
            assert min(map(len, cut)) < rules.k


@given(data=st.data(), k=st.integers(1, 8))
def test_the_size_bound_of_the_authors(slow, draws, data, k):
    """With both sides tried: at most 2d(k - 1) + m rows, m of them identical."""
    points, weights = data.draw(draws.clouds(missing=False))
    _, _, box_of = grown(slow, points, weights, Rules(k, both_sides=True))
    largest = np.bincount(box_of, weights).max()
    if sum(weights) >= k:
        assert largest <= 2 * len(points[0]) * (k - 1) + max(weights)


def test_without_both_sides_the_bound_can_be_exceeded(slow):
    points, weights = [(0,), (1,), (2,)], [3, 4, 1]
    for both_sides, largest in ((False, 8), (True, 5)):
        rules = Rules(2, both_sides=both_sides)
        _, _, box_of = grown(slow, points, weights, rules)
        assert np.bincount(box_of, weights).max() == largest
    assert 5 <= 2 * 1 * (2 - 1) + 4 < 8


@given(data=st.data())
def test_boxes_do_not_overlap(slow, draws, data):
    points, weights = data.draw(draws.clouds())
    rules = data.draw(draws.rule_sets())
    space, _, box_of = grown(slow, points, weights, rules)
    low, high, missing = mondrian.bounds(
        space.codes, space.n_known, box_of, int(box_of.max()) + 1
    )
    for one in range(len(low)):
        for other in range(one):
            apart = (high[one] < low[other]) | (high[other] < low[one])
            # Two boxes apart in what is known may still share "missing".
            apart &= ~(missing[one] & missing[other])
            assert apart.any()


@given(data=st.data(), random=st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(slow, draws, data, random):
    points, weights = data.draw(draws.clouds())
    rules = data.draw(draws.rule_sets())
    shuffled = list(range(len(points)))
    random.shuffle(shuffled)
    _, _, box_of = grown(slow, points, weights, rules)
    _, _, other = grown(
        slow, [points[i] for i in shuffled], [weights[i] for i in shuffled], rules
    )
    back = {frozenset(shuffled[i] for i in box) for box in slow.partition(other)}
    assert slow.partition(box_of) == back


@given(data=st.data())
def test_routing_the_points_finds_their_boxes(slow, draws, data):
    points, weights = data.draw(draws.clouds())
    rules = data.draw(draws.rule_sets())
    space, tree, box_of = grown(slow, points, weights, rules)
    np.testing.assert_array_equal(mondrian.route(tree, space.codes), box_of)
    assert sorted(set(box_of.tolist())) == list(range(box_of.max() + 1))


@given(data=st.data())
def test_bounds_are_those_of_the_members(slow, draws, data):
    points, weights = data.draw(draws.clouds())
    rules = data.draw(draws.rule_sets())
    space, _, box_of = grown(slow, points, weights, rules)
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


def test_one_forbidden_half_forbids_the_cut(slow):
    points = [(i,) for i in range(8)]
    _, tree, box_of = grown(
        slow, points, [1] * 8, Rules(2), allowed=lambda half, n: np.arange(n) % 2 == 0
    )
    assert set(box_of.tolist()) == {0}
    assert tree.attribute.tolist() == [mondrian.LEAF]


def test_places_that_a_float_cannot_tell_apart_are_not_cut():
    codes = np.array([[0, 0, 1, 1]], dtype=np.int32)
    space = mondrian.make_space(
        codes, np.ones(4, dtype=np.int64), [np.array([2.0**60, 2.0**60])]
    )
    _, box_of = mondrian.grow(space, Rules(2))
    assert box_of.tolist() == [0, 0, 0, 0]


def test_the_input_is_left_alone(slow):
    space = slow.space_of([(3,), (1,), (2,), (0,)], [1, 2, 3, 4])
    before = space.codes.copy(), space.weights.copy()
    mondrian.grow(space, Rules(2))
    np.testing.assert_array_equal(space.codes, before[0])
    np.testing.assert_array_equal(space.weights, before[1])
