"""A straight way through a release: what is done once, and who may import whom."""

import ast
import re
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("great_expectations")

from anon_transformers import release as package
from anon_transformers.exceptions import ConfigurationError
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.release import (
    ReleaseConfig,
    Threshold,
    check_release,
    read_config,
    run_release,
)
from anon_transformers.release._config import noted_config
from anon_transformers.release._forms import form_of
from anon_transformers.release._graph import GraphTablesForm
from anon_transformers.release._linked import LinkedForm
from anon_transformers.release._table import TableForm

pytestmark = pytest.mark.gx
STEPS = ("_load", "_anonymize", "_validate", "_publish")
HOME = Path(package.__file__).parent


@pytest.fixture
def with_hierarchies(release):
    (release.folder / "zip.csv").write_text("007;00*;*\n008;00*;*\n110;11*;*\n")
    jobs = "".join(f"JOBMARK-{job};*\n" for job in "abc")
    (release.folder / "job.csv").write_text(jobs)
    release.write(
        anonymizer={"name": "mondrian", "step": {"age": 5}},
        hierarchies={"zip": "zip.csv", "job": "job.csv"},
    )
    return release


def counted(monkeypatch, cls, name):
    """What a class method was called with, from now on."""
    seen, called = [], getattr(cls, name)

    def count(*args, **options):
        seen.append(args)
        return called(*args, **options)

    monkeypatch.setattr(cls, name, count)
    return seen


def test_hierarchies_are_read_once_a_run(with_hierarchies, monkeypatch):
    read = counted(monkeypatch, Hierarchy, "read_csv")
    run_release(with_hierarchies.file)
    assert sorted(path.name for (path,) in read) == ["job.csv", "zip.csv"]


def test_a_file_that_changed_is_read_again(with_hierarchies, monkeypatch):
    run_release(with_hierarchies.file)
    read = counted(monkeypatch, Hierarchy, "read_csv")
    file = with_hierarchies.folder / "zip.csv"
    file.write_text("007;0**;*\n008;0**;*\n110;1**;*\n")
    run_release(with_hierarchies.file)
    assert [path.name for (path,) in read] == ["zip.csv"]


def test_the_file_and_the_note_of_a_run_are_validated_once(release, monkeypatch):
    validated = counted(monkeypatch, ReleaseConfig, "model_validate")
    run_release(release.file)
    assert len(validated) == 2


def test_whoever_gets_parameters_cannot_change_the_configuration(release):
    config = read_config(release.file)
    config.anonymizer.params["step"]["age"] = 1
    config.source.options["columns"] = {"age": "text"}
    assert config.anonymizer.params["step"] == {"age": 5}
    assert read_config(release.file).stated_columns == {}


def test_a_changed_file_is_another_configuration(release):
    first = read_config(release.file)
    assert read_config(release.file) is first
    release.write(thresholds=[{"model": "k-anonymity", "k": 4}])
    (threshold,) = read_config(release.file).thresholds
    assert threshold == Threshold("k-anonymity", "model", "k-anonymity", {"k": 4})
    text = first.model_dump_json()
    assert noted_config(text) is noted_config(text)
    assert noted_config(text).thresholds == first.thresholds


@pytest.mark.parametrize(
    ("source", "anonymizer", "form"),
    [
        ({"path": "people.csv"}, "mondrian", TableForm),
        ({"path": "people.csv"}, "group-swap", LinkedForm),
        ({"kind": "graph", "edges": "edges.csv"}, "mondrian", GraphTablesForm),
    ],
)
def test_every_release_has_one_form(release, source, anonymizer, form):
    release.write(source=source, anonymizer={"name": anonymizer})
    assert type(form_of(read_config(release.file))) is form


def read_meetings(path):
    raise AssertionError("nothing is read")


read_meetings.kind = "graph"
NO_COLUMN = r"roles\.quasi_identifiers: name at least one column"
BY_SUFFIX = r"suffix \.lists belongs to a reader of graphs; state kind: lists\."


@pytest.mark.parametrize("path", ["a.lists", "a.LISTS.gz", ["a.csv", "b.lists"]])
@pytest.mark.parametrize("quasi_identifiers", [[], ["age", "zip"]])
def test_a_graph_that_only_its_suffix_tells_is_refused(
    release, registered, path, quasi_identifiers
):
    registered("readers", "lists", read_meetings)
    roles = {**release.content["roles"], "quasi_identifiers": quasi_identifiers}
    release.write(source={"path": path}, roles=roles)
    for name in [path] if isinstance(path, str) else path:
        (release.folder / name).touch()
    for refuse in (check_release, run_release):
        with pytest.raises(ConfigurationError, match=BY_SUFFIX):
            refuse(release.file)
    release.write(source={"kind": "lists", "path": "a.lists"}, roles=roles)
    assert type(form_of(read_config(release.file))) is GraphTablesForm


@pytest.mark.parametrize("path", ["a.csv", "a.rows", "a.unheard"])
def test_a_table_without_quasi_identifiers_is_refused(release, registered, path):
    registered("readers", "rows", lambda path: pd.DataFrame())
    roles = {**release.content["roles"], "quasi_identifiers": []}
    release.write(source={"path": path}, roles=roles)
    (release.folder / path).touch()
    for refuse in (check_release, run_release):
        with pytest.raises(ConfigurationError, match=NO_COLUMN):
            refuse(release.file)


@pytest.mark.parametrize("step", STEPS)
def test_steps_import_nothing_from_each_other(step):
    tree = ast.parse((HOME / f"{step}.py").read_text(encoding="utf-8"))
    imported = {
        str(node.module).rsplit(".", 1)[-1]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert not imported & {*STEPS, step}


def test_no_step_asks_what_the_form_is():
    asking = {
        path.name
        for path in HOME.glob("*.py")
        if re.search(r"\breads_graphs\(", path.read_text(encoding="utf-8"))
    }
    # Beside the forms themselves: a folder of tables has no form before it is mapped.
    assert asking == {"_forms.py", "_mapping.py"}
