"""Linking by distance and by ranks: ties, cells that moved, confidence intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from anon_transformers.privacy.probabilistic._linking import (
    PairedCodes,
    PairedNumbers,
    equal_rows,
    expected_share,
    nearest_rows,
)


def chances(pairs, comparison, scale):
    """The slow twin: for each person the set of nearest rows."""
    n_persons, n_rows = len(pairs[0][0]), len(pairs[0][1])
    total = np.zeros((n_persons, n_rows))
    for pair in pairs:
        one, other = pair
        if isinstance(pair, PairedCodes):
            total += one[:, None] != other[None]
            continue
        if comparison == "rank":
            one, other = (
                (stats.rankdata(side) - 0.5) / len(side) * scale for side in pair
            )
        else:
            one, other = ((side - pair[0].mean()) / pair[0].std() for side in pair)
        total += (one[:, None] - other[None]) ** 2
    return [np.flatnonzero(np.isclose(row, row.min(), atol=1e-12)) for row in total]


@st.composite
def paired(draw):
    n = draw(st.integers(2, 12))
    cells = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    made = [
        PairedCodes(*(np.array(draw(cells)) for _ in range(2)))
        for _ in range(draw(st.integers(0, 2)))
    ]
    for _ in range(draw(st.integers(0 if made else 1, 2))):
        varied = draw(cells.filter(lambda numbers: len(set(numbers)) > 1))
        made.append(
            PairedNumbers(np.array(varied, float), np.array(draw(cells), float))
        )
    return made


@given(paired(), st.sampled_from(["distance", "rank"]))
def test_row_hits_are_those_of_comparing_everything(pairs, comparison):
    n = len(pairs[0][0])
    expected = chances(pairs, comparison, scale=np.sqrt(12))
    hits = nearest_rows(pairs, comparison).row_hits(np.arange(n))
    assert hits == pytest.approx(
        [(i in rows) / len(rows) for i, rows in enumerate(expected)]
    )


@given(paired(), st.data())
def test_cell_hits_count_the_cells_at_the_nearest_rows(pairs, data):
    n = len(pairs[0][0])
    before = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    after = before[data.draw(st.permutations(range(n)))]
    cells, values = nearest_rows(pairs).cell_hits(before, after)
    for i, rows in enumerate(chances(pairs, "distance", scale=None)):
        right = (after[rows] == before[i]).mean()
        assert values[i] == pytest.approx(right)
        assert cells[i] == pytest.approx(right / (before == before[i]).sum())


@given(paired(), st.data())
def test_equal_rows_are_those_with_the_same_cell(pairs, data):
    (one, other), n = pairs[0], len(pairs[0][0])
    found = equal_rows(pairs[0])
    before = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    after = before[data.draw(st.permutations(range(n)))]
    hits, (cells, values) = (
        found.row_hits(np.arange(n)),
        found.cell_hits(before, after),
    )
    for i in range(n):
        rows = np.flatnonzero(other == one[i])
        right = (after[rows] == before[i]).mean() if len(rows) else 0
        assert hits[i] == pytest.approx((i in rows) / max(len(rows), 1))
        assert values[i] == pytest.approx(right)
        assert cells[i] == pytest.approx(right / (before == before[i]).sum())


def test_ranks_survive_a_change_of_scale_and_distances_do_not():
    numbers = np.array([1.0, 2, 3, 4, 5])
    pairs = [PairedNumbers(numbers, np.exp(2 * numbers))]
    assert nearest_rows(pairs, "rank").row_hits(np.arange(5)).tolist() == [1.0] * 5
    assert nearest_rows(pairs, "distance").row_hits(np.arange(5)).sum() < 2


def test_missing_numbers_are_near_each_other():
    numbers = np.array([1.0, np.nan, 3.0, 2.0])
    for comparison in ("distance", "rank"):
        hits = nearest_rows([PairedNumbers(numbers, numbers)], comparison)
        assert hits.row_hits(np.arange(4)).tolist() == [1.0] * 4


@given(st.integers(1, 400), st.floats(0.5, 0.999), st.data())
def test_whole_hits_have_the_interval_of_scipy(n, confidence, data):
    hits = data.draw(st.integers(0, n))
    share = expected_share(np.repeat([1.0, 0.0], [hits, n - hits]), confidence)
    expected = stats.binomtest(hits, n).proportion_ci(confidence, method="wilson")
    assert share.share == hits / n
    assert (share.low, share.high) == pytest.approx(tuple(expected), abs=1e-9)
    assert 0 <= share.low <= share.share <= share.high <= 1
