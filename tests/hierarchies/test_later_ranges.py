"""Values that come after ranges, masks and dates were built: their rules go on."""

import pickle
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.hierarchies import DateParts, Hierarchy, Intervals, Masking


def meets(builder, fitted, others):
    """For each other value its groups from where it met the tree; None if nowhere."""
    tree = builder.build(fitted)
    leaves, levels = tree.meet(others)
    return [
        None if leaf < 0 else tree.rows[leaf][since:]
        for leaf, since in zip(leaves, levels, strict=True)
    ]


@pytest.mark.parametrize(
    ("builder", "fitted", "other", "expected"),
    [
        (Intervals(widths=[5]), ["20", "24"], "22", ("[20, 24]", "*")),
        (Intervals(widths=[5]), ["20", "24"], "22.0", ("[20, 24]", "*")),
        (Intervals(widths=[5]), ["20", "24"], "25", ("*",)),
        # Between [20, 24] and [25, 29] there is nothing.
        (Intervals(widths=[5]), ["20", "24"], "24.5", None),
        (Intervals(widths=[5]), ["20.5"], "24.5", ("[20, 25)", "*")),
        (Intervals(widths=[5]), ["20"], "many", None),
        (Intervals(cuts=[[18, 65], [65]]), ["3", "70"], "17", ("< 18", "< 65", "*")),
        (Intervals(cuts=[[18, 65], [65]]), ["3", "70"], "20", ("< 65", "*")),
        # Quantiles are those of the fitted column.
        (Intervals(quantiles=[2]), ["1", "2", "3", "9"], "8", (">= 3", "*")),
        (Intervals(quantiles=[2]), ["1", "2", "3", "9"], "0", ("*",)),
        (Masking(), ["810", "8"], "819", ("81*", "8**", "*")),
        (Masking(), ["810", "8"], "89", ("8**", "*")),
        (Masking(), ["810"], "9", ("*",)),
        (Masking(), ["810"], "8100", None),
        (Masking(side="left", step=2), ["8105"], "9905", ("**05", "*")),
        (DateParts(("month",)), ["2020-01-01"], "2020-01-15", ("2020-01", "*")),
        (DateParts(("month",)), ["2020-01-01"], "2020-01-15T10:30:00",
         ("2020-01", "*")),
        (DateParts(("month", "year")), ["2020-01-01"], "2020-02-01", ("2020", "*")),
        (DateParts(), ["2020-01-01"], "soon", None),
    ],
)  # fmt: skip
def test_worked_examples(builder, fitted, other, expected):
    assert meets(builder, fitted, [*fitted, other])[-1] == expected


# What a builder takes from its column (whole numbers or not, the longest text) is the
# same in all columns of a case, so that later values can be built beside the others.
CASES = {
    "dates": (DateParts(), "2020-02-29", st.dates().map(str)),
    "widths": (Intervals(widths=[5, 20], start=3), "7", st.integers(-99, 99).map(str)),
    "decimals": (
        Intervals(widths=[Decimal("0.25"), 2]),
        "0.37",
        st.decimals(-9, 9, allow_nan=False, places=2).map(str),
    ),
    "cuts": (Intervals(cuts=[[-7, 0, 18], [0]]), "7", st.integers(-99, 99).map(str)),
    "masks": (Masking(), "bbb", st.text("ab1", min_size=1, max_size=3)),
    "left": (
        Masking(side="left", step=2),
        "bbb",
        st.text("ab", min_size=1, max_size=3),
    ),
}


@st.composite
def columns(draw):
    """A builder, the values that were there, and others."""
    builder, always, values = CASES[draw(st.sampled_from(sorted(CASES)))]
    fitted = draw(st.lists(values, max_size=8))
    return builder, [always, *fitted], draw(st.lists(values, max_size=8))


@given(columns())
def test_later_values_go_where_they_would_have_gone(case):
    builder, fitted, others = case
    tree = builder.build(fitted)
    together = {row[0]: row for row in builder.build([*fitted, *others]).rows}
    for other, found in zip(others, meets(builder, fitted, others), strict=True):
        chain = together[other]
        since = next(
            level
            for level, label in enumerate(chain)
            if label in tree.level(level).labels
        )
        assert found == chain[since:]


@given(columns())
def test_the_tree_is_that_of_its_rows(case):
    builder, fitted, _ = case
    tree = builder.build(fitted)
    rows = [
        (value, *above, "*")
        for value, above in zip(fitted, builder.ancestors(fitted), strict=True)
    ]
    assert Hierarchy(dict.fromkeys(rows)).rows == tree.rows


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_rule_survives_a_copy(name):
    builder, value, _ = CASES[name]
    tree = builder.build([value])
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert hash(again) == hash(tree)
    assert tree != Hierarchy(tree.rows)
