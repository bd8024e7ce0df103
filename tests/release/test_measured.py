"""Every number of a release can be computed again from what is published."""

import html
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from anon_transformers.evidence import Classes
from anon_transformers.release import _table, measure_published, run_release
from anon_transformers.release._config import read_config
from anon_transformers.release._forms import form_of

PROGRAM = """
import json, sys
from anon_transformers.release import measure_published
print(json.dumps(measure_published(sys.argv[1], sys.argv[2])))
"""

RELEASES = Path(__file__).parents[2] / "releases"

NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]\d+)?")

FUNCTION = {"rows", "suppressed_rows", "classes", "class_sizes", "risk", "attacks",
            "column_losses", "loss", "loss_of_published_rows", "nodes",
            "edges"}  # fmt: skip


def measured_elsewhere(release, tmp_path):
    """What another process finds that has the published files and the release file."""
    place = tmp_path / "elsewhere"
    shutil.copytree(release.target, place / "published", symlinks=True)
    for file in release.folder.iterdir():
        if file.is_file() and file != release.source:
            shutil.copy(file, place)
    release.source.unlink()
    shutil.rmtree(release.work)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "published", release.file.name],
        cwd=place, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def numbers(content, path=()):
    """Every number in nested content, with the way to it."""
    if isinstance(content, dict):
        for key, item in content.items():
            yield from numbers(item, (*path, key))
    elif isinstance(content, list):
        for at, item in enumerate(content):
            yield from numbers(item, (*path, at))
    elif isinstance(content, int | float) and not isinstance(content, bool):
        yield path, content


def unexplained_numbers(page, release):
    """Numbers a reader sees on the page that neither manifest nor file gives."""
    # When a run began is no number of its table, and neither are ticks of an axis: a
    # chart has its numbers in a table below it.
    page = re.sub(
        r"<style>.*?</style>|<svg.*?</svg>|<p class=.sub.>Version .*?</p>",
        "", page, flags=re.S,
    )  # fmt: skip
    page_text = html.unescape(re.sub(r"<[^>]+>", " ", page))
    known = json.dumps(release.manifest()) + release.file.read_text()
    given = set(NUMBER.findall(known))
    given |= {
        form % (factor * number)
        for _, number in numbers(release.manifest()["measured"])
        for form in ("%.3g", "%.4g")
        for factor in (1, 100)
    }
    return {text for text in NUMBER.findall(page_text) if text not in given}


def release_with(release, thresholds, **changes):
    release.write(thresholds=[{"model": "k-anonymity", "k": 3}, *thresholds], **changes)
    run_release(release.file)
    return release.manifest()["measured"], json.loads(
        (release.target / "current" / "validation.json").read_text()
    )


ASKED = [
    {"metric": "average-risk", "max": 0.5},
    {"metric": "loss", "max": 1},
    {"model": "distinct-l-diversity", "l": 1},
    {"model": "t-closeness", "t": 1, "id": "t-input"},
    {"model": "alpha-k-anonymity", "alpha": 1, "k": 2},
]


def test_classes_are_made_once_for_all_numbers(release, monkeypatch):
    release.write(thresholds=[{"model": "k-anonymity", "k": 3}, *ASKED])
    run_release(release.file)
    seen, make = [], Classes.from_frame

    def count(*args, **options):
        seen.append(args)
        return make(*args, **options)

    monkeypatch.setattr(Classes, "from_frame", count)
    measure_published(release.target, release.file)
    assert len(seen) == 1


def test_models_are_built_once_to_read_a_source(release, monkeypatch):
    release.write(thresholds=[{"model": "k-anonymity", "k": 3}, *ASKED])
    built, make = [], _table.make_model

    def count(threshold):
        built.append(threshold.id)
        return make(threshold)

    monkeypatch.setattr(_table, "make_model", count)
    form = form_of(read_config(release.file))
    form.read()
    form.unjudged_columns()
    asked = [t.id for t in form.config.thresholds if t.kind == "model"]
    assert built == asked


