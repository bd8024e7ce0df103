"""What the pages of the documentation show is what happens."""

import json
import logging
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.datasets import bundled_path
from anon_transformers.registry import KINDS
from anon_transformers.release import (
    _config,
    _stated_target,
    check_release,
    run_release,
)
from anon_transformers.release._strict import Strict

pytestmark = pytest.mark.docs

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BUILT = {"_build", "api", "gallery"}
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text()
    for path in sorted(DOCS.rglob("*.md"))
    if not BUILT.intersection(path.relative_to(DOCS).parts)
}
USED_BY_PAGES = ("examples", "releases", "expectations")
WIDEST = 88
WHOLE = {"source", "roles", "anonymizer", "thresholds", "target"}
EXPORTED = ("ANON_LEDGER_KEY",)


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGES[page], flags=re.M | re.S)


def pages_with(language):
    return [page for page in PAGES if blocks(page, language)]


@pytest.fixture(autouse=True)
def logging_as_before():
    """Take away what a page made of logging: Airflow writes to what pytest closes."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    yield
    root.setLevel(level)
    for handler in list(root.handlers):
        if handler not in before and not type(handler).__module__.startswith("_pytest"):
            root.removeHandler(handler)


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A folder in which the paths of the pages exist."""
    for name in USED_BY_PAGES:
        shutil.copytree(ROOT / name, tmp_path / name)
    write_held_out_part(tmp_path / "held-out.csv")
    (tmp_path / "regions.csv").write_text("Bonn;West;*\nHalle;East;*\n")
    monkeypatch.chdir(tmp_path)
    for name in EXPORTED:  # a page sets it, and it is taken away again
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    return tmp_path


