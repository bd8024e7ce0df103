"""What one step leaves in the run's folder for the next."""

import json
from typing import Any

from anon_transformers.exceptions import ReleaseError
from anon_transformers.release._run import Run, sha256


def read_candidate(run: Run) -> dict[str, Any]:
    """What *anonymize* noted of its candidate; refuses bytes that changed since."""
    folder = run.path("candidate")
    run.refuse_gone()
    if not folder.is_dir():
        raise ReleaseError(f"run {run.id} has no candidate yet.")
    noted = json.loads((folder / "candidate.json").read_text(encoding="utf-8"))
    for file in files_of(noted):
        if sha256(folder / file["data"]) != file["sha256"]:
            raise ReleaseError(
                f"run {run.id}: the candidate changed after it was made."
            )
    return noted


def files_of(noted: dict[str, Any]) -> list[dict[str, Any]]:
    """The files of a candidate or a published version: a table, or edges and nodes."""
    return [noted, noted["nodes"]] if "nodes" in noted else [noted]


def hash_of(noted: dict[str, Any]) -> str:
    """What tells these bytes from others: the hashes of all files."""
    return "+".join(file["sha256"] for file in files_of(noted))


def read_verdict(run: Run) -> dict[str, Any]:
    """What *validate* found."""
    file = run.path("verdict.json")
    if not file.exists():
        raise ReleaseError(f"run {run.id} has not been validated.")
    return json.loads(file.read_text(encoding="utf-8"))
