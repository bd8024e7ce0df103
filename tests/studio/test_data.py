"""Data: how a table is read, what its columns are, and which roles they get."""

import re

import pandas as pd
import pytest

from anon_transformers import proposals
from anon_transformers.studio import _profile
from anon_transformers.studio._columns import roles_of, set_kinds, set_roles
from anon_transformers.studio._profile import profile_of
from anon_transformers.studio._source import source_of


def data(project):
    return f"/p/{project.id}/data/"


def profile(project):
    return profile_of(project, source_of(project))


def send_roles(studio, project, chosen, **more):
    names = profile(project).names
    given = {name: roles_of(project.content).get(name, "") for name in names} | chosen
    form = {"column": names, "role": [given[name] for name in names], **more}
    return studio.post(f"{data(project)}columns", form, came_from=data(project))


# What the page shows.


def test_the_table_and_its_columns_are_shown(studio):
    project = studio.upload()
    page = studio.get(data(project))
    assert page.status_code == 200
    text = studio.text(page)
    assert "8 rows, 5 columns" in text
    assert "Rows 1 to 8 of 8" in text
    assert "Ulm" in text
    studio.check_accessible(page)
    columns = {one["name"]: one for one in profile(project).columns}
    assert [columns[name]["values"] for name in ("id", "age", "sex")] == [8, 8, 2]
    assert columns["id"]["unique"] == 1.0
    assert columns["sex"]["unique"] == 0.0
    assert columns["age"]["type"] == "integer"
    assert columns["disease"]["proposal"]["role"] == "sensitive"


def test_missing_values_and_unique_ones_are_counted(studio):
    table = "a,b\n1,x\n,x\n?,y\n2,z\n2,z\n"
    content = {"source": {"path": "../data/t.csv", "missing": ["?"]}}
    project = studio.project(content, table, "t")
    studio.get(data(project))
    a, b = profile(project).columns
    assert (a["missing"], a["values"], a["unique"]) == (2, 2, 1 / 5)
    assert (b["missing"], b["values"], b["unique"]) == (0, 3, 1 / 5)
    assert "missing" in studio.get(data(project)).text


def test_marks_that_are_not_stated_yet_are_counted_beside_missing_cells(studio):
    rows = [("?" if n % 10 == 0 else "ab"[n % 2], n % 7) for n in range(100)]
    table = "race,n\n" + "".join(f"{race},{n}\n" for race, n in rows) + ",3\n"
    project = studio.upload("t.csv", table)
    page = studio.get(data(project))
    race, number = profile(project).columns
    assert (race["missing"], race["values"]) == (1, 3)
    assert (race["marked"], race["marks"]) == (10, ["?"])
    assert (number["marked"], number["marks"]) == (0, [])
    text = studio.text(page)
    assert "and 10 (9.9 %) with ?" in text
    assert "3 2 without ?" in text
    assert "missing in 10.9%" in text  # as the proposal beside it says
    form = {"separator": "comma", "encoding": "utf-8", "missing": "?"}
    page = studio.post(f"{data(project)}options", form, came_from=data(project))
    race = profile(project).columns[0]
    assert (race["missing"], race["values"], race["marked"]) == (11, 2, 0)
    assert "with ?" not in studio.text(page)


def test_a_long_copy_says_how_far_it_is(studio, monkeypatch):
    monkeypatch.setattr(_profile, "GROUP", 3)
    monkeypatch.setattr(_profile, "WRITTEN", 6)
    table = "n\n" + "".join(f"v{n}\n" for n in range(20))
    project, told = studio.upload("long.csv", table), []
    found = _profile.profile(project, {}, lambda *said: told.append(said))
    copied = [said[:2] for said in told if "keeping a copy" in said[2]]
    assert copied == [(0, 5), (1, 5), (2, 5), (3, 5), (4, 5)]
    project.keep_result("profile", "", {}, found)
    assert profile(project).rows(4, 9) == [[f"v{n}"] for n in range(4, 13)]
    assert profile(project).rows(17, 9) == [["v17"], ["v18"], ["v19"]]