@pytest.mark.parametrize("suppression", ["mask", "drop"])
def test_a_process_without_the_input_finds_every_number(release, tmp_path, suppression):
    rows = [["age", "job"], *([str(20 + i % 4), "abc"[i % 3]] for i in range(60))]
    outliers = [[str(90 + i), "abc"[i]] for i in range(3)]
    release.write_rows([*rows, *outliers])
    measured, validation = release_with(
        release,
        ASKED,
        roles={"quasi_identifiers": ["age"], "sensitive": ["job"]},
        hierarchies={"age": {"kind": "intervals", "widths": [2, 4]}},
        anonymizer={
            "name": "full-domain",
            "suppression": suppression,
            "suppression_limit": 0.2,
        },
    )
    assert (measured["rows"], measured["suppressed_rows"]) == (
        (63, 3) if suppression == "mask" else (60, 0)
    )
    page = (release.target / "current" / "validation.html").read_text()
    assert not unexplained_numbers(page, release)
    again = measured_elsewhere(release, tmp_path)
    levels = again.pop("levels")
    checks = measured.pop("checks")
    assert measured == again
    for check in checks:
        asked = ("id", "kind", "name", "params", "sentence", "passed", "reason")
        found = {key: item for key, item in check.items() if key not in asked}
        assert found == levels.get(check["id"], {})
    assert validation["checks"] == checks
    public = {key for key in validation if key not in {"sha256", "passed", "reasons"}}
    assert public - {"checks"} == set(measured) <= FUNCTION


def test_what_needs_the_input_is_told_by_its_verdict_alone(release):
    measured, _ = release_with(release, ASKED)
    checks = {check["id"]: check for check in measured["checks"]}
    assert checks["k-anonymity"]["observed"] >= 3
    for private in ("t-input", "loss"):
        assert checks[private]["passed"]
        assert not {"observed", "units", "failing", "details"} & set(checks[private])


def test_the_released_distribution_is_everybodys(release):
    # Searches compare with the input; a gate may ask for what was released too.
    measured, _ = release_with(
        release,
        [{"model": "t-closeness", "t": 1, "reference": "released"}],
        anonymizer=release.mondrian(models=[]),
    )
    assert "observed" in measured["checks"][1]


def test_persons_are_not_published_and_neither_are_their_counts(release):
    rows = [["who", "age", "job"]]
    rows += [[f"P{i // 2}", str(20 + i % 3), "abc"[i % 3]] for i in range(60)]
    release.write_rows(rows)
    roles = {"quasi_identifiers": ["age"], "sensitive": ["job"], "subject": "who"}
    measured, _ = release_with(
        release,
        [{"model": "distinct-l-diversity", "l": 1}],
        roles=roles,
        anonymizer={"name": "mondrian", "step": {"age": 1}},
    )
    assert set(measured) == {
        "checks", "rows", "suppressed_rows", "classes", "classes_in_rows",
        "class_sizes_in_rows", "column_losses",
    }  # fmt: skip
    assert set(measured["classes"]) == {"count"}
    assert measured["classes_in_rows"]["smallest"] == 20
    assert sum(s["rows"] for s in measured["class_sizes_in_rows"]) == 60
    assert all(check["passed"] for check in measured["checks"])
    assert all("observed" not in check for check in measured["checks"])


PAIRS = [["age", "job"], *([str(20 + i % 2), "123"[i % 3]] for i in range(60))]
OF_PAIRS = {"quasi_identifiers": ["age"], "sensitive": ["job"]}
TREE = {"age": {"kind": "intervals", "widths": [50]}}


def datafly(suppression):
    return {"name": "datafly", "suppression": suppression, "suppression_limit": 0.1}


def public_statements(release):
    """What the public files of a run say, but for when it was and their hashes."""
    manifest, current = release.manifest(), release.target / "current"
    page = (current / "validation.html").read_text()
    validation = json.loads((current / "validation.json").read_text())
    for varies in (manifest["version"], manifest["sha256"], manifest["published"]):
        page = page.replace(str(varies), "")
    for key in ("version", "place", "published", "sha256", "files", "signature"):
        del manifest[key]
    del validation["sha256"]
    return manifest, validation, re.sub(r"<p class=.sub.>.*?</p>", "", page)


@pytest.mark.parametrize("job", ["2.5", "a"])
def test_the_last_row_of_a_dropped_class_leaves_no_trace(release, job):
    # Two sources that differ in one dropped row publish the same statements.
    statements = []
    for last in ("1", job):
        release.write_rows([*PAIRS, ["99", last]])
        measured, _ = release_with(
            release,
            [{"model": "t-closeness", "t": 1}, {"metric": "loss", "max": 1}],
            roles=OF_PAIRS,
            anonymizer=datafly("drop"),
            hierarchies=TREE,
        )
        statements.append(public_statements(release))
    assert statements[0] == statements[1]
    assert statements[0][0]["schema"]["job"] == "integer"
    assert measured["rows"] == 60


def test_who_was_dropped_with_all_rows_leaves_no_trace(release):
    # Persons that no published row is about: how many, and of what age.
    statements = []
    for others in (["a"], ["b", "b"], ["c", "d"]):
        rows = [[f"p{i}", *row] for i, row in enumerate(PAIRS[1:])]
        dropped = [[name, "99", "1"] for name in others]
        release.write_rows([["id", *PAIRS[0]], *rows, *dropped])
        measured, _ = release_with(
            release,
            [{"model": "t-closeness", "t": 1}, {"metric": "loss", "max": 1}],
            roles={**OF_PAIRS, "subject": "id", "one_value_per_person": ["job"]},
            anonymizer=datafly("drop"),
            hierarchies=TREE,
        )
        statements.append(public_statements(release))
    assert measured["rows"] == 60
    assert statements[0] == statements[1] == statements[2]


@pytest.mark.parametrize("suppression", ["mask", "blank"])
def test_what_was_masked_leaves_no_trace(release, suppression):
    statements = []
    for ages in ("789", "689", "657"):
        rows = [[f"{age}9", "1"] for age in ages]
        release.write_rows([*PAIRS, *rows])
        measured, _ = release_with(
            release,
            [{"model": "t-closeness", "t": 1}, {"metric": "average-risk", "max": 1}],
            roles=OF_PAIRS,
            anonymizer=datafly(suppression),
            hierarchies=TREE,
        )
        statements.append(public_statements(release))
    assert measured["suppressed_rows"] == 3
    assert statements[0] == statements[1] == statements[2]


def test_who_the_persons_are_leaves_no_trace_where_cells_are_swapped(release):
    statements = []
    for letter in "ab":
        rows = [[f"{letter}{i}", *row] for i, row in enumerate(3 * PAIRS[1:])]
        release.write_rows([["id", *PAIRS[0]], *rows])
        release.write(
            roles={**OF_PAIRS, "identifiers": ["id"]},
            anonymizer={"name": "group-swap"},
            thresholds=[{"model": "probabilistic-k-anonymity", "k": 3}],
        )
        run_release(release.file)
        statements.append(public_statements(release))
    assert statements[0] == statements[1]


# ---------------------------------------------------------------- models that remember


@dataclass(frozen=True)
class Remembering:
    """A plugin's model that keeps what it saw first, and reports it by name."""

    k: int
    name: ClassVar[str] = "remembering"
    evidence: ClassVar[str] = "classes"
    better: ClassVar[str] = "higher"
    merging: ClassVar[str] = "any"
    tighter: ClassVar[dict] = {"k": "higher"}
    details: ClassVar[tuple] = ("counted", "wide")
    cache: ClassVar[dict] = {}

    @property
    def unit(self):
        return f"classes beside {sorted(self.cache)}"

    def satisfied(self, evidence):
        return evidence.sizes >= self.k

    def level(self, evidence):
        return int(evidence.sizes.min())

    def report(self, evidence):
        if not self.cache:
            jobs = evidence.sensitive["job"]
            counts = jobs.reference.tolist()
            self.cache.update(zip(jobs.texts.tolist(), counts, strict=False))
        return {
            "counted": sum(self.cache.values()),
            "of them": {"counted": 1},
            "job": dict(self.cache),
            "wide": {"age": 1, "age, zip": 2, "HIV": 3, "HIV, age": 4, "k": 5},
        }


