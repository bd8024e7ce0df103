"""What the README shows is what happens."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.release import read_published, run_release

README = Path(__file__).parents[1] / "README.md"
MOST_LINES = 150
LARGEST_PICTURE = 150_000
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README.read_text(), flags=re.M | re.S)


def blocks(language):
    return [code for kind, code in BLOCKS if kind == language]


def test_every_block_is_tried():
    assert {language for language, _ in BLOCKS} == {"python", "yaml", "console"}
    assert README.read_text().count("```") == 2 * len(BLOCKS)


@pytest.mark.parametrize("code", blocks("python"))
def test_python_blocks_run(code, capsys):
    exec(compile(code, "README.md", "exec"), {})
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("text", blocks("yaml"))
def test_yaml_blocks_are_releases_that_run(text, tmp_path):
    file = tmp_path / "adult.yaml"
    file.write_text(text)
    folder = run_release(file)
    table = read_published(folder, labels="text")
    known = yaml.safe_load(text)["roles"]["quasi_identifiers"]
    assert len(table) == 30162
    assert table.groupby(known, dropna=False).size().min() >= 5


def commands():
    lines = [line for text in blocks("console") for line in text.splitlines()]
    return [line.partition("#")[0].strip() for line in lines if line.strip()]


def test_console_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = []
    for line in commands():
        program, *arguments = shlex.split(line)
        if program == "cp":
            shutil.copy(README.parent / arguments[0], arguments[1])
        if program == "anon":
            result = CliRunner().invoke(app, arguments)
            assert result.exit_code == 0, (line, result.output)
            run.append(arguments[0])
    assert set(run) == {
        "init", "release", "validate", "anonymize", "risk", "attack", "list",
        "status",
    }  # fmt: skip


def test_make_targets_exist():
    makefile = README.with_name("Makefile").read_text()
    wanted = [line.split()[1] for line in commands() if line.startswith("make ")]
    assert wanted
    for target in [*wanted, "demo-airflow", "docs"]:
        assert re.search(rf"^{target}:", makefile, flags=re.M), target


def test_it_is_short():
    assert len(README.read_text().splitlines()) <= MOST_LINES


def test_what_it_points_to_is_there():
    targets = re.findall(r"\]\(([^)]+)\)", README.read_text())
    assert targets
    for target in targets:
        assert (README.parent / target).exists(), target


def test_its_pictures_are_small():
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README.read_text())
    assert pictures
    for picture in pictures:
        assert (README.parent / picture).stat().st_size < LARGEST_PICTURE


def test_it_says_what_it_is_not():
    assert "None of the models here is differential privacy" in README.read_text()
