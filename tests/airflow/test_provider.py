"""The library as a provider of Airflow."""

import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import entry_points, version

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


def test_an_installed_library_is_listed_as_a_provider():
    points = entry_points(group=GROUP)
    ours = [p for p in points if p.value.startswith("anon_transformers.")]
    if not ours:
        pytest.skip("installed before it was a provider; make install again")
    assert ours[0].load()()["package-name"] == "anon-transformers"
