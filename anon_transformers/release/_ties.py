"""The key by which ties fall alike in all runs of a release."""

import os
import secrets
from pathlib import Path

from anon_transformers._data.ties import KEY_BYTES
from anon_transformers.exceptions import ReleaseError
from anon_transformers.release._run import locked

TIES = "ties.key"
"""In the private home of a release; whoever has it knows how ties fell."""


def tie_key(home: Path) -> bytes:
    """Read the release's key; it is drawn once, by the first run that needs one.

    Without it, persons who tie would change groups from month to month by chance, and
    two versions of their classes would tell more than one.
    """
    file = home / TIES
    with locked(home):
        if not os.path.lexists(file):
            _write_key(file)
    # A link that somebody planted is not followed.
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW), "rb") as handle:
        key = handle.read(KEY_BYTES + 1)
    if len(key) != KEY_BYTES:
        raise ReleaseError(
            f"{file} is no key of {KEY_BYTES} bytes; without the file, the next run "
            "draws another, and ties fall anew once."
        )
    return key


def _write_key(file: Path) -> None:
    """Write a fresh key, whole or not at all, that only its owner can read."""
    draft = file.with_name(f".{file.name}.draft")
    draft.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(draft, flags, 0o600), "wb") as handle:
        handle.write(secrets.token_bytes(KEY_BYTES))
        handle.flush()
        os.fsync(handle.fileno())
    draft.replace(file)
