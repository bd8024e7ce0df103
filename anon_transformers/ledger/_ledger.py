"""The ledger: an append-only record of what was published."""

import os
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from anon_transformers.exceptions import LedgerError, ReservedError, unknown_choice
from anon_transformers.ledger._chain import (
    FIRST,
    LedgerEntry,
    LedgerVerification,
    StoredHead,
    StoredRow,
    canonical,
    chain_faults,
    hash_of_text,
    head_faults,
    read_row,
    sign_head,
    signer_of,
)
from anon_transformers.ledger._memberships import (
    PERSON,
    VARIABLE,
    MembershipKey,
    StoredMemberships,
    make_rows,
    without_person,
)
from anon_transformers.ledger._publication import (
    Publication,
    RecordedPublication,
    fold,
    share_persons,
)
from anon_transformers.ledger._store import ENTRIES, HEADS, MEMBERSHIPS, Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

Name = tuple[str, str]
"""Release and version of a publication."""


class Ledger:
    """What was published, one entry per event, each bound to the one before it.

    Parameters
    ----------
    url : str or path
        A URL of SQLAlchemy, or the path of an SQLite file, which is made for its owner
        alone.
    key : bytes, optional
        The key that signs the end of the chain. Without it the ledger can be read, and
        not written.
    retired : sequence of bytes
        Keys that signed before it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> ledger = Ledger(Path(folder.name) / "ledger.sqlite", key=b"k" * 32)
    >>> first = Publication("adult", "run-1", "adult.csv", "s1", "ab12")
    >>> ledger.reserve(first).event
    'reserved'
    >>> ledger.confirm(first.name).event
    'published'
    >>> [found.state for found in ledger.publications()]
    ['published']
    >>> ledger.verify().intact
    True
    >>> folder.cleanup()
    """

    def __init__(
        self,
        url: str | os.PathLike[str],
        key: bytes | None = None,
        retired: Sequence[bytes] = (),
    ):
        self._store = Store(url)
        self._key = key
        self._keys = [*([] if key is None else [key]), *retired]

    @property
    def exists(self) -> bool:
        """Whether anything may have been written; a database may hold an empty one."""
        return self._store.exists

    # ------------------------------------------------------------ reading

    def entries(self) -> list[LedgerEntry]:
        """Every entry, in order.

        Raises
        ------
        LedgerError
            If one of them cannot be read.
        """
        return self._store.read(_entries, [])

    def publications(
        self,
        beside: Publication | None = None,
        states: Sequence[str] = ("published",),
    ) -> list[RecordedPublication]:
        """Publications in the order of their reservations.

        Parameters
        ----------
        beside : Publication, optional
            Those alone that may hold the same persons as this one.
        states : sequence of str
            Which: of ``"reserved"``, ``"published"`` and ``"given-up"``.
        """
        known = fold(self.entries())
        near = known.keys() if beside is None else _sharing(beside, known)
        return [
            found
            for name, found in known.items()
            if found.state in states and name in near
        ]

    def find(self, name: str) -> RecordedPublication:
        """The publication of a name: its version, or ``release/version``."""
        known = fold(self.entries())
        release, _, version = name.rpartition("/")
        found = [
            each
            for (of, its), each in known.items()
            if its == version and release in ("", of)
        ]
        if not found:
            legal = ["/".join(each) for each in known]
            raise LedgerError(unknown_choice("publication", name, legal))
        if len(found) > 1:
            names = ", ".join("/".join(each.publication.name) for each in found)
            raise LedgerError(f"{version} is a version of several releases: {names}.")
        return found[0]

    def verify(self, key: MembershipKey | None = None) -> LedgerVerification:
        """Look for entries that were changed, removed, reordered or inserted.

        Parameters
        ----------
        key : MembershipKey, optional
            With it, stored memberships are compared with the chain, too.
        """

        def look(connection: sa.Connection) -> Any:
            blobs = connection.execute(sa.select(*MEMBERSHIPS.columns)).all()
            return *_chain(connection), blobs

        nothing: Any = ([], [], [])
        rows, heads, blobs = self._store.read(look, nothing)
        faults, unchecked = self._chain_faults(rows, heads)
        more, left = _blob_faults(_readable(rows), blobs, key)
        return LedgerVerification(
            len(rows), tuple(faults + more), tuple(unchecked + left)
        )

    def refuse_changed(self) -> None:
        """Refuse a ledger whose chain was changed: what it says cannot be judged by.

        Memberships are not looked at; whoever reads one compares it with the chain.

        Raises
        ------
        LedgerError
            With the number of faults.
        """
        nothing: Any = ([], [])
        faults, _ = self._chain_faults(*self._store.read(_chain, nothing))
        if faults:
            raise LedgerError(
                f"the ledger was changed ({len(faults)} faults); see anon ledger "
                "verify."
            )

    def _chain_faults(
        self, rows: Sequence[StoredRow], heads: Sequence[StoredHead]
    ) -> tuple[list[str], list[str]]:
        """What is wrong with entries and heads, and what cannot be checked."""
        of_heads, unchecked = head_faults(
            _readable(rows), heads, self._keys, strangers=not self._store.is_sqlite
        )
        return chain_faults(rows) + of_heads, unchecked

    # ------------------------------------------------------------ publications

    def reserve(self, publication: Publication) -> LedgerEntry:
        """Say that a publication is about to happen; the same again changes nothing.

        Raises
        ------
        ReservedError
            If another publication of the source, or of one that is declared to share
            persons with it, is reserved, and has not been confirmed or given up.
        LedgerError
            If the version was published with other bytes.
        """

        def work(connection: sa.Connection) -> LedgerEntry:
            entries = _entries(connection)
            known = fold(entries)
            mine = known.get(publication.name)
            if mine is not None and mine.state != "given-up":
                if mine.publication.sha256 == publication.sha256:
                    return _last_of(entries, publication.name, "reserved")
                if mine.state == "published":
                    raise LedgerError(
                        f"{_shown(publication.name)} is in the ledger with other bytes."
                    )
            near = _sharing(publication, known) - {publication.name}
            for name, other in known.items():
                if name in near and other.state == "reserved":
                    raise ReservedError(*name, other.reserved_at)
            if mine is not None and mine.state == "reserved":
                _remove_blob(connection, publication.name)
                self._append(connection, "given-up", publication.name)
            return self._append(
                connection,
                "reserved",
                publication.name,
                publication=publication.to_dict(),
            )

        return self._store.write(work)

    def confirm(self, name: Name) -> LedgerEntry:
        """Say that readers see a publication; the same again changes nothing."""
        return self._end(name, "published")

    def give_up(self, name: Name) -> LedgerEntry:
        """Say that a publication will not happen; the same again changes nothing."""
        return self._end(name, "given-up")

    def _end(self, name: Name, event: str) -> LedgerEntry:
        def work(connection: sa.Connection) -> LedgerEntry:
            entries = _entries(connection)
            mine = fold(entries).get(name)
            if mine is None or mine.state not in {"reserved", event}:
                state = "not reserved" if mine is None else mine.state
                raise LedgerError(f"{_shown(name)} is {state}, and cannot be {event}.")
            if mine.state == event:
                return _last_of(entries, name, event)
            if event == "given-up":
                _remove_blob(connection, name)
            return self._append(connection, event, name, sha256=mine.publication.sha256)

        return self._store.write(work)

    # ------------------------------------------------------------ memberships

    def write_memberships(
        self,
        name: Name,
        key: MembershipKey,
        persons: Sequence[str],
        classes: "NDArray[Any]",
        values: Mapping[str, Sequence[str | None]] | None = None,
    ) -> None:
        """Keep which class each person of a reserved publication is in.

        The same again changes nothing; another content takes the place of the first
        until the publication is confirmed.

        Parameters
        ----------
        name : tuple of str
            Release and version.
        key : MembershipKey
            By which persons are keyed and their classes encrypted.
        persons : sequence of str
            The key of each person, as it is written in the source.
        classes : array of int
            The class of each.
        values : mapping of str to sequence of str or None, optional
            For each sensitive column that later releases are judged by, the value of
            each person; kept is only which of them are equal.
        """
        rows = make_rows(key, persons, classes, values)

        def work(connection: sa.Connection) -> None:
            mine = fold(_entries(connection)).get(name)
            if mine is None or mine.state == "given-up":
                raise LedgerError(f"{_shown(name)} is not reserved.")
            stored = _read_blob(connection, name)
            if stored is not None and stored[0] == key.id:
                there = key.open(stored[1], name)
                if there.dtype == rows.dtype and there.tobytes() == rows.tobytes():
                    return
            if mine.state == "published":
                raise LedgerError(
                    f"{_shown(name)} is published; its memberships do not change."
                )
            blob = key.seal(rows, name)
            _replace_blob(connection, name, key.id, blob)
            self._append(
                connection,
                "memberships",
                name,
                key_id=key.id,
                commitment=key.commitment(blob),
            )

        self._store.write(work)

    def read_memberships(self, name: Name, key: MembershipKey) -> StoredMemberships:
        """Which class each person of a publication was in.

        Raises
        ------
        LedgerError
            If they are not kept, belong to another key, or are not those that the chain
            is committed to.
        """

        def look(connection: sa.Connection) -> Any:
            return _entries(connection), _read_blob(connection, name)

        nothing: Any = ([], None)
        entries, stored = self._store.read(look, nothing)
        if stored is None:
            raise LedgerError(f"the ledger keeps no memberships of {_shown(name)}.")
        key_id, blob = stored
        if key_id != key.id:
            raise LedgerError(
                f"the memberships of {_shown(name)} belong to the key {key_id}, and "
                f"{key.id} was given; set {VARIABLE} to that of the first run, which "
                "cannot be recovered."
            )
        if _commitments(entries).get(name) != (key.id, key.commitment(blob)):
            raise LedgerError(
                f"the memberships of {_shown(name)} are not those that were written."
            )
        return StoredMemberships.of_rows(key.open(blob, name))

    def forget(self, name: Name) -> LedgerEntry:
        """Remove the memberships of a publication; the entry that it was made stays."""

        def work(connection: sa.Connection) -> LedgerEntry:
            entries = _entries(connection)
            if name not in fold(entries):
                raise LedgerError(f"the ledger does not know {_shown(name)}.")
            if _read_blob(connection, name) is None:
                raise LedgerError(f"the ledger keeps no memberships of {_shown(name)}.")
            _remove_blob(connection, name)
            return self._append(connection, "forgotten", name, what="memberships")

        return self._store.write(work)

    def forget_person(self, person: str, key: MembershipKey) -> list[Name]:
        """Remove one person from all memberships of a key.

        Somebody unnamed, without a value, stands in their place: that they leave alone
        would expose them in the next release as it would expose anybody.
        The chain notes per publication that a person was removed, and not which.

        Returns
        -------
        list of tuple of str
            Release and version of each publication that they were removed from.

        Raises
        ------
        LedgerError
            If memberships of another key are kept, in which nobody can look; nothing
            is removed then.
        """
        digest = bytes(key.persons([person])[0])
        nobody = secrets.token_bytes(len(digest))  # the same in all publications

        def work(connection: sa.Connection) -> list[Name]:
            rows = connection.execute(sa.select(*MEMBERSHIPS.columns)).all()
            foreign = sorted({row.key_id for row in rows} - {key.id})
            if foreign:
                raise LedgerError(
                    f"memberships of other keys are kept ({', '.join(foreign)}), in "
                    f"which the key {key.id} finds nobody; forget those publications, "
                    "or give the other key first."
                )
            done = []
            for row in rows:
                name = (row.release, row.version)
                pairs = key.open(row.blob, name)
                if (pairs[PERSON] == np.array(digest, pairs.dtype[PERSON])).any():
                    others = without_person(pairs, digest, nobody)
                    blob = key.seal(others, name)
                    _replace_blob(connection, name, key.id, blob)
                    committed = key.commitment(blob)
                    self._append(
                        connection, "forgotten", name, what="person",
                        key_id=key.id, commitment=committed,
                    )  # fmt: skip
                    done.append(name)
            return done

        return self._store.write(work)

    # ------------------------------------------------------------ the chain

    def _append(
        self, connection: sa.Connection, event: str, name: Name, **facts: Any
    ) -> LedgerEntry:
        """Add an entry and move the head to it, in the transaction of a caller."""
        if self._key is None:
            raise LedgerError("the ledger was opened without its key, to be read.")
        newest = connection.execute(
            sa.select(ENTRIES.c.sequence, ENTRIES.c.hash)
            .order_by(ENTRIES.c.sequence.desc())
            .limit(1)
        ).first()
        sequence, previous = (0, FIRST) if newest is None else tuple(newest)
        signer = signer_of(self._key)
        content = {
            **facts,
            "sequence": sequence + 1,
            "previous": previous,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "event": event,
            "release": name[0],
            "version": name[1],
            "signer": signer,
        }
        text = canonical(content)
        entry = LedgerEntry(sequence + 1, content, hash_of_text(text))
        connection.execute(
            ENTRIES.insert().values(
                sequence=entry.sequence, content=text, hash=entry.hash
            )
        )
        head = {
            "sequence": entry.sequence,
            "hash": entry.hash,
            "signature": sign_head(self._key, entry.sequence, entry.hash),
        }
        moved = connection.execute(
            HEADS.update().where(HEADS.c.signer == signer).values(**head)
        )
        if not moved.rowcount:
            # One that somebody removed must not come back unseen.
            if _wrote_before(connection, signer, entry.sequence):
                raise LedgerError(
                    "the ledger was changed: its head is missing; see anon ledger "
                    "verify."
                )
            connection.execute(HEADS.insert().values(signer=signer, **head))
        return entry


