"""Others on the same machine, and what is left of a table when its project is gone."""

import stat
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.studio import _server
from anon_transformers.studio._hierarchies import numbers_in
from anon_transformers.studio._jobs import Job
from anon_transformers.studio._project import Project

RELEASE = """\
source: {path: t.csv}
roles: {quasi_identifiers: [age]}
anonymizer: {name: mondrian}
thresholds: [{model: k-anonymity, k: 2}]
target: {path: published}
"""


@pytest.fixture
def shared(tmp_path) -> Project:
    """A release file in a folder that others may write to."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "x.yaml").write_text(RELEASE)
    return Project(folder / "x.yaml")


# Where copies of a table lie.


def test_a_link_in_place_of_the_private_folder_is_refused(shared, tmp_path):
    elsewhere = tmp_path / "of-others"
    elsewhere.mkdir()
    (shared.folder / ".studio").symlink_to(elsewhere)
    with pytest.raises(DataError, match="is a link, or another person's"):
        shared.results_folder("profile")
    with pytest.raises(DataError, match="is a link, or another person's"):
        shared.edit("k", lambda content: content.update(thresholds=[]))
    assert not list(elsewhere.iterdir())


def test_a_folder_that_others_may_enter_is_closed(shared):
    (shared.folder / ".studio").mkdir()
    (shared.folder / ".studio").chmod(0o777)
    shared.results_folder("profile")
    assert stat.S_IMODE((shared.folder / ".studio").stat().st_mode) == 0o700


# What is left of a table.


def test_no_job_goes_on_when_its_project_is_removed(studio, monkeypatch):
    project, worker = studio.upload(), studio.studio.worker
    monkeypatch.setattr(worker, "_start", lambda: None)
    job = Job("profile", "Reading", project, {}, "nowhere:nothing", "/")
    worker._jobs[job.id] = job
    worker._queue.append(job)
    studio.post("/projects/remove", {"project": project.id})
    assert job.state == "cancelled"
    assert not project.folder.exists()


def test_a_project_that_cannot_be_removed_stays_in_the_list(studio, monkeypatch):
    project = studio.upload()

    def fail(*given, **options):
        if not options.get("ignore_errors"):
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("shutil.rmtree", fail)
    shown = studio.post("/projects/remove", {"project": project.id})
    assert "Permission denied" in studio.text(shown)
    assert "was removed" not in studio.text(shown)
    assert [one.id for one in studio.studio.shelf.projects()] == [project.id]


def test_an_upload_that_breaks_off_leaves_nothing(studio, monkeypatch):
    def full(source, target, *rest):
        target.write(b"id,age\n1,3")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    sent = {"file": ("people.csv", studio.people.encode())}
    shown = studio.post("/projects/upload", files=sent)
    assert "No space left" in studio.text(shown)
    assert not [one for one in studio.home.iterdir() if one.is_dir()]


# The token.


def test_the_token_is_no_argument_of_the_browser(tmp_path, monkeypatch):
    opened: list[str] = []
    seen: dict[str, object] = {}

    class NoServer:
        def __init__(self, config):
            self.config = config

        def run(self, sockets):
            door = Path(urlsplit(opened[0]).path)
            seen["mode"] = stat.S_IMODE(door.stat().st_mode)
            seen["text"] = door.read_text()

    monkeypatch.setattr("uvicorn.Server", NoServer)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    said: list[str] = []
    _server.serve(home=tmp_path / "home", announce=said.append)
    token = said[0].partition("token=")[2]
    assert len(token) > 40
    assert opened[0].startswith("file://")
    assert token not in opened[0]
    assert seen["mode"] == 0o600
    assert said[0] in str(seen["text"])
    assert not list((tmp_path / "home").glob("*.html"))


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_ours_goes_on_where_the_cookie_would_not(studio, site):
    """A strict cookie does not come along when another site's link is redirected."""
    studio.client.cookies.clear()
    answer = studio.get(
        f"/?token={studio.token}",
        headers={"sec-fetch-site": site},
        follow_redirects=False,
    )
    assert answer.status_code == 200
    assert 'content="0; url=/"' in answer.text
    assert "samesite=strict" in answer.headers["set-cookie"].lower()
    assert studio.token not in answer.text


@pytest.mark.parametrize("site", ["none", "cross-site"])
def test_the_token_leads_to_no_other_host(studio, site):
    address = urlunsplit(
        ("http", urlsplit(studio.base).netloc, "//example.org/<b>", "", "")
    )
    answer = studio.get(
        f"{address}?token={studio.token}",
        headers={"sec-fetch-site": site},
        follow_redirects=False,
    )
    to = answer.headers.get("location", "") + answer.text
    assert "//example.org" not in to
    assert "<b>" not in to


# Numbers and texts that would keep the process busy.


@pytest.mark.parametrize("given", ["1e5000", "1e-320", "5, -1e400"])
def test_a_number_of_a_million_digits_is_refused(given):
    with pytest.raises(ParameterError, match="digits before and after the point"):
        numbers_in(given)


def test_aliases_of_aliases_are_no_parameters_of_a_builder(studio):
    project = studio.project({"roles": {"quasi_identifiers": ["age"]}})
    studio.get(f"/p/{project.id}/data/")
    names = "abcdefg"
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for name, below in zip(names[1:], names, strict=False):
        lines.append(f"{name}: &{name} [{', '.join([f'*{below}'] * 10)}]")
    shown = studio.post(
        f"/p/{project.id}/hierarchies/builder",
        {"column": "age", "kind": "masking", "options": "\n".join(lines)},
    )
    assert "aliases written out" in studio.text(shown)
    assert "hierarchies" not in project.content


# Spreadsheets.


def test_a_comparison_holds_no_formula(studio):
    project = studio.project({"roles": {"quasi_identifiers": ["age"]}})
    numbers = dict.fromkeys(
        ("classes", "smallest", "suppressed_rows", "loss", "average_risk",
         "highest_risk", "seconds")
    )  # fmt: skip
    run = {"method": "mondrian", "k": 2, **numbers, "parameters": {}, "broken": []}
    run["error"] = "=HYPERLINK(1)"
    found = {"rows": 8, "runs": [run], "refused": {}}
    project.keep_result("compare", project.state, {"methods": ["mondrian"]}, found)
    told = studio.get(f"/p/{project.id}/compare/comparison.csv").text
    assert ",'=HYPERLINK(1)" in told
