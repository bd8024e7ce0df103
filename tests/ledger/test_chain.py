"""Any single change of a ledger is found, and named."""

import json
import shutil
import sqlite3
from contextlib import closing
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anon_transformers.exceptions import LedgerError
from anon_transformers.ledger import Ledger
from anon_transformers.ledger._chain import canonical, hash_of_text
from tests.ledger.conftest import SIGNING, make_publication
from tests.ledger.verify_by_the_book import is_whole

N_ENTRIES = 5


def change(place, *statements):
    with closing(sqlite3.connect(place)) as database, database:
        for statement in statements:
            database.execute(*statement)


def faults(place):
    return Ledger(place, SIGNING).verify().faults


def test_a_ledger_that_nobody_touched_is_whole(filled, place):
    found = filled.verify()
    assert found.intact
    assert found.unchecked == ()
    assert found.n_entries == N_ENTRIES
    assert is_whole(place, SIGNING)


def test_an_entry_holds_the_hash_of_the_one_before_it(filled):
    entries = filled.entries()
    assert entries[0].content["previous"] == "0" * 64
    for before, entry in pairwise(entries):
        assert entry.content["previous"] == before.hash
    assert [entry.sequence for entry in entries] == [1, 2, 3, 4, 5]


def test_a_changed_entry_is_named(filled, place):
    change(place, ("UPDATE anon_ledger_entries SET content = replace(content, "
                   "'people.csv', 'other.csv') WHERE sequence = 3",))  # fmt: skip
    assert faults(place) == ("entry 3 was changed",)


@pytest.mark.parametrize("number", range(1, N_ENTRIES + 1))
def test_a_removed_entry_is_named_the_last_one_too(filled, place, number):
    change(place, ("DELETE FROM anon_ledger_entries WHERE sequence = ?", (number,)))
    assert any(f"entry {number} is missing" in fault for fault in faults(place))
    assert not is_whole(place, SIGNING)


def test_a_removed_end_is_found_if_the_head_is_moved_back(filled, place):
    before = filled.entries()[2]
    change(
        place,
        ("DELETE FROM anon_ledger_entries WHERE sequence > 3",),
        ("UPDATE anon_ledger_heads SET sequence = 3, hash = ?", (before.hash,)),
    )
    assert faults(place) == ("the head was changed: its signature does not hold",)


def test_a_removed_head_is_found_and_does_not_come_back(filled, place):
    change(place, ("DELETE FROM anon_ledger_heads",))
    assert "head of signer" in faults(place)[0]
    with pytest.raises(LedgerError, match="its head is missing"):
        filled.confirm(("people", "run-2"))
    assert "head of signer" in faults(place)[0]


def test_two_entries_that_changed_places_are_found(filled, place):
    change(
        place,
        ("UPDATE anon_ledger_entries SET sequence = 99 WHERE sequence = 2",),
        ("UPDATE anon_ledger_entries SET sequence = 2 WHERE sequence = 3",),
        ("UPDATE anon_ledger_entries SET sequence = 3 WHERE sequence = 99",),
    )
    found = " ".join(faults(place))
    assert "entry 2 was moved here" in found
    assert "entry 3 was moved here" in found


def forged(entry, **changes):
    """The row of an entry whose hash fits what it says."""
    content = {**entry.content, **changes}
    text = canonical(content)
    return content["sequence"], text, hash_of_text(text)


@pytest.mark.parametrize("signer", [None, "0123456789abcdef"])
def test_an_entry_that_somebody_appended_is_found(filled, place, signer):
    last = filled.entries()[-1]
    changes = {} if signer is None else {"signer": signer}
    row = forged(last, sequence=6, previous=last.hash, **changes)
    change(place, ("INSERT INTO anon_ledger_entries VALUES (?, ?, ?)", row))
    (fault,) = faults(place)
    assert "entry 6" in fault
    assert not is_whole(place, SIGNING)


def test_a_stranger_with_a_head_is_found_in_a_file(filled, place):
    stranger = Ledger(place, b"x" * 32)
    stranger.reserve(make_publication(7, release="staff", source_id="other"))
    assert "its key is not here" in faults(place)[0]
    assert Ledger(place, b"x" * 32, retired=[SIGNING]).verify().intact


def test_a_chain_that_was_written_anew_does_not_fit_the_head(filled, place):
    rows, previous = [], "0" * 64
    for entry in filled.entries():
        more = {"at": "2001-01-01T00:00:00+00:00", "previous": previous}
        rows.append(forged(entry, **more))
        previous = rows[-1][2]
    change(
        place,
        ("DELETE FROM anon_ledger_entries",),
        *(("INSERT INTO anon_ledger_entries VALUES (?, ?, ?)", row) for row in rows),
    )
    assert faults(place) == ("entry 5 is not the one that the head names",)
    # Without the key the signature cannot be checked, the names of entries can.
    assert not Ledger(place).verify().intact


def test_without_a_key_it_says_what_it_could_not_check(filled, place):
    found = Ledger(place).verify()
    assert found.intact
    assert "its key is not here" in found.unchecked[0]
    with pytest.raises(LedgerError, match="without its key"):
        Ledger(place).confirm(("people", "run-2"))


COLUMNS = {
    "anon_ledger_entries": ("sequence", "content", "hash"),
    "anon_ledger_heads": ("signer", "sequence", "hash", "signature"),
}
ODD = st.one_of(
    st.integers(-2, 9),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.floats(allow_nan=False),
    st.sampled_from(["{}", "[]", '{"sequence":1}', "null"]),
)


def dump(place):
    with closing(sqlite3.connect(place)) as database:
        return [database.execute(f"SELECT * FROM {t}").fetchall() for t in COLUMNS]


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_single_change_of_a_cell_is_found(filled, place, data):
    copy = place.with_name("copy.sqlite")
    shutil.copy(place, copy)
    table = data.draw(st.sampled_from(sorted(COLUMNS)))
    column = data.draw(st.sampled_from(COLUMNS[table]))
    with closing(sqlite3.connect(copy)) as database:
        rows = database.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
    row, value = data.draw(st.sampled_from(rows))
    if isinstance(value, str) and data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(value) - 1))
        new = value[:at] + data.draw(st.characters(codec="ascii")) + value[at + 1 :]
    else:
        new = data.draw(ODD)
    try:
        change(copy, (f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, row)))
    except sqlite3.Error:  # the database itself refuses it
        return
    if dump(copy) == dump(place):
        return
    assert not Ledger(copy, SIGNING).verify().intact


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(removed=st.sets(st.integers(1, N_ENTRIES), min_size=1))
def test_any_removed_entries_are_found(filled, place, removed):
    copy = place.with_name("copy.sqlite")
    shutil.copy(place, copy)
    for number in removed:
        change(copy, ("DELETE FROM anon_ledger_entries WHERE sequence = ?", (number,)))
    found = Ledger(copy, SIGNING).verify()
    assert not found.intact
    assert not is_whole(copy, SIGNING)


def test_an_entry_that_cannot_be_read_stops_a_writer(filled, place):
    change(place, ("UPDATE anon_ledger_entries SET content = '{' WHERE sequence = 2",))
    with pytest.raises(LedgerError, match="entry 2 cannot be read"):
        filled.reserve(make_publication(8, source_id="other"))


def test_texts_are_canonical(filled, place):
    for sequence, text, digest in dump(place)[0]:
        assert text == json.dumps(
            json.loads(text), sort_keys=True, separators=(",", ":")
        )
        assert len(digest) == 64
        assert json.loads(text)["sequence"] == sequence