_COLUMNS = (ENTRIES.c.sequence, ENTRIES.c.content, ENTRIES.c.hash)
_ALL_ENTRIES = sa.select(*_COLUMNS).order_by(ENTRIES.c.sequence)


def _chain(connection: sa.Connection) -> tuple[list[StoredRow], list[StoredHead]]:
    """Entries and heads, as they are stored."""
    rows: Any = connection.execute(_ALL_ENTRIES)
    heads: Any = connection.execute(sa.select(*HEADS.columns))
    return [tuple(row) for row in rows], [tuple(head) for head in heads]


def _readable(rows: Sequence[StoredRow]) -> list[LedgerEntry]:
    return [entry for row in rows if (entry := read_row(row)) is not None]


def _entries(connection: sa.Connection) -> list[LedgerEntry]:
    found = []
    for row in connection.execute(_ALL_ENTRIES):
        entry = read_row((row.sequence, row.content, row.hash))
        if entry is None:
            raise LedgerError(
                f"the ledger was changed: entry {row.sequence} cannot be read; see "
                "anon ledger verify."
            )
        found.append(entry)
    return found


def _sharing(one: Publication, known: Mapping[Name, RecordedPublication]) -> set[Name]:
    """Those that may hold the same persons; what was given up links nothing."""
    return share_persons(
        one, [each.publication for each in known.values() if each.state != "given-up"]
    )


