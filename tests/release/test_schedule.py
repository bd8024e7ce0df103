"""What a schedule may be, and when it comes round next."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

pytest.importorskip("pydantic")

from anon_transformers.release._schedule import (
    PRESETS,
    WITHOUT_CLOCK,
    check_schedule,
    is_schedule,
    next_run,
)

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)
EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    "given", [*PRESETS, *WITHOUT_CLOCK, "0 6 1 * *", "*/15 8-18 * * mon-fri"]
)
def test_what_is_a_schedule(given):
    assert check_schedule(given) == given


@pytest.mark.parametrize(
    "given",
    ["0 6 1 *", "0 25 * * *", "@dayly", "every second tuesday", "", " ", "0 0 31 2 *",
     "1" * 5000, "H H * * *"],
)  # fmt: skip
def test_what_is_none(given):
    with pytest.raises(ValueError, match="is no schedule; write a cron expression"):
        check_schedule(given)


def test_another_type_is_none():
    assert not is_schedule(None)
    assert not is_schedule(6)


def test_airflow_takes_the_same():
    pytest.importorskip("airflow")
    from airflow.sdk.definitions.timetables import _cron

    assert PRESETS == _cron.CRON_PRESETS


def test_the_next_run():
    def told(schedule, **given):
        found = next_run(schedule, NOW, **given)
        return None if found is None else found.isoformat(timespec="minutes")

    assert told("@monthly") == "2026-12-01T00:00+00:00"
    assert told("@quarterly") == "2027-01-01T00:00+00:00"
    assert told("30 5 * * *") == "2026-11-18T05:30+00:00"
    assert told("@continuous") is None
    assert told(None) is None
    assert told("30 5 * * *", start=NOW.astimezone(EAST)) == "2026-11-18T05:30+02:00"


def test_the_next_run_lies_between_start_and_end():
    begin = datetime(2027, 1, 1, 6, tzinfo=EAST)
    assert next_run("0 6 1 * *", NOW, begin) == begin  # the first moment counts
    assert next_run("0 7 1 * *", NOW, begin) == begin.replace(hour=7)
    end = datetime(2026, 12, 1, tzinfo=UTC)
    assert next_run("@monthly", NOW, end=end) == end
    assert next_run("0 1 1 * *", NOW, end=end) is None