def test_unique_values_are_of_persons_where_the_subject_is_known(studio):
    rows = ["p,town", "a,Ulm", "a,Ulm", "b,Bonn", "b,Bonn", "c,Bonn"]
    content = {"roles": {"subject": "p", "quasi_identifiers": ["town"]}}
    project = studio.project(content, "\n".join(rows) + "\n", "t")
    page = studio.get(data(project))
    assert "5 rows of 3 persons" in studio.text(page)
    town = profile(project).columns[1]
    assert town["unique"] == pytest.approx(1 / 3)  # a, alone in Ulm, with two rows


def test_only_the_asked_rows_are_read(studio):
    table = "n\n" + "".join(f"value {n}\n" for n in range(5000))
    project = studio.upload("long.csv", table)
    page = studio.get(f"{data(project)}?page=3&rows=50")
    shown = re.findall(r"<td>value (\d+)</td>", page.text)
    assert shown == [str(n) for n in range(100, 150)]
    page = studio.get(f"{data(project)}?page=100&rows=50")
    assert re.findall(r"<td>value (\d+)</td>", page.text)[-1] == "4999"
    for odd in ("page=99999", "page=-1", "page=x&rows=7", "page=1e9", "rows=99999999"):
        page = studio.get(f"{data(project)}?{odd}")
        assert page.status_code == 200
        assert 1 <= len(re.findall(r"<td>value", page.text)) <= 200


def test_rows_over_the_edge_of_two_groups(studio):
    table = "n\n" + "".join(f"v{n}\n" for n in range(2100))
    project = studio.upload("long.csv", table)
    studio.get(data(project))
    assert profile(project).rows(1990, 20) == [[f"v{n}"] for n in range(1990, 2010)]
    assert profile(project).rows(2090, 20) == [[f"v{n}"] for n in range(2090, 2100)]


def test_names_and_values_are_escaped(studio):
    table = f'{studio.hostile},"a""b","x<y"\n{studio.hostile},1,2\n<b>q</b>,1,3\n'
    project = studio.upload("people.csv", table)
    page = studio.get(data(project))
    assert "<script>alert" not in page.text
    assert "<b>q" not in page.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.text
    send_roles(studio, project, {studio.hostile: "dropped", 'a"b': "sensitive"})
    assert project.content["roles"]["dropped"] == [studio.hostile]
    assert project.content["roles"]["sensitive"] == ['a"b']
    page = studio.get(f"{data(project)}?separator=comma&encoding=utf-8&missing=")
    assert "<script>alert" not in page.text
    studio.check_accessible(page)


def test_a_parquet_file_has_types_and_no_separator(studio, tmp_path):
    file = tmp_path / "t.parquet"
    pd.DataFrame({"age": [1, 2, None], "town": ["a", "b", "b"]}).to_parquet(file)
    studio.post("/projects/open", {"path": str(file)})
    project = studio.studio.shelf.projects()[0]
    page = studio.get(data(project))
    assert "How the file is read" not in page.text
    age, _town = profile(project).columns
    assert (age["type"], age["missing"]) == ("number", 1)
    said = studio.post(f"{data(project)}options", {"separator": "tab"})
    assert "for CSV files" in studio.text(said)


def test_a_text_file_is_a_csv_file(studio):
    project = studio.upload("people.txt")
    assert "8 rows, 5 columns" in studio.text(studio.get(data(project)))


def test_adult_is_read_from_the_library(studio):
    project = studio.adult()
    page = studio.get(data(project))
    assert "30,162 rows, 9 columns" in studio.text(page)
    assert "quasi-identifier: 8" in studio.text(page)


# The profile is made once for each way to read the table.


def test_a_profile_is_kept_until_the_source_is_read_otherwise(studio, tmp_path):
    project = studio.upload()
    studio.get(data(project))
    jobs = studio.studio.worker._jobs
    assert len(jobs) == 1
    send_roles(studio, project, {"sex": "quasi_identifiers"})
    studio.get(data(project))
    assert len(jobs) == 1  # roles do not change what is in the table
    send_roles(studio, project, {"id": "subject"})
    assert len(jobs) == 2  # persons are counted now
    source = source_of(project)
    file = source.files[0]
    file.write_text(studio.people.replace("Ulm", "Köln"))
    studio.get(data(project))
    assert len(jobs) == 3
    folders = list(project.result("profile").folder.iterdir())
    assert sum(path.is_dir() for path in folders) == 1


