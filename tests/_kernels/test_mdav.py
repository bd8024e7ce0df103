import json
from itertools import pairwise
from math import fsum
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from anon_transformers._kernels import leaves as _leaves
from anon_transformers._kernels.mdav import group

DATA = Path(__file__).parents[1] / "data"
VECTORS = {
    case["name"]: case
    for case in json.loads((DATA / "vectors/probabilistic.json").read_text())["vectors"]
}
RECORDS = VECTORS["mdav_information_loss_benchmark"]["expected"]


def squared(row, origin):
    total = 0.0
    for value, at in zip(row, origin, strict=True):
        total += (value - at) * (value - at)
    return total


def center(points, rows):
    return [fsum(column) / len(rows) for column in zip(*points[rows], strict=True)]


def farthest(points, rows, origin):
    return max(rows, key=lambda row: (squared(points[row], origin), -row))


def nearest(points, rows, seed, k):
    def order(row):
        return (row != seed, squared(points[row], points[seed]), row)

    return sorted(rows, key=order)[:k]


def twin(points, k):
    """Section 4.1 of the specification, word by word."""
    left, groups = list(range(len(points))), []

    def take(seed):
        groups.append(nearest(points, left, seed, k))
        left[:] = [row for row in left if row not in groups[-1]]

    while len(left) >= 3 * k:
        r = farthest(points, left, center(points, left))
        take(r)
        take(farthest(points, left, points[r]))
    if len(left) >= 2 * k:
        take(farthest(points, left, center(points, left)))
    groups.append(left)
    labels = np.empty(len(points), dtype=np.int64)
    for label, rows in enumerate(groups):
        labels[rows] = label
    return labels


def standardized(table):
    values = table.to_numpy(dtype=float)
    return (values - values.mean(axis=0)) / values.std(axis=0)


def published(name):
    """The tables whose loss is known, on z-scores."""
    table = pd.read_csv(DATA / f"casc_{name.split('_')[0]}.csv")
    table = table.drop(columns=["UTILNAME", "STATE", "YEAR", "MONTH"], errors="ignore")
    if name == "eia_10":
        table = table.drop(columns="UTILITYID")
    return standardized(table)


def loss(points, labels):
    """Sum of squares within groups, in percent of the total."""
    frame = pd.DataFrame(points)
    within = ((frame - frame.groupby(labels).transform("mean")) ** 2).to_numpy().sum()
    return 100 * within / ((frame - frame.mean()) ** 2).to_numpy().sum()


def in_order(labels):
    return [
        np.flatnonzero(labels == label).tolist() for label in range(max(labels) + 1)
    ]


@pytest.mark.parametrize(
    "name",
    [
        "mdav_1d_9_records",
        "mdav_2d_10_records",
        "mdav_2d_8_records",
        "mdav_2d_5_records",
    ],
)
def test_worked_examples(name):
    case = VECTORS[name]
    points = np.array(case["input"]["X"], dtype=float).reshape(
        len(case["input"]["X"]), -1
    )
    labels = group(points, case["parameters"]["k"])
    assert labels.dtype == np.int64
    assert in_order(labels) == case["expected"]["groups_in_order"]


def test_scale_matters():
    case = VECTORS["mdav_scale_sensitivity"]
    points = np.array(case["input"]["X"], dtype=float)
    assert in_order(group(points, 2)) == case["expected"]["groups_raw"]
    scaled = standardized(pd.DataFrame(points))
    assert in_order(group(scaled, 2)) == case["expected"]["groups_zscore"]


@pytest.mark.parametrize("k", [3, 4, 5, 10])
@pytest.mark.parametrize("name", RECORDS)
def test_known_losses(name, k):
    points = published(name)
    assert loss(points, group(points, k)) == pytest.approx(
        RECORDS[name][str(k)], abs=5e-7 if k != 4 else 5e-5
    )


@pytest.mark.parametrize(("name", "k"), [("census_13", 10), ("tarragona_13", 3)])
def test_published_tables_as_the_twin(name, k):
    points = published(name)
    assert group(points, k).tolist() == twin(points, k).tolist()


