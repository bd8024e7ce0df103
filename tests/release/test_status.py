"""How releases stand, by their files, journals and manifests."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.exceptions import AnonymizationError, ConfigurationError
from anon_transformers.release import (
    abandon,
    anonymize,
    load,
    release_status,
    run_release,
)
from anon_transformers.release._status import _gaps, _margin
from anon_transformers.release._under_way import LEASE


def only(release):
    (found,) = release_status([release.folder])
    return found


def status(*arguments):
    return CliRunner().invoke(app, ["status", *map(str, arguments)])


def test_a_release_that_never_ran(release):
    found = only(release)
    assert (found.name, found.state) == ("people", "never published")
    assert found.last_success is found.last_run is None
    assert found.periods == found.thresholds == ()


def test_a_published_release(release):
    run_release(release.file)
    found = only(release)
    assert found.state == "published"
    manifest = release.manifest()
    (public,) = found.periods
    assert public.version == manifest["version"]
    assert public.period is None
    assert found.last_success == release.events()[-1]["at"]
    k, risk, loss = found.thresholds
    smallest = manifest["measured"]["classes"]["smallest"]
    assert (k.asked, k.observed, k.margin) == (3, smallest, smallest - 3)
    assert risk.margin == pytest.approx(0.4 - risk.observed)
    assert (loss.asked, loss.observed, loss.margin) == (0.9, None, None)


def test_a_refused_run_is_the_news_though_another_is_public(release):
    run_release(release.file)
    release.write(thresholds=[{"metric": "loss", "max": 0.0001}, *BASE_MODELS])
    with pytest.raises(AnonymizationError):
        run_release(release.file)
    found = only(release)
    assert found.state == "refused"
    assert "was quarantined" in found.reason
    assert len(found.periods) == 1
    assert found.needs_attention


BASE_MODELS = [{"model": "k-anonymity", "k": 3}]


@pytest.mark.parametrize("how", ["forged", "unsigned", "gone"])
def test_a_manifest_that_somebody_wrote_tells_nothing(release, how):
    run_release(release.file)
    file = release.target / "current/manifest.json"
    content = json.loads(file.read_text())
    content["measured"]["checks"][0]["observed"] = 999
    if how == "unsigned":
        content.pop("signature")
    file.write_text(json.dumps(content)) if how != "gone" else file.unlink()
    found = only(release)
    assert (found.state, found.needs_attention) == ("changed", True)
    assert "the manifest is not what the release wrote" in found.reason
    assert found.thresholds == ()
    told = status(release.folder)
    assert told.exit_code == 1
    assert "999" not in told.output


def test_a_run_under_way(release):
    load(release.file, run_id="r")
    found = only(release)
    assert found.state == "under way"
    assert "loaded" in found.reason


KILLED = """
import os, signal, sys
from anon_transformers.release import release_status, run_release