def _wrote_before(connection: sa.Connection, signer: str, sequence: int) -> bool:
    return any(
        entry.content.get("signer") == signer and entry.sequence < sequence
        for entry in _entries(connection)
    )


def _last_of(entries: Sequence[LedgerEntry], name: Name, event: str) -> LedgerEntry:
    return [e for e in entries if e.publication == name and e.event == event][-1]


def _shown(name: Name) -> str:
    return "/".join(name)


def _of(name: Name) -> Any:
    return (MEMBERSHIPS.c.release == name[0]) & (MEMBERSHIPS.c.version == name[1])


def _read_blob(connection: sa.Connection, name: Name) -> tuple[str, bytes] | None:
    row = connection.execute(
        sa.select(MEMBERSHIPS.c.key_id, MEMBERSHIPS.c.blob).where(_of(name))
    ).first()
    return None if row is None else (row.key_id, row.blob)


def _remove_blob(connection: sa.Connection, name: Name) -> None:
    connection.execute(MEMBERSHIPS.delete().where(_of(name)))


def _replace_blob(
    connection: sa.Connection, name: Name, key_id: str, blob: bytes
) -> None:
    _remove_blob(connection, name)
    connection.execute(
        MEMBERSHIPS.insert().values(
            release=name[0], version=name[1], key_id=key_id, blob=blob
        )
    )


