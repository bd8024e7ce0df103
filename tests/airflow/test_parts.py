"""The parts of a DAG by themselves: callbacks, the sensor, the news of a release."""

import pytest

pytest.importorskip("airflow")

pytestmark = pytest.mark.airflow

PARTS = """
import json, os
from pathlib import Path
from types import SimpleNamespace

from airflow.sdk import DAG, BaseHook

from anon_transformers.airflow import release_dag, release_task_group
from anon_transformers.airflow._assets import published_facts, source_assets
from anon_transformers.release import read_config

FOLDER = Path(os.environ["ANON_RELEASES"])
found = {}


def told(context):
    pass


def told_by_default(context):
    pass


def named(group):
    return {
        name.split(".")[-1]: [one.__name__ for one in task.on_failure_callback]
        for name, task in group.children.items()
    }


file = FOLDER / "people.yaml"
with DAG("own", default_args={"on_failure_callback": told_by_default}):
    found["alone"] = named(release_task_group(file))
    found["given"] = named(
        release_task_group(file, group_id="b", on_failure_callback=told)
    )
    found["several"] = named(
        release_task_group(file, group_id="c", on_failure_callback=[told, told])
    )

# A source whose place only a connection knows.
file = FOLDER / "hidden.yaml"
text = (FOLDER / "people.yaml").read_text()
options = "{conn_id: host, secrets: {ANON_PLACE: place}, sensor: 1h}"
place = "$ANON_PLACE/$ANON_CONN_HOST"
text = text.replace("path: people.csv", f"path: '{place}/people.csv'")
file.write_text(text + f"airflow: {options}\\n")
connections = {
    "host": SimpleNamespace(host="inner", port=None, login=None, password=None,
                            schema=None, extra_dejson={}),
    "place": SimpleNamespace(password=str(FOLDER)),
}
BaseHook.get_connection = staticmethod(lambda name: connections[name])
sensor = release_dag(read_config(file), file).get_task("wait_for_source")
found["missing"] = sensor.missing({"params": {}})
(FOLDER / "inner").mkdir()
(FOLDER / "inner" / "people.csv").write_text("x")
found["there"] = sensor.poke({"params": {}})
left = {"ANON_PLACE", "ANON_CONN_HOST"} & set(os.environ)
found["left"] = sorted(left)

# What a source in a database is called.
text = (FOLDER / "people.yaml").read_text()
sql = "kind: sql, url: 'postgresql://anna@db.example/ward', table: stays"
sources = {
    "file": ("kind: duckdb, path: ward.duckdb, table: stays", ""),
    "database": (sql, ""),
    "named": (sql, "airflow: {source_asset: stays}"),
}
found["sources"] = {}
for name, (source, more) in sources.items():
    file = FOLDER / f"{name}.yaml"
    file.write_text(text.replace("path: people.csv", source) + more)
    found["sources"][name] = [asset.uri for asset in source_assets(read_config(file))]

# Of persons, what is asked for is public, and what is reached is not.
version = FOLDER / "version"
version.mkdir()
checks = [
    {"id": "k", "name": "k-anonymity", "params": {"k": 5}},
    {"id": "l", "name": "distinct-l-diversity", "params": {"l": 3, "sensitive": "job"}},
    {"id": "l2", "name": "distinct-l-diversity", "params": {"l": 2, "sensitive": "x"}},
    {"id": "t", "name": "t-closeness", "params": {"t": 0.2}},
    {"id": "t2", "name": "t-closeness", "params": {"t": 0.4}},
    {"id": "loss", "name": "loss", "params": {"max": 0.9}, "observed": 0.3},
]
manifest = {"release": "people", "measured": {"checks": checks, "rows": 40}}
(version / "manifest.json").write_text(json.dumps(manifest))
found["facts"] = published_facts(version)
print()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def parts(parse, releases_folder, tmp_path_factory):
    place = tmp_path_factory.mktemp("parts")
    releases = place / "releases"
    releases.mkdir()
    for name in ("people.yaml", "people.csv"):
        (releases / name).write_text((releases_folder / "releases" / name).read_text())
    return {"folder": releases, **parse(place, place, releases, PARTS)}


def test_a_callback_of_ones_own_does_not_keep_personal_data(parts):
    steps = ("load", "anonymize", "validate", "publish")
    for case, others in (
        ("alone", ["told_by_default"]),
        ("given", ["told"]),
        ("several", ["told", "told"]),
    ):
        assert parts[case] == {step: ["EndRun", *others] for step in steps}, case


def test_a_sensor_has_the_secrets_that_the_source_is_read_with(parts):
    looked_for = parts["folder"] / "inner" / "people.csv"
    assert parts["missing"] == f"source.path: {looked_for} does not exist."
    assert parts["there"] is True
    assert parts["left"] == []


def test_the_news_of_a_release_says_what_is_asked_for(parts):
    facts = parts["facts"]
    assert {name: facts[name] for name in "klt"} == {"k": 5, "l": 2, "t": 0.4}
    assert facts["levels"] == {"loss": 0.3}


def test_a_source_in_a_database_is_called_as_the_file_says_or_is_no_asset(parts):
    ward = (parts["folder"] / "ward.duckdb").as_uri()
    assert parts["sources"] == {"file": [ward], "database": [], "named": ["stays"]}