def test_a_second_reading_that_is_cut_off_leaves_the_first(studio, monkeypatch):
    project = studio.upload()
    studio.get(data(project))

    def cut(cells, file, progress):
        file.write_bytes(b"PAR1")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_profile, "keep_rows", cut)
    studio.post(f"{data(project)}read", came_from=data(project))
    page = studio.get(data(project))
    assert page.status_code == 200
    assert "Rows 1 to 8 of 8" in page.text


def test_a_cancelled_or_failed_profile_does_not_start_again_by_itself(studio):
    project = studio.upload("bad.csv", "a,b\n1\n")
    for _ in range(2):
        page = studio.get(data(project))
        assert "The table cannot be used as it is" in page.text
        assert page.text.count("another number of fields") == 1
        assert str(project.folder / "data") not in page.text  # where uploads are kept
    assert len(studio.studio.worker._jobs) == 1
    studio.post(f"{data(project)}read", came_from=data(project))
    assert len(studio.studio.worker._jobs) == 2


# Files that cannot be read as they are.


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"a,b\n", "it has no rows", id="header-alone"),
        pytest.param(b"a,b\n1,2\n3\n", "1 row has another number", id="ragged"),
        pytest.param(b"a,a\n1,2\n", "has a column twice: a.", id="twice"),
        pytest.param(b"34,f\n35,m\n34,f\n", "no header", id="no-header"),
    ],
)
def test_a_bad_file_is_said_in_the_words_of_the_library(studio, content, said):
    project = studio.upload("bad.csv", content)
    page = studio.get(data(project))
    assert page.status_code == 200
    assert "The table cannot be used as it is" in page.text
    assert said in studio.text(page)
    studio.check_accessible(page)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param("a;b\n1;2\n", "separated by ';'", id="separator"),
        pytest.param("a,b\n1,\xe4\n", "in another encoding", id="encoding"),
    ],
)
def test_a_release_file_that_states_another_dialect(studio, content, said):
    project = studio.project({}, name="bad")
    source_of(project).files[0].write_bytes(content.encode("latin-1"))
    page = studio.get(data(project))
    assert "The table cannot be used as it is" in page.text
    assert said in studio.text(page)
    assert "Error" not in page.text
    # A preview that is in order takes the place of the fault.
    here = f"{data(project)}?separator=semicolon&encoding=latin-1&missing="
    comma = here.replace("semicolon", "comma")
    good, bad = (here, comma) if ";" in content else (comma, here)
    page = studio.get(good)
    assert "Read as below, the first rows are a table" in studio.text(page)
    assert "The table cannot be used as it is" not in page.text
    assert "The table cannot be used as it is" in studio.get(bad).text


def test_the_same_preview_is_no_mending(studio):
    project = studio.upload("bad.csv", b"34,f\n35,m\n34,f\n")  # no header
    page = studio.get(f"{data(project)}?separator=comma&encoding=utf-8&missing=")
    assert "The table cannot be used as it is" in page.text


def test_a_source_that_is_gone_is_said(studio):
    project = studio.upload()
    source_of(project).files[0].unlink()
    assert "does not exist" in studio.text(studio.get(data(project)))
    project.file.write_text("roles: {}\n")
    page = studio.get(data(project))
    assert page.status_code == 200
    assert "source" in studio.text(page)


# Separator, encoding, marks: first a preview, then an edit.


def bad_project(studio, text, encoding="utf-8"):
    """A project whose file says nothing of how the table was written."""
    project = studio.project({}, name="bad")
    source_of(project).files[0].write_bytes(text.encode(encoding))
    return project


