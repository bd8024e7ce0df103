"""The real DAGs on SQLite: green, refused by the gate, loosened, tightened, broken."""

import json
import sqlite3

import pytest

pytest.importorskip("airflow")

pytestmark = pytest.mark.airflow
STEPS = ["load", "anonymize", "validate", "publish"]


# ---------------------------------------------------------------- what is built


def test_four_tasks_one_after_another(found):
    tasks = found["dags"]["people"]["tasks"]
    assert list(tasks) == STEPS
    assert list(tasks.values()) == [[], ["load"], ["anonymize"], ["validate"]]
    assert found["dags"]["people"]["retries"]["validate"] == 0
    assert found["dags"]["people"]["max_active_runs"] == 1


def test_every_release_file_becomes_a_dag(found):
    assert found["import_errors"] == {}
    assert {"people", "staff", "weekly", "with-plugin"} <= set(found["dags"])
    assert not any("notes" in name for name in found["dags"])
    assert "0 0 * * 0" in found["dags"]["weekly"]["schedule"]


def test_thresholds_are_parameters_with_the_file_as_default(found):
    expected = {"k_anonymity_k": 3, "average_risk_max": 0.4, "loss_max": 0.9}
    assert found["dags"]["people"]["params"] == expected
    assert found["dags"]["with-plugin"]["params"]["depth_of_values_depth"] == 2


def test_a_broken_file_is_shown_as_broken_and_leaves_the_others(found):
    dags = found["dags"]
    assert "broken" in dags["misspelled"]["tags"]
    assert "did you mean 'roles'?" in dags["misspelled"]["doc"]
    assert list(dags["misspelled"]["tasks"]) == ["broken_release"]
    assert "broken" not in dags["people"]["tags"]
    assert found["broken"]["state"] == "failed"
    assert found["broken"]["states"] == {"broken_release": "failed"}
    assert found["first"]["state"] == "success"


@pytest.mark.parametrize(
    ("name", "schedule", "reason"),
    [
        ("unreadable", None, "line 1"),
        ("unreadable-daily", "0 0 * * *", "line 3"),
        ("wrong-parameter", "0 0 * * *", "'kk'; did you mean 'k'?"),
        ("wrong-method", "0 * * * *", "'stepp'; did you mean 'step'?"),
        ("odd-schedule", None, "every second tuesday"),
        ("another-name", "0 0 * * *", "'people' is not the name of the file"),
        ("no_name", None, "letters, digits"),
        ("twice", "0 0 * * *", "a release has one file"),
        ("no-notifier", "0 0 * * *", "notices.nobody: it cannot be imported"),
        ("circle", None, "circle would wait for itself"),
        ("round", None, "round would wait for itself"),
        ("waits-for-nobody", None, "did you mean 'people'?"),
        ("no-file-to-wait-for", None, "the source is no file to wait for"),
    ],
)
def test_a_broken_file_keeps_its_id_and_its_schedule(found, name, schedule, reason):
    shown = found["dags"][name]
    assert {"broken", "release"} <= set(shown["tags"])
    assert list(shown["tasks"]) == ["broken_release"]
    assert shown["retries"] == {"broken_release": 0}
    assert shown["schedule"] == schedule
    assert reason in shown["doc"]


def test_nothing_else_is_broken(found):
    broken = {n for n, dag in found["dags"].items() if "broken" in dag["tags"]}
    assert not broken & {"people", "staff", "told", "follower", "weekly", "fuzzy"}
    assert "zz" not in found["dags"]


def test_who_was_told_of_a_release_is_told_that_it_is_broken(found):
    for name in ("wrong-parameter", "odd-schedule", "no-notifier"):
        assert found["dags"][name]["owners"] == ["ada"]
        assert "health" in found["dags"][name]["tags"]
    assert found["wrong parameter"]["state"] == "failed"
    assert found["notices of broken"] == ["wrong-parameter failed"]


