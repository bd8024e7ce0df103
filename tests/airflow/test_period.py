"""Which period a run of Airflow is about, by the clock of its DAG."""

from datetime import UTC, datetime
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

pytest.importorskip("airflow.sdk")

from anon_transformers.airflow._period import period_of_run
from anon_transformers.release import read_config
from anon_transformers.release._resolve import period_of

RELEASE = """\
source: {path: "people-{period:%Y-%m}.csv"}
roles: {quasi_identifiers: [age]}
anonymizer: {name: mondrian}
thresholds: [{model: k-anonymity, k: 3}]
target: {path: "out/{period:%Y-%m}"}
composition: {accept_unjudged: made-up rows that describe nobody}
"""
MIDNIGHT_IN_BERLIN = datetime(2026, 9, 30, 22, tzinfo=UTC)
EVENING_IN_LIMA = datetime(2026, 10, 1, 3, tzinfo=UTC)


@pytest.mark.parametrize("which", ["current", "previous"])
@pytest.mark.parametrize(
    ("zone", "moment", "month"),
    [
        ("UTC", MIDNIGHT_IN_BERLIN, 9),
        ("Europe/Berlin", MIDNIGHT_IN_BERLIN, 10),
        ("UTC", EVENING_IN_LIMA, 10),
        ("America/Lima", EVENING_IN_LIMA, 9),
    ],
)
def test_the_month_is_that_of_the_clock_of_the_dag(
    tmp_path, zone, moment, month, which
):
    file = tmp_path / "people.yaml"
    file.write_text(RELEASE + f"airflow: {{period: {which}}}\n")
    context = {"logical_date": moment, "dag": SimpleNamespace(timezone=ZoneInfo(zone))}
    found = period_of(read_config(file), period_of_run(str(file), None, context))
    assert found.name == f"2026-{month - (which == 'previous'):02}"
