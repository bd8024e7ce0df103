"""The experiment on Adult: its data, some of its runs, all of them (slow)."""

import json
from pathlib import Path

import pytest

from anon_transformers_reproductions._sources import read_source
from anon_transformers_reproductions.tabular import TabularExperiment, _experiment
from anon_transformers_reproductions.tabular._numbers import (
    claim_findings,
    run_findings,
)

FILE = Path(__file__).parents[3] / "tests" / "data" / "vectors" / "tabular-k-l-t.json"
VECTORS = {v["name"]: v for v in json.loads(FILE.read_text(encoding="utf-8"))}
KNOWN = read_source("tabular-k-l-t")
RUNS = {run["run"]: run for run in KNOWN["runs"]}
KEYS = {
    "loss": "loss_percent",
    "average_risk": "avg_risk_percent",
    "highest_risk": "max_risk_percent",
    "records_at_risk": "records_at_risk_percent",
    "suppressed": "n_suppressed",
    "kept": "n_kept",
    "classes": "n_classes",
    "mean": "avg_class_size",
    "largest": "max_class_size",
    "smallest": "min_class_size",
    "age_min": "min_age",
    "age_max": "max_age",
    "age_lower": "avg_age_lower",
    "age_middle": "avg_age_midpoint",
    "age_mode_count": "mode_count",
}


def vectors():
    return [v for v in VECTORS.values() if v["operation"] == "anonymize_and_measure"]


def run_of(vector):
    wanted = vector["parameters"]
    (found,) = [
        run
        for run in KNOWN["runs"]
        if all(run.get(name) == wanted.get(name) for name in ("k", "c", "l", "t"))
    ]
    return found


def test_the_data_hold_every_printed_number():
    printed = [v for v in vectors() if v["origin"] == "source"]
    assert len(printed) == 24
    for vector in printed:
        held, expected = run_of(vector)["published"], vector["expected"]
        assert {KEYS[n]: v for n, v in held.items() if n in KEYS} == {
            key: expected[key] for key in KEYS.values()
        }
        assert held["age_mode"] == expected["mode_value"].strip("[]")
        levels = run_of(vector)["recomputed"]["levels"]
        assert [int(level) for level in levels] == expected["optimal_node"]


def test_the_data_hold_the_grid_that_was_computed():
    derived = [v for v in vectors() if v["origin"] == "derived"]
    assert len(derived) == 36
    for vector in derived:
        held, expected = run_of(vector)["recomputed"], vector["expected"]
        assert "published" not in run_of(vector)
        if expected["optimal_node"] is None:
            assert held == {"feasible": "no"}
            continue
        assert {KEYS[n]: v for n, v in held.items() if n in KEYS} == {
            key: expected[key] for key in KEYS.values() if key in expected
        }


def test_the_data_hold_the_distances():
    for name, vector in VECTORS.items():
        if name.endswith("-reference-distribution"):
            held = RUNS[f"t = {vector['parameters']['t']:g}"]["recomputed"]
            expected = vector["expected"]
            assert held["distance"] == expected["max_emd_against_input_distribution"]
            assert (
                held["distance_released"]
                == (expected["max_emd_against_released_distribution"])
            )
            assert (
                held["classes_over_t"]
                == (expected["classes_over_t_against_released_distribution"])
            )


def few(monkeypatch, *names):
    known = {**KNOWN, "runs": [RUNS[name] for name in names]}
    monkeypatch.setattr(_experiment, "read_source", lambda name: known)
    return known


THREE = ("k = 5", "c = 4, l = 3", "t = 0.6")


