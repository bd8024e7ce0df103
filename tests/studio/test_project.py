"""A project: edits and their way back, results of a state."""

import json
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from anon_transformers.exceptions import DataError
from anon_transformers.studio._project import Project, Shelf
from anon_transformers.studio._yaml import dump


@pytest.fixture
def project(tmp_path):
    file = tmp_path / "work" / "releases" / "mine.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(dump({"roles": {"sensitive": ["a"]}, "k": 1}))
    return Project(file)


def _set_k(k):
    def change(content):
        content["k"] = k

    return change


def test_an_edit_is_in_the_file_and_has_words(project):
    project.edit("k is 2", _set_k(2))
    assert project.content == {"roles": {"sensitive": ["a"]}, "k": 2}
    assert project.edits == (["start", "k is 2"], 1)


def test_an_edit_that_changes_nothing_is_none(project):
    before = project.text
    project.edit("k is 1", _set_k(1))
    assert project.text == before
    assert project.edits == ([], 0)


def test_a_change_that_fails_leaves_the_file(project):
    def change(content):
        content["k"] = 2
        raise DataError("no.")

    before = project.text
    with pytest.raises(DataError):
        project.edit("k is 2", change)
    assert project.text == before
    assert project.edits == ([], 0)


def test_undo_and_redo(project):
    start = project.text
    project.edit("k is 2", _set_k(2))
    project.edit("k is 3", _set_k(3))
    assert project.move(-1) == "k is 3"
    assert project.content["k"] == 2
    assert project.move(-1) == "k is 2"
    assert project.text == start  # to the byte, comments and all
    assert project.move(-1) is None
    assert project.move(1) == "k is 2"
    assert project.move(1) == "k is 3"
    assert project.move(1) is None
    assert project.content["k"] == 3


def test_an_edit_after_undo_forgets_what_was_undone(project):
    for k in (2, 3):
        project.edit(f"k is {k}", _set_k(k))
    project.move(-1)
    project.edit("k is 9", _set_k(9))
    assert project.edits == (["start", "k is 2", "k is 9"], 2)
    assert project.move(1) is None


def test_an_edit_by_others_can_be_undone_too(project):
    project.edit("k is 2", _set_k(2))
    project.file.write_text(dump({"k": 77}))
    assert project.edits == (["start", "k is 2", "edited outside"], 2)
    project.edit("k is 3", _set_k(3))
    assert project.move(-1) == "k is 3"
    assert project.content == {"k": 77}
    assert project.move(-1) == "edited outside"
    assert project.content["k"] == 2


def test_only_so_many_edits_are_kept(project, monkeypatch):
    monkeypatch.setattr("anon_transformers.studio._project.MOST_STEPS", 3)
    for k in range(2, 9):
        project.edit(f"k is {k}", _set_k(k))
    assert project.edits == (["k is 6", "k is 7", "k is 8"], 2)


def test_a_result_is_of_the_state_it_was_made_of(project):
    assert project.result("count") is None
    project.keep_result("count", project.state, {"of": "rows"}, {"n": 3})
    found = project.result("count")
    assert (found.found, found.params, found.current) == (
        {"n": 3},
        {"of": "rows"},
        True,
    )
    project.edit("k is 2", _set_k(2))
    assert not project.result("count").current
    project.move(-1)
    assert project.result("count").current


def test_pages_say_that_a_result_is_of_an_earlier_state(studio):
    stale = studio.studio.templates.from_string(
        "{% import 'parts.html' as parts %}{{ parts.stale(result) }}"
    )
    project = studio.upload()
    assert not stale.render(result=None).strip()
    project.keep_result("count", project.state, {}, {})
    assert not stale.render(result=project.result("count")).strip()
    project.edit("k", _set_k(2))
    assert "of an earlier state" in stale.render(result=project.result("count"))


def test_what_studio_keeps_is_for_its_owner_alone(project):
    project.edit("k is 2", _set_k(2))
    project.keep_result("count", project.state, {}, {"n": 3})
    own = project.folder / ".studio"
    below = [own, *own.rglob("*")]
    assert len(below) >= 6
    for path in below:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_a_release_file_of_others_keeps_its_mode(project):
    project.file.chmod(0o644)
    project.edit("k is 2", _set_k(2))
    assert stat.S_IMODE(project.file.stat().st_mode) == 0o644


def test_a_draft_of_a_process_that_was_killed_is_no_harm(project):
    draft = project.file.with_name(f".{project.file.name}.draft")
    draft.write_text("half")
    draft.chmod(0o666)
    project.edit("k is 2", _set_k(2))
    assert project.content["k"] == 2
    assert not draft.exists()


def test_removal_leaves_what_others_made(project):
    project.keep_result("count", project.state, {}, {})
    project.remove()
    assert project.file.exists()
    assert not (project.folder / ".studio" / "mine").exists()


def test_the_shelf_is_the_same_after_a_new_start(tmp_path, project):
    shelf = Shelf(tmp_path / "home")
    shelf.add(project)
    again = Shelf(tmp_path / "home")
    assert [one.id for one in again.projects()] == [project.id]
    assert again.find(project.id).file == project.file
    assert again.find("mine-00000000") is None
    noted = json.loads((tmp_path / "home" / "projects.json").read_text())
    assert noted == [{"file": str(project.file), "owned": False, "opened": []}]


def test_undo_and_redo_by_the_buttons(studio):
    project = studio.upload()
    project.edit("k is 2", _set_k(2))
    here = f"/p/{project.id}/data/"
    page = studio.post(f"/p/{project.id}/undo", came_from=here)
    assert page.url.path == here
    assert "Undone: k is 2." in page.text
    assert "k" not in project.content
    page = studio.post(f"/p/{project.id}/undo", came_from=here)
    assert "Nothing is undone." in page.text
    page = studio.post(f"/p/{project.id}/redo", came_from=here)
    assert "Redone: k is 2." in page.text
    assert project.content["k"] == 2


