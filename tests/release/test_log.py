"""What the steps of a release log."""

import json
import logging
import subprocess
import sys
import time

import pytest

from anon_transformers.exceptions import GateError
from anon_transformers.release import (
    _log,
    anonymize,
    load,
    publish,
    run_release,
    validate,
)
from anon_transformers.release._log import FACTS, LOG, JsonLines, logged_step, tell

NAME_MARK, JOB_MARK = "NAMEMARK", "JOBMARK"


def lines_of(caplog):
    """The messages of our own log, and the facts of each."""
    ours = [
        r for r in caplog.records if r.name == LOG.name and r.levelno >= logging.INFO
    ]
    return [(r.getMessage(), getattr(r, FACTS)) for r in ours]


def test_each_step_says_what_it_did_in_one_line(release, caplog):
    with caplog.at_level(logging.INFO):
        run_release(release.file)
    said = lines_of(caplog)
    assert [facts["step"] for _, facts in said] == [
        "load",
        "anonymize",
        "validate",
        "publish",
    ]
    loaded, made, judged, public = (facts for _, facts in said)
    assert (loaded["rows"], loaded["columns"]) == (40, 5)
    manifest = release.manifest()
    classes = manifest["measured"]["classes"]
    assert made["classes"] == classes["count"]
    assert made["smallest"] == classes["smallest"]
    assert made["suppressed"] == manifest["measured"]["suppressed_rows"]
    observed = {c["id"]: c.get("observed") for c in manifest["measured"]["checks"]}
    assert judged["k-anonymity"] == observed["k-anonymity"]
    assert judged["average-risk"] == pytest.approx(observed["average-risk"])
    assert public["version"] == manifest["version"]
    assert all(facts["release"] == "people" for _, facts in said)
    assert all(facts["seconds"] >= 0 for _, facts in said)
    assert said[0][0].startswith("load people: ")
    assert "rows 40, columns 5" in said[0][0]


