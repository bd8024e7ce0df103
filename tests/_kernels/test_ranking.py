"""Individual ranking: blocks of neighbors against a sorted list."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._kernels.ranking import rank_groups

FILE = Path(__file__).parents[1] / "data" / "vectors" / "probabilistic.json"
VECTORS = {v["name"]: v for v in json.loads(FILE.read_text())["vectors"]}


def oracle(keys, k):
    """Cut a list of (key, row) into lists of k; a short last one joins the other."""
    order = [row for _, row in sorted((key, row) for row, key in enumerate(keys))]
    blocks = [order[start : start + k] for start in range(0, len(order), k)]
    if len(blocks) > 1 and len(blocks[-1]) < k:
        rest = blocks.pop()
        blocks[-1] += rest
    labels = [0] * len(keys)
    for number, block in enumerate(blocks):
        for row in block:
            labels[row] = number
    return labels


def test_the_blocks_of_the_specification():
    vector = VECTORS["individual_ranking_groups"]
    values = np.array(vector["input"]["A"], dtype=float)
    labels = rank_groups(values, vector["parameters"]["k"])
    groups = vector["expected"]["sorted_method_groups_of_rows"]
    for number, rows in enumerate(groups):
        assert np.flatnonzero(labels == number).tolist() == sorted(rows)


@given(
    keys=st.lists(st.integers(-4, 4), min_size=1, max_size=40),
    k=st.integers(1, 9),
    kind=st.sampled_from([np.float64, np.int64]),
)
def test_blocks_are_those_of_a_sorted_list(keys, k, kind):
    k = min(k, len(keys))
    labels = rank_groups(np.array(keys, dtype=kind), k)
    assert labels.dtype == np.int64
    assert labels.tolist() == oracle(keys, k)


@given(n=st.integers(1, 60), k=st.integers(1, 20))
def test_only_the_last_block_is_larger(n, k):
    k = min(k, n)
    sizes = np.bincount(rank_groups(np.arange(n, dtype=float)[::-1].copy(), k))
    assert (sizes[:-1] == k).all()
    assert k <= sizes[-1] < 2 * k


def test_equal_values_go_by_row():
    assert rank_groups(np.zeros(6), 2).tolist() == [0, 0, 1, 1, 2, 2]


def test_missing_values_are_last():
    keys = np.array([np.nan, 3.0, np.nan, -1.0, np.inf, 2.0])
    assert rank_groups(keys, 2).tolist() == [2, 1, 2, 0, 1, 0]


def test_whole_numbers_that_no_double_tells_apart_are_ranked():
    keys = np.array([2**53 + 1, 2**53, 2**53 + 3, 2**53 + 2])
    assert rank_groups(keys, 1).tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize(("n", "k", "groups"), [(5, 5, 1), (9, 5, 1), (10, 5, 2)])
def test_one_block_until_there_are_rows_for_two(n, k, groups):
    assert rank_groups(np.arange(float(n)), k).max() + 1 == groups
