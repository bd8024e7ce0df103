"""One release file as several releases: a folder of tables, a sweep of thresholds."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("drive_mapped.py")
RELEASE = """\
source: {source}
roles:
  quasi_identifiers: [age, zip]
  sensitive: [job]
  identifiers: [name]
anonymizer: {{name: mondrian, step: {{age: 5}}, domain: {{zip: ["007", "008"]}}}}
thresholds:
  - {{model: k-anonymity, k: 3}}
  - {{metric: loss, max: 0.99}}
target: {{path: {target}}}
workspace: ../work
composition: {{accept_unjudged: made-up rows that describe nobody}}
airflow: {airflow}
"""
TABLES = (
    "tables/north", "tables/south town", "people", "2026-10/north", "2026-10/south",
    "people-2026-10", "twins/a b", "twins/a_b",
)  # fmt: skip
STEPS = ("load", "anonymize", "validate", "publish")


def release(name, mapping, source="{kind: csv}", target=None, **airflow):
    options = {"retries": 0, "map": mapping, **airflow}
    target = json.dumps(target or f"../out/{name}")
    return RELEASE.format(source=source, target=target, airflow=json.dumps(options))


def people(count):
    rows = ["name,age,zip,job"]
    for number in range(count):
        age, code = 20 + number * 7 % 40, "007" if number % 3 else "008"
        rows.append(f"NAMEMARK{number},{age},{code},JOBMARK{number % 4}")
    return "\n".join(rows) + "\n"


SWEEP = [{"k_anonymity_k": 3}, {"k_anonymity_k": 6, "loss_max": 0.95}]
FILES = {
    "tables.yaml": release("tables", {"tables": "tables/*.csv"}),
    "sweep.yaml": release("sweep", {"thresholds": SWEEP}, "{path: people.csv}"),
    "monthly.yaml": release(
        "monthly",
        {"tables": "{period:%Y-%m}/*.csv"},
        target="../out/monthly/{period:%Y-%m}",
        period="previous",
    ),
    "eastern.yaml": release(
        "eastern",
        {"thresholds": [{"k_anonymity_k": 4}]},
        "{path: 'people-{period:%Y-%m}.csv'}",
        "../out/eastern/{period:%Y-%m}",
        start_date="2026-01-01T00:00:00+02:00",
    ),
    "empty.yaml": release("empty", {"tables": "nothing/*.csv"}),
    "no-folder.yaml": release("no-folder", {"tables": "nowhere/*.csv"}),
    "twins.yaml": release("twins", {"tables": "twins/*.csv"}),
    "loose.yaml": release(
        "loose", {"thresholds": [{"k_anonymity_k": 2}]}, "{path: people.csv}"
    ),
}


def make_home(folder):
    for name in ("dags", "home", "releases/tables", "releases/nothing",
                 "releases/twins", "releases/2026-10"):  # fmt: skip
        (folder / name).mkdir(parents=True)
    shutil.copy(ROOT / "dags" / "releases.py", folder / "dags")
    releases = folder / "releases"
    for name, text in FILES.items():
        (releases / name).write_text(text)
    for name in TABLES:
        (releases / f"{name}.csv").write_text(people(40))
    (releases / "tables" / "few.csv").write_text(people(2))  # fewer than k
    return folder


@pytest.fixture(scope="module")
def seen(tmp_path_factory, environment):
    folder = make_home(tmp_path_factory.mktemp("mapped"))
    done = subprocess.run(
        [sys.executable, str(DRIVER), str(folder)],
        env=environment(folder, folder / "dags", folder / "releases"),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    found = json.loads((folder / "found.json").read_text())
    return {**found, "log": done.stdout + done.stderr, "folder": folder}


def states(run, item):
    return [run["instances"].get(f"item.{step} {item}") for step in STEPS]


def test_the_dag_lists_the_items_and_maps_the_steps(seen):
    tasks = seen["dags"]["tables"]["tasks"]
    assert list(tasks) == ["list_items", *(f"item.{step}" for step in STEPS)]
    assert tasks["item.load"] == ["list_items"]
    assert seen["dags"]["tables"]["params"] == {"k_anonymity_k": 3, "loss_max": 0.99}


def test_the_refusal_of_one_table_leaves_the_others_alone(seen):
    run = seen["tables"]
    assert run["state"] == "failed"
    assert states(run, 0) == ["failed"] + 3 * ["upstream_failed"]  # few.csv
    assert states(run, 1) == states(run, 2) == 4 * ["success"]
    assert sorted(run["out"]) == ["north", "south_town"]
    assert run["out"]["north"]["release"] == "tables--north"


def test_an_event_says_which_item_was_published(seen):
    events = seen["tables"]["events"]
    assert {name for name, _ in events} == {"tables"}
    assert sorted(extra["item"] for _, extra in events) == ["north", "south_town"]
    assert all(extra["levels"]["k-anonymity"] >= 3 for _, extra in events)


def test_a_table_that_is_gone_leaves_its_release_as_it_was(seen):
    before, after = seen["tables"]["out"], seen["north gone"]["out"]
    assert after["north"] == before["north"]
    assert after["south_town"] != before["south_town"]
    asked = {c["id"]: c["params"] for c in after["south_town"]["measured"]["checks"]}
    assert asked["k-anonymity"]["k"] == 4  # a trigger tightens all items


def test_a_sweep_publishes_one_release_per_set_of_thresholds(seen):
    run = seen["sweep"]
    assert run["state"] == "success"
    assert list(run["out"]) == ["k_anonymity_k-3", "k_anonymity_k-6_loss_max-0.95"]
    for manifest, k in zip(run["out"].values(), (3, 6), strict=True):
        checks = {c["id"]: c for c in manifest["measured"]["checks"]}
        assert checks["k-anonymity"]["params"]["k"] == k
        assert checks["k-anonymity"]["observed"] >= k
    assert seen["dags"]["sweep"]["params"] == {}  # each item states its own


def test_items_have_periods(seen):
    run = seen["monthly"]
    assert run["state"] == "success"
    assert {m["period"] for m in run["out"].values()} == {"2026-10"}
    for item in ("north", "south"):
        assert (seen["folder"] / "out/monthly" / item / "2026-10").is_dir()


def test_local_midnight_is_of_the_month_that_the_clock_of_the_dag_shows(seen):
    run = seen["local midnight"]
    assert run["state"] == "success"
    assert {m["period"] for m in run["out"].values()} == {"2026-10"}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("empty", "airflow.map.tables: no file fits nothing/*.csv."),
        ("no-folder", "nowhere does not exist."),
        ("twins", "would be one release, a_b; rename one of them."),
    ],
)
def test_what_cannot_be_listed_fails_the_first_task(seen, name, sentence):
    run = seen[name]
    assert run["state"] == "failed"
    assert run["instances"]["list_items -1"] == "failed"
    assert "success" not in run["instances"].values()
    assert sentence in seen["log"]
    assert not run["out"]


def test_what_loosens_is_refused_when_the_file_is_parsed(seen):
    assert "broken" in seen["dags"]["loose"]["tags"]
    assert "would loosen the release" in seen["dags"]["loose"]["doc"]


def test_derived_files_are_private(seen):
    derived = {
        name: mode for name, mode in seen["files"].items() if name.endswith(".yaml")
    }
    assert "work/tables/mapped/tables--north.yaml" in derived
    assert "work/monthly/mapped/2026-10/monthly--north.yaml" in derived
    assert set(derived.values()) == {"0o600"}
    folders = [name for name in seen["files"] if name.endswith(("mapped", "2026-10"))]
    assert {seen["files"][name] for name in folders} == {"0o700"}


def test_no_personal_value_is_handed_on_or_left(seen):
    runs = [run for run in seen.values() if isinstance(run, dict) and "events" in run]
    assert any(run["handed on"] for run in runs)
    for run in runs:
        assert "MARK" not in json.dumps([run["handed on"], run["events"]])
    assert "MARK" not in seen["log"]
    assert not [name for name in seen["files"] if "input" in name]


def test_airflow_shows_the_names_of_the_items(seen):
    assert seen["sweep"]["labels"] == list(seen["sweep"]["out"])
