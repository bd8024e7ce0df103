"""Values that come after a hierarchy by data type was built: its rule goes on."""

import pickle

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anon_transformers.hierarchies import ByDataType, Hierarchy


def decimals_of(text):
    return text.partition(".")[2]


def cut_int(text, level):
    number = int(text)
    size = abs(number) // 10**level * 10**level
    return str(-size if number < 0 else size)


def cut_double(text, fitted, level):
    """Section 3.3, step by step, with the decimals of the fitted column."""
    counts = [len(decimals_of(value)) for value in fitted]
    first = min(counts) if max(counts) > min(counts) else min(counts) - 1
    left = first - (level - 1)
    whole, _, decimals = text.partition(".")
    if left < 0:
        return cut_int(whole, -left)
    shown = whole + ("." + decimals[:left] if left and decimals else "")
    return shown if float(shown) else shown.lstrip("-")


def cut_date(text, level):
    day_month_year = text.split("/")
    if level <= 2:
        return "/".join(day_month_year[level:])
    return cut_int(day_month_year[2], level - 2)


def cut_string(text, fitted, level):
    lengths = [len(value) for value in fitted]
    first = min(lengths) if max(lengths) > min(lengths) else min(lengths) - 1
    left = first - (level - 1)
    return text[:left] if left > 0 else "*"


CUTS = {
    "char": lambda text, fitted, level: "*",
    "int": lambda text, fitted, level: cut_int(text, level),
    "double": cut_double,
    "date": lambda text, fitted, level: cut_date(text, level),
    "string": cut_string,
}
DRAWS = {
    "char": st.text(min_size=1, max_size=1),
    "int": st.integers(-2000, 2000).map(str),
    "double": st.integers(0, 3).flatmap(
        lambda places: st.decimals(-200, 200, allow_nan=False, places=places).map(str)
    ),
    "date": st.dates().map(lambda d: f"{d:%d/%m/}{d.year:04}"),
    "string": st.text("abé", min_size=1, max_size=6),
}


@st.composite
def typed(draw):
    """A type, the values that were there, and others."""
    name = draw(st.sampled_from(sorted(CUTS)))
    # Decimal calls it -0; a column of numbers has no such text.
    values = DRAWS[name].map(lambda text: "0" if text == "-0" else text)
    fitted = draw(st.lists(values, min_size=1, max_size=8, unique=True))
    return name, fitted, draw(st.lists(values, max_size=8))


@given(typed())
@example(("int", ["1234", "87"], ["1299", "9", "12345", "-87"]))
@example(("double", ["1.25", "3.5"], ["1.2999", "3", "1.2", "11.5", "-0.04"]))
@example(("double", ["5"], ["1.25"]))
@example(("double", ["1210", "1220"], ["1215.7", "12.5", "-0.5", "-1219.99"]))
@example(("string", ["anon", "anonymous"], ["anonimo", "an", "b"]))
def test_the_labels_are_those_of_the_rule_that_was_fitted(case):
    name, fitted, others = case
    tree = ByDataType(name).build(fitted)
    leaves, levels = tree.meet(others)
    for text, leaf, since in zip(others, leaves, levels, strict=True):
        steps = range(1, tree.n_levels)
        chain = [text, *(CUTS[name](text, fitted, level) for level in steps)]
        known = [label in tree.level(level).labels for level, label in enumerate(chain)]
        if not any(known):
            assert leaf == -1
            assert chain[-1] != tree.root
            continue
        assert since == known.index(True)
        assert tree.rows[leaf][since:] == tuple(chain[since:])


@given(typed())
def test_what_was_there_is_itself(case):
    name, fitted, _ = case
    tree = ByDataType(name).build(fitted)
    leaves, levels = tree.meet(fitted)
    assert [tree.leaves[leaf] for leaf in leaves] == fitted
    assert not levels.any()


@given(typed())
def test_built_at_once_or_row_by_row_it_is_the_same_tree(case):
    name, fitted, _ = case
    rows = [
        (value, *above)
        for value, above in zip(fitted, ByDataType(name).ancestors(fitted), strict=True)
    ]
    by_rows, by_rule = Hierarchy(rows), ByDataType(name).build(fitted)
    assert by_rows.rows == by_rule.rows
    for level in range(by_rule.n_levels):
        for one, other in zip(by_rows.level(level), by_rule.level(level), strict=True):
            assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("type", "fitted", "strange"),
    [
        pytest.param("int", ["12", "345"], "1234", id="more digits"),
        pytest.param("int", ["12"], "1.5", id="no whole number"),
        pytest.param("double", ["1.5", "2.25"], "10.5", id="more digits of a double"),
        pytest.param("double", ["1.5", "2.25"], "x", id="no number"),
        pytest.param("date", ["01/02/2003"], "2003-02-01", id="no such date"),
        pytest.param("char", ["a"], "ab", id="two characters"),
    ],
)
@pytest.mark.parametrize("unknown", ["error", "root", "suppress"])
def test_what_the_rule_is_not_for_goes_by_the_policy(type, fitted, strange, unknown):
    tree = ByDataType(type, unknown=unknown).build(fitted)
    leaves, _ = tree.meet([strange])
    assert leaves.tolist() == [-1]
    (place,) = tree.apply_policy(leaves)
    if unknown == "root":
        # Not the root below the top: 0 would be a number.
        assert tree.rows[place] == (*["*"] * (tree.n_levels - 1), tree.root)
    else:
        assert place == -1


def test_a_table_has_no_rule():
    tree = Hierarchy(ByDataType("int").build(["11", "12"]).rows)
    assert tree.rule is None
    assert tree.meet(["12", "13"])[0].tolist() == [1, -1]
    # They treat other values differently: they are not the same.
    assert tree != ByDataType("int").build(["11", "12"])


def test_the_rule_survives_a_copy():
    tree = ByDataType("string").build(["abcd", "ab"])
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert again.meet(["abx"])[1].tolist() == tree.meet(["abx"])[1].tolist() == [1]


def test_levels_are_made_of_what_the_normalizer_makes_of_the_values():
    tree = ByDataType("string", normalizer="fold").build(["Anna", "ANNE", "bert"])
    assert tree.rows[0] == ("Anna", "ann", "an", "a", "*")
    assert tree.rows[1] == ("ANNE", "ann", "an", "a", "*")
    leaves, levels = tree.meet(["ANNI", "Ánna", "anna"])
    assert leaves.tolist() == [0, 0, 0]
    assert levels.tolist() == [1, 0, 0]


def test_what_the_normalizer_makes_nothing_of_is_a_text_still():
    tree = ByDataType(normalizer="fold").build(["  ", "ab"])
    assert dict(zip(tree.leaves, tree.rows, strict=True))["  "] == ("  ", " ", "*")


def test_numbers_of_any_length_are_cut():
    digits = "9" * 5000
    tree = ByDataType().build([digits, "-1" + "0" * 4999])
    assert tree.n_levels - 1 == 5000
    assert tree.level(1).labels.tolist()[0] == "9" * 4999 + "0"


@pytest.mark.parametrize(
    ("values", "of", "expected"),
    [
        (["007.5", "7.5"], "007.5", ["007.5", "7", "0"]),
        (["+3.25", "1.5"], "+3.25", ["+3.25", "3.2", "3", "0"]),
        (["-0.0", "0.04"], "-0.0", ["-0.0", "0.0", "0", "0"]),
    ],
)
def test_one_number_has_one_label_above_the_ground(values, of, expected):
    rows = ByDataType("double").build(values).rows
    assert list(next(row for row in rows if row[0] == of)) == expected
