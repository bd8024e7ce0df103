"""What the values of a column are taken for, and how they are grouped."""

import itertools

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.hierarchies import Hierarchy, suggest_hierarchy
from anon_transformers.hierarchies._groups import (
    as_rows,
    frequency_levels,
    prefix_levels,
    word_levels,
)
from anon_transformers.hierarchies._kinds import find_kind


def column(counts, name):
    cells = [value for value, count in counts.items() for _ in range(count)]
    return pd.Series(cells, name=name)


@pytest.mark.parametrize(
    ("values", "counts", "name", "kind"),
    [
        # Counts of diabetes130: codes jump, numbers rise and fall once.
        (["1", "2", "3", "4", "5", "6", "7", "8"],
         [53990, 18480, 18869, 10, 4785, 5291, 21, 320], "admission_type_id",
         "nominal code"),
        (["1", "2", "3", "4", "5", "6", "7", "8"],
         [53990, 18480, 18869, 10, 4785, 5291, 21, 320], "x", "nominal code"),
        (["0", "1", "2", "3", "4", "5", "6"],
         [46652, 20742, 12717, 9443, 4180, 3078, 4954], "num_procedures", "number"),
        (["1", "2", "3", "4", "5"], [10, 20, 30, 20, 10], "x", "number"),
        (["34", "35"], [1, 1], "age", "number"),
        (["1.5", "2.25"], [1, 1], "x", "number"),
        (["007", "123"], [1, 1], "x", "prefix code"),
        (["50001", "50018"], [1, 1], "zip", "prefix code"),
        (["50001", "50018"], [1, 1], "salary", "number"),
        (["250.83", "276", "648", "8", "197", "414", "428", "398", "434", "250.7",
          "250.01", "V45", "E909"], [1] * 13, "diag_1", "prefix code"),
        (["2020-01-31", "2020-02-01"], [1, 1], "x", "date"),
        (["31/01/2020", "01/02/2020"], [1, 1], "x", "date"),
        (["NO", "<30", ">30"], [5, 4, 3], "readmitted", "words"),
        (["No", "No "], [5, 4], "x", "words"),
        (["No"], [5], "x", "constant"),
        ([f"Mr {i} came in with pain in his left foot" for i in range(20)], [1] * 20,
         "note", "free text"),
    ],
)  # fmt: skip
def test_kinds(values, counts, name, kind):
    assert find_kind(values, counts, name).kind == kind


@pytest.mark.parametrize(
    ("values", "pattern", "ambiguous"),
    [
        (["31/01/2020", "01/02/2020"], "%d/%m/%Y", False),
        (["01/31/2020", "01/02/2020"], "%m/%d/%Y", False),
        (["01/03/2020", "01/02/2020"], "%d/%m/%Y", True),
        (["31.01.63", "01.02.71"], "%d.%m.%y", True),
        (["3-Jan-2020", "4-Feb-2021"], "%d-%b-%Y", False),
    ],
)
def test_formats_of_dates_are_found_or_said_to_be_ambiguous(values, pattern, ambiguous):
    found = find_kind(values, [1] * len(values))
    assert (found.kind, found.date_format) == ("date", pattern)
    assert found.ambiguous is ambiguous


def test_nominal_codes_are_not_made_into_ranges():
    cells = column({"1": 950, "2": 20, "9": 15, "25": 15}, "discharge_disposition_id")
    found = suggest_hierarchy(cells)
    assert found.kind == "nominal code"
    assert found.hierarchy.rows[0] == ("1", "1", "*")
    rare = {row[1] for row in found.hierarchy.rows[1:]}
    assert rare == {"other values (each below 5 %)"}
    assert "learns that they are rare" in found.reason


def test_rare_counts_persons_where_they_are_known():
    cells = column({"a": 90, "b": 6, "c": 4}, "x")
    assert "other values" in str(suggest_hierarchy(cells).hierarchy.rows)
    # The 90 rows are of three persons, the others of one each.
    persons = [number % 3 for number in range(90)] + list(range(10, 20))
    by_person = suggest_hierarchy(cells, subject=persons).hierarchy
    assert by_person.rows == (("a", "*"), ("b", "*"), ("c", "*"))


def test_words_are_joined_by_what_they_share():
    wards = ["Surgery-General", "Surgery-Thoracic", "Cardiology", "surgery (plastic)",
             "Oncology", "Psychiatry"]  # fmt: skip
    rows = suggest_hierarchy(wards).hierarchy.rows
    joined = {row[0] for row in rows if row[1] == "any Surgery"}
    assert joined == {"Surgery-General", "Surgery-Thoracic", "surgery (plastic)"}


def test_spellings_are_joined_and_words_that_begin_alike_are_not():
    rows = suggest_hierarchy(
        ["Caucasian", "Caucasion", "Carpenter", "Cardiologist", "Mason"]
    ).hierarchy.rows
    tree = {row[0]: row[1] for row in rows}
    assert tree["Caucasian"] == tree["Caucasion"] == "like Caucasian"
    assert tree["Carpenter"] == "Carpenter"
    assert tree["Cardiologist"] == "Cardiologist"


def test_a_short_code_is_no_part_of_longer_ones():
    assert prefix_levels(["250.83", "250", "25", "8", "V45"])[0] == [
        "250*", "250*", "25", "8", "V45*",
    ]  # fmt: skip


def test_a_stated_kind_goes_first():
    codes = pd.Series(["1", "2", "3", "4", "9"], name="type_id")
    assert suggest_hierarchy(codes).kind == "nominal code"
    assert suggest_hierarchy(codes, "number").stated["kind"] == "intervals"
    with pytest.raises(ParameterError, match="kind"):
        suggest_hierarchy(codes, "nombre")
    with pytest.raises(DataError):
        suggest_hierarchy(["a", "b"], "number")
    with pytest.raises(DataError, match="2 values are no ranges"):
        suggest_hierarchy(["a", "b"], "ordered ranges")


def test_a_skewed_number_is_cut_at_round_numbers():
    cells = column({str(n): 200 - n for n in range(1, 100)} | {"9999": 1}, "income")
    cuts = suggest_hierarchy(cells).stated["cuts"]
    assert cuts[0] == sorted(set(cuts[0]))
    for fine, coarse in itertools.pairwise(cuts):
        assert set(coarse) <= set(fine)
    assert max(cuts[0]) <= 100


@given(
    st.dictionaries(
        st.text(
            st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), min_size=1
        ).filter(lambda t: t.strip() and t != "*"),
        st.integers(1, 10_000),
        min_size=1,
        max_size=40,
    )
)
def test_levels_nest_and_labels_mean_one_thing(held):
    values, counts = list(held), list(held.values())
    for levels in (
        frequency_levels(values, counts),
        word_levels(values, counts),
        prefix_levels(values),
    ):
        rows = as_rows(values, levels)
        Hierarchy(rows)  # refuses groups with two parents
        meant = {}
        for level in zip(*rows, strict=True):
            for label in set(level):
                members = frozenset(i for i, own in enumerate(level) if own == label)
                assert meant.setdefault(label, members) == members


def test_no_reason_holds_a_value():
    secrets = ["Kowalczyk", "Nakamura", "Okonkwo", "Lindqvist"] * 5
    for cells in (secrets, [s + "-Town" for s in secrets], ["17", "4711"]):
        found = suggest_hierarchy(cells)
        assert not any(str(cell) in found.reason for cell in cells)
