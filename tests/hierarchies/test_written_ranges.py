"""Ranges that a source wrote itself."""

import itertools
import random
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.labels import parse_ends
from anon_transformers.hierarchies import suggest_hierarchy
from anon_transformers.hierarchies._groups import ordered_levels
from anon_transformers.hierarchies._written_ranges import (
    are_ranges,
    in_order,
    joined_label,
    read_range,
)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("[70-80)", 70, 80),
        ("70-79", 70, 79),
        ("(70, 80]", 70, 80),
        ("5 to 9", 5, 9),
        ("0-4 years", 0, 4),
        ("25.0_to_29.9", "25.0", "29.9"),
        ("$10,000 - $14,999", 10_000, 14_999),
        ("10-19k", 10_000, 19_000),
        ("<5", None, 5),
        ("under 5", None, 5),
        ("65+", 65, None),
        (" 70+", 70, None),
        ("65 and over", 65, None),
        ("more 99999", 99_999, None),
        ("30.0_plus", "30.0", None),
        ("7", 7, 7),
    ],
)
def test_what_is_read(text, low, high):
    read = read_range(text)
    assert read.low == (None if low is None else Decimal(low))
    assert read.high == (None if high is None else Decimal(high))


@pytest.mark.parametrize(
    "text", ["NO", "V45", "12345-6789", "2020-01-31", "a-b", "", "1/2", "9-5", "*"]
)
def test_what_is_no_range(text):
    assert read_range(text) is None


def test_numbers_alone_and_words_among_ranges_are_no_ranges():
    assert not are_ranges(["1", "2", "3"])
    assert not are_ranges(["NO", "<30", ">30"])
    assert are_ranges(["0", "1-4", "5+"])


AGES = [f"[{low}-{low + 10})" for low in range(0, 120, 10)]


@given(st.permutations(AGES))
def test_ages_are_joined_by_order_and_not_by_spelling(ages):
    assert in_order(ages) == AGES
    tree = {row[0]: row[1:] for row in suggest_hierarchy(ages).hierarchy.rows}
    # As texts, [100-110) lies between [10-20) and [20-30).
    assert tree["[100-110)"] == ("[100, 120)", "[80, 120)", "[80, 120)", "*")
    assert tree["[10-20)"][0] == "[0, 20)"


@given(
    st.lists(st.integers(0, 500), min_size=3, max_size=30, unique=True),
    st.randoms(use_true_random=False),
)
def test_a_joined_label_covers_its_ranges_and_nothing_that_lies_between_others(
    cuts, draw: random.Random
):
    ends = sorted(cuts)
    texts = [f"{a}-{b - 1}" for a, b in itertools.pairwise(ends)]
    shuffled = draw.sample(texts, len(texts))
    for level in ordered_levels(shuffled):
        for label in set(level):
            held = [t for t, own in zip(shuffled, level, strict=True) if own == label]
            lows = [int(t.split("-")[0]) for t in held]
            highs = [int(t.split("-")[1]) for t in held]
            if len(held) == 1:
                assert label == held[0]
                continue
            ends_of = parse_ends(label)
            assert (int(ends_of.low), int(ends_of.high)) == (min(lows), max(highs))
            others = [t for t in texts if t not in held]
            assert not any(
                min(lows) <= int(t.split("-")[0]) <= max(highs) for t in others
            )


def test_open_ends_stay_open():
    assert joined_label(["<5", "5-9"]) == "<= 9"
    assert joined_label(["60-64", "65+"]) == ">= 60"
    assert joined_label(["(0-5]", "(5-9]"]) == "(0, 9]"
