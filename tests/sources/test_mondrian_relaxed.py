"""Relaxed Mondrian, and strict that does not fall back, on the tables of a source.

The source compares Mondrian and Datafly (2017). Numbers are those that a second,
independent implementation of its rules gave, and those of its Table 6, which strict and
relaxed mode share.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers.datasets import make_dependent, make_independent
from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DuplicatesWarning
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
OPTIONS = {
    "mondrian-relaxed": {"mode": "relaxed", "duplicates": "ignore"},
    "mondrian-strict-no-fallback": {"tie_side": "left", "on_failed_cut": "stop"},
}
LOOSE, STOP = OPTIONS


@cache
def dataset(name):
    func, size, n_attributes = name.removeprefix("dataset").split("-")
    make = make_dependent if int(size) < 1000 else make_independent
    return make(int(size), int(n_attributes), func=func)


def statistics(table, k, algorithm):
    """Five measures of the published table, counted by its texts."""
    done = MondrianAnonymizer(k=k, **OPTIONS[algorithm])
    out = done.fit_transform(table)
    found = class_statistics(Classes.from_frame(out, list(table.columns)))
    assert found.kept_rows == len(table)
    assert found.count == done.report_.details["boxes"]
    return found


def assert_measures(found, expected):
    assert found.count == expected["combinations"]
    assert (found.smallest, found.largest) == (expected["min"], expected["max"])
    assert found.mean == pytest.approx(expected["mean"], abs=1e-6)
    assert found.variance == pytest.approx(expected["variance_population"], abs=1e-6)


def reference_runs():
    for row in VECTORS["synthetic_reference_runs"]["expected"]["rows"]:
        if row["algorithm"] in OPTIONS:
            cells = row["N"] * int(row["dataset"].rsplit("-", 1)[1])
            marks = [pytest.mark.slow] if cells >= 500_000 else []
            name = f"{row['algorithm']}-{row['dataset']}-k{row['k']}"
            yield pytest.param(row, id=name, marks=marks)


def test_the_reference_has_every_run_of_the_source():
    assert len(list(reference_runs())) == (20 + 6) * 4 * len(OPTIONS)


@pytest.mark.parametrize("row", list(reference_runs()))
def test_the_five_measures(row):
    found = statistics(dataset(row["dataset"]), row["k"], row["algorithm"])
    assert_measures(found, row)


@pytest.mark.parametrize("algorithm", OPTIONS)
@pytest.mark.parametrize(
    ("k", "printed"),
    [
        pytest.param(row[0], row[3], id=f"table-6-k{row[0]}")
        for row in VECTORS["table_6"]["expected"]["rows"]
    ],
)
def test_table_6(k, printed, algorithm):
    assert statistics(dataset("datasetlinear-100000-1"), k, algorithm).count == printed


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
def test_the_count_depends_on_rows_and_k_only(n_rows, k, expected):
    rng = np.random.default_rng(n_rows + k)
    table = pd.DataFrame(rng.integers(0, 5, size=(n_rows, 2)), columns=["a", "b"])
    done = MondrianAnonymizer(k=k, **OPTIONS[LOOSE]).fit(table)
    assert done.report_.details["boxes"] == expected


@pytest.mark.parametrize("k", [2, 8, 32, 128])
def test_every_class_has_k_to_two_k_rows(k):
    found = statistics(dataset("datasetquadratic-300-2"), k, LOOSE)
    assert k <= found.smallest <= found.largest < 2 * k


@pytest.mark.parametrize("k", [2, 3])
def test_the_example_of_one_dimension(k):
    vector = VECTORS["mondrian_one_dimension"]
    out = MondrianAnonymizer(k=k, **OPTIONS[LOOSE]).fit_transform(
        pd.DataFrame(vector["input"])
    )
    ranges = [f"[{low}, {high}]" for low, high in vector["expected"]["partitions"]]
    assert out["A0"].tolist() == [ranges[0]] * 3 + [ranges[1]] * 3


@pytest.mark.parametrize("mode", ["strict", "relaxed"])
@pytest.mark.parametrize("k", [2, 3])
def test_the_worked_table_of_datafly(k, mode):
    table = pd.DataFrame({"A_0": [10] * 3 + [19] * 3, "A_1": [10, 11, 21] * 2})
    out = MondrianAnonymizer(k=k, mode=mode, tie_side="left").fit_transform(table)
    assert out["A_0"].tolist() == ["10"] * 3 + ["19"] * 3
    assert out["A_1"].tolist() == ["[10, 21]"] * 6


def test_the_widest_attribute_is_the_normalized_one():
    vector = VECTORS["normalised_width_example"]["expected"]
    assert vector["chosen"] == "A1"
    # The partition of the example: cut first from the rest by A_0, then along A_1.
    table = pd.DataFrame(
        {
            "A_0": [100, 100, 101, 102, 103, 103, 104, 104],
            "A_1": [4, 3, 3, 4, 1, 2, 1, 2],
        }
    )
    out = MondrianAnonymizer(k=2, tie_side="left").fit_transform(table)
    assert set(out["A_0"].iloc[4:]) == {"[103, 104]"}
    assert out["A_1"].iloc[4:].tolist() == ["1", "2", "1", "2"]


@pytest.fixture(scope="module")
def adult():
    if not ADULT.exists():
        pytest.skip("the full Adult file is not beside the repository")
    return pd.read_csv(ADULT, skipinitialspace=True)[ADULT_NUMBERS]


def adult_runs():
    vector = VECTORS["adult_reference_runs"]["expected"]
    for row in vector["rows"]:
        named = dict(zip(vector["columns"], row, strict=True))
        if named["algorithm"] in OPTIONS:
            yield pytest.param(named, id=f"{named['algorithm']}-adult-k{named['k']}")


@pytest.mark.parametrize("row", list(adult_runs()))
def test_adult_with_six_numbers(adult, row):
    # The reference counts partitions; equal values are shared out by the other columns,
    # and no two partitions publish the same.
    assert_measures(statistics(adult, row["k"], row["algorithm"]), row)


def test_adult_has_449_rows_with_a_twin(adult):
    with pytest.warns(DuplicatesWarning, match="449 rows share"):
        MondrianAnonymizer(k=128, mode="relaxed").fit(adult)
