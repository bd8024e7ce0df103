"""Permutations inside groups: uniform, and nothing leaves its group."""

import itertools
import json
import math
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from anon_transformers._kernels.counting import FEW
from anon_transformers._kernels.swapping import (
    agreement,
    expected_shift,
    gather,
    permute_members,
)

FILE = Path(__file__).parents[1] / "data" / "vectors" / "probabilistic.json"
VECTORS = {v["name"]: v for v in json.loads(FILE.read_text())["vectors"]}
RARE = 1e-6
"""A test by chance may fail this often; the seed is fixed, so it never does."""


def labels_of(sizes, seed=0):
    """Groups of these sizes, their rows strewn over the table."""
    return np.random.default_rng(seed).permutation(
        np.repeat(np.arange(len(sizes)), sizes)
    )


def labels_from_groups(groups):
    labels = np.empty(sum(map(len, groups)), dtype=np.int64)
    for number, rows in enumerate(groups):
        labels[rows] = number
    return labels


def permuted(labels, rng):
    return permute_members(gather(labels), rng)


group_sizes = st.lists(st.integers(1, 7), min_size=1, max_size=12)


@given(sizes=group_sizes, seed=st.integers(0, 99))
def test_gathered_rows_are_those_of_each_group_in_order(sizes, seed):
    labels = labels_of(sizes, seed)
    members = gather(labels)
    for number in range(len(sizes)):
        rows = members.rows[members.starts[number] : members.starts[number + 1]]
        assert rows.tolist() == np.flatnonzero(labels == number).tolist()


@given(sizes=group_sizes, seed=st.integers(0, 99))
def test_it_is_a_permutation_that_stays_in_its_groups(sizes, seed):
    labels = labels_of(sizes, seed)
    sources = permuted(labels, np.random.default_rng(seed))
    assert sources.dtype == np.int64
    assert sorted(sources.tolist()) == list(range(len(labels)))
    assert (labels[sources] == labels).all()


def test_the_generator_decides_and_one_number_a_row_is_drawn():
    labels = labels_of([5] * 20)
    one, other = np.random.default_rng(1), np.random.default_rng(1)
    first = permuted(labels, one)
    assert (permuted(labels, other) == first).all()
    assert (permuted(labels, one) != first).any()
    untouched = np.random.default_rng(1)
    untouched.random(2 * len(labels))
    assert one.random() == untouched.random()


def counted(size, n_groups, seed):
    """How often each permutation of a group occurs."""
    labels = np.repeat(np.arange(n_groups), size)
    sources = permuted(labels, np.random.default_rng(seed))
    places = sources.reshape(n_groups, size) % size
    return Counter(map(tuple, places.tolist()))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_all_permutations_are_equally_likely(size):
    counts = counted(size, 24_000, seed=11)
    every = list(itertools.permutations(range(size)))
    assert set(counts) == set(every)
    assert stats.chisquare([counts[p] for p in every]).pvalue > RARE


def test_fixed_points_appear_as_often_as_they_should():
    counts = counted(3, 24_000, seed=12)
    assert counts[0, 1, 2] > 0
    kept = sum(
        n * sum(place == row for row, place in enumerate(p)) for p, n in counts.items()
    )
    # One row a group keeps its place, on average, with a variance of 1.
    assert abs(kept - 24_000) < 5 * math.sqrt(24_000)


def test_groups_are_permuted_independently():
    labels = np.repeat([0, 1], 2)
    rng = np.random.default_rng(5)
    pairs = Counter(tuple(permuted(labels, rng).tolist()) for _ in range(4000))
    assert len(pairs) == 4
    assert stats.chisquare(list(pairs.values())).pvalue > RARE


@pytest.mark.parametrize(
    "name",
    ["probability_matrix_uniform_groups_k3", "probability_matrix_uneven_groups_k2"],
)
def test_frequencies_are_the_probabilities_of_the_specification(name):
    vector = VECTORS[name]
    groups, expected = vector["input"]["groups"], vector["expected"]
    labels = labels_from_groups(groups)
    matrix = np.array(
        [[float(Fraction(p)) for p in row] for row in expected["matrix_as_fractions"]]
    )
    rng, n_draws, n_rows = np.random.default_rng(3), 6000, len(labels)
    seen = set()
    counts = np.zeros((n_rows, n_rows))
    for _ in range(n_draws):
        sources = permuted(labels, rng)
        seen.add(tuple(sources.tolist()))
        counts[sources, np.arange(n_rows)] += 1
    assert len(seen) == expected["permutations_enumerated"]
    assert (counts[matrix == 0] == 0).all()
    error = 5 * np.sqrt(matrix * (1 - matrix) / n_draws)
    assert (np.abs(counts / n_draws - matrix) <= error).all()