def test_a_preview_changes_nothing(studio):
    project = bad_project(studio, "name;town\nM\xfcller;Ulm\n?;K\xf6ln\n", "cp1252")
    before = project.text
    here = data(project)
    page = studio.get(f"{here}?separator=semicolon&encoding=cp1252&missing=%3F")
    assert "Müller" in page.text
    assert "2 columns" in studio.text(page)
    assert 'title="missing"' in page.text
    page = studio.get(f"{here}?separator=semicolon&encoding=utf-8&missing=")
    assert "cannot be read as CSV in UTF-8" in studio.text(page)
    page = studio.get(f"{here}?separator=comma&encoding=cp1252&missing=")
    assert "1 columns" in studio.text(page)
    page = studio.get(f"{here}?separator=long&encoding=cp1252&missing=")
    assert "separator must be one character" in studio.text(page)
    page = studio.get(f"{here}?separator=comma&encoding=nonsense&missing=")
    assert "unknown encoding" in studio.text(page)
    assert project.text == before
    left = project.folder / ".studio" / project.name / "results" / "preview"
    assert not list(left.glob("*.csv"))


def test_the_separator_that_the_file_shows_is_offered(studio):
    project = bad_project(studio, "a;b\n1;2\n3;4\n")
    page = studio.get(data(project))
    assert re.search(r'value="semicolon" selected', page.text)
    assert "2 columns" in studio.text(page)


def test_how_the_file_is_read_goes_into_the_release_file(studio):
    project = bad_project(studio, "n;town\nM\xfc;Ulm\n?;x\n", "cp1252")
    form = {"separator": "semicolon", "encoding": "cp1252", "missing": "?\nnot known\n"}
    page = studio.post(f"{data(project)}options", form, came_from=data(project))
    source = project.content["source"]
    assert source["separator"] == ";"
    assert source["encoding"] == "cp1252"
    assert source["missing"] == ["?", "not known"]
    assert "2 rows, 2 columns" in studio.text(page)
    assert "Mü" in page.text
    usual = {"separator": "comma", "encoding": "utf-8", "missing": ""}
    page = studio.post(f"{data(project)}options", usual, came_from=data(project))
    assert "cannot be read as CSV" in studio.text(page)
    assert project.content["source"] == source  # what cannot be read is not stated
    project.move(-1)
    assert set(project.content["source"]) == {"path"}


def test_the_start_of_a_large_file_is_cut_between_rows(studio):
    cell = '"a\nb"'
    table = "n,text\n" + "".join(f"{n},{cell}\n" for n in range(30_000))
    project = studio.upload("long.csv", table)
    page = studio.get(f"{data(project)}?separator=comma&encoding=utf-8&missing=")
    assert "another number of fields" not in page.text
    assert "The first 20 rows" in page.text


# Roles.


def test_a_role_is_one_edit_that_can_be_undone(studio):
    project = studio.upload()
    studio.get(data(project))
    page = send_roles(studio, project, {"age": "quasi_identifiers"})
    assert project.content["roles"] == {"quasi_identifiers": ["age"]}
    assert project.edits[0][-1] == "age: quasi-identifier"
    assert 'class="role-quasi_identifiers"' in page.text
    send_roles(studio, project, {"sex": "sensitive", "id": "identifiers"})
    assert project.edits[0][-1] == "roles of 2 columns"
    studio.post(f"/p/{project.id}/undo")
    assert project.content["roles"] == {"quasi_identifiers": ["age"]}


def test_an_unknown_role_or_half_a_form_is_refused(studio):
    project = studio.upload()
    studio.get(data(project))
    before = project.text
    page = send_roles(studio, project, {"age": "quasi"})
    assert "unknown option" in studio.text(page)
    form = {"column": ["age", "sex"], "role": ["dropped"]}
    page = studio.post(f"{data(project)}columns", form, came_from=data(project))
    assert "the form is not whole" in studio.text(page)
    page = send_roles(studio, project, {"age": "subject", "id": "subject"})
    assert "subject: one column" in studio.text(page)
    assert project.text == before


def test_what_a_release_refuses_of_a_column_goes_with_its_role():
    content = {
        "roles": {
            "quasi_identifiers": ["a", "b"],
            "sensitive": ["s"],
            "insensitive": ["i"],
            "subject": "p",
            "one_value_per_person": ["s"],
            "accept_unique": ["s", "i", ["i", "b"]],
        },
        "hierarchies": {"a": "a.csv", "b": "b.csv"},
    }
    set_roles(content, {"a": "dropped", "s": "insensitive", "q": "quasi_identifiers"})
    assert content["hierarchies"] == {"b": "b.csv"}
    assert content["roles"] == {
        "quasi_identifiers": ["b", "q"],
        "insensitive": ["i", "s"],
        "dropped": ["a"],
        "subject": "p",
        "accept_unique": ["s", "i", ["i", "b"]],
    }
    set_roles(content, {"i": "dropped", "p": ""})
    assert "subject" not in content["roles"]
    assert content["roles"]["accept_unique"] == ["s"]


