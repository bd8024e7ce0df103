"""Published tables of a release, to download: what readers get, and nothing else."""

import json
import os
import re
import stat
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.release import ReleaseConfig
from anon_transformers.release._config import is_address
from anon_transformers.release._run import is_plain
from anon_transformers.studio import _runs
from anon_transformers.studio._page import project_of

MOST = 5
"""Runs whose tables are offered."""
POLICY = "default-src 'none'; sandbox"
"""Should a browser show the file all the same, it is of no origin and loads nothing."""


def target_of(config: ReleaseConfig) -> str:
    """The folder that the release is published to, from the root on."""
    given = config.target.path
    return given if is_address(given) else os.path.normpath(config.unresolved(given))


def tables_of(runs: list[_runs.PastRun]) -> list[tuple[str, str, str]]:
    """Run, name of the download and name of the file, newest first."""
    found = [one for one in runs if one.outcome == "published"][:MOST]
    return [
        (one.run, f"{one.release}{file.suffix}", file.name)
        for one in found
        for file in _files(one)
    ]


def _files(run: _runs.PastRun) -> list[Path]:
    """The files that the manifest calls the published table, or the graph."""
    if run.outcome != "published" or run.folder is None:
        return []
    try:
        text = (run.folder / "manifest.json").read_text(encoding="utf-8")
        manifest = json.loads(text)
        stated = [manifest.get("data"), (manifest.get("nodes") or {}).get("data")]
    except (OSError, ValueError, AttributeError):
        return []
    names = [name for name in stated if isinstance(name, str)]
    # A name is one of this folder, and no link to elsewhere.
    files = [run.folder / name for name in names if Path(name).name == name]
    return [file for file in files if is_plain(file, stat.S_ISREG)]


def download_table(request: Request) -> Response:
    """The published table of a run, as a file."""
    project = project_of(request)
    run, wanted = request.path_params["run"], request.path_params["file"]
    try:
        runs = _runs.runs_of(project)
    except ConfigurationError as error:
        raise HTTPException(422, str(error).rstrip(".")) from None
    found = (file for one in runs if one.run == run for file in _files(one))
    file = next((one for one in found if one.name == wanted), None)
    if file is None:
        raise HTTPException(404, "this run has published no such table")
    name = re.sub(r"[^A-Za-z0-9_.-]", "-", f"{project.name}-{run}-{file.name}")
    return FileResponse(
        file,
        media_type="application/octet-stream",
        filename=name,
        headers={"content-security-policy": POLICY},
    )