def test_releases_and_sources_are_assets(found, airflow_folder):
    people = found["dags"]["people"]
    assert people["outlets"] == [["people", "people"]]
    assert people["inlets"] == [(airflow_folder / "releases" / "people.csv").as_uri()]
    assert found["dags"]["told"]["outlets"] == [["told-people", "x-told/people"]]
    assert found["dags"]["told"]["inlets"] == ["people-of-today"]
    assert found["dags"]["follower"]["awaited"] == ["drought", "people"]
    assert found["dags"]["follower"]["schedule"] is None


# ---------------------------------------------------------------- what runs


def test_a_green_run_publishes(found, airflow_folder):
    seen = found["first"]
    assert seen["state"] == "success"
    assert seen["states"] == dict.fromkeys(STEPS, "success")
    assert seen["manifest"]["release"] == "people"
    assert seen["manifest"]["measured"]["checks"][0]["observed"] >= 3
    assert seen["journal"] == ["loading", "loaded", "publishing", "published"]
    assert not list((airflow_folder / "work").rglob("input*"))


def test_a_broken_threshold_fails_at_once_and_publishes_nothing(found):
    seen = found["refused by the gate"]
    assert seen["state"] == "failed"
    assert seen["states"]["anonymize"] == "success"
    assert seen["states"]["validate"] == "failed"
    assert seen["states"]["publish"] == "upstream_failed"
    assert seen["tries"]["validate"] == 1
    assert seen["tries"]["publish"] == 0
    assert seen["journal"][-1] == "quarantined"
    assert seen["manifest"] == found["first"]["manifest"]


def test_a_release_that_never_passed_has_no_target(found, airflow_folder):
    seen = found["never published"]
    assert seen["states"]["validate"] == "failed"
    assert seen["manifest"] is None
    assert not (airflow_folder / "out" / "staff").exists()
    (place,) = (airflow_folder / "work" / "staff" / "quarantine").iterdir()
    held = {path.name for path in place.rglob("*")}
    assert {"data.csv", "verdict.json", "validation.html"} <= held
    assert "input.parquet" not in held


@pytest.mark.parametrize("scenario", ["loosened", "no number"])
def test_a_loosening_parameter_is_refused_before_anything_runs(found, scenario):
    seen = found[scenario]
    assert seen["error"] == "ParamValidationError"
    assert "k_anonymity_k" in seen["message"]
    assert not seen["touched"]


def test_a_tightening_parameter_is_honored_and_told(found):
    seen = found["tightened"]
    assert seen["state"] == "success"
    promised = seen["manifest"]["promised"]
    assert promised["file"][0]["k"] == 3
    assert promised["in_force"][0]["k"] == 6
    assert promised["file"][2]["max"] == 0.9
    assert promised["in_force"][2]["max"] == 0.8
    assert seen["manifest"]["measured"]["checks"][0]["observed"] >= 6


def test_a_misspelled_parameter_is_refused_by_the_first_task(found, airflow_folder):
    seen = found["misspelled"]
    assert seen["states"]["load"] == "failed"
    assert seen["tries"]["load"] == 1
    assert not seen["touched"]
    log = (airflow_folder / "log.txt").read_text()
    assert "did you mean 'k_anonymity_k'?" in log


def test_a_plugins_parameter_is_judged_by_the_plugin(found):
    seen = found["plugin loosened"]
    assert seen["states"]["load"] == "failed"
    assert seen["tries"]["load"] == 1
    assert not seen["touched"]
    seen = found["plugin tightened"]
    assert seen["state"] == "success"
    assert seen["manifest"]["promised"]["in_force"][-1]["depth"] == 3
    assert seen["manifest"]["measured"]["checks"][-1]["observed"] >= 3


def test_a_fuzzy_release_is_judged_by_k_l_t_and_q(found, airflow_folder):
    assert found["fuzzy"]["state"] == "success"
    checks = {c["id"]: c for c in found["fuzzy"]["manifest"]["measured"]["checks"]}
    assert set(checks) == {
        "k-anonymity",
        "q-anonymity",
        "fuzzy-l-diversity",
        "fuzzy-t-closeness",
    }
    assert all(check["passed"] for check in checks.values())
    assert checks["k-anonymity"]["observed"] >= 3
    # Degrees are private, and so is every number that was taken of them.
    for name in ("q-anonymity", "fuzzy-l-diversity", "fuzzy-t-closeness"):
        assert not {"observed", "units", "failing", "details"} & set(checks[name])
    assert not list((airflow_folder / "work" / "fuzzy").rglob("memberships*"))


