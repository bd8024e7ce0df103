"""Labels that cover rows: cases by hand, and a plain oracle."""

import numpy as np
import pandas as pd

from anon_transformers.hierarchies import Hierarchy
from anon_transformers.release._kept_cells import CoveredRows, KeptCells
from tests.release.recoding_intruder import covers


def kept(cells, columns=("age", "zip")):
    table = pd.DataFrame(cells, columns=list(columns), dtype=object)
    kinds = dict.fromkeys(columns, "text")
    return KeptCells(tuple(columns), "*").with_table(table, kinds, "run-1", ())


def covered(source, cells, hierarchies=None):
    return CoveredRows(source, cells, np.arange(len(cells.labels)), hierarchies or {})


def test_cells_that_overlap_go_by_their_age_and_who_is_in_one_stays():
    cells = kept([("< 40", "*"), (">= 30", "007"), ("*", "*"), ("[30, 40)", "007")])
    source = pd.DataFrame({"age": [20, 35, 35, 50, 60], "zip": [*["007"] * 4, "110"]})
    rows = covered(source, cells)
    # Fewer marks first, then the older cell; the cell of marks alone comes last.
    assert rows.first().tolist() == [0, 1, 1, 1, 2]
    asked = np.array([1, 3, 0, -1, 2])
    assert rows.stay(asked).tolist() == [False, True, True, False, True]


def test_leaves_of_a_hierarchy_say_which_cell_is_more_specific():
    tree = Hierarchy.from_groups({"EU": ["FR", "IT"], "Asia": ["JP"]})
    cells = kept([("EU",), ("FR",), ("Asia",)], ["land"])
    source = pd.DataFrame({"land": ["FR", "IT", "JP", None]})
    assert covered(source, cells, {"land": tree}).first().tolist() == [1, 0, 2, -1]


def test_missing_and_unknown_values():
    tree = Hierarchy.from_groups({"EU": ["FR", "IT"]}, unknown="suppress")
    source = pd.DataFrame({"land": ["FR", None, "XX"]})
    exact = kept([("FR",), (None,)], ["land"])
    assert covered(source, exact, {"land": tree}).first().tolist() == [0, 1, -1]
    marks = kept([("*",)], ["land"])
    assert covered(source, marks, {"land": tree}).first().tolist() == [0, 0, 0]
    ranges = kept([("[20, 30) or missing",), (">= 30",)], ["age"])
    ages = pd.DataFrame({"age": [25.0, None, 40.0]})
    assert covered(ages, ranges).first().tolist() == [0, 0, 1]


def test_values_that_nobody_has_now_cover_nobody():
    cells = kept([("[20, 30)", "{007, 008}"), ("[20, 30)", "999")])
    source = pd.DataFrame({"age": [25], "zip": ["008"]})
    assert covered(source, cells).first().tolist() == [0]


def test_the_same_as_reading_every_label():
    rng = np.random.default_rng(4)
    ages = ["< 30", "[30, 45)", "[45, 60]", ">= 30", "*", "33"]
    zips = ["{007, 008}", "110", "*", "008"]
    cells = kept(list({(rng.choice(ages), rng.choice(zips)) for _ in range(12)}))
    source = pd.DataFrame(
        {
            "age": rng.integers(20, 70, 300),
            "zip": rng.choice(["007", "008", "110", "999"], 300),
        }
    )
    rows = covered(source, cells)
    values = [(str(age), code) for age, code in source.itertuples(index=False)]
    fits = [[all(map(covers, cell, row)) for cell in cells.labels] for row in values]
    assert [n >= 0 for n in rows.first()] == [any(row) for row in fits]
    assert all(fits[at][cell] for at, cell in enumerate(rows.first()) if cell >= 0)
    for cell in range(len(cells.labels)):
        found = rows.stay(np.full(len(source), cell))
        assert found.tolist() == [row[cell] for row in fits]


def test_a_cell_keeps_its_number():
    first = kept([("a",), ("b",)], ["town"])
    more = pd.DataFrame({"town": ["c", "b", "c"]})
    second = first.with_table(more, {"town": "text"}, "run-2", {"run-1"})
    assert second.labels == (("a",), ("b",), ("c",))
    assert second.numbers_of(more).tolist() == [2, 1, 2]
    assert second.in_use({"run-1"}).tolist() == [0, 1]
    # A run that nobody saw loses its cells to who publishes them.
    third = second.with_table(more, {"town": "text"}, "run-3", {"run-1"})
    assert third.versions == ("run-1", "run-1", "run-3")


def test_the_file_gives_back_what_was_written(tmp_path):
    cells = kept([("[20, 30)", None), ("*", "*")])
    cells.write(tmp_path)
    assert KeptCells.read(tmp_path, ["age", "zip"], "*") == cells
    assert cells.suppressed == 1
    shown = cells.labels_of(np.array([1, 0]))
    assert shown["age"].tolist() == ["*", "[20, 30)"]
    assert shown["zip"].isna().tolist() == [False, True]
