"""Labels are read by the grammar that writes them."""

import string

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers import (
    DataflyAnonymizer,
    FullDomainAnonymizer,
    MDAVAnonymizer,
    MondrianAnonymizer,
)
from anon_transformers._data.columns import to_text
from anon_transformers._data.labels import range_label, set_label
from anon_transformers.exceptions import InfeasibleError, ParameterError
from anon_transformers.fuzzy import GlobalRecoder
from anon_transformers.hierarchies import Intervals, Masking
from anon_transformers.published import parse_label, parse_labels, parse_table


def read(*labels, **options):
    return parse_labels(pd.Series(labels, dtype=object), **options)


@pytest.mark.parametrize(
    ("label", "closed", "low", "high"),
    [
        ("[20, 29]", "both", 20, 29),
        ("[20, 30)", "left", 20, 30),
        ("(20, 30]", "right", 20, 30),
        ("[-5, -1]", "both", -5, -1),
        ("[-1.5, 2e3]", "both", -1.5, 2000),
        ("20-39", "both", 20, 39),
        ("< 20", "left", -np.inf, 20),
        (">= 80", "left", 80, np.inf),
        ("<= 18", "right", -np.inf, 18),
        ("> 65", "right", 65, np.inf),
        ("[20, 35] or missing", "both", 20, 35),
    ],
)
def test_one_range(label, closed, low, high):
    column = read(label)
    assert column.dtype.closed == closed
    assert column[0] == pd.Interval(low, high, closed=closed)


def test_whole_numbers_stay_whole():
    column = read("[9007199254740992, 9007199254740993]", "[1, 2]")
    assert column.dtype.subtype == np.int64
    assert column[0].right == 9007199254740993


def test_ranges_of_dates():
    column = read("[2020-01-01, 2020-12-31]", "2021-05-01", "*")
    assert column[0] == pd.Interval(
        pd.Timestamp("2020-01-01"), pd.Timestamp("2020-12-31"), closed="both"
    )
    assert column[1].left == column[1].right == pd.Timestamp("2021-05-01")
    assert pd.isna(column[2])


def test_open_ends_of_dates():
    column = read("< 2020-01-01", ">= 2020-01-01")
    assert pd.Timestamp("1900-01-01") in column[0]
    assert pd.Timestamp("2020-01-01") not in column[0]
    assert pd.Timestamp("2900-01-01") in column[1]


def test_moments_of_two_offsets_are_of_utc():
    column = read("[2020-03-29T01:00:00+01:00, 2020-03-29T03:00:00+02:00]")
    assert column[0].length == pd.Timedelta(hours=1)
    assert str(column[0].left.tz) == "UTC"


def test_a_single_value_among_half_open_ranges_is_a_point():
    column = read("[20, 30)", "35")
    assert column.tolist() == [
        pd.Interval(20, 30, closed="left"),
        pd.Interval(35, 35, closed="both"),
    ]


def test_any_is_everything_among_ranges_and_a_word_elsewhere():
    assert read("any", "[1, 2)")[0] == pd.Interval(-np.inf, np.inf, closed="left")
    assert read("any or missing", "[1, 2)")[0] == pd.Interval(
        -np.inf, np.inf, closed="left"
    )
    assert isinstance(read("any", "Low").dtype, pd.CategoricalDtype)


def test_suppressed_and_missing_are_missing():
    column = read("[20, 29]", "*", None)
    assert column.isna().tolist() == [False, True, True]
    assert read("[20, 29]", "hidden", suppression_label="hidden").isna()[1]


@pytest.mark.parametrize(
    "labels",
    [
        ("{a, b}", "c"),
        ("537**", "53711"),
        ("Europe", "[20, 29]"),
        ("007", "[008, 012]"),
        ('["a, b", c]', "d"),
        ("[2020-01-01, 2020-12-31]", "[20, 29]"),
        ("[2020-01-01, 2020-13-45]",),
        ("[2020-01-01T00:00:00Z, 2020-12-31]",),
        ("[30, 20]",),
    ],
)
def test_all_others_are_categories_as_they_were_published(labels):
    column = read(*labels)
    assert isinstance(column.dtype, pd.CategoricalDtype)
    assert column.tolist() == list(labels)


def test_numbers_and_dates_stay():
    assert read("20", "35").tolist() == [20, 35]
    assert read("20", "35").dtype == np.int64
    assert read("20", "*").tolist() == [20, pd.NA]
    assert read("1.5", "*").dtype == np.float64
    assert read("2020-01-01", "*")[0] == pd.Timestamp("2020-01-01")
    centers = pd.Series([1.5, np.nan])
    assert parse_labels(centers) is centers
    ranks = pd.Series(pd.Categorical(["b", "a"], ["b", "a"], ordered=True))
    assert parse_labels(ranks) is ranks


def test_index_and_name_stay():
    column = pd.Series(["[1, 2]", "*"], index=["x", "y"], name="age")
    found = parse_labels(column)
    assert (found.name, list(found.index)) == ("age", ["x", "y"])


def test_a_table_keeps_what_is_no_label():
    table = pd.DataFrame({"age": ["[1, 2]"], "pay": ["[1, 2]"]})
    found = parse_table(table, ["age"])
    assert found["pay"].tolist() == ["[1, 2]"]
    assert found["age"][0] == pd.Interval(1, 2, closed="both")
    with pytest.raises(ParameterError, match="unknown column 'agee'"):
        parse_table(table, ["agee"])


