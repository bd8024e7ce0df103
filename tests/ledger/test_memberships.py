"""Memberships: keyed, encrypted, committed to, and forgotten."""

import hashlib
import hmac
import pickle
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from anon_transformers.exceptions import (
    ConfigurationError,
    LedgerError,
    ParameterError,
)
from anon_transformers.ledger import Ledger, MembershipKey
from anon_transformers.ledger._memberships import PERSON, make_rows, without_person
from tests.ledger.conftest import SIGNING, make_publication
from tests.ledger.verify_by_the_book import is_whole

NAME = ("people", "run-1")
PERSONS = [f"PERSONMARK-{number}" for number in range(50)]
CLASSES = np.arange(50) % 7


def hkdf(secret, info):
    """RFC 5869 with SHA-256, for one block."""
    extracted = hmac.new(b"\0" * 32, secret, hashlib.sha256).digest()
    return hmac.new(extracted, info + b"\1", hashlib.sha256).digest()


@pytest.fixture
def kept(ledger, key):
    ledger.reserve(make_publication(1))
    ledger.write_memberships(NAME, key, PERSONS, CLASSES)
    ledger.confirm(NAME)
    return ledger


def test_persons_are_hmac_under_a_derived_key(key):
    derived = hkdf(b"m" * 32, b'["anon-transformers", "ledger", "persons"]')
    # What divides a code, and how it is written, tells nobody apart.
    written = [f"personmark{number}" for number in range(50)]
    expected = [hmac.digest(derived, p.encode(), "sha256")[:16] for p in written]
    assert key.persons(PERSONS).tobytes() == b"".join(expected)


def test_what_is_written_is_read_again(kept, key):
    found = kept.read_memberships(NAME, key)
    whose = dict(zip(map(bytes, key.persons(PERSONS)), CLASSES.tolist(), strict=True))
    assert list(map(bytes, found.persons)) == sorted(whose)
    assert found.classes.tolist() == [whose[person] for person in sorted(whose)]
    assert found.classes.dtype == np.int32


def test_a_person_may_be_in_several_classes(ledger, key):
    ledger.reserve(make_publication(1))
    ledger.write_memberships(NAME, key, ["a", "a", "b"], np.array([2, 1, 1]))
    found = ledger.read_memberships(NAME, key)
    mine = found.persons == key.persons(["a"])[0]
    assert found.classes[mine].tolist() == [1, 2]


def test_neither_key_nor_persons_nor_digests_are_in_the_file(kept, key, place):
    content = place.read_bytes()
    assert b"PERSONMARK" not in content
    assert b"m" * 32 not in content
    for digest in key.persons(PERSONS):
        assert bytes(digest) not in content
        assert bytes(digest).hex().encode() not in content
    for part in ("_persons", "_blob", "_commitment"):
        assert getattr(key, part) not in content
    assert key.id.encode() in content


def test_another_key_reads_nothing(kept):
    other = MembershipKey(b"o" * 32)
    with pytest.raises(LedgerError, match=f"and {other.id} was given"):
        kept.read_memberships(NAME, other)
    assert kept.verify(other).intact
    assert "is not here" in kept.verify(other).unchecked[0]
    assert kept.verify(other).unchecked == kept.verify().unchecked


def flip(place, where):
    with closing(sqlite3.connect(place)) as database, database:
        (blob,) = database.execute(
            "SELECT blob FROM anon_ledger_memberships"
        ).fetchone()
        changed = bytearray(blob)
        changed[where] ^= 1
        database.execute("UPDATE anon_ledger_memberships SET blob = ?", (changed,))


@pytest.mark.parametrize("where", [0, 6, 40, -1])
def test_a_changed_blob_is_found(kept, key, place, where):
    flip(place, where)
    assert kept.verify(key).faults == ("the memberships of people/run-1 were changed",)
    with pytest.raises(LedgerError, match="not those that were written"):
        kept.read_memberships(NAME, key)


def test_a_removed_blob_is_found_without_the_key(kept, place):
    with closing(sqlite3.connect(place)) as database, database:
        database.execute("DELETE FROM anon_ledger_memberships")
    assert kept.verify().faults == ("the memberships of people/run-1 are missing",)


