"""Release: its files, a run, its report and its history."""

import json
import re
import stat
from pathlib import Path

import pytest

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.release import check_release, run_release
from anon_transformers.studio import _runs, _written

ROLES = {
    "roles": {
        "quasi_identifiers": ["age", "sex", "town"],
        "sensitive": ["disease"],
        "identifiers": ["id"],
    },
    "anonymizer": {
        "name": "mondrian",
        "step": {"age": 5},
        "domain": {"sex": ["f", "m"], "town": ["Bonn", "Ulm"]},
    },
}


@pytest.fixture
def project(studio):
    return studio.project(ROLES)


def page_of(project):
    return f"/p/{project.id}/release/"


def post(studio, project, what, **form):
    here = page_of(project)
    return studio.post(f"{here}{what}", form, came_from=here)


def test_a_run_is_published_and_its_report_shows_itself(studio, project):
    page = post(studio, project, "run")
    assert page.url.path == page_of(project)
    studio.check_accessible(page)
    published = project.folder / "published" / "people" / "current"
    assert list(published.glob("*.csv"))
    shown = studio.text(page)
    assert "Validation report" in shown
    assert "people: published" in shown
    run = project.result("release").found["run"]
    report = studio.get(f"{page_of(project)}report/{run}")
    assert report.status_code == 200
    assert "<style>" in report.text
    policy = report.headers["content-security-policy"]
    assert "sandbox" in policy.split("; ")
    assert "script-src" not in policy
    assert "default-src 'none'" in policy
    # Every other page keeps the policy of all.
    assert "script-src 'self'" in page.headers["content-security-policy"]


def test_a_report_of_no_run_is_not_looked_for(studio, project):
    for name in ("nobody", "..%2F..%2F..%2Fdata%2Fpeople.csv", "%2E%2E"):
        for kind in ("report", "private"):
            assert studio.get(f"{page_of(project)}{kind}/{name}").status_code == 404


WITHOUT_SECRET = "every later release of this source will be refused"


def count_persons(project):
    project.edit(
        "persons", lambda c: c["roles"].update(identifiers=[], subject="id")
    )  # fmt: skip


def test_what_a_run_without_the_secret_spoils_is_said_before_and_after_it(
    studio, project, monkeypatch
):
    monkeypatch.delenv("ANON_LEDGER_KEY", raising=False)
    assert WITHOUT_SECRET not in studio.text(studio.get(page_of(project)))
    count_persons(project)
    page = studio.get(page_of(project))
    studio.check_accessible(page)
    assert WITHOUT_SECRET in studio.text(page)
    shown = studio.text(post(studio, project, "run"))
    assert "people: published" in shown
    assert "A further release of this source will be refused" in shown
    shown = studio.text(post(studio, project, "run"))
    assert "was quarantined" in shown
    assert "the environment has no ANON_LEDGER_KEY" in shown


def test_who_set_the_secret_or_accepts_is_not_warned(studio, project, monkeypatch):
    monkeypatch.delenv("ANON_LEDGER_KEY", raising=False)
    count_persons(project)
    accepted = {"accept_unjudged": "nobody is in two of them"}
    project.edit("accepted", lambda c: c.update(composition=accepted))
    assert WITHOUT_SECRET not in studio.text(studio.get(page_of(project)))
    project.edit("judged", lambda c: c.pop("composition"))
    assert WITHOUT_SECRET in studio.text(studio.get(page_of(project)))
    monkeypatch.setenv("ANON_LEDGER_KEY", "5" * 64)
    assert WITHOUT_SECRET not in studio.text(studio.get(page_of(project)))


def test_a_sensitive_column_that_nothing_judges_is_named(studio, project):
    shown = studio.text(post(studio, project, "run"))
    said = "No threshold judges these sensitive columns: disease."
    assert said in shown
    found = dict(project.result("release").found)
    # As a Studio that did not know of it yet kept the result of its run.
    del found["to_know"]
    project.keep_result("release", project.state, {}, found)
    shown = studio.text(studio.get(page_of(project)))
    assert "Published:" in shown and said not in shown


