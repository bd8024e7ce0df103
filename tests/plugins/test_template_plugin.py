"""The template plugin, installed beside the library in a fresh environment.

Both are built as wheels; dependencies are borrowed from the running environment.
"""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "plugins" / "template"
SETUPTOOLS = 77
"""The oldest that reads our build configuration."""


def run(*command, fails=False, **environment):
    """Run a command in an environment without traces of the running one."""
    ours = ("ANON_", "AIRFLOW", "PYTHON")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    # Otherwise the checkout, where the tests run, would be searched first.
    kept |= {"PYTHONSAFEPATH": "1", "COLUMNS": "200"}
    # Their entry points lie among what is borrowed, and their editable code does not.
    kept |= {"ANON_DISABLE_PLUGINS": "graphs,reproductions"}
    done = subprocess.run(
        [str(part) for part in command],
        env=kept | environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done


def build_wheel(project, names, folder):
    """Build from a copy, so that nothing is left in the checkout."""
    source = folder / f"source-{project.name}"
    for name in names:
        origin, copy = project / name, source / name
        if origin.is_dir():
            shutil.copytree(origin, copy, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(origin, copy)
    alone = int(version("setuptools").split(".")[0]) < SETUPTOOLS
    options = [] if alone else ["--no-isolation"]
    run(sys.executable, "-m", "build", "--wheel", *options, "--outdir", folder, source)


def make_environment(folder):
    """One virtual environment with both wheels in it."""
    library = ["anon_transformers", "pyproject.toml", "README.md", "LICENSE", "NOTICE"]
    build_wheel(ROOT, library, folder)
    build_wheel(TEMPLATE, ["src", "pyproject.toml", "README.md"], folder)
    wheels = sorted(folder.glob("*.whl"))
    assert [wheel.name.split("-")[0] for wheel in wheels] == [
        "anon_transformers",
        "anon_transformers_template",
    ]
    place = folder / "environment"
    venv.create(place, symlinks=True, with_pip=False)
    python = place / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet"]
    run(*install, "--no-deps", "--no-index", *wheels)
    # A path in a .pth file is searched last, and the .pth files inside it (that of an
    # editable installation of the library, for one) are not read.
    inside = next((place / "lib").glob("python*")) / "site-packages"
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (inside / "borrowed.pth").write_text("\n".join(sorted(borrowed)) + "\n")
    # Machine code that the checkout has: the same files need not be compiled again.
    for file in (ROOT / "anon_transformers").rglob("*.nbc"):
        copy = inside / file.relative_to(ROOT)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(file, copy)
    return place


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The environment's ``bin``; parallel test processes share one environment."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "template"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            make_environment(folder)
            (folder / "ready").touch()
    return folder / "environment" / "bin"


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(200)],
            "zip": [f"0{z}" for z in rng.integers(1000, 1200, 200)],
            "ward": rng.choice(["A1", "A2", "B1"], 200),
            "income": rng.integers(1000, 9000, 200),
        }
    )


def test_both_are_imported_from_the_environment(environment):
    script = """
import sys, json
import anon_transformers, anon_transformers_template
from anon_transformers.registry import registry
print(json.dumps({
    "files": [anon_transformers.__file__, anon_transformers_template.__file__],
    "finders": [str(finder) for finder in sys.meta_path],
    "broken": [b.name for b in registry().broken],
    "owner": registry().anonymizers.owner("prefix"),
    "model": registry().privacy_models["range-diversity"].__name__,
}))
"""
    found = json.loads(run(environment / "python", "-c", script).stdout)
    assert all(file.startswith(str(environment.parent)) for file in found["files"])
    assert not [finder for finder in found["finders"] if "editable" in finder.lower()]
    assert found["broken"] == []
    assert found["owner"] == "anon-transformers-template"
    assert found["model"] == "RangeDiversity"


def test_the_library_does_not_know_the_plugin():
    named = ("anon_transformers_template", "range-diversity", "PrefixAnonymizer")
    knowing = [
        path.name
        for path in (ROOT / "anon_transformers").rglob("*.py")
        if any(name in path.read_text(encoding="utf-8") for name in named)
    ]
    assert knowing == []


def test_it_is_listed(environment):
    listed = json.loads(run(environment / "anon", "list", "--json").stdout)
    ours = {
        (row["kind"], row["name"])
        for row in listed["registered"]
        if row["distribution"] == "anon-transformers-template"
    }
    assert ours == {("anonymizer", "prefix"), ("privacy model", "range-diversity")}
    assert listed["broken"] == []


def test_it_can_be_left_out(environment):
    left_out = {"ANON_DISABLE_PLUGINS": "graphs,reproductions,template"}
    without = run(environment / "anon", "list", "--json", **left_out).stdout
    assert "range-diversity" not in without
    assert "k-anonymity" in without


def test_it_works_in_a_pipeline(environment):
    script = """
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from anon_transformers.registry import registry

found = registry()
spread = found.privacy_models["range-diversity"](e=500)
anonymizer = found.anonymizers["prefix"]
prefix = anonymizer(["zip"], k=2, sensitive=["income"], models=[spread])
people = pd.DataFrame({"zip": ["1234", "1299", "1307", "1355"], "income": [1, 900] * 2})
table = make_pipeline(FunctionTransformer(), prefix).fit_transform(people)
print(",".join(table["zip"]))
print(make_pipeline(prefix, OneHotEncoder()).fit_transform(people).shape)
"""
    output = run(environment / "python", "-W", "error", "-c", script).stdout
    assert output.splitlines() == ["12##,12##,13##,13##", "(4, 4)"]


