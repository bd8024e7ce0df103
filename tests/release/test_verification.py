"""What can be verified of a published version: files, signature, rows of classes."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anon_transformers.cli._app import app
from anon_transformers.exceptions import ConfigurationError
from anon_transformers.release import run_release, verify_published
from anon_transformers.release._verification import signature_of


def validate(*arguments):
    return CliRunner().invoke(app, ["validate", *map(str, arguments)])


@pytest.fixture
def published(release):
    """A version that loses its report, which ``loss`` was judged by."""
    run_release(release.file)
    return release


def test_a_version_is_what_was_published(published):
    found = verify_published(published.target, published.work)
    assert found.faults == ()
    assert (found.n_files, found.signature) == (3, "holds")
    assert verify_published(published.target).signature == "not checked"


@pytest.mark.parametrize("name", ["data.csv", "validation.json", "validation.html"])
def test_a_changed_file_is_found(published, name):
    file = published.target / "current" / name
    file.write_bytes(file.read_bytes() + b" ")
    assert verify_published(published.target).changed_files == (name,)
    judged = validate(published.target)
    assert judged.exit_code != 0
    file.unlink()
    assert verify_published(published.target).changed_files == (name,)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", "other"),
        ("promised", {"file": [], "in_force": []}),
        ("signature", "0" * 64),
        ("signature", "schlüssel"),
    ],
)
def test_a_changed_manifest_breaks_its_signature(published, key, value):
    file = published.target / "current/manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), key: value}))
    found = verify_published(published.target, published.work)
    assert found.signature == "broken"
    assert "not what the release wrote" in found.faults[0]


def test_a_manifest_without_signature_is_none_of_ours(published):
    file = published.target / "current/manifest.json"
    content = json.loads(file.read_text())
    del content["signature"]
    file.write_text(json.dumps(content))
    assert verify_published(published.target, published.work).signature == "missing"
    judged = validate(published.target, "--workspace", published.work)
    assert judged.exit_code == 1
    assert "failed" in judged.output.splitlines()[0]


def test_the_key_is_private_and_stays(published):
    key = published.home / "signing.key"
    assert key.stat().st_mode & 0o777 == 0o600
    before = key.read_bytes()
    run_release(published.file)
    assert key.read_bytes() == before
    assert verify_published(published.target, published.work).faults == ()


def test_another_key_makes_another_signature(published):
    manifest = published.manifest()
    key = (published.home / "signing.key").read_bytes()
    assert signature_of(manifest, key) == manifest["signature"]
    assert signature_of(manifest, bytes(32)) != manifest["signature"]


def test_a_workspace_of_others_knows_no_key(published, tmp_path):
    with pytest.raises(ConfigurationError, match=r"has no signing\.key of the release"):
        verify_published(published.target, tmp_path)
    with pytest.raises(ConfigurationError, match="holds no published release"):
        verify_published(tmp_path / "none")


@pytest.mark.parametrize("how", ["absolute", "relative"])
def test_a_manifest_does_not_choose_its_key(published, tmp_path, how):
    """Who writes a manifest could name a folder with a key of their own."""
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "signing.key").write_bytes(b"x" * 32)
    file = published.target / "current/manifest.json"
    name = str(evil) if how == "absolute" else "../evil"
    content = {**json.loads(file.read_text()), "release": name}
    content["signature"] = signature_of(content, b"x" * 32)
    file.write_text(json.dumps(content))
    with pytest.raises(ConfigurationError, match=r"has no signing\.key"):
        verify_published(published.target, published.work)
    assert validate(published.target, "--workspace", published.work).exit_code != 0


def test_what_nobody_signed_is_not_called_verified(published):
    """A forged subject, and levels taken out, leave nothing to judge."""
    file = published.target / "current/manifest.json"
    content = json.loads(file.read_text())
    content["roles"]["subject"] = "person"
    for check in content["measured"]["checks"]:
        check.pop("observed", None)
    file.write_text(json.dumps(content))
    judged = validate(published.target, "--json")
    found = json.loads(judged.stdout)["release"]
    assert found["signature"] == "not checked"
    assert found["verified"] is False
    assert len(found["not_judged_again"]) == 3
    told = " ".join(validate(published.target).output.split())
    assert "verified" not in told
    assert "agrees with its manifest; 3 of 3 thresholds held at release" in told
    assert "anybody may have written it" in told
    signed = validate(published.target, "--workspace", published.work)
    assert signed.exit_code == 1


def test_what_was_judged_in_private_is_said_and_no_failure(published):
    judged = validate(published.target, "--workspace", published.work, "--json")
    assert judged.exit_code == 0
    found = json.loads(judged.stdout)
    assert found["passed"] is True  # as the exit code says
    assert {c["id"]: c["passed"] for c in found["checks"]} == {
        "k-anonymity": True,
        "average-risk": True,
        "loss": None,  # not judged again
    }
    assert found["reasons"] == []
    notes = found["release"]["notes"]
    assert any(note.startswith("At release, loss held") for note in notes)
    assert found["release"]["verified"] is True
    assert found["release"]["not_judged_again"] == ["loss"]
    assert found["release"]["signature"] == "holds"
    for further in (["--strict"], ["-t", "loss,max=0.9"]):
        judged = validate(published.target, *further, "--json")
        assert judged.exit_code == 1
        assert json.loads(judged.stdout)["passed"] is False
        assert json.loads(judged.stdout)["reasons"]


def test_json_says_what_the_exit_code_says(published):
    """Whatever is wrong, and where nothing is."""
    version = published.target / "current"

    def agrees(*arguments):
        judged = validate(published.target, *arguments, "--json")
        found = json.loads(judged.stdout)
        assert found["passed"] is (judged.exit_code == 0)
        assert bool(found["reasons"]) is not found["passed"]
        return found["passed"]

    assert agrees()
    assert agrees("--workspace", published.work)
    assert agrees("--k", "2")
    assert not agrees("--k", "39")
    assert not agrees("--strict")
    (version / "more.csv").write_text("x")
    assert not agrees()
    (version / "more.csv").unlink()
    with (version / "validation.html").open("a") as page:
        page.write(" ")
    assert not agrees()


def test_what_was_public_must_be_judged_again(published, monkeypatch):
    """A threshold whose level the manifest shows is no secret that could be gone."""
    from anon_transformers.gx import gate

    def broken(*_):
        raise RuntimeError

    monkeypatch.setattr(gate, "_evaluate", broken)
    judged = validate(published.target)
    assert judged.exit_code == 1
    assert "failed" in judged.output.splitlines()[0]


def test_fewer_rows_than_persons_were_promised(release):
    rows = release.source.read_text().splitlines()
    release.write(
        roles={**release.content["roles"], "identifiers": [], "subject": "name"},
        thresholds=[{"model": "k-anonymity", "k": 3}],
    )
    assert len(rows) == 41
    run_release(release.file)
    judged = validate(release.target)
    assert judged.exit_code == 0
    assert (
        "agrees with its manifest; 1 of 1 thresholds held at release" in judged.output
    )
    file = release.target / "current/manifest.json"
    content = json.loads(file.read_text())
    content["promised"]["in_force"] = [{"model": "k-anonymity", "k": 30}]
    file.write_text(json.dumps(content))
    judged = validate(release.target)
    assert judged.exit_code == 1
    assert "and so fewer than 30 persons" in " ".join(judged.output.split())


def test_a_copy_elsewhere_can_be_verified(published, tmp_path):
    copy = tmp_path / "download"
    shutil.copytree(published.target / "current", copy)
    assert verify_published(copy, published.work).faults == ()


def put_over(old, new):
    """Write the files of one version over those of another."""
    for file in old.iterdir():
        shutil.copy(file, new / file.name)


def test_an_old_version_over_a_newer_one_is_found(release):
    release.write(target={"path": "out", "keep_versions": 1})
    old, new = Path(run_release(release.file)), Path(run_release(release.file))
    put_over(old, new)
    found = verify_published(release.target, release.work)
    assert (found.changed_files, found.signature) == ((), "holds")
    assert found.stated_place == f"versions/{old.name}"
    (fault,) = found.faults
    assert "another version, or another period, was put here" in fault
    assert verify_published(old, release.work).faults == ()
    judged = validate(release.target, "--json")
    assert judged.exit_code == 1
    shown = json.loads(judged.stdout)
    assert (shown["passed"], shown["release"]["verified"]) == (False, False)


def test_a_version_of_another_period_is_found(release):
    release.write(target={"path": "out/{period:%Y-%m}"})
    october = Path(run_release(release.file, period="2026-10"))
    november = Path(run_release(release.file, period="2026-11"))
    assert verify_published(release.target, release.work).faults == ()
    assert verify_published(release.target / "2026-10", release.work).faults == ()
    moved = november.parent / october.name
    shutil.move(october, moved)
    found = verify_published(moved, release.work)
    assert found.stated_place == f"2026-10/versions/{october.name}"
    assert len(found.faults) == 1


def lead(link, to):
    """Make a link lead elsewhere, or be a folder with the files of a version."""
    link.unlink()
    if isinstance(to, Path):
        link.symlink_to(to)
    else:
        to(link)


@pytest.mark.parametrize("how", ["other period", "copy elsewhere", "copy", "no link"])
def test_a_current_that_leads_elsewhere_is_found(release, tmp_path, how):
    release.write(target={"path": "out/{period:%Y-%m}"})
    september = Path(run_release(release.file, period="2026-09"))
    run_release(release.file, period="2026-10")
    folder = release.target / "2026-10"
    assert verify_published(folder, release.work).faults == ()
    alike = tmp_path / "2026-09" / "versions" / september.name
    below = folder / "deeper" / "2026-09" / "versions" / september.name
    for copy in (alike, below):
        shutil.copytree(september, copy)
    ways = {
        "other period": september,
        "copy elsewhere": alike,
        "copy": below,
        "no link": lambda link: shutil.copytree(september, link),
    }
    lead(folder / "current", ways[how])
    found = verify_published(folder, release.work)
    assert (found.changed_files, found.signature) == ((), "holds")
    assert found.stated_place == f"2026-09/versions/{september.name}"
    assert len(found.faults) == 1
    assert validate(folder).exit_code == 1


def test_a_current_that_leads_to_an_older_version_is_said(release):
    release.write(target={"path": "out/{period:%Y-%m}", "keep_versions": 1})
    old = Path(run_release(release.file, period="2026-10"))
    new = Path(run_release(release.file, period="2026-10"))
    later = Path(run_release(release.file, period="2026-11"))
    folder = release.target / "2026-10"
    assert verify_published(folder, release.work).newer_version is None
    lead(folder / "current", old)
    found = verify_published(folder, release.work)
    assert (found.faults, found.newer_version) == ((), new.name)
    judged = validate(folder, "--workspace", str(release.work))
    assert judged.exit_code == 0
    assert f"A newer version was published: {new.name}." in judged.output
    assert f"version {old.name} of period 2026-10." in judged.output
    lead(release.target / "current", Path("2026-10/current"))
    found = verify_published(release.target, release.work)
    assert found.newer_version == later.name


def test_a_removed_version_that_is_back_is_found(release, tmp_path):
    old = Path(run_release(release.file))
    shutil.copytree(old, tmp_path / "kept")
    run_release(release.file)
    assert not old.exists()
    assert verify_published(tmp_path / "kept", release.work).faults == ()
    shutil.copytree(tmp_path / "kept", old)
    (fault,) = verify_published(old, release.work).faults
    assert "the release removed this version" in fault
    assert verify_published(old).faults == ()  # nobody knows it without the journal


@pytest.mark.parametrize("name", ["names.csv", ".hidden", "folder"])
def test_a_file_beside_what_was_published_is_found(published, name):
    place = published.target / "current" / name
    place.mkdir() if name == "folder" else place.write_text("x")
    found = verify_published(published.target)
    assert found.extra_files == (name,)
    assert found.faults == (f"{name}: beside what was published",)
    assert validate(published.target).exit_code == 1


def test_a_relative_path_is_verified_like_another(published, monkeypatch):
    monkeypatch.chdir(published.target / "current")
    assert verify_published(".", published.work).faults == ()


def test_a_retired_key_still_counts_and_a_removed_one_does_not(release):
    release.write(target={"path": "out", "keep_versions": 1})
    old = Path(run_release(release.file))
    key, retired = release.home / "signing.key", release.home / "signing-2026.key"
    key.rename(retired)
    assert verify_published(old, release.work).signature == "holds"
    new = Path(run_release(release.file))  # draws another key
    assert key.read_bytes() != retired.read_bytes()
    found = verify_published(old, release.work)
    assert (found.signature, found.signing_key) == ("holds", "signing-2026.key")
    found = verify_published(new, release.work)
    assert (found.signature, found.signing_key) == ("holds", "signing.key")
    retired.unlink()
    assert verify_published(old, release.work).signature == "broken"
    assert verify_published(new, release.work).faults == ()
