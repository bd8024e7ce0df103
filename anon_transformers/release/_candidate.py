"""What one step leaves in the run's folder for the next."""

import json
from pathlib import Path
from typing import Any

from anon_transformers.exceptions import ReleaseError
from anon_transformers.release._run import Run, sha256, write_json
from anon_transformers.release._seals import sealed, unsealed

VERDICT = "verdict.json"


def read_candidate(run: Run) -> dict[str, Any]:
    """What *anonymize* noted of its candidate; refuses bytes that changed since."""
    folder = run.path("candidate")
    run.refuse_gone()
    if not folder.is_dir():
        raise ReleaseError(f"run {run.id} has no candidate yet.")
    noted = json.loads((folder / "candidate.json").read_text(encoding="utf-8"))
    noted = unsealed(run, noted)
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


def write_verdict(run: Run, verdict: dict[str, Any]) -> None:
    """Keep what *validate* found, bound to this run, its candidate and its report."""
    write_json(run.path(VERDICT), sealed(run, verdict, _judged(run)))


def read_verdict(run: Run) -> dict[str, Any]:
    """What *validate* found of this very candidate."""
    file = run.path(VERDICT)
    if not file.exists():
        raise ReleaseError(f"run {run.id} has not been validated.")
    verdict = json.loads(file.read_text(encoding="utf-8"))
    return unsealed(run, verdict, _judged(run))


def _judged(run: Run) -> list[Path]:
    return [run.path("candidate") / "candidate.json", run.path("validation.html")]
