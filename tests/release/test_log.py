"""What the steps of a release log."""

import json
import logging
import subprocess
import sys
import threading

import pytest

from anon_transformers.exceptions import AnonymizationError, GateError
from anon_transformers.release import (
    _log,
    anonymize,
    load,
    publish,
    run_release,
    validate,
)
from anon_transformers.release._log import (
    FACTS,
    LOG,
    JsonLines,
    logged_step,
    share_done,
    stage,
    tell,
)
from tests.release.conftest import JOB_MARK, NAME_MARK, people


def said_in(caplog):
    """The messages of our own log, and the facts of each."""
    ours = [
        r for r in caplog.records if r.name == LOG.name and r.levelno >= logging.INFO
    ]
    return [(r.getMessage(), getattr(r, FACTS)) for r in ours]


def lines_of(caplog):
    """Those on steps that are over: slow machines have signs of life between them."""
    return [line for line in said_in(caplog) if "so far" not in line[0]]


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
    logged = [line for line in said.splitlines() if line.startswith("INFO:")]
    lines = [line for line in logged if not line.endswith(" so far")]  # slow machines
    assert len(lines) == 4
    assert all(line.startswith(f"INFO:{LOG.name}:") for line in lines)
    assert "great_expectations" not in said


def test_no_cell_is_logged(release, caplog):
    with caplog.at_level(logging.DEBUG, logger=LOG.name):
        run_release(release.file)
    text = caplog.text + json.dumps([facts for _, facts in lines_of(caplog)])
    assert NAME_MARK not in text
    assert JOB_MARK not in text


def test_a_refused_step_says_in_one_line_what_broke(release, caplog):
    release.write(
        anonymizer=release.mondrian(k=2),
        thresholds=[
            {"model": "k-anonymity", "k": 9},
            {"metric": "average-risk", "max": 1.0},
        ],
    )
    location = anonymize(load(release.file))
    caplog.clear()
    with caplog.at_level(logging.INFO), pytest.raises(GateError) as caught:
        validate(location)
    ((message, facts),) = lines_of(caplog)
    assert message.startswith("validate people: refused (GateError), k-anonymity ")
    assert facts["ended"] == "refused"
    assert facts["error"] == "GateError"
    assert facts["broken"] == "k-anonymity"
    assert facts["reasons"] == len(caught.value.reasons) == 1
    assert 2 <= facts["k-anonymity"] < 9
    assert facts["private_data"] == "removed"
    assert not (release.home / "runs").exists() or release.runs() == []


def test_a_method_that_finds_nothing_has_a_line(release, caplog):
    release.write(thresholds=[{"model": "k-anonymity", "k": 41}])
    with caplog.at_level(logging.INFO), pytest.raises(AnonymizationError):
        run_release(release.file)
    said = lines_of(caplog)
    assert said[-1][1]["ended"] == "refused"
    assert said[-1][1]["release"] == "people"


@pytest.mark.parametrize("fault", ["missing source", "undeclared column", "no file"])
def test_what_is_refused_before_a_run_begins_has_a_line(release, caplog, fault):
    if fault == "missing source":
        release.source.unlink()
    elif fault == "undeclared column":
        release.write_rows([["name", "age", "zip", "job", "note", "NEW"]])
    else:
        release.write_text("roles: {}")
    with caplog.at_level(logging.INFO), pytest.raises(AnonymizationError) as caught:
        run_release(release.file)
    ((message, facts),) = lines_of(caplog)
    named = "load: " if fault == "no file" else "load people: "
    assert message.startswith(f"{named}refused ({type(caught.value).__name__}), ")
    assert (facts["step"], facts["ended"]) == ("load", "refused")


def test_a_source_that_is_refused_for_its_size_is_said_with_it(release, caplog):
    roles = {**release.content["roles"], "subject": "name"}
    release.write(roles=roles, expect={"rows": {"min": 41}})
    with caplog.at_level(logging.INFO), pytest.raises(AnonymizationError):
        run_release(release.file)
    ((_, facts),) = lines_of(caplog)
    assert (facts["step"], facts["ended"]) == ("load", "refused")
    assert (facts["rows"], facts["persons"], facts["columns"]) == (40, 40, 5)


def test_steps_that_fail_or_are_interrupted_say_so(caplog):
    for error, said in [(OSError(), "failed"), (KeyboardInterrupt(), "interrupted")]:
        caplog.clear()
        with (
            caplog.at_level(logging.INFO, logger=LOG.name),
            pytest.raises(type(error)),
            logged_step("load"),
        ):
            raise error
        ((message, facts),) = lines_of(caplog)
        assert message.startswith(f"load: {said} ({type(error).__name__}), 0.")
        assert (facts["ended"], facts["error"]) == (said, type(error).__name__)


def test_what_is_counted_in_persons_is_told(release, caplog):
    """Two rows for each of the first ten persons."""
    rows = people()
    for number, row in enumerate(rows[1:21]):
        row[0] = f"{NAME_MARK}{number // 2}"
    release.write_rows(rows)
    roles = {**release.content["roles"], "subject": "name"}
    release.write(
        roles=roles,
        thresholds=[
            {"model": "k-anonymity", "k": 3},
            {"metric": "suppressed-share", "max": 0.5},
        ],
    )
    with caplog.at_level(logging.INFO):
        run_release(release.file)
    loaded, made, judged, _ = (facts for _, facts in lines_of(caplog))
    assert (loaded["rows"], loaded["persons"], loaded["columns"]) == (40, 30, 5)
    assert made["rows"] == 40
    assert made["counted_in"] == "persons"
    assert judged["counted_in"] == "persons (suppressed-share in rows)"
    assert list(loaded).index("persons") == list(loaded).index("rows") + 1


