"""Mondrian kernel: relaxed cuts, hierarchies, boxes of cuts, threads."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers._kernels import mondrian
from anon_transformers._kernels.mondrian import Rules


@cache
def count(n, k):
    """Section 4.5: how many boxes relaxed cuts make of n rows."""
    return 1 if n < 2 * k else count(n // 2, k) + count(n - n // 2, k)


class TestRelaxed:
    @given(data=st.data())
    def test_it_is_its_twin(self, slow, draws, data):
        points, weights = data.draw(draws.clouds(weighted=False, duplicates=True))
        rules = data.draw(draws.rule_sets(relaxed=True))
        _, box_of = mondrian.grow(slow.space_of(points, weights), rules)
        assert slow.partition(box_of) == slow.twin(points, weights, rules)

    @given(data=st.data(), n_colors=st.integers(2, 3))
    def test_models_are_asked_too(self, slow, draws, data, n_colors):
        points, weights = data.draw(draws.clouds(weighted=False, duplicates=True))
        rules = data.draw(draws.rule_sets(relaxed=True))
        color = np.arange(len(points)) % n_colors

        def allowed(half, n_halves):
            return np.array(
                [len(set(color[half == h])) == n_colors for h in range(n_halves)]
            )

        _, box_of = mondrian.grow(slow.space_of(points, weights), rules, allowed)
        assert slow.partition(box_of) == slow.twin(
            points,
            weights,
            rules,
            allowed=lambda box: len({color[i] for i in box}) == n_colors,
        )

    @given(data=st.data(), k=st.integers(1, 6))
    def test_sizes_and_count_depend_on_rows_and_k_only(self, slow, draws, data, k):
        clouds = draws.clouds(missing=False, weighted=False, duplicates=True)
        points, weights = data.draw(clouds)
        _, box_of = mondrian.grow(slow.space_of(points, weights), Rules(k, True))
        sizes = np.bincount(box_of)
        assert len(sizes) == count(len(points), k)
        if len(points) >= k:
            assert sizes.min() >= k
            assert sizes.max() <= 2 * k - 1

    @given(data=st.data())
    def test_with_missing_values_classes_stay_below_2k(self, slow, draws, data):
        points, weights = data.draw(draws.clouds(weighted=False, duplicates=True))
        rules = data.draw(draws.rule_sets(relaxed=True))
        _, box_of = mondrian.grow(slow.space_of(points, weights), rules)
        assert np.bincount(box_of).max() <= max(
            2 * rules.k - 1, len(points) * (len(points) < rules.k)
        )

    @given(data=st.data(), random=st.randoms(use_true_random=False))
    def test_in_another_order_sizes_are_the_same(self, slow, draws, data, random):
        points, weights = data.draw(draws.clouds(weighted=False, duplicates=True))
        rules = data.draw(draws.rule_sets(relaxed=True))
        shuffled = random.sample(points, len(points))
        found = [
            sorted(np.bincount(mondrian.grow(slow.space_of(p, weights), rules)[1]))
            for p in (points, shuffled)
        ]
        assert found[0] == found[1]

    def test_equal_rows_are_shared_out(self, slow):
        space = slow.space_of([(7,)] * 9, [1] * 9)
        _, box_of = mondrian.grow(space, Rules(2, relaxed=True))
        assert sorted(np.bincount(box_of).tolist()) == [2, 2, 2, 3]


class TestHierarchies:
    @given(data=st.data())
    def test_cuts_are_those_of_the_twin(self, slow, draws, data):
        points, weights, trees = data.draw(draws.forests())
        rules = data.draw(draws.rule_sets())
        space = slow.space_of(points, weights, trees)
        tree, box_of = mondrian.grow(space, rules)
        assert slow.partition(box_of) == slow.twin(points, weights, rules, trees)
        np.testing.assert_array_equal(mondrian.route(tree, space.codes), box_of)

    @given(data=st.data())
    def test_no_cut_divides_a_group_while_others_are_beside_it(self, slow, draws, data):
        points, weights, trees = data.draw(draws.forests())
        space = slow.space_of(points, weights, trees)
        tree, _ = mondrian.grow(space, Rules(2))
        members = {0: range(len(points))}
        for node, attribute in enumerate(tree.attribute):
            if attribute == mondrian.LEAF:
                continue
            codes = space.codes[attribute]
            low = [i for i in members[node] if codes[i] <= tree.threshold[node]]
            high = [i for i in members[node] if codes[i] > tree.threshold[node]]
            members[tree.low[node]], members[tree.high[node]] = low, high
            levels = trees.get(attribute)
            values = {points[i][attribute] for i in members[node]} - {None}
            if levels is None or tree.threshold[node] >= max(values):
                continue
            top = next(i for i in range(9) if len({levels[v][i] for v in values}) == 1)
            groups = [
                {
                    levels[points[i][attribute]][top - 1]
                    for i in half
                    if points[i][attribute] is not None
                }
                for half in (low, high)
            ]
            assert not groups[0] & groups[1]

    def test_the_most_even_allowable_cut(self, slow):
        # Groups of 1, 4, 2 and 1 rows: 5 | 3 is the most even one.
        tree = [(v, f"g{v}", "*") for v in range(4)]
        space = slow.space_of([(0,), (1,), (2,), (3,)], [1, 4, 2, 1], {0: tree})
        _, box_of = mondrian.grow(space, Rules(3))
        assert slow.partition(box_of) == {frozenset({0, 1}), frozenset({2, 3})}

    def test_an_uneven_cut_is_made_where_the_even_one_is_not_allowable(self, slow):
        # A median cut would leave 6 | 1; along the groups 2 | 5 is allowable.
        tree = [(0, "a", "*"), (1, "b", "*"), (2, "b", "*")]
        space = slow.space_of([(0,), (1,), (2,)], [2, 4, 1], {0: tree})
        _, box_of = mondrian.grow(space, Rules(2))
        assert slow.partition(box_of) == {frozenset({0}), frozenset({1, 2})}


class TestCutBounds:
    @settings(max_examples=40)
    @given(data=st.data(), hierarchical=st.booleans())
    def test_every_place_lies_in_the_one_box_it_is_routed_to(
        self, slow, draws, data, hierarchical
    ):
        trees = {}
        if hierarchical:
            points, weights, trees = data.draw(draws.forests())
        else:
            points, weights = data.draw(draws.clouds())
        points = [point[:2] for point in points]
        trees = {a: tree for a, tree in trees.items() if a < 2}
        space = slow.space_of(points, weights, trees)
        tree, box_of = mondrian.grow(space, data.draw(draws.rule_sets()))
        n_boxes = int(box_of.max()) + 1
        low, high, missing = mondrian.cut_bounds(tree, space.n_known, n_boxes)
        everywhere = list(product(*(range(n + 1) for n in space.n_known)))
        routed = mondrian.route(tree, np.array(everywhere, dtype=np.int32).T)
        for place, box in zip(everywhere, routed, strict=True):
            inside = np.ones(n_boxes, dtype=bool)
            for a, code in enumerate(place):
                known = (low[:, a] <= code) & (code <= high[:, a])
                inside &= missing[:, a] if code == space.n_known[a] else known
            assert np.flatnonzero(inside).tolist() == [box]

    @given(data=st.data())
    def test_they_hold_the_tight_boxes(self, slow, draws, data):
        points, weights = data.draw(draws.clouds())
        space = slow.space_of(points, weights)
        tree, box_of = mondrian.grow(space, data.draw(draws.rule_sets()))
        n_boxes = int(box_of.max()) + 1
        wide = mondrian.cut_bounds(tree, space.n_known, n_boxes)
        tight = mondrian.bounds(space.codes, space.n_known, box_of, n_boxes)
        assert (wide.low <= tight.low).all()
        assert ((wide.high >= tight.high) | (tight.high < 0)).all()
        assert (wide.missing >= tight.missing).all()


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("n_jobs", [2, 3, 64])
def test_threads_change_nothing(slow, relaxed, n_jobs):
    rng = np.random.default_rng(5)
    points = [tuple(row) for row in rng.integers(0, 30, (3000, 4)).tolist()]
    space = slow.space_of(points, [1] * 3000)
    rules = Rules(4, relaxed=relaxed)
    (tree, alone), (other_tree, together), (_, asked) = (
        mondrian.grow(space, rules, None, 1),
        mondrian.grow(space, rules, None, n_jobs),
        mondrian.grow(space, rules, lambda half, n: np.ones(n, dtype=bool), 1),
    )
    by_appearance = [pd.factorize(boxes)[0] for boxes in (alone, together, asked)]
    np.testing.assert_array_equal(by_appearance[0], by_appearance[1])
    np.testing.assert_array_equal(by_appearance[0], by_appearance[2])
    if not relaxed:
        np.testing.assert_array_equal(mondrian.route(tree, space.codes), alone)
        np.testing.assert_array_equal(mondrian.route(other_tree, space.codes), together)
