"""Suites as JSON, and the gate in a process of its own."""

import importlib
import json
import subprocess
import sys
import textwrap
from dataclasses import asdict
from pathlib import Path

import pytest

from anon_transformers.datasets import load_adult
from anon_transformers.exceptions import ConfigurationError
from anon_transformers.gx import Threshold, read_suite, run_gate, suite_for
from anon_transformers.gx._suites import refuse_unjudged
from anon_transformers.partitioning import MondrianAnonymizer

gx = pytest.importorskip("great_expectations")
pytestmark = pytest.mark.gx

STORED = Path(__file__).parents[2] / "expectations"
ADULT = [
    Threshold("k-anonymity", "model", "k-anonymity", {"k": 5}),
    Threshold("average-risk", "metric", "average-risk", {"max": 0.1}),
    Threshold("loss", "metric", "loss", {"max": 0.6}),
]


@pytest.fixture(scope="module")
def adult():
    """The first rows of Adult, recoded, with what the gate is told of them."""
    columns = ["sex", "age", "race"]
    anonymizer = MondrianAnonymizer(quasi_identifiers=columns, k=10)
    frame = load_adult()[[*columns, "salary-class"]].head(2000)
    return anonymizer.set_params(sensitive=["salary-class"]).fit_transform(frame), {
        "quasi_identifiers": columns,
        "sensitive": ["salary-class"],
        "report": asdict(anonymizer.report_),
    }


def test_suites_hold_no_number():
    thresholds = [
        *ADULT,
        Threshold("t", "model", "t-closeness", {"t": 0.2, "sensitive": "job"}),
        Threshold("part", "model", "k-degree", {"k": 5}),
        Threshold("few", "metric", "records-at-risk", {"min": 0, "threshold": 0.2}),
    ]
    suite = suite_for("release", thresholds)
    asked = {e["meta"]["threshold"]: e for e in suite["expectations"]}
    assert list(asked) == ["k-anonymity", "average-risk", "loss", "t", "part", "few"]
    assert asked["t"]["kwargs"]["t"] == {"$PARAMETER": "t_t"}
    assert asked["t"]["kwargs"]["column"] == {"$PARAMETER": "t_sensitive"}
    assert asked["part"]["type"] == "expect_privacy_model_to_hold"
    assert asked["part"]["kwargs"]["params"] == {"$PARAMETER": "part"}
    assert asked["few"]["kwargs"]["params"] == {"$PARAMETER": "few_params"}
    assert asked["few"]["kwargs"]["min_value"] == {"$PARAMETER": "few_min"}
    assert "max_value" not in asked["few"]["kwargs"]
    for expectation in suite["expectations"]:
        literal = [v for v in expectation["kwargs"].values() if not isinstance(v, dict)]
        assert all(isinstance(value, str) for value in literal)


def test_a_written_suite_is_read_again(tmp_path):
    importlib.import_module("anon_transformers.gx._run")  # registers ours
    suite = suite_for("release", ADULT)
    path = tmp_path / "release.json"
    path.write_text(json.dumps(suite), encoding="utf-8")
    assert read_suite(path) == suite
    assert len(gx.ExpectationSuite(**read_suite(path)).expectations) == len(ADULT)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (b"{", "line 1 is not JSON"),
        (b"[]", "a suite is a mapping"),
        (b'{"expectations": [{"type": "x"}]}', "has no name"),
        (b'{"name": "x", "expectations": []}', "lists no expectation"),
        (b'{"name": "x", "expectations": [{}]}', "expectation 1 of the suite"),
    ],
)
def test_unreadable_suites_are_refused(tmp_path, text, message):
    path = tmp_path / "suite.json"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(ConfigurationError, match=message) as caught:
        read_suite(path)
    assert "suite.json" in str(caught.value)


def test_a_suite_that_misses_a_threshold_is_refused():
    suite = suite_for("release", ADULT)
    refuse_unjudged(suite, ADULT)
    more = [
        Threshold("risk", "metric", "highest-risk", {"max": 0.2}),
        Threshold("beta", "model", "beta-likeness", {"beta": 1}),
    ]
    with pytest.raises(ConfigurationError, match=r"judges risk, beta\. Add one, or"):
        refuse_unjudged(suite, [*ADULT, *more])
    for number in range(len(ADULT)):
        left = [e for at, e in enumerate(suite["expectations"]) if at != number]
        with pytest.raises(ConfigurationError, match=ADULT[number].id):
            refuse_unjudged({**suite, "expectations": left}, ADULT)


def test_a_name_that_comes_as_a_parameter_may_be_any():
    kwargs = {"model": {"$PARAMETER": "model"}, "params": {}}
    general = {"type": "expect_privacy_model_to_hold", "kwargs": kwargs}
    wanted = Threshold("k", "model", "k-anonymity", {"k": 5})
    refuse_unjudged({"name": "x", "expectations": [general]}, [wanted])
    kwargs["model"] = "k-map"
    with pytest.raises(ConfigurationError, match="judges k"):
        refuse_unjudged({"name": "x", "expectations": [general]}, [wanted])


def test_a_suite_for_nothing_is_refused():
    with pytest.raises(ConfigurationError, match="no threshold"):
        suite_for("release", [])


def test_the_stored_suite_of_adult(adult):
    table, options = adult
    suite = read_suite(STORED / "adult.json")
    result = run_gate(table, thresholds=ADULT, suite=suite, **options)
    assert result.reasons == ()
    assert [check.passed for check in result.checks] == [True] * 3
    assert result.checks[0].observed >= 10
    strict = [Threshold("k-anonymity", "model", "k-anonymity", {"k": 500})]
    failed = run_gate(table, thresholds=[*strict, *ADULT[1:]], suite=suite, **options)
    assert [check.passed for check in failed.checks] == [False, True, True]


@pytest.mark.parametrize("path", sorted(STORED.glob("*.json")), ids=lambda p: p.stem)
def test_stored_suites_are_as_great_expectations_stores_them(path, file_context):
    folder = Path(file_context.root_directory) / "expectations"
    (folder / path.name).write_bytes(path.read_bytes())
    suite = file_context.suites.get(path.stem)
    text = read_suite(path)
    assert len(suite.expectations) == len(text["expectations"])
    suite.save()
    again = json.loads((folder / path.name).read_text(encoding="utf-8"))
    assert again == text


def test_in_a_process_of_its_own(tmp_path):
    """Nothing need be imported before, nothing is printed, nothing is written."""
    program = """
        import warnings, pandas as pd
        from anon_transformers.gx import Threshold, run_gate
        shown = warnings.showwarning
        wanted = Threshold("k-anonymity", "model", "k-anonymity", {"k": 2})
        tables = [pd.DataFrame({"age": [1, 1]}), pd.DataFrame({"age": [1, 2]})]
        for table in [*tables, tables[0].iloc[:0]]:
            result = run_gate(table, thresholds=[wanted], quasi_identifiers=["age"])
            print(result.passed)
        gone = {"type": "expect_gone", "kwargs": {}}
        suite = {"name": "x", "expectations": [gone]}
        result = run_gate(
            tables[0], thresholds=[wanted], quasi_identifiers=["age"], suite=suite
        )
        print(result.reasons)
        print(warnings.showwarning is shown)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        cwd=tmp_path,
        env={"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.splitlines() == [
        "True",
        "False",
        "False",
        "('expect_gone of the suite is not registered',)",
        "True",
    ]
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []
