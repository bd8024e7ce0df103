"""Suppressed and dropped rows: one word each, in log, manifest, report and terminal."""

import json
import logging

import pytest

pytest.importorskip("great_expectations")

from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.release import advise, read_published
from anon_transformers.release._log import FACTS, LOG

pytestmark = pytest.mark.gx

HIDDEN = "with * in every quasi-identifier"


@pytest.fixture
def outliers(release):
    """Sixty rows in four classes, and three that stand alone."""
    rows = [["age", "job"], *([str(20 + i % 4), "abc"[i % 3]] for i in range(60))]
    release.write_rows([*rows, *([str(90 + i), "abc"[i]] for i in range(3))])

    def write(suppression):
        release.write(
            roles={"quasi_identifiers": ["age"], "sensitive": ["job"]},
            hierarchies={"age": {"kind": "intervals", "widths": [2, 4]}},
            thresholds=[{"model": "k-anonymity", "k": 3}],
            anonymizer={
                "name": "full-domain",
                "suppression": suppression,
                "suppression_limit": 0.2,
            },
        )
        return release

    return write


def run_told(release, caplog):
    """What the anonymize step logs, and what the terminal shows by its first cell."""
    with caplog.at_level(logging.INFO, logger=LOG.name):
        done = CliRunner(env={"COLUMNS": "200"}).invoke(
            app, ["release", str(release.file), "--log-json"]
        )
    assert done.exit_code == 0, done.output
    facts = [json.loads(line) for line in done.stderr.splitlines()]
    (made,) = (line for line in facts if line.get("step") == "anonymize")
    return made, done.stdout


@pytest.mark.parametrize("suppression", ["mask", "blank"])
def test_suppressed_rows_are_published_and_counted_alike(outliers, caplog, suppression):
    release = outliers(suppression)
    made, shown = run_told(release, caplog)
    measured = release.manifest()["measured"]
    table = read_published(release.target, labels="text")
    assert (table["age"] == "*").sum() == 3
    assert made["suppressed"] == measured["suppressed_rows"] == 3
    assert made["rows"] == measured["rows"] == 63
    assert "dropped" not in made
    assert "rows dropped" not in shown
    (line,) = (line for line in shown.splitlines() if "rows suppressed" in line)
    assert "3" in line.split()
    assert HIDDEN in line
    page = (release.target / "current" / "validation.html").read_text()
    assert "every quasi-identifier</td><td>3</td>" in page
    assert "dropped" not in page


def test_a_class_that_is_generalized_to_marks_is_suppressed_too(release, caplog):
    rows = [["age", "job"], *([str(20 + i % 2), "abc"[i % 3]] for i in range(12))]
    release.write_rows([*rows, *(["99", "abc"[i % 3]] for i in range(6))])
    (release.folder / "age.csv").write_text("20;20-21;*\n21;20-21;*\n")
    release.write(
        roles={"quasi_identifiers": ["age"], "sensitive": ["job"]},
        hierarchies={"age": {"path": "age.csv", "unknown": "root"}},
        thresholds=[{"model": "k-anonymity", "k": 3}],
        anonymizer={"name": "full-domain", "levels": {"age": 0}},
    )
    made, _ = run_told(release, caplog)
    measured = release.manifest()["measured"]
    assert (read_published(release.target, labels="text")["age"] == "*").sum() == 6
    assert made["suppressed"] == measured["suppressed_rows"] == 6


def test_dropped_rows_are_not_called_suppressed(outliers, caplog):
    release = outliers("drop")
    made, shown = run_told(release, caplog)
    measured = release.manifest()["measured"]
    assert (made["rows"], made["dropped"], made["suppressed"]) == (60, 3, 0)
    assert measured["rows"] == made["rows"]
    assert measured["suppressed_rows"] == made["suppressed"]
    assert "dropped" not in measured
    (line,) = (line for line in shown.splitlines() if "rows dropped" in line)
    assert "not published" in line
    (line,) = (line for line in shown.splitlines() if "rows suppressed" in line)
    assert "0" in line.split()
    page = (release.target / "current" / "validation.html").read_text()
    assert "<td>Rows dropped</td><td>not published" in page


def test_a_row_with_missing_cells_alone_is_not_suppressed(release):
    rows = [["zip", "job"], *(["ab"[i % 2], "xyz"[i % 3]] for i in range(20))]
    release.write_rows([*rows, *(["", "xyz"[i % 3]] for i in range(6)), ["c", "x"]])
    (release.folder / "zip.csv").write_text("a;*\nb;*\nc;*\n")
    release.write(
        roles={"quasi_identifiers": ["zip"], "sensitive": ["job"]},
        hierarchies={"zip": "zip.csv"},
        thresholds=[{"model": "k-anonymity", "k": 3}],
        anonymizer={"name": "full-domain", "suppression": "drop"},
    )
    advice = advise(release.file)
    (setting,) = (s for s in advice.settings if s.kind == "suppression")
    assert setting.suppressed_rows == 1


def test_the_anonymize_command_uses_the_same_words(tmp_path):
    source = tmp_path / "people.csv"
    ages = [20 + i % 4 for i in range(60)] + [90, 91, 92]
    lines = [f"{age},{'abc'[i % 3]}" for i, age in enumerate(ages)]
    source.write_text("\n".join(["age,job", *lines]) + "\n")
    said = {}
    for mode in ("mask", "drop"):
        done = CliRunner(env={"COLUMNS": "200"}).invoke(
            app,
            ["anonymize", str(source), str(tmp_path / f"{mode}.csv"), "-q", "age",
             "-s", "job", "-m", "full-domain", "-k", "3",
             "--suppression-limit", "0.2", "--option", f"suppression={mode}"],
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        said[mode] = done.stdout
    assert "63" in said["mask"]
    assert "3 of them suppressed" in said["mask"]
    assert "0 of them suppressed, 3 others dropped" in said["drop"]


def test_facts_are_of_the_step(outliers, caplog):
    from anon_transformers.release import run_release

    with caplog.at_level(logging.INFO, logger=LOG.name):
        run_release(outliers("drop").file)
    (line,) = (r for r in caplog.records if getattr(r, FACTS)["step"] == "anonymize")
    assert "rows 60, dropped 3, suppressed 0" in line.getMessage()
