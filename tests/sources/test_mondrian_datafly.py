"""Strict Mondrian on the tables of a published comparison with Datafly (2017).

The reference numbers were computed by a second, independent implementation; the
counts of Table 6 are printed in the source itself.
"""

import json
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers.evidence import Classes
from anon_transformers.metrics import class_statistics
from anon_transformers.partitioning import MondrianAnonymizer

TESTS = Path(__file__).parents[1]
VECTORS = {
    vector["name"]: vector
    for vector in json.loads(
        (TESTS / "data" / "vectors" / "mondrian-datafly.json").read_text(
            encoding="utf-8"
        )
    )["vectors"]
}
# The full file is not bundled; it lies beside the repository where there is one.
ADULT = TESTS.parents[1] / "shared" / "data" / "adult.csv.gz"
ADULT_NUMBERS = [
    "age",
    "fnlwgt",
    "education-num",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
]


@cache
def dataset(name):
    """Build a table from its name: function, rows or distinct values, attributes."""
    function, first, n_attributes = name.removeprefix("dataset").split("-")
    size, n_attributes = int(first), int(n_attributes)
    power = {"linear": 1, "quadratic": 2}[function]
    values = [i**power for i in range(1, size + 1)]
    if size < 1000:  # dependent: all variations with repetition, the last one fastest
        rows = np.array(list(product(values, repeat=n_attributes)))
    else:
        rows = np.repeat(np.array(values)[:, None], n_attributes, axis=1)
    return pd.DataFrame(rows).add_prefix("A")


def statistics(table, k):
    """Five measures of the published table, counted by its texts."""
    done = MondrianAnonymizer(k=k, tie_side="left")
    out = done.fit_transform(table)
    found = class_statistics(Classes.from_frame(out, list(table.columns)))
    assert found.count == done.report_.classes["count"]
    assert found.kept_rows == len(table)
    return found


def assert_measures(found, expected):
    assert found.count == expected["combinations"]
    assert (found.smallest, found.largest) == (expected["min"], expected["max"])
    assert found.mean == pytest.approx(expected["mean"], abs=1e-6)
    assert found.variance == pytest.approx(expected["variance_population"], abs=1e-6)


def reference_runs():
    """The strict runs, one a data set and k."""
    for row in VECTORS["synthetic_reference_runs"]["expected"]["rows"]:
        if row["algorithm"] == "mondrian-strict":
            marks = [pytest.mark.slow] if row["N"] * _width(row) >= 1_000_000 else []
            yield pytest.param(row, id=f"{row['dataset']}-k{row['k']}", marks=marks)


def _width(row):
    return int(row["dataset"].rsplit("-", 1)[1])


def test_the_reference_has_every_run_of_the_source():
    runs = [run.values[0] for run in reference_runs()]
    assert len(runs) == (20 + 6) * 4
    assert {run["k"] for run in runs} == {2, 8, 32, 128}


@pytest.mark.parametrize("row", list(reference_runs()))
def test_the_five_measures_of_strict_mondrian(row):
    table = dataset(row["dataset"])
    assert len(table) == row["N"]
    assert_measures(statistics(table, row["k"]), row)


@pytest.mark.parametrize(
    ("k", "printed"),
    [
        pytest.param(row[0], row[3], id=f"table-6-k{row[0]}")
        for row in VECTORS["table_6"]["expected"]["rows"]
    ],
)
def test_table_6(k, printed):
    assert statistics(dataset("datasetlinear-100000-1"), k).count == printed


@pytest.mark.parametrize(
    ("n_rows", "k", "expected"),
    [
        pytest.param(int(n), int(k), count, id=f"{n}-k{k}")
        for n, by_k in VECTORS["relaxed_partition_count_closed_form"][
            "expected"
        ].items()
        for k, count in by_k.items()
    ],
)
def test_without_ties_the_count_has_a_closed_form(n_rows, k, expected):
    def count(n):
        return 1 if n < 2 * k else count(n // 2) + count((n + 1) // 2)

    assert count(n_rows) == expected
    found = MondrianAnonymizer(k=k, tie_side="left").fit(
        pd.DataFrame({"x": range(n_rows)})
    )
    assert found.report_.classes["count"] == expected


@pytest.mark.parametrize("k", [2, 3])
def test_the_example_of_one_dimension(k):
    vector = VECTORS["mondrian_one_dimension"]["expected"]
    out = MondrianAnonymizer(k=k, tie_side="left").fit_transform(
        pd.DataFrame({"x": [0, 2, 3, 4, 6, 9]})
    )
    ranges = [f"[{low}, {high}]" for low, high in vector["partitions"]]
    assert out["x"].tolist() == [ranges[0]] * 3 + [ranges[1]] * 3


def test_the_tree_of_the_source():
    vector = VECTORS["mondrian_partition_tree"]["expected"]
    found = MondrianAnonymizer(k=4, tie_side="left")
    report = found.fit(pd.DataFrame({"x": range(32)})).report_
    assert report.classes["count"] == vector["leaves"]
    assert (
        report.classes["smallest"] == report.classes["largest"] == vector["leaf_size"]
    )


@pytest.fixture(scope="module")
def adult():
    if not ADULT.exists():
        pytest.skip("the full Adult file is not beside the repository")
    return pd.read_csv(ADULT, skipinitialspace=True)


def adult_runs():
    vector = VECTORS["adult_reference_runs"]["expected"]
    for row in vector["rows"]:
        named = dict(zip(vector["columns"], row, strict=True))
        if named["algorithm"] == "mondrian-strict":
            yield pytest.param(named, id=f"adult-k{named['k']}")


@pytest.mark.parametrize("row", list(adult_runs()))
def test_adult_with_six_numbers(adult, row):
    numbers = adult[ADULT_NUMBERS]
    assert len(numbers) == 32_561
    assert len(numbers.drop_duplicates()) == 32_334
    assert_measures(statistics(numbers, row["k"]), row)
