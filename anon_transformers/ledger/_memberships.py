"""Which class each person was in: keyed, encrypted, and no more than that.

A person is the HMAC-SHA-256 of their key in the source, cut to 16 bytes, under a key
that is derived from a secret. Of a sensitive value the same is kept, cut to 8 bytes:
releases are judged together by which values are equal, and never by what they are. The
rows are sorted by these digests and encrypted as a whole with AES-GCM. Whoever has the
ledger without the secret learns how long that is, and nothing else.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from anon_transformers._data.persons import person_key
from anon_transformers.exceptions import LedgerError, ParameterError
from anon_transformers.ledger._secrets import SHORTEST, derive_key, read_secret

if TYPE_CHECKING:
    from numpy.typing import NDArray

VARIABLE = "ANON_LEDGER_KEY"
"""Variable of the environment that holds the secret."""
DIGEST_BYTES = 16
VALUE_BYTES = 8
NO_VALUE = 0
"""In place of a value that is missing."""
NONCE_BYTES = 12
FORMAT = b"anon4"
"""First bytes of what is stored: how it is laid out, and by what persons and values
are known."""
_BLOCK = 64
"""Bytes of a block of SHA-256."""
PERSON, CLASS = "\0person", "\0class"
"""Fields of a row beside the values; no column of a table has such a name."""
_HEAD = b"\n"
"""Ends the names of the sensitive columns, before the rows."""


class MembershipKey:
    """The keys that are derived from a secret; none of them is ever written.

    Parameters
    ----------
    secret : bytes or str
        At least 32 bytes, drawn by chance: ``secrets.token_hex(32)``.

    Examples
    --------
    >>> key = MembershipKey(b"x" * 32)
    >>> key
    MembershipKey(id='5727573e93e7d6de')
    >>> len(key.persons(["Ada", "Grace"])), key.persons(["Ada"]).dtype
    (2, dtype('S16'))
    """

    def __init__(self, secret: bytes | str):
        given = secret.encode() if isinstance(secret, str) else bytes(secret)
        if len(given) < SHORTEST:
            raise ParameterError(
                f"secret: it has {len(given)} bytes, and needs at least {SHORTEST} "
                "that are drawn by chance."
            )
        self._persons = derive_key(given, "ledger", "persons")
        self._values = derive_key(given, "ledger", "values")
        self._blob = derive_key(given, "ledger", "memberships")
        self._commitment = derive_key(given, "ledger", "commitment")
        self.id = derive_key(given, "ledger", "name of the key")[:8].hex()

    def __repr__(self) -> str:
        return f"MembershipKey(id={self.id!r})"

    def __reduce__(self) -> Any:
        """Refuse to be pickled: a key would be written."""
        raise TypeError("a key of the ledger is never written.")

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str] | None = None
    ) -> "MembershipKey | None":
        """The key of ``ANON_LEDGER_KEY``; None if the variable is not set."""
        secret = read_secret(VARIABLE, environment)
        return None if secret is None else cls(secret)

    def persons(self, persons: Iterable[str]) -> "NDArray[np.bytes_]":
        """What stands for each person.

        Parameters
        ----------
        persons : iterable of str
            The key of each person, as any source writes it: ``Smith, Anna`` and ``Anna
            Smith`` are one person, and so are ``920-23-7000`` and ``920237000``, or
            ``007`` and ``7``.
        """
        # The two states of HMAC after its key, copied for each person: the same
        # digests as hmac.digest, in half the time.
        block = self._persons.ljust(_BLOCK, b"\0")
        inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block))
        outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))
        found = bytearray()
        for person in persons:
            if type(person) is not str:
                raise ParameterError(
                    "persons: they must be texts, as the source writes them; 1 and 1.0 "
                    "would be two persons."
                )
            within, around = inner.copy(), outer.copy()
            within.update(person_key(person).encode("utf-8", "surrogatepass"))
            around.update(within.digest())
            found += around.digest()[:DIGEST_BYTES]
        return np.frombuffer(bytes(found), dtype=f"S{DIGEST_BYTES}")

    def values(self, column: str, values: Sequence[str | None]) -> "NDArray[np.uint64]":
        """What stands for each value of a sensitive column.

        Parameters
        ----------
        column : str
            Its name; equal values of two columns have nothing in common.
        values : sequence of str or None
            The values; None is missing, and stays so.
        """
        known = {value for value in values if value is not None}
        # In JSON, no part can lend its end to the next. One that is 0 by chance
        # would pass for a missing value, which is never diverse.
        made = {
            value: int.from_bytes(
                hmac.digest(
                    self._values, json.dumps([column, value]).encode(), "sha256"
                )[:VALUE_BYTES],
                "little",
            )
            for value in known
        }
        return np.array(
            [NO_VALUE if value is None else made[value] for value in values],
            dtype=np.uint64,
        )

    def commitment(self, blob: bytes) -> str:
        """What the chain keeps of a blob."""
        return hmac.new(self._commitment, blob, "sha256").hexdigest()

    def seal(self, rows: "NDArray[Any]", publication: tuple[str, str]) -> bytes:
        """Encrypt rows of a person, a class and values, bound to their publication."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        names = json.dumps(list(rows.dtype.names or ())[2:]).encode()
        plain = names + _HEAD + np.ascontiguousarray(rows).tobytes()
        sealed = _cipher(self._blob).encrypt(nonce, plain, _bound(self.id, publication))
        return FORMAT + nonce + sealed

    def open(self, blob: bytes, publication: tuple[str, str]) -> "NDArray[Any]":
        """The rows of a blob; refuses one of another key, or that was changed."""
        from cryptography.exceptions import InvalidTag

        if not blob.startswith(FORMAT):
            raise LedgerError(
                f"the memberships of {'/'.join(publication)} were kept in another form "
                "than this version writes, and cannot be compared with."
            )
        start = len(FORMAT) + NONCE_BYTES
        try:
            plain = _cipher(self._blob).decrypt(
                blob[len(FORMAT) : start], blob[start:], _bound(self.id, publication)
            )
        except (InvalidTag, ValueError):
            raise LedgerError(
                f"the memberships of {'/'.join(publication)} cannot be opened: they "
                "were changed, or belong to another key or publication."
            ) from None
        names, _, rows = plain.partition(_HEAD)
        return np.frombuffer(rows, dtype=_row_type(json.loads(names)))


