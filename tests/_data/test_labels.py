"""Published texts: each has one meaning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.labels import (
    parse_set,
    range_label,
    set_label,
    value_label,
)

# Texts made of the pieces of the grammar itself.
awkward = st.lists(
    st.sampled_from(
        [*'ab,[]{}"\\ \né1-*', ", ", " or missing", '", "', "\u2028", "\x1f"]
    ),
    min_size=1,
    max_size=6,
).map("".join)
texts = awkward | st.text(min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("ends", "missing", "label"),
    [
        (("20", "35"), False, "[20, 35]"),
        (("-5", "-1"), False, "[-5, -1]"),
        (("20", "20"), False, "20"),
        (("20", "35"), True, "[20, 35] or missing"),
        (("2020-01-01", "2020-02-01"), False, "[2020-01-01, 2020-02-01]"),
        (("1e-07", "2.5"), False, "[1e-07, 2.5]"),
        (("(0, 10]", "(10, 20]"), False, '["(0, 10]", "(10, 20]"]'),
        (("(0, 10]", "(0, 10]"), False, "(0, 10]"),
    ],
)
def test_ranges(ends, missing, label):
    assert range_label(*ends, missing=missing) == label


@pytest.mark.parametrize(
    ("members", "missing", "label"),
    [
        (["Private"], False, "Private"),
        (["Private", "State-gov"], False, "{Private, State-gov}"),
        (["Private"], True, "Private or missing"),
        (["a, b", "c"], False, '{"a, b", c}'),
        (["{odd}"], False, '"{odd}"'),
        (["x or missing"], False, '"x or missing"'),
        ([" a", "b"], False, '{" a", b}'),
    ],
)
def test_sets(members, missing, label):
    assert set_label(members, missing=missing) == label


@given(st.lists(texts, min_size=1, max_size=5, unique=True), st.booleans())
def test_a_set_can_be_read_back(members, missing):
    assert parse_set(set_label(members, missing=missing)) == (members, missing)


range_meanings = st.tuples(texts, texts, st.booleans())
value_meanings = st.tuples(texts, st.booleans())


@given(range_meanings, range_meanings)
def test_two_ranges_never_share_a_label(one, other):
    first = range_label(one[0], one[1], missing=one[2])
    second = range_label(other[0], other[1], missing=other[2])
    assert (first == second) == (one == other)


@given(value_meanings, value_meanings)
def test_two_values_of_a_hierarchy_never_share_a_label(one, other):
    first = value_label(one[0], missing=one[1])
    second = value_label(other[0], missing=other[1])
    assert (first == second) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "a, b", False), ("a, a", "b", False)),
        (("[a, b]", "[a, b]", False), ("a", "b", False)),
        (("a or missing", "a or missing", False), ("a", "a", True)),
        (('"a or missing"',) * 2 + (False,), ("a or missing",) * 2 + (False,)),
    ],
)
def test_known_traps(one, other):
    assert range_label(one[0], one[1], missing=one[2]) != range_label(
        other[0], other[1], missing=other[2]
    )
