"""Hierarchies: levels, common ancestors, files."""

import pickle
from copy import deepcopy

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.hierarchies import Hierarchy, fold
from anon_transformers.partitioning import MondrianAnonymizer

PETS = [
    ("cat", "mammal", "*"),
    ("cod", "fish", "*"),
    ("cow", "mammal", "*"),
    ("eel", "fish", "*"),
]


def test_leaves_of_a_group_stand_together_in_the_order_written():
    assert Hierarchy(PETS).leaves == ("cat", "cow", "cod", "eel")


def test_size():
    tree = Hierarchy(PETS)
    assert tree.n_levels == 3
    assert repr(tree) == "Hierarchy(4 values, 3 levels)"
    assert tree.rows[1] == ("cow", "mammal", "*")


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (0, 0, ("cat", 1)),
        (0, 1, ("mammal", 2)),
        (2, 3, ("fish", 2)),
        (1, 2, ("*", 4)),
        (0, 3, ("*", 4)),
    ],
)
def test_common_ancestors(first, last, expected):
    assert Hierarchy(PETS).common_ancestor(first, last) == expected


def test_equal_rows_make_equal_hierarchies():
    shuffled = [PETS[0], PETS[2], PETS[1], PETS[3]]
    assert Hierarchy(PETS) == Hierarchy(shuffled)
    assert hash(Hierarchy(PETS)) == hash(Hierarchy(shuffled))
    assert Hierarchy(PETS) != Hierarchy(PETS[:3])


names = st.text(min_size=1, max_size=4)


@st.composite
def trees(draw):
    """Rows whose groups are numbered, so that each value has one parent."""
    leaves = draw(st.lists(names, min_size=1, max_size=12, unique=True))
    parents = [draw(st.integers(0, 3)) for _ in leaves]
    return [
        (leaf, f"g{parent}", f"h{parent // 2}", "*")
        for leaf, parent in zip(leaves, parents, strict=True)
    ]


@given(trees(), st.data())
def test_the_common_ancestor_covers_its_leaves_and_is_the_lowest(rows, data):
    tree = Hierarchy(rows)
    first = data.draw(st.integers(0, len(rows) - 1))
    last = data.draw(st.integers(first, len(rows) - 1))
    name, n_leaves = tree.common_ancestor(first, last)
    level = next(
        level
        for level in range(tree.n_levels)
        if len({row[level] for row in tree.rows[first : last + 1]}) == 1
    )
    assert name == tree.rows[first][level]
    assert n_leaves == sum(row[level] == name for row in tree.rows)


@given(trees())
def test_every_group_is_a_run_of_leaves(rows):
    tree = Hierarchy(rows)
    assert sorted(tree.leaves) == sorted(row[0] for row in rows)
    for level in range(tree.n_levels):
        column = [row[level] for row in tree.rows]
        runs = [v for i, v in enumerate(column) if i == 0 or column[i - 1] != v]
        assert len(runs) == len(set(runs))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "at least one row"),
        ([("secret", "*"), ("b", "x", "*")], "row 2 .* has 3 levels, .* has 2"),
        ([("secret", "", "*")], "row 1 .* empty level"),
        ([("secret", "g", "*"), ("b", None, "*")], "row 2 .* empty level"),
        ([("secret", "g", "*"), ("b", float("nan"), "*")], "row 2 .* empty level"),
        ([("secret", "g", "*"), ("b", pd.NA, "*")], "row 2 .* empty level"),
        ([("secret", "g", "*"), (None, "g", "*")], "row 2 .* empty level"),
        ([("secret", " \t", "*"), ("b", "g", "*")], "row 1 .* empty level"),
        ([("secret", " ")], "row 1 .* empty level"),
        ([("secret", "*"), ("b", "all")], "row 2 .* another root"),
        ([("secret", "*"), ("b", "*"), ("secret", "*")], "row 3 .* repeats"),
        (
            [("a", "secret", "x", "*"), ("b", "secret", "y", "*")],
            "row 2 .* level 1 a second parent",
        ),
    ],
)
def test_a_fault_names_the_row_and_no_value(rows, said):
    with pytest.raises(DataError, match=said) as caught:
        Hierarchy(rows)
    assert "secret" not in str(caught.value)


def test_a_table_with_an_empty_cell():
    table = pd.DataFrame([["a", "g", "*"], ["b", None, "*"]])
    for rows in (table.to_numpy(), table.to_numpy().tolist()):
        with pytest.raises(DataError, match=r"row 2 .* empty level"):
            Hierarchy(rows)


