"""Values that a hierarchy does not know, and the boxes that cuts draw."""

from itertools import product

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anon_transformers import Hierarchy, MondrianAnonymizer
from anon_transformers.datasets import load_adult, load_adult_hierarchies
from anon_transformers.privacy import DistinctLDiversity

SEXES = [("f", "*"), ("m", "*")]
LANDS = [
    ("at", "alps", "*"),
    ("ch", "alps", "*"),
    ("es", "iberia", "*"),
    ("pt", "iberia", "*"),
    ("fr", "france", "*"),
]
ONE_GROUP = [("a", "letter", "*"), ("b", "letter", "*")]
OTHER_ROOT = [("a", "x", "all"), ("b", "y", "all"), ("c", "y", "all")]
LISTED_FIRST = [("*", "*", "*"), ("a", "x", "*"), ("b", "y", "*"), ("c", "y", "*")]
TREES = [SEXES, LANDS, ONE_GROUP, OTHER_ROOT, LISTED_FIRST]
STRANGE = ["nowhere", "?"]


def covers(rows, label, cell):
    """Whether a label may stand for a cell; unknown ones only the root does."""
    if pd.isna(label):
        return pd.isna(cell)
    text = label.removesuffix(" or missing")
    if pd.isna(cell):
        return text != label
    known = {row[0]: row for row in rows}
    return text in known[cell] if cell in known else text in {rows[0][-1], "*"}


def make(rows, unknown, **options):
    tree = Hierarchy(rows, unknown=unknown)
    options = {"boxes": "cuts", "suppression_label": "gone", **options}
    return MondrianAnonymizer(["v", "n"], hierarchies={"v": tree}, **options)


@st.composite
def tables(draw, strange, missing=True):
    """A tree, a table with values of it, and others where asked for."""
    rows = draw(st.sampled_from(TREES))
    values = [row[0] for row in rows if row[0] != "*"]
    choices = values + (STRANGE if strange else []) + ([None] if missing else [])
    cells = st.tuples(st.sampled_from(choices), st.integers(0, 9))
    drawn = draw(st.lists(cells, min_size=4, max_size=40))
    return rows, pd.DataFrame(drawn, columns=["v", "n"]).astype({"v": object})


def assert_covered(rows, published, table):
    kept = (published["v"] != "gone").to_numpy()
    pairs = zip(published["v"][kept], table["v"][kept], strict=True)
    wrong = [pair for pair in pairs if not covers(rows, *pair)]
    assert not wrong


@given(tables(strange=False), st.integers(1, 4))
@settings(deadline=None, max_examples=150)
def test_the_policy_costs_nothing_where_every_value_is_known(drawn, k):
    rows, table = drawn
    # Listed or not, what stands for unknown values is none of the known ones.
    plain = make([row for row in rows if row[0] != "*"], "error", k=k)
    open_ = make(rows, "root", k=k)
    expected, found = plain.fit_transform(table), open_.fit_transform(table)
    pd.testing.assert_frame_equal(found, expected)
    assert open_.report_.classes == plain.report_.classes
    pd.testing.assert_frame_equal(open_.transform(table), found)


@given(
    tables(strange=True),
    tables(strange=True),
    st.integers(1, 4),
    st.sampled_from(["cuts", "tight"]),
    st.sampled_from(["cuts", "suppress"]),
    st.sampled_from(["interval", "center"]),
)
@settings(deadline=None, max_examples=200)
def test_labels_cover_what_they_stand_for(drawn, more, k, boxes, outside, output):
    rows, table = drawn
    options = {"k": k, "boxes": boxes, "outside": outside, "output": output}
    fitted = make(rows, "root", **options)
    published = fitted.fit_transform(table)
    assert fitted.n_suppressed_ == 0
    assert published.groupby(["v", "n"], dropna=False).size().min() >= k
    assert_covered(rows, published, table)
    pd.testing.assert_frame_equal(fitted.transform(table), published)
    _, other = more
    known = {row[0] for row in rows}
    # What the other tree has and this one has not is unknown as well.
    strange = other[~other["v"].isin(known) & other["v"].notna()]
    if len(strange):
        assert_covered(rows, fitted.transform(strange), strange)


