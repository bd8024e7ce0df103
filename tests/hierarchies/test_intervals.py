"""Intervals: every number lies where its label says, to the last digit."""

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.labels import parse_ends
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.hierarchies import Intervals

HUGE = "1" + "0" * 40


def lies_in(text, label, whole):
    """Read the label anew, with fractions, and look where the number lies."""
    number = Fraction(text)
    if label == "*":
        return True
    if label.startswith("< "):
        return number < Fraction(label[2:])
    if label.startswith(">= "):
        return number >= Fraction(label[3:])
    found = re.fullmatch(r"\[(.+), (.+)([])])", label)
    if not found:
        return number == Fraction(label) and whole
    low, high, end = Fraction(found[1]), Fraction(found[2]), found[3]
    return low <= number < high if end == ")" else low <= number <= high and whole


def check(tree, texts):
    """Each value lies in all its ranges, and ranges of a level do not overlap."""
    whole = all(Fraction(text).denominator == 1 for text in texts)
    for row in tree.rows:
        assert row[-1] == "*"
        assert all(lies_in(row[0], label, whole) for label in row[1:])
    for level in range(1, tree.n_levels):
        labels = {row[level] for row in tree.rows}
        for row in tree.rows:
            assert sum(lies_in(row[0], label, whole) for label in labels) == 1


@pytest.mark.parametrize(
    ("builder", "value", "expected"),
    [
        (Intervals(widths=[5, 10]), "20", ["[20, 24]", "[20, 29]"]),
        (Intervals(widths=[5, 10]), "24", ["[20, 24]", "[20, 29]"]),
        (Intervals(widths=[5, 10]), "25", ["[25, 29]", "[20, 29]"]),
        (Intervals(widths=[5]), "-1", ["[-5, -1]"]),
        (Intervals(widths=[5]), "-5", ["[-5, -1]"]),
        (Intervals(widths=[5]), "-6", ["[-10, -6]"]),
        (Intervals(widths=[5]), "0", ["[0, 4]"]),
        (Intervals(widths=[5]), "-0", ["[0, 4]"]),
        (Intervals(widths=[1, 3]), "7", ["7", "[6, 8]"]),
        (Intervals(widths=[10], start=3), "2", ["[-7, 2]"]),
        (Intervals(widths=[10], start=3), "3", ["[3, 12]"]),
        (Intervals(widths=[0.1, 0.3]), "0.3", ["[0.3, 0.4)", "[0.3, 0.6)"]),
        (Intervals(widths=[0.1, 0.3]), "0.299999999999999", ["[0.2, 0.3)", "[0, 0.3)"]),
        (Intervals(widths=[0.1]), "0.7", ["[0.7, 0.8)"]),
        (Intervals(widths=[0.1]), "-0.1", ["[-0.1, 0)"]),
        (Intervals(widths=[0.5]), "1.5", ["[1.5, 2)"]),
        (Intervals(widths=[5]), "1e3", ["[1000, 1004]"]),
        (Intervals(widths=[5]), HUGE, [f"[{HUGE}, {HUGE[:-1]}4]"]),
        (Intervals(widths=[5]), "1e30", [f"[1{'0' * 30}, 1{'0' * 29}4]"]),
        (Intervals(widths=[Decimal("1e-9")]), "1e-8", ["[0.00000001, 0.000000011)"]),
        (Intervals(cuts=[[18, 30, 65], [65]]), "17", ["< 18", "< 65"]),
        (Intervals(cuts=[[18, 30, 65], [65]]), "18", ["[18, 29]", "< 65"]),
        (Intervals(cuts=[[18, 30, 65], [65]]), "64", ["[30, 64]", "< 65"]),
        (Intervals(cuts=[[18, 30, 65], [65]]), "65", [">= 65", ">= 65"]),
        (Intervals(cuts=[[0.5, 2]]), "1.9", ["[0.5, 2)"]),
    ],
)  # fmt: skip
def test_worked_bounds(builder, value, expected):
    assert builder.build([value]).rows == ((value, *expected, "*"),)


def test_every_tenth_of_a_float_falls_on_its_own_bound():
    # In binary floats 0.3 // 0.1 is 2 and 0.1 * 3 is not 0.3.
    texts = [str(i / 10) for i in range(-50, 51) if i % 10]
    tree = Intervals(widths=[0.1]).build(texts)
    for text, label, _ in tree.rows:
        assert label.startswith(f"[{text}, ")


