"""The releases of the repository: each runs, and together they show the models."""

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from anon_transformers.release import (
    measure_published,
    read_config,
    read_published,
    run_release,
)

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "releases").glob("*.yaml"))
SUITES = sorted((ROOT / "expectations").glob("*.json"))
SHOWN = {
    "adult": {"k-anonymity"},
    "adult-recursive-l": {"k-anonymity", "recursive-cl-diversity"},
    "adult-t-closeness": {"k-anonymity", "t-closeness"},
    "patients-fuzzy": {"k-anonymity", "q-anonymity", "fuzzy-l-diversity"},
    "patients-swap": {
        "probabilistic-k-anonymity",
        "distinct-l-diversity",
        "t-closeness",
    },
    "karate": {"k-degree"},
}


@pytest.fixture
def published(tmp_path, request):
    """What a release of the repository publishes, in a place of its own."""
    for name in ("releases", "expectations"):
        shutil.copytree(ROOT / name, tmp_path / name)
    file = tmp_path / "releases" / request.param.name
    folder = Path(run_release(file))
    assert folder.is_relative_to(tmp_path / "build" / "releases" / request.param.stem)
    manifest = json.loads((folder / "manifest.json").read_text())
    return (
        read_published(folder, labels="text"),
        manifest,
        measure_published(folder, file),
    )


@pytest.mark.parametrize(
    ("published", "name"),
    [pytest.param(file, file.stem, id=file.stem) for file in FILES],
    indirect=["published"],
)
def test_every_release_passes_its_gate_and_is_published(published, name):
    table, manifest, again = published
    config = read_config(ROOT / "releases" / f"{name}.yaml")
    checks = {check["id"]: check for check in manifest["measured"]["checks"]}
    assert set(checks) == {threshold.id for threshold in config.thresholds}
    assert all(check["passed"] for check in checks.values())
    levels = again.pop("levels")
    assert {**again, "checks": manifest["measured"]["checks"]} == manifest["measured"]
    for threshold, level in levels.items():
        assert level.items() <= checks[threshold].items()
    models = {check["name"] for check in checks.values() if check["kind"] == "model"}
    assert models == SHOWN[name]
    if isinstance(table, pd.DataFrame):
        names = {*config.roles.quasi_identifiers, *config.roles.sensitive}
        assert set(table.columns) == names
        if "k-anonymity" in models:
            sizes = table.groupby(list(config.roles.quasi_identifiers)).size()
            assert sizes.min() >= checks["k-anonymity"]["params"]["k"]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_file_says_what_it_shows_and_names_its_suite(file):
    assert file.read_text().startswith("# ")
    config = read_config(file)
    assert config.suite == f"../expectations/{file.stem}.json"
    page = (ROOT / "docs/releases/index.md").read_text()
    listed = re.search(rf"`{file.name}`.*\|", page)
    assert listed, "the table of releases in the documentation"


@pytest.mark.parametrize("file", SUITES, ids=[file.stem for file in SUITES])
def test_no_threshold_stands_in_a_suite(file):
    suite = json.loads(file.read_text())
    assert suite["name"] == file.stem
    for expectation in suite["expectations"]:
        kwargs = dict(expectation["kwargs"])
        for named in ("model", "metric"):
            kwargs.pop(named, None)
        assert all(set(value) == {"$PARAMETER"} for value in kwargs.values())


def test_every_suite_belongs_to_a_release():
    assert [file.stem for file in SUITES] == [file.stem for file in FILES]


def test_the_swap_hides_a_column_that_others_know():
    config = read_config(ROOT / "releases" / "patients-swap.yaml")
    assert config.roles.both == ("cost",)
