import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers._kernels.kmeans_moves import move_rows

DATA = Path(__file__).parents[1] / "data"


def sse(points, labels):
    return sum(
        ((points[labels == label] - points[labels == label].mean(axis=0)) ** 2).sum()
        for label in np.unique(labels)
    )


def best_move(points, labels):
    """The lowest loss that one row can reach by moving, without emptying a class."""
    best = np.inf
    for row in range(len(points)):
        if (labels == labels[row]).sum() > 1:
            for label in set(range(labels.max() + 1)) - {labels[row]}:
                moved = labels.copy()
                moved[row] = label
                best = min(best, sse(points, moved))
    return best


@st.composite
def classes(draw):
    """Points, some equal, in any classes, none of them empty."""
    n_classes = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    more = rng.integers(0, n_classes, draw(st.integers(0, 25)))
    labels = rng.permutation(np.append(np.arange(n_classes), more))
    points = rng.integers(-4, 5, (len(labels), draw(st.integers(1, 3)))).astype(float)
    return points + draw(st.sampled_from([0.0, 1e6])), labels


@settings(deadline=None)
@given(classes())
def test_no_row_gains_any_more_and_no_class_is_lost(case):
    points, labels = case
    before = labels.copy()
    moved = move_rows(points, labels)
    assert (labels == before).all()
    assert set(moved) == set(labels)
    small = points - points.mean(axis=0)
    loss = sse(small, moved)
    assert loss <= sse(small, labels) * (1 + 1e-12)
    assert best_move(small, moved) >= loss - 1e-7 * sse(small, np.zeros_like(labels))


def twin(points, labels):
    """Sweeps over the rows, with the loss of every choice computed from scratch."""
    labels, moved = labels.copy(), True
    while moved:
        moved = False
        for row in range(len(points)):
            old = labels[row]
            if (labels == old).sum() == 1:
                continue
            losses = []
            for label in range(labels.max() + 1):
                labels[row] = label
                losses.append(sse(points, labels))
            labels[row] = np.argmin(losses)
            moved |= labels[row] != old
    return labels


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 3))
def test_rows_in_their_order_go_where_the_loss_falls_most(seed, n_classes, n_columns):
    # Normal points have no ties, which rounding would decide.
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(20, n_columns))
    labels = np.append(np.arange(n_classes), rng.integers(0, n_classes, 20 - n_classes))
    assert (move_rows(points, labels) == twin(points, labels)).all()


def test_lloyd_leaves_what_a_move_still_gains():
    points = np.array([[0.0], [5.0], [10.1], [10.1], [10.1]])
    labels = np.array([0, 1, 1, 1, 1])
    centers = np.array([points[labels == label].mean() for label in (0, 1)])
    assert (np.abs(points - centers).argmin(axis=1) == labels).all()
    assert move_rows(points, labels).tolist() == [0, 0, 1, 1, 1]


def lloyd(points, centers):
    while True:
        labels = ((points[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
        new = np.array([points[labels == at].mean(axis=0) for at in range(3)])
        if (new == centers).all():
            return labels
        centers = new


def test_the_local_optima_of_the_source():
    vectors = json.loads((DATA / "vectors/fuzzy-microdata.json").read_text())["vectors"]
    case = next(case for case in vectors if case["name"] == "kmeans_joint_1_2")
    optima = case["expected"]["local_optima_sizes_sorted_by_first_centre"]
    table = pd.read_csv(DATA / "casc_census.csv")
    points = table[case["input"]["columns"]].to_numpy(dtype=float)
    found = set()
    for seed in range(10):
        start = np.random.default_rng(seed).choice(points, 3, replace=False)
        labels = move_rows(points, lloyd(points, start))
        order = np.argsort([points[labels == at, 0].mean() for at in range(3)])
        sizes = str(np.bincount(labels)[order].tolist())
        found.add(sizes)
        assert sse(points, labels) == pytest.approx(optima[sizes]["sse"], rel=1e-12)
    assert found == set(optima)


def test_an_empty_class_receives_a_row():
    points = np.array([[0.0], [1.0], [5.0]])
    assert sse(points, move_rows(points, np.array([0, 0, 2]))) == 0


def test_equal_rows_stay():
    labels = np.array([0, 1, 0, 2, 1])
    assert (move_rows(np.full((5, 2), 7.0), labels) == labels).all()


def test_no_rows():
    assert move_rows(np.empty((0, 2)), np.empty(0, dtype=int)).tolist() == []


def test_no_sweep_moves_nothing():
    points = np.array([[0.0], [5.0], [10.1], [10.1], [10.1]])
    labels = np.array([0, 1, 1, 1, 1])
    assert (move_rows(points, labels, max_sweeps=0) == labels).all()


def test_cells_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="points"):
        move_rows(np.array([[0.0], [np.nan]]), np.array([0, 1]))
