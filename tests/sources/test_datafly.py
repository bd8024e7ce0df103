"""Datafly on the tables of a published comparison with Mondrian (2017).

Numbers that the source prints and those that a second, independent implementation of
its rules gave.
"""

import json
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from anon_transformers.datasets import make_dependent, make_independent
from anon_transformers.evidence import Classes
from anon_transformers.generalization import DataflyAnonymizer
from anon_transformers.hierarchies import ByDataType
from anon_transformers.metrics import class_statistics

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
RULES = ["at_most_k", "less_than_k"]


@cache
def dataset(name):
    func, size, n_attributes = name.removeprefix("dataset").split("-")
    make = make_dependent if int(size) < 1000 else make_independent
    return make(int(size), int(n_attributes), func=func)


@cache
def hierarchy(values):
    return ByDataType("int").build(values)


def run(table, k, **options):
    """Publish a table of whole numbers; equal columns share one hierarchy."""
    trees = {c: hierarchy(tuple(map(str, sorted(set(table[c]))))) for c in table}
    datafly = DataflyAnonymizer(k=k, hierarchies=trees, suppression="drop", **options)
    return datafly.fit_transform(table), datafly


def assert_measures(out, datafly, expected):
    found = class_statistics(Classes.from_frame(out, list(out.columns)))
    assert found.count == expected["combinations"]
    assert (found.smallest, found.largest) == (expected["min"], expected["max"])
    assert found.mean == pytest.approx(expected["mean"], abs=1e-6)
    assert found.variance == pytest.approx(expected["variance_population"], abs=1e-6)
    assert datafly.n_suppressed_ == expected["suppressed"]


def reference_runs():
    for row in VECTORS["synthetic_reference_runs"]["expected"]["rows"]:
        if row["algorithm"] == "datafly":
            cells = row["N"] * int(row["dataset"].rsplit("-", 1)[1])
            marks = [pytest.mark.slow] if cells >= 500_000 else []
            yield pytest.param(row, id=f"{row['dataset']}-k{row['k']}", marks=marks)


def test_the_reference_has_every_run_of_the_source():
    assert len(list(reference_runs())) == (20 + 6) * 4