def test_moving_values_back_is_moving_the_others_forth():
    vector = VECTORS["sigma_inverse_equivalence"]
    given_, expected = vector["input"], vector["expected"]
    known, values = np.array(given_["QI"]), np.array(given_["C"])
    sigma = np.array(given_["sigma"])
    inverse = np.argsort(sigma)
    assert inverse.tolist() == expected["sigma_inverse"]
    one = list(zip(known[sigma], values, strict=True))
    other = list(zip(known, values[inverse], strict=True))
    assert [list(row) for row in one] == expected["release_permuting_QI"]
    assert [list(row) for row in other] == expected["release_permuting_C_with_inverse"]
    assert set(one) == set(other)


def agreement_oracle(labels, keys):
    """Count the values of each group in dictionaries; NaN is one value."""
    groups = defaultdict(Counter)
    for label, key in zip(labels.tolist(), keys.tolist(), strict=True):
        groups[label]["missing" if key != key else key] += 1  # noqa: PLR0124
    same = constant = 0
    for counts in groups.values():
        same += Fraction(sum(n * n for n in counts.values()), counts.total())
        constant += counts.total() * (len(counts) == 1)
    return float(same / len(keys)), constant / len(keys)


@given(
    sizes=st.lists(st.integers(1, 2 * FEW), min_size=1, max_size=6),
    seed=st.integers(0, 99),
    n_values=st.integers(1, 4),
    gaps=st.booleans(),
)
def test_agreement_is_counted_value_by_value(sizes, seed, n_values, gaps):
    labels, rng = labels_of(sizes, seed), np.random.default_rng(seed)
    keys = rng.integers(-n_values, n_values, len(labels))
    if gaps:
        keys = np.where(rng.random(len(keys)) < 0.3, np.nan, keys)
    found = agreement(gather(labels), keys)
    assert found == pytest.approx(agreement_oracle(labels, keys))


def test_agreement_is_how_often_a_swapped_cell_equals_the_own_one():
    labels, rng = np.repeat(np.arange(4), 3), np.random.default_rng(4)
    keys = np.array([1, 1, 2, 3, 3, 3, 4, 5, 6, 7, 8, 7])
    hits = [(keys[permuted(labels, rng)] == keys).mean() for _ in range(4000)]
    expected = agreement(gather(labels), keys).same
    assert np.mean(hits) == pytest.approx(expected, abs=5 * np.std(hits) / 4000**0.5)


def shift_oracle(labels, places):
    """The distance from every row to every row of its group, one by one."""
    known = [place for place in places if not math.isnan(place)]
    width = max(known) - min(known) if known else 0.0
    total = 0.0
    for label, own in zip(labels, places, strict=True):
        inside = [p for p, of in zip(places, labels, strict=True) if of == label]
        for got in inside:
            if math.isnan(own) or math.isnan(got):
                total += (math.isnan(own) != math.isnan(got)) / len(inside)
            elif own != got:
                total += abs(got - own) / width / len(inside)
    return total / len(places)


@given(
    sizes=st.lists(st.integers(1, 2 * FEW), min_size=1, max_size=4),
    seed=st.integers(0, 99),
    gaps=st.booleans(),
)
def test_the_expected_shift_is_the_mean_over_all_pairs(sizes, seed, gaps):
    labels, rng = labels_of(sizes, seed), np.random.default_rng(seed)
    places = rng.integers(-9, 9, len(labels)).astype(float)
    if gaps:
        places = np.where(rng.random(len(places)) < 0.3, np.nan, places)
    found = expected_shift(gather(labels), places)
    assert found == pytest.approx(shift_oracle(labels.tolist(), places.tolist()))


def test_the_expected_shift_is_that_of_permutations_on_average():
    labels, rng = np.repeat(np.arange(4), 3), np.random.default_rng(4)
    places = rng.normal(size=12)
    shifts = [
        np.abs(places[permuted(labels, rng)] - places).mean() / np.ptp(places)
        for _ in range(4000)
    ]
    expected = expected_shift(gather(labels), places)
    error = 5 * np.std(shifts) / 4000**0.5
    assert np.mean(shifts) == pytest.approx(expected, abs=error)


def test_the_expected_shift_knows_no_overflow_and_no_underflow():
    members, numbers = gather(np.array([0, 0])), np.finfo(np.float64)
    for places in ([-numbers.max, numbers.max], [0, numbers.smallest_subnormal]):
        assert expected_shift(members, np.array(places)) == 0.5
    assert expected_shift(members, np.array([np.nan, np.nan])) == 0
    assert expected_shift(members, np.array([np.nan, 7.0])) == 0.5