TEXTS = st.text(
    st.sampled_from(string.ascii_letters + string.digits + ' ,"\\[](){}<>=-*.'),
    min_size=1,
)


@given(TEXTS, TEXTS, st.booleans())
def test_every_range_of_texts_is_read_back(low, high, missing):
    if low == high:
        return
    found = parse_label(range_label(low, high, missing=missing))
    assert (found.ends.low, found.ends.high, found.missing) == (low, high, missing)


@given(st.lists(TEXTS, min_size=2, max_size=5, unique=True), st.booleans())
def test_every_set_is_read_back(members, missing):
    found = parse_label(set_label(members, missing=missing))
    assert (list(found.members), found.missing) == (members, missing)


AGES = {"age": Intervals(widths=(5, 10, 20))}
ZIPS = {"zip": Masking()}
DATES = pd.date_range("2020-01-30", periods=60, freq="31D")
METHODS = {
    "mondrian": MondrianAnonymizer(k=3),
    "cuts": MondrianAnonymizer(k=3, boxes="cuts"),
    "steps": MondrianAnonymizer(
        k=3,
        boxes="cuts",
        step={"age": 5, "born": "month"},
        domain={"age": [0, 100], "job": list("abcdef")},
        hierarchies=ZIPS,
    ),
    "relaxed": MondrianAnonymizer(k=3, mode="relaxed", duplicates="ignore"),
    "hierarchies": MondrianAnonymizer(k=3, hierarchies={**AGES, **ZIPS}),
    "full-domain": FullDomainAnonymizer(
        ["age", "zip"], k=3, hierarchies={**AGES, **ZIPS}, suppression_limit=0.5
    ),
    "datafly": DataflyAnonymizer(
        ["age", "zip"], k=3, hierarchies={**AGES, **ZIPS}, suppression_limit=0.5
    ),
    "fuzzy": GlobalRecoder(["age", "born"], k=3),
}


@st.composite
def tables(draw):
    n = draw(st.integers(6, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = pd.DataFrame(
        {
            "age": rng.integers(0, 100, n),
            "zip": rng.integers(10, 20, n).astype(str),
            "born": DATES[rng.integers(0, 60, n)],
            "job": rng.choice(list("abcdef"), n),
        }
    )
    if draw(st.booleans()):
        table["job"] = table["job"].mask(rng.random(n) < 0.2)
        table["born"] = table["born"].mask(rng.random(n) < 0.2)
    return table


def covers(cell, label, raw):
    """Whether a parsed cell covers a raw value; ``label`` is the published text."""
    if pd.isna(cell):
        return label == "*" if isinstance(label, str) else pd.isna(raw)
    said = parse_label(label)
    if pd.isna(raw):
        return said.missing
    if said.text == "any":  # of a column that is never cut
        return True
    if isinstance(cell, pd.Interval):
        return raw in cell
    text = to_text(pd.Series([raw]))[0]
    if not isinstance(cell, str):  # a number or a date
        return raw == cell or text == str(cell)
    if said.ends is not None:
        return said.ends.low <= text <= said.ends.high
    names = [name.rstrip("*") for name in said.members]
    return any(text == name or text.startswith(name) for name in names)


@pytest.mark.parametrize("method", METHODS)
@given(tables())
def test_every_label_is_read_as_what_it_covers(method, table):
    anonymizer = METHODS[method]
    try:
        published = anonymizer.fit_transform(table)
    except InfeasibleError:
        return
    if len(published) < len(table):
        table = table[~anonymizer.suppressed_mask_]
    parsed = parse_table(published, anonymizer.roles_.quasi_identifiers)
    for name in anonymizer.roles_.quasi_identifiers:
        for cell, label, raw in zip(
            parsed[name], published[name], table[name], strict=True
        ):
            assert covers(cell, label, raw), (name, cell, label, raw)
        if name == "age" and not published[name].isin(["any", "*"]).all():
            assert not isinstance(parsed[name].dtype, pd.CategoricalDtype)


@given(tables())
def test_centers_are_numbers_and_stay_so(table):
    mdav = MDAVAnonymizer(["age"], k=3, random_state=0).fit_transform(table)
    assert parse_table(mdav, ["age"])["age"].equals(mdav["age"])
    mondrian = MondrianAnonymizer(["age", "born"], k=3, output="center")
    centers = mondrian.fit_transform(table)
    assert parse_table(centers, ["age", "born"]).equals(centers)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["[70-80)", "[60, 80)"], [(70, 80, "left"), (60, 80, "left")]),
        (["5 to 9", "65+"], [(5, 9, "both"), (65, np.inf, "both")]),
        (["under 18", "18"], [(-np.inf, 18, "right"), (18, 18, "both")]),
    ],
)
def test_ranges_that_the_source_wrote_itself(labels, expected):
    # A hierarchy of such a column joins them in the grammar of labels.
    found = parse_labels(pd.Series(labels)).tolist()
    assert [(one.left, one.right) for one in found] == [e[:2] for e in expected]


@pytest.mark.parametrize(
    "labels", [["12345-6789"], ["A65+"], ["7 years"], ["[70-80)", "x"]]
)
def test_what_only_looks_like_a_range_stays_a_category(labels):
    assert parse_labels(pd.Series(labels)).dtype == "category"
