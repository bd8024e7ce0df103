"""Which class each person was in: keyed, encrypted, and no more than that.

A person is the HMAC-SHA-256 of their key in the source, cut to 16 bytes, under a key
that is derived from a secret. The pairs of person and class are sorted by these digests
and encrypted as a whole with AES-GCM. Whoever has the ledger without the secret learns
how many pairs there are, and nothing else.
"""

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from anon_transformers.exceptions import ConfigurationError, LedgerError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

VARIABLE = "ANON_LEDGER_KEY"
"""Variable of the environment that holds the secret."""
SHORTEST_SECRET = 32
"""Bytes of a secret; one that people make up is guessed."""
DIGEST_BYTES = 16
KEY_BYTES = 32
NONCE_BYTES = 12
FORMAT = b"anon1"
"""First bytes of what is stored."""
_BLOCK = 64
"""Bytes of a block of SHA-256."""
_PAIR = np.dtype([("person", f"S{DIGEST_BYTES}"), ("class", "<i4")])


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
    MembershipKey(id='00084b521f1124b1')
    >>> len(key.persons(["Ada", "Grace"])), key.persons(["Ada"]).dtype
    (2, dtype('S16'))
    """

    def __init__(self, secret: bytes | str):
        given = secret.encode() if isinstance(secret, str) else bytes(secret)
        if len(given) < SHORTEST_SECRET:
            raise ParameterError(
                f"secret: it has {len(given)} bytes, and needs at least "
                f"{SHORTEST_SECRET}; draw one with secrets.token_hex(32)."
            )
        self._persons = _derived(given, b"persons")
        self._blob = _derived(given, b"memberships")
        self._commitment = _derived(given, b"commitment")
        self.id = _derived(given, b"name of the key")[:8].hex()

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
        given = (os.environ if environment is None else environment).get(VARIABLE)
        if not given:
            return None
        try:
            return cls(given)
        except ParameterError as error:
            raise ConfigurationError(f"{VARIABLE}: {error}") from None

    def persons(self, persons: Iterable[str]) -> "NDArray[np.bytes_]":
        """What stands for each person.

        Parameters
        ----------
        persons : iterable of str
            The key of each person, as it is written in the source.
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
            within.update(person.encode("utf-8", "surrogatepass"))
            around.update(within.digest())
            found += around.digest()[:DIGEST_BYTES]
        return np.frombuffer(bytes(found), dtype=f"S{DIGEST_BYTES}")

    def commitment(self, blob: bytes) -> str:
        """What the chain keeps of a blob."""
        return hmac.new(self._commitment, blob, "sha256").hexdigest()

    def seal(self, pairs: "NDArray[Any]", publication: tuple[str, str]) -> bytes:
        """Encrypt pairs of a person and a class, bound to their publication."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        plain = np.ascontiguousarray(pairs).tobytes()
        sealed = _cipher(self._blob).encrypt(nonce, plain, _bound(self.id, publication))
        return FORMAT + nonce + sealed

    def open(self, blob: bytes, publication: tuple[str, str]) -> "NDArray[Any]":
        """The pairs of a blob; refuses one of another key, or that was changed."""
        from cryptography.exceptions import InvalidTag

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
        return np.frombuffer(plain, dtype=_PAIR)


def _derived(secret: bytes, purpose: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    info = b"anon-transformers ledger v1: " + purpose
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=info).derive(secret)


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
    """

    persons: "NDArray[np.bytes_]"
    classes: "NDArray[np.int32]"

    def __len__(self) -> int:
        return len(self.persons)


def make_pairs(
    key: MembershipKey, persons: Sequence[str], classes: "NDArray[Any]"
) -> "NDArray[Any]":
    """Pairs of person and class, sorted: their order tells nothing of the source."""
    given = np.asarray(classes)
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
    pairs = np.empty(len(given), dtype=_PAIR)
    pairs["person"], pairs["class"] = key.persons(persons), given
    return pairs[np.lexsort((pairs["class"], pairs["person"]))]


def without_person(pairs: "NDArray[Any]", digest: bytes) -> "NDArray[Any]":
    """The pairs of all other persons."""
    # numpy leaves out NULs at the end of bytes, and so must what is compared.
    return pairs[pairs["person"] != np.array(digest, dtype=f"S{DIGEST_BYTES}")]
