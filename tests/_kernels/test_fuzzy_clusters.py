"""Fuzzy clusterings against a twin in plain numpy, vectors, and their properties."""

import json
from pathlib import Path

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from anon_transformers._kernels.fuzzy_clusters import (
    CHUNK,
    fuzzy_c_means,
    gustafson_kessel,
    spread_centers,
)

DATA = Path(__file__).parents[1] / "data"
CENSUS = pd.read_csv(DATA / "casc_census.csv")
VECTORS = json.loads((DATA / "vectors/fuzzy-microdata.json").read_text())["vectors"]
RECOMPUTED = pd.read_csv(DATA / "vectors/fuzzy_recomputed.csv").query("coding=='joint'")
RANDOM = np.array([[0.9501, 0.4860], [0.2311, 0.8913], [0.6068, 0.7621]])
METHODS = {"fuzzy_cmeans": fuzzy_c_means, "gustafson_kessel": gustafson_kessel}


def scaled(points):
    low, high = points.min(axis=0), points.max(axis=0)
    return (points - low) / (high - low)


def census(columns):
    return scaled(CENSUS[columns].to_numpy(dtype=float))


class Twin:
    """Formulas (4.1) to (4.5) with the recovered details, one set at a time."""

    def __init__(self, points, m, rho=None):
        self.points, self.m, self.rho = points, m, rho
        self.norms = None

    def distances(self, centers):
        found = []
        for number, center in enumerate(centers):
            away = self.points - center
            norm = np.eye(len(center)) if self.norms is None else self.norms[number]
            found.append(np.einsum("ka,ab,kb->k", away, norm, away))
        return np.array(found).T

    def degrees(self, centers):
        powers = (self.distances(centers) + 1e-10) ** (-1 / (self.m - 1))
        return powers / powers.sum(axis=1, keepdims=True)

    def centers(self, degrees):
        weights = degrees**self.m
        return weights.T @ self.points / weights.sum(axis=0)[:, None]

    def set_norms(self, degrees, centers):
        self.norms = []
        for weights, center, volume in zip(
            (degrees**self.m).T, centers, self.rho, strict=True
        ):
            away = self.points - center
            spread = (weights[:, None] * away).T @ away / weights.sum()
            values, vectors = np.linalg.eigh(spread)
            values = np.maximum(values, values.max() / 1e15)
            spread = vectors @ np.diag(values) @ vectors.T
            size = (volume * np.prod(values)) ** (1 / len(center))
            self.norms.append(size * np.linalg.inv(spread))

    def fit(self, centers, tol, max_iter=500):
        new, history = self.degrees(centers), []
        while len(history) < max_iter:
            old = new
            centers = self.centers(old)
            if self.rho is not None:
                self.set_norms(old, centers)
            new = self.degrees(centers)
            distances = self.distances(centers) + 1e-10
            history.append((new**self.m * distances).sum())
            if (new - old).max() <= tol:
                break
        return new, centers, history


