"""Persons over releases: numbers of keys, agreeing and common, against plain twins."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers._kernels.composition import (
    count_common,
    count_compatible,
    distinct_values,
    number_persons,
    room_for,
    value_sets,
)

KEYS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**64 - 1)), unique=True)


@settings(deadline=None)
@given(first=KEYS, second=KEYS)
def test_keys_have_the_same_numbers_again(first, second):
    numbers, known, slots = {}, np.empty((0, 2), np.uint64), np.full(16, -1)
    for keys in (first, second, first):
        words = np.array(keys, dtype=np.uint64).reshape(-1, 2)
        slots = room_for(slots, known, len(known) + len(words))
        both = np.concatenate([known, np.zeros_like(words)])
        found, n_known, n_repeated = number_persons(words, both, len(known), slots)
        known = both[:n_known].copy()
        for key, number in zip(keys, found.tolist(), strict=True):
            assert numbers.setdefault(key, len(numbers)) == number
        assert n_known == len(numbers)
        assert n_repeated == 0


def test_a_key_that_comes_twice_is_counted():
    words = np.array([[7], [8], [7], [7]], dtype=np.uint64)
    found = number_persons(words, np.zeros_like(words), 0, np.full(16, -1))
    assert (found[0].tolist(), *found[1:]) == ([0, 1, 0, 0], 2, 2)


@st.composite
def grouped(draw):
    """Histories of groups, their sizes, and sets of values."""
    n_groups, n_releases = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    codes = st.lists(st.integers(0, 2), min_size=n_releases, max_size=n_releases)
    histories = draw(st.lists(codes, min_size=n_groups, max_size=n_groups))
    sizes = draw(st.lists(st.integers(1, 9), min_size=n_groups, max_size=n_groups))
    sets = st.sets(st.integers(0, 3))
    values = draw(st.lists(sets, min_size=n_groups, max_size=n_groups))
    of_classes = draw(
        st.lists(sets, min_size=3 * n_releases, max_size=3 * n_releases)
    )  # fmt: skip
    return histories, sizes, values, of_classes


def in_rows(sets):
    indptr = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    return indptr, np.array([v for s in sets for v in sorted(s)], dtype=np.int64)


@settings(deadline=None)
@given(grouped())
def test_agreeing_groups_are_counted_like_by_hand(given_groups):
    histories, sizes, values, _ = given_groups

    def agree(one, other):
        both = [(a, b) for a, b in zip(one, other, strict=True) if a and b]
        return bool(both) and all(a == b for a, b in both)

    which = np.arange(len(histories))
    persons, distinct = count_compatible(
        np.array(histories, dtype=np.int64), which, np.array(sizes), *in_rows(values), 4
    )
    for at, one in enumerate(histories):
        like = [i for i, other in enumerate(histories) if agree(one, other)]
        assert persons[at] == sum(sizes[i] for i in like)
        assert distinct[at] == len(set().union(*(values[i] for i in like)))


@settings(deadline=None)
@given(grouped())
def test_common_values_are_counted_like_by_hand(given_groups):
    histories, _, _, of_classes = given_groups
    start = 3 * np.arange(len(histories[0]))
    indptr, values = in_rows(of_classes)
    rows = np.repeat(np.arange(len(of_classes)), np.diff(indptr))
    # Values from 1 on, and beyond one word.
    sets = value_sets(rows, (1 + 40 * values).astype(np.int32), len(of_classes), 121)
    by_release = np.array(histories, dtype=np.int64, order="F")
    common = count_common(by_release, start, sets)
    for at, one in enumerate(histories):
        sets = [of_classes[3 * r + code] for r, code in enumerate(one) if code]
        assert common[at] == (len(set.intersection(*sets)) if sets else 0)


@settings(deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 130)), max_size=40),
    n_groups=st.sampled_from([6, 5000]),
)
def test_values_are_counted_by_group_like_by_hand(rows, n_groups):
    """With few groups as sets of bits, with many as numbered pairs."""
    groups = np.array([group for group, _ in rows], dtype=np.int64)
    values = np.array([value for _, value in rows], dtype=np.int32)
    found = distinct_values(groups, values, n_groups, 130)
    for group in range(6):
        assert found[group] == len({v for g, v in rows if g == group and v})
    assert found.sum() == len({(g, v) for g, v in rows if v})
