"""The period of a run, by the logical date that Airflow hands on in UTC; its end."""

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

pytest.importorskip("pydantic")

from anon_transformers.airflow._endings import EndRun
from anon_transformers.airflow._period import period_of_run
from anon_transformers.release import load
from anon_transformers.release._period import Period
from tests.release.conftest import SmallRelease

RELEASE = """
source: {path: people.csv}
roles: {quasi_identifiers: [age]}
anonymizer: {name: mondrian}
thresholds: [{model: k-anonymity, k: 3}]
target: {path: 'out/{period:%Y-%m}'}
composition: {accept_unjudged: made-up rows that describe nobody}
"""


@pytest.mark.parametrize(
    ("zone", "local", "current", "previous"),
    [
        ("UTC", datetime(2026, 10, 1), "2026-10", "2026-09"),
        # Midnight of the first is the month before in UTC, in summer and in winter.
        ("Europe/Berlin", datetime(2026, 10, 1), "2026-10", "2026-09"),
        ("Europe/Berlin", datetime(2026, 1, 1), "2026-01", "2025-12"),
        ("America/New_York", datetime(2026, 9, 30, 22), "2026-09", "2026-08"),
        (None, datetime(2026, 10, 1), "2026-10", "2026-09"),
    ],
)
def test_a_schedule_is_read_in_the_zone_of_its_dag(
    tmp_path, zone, local, current, previous
):
    file = tmp_path / "people.yaml"
    moment = local.replace(tzinfo=ZoneInfo(zone or "UTC")).astimezone(UTC)
    dag = SimpleNamespace(timezone=ZoneInfo(zone)) if zone else None
    context = {"logical_date": moment, "dag": dag}
    for which, wanted in (("current", current), ("previous", previous)):
        file.write_text(f"{RELEASE}airflow: {{period: {which}}}\n")
        found = period_of_run(str(file), None, context)
        assert Period.read(found).at("month").name == wanted


def test_what_somebody_asked_for_goes_first(tmp_path):
    file = tmp_path / "people.yaml"
    file.write_text(RELEASE)
    context = {"logical_date": datetime(2026, 10, 1, tzinfo=UTC)}
    assert period_of_run(str(file), "2026-02", context) == "2026-02"


@pytest.mark.gx
def test_a_task_that_fails_ends_the_run_of_its_own_period(tmp_path):
    """Two groups of one DAG may be about two periods of one release."""
    release = SmallRelease(tmp_path)
    release.write(target={"path": "out/{period:%Y-%m}"})
    october, november = (
        Path(load(release.file, "nightly", period=month))
        for month in ("2026-10", "2026-11")
    )
    end = EndRun(str(release.file))
    context = {"run_id": "nightly", "task": SimpleNamespace(location=str(october))}
    end(context)
    assert not october.exists()
    assert november.exists()
    end(context)  # it has ended, and nobody else's goes in its place
    end({"run_id": "nightly", "task": SimpleNamespace(period="2026-12")})
    assert november.exists()
    end({"run_id": "nightly", "task": SimpleNamespace(period="2026-11-05")})
    assert not november.exists()
    september = Path(load(release.file, "nightly", period="2026-09"))
    end({"run_id": "nightly"})  # of the whole DAG
    assert not september.exists()
