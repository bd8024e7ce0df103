"""What a group publishes, against a reading of its cells one by one."""

from collections import Counter
from math import fsum

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers._data.columns import encode
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.microaggregation._centers import publish_centers

LANDS = [
    ("at", "alps", "*"),
    ("ch", "alps", "*"),
    ("es", "iberia", "*"),
    ("pt", "iberia", "*"),
    ("fr", "france", "*"),
]
GRADES = ["low", "mid", "high", "top"]
TREES = {"land": Hierarchy(LANDS)}
CELLS = {
    "number": st.integers(-5, 5).map(lambda n: n / 3),
    "born": st.integers(0, 60).map(
        lambda n: pd.Timestamp("2020-02-20") + pd.Timedelta(n, "h")
    ),
    "grade": st.sampled_from(GRADES),
    "job": st.sampled_from("dacb"),
    "land": st.sampled_from([row[0] for row in LANDS]),
}


@st.composite
def columns(draw, gaps=True):
    """A column of any kind, and the groups of its rows."""
    name = draw(st.sampled_from(list(CELLS)))
    cell = st.one_of(st.none(), CELLS[name]) if gaps else CELLS[name]
    cells = draw(st.lists(cell, min_size=1, max_size=24))
    groups = draw(st.lists(st.integers(0, 3), min_size=len(cells), max_size=len(cells)))
    dtype = {"number": float, "born": "M8[us]"}.get(name, object)
    series = pd.Series(cells, dtype=dtype, name=name)
    if name == "grade":
        series = series.astype(pd.CategoricalDtype(GRADES, ordered=True))
    # Groups are numbered without a gap.
    return series, np.unique(groups, return_inverse=True)[1]


def center_of(name, cells):
    """What a group should publish, by the definition."""
    known = [cell for cell in cells if not pd.isna(cell)]
    if 2 * len(known) < len(cells) or not known:
        return None
    if name == "number":
        return fsum(known) / len(known)
    if name == "born":
        first = min(known)
        total = sum((cell - first for cell in known), pd.Timedelta(0))
        return first + pd.Timedelta(total.value // len(known), "ns").floor("us")
    if name == "grade":
        return sorted(known, key=GRADES.index)[(len(known) - 1) // 2]
    if name == "land":
        return min(TREES["land"].leaves, key=lambda leaf: summed_height(leaf, known))
    counts = Counter(known)
    return min(known, key=lambda cell: (-counts[cell], cell))


def summed_height(leaf, cells):
    own = next(row for row in LANDS if row[0] == leaf)
    rows = [next(row for row in LANDS if row[0] == cell) for cell in cells]
    return sum(next(at for at in range(3) if own[at] == row[at]) for row in rows)


def published(series, group_of):
    column = encode(series, TREES.get(series.name))
    return publish_centers(column, group_of, int(group_of.max()) + 1)


@given(columns())
def test_centers_are_what_they_are_said_to_be(drawn):
    series, group_of = drawn
    found = published(series, group_of)
    for group in range(int(group_of.max()) + 1):
        cells = series[group_of == group].tolist()
        expected = center_of(series.name, cells)
        center = found.labels[found.codes[group]]
        if expected is None:
            assert pd.isna(center)
        elif series.name == "number":
            assert center == pytest.approx(expected, rel=1e-14, abs=1e-16)
        else:
            assert center == expected


@given(columns(), st.randoms(use_true_random=False))
def test_no_order_of_rows_shows(drawn, random):
    series, group_of = drawn
    order = list(range(len(series)))
    random.shuffle(order)
    one, other = published(series, group_of), published(series[order], group_of[order])
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.shares, other.shares)


def covered_share(series, cells):
    """Share of the domain that the cells of a group cover; no cell is missing."""
    name = series.name
    if name in {"number", "born"}:
        domain = series.max() - series.min()
        return (max(cells) - min(cells)) / domain if domain else 0.0
    if name == "land":
        rows = [row for row in LANDS if row[0] in cells]
        level = next(at for at in range(3) if len({row[at] for row in rows}) == 1)
        below = sum(row[level] == rows[0][level] for row in LANDS)
        return (below - 1) / (len(LANDS) - 1)
    values = sorted(set(series), key=GRADES.index if name == "grade" else str)
    if name == "grade":
        covered = values.index(max(cells, key=values.index)) - values.index(
            min(cells, key=values.index)
        )
    else:
        covered = len(set(cells)) - 1
    return covered / ((len(values) - 1) or 1)


@given(columns(gaps=False))
def test_the_loss_is_what_the_groups_cover(drawn):
    series, group_of = drawn
    found = published(series, group_of)
    by_row = replace_codes(found, found.codes[group_of])
    total = sum(
        covered_share(series, series[group_of == group].tolist())
        * (group_of == group).sum()
        for group in range(int(group_of.max()) + 1)
    )
    hidden = np.zeros(len(series), dtype=bool)
    assert by_row.loss(hidden) == pytest.approx(total / len(series), abs=1e-12)


def replace_codes(column, codes):
    return type(column)(codes, column.labels, column.shares, column.zone)


@given(columns())
def test_shares_are_shares(drawn):
    found = published(*drawn)
    assert ((found.shares >= 0) & (found.shares <= 1)).all()


def test_half_missing_is_not_mostly_missing():
    series = pd.Series([1.0, None, 5.0, None, None, None])
    found = published(series, np.array([0, 0, 1, 1, 1, 2]))
    assert found.labels[found.codes[0]] == 1
    assert np.isnan(found.labels[found.codes[1:]]).all()


def test_of_two_medians_the_lower_and_of_two_modes_the_first():
    grades = pd.Series(
        pd.Categorical(["top", "low", "mid", "high"], GRADES, ordered=True)
    )
    assert published(grades, np.zeros(4, dtype=int)).labels.tolist() == ["mid"]
    jobs = pd.Series(["b", "a", "b", "a", "c"])
    assert published(jobs, np.zeros(5, dtype=int)).labels.tolist() == ["a"]


def test_kin_count_in_a_hierarchy():
    # fr is as frequent as pt, but five of eight cells are Iberian.
    lands = ["fr", "fr", "fr", "pt", "pt", "pt", "es", "es"]
    together = np.zeros(8, dtype=int)
    with_tree = published(pd.Series(lands, name="land"), together)
    without = published(pd.Series(lands, name="job"), together)
    assert with_tree.labels.tolist() == ["pt"]
    assert without.labels.tolist() == ["fr"]


def test_moments_stay_in_their_zone():
    moments = pd.Series(pd.to_datetime(["2020-01-01", "2020-01-03"])).dt.tz_localize(
        "Europe/Vienna"
    )
    found = published(moments, np.zeros(2, dtype=int))
    cells = replace_codes(found, np.zeros(2, dtype=int)).decode(np.zeros(2, bool), "*")
    assert list(cells) == [pd.Timestamp("2020-01-02", tz="Europe/Vienna")] * 2


def test_a_leaf_that_stands_for_all_values_covers_all():
    tree = Hierarchy(LANDS, unknown="root")
    column = encode(pd.Series(["at", "xx", "xx"]), tree)
    found = publish_centers(column, np.zeros(3, dtype=int), 1)
    assert found.labels.tolist() == ["*"]
    assert found.shares.tolist() == [1.0]
