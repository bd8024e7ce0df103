"""Importing the library is light, and its public names are there."""

import importlib
import importlib.util
import json
import os
import pkgutil
import subprocess
import sys

import pytest

import anon_transformers

HEAVY = ["numba", "pandas", "scipy", "sklearn", "great_expectations", "airflow"]
PACKAGES = [
    "anon_transformers",
    *(
        found.name
        for found in pkgutil.iter_modules(
            anon_transformers.__path__, "anon_transformers."
        )
        if found.ispkg and not found.name.rsplit(".", 1)[-1].startswith("_")
    ),
]
LAZY = [name for name in PACKAGES if hasattr(importlib.import_module(name), "__all__")]

# What the extras bring; everything else resolves in a bare installation.
NEEDS = {
    "anon_transformers.gx": ["great_expectations"],
    "anon_transformers.release": ["great_expectations", "pydantic", "yaml"],
    "anon_transformers.airflow": ["airflow", "pydantic", "yaml"],
    "anon_transformers.cli": ["typer", "rich"],
}


def loaded_by(code, *arguments):
    """Which heavy libraries a fresh interpreter holds after running ``code``."""
    script = f"import sys, json\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    modules = json.loads(done.stdout.splitlines()[-1])
    return [name for name in HEAVY if name in modules], done.stdout


def test_importing_the_library_loads_nothing_heavy():
    assert loaded_by("import anon_transformers")[0] == []


def test_listing_the_public_names_loads_nothing_heavy():
    assert loaded_by("import anon_transformers; dir(anon_transformers)")[0] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_a_package_loads_no_other_heavy_library(package):
    # An Airflow DAG file imports our airflow package, and needs Airflow itself.
    allowed = {"airflow"} if package.endswith(".airflow") else set()
    assert set(loaded_by(f"import {package}")[0]) <= allowed


COMMAND = """
from anon_transformers.cli import main
sys.argv = ["anon", *sys.argv[1:]]
try:
    main()
except SystemExit as done:
    print("exit", done.code or 0)
"""


@pytest.mark.parametrize(("asked", "shown"), [("--help", "Usage"), ("list", "datafly")])
def test_help_and_list_load_nothing_heavy(asked, shown):
    heavy, printed = loaded_by(COMMAND, asked)
    assert shown in printed
    assert "exit 0" in printed
    assert heavy == []


@pytest.mark.parametrize(
    ("stated", "instead", "allowed"),
    [
        pytest.param("target:", "targte:", [], id="key"),
        pytest.param("k-anonymity", "k-anonymty", [], id="model"),
        pytest.param("name: mondrian", "name: mondrain", [], id="anonymizer"),
        pytest.param("adult.csv.gz", "nowhere.csv", [], id="source"),
        pytest.param("hierarchies/sex.csv", "nowhere.csv", [], id="hierarchy"),
        pytest.param("adult.json", "nowhere.json", [], id="suite"),
        pytest.param("format: csv", "format: cvs", [], id="format"),
        # Models are classes of numpy's and numba's, anonymizers of scikit-learn's too.
        pytest.param("k: 5", "kk: 5", ["numba", "pandas", "scipy"], id="parameter"),
    ],
)
def test_a_refused_release_file_loads_little(root, tmp_path, stated, instead, allowed):
    text = (root / "releases" / "adult.yaml").read_text()
    assert stated in text
    text = text.replace("../expectations", str(root / "expectations"))
    file = tmp_path / "adult.yaml"
    file.write_text(text.replace(stated, instead))
    heavy, printed = loaded_by(COMMAND, "release", str(file))
    assert "exit 2" in printed
    assert heavy == allowed
    assert list(tmp_path.iterdir()) == [file]


def skip_without_extras(package):
    for library in NEEDS.get(package, ()):
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"needs {library}")


@pytest.mark.parametrize("package", [p for p in LAZY if not p.endswith(".airflow")])
def test_every_exported_name_resolves(package):
    skip_without_extras(package)
    module = importlib.import_module(package)
    assert [
        name for name in module.__all__ if getattr(module, name, None) is None
    ] == []


def test_every_exported_name_for_airflow_resolves(tmp_path):
    # In a process of its own: Airflow takes its settings when it is first imported.
    skip_without_extras("anon_transformers.airflow")
    code = (
        "import sys, anon_transformers.airflow as package\n"
        "gone = [n for n in package.__all__ if getattr(package, n, None) is None]\n"
        "sys.exit(f'not there: {gone}' if gone else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "AIRFLOW_HOME": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("package", LAZY)
def test_what_is_exported_is_what_is_listed(package):
    module = importlib.import_module(package)
    assert len(set(module.__all__)) == len(module.__all__)
    assert dir(module) == sorted(module.__all__)


def test_there_is_something_to_resolve():
    assert {"anon_transformers", "anon_transformers.privacy"} <= set(LAZY)


@pytest.mark.parametrize("package", LAZY)
def test_an_unknown_name_is_an_attribute_error(package):
    module = importlib.import_module(package)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name