def test_a_blob_of_another_publication_does_not_open(kept, key, place):
    kept.reserve(make_publication(2))
    kept.write_memberships(("people", "run-2"), key, PERSONS[:9], CLASSES[:9])
    with closing(sqlite3.connect(place)) as database, database:
        database.execute(
            "UPDATE anon_ledger_memberships SET blob = (SELECT blob FROM "
            "anon_ledger_memberships WHERE version = 'run-1')"
        )
        (blob,) = database.execute(
            "SELECT blob FROM anon_ledger_memberships WHERE version = 'run-2'"
        ).fetchone()
    with pytest.raises(LedgerError, match="another key or publication"):
        key.open(blob, ("people", "run-2"))
    assert len(kept.verify(key).faults) == 1


def test_the_same_again_changes_nothing_and_others_replace_until_published(ledger, key):
    with pytest.raises(LedgerError, match="not reserved"):
        ledger.write_memberships(NAME, key, PERSONS, CLASSES)
    ledger.reserve(make_publication(1))
    ledger.write_memberships(NAME, key, PERSONS, CLASSES)
    ledger.write_memberships(NAME, key, PERSONS[::-1], CLASSES[::-1])
    assert [e.event for e in ledger.entries()] == ["reserved", "memberships"]
    ledger.write_memberships(NAME, key, PERSONS, CLASSES + 1)
    assert ledger.read_memberships(NAME, key).classes.max() == 7
    ledger.confirm(NAME)
    ledger.write_memberships(NAME, key, PERSONS, CLASSES + 1)
    with pytest.raises(LedgerError, match="do not change"):
        ledger.write_memberships(NAME, key, PERSONS, CLASSES)
    assert ledger.verify(key).intact


def test_a_publication_that_is_given_up_keeps_no_memberships(ledger, key):
    ledger.reserve(make_publication(1))
    ledger.write_memberships(NAME, key, PERSONS, CLASSES)
    ledger.give_up(NAME)
    with pytest.raises(LedgerError, match="keeps no memberships"):
        ledger.read_memberships(NAME, key)
    assert ledger.verify(key).intact


def test_other_bytes_of_a_run_keep_no_memberships_of_the_first(ledger, key):
    first = make_publication(1)
    ledger.reserve(first)
    ledger.write_memberships(NAME, key, PERSONS, CLASSES)
    ledger.reserve(type(first)(**{**first.to_dict(), "sha256": "f" * 64}))
    with pytest.raises(LedgerError, match="keeps no memberships"):
        ledger.read_memberships(NAME, key)
    assert ledger.verify(key).faults == ()


def test_a_publication_is_forgotten(kept, key, place):
    with closing(sqlite3.connect(place)) as database:
        (blob,) = database.execute(
            "SELECT blob FROM anon_ledger_memberships"
        ).fetchone()
    assert blob[-64:] in place.read_bytes()
    kept.forget(NAME)
    with pytest.raises(LedgerError, match="keeps no memberships"):
        kept.read_memberships(NAME, key)
    assert blob[-64:] not in place.read_bytes()
    assert kept.verify(key).intact
    assert is_whole(place, SIGNING)
    (found,) = kept.publications()
    assert (found.state, found.memberships) == ("published", "forgotten")
    with pytest.raises(LedgerError, match="keeps no memberships"):
        kept.forget(NAME)


def test_a_person_is_forgotten_everywhere(kept, key, place):
    kept.reserve(make_publication(2))
    kept.write_memberships(("people", "run-2"), key, PERSONS[:9], CLASSES[:9])
    other = ("staff", "run-3")
    kept.reserve(make_publication(3, release="staff", source_id="other"))
    kept.write_memberships(other, key, PERSONS[20:], CLASSES[20:])
    done = kept.forget_person(PERSONS[4], key)
    assert done == [NAME, ("people", "run-2")]
    nobody = []
    for name, n in ((NAME, 50), (("people", "run-2"), 9), (other, 30)):
        found = kept.read_memberships(name, key)
        assert len(found) == n
        assert key.persons([PERSONS[4]])[0] not in found.persons
        nobody.append(set(found.persons) - set(key.persons(PERSONS)))
    # Somebody is still there, the same in both, in the class that they were in.
    assert nobody[0] == nobody[1]
    assert [len(found) for found in nobody] == [1, 1, 0]
    found = kept.read_memberships(NAME, key)
    assert found.classes[found.persons == nobody[0].pop()].tolist() == [4]
    assert kept.verify(key).intact
    assert is_whole(place, SIGNING)
    assert kept.forget_person(PERSONS[4], key) == []
    assert kept.find("run-1").forgotten_persons == 1
    # The chain does not say who it was.
    digest = bytes(key.persons([PERSONS[4]])[0])
    assert all(digest.hex() not in str(entry.content) for entry in kept.entries())