def test_where_persons_count_the_page_says_why_and_shows_the_private_report(
    studio, project
):
    count_persons(project)
    page = post(studio, project, "run")
    studio.check_accessible(page)
    shown = studio.text(page)
    reason = "verdict only: the number counts persons, who are not published"
    assert f"held; {reason}" in shown
    assert "no class has more persons than rows" in shown
    run = project.result("release").found["run"]
    address = f"{page_of(project)}private/{run}"
    # Of the job, of the current version and in the list of runs.
    assert page.text.count(f'href="{address}"') == 3
    report = studio.get(address)
    assert report.status_code == 200
    assert "Not to be published" in report.text
    assert "Persons are counted." in report.text
    assert "Risk before and after" in report.text
    public = studio.get(f"{page_of(project)}report/{run}")
    policy = "content-security-policy"
    assert report.headers[policy] == public.headers[policy]
    (file,) = project.folder.rglob(f"reports/{run}.html")
    hidden = file.rename(file.with_name("elsewhere"))
    file.symlink_to(hidden)
    assert studio.get(address).status_code == 404
    assert "/private/" not in studio.get(page_of(project)).text


def test_a_refused_run_says_why_and_stays_in_the_history(studio, project):
    project.edit("harder", lambda c: c["thresholds"].append(
        {"metric": "loss", "max": 0.0001}
    ))  # fmt: skip
    page = post(studio, project, "run")
    shown = studio.text(page)
    assert "loss" in shown
    assert "quarantined" in shown
    assert not (project.folder / "published" / "people" / "current").exists()
    assert "was quarantined" in shown
    report = [line for line in page.text.splitlines() if "/report/" in line]
    assert len(report) == 2  # where it is told why, and in the list of runs
    (private,) = set(re.findall(r'href="([^"]*/private/[^"]*)"', page.text))
    assert "Risk before and after" in studio.get(private).text


def test_a_refused_run_is_understood_and_acknowledged_without_a_shell(studio, project):
    project.edit("harder", lambda c: c["thresholds"].append(
        {"metric": "loss", "max": 0.0001}
    ))  # fmt: skip
    page = post(studio, project, "run")
    studio.check_accessible(page)
    shown = studio.text(page)
    assert "anon abandon" not in shown
    assert "Nothing was published" in shown
    (line,) = {
        one for one in re.findall(r"<li>([^<]*)</li>", page.text) if "0.0001" in one
    }
    assert line.startswith("loss")
    assert f'action="/p/{project.id}/protect/suggest"' in page.text
    (run,) = re.findall(r'name="run" value="([^"]+)"', page.text)
    assert post(studio, project, "acknowledge", run="nobody").status_code == 200
    assert "Nothing was published" in studio.text(studio.get(page_of(project)))
    after = post(studio, project, "acknowledge", run=run)
    shown = studio.text(after)
    assert "Nothing was published" not in shown
    assert "acknowledged" in shown
    assert "quarantined" in shown  # in the list of runs it stays what it was
    assert "/acknowledge" not in after.text


def test_a_run_without_a_candidate_says_why_as_long_as_it_is_news(studio, project):
    """Refused before there was a table: there is no verdict that a page could show."""
    project.edit("impossible", lambda c: c["thresholds"][0].update(k=99))
    for page in (post(studio, project, "run"), studio.get(page_of(project))):
        assert page.status_code == 200
        shown = studio.text(page)
        assert "Nothing was published" in shown
        assert shown.count("k=99 needs at least as many rows") == 1
        studio.check_accessible(page)
    (run,) = re.findall(r'name="run" value="([^"]+)"', page.text)
    after = post(studio, project, "acknowledge", run=run)
    assert "Nothing was published" not in studio.text(after)


def test_what_was_published_later_is_no_news(studio, project):
    project.edit("harder", lambda c: c["thresholds"].append(
        {"metric": "loss", "max": 0.0001}
    ))  # fmt: skip
    assert "/acknowledge" in post(studio, project, "run").text
    project.edit("as it was", lambda c: c["thresholds"].pop())
    assert "/acknowledge" not in post(studio, project, "run").text


def test_runs_of_one_second_stand_as_they_were_begun(project, monkeypatch):
    at = {"at": "2026-10-01T00:00:00+00:00"}
    story = {
        Path("work/people/b"): [{"event": "quarantined", **at}],
        Path("work/people/a"): [{"event": "published", **at}],
    }
    monkeypatch.setattr(_runs, "past_runs", lambda config: story)
    found = _runs.runs_of(project)
    assert [run.run for run in found] == ["a", "b"]
    assert _runs.refused_of(found) == []


def test_text_that_is_no_release_is_refused_and_kept_on_the_page(studio, project):
    before = project.text
    for text, words in (
        ("source: [", "YAML"),
        (before.replace("thresholds", "treshholds"), "thresholds"),
        (f"{studio.hostile}: 1", "source"),
    ):
        page = post(studio, project, "yaml", text=text.replace("\n", "\r\n"))
        # Not 422, of which a browser complains in its console.
        assert page.status_code == 200
        assert "It was not saved" in page.text
        assert words in studio.text(page)
        assert "<script>alert" not in page.text
        assert project.text == before
        studio.check_accessible(page)


