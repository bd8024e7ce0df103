"""Compatible records: against sets of places, pair by pair."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from anon_transformers._kernels import compatibility

N_COLUMNS = 2
place = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 1)).map(
    lambda p: p if p[0] <= p[1] else (1, 0, 1)
)
record = st.lists(place, min_size=N_COLUMNS, max_size=N_COLUMNS)
records = st.lists(record, min_size=1, max_size=6)
NO_TABLES = compatibility.Tables(
    np.empty(0, np.int32), np.full(N_COLUMNS, -1), np.zeros(N_COLUMNS, np.int64)
)


def as_array(some):
    return np.array(some, dtype=np.int32)


def inside(one):
    return tuple(
        frozenset(range(low, high + 1)) | ({None} if missing else set())
        for low, high, missing in one
    )


def meet(one, two):
    both = tuple(a & b for a, b in zip(inside(one), inside(two), strict=True))
    return both if all(both) else None


def everything(left, right):
    return np.tile([0, len(right)], (len(left), 1)).astype(np.int64)


@given(records, records, st.data())
def test_candidates_are_counted_by_rows(left, right, data):
    weights = tuple(
        data.draw(arrays(np.int64, len(side), elements=st.integers(1, 5)))
        for side in (left, right)
    )
    of_left, of_right, partner = compatibility.count_candidates(
        as_array(left), as_array(right), weights, everything(left, right), *NO_TABLES
    )
    fits = [[meet(one, two) is not None for two in right] for one in left]
    fits = np.array(fits)
    assert of_left.tolist() == (fits @ weights[1]).tolist()
    assert of_right.tolist() == (weights[0] @ fits).tolist()
    first = [row.tolist().index(True) if row.any() else -1 for row in fits]
    assert partner.tolist() == first


@given(records, records)
def test_records_are_resolved_where_all_candidates_agree(left, right):
    ranges = everything(left, right)
    arguments = as_array(left), as_array(right), ranges
    state, meets = compatibility.resolve(*arguments, *NO_TABLES)
    possible = [{meet(one, two) for two in right} - {None} for one in left]
    assert state.tolist() == [min(len(several), 2) for several in possible]
    for at, several in enumerate(possible):
        if len(several) == 1:
            assert {inside(meets[at].tolist())} == several
        if not several:
            assert inside(meets[at].tolist()) == inside(left[at])
    settled = [inside(m.tolist()) for m, s in zip(meets, state, strict=True) if s < 2]
    known = list(dict.fromkeys(settled))
    first = [settled.index(m) for m in known]
    members = compatibility.possible_members(
        arguments[0], arguments[1], np.arange(1, len(left) + 1), ranges, state,
        meets[state < 2][first], *NO_TABLES,
    )  # fmt: skip
    assert members.tolist() == [
        sum(at + 1 for at, several in enumerate(possible)
            if len(several) > 1 and m in several)
        for m in known
    ]  # fmt: skip


def test_a_table_tells_what_values_have_in_common():
    # Values 0 and 1 of the left, 0 of the right: the left 1 shares number 3 with it.
    tables = compatibility.Tables(
        np.array([-1, 3], np.int32), np.array([0]), np.array([1])
    )
    left = np.array([[[0, 5, 0]], [[1, 6, 0]]], np.int32)
    right = np.array([[[0, 3, 0]], [[0, 3, 0]]], np.int32)
    compatible, meets = compatibility.meet_pairs(left, right, *tables)
    assert compatible.tolist() == [False, True]
    assert meets[1].tolist() == [[3, 0, 0]]
    own = compatibility.own_records(left, tables.start)
    assert own.tolist() == [[[5, 0, 0]], [[6, 0, 0]]]
