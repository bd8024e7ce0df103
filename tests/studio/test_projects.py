"""Home: ways to a project, and away from it."""

import stat
from pathlib import Path

import pytest


def test_there_is_no_project_at_first(studio):
    page = studio.get("/")
    assert page.status_code == 200
    assert page.url.path == "/projects/"
    assert "There is none yet." in page.text
    studio.check_accessible(page)


def test_adult_in_one_click_and_once(studio):
    first = studio.adult()
    assert first.fault is None
    assert first.content["source"]["path"] == "bundled:adult/adult.csv.gz"
    again = studio.post("/projects/adult", follow_redirects=False)
    assert again.headers["location"] == f"/p/{first.id}/protect/"
    assert len(studio.studio.shelf.projects()) == 1


def test_an_upload_lies_in_a_private_folder_until_it_is_removed(studio):
    project = studio.upload("people.csv")
    file = project.folder / "data" / "people.csv"
    assert file.read_text() == studio.people
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for folder in (project.folder, file.parent, project.file.parent, studio.home):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    page = studio.post("/projects/remove", {"project": project.id})
    assert "people was removed." in page.text
    assert not project.folder.exists()
    assert studio.get(f"/p/{project.id}/data/").status_code == 404


def test_a_second_upload_of_a_name_is_a_second_project(studio):
    first, second = studio.upload(), studio.upload()
    assert (first.name, second.name) == ("people", "people-2")
    assert first.file.exists()


def test_a_table_is_opened_where_it_lies(studio, tmp_path):
    file = tmp_path / "far" / "people.csv"
    file.parent.mkdir()
    file.write_text(studio.people)
    studio.post("/projects/open", {"path": str(file)})
    project = studio.studio.shelf.projects()[0]
    assert project.content["source"] == {"path": str(file.resolve())}
    # The page says what is kept of it.
    said = studio.text(studio.get("/projects/"))
    assert "nothing is copied" not in said
    assert "keeps a copy of its rows in its private folder" in said
    assert list(project.folder.rglob("rows.parquet"))
    studio.post("/projects/remove", {"project": project.id})
    assert file.exists()
    assert not project.folder.exists()


def test_a_release_file_is_opened_where_it_lies(studio, tmp_path):
    file = tmp_path / "work" / "releases" / "mine.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("source: {path: ../people.csv}\n")
    answer = studio.post("/projects/open", {"path": str(file)}, follow_redirects=False)
    project = studio.studio.shelf.projects()[0]
    assert answer.headers["location"] == f"/p/{project.id}/data/"
    assert project.folder == tmp_path / "work"
    studio.post("/projects/remove", {"project": project.id})
    assert file.exists()  # it is not Studio's


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "name a file"),
        ("people.csv", "there is no such file"),
        ("/no/such/file.csv", "there is no such file"),
        ("/proc/self/status", "tables end in .csv"),
    ],
)
def test_a_path_that_is_no_table_is_refused(studio, given, said):
    page = studio.post("/projects/open", {"path": given})
    assert said in studio.text(page)
    assert not studio.studio.shelf.projects()


@pytest.mark.parametrize("name", ["people.exe", "people", "people.csv.sh", "x.yaml"])
def test_an_upload_that_is_no_table_is_refused(studio, name):
    page = studio.post("/projects/upload", files={"file": (name, b"a\n1\n")})
    assert "tables end in .csv" in studio.text(page)
    assert not studio.studio.shelf.projects()
    assert not [path for path in studio.home.glob("*") if path.is_dir()]


def test_a_form_without_a_file_is_refused(studio):
    assert "choose a file" in studio.text(studio.post("/projects/upload"))


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>.csv",
        "../../../etc/x.csv",
        "..\\..\\x.csv",
        "'\"><img src=x onerror=alert(1)>.csv",
        "\u202ecsv.exe.csv",
        "....csv",
        f"{'a' * 300}.csv",
    ],
)
def test_a_hostile_file_name_becomes_a_plain_one(studio, name):
    project = studio.upload(name)
    assert project.folder.parent == studio.home
    (kept,) = (project.folder / "data").iterdir()
    assert set(kept.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.ABCD")
    assert len(kept.name) < 80
    page = studio.get("/projects/")
    assert "<script>alert" not in page.text
    assert "<img src=x" not in page.text


def test_a_hostile_folder_is_shown_escaped(studio, tmp_path):
    folder = tmp_path / "<script>alert(1)<"
    file = folder / "releases" / "mine.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("source: {path: ../people.csv}\n")
    studio.post("/projects/open", {"path": str(file)}, follow_redirects=False)
    for page in (studio.get("/projects/"), studio.get(_data(studio))):
        assert "<script>alert" not in page.text
        assert "&lt;script&gt;alert(1)" in page.text


def test_a_project_whose_file_is_gone_is_not_listed(studio):
    project = studio.upload()
    Path(project.file).unlink()
    assert "There is none yet." in studio.get("/projects/").text
    assert studio.get(f"/p/{project.id}/data/").status_code == 404


def _data(studio):
    return f"/p/{studio.studio.shelf.projects()[0].id}/data/"


def test_jobs_end_before_their_project_is_removed(studio, monkeypatch):
    project, ended = studio.upload(), []

    def cancel_all(of):
        assert of.file.exists()
        ended.append(of.id)

    monkeypatch.setattr(studio.studio.worker, "cancel_all", cancel_all)
    studio.post("/projects/remove", {"project": project.id})
    assert ended == [project.id]
    assert not project.folder.exists()


def test_half_an_upload_is_removed(studio, monkeypatch):
    def fail(held, handle):
        handle.write(held.read(4))
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", fail)
    sent = {"file": ("people.csv", studio.people.encode())}
    page = studio.post("/projects/upload", files=sent)
    assert "No space left on device." in page.text
    assert not list(studio.home.rglob("people*"))