@st.composite
def clouds(draw, max_columns=3):
    """Points without much structure and centers to start from."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_sets, n_columns = draw(st.integers(1, 5)), draw(st.integers(1, max_columns))
    points = rng.normal(size=(draw(st.integers(20, 150)), n_columns))
    return points, spread_centers(points, rng.random((n_sets, n_columns)))


@settings(deadline=None, max_examples=60)
@given(clouds(), st.sampled_from([2.0, 1.3, 1.7, 2.5, 4.0]))
def test_fuzzy_c_means_is_its_twin(cloud, m):
    points, centers = cloud
    found = fuzzy_c_means(points, centers, m, max_iter=40)
    degrees, centers, history = Twin(points, m).fit(centers, 1e-4, 40)
    assert found.n_iter == len(history)
    np.testing.assert_allclose(found.degrees, degrees, atol=1e-9)
    np.testing.assert_allclose(found.centers, centers, atol=1e-9)
    np.testing.assert_allclose(found.history, history, rtol=1e-9)
    assert found.norms is None


@settings(deadline=None, max_examples=60)
@given(clouds(), st.sampled_from([2.0, 1.7, 2.5]), st.sampled_from([1.0, 0.3]))
def test_gustafson_kessel_is_its_twin(cloud, m, rho):
    points, centers = cloud
    volumes = np.linspace(1, rho, len(centers))
    found = gustafson_kessel(points, centers, m, volumes, max_iter=8)
    twin = Twin(points, m, volumes)
    degrees, centers, history = twin.fit(centers, 1e-4, 8)
    # A set that nearly collapses multiplies the rounding of both.
    assume(np.linalg.cond(twin.norms).max() < 1e6)
    assert found.n_iter == len(history)
    np.testing.assert_allclose(found.degrees, degrees, atol=1e-7)
    np.testing.assert_allclose(found.centers, centers, atol=1e-7)
    np.testing.assert_allclose(found.norms, twin.norms, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found.history, history, rtol=1e-7)


@settings(deadline=None, max_examples=50)
@given(clouds(), st.sampled_from([2.0, 1.1, 3.0]))
def test_rows_add_up_to_one_and_the_objective_never_rises(cloud, m):
    points, centers = cloud
    found = fuzzy_c_means(points, centers, m, max_iter=50)
    assert ((found.degrees >= 0) & (found.degrees <= 1)).all()
    np.testing.assert_allclose(found.degrees.sum(axis=1), 1, atol=1e-12)
    assert (np.diff(found.history) <= 1e-12 * found.history[0]).all()
    shaped = gustafson_kessel(points, centers, m, max_iter=20)
    assert ((shaped.degrees >= 0) & (shaped.degrees <= 1)).all()
    np.testing.assert_allclose(shaped.degrees.sum(axis=1), 1, atol=1e-12)


@settings(deadline=None, max_examples=50)
@given(clouds(), st.lists(st.floats(0.1, 5), min_size=5, max_size=5))
def test_determinants_are_the_given_volumes(cloud, rho):
    points, centers = cloud
    rho = np.array(rho)[: len(centers)]
    found = gustafson_kessel(points, centers, rho=rho, max_iter=10)
    np.testing.assert_allclose(np.linalg.det(found.norms), rho, rtol=1e-6)


@settings(deadline=None, max_examples=50)
@given(clouds(max_columns=1), st.sampled_from([2.0, 1.7]))
def test_in_one_column_both_are_the_same(cloud, m):
    points, centers = cloud
    plain = fuzzy_c_means(points, centers, m, max_iter=100)
    shaped = gustafson_kessel(points, centers, m, max_iter=100)
    assert plain.n_iter == shaped.n_iter
    np.testing.assert_allclose(plain.degrees, shaped.degrees, rtol=0, atol=1e-12)


@settings(deadline=None, max_examples=30)
@given(clouds(), st.sampled_from(list(METHODS)), st.randoms())
def test_order_of_rows_does_not_matter(cloud, method, random):
    points, centers = cloud
    order = list(range(len(points)))
    random.shuffle(order)
    one = METHODS[method](points, centers, max_iter=8)
    other = METHODS[method](points[order], centers, max_iter=8)
    np.testing.assert_allclose(one.degrees[order], other.degrees, atol=1e-8)


@settings(deadline=None, max_examples=30)
@given(clouds(), st.floats(0.01, 100), st.floats(-10, 10))
def test_scaled_columns_know_no_units(cloud, factor, offset):
    points, centers = cloud
    random = np.random.default_rng(len(points)).random(centers.shape)
    one, other = scaled(points), scaled(points * factor + offset)
    found = [
        fuzzy_c_means(table, spread_centers(table, random), max_iter=10).degrees
        for table in (one, other)
    ]
    np.testing.assert_allclose(found[0], found[1], atol=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_threads_change_nothing(method):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(5 * CHUNK + 17, 3))
    start = rng.normal(size=(4, 3))
    found = []
    before = numba.get_num_threads()
    for threads in (1, before):
        numba.set_num_threads(threads)
        found.append(METHODS[method](points, start, max_iter=3))
    numba.set_num_threads(before)
    assert (found[0].degrees == found[1].degrees).all()
    assert (found[0].history == found[1].history).all()
    twin = Twin(points, 2.0, None if method == "fuzzy_cmeans" else np.ones(4))
    degrees, _, history = twin.fit(start, 0, 3)
    np.testing.assert_allclose(found[0].degrees, degrees, atol=1e-11)
    np.testing.assert_allclose(found[0].history, history, rtol=1e-11)


def test_rows_of_every_chunk_can_go_on():
    rng = np.random.default_rng(0)
    # The rows of the first chunk are settled from the start.
    points = rng.normal(size=(2 * CHUNK, 1)) + np.repeat([100.0, 0.0], CHUNK)[:, None]
    start = np.array([[100.0], [-2.0], [2.5]])
    found = fuzzy_c_means(points, start, tol=1e-2)
    assert found.n_iter == len(Twin(points, 2.0).fit(start, 1e-2)[2]) > 1


def check_pair(row):
    """Integers of the published experiment on one pair of attributes."""
    points = census([row.attr_i, row.attr_j])
    found = METHODS[row.method](points, spread_centers(points, RANDOM))
    degrees = found.degrees
    assert found.converged
    assert found.n_iter == row.iterations
    assert np.bincount(degrees.argmax(axis=1)).min() == row.k
    assert (degrees >= 0.5).sum(axis=0).min() == row.Q_min
    assert (degrees.max(axis=1) < 0.5).sum() == row.n_rows_without_mu_ge_half


def pairs(some):
    rows = RECOMPUTED.query("method in @METHODS")
    return [
        pytest.param(row, id=f"{row.method}-{row.i}-{row.j}")
        for row in rows.iloc[some].itertuples()
    ]


@pytest.mark.parametrize("row", pairs(slice(0, None, 11)))
def test_some_published_pairs(row):
    check_pair(row)


@pytest.mark.slow
@pytest.mark.parametrize("row", pairs(slice(None)))
def test_every_published_pair(row):
    check_pair(row)


@pytest.mark.parametrize(
    "name", ["fuzzy_cmeans_joint_1_2", "gustafson_kessel_joint_1_2"]
)
def test_the_worked_pair(name):
    case = next(case for case in VECTORS if case["name"] == name)
    expected = case["expected"]
    points = census(case["input"]["columns"])
    found = METHODS[name.removesuffix("_joint_1_2")](
        points, spread_centers(points, np.array(case["parameters"]["init_random"]))
    )
    assert found.n_iter == expected["iterations"]
    degrees = found.degrees
    # The start and the rule are those of the vector, so that all its digits hold.
    np.testing.assert_allclose(found.centers, expected["centres"], atol=1e-9)
    np.testing.assert_allclose(
        degrees[:3], expected["memberships_of_first_3_rows"], atol=1e-9
    )
    np.testing.assert_allclose(degrees.sum(axis=0), expected["sigma_counts"], atol=1e-6)
    counts = np.bincount(degrees.argmax(axis=1)).tolist()
    assert counts == expected["label_counts"]
    assert (degrees >= 0.5).sum(axis=0).tolist() == expected["count_mu_ge_half"]


def test_one_column_of_census():
    case = next(c for c in VECTORS if c["name"] == "fcm_equals_gk_in_one_dimension")
    points = census(case["input"]["columns"])
    start = spread_centers(points, RANDOM[:, :1])
    plain, shaped = fuzzy_c_means(points, start), gustafson_kessel(points, start)
    np.testing.assert_allclose(plain.degrees, shaped.degrees, rtol=0, atol=1e-12)
    order = plain.centers[:, 0].argsort()
    expected = case["expected"]
    np.testing.assert_allclose(
        plain.centers[order, 0], expected["centres_sorted"], atol=1e-3
    )
    counts = np.bincount(plain.degrees.argmax(axis=1))[order]
    assert counts.tolist() == expected["label_counts_sorted_by_centre"]
