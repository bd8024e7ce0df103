"""Reservations, confirmations, and what differs between two publications."""

import json
import stat
import subprocess
import sys
from dataclasses import replace

import pytest

from anon_transformers.exceptions import (
    ConfigurationError,
    LedgerError,
    ReservedError,
)
from anon_transformers.ledger import Ledger, compare_publications
from anon_transformers.ledger._publication import plain_parameters
from tests.ledger.conftest import SIGNING, make_publication

NAME = ("people", "run-1")


def events(ledger):
    return [entry.event for entry in ledger.entries()]


def test_a_publication_is_reserved_then_published(ledger):
    publication = make_publication(1, period="2026-10", subject="id", levels={"k": 5})
    ledger.reserve(publication)
    assert ledger.publications() == []
    (found,) = ledger.publications(states=["reserved"])
    assert found.publication == publication
    ledger.confirm(NAME)
    (found,) = ledger.publications()
    assert found.publication == publication
    assert found.published_at >= found.reserved_at


def test_each_again_changes_nothing(ledger):
    for _ in range(3):
        ledger.reserve(make_publication(1))
    for _ in range(3):
        ledger.confirm(NAME)
    ledger.reserve(make_publication(1))
    assert events(ledger) == ["reserved", "published"]


def test_a_source_is_reserved_by_one_run_at_a_time(ledger):
    ledger.reserve(make_publication(1))
    with pytest.raises(ReservedError, match="run run-1 of the release people") as found:
        ledger.reserve(make_publication(2, release="staff"))
    assert (found.value.release, found.value.version) == NAME
    ledger.reserve(make_publication(3, release="shops", source_id="another"))
    # Another source of the same release: its versions may hold the same persons.
    with pytest.raises(ReservedError):
        ledger.reserve(make_publication(4, source_id="a third"))
    ledger.give_up(NAME)
    ledger.reserve(make_publication(2, release="staff"))
    assert events(ledger) == ["reserved", "reserved", "given-up", "reserved"]


def test_other_bytes_of_a_run_take_a_reservation_over(ledger):
    first = make_publication(1)
    ledger.reserve(first)
    other = type(first)(**{**first.to_dict(), "sha256": "f" * 64})
    ledger.reserve(other)
    assert events(ledger) == ["reserved", "given-up", "reserved"]
    ledger.confirm(NAME)
    assert ledger.publications()[0].publication.sha256 == "f" * 64
    with pytest.raises(LedgerError, match="with other bytes"):
        ledger.reserve(first)


def test_what_was_not_reserved_cannot_be_published(ledger):
    with pytest.raises(LedgerError, match="not reserved"):
        ledger.confirm(NAME)
    ledger.reserve(make_publication(1))
    ledger.give_up(NAME)
    with pytest.raises(LedgerError, match="given-up, and cannot be published"):
        ledger.confirm(NAME)
    ledger.reserve(make_publication(1))
    ledger.confirm(NAME)
    with pytest.raises(LedgerError, match="published, and cannot be given-up"):
        ledger.give_up(NAME)


def test_publications_are_found_by_version_or_both_names(filled):
    assert filled.find("run-1").publication.version == "run-1"
    assert filled.find("people/run-1") == filled.find("run-1")
    with pytest.raises(LedgerError, match="unknown publication 'run-9'"):
        filled.find("run-9")
    filled.reserve(make_publication(1, release="staff", source_id="s"))
    with pytest.raises(LedgerError, match="several releases"):
        filled.find("run-1")


def test_publications_of_one_source(filled):
    other = make_publication(9, release="staff", source_id="other")
    filled.reserve(other)
    assert len(filled.publications(make_publication(1))) == 2
    assert len(filled.publications(other)) == 0
    assert len(filled.publications(other, states=["reserved"])) == 1


def test_persons_are_shared_over_other_sources(ledger):
    """A declares B, C declares B: whoever has all three has two tables of a person."""
    first = make_publication(1, release="clinic", source_id="a")
    between = make_publication(
        2, release="staff", source_id="b", shares_persons_with=["a"]
    )
    last = make_publication(3, release="panel", source_id="c")
    stranger = make_publication(4, release="other", source_id="z")
    for one in (first, between, stranger):
        ledger.reserve(one)
        ledger.confirm(one.name)
    near = replace(last, shares_persons_with=["b"])
    assert names(ledger.publications(near)) == ["clinic", "staff"]
    assert names(ledger.publications(last)) == []
    # A declaration by the last one holds for the first one, too.
    ledger.reserve(near)
    assert names(ledger.publications(first, ["reserved"])) == ["panel"]
    with pytest.raises(ReservedError):
        ledger.reserve(make_publication(5, release="clinic", source_id="a"))
    ledger.give_up(near.name)
    ledger.reserve(make_publication(5, release="clinic", source_id="a"))