def test_quantiles_hold_about_equally_many_values():
    values = [str(i * i) for i in range(12)]
    tree = Intervals(quantiles=[6, 3]).build(values)
    for level, expected in ((1, 2), (2, 4)):
        assert set(tree.level(level).leaf_counts) == {expected}
    check(tree, values)


def test_more_quantiles_than_values():
    tree = Intervals(quantiles=[8, 2]).build(["1", "2", "3"])
    assert tree.n_levels == 4
    check(tree, ["1", "2", "3"])


decimals = st.decimals(-1000, 1000, allow_nan=False, places=3).map(str)
wholes = st.integers(-(10**6), 10**6).map(str)
floats = st.floats(-1e6, 1e6, allow_nan=False).map(str)
columns = st.one_of(
    st.lists(kind, min_size=1, max_size=12, unique_by=Fraction)
    for kind in (decimals, wholes, floats)
)
factors = st.lists(st.integers(1, 4), max_size=3)


@given(
    columns,
    st.sampled_from([0.1, 0.25, 1, 3, 0.7, 50]),
    factors,
    st.sampled_from([0, 0.05, -7]),
)
def test_widths(texts, width, times, start):
    widths = [Decimal(str(width))]
    for factor in times:
        widths.append(widths[-1] * factor)
    check(Intervals(widths=widths, start=start).build(texts), texts)


@given(
    columns,
    st.lists(st.floats(-100, 100, width=16), min_size=1, max_size=6, unique=True),
)
def test_cuts(texts, cuts):
    fine = sorted(cut + 0.0 for cut in cuts)
    check(Intervals(cuts=[fine, fine[::2]]).build(texts), texts)


@given(columns, st.integers(1, 4), st.integers(1, 4))
def test_quantiles(texts, few, times):
    check(Intervals(quantiles=[few * times, few]).build(texts), texts)


@pytest.mark.parametrize(
    ("given_options", "said"),
    [
        ({}, "give one of widths, cuts and quantiles"),
        ({"widths": [5], "cuts": [[1]]}, "give one of"),
        ({"widths": [0]}, "above 0"),
        ({"widths": [-5]}, "above 0"),
        ({"widths": [5, 12]}, "12 is not a multiple of 5"),
        ({"widths": [10, 5]}, "5 is not a multiple of 10"),
        ({"widths": 5}, "widths must be a list, got 5"),
        ({"widths": "5"}, "widths must be a list, got '5'"),
        ({"widths": ["five"]}, "widths must be numbers, got 'five'"),
        ({"widths": [float("nan")]}, "widths must be numbers, got nan"),
        ({"widths": [float("inf")]}, "widths must be numbers, got inf"),
        ({"widths": [5], "start": "x"}, "start must be numbers, got 'x'"),
        ({"cuts": [1, 2]}, "cuts must be a list of lists, got 1"),
        ({"cuts": [[]]}, "each level needs numbers that rise"),
        ({"cuts": [[2, 1]]}, "each level needs numbers that rise"),
        ({"cuts": [[1, 1]]}, "each level needs numbers that rise"),
        ({"cuts": [[1, 2], [3]]}, "a cut that the one before lacks"),
        ({"quantiles": [4, 3]}, "3 does not divide 4"),
        ({"quantiles": [0]}, "at least 1, got 0"),
        ({"quantiles": [2.5]}, "at least 1, got 2.5"),
        ({"widths": [5], "unknown": "drop"}, "unknown: .*'drop'"),
        ({"widths": [5], "normalizer": "x"}, "normalizer must be"),
    ],
)
def test_what_cannot_be_built_is_refused_at_once(given_options, said):
    with pytest.raises(ParameterError, match=said):
        Intervals(**given_options)


def test_the_same_cut_may_be_written_in_two_ways():
    tree = Intervals(cuts=[[0.1, 1], [Decimal("0.1")]]).build(["0.5"])
    assert tree.rows == (("0.5", "[0.1, 1)", ">= 0.1", "*"),)


@pytest.mark.parametrize(
    "strange", ["ten", "nan", "inf", "-Infinity", "1_000", "1e999", "٣"]
)
def test_what_is_no_number_is_counted_and_not_told(strange):
    with pytest.raises(DataError, match="2 values are none") as caught:
        Intervals(widths=[5]).build(["1", strange, f" {strange}"])
    assert strange not in str(caught.value)


def test_arrays_and_lists_make_equal_builders():
    builder = Intervals(widths=np.array([5, 10]))
    assert builder == Intervals(widths=(5, 10))
    assert hash(builder) == hash(Intervals(widths=[5, 10]))
    assert Intervals(cuts=np.array([[1, 2]])) == Intervals(cuts=[(1, 2)])


