"""Bounds of the source: rows, their change from run to run, and age."""

import os
import time
from datetime import timedelta

import pytest

from anon_transformers.exceptions import DataError
from anon_transformers.release import run_release
from anon_transformers.release._durations import read_duration, read_share
from anon_transformers.release._period import Period
from anon_transformers.release._run import Journal


def refusal(release, **expected):
    release.write(expect=expected)
    return release.refusal(DataError)


def rows_of(release):
    return release.source.read_text().splitlines(keepends=True)


def test_too_few_rows_are_refused(release):
    said = refusal(release, rows={"min": 41})
    assert "expect.rows.min: the source has 40 rows, and at least 41" in said
    assert "See whether it was cut off" in said
    assert "If it is right as it is, lower expect.rows.min; to accept it once" in said


def test_too_many_rows_are_refused(release):
    said = refusal(release, rows={"max": 39})
    assert "expect.rows.max: the source has 40 rows, and at most 39" in said
    assert "If it is right as it is, raise expect.rows.max; to accept it once" in said


def test_bounds_that_hold_pass(release):
    expected = {"rows": {"min": 40, "max": 40, "change": "100 %"}, "max_age": "2 h"}
    release.write(expect=expected)
    run_release(release.file)
    assert release.manifest()["measured"]["rows"] == 40


def test_a_change_is_judged_against_the_published_run_before(release):
    release.write(expect={"rows": {"change": "20 %"}})
    run_release(release.file)
    lines = rows_of(release)
    release.source.write_text("".join(lines[:32]))  # 31 of 40 rows: 22.5 % less
    with pytest.raises(DataError, match=r"31 rows, 22\.5 % fewer than the 40") as no:
        run_release(release.file)
    assert "at most 20 % may come or go" in str(no.value)  # as the file has it
    assert "raise expect.rows.change; to accept it once, put the old" in str(no.value)
    assert "what the next one is compared with" in str(no.value)
    release.source.write_text("".join(lines[:33]))  # 20 % less
    run_release(release.file)
    release.source.write_text("".join(lines))  # 25 % more than 32
    with pytest.raises(DataError, match=r"40 rows, 25 % more than the 32"):
        run_release(release.file)


def test_a_refusal_is_accepted_once_as_it_says(release):
    expected = {"rows": {"change": "20 %"}}
    release.write(expect=expected)
    run_release(release.file)
    release.source.write_text("".join(rows_of(release)[:32]))
    with pytest.raises(DataError, match=r"expect\.rows\.change"):
        run_release(release.file)
    release.write(expect={"rows": {"change": "25 %"}})
    run_release(release.file)
    release.write(expect=expected)
    run_release(release.file)  # compared with the run that was accepted
    assert release.manifest()["measured"]["rows"] == 31


def test_runs_that_were_not_published_are_no_measure(release):
    run_release(release.file)
    release.source.write_text("".join(rows_of(release)[:21]))
    release.write(
        thresholds=[{"model": "k-anonymity", "k": 3}, {"metric": "loss", "max": 0.0001}]
    )
    with pytest.raises(Exception, match="loss"):
        run_release(release.file)
    release.write(expect={"rows": {"change": 0.1}})
    with pytest.raises(DataError, match="than the 40"):
        run_release(release.file)


def test_an_old_source_is_refused(release):
    hours_ago = time.time() - 3 * 3600 - 5
    os.utime(release.source, (hours_ago, hours_ago))
    said = refusal(release, max_age="2h")
    assert "expect.max_age: the source was written 3 hours ago" in said
    assert "may be 2 hours old" in said
    assert "See whether the delivery is late" in said
    assert "raise expect.max_age; to accept it once" in said
    release.write(expect={"max_age": "4h"})
    run_release(release.file)


def test_a_file_that_expects_nonsense_is_refused(release):
    release.write(expect={"rows": {"min": 5, "max": 4}})
    assert "min is 5, above the max of 4" in release.refusal()
    release.write(expect={"rows": {"change": 20}})
    assert "must be a share: a text such as 20 %" in release.refusal()
    release.write(expect={"rows": {"mim": 20}})
    assert "mim" in release.refusal()
    release.write(expect={"max_age": "soon"})
    assert "must be a duration above zero" in release.refusal()


@pytest.mark.parametrize(
    ("stories", "period", "expected"),
    [
        ([], None, None),
        ([("a", None, 10, "published"), ("b", None, 20, "published")], None, 20),
        ([("a", None, 10, "published"), ("b", None, 20, "quarantined")], None, 10),
        (
            [("a", "2026-10", 10, "published"), ("b", "2026-08", 20, "published")],
            "2026-11",
            10,
        ),
        (
            [("a", "2026-10", 10, "published"), ("b", "2026-08", 20, "published")],
            "2026-09",
            20,
        ),
        ([("a", "2026-10", 10, "published")], "2026-10", None),
        (
            [("a", "2026-10", 9, "published"), ("b", "2026-10", 8, "published")],
            "2027-01",
            8,
        ),
    ],
)
def test_what_came_before(tmp_path, stories, period, expected):
    journal = Journal(tmp_path)
    for run, of, rows, event in stories:
        about = {} if of is None else {"period": of}
        journal.write(run, "loaded", rows=rows, **about)
        journal.write(run, event)
    asked = None if period is None else Period.read(period)
    assert journal.rows_before(asked) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [("2 h", 7200), (5, 5), ("P1D", 86400), (timedelta(1), 86400), ("1.5m", 90)],
)
def test_durations(given, expected):
    assert read_duration(given) == timedelta(seconds=expected)


@pytest.mark.parametrize("given", [
    "-1h", 0, "P-1D", "PX", "1w", True, None, "inf",
    float("inf"), float("nan"), "99999999999999d", 10**400,
])  # fmt: skip
def test_what_is_no_duration(given):
    with pytest.raises(ValueError, match="must be a duration"):
        read_duration(given)


@pytest.mark.parametrize("given", [
    "20", 20, -0.1, "-5 %", "101 %", True, None, float("nan"),
])  # fmt: skip
def test_what_is_no_share(given):
    with pytest.raises(ValueError, match="must be a share"):
        read_share(given)
