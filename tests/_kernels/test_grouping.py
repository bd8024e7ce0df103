"""Grouping: against a dictionary of tuples, on every path of the kernel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._kernels import grouping
from anon_transformers._kernels.grouping import LARGEST_KEY, group_rows, sort_rows


def oracle(columns):
    """Number tuples by first appearance."""
    numbers, labels, first, sizes = {}, [], [], []
    for row, combination in enumerate(zip(*columns, strict=True)):
        if combination not in numbers:
            numbers[combination] = len(numbers)
            first.append(row)
            sizes.append(0)
        labels.append(numbers[combination])
        sizes[numbers[combination]] += 1
    return labels, first, sizes


def assert_agrees(columns, cardinalities):
    arrays = [np.array(column, dtype=np.int32) for column in columns]
    found = group_rows(arrays, cardinalities)
    assert tuple(part.tolist() for part in found) == oracle(columns)


@st.composite
def tables(draw, largest):
    n_rows = draw(st.integers(0, 40))
    cardinalities = draw(st.lists(st.integers(1, largest), min_size=1, max_size=8))
    columns = [
        draw(
            st.lists(
                # Both ends of the range, where keys overflow first.
                st.sampled_from([0, n // 2, n - 1]) | st.integers(0, n - 1),
                min_size=n_rows,
                max_size=n_rows,
            )
        )
        for n in cardinalities
    ]
    return columns, cardinalities


@given(tables(largest=4))
def test_few_combinations_are_numbered_by_table(case):
    assert_agrees(*case)


@given(tables(largest=2**31 - 1))
def test_many_combinations_are_numbered_by_hash(case):
    assert_agrees(*case)


def test_the_radix_survives_columns_beyond_its_range():
    n = 2**31 - 1
    n_columns = 12
    assert n**n_columns > LARGEST_KEY
    rng = np.random.default_rng(0)
    columns = [rng.choice([0, 1, n - 2, n - 1], 500).tolist() for _ in range(n_columns)]
    columns = [column + column for column in columns]
    assert_agrees(columns, [n] * n_columns)


def test_one_code_more_or_less_in_any_column_is_another_class():
    n = 2**31 - 1
    columns = np.full((9, 10), n - 1, dtype=np.int32)
    np.fill_diagonal(columns, n - 2)
    found = group_rows(list(columns), [n] * 9)
    assert found.labels.tolist() == list(range(10))


@pytest.mark.parametrize("n", [4095, 4096, 4097, 9000])
def test_the_hash_table_grows(n):
    codes = np.arange(n)[::-1].copy()
    labels, first, sizes = grouping._number_by_hash(np.concatenate((codes, codes)))
    assert labels.tolist() == [*range(n), *range(n)]
    assert first.tolist() == list(range(n))
    assert (sizes == 2).all()


def test_table_and_hash_agree():
    keys = np.random.default_rng(1).integers(0, 5000, 20_000)
    by_table = grouping._number_by_table(keys, 5000)
    by_hash = grouping._number_by_hash(keys)
    for one, other in zip(by_table, by_hash, strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_rows_make_no_class():
    found = group_rows([np.array([], dtype=np.int32)], [3])
    assert [len(part) for part in found] == [0, 0, 0]


def test_codes_are_taken_as_they_come():
    found = group_rows([np.array([2, 2, 0, 2])], [3])
    assert found.labels.tolist() == [0, 0, 1, 0]
    assert found.first.tolist() == [0, 2]
    assert found.sizes.tolist() == [3, 1]


def test_a_column_too_many_is_an_error():
    with pytest.raises(ValueError, match="zip"):
        group_rows([np.array([0])], [1, 1])


@pytest.mark.parametrize("low_bits", [20, 32, 40])
def test_keys_with_many_low_zero_bits_do_not_collide(low_bits):
    # Forty constant columns behind a varying one make such keys; by their low bits
    # alone, all would be looked for in one slot.
    slots = {grouping.slot_of(key << low_bits, 4096) for key in range(2_000)}
    assert len(slots) > 500


@given(table=tables(LARGEST_KEY // 2**40))
def test_sorted_rows_are_those_of_sorted_tuples(table):
    columns, cardinalities = table
    arrays = [np.array(column, dtype=np.int32) for column in columns]
    rows = list(zip(*columns, strict=True))
    order = sort_rows(arrays, cardinalities).tolist()
    assert order == sorted(range(len(rows)), key=rows.__getitem__)
