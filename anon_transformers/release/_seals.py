"""What binds the steps of a run: nothing changes between being judged and published.

A run has a key of its own from its first step to its last. Each step seals what it
notes for the next: a verdict of another run, thresholds that were lowered after the
gate, or a candidate with other bytes and a new hash do not fit their seal.
"""

import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ReleaseError
from anon_transformers.release._run import Run, sha256, write_text

KEY = "seal.key"
"""Private: the key of the run, which goes with its folder."""
SEAL = "seal"
"""Where a note has its seal."""


def make_key(folder: Path) -> None:
    """Draw the key of a run."""
    write_text(folder / KEY, secrets.token_hex(32))


def sealed(
    run: Run, note: Mapping[str, Any], files: Sequence[Path] = ()
) -> dict[str, Any]:
    """A note with a seal on it, on the order of the run, and on these files."""
    return {**note, SEAL: _seal(run, note, files)}


def unsealed(
    run: Run, note: Mapping[str, Any], files: Sequence[Path] = ()
) -> dict[str, Any]:
    """The note without its seal; refuses one that was not made so in this run."""
    content = {key: value for key, value in note.items() if key != SEAL}
    kept = note.get(SEAL)
    if not isinstance(kept, str) or not hmac.compare_digest(
        kept, _seal(run, content, files)
    ):
        raise ReleaseError(
            f"run {run.id}: its notes, its order or its files were changed between two "
            "steps; start the release again."
        )
    return content


def _seal(run: Run, note: Mapping[str, Any], files: Sequence[Path]) -> str:
    key = run.path(KEY)
    if not key.is_file():
        raise ReleaseError(f"run {run.id} has no key; start the release again.")
    # As it is read again, where a tuple is a list and a key a text.
    content = json.dumps(json.loads(json.dumps(note, default=str)), sort_keys=True)
    parts = [run.id, content, *map(sha256, (run.path("run.json"), *files))]
    # In JSON, no part can lend its end to the next.
    message = json.dumps(parts).encode()
    secret = bytes.fromhex(key.read_text(encoding="ascii"))
    return hmac.new(secret, message, "sha256").hexdigest()
