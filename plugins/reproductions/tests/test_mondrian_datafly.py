"""The experiment of the source: its data, a part of its grid, all of it (slow)."""

import json
from fnmatch import fnmatchcase
from pathlib import Path

import pandas as pd
import pytest

from anon_transformers.exceptions import DataError
from anon_transformers_reproductions._sources import read_source
from anon_transformers_reproductions.mondrian_datafly import (
    MondrianDataflyExperiment,
    _experiment,
)

ROOT = Path(__file__).parents[3]
VECTORS = {
    vector["name"]: vector["expected"]
    for vector in json.loads(
        (ROOT / "tests/data/vectors/mondrian-datafly.json").read_text(encoding="utf-8")
    )["vectors"]
}
ADULT = ROOT.parent / "shared" / "data" / "adult.csv.gz"
KNOWN = read_source("mondrian-datafly")
RUNS = [
    dict(zip(KNOWN["runs"]["columns"], row, strict=True))
    for row in KNOWN["runs"]["rows"]
]


def expected_of(data_set, method, k):
    (found,) = [
        run
        for run in RUNS
        if fnmatchcase(data_set, run["data_set"])
        and fnmatchcase(method, run["method"])
        and run["k"] == k
    ]
    return found


def test_the_data_hold_every_reference_run_once():
    rows = VECTORS["synthetic_reference_runs"]["rows"]
    assert len(rows) == (20 + 6) * 4 * 4
    for row in rows:
        run = expected_of(row["dataset"], row["algorithm"], row["k"])
        assert (run["combinations"], run["min"], run["max"]) == (
            row["combinations"], row["min"], row["max"],
        )  # fmt: skip
        assert run["mean"] == row["mean"]
        assert run["variance"] == row["variance_population"]
        assert run["suppressed"] == row.get("suppressed", 0)


def test_the_data_hold_the_runs_on_adult():
    for k, method, *measures in VECTORS["adult_reference_runs"]["rows"]:
        run = expected_of("adult", method, k)
        names = ("combinations", "min", "max", "mean", "variance", "suppressed")
        assert [run[name] for name in names] == measures


@pytest.mark.parametrize("table", ["Table 6", "Table 7"])
def test_the_data_hold_the_printed_tables(table):
    held = sorted(n["published"] for n in KNOWN["numbers"] if n["where"] == table)
    rows = VECTORS[table.lower().replace(" ", "_")]["rows"]
    printed = [
        number
        for row in rows
        for number in (row[1:] if table == "Table 6" else row[3:])
    ]
    assert held == sorted(printed)
    assert len(held) == 12


def test_every_claim_that_fails_has_a_reason():
    claims = [n for n in KNOWN["numbers"] if n["where"].startswith("claim")]
    wrong = [
        claim
        for claim in claims
        if not (
            claim["recomputed"] < claim["published"]
            if "relation" in claim
            else abs(claim["recomputed"] - claim["published"])
            <= 0.5 * 10 ** -claim.get("decimals", 6)
        )
    ]
    assert len(wrong) == 7
    assert all(claim["reason"] for claim in wrong)


def test_the_whole_grid_is_that_of_the_source():
    sets = list(MondrianDataflyExperiment()._data_sets(KNOWN))
    assert len(sets) == len({one.name for one in sets}) == 20 + 6
    assert {one.name for one in sets} == {
        row["dataset"] for row in VECTORS["synthetic_reference_runs"]["rows"]
    }


def test_the_quick_grid_has_few_attributes():
    names = [
        one.name for one in MondrianDataflyExperiment(quick=True)._data_sets(KNOWN)
    ]
    assert len(names) == 12
    assert all(name.endswith(("-1", "-2")) for name in names)


@pytest.fixture
def small(monkeypatch):
    """Two of the data sets only."""
    sets = [{"kind": "independent", "func": "quadratic", "sizes": [1000],
             "attributes": [1, 2]}]  # fmt: skip
    known = {**KNOWN, "data_sets": sets}
    monkeypatch.setattr(_experiment, "read_source", lambda name: known)


def test_a_part_of_the_grid(small):
    seen = []
    found = MondrianDataflyExperiment().run(lambda *now: seen.append(now))
    assert len(found.runs) == 2 * 4 * 4
    assert not len(found.different)
    ran = found.numbers[found.numbers["equal"].eq(True)]
    assert len(ran) == 2 * 4 * 4
    assert set(found.not_run["reason"]) == {"not run"}
    assert seen[0] == (0, 32, "datasetquadratic-1000-1 datafly k=2")
    assert seen[-1] == (32, 32, "")
    figures = [figure.name for figure in found.figures]
    assert figures == [f"independent-{method}" for method in KNOWN["methods"]]
    assert set(found.figures[0].data["line"]) == {"k = 2", "k = 8", "k = 32", "k = 128"}


def test_a_wrong_result_is_found(small, monkeypatch):
    real = _experiment._measure
    monkeypatch.setattr(
        _experiment, "_measure",
        lambda *given: {**real(*given), "combinations": 99},
    )  # fmt: skip
    assert len(MondrianDataflyExperiment().run().unexplained) == 32


@pytest.fixture
def adult(tmp_path):
    """A table with the columns and the size of Adult."""
    return pd.DataFrame({name: range(32561) for name in KNOWN["adult_columns"]})


def test_adult_is_read_by_its_column_names(adult, tmp_path):
    path = tmp_path / "adult.csv"
    adult.assign(other="x").to_csv(path, index=False)
    *_, found = MondrianDataflyExperiment(adult=path)._data_sets(KNOWN)
    assert list(found.make()) == KNOWN["adult_columns"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(lambda t: t.drop(columns="fnlwgt"), "lacks the columns fnlwgt"),
        pytest.param(lambda t: t.head(300), "has 300 rows"),
        pytest.param(lambda t: t.assign(age="x"), "columns age must hold whole"),
    ],
)
def test_another_table_than_adult_is_refused_before_any_run(
    adult, tmp_path, monkeypatch, change, message
):
    path = tmp_path / "adult.csv"
    change(adult).to_csv(path, index=False)
    ran = []
    monkeypatch.setattr(_experiment, "_measure", lambda *run: ran.append(run))
    with pytest.raises(DataError, match=message):
        MondrianDataflyExperiment(adult=path).run()
    assert ran == []


def test_a_file_that_is_no_table_is_told_without_its_content(tmp_path):
    path = tmp_path / "adult.csv"
    path.write_bytes(b"secret\xff\xfe,1\n")
    with pytest.raises(DataError, match="cannot be read as CSV") as caught:
        MondrianDataflyExperiment(adult=path).run()
    assert "secret" not in str(caught.value)


def test_what_was_not_run_is_told_with_the_way_to_run_it(small):
    found = MondrianDataflyExperiment(quick=True).run()
    assert found.source == KNOWN["source"]
    message = " ".join(found.notes)
    assert "--adult FILE" in message
    assert all(name in message for name in KNOWN["adult_columns"])
    assert "--quick" in message


@pytest.mark.slow
def test_the_whole_experiment_has_no_difference_without_a_reason():
    if not ADULT.exists():
        pytest.skip("the full Adult file is not beside the repository")
    found = MondrianDataflyExperiment(adult=ADULT).run()
    assert len(found.runs) == (20 + 6) * 4 * 4 + 16
    assert found.unexplained.to_dict("records") == []
    assert found.not_run.to_dict("records") == []
    assert len(found.different) == 8
    printed = found.numbers[found.numbers["where"].isin({"Table 6", "Table 7"})]
    assert len(printed) == 24
    assert printed["equal"].all()
    assert {"Adult"} <= {figure.title for figure in found.figures}