class TestClosedOnTheRight:
    @pytest.mark.parametrize(
        ("options", "value", "expected"),
        [
            ({"widths": [5, 10]}, "20", ["[16, 20]", "[11, 20]"]),
            ({"widths": [5, 10]}, "21", ["[21, 25]", "[21, 30]"]),
            ({"widths": [5]}, "0", ["[-4, 0]"]),
            ({"widths": [5]}, "-5", ["[-9, -5]"]),
            ({"widths": [1]}, "7", ["7"]),
            ({"widths": [5], "start": 2}, "7", ["[3, 7]"]),
            ({"widths": [0.1]}, "0.3", ["(0.2, 0.3]"]),
            ({"widths": [0.1]}, "0.31", ["(0.3, 0.4]"]),
            ({"widths": [0.5]}, "-0.5", ["(-1, -0.5]"]),
            ({"widths": [5]}, "20.5", ["(20, 25]"]),
            ({"cuts": [[18, 30, 65], [65]]}, "18", ["<= 18", "<= 65"]),
            ({"cuts": [[18, 30, 65], [65]]}, "19", ["[19, 30]", "<= 65"]),
            ({"cuts": [[18, 30, 65], [65]]}, "65", ["[31, 65]", "<= 65"]),
            ({"cuts": [[18, 30, 65], [65]]}, "66", ["> 65", "> 65"]),
            ({"cuts": [[0.5, 2]]}, "1.9", ["(0.5, 2]"]),
        ],
    )
    def test_worked_bounds(self, options, value, expected):
        tree = Intervals(**options, closed="right").build([value])
        assert tree.rows == ((value, *expected, "*"),)

    @given(
        values=st.lists(
            st.one_of(decimals, wholes), min_size=1, max_size=12, unique_by=Fraction
        ),
        width=st.decimals("0.001", 50, places=3).filter(bool),
        many=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    )
    def test_labels_are_read_as_the_ranges_that_hold_the_value(
        self, values, width, many
    ):
        parts = [math.prod(many[at:]) for at in range(len(many))]
        for options in (
            {"widths": [width, width * 2]},
            {"cuts": [sorted({*map(Decimal, values)})]},
            {"quantiles": parts},
        ):
            tree = Intervals(**options, closed="right").build(values)
            for value, *labels, _ in tree.rows:
                number = Fraction(value)
                for label in labels:
                    ends = parse_ends(label)
                    if ends is None:  # one whole number
                        assert Fraction(label) == number
                        continue
                    low = None if ends.low is None else Fraction(ends.low)
                    high = None if ends.high is None else Fraction(ends.high)
                    assert (
                        low is None
                        or low < number
                        or (low == number and not ends.low_open)
                    )
                    assert high is None or number <= high
                    assert not ends.high_open

    def test_quantiles_hold_about_equally_many_values(self):
        values = [str(i * i) for i in range(12)]
        tree = Intervals(quantiles=[6, 3], closed="right").build(values)
        for level, expected in ((1, 2), (2, 4)):
            assert set(tree.level(level).leaf_counts) == {expected}
        assert tree.rows[0][1:] == ("<= 1", "<= 9", "*")
        assert tree.rows[-1][1:] == ("[82, 121]", "[50, 121]", "*")

    def test_later_values_fall_on_the_same_side(self):
        tree = Intervals(widths=[5], closed="right").build(["3", "12"])
        places, since = tree.meet(["5", "6", "11"])
        assert tree.leaves[places[0]] == "3"
        assert since.tolist()[:2] == [1, 2]

    def test_another_side_is_refused(self):
        with pytest.raises(ParameterError, match=r"closed: .*'both'"):
            Intervals(widths=[5], closed="both")


@pytest.mark.parametrize(
    "whole, labels",
    [
        (None, ["[20, 29]", "[30, 39]"]),
        (True, ["[20, 29]", "[30, 39]"]),
        (False, ["[20, 30)", "[30, 40)"]),
    ],
)
def test_ranges_are_for_whole_numbers_as_stated(whole, labels):
    tree = Intervals(widths=(10,), whole=whole).build(["20", "30"])
    assert [row[1] for row in tree.rows] == labels


def test_stated_ranges_of_whole_numbers_refuse_others_without_naming_them():
    with pytest.raises(DataError, match="1 values are not whole") as caught:
        Intervals(widths=(10,), whole=True).build(["20", "95.5"])
    assert "95" not in str(caught.value)


def test_whole_is_true_false_or_open():
    with pytest.raises(ParameterError, match="whole"):
        Intervals(widths=(10,), whole="yes")
