"""Two runs of one release at once: they wait, are refused, or go on side by side."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import ReleaseError
from anon_transformers.release import (
    _under_way,
    abandon,
    anonymize,
    load,
    publish,
    read_config,
    run_release,
    validate,
)
from tests.release.test_periods import MONTHS, current, with_periods

pytestmark = pytest.mark.gx
STEPS = (anonymize, validate, publish)
PAUSED = """
import sys, time
from pathlib import Path
from anon_transformers.release import run_release

file, period, stop, folder = sys.argv[1:5]

def on_step(step):
    if step == stop:
        Path(folder, "there").touch()
        while not Path(folder, "go").exists():
            time.sleep(0.05)

print(run_release(file, on_step=on_step, period=period or None))
"""
PATIENCE = 600
"""Seconds until a test says that a process hangs."""


class Other:
    """A run in a process of its own, which stops before one of its steps."""

    def __init__(self, release, folder, stop, period=""):
        self.folder = folder
        folder.mkdir()
        asked = [str(release.file), period, stop, str(folder)]
        with (folder / "said").open("w") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-c", PAUSED, *asked],
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            )

    @property
    def said(self):
        return (self.folder / "said").read_text()

    def there(self):
        """Wait until it has stopped."""
        self.until((self.folder / "there").exists)
        return self

    def until(self, happened):
        end = time.monotonic() + PATIENCE
        while not happened():
            assert self.process.poll() is None, self.said
            assert time.monotonic() < end, "nothing happened"
            time.sleep(0.05)

    def go(self):
        (self.folder / "go").touch()
        return self

    def end(self):
        """The version that it published."""
        out, _ = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, self.said
        assert "Errno" not in self.said
        return Path(out.strip())

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)
        assert self.process.wait(PATIENCE) == -signal.SIGKILL


@pytest.fixture
def other(release, tmp_path):
    """Start runs in other processes; none of them outlives the test."""
    started = []

    def start(stop, period=""):
        started.append(Other(release, tmp_path / f"other-{len(started)}", stop, period))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
        each.process.communicate()


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(_under_way, "POLL", 0.01)
    monkeypatch.setattr(_under_way, "LONGEST_WAIT", timedelta(seconds=0.05))


def raw_copies(release):
    return sorted(path.parent.name for path in release.home.rglob("input.parquet"))


# ---------------------------------------------------------------- one period


def test_the_second_run_waits_for_the_first(release, other):
    first = other("validate").there()
    [running] = release.runs()
    second = other("nowhere")
    second.until(lambda: f"Waiting for run {running}" in second.said)
    assert raw_copies(release) == [running]
    one, two = first.go().end(), second.end()
    assert one.name == running
    assert release.versions() == [two.name]
    assert second.said.count("Waiting") == 1
    assert raw_copies(release) == []


def test_a_run_that_waits_says_so_and_touches_nothing(
    release, other, impatient, caplog
):
    other("publish").there()
    [running] = release.runs()
    before = (release.home / "journal.jsonl").read_bytes()
    caplog.set_level("INFO", "anon_transformers")
    with pytest.raises(ReleaseError, match=f"run {running} .* is under way since 20"):
        run_release(release.file)
    assert [r.getMessage()[:23] for r in caplog.records] == [
        "Waiting for run " + running[:7],
        "load people: refused (R",
    ]
    assert release.runs() == [running]
    assert (release.home / "journal.jsonl").read_bytes() == before


def test_the_second_run_is_refused_where_the_file_says_so(release, other):
    release.write(on_conflict="refuse")
    first = other("anonymize").there()
    [running] = release.runs()
    with pytest.raises(ReleaseError, match=rf"run {running} .* on_conflict: refuse"):
        run_release(release.file)
    first.go()
    one = first.end()
    assert current(release.target) == one.name
    two = Path(run_release(release.file))
    assert current(release.target) == two.name


def test_a_killed_run_is_known_to_be_over(release, other):
    release.write(on_conflict="refuse")
    first = other("validate").there()
    [running] = release.runs()
    first.kill()
    assert raw_copies(release) == [running]
    version = Path(run_release(release.file))
    assert release.versions() == [version.name]
    assert release.events_of(running)[-1] == "abandoned"
    assert raw_copies(release) == []


# ---------------------------------------------------------------- two periods


def test_two_periods_go_on_side_by_side(release, other):
    with_periods(release)
    first = other("validate", "2026-10").there()
    second = other("publish", "2026-11").there()
    assert [name[:7] for name in raw_copies(release)] == ["2026-10", "2026-11"]
    third = Path(run_release(release.file, period="2026-09"))
    assert [name[:7] for name in raw_copies(release)] == ["2026-10", "2026-11"]
    assert current(release.target) == third.name
    second.go().end()
    first.go().end()
    assert [name[:7] for name in release.versions()] == MONTHS[1:]
    assert current(release.target).startswith("2026-11")
    assert raw_copies(release) == []


def test_two_runs_may_make_the_workspace_at_the_same_moment(release, monkeypatch):
    home, is_dir = read_config(release.file).home, Path.is_dir

    def seen_too_early(path):
        if path == home and not is_dir(path):
            path.mkdir(parents=True)
            return False
        return is_dir(path)

    monkeypatch.setattr(Path, "is_dir", seen_too_early)
    assert Path(run_release(release.file)).is_dir()
    assert home.stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
@pytest.mark.parametrize("path", ["out", "out/{period}"])
def test_three_periods_are_published_at_once(release, other, path):
    with_periods(release)
    release.write(target={"path": path})
    started = [other("publish", month) for month in MONTHS[:3]]
    for each in started:
        each.there()
    for each in started:
        each.go()
    published = sorted(each.end().name for each in started)
    found = sorted(place.name for place in release.target.glob("**/versions/*"))
    assert found == published
    assert current(release.target) == published[-1]
    events = [release.events_of(name) for name in published]
    assert events == [["loading", "loaded", "publishing", "published"]] * 3


@pytest.mark.slow
def test_a_killed_run_goes_and_one_of_another_period_stays(release, other):
    with_periods(release)
    alive = other("validate", "2026-10").there()
    dead = other("validate", "2026-11").there()
    dead.kill()
    run_release(release.file, period="2026-08")
    assert [name[:7] for name in raw_copies(release)] == ["2026-10"]
    run_release(release.file, period="2026-11")
    october = alive.go().end()
    assert [name[:7] for name in release.versions()] == [
        "2026-08",
        "2026-10",
        "2026-11",
    ]
    assert october.name in release.versions()
    assert current(release.target).startswith("2026-11")


def test_steps_of_two_periods_may_be_called_in_turn(release):
    with_periods(release)
    runs = [load(release.file, period=month) for month in MONTHS[:3]]
    for step in (anonymize, validate, publish):
        runs = [step(run) for run in runs]
    assert [name[:7] for name in release.versions()] == MONTHS[:3]


# ---------------------------------------------------------------- schedulers


def test_a_run_of_a_scheduler_is_under_way_between_its_steps(release, impatient):
    release.write(on_conflict="refuse")
    run = load(release.file, "monthly")
    for step in (anonymize, validate):
        with pytest.raises(ReleaseError, match=Path(run).name):
            load(release.file, "another")
        with pytest.raises(ReleaseError, match=Path(run).name):
            run_release(release.file)
        assert load(release.file, "monthly") == run
        step(run)
    version = publish(run)
    assert release.versions() == [Path(version).name]
    load(release.file, "another")


def test_the_same_run_again_is_no_conflict(release):
    release.write(on_conflict="refuse")
    first = load(release.file, "monthly")
    again = load(release.file, "monthly", {"k_anonymity_k": 4})
    assert again == first
    publish(validate(anonymize(again)))
    assert release.manifest()["promised"]["in_force"][0]["k"] == 4


def test_a_lease_runs_out_and_each_step_renews_it(release):
    release.write(on_conflict="refuse")
    run = Path(load(release.file, "monthly"))
    long_ago = time.time() - _under_way.LEASE.total_seconds() - 60
    os.utime(run / ".lock", (long_ago, long_ago))
    anonymize(str(run))
    with pytest.raises(ReleaseError, match="is under way"):
        load(release.file, "another")
    os.utime(run / ".lock", (long_ago, long_ago))
    taken = Path(load(release.file, "another"))
    assert raw_copies(release) == [taken.name]
    for step in STEPS:
        with pytest.raises(ReleaseError, match="is gone"):
            step(str(run))


def test_a_lease_of_another_period_that_ran_out_leaves_no_personal_data(release):
    with_periods(release)
    run = Path(load(release.file, "monthly", period="2026-10"))
    run_release(release.file, period="2026-11")
    assert raw_copies(release) == [run.name]
    long_ago = time.time() - _under_way.LEASE.total_seconds() - 60
    os.utime(run / ".lock", (long_ago, long_ago))
    run_release(release.file, period="2026-11")
    assert raw_copies(release) == []
    assert release.events_of(run.name)[-1] == "abandoned"


@pytest.mark.parametrize("steps", range(3))
def test_an_abandoned_run_is_over_at_once(release, steps):
    release.write(on_conflict="refuse")
    run = load(release.file, "monthly")
    for step in STEPS[:steps]:
        step(run)
    abandon(run)
    assert raw_copies(release) == []
    assert release.runs() == []
    assert not release.target.exists()
    assert release.events_of(Path(run).name)[-1] == "abandoned"
    abandon(run)
    for step in STEPS:
        with pytest.raises(ReleaseError, match="is gone"):
            step(run)
    run_release(release.file)


def test_what_was_published_is_not_abandoned(release):
    run = load(release.file, "monthly")
    version = publish(validate(anonymize(run)))
    abandon(run)
    assert current(release.target) == Path(version).name
    assert release.events_of(Path(run).name)[-1] == "published"
    for place in (release.folder, release.home, release.home / "runs" / "nobody"):
        with pytest.raises(ReleaseError, match="is no run"):
            abandon(place)


def test_a_run_at_a_step_is_not_abandoned(release, other, impatient):
    first = other("publish").there()
    [running] = release.runs()
    with pytest.raises(ReleaseError, match="another process has been at a step"):
        abandon(release.home / "runs" / running)
    assert raw_copies(release) == [running]
    first.go().end()


def test_a_word_that_is_no_choice_is_refused(release):
    release.write(on_conflict="fight")
    message = release.refusal()
    assert "on_conflict" in message
    assert "'wait' or 'refuse'" in message


# ---------------------------------------------------------------- what is gone


@pytest.mark.parametrize(
    "missed",
    [
        ".",
        "run.json",
        "seal.key",
        ".lock",
        "input.parquet",
        "candidate",
        "candidate/candidate.json",
        "candidate/data.csv",
        "validation.html",
    ],
)
def test_whatever_is_missed_first_is_said_in_a_sentence(release, missed):
    whole = validate(anonymize(load(release.file)))
    kept = release.folder / "kept"
    shutil.copytree(whole, kept)
    for step in STEPS:
        shutil.rmtree(whole, ignore_errors=True)
        shutil.copytree(kept, whole)
        if step is anonymize:
            shutil.rmtree(Path(whole) / "candidate")
        place = Path(whole) / missed
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
        try:
            step(whole)
        except ReleaseError as error:
            said = str(error)
            assert Path(whole).name in said
            assert "Errno" not in said
            assert "cannot be read" not in said
        else:
            assert missed != "."
            assert step is not publish or missed in {".lock", "input.parquet"}
            if step is publish:
                return


def test_the_journal_knows_who_drives_a_run(release):
    load(release.file)
    run = load(release.file, "monthly")
    abandon(run)
    run_release(release.file)
    lines = (release.home / "journal.jsonl").read_text().splitlines()
    drivers = [json.loads(line).get("driver") for line in lines]
    assert [driver for driver in drivers if driver] == ["steps", "scheduler", "process"]


def test_a_run_that_waits_says_so_and_for_how_long(release, monkeypatch, caplog):
    from anon_transformers.release import read_config
    from anon_transformers.release._log import FACTS, LOG, logged_step

    answers = iter([("other", "noon", None)] * 3 + [None])
    monkeypatch.setattr(_under_way, "POLL", 0.01)
    monkeypatch.setattr(_under_way.Turn, "_conflicting", lambda self: next(answers))
    turn = _under_way.Turn(read_config(release.file), None)
    with caplog.at_level(logging.DEBUG, logger=LOG.name), logged_step("load"):
        turn.wait()
    told = [getattr(record, FACTS, {}) for record in caplog.records]
    stages = [facts["stage"] for facts in told if "stage" in facts]
    assert stages == ["waiting for run other"]
    assert "waited_seconds" in told[-1]
    assert "waited seconds" in caplog.records[-1].getMessage()
