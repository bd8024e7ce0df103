"""Airflow imports nothing below ``plugins/``, should the repository be its home."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PLUGINS = Path(__file__).parents[2] / "plugins"

pytestmark = pytest.mark.airflow

# Airflow's own matcher and its own import of a plugins folder, in both syntaxes.
SCRIPT = """
import json, sys
from airflow._shared.module_loading.file_discovery import find_path_from_directory
from airflow.plugins_manager import _load_plugins_from_plugin_directory as load

found = {}
for syntax in ("glob", "regexp"):
    files = find_path_from_directory(sys.argv[1], ".airflowignore", syntax)
    before = set(sys.modules)
    _, errors = load(plugins_folder=sys.argv[1], ignore_file_syntax=syntax)
    found[syntax] = {
        "files": sorted(files),
        "imported": [m for m in ("prefix", "marker") if m in set(sys.modules) - before],
        "errors": sorted(errors),
    }
print(json.dumps(found))
"""
NOTHING = {"files": [], "imported": [], "errors": []}


def seen_by_airflow(folder, home):
    pytest.importorskip("airflow")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, folder],
        env={**os.environ, "AIRFLOW_HOME": str(home)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert "invalid regex" not in done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_airflow_imports_no_plugin_here(tmp_path):
    assert any(PLUGINS.rglob("*.py"))
    found = seen_by_airflow(PLUGINS, tmp_path)
    assert found == {"glob": NOTHING, "regexp": NOTHING}


def test_no_name_escapes(tmp_path):
    folder = tmp_path / "plugins"
    names = ["marker.py", "_a.py", ".hidden.py", "x/y/z.py", ".x/y.py", "!odd.py"]
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    unguarded = seen_by_airflow(folder, tmp_path)["glob"]
    # Whether Python keeps bytecode beside them depends on the environment.
    files = [file for file in unguarded["files"] if file.endswith(".py")]
    assert len(files) == len(names)
    assert unguarded["imported"] == ["marker"]
    shutil.copy(PLUGINS / ".airflowignore", folder)
    found = seen_by_airflow(folder, tmp_path)
    assert found == {"glob": NOTHING, "regexp": NOTHING}
