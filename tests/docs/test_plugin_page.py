"""A plugin written from the page alone installs, is listed and passes its checks."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