def test_a_person_is_not_forgotten_by_half(kept, key):
    other = MembershipKey(b"o" * 32)
    kept.reserve(make_publication(2))
    kept.write_memberships(("people", "run-2"), other, PERSONS, CLASSES)
    with pytest.raises(LedgerError, match="memberships of other keys are kept"):
        kept.forget_person(PERSONS[0], key)
    assert len(kept.read_memberships(NAME, key)) == 50


def test_a_digest_with_zeros_is_a_person_like_others(key):
    rows = make_rows(key, ["x", "y", "z"], np.zeros(3, dtype=int))
    rows[PERSON] = [b"a" * 16, b"a" * 15 + b"\0", b"a\0" * 8]
    found = without_person(rows, b"a" * 15 + b"\0", b"z" * 16)
    assert sorted(found[PERSON].tolist()) == [
        b"a\0" * 7 + b"a", b"a" * 16, b"z" * 16
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("persons", "classes", "message"),
    [
        (["a"], [1, 2], "one class each"),
        (["a"], [0.5], "whole numbers"),
        (["a"], [2**40], "32 bits"),
        ([7], [1], "must be texts"),
    ],
)
def test_odd_memberships_are_refused(ledger, key, persons, classes, message):
    ledger.reserve(make_publication(1))
    with pytest.raises(ParameterError, match=message):
        ledger.write_memberships(NAME, key, persons, np.array(classes))
    assert len(ledger.entries()) == 1


def test_the_key_comes_from_the_environment_and_is_never_written():
    assert MembershipKey.from_environment({}) is None
    found = MembershipKey.from_environment({"ANON_LEDGER_KEY": "m" * 32})
    assert found.id == MembershipKey(b"m" * 32).id
    with pytest.raises(ConfigurationError, match="ANON_LEDGER_KEY") as caught:
        MembershipKey.from_environment({"ANON_LEDGER_KEY": "hunter2"})
    assert "hunter2" not in str(caught.value)
    assert "mmmm" not in repr(found)
    with pytest.raises(TypeError, match="never written"):
        pickle.dumps(found)


def test_a_new_ledger_object_reads_the_same(kept, key, place):
    assert len(Ledger(place).read_memberships(NAME, key)) == 50


def test_of_values_it_is_kept_which_are_equal_and_no_more(ledger, key, place):
    ledger.reserve(make_publication(1))
    values = {"job": ["VALUEMARK-a", None, "VALUEMARK-b", "VALUEMARK-a"]}
    ledger.write_memberships(NAME, key, list("wxyz"), np.zeros(4, dtype=int), values)
    found = ledger.read_memberships(NAME, key)
    mine = dict(zip(map(bytes, found.persons), found.values["job"], strict=True))
    w, x, y, z = (mine[bytes(digest)] for digest in key.persons(list("wxyz")))
    assert w == z != y
    assert x == 0
    assert 0 not in (w, y)
    assert b"VALUEMARK" not in place.read_bytes()
    derived = hkdf(b"m" * 32, b'["anon-transformers", "ledger", "values"]')
    digest = hmac.digest(derived, b'["job", "VALUEMARK-a"]', "sha256")[:8]
    assert int(w) == int.from_bytes(digest, "little")
    # Equal values of two columns have nothing in common.
    assert key.values("pay", ["VALUEMARK-a"])[0] != w
    # Other values are another content, though persons and classes are the same.
    ledger.write_memberships(NAME, key, list("wxyz"), np.zeros(4, dtype=int))
    assert ledger.read_memberships(NAME, key).values == {}


def test_what_was_kept_in_another_form_is_not_compared_with(key):
    rows = make_rows(key, ["ann"], np.array([0]), {"ill": ["flu"]})
    blob = key.seal(rows, ("adult", "run-1"))
    assert key.open(blob, ("adult", "run-1")).tolist() == rows.tolist()
    with pytest.raises(LedgerError, match="kept in another form"):
        key.open(b"anon2" + blob[5:], ("adult", "run-1"))
