"""Generalized tables: against every assignment of rows."""

from itertools import permutations, product

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.attacks import distance_vector, is_generalization
from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies import Hierarchy

TREE = Hierarchy.from_groups({"low": ["a", "b"], "high": {"higher": ["c"]}}, root="all")
LABELS = sorted({label for row in TREE.rows for label in row})
ground = st.tuples(st.sampled_from("abc"), st.sampled_from("uv"))
shown = st.tuples(st.sampled_from([*LABELS, "*"]), st.sampled_from("uv"))


def frame(rows):
    return pd.DataFrame(rows, columns=["x", "s"], dtype=object)


def above(value, level):
    return next(row[level] for row in TREE.rows if row[0] == value)


def fits(level, one, two, hidden):
    """Whether one original row may stand behind a published one."""
    if one[1] != two[1]:
        return False
    return two[0] == above(one[0], level) or (hidden and two[0] == "*")


def twin(original, published, suppressed_allowed):
    enough = len(original) >= len(published)
    if not suppressed_allowed:
        enough = len(original) == len(published)
    return enough and any(
        all(
            fits(level, original[at], row, suppressed_allowed)
            for at, row in zip(chosen, published, strict=True)
        )
        for level in range(TREE.n_levels)
        for chosen in permutations(range(len(original)), len(published))
    )


@given(
    st.lists(ground, min_size=1, max_size=4),
    st.lists(shown, max_size=4),
    st.booleans(),
)
def test_against_every_assignment(original, published, allowed):
    found = is_generalization(frame(original), frame(published), {"x": TREE}, allowed)
    assert found is twin(original, published, allowed)


@given(st.lists(ground, min_size=1, max_size=6), st.integers(0, 3), st.randoms())
def test_what_was_generalized_is_a_generalization(original, level, rng):
    published = [(above(x, level), s) for x, s in original]
    rng.shuffle(published)
    hidden = [("*", published[0][1]), *published[1:]]
    odd = frame(published).set_index(pd.Index([7] * len(published)))
    assert is_generalization(frame(original), odd, {"x": TREE}, False)
    assert is_generalization(frame(original), frame(hidden), {"x": TREE})
    assert is_generalization(frame(original), frame(published[1:]), {"x": TREE})
    found = distance_vector(frame(original), odd, {"x": TREE}, False)
    assert found["s"] == 0
    assert [above(x, found["x"]) for x, _ in original] == [
        above(x, level) for x, _ in original
    ]


def test_levels_are_one_a_column():
    original = frame(list(product("abc", "u")))
    mixed = frame([("low", "u"), ("low", "u"), ("all", "u")])
    assert not is_generalization(original, mixed, {"x": TREE})
    assert distance_vector(original, mixed, {"x": TREE}) is None


def test_a_missing_value_stays_missing():
    original = frame([("a", "u"), (None, "u")])
    assert is_generalization(original, frame([("low", "u"), (None, "u")]), {"x": TREE})
    assert not is_generalization(
        original, frame([("low", "u"), ("low", "u")]), {"x": TREE}
    )


def test_columns_may_be_left_out_but_not_added():
    original = frame([("a", "u")])
    assert is_generalization(original, frame([("low", "u")])[["x"]], {"x": TREE})
    with pytest.raises(DataError, match="unknown column 'z'"):
        is_generalization(original, original.assign(z=1), {"x": TREE})


def test_a_value_without_a_place_is_an_error_that_does_not_show_it():
    with pytest.raises(DataError, match="'x' holds values in 1 rows") as error:
        is_generalization(frame([("Zebedee", "u")]), frame([("low", "u")]), {"x": TREE})
    assert "Zebedee" not in str(error.value)


@pytest.mark.parametrize(
    ("published", "holds"),
    [
        ([("*", "u")], True),
        ([("*", "v")], False),
        ([("low", "u"), ("*", "u")], False),
        ([("low", "u"), ("*", "w")], True),
    ],
)
def test_a_suppressed_row_still_shows_its_other_columns(published, holds):
    original = frame([("a", "u"), ("c", "w")])
    assert is_generalization(original, frame(published), {"x": TREE}) is holds