@pytest.mark.gx
def test_it_works_in_an_expectation_suite(environment, tmp_path):
    pytest.importorskip("great_expectations")
    script = """
import json
import great_expectations as gx
import pandas as pd
from anon_transformers.gx import ExpectPrivacyModelToHold

context = gx.get_context(mode="ephemeral")
context.variables.progress_bars = {"globally": False}
asset = context.data_sources.add_pandas("memory").add_dataframe_asset("people")
batch = asset.add_batch_definition_whole_dataframe("all")
suite = context.suites.add(gx.ExpectationSuite("privacy", expectations=[
    ExpectPrivacyModelToHold(model="range-diversity", params={"$PARAMETER": "wanted"},
        quasi_identifiers=["zip"], sensitive=["income"])]))
definition = context.validation_definitions.add(
    gx.ValidationDefinition(name="all", data=batch, suite=suite))
zips = ["12##", "12##", "13##", "13##"]
people = pd.DataFrame({"zip": zips, "income": [100, 900, 200, 900]})
found = {}
for e in (700, 701):
    result = definition.run(batch_parameters={"dataframe": people},
        expectation_parameters={"wanted": {"e": e}})
    first = result.results[0].to_json_dict()
    found[e] = {"success": result.success, "level": first["result"]["observed_value"]}
print(json.dumps(found))
"""
    done = run(environment / "python", "-c", script, GX_ANALYTICS_ENABLED="False")
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "700": {"success": True, "level": 700},
        "701": {"success": False, "level": 700},
    }


@pytest.fixture
def release(tmp_path, people):
    people.to_csv(tmp_path / "people.csv", index=False)
    path = tmp_path / "people.yaml"
    path.write_text(
        """
source: {path: people.csv}
roles:
  identifiers: [name]
  quasi_identifiers: [zip, ward]
  sensitive: [income]
  accept_unique: [income]
anonymizer: {name: prefix, fill: "-", suppression_limit: 0.1}
thresholds:
  - {model: k-anonymity, k: 3}
  - {model: range-diversity, e: 1500, sensitive: income}
target: {path: published}
""",
        encoding="utf-8",
    )
    return path


@pytest.mark.gx
def test_what_the_readme_states_is_released(environment, release):
    pytest.importorskip("great_expectations")
    text = (TEMPLATE / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```yaml\n(.*?)^```$", text, flags=re.M | re.S)
    whole = yaml.safe_load(release.read_text(encoding="utf-8"))
    stated = yaml.safe_load(shown)
    release.write_text(yaml.safe_dump(whole | stated), encoding="utf-8")
    found = json.loads(run(environment / "anon", "release", release, "--json").stdout)
    judged = {check["id"]: check["passed"] for check in found["measured"]["checks"]}
    assert judged == {"k-anonymity": True, "range-diversity": True}


@pytest.mark.gx
def test_it_works_in_a_release(environment, release, people):
    pytest.importorskip("great_expectations")
    found = json.loads(run(environment / "anon", "release", release, "--json").stdout)
    folder = Path(found["folder"])
    assert folder.is_relative_to(release.parent / "published")
    table = pd.read_csv(folder / found["data"], dtype={"zip": "str"})
    assert list(table.columns) == ["zip", "ward", "income"]
    assert sorted(table["income"]) == sorted(people["income"])
    classes = table.groupby(["zip", "ward"], dropna=False)["income"]
    assert classes.size().min() >= 3
    assert (classes.max() - classes.min()).min() >= 1500
    assert table["zip"].str.endswith("-").any()
    judged = {check["id"]: check["observed"] for check in found["measured"]["checks"]}
    assert judged["range-diversity"] == (classes.max() - classes.min()).min()


@pytest.mark.gx
def test_its_threshold_can_be_tightened_and_not_loosened(environment, release):
    pytest.importorskip("great_expectations")
    anon = environment / "anon"
    loosened = run(anon, "release", release, "--set", "range_diversity_e=1", fails=True)
    assert "range_diversity_e" in loosened.stdout + loosened.stderr
    beyond = run(anon, "release", release, "--set", "range_diversity_e=9e5", fails=True)
    assert beyond.returncode == 1
    assert not list((release.parent / "published").glob("current*"))
    run(anon, "release", release, "--set", "range_diversity_e=3000")
    assert (release.parent / "published" / "current").exists()


def test_its_own_tests_pass_there(environment, tmp_path):
    # Without src, so that what is tested is what was installed.
    shutil.copy(TEMPLATE / "pyproject.toml", tmp_path)
    shutil.copytree(TEMPLATE / "tests", tmp_path / "tests")
    output = run(
        *(environment / "python", "-m", "pytest", "--quiet", "-p", "no:cacheprovider"),
        *("-c", tmp_path / "pyproject.toml", "--rootdir", tmp_path, tmp_path / "tests"),
        *("--pyargs", "anon_transformers_template"),
    ).stdout
    assert " passed" in output
    assert "failed" not in output.replace("xfailed", "")
