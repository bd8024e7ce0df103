"""Input that fuzzy clusterings meet seldom: nothing becomes NaN, or it is refused."""

import numpy as np
import pytest

from anon_transformers._kernels.fuzzy_clusters import (
    fuzzy_c_means,
    gustafson_kessel,
    spread_centers,
)

BOTH = pytest.mark.parametrize("method", [fuzzy_c_means, gustafson_kessel])


def check_sane(found):
    assert np.isfinite(found.degrees).all()
    assert np.isfinite(found.centers).all()
    assert np.isfinite(found.history).all()
    np.testing.assert_allclose(found.degrees.sum(axis=1), 1, atol=1e-12)


@BOTH
@pytest.mark.parametrize("m", [2.0, 1.05, 1.5, 30.0])
def test_rows_on_centers(method, m):
    points = np.repeat([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]], 4, axis=0)
    found = method(points, points[::4].copy(), m, max_iter=20)
    check_sane(found)
    if method is fuzzy_c_means and m <= 2:
        assert found.degrees[np.arange(12), np.arange(12) // 4].min() > 0.999


@BOTH
def test_a_constant_column(method):
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.random(200), np.full(200, 3.0)])
    found = method(points, spread_centers(points, rng.random((3, 2))), max_iter=100)
    check_sane(found)
    assert (found.centers[:, 1] == 3.0).all()


def test_a_constant_column_leaves_fuzzy_c_means_as_it_is():
    rng = np.random.default_rng(0)
    points, start = rng.random((200, 1)), rng.random((3, 1))
    alone = fuzzy_c_means(points, start)
    beside = fuzzy_c_means(
        np.column_stack([points, np.ones(200)]), np.column_stack([start, np.ones(3)])
    )
    np.testing.assert_allclose(alone.degrees, beside.degrees, atol=1e-12)


def test_rows_on_a_line_are_held_at_the_largest_condition():
    along = np.random.default_rng(0).random(300)
    points = np.column_stack([along, 2 * along])
    start = spread_centers(points, np.array([[0.2, 0.3], [0.8, 0.6]]))
    found = gustafson_kessel(points, start, max_iter=30, max_condition=1e6)
    check_sane(found)
    np.testing.assert_allclose(np.linalg.det(found.norms), 1, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.cond(found.norms), 1e6, rtol=1e-3)


@BOTH
def test_equal_rows(method):
    found = method(np.full((10, 2), 0.25), np.array([[0.0, 0.0], [1.0, 1.0]]))
    check_sane(found)
    np.testing.assert_allclose(found.centers, 0.25, atol=1e-12)
    assert found.converged


def test_no_spread_has_a_round_norm():
    found = gustafson_kessel(np.zeros((5, 2)), np.zeros((2, 2)), rho=np.array([4, 9.0]))
    expected = [2 * np.eye(2), 3 * np.eye(2)]
    np.testing.assert_allclose(found.norms, expected, atol=1e-12)


@BOTH
def test_more_sets_than_rows(method):
    rng = np.random.default_rng(0)
    found = method(rng.random((2, 2)), rng.random((5, 2)), max_iter=50)
    check_sane(found)
    assert found.degrees.shape == (2, 5)


@BOTH
def test_one_set_has_every_row(method):
    points = np.random.default_rng(0).random((30, 2))
    found = method(points, np.array([[0.0, 0.0]]))
    assert (found.degrees == 1).all()
    np.testing.assert_allclose(found.centers[0], points.mean(axis=0), atol=1e-12)


@BOTH
def test_a_set_that_empties_is_told_and_stays(method):
    points = np.random.default_rng(0).random((50, 2))
    start = np.array([[0.2, 0.2], [0.8, 0.8], [1e6, 1e6]])
    found = method(points, start, m=1.01)
    check_sane(found)
    assert found.empty.tolist() == [False, False, True]
    assert found.centers[2].tolist() == [1e6, 1e6]
    assert (found.degrees[:, 2] == 0).all()


def test_almost_crisp_degrees_do_not_overflow():
    points = np.random.default_rng(0).random((50, 2))
    found = fuzzy_c_means(points, points[:3].copy(), m=1.0001, max_iter=50)
    check_sane(found)
    assert found.degrees.max(axis=1).min() > 0.99


@BOTH
def test_large_numbers(method):
    rng = np.random.default_rng(0)
    points, start = rng.random((100, 2)), rng.random((3, 2))
    one = method(points * 1e30, start * 1e30, max_iter=5)
    other = method(points * 1e90, start * 1e90, max_iter=5)
    check_sane(other)
    np.testing.assert_allclose(one.degrees, other.degrees, atol=1e-9)


@BOTH
def test_an_end_without_convergence_is_told(method):
    rng = np.random.default_rng(0)
    points, start = rng.random((100, 2)), rng.random((3, 2))
    found = method(points, start, tol=0, max_iter=2)
    assert not found.converged
    assert found.n_iter == len(found.history) == 2
    # A degree rises by at most 1.
    assert method(points, start, tol=1, max_iter=2).n_iter == 1


def test_the_arguments_are_left_alone():
    rng = np.random.default_rng(0)
    points, start = rng.random((100, 2)), rng.random((3, 2))
    kept = points.copy(), start.copy()
    gustafson_kessel(points, start)
    assert (points == kept[0]).all()
    assert (start == kept[1]).all()


POINTS, START = np.zeros((4, 2)), np.zeros((2, 2))


@BOTH
@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"m": 1.0}, "m: 1.0"),
        ({"m": np.nan}, "m: nan"),
        ({"m": np.inf}, "m: inf"),
        ({"max_iter": 0}, "max_iter"),
        ({"points": np.zeros((0, 2))}, "points"),
        ({"points": np.zeros((4, 0))}, "points"),
        ({"points": np.zeros(4)}, "points"),
        ({"points": np.full((4, 2), np.nan)}, "points"),
        ({"points": np.full((4, 2), 1e120)}, "points"),
        ({"centers": np.full((2, 2), np.inf)}, "centers"),
        ({"centers": np.zeros((2, 3))}, "centers"),
        ({"centers": np.zeros((0, 2))}, "centers"),
    ],
)
def test_unfit_arguments_are_refused(method, changed, match):
    with pytest.raises(ValueError, match=match):
        method(**({"points": POINTS, "centers": START} | changed))


@pytest.mark.parametrize(
    "changed", [{"rho": 0.0}, {"rho": np.array([1, -1.0])}, {"max_condition": 0.5}]
)
def test_unfit_shapes_are_refused(changed):
    with pytest.raises(ValueError, match=next(iter(changed))):
        gustafson_kessel(POINTS, START, **changed)
