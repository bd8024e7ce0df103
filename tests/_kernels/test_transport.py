"""Earth mover's distances: against a solver of the transport problem."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from anon_transformers._kernels.transport import ordered_distances, tree_distances


def solved(p, q, ground):
    """The cheapest plan that turns p into q, by linear programming."""
    n = len(p)
    leaving = np.kron(np.eye(n), np.ones(n))
    arriving = np.kron(np.ones(n), np.eye(n))
    plan = linprog(
        ground.ravel(), A_eq=np.vstack((leaving, arriving)), b_eq=np.concatenate((p, q))
    )
    assert plan.status == 0
    return plan.fun


def with_missing(ground):
    """One more value, at distance 1 from every other."""
    n = len(ground)
    larger = np.ones((n + 1, n + 1))
    larger[:n, :n] = ground
    larger[n, n] = 0
    return larger


def by_rank(m):
    ranks = np.arange(m)
    return with_missing(np.abs(ranks[:, None] - ranks) / max(m - 1, 1))


def by_tree(groups):
    """Level at which two values first share a group, divided by the height."""
    height, n = groups.shape
    ground = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            shared = [k for k in range(height) if groups[k, i] == groups[k, j]]
            ground[i, j] = 0 if i == j else (shared[0] if shared else height) / height
    return ground


def in_rows(counts):
    table = sparse.csr_array(np.array(counts, dtype=np.int64))
    return table.indptr, table.indices, table.data


FEW = st.integers(0, 6)


@st.composite
def cases(draw, missing=FEW):
    """Counts of a few classes, and of a reference, over some values and missing."""
    m = draw(st.integers(1, 7))
    row = st.lists(FEW, min_size=m, max_size=m)
    rows = draw(st.lists(row, min_size=1, max_size=4))
    counts = np.array([[*r, draw(missing)] for r in rows])
    reference = np.array([*draw(row), draw(missing)])
    counts[:, 0] += counts.sum(axis=1) == 0
    reference[0] += reference.sum() == 0
    return counts, reference


def shares(counts):
    return counts / counts.sum(axis=-1, keepdims=True)


@given(cases() | cases(missing=st.just(0)))
def test_equal_distance_is_that_of_the_solver(case):
    counts, reference = case
    n = len(reference)
    groups = np.arange(n)[None]
    found = tree_distances(*in_rows(counts), shares(reference), groups)
    for row, distance in zip(counts, found, strict=True):
        expected = solved(shares(row), shares(reference), 1 - np.eye(n))
        assert distance == pytest.approx(expected, abs=1e-9)
        half = np.abs(shares(row) - shares(reference)).sum() / 2
        assert distance == pytest.approx(half, abs=1e-12)


@given(cases() | cases(missing=st.just(0)))
def test_ordered_distance_is_that_of_the_solver(case):
    counts, reference = case
    found = ordered_distances(*in_rows(counts), shares(reference))
    ground = by_rank(len(reference) - 1)
    for row, distance in zip(counts, found, strict=True):
        expected = solved(shares(row), shares(reference), ground)
        assert distance == pytest.approx(expected, abs=1e-9)


@given(cases(missing=st.just(0)))
def test_without_missing_values_it_is_the_sum_of_cumulated_differences(case):
    counts, reference = case
    found = ordered_distances(*in_rows(counts), shares(reference))
    m = len(reference) - 1
    steps = np.cumsum(shares(counts) - shares(reference), axis=1)[:, : m - 1]
    expected = np.abs(steps).sum(axis=1) / max(m - 1, 1)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (found >= 0).all()


@given(cases(), st.data())
def test_distance_by_levels_is_that_of_the_solver(case, data):
    counts, reference = case
    m = len(reference) - 1
    levels = [np.arange(m)]
    for _ in range(data.draw(st.integers(0, 3))):
        n_groups = int(levels[-1].max()) + 1
        parent = st.lists(st.integers(0, 2), min_size=n_groups, max_size=n_groups)
        levels.append(np.array(data.draw(parent))[levels[-1]])
    groups = np.column_stack((np.stack(levels), [m + 3] * len(levels)))
    found = tree_distances(*in_rows(counts), shares(reference), groups)
    for row, distance in zip(counts, found, strict=True):
        expected = solved(shares(row), shares(reference), by_tree(groups))
        assert distance == pytest.approx(expected, abs=1e-9)


def recursion(extra, levels, height):
    """The cost of a tree, node by node from below, as the source's formula has it."""
    cost = 0.0
    parents = [*levels[1:], np.zeros_like(levels[0])]
    for number, (group, parent) in enumerate(zip(levels, parents, strict=True)):
        children = {}
        for node in np.unique(group):
            above = parent[group == node][0]
            children.setdefault(above, []).append(extra[group == node].sum())
        for sums in children.values():
            positive = sum(s for s in sums if s > 0)
            negative = -sum(s for s in sums if s < 0)
            cost += (number + 1) / height * min(positive, negative)
    return cost


@given(cases(missing=st.just(0)))
def test_distance_by_levels_is_the_recursion_over_the_tree(case):
    counts, reference = case
    m = len(reference)
    levels = [np.arange(m), np.arange(m) // 2, np.arange(m) // 4]
    found = tree_distances(*in_rows(counts), shares(reference), np.stack(levels))
    for row, distance in zip(counts, found, strict=True):
        expected = recursion(shares(row) - shares(reference), levels, 3)
        assert distance == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", ["tree", "ordered"])
def test_a_class_like_the_table_is_at_distance_zero(measure):
    counts, reference = [[2, 4, 0, 2]], np.array([0.25, 0.5, 0.0, 0.25])
    if measure == "tree":
        found = tree_distances(*in_rows(counts), reference, np.arange(4)[None])
    else:
        found = ordered_distances(*in_rows(counts), reference)
    assert found.tolist() == [0.0]


def test_a_single_value_has_no_distance_but_that_of_the_missing_ones():
    rows = in_rows([[3, 0], [1, 1], [0, 2]])
    reference = np.array([0.5, 0.5])
    np.testing.assert_allclose(ordered_distances(*rows, reference), [0.5, 0, 0.5])


def test_a_class_without_rows_is_as_far_as_can_be():
    rows = in_rows([[1, 1, 0], [0, 0, 0]])
    reference = np.array([0.5, 0.5, 0.0])
    assert ordered_distances(*rows, reference).tolist() == [0.0, 1.0]
    assert tree_distances(*rows, reference, np.arange(3)[None]).tolist() == [0.0, 1.0]


def test_many_values_cost_little_where_a_class_has_few():
    m, n_classes = 100_000, 20_000
    rng = np.random.default_rng(0)
    values = np.sort(rng.integers(0, m, (n_classes, 3)), axis=1)
    reference = np.append(np.full(m, 1 / m), 0.0)
    found = ordered_distances(
        np.arange(0, 3 * n_classes + 1, 3),
        values.ravel(),
        np.ones(3 * n_classes, dtype=np.int64),
        reference,
    )
    own = np.zeros(m)
    np.add.at(own, values[0], 1 / 3)
    steps = np.cumsum(own - reference[:m])[:-1]
    assert found[0] == pytest.approx(np.abs(steps).sum() / (m - 1), abs=1e-9)
