import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers._kernels.mdav import group
from anon_transformers._kernels.refinement import refine

DATA = Path(__file__).parents[1] / "data"
RECORDS = next(
    case["expected"]
    for case in json.loads((DATA / "vectors/probabilistic.json").read_text())["vectors"]
    if case["name"] == "mdav_information_loss_benchmark"
)


def sse(points, labels):
    return sum(
        ((points[labels == label] - points[labels == label].mean(axis=0)) ** 2).sum()
        for label in np.unique(labels)
    )


def published(name):
    table = pd.read_csv(DATA / f"casc_{name.split('_')[0]}.csv")
    table = table.drop(columns=["UTILNAME", "STATE", "YEAR", "MONTH"], errors="ignore")
    if name == "eia_10":
        table = table.drop(columns="UTILITYID")
    values = table.to_numpy(dtype=float)
    return (values - values.mean(axis=0)) / values.std(axis=0)


def check_partition(labels, rows, k):
    assert labels.shape == (rows,)
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= max(2 * k - 1, 1)


@pytest.mark.parametrize("k", [3, 4, 5, 10])
@pytest.mark.parametrize("name", RECORDS)
def test_less_loss_than_every_record(name, k):
    points = published(name)
    labels = refine(points, group(points, k), k)
    check_partition(labels, len(points), k)
    total = ((points - points.mean(axis=0)) ** 2).sum()
    assert 100 * sse(points, labels) / total < 0.95 * RECORDS[name][str(k)]


@st.composite
def grouped(draw):
    """Points and any groups of them with at least k rows."""
    k = draw(st.integers(1, 5))
    sizes = draw(st.lists(st.integers(k, 3 * k), min_size=1, max_size=12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    shape = (len(labels), draw(st.integers(1, 4)))
    points = rng.integers(-3, 4, shape).astype(float)
    if draw(st.booleans()):
        points = rng.normal(size=shape)
    return points + draw(st.sampled_from([0, 1e6])), labels, k


@settings(deadline=None, max_examples=200)
@given(grouped())
def test_never_more_loss_and_still_a_partition(case):
    points, labels, k = case
    before = labels.copy()
    refined = refine(points, labels, k)
    assert (labels == before).all()
    check_partition(refined, len(points), k)
    small = points - points.mean(axis=0)
    assert sse(small, refined) <= sse(small, labels) * (1 + 1e-12)


@settings(deadline=None, max_examples=50)
@given(grouped())
def test_nothing_is_left_to_gain_between_two_groups(case):
    """No single move or swap between near groups lowers the loss any more."""
    points, labels, k = case
    refined = refine(points, labels, k, neighbors=40, rounds=1000)
    least = sse(points, refined) * (1 - 1e-6) - 1e-6
    sizes = np.bincount(refined)
    for row in range(len(points)):
        for label in range(len(sizes)):
            if sizes[refined[row]] > k and sizes[label] < 2 * k - 1:
                tried = refined.copy()
                tried[row] = label
                assert sse(points, tried) >= least
    for one, other in zip(range(len(points)), range(1, len(points)), strict=False):
        tried = refined.copy()
        tried[[one, other]] = tried[[other, one]]
        assert sse(points, tried) >= least


@pytest.mark.parametrize(("name", "k"), [("census_13", 3), ("tarragona_13", 10)])
def test_every_sweep_lowers_the_loss(name, k):
    points = published(name)
    labels = group(points, k)
    losses = [sse(points, refine(points, labels, k, sweeps=n)) for n in range(4)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.995 * losses[0]


def test_a_sweep_leaves_a_local_optimum():
    """Two crossing pairs that no move or swap of one row can undo."""
    points = np.array(
        [[0.0, 0], [0, 1], [5, 0], [5, 1], [0, 9], [0, 10], [5, 9], [5, 10]]
    )
    labels = np.array([0, 1, 0, 1, 2, 3, 2, 3])
    refined = refine(points, labels, 2, sweeps=1)
    assert sse(points, refined) == pytest.approx(2.0)


@settings(deadline=None, max_examples=50)
@given(grouped())
def test_never_more_loss_where_little_is_left_to_gain(case):
    points, labels, k = case
    points -= points.mean(axis=0)
    once = refine(points, labels, k, sweeps=0)
    again = refine(points, once, k, sweeps=0)
    assert sse(points, again) <= sse(points, once) * (1 + 1e-12)


def test_rows_in_the_wrong_group_swap():
    points = np.array([[0.0], [1.0], [100.0], [101.0], [2.0], [102.0]])
    assert refine(points, np.array([0, 0, 1, 1, 1, 0]), 3).tolist() == [
        0,
        0,
        1,
        1,
        0,
        1,
    ]


def test_a_row_moves_out_of_a_group_that_can_spare_it():
    points = np.array([[0.0], [1.0], [50.0], [51.0], [52.0]])
    assert refine(points, np.array([0, 0, 0, 1, 1]), 2).tolist() == [0, 0, 1, 1, 1]


def test_a_group_between_two_others_is_given_up():
    points = np.array([[0.0], [0.0], [0.1], [9.9], [10.0], [10.0]])
    labels = refine(points, np.array([0, 0, 1, 1, 2, 2]), 2)
    assert labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_large_groups_are_split():
    points = np.array([[0.0], [0.0], [9.0], [9.0], [5.0], [5.0], [5.0]])
    labels = refine(points, np.zeros(7, dtype=np.int64), 2)
    assert len(np.unique(labels)) == 3
    assert sse(points, labels) == 0


def test_no_round_changes_no_group():
    points = np.random.default_rng(0).normal(size=(60, 2))
    labels = np.arange(60) % 20
    assert (refine(points, labels, 3, rounds=0, sweeps=0) == labels).all()


def test_one_group_stays():
    assert (
        refine(np.arange(5.0).reshape(-1, 1), np.zeros(5, int), 3).tolist() == [0] * 5
    )


def test_groups_that_are_too_small():
    with pytest.raises(ValueError, match="1 groups have fewer than k=2"):
        refine(np.zeros((3, 1)), np.array([0, 0, 1]), 2)