def test_nothing_else_is_logged(release):
    """In a process of its own: Great Expectations logs most when it is imported."""
    program = (
        "import logging, sys; logging.basicConfig(level=logging.INFO)\n"
        "from anon_transformers.release import run_release\n"
        "run_release(sys.argv[1])"
    )
    command = [sys.executable, "-c", program, str(release.file)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    lines = [line for line in said.splitlines() if line.startswith("INFO:")]
    assert len(lines) == 4
    assert all(line.startswith(f"INFO:{LOG.name}:") for line in lines)
    assert "great_expectations" not in said


def test_no_cell_is_logged(release, caplog):
    with caplog.at_level(logging.DEBUG, logger=LOG.name):
        run_release(release.file)
    text = caplog.text + json.dumps([facts for _, facts in lines_of(caplog)])
    assert NAME_MARK not in text
    assert JOB_MARK not in text


def test_a_step_that_fails_has_no_line(release, caplog):
    release.write(
        anonymizer=release.mondrian(k=2), thresholds=[{"model": "k-anonymity", "k": 9}]
    )
    location = anonymize(load(release.file))
    caplog.clear()
    with caplog.at_level(logging.INFO), pytest.raises(GateError):
        validate(location)
    assert lines_of(caplog) == []


def test_steps_that_were_done_before_say_so(release, caplog):
    location = validate(anonymize(load(release.file, run_id="r")))
    caplog.clear()
    with caplog.at_level(logging.INFO):
        load(release.file, run_id="r")
        anonymize(location)
        publish(location)
        publish(location)
    again = [facts.get("again") for _, facts in lines_of(caplog)]
    assert again == [
        "was loaded before",
        "was anonymized before",
        None,
        "was published before",
    ]


def test_a_long_step_shows_that_it_is_alive(caplog, monkeypatch):
    monkeypatch.setattr(_log, "SIGN_OF_LIFE", 0.01)
    with caplog.at_level(logging.DEBUG), logged_step("anonymize"):
        tell("people")
        _log.stage("mondrian at work")
        deadline = time.monotonic() + 30
        while "at work, 0 s so far" not in caplog.text and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "anonymize people: mondrian at work, 0 s so far" in caplog.text


def test_what_is_no_number_of_a_stranger_is_not_told(caplog):
    with caplog.at_level(logging.INFO), logged_step("anonymize"):
        tell("people", loss=[NAME_MARK], risk=0.5, smallest=None)
    ((_, facts),) = lines_of(caplog)
    assert facts.keys() == {"step", "release", "risk", "seconds"}


@pytest.mark.parametrize("word", ["seconds", "self", "step", "release", "facts"])
def test_a_threshold_may_have_any_name(caplog, word):
    with caplog.at_level(logging.INFO), logged_step("validate"):
        tell("people", **{word: 7})
    ((message, facts),) = lines_of(caplog)
    assert f"validate people: {word} 7, " in message
    assert (facts["step"], facts["release"]) == ("validate", "people")
    assert facts["seconds"] < 7


@pytest.mark.parametrize("word", ["at", "level", "message"])
def test_no_fact_takes_the_place_of_the_record(word):
    record = logging.makeLogRecord({"msg": "it ran", "levelname": "INFO"})
    record.facts = {word: 7, "rows": 3}
    line = json.loads(JsonLines().format(record))
    assert (line["message"], line["level"], line["rows"]) == ("it ran", "info", 3)
    assert line["at"] != 7


def test_a_report_of_a_stranger_tells_numbers_alone(release, registered, caplog):
    """A text may be a cell, and so may what a number says of itself."""
    from dataclasses import replace

    from anon_transformers.partitioning import MondrianAnonymizer

    class Loud(float):
        def __format__(self, form):
            return NAME_MARK

        __str__ = __repr__ = lambda self: NAME_MARK

    class Lying(MondrianAnonymizer):
        def fit_transform(self, X, y=None, **params):
            made = super().fit_transform(X, y, **params)
            told = {**self.report_.classes, "smallest": f"{NAME_MARK}7"}
            self.report_ = replace(self.report_, classes=told, loss=Loud(0.5))
            return made

    registered("anonymizers", "lying", Lying)
    release.write(anonymizer={**release.mondrian(), "name": "lying"})
    location = load(release.file)
    caplog.clear()
    with caplog.at_level(logging.INFO, logger=LOG.name):
        anonymize(location)
    ((message, facts),) = lines_of(caplog)
    assert "smallest" not in facts
    assert type(facts["method_loss"]) is float
    assert facts["method_loss"] == 0.5
    assert NAME_MARK not in message + json.dumps(facts, default=repr)


@pytest.mark.parametrize("name", ["seconds", "self", "step", "message", "at", "more"])
def test_a_threshold_may_have_any_id(release, caplog, name):
    release.write(thresholds=[{"model": "k-anonymity", "k": 3, "id": name}])
    with caplog.at_level(logging.INFO, logger=LOG.name):
        run_release(release.file)
    facts = [facts for _, facts in lines_of(caplog)]
    assert [one["step"] for one in facts] == [
        "load",
        "anonymize",
        "validate",
        "publish",
    ]
    [record] = [r for r in caplog.records if r.getMessage().startswith("validate")]
    line = json.loads(JsonLines().format(record))
    assert line["message"] == record.getMessage()
    assert isinstance(line["at"], str)


def test_facts_outside_of_a_step_are_nobodys():
    tell("people", rows=3)
    with logged_step("load"):
        assert _log._CURRENT.get().facts == {}


def test_lines_for_machines_have_no_traceback():
    try:
        raise ValueError(NAME_MARK)
    except ValueError as error:
        info = (type(error), error, error.__traceback__)
    record = logging.LogRecord(LOG.name, 30, "f", 1, "it %s", ("broke",), info)
    line = JsonLines().format(record)
    assert json.loads(line)["message"] == "it broke"
    assert json.loads(line)["level"] == "warning"
    assert NAME_MARK not in line
