"""The ``airflow:`` section: what it takes, what it refuses, what Airflow calls so."""

import inspect
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("pydantic")

from pydantic import ValidationError

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.release import read_config
from anon_transformers.release._airflow_options import AirflowOptions
from anon_transformers.release._config import noted_config


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (90, 90), (1.5, 1.5), ("90s", 90), ("30m", 1800), ("2h", 7200), ("1.5h", 5400),
        ("1d", 86400), (" 5 m ", 300), ("PT1H30M", 5400), ("P1D", 86400),
    ],
)  # fmt: skip
def test_durations(given, seconds):
    assert AirflowOptions(retry_delay=given).retry_delay == timedelta(seconds=seconds)


@pytest.mark.parametrize("given", [0, -1, "0s", "soon", "5", "", True, [1], "5 weeks"])
def test_what_is_no_duration(given):
    with pytest.raises(ValidationError, match="duration above zero"):
        AirflowOptions(retry_delay=given)


@pytest.mark.parametrize(
    "given", ["2025-02-01", "2025-02-01T01:00:00+01:00", datetime(2025, 2, 1)]
)
def test_moments_are_in_utc_without_a_zone(given):
    options = AirflowOptions(start_date=given)
    assert options.start_date == datetime(2025, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"retrys": 3}, "airflow: unknown key 'retrys'; did you mean 'retries'?"),
        ({"retries": -1}, "airflow.retries: "),
        ({"retries": True}, "airflow.retries: must be a whole number"),
        ({"max_active_runs": 0}, "airflow.max_active_runs: "),
        ({"catchup": "yes"}, "airflow.catchup: must be true or false"),
        ({"retry_delay": "soon"}, "airflow.retry_delay: must be a duration"),
        ({"tags": "health"}, "airflow.tags: must be a list"),
        ({"on_failure": ["SlackNotifier"]}, "such as package.module.Notifier"),
        ({"on_failure": [{"text": "x"}]}, "airflow.on_failure.0.notifier: "),
        ({"deadline": "1h"}, "deadline: name whom to notify"),
        ({"sensor": {"timeout": "1h", "mode": "push"}}, "airflow.sensor.mode: "),
        ({"start_date": "2025-02-02", "end_date": "2025-02-01"}, "before start_date"),
        ({"owner": ""}, "airflow.owner: "),
        ("daily", "airflow: must be keys with values"),
    ],
)
def test_what_the_section_refuses(release, section, message):
    release.write(airflow=section)
    with pytest.raises(ConfigurationError) as caught:
        read_config(release.file)
    assert message in str(caught.value)


def test_a_release_runs_by_a_schedule_or_after_others(release):
    release.write(schedule="@daily", airflow={"wait_for": ["staff"]})
    assert "a schedule or after others, not both" in release.refusal()


def test_short_forms():
    options = AirflowOptions.model_validate(
        {
            "on_failure": ["a.b"],
            "deadline": "2h",
            "sensor": "1h",
            "asset": "people",
            "wait_for": ["x", {"asset": "y"}],
        }
    )
    assert options.on_failure[0].notifier == "a.b"
    assert options.deadline.after == timedelta(hours=2)
    assert options.sensor.timeout == timedelta(hours=1)
    assert options.asset.name == "people"
    assert options.wait_for[1].asset.name == "y"


def test_a_run_notes_the_section_as_it_is(release):
    section = {
        "start_date": "2025-02-01",
        "retry_delay": "90s",
        "deadline": {"after": "2h", "notify": [{"notifier": "a.b", "x": 1}]},
        "wait_for": ["people", {"asset": "other"}],
        "sensor": "1h",
    }
    release.write(airflow=section)
    config = read_config(release.file)
    assert noted_config(config.model_dump_json()) == config


def test_keys_that_are_handed_on_are_those_of_airflow():
    sdk = pytest.importorskip("airflow.sdk")
    of_dag = set(inspect.signature(sdk.DAG.__init__).parameters)
    of_tasks = set(inspect.signature(sdk.BaseOperator.__init__).parameters)
    assert set(AirflowOptions.OF_DAG) <= of_dag
    assert set(AirflowOptions.OF_TASKS) <= of_tasks
    handed_on = {*AirflowOptions.OF_DAG, *AirflowOptions.OF_TASKS}
    ours = set(AirflowOptions.model_fields) - handed_on
    # Those of one name with Airflow's mean the same, and are made by us.
    assert ours & (of_dag | of_tasks) == {"deadline", "tags"}
    assert ours == {
        "asset", "conn_id", "deadline", "map", "on_failure", "on_success", "period",
        "secrets", "sensor", "source_asset", "tags", "wait_for",
    }  # fmt: skip