def test_text_that_is_a_release_is_saved_checked_and_undone(studio, project):
    before = project.text
    page = post(studio, project, "yaml", text=before.replace("k: 2", "k: 3"))
    assert project.content["thresholds"][0]["k"] == 3
    assert "In order" in studio.text(page)
    studio.post(f"/p/{project.id}/undo", came_from=page_of(project))
    assert project.text == before
    # What was checked was another text.
    assert "In order" not in studio.text(studio.get(page_of(project)))


def test_a_parameter_that_only_a_check_finds(studio, project):
    text = project.text.replace("name: mondrian", "name: mondrian\n  tie_side: up")
    page = post(studio, project, "yaml", text=text)
    assert "A run would refuse it" in page.text
    assert "tie_side" in studio.text(page)


def test_the_bundled_table_stays_where_it_is(studio, tmp_path):
    adult = studio.adult()
    page = studio.get(page_of(adult))
    assert "an uploaded table is removed" not in page.text
    written = _written.write_project(adult, tmp_path / "mine", copy_source=True)
    assert [path.parent.name for path in written] == [
        "releases",
        "expectations",
        "dags",
    ]
    check_release(written[0], source=True)


def test_the_three_files(studio, project):
    here = page_of(project)
    release = studio.get(f"{here}files/release")
    assert release.text == project.text
    assert (
        release.headers["content-disposition"] == 'attachment; filename="people.yaml"'
    )
    suite = json.loads(studio.get(f"{here}files/suite").text)
    assert [e["kwargs"]["k"] for e in suite["expectations"]] == [
        {"$PARAMETER": "k_anonymity_k"}
    ]
    dag = studio.get(f"{here}files/dag").text
    compile(dag, "releases.py", "exec")
    assert "release_dags" in dag
    assert studio.get(f"{here}files/passwords").status_code == 404


def test_files_of_no_release_are_not_offered(studio, project):
    project.edit("nothing", lambda c: c.update(thresholds=[]))
    page = studio.get(page_of(project))
    assert page.status_code == 200
    assert "/files/suite" not in page.text
    assert studio.get(f"{page_of(project)}files/suite").status_code == 422


def with_hierarchy(project):
    table = project.folder / "town.csv"
    table.write_text("Ulm;South;*\nBonn;West;*\n")
    project.edit("town", lambda c: c.update(hierarchies={"town": "../town.csv"}))
    project.edit("domain", lambda c: c["anonymizer"]["domain"].pop("town"))


@pytest.mark.parametrize("copied", [True, False])
def test_a_written_folder_is_a_project_that_runs(studio, project, tmp_path, copied):
    with_hierarchy(project)
    folder = tmp_path / "a {folder} of $mine"
    form = {"folder": str(folder), **({"copy": "true"} if copied else {})}
    page = post(studio, project, "write", **form)
    assert "Next: anon release" in studio.text(page)
    file = folder / "releases" / "people.yaml"
    assert (folder / "hierarchies" / "people" / "town.csv").is_file()
    assert (folder / "dags" / "releases.py").is_file()
    data = folder / "data" / "people.csv"
    assert data.exists() == copied
    if copied:
        assert stat.S_IMODE(data.stat().st_mode) == 0o600
        assert stat.S_IMODE(data.parent.stat().st_mode) == 0o700
        studio.studio.shelf.remove(project)
    check_release(file, source=True)
    version = run_release(file)
    assert version.startswith(str(folder / "published" / "people"))


def test_nothing_is_overwritten(studio, project, tmp_path):
    folder = tmp_path / "mine"
    post(studio, project, "write", folder=str(folder))
    (folder / "releases" / "people.yaml").write_text("mine")
    (folder / "expectations" / "people.json").unlink()
    page = post(studio, project, "write", folder=str(folder))
    shown = studio.text(page)
    assert "releases/people.yaml is there already" in shown
    assert "dags/releases.py" not in shown.partition("is there already")[0]
    assert (folder / "releases" / "people.yaml").read_text() == "mine"
    assert not (folder / "expectations" / "people.json").exists()


def test_two_releases_share_a_dag_file(studio, project, tmp_path):
    other = studio.project(ROLES, name="others")
    folder = tmp_path / "mine"
    _written.write_project(project, folder, copy_source=False)
    _written.write_project(other, folder, copy_source=False)
    assert sorted(path.name for path in (folder / "releases").iterdir()) == [
        "others.yaml",
        "people.yaml",
    ]


