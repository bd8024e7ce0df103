"""What releases record in the ledger, and when."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("pydantic")
pytest.importorskip("great_expectations")

from anon_transformers.exceptions import (
    ConfigurationError,
    LedgerError,
    ReleaseError,
    ReservedError,
)
from anon_transformers.ledger import Ledger
from anon_transformers.release import _publish as publishing
from anon_transformers.release import (
    abandon,
    anonymize,
    load,
    publish,
    read_config,
    run_release,
    validate,
)
from anon_transformers.release._ledger import (
    find_ledger,
    open_ledger,
    source_of,
    unrecorded,
)
from anon_transformers.release._reserve import Reservation
from tests.release.test_periods import with_periods

pytestmark = pytest.mark.gx


def ledger_of(release):
    place = release.work / ".ledger"
    return Ledger(place / "ledger.sqlite", (place / "signing.key").read_bytes())


def events(release):
    return [entry.event for entry in ledger_of(release).entries()]


def validated(release, run_id=None):
    """A run whose next step is to publish."""
    return validate(anonymize(load(release.file, run_id)))


def test_a_release_is_recorded(release):
    release.write(
        roles={**release.content["roles"], "identifiers": [], "subject": "name"}
    )
    version = Path(run_release(release.file)).name
    ledger = ledger_of(release)
    assert events(release) == ["reserved", "published"]
    assert ledger.verify().intact
    (found,) = ledger.publications()
    publication, manifest = found.publication, release.manifest()
    assert publication.name == ("people", version)
    assert publication.source == "people.csv"
    assert publication.subject == "name"
    assert publication.sha256 == manifest["sha256"]
    assert publication.method["name"] == "mondrian"
    assert publication.roles["sensitive"] == ["job"]
    assert publication.thresholds["k-anonymity"]["k"] == 3
    observed = {c["id"]: c.get("observed") for c in manifest["measured"]["checks"]}
    assert publication.levels == observed


def test_no_cell_of_the_source_is_in_the_ledger(release):
    marks = {"age": 700001, "zip": "ZIPMARK", "job": "JOBMARK", "note": "NOTEMARK"}
    rows = [["name", *marks]]
    for n in range(40):
        cells = [f"NAMEMARK{n}", str(700001 + 13 * n), f"ZIPMARK{n % 3}"]
        rows.append([*cells, f"JOBMARK{n % 4}", f"NOTEMARK{n % 2}"])
    release.write_rows(rows)
    domain = {"zip": ["ZIPMARK0", "ZIPMARK1", "ZIPMARK2"]}
    method = {"name": "mondrian", "step": {"age": 5}, "domain": domain}
    release.write(anonymizer=method)
    run_release(release.file)
    content = b"".join(
        file.read_bytes() for file in (release.work / ".ledger").rglob("*")
        if file.is_file()
    )  # fmt: skip
    assert b"quasi_identifiers" in content
    for row in rows[1:]:
        for cell in row:
            assert cell.encode() not in content, cell
    assert b"MARK" not in content
    assert str(release.folder).encode() not in content  # no path, either


def test_the_ledger_is_private(release):
    run_release(release.file)
    place = release.work / ".ledger"
    assert place.stat().st_mode & 0o777 == 0o700
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in place.iterdir())


def test_a_run_that_is_refused_reserves_nothing(release):
    release.write(thresholds=[{"model": "k-anonymity", "k": 3},
                              {"metric": "average-risk", "max": 0.01}])  # fmt: skip
    with pytest.raises(ReleaseError):
        run_release(release.file)
    assert not (release.work / ".ledger").exists()


def test_doing_it_again_records_nothing_twice(release):
    location = validated(release, "again")
    assert publish(location) == publish(location)
    assert events(release) == ["reserved", "published"]


def break_at(monkeypatch, name):
    def broken(*args, **kwargs):
        raise OSError("the disk is full")

    monkeypatch.setattr(publishing, name, broken)


def test_cut_off_before_readers_see_it_a_retry_goes_on(release, monkeypatch):
    location = validated(release, "cut")
    with monkeypatch.context() as patch:
        break_at(patch, "_write_version")
        with pytest.raises(OSError, match="publish failed"):
            publish(location)
    assert events(release) == ["reserved"]
    publish(location)
    assert events(release) == ["reserved", "published"]


def test_cut_off_before_readers_see_it_the_next_run_gives_it_up(release, monkeypatch):
    with monkeypatch.context() as patch:
        break_at(patch, "_write_version")
        with pytest.raises(OSError, match="publish failed"):
            run_release(release.file)
    run_release(release.file)
    assert events(release) == ["reserved", "given-up", "reserved", "published"]


def test_cut_off_after_readers_see_it_the_next_run_confirms_it(release, monkeypatch):
    with monkeypatch.context() as patch:
        break_at(patch, "remove_old_versions")
        with pytest.raises(OSError, match="publish failed"):
            run_release(release.file)
    assert events(release) == ["reserved"]
    assert (release.target / "current").exists()
    run_release(release.file)
    assert events(release) == ["reserved", "published"] * 2


def test_cut_off_before_it_is_confirmed_a_retry_confirms_it(release, monkeypatch):
    location = validated(release, "cut")
    with monkeypatch.context() as patch:
        patch.setattr(Reservation, "confirm", lambda self: sys.exit(9))
        with pytest.raises(SystemExit):
            publish(location)
    assert events(release) == ["reserved"]
    publish(location)
    assert events(release) == ["reserved", "published"]


def test_a_run_that_is_abandoned_gives_its_reservation_up(release, monkeypatch):
    location = validated(release, "cut")
    with monkeypatch.context() as patch:
        break_at(patch, "_write_version")
        with pytest.raises(OSError, match="publish failed"):
            publish(location)
    abandon(location)
    assert events(release) == ["reserved", "given-up"]


def test_a_ledger_out_of_reach_keeps_no_personal_data(release):
    run_release(release.file)
    location = validated(release, "cut")
    assert list(Path(location).rglob("input*"))
    ledger = release.work / ".ledger" / "ledger.sqlite"
    whole = ledger.read_bytes()
    ledger.write_bytes(b"no database" * 500)
    with pytest.raises(LedgerError):
        abandon(location)
    assert not list(release.work.rglob("input*"))
    assert release.events_of(Path(location).name)[-1] == "abandoned"
    ledger.write_bytes(whole)
    run_release(release.file)


@pytest.mark.parametrize("broken", ["recover", "settle"])
def test_trouble_while_a_run_is_given_up_keeps_no_personal_data(
    release, monkeypatch, broken
):
    def trouble(config):
        raise OSError("disk")

    location = validated(release, "cut")
    monkeypatch.setattr(f"anon_transformers.release._under_way.{broken}", trouble)
    with pytest.raises(OSError, match="disk"):
        abandon(location)
    assert not list(release.work.rglob("input*"))


def test_two_releases_of_one_source_do_not_pass_each_other(
    release, another_release, monkeypatch
):
    location = validated(release, "first")
    with monkeypatch.context() as patch:
        break_at(patch, "_write_version")
        with pytest.raises(OSError, match="publish failed"):
            publish(location)
    second = another_release("staff")
    second.write(on_conflict="refuse")
    with pytest.raises(ReservedError, match="of the release people has reserved"):
        run_release(second.file)
    assert not second.target.joinpath("current").exists()
    publish(location)
    run_release(second.file)
    assert events(release) == ["reserved", "published"] * 2


@pytest.mark.parametrize(
    ("broken", "ended"),
    [("_write_version", "given-up"), ("point_at_newest", "published")],
)
def test_a_period_that_was_cut_off_keeps_no_other_one(
    release, monkeypatch, broken, ended
):
    with_periods(release)
    release.write(on_conflict="refuse")
    with monkeypatch.context() as patch:
        break_at(patch, broken)
        with pytest.raises(OSError, match="publish failed"):
            run_release(release.file, period="2026-09")
    run_release(release.file, period="2026-10")
    assert events(release) == ["reserved", ended, "reserved", "published"]
    run_release(release.file, period="2026-09")
    assert ledger_of(release).verify().intact


def test_a_run_at_which_nobody_is_is_not_waited_for(
    release, another_release, monkeypatch
):
    with monkeypatch.context() as patch:
        break_at(patch, "_write_version")
        with pytest.raises(OSError, match="publish failed"):
            run_release(release.file)
    second = another_release("staff")
    with pytest.raises(LedgerError, match="Nobody is at that run any more"):
        run_release(second.file)
    (run,) = release.runs()
    abandon(release.home / "runs" / run)
    run_release(second.file)
    assert events(release)[:2] == ["reserved", "given-up"]


def test_a_run_waits_for_one_that_is_under_way(release, another_release, monkeypatch):
    location = validated(release, "first")
    with monkeypatch.context() as patch:
        break_at(patch, "_write_version")
        with pytest.raises(OSError, match="publish failed"):
            publish(location)
    second = another_release("staff")
    waited = []

    def instead(seconds):  # the lease of a scheduler's run has not ended
        waited.append(seconds)
        publish(location)

    monkeypatch.setattr("anon_transformers.release._reserve.time.sleep", instead)
    run_release(second.file)
    assert len(waited) == 1
    assert events(release) == ["reserved", "published"] * 2


def test_another_release_reads_the_journal_of_one_that_was_given_up(
    release, another_release, monkeypatch
):
    location = validated(release, "first")
    with monkeypatch.context() as patch:
        break_at(patch, "_write_version")
        with pytest.raises(OSError, match="publish failed"):
            publish(location)
        # Cut off between the line in the journal and the entry.
        patch.setattr("anon_transformers.release._under_way.settle", lambda c: None)
        abandon(location)
    assert events(release) == ["reserved"]
    run_release(another_release("staff").file)
    assert events(release)[:2] == ["reserved", "given-up"]


def test_a_version_that_was_seen_is_never_given_up(release, monkeypatch):
    run_release(release.file)
    (found,) = ledger_of(release).publications()
    name = found.publication.name
    # The journal lost the line, and somebody gave the run up.
    journal = release.home / "journal.jsonl"
    lines = journal.read_text().splitlines()
    kept = [line for line in lines if json.loads(line)["event"] != "published"]
    journal.write_text("\n".join(kept) + "\n")
    (release.work / ".ledger" / "ledger.sqlite").unlink()
    ledger = ledger_of(release)
    ledger.reserve(found.publication)
    from anon_transformers.release._ledger import settle_release
    from anon_transformers.release._run import Journal

    Journal(release.home).write(name[1], "abandoned")
    settle_release(ledger, release.home)
    assert events(release) == ["reserved"]
    (release.target / "versions" / name[1] / "manifest.json").unlink()
    settle_release(ledger, release.home)
    assert events(release) == ["reserved", "given-up"]


# ---------------------------------------------------------------- where it lies


def test_a_ledger_elsewhere(release, monkeypatch, tmp_path):
    monkeypatch.setenv("LEDGER_FOLDER", str(tmp_path / "shared"))
    release.write(ledger={"url": "sqlite:///$LEDGER_FOLDER/team.sqlite"})
    run_release(release.file)
    assert (tmp_path / "shared" / "team.sqlite").is_file()
    assert not (release.work / ".ledger" / "ledger.sqlite").exists()
    config = read_config(release.file)
    assert len(open_ledger(config).publications()) == 1
    assert open_ledger(config).verify().intact
    release.write(ledger=None)
    monkeypatch.setenv("ANON_LEDGER_URL", f"sqlite:///{tmp_path}/variable.sqlite")
    run_release(release.file)
    assert (tmp_path / "variable.sqlite").is_file()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://me:hunter2@host/db", "password does not belong"),
        ("postgresql://host/db?password=hunter2", "password does not belong"),
        ("sqlite:///a/{period:%Y}.sqlite", "without"),
        ("sqlite:///a/{x}.sqlite", "unknown placeholder"),
    ],
)
def test_odd_urls_are_refused_and_no_secret_is_repeated(release, url, message):
    release.write(ledger={"url": url})
    found = release.refusal()
    assert message in found
    assert "ledger" in found
    assert "hunter2" not in found


def test_a_variable_that_is_not_set_is_named_before_anything_is_published(release):
    release.write(ledger={"url": "sqlite:///$NO_SUCH_FOLDER_/x.sqlite"})
    with pytest.raises(ConfigurationError, match=r"ledger\.url.*NO_SUCH_FOLDER_"):
        run_release(release.file)
    assert not release.target.exists()


@pytest.mark.parametrize("place", ["file", "environment"])
def test_a_ledger_in_duckdb_is_refused_before_anything_is_read(
    release, place, monkeypatch
):
    url = f"duckdb:///{release.folder}/ledger.duckdb"
    if place == "file":
        release.write(ledger={"url": url})
    else:
        monkeypatch.setenv("ANON_LEDGER_URL", url)
    with pytest.raises(ConfigurationError, match=r"such as PostgreSQL") as caught:
        run_release(release.file)
    assert "ledger.url (or ANON_LEDGER_URL)" in str(caught.value)
    written = {path.name for path in release.work.rglob("*") if path.is_file()}
    assert written <= {".lock"}
    assert not release.target.exists()
    assert not (release.folder / "ledger.duckdb").exists()


def test_the_source_is_that_of_the_file_or_of_the_name(release, another_release):
    second = another_release("staff")
    one, other = read_config(release.file), read_config(second.file)
    assert source_of(one) == source_of(other)
    assert source_of(one)[0] == "people.csv"
    second.write(source={"path": "./people.csv", "kind": "csv"})
    assert source_of(one) == source_of(read_config(second.file))
    second.write(source={"path": "others.csv"})
    other = source_of(read_config(second.file))
    assert other[1] != source_of(one)[1]
    for each, path in ((release, "people.csv"), (second, "others.csv")):
        each.write(ledger={"source": "census"}, source={"path": path})
    assert source_of(read_config(release.file)) == ("census", "name:census")
    assert source_of(read_config(second.file)) == ("census", "name:census")


def test_all_periods_have_one_source(release, monkeypatch):
    monkeypatch.setenv("SOME_FOLDER", str(release.folder))
    release.write(source={"path": "$SOME_FOLDER/{period:%Y-%m}.csv"})
    name, by_variable = source_of(read_config(release.file))
    assert name == "{period:%Y-%m}.csv"
    release.write(source={"path": "{period:%Y-%m}.csv"})
    assert source_of(read_config(release.file))[1] == by_variable


def test_a_ledger_is_found_by_file_workspace_and_folder(release):
    with pytest.raises(ConfigurationError, match="no ledger here"):
        find_ledger(release.folder)
    run_release(release.file)
    for place in (release.file, release.work):
        ledger, workspace = find_ledger(place)
        assert len(ledger.publications()) == 1
        assert workspace.resolve() == release.work.resolve()
    assert unrecorded(ledger, release.work) == []
    version = ledger.publications()[0].publication.version
    (release.work / ".ledger" / "ledger.sqlite").unlink()
    assert unrecorded(ledger_of(release), release.work) == [("people", version)]


def test_a_link_in_place_of_the_folder_is_refused(release, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    release.work.mkdir()
    (release.work / ".ledger").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError, match="must not lie behind"):
        run_release(release.file)
    assert not (release.target / "current").exists()


# ---------------------------------------------------------------- the command


def anon(release, *words, given=None, **environment):
    """Exit code and JSON of ``anon ledger``."""
    pytest.importorskip("typer")
    from typer.testing import CliRunner

    from anon_transformers.cli._app import app

    asked = ["ledger", *words, "--at", str(release.file), "--json"]
    done = CliRunner().invoke(app, asked, input=given, env=environment)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, json.loads(done.stdout)


def test_the_command(release):
    import numpy as np

    from anon_transformers.ledger import MembershipKey

    run_release(release.file)
    release.write(thresholds=[{"model": "k-anonymity", "k": 4}])
    run_release(release.file)
    code, listed = anon(release, "list")
    assert code == 0
    assert [one["state"] for one in listed] == ["published", "published"]
    old, new = (one["version"] for one in listed)
    code, shown = anon(release, "show", new)
    assert (code, shown["thresholds"]["k-anonymity"]["k"]) == (0, 4)
    assert [entry["event"] for entry in shown["entries"]] == ["reserved", "published"]
    code, changed = anon(release, "diff", f"people/{old}", new)
    assert changed["thresholds.k-anonymity.k"] == {"from": 3, "to": 4}
    assert changed["thresholds.loss.max"]["to"] is None
    assert not any(key.startswith("roles") for key in changed)
    assert anon(release, "verify") == (
        0, {"entries": 4, "intact": True, "faults": [], "unchecked": [],
            "not_recorded": []},
    )  # fmt: skip
    code, error = anon(release, "show", "nothing")
    assert code == 2
    assert "unknown publication" in error["error"]
    code, error = anon(release, "forget", new, "--yes")
    assert code == 2
    assert "keeps no memberships" in error["error"]

    secret, ledger = "m" * 32, ledger_of(release)
    publication = ledger.publications()[0].publication
    later = type(publication)(**{**publication.to_dict(), "version": "later"})
    ledger.reserve(later)
    key = MembershipKey(secret)
    ledger.write_memberships(later.name, key, ["ada", "grace"], np.array([1, 2]))
    _, error = anon(release, "forget", "--person", given="ada\n", ANON_LEDGER_KEY="")
    assert "ANON_LEDGER_KEY is not set" in error["error"]
    code, done = anon(
        release, "forget", "--person", given="ada\n", ANON_LEDGER_KEY=secret
    )
    assert (code, done) == (0, {"forgotten": ["people/later"]})
    assert (
        key.persons(["ada"])[0] not in ledger.read_memberships(later.name, key).persons
    )
    code, error = anon(
        release, "forget", "--person", given="ada\n", ANON_LEDGER_KEY=secret
    )
    assert code == 2
    assert "no publication holds this person" in error["error"]
    assert anon(release, "forget", "later", "--yes")[0] == 0
    assert ledger.find("later").memberships == "forgotten"
    code, error = anon(release, "forget")
    assert code == 2


def test_the_command_finds_a_change(release):
    import sqlite3
    from contextlib import closing

    run_release(release.file)
    with closing(sqlite3.connect(release.work / ".ledger/ledger.sqlite")) as it, it:
        it.execute("DELETE FROM anon_ledger_entries WHERE sequence = 2")
    code, found = anon(release, "verify")
    assert code == 1
    assert found["faults"] == ["entry 2 is missing: the head names it as the last"]
