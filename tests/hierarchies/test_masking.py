"""Masking, from either side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.hierarchies import Masking


@pytest.mark.parametrize(
    ("builder", "values", "expected"),
    [
        (Masking(), ["47677"], ["4767*", "476**", "47***", "4****", "*"]),
        (Masking(side="left"), ["47677"], ["*7677", "**677", "***77", "****7", "*"]),
        (Masking(step=2), ["47677"], ["476**", "4****", "*"]),
        (Masking(step=9), ["47677"], ["*"]),
        (Masking(mark="#"), ["ab"], ["a#", "*"]),
        (Masking(), ["a"], ["*"]),
        (Masking(), ["ab", "abcd"], ["ab**", "ab**", "a***", "*"]),
        (Masking(side="left"), ["ab", "abcd"], ["**ab", "**ab", "***b", "*"]),
        (Masking(), ["ñá"], ["ñ*", "*"]),
    ],
)
def test_worked_examples(builder, values, expected):
    assert builder.build(values).rows[0] == (values[0], *expected)


codes = st.lists(st.text("0123ab*", min_size=1, max_size=6), min_size=1, unique=True)


@given(codes, st.sampled_from(["left", "right"]), st.integers(1, 3))
def test_each_level_hides_more_of_the_same_side(values, side, step):
    tree = Masking(side=side, step=step).build(values)
    longest = max(map(len, values))
    assert sorted(tree.leaves) == sorted(values)
    for value, *above, root in tree.rows:
        assert root == "*"
        padded = (
            value.ljust(longest, "*") if side == "right" else value.rjust(longest, "*")
        )
        for level, text in enumerate(above, start=1):
            shown = longest - level * step
            assert len(text) == longest
            if side == "right":
                assert text == padded[:shown] + "*" * (longest - shown)
            else:
                assert text == "*" * (longest - shown) + padded[longest - shown :]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"side": "top"}, "side: .*'top'.*'left', 'right'"),
        ({"side": ["left"]}, "side"),
        ({"mark": ""}, "mark must be one character, got ''"),
        ({"mark": "**"}, "mark must be one character"),
        ({"mark": 0}, "mark must be one character, got 0"),
        ({"step": 0}, "step must be .* at least 1, got 0"),
        ({"step": 1.5}, "step must be .* got 1.5"),
        ({"length": 0}, "length must be .* at least 1, got 0"),
        ({"length": "5"}, "length must be .* got '5'"),
        ({"unknown": "roots"}, "unknown: .*'roots'"),
    ],
)
def test_what_cannot_be_built_is_refused_at_once(options, said):
    with pytest.raises(ParameterError, match=said):
        Masking(**options)


def test_values_that_the_normalizer_makes_one_are_one_leaf():
    tree = Masking(normalizer="fold").build(["AB", "ab", "Áb", "ac"])
    assert tree.leaves == ("AB", "ac")
    assert tree.locate(["áB", "AC"]).tolist() == [0, 1]


def test_no_value_at_all_makes_the_root_alone():
    tree = Masking().build([])
    assert tree.rows == (("*", "*"),)
    assert tree.locate(["a"]).tolist() == [-1]


def test_a_stated_length_does_not_depend_on_the_longest_value():
    few, more = (
        Masking(length=4).build(values) for values in (["1", "22"], ["1", "22", "4444"])
    )
    assert few.rows == tuple(row for row in more.rows if row[0] != "4444")
    assert Masking().extremes
    assert not Masking(length=4).extremes


def test_values_beyond_the_stated_length_are_counted_and_not_named():
    with pytest.raises(DataError, match="length: 2 values have more than 1") as refused:
        Masking(length=1).build(["1", "22", "333"])
    assert "22" not in str(refused.value)