def tables(values):
    return st.tuples(st.integers(1, 60), st.integers(1, 4)).flatmap(
        lambda shape: hnp.arrays(np.float64, shape, elements=values)
    )


@settings(deadline=None, max_examples=200)
@given(tables(st.integers(-2, 2)), st.integers(1, 6))
def test_ties_and_duplicates_as_the_twin(points, k):
    assert group(points, k).tolist() == twin(points, k).tolist()


@settings(deadline=None, max_examples=100)
@given(tables(st.floats(-1e6, 1e6, width=32)), st.integers(1, 6))
def test_numbers_as_the_twin(points, k):
    assert group(points, k).tolist() == twin(points, k).tolist()


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 12))
def test_many_leaves_as_the_twin(seed, columns, k):
    """Enough rows for bounds to matter and for the leaves to be built anew."""
    rng = np.random.default_rng(seed)
    rows = 5 * _leaves.LEAF + int(rng.integers(0, 50))
    points = rng.integers(-4, 5, (rows, columns)).astype(float)
    if rng.random() < 0.5:
        points += 10 * rng.integers(0, 3, (rows, 1))
    if rng.random() < 0.5:
        points = points / 7 + rng.normal(size=points.shape)
    assert group(points, k).tolist() == twin(points, k).tolist()


@pytest.mark.parametrize("scale", [1e-160, 1e-155, 1e140])
def test_squares_at_the_end_of_the_range(scale):
    points = np.random.default_rng(0).integers(-9, 10, (300, 2)) * scale
    assert group(points, 3).tolist() == twin(points, 3).tolist()


@pytest.mark.parametrize("n", [4, 5, 7, 8, 9, 11, 12, 13])
def test_sizes_around_the_limits(n):
    k = 4
    points = np.random.default_rng(n).normal(size=(n, 3))
    labels = group(points, k)
    sizes = np.bincount(labels)
    assert labels.tolist() == twin(points, k).tolist()
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert (sizes[:-1] == k).all()


def test_k_of_one_gives_every_row_its_own_group():
    points = np.array([[0.0], [0.0], [5.0], [9.0]])
    assert sorted(group(points, 1)) == [0, 1, 2, 3]
    assert group(points, 1).tolist() == twin(points, 1).tolist()


def test_constant_columns_change_nothing():
    points = np.random.default_rng(3).normal(size=(200, 2))
    wider = np.column_stack([np.full(200, 7.0), points, np.zeros(200)])
    assert group(wider, 5).tolist() == group(points, 5).tolist()


def test_equal_rows_are_taken_by_number():
    assert in_order(group(np.zeros((7, 2)), 2)) == [[0, 1], [2, 3], [4, 5, 6]]


def test_columns_may_be_strided():
    points = np.asfortranarray(np.random.default_rng(4).normal(size=(50, 3)))
    assert group(points, 3).tolist() == twin(points, 3).tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1e200])
def test_coordinates_that_cannot_be_squared(bad):
    with pytest.raises(ValueError, match="coordinates"):
        group(np.array([[0.0], [bad]]), 1)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_cut_makes_blocks_apart(n):
    """Every cut is across one coordinate: blocks of a line do not overlap."""
    points = np.random.default_rng(n).integers(0, 50, (n, 1)).astype(float)
    rows = np.arange(n)
    _leaves.cut(points, rows, 64)
    assert sorted(rows) == list(range(n))
    blocks = [points[rows[start : start + 64]] for start in range(0, n, 64)]
    assert all(a.max() <= b.min() for a, b in pairwise(blocks))


def test_leaves_lose_rows_one_by_one():
    points = np.random.default_rng(5).normal(size=(150, 2))
    leaves = _leaves.build(points, np.arange(150), np.empty(150, dtype=np.int64))
    left = set(range(150))
    for row in np.random.default_rng(6).permutation(150)[:140].tolist():
        _leaves.remove(leaves, row)
        left.remove(row)
        assert set(_leaves.remaining(leaves).tolist()) == left
    kept = points[sorted(left)]
    assert _leaves.farthest(leaves, np.zeros(2), False) in left
    assert np.nanmin(leaves.values[:, 0]) == kept[:, 0].min()