def test_a_hostile_edit_is_shown_escaped(studio):
    project = studio.upload()
    project.edit(studio.hostile, _set_k(studio.hostile))
    page = studio.get(f"/p/{project.id}/data/")
    assert "<script>alert" not in page.text
    assert page.text.count("&lt;script&gt;alert(1)") >= 2


def test_edits_side_by_side_lose_nothing(project):
    def add(number):
        def change(content):
            content[f"k{number}"] = number

        project.edit(f"k{number}", change)

    numbers = range(12)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add, numbers))
    assert {f"k{number}" for number in numbers} <= set(project.content)
    assert len(project.edits[0]) == len(numbers) + 1


def test_a_text_made_of_an_older_one_is_refused(project):
    before = project.text
    project.replace("k is 2", dump({"k": 2}), made_of=before)
    assert project.content == {"k": 2}
    with pytest.raises(DataError, match="edited meanwhile"):
        project.replace("k is 3", dump({"k": 3}), made_of=before)
    assert project.content == {"k": 2}


def test_work_during_which_the_file_was_written_is_of_no_state(project):
    def work():
        project.edit("k is 2", _set_k(2))
        project.move(-1)
        return {}

    project.keep_work("count", {}, dict)
    assert project.result("count").current
    project.keep_work("count", {}, work)
    assert project.content["k"] == 1
    assert not project.result("count").current


def test_any_file_name_makes_an_address(studio, tmp_path):
    file = tmp_path / "what? #1 100%.yaml"
    file.write_text(dump({"source": {"path": "no.csv"}}))
    page = studio.post("/projects/open", {"path": str(file)})
    (project,) = studio.studio.shelf.projects()
    assert page.status_code == 200
    assert page.url.path == f"/p/{project.id}/data/"
    assert "what? #1 100%" in studio.text(page)


def test_what_cannot_be_removed_stays_in_the_list(studio, monkeypatch):
    project = studio.upload()

    def refuse(folder):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("shutil.rmtree", refuse)
    page = studio.post("/projects/remove", {"project": project.id})
    assert "Permission denied." in page.text
    assert "was removed" not in page.text
    assert [one.id for one in studio.studio.shelf.projects()] == [project.id]


# What results are of, beside the release file.


def named(project, content):
    project.edit("names files", lambda stated: stated.update(content))
    return project


@pytest.mark.parametrize(
    "stated",
    [
        {"source": {"path": "../data/people.csv"}},
        {"source": {"path": ["../data/other.csv", "../data/people.csv"]}},
        {"source": {"path": "../data/pe*.csv"}},
        {"source": {"path": "../data/{period:%Y}.csv"}},
        {"hierarchies": {"age": {"path": "../data/people.csv", "unknown": "root"}}},
        {"hierarchies": {"sex": "../data/people.csv"}},
    ],
)
def test_a_result_is_old_when_a_file_that_was_read_changed(studio, stated):
    project = named(studio.project({}), stated)
    file = project.folder / "data" / "people.csv"
    if "{period" in str(stated):
        project.look_at("2026")
        file = file.with_name("2026.csv")
        file.write_text("a\n1\n")
    project.keep_work("count", {}, lambda: {"n": 8})
    assert project.result("count").current
    before = file.read_text()
    file.write_text(before + "9,55,f,Ulm,flu\n")
    assert not project.result("count").current
    file.unlink()
    assert not project.result("count").current
    project.keep_work("count", {}, lambda: {"n": 0})
    assert project.result("count").current
    file.write_text(before)  # it is there again
    assert not project.result("count").current


def test_a_file_that_changes_meanwhile_makes_a_result_of_no_state(studio):
    project = studio.project({})

    def work():
        (project.folder / "data" / "people.csv").write_text("a\n")
        return {}

    project.keep_work("count", {}, work)
    assert not project.result("count").current


@pytest.mark.parametrize(
    "text",
    [
        "source: [\n",
        "source: 7\nhierarchies: 8\n",
        "source: {path: {a: 1}}\nhierarchies: [x]\n",
        'source: {path: "a\\0b{period:%Q}${"}\n',
        "source: {path: $NO_SUCH_VARIABLE/x.csv}\n",
        "source: {path: ~nobody-of-this-name/x.csv}\n",
        "source: {path: bundled:adult/adult.csv.gz}\n",
        "",
    ],
)
def test_a_file_that_names_nothing_that_is_there_has_a_state(tmp_path, text):
    file = tmp_path / "releases" / "odd.yaml"
    file.parent.mkdir()
    file.write_text(text)
    project = Project(file)
    assert project.state == Project(file).state
    file.write_text(text + "# other\n")
    assert Project(file).state != ""


def test_projects_that_are_opened_at_once_are_all_listed(tmp_path, monkeypatch):
    shelf, noted = Shelf(tmp_path / "home"), Shelf._noted
    files = [tmp_path / f"{n}.yaml" for n in range(6)]
    for file in files:
        file.write_text("source: {path: x.csv}\n")
    shelf.add(Project(files[5]))

    def slowly(self):
        found = noted(self)
        time.sleep(0.05)
        return found

    monkeypatch.setattr(Shelf, "_noted", slowly)
    work = [lambda f=file: Shelf(shelf.home).add(Project(f)) for file in files[:5]]
    work.append(lambda: Shelf(shelf.home).remove(Project(files[5])))
    threads = [threading.Thread(target=one) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {one.file for one in shelf.projects()} == set(files[:5])