@pytest.mark.parametrize("given", ["", "relative/folder"])
def test_a_folder_is_named_by_its_whole_path(studio, project, given):
    page = post(studio, project, "write", folder=given)
    assert "whole path" in studio.text(page)


def test_a_pattern_is_not_copied(studio, project, tmp_path):
    project.edit("all", lambda c: c.update(source={"path": "../data/*.csv"}))
    with pytest.raises(ConfigurationError, match=r"source\.path: a path with a period"):
        _written.write_project(project, tmp_path / "mine", copy_source=True)
    assert not (tmp_path / "mine").exists()
    written = _written.write_project(project, tmp_path / "mine", copy_source=False)
    check_release(written[0], source=True)


def test_a_suite_of_its_own_goes_along_until_it_is_made_anew(studio, project, tmp_path):
    own = json.dumps(json.loads(_written.suite_text(project)), indent=5)
    (project.folder / "own.json").write_text(own)
    project.edit("suite", lambda c: c.update(suite="../own.json"))
    assert studio.get(f"{page_of(project)}files/suite").text == own
    written = _written.write_project(project, tmp_path / "mine", copy_source=False)
    assert written[1].read_text() == own
    post(studio, project, "suite")
    assert "suite" not in project.content


def test_a_release_with_periods_asks_for_one(studio, project):
    project.edit("periods", lambda c: c.update(
        target={**c["target"], "path": "../published/people/{period:%Y-%m}"},
        composition={"accept_unjudged": "made-up rows that describe nobody"},
    ))  # fmt: skip
    page = studio.get(page_of(project))
    studio.check_accessible(page)
    assert "Period" in studio.text(page)
    page = post(studio, project, "run")
    assert "choose one at the top of the page" in studio.text(page)
    studio.post(f"/p/{project.id}/period", {"period": "2026-10"}, page_of(project))
    page = post(studio, project, "run")
    shown = studio.text(page)
    assert "people: published" in shown
    assert "2026-10" in shown
    page = studio.post(f"/p/{project.id}/period", {"period": "<b>"}, page_of(project))
    assert "<b>" not in page.text
    assert project.period == "2026-10"


@pytest.mark.slow
def test_a_run_in_the_worker(real_studio):
    project = real_studio.project(ROLES)
    page = post(real_studio, project, "run")
    assert "/jobs/" in page.url.path
    job = real_studio.wait(project, "release")
    assert (job.state, job.reason, job.at) == ("done", "", "published")


# The published table.


def test_the_published_table_of_a_run_is_downloaded(studio, project):
    page = studio.get(page_of(project))
    assert str(project.folder / "published" / "people") in studio.text(page)
    assert "Published table" not in page.text
    page = post(studio, project, "run")
    studio.check_accessible(page)
    run = project.result("release").found["run"]
    (link,) = re.findall(r'href="([^"]*/table/[^"]*)"', page.text)
    answer = studio.get(link)
    (file,) = (project.folder / "published" / "people" / "current").glob("*.csv")
    assert answer.content == file.read_bytes()
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    for other in ("manifest.json", "validation.html", "..%2Fmanifest.json", "x.csv"):
        assert studio.get(f"{page_of(project)}table/{run}/{other}").status_code == 404
    assert studio.get(link.replace(run, "nobody")).status_code == 404
    # A link in its place leads nowhere.
    secret = project.folder / "secret.csv"
    file.replace(secret)
    file.symlink_to(secret)
    assert studio.get(link).status_code == 404
    assert "/table/" not in studio.get(page_of(project)).text


def test_a_manifest_that_names_another_file_gives_nothing(studio, project):
    post(studio, project, "run")
    run = project.result("release").found["run"]
    manifest = project.folder / "published" / "people" / "current" / "manifest.json"
    (project.folder / "published" / "people" / "versions" / "x.csv").write_text("s")
    for name in ("../x.csv", str(project.file), 7, None):
        noted = json.loads(manifest.read_text()) | {"data": name}
        manifest.chmod(0o600)
        manifest.write_text(json.dumps(noted))
        wanted = str(name).rsplit("/", 1)[-1]
        answer = studio.get(f"{page_of(project)}table/{run}/{wanted}")
        assert answer.status_code == 404
        assert studio.get(page_of(project)).status_code == 200


def test_a_quarantined_table_is_not_given(studio, project):
    project.edit("harder", lambda c: c["thresholds"].append(
        {"metric": "loss", "max": 0.0001}
    ))  # fmt: skip
    assert "/table/" not in post(studio, project, "run").text
