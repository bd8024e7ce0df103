import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from anon_transformers._kernels.mdav import group
from anon_transformers._kernels.mdav_fast import group_fast


def sse(points, labels):
    return sum(
        ((points[labels == label] - points[labels == label].mean(axis=0)) ** 2).sum()
        for label in np.unique(labels)
    )


def tables():
    shapes = st.tuples(st.integers(1, 200), st.integers(1, 4))
    return shapes.flatmap(
        lambda shape: hnp.arrays(np.float64, shape, elements=st.integers(-3, 3))
    )


@settings(deadline=None, max_examples=100)
@given(tables(), st.integers(1, 9))
def test_a_partition_into_groups_of_the_right_size(points, k):
    labels = group_fast(points, k)
    sizes = np.bincount(labels)
    assert labels.shape == (len(points),)
    assert (sizes[:-1] == k).all()
    assert sizes[-1] == len(points) - k * (len(sizes) - 1)
    assert sizes[-1] <= max(2 * k - 1, len(points) % k)
    assert sizes[-1] >= min(k, len(points))


@pytest.mark.parametrize("n", [5, 9, 10, 14, 15, 19])
def test_sizes_around_the_limits(n):
    sizes = np.bincount(group_fast(np.arange(n, dtype=float).reshape(-1, 1), 5))
    assert sizes.sum() == n
    assert sizes.min() >= 5
    assert sizes.max() <= 9


def clustered(rng, rows, columns):
    centers = 4 * rng.normal(size=(20, columns))
    return centers[rng.integers(0, 20, rows)] + rng.normal(size=(rows, columns))


@pytest.mark.parametrize("columns", [1, 2, 5, 10])
def test_little_more_loss_than_mdav(columns):
    rng = np.random.default_rng(columns)
    for points in (rng.normal(size=(20_000, columns)), clustered(rng, 20_000, columns)):
        fast, exact = group_fast(points, 10), group(points, 10)
        assert sse(points, fast) <= 1.05 * sse(points, exact)


def test_first_seed_is_the_outermost_row_with_its_nearest():
    rng = np.random.default_rng(7)
    points = rng.normal(size=(2_000, 3))
    labels = group_fast(points, 6)
    seed = np.argmax(((points - points.mean(axis=0)) ** 2).sum(axis=1))
    near = np.argsort(((points - points[seed]) ** 2).sum(axis=1))[:6]
    assert set(np.flatnonzero(labels == 0)) == set(near)


def test_groups_larger_than_all_leaves_around():
    """Where the leaves around have too few rows, all of them are searched."""
    points = np.random.default_rng(8).normal(size=(20_000, 2))
    sizes = np.bincount(group_fast(points, 6_000))
    assert sizes.tolist() == [6_000, 6_000, 8_000]


def test_same_answer_every_time():
    points = np.random.default_rng(9).integers(0, 5, (3_000, 3)).astype(float)
    assert (group_fast(points, 4) == group_fast(points, 4)).all()


def test_coordinates_that_cannot_be_squared():
    with pytest.raises(ValueError, match="coordinates"):
        group_fast(np.array([[0.0], [np.nan]]), 1)