def test_a_new_subject_takes_the_place_of_the_old_one():
    content = {"roles": {"subject": "p", "identifiers": ["p", "x"]}}
    assert roles_of(content) == {"p": "subject", "x": "identifiers"}
    set_roles(content, {"x": "identifiers", "p": "subject"})
    assert content["roles"] == {"subject": "p", "identifiers": ["p", "x"]}
    set_roles(content, {"q": "subject"})
    assert roles_of(content) == {"x": "identifiers", "q": "subject"}


def test_a_column_may_be_known_to_one_and_secret_to_another():
    content = {"roles": {"quasi_identifiers": ["a"], "sensitive": ["a"]}}
    assert roles_of(content) == {"a": "both"}
    set_roles(content, {"a": "both", "b": "dropped"})
    assert (
        content["roles"]["sensitive"] == ["a"] == content["roles"]["quasi_identifiers"]
    )


def test_kinds_of_cells_are_stated_and_judged(studio):
    project = studio.upload("t.csv", "day,zip\n31/12/2025,01234\n01/02/2024,99999\n")
    studio.get(data(project))
    form = {"kind": ["date 31/12/2026", "text"]}
    send_roles(studio, project, {}, **form)
    assert project.content["source"]["columns"] == {
        "day": {"date": "%d/%m/%Y"},
        "zip": "text",
    }
    assert profile(project).counts("day").values[0].startswith("20")
    page = send_roles(studio, project, {}, kind=["integer", ""])
    assert project.content["source"]["columns"] == {"day": "integer"}
    assert "holds values in 2 rows that are no integer" in studio.text(page)


def test_a_kind_that_only_the_file_knows_is_kept():
    content = {"source": {"columns": {"a": {"order": ["x", "y"]}, "b": "text"}}}
    set_kinds(content, {"a": "as stated", "b": ""})
    assert content["source"]["columns"] == {"a": {"order": ["x", "y"]}}


def test_unique_columns_and_repeated_identifiers_are_accepted_by_a_person(studio):
    project = studio.upload()
    studio.get(data(project))
    roles = {"disease": "sensitive", "age": "quasi_identifiers"}
    send_roles(studio, project, roles, accept=["disease", "age"], rows_are_persons="on")
    assert project.content["roles"]["accept_unique"] == ["disease"]
    assert project.content["roles"]["rows_are_persons"] is True
    send_roles(studio, project, {"id": "subject"}, rows_are_persons="on")
    assert "rows_are_persons" not in project.content["roles"]
    assert "accept_unique" not in project.content["roles"]


# Proposals.


def test_the_proposal_for_one_column(studio):
    project = studio.upload()
    studio.get(data(project))
    page = studio.post(
        f"{data(project)}take", {"take": "disease"}, came_from=data(project)
    )
    assert roles_of(project.content) == {"disease": "sensitive"}
    assert "others may know it of a person" in studio.text(page)  # the reason for age
    page = studio.post(f"{data(project)}take", {"take": "no"}, came_from=data(project))
    assert "there is no proposal" in studio.text(page)


PERSONS = "patient,age,zip,word,disease\n" + "".join(
    f"p{n},{20 + n % 60},{10000 + n % 37},{'abc'[n % 3] * 4},{['flu', 'cold'][n % 2]}\n"
    for n in range(400)
)


def test_all_proposals_make_a_release(studio):
    project = studio.upload("patients.csv", PERSONS)
    page = studio.post(f"{data(project)}propose", came_from=data(project))
    assert page.url.path == data(project)
    assert project.edits[0][-1] == "all proposals"
    content = project.content
    assert project.fault is None
    roles = roles_of(content)
    assert roles["patient"] == "identifiers"
    assert roles["disease"] == "sensitive"
    assert roles["age"] == "quasi_identifiers"
    assert content["hierarchies"]["age"]["kind"] == "intervals"
    assert content["source"]["columns"]["age"] == "integer"
    assert {"model": "k-anonymity", "k": 5} in content["thresholds"]
    assert any(one.get("sensitive") == "disease" for one in content["thresholds"])
    files = [path for path in content["hierarchies"].values() if isinstance(path, str)]
    for path in files:
        assert (project.file.parent / path).is_file()
    studio.post(f"/p/{project.id}/undo")
    assert roles_of(project.content) == {}