@pytest.fixture(scope="module")
def some():
    """Three of the runs, one of each method."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            TabularExperiment, "_planned", lambda *_: [RUNS[name] for name in THREE]
        )
        seen = []
        return TabularExperiment().run(lambda *now: seen.append(now)), seen


def test_some_runs_have_every_number(some):
    found, seen = some
    assert found.runs["run"].tolist() == list(THREE)
    assert found.unexplained.to_dict("records") == []
    numbers = found.numbers
    # Printed, the mean age once more, and what was recomputed.
    for run, count in zip(THREE, (16 + 1 + 4, 11, 16 + 1 + 4), strict=True):
        part = numbers[numbers["where"].str.endswith(run)]
        assert len(part) == count
        assert part["equal"].notna().all()
    assert seen[0] == (0, 3, "k = 5")
    assert seen[-1] == (3, 3, "")
    assert found.source == KNOWN["source"]


def test_what_differs_has_the_reason_of_the_source(some):
    found, _ = some
    assert found.different["measure"].unique().tolist() == [
        "mean age, middles, nothing cut before"
    ]
    assert found.different["published"].tolist() == [36, 36]
    assert found.different["ours"].tolist() == [37, 37]
    assert set(found.different["reason"]) == {KNOWN["reasons"]["whole_numbers"]}


def test_claims_about_runs_that_were_not_made_are_not_run(some):
    found, _ = some
    claims = found.numbers[found.numbers["where"].str.startswith("claim")]
    assert len(claims) == len(KNOWN["claims"])
    assert claims["equal"].isna().all()
    assert set(claims["reason"]) == {"not run"}


def test_the_table_and_its_hierarchies_are_those_of_the_source(some):
    found, _ = some
    facts = found.numbers[
        found.numbers["where"].isin({"4.1.1", "Table 20", "Table 21"})
    ]
    assert len(facts) == 1 + 9 + 2 + 5
    assert facts["equal"].all()


def test_charts_are_drawn_against_every_parameter(some):
    found, _ = some
    names = [figure.name for figure in found.figures]
    assert names == [f"{p}-{what}" for p in "klct" for what in ("table", "ages")]
    by_name = {figure.name: figure for figure in found.figures}
    assert set(by_name["l-table"].data["line"]) == {"c = 4"}
    assert by_name["c-table"].data["x"].tolist() == [4]
    assert by_name["t-table"].data["x"].tolist() == [0.6]
    drawn = {m for figure in found.figures for m in figure.measures}
    assert drawn <= set(found.runs.columns)


def test_quick_makes_the_fast_runs_and_says_what_it_left_out(monkeypatch):
    few(monkeypatch, "k = 25", "c = 4, l = 12", "t = 0.1")
    found = TabularExperiment(quick=True).run()
    assert found.runs["run"].tolist() == ["k = 25"]
    assert set(found.not_run["reason"]) == {"not run"}
    assert "2 runs that look at many nodes were not made" in found.notes[-1]
    assert sum(run.get("quick", False) for run in KNOWN["runs"]) == 8 + 3 + 6


def test_a_wrong_result_is_found(monkeypatch):
    known = few(monkeypatch, "k = 5")
    row = {"run": "k = 5", "age_middle_exact": 37.2, **RUNS["k = 5"]["published"]}
    row |= RUNS["k = 5"]["recomputed"]
    fine = list(run_findings(known, [row]))
    assert [n["measure"] for n in fine if not n["equal"]] == [
        "mean age, middles, nothing cut before"
    ]
    for name in {**RUNS["k = 5"]["published"], **RUNS["k = 5"]["recomputed"]}:
        wrong = "9" if isinstance(row[name], str) else row[name] + 1e-4
        found = list(run_findings(known, [{**row, name: wrong}]))
        unexplained = [n for n in found if n["equal"] is False and not n["reason"]]
        assert len(unexplained) == 1, name


def test_a_reason_explains_one_number_only(some):
    """Another age than the one that whole numbers give has no reason."""
    found, _ = some
    rows = found.runs.to_dict("records")
    rows[0]["age_middle_exact"] = 38.5
    rows[0]["age_min"] = None
    judged = {
        n["measure"]: n
        for n in run_findings(KNOWN, rows)
        if n["where"] == "Annex 02, k = 5"
    }
    assert judged["mean age, middles, nothing cut before"]["reason"] == ""
    # At k = 5 the printed 0 is an answer; at l = 8 it is none.
    assert judged["smallest age"]["ours"] == "not available"
    assert judged["smallest age"]["reason"] == ""


@pytest.mark.slow
def test_the_whole_experiment_has_no_difference_without_a_reason():
    found = TabularExperiment().run()
    assert len(found.runs) == 60
    assert found.unexplained.to_dict("records") == []
    assert found.not_run.to_dict("records") == []
    by_where = found.different.groupby("where").size()
    assert by_where[by_where.index.str.startswith("claim")].to_dict() == {
        "claim, 4.3": 5,
        "claim, 5": 1,
        "claim, Table 23": 1,
    }
    in_tables = found.different[found.different["where"].str.startswith("Annex")]
    measures = in_tables["measure"].value_counts().to_dict()
    # 17 ages are one too low, and the four of l = 8 are no answers.
    assert measures.pop("mean age, middles, nothing cut before") == 17 + 1
    assert len(measures) == 4
    assert set(measures.values()) == {1}
    # A claim that our runs no longer bear out has no reason.
    worse = found.runs.assign(average_risk=found.runs["average_risk"] + 1)
    broken = [n for n in claim_findings(KNOWN, worse) if n["equal"] is False]
    assert any(not n["reason"] for n in broken)