def write_held_out_part(file):
    """People as in Adult, who are not in it: each cell is drawn by itself."""
    adult = pd.read_csv(bundled_path("adult/adult.csv.gz"), dtype="str")
    draws = np.random.default_rng(0)
    drawn = adult.apply(lambda column: draws.permutation(column.to_numpy()))
    drawn.head(len(adult) // 2 + 1).to_csv(file, index=False)


@pytest.mark.parametrize("page", pages_with("python"))
def test_python_blocks_run_in_order(page, clone, capsys):
    together = {}
    for code in blocks(page, "python"):
        exec(compile(code, page, "exec"), together)
    assert "Traceback" not in capsys.readouterr().err


def releases(page):
    """Whole releases of a page, and what else it shows of a file."""
    stated = [yaml.safe_load(text) for text in blocks(page, "yaml")]
    return (
        [release for release in stated if set(release) >= WHOLE],
        [part for part in stated if not set(part) >= WHOLE],
    )


def written(folder, release):
    file = folder / "shown.yaml"
    file.write_text(yaml.safe_dump(release, sort_keys=False))
    return file


# The page for authors names what a plugin on it offers: run where that is installed.
@pytest.mark.parametrize("page", [p for p in pages_with("yaml") if p != "plugins"])
def test_yaml_blocks_are_releases_that_run(page, clone):
    whole, parts = releases(page)
    example, *_ = releases("releases/index")[0]
    for release in whole:
        run_release(written(clone, release))
    for part in parts:  # of the release on the page, or of the example
        base = whole[0] if whole else example
        stated = base | part
        if set(part) == {"hierarchies"}:  # of some columns
            stated["hierarchies"] = base["hierarchies"] | part["hierarchies"]
            method = {k: v for k, v in base["anonymizer"].items() if k != "step"}
            stated["anonymizer"] = method  # a column has a hierarchy or steps
        if "columns" in part.get("source", {}):  # of another table, with other roles
            named = [*base["roles"].get("insensitive", []), *part["source"]["columns"]]
            stated["roles"] = base["roles"] | {"insensitive": named}
        file = written(clone, stated)
        run_release(file) if whole else check_release(file)


def commands(page):
    """Every line of a page with the exit code that it states."""
    return [line for text in blocks(page, "console") for line in lines_of(text)]


def lines_of(text):
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip():
            stated = re.search(r"# exits with (\d)", line)
            program, *arguments = shlex.split(line, comments=True)
            yield program, arguments, int(stated[1]) if stated else 0


def change_file(text):
    """Put what a block states into the file that its first line names."""
    file = Path(re.match(r"# (\S+)", text)[1])
    content = yaml.safe_load(file.read_text()) | yaml.safe_load(text)
    file.write_text(yaml.safe_dump(content, sort_keys=False))


def run_command(program, arguments, exit_code=0):
    """Run one line, or look whether it could be run."""
    if program == "cp":
        shutil.copy(*arguments)
    elif program == "mv":
        shutil.move(*arguments)
    elif program == "make":
        run_make(*arguments)
    elif program == "pip":
        refuse_what_is_not_there(arguments[1])
    elif program == "airflow":
        run_airflow(arguments)
    elif program == "export":
        export(" ".join(arguments))
    else:
        assert program == "anon", program
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == exit_code, (arguments, result.output)


def run_make(target):
    """Run what a target does after installing, with what is installed here."""
    assert target in {"demo", "demo-airflow"}
    bin_ = f"BIN={Path(sys.executable).parent}"
    subprocess.run(
        ["make", "-f", ROOT / "Makefile", "-o", "install", bin_, target], check=True
    )
    manifest = Path("build/releases/adult/current/manifest.json")
    assert json.loads(manifest.read_text())["release"] == "adult"


def export(stated):
    """Set a variable as a shell would; it is set to something."""
    name, _, _ = stated.partition("=")
    script = f'export {stated}; printf %s "${name}"'
    told = subprocess.run(["sh", "-c", script], check=True, capture_output=True)
    assert re.fullmatch(rb"[0-9a-f]{64}", told.stdout), stated
    os.environ[name] = told.stdout.decode()


VISITS = """
source: {path: "visits-{period:%Y-%m}.csv"}
roles: {identifiers: [name], quasi_identifiers: [age, zip], sensitive: [disease]}
anonymizer: {name: mondrian, boxes: cuts, step: {age: 5}, domain: {zip: [a, b]}}
thresholds: [{model: k-anonymity, k: 2}]
target: {path: "published/{period:%Y-%m}"}
schedule: "@monthly"
composition: {accept_unjudged: every month holds other persons}
airflow: {period: previous, start_date: 2025-01-01, catchup: false}
"""
"""The release that the page runs by hand."""


def run_airflow(arguments):
    """Run Airflow in a home of its own, where a monthly release is a DAG."""
    here = Path.cwd()
    if not (here / "visits").exists():
        (here / "visits").mkdir()
        (here / "visits" / "visits.yaml").write_text(VISITS)
        rows = [f"p{n},{20 + n},{'ab'[n % 2]},flu" for n in range(40)]
        table = "\n".join(["name,age,zip,disease", *rows, ""])
        (here / "visits" / "visits-2026-09.csv").write_text(table)
        shutil.copytree(ROOT / "dags", here / "dags")
    environment = {
        **os.environ,
        "AIRFLOW_HOME": str(here / "home"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(here / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT": "300",
        "ANON_RELEASES": str(here / "visits"),
        "PYTHONWARNINGS": "ignore",
    }
    if arguments[0] == "backfill":  # a DAG processor would have stored the DAG
        call_airflow(["dags", "reserialize"], environment)
    call_airflow(arguments, environment)
    if arguments[:2] == ["dags", "test"]:
        published = list((here / "visits" / "published").rglob("manifest.json"))
        assert published
        assert all("2026-09" in str(manifest) for manifest in published)


def call_airflow(arguments, environment):
    done = subprocess.run(
        [sys.executable, "-m", "airflow", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (arguments, done.stdout[-3000:], done.stderr[-3000:])


def refuse_what_is_not_there(requirement):
    path, _, extras = requirement.partition("[")
    project = tomllib.loads((ROOT / path / "pyproject.toml").read_text())["project"]
    for extra in filter(None, extras.strip("]").split(",")):
        assert extra in project["optional-dependencies"]


def test_the_first_page_names_every_extra_and_what_all_leaves_out():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    page = PAGES["getting_started"]
    rows = re.findall(r"^\| (`[^|]*`) \|", page, flags=re.M)
    named = set(re.findall(r"`([\w-]+)`", " ".join(rows)))
    assert named == extras.keys() - {"all", "dev", "docs", "real", "test"}
    (whole,) = extras["all"]
    left_out = named - set(whole.partition("[")[2].rstrip("]").split(","))
    (stated,) = re.findall(r"with `all` of them but ([^:]*):", page)
    assert set(re.findall(r"`(\w+)`", stated)) == left_out


@pytest.mark.parametrize("page", pages_with("console"))
def test_console_blocks_run(page, clone):
    shown = re.findall(
        r"^```(console|yaml)\n(.*?)^```$", PAGES[page], flags=re.M | re.S
    )
    for language, text in shown:
        if language == "console":
            for line in lines_of(text):
                run_command(*line)
        elif re.match(r"# \S+\.yaml\n", text):
            change_file(text)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_code_is_run(page):
    """What is no directive is run above; a text is a diagram.

    Files that the page for authors shows are installed by a test of their own.
    """
    fences = re.findall(r"^```([^\n]*)\n(.*?)^```$", PAGES[page], flags=re.M | re.S)
    own = [(language, text) for language, text in fences if "{" not in language]
    shown = [language for language, _ in fences if "{code-block}" in language]
    assert not shown or page == "plugins"
    assert {language for language, _ in own} <= {"python", "yaml", "console", "text"}
    assert all("──►" in text for language, text in own if language == "text")
    assert PAGES[page].count("```") == 2 * len(fences)  # none is indented, say
    assert not re.search(r"^ *~~~", PAGES[page], flags=re.M)


def test_every_command_is_shown():
    shown = {
        arguments[0]
        for page in pages_with("console")
        for program, arguments, _ in commands(page)
        if program == "anon"
    }
    named = re.findall(r"`anon ([a-z-]+)", "".join(PAGES.values()))
    offered = {command.name or "" for command in app.registered_commands}
    offered |= {group.name or "" for group in app.registered_groups}
    assert offered - {""} <= shown | set(named)


def test_everything_registered_is_listed():
    listed = re.findall(r"registered-names:: (\w+)", "".join(PAGES.values()))
    assert set(listed) == set(KINDS) - {"commands"}
    assert len(listed) == len(set(listed))


def models_of_the_file():
    return [
        model
        for model in (vars(_config) | vars(_stated_target)).values()
        if isinstance(model, type) and issubclass(model, Strict) and model is not Strict
    ]


@pytest.mark.parametrize("model", models_of_the_file())
def test_every_key_of_a_release_file_is_in_the_reference(model):
    assert f"release-keys:: {model.__name__}\n" in PAGES["releases/reference"]
    keys = [name for name, field in model.model_fields.items() if field.repr]
    for key in keys:
        assert re.search(rf"^ +{key} : ", model.__doc__, flags=re.M), key


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_fetched_from_elsewhere(page):
    assert not re.search(r"(image|figure)\} *https?:|\]\(https?:", PAGES[page])


def shown_lines(text):
    """Lines of code of a page; options of directives are none."""
    for code in re.findall(r"^```[^\n]*\n(.*?)^```$", text, flags=re.M | re.S):
        yield from (line for line in code.splitlines() if not line.startswith(":"))


INCLUDED = ("plugins/graphs/README.md", "expectations/README.md")
TEXTS = PAGES | {name: (ROOT / name).read_text() for name in INCLUDED}


@pytest.mark.parametrize("page", TEXTS)
def test_code_fits_a_page(page):
    too_long = [line for line in shown_lines(TEXTS[page]) if len(line) > WIDEST]
    assert not too_long


@pytest.mark.parametrize("page", PAGES)
def test_a_picture_is_described_for_those_who_do_not_see_it(page):
    pictures = re.findall(
        r"^```\{(?:figure|image)\} .*\n((?::.*\n)*)", PAGES[page], flags=re.M
    )
    assert all(re.search(r"^:alt: \w", options, flags=re.M) for options in pictures)


FAMILIES = ("generalization", "mondrian", "microaggregation", "fuzzy", "graphs")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_says_when_to_take_it_and_what_it_does_not_protect_from(family):
    page = PAGES[f"guide/{family}"]
    assert re.search(r"^\*\*Take ", page, flags=re.M)
    assert re.search(r"^\| parameter \|", page, flags=re.M)
    assert re.search(r"^## What (it|they) do(es)? not protect from$", page, flags=re.M)
    assert "```{figure} ../gallery/" in page


def test_the_layers_are_those_of_the_architecture():
    table = PAGES["architecture"].partition("Imports point one way")[0]
    rows = re.findall(r"^\| (`[^|]+) \|", table, flags=re.M)
    *layers, last = [set(re.findall(r"`(\w+)`", row)) for row in rows]
    tested = runpy.run_path(str(ROOT / "tests/test_architecture.py"))["LAYERS"]
    assert last == {"datasets"}  # a leaf
    assert layers == list(tested)


def test_it_says_what_it_is_not():
    assert "None of the models here is differential privacy" in PAGES["index"]