def _row_type(columns: Sequence[str]) -> np.dtype:
    values = [(name, "<u8") for name in columns]
    return np.dtype([(PERSON, f"S{DIGEST_BYTES}"), (CLASS, "<i4"), *values])


def _cipher(key: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)


def _bound(key_id: str, publication: tuple[str, str]) -> bytes:
    # A name cannot hold a NUL: no part can lend its end to the next.
    return "\0".join((key_id, *publication)).encode()


@dataclass(frozen=True, eq=False)
class StoredMemberships:
    """Which class each person was in.

    Attributes
    ----------
    persons : ndarray of bytes, 16 each
        What stands for each person, ascending; a person of several rows stands there
        several times.
    classes : ndarray of int32
        The class of each.
    values : dict of str to ndarray of uint64
        For each sensitive column that is judged, what stands for the value of each; 0
        is missing.
    """

    persons: "NDArray[np.bytes_]"
    classes: "NDArray[np.int32]"
    values: Mapping[str, "NDArray[np.uint64]"] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.persons)

    @classmethod
    def of_rows(cls, rows: "NDArray[Any]") -> "StoredMemberships":
        """What the rows of a blob hold."""
        names = list(rows.dtype.names or ())[2:]
        values = {name: rows[name].copy() for name in names}
        return cls(rows[PERSON].copy(), rows[CLASS].copy(), values)


def make_rows(
    key: MembershipKey,
    persons: Sequence[str],
    classes: "NDArray[Any]",
    values: Mapping[str, Sequence[str | None]] | None = None,
) -> "NDArray[Any]":
    """Person, class and values, sorted: their order tells nothing of the source."""
    given, values = np.asarray(classes), values or {}
    if given.ndim != 1 or len(given) != len(persons):
        raise ParameterError(
            f"classes: {len(persons)} persons need one class each, got an array of "
            f"shape {given.shape}."
        )
    limits = np.iinfo(np.int32)
    whole = np.issubdtype(given.dtype, np.integer)
    if len(given) and (
        not whole or given.min() < limits.min or given.max() > limits.max
    ):
        raise ParameterError("classes: they must be whole numbers of 32 bits.")
    rows = np.empty(len(given), dtype=_row_type(list(values)))
    rows[PERSON], rows[CLASS] = key.persons(persons), given
    for name, of_persons in values.items():
        if name in (PERSON, CLASS) or len(of_persons) != len(given):
            raise ParameterError(
                f"values: {name!r} needs a value of each of the {len(given)} persons, "
                f"and another name than {PERSON!r} and {CLASS!r}."
            )
        rows[name] = key.values(name, of_persons)
    return rows[np.lexsort((rows[CLASS], rows[PERSON]))]


def without_person(
    rows: "NDArray[Any]", digest: bytes, nobody: bytes
) -> "NDArray[Any]":
    """The rows with nobody in place of a person, and no value.

    That somebody was in a class stays: whoever leaves it alone is found by the
    difference of two tables, and so is somebody who was forgotten.
    """
    # numpy leaves out NULs at the end of bytes, and so must what is compared.
    theirs = rows[PERSON] == np.array(digest, dtype=f"S{DIGEST_BYTES}")
    others = rows.copy()
    others[PERSON][theirs] = nobody
    for name in list(rows.dtype.names or ())[2:]:
        others[name][theirs] = NO_VALUE
    return others[np.lexsort((others[CLASS], others[PERSON]))]
