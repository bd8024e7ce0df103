"""Parsing the DAG folder is light, and the repository's own folder parses."""

import json
import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("airflow")

pytestmark = pytest.mark.airflow

LIGHT = """
import json, sys
opened = []
sys.addaudithook(
    lambda event, args: event == "open" and opened.append(str(args[0]))
)
import runpy, os
before = set(sys.modules)
found = runpy.run_path(os.environ["AIRFLOW__CORE__DAGS_FOLDER"] + "/releases.py")
from airflow.sdk import DAG
print(json.dumps({
    "dags": sorted(name for name, item in found.items() if isinstance(item, DAG)),
    "modules": sorted({name.partition(".")[0] for name in sys.modules}),
    "opened": opened,
}))
"""
HEAVY = {
    "pandas",
    "numba",
    "great_expectations",
    "sklearn",
    "scipy",
    "pyarrow",
    "numpy",
}

BAG = """
import json, os
from airflow.dag_processing.dagbag import DagBag
bag = DagBag(os.environ["AIRFLOW__CORE__DAGS_FOLDER"])
print(json.dumps({"errors": bag.import_errors, "dags": sorted(bag.dags)}))
"""


def test_parsing_loads_no_heavy_library_and_reads_no_data(parse, releases_folder):
    place = releases_folder
    seen = parse(place, place / "dags", place / "releases", LIGHT)
    assert {"people", "staff", "misspelled"} <= set(seen["dags"])
    assert not HEAVY & set(seen["modules"])
    assert any(path.endswith("people.yaml") for path in seen["opened"])
    data = [p for p in seen["opened"] if p.endswith((".csv", ".gz", ".parquet"))]
    assert data == []
    assert not (place / "work").exists()
    assert not (place / "out").exists()


def test_the_folder_of_the_repository_parses(parse, root, tmp_path):
    # Without the variable the releases beside the DAG folder are taken.
    seen = parse(tmp_path, root / "dags", "", BAG)
    files = (root / "releases").glob("*.yaml")
    assert seen == {"errors": {}, "dags": sorted(file.stem for file in files)}
    assert {"adult", "karate", "patients-swap"} <= set(seen["dags"])


@pytest.mark.slow
def test_every_release_of_the_repository_runs_as_a_dag(root, tmp_path, environment):
    for name in ("dags", "releases", "expectations"):
        shutil.copytree(root / name, tmp_path / name)
    (tmp_path / "home").mkdir()
    driver = root / "tests" / "airflow" / "drive_releases.py"
    done = subprocess.run(
        [sys.executable, str(driver), str(tmp_path)],
        env=environment(tmp_path, tmp_path / "dags", ""),
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    steps = dict.fromkeys(("load", "anonymize", "validate", "publish"), "success")
    assert json.loads((tmp_path / "found.json").read_text()) == {
        file.stem: {"state": "success", "tasks": steps, "published": True}
        for file in (root / "releases").glob("*.yaml")
    }


@pytest.mark.slow
def test_the_demo_runs_the_bundled_release(root, tmp_path):
    for name in ("dags", "releases", "expectations"):
        shutil.copytree(root / name, tmp_path / name)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("AIRFLOW")}
    environment.pop("ANON_RELEASES", None)
    command = [sys.executable, "-m", "anon_transformers.airflow.demo"]
    done = subprocess.run(
        [*command, "releases/adult.yaml"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = dict(line.split(maxsplit=1) for line in done.stdout.splitlines()[-6:])
    assert [found[step] for step in ("load", "publish", "run")] == ["success"] * 3
    assert (tmp_path / "build" / "releases" / "adult" / "current").is_dir()
    assert found["release"].startswith(str(tmp_path))
    again = subprocess.run(
        [*command, "releases/no-such.yaml"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert again.returncode != 0
