"""Diversity of counts: against the definitions, completion by completion."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from anon_transformers._kernels.diversity import (
    count_values,
    effective_values,
    largest_counts,
    largest_gains,
    recursive_levels,
)

counts_of_a_class = st.lists(st.integers(0, 6), min_size=1, max_size=6)
tables = st.integers(1, 6).flatmap(
    lambda m: st.lists(
        st.lists(st.integers(0, 6), min_size=m + 1, max_size=m + 1),
        min_size=1,
        max_size=5,
    )
)


def in_rows(counts):
    table = sparse.csr_array(np.array(counts, dtype=np.int64))
    return table.indptr, table.indices, table.data


def none(rows):
    """Nobody who lacks a value has another, as where rows are counted."""
    return np.zeros_like(rows[2])


def effective(counts):
    """exp of the entropy, from the definition."""
    shares = np.array([n for n in counts if n]) / sum(counts)
    return float(np.exp(-(shares * np.log(shares)).sum()))


def recursive_level(counts, c):
    """Largest l with n_1 < c (n_l + … + n_m), in fractions."""
    ordered = sorted((n for n in counts if n), reverse=True)
    level = 0
    for l in range(1, len(ordered) + 1):  # noqa: E741
        if ordered[0] < Fraction(str(c)) * sum(ordered[l - 1 :]):
            level = l
    return level


def completions(known, unknown):
    """Every way to give a known value to the missing ones, by counts."""
    for split in product(range(unknown + 1), repeat=len(known)):
        if sum(split) == unknown:
            yield [n + more for n, more in zip(known, split, strict=True)]


@given(tables)
def test_known_values_are_counted(table):
    found = count_values(*in_rows(table), len(table[0]) - 1)
    assert found.tolist() == [sum(n > 0 for n in row[:-1]) for row in table]


@given(tables)
def test_the_most_frequent_value_and_the_missing_ones(table):
    largest, unknown = largest_counts(*in_rows(table), len(table[0]) - 1)
    assert largest.tolist() == [max(row[:-1]) for row in table]
    assert unknown.tolist() == [row[-1] for row in table]


@given(tables)
def test_without_missing_values_levels_are_those_of_the_definitions(table):
    table = [[*row[:-1], 0] for row in table]
    rows = in_rows(table)
    missing = len(table[0]) - 1
    for found, row in zip(
        effective_values(*rows, none(rows), missing), table, strict=True
    ):
        assert found == pytest.approx(effective(row) if sum(row) else 0.0)
    for c in (0.5, 1.0, 1.1, 1.5, 2.0, 3.3):
        found = recursive_levels(*rows, none(rows), missing, c)
        assert found.tolist() == [recursive_level(row, c) for row in table]


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=4).filter(any), st.integers(0, 3)
)
def test_missing_values_count_as_the_least_diverse_completion(known, unknown):
    rows = in_rows([[*known, unknown]])
    every = list(completions(known, unknown))
    worst = min(effective(row) for row in every)
    assert effective_values(*rows, none(rows), len(known))[0] == pytest.approx(worst)
    for c in (0.7, 1.5, 3.0):
        worst_level = min(recursive_level(row, c) for row in every)
        assert recursive_levels(*rows, none(rows), len(known), c)[0] == worst_level


def test_a_class_without_known_values_has_level_zero():
    rows = in_rows([[0, 0, 3], [0, 0, 0]])
    assert effective_values(*rows, none(rows), 2).tolist() == [0.0, 0.0]
    assert recursive_levels(*rows, none(rows), 2, 9.0).tolist() == [0, 0]
    assert count_values(*rows, 2).tolist() == [0, 0]


@pytest.mark.parametrize("n_values", [2, 31, 32, 33, 34, 200])
def test_few_values_and_many_are_sorted_alike(n_values):
    counts = np.random.default_rng(n_values).integers(1, 50, n_values).tolist()
    rows = in_rows([[*counts, 0]])
    found = recursive_levels(*rows, none(rows), n_values, 1.5)
    assert found.tolist() == [recursive_level(counts, 1.5)]


def test_what_only_rounding_makes_smaller_is_not_smaller():
    # 1.1 * 10 is 11.000000000000002 in floating point.
    rows = in_rows([[11, 10, 0]])
    assert recursive_levels(*rows, none(rows), 2, 1.1).tolist() == [1]


@given(tables, st.booleans())
def test_gains_are_those_of_the_definition(table, enhanced):
    reference = np.array(table).sum(axis=0) + 1
    shares = reference / reference.sum()
    totals = np.array(table).sum(axis=1)
    found = largest_gains(*in_rows(table), totals, shares, enhanced)
    for row, gain in zip(table, found, strict=True):
        if not sum(row):
            assert gain == 0
            continue
        gains = np.array(row) / sum(row) / shares - 1
        expected = max(0, gains.max())
        if enhanced and (gains > -np.log(shares) + 1e-9).any():
            expected = np.inf
        assert gain == pytest.approx(expected, abs=1e-12)


def test_a_value_that_the_reference_lacks_gains_without_bound():
    rows, shares = in_rows([[1, 1], [2, 0]]), np.array([1.0, 0.0])
    found = largest_gains(*rows, np.array([2, 2]), shares, False)
    assert found.tolist() == [np.inf, 0.0]


def test_gains_are_of_shares_of_the_totals():
    # Both of two persons hold the first value, one of them the second one, too.
    rows, shares = in_rows([[2, 1]]), np.array([0.5, 0.5])
    assert largest_gains(*rows, np.array([2]), shares, False).tolist() == [1.0]