def test_a_blank_may_be_a_ground_value():
    assert Hierarchy([(" ", "g", "*"), ("a", "g", "*")]).leaves == (" ", "a")


def test_cells_become_texts():
    assert Hierarchy([(20, "<30", "*"), (30, "30+", "*")]).leaves == ("20", "30")


class TestOtherShapes:
    def test_a_mapping_of_parents(self):
        tree = Hierarchy.from_mapping(
            {"cat": ["mammal", "animal"], "fern": "plant"}, root="any"
        )
        assert tree.rows == (
            ("cat", "mammal", "animal", "any"),
            ("fern", "plant", "plant", "any"),
        )

    def test_nested_groups_are_padded_to_one_depth(self):
        tree = Hierarchy.from_groups(
            {"EU": {"West": ["FR", "BE"], "South": ["IT"]}, "Asia": ["JP"]}
        )
        assert tree.rows == (
            ("FR", "West", "EU", "*"),
            ("BE", "West", "EU", "*"),
            ("IT", "South", "EU", "*"),
            ("JP", "Asia", "Asia", "*"),
        )

    @pytest.mark.parametrize("build", [Hierarchy.from_mapping, Hierarchy.from_groups])
    def test_nothing_makes_no_hierarchy(self, build):
        with pytest.raises(DataError, match="at least one row"):
            build({})

    def test_a_value_in_two_groups_is_refused(self):
        with pytest.raises(DataError, match=r"row 2 .* repeats a ground value"):
            Hierarchy.from_groups({"x": ["a"], "y": ["a"]})

    @pytest.mark.parametrize(
        "groups",
        [{"EU": "FR"}, {"EU": {"West": "FR"}}, {"EU": None}, {"EU": 5}, {"EU": b"x"}],
    )
    def test_a_group_that_is_no_list(self, groups):
        with pytest.raises(ParameterError, match="groups: a group holds a list of val"):
            Hierarchy.from_groups(groups)

    @pytest.mark.parametrize("parents", [{"a": None}, {1: 2}, {"a": "g", "b": b"g"}])
    def test_a_parent_that_is_no_text(self, parents):
        with pytest.raises(ParameterError, match="parents: above a value stands a gr"):
            Hierarchy.from_mapping(parents)

    def test_a_gap_among_the_parents(self):
        with pytest.raises(DataError, match=r"row 1 .* empty level"):
            Hierarchy.from_mapping({"a": ["g", None]})

    def test_options_go_through(self):
        tree = Hierarchy.from_mapping({"a": "g"}, unknown="root", normalizer="fold")
        assert tree.locate(["A", "z"]).tolist() == [0, 1]


class TestLevels:
    def test_codes_labels_and_leaf_counts(self):
        codes, labels, leaf_counts = Hierarchy(PETS).level(1)
        assert codes.tolist() == [0, 0, 1, 1]
        assert labels.tolist() == ["mammal", "fish"]
        assert leaf_counts.tolist() == [2, 2]

    @given(trees())
    def test_each_level_joins_groups_of_the_one_below(self, rows):
        tree = Hierarchy(rows)
        for level in range(1, tree.n_levels):
            below, above = tree.level(level - 1).codes, tree.level(level).codes
            assert len(set(zip(below, above, strict=True))) == below.max() + 1
        assert set(tree.level(tree.n_levels - 1).codes) == {0}
        assert all(tree.level(i).leaf_counts.sum() == len(rows) for i in range(4))


