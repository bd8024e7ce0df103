"""The library as a provider of Airflow."""

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import version

import pytest

GROUP = "apache_airflow_provider"


def test_the_distribution_declares_a_provider(root):
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    (path,) = settings["project"]["entry-points"][GROUP].values()
    module, _, name = path.partition(":")
    info = getattr(import_module(module), name)()
    assert info["package-name"] == settings["project"]["name"]
    assert info["versions"] == [version("anon-transformers")]
    assert info["name"]
    assert info["description"]


def test_airflow_takes_what_it_says():
    pytest.importorskip("airflow")
    jsonschema = pytest.importorskip("jsonschema")
    import json
    from importlib.resources import files

    from anon_transformers.airflow.provider import get_provider_info

    schema = files("airflow").joinpath("provider_info.schema.json").read_text()
    jsonschema.validate(get_provider_info(), json.loads(schema))


def test_describing_it_does_not_import_airflow():
    code = (
        "import sys; from anon_transformers.airflow.provider import get_provider_info; "
        "get_provider_info(); assert 'airflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


LISTED = """
from airflow.providers_manager import ProvidersManager
print(ProvidersManager().providers["anon-transformers"].version)
"""


@pytest.mark.airflow
def test_airflow_lists_the_library_as_a_provider(tmp_path):
    pytest.importorskip("airflow")
    done = subprocess.run(
        [sys.executable, "-c", LISTED],
        env={**os.environ, "AIRFLOW_HOME": str(tmp_path), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == version("anon-transformers")