def test_what_proposals_add_is_listed_before_and_after(studio):
    # Two words are rare, so that their hierarchy is one by frequency.
    table = PERSONS.replace(",aaaa,", ",Haus,", 30).replace(",bbbb,", ",Brot,", 20)
    project = studio.upload("patients.csv", table)
    before = studio.text(studio.get(data(project)))
    assert "Thresholds that Take all proposals adds" in before
    for words in (
        "k-anonymity: k = 5",
        "distinct-l-diversity: l = 2, sensitive = disease",
        "loss at most a number that is measured",
        "suppressed-share at most 0.05",
    ):
        assert words in before
    page = studio.post(f"{data(project)}propose", came_from=data(project))
    after = studio.text(page)
    studio.check_accessible(page)
    found = project.result("propose").found
    stated = project.content["thresholds"]
    loss = next(one["max"] for one in stated if one.get("metric") == "loss")
    assert f"loss at most {loss}" in after
    assert "Some rows of the table lost" in after
    assert len(found["thresholds"]) == len(stated)
    assert all(one["words"] in after and one["reason"] for one in found["thresholds"])
    assert found["by_frequency"] == ["word"]
    assert "group by how often values occur and not by what they mean: word" in after
    unsure = [
        one["name"]
        for one in profile(project).columns
        if one["proposal"]["confidence"] == "low"
    ]
    assert found["unsure"] == unsure != []
    assert f"Roles of low certainty: {', '.join(unsure)}." in after
    # After another edit it is no news any more.
    send_roles(studio, project, {"age": "sensitive"})
    again = studio.text(studio.get(data(project)))
    assert "All proposals stand in the file" not in again
    assert "; your thresholds stay" in again
    assert "Thresholds that Take all" not in again


def test_all_proposals_keep_what_a_person_chose(studio):
    project = studio.upload("patients.csv", PERSONS)
    studio.get(data(project))
    send_roles(studio, project, {"age": "sensitive"})
    studio.post(f"{data(project)}propose", {"keep": "on"}, came_from=data(project))
    assert roles_of(project.content)["age"] == "sensitive"
    studio.post(f"{data(project)}propose", came_from=data(project))
    assert roles_of(project.content)["age"] == "quasi_identifiers"


def test_proposals_do_not_undo_what_was_edited_meanwhile(studio, monkeypatch):
    project = studio.upload("patients.csv", PERSONS)
    propose = proposals.propose_release

    def slowly(*given, **options):
        project.edit("target", lambda content: content["target"].update(path="../new"))
        return propose(*given, **options)

    monkeypatch.setattr(proposals, "propose_release", slowly)
    page = studio.post(f"{data(project)}propose", came_from=data(project))
    assert "the file was edited meanwhile" in page.text
    assert project.content["target"]["path"] == "../new"
    assert project.edits[0][-1] == "target"


def test_a_table_that_nothing_can_be_proposed_for_is_shown_all_the_same(studio):
    project = studio.upload(
        "t.csv", "n\n" + "".join(f"p{i}@x.de\n" for i in range(100))
    )
    page = studio.get(data(project))
    assert "There are no proposals" in page.text
    assert "100 rows, 1 columns" in studio.text(page)


def test_the_roles_of_a_wide_table_are_saved(studio):
    """A form of it has more fields than those of most pages of the web."""
    names = [f"c{number}" for number in range(600)]
    rows = [",".join(names), *(",".join([str(row)] * 600) for row in range(3))]
    project = studio.upload("wide.csv", "\n".join(rows))
    studio.get(f"/p/{project.id}/data/")
    form = {"column": names, "role": ["insensitive"] * 600, "kind": [""] * 600}
    page = studio.post(f"/p/{project.id}/data/columns", form)
    assert page.status_code == 200
    assert project.content["roles"]["insensitive"] == names
