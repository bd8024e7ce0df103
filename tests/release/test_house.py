"""A release removes what its journal says it made, and nothing else."""

import json
import logging
import os
import shutil
from pathlib import Path

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import (
    ConfigurationError,
    DataError,
    GateError,
    ReleaseError,
)
from anon_transformers.release import (
    anonymize,
    load,
    publish,
    read_published,
    run_release,
    validate,
)

pytestmark = pytest.mark.gx
FILES = {"data.csv", "manifest.json", "validation.json", "validation.html"}
LONG_AGO, FAR_AHEAD = 10**8, 4 * 10**9


def plant(folder, text="mine"):
    """A file of somebody else, with the folders above it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "thesis.txt").write_text(text)
    return folder / "thesis.txt"


def raw_copies(release):
    return sorted(release.folder.rglob("input*.parquet"))


def step_clock(folder, moment):
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (moment, moment), follow_symlinks=False)


def warned(caplog, path):
    """Whether a warning names the path."""
    lines = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    return any(str(path) in text for text in lines)


def whole(release):
    """The current release can be read, and has its four files."""
    assert {p.name for p in (release.target / "current").iterdir()} == FILES
    return len(read_published(release.target)) == 40


# ---------------------------------------------------------------- earlier versions


@pytest.mark.parametrize("keep", [None, 0, 1, 2])
def test_as_many_earlier_versions_stay_as_the_file_says(release, keep):
    stated = {} if keep is None else {"keep_versions": keep}
    release.write(target={"path": "out", **stated})
    made = [Path(run_release(release.file)).name for _ in range(4)]
    assert release.versions() == sorted(made[-1 - (keep or 0) :])
    assert (release.target / "current").readlink() == Path("versions", made[-1])
    story = ["loading", "loaded", "publishing", "published"]
    assert release.events_of(made[0]) == [*story, "removed"]
    assert release.events_of(made[-1]) == story


@pytest.mark.parametrize("keep", [-1, True, 1.5, "2", None])
def test_a_number_of_versions_is_a_whole_number(release, keep):
    release.write(target={"path": "out", "keep_versions": keep})
    assert "target.keep_versions" in release.refusal()


def test_the_order_of_versions_is_that_of_the_journal(release):
    release.write(target={"path": "out", "keep_versions": 1})
    first, second = (Path(run_release(release.file)) for _ in range(2))
    step_clock(first, FAR_AHEAD)
    step_clock(second, LONG_AGO)
    third = Path(run_release(release.file))
    assert release.versions() == sorted([second.name, third.name])
    step_clock(third, LONG_AGO)
    load(release.file)  # cleans up, too
    assert release.versions() == sorted([second.name, third.name])
    assert whole(release)


def test_a_version_that_somebody_points_current_at_is_not_removed(release):
    release.write(target={"path": "out", "keep_versions": 1})
    first, second = (Path(run_release(release.file)) for _ in range(2))
    (release.target / "current").unlink()
    (release.target / "current").symlink_to(Path("versions", first.name))
    release.write(target={"path": "out", "keep_versions": 0})
    load(release.file)
    assert release.versions() == sorted([first.name, second.name])
    third = Path(run_release(release.file))
    assert release.versions() == [third.name]


def test_a_reader_whose_version_is_removed_reads_the_next_one(release, monkeypatch):
    from anon_transformers.release import _reading

    old = Path(run_release(release.file))
    following = validate(anonymize(load(release.file)))
    hash_of, read_from = _reading.sha256, []

    def publish_first(path):
        read_from.append(path.parent)
        if len(read_from) == 1:
            publish(following)
        return hash_of(path)

    monkeypatch.setattr(_reading, "sha256", publish_first)
    assert len(read_published(release.target)) == 40
    assert read_from[0] == old
    assert not old.exists()
    assert read_from[-1] == (release.target / "current").resolve()


def test_a_reader_of_changed_bytes_is_refused_all_the_same(release):
    version = Path(run_release(release.file))
    (version / "data.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match="not the bytes"):
        read_published(release.target)


# ---------------------------------------------------------------- links


def test_versions_may_lie_behind_a_link(release, caplog):
    theirs = plant(release.folder / "disk" / "photos")
    release.target.mkdir()
    (release.target / "versions").symlink_to(release.folder / "disk")
    for _ in range(3):
        last = Path(run_release(release.file)).name
        assert whole(release)
    assert release.versions() == sorted([last, "photos"])
    assert theirs.read_text() == "mine"
    assert warned(caplog, release.target / "versions")


def test_a_target_may_lie_behind_a_link(release):
    (release.folder / "disk").mkdir()
    release.target.symlink_to(release.folder / "disk")
    made = [Path(run_release(release.file)) for _ in range(2)]
    assert whole(release)
    assert release.versions() == [made[-1].name]


@pytest.mark.parametrize("to", ["elsewhere", "out", "out/current", "missing"])
@pytest.mark.parametrize("way", ["first", "later"])
def test_a_current_that_leads_elsewhere_is_refused(release, to, way):
    run = validate(anonymize(load(release.file)))
    if way == "later":
        publish(run)
        run = validate(anonymize(load(release.file)))
    theirs = plant(release.folder / "elsewhere")
    release.target.mkdir(exist_ok=True)
    link = release.target / "current"
    link.unlink(missing_ok=True)
    link.symlink_to(release.folder / to)
    before = release.public_bytes() | {".lock": b""}
    for step, given in ((publish, run), (load, release.file)):
        with pytest.raises(ConfigurationError, match="leads to no version") as caught:
            step(given)
        assert str(link) in str(caught.value)
    assert link.readlink() == release.folder / to
    assert theirs.read_text() == "mine"
    assert release.public_bytes() == before


def test_a_current_of_another_spelling_is_ours(release):
    first = Path(run_release(release.file))
    (release.target / "current").unlink()
    (release.target / "current").symlink_to(first)
    run_release(release.file)
    assert whole(release)


def test_a_folder_in_place_of_current_is_refused(release):
    theirs = plant(release.target / "current")
    with pytest.raises(ConfigurationError, match="current") as caught:
        load(release.file)
    assert str(theirs.parent) in str(caught.value)
    assert theirs.read_text() == "mine"
    written = {path.name for path in release.work.rglob("*") if path.is_file()}
    assert written == {"journal.jsonl", ".lock"}
    assert {event["event"] for event in release.events()} == {"refused"}


@pytest.mark.parametrize("folder", ["runs", "quarantine"])
def test_a_link_among_runs_is_left_and_not_followed(release, caplog, folder):
    theirs = plant(release.folder / "elsewhere")
    (release.home / folder).mkdir(parents=True)
    link = release.home / folder / "link"
    link.symlink_to(theirs.parent)
    for _ in range(2):
        run_release(release.file)
    assert theirs.read_text() == "mine"
    assert link.is_symlink()
    assert raw_copies(release) == []
    assert folder == "quarantine" or warned(caplog, link)


def test_a_link_in_place_of_a_run_is_not_followed(release, caplog):
    run = Path(load(release.file, "first"))
    elsewhere = release.folder / "elsewhere"
    run.rename(elsewhere)
    run.symlink_to(elsewhere)
    again = Path(load(release.file, "first"))
    assert again != run
    publish(validate(anonymize(str(again))))
    assert (elsewhere / "input.parquet").is_file()
    assert run.is_symlink()
    assert warned(caplog, run)
    assert not (release.home / "runs" / again.name).exists()


@pytest.mark.parametrize("place", ["home", "target"])
def test_a_link_in_place_of_a_lock_is_not_followed(release, caplog, place):
    folder = getattr(release, place)
    folder.mkdir(parents=True)
    theirs = plant(release.folder / "elsewhere")
    (folder / ".lock").symlink_to(theirs)
    for _ in range(2):
        run_release(release.file)
    assert theirs.read_text() == "mine"
    assert (folder / ".lock").is_symlink()
    assert warned(caplog, folder / ".lock")
    assert raw_copies(release) == []


@pytest.mark.parametrize("to", ["thesis.txt", "missing.txt"])
def test_a_link_in_place_of_the_journal_is_refused(release, to):
    theirs = plant(release.folder / "elsewhere")
    release.home.mkdir(parents=True)
    (release.home / "journal.jsonl").symlink_to(theirs.with_name(to))
    for _ in range(2):
        with pytest.raises(
            ConfigurationError, match=r"journal\.jsonl is not a plain file"
        ):
            load(release.file)
    assert [p.name for p in theirs.parent.iterdir()] == ["thesis.txt"]
    assert theirs.read_text() == "mine"
    assert raw_copies(release) == []


@pytest.mark.parametrize("folder", ["runs", "quarantine", "reports"])
@pytest.mark.parametrize("to", ["out", "elsewhere", "missing"])
def test_a_link_in_place_of_a_private_folder_is_refused(release, folder, to):
    for made in (release.target, release.folder / "elsewhere", release.home):
        made.mkdir(parents=True)
    (release.home / folder).symlink_to(release.folder / to)
    with pytest.raises(ConfigurationError, match=f"workspace: '{folder}'"):
        load(release.file)
    assert [*release.target.iterdir()] == []
    assert [*(release.folder / "elsewhere").iterdir()] == []
    assert [place.name for place in release.home.iterdir()] == [folder]


def test_a_link_that_comes_later_gets_no_refused_candidate(release):
    risk = {"metric": "average-risk", "max": 1e-6, "id": "strict"}
    release.write(thresholds=[*release.content["thresholds"], risk])
    location = anonymize(load(release.file))
    release.target.mkdir(exist_ok=True)
    (release.home / "quarantine").symlink_to(release.target)
    with pytest.raises(ConfigurationError, match="workspace: 'quarantine'"):
        validate(location)
    assert [*release.target.iterdir()] == []
    with pytest.raises(ReleaseError):
        publish(location)
    assert [*release.target.iterdir()] == []


# ---------------------------------------------------------------- what others made


def test_a_file_that_somebody_put_into_a_version_stays(release, caplog):
    first, second = (Path(run_release(release.file)) for _ in range(2))
    theirs = plant(second)
    step_clock(second, FAR_AHEAD)
    (second / "data.csv.link").symlink_to(theirs)
    third = Path(run_release(release.file))
    assert not first.exists()
    assert {p.name for p in second.iterdir()} == {"thesis.txt", "data.csv.link"}
    assert warned(caplog, theirs)
    caplog.clear()
    run_release(release.file)
    assert theirs.read_text() == "mine"
    assert not third.exists()
    assert not warned(caplog, theirs)  # once is enough: the version is gone


def test_a_link_in_place_of_a_published_file_is_not_ours(release):
    first = Path(run_release(release.file))
    theirs = plant(release.folder / "elsewhere")
    (first / "data.csv").unlink()
    (first / "data.csv").symlink_to(theirs)
    run_release(release.file)
    assert theirs.read_text() == "mine"
    assert [p.name for p in first.iterdir()] == ["data.csv"]


def test_other_bytes_under_the_name_of_a_published_file_stay(release, caplog):
    first = Path(run_release(release.file))
    (first / "data.csv").write_text("somebody's own table")
    run_release(release.file)
    assert [path.name for path in first.iterdir()] == ["data.csv"]
    assert (first / "data.csv").read_text() == "somebody's own table"
    assert warned(caplog, first / "data.csv")


def test_a_folder_under_the_name_of_a_finished_run_stays(release, caplog):
    run = Path(load(release.file, "monthly"))
    publish(validate(anonymize(run)))
    theirs = plant(run)
    publish(validate(anonymize(load(release.file, "monthly"))))
    assert theirs.read_text() == "mine"
    assert warned(caplog, theirs)
    assert raw_copies(release) == []


def test_a_quarantined_run_takes_no_folder_that_is_there(release):
    risk = {"metric": "average-risk", "max": 1e-6, "id": "strict"}
    release.write(thresholds=[*release.content["thresholds"], risk])
    run = Path(anonymize(load(release.file)))
    theirs = plant(release.home / "quarantine" / run.name)
    with pytest.raises(GateError, match=f"{run.name}-r"):
        validate(run)
    assert theirs.read_text() == "mine"
    assert raw_copies(release) == []
    assert not run.exists()


@pytest.mark.parametrize("inside", [".", "candidate", "notes"])
@pytest.mark.parametrize("name", ["monthly", None])
def test_a_file_in_an_unfinished_run_stays_and_raw_data_go(
    release, caplog, inside, name
):
    run = Path(anonymize(load(release.file, name)))
    theirs = plant(run / inside)
    release.write(thresholds=[{"model": "k-anonymity", "k": 4}])
    following = load(release.file, name)
    assert theirs.read_text() == "mine"
    assert [path for path in run.rglob("*") if path.is_file()] == [theirs]
    assert warned(caplog, theirs)
    assert raw_copies(release) == [Path(following) / "input.parquet"]
    with pytest.raises(ReleaseError, match="is gone"):
        validate(run)
    theirs = plant(Path(following))
    publish(validate(anonymize(following)))
    assert theirs.read_text() == "mine"
    assert raw_copies(release) == []


@pytest.mark.parametrize("workspace", [".", "work"])
def test_a_workspace_over_a_folder_of_somebody_else(release, caplog, workspace):
    home = release.folder / workspace / "people"
    release.write(workspace=workspace)
    places = [
        home,
        home / "runs",
        home / "runs" / "thesis",
        home / "runs" / ".git",
        home / "runs" / ".thesis.draft",
        home / "quarantine" / "plague",
        release.target / "versions" / ".snapshot",
        release.target / "versions" / ".20240101T000000-abcdef",
        release.target / "versions" / "photos",
        release.target,
    ]
    theirs = [plant(place) for place in places]
    hidden = release.target / ".current"
    hidden.write_text("mine")
    home.chmod(0o755)
    load(release.file)
    for _ in range(3):
        run_release(release.file)
    assert all(file.read_text() == "mine" for file in [*theirs, hidden])
    assert home.stat().st_mode & 0o777 == 0o755
    assert whole(release)
    assert raw_copies(release) == []
    for place in places[2:5]:
        assert warned(caplog, place)
    assert warned(caplog, home / "runs" / "thesis.txt")


@pytest.mark.parametrize("folder", ["runs", "quarantine"])
def test_a_run_does_not_take_a_folder_that_is_there(release, folder):
    taken = load(release.file, "monthly")
    shutil.rmtree(release.work)
    theirs = plant(release.home / folder / Path(taken).name)
    run = load(release.file, "monthly")
    assert run != taken
    assert load(release.file, "monthly") == run
    publish(validate(anonymize(run)))
    assert theirs.read_text() == "mine"


def test_a_version_that_another_workspace_made_is_told_and_left(release, caplog):
    first = Path(run_release(release.file))
    shutil.rmtree(release.work)
    second = Path(run_release(release.file))
    assert release.versions() == sorted([first.name, second.name])
    assert warned(caplog, first)


# ---------------------------------------------------------------- the journal


ODD_LINES = {
    "a list": b"[1, 2]",
    "a number": b"7",
    "null": b"null",
    "without a run": b'{"event": "published"}',
    "without an event": b'{"run": "x"}',
    "a run that is a list": b'{"run": ["x"], "event": "loading"}',
    "an unknown event": b'{"run": "x", "event": "danced"}',
    "a version that is no text": b'{"run": "x", "event": "published", "version": 7}',
    "files that are no names": b'{"run": "x", "event": "publishing", "files": 7}',
    "a draft that leads elsewhere": b"""{"run": "x", "event": "publishing",
        "draft": "..", "files": ["journal.jsonl"]}""".replace(b"\n", b""),
    "no JSON": b"hello",
    "cut off": b'{"run": "x", "ev',
    "no UTF-8": b'{"run": "\xff\xfe", "event": "loading"}',
    "nothing but zeros": b"\0" * 50,
    "deep": b"[" * 100_000,
    "huge": b'{"run": "' + b"x" * 10_000_000 + b'", "event": "loading"}',
}


@pytest.mark.parametrize("line", ODD_LINES.values(), ids=ODD_LINES)
@pytest.mark.parametrize("where", ["first", "last"])
def test_an_odd_line_in_the_journal_is_worked_around(release, caplog, line, where):
    first = Path(run_release(release.file))
    run = Path(load(release.file))
    journal = release.home / "journal.jsonl"
    lines = journal.read_bytes()
    odd = line + b"\n" + lines if where == "first" else lines + line
    journal.write_bytes(odd)
    second = Path(run_release(release.file))
    assert journal.read_bytes().startswith(odd)
    assert not run.exists()
    assert not first.exists()
    assert release.versions() == [second.name]
    assert raw_copies(release) == []
    assert warned(caplog, journal)
    events = [json.loads(line) for line in journal.read_bytes().splitlines()[-3:]]
    assert [event["event"] for event in events] == [
        "publishing",
        "removed",
        "published",
    ]


def test_a_journal_that_is_fine_is_not_warned_of(release, caplog):
    for _ in range(3):
        run_release(release.file)
    ours = [r for r in caplog.records if r.name.startswith("anon_transformers")]
    assert not [r for r in ours if r.levelno >= logging.WARNING]


# ---------------------------------------------------------------- raw copies


def test_what_a_run_leaves_is_removed_by_the_next(release):
    run_release(release.file)
    known = "cut-off"
    journal = release.home / "journal.jsonl"
    line = {"run": known, "event": "loading", "draft": ".cut-off.draft"}
    with journal.open("a") as file:
        file.write(json.dumps(line) + "\n")
    theirs = plant(release.home / "runs" / ".cut-off.other")
    for name in (".cut-off.draft", known):
        plant(release.home / "runs" / name).rename(
            release.home / "runs" / name / "input.parquet"
        )
    load(release.file)
    assert len(raw_copies(release)) == 1
    assert release.events_of(known) == ["loading", "abandoned"]
    assert theirs.read_text() == "mine"


def test_no_run_starts_beside_raw_data_that_cannot_be_removed(release, monkeypatch):
    older = Path(load(release.file))

    def refuse(path, *args, **kwargs):
        raise PermissionError(13, "not yours", str(path))

    monkeypatch.setattr(shutil, "rmtree", refuse)
    with pytest.raises(PermissionError, match="load failed with PermissionError"):
        load(release.file)
    assert raw_copies(release) == [older / "input.parquet"]
    monkeypatch.undo()
    newer = Path(load(release.file))
    assert raw_copies(release) == [newer / "input.parquet"]


def test_the_journal_is_for_its_owner_only(release):
    run_release(release.file)
    assert (release.home / "journal.jsonl").stat().st_mode & 0o777 == 0o600
