"""Secrets of the publisher, and the keys that are derived from them.

A secret is in the environment alone; neither it nor a derived key is ever written.
"""

import json
import os
from collections.abc import Mapping

from anon_transformers.exceptions import ConfigurationError

SHORTEST = 32
"""Bytes of a secret; one that people make up is guessed."""
HOW_TO_DRAW = "openssl rand -hex 32"
KEY_BYTES = 32


def read_secret(
    variable: str, environment: Mapping[str, str] | None = None
) -> bytes | None:
    """The secret of a variable of the environment; None if it is not set.

    Raises
    ------
    ConfigurationError
        If it is too short; the words do not hold it.

    Examples
    --------
    >>> read_secret("ANON_LEDGER_KEY", {"ANON_LEDGER_KEY": " " + "5" * 64})[:3]
    b'555'
    >>> read_secret("ANON_LEDGER_KEY", {}) is None
    True
    """
    given = (os.environ if environment is None else environment).get(variable, "")
    secret = given.strip().encode()
    if not secret:
        return None
    if len(secret) < SHORTEST:
        raise ConfigurationError(
            f"{variable} has {len(secret)} bytes, and needs at least {SHORTEST} that "
            f"are drawn by chance: {HOW_TO_DRAW}."
        )
    return secret


def derive_key(secret: bytes, *purpose: str) -> bytes:
    """A key for one purpose, from which neither secret nor other keys are found."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    # In JSON, no part can lend its end to the next.
    info = json.dumps(["anon-transformers", *purpose]).encode()
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=info).derive(secret)