def _commitments(entries: Sequence[LedgerEntry]) -> dict[Name, tuple[str, str] | None]:
    """Key and commitment of what must be kept; None where it must be gone."""
    found: dict[Name, tuple[str, str] | None] = {}
    for entry in entries:
        content: Mapping[str, Any] = entry.content
        if "commitment" in content:
            found[entry.publication] = (content["key_id"], content["commitment"])
        elif entry.event in {"forgotten", "given-up"}:
            found[entry.publication] = None
    return found


def _blob_faults(
    entries: Sequence[LedgerEntry], rows: Sequence[Any], key: MembershipKey | None
) -> tuple[list[str], list[str]]:
    """Memberships that are not those of the chain, and those that nobody can check."""
    committed = {n: kept for n, kept in _commitments(entries).items() if kept}
    stored = {(row.release, row.version): (row.key_id, row.blob) for row in rows}
    faults = [
        f"the memberships of {_shown(name)} are missing"
        for name in committed
        if name not in stored
    ]
    unchecked = []
    for name, (key_id, blob) in stored.items():
        kept = committed.get(name)
        if kept is None or kept[0] != key_id:
            faults.append(f"the memberships of {_shown(name)} were inserted or changed")
        elif key is None or key.id != key_id:
            unchecked.append(
                f"the memberships of {_shown(name)}: the key {key_id} is not here"
            )
        elif key.commitment(blob) != kept[1]:
            faults.append(f"the memberships of {_shown(name)} were changed")
    return faults, unchecked
