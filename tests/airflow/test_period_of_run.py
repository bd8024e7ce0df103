"""The period of a run, by the logical date that Airflow hands on in UTC."""

from datetime import UTC, datetime
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

pytest.importorskip("pydantic")

from anon_transformers.airflow._period import period_of_run
from anon_transformers.release._period import Period

RELEASE = """
source: {path: people.csv}
roles: {quasi_identifiers: [age]}
anonymizer: {name: mondrian}
thresholds: [{model: k-anonymity, k: 3}]
target: {path: 'out/{period:%Y-%m}'}
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