def test_a_fuzzy_release_that_cannot_keep_its_promise_publishes_nothing(found):
    tightened = found["fuzzy tightened"]
    assert tightened["state"] == "failed"
    assert tightened["states"]["load"] == "success"
    assert tightened["states"]["anonymize"] == "failed"
    assert tightened["states"]["publish"] == "upstream_failed"


def test_a_release_of_a_graph_is_judged_and_published(found, airflow_folder):
    assert found["friends"]["state"] == "success"
    checks = {c["id"]: c for c in found["friends"]["manifest"]["measured"]["checks"]}
    assert set(checks) == {"k-degree", "loss"}
    assert checks["k-degree"]["observed"] >= 3
    out = airflow_folder / "out" / "friends" / "current"
    assert {"edges.csv", "nodes.csv"} <= {file.name for file in out.iterdir()}
    assert "NAMEMARK" not in (out / "edges.csv").read_text()
    assert "NAMEMARK" not in (out / "nodes.csv").read_text()


def test_a_release_of_a_graph_that_is_too_small_publishes_nothing(found):
    tightened = found["friends tightened"]
    assert tightened["state"] == "failed"
    assert tightened["states"]["publish"] == "upstream_failed"


def test_those_are_told_how_a_run_ended_whom_the_file_names(found):
    assert found["told"]["state"] == "success"
    assert found["told of failure"]["state"] == "failed"
    assert found["notices"] == ["told published", "told failed", "told function"]


def events_of(folder, name):
    """Extras of the events of an asset, oldest first."""
    with sqlite3.connect(folder / "home" / "airflow.db") as database:
        rows = database.execute(
            "select e.extra from asset_event e join asset a on a.id = e.asset_id "
            "where a.name = ? order by e.id",
            (name,),
        )
        return [json.loads(extra) for (extra,) in rows.fetchall()]


def test_the_news_of_a_release_says_what_was_measured(found, airflow_folder):
    events = events_of(airflow_folder, "people")
    assert len(events) == 2  # the green run and the tightened one
    assert [event["levels"]["k-anonymity"] for event in events] == [
        found[name]["manifest"]["measured"]["checks"][0]["observed"]
        for name in ("first", "tightened")
    ]
    (last,) = events[1:]
    manifest = found["tightened"]["manifest"]
    assert last["version"] == manifest["version"]
    measured = manifest["measured"]
    assert last["risk"] == measured["risk"]
    # Of this release, the loss is private; where it is published, the news has it.
    assert last.get("loss") == measured.get("loss")
    levels = {c["id"]: c["observed"] for c in measured["checks"] if "observed" in c}
    assert last["levels"] == levels
    assert last["rows"] == 40
    assert [event["k"] for event in events] == [3, 6]
    assert not events_of(airflow_folder, "staff")  # it was never published


def test_consumers_of_a_release_are_triggered(found, airflow_folder):
    with sqlite3.connect(airflow_folder / "home" / "airflow.db") as database:
        waiting = database.execute(
            "select q.target_dag_id from asset_dag_run_queue q "
            "join asset a on a.id = q.asset_id where a.name = 'people'"
        ).fetchall()
    assert {name for (name,) in waiting} == {"consumer", "follower"}


def test_the_period_of_a_run_is_that_of_its_logical_date(found):
    assert found["october"]["state"] == found["september"]["state"] == "success"
    assert found["dags"]["monthly"]["params"]["period"] is None
    assert {"2026-09", "2026-10"} < set(found["months"])
    assert not {"2026-11", "2026-12"} & set(found["months"])


def test_a_run_without_a_period_says_so(found, airflow_folder):
    assert found["no month"]["states"]["load"] == "failed"
    assert found["no month"]["tries"]["load"] == 1
    assert not found["no month"]["touched"]
    log = (airflow_folder / "log.txt").read_text()
    assert "source.path holds one per month, and none is given" in log


