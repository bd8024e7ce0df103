"""What of a published version can be verified later, by whoever has its folder.

Private evidence is removed at publication, so not every threshold can be judged again.
What remains can be checked: that all files are the bytes that were published, that the
manifest carries the signature of the release's own workspace, and, where persons were
counted, that no class has fewer rows than persons were promised.
"""

import hmac
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ConfigurationError, shortened
from anon_transformers.release._config import LEGAL_NAME
from anon_transformers.release._run import files_of, read_key, sha256

SIGNATURE = "signature"
"""Where a manifest has its signature."""
SIGNED = "files"
"""Where it has the hashes of the files beside the tables."""
SIGNING_KEY = "signing.key"
"""In the private home of a release; whoever has it can check its manifests."""


def signature_of(manifest: Mapping[str, Any], key: bytes) -> str:
    """The signature of a manifest: of all that it says beside the signature."""
    content = {name: part for name, part in manifest.items() if name != SIGNATURE}
    # As it is read again, where a tuple is a list and a date a text.
    plain = json.loads(json.dumps(content, default=str))
    text = json.dumps(plain, sort_keys=True).encode()
    return hmac.new(key, text, "sha256").hexdigest()


@dataclass(frozen=True)
class Verification:
    """What was found in the folder of a published version.

    Attributes
    ----------
    folder : Path
        The version.
    manifest : dict
        What it says of itself.
    changed_files : tuple of str
        Files that are not what the manifest says, or are not there.
    n_files : int
        How many it names.
    signature : str
        ``"holds"``, ``"broken"``, ``"missing"``, or ``"not checked"`` where no
        workspace was named.
    """

    folder: Path
    manifest: dict[str, Any] = field(repr=False)
    changed_files: tuple[str, ...]
    n_files: int
    signature: str

    @property
    def faults(self) -> tuple[str, ...]:
        """Everything that is wrong, in words."""
        faults = [f"{name} is not what was published" for name in self.changed_files]
        if self.signature in {"broken", "missing"}:
            faults.append(
                f"the signature of manifest.json is {self.signature}: this is not what "
                "the release wrote"
            )
        return tuple(faults)

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "name": self.manifest.get("release"),
            "version": self.manifest.get("version"),
            "period": self.manifest.get("period"),
            "files": self.n_files,
            "changed_files": list(self.changed_files),
            "signature": self.signature,
        }


def verify_published(
    folder: str | os.PathLike[str], workspace: str | os.PathLike[str] | None = None
) -> Verification:
    """Compare a published version with its manifest, and the manifest with its key.

    Parameters
    ----------
    folder : path
        The release's target folder, or the folder of one version.
    workspace : path, optional
        The private folder of the release file (``workspace``, by default ``.anon``
        beside it), where the key of the signature lies.

    Returns
    -------
    Verification
        Without a fault if ``faults`` is empty.

    Raises
    ------
    ConfigurationError
        If there is no published version, or the workspace knows no such release.
    """
    place = Path(folder)
    if (place / "current").exists():
        # As it leads now: all files are of one version, though a newer one may come.
        place = (place / "current").resolve()
    try:
        manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        manifest = None
    if not isinstance(manifest, dict) or "sha256" not in manifest:
        raise ConfigurationError(f"{folder} holds no published release.")
    noted = {file["data"]: file["sha256"] for file in files_of(manifest)}
    noted |= manifest.get(SIGNED, {})
    changed = tuple(name for name in noted if _hash_of(place / name) != noted[name])
    signature = "not checked"
    if workspace is not None:
        signature = _judge_signature(manifest, Path(workspace))
    return Verification(place, manifest, changed, len(noted), signature)


def _hash_of(file: Path) -> str | None:
    return sha256(file) if file.is_file() else None


def _judge_signature(manifest: Mapping[str, Any], workspace: Path) -> str:
    name = str(manifest.get("release"))
    file = workspace / name / SIGNING_KEY
    # A name that leads elsewhere would bring a key of its own.
    if not LEGAL_NAME.match(name) or not file.is_file():
        raise ConfigurationError(
            f"workspace: {workspace} has no {SIGNING_KEY} of the release "
            f"{shortened(name)!r}."
        )
    if SIGNATURE not in manifest:
        return "missing"
    given = str(manifest[SIGNATURE])
    wanted = signature_of(manifest, read_key(file))
    # As bytes: compare_digest takes no text beyond ASCII.
    same = hmac.compare_digest(given.encode(), wanted.encode())
    return "holds" if same else "broken"
