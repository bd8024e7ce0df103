"""Load, anonymize, validate, publish: what each leaves behind, and takes away."""

import json
import stat
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.evidence import Classes
from anon_transformers.exceptions import DataError, GateError, ReleaseError
from anon_transformers.release import (
    abandon,
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)

pytestmark = pytest.mark.gx
STEPS = (anonymize, validate, publish)
UNREACHABLE = [{"model": "k-anonymity", "k": 3}, {"metric": "loss", "max": 0.0001}]


def snapshot(folder):
    """Every file below a folder with its bytes; links by where they point."""
    return {
        str(path.relative_to(folder)): (
            path.readlink() if path.is_symlink() else path.read_bytes()
        )
        for path in sorted(Path(folder).rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def mode(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


def data_of(location):
    return Path(location) / "candidate" / "data.csv"


# ---------------------------------------------------------------- the four steps


def test_the_steps_hand_on_locations(release):
    run = load(release.file, "first")
    assert Path(run).parent == release.home / "runs"
    assert anonymize(run) == run
    assert validate(run) == run
    version = publish(run)
    assert Path(version).parent == release.target / "versions"
    assert all(isinstance(location, str) for location in (run, version))
    assert (release.target / "current").resolve() == Path(version)
    files = {"data.csv", "manifest.json", "validation.json", "validation.html"}
    assert {path.name for path in Path(version).iterdir()} == files


def test_every_step_is_told_before_it_starts(release):
    seen = []
    run_release(release.file, on_step=seen.append)
    assert seen == ["load", "anonymize", "validate", "publish"]


def test_private_folders_are_for_their_owner_only(release):
    run = Path(anonymize(load(release.file)))
    for folder in (release.home, run, run / "candidate"):
        assert mode(folder) == 0o700


def test_private_evidence_goes_with_publication(release):
    version = Path(run_release(release.file)).name
    assert release.runs() == []
    left = {path.name for path in release.home.rglob("*") if path.is_file()}
    # The private report holds numbers alone (tests/release/test_report.py).
    assert left == {".lock", "journal.jsonl", "signing.key", f"{version}.html"}


def test_the_journal_tells_the_story(release):
    run = load(release.file, "first")
    name = Path(run).name
    assert release.events_of(name) == ["loading", "loaded"]
    for step in STEPS:
        step(run)
    assert release.events_of(name) == ["loading", "loaded", "publishing", "published"]
    assert mode(release.home) == 0o700


def test_a_line_that_a_crash_cut_off_does_not_swallow_the_next(release):
    run_release(release.file)
    journal = release.home / "journal.jsonl"
    whole = journal.read_text()
    journal.write_text(whole + '{"at": "2024-01-01", "run": "x", "ev')
    published = Path(run_release(release.file)).name
    lines = journal.read_text().splitlines()
    readable = [json.loads(line) for line in lines if line.endswith("}")]
    events = [event["event"] for event in readable if event["run"] == published]
    assert events == ["loading", "loaded", "publishing", "published"]


# ---------------------------------------------------------------- what is published


def test_identifiers_are_gone_and_the_rest_is_there(release):
    run_release(release.file)
    table = read_published(release.target, labels="text")
    assert list(table.columns) == ["age", "zip", "job", "note"]
    assert len(table) == 40
    source = pd.read_csv(release.source, dtype=str)
    for column in ("job", "note"):
        assert Counter(table[column]) == Counter(source[column])
    sizes = Classes.from_frame(table, ["age", "zip"]).sizes
    assert sizes.min() >= 3


def test_rows_are_shuffled_anew_in_every_run(release):
    orders = []
    for _ in range(3):
        run_release(release.file)
        orders.append(
            list(map(tuple, read_published(release.target, labels="text").to_numpy()))
        )
    source = pd.read_csv(release.source, dtype=str)["job"].tolist()
    assert orders[0] != orders[1]
    assert orders[1] != orders[2]
    assert Counter(orders[0]) == Counter(orders[1]) == Counter(orders[2])
    assert [row[2] for row in orders[0]] != source


@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_readers_get_the_classes_that_were_judged(release, format_):
    release.write(target={"path": "out", "format": format_})
    version = Path(run_release(release.file))
    measured = release.manifest()["measured"]
    for folder in (release.target, version, release.target / "current"):
        classes = Classes.from_frame(
            read_published(folder, labels="text"), ["age", "zip"]
        )
        assert classes.n_classes == measured["classes"]["count"]
        assert int(classes.sizes.min()) == measured["checks"][0]["observed"]
    assert {f.suffix for f in version.iterdir()} == {f".{format_}", ".json", ".html"}


def test_there_is_nothing_to_read_before_the_first_publication(release):
    with pytest.raises(DataError, match="holds no published release"):
        read_published(release.target)
    validate(anonymize(load(release.file)))
    with pytest.raises(DataError, match="holds no published release"):
        read_published(release.target)


def test_current_and_previous_version_are_kept_if_the_file_says_so(release):
    release.write(target={"path": "out", "keep_versions": 1})
    versions = [Path(run_release(release.file)).name for _ in range(4)]
    assert release.versions() == sorted(versions[-2:])
    assert (release.target / "current").readlink() == Path("versions", versions[-1])


def test_what_else_lies_in_the_target_is_left_alone(release):
    for _ in range(2):
        run_release(release.file)
    strange = release.target / "versions" / "photos"
    strange.mkdir()
    (strange / "cat.jpg").write_text("meow")
    (release.target / "versions" / "notes.txt").write_text("mine")
    for _ in range(3):
        run_release(release.file)
    assert (strange / "cat.jpg").read_text() == "meow"
    assert (release.target / "versions" / "notes.txt").read_text() == "mine"
    assert len(release.versions()) == 3


# ---------------------------------------------------------------- doing it again


def test_a_retry_of_any_step_changes_nothing(release):
    run = load(release.file, "first")
    for step in (lambda _: load(release.file, "first"), anonymize, validate):
        assert step(run) == run
        before = snapshot(release.folder)
        assert step(run) == run
        assert snapshot(release.folder) == before
    version = publish(run)
    before = snapshot(release.folder)
    assert publish(run) == version
    assert snapshot(release.folder) == before


def test_the_same_name_after_publication_is_a_new_version(release):
    def through(name):
        run = load(release.file, name)
        for step in STEPS:
            result = step(run)
        return result

    release.write(target={"path": "out", "keep_versions": 1})
    first = through("scheduled__2024-01-01T00:00:00+00:00")
    kept = snapshot(first)
    second = through("scheduled__2024-01-01T00:00:00+00:00")
    assert first != second
    assert snapshot(first) == kept
    assert (release.target / "current").resolve() == Path(second)
    assert ":" not in Path(first).name


@pytest.mark.parametrize("names", [("a b", "a-b"), ("x/y", "x:y"), ("é", "ü")])
def test_different_names_never_become_one(release, names):
    found = []
    for name in names:
        found.append(load(release.file, name))
        abandon(found[-1])
    assert len({Path(run).name for run in found}) == len(names)


@pytest.mark.parametrize("name", [".hidden", "..", "../../up", "", "-x", "a" * 300])
def test_any_name_makes_a_safe_folder(release, name):
    release.write(target={"path": "out", "keep_versions": 1})
    run = Path(load(release.file, name))
    assert run.parent == release.home / "runs"
    assert not run.name.startswith(".")
    for step in STEPS:
        published = step(str(run))
    assert Path(published).is_dir()
    run_release(release.file)
    assert Path(published).is_dir()


def test_the_same_name_with_other_thresholds_starts_over(release):
    first = load(release.file, "first")
    anonymize(first)
    again = load(release.file, "first", {"k_anonymity_k": 6})
    for step in STEPS:
        step(again)
    assert release.manifest()["promised"]["in_force"][0]["k"] == 6
    assert (
        Classes.from_frame(
            read_published(release.target, labels="text"), ["age", "zip"]
        ).sizes.min()
        >= 6
    )


def test_a_newer_run_takes_the_place_of_an_unfinished_one(release):
    older = Path(anonymize(load(release.file)))
    newer = Path(load(release.file))
    assert not older.exists()
    assert release.runs() == [newer.name]
    assert release.events_of(older.name) == ["loading", "loaded", "abandoned"]
    for step in STEPS:
        with pytest.raises(ReleaseError, match="is gone"):
            step(str(older))
    for step in STEPS:
        step(str(newer))
    assert release.versions() == [newer.name]


def test_two_releases_in_one_workspace_do_not_disturb_each_other(
    release, another_release
):
    other = another_release("staff")
    first, second = load(release.file), load(other.file)
    anonymize(first)
    anonymize(second)
    run_release(other.file)
    assert Path(first).is_dir()
    publish(validate(first))
    assert len(release.versions()) == len(other.versions()) == 1
    assert release.manifest()["release"] == "people"
    assert other.manifest()["release"] == "staff"


# ---------------------------------------------------------------- tampering


def test_a_candidate_that_changed_before_it_was_judged(release):
    run = anonymize(load(release.file))
    with data_of(run).open("a") as file:
        file.write("20,007,x,y\n")
    with pytest.raises(ReleaseError, match="changed after it was made"):
        validate(run)
    assert not release.target.exists()


@pytest.mark.parametrize("also_noted", [False, True])
def test_a_candidate_that_changed_after_it_was_judged(release, also_noted):
    from anon_transformers.release._run import sha256

    run = validate(anonymize(load(release.file)))
    with data_of(run).open("a") as file:
        file.write("20,007,x,y\n")
    if also_noted:
        noted = Path(run) / "candidate" / "candidate.json"
        content = json.loads(noted.read_text())
        noted.write_text(json.dumps({**content, "sha256": sha256(data_of(run))}))
    with pytest.raises(ReleaseError, match=r"changed after|changed between"):
        publish(run)
    assert not release.target.exists()


def test_the_published_bytes_are_the_judged_ones(release):
    from anon_transformers.release._run import sha256

    run = validate(anonymize(load(release.file)))
    judged = data_of(run).read_bytes()
    version = Path(publish(run))
    assert (version / "data.csv").read_bytes() == judged
    manifest = release.manifest()
    assert manifest["sha256"] == sha256(version / "data.csv")
    assert manifest["bytes"] == len(judged)
    verdict = json.loads((version / "validation.json").read_text())
    assert verdict["sha256"] == manifest["sha256"]


def test_no_step_can_be_left_out(release):
    run = load(release.file)
    with pytest.raises(ReleaseError, match="has no candidate yet"):
        validate(run)
    with pytest.raises(ReleaseError, match="has no candidate yet"):
        publish(run)
    anonymize(run)
    with pytest.raises(ReleaseError, match="has not been validated"):
        publish(run)
    assert not release.target.exists()


# ---------------------------------------------------------------- the gate refuses


def test_a_broken_threshold_quarantines_the_candidate(release):
    release.write(thresholds=UNREACHABLE)
    run = anonymize(load(release.file, "first"))
    candidate = data_of(run).read_bytes()
    with pytest.raises(GateError, match=r"loss: it is .* above the max"):
        validate(run)
    place = release.home / "quarantine" / Path(run).name
    assert (place / "candidate" / "data.csv").read_bytes() == candidate
    verdict = json.loads((place / "verdict.json").read_text())
    assert verdict["passed"] is False
    assert [c["passed"] for c in verdict["checks"]] == [True, False]
    assert "must not be published" in (place / "validation.html").read_text()
    assert mode(place) == mode(place.parent) == 0o700
    assert not list(release.home.rglob("input*"))
    assert not release.target.exists()
    assert release.runs() == []
    assert release.events_of(place.name) == ["loading", "loaded", "quarantined"]


def test_a_quarantined_run_goes_no_further_and_the_next_is_new(release):
    release.write(thresholds=UNREACHABLE)
    run = anonymize(load(release.file, "first"))
    with pytest.raises(GateError):
        validate(run)
    for step in STEPS:
        with pytest.raises(ReleaseError, match="is gone"):
            step(run)
    assert load(release.file, "first") != run


def test_a_refused_run_leaves_the_published_release_alone(release):
    run_release(release.file)
    before = snapshot(release.target)
    with pytest.raises(GateError):
        run_release(release.file, parameters={"loss_max": 0.0001})
    assert snapshot(release.target) == before