@given(tables(strange=True, missing=False), st.integers(1, 4))
@settings(deadline=None, max_examples=150)
def test_only_boxes_that_hold_one_publish_the_root_for_it(drawn, k):
    rows, table = drawn
    fitted = make(rows, "root", k=k)
    published = fitted.fit_transform(table)
    above = {row[0]: row for row in rows if row[0] != "*"}
    grid = pd.DataFrame(list(product(above, range(10))), columns=["v", "n"])
    leaves_of = grid["v"].groupby(labels_of(fitted.transform(grid))).agg(set)
    for labels, members in table["v"].groupby(labels_of(published)):
        if set(members) <= set(above):
            assert labels[0] == lowest_above(above, leaves_of[labels])
        else:
            assert labels[0] in {"*", rows[0][-1]}


def labels_of(published):
    return pd.Series(list(zip(published["v"], published["n"], strict=True)))


def lowest_above(above, leaves):
    """First label of any level that all leaves have there."""
    levels = zip(*(above[leaf] for leaf in leaves), strict=True)
    return next(level[0] for level in levels if len(set(level)) == 1)


def test_one_unknown_row_costs_its_box_only():
    table = pd.DataFrame({"v": ["f"] * 20 + ["m"] * 20, "n": [*range(20)] * 2})
    table.loc[39, "v"] = "x"
    published = make(SEXES, "root", k=5).fit_transform(table)
    assert published["v"].value_counts().to_dict() == {"f": 20, "m": 15, "*": 5}
    assert published["v"].tolist()[35:] == ["*"] * 5


@pytest.mark.parametrize("outside", ["cuts", "suppress"])
@pytest.mark.parametrize("boxes", ["cuts", "tight"])
def test_other_rows_with_unknown_values_are_suppressed_or_get_the_root(boxes, outside):
    options = {"k": 5, "boxes": boxes, "outside": outside}
    split = pd.DataFrame({"v": ["f"] * 5 + ["m"] * 5, "n": 1})
    strange = pd.DataFrame({"v": ["x"], "n": [1]})
    fitted = make(SEXES, "root", **options).fit(split)
    assert fitted.transform(strange)["v"].tolist() == ["gone"]
    joint = pd.DataFrame({"v": ["f", "m"] * 3, "n": 1})
    fitted = make(SEXES, "root", **options).fit(joint)
    # A tight box ends at what its members have, unless the cuts may lead beyond.
    covered = ["gone"] if boxes == "tight" and outside == "suppress" else ["*"]
    assert fitted.transform(strange)["v"].tolist() == covered


def test_models_hold_with_unknown_values():
    table = pd.DataFrame(
        {"v": ["f", "m", "x", "m"] * 10, "n": range(40), "ill": list("aabbc") * 8}
    )
    model = DistinctLDiversity(2)
    fitted = make(SEXES, "root", k=3, models=[model], sensitive=["ill"])
    published = fitted.fit_transform(table)
    classes = published.groupby(["v", "n"])["ill"]
    assert classes.size().min() >= 3
    assert classes.nunique().min() >= 2
    assert_covered(SEXES, published, table)


def test_the_races_of_adult():
    adult = load_adult()
    columns = ["age", "sex", "race"]
    found = {}
    for unknown in ("error", "suppress", "root"):
        trees = {
            name: Hierarchy(load_adult_hierarchies()[name].rows, unknown=unknown)
            for name in ("race", "sex")
        }
        done = MondrianAnonymizer(
            columns, k=5, boxes="cuts", step={"age": 5}, hierarchies=trees
        )
        found[unknown] = done.fit_transform(adult[columns]), done.report_.loss
    table, loss = found["root"]
    assert table["race"].value_counts()["Black"] > 2500
    for other, other_loss in (found["error"], found["suppress"]):
        pd.testing.assert_frame_equal(table, other)
        assert loss == pytest.approx(other_loss, abs=1e-3)
