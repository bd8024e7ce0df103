"""A plugin written from the page alone installs, is listed and passes its checks."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

pytestmark = pytest.mark.docs

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugins.md").read_text()
BLOCK = r"^```\{code-block\} \w+\n:caption: (.+?)\n\n(.*?)^```$"
BLOCKS = dict(re.findall(BLOCK, PAGE, flags=re.M | re.S))


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The files of the page, installed beside what is there."""
    folder = tmp_path_factory.mktemp("author")
    for name, code in BLOCKS.items():
        if name.startswith("lonely/"):
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(code)
    shutil.copy(ROOT / "examples/people.csv", folder)
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--quiet"]
    target = ["--target", folder / "site", folder / "lonely"]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, *target], check=True
    )
    return folder


def run(folder, *call):
    path = os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", *map(str, call)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200"},
    )


def test_the_lines_are_as_few_as_it_says():
    plugin = (BLOCKS["lonely/pyproject.toml"], BLOCKS["lonely/anon_lonely.py"])
    lines = [line for code in plugin for line in code.splitlines() if line.strip()]
    assert f"{len(lines)} lines together" in PAGE
    assert len(lines) <= 30


def test_its_commands_run(installed):
    lines = BLOCKS["install and use"].splitlines()
    for line in lines:
        if line.startswith("anon "):
            code = "from anon_transformers.cli import main; main()"
            starter = installed / "starter.py"
            starter.write_text(code)
            done = run(installed, "starter", *line.split()[1:])
            assert done.returncode == 0, done.stdout + done.stderr
            assert "lonely-share" in done.stdout
    assert [line.split()[0] for line in lines] == ["pip", "anon", "anon"]


def test_its_own_test_passes(installed):
    done = run(installed, "pytest", "-q", "-W", "error", "lonely/tests")
    assert "1 passed" in done.stdout, done.stdout + done.stderr


BARS = """
import pandas as pd


def read_bars(path, encoding="utf-8"):
    return pd.read_csv(path, sep="|", encoding=encoding, dtype={"zip": str})
"""
"""A reader as the page has it in mind: cells stand between bars."""

OFFERED = """
from anon_transformers import hookimpl


@hookimpl
def register_anonymizers(register):
    register("bands", "anon_bands:BandsAnonymizer", summary="Publish bands.")


@hookimpl
def register_readers(register):
    register("bars", "anon_bars:read_bars", summary="Read cells between bars.")
"""

NAMES = {"name": "anon-transformers-bands", "version": "0.1.0"}


def offer_bands(site):
    """The anonymizer of the page and a reader, as an installed distribution."""
    [shown] = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.M | re.S)
    method, _, _ = shown.partition("\n\npeople = ")
    files = {"anon_bands": method, "anon_bars": BARS, "anon_bands_plugin": OFFERED}
    for name, code in files.items():
        (site / f"{name}.py").write_text(code)
    info = site / "anon_transformers_bands-0.1.0.dist-info"
    info.mkdir()
    said = "".join(f"{key.capitalize()}: {text}\n" for key, text in NAMES.items())
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\n{said}")
    points = "[anon_transformers]\nbands = anon_bands_plugin\n"
    (info / "entry_points.txt").write_text(points)


def test_its_release_file_is_published(installed):
    offer_bands(installed / "site")
    [shown] = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.M | re.S)
    release = yaml.safe_load(shown) | {
        "roles": {
            "identifiers": ["name"],
            "quasi_identifiers": ["age"],
            "sensitive": ["disease"],
        },
        "target": {"path": "public"},
    }
    (installed / "bars.yaml").write_text(yaml.safe_dump(release))
    rows = [f"p{n}|{20 + n}|{'flu' if n % 2 else 'cold'}" for n in range(30)]
    text = "\n".join(["name|age|disease", *rows, "Zo\u00eb|21|flu", ""])
    (installed / "people.txt").write_text(text, encoding="latin-1")
    done = run(installed, "starter", "release", "bars.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    table = pd.read_csv(installed / "public/current/data.csv")
    assert table["age"].value_counts().to_dict() == {
        "[20, 30)": 11,
        "[30, 40)": 10,
        "[40, 50)": 10,
    }
