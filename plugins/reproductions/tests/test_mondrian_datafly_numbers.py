"""When a number is that of the source, and when a difference has a reason."""

import pandas as pd
import pytest

from anon_transformers_reproductions.mondrian_datafly._numbers import (
    number_findings,
    run_findings,
)

RUNS = pd.DataFrame(
    {
        "data_set": ["a-1", "a-2", "b-1", "b-1"],
        "kind": ["odd", "odd", "even", "even"],
        "method": ["datafly", "datafly", "datafly", "mondrian-strict"],
        "k": [2, 2, 2, 2],
        "rows": [100, 100, 100, 100],
        "combinations": [20, 20, 30, 40],
        "min": [2, 2, 2, 2],
        "max": [9, 9, 9, 9],
        "mean": [5.0, 5.0, 10 / 3, 2.5],
        "variance": [1.0, 1.0, 1.0, 1.0],
        "suppressed": [0, 0, 0, 0],
    }
)


def find(**number):
    asked = {
        "where": "T", "data_set": "a-*", "method": "datafly", "k": 2,
        "measure": "combinations", "published": 20, "recomputed": 20,
    } | number  # fmt: skip
    (found,) = number_findings({"numbers": [asked]}, RUNS)
    return found


def test_equal_runs_give_one_number():
    assert find()["ours"] == 20
    assert find()["equal"] is True
    assert find()["reason"] == ""


def test_runs_that_disagree_are_a_difference_without_a_reason():
    found = find(data_set="*", reason="something else")
    assert (found["ours"], found["equal"], found["reason"]) == ("20, 30", False, "")


def test_ratios_and_the_optimum_come_from_the_rows():
    optimum = {"published": 50, "recomputed": 50}
    assert find(measure="optimum", **optimum)["equal"]
    assert find(measure="ratio", published=0.4, recomputed=0.4)["ours"] == 0.4
    mean = {"k": None, "measure": "mean ratio", "published": None, "recomputed": 0.4}
    assert find(data_set="odd", runs=2, **mean)["ours"] == pytest.approx(0.4)
    assert find(data_set="odd", runs=3, **mean)["equal"] is None


@pytest.mark.parametrize(
    ("published", "decimals", "equal"),
    [(0.4, 3, True), (0.4004, 3, True), (0.4005, 3, True), (0.401, 3, False)],
)
def test_a_printed_number_is_as_exact_as_its_last_digit(published, decimals, equal):
    found = find(
        measure="ratio", published=published, recomputed=0.4, decimals=decimals
    )
    assert found["equal"] is equal


@pytest.mark.parametrize(("bound", "equal"), [(10, True), (9, False)])
def test_a_bound_is_a_bound(bound, equal):
    found = find(measure="max", published=bound, recomputed=9, relation="<", reason="r")
    assert found["published"] == f"< {bound}"
    assert (found["equal"], found["reason"]) == (equal, "" if equal else "r")


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        pytest.param({"published": 21}, "", id="none-is-known"),
        pytest.param({"published": 21, "reason": "r"}, "r", id="ours-is-recomputed"),
        pytest.param({"published": 21, "recomputed": 22, "reason": "r"}, "",
                     id="it-explains-another-number"),
        pytest.param({"published": None, "recomputed": 22, "ours": 20, "reason": "r"},
                     "r", id="ours-is-foreseen"),
    ],
)  # fmt: skip
def test_a_reason_explains_one_number_only(number, reason):
    found = find(**number)
    assert (found["equal"], found["reason"]) == (False, reason)


def test_what_was_not_run_is_neither_equal_nor_different():
    found = find(data_set="c-*")
    assert (found["ours"], found["equal"], found["reason"]) == (None, None, "not run")


COLUMNS = list(RUNS.columns.drop(["kind", "rows"]))
EXPECTED = ["a-*", "datafly", 2, 20, 2, 9, 5.0, 1.0, 0]


@pytest.mark.parametrize(
    ("changed", "equal"),
    [
        ({}, True), ({"combinations": 21}, False), ({"min": 1}, False),
        ({"max": 8}, False), ({"mean": 5.1}, False), ({"mean": 5.0000001}, True),
        ({"variance": 1.1}, False), ({"suppressed": 1}, False),
    ],
)  # fmt: skip
def test_every_measure_of_a_run_counts(changed, equal):
    expected = dict(zip(COLUMNS, EXPECTED, strict=True)) | changed
    known = {"runs": {"columns": COLUMNS, "rows": [list(expected.values())]}}
    found = list(run_findings(known, RUNS))
    assert [row["data_set"] for row in found] == ["a-1", "a-2"]
    assert [row["equal"] for row in found] == [equal, equal]
    assert found[0]["ours"] == "20 [2-9] 5 / 1 (0)"


def test_runs_that_were_left_out_are_told():
    rows = [["c-1", *EXPECTED[1:]]]
    (found,) = run_findings({"runs": {"columns": COLUMNS, "rows": rows}}, RUNS)
    assert (found["equal"], found["reason"]) == (None, "not run")