def test_what_a_model_remembers_of_the_input_is_not_told(release, registered):
    registered("privacy_models", "remembering", Remembering)
    Remembering.cache.clear()
    rows = [[str(20 + i % 2), "007", "ab"[i % 2]] for i in range(60)]
    release.write_rows([["age", "zip", "job"], *rows, ["99", "008", "HIV"]])
    release.write(
        roles={"quasi_identifiers": ["age", "zip"], "sensitive": ["job"]},
        hierarchies={
            "age": {"kind": "intervals", "widths": [50]},
            "zip": {"kind": "masking", "length": 3},
        },
    )
    drop = {"suppression": "drop", "suppression_limit": 0.1, "k": 5, "models": []}
    measured, _ = release_with(
        release,
        [{"model": "remembering", "k": 3}],
        anonymizer={"name": "datafly", **drop},
    )
    assert measured["rows"] == 60  # the one with HIV is not published
    check = measured["checks"][1]
    wide = {"age": 1, "age, zip": 2, "k": 5}
    assert check["details"] == {"counted": 60, "job": {}, "wide": wide}
    assert check["unit"] == "classes"
    assert b"HIV" not in b"".join(release.public_bytes().values())


def test_sensitive_columns_that_no_threshold_is_about_are_named(release):
    release_with(release, [])
    assert release.manifest()["not_judged"] == ["job"]
    page = (release.target / "current" / "validation.html").read_text()
    assert "judged by no threshold</td><td>job<" in page
    release_with(release, [{"model": "distinct-l-diversity", "l": 2}])
    assert release.manifest()["not_judged"] == []


@pytest.mark.parametrize(
    "model, asks",
    [
        ({"model": "distinct-l-diversity", "l": 1}, False),
        ({"model": "distinct-l-diversity", "l": 2}, True),
        ({"model": "entropy-l-diversity", "l": 1}, False),
        ({"model": "entropy-l-diversity", "l": 1.5}, True),
        ({"model": "recursive-cl-diversity", "c": 3, "l": 1}, False),
        ({"model": "recursive-cl-diversity", "c": 0.5, "l": 1}, True),
        ({"model": "recursive-cl-diversity", "c": 3, "l": 2}, True),
        ({"model": "t-closeness", "t": 1}, False),
        ({"model": "t-closeness", "t": 0.9}, True),
        ({"model": "alpha-k-anonymity", "alpha": 1, "k": 5}, False),
        ({"model": "alpha-k-anonymity", "alpha": 0.9, "k": 1}, True),
        ({"model": "belief-bound", "positive": 1}, False),
        ({"model": "beta-likeness", "beta": 2}, True),
        ({"model": "distinct-l-diversity", "l": 2, "sensitive": "job"}, True),
    ],
)
def test_a_threshold_that_asks_nothing_judges_nothing(release, model, asks):
    release.write(thresholds=[{"model": "k-anonymity", "k": 3}, model])
    columns = form_of(read_config(release.file)).unjudged_columns()
    assert columns == ([] if asks else ["job"])


def test_values_that_are_swapped_are_not_called_unjudged(release):
    release.write(
        anonymizer={"name": "group-swap"},
        thresholds=[{"model": "probabilistic-k-anonymity", "k": 3}],
    )
    assert form_of(read_config(release.file)).unjudged_columns() == []


def test_a_graph_has_no_values_to_judge():
    assert form_of(read_config(RELEASES / "karate.yaml")).unjudged_columns() == []
