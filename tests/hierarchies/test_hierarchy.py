"""Hierarchies: levels, common ancestors, files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError
from anon_transformers.hierarchies import Hierarchy

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


class TestFiles:
    def test_written_and_read_back(self, tmp_path):
        path = tmp_path / "pets.csv"
        Hierarchy(PETS).to_csv(path)
        assert Hierarchy.read_csv(path) == Hierarchy(PETS)
        assert path.read_text(encoding="utf-8").splitlines()[0] == "cat;mammal;*"

    def test_awkward_values_survive(self, tmp_path):
        rows = [('a;"b"', "é\nü", "*"), ("007", "é\nü", "*")]
        Hierarchy(rows).to_csv(tmp_path / "odd.csv")
        assert Hierarchy.read_csv(tmp_path / "odd.csv") == Hierarchy(rows)

    def test_blank_lines_and_windows_line_ends(self, tmp_path):
        path = tmp_path / "pets.csv"
        path.write_bytes(b"cat;mammal;*\r\n\r\ncod;fish;*\r\n")
        assert Hierarchy.read_csv(path).leaves == ("cat", "cod")

    def test_a_byte_order_mark_is_no_part_of_the_first_value(self, tmp_path):
        path = tmp_path / "pets.csv"
        path.write_text("cat;mammal;*\ncod;fish;*\n", encoding="utf-8-sig")
        assert Hierarchy.read_csv(path).leaves == ("cat", "cod")

    def test_a_fault_names_the_file(self, tmp_path):
        path = tmp_path / "pets.csv"
        path.write_text("cat;*\ncod\n", encoding="utf-8")
        with pytest.raises(DataError, match=r"pets\.csv: row 2 .* has 1 levels"):
            Hierarchy.read_csv(path)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "at least one row"),
        ([("secret", "*"), ("b", "x", "*")], "row 2 .* has 3 levels, .* has 2"),
        ([("secret", "", "*")], "row 1 .* empty level"),
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


def test_cells_become_texts():
    assert Hierarchy([(20, "<30", "*"), (30, "30+", "*")]).leaves == ("20", "30")
