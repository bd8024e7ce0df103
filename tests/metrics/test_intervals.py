"""Labels of ranges, read back."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.labels import range_label
from anon_transformers.hierarchies import Intervals
from anon_transformers.metrics import Interval, parse_interval
from anon_transformers.partitioning import MondrianAnonymizer

INF = math.inf


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("20", (20, 20, False, False)),
        ("-1.5", (-1.5, -1.5, False, False)),
        ("1e3", (1000, 1000, False, False)),
        ("[20, 35]", (20, 35, False, False)),
        ("[-5, -1]", (-5, -1, False, False)),
        ("[20,35]", (20, 35, False, False)),
        ("[20, 30)", (20, 30, False, True)),
        ("[20, 30[", (20, 30, False, True)),
        ("]20, 30]", (20, 30, True, False)),
        ("(20, 30]", (20, 30, True, False)),
        ("20-39", (20, 39, False, False)),
        ("[15-25]", (15, 25, False, False)),
        ("-5--1", (-5, -1, False, False)),
        ("-5-3", (-5, 3, False, False)),
        (">=80", (80, INF, False, False)),
        (">= 80", (80, INF, False, False)),
        ("> 80", (80, INF, True, False)),
        ("< 20", (-INF, 20, False, True)),
        ("<=19", (-INF, 19, False, False)),
        ("[20, 35] or missing", (20, 35, False, False)),
        ("20 or missing", (20, 20, False, False)),
    ],
)
def test_every_form_is_read(label, expected):
    assert parse_interval(label) == Interval(*expected)


@pytest.mark.parametrize(
    "label",
    ["*", "", "any", "Europe", "[a, b]", "[20, 35", "20-39]", "[39, 20]", "39-20",
     "{1, 2}", "2020-01-01", "[2020-01-01, 2020-12-31]", '"[1, 2]"', ">= x", "nan",
     "12345-6789-1"],
)  # fmt: skip
def test_anything_else_is_no_range(label):
    assert parse_interval(label) is None


def test_the_middle_of_the_source(vectors):
    vector = vectors["interval-aggregates"]
    found = parse_interval(vector["input"]["interval"])
    wanted = vector["expected"]
    assert (found.low, found.high) == (wanted["lower"], wanted["upper"])
    assert found.middle == wanted["midpoint"]


@given(st.integers(-200, 200), st.integers(0, 50))
def test_published_ranges_are_read_back(low, width):
    found = parse_interval(range_label(str(low), str(low + width)))
    assert (found.low, found.high) == (low, low + width)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=30, unique=True))
def test_a_value_lies_in_the_range_of_its_hierarchy(numbers):
    rows = Intervals(widths=(5, 20)).build([str(n) for n in numbers]).rows
    for value, *labels, _ in rows:
        for label in labels:
            assert parse_interval(label).contains(np.array([float(value)])).all()


@pytest.mark.parametrize("boxes", ["tight", "cuts"])
def test_a_value_lies_in_the_range_of_its_box(boxes):
    ages = np.random.default_rng(0).integers(0, 100, 60)
    published = MondrianAnonymizer(k=5, boxes=boxes).fit_transform(ages[:, None])
    found = [parse_interval(label) for label in published[:, 0]]
    assert len(set(published[:, 0])) > 2
    assert all(f.contains(np.array([a])) for f, a in zip(found, ages, strict=True))
