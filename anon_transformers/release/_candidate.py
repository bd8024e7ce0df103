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
    if sha256(folder / noted["data"]) != noted["sha256"]:
        raise ReleaseError(f"run {run.id}: the candidate changed after it was made.")
    return noted


def read_verdict(run: Run) -> dict[str, Any]:
    """What *validate* found."""
    file = run.path("verdict.json")
    if not file.exists():
        raise ReleaseError(f"run {run.id} has not been validated.")
    return json.loads(file.read_text(encoding="utf-8"))