def on_step(step):
    if step == "validate":
        (found,) = release_status([sys.argv[1]])
        print(found.state, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

run_release(sys.argv[1], on_step=on_step)
"""


def test_a_run_that_was_killed_is_news(release):
    """Nobody is at work on it: it is under way no more, and nothing was published."""
    line = [sys.executable, "-c", KILLED, str(release.file)]
    done = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, "under way\n")
    found = only(release)
    assert (found.state, found.needs_attention) == ("refused", True)
    run = release.events()[-1]["run"]
    assert f"run {run} was cut off: its process is gone (until it is" in found.reason
    run_release(release.file)
    assert only(release).state == "published"


def test_a_run_that_its_scheduler_left_is_news_after_its_lease(release):
    folder = Path(load(release.file, run_id="r"))
    assert only(release).state == "under way"
    long_ago = time.time() - LEASE.total_seconds() - 60
    os.utime(folder / ".lock", (long_ago, long_ago))
    found = only(release)
    assert found.state == "refused"
    assert "was cut off" in found.reason
    abandon(folder)
    assert "was given up" in only(release).reason
    abandon(folder)
    assert only(release).state == "never published"


def test_nobody_knows_of_steps_that_are_called_one_by_one(release):
    load(release.file)
    assert only(release).state == "under way"


def test_a_broken_file_does_not_hide_the_others(release):
    run_release(release.file)
    (release.folder / "other.yaml").write_text("anonymizer: {name: mondrian}\n")
    (release.folder / "compose.yaml").write_text("services: {}\n")
    broken, good = release_status([release.folder])
    assert (broken.name, broken.state, good.state) == ("other", "broken", "published")
    assert "source" in broken.reason
    judged = status(release.folder)
    assert judged.exit_code == 1
    assert "other" in judged.output


def test_a_workspace_alone_is_enough(release):
    run_release(release.file)
    (found,) = release_status([release.work])
    assert (found.name, found.state, found.file) == ("people", "published", None)
    (again,) = release_status([release.work, release.file])
    assert again.file == str(release.file)


def test_periods_are_listed_in_order(release):
    release.write(
        source={"path": "{period:%Y-%m}.csv"},
        target={"path": "out"},
        schedule="@monthly",
    )
    for period in ("2026-10", "2026-08", "2026-10"):
        (release.folder / f"{period}.csv").write_text(release.source.read_text())
        run_release(release.file, period=period)
    found = only(release)
    assert [public.period for public in found.periods] == ["2026-08", "2026-10"]
    assert found.periods[-1].version == release.manifest()["version"]
    judged = status(release.folder, "--json")
    assert judged.exit_code == 0
    (shown,) = json.loads(judged.stdout)
    assert shown["schedule"] == "@monthly"
    assert len(shown["periods"]) == 2
    printed = status(release.folder)
    assert "2: 2026-08 to 2026-10" in printed.output


def test_a_source_that_is_refused_is_news(release):
    release.write(expect={"rows": {"min": 41}})
    with pytest.raises(AnonymizationError):
        run_release(release.file)
    assert release.nothing_written()
    assert [e["event"] for e in release.events()] == ["refused"]
    assert only(release).state == "refused"  # though it was the first run
    release.write(expect=None)
    run_release(release.file)
    release.write(expect={"rows": {"min": 41}})
    with pytest.raises(AnonymizationError):
        run_release(release.file)
    found = only(release)
    assert found.state == "refused"
    assert "was refused when it was loaded" in found.reason
    release.source.unlink()
    with pytest.raises(AnonymizationError):
        run_release(release.file)
    assert [e["event"] for e in release.events()][-2:] == ["refused", "refused"]
    assert status(release.folder).exit_code == 1


def test_a_refused_period_is_news_until_it_is_published(release):
    release.write(source={"path": "{period}-{period:%m}.csv"}, target={"path": "out"})
    text = release.source.read_text()
    (release.folder / "2026-08-08.csv").write_text(text)
    run_release(release.file, period="2026-08")
    for period in ("2026-09", "2026-08"):
        try:
            run_release(release.file, period=period)
        except AnonymizationError:
            assert period == "2026-09"
    # Somebody asked for a month that is not there, and went on with another one.
    assert only(release).state == "published"
    (release.folder / "2026-09-09.csv").write_text(text)
    strict = {"rows": {"min": 41}}
    for number in (9, 10):
        (release.folder / f"2026-{number:02}-{number:02}.csv").write_text(text)
    release.write(expect=strict)
    with pytest.raises(AnonymizationError):
        run_release(release.file, period="2026-09")
    release.write(expect=None)
    run_release(release.file, period="2026-10")
    found = only(release)
    assert found.state == "refused"  # what was in the source is no slip
    assert "2026-09" in found.reason
    run_release(release.file, period="2026-09")
    assert only(release).state == "published"


@pytest.fixture
def months(release):
    """August is public, and files of other months are not there."""
    release.write(source={"path": "{period}-{period:%m}.csv"}, target={"path": "out"})
    (release.folder / "2026-08-08.csv").write_text(release.source.read_text())
    run_release(release.file, period="2026-08")
    return release


def test_a_month_that_a_scheduler_misses_stays_news(months):
    with pytest.raises(AnonymizationError):
        load(months.file, run_id="scheduled__2026-09", period="2026-09")
    run_release(months.file, period="2026-08")
    assert only(months).state == "refused"


def test_a_slip_is_news_until_something_is_published_or_it_is_acknowledged(months):
    for _ in range(2):
        with pytest.raises(AnonymizationError):
            run_release(months.file, period="2062-07")
    found = only(months)
    assert found.state == "refused"
    assert "anon abandon" in found.reason
    run = months.events()[-1]["run"]
    ended = CliRunner().invoke(app, ["abandon", str(months.file), run])
    assert ended.exit_code == 0
    assert "acknowledged" in ended.output
    assert only(months).state == "published"
    assert status(months.folder).exit_code == 0
    wrong = CliRunner().invoke(app, ["abandon", str(months.file), f"{run}x"])
    assert wrong.exit_code == 2
    assert "did you mean" in " ".join(wrong.output.split())


def test_an_acknowledged_refusal_of_a_release_that_was_never_published(release):
    release.target.mkdir()
    (release.target / "current").mkdir()
    (release.target / "current" / "theirs.txt").write_text("theirs")
    with pytest.raises(AnonymizationError):
        run_release(release.file)
    assert [e["event"] for e in release.events()] == ["refused"]
    assert only(release).state == "refused"
    run = release.events()[-1]["run"]
    abandon(release.home / "runs" / run)
    assert only(release).state == "never published"
    assert status(release.folder).exit_code == 0


def test_a_broken_file_still_says_what_is_public(release):
    run_release(release.file)
    wrong = [{"model": "k-anonymity", "kk": 3}]
    release.write(thresholds=wrong)
    found = only(release)
    assert found.state == "broken"
    assert "kk" in found.reason
    assert len(found.periods) == 1
    release.write_text(release.file.read_text() + "\n{")
    found = only(release)
    assert found.state == "broken"
    assert found.last_success is not None


def test_what_is_below_the_current_folder(release, monkeypatch):
    deep = release.folder / "a/b/releases"
    deep.mkdir(parents=True)
    (deep / "deep.yaml").write_text("thresholds: []\n")
    (release.folder / ".hidden").mkdir()
    (release.folder / ".hidden/no.yaml").write_text("thresholds: []\n")
    monkeypatch.chdir(release.folder)
    assert [one.name for one in release_status()] == ["deep", "people"]


def test_a_place_that_is_not_there(tmp_path):
    with pytest.raises(ConfigurationError, match="does not exist"):
        release_status([tmp_path / "none"])
    nothing = status(tmp_path)
    assert nothing.exit_code == 0
    assert "There is no release here" in nothing.output


@pytest.mark.parametrize(
    ("params", "observed", "margin"),
    [
        ({"k": 5}, 7, 2),
        ({"k": 5}, 4, -1),
        ({"t": 0.3}, 0.1, 0.2),
        ({"max": 0.1}, 0.3, -0.2),
        ({"min": 2}, 3, 1),
        ({"c": 4.0, "l": 3}, 2, None),
        ({"k": 5}, None, None),
    ],
)
def test_margins(params, observed, margin):
    check = {"id": "x", "params": params}
    found = _margin(check if observed is None else {**check, "observed": observed})
    assert found.margin == margin


def test_the_next_run_is_told_on_the_clock_of_the_dag(release):
    airflow = {"start_date": "2026-01-01T00:00:00+02:00", "end_date": "2026-12-31"}
    release.write(schedule="@monthly", airflow=airflow)

    def told(now):
        (found,) = release_status([release.file], now=now)
        return found.next_run

    # An hour before midnight in UTC the first of December has begun there.
    assert told(datetime(2026, 11, 30, 21, tzinfo=UTC)) == "2026-12-01T00:00+02:00"
    assert told(datetime(2026, 11, 30, 23, tzinfo=UTC)) is None  # end_date comes first
    assert told(datetime(2025, 3, 1, tzinfo=UTC)) == "2026-01-01T00:00+02:00"


def test_a_broken_file_keeps_its_schedule(release):
    """As its DAG does, which fails with the reason each time."""
    airflow = {"start_date": "2026-01-01T00:00:00+02:00"}
    release.write(schedule="@monthly", airflow=airflow, rolls={})
    now = datetime(2026, 11, 30, 21, tzinfo=UTC)
    (found,) = release_status([release.file], now=now)
    assert (found.state, found.schedule) == ("broken", "@monthly")
    assert found.next_run == "2026-12-01T00:00+02:00"
    assert "when triggered" not in status(release.file).output


@pytest.mark.parametrize(
    "odd",
    [
        {"run": "x", "event": "published"},
        {"run": "x", "event": "published", "at": 5},
        {"run": "x", "event": "loaded", "at": None},
        {"run": "x\0", "event": "publishing", "at": "2026"},
        {"run": "x\ud800", "event": "loading", "at": "2026", "draft": ".x"},
        {"run": "x" * 300, "event": "loaded", "at": "2026"},
        {"run": "x", "event": "publishing", "version": "a\0/versions/x"},
        {"run": "x", "event": "publishing", "draft": "current", "files": []},
    ],
)
def test_odd_lines_of_a_journal_stop_nobody(release, odd):
    """Nor does one that names ``current`` as a draft remove what readers follow."""
    version = Path(run_release(release.file))
    if "draft" in odd:
        odd = {"version": str(version.with_name("x")), **odd}
    with (release.home / "journal.jsonl").open("a") as journal:
        journal.write(json.dumps(odd) + "\n")
    [found] = release_status([release.file])
    assert [each.folder for each in found.periods] == [str(version)]
    location = load(release.file, "scheduled")
    assert (release.target / "current").resolve() == version
    abandon(location)


def test_persons_have_margins_as_far_as_rows_tell(release):
    roles = {**release.content["roles"], "identifiers": [], "subject": "name"}
    release.write(roles=roles)
    run_release(release.file)
    found = only(release)
    measured = release.manifest()["measured"]
    k, risk, loss = found.thresholds
    assert found.counts == "persons"
    assert (k.asked, k.observed, k.margin) == (3, None, None)
    sizes = pd.read_csv(release.target / "current/data.csv").groupby(["age", "zip"])
    assert k.margin_at_most == sizes.size().min() - 3
    assert k.margin_at_most < 40 // measured["classes"]["count"] - 3
    assert (risk.asked, loss.asked, risk.margin_at_most) == (0.4, 0.9, None)
    printed = " ".join(status(release.folder).output.split())
    assert "thresholds are of persons" in printed
    (shown,) = json.loads(status(release.folder, "--json").stdout)
    assert shown["thresholds"][0]["margin_at_most"] == k.margin_at_most
    assert shown["counts"] == "persons"


def test_rows_need_no_bound(release):
    run_release(release.file)
    found = only(release)
    assert found.counts == "rows"
    assert [one.margin_at_most for one in found.thresholds] == [None] * 3
    assert "thresholds are of persons" not in status(release.folder).output


def test_periods_that_are_missing_in_between_are_listed(release):
    release.write(source={"path": "{period:%Y-%m}.csv"}, target={"path": "out"})
    for period in ("2026-08", "2026-10", "2027-02"):
        (release.folder / f"{period}.csv").write_text(release.source.read_text())
        run_release(release.file, period=period)
    first, second = only(release).gaps
    assert (first.first, first.last, first.n_periods) == ("2026-09", "2026-09", 1)
    assert (second.first, second.last, second.n_periods) == ("2026-11", "2027-01", 3)
    printed = status(release.folder)
    assert printed.exit_code == 0  # nobody says that they should be there
    told = " ".join(printed.output.split())
    assert "not public in between: 2026-09, 2026-11 to 2027-01 (3)" in told
    (shown,) = json.loads(status(release.folder, "--json").stdout)
    assert [gap["n_periods"] for gap in shown["gaps"]] == [1, 3]


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        ([], []),
        (["2026"], []),
        (["2026", "2028"], [("2027", "2027", 1)]),
        (["2026-W52", "2027-W02"], [("2026-W53", "2027-W01", 2)]),
        (["2026-02-27", "2026-03-01"], [("2026-02-28", "2026-02-28", 1)]),
        (["2026-10-05T23", "2026-10-06T00"], []),
        (["2026-10-05T23", "2026-10-06T02"], [("2026-10-06T00", "2026-10-06T01", 2)]),
        (["2025", "2026-01", "2026-02"], []),  # the file had years before
    ],
)
def test_gaps(names, missing):
    found = [(gap.first, gap.last, gap.n_periods) for gap in _gaps(names)]
    assert found == missing


def test_a_release_whose_file_was_removed_is_acknowledged_by_its_folder(release):
    release.write(thresholds=[{"metric": "loss", "max": 0.0001}, *BASE_MODELS])
    with pytest.raises(AnonymizationError):
        run_release(release.file)
    release.file.unlink()
    (found,) = release_status([release.work])
    assert (found.state, found.file) == ("refused", None)
    run = release.events()[-1]["run"]
    command = f"anon abandon {release.home} RUN"
    assert command in found.reason
    _, *asked = command.replace("RUN", run).split()
    assert CliRunner().invoke(app, asked).exit_code == 0
    assert status(release.work).exit_code == 0
    wrong = CliRunner().invoke(app, ["abandon", str(release.folder), run])
    assert wrong.exit_code == 2
    assert "neither a release file nor the private folder" in " ".join(
        wrong.output.split()
    )


def test_what_could_not_be_anonymized_was_refused(release):
    location = load(release.file)
    for file in (release.home / "runs").rglob("input.parquet"):
        file.write_bytes(b"another table")
    with pytest.raises(AnonymizationError):
        anonymize(location)
    assert "was refused when it was anonymized" in only(release).reason


def test_a_candidate_goes_when_its_refusal_is_acknowledged(release):
    release.write(thresholds=[{"metric": "loss", "max": 0.0001}, *BASE_MODELS])
    with pytest.raises(AnonymizationError):
        run_release(release.file)
    (place,) = (release.home / "quarantine").iterdir()
    assert (place / "candidate" / "data.csv").is_file()
    for path in [place, *place.rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path
    (place / "candidate" / "theirs.txt").write_text("theirs")
    abandon(release.home / "runs" / place.name)
    left = {path.relative_to(place).as_posix() for path in place.rglob("*")}
    assert {"verdict.json", "validation.html"} <= left
    assert {path for path in left if path.startswith("candidate/")} == {
        "candidate/theirs.txt"
    }
    abandon(release.home / "runs" / place.name)  # again changes nothing
    assert (place / "verdict.json").is_file()
