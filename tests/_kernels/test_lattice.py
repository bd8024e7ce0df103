"""Classes of nodes, and maps of lattices, against obvious twins."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers._kernels import grouping, lattice, lattice_map
from anon_transformers.generalization._heuristic import count_above

LEVELS = [
    [np.arange(6), np.array([0, 0, 1, 1, 2, 2]), np.zeros(6, dtype=int)],
    [np.arange(3), np.array([0, 0, 1]), np.zeros(3, dtype=int)],
    [np.arange(2), np.zeros(2, dtype=int)],
]
COSTS = [
    [np.zeros(6), np.array([0.2, 0.2, 0.3]), np.ones(1)],
    [np.zeros(3), np.array([0.5, 0.1]), np.ones(1)],
    [np.zeros(2), np.ones(1)],
]
SHAPE = (3, 3, 2)
GROUND = np.zeros(3, dtype=int)
NODES = list(itertools.product(*map(range, SHAPE)))
points = st.dictionaries(
    st.tuples(st.integers(0, 5), st.integers(0, 2), st.integers(0, 1)),
    st.integers(1, 4),
    min_size=1,
)


def space_of(drawn):
    codes = np.array(list(drawn), dtype=np.int32)
    levels = lattice.lay_out(LEVELS, COSTS)
    weights = np.array(list(drawn.values()))
    return codes, levels, lattice.hold_ground(codes, levels, weights)


def groups_at(point, node):
    return tuple(int(LEVELS[a][level][point[a]]) for a, level in enumerate(node))


def slow_classes(drawn, node):
    classes = Counter()
    for point, rows in drawn.items():
        classes[groups_at(point, node)] += rows
    return classes


def held_as_counter(drawn, node, held):
    where = list(drawn)
    return {
        groups_at(where[first], node): int(size)
        for first, size in zip(held.first, held.sizes, strict=True)
    }


@settings(deadline=None)
@given(points, st.sampled_from(NODES), st.sampled_from(NODES))
def test_classes_are_derived_from_any_node_below(drawn, one, other):
    codes, levels, ground = space_of(drawn)
    low = tuple(map(min, one, other))
    held = lattice.derive(codes, levels, GROUND, np.array(low), ground)
    high = lattice.derive(codes, levels, np.array(low), np.array(one), held)
    assert held_as_counter(drawn, low, held) == slow_classes(drawn, low)
    assert held_as_counter(drawn, one, high) == slow_classes(drawn, one)


@settings(deadline=None)
@given(points, st.sampled_from(NODES))
def test_keys_that_would_overflow_are_made_short(drawn, node):
    codes, levels, ground = space_of(drawn)
    expected = lattice.derive(codes, levels, GROUND, np.array(node), ground)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice, "LARGEST_KEY", 5)
        patch.setattr(grouping, "LARGEST_KEY", 5)
        ground = lattice.hold_ground(codes, levels, ground.sizes)
        assert not len(ground.keys)
        held = lattice.derive(codes, levels, GROUND, np.array(node), ground)
        labels, at = lattice.label_points(codes, levels, node, ground)
    assert held_as_counter(drawn, node, held) == held_as_counter(drawn, node, expected)
    assert len(at) == len(held.first)
    assert len(set(labels.tolist())) == len(at)


@settings(deadline=None)
@given(points, st.sampled_from(NODES), st.integers(1, 5))
def test_costs_add_up_over_the_kept_cells(drawn, node, k):
    codes, levels, ground = space_of(drawn)
    held = lattice.derive(codes, levels, GROUND, np.array(node), ground)
    kept = held.sizes >= k
    costs = lattice.cell_costs(
        codes, levels, np.array(node), held.first, held.sizes, kept
    )
    classes = slow_classes(drawn, node)
    for a, level in enumerate(node):
        expected = sum(
            rows * COSTS[a][level][groups[a]]
            for groups, rows in classes.items()
            if rows >= k
        )
        assert costs[a] == pytest.approx(expected)


@settings(deadline=None)
@given(points, st.sampled_from(NODES))
def test_totals_say_what_every_k_keeps(drawn, node):
    codes, levels, ground = space_of(drawn)
    held = lattice.derive(codes, levels, GROUND, np.array(node), ground)
    sizes, rows, classes, costs = lattice.totals_by_size(
        codes, levels, np.array(node), held.first, held.sizes
    )
    assert sizes.tolist() == sorted(set(held.sizes.tolist()))
    for at, k in enumerate(sizes.tolist()):
        kept = held.sizes >= k
        assert rows[at] == held.sizes[kept].sum()
        assert classes[at] == kept.sum()
        expected = lattice.cell_costs(
            codes, levels, np.array(node), held.first, held.sizes, kept
        )
        np.testing.assert_allclose(costs[at], expected)


class TestMap:
    def fresh(self, fits=False):
        terms = np.array([[0.0, 1.0, 2.0], [0.0, 0.5, 4.0], [0.0, 0.25, 0.0]])
        return lattice_map.make_map(SHAPE, terms, fits), terms

    def test_bounds_are_sums_of_terms(self):
        known, terms = self.fresh()
        for at, node in enumerate(NODES):
            expected = sum(terms[a, level] for a, level in enumerate(node))
            assert known.bounds[at] == pytest.approx(expected)
            assert lattice_map.levels_of(known, at).tolist() == list(node)

    @given(st.sampled_from(range(len(NODES))))
    def test_what_fails_closes_all_below(self, at):
        known, _ = self.fresh()
        lattice_map.close_below(known, at)
        for other, node in enumerate(NODES):
            below = all(n <= m for n, m in zip(node, NODES[at], strict=True))
            assert known.is_open[other] == (not below)

    @given(st.sampled_from(range(len(NODES))), st.floats(0, 5))
    def test_what_fits_does_so_above_and_raises_the_bounds(self, at, floor):
        known, _ = self.fresh()
        before = known.bounds.copy()
        lattice_map.fit_above(known, at, floor)
        for other, node in enumerate(NODES):
            above = all(n >= m for n, m in zip(node, NODES[at], strict=True))
            assert known.fits[other] == above
            expected = max(before[other], floor) if above else before[other]
            assert known.bounds[other] == expected

    @given(st.data())
    def test_a_way_up_leads_through_open_nodes(self, data):
        known, _ = self.fresh()
        flags = st.lists(st.booleans(), min_size=len(NODES), max_size=len(NODES))
        known.is_open[:] = data.draw(flags)
        at = data.draw(st.sampled_from(range(len(NODES))))
        for top in data.draw(st.lists(st.sampled_from(range(len(NODES))), max_size=2)):
            lattice_map.fit_above(known, top, 0.0)
        path = lattice_map.way_up(known, at, np.inf).tolist()
        assert path[0] == at
        for low, high in itertools.pairwise(path):
            steps = np.subtract(NODES[high], NODES[low])
            assert sorted(steps.tolist()) == [0, 0, 1]
            assert known.is_open[high]
            assert known.fits[at] or not known.fits[high]


@given(st.integers(0, 8), st.data())
def test_nodes_above_a_bound_are_counted_by_halves(limit, data):
    shape = tuple(data.draw(st.lists(st.integers(1, 3), min_size=2, max_size=5)))
    cells = st.lists(st.integers(0, 4), min_size=3, max_size=3)
    terms = np.array([data.draw(cells) for _ in shape], dtype=float)
    expected = sum(
        sum(terms[a, level] for a, level in enumerate(node)) > limit
        for node in itertools.product(*map(range, shape))
    )
    assert count_above(terms, shape, float(limit)) == expected
