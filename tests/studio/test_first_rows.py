"""Methods that cannot use a table are marked before a run, by its first rows."""

import pytest

from anon_transformers.base import TableAnonymizer
from anon_transformers.exceptions import DataError
from anon_transformers.registry import registry
from anon_transformers.studio._first_rows import TRIAL, first_rows
from anon_transformers.studio._goals import offers
from anon_transformers.studio._project import write_privately

ROLES = {
    "quasi_identifiers": ["age", "sex"],
    "sensitive": ["disease"],
    "identifiers": ["id"],
    "dropped": ["town"],
}
MONDRIAN = {"name": "mondrian", "step": {"age": 5}, "domain": {"sex": ["f", "m"]}}
THREE = {"quasi_identifiers": ["age", "sex"], "sensitive": ["disease"]}


def refusals(project):
    return {one.name: one.refusal for one in offers(project)}


def test_columns_of_a_kind_that_a_method_cannot_use_mark_it(studio):
    project = studio.project({"roles": ROLES, "anonymizer": MONDRIAN})
    found = refusals(project)
    for name in ("fuzzy-c-means", "gustafson-kessel", "k-means", "global-recode"):
        assert "column 'sex' holds categories" in found[name]
    assert not found["mondrian"] and not found["fuzzy-partition"]
    shown = studio.get(f"/p/{project.id}/protect/")
    assert "Not with this file as it is: column 'sex' holds" in studio.text(shown)
    assert f'<a href="/p/{project.id}/data/">Roles and kinds' in shown.text
    roles = {**ROLES, "quasi_identifiers": ["age"], "dropped": ["town", "sex"]}
    project.edit("role", lambda content: content.update(roles=roles))
    assert not refusals(project)["fuzzy-c-means"]


def test_columns_that_a_method_leaves_exact_are_told_before_a_run(studio):
    project = studio.project({"roles": ROLES, "anonymizer": MONDRIAN})
    doubts = {one.name: one.doubt for one in offers(project)}
    assert doubts.pop("fuzzy-partition").startswith("It leaves sex as they are")
    assert not any(doubts.values())
    for page in ("protect", "compare"):
        shown = studio.text(studio.get(f"/p/{project.id}/{page}/"))
        assert "It leaves sex as they are" in shown
        assert "tried on the first 500 rows" in shown
    roles = {**ROLES, "quasi_identifiers": ["age"], "dropped": ["town", "sex"]}
    project.edit("role", lambda content: content.update(roles=roles))
    assert not any(one.doubt for one in offers(project))


def test_what_a_stranger_says_of_a_cell_is_not_repeated(studio, monkeypatch):
    def refuse(self, frame):
        raise DataError(f"the cell {frame.iloc[0, 0]}")

    cls = registry().anonymizers["mondrian"]
    assert issubclass(cls, TableAnonymizer)
    monkeypatch.setattr(cls, "_encode", refuse)
    project = studio.project({"roles": ROLES, "anonymizer": MONDRIAN}, name="odd")
    assert refusals(project)["mondrian"] == "it could not be evaluated: DataError."


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_only_the_first_rows_are_read_and_no_copy_stays(studio, kind):
    import pandas as pd

    rows = "".join(f"{20 + n % 50},f,flu\n" for n in range(40_000))
    project = studio.project({"roles": THREE}, f"age,sex,disease\n{rows}")
    if kind == "parquet":
        file = project.folder / "data" / "people.csv"
        pd.read_csv(file).to_parquet(file.with_suffix(".parquet"))
        path = {"path": "../data/people.parquet"}
        project.edit("source", lambda content: content.update(source=path))
    found = first_rows(project)
    assert len(found) == 500 and found["age"].dtype == "int64"
    assert not list(project.results_folder(TRIAL).iterdir())


def test_another_encoding_is_read(studio):
    project = studio.project({"roles": THREE})
    text = "age,sex,disease\n" + "30,f,Röteln\n" * 9
    (project.folder / "data" / "people.csv").write_bytes(text.encode("latin-1"))
    source = {"path": "../data/people.csv", "encoding": "latin-1"}
    project.edit("source", lambda content: content.update(source=source))
    assert first_rows(project)["disease"].iloc[0] == "Röteln"


def test_a_source_that_cannot_be_read_marks_nothing(studio):
    project = studio.project({"roles": THREE, "anonymizer": MONDRIAN})
    write_privately(project.folder / "data" / "people.csv", "age\n1,2,3\n")
    assert first_rows(project) is None
    assert not refusals(project)["mondrian"]