def names(found):
    return [one.publication.release for one in found]


def test_a_source_that_shares_persons_waits_for_the_other(ledger):
    ledger.reserve(make_publication(1, source_id="a"))
    theirs = make_publication(
        2, release="staff", source_id="b", shares_persons_with=["a"]
    )
    with pytest.raises(ReservedError):
        ledger.reserve(theirs)
    ledger.confirm(make_publication(1).name)
    ledger.reserve(theirs)
    # Who did not declare it waits, too: the declaration is of both.
    with pytest.raises(ReservedError):
        ledger.reserve(make_publication(3, source_id="a"))
    assert [found.state for found in ledger.publications(theirs)] == ["published"]


def test_reading_makes_no_file(ledger, place):
    assert ledger.entries() == []
    assert ledger.verify().intact
    assert not place.parent.exists()


def test_the_file_is_for_its_owner_alone(filled, place):
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700


def test_a_link_in_place_of_the_file_is_refused(tmp_path):
    (tmp_path / "ledger.sqlite").symlink_to(tmp_path / "elsewhere")
    ledger = Ledger(tmp_path / "ledger.sqlite", SIGNING)
    with pytest.raises(LedgerError, match="not a plain file"):
        ledger.reserve(make_publication(1))
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    "url", ["nosuch://user:hunter2@host/db", "sqlite://", "sqlite:///:memory:", "://"]
)
def test_a_url_that_cannot_be_a_ledger_is_refused_without_repeating_it(url):
    with pytest.raises(ConfigurationError, match=r"ledger\.url") as caught:
        Ledger(url)
    assert "hunter2" not in str(caught.value)


def test_a_file_of_one_writer_is_refused_before_it_is_made(tmp_path):
    said = r"ledger\.url \(or ANON_LEDGER_URL\): .* SQLite file, or a server"
    with pytest.raises(ConfigurationError, match=said):
        Ledger(f"duckdb:///{tmp_path}/ledger.duckdb")
    assert not list(tmp_path.iterdir())


def test_what_is_no_database_is_refused_by_type(tmp_path):
    (tmp_path / "ledger.sqlite").write_text("NAMEMARK " * 100)
    with pytest.raises(LedgerError, match="DatabaseError") as caught:
        Ledger(tmp_path / "ledger.sqlite").entries()
    assert "NAMEMARK" not in str(caught.value)


def test_a_difference_names_keys_and_no_cell():
    old = make_publication(1, method=plain_parameters({"name": "m", "domain": ["007"]}))
    new = make_publication(
        2,
        method=plain_parameters({"name": "m", "domain": ["008"]}),
        levels={"k-anonymity": 7},
    )
    found = compare_publications(old, new)
    assert set(found) == {
        "version", "method.domain", "levels", "levels.k-anonymity", "sha256"
    }  # fmt: skip
    assert found["levels.k-anonymity"] == {"from": None, "to": 7}
    assert "007" not in json.dumps(found["method.domain"])
    assert compare_publications(old, old) == {}


WRITER = """
import sys
from anon_transformers.exceptions import ReservedError
from anon_transformers.ledger import Ledger, Publication

place, who, source, turns = sys.argv[1:]
ledger, done = Ledger(place, b"s" * 32), 0
for turn in range(int(turns)):
    one = Publication(who, f"run-{turn}", "s", source, "00")
    while True:
        try:
            ledger.reserve(one)
            break
        except ReservedError:
            continue
    ledger.confirm(one.name)
"""


@pytest.mark.parametrize("shared", [False, True])
def test_processes_that_append_at_once_never_fork_the_chain(place, shared):
    turns = 8
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(place), f"release-{who}",
             "one" if shared else f"source-{who}", str(turns)],
        )
        for who in range(3)
    ]  # fmt: skip
    assert [process.wait(timeout=300) for process in running] == [0, 0, 0]
    ledger = Ledger(place, SIGNING)
    found = ledger.verify()
    assert found.faults == ()
    assert found.n_entries == 3 * turns * 2
    assert len(ledger.publications()) == 3 * turns
    if shared:  # between a reservation and its end nobody else reserved
        assert events(ledger) == ["reserved", "published"] * (3 * turns)