class TestUnknown:
    def test_by_default_a_strange_value_has_no_place(self):
        tree = Hierarchy(PETS)
        assert tree.locate(["eel", "dog"]).tolist() == [3, -1]
        assert "eel" in tree
        assert "dog" not in tree

    def test_as_root_it_is_the_root_at_every_level(self):
        tree = Hierarchy(PETS, unknown="root")
        (place,) = tree.locate(["dog"])
        assert tree.rows[place] == ("*", "*", "*")
        # What may be anything stands for all there is.
        assert tree.common_ancestor(place, place) == ("*", 5)
        assert tree.level(0).leaf_counts[place] == 5
        assert tree.level(1).leaf_counts.tolist() == [2, 2, 5]

    def test_the_policy_survives_a_file(self, tmp_path):
        tree = Hierarchy(PETS, unknown="root")
        tree.to_csv(tmp_path / "pets.csv")
        again = Hierarchy.read_csv(tmp_path / "pets.csv", unknown="root")
        assert again == tree
        # What stands for strangers is the policy's, not the file's.
        assert Hierarchy.read_csv(tmp_path / "pets.csv") == Hierarchy(PETS)

    def test_a_file_may_have_a_row_for_strangers(self):
        tree = Hierarchy([*PETS, ("*", "*", "*")], unknown="root")
        (place,) = tree.locate(["dog"])
        assert tree.rows[place] == ("*", "*", "*")
        assert tree.common_ancestor(place, place) == ("*", 5)

    def test_a_row_for_strangers_has_no_group(self):
        with pytest.raises(DataError, match=r"row 2 .* not known, and has a group"):
            Hierarchy([("a", "g", "*"), ("*", "g", "*")], unknown="root")

    def test_a_root_that_is_also_a_value_does_not_stand_for_strangers(self):
        tree = Hierarchy([("0", "0", "0"), ("5", "0", "0")], unknown="root")
        (place,) = tree.locate(["777"])
        assert tree.rows[place] == ("*", "*", "0")
        assert tree.level(0).leaf_counts.tolist() == [1, 1, 3]
        assert tree.level(2).labels.tolist() == ["0"]
        assert tree.common_ancestor(place, place) == ("*", 3)

    @pytest.mark.parametrize("policy", ["roots", None, ["root"]])
    def test_a_policy_that_does_not_exist(self, policy):
        with pytest.raises(ParameterError, match=r"unknown: .*'error', 'root', 'supp"):
            Hierarchy(PETS, unknown=policy)


class TestNormalizer:
    def test_case_accents_and_blanks_do_not_matter(self):
        tree = Hierarchy([("Zürich west", "CH", "*")], normalizer="fold")
        assert tree.locate(["  ZURICH   West", "zürich-west"]).tolist() == [0, -1]

    def test_a_function_of_ones_own(self):
        tree = Hierarchy([("a-1", "*")], normalizer=lambda t: t.replace("-", ""))
        assert tree.locate(["a1", "b1"]).tolist() == [0, -1]

    def test_two_values_that_become_one_are_refused_by_row(self):
        with pytest.raises(DataError, match=r"row 2 .* normalizer makes one") as caught:
            Hierarchy([("Secret", "*"), ("SECRET", "*")], normalizer="fold")
        assert "ecret" not in str(caught.value)

    def test_what_is_neither_fold_nor_a_function(self):
        with pytest.raises(ParameterError, match=r"normalizer .*'upper'"):
            Hierarchy(PETS, normalizer="upper")

    @given(st.text(max_size=8))
    def test_folding_twice_is_folding_once(self, text):
        assert fold(fold(text)) == fold(text)


class TestValueSemantics:
    """A hierarchy is a value: it cannot change, and its copies are equal."""

    def test_nothing_can_be_set_or_deleted(self):
        tree = Hierarchy(PETS)
        for change in (
            lambda: setattr(tree, "_rows", ()),
            lambda: setattr(tree, "unknown", "root"),
            lambda: delattr(tree, "_rows"),
        ):
            with pytest.raises(AttributeError):
                change()

    @pytest.mark.parametrize("warm", [False, True])
    def test_neither_can_the_arrays_of_a_level(self, warm):
        tree = Hierarchy(PETS)
        if warm:
            tree.level(1)
        for copied in (tree, pickle.loads(pickle.dumps(tree)), deepcopy(tree)):
            for part in copied.level(1):
                with pytest.raises(ValueError, match="read-only"):
                    part[0] = part[1]

    @pytest.mark.parametrize(
        "copy", [deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
    )
    def test_copies_are_equal(self, copy):
        tree = Hierarchy(PETS, unknown="root", normalizer="fold")
        tree.level(0)
        again = copy(tree)
        assert again == tree
        assert hash(again) == hash(tree)
        assert again.locate(["COW", "dog"]).tolist() == [1, 4]
        assert again.common_ancestor(0, 1) == ("mammal", 2)

    def test_policies_are_part_of_the_value(self):
        assert Hierarchy(PETS) != Hierarchy(PETS, unknown="suppress")
        assert Hierarchy(PETS) != Hierarchy(PETS, normalizer="fold")

    def test_scikit_learn_clones_an_estimator_that_has_some(self):
        tree = Hierarchy(PETS, unknown="suppress")
        estimator = MondrianAnonymizer(hierarchies={"pet": tree})
        assert clone(estimator).hierarchies == {"pet": tree}
