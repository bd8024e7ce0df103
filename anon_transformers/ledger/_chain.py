"""The chain of entries: how each is written, and how a changed one is found.

The text of an entry is JSON with sorted keys, without blanks, in ASCII. It holds the
number of the entry and the hash of the entry before it; its own hash is the SHA-256 of
the text. A head per signer says which entry is the signer's last; it carries an HMAC by
the signer's key, so that the end of the chain cannot be cut off, and nobody without the
key can write the chain anew.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FIRST = "0" * 64
"""What the first entry has in place of the hash of the one before it."""
EVENTS = ("reserved", "published", "given-up", "memberships", "forgotten")
SIGNER_BYTES = 8
_NAME_OF_SIGNER = b"anon-transformers ledger signer"


def canonical(content: Mapping[str, Any]) -> str:
    """The one text that stands for some content.

    Examples
    --------
    >>> canonical({"b": 1, "a": ["x", None]})
    '{"a":["x",null],"b":1}'
    """
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def hash_of_text(text: str) -> str:
    """The hash of an entry."""
    return hashlib.sha256(text.encode()).hexdigest()


def signer_of(key: bytes) -> str:
    """A name of a key, from which nobody can get the key."""
    digest = hmac.digest(key, _NAME_OF_SIGNER, "sha256")
    return digest[:SIGNER_BYTES].hex()


def sign_head(key: bytes, sequence: int, entry_hash: str) -> str:
    """The signature of a head."""
    head = {"hash": entry_hash, "sequence": sequence, "signer": signer_of(key)}
    return hmac.new(key, canonical(head).encode(), "sha256").hexdigest()


@dataclass(frozen=True)
class LedgerEntry:
    """One event in the ledger.

    Attributes
    ----------
    sequence : int
        Its number, from 1.
    content : dict
        What it says: ``event``, ``at``, ``release``, ``version`` and more.
    hash : str
        SHA-256 of its text.
    """

    sequence: int
    content: dict[str, Any]
    hash: str

    @property
    def event(self) -> str:
        """What happened: one of ``EVENTS``."""
        return self.content["event"]

    @property
    def publication(self) -> tuple[str, str]:
        """Release and version that it is about."""
        return self.content["release"], self.content["version"]

    def to_dict(self) -> dict[str, Any]:
        """Everything that it says, and its hash."""
        return {**self.content, "hash": self.hash}


@dataclass(frozen=True)
class LedgerVerification:
    """What was found in a ledger.

    Attributes
    ----------
    n_entries : int
        How many entries there are.
    faults : tuple of str
        What was changed, removed, reordered or inserted, by entry.
    unchecked : tuple of str
        What could not be checked, and why.
    """

    n_entries: int
    faults: tuple[str, ...]
    unchecked: tuple[str, ...] = ()

    @property
    def intact(self) -> bool:
        """Whether nothing is wrong with what could be checked."""
        return not self.faults

    def to_dict(self) -> dict[str, Any]:
        """The same for machines."""
        return {
            "entries": self.n_entries,
            "intact": self.intact,
            "faults": list(self.faults),
            "unchecked": list(self.unchecked),
        }


StoredRow = tuple[Any, Any, Any]
"""Sequence, text and hash of an entry, as they are stored."""
StoredHead = tuple[Any, Any, Any, Any]
"""Signer, sequence, hash and signature of a head, as they are stored."""


def read_row(row: StoredRow) -> LedgerEntry | None:
    """The entry of a stored row; None if it is none that we write."""
    sequence, text, entry_hash = row
    if not isinstance(text, str) or not isinstance(entry_hash, str):
        return None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or type(sequence) is not int:
        return None
    named = all(isinstance(content.get(key), str) for key in ("release", "version"))
    if not named or content.get("event") not in EVENTS:
        return None
    return LedgerEntry(sequence, content, entry_hash)


def chain_faults(rows: Sequence[StoredRow]) -> list[str]:
    """What is wrong with entries, each looked at beside the one before it.

    Parameters
    ----------
    rows : sequence of tuple
        Sequence, text and hash, in the order of the sequence.
    """
    faults = []
    before, previous = 0, FIRST
    for row in rows:
        sequence, text, stored = row
        if type(sequence) is not int:
            faults.append("an entry has no number: it was inserted or changed")
            continue
        if sequence <= before:
            faults.append(f"entry {sequence} is there twice: one was inserted")
        elif sequence > before + 1:
            faults.append(_missing(before + 1, sequence - 1))
        entry = read_row(row)
        if entry is None or hash_of_text(text) != stored:
            faults.append(f"entry {sequence} was changed")
        elif entry.content.get("sequence") != sequence:
            faults.append(f"entry {sequence} was moved here from another place")
        # Behind a gap nothing else can be said of it.
        elif sequence == before + 1 and entry.content.get("previous") != previous:
            faults.append(
                f"entry {sequence} does not follow the one before it: one of the two "
                "was changed or inserted"
            )
        before, previous = sequence, stored
    return faults


def _missing(first: int, last: int) -> str:
    if first == last:
        return f"entry {first} is missing"
    return f"entries {first} to {last} are missing"


def head_faults(
    entries: Sequence[LedgerEntry],
    heads: Iterable[StoredHead],
    keys: Sequence[bytes],
    *,
    strangers: bool,
) -> tuple[list[str], list[str]]:
    """What is wrong with the heads, and what cannot be checked without a key.

    Parameters
    ----------
    entries : sequence of LedgerEntry
        Those that can be read.
    heads : iterable of tuple
        Signer, sequence, hash and signature.
    keys : sequence of bytes
        Keys of signers.
    strangers : bool
        Whether signers without a key here may have written: of a ledger that several
        workspaces share.
    """
    known = {signer_of(key): key for key in keys}
    hashes = {entry.sequence: entry.hash for entry in entries}
    last = {str(e.content.get("signer")): e.sequence for e in entries}
    faults: list[str] = []
    unchecked: list[str] = []
    found = set()
    for signer, sequence, entry_hash, signature in heads:
        found.add(signer)
        if type(sequence) is not int or not isinstance(entry_hash, str):
            faults.append("a head was changed: it names no entry")
            continue
        key = known.get(signer) if isinstance(signer, str) else None
        if key is None:
            words = f"the head of signer {signer!s:.16}: its key is not here"
            (unchecked if strangers or not keys else faults).append(words)
        elif not isinstance(signature, str) or not hmac.compare_digest(
            signature.encode(), sign_head(key, sequence, entry_hash).encode()
        ):
            faults.append("the head was changed: its signature does not hold")
            continue
        if sequence not in hashes:
            faults.append(f"entry {sequence} is missing: the head names it as the last")
        elif hashes[sequence] != entry_hash:
            faults.append(f"entry {sequence} is not the one that the head names")
        elif last.get(signer, 0) != sequence:
            faults.append(
                f"entry {last.get(signer, 0)} is not the last that its signer wrote, "
                f"which is {sequence}: it was inserted or changed"
            )
    for signer in sorted(set(last) - found):
        faults.append(
            f"the head of signer {signer:.16} is missing: entry {last[signer]} has it"
        )
    return faults, unchecked