def test_a_source_is_waited_for_until_the_deadline(found, airflow_folder):
    late = found["waited in vain"]
    assert late["states"]["wait_for_source"] == "failed"
    assert late["tries"]["wait_for_source"] == 1
    assert late["states"]["load"] == "upstream_failed"
    log = (airflow_folder / "log.txt").read_text()
    assert "late.csv does not exist. It was waited for 1 seconds" in log
    assert found["waited"]["state"] == "success"
    assert found["waited"]["states"]["wait_for_source"] == "success"


def test_secrets_of_a_connection_are_there_while_the_source_is_read(found):
    assert found["secret"]["state"] == "success"
    assert set(map(tuple, found["vault"])) == {("SECRETMARK", "SECRETMARK")}
    assert found["left in the environment"] == []
    # A key that every step needs.
    assert found["secret manifest"]["roles"]["pseudonyms"] == ["name"]


def test_a_dag_of_ones_own_runs_the_same_steps(found):
    assert found["own"]["state"] == "success"
    assert set(found["own"]["tasks"]) == {f"owned.{s}" for s in STEPS} | {"by_hand"}
    manifest, journal = found["owned"]
    assert journal.count("published") == 2
    assert manifest["promised"]["in_force"][0]["k"] == 3  # by hand, and last


def test_a_group_is_mapped_over_periods(found):
    # The source of the third is missing; the others are published all the same.
    at_end = {
        at: [state for name, i, state in found["mapped"]["instances"]
             if i == at and name.endswith("publish")]
        for at in range(3)
    }  # fmt: skip
    assert at_end == {0: ["success"], 1: ["success"], 2: ["upstream_failed"]}
    assert found["mapped"]["state"] == "failed"
    assert {"2026-09", "2026-10"} < set(found["mapped months"])
    assert "2026-11" not in found["mapped months"]


def test_a_run_that_failed_leaves_no_personal_data(found):
    assert found["fuzzy tightened"]["states"]["anonymize"] == "failed"
    assert found["fuzzy tightened"]["journal"][-1] == "abandoned"
    assert found["left"] == []


def test_only_trouble_with_files_and_connections_is_retried(found):
    assert found["errors"] == {
        "GateError": ["AirflowFailException", False],
        "OSError": ["OSError", False],
        "UnreachableError": ["UnreachableError", False],
    }


# ---------------------------------------------------------------- what Airflow keeps


def rows_of(folder):
    """Every row of every table of Airflow's database, as text."""
    with sqlite3.connect(folder / "home" / "airflow.db") as database:
        names = database.execute("select name from sqlite_master where type = 'table'")
        for (name,) in names.fetchall():
            for row in database.execute(f'select * from "{name}"'):
                yield name, str(row)


def test_messages_between_tasks_are_locations(found, airflow_folder):
    with sqlite3.connect(airflow_folder / "home" / "airflow.db") as database:
        sent = database.execute("select task_id, key, value from xcom").fetchall()
    groups = {f"owned.{step}" for step in STEPS}
    groups |= {f"month.mapped.{step}" for step in STEPS}
    assert {task for task, *_ in sent} == {*STEPS, *groups, "by_hand"}
    for _, key, value in sent:
        assert key == "return_value"
        assert value.strip('"').startswith(str(airflow_folder))
        assert len(value) < 300


def test_no_cell_is_in_the_database(found, airflow_folder):
    tables = set()
    for table, row in rows_of(airflow_folder):
        tables.add(table)
        assert "NAMEMARK" not in row, table
        assert "JOBMARK" not in row, table
        assert "SECRETMARK" not in row, table
    assert {"xcom", "task_instance", "dag_run", "serialized_dag"} <= tables


def test_no_cell_is_in_the_logs(found, airflow_folder):
    logs = [airflow_folder / "log.txt", *(airflow_folder / "home").rglob("*.log")]
    text = "".join(path.read_text(errors="replace") for path in logs)
    assert "[info" in text
    assert "[DAG TEST] running task" in text
    assert "SECRETMARK" not in text
    assert "NAMEMARK" not in text
    assert "JOBMARK" not in text