@pytest.mark.parametrize("row", list(reference_runs()))
def test_the_five_measures(row):
    table = dataset(row["dataset"])
    assert len(table) == row["N"]
    out, datafly = run(table, row["k"])
    assert_measures(out, datafly, row)
    assert list(datafly.levels_.values()) == row["levels"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("tie", ["first", "last"])
@pytest.mark.parametrize(
    ("k", "printed"),
    [
        pytest.param(row[0], row[2], id=f"table-6-k{row[0]}")
        for row in VECTORS["table_6"]["expected"]["rows"]
    ],
)
def test_table_6_under_either_rule(k, printed, rule, tie):
    table = dataset("datasetlinear-100000-1")
    out, datafly = run(table, k, stop_rule=rule, attribute_tie=tie)
    assert len(out.drop_duplicates()) == printed
    # 100,000 stands alone at every level; nothing else goes.
    assert datafly.suppressed_mask_.nonzero()[0].tolist() == [99_999]


@pytest.mark.parametrize(
    ("k", "sizes", "level"),
    [
        (2, {10: 9_999, 9: 1}, 1),
        (8, {10: 9_999, 9: 1}, 1),
        (32, {100: 999, 99: 1}, 2),
        (128, {1000: 99, 999: 1}, 3),
    ],
)
def test_class_sizes_and_levels_behind_table_6(k, sizes, level):
    out, datafly = run(dataset("datasetlinear-100000-2"), k)
    found = out.groupby(list(out.columns)).size().value_counts().to_dict()
    assert found == sizes
    assert list(datafly.levels_.values()) == [level, level]


@pytest.mark.parametrize("name", ["datasetlinear-300-2", "datasetquadratic-1000-5"])
@pytest.mark.parametrize("k", [2, 8, 32, 128])
def test_the_stop_rules_do_not_differ_on_the_synthetic_tables(name, k):
    table = dataset(name)
    first, second = (run(table, k, stop_rule=rule)[0] for rule in RULES)
    assert first.equals(second)


WORKED = pd.DataFrame({"A_0": [10] * 3 + [19] * 3, "A_1": [10, 11, 21] * 2})


def test_the_worked_example_of_the_source():
    vector = VECTORS["datafly_worked_example"]["expected"]
    datafly = DataflyAnonymizer(["A_0", "A_1"], k=2, suppression="drop")
    out = datafly.fit_transform(WORKED.assign(A_2=0))
    published = [[str(v) for v in row] for row in vector["published"].values()]
    assert out[["A_0", "A_1"]].to_numpy().tolist() == published
    assert out["A_2"].tolist() == [0] * 4
    assert datafly.suppressed_mask_.nonzero()[0].tolist() == vector["suppressed_rows"]
    first, last = datafly.report_.details["trace"]
    assert first["violating"] == vector["initial_violating_tuples"]
    assert list(first["distinct"].values()) == vector["distinct_values"]
    assert first["generalized"] == "A_1"
    assert last["violating"] == vector["violating_tuples_after"]
    assert last["generalized"] is None


@pytest.mark.parametrize(
    ("k", "rule", "levels", "classes", "suppressed"),
    [
        (2, "at_most_k", [0, 1], {("10", "10"): 2, ("19", "10"): 2}, 2),
        (2, "less_than_k", [1, 1], {("10", "10"): 4, ("10", "20"): 2}, 0),
        *[(k, rule, [1, 1], {("10", "10"): 4}, 2) for k in (3, 4) for rule in RULES],
        *[(k, rule, [1, 2], {("10", "0"): 6}, 0) for k in (5, 6) for rule in RULES],
    ],
)
def test_other_k_on_the_worked_example(k, rule, levels, classes, suppressed):
    datafly = DataflyAnonymizer(k=k, stop_rule=rule, suppression="drop")
    out = datafly.fit_transform(WORKED)
    assert list(datafly.levels_.values()) == levels
    assert out.groupby(list(out.columns)).size().to_dict() == classes
    assert datafly.n_suppressed_ == suppressed


@pytest.mark.parametrize(
    "name",
    [
        "intro_example_datafly_at_most_k",
        "intro_example_datafly_less_than_k",
        "datafly_worked_example_less_than_k",
    ],
)
def test_every_step_of_a_trace(name):
    vector = VECTORS[name]
    given, expected = vector["parameters"], vector["expected"]
    table = pd.DataFrame(vector["input"])
    datafly = DataflyAnonymizer(
        k=given["k"],
        stop_rule=given["stop_rule"],
        attribute_tie=given["attribute_tie"],
        types=dict(zip(table.columns, given["types"], strict=True)),
        suppression="drop",
    )
    out = datafly.fit_transform(table)
    assert list(datafly.levels_.values()) == expected["levels"]
    assert out.to_numpy().tolist() == list(expected["published"].values())
    assert datafly.suppressed_mask_.nonzero()[0].tolist() == expected["suppressed_rows"]
    *steps, _ = datafly.report_.details["trace"]
    for step, wanted in zip(steps, expected["trace"], strict=True):
        name = table.columns[wanted["generalized_attribute"]]
        assert step["violating"] == wanted["violating_tuples"]
        assert list(step["distinct"].values()) == wanted["distinct_values"]
        assert step["generalized"] == name
        assert step["levels"][name] + 1 == wanted["new_level"]
        tree = {row[0]: row for row in datafly.hierarchies_[name].rows}
        after = [tree[str(v)][wanted["new_level"]] for v in table[name]]
        assert after == wanted["column_after"]


def test_the_introductory_example_cannot_come_from_whole_columns():
    vector = VECTORS["intro_2_anonymity_example"]
    printed = pd.DataFrame(
        vector["expected"]["rows"], columns=vector["input"]["columns"]
    )
    sizes = printed.groupby(["name", "age"]).size()
    assert sizes.tolist() == vector["expected"]["class_sizes"]
    assert {len(name) for name in printed["name"]} == {3, 4}


@pytest.mark.parametrize(
    ("name", "column", "chain"),
    [
        ("chain_int", "value", "chain"),
        ("chain_date", "value", "chain"),
        ("chain_char", "value", "chain"),
        ("chain_double", "column", "chain_of_first"),
        ("chain_string", "column", "chain_of_first"),
        ("string_equal_lengths_no_noop", "column", "chain_of_first"),
        ("int_negative_truncation", "column", "chain_of_first"),
    ],
)
def test_the_steps_of_each_data_type(name, column, chain):
    vector = VECTORS[name]
    values = vector["input"][column]
    values = [values] if isinstance(values, str) else values
    tree = ByDataType(vector["parameters"]["type"]).build(values)
    by_leaf = {row[0]: list(row) for row in tree.rows}
    assert by_leaf[values[0]] == vector["expected"][chain]
    if "chain_of_second" in vector["expected"]:
        assert by_leaf[values[1]] == vector["expected"]["chain_of_second"]
    top = vector["expected"].get("steps_to_top", len(vector["expected"][chain]) - 1)
    assert tree.n_levels - 1 == top


def test_how_many_steps_a_type_takes_at_most():
    steps = VECTORS["max_generalisations_per_type"]["expected"]
    longest = {"char": "x", "int": "2147483647", "date": "31/12/9999"}
    for kind, value in longest.items():
        assert ByDataType(kind).build([value]).n_levels - 1 == steps[kind]
    assert ByDataType("string").build(["anonimización", "gato"]).n_levels - 1 <= 13


@pytest.fixture(scope="module")
def adult():
    if not ADULT.exists():
        pytest.skip("the full Adult file is not beside the repository")
    return pd.read_csv(ADULT, skipinitialspace=True)[ADULT_NUMBERS]


def adult_runs():
    vector = VECTORS["adult_reference_runs"]["expected"]
    for row in vector["rows"]:
        named = dict(zip(vector["columns"], row, strict=True))
        if named["algorithm"] == "datafly":
            yield pytest.param(named, id=f"adult-k{named['k']}")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("row", list(adult_runs()))
def test_adult_with_six_numbers(adult, row, rule):
    out, datafly = run(adult, row["k"], stop_rule=rule)
    assert_measures(out, datafly, row)


def test_more_protection_may_leave_more_classes(adult):
    assert len(run(adult, 8)[0].drop_duplicates()) == 3
    assert len(run(adult, 32)[0].drop_duplicates()) == 6
