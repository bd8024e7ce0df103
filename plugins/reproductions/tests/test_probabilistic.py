"""The published comparison of microaggregation and swapping, run again."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.experiments import NOT_RUN, reproduce
from anon_transformers_reproductions._sources import read_source
from anon_transformers_reproductions.probabilistic import _experiment
from anon_transformers_reproductions.probabilistic._experiment import pooled_error
from anon_transformers_reproductions.probabilistic._numbers import column_findings

DATA = Path(__file__).parents[3] / "tests" / "data"
REPORTED = read_source("probabilistic")
CENSUS, EIA = DATA / "casc_census.csv", DATA / "casc_eia.csv"
SWAPS_OF_EIA = 36


@pytest.fixture(scope="module")
def vectors():
    text = (DATA / "vectors" / "probabilistic.json").read_text()
    return {v["name"]: v for v in json.loads(text)["vectors"]}


@pytest.fixture(scope="module")
def quick():
    """Both tables, with few repetitions."""
    return reproduce("probabilistic", census=CENSUS, eia=EIA, repetitions=2, quick=True)


def of(findings, **wanted):
    found = findings.numbers
    for name, value in wanted.items():
        found = found[found[name] == value]
    return found


@pytest.mark.parametrize(
    ("table", "vector", "where"),
    [("census", "table_IV", "Table IV"), ("eia", "table_V", "Table V")],
)
def test_what_is_stored_is_what_was_printed_and_recomputed(
    vectors, table, vector, where
):
    printed = vectors[f"{vector}_{table}"]["expected"]
    again = vectors[f"{vector}_reproduction"]["expected"]
    names = {
        "mdav-raw": ("MDAV-ID", "MDAV-ID"),
        "swap-sequential-raw": ("MDAV-SWAP", "MDAV-SWAP"),
        "ranking-mdav": ("IR-SWAP", "IR-SWAP" + "(mdav)" * (table == "eia")),
    }
    columns = [c for c in REPORTED["columns"] if c["where"] == where]
    assert len(columns) == 6
    for column in columns:
        shown, computed = (f"{n} {column['measure']}" for n in names[column["method"]])
        at = printed["columns"].index(shown)
        assert [float(x) for x in column["published"]] == [
            row[at] for row in printed["rows"]
        ]
        at = again["columns"].index(computed)
        assert column["recomputed"] == [row[at] for row in again["rows"]]


def test_eia_mdav_comes_out_to_the_printed_digit(quick):
    found = of(quick, where="Table V", method="mdav-raw")
    assert len(found) == 18
    assert found["equal"].eq(True).all()


def test_census_mdav_is_what_was_recomputed(quick):
    found = of(quick, where="Table IV", method="mdav-raw")
    for row in found.itertuples():
        assert row.ours == pytest.approx(row.recomputed, abs=1e-5)
        assert bool(row.equal) != bool(row.reason)


@pytest.mark.parametrize("method", ["mdav", "mdav-raw"])
def test_the_statistic_as_worded_is_what_was_recomputed(quick, method):
    found = of(quick, where="recomputed", data_set="census", method=method)
    assert len(found) == 18
    assert found["equal"].eq(True).all()


def test_records_and_limits_are_what_was_recomputed(quick):
    for where, count in {
        "records": 8,
        "value disclosure": 21,
        "regression intruder": 22,
        "naive intruder": 3,
    }.items():
        found = of(quick, where=where)
        assert len(found) == count
        assert found["equal"].eq(True).all(), found[found["equal"].ne(True)]


def test_few_repetitions_judge_nothing_random(quick):
    found = of(quick, where="Table V", data_set="eia")
    random = found[found["method"] != "mdav-raw"]
    assert len(random) == SWAPS_OF_EIA
    assert random["equal"].isna().all()
    assert set(random["reason"]) == {NOT_RUN}


def test_every_difference_has_a_reason(quick):
    assert quick.unexplained.empty


def test_claims_are_told_with_their_exceptions(quick):
    found = of(quick, where="text of section V", data_set="eia").set_index("method")
    seen = found.loc["ranking-mdav < swap-sequential-raw"]
    assert "200" in seen["ours"]
    assert seen["reason"]


def test_ranking_is_far_below_the_others_for_small_k(quick):
    runs = quick.runs[(quick.runs["k"] == 5) & (quick.runs["statistic"] == "all pairs")]
    mean = runs.set_index("method")["mean"]
    assert mean["ranking-mdav"] < 0.2 * mean["mdav-raw"]
    assert mean["ranking-mdav"] < 0.2 * mean["swap-sequential-raw"]


@pytest.mark.parametrize(
    ("ours", "error", "tolerance", "repetitions", "equal"),
    [
        (0.109, 0.0, 0.1, 100, True),
        (0.112, 0.0, 0.1, 100, False),
        (0.112, 0.003, 0.1, 100, True),
        (0.2, 0.003, 0.1, 100, False),
        (0.109, 0.0, 0.1, 30, True),
        (0.109, 0.0, 0.1, 29, None),  # too few runs to judge by
        (0.2, 0.5, 0.1, 2, None),
        (0.100001, math.nan, 1e-5, 1, True),  # no random method
        (0.112, 0.003, 1e-5, 100, False),
        (0.112, math.nan, 1e-5, 1, False),
    ],
)
def test_what_chance_explains_is_near(ours, error, tolerance, repetitions, equal):
    found = found_beside(0.1, ours, error, repetitions, tolerance=tolerance)
    assert found["equal"] is equal


@pytest.mark.parametrize(
    ("ours", "k", "reason"),
    [(0.105, 5, ""), (0.12, 5, "ties"), (0.14, 5, ""), (0.12, 7, "")],
)
def test_a_known_difference_explains_so_much_and_no_more(ours, k, reason):
    differs = {"k": k, "tolerance": 0.3, "reason": "ties"}
    found = found_beside(0.1, ours, 0.0, 100, tolerance=0.1, differs=differs)
    assert found["equal"] is (ours < 0.11)
    assert found["reason"] == reason


def found_beside(recomputed, ours, error, repetitions, **column):
    """What is found of one number of a random method, beside a recomputed one."""
    about = {"data_set": "census", "method": "swap", "statistic": "all pairs"}
    column |= {"where": "recomputed", "measure": "mean", "published": None}
    column |= {"recomputed": [recomputed], **about}
    known = {"k": [5], "reasons": {"ties": "ties"}, "columns": [column]}
    run = {"k": 5, "mean": ours, "mean_error": error, "repetitions": repetitions}
    (found,) = column_findings(known, pd.DataFrame([{**about, **run}]), judged=True)
    return found


def test_few_runs_are_told_and_not_judged(monkeypatch):
    known = {**REPORTED, "k": REPORTED["k"][:1]}
    monkeypatch.setattr(_experiment, "read_source", lambda name: known)
    found = reproduce("probabilistic", eia=EIA, repetitions=2)
    assert of(found, where="Table V", method="ranking-mdav")["equal"].isna().all()
    assert any("judged from 30 on" in note for note in found.notes)
    assert of(found, where="Table V", method="mdav-raw")["equal"].eq(True).all()
    errors = found.runs.set_index("method")[["mean_error", "sd_error"]]
    assert errors.loc[["mdav-raw"]].isna().all(axis=None)
    assert errors.loc[["ranking-mdav"]].notna().all(axis=None)


def test_the_error_of_a_pooled_deviation_leaves_out_one_run_after_another():
    values = np.random.default_rng(0).normal(5, 2, (12, 7)) + 1e4
    left = [np.delete(values, run, axis=0).std() for run in range(12)]
    jackknife = math.sqrt(11 / 12 * sum((x - np.mean(left)) ** 2 for x in left))
    assert pooled_error(values) == pytest.approx(jackknife)
    assert math.isnan(pooled_error(values[:1]))
    drawn = np.random.default_rng(1).normal(size=(400, 30, 7))
    found = np.mean([pooled_error(runs) for runs in drawn])
    assert found == pytest.approx(np.std([runs.std() for runs in drawn]), rel=0.1)


def test_a_table_that_is_not_given_is_not_run():
    found = reproduce("probabilistic", eia=EIA, repetitions=1, quick=True)
    assert set(found.runs["data_set"]) == {"eia"}
    assert of(found, data_set="census")["equal"].isna().all()
    assert any("--census" in note for note in found.notes)


def test_no_table_at_all_is_an_error():
    with pytest.raises(ParameterError, match="--census FILE"):
        reproduce("probabilistic")


def test_another_table_is_refused(tmp_path):
    with pytest.raises(DataError, match="lacks the columns"):
        reproduce("probabilistic", census=EIA)
    short = tmp_path / "short.csv"
    short.write_text("".join(CENSUS.read_text().splitlines(keepends=True)[:20]))
    with pytest.raises(DataError, match="has 19 rows, not 1,080"):
        reproduce("probabilistic", census=short)


def test_repetitions_must_be_a_count():
    with pytest.raises(ParameterError, match="repetitions"):
        reproduce("probabilistic", census=CENSUS, repetitions=0)


@pytest.mark.slow
def test_the_whole_experiment_has_no_unexplained_difference():
    found = reproduce("probabilistic", census=CENSUS, eia=EIA)
    assert found.unexplained.empty, found.unexplained.to_string()
    assert found.not_run.empty
    ranked = found.runs[
        (found.runs["method"] == "ranking-mdav") & found.runs["statistic"].ne("pairs")
    ]
    for _, part in ranked.sort_values("k").groupby(["data_set", "statistic"]):
        steps, errors = np.diff(part["mean"]), part["mean_error"].to_numpy()
        # It rises with k; where it hardly does, chance may have it otherwise.
        assert (steps > -4 * np.hypot(errors[1:], errors[:-1])).all()
        assert part["mean"].iloc[-1] > 5 * part["mean"].iloc[0]