def test_what_counts_rows_says_so(release, caplog):
    with caplog.at_level(logging.INFO):
        run_release(release.file)
    loaded, made, judged, _ = (facts for _, facts in lines_of(caplog))
    assert "persons" not in loaded
    assert (made["counted_in"], judged["counted_in"]) == ("rows", "rows")


def test_publishing_says_what_it_removed(release, caplog):
    release.write(target={"path": "out", "keep_versions": 0})
    removed = []
    for _ in range(2):
        caplog.clear()
        with caplog.at_level(logging.INFO):
            run_release(release.file)
        message, facts = lines_of(caplog)[-1]
        assert "private data removed" in message
        assert release.runs() == []
        removed.append(facts["versions_removed"])
    assert removed == [0, 1]
    assert len(release.versions()) == 1


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


class FakeClock:
    """Time that passes when a test says so; then a sign of life is due."""

    def __init__(self):
        self.now = 100.0
        self.waits, self.ticks = threading.Semaphore(0), threading.Semaphore(0)

    def monotonic(self):
        return self.now

    def wait(self, done, seconds):
        """In the thread of a step: wait until the clock was moved."""
        self.waits.release()
        assert self.ticks.acquire(timeout=60)
        return done.is_set()

    def pass_30_seconds(self):
        """Let the time of one sign pass; it is logged when this returns."""
        assert self.waits.acquire(timeout=60)
        self.now += 30
        self.ticks.release()
        assert self.waits.acquire(timeout=60)  # it waits again
        self.waits.release()

    def end(self):
        """Let threads of steps that are over see that they are."""
        for _ in range(100):
            self.ticks.release()


@pytest.fixture
def clock(monkeypatch):
    clock = FakeClock()
    monkeypatch.setattr(_log, "_wait", clock.wait)
    monkeypatch.setattr(_log, "time", clock)
    yield clock
    clock.end()


def signs_of(caplog):
    return [line for line in said_in(caplog) if "so far" in line[0]]


def test_a_long_step_says_what_part_it_is_in(caplog, clock):
    with caplog.at_level(logging.INFO, logger=LOG.name), logged_step("validate"):
        clock.pass_30_seconds()
        tell("people")
        stage("comparing with the source")
        clock.pass_30_seconds()
    (first, _), (second, facts) = signs_of(caplog)
    assert first == "validate: 30 s so far"
    assert second == "validate people: comparing with the source, 60 s so far"
    assert facts["stage"] == "comparing with the source"
    assert "share" not in facts


def test_a_long_step_says_which_share_is_done(caplog, clock):
    with caplog.at_level(logging.INFO, logger=LOG.name), logged_step("anonymize"):
        tell("people")
        stage("full-domain at work")
        share_done(0.4567)
        clock.pass_30_seconds()
        share_done(1.0)
        clock.pass_30_seconds()
        stage("writing the candidate")
        clock.pass_30_seconds()
    messages = [message for message, _ in signs_of(caplog)]
    assert messages == [
        "anonymize people: full-domain at work, 45 % done, 30 s so far",
        "anonymize people: full-domain at work, 100 % done, 60 s so far",
        "anonymize people: writing the candidate, 90 s so far",
    ]
    shares = [facts.get("share") for _, facts in signs_of(caplog)]
    assert shares == [0.45, 1.0, None]
    [record, *_] = [r for r in caplog.records if "so far" in r.getMessage()]
    line = json.loads(JsonLines().format(record))
    assert line["share"] == 0.45


@pytest.mark.parametrize("share", [NAME_MARK, None, -0.1, 1.5, float("nan")])
def test_what_is_no_share_is_not_told(caplog, clock, share):
    with caplog.at_level(logging.INFO, logger=LOG.name), logged_step("anonymize"):
        share_done(share)
        clock.pass_30_seconds()
    ((message, facts),) = signs_of(caplog)
    assert message == "anonymize: 30 s so far"
    assert "share" not in facts


@pytest.fixture
def searching(release):
    """A run whose method searches; it is loaded before the clock stands still."""
    widths = {"kind": "intervals", "widths": [5, 10, 20]}
    release.write(
        anonymizer={"name": "full-domain", "k": 3},
        hierarchies={"age": widths, "zip": {"kind": "masking"}},
        thresholds=[{"model": "k-anonymity", "k": 3}],
    )
    return load(release.file)


def test_the_search_of_a_release_drives_its_lines(searching, caplog, clock):
    """The clock moves whenever the search tells how far it is."""
    heard = []

    def listen(record):
        share = getattr(record, FACTS, {}).get("share")
        if record.levelno == logging.DEBUG and share is not None:
            heard.append(share)
            clock.pass_30_seconds()
        return True

    LOG.addFilter(listen)
    try:
        with caplog.at_level(logging.DEBUG, logger=LOG.name):
            anonymize(searching)
    finally:
        LOG.removeFilter(listen)
    assert len(heard) > 1
    assert heard == sorted(set(heard))
    told = [(message, facts["share"]) for message, facts in signs_of(caplog)]
    assert told == [
        (
            f"anonymize people: full-domain at work, {share:.0%}".replace("%", " %")
            + f" done, {30 * number} s so far",
            share,
        )
        for number, share in enumerate(heard, start=1)
    ]


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
