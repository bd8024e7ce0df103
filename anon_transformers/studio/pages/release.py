"""Release: the files that Airflow runs, a run of them here, and all runs so far."""

import os
import re
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from anon_transformers.exceptions import AnonymizationError, ConfigurationError
from anon_transformers.release import ReleaseConfig
from anon_transformers.release._config import BUNDLED, checked_text
from anon_transformers.release._status import ACKNOWLEDGE, FAILURES, status_of
from anon_transformers.studio import _runs, _written
from anon_transformers.studio._page import (
    Page,
    address,
    form_route,
    project_of,
    render,
    start_job,
    studio_of,
)
from anon_transformers.studio._project import Content, Project
from anon_transformers.studio.pages._published import (
    download_table,
    tables_of,
    target_of,
)

REPORT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "sandbox",
    )
)
"""A report is one document with its style inside. In the sandbox it runs no script, and
is of no origin: nothing in it could ask for a page of ours."""


def show(request: Request) -> Response:
    """The release file as text, its files, its runs."""
    return _shown(request)


def _shown(request: Request, text: str | None = None, fault: str = "") -> Response:
    """The page; with a text that was refused, and why."""
    # Loads numpy and pandas, which a Studio that only starts can do without.
    from anon_transformers.release._composition import keeps_nobody

    project = project_of(request)
    try:
        config = project.config
    except ConfigurationError:
        config = None
    runs = [] if config is None else _runs.runs_of(project)
    job = studio_of(request).worker.last(project, _runs.RELEASE)
    return render(
        request,
        "release.html",
        text=project.text if text is None else text,
        refused=fault,
        config=config,
        checked=project.result(_runs.CHECK),
        released=project.result(_runs.RELEASE),
        statuses=[] if config is None else status_of(config, project.file),
        runs=runs,
        refused_runs=_runs.refused_of(runs),
        failures=FAILURES,
        failure=job.reason if job is not None and job.state == "failed" else "",
        # The command of a shell: the page has a button.
        by_command=f" ({ACKNOWLEDGE})",
        private={one.run for one in runs if one.private_report is not None},
        measured=MEASURED,
        uploaded=config is not None and _is_uploaded(project, config),
        keeps_nobody=config is not None and keeps_nobody(config),
        target="" if config is None else target_of(config),
        tables=[] if config is None else tables_of(runs),
    )


def _is_uploaded(project: Project, config: ReleaseConfig) -> bool:
    """Whether the table is removed with the project."""
    files = [text for text in config.source.files.values() if project.owned]
    return any(
        Path(os.path.normpath(config.unresolved(text))).is_relative_to(project.folder)
        for text in files
        if not text.startswith(BUNDLED)
    )


MEASURED = {
    "rows": "Rows",
    "nodes": "Nodes",
    "edges": "Edges",
    "suppressed_rows": "Suppressed",
    "smallest": "Smallest class",
    "average risk": "Average risk",
    "loss": "Loss",
}
"""Columns of the list of runs, each shown if a run has it."""


def save(request: Request, form: FormData) -> str | Response:
    """Take another text for the release file, if it is one."""
    project = project_of(request)
    # Browsers send the ends of lines as Windows writes them.
    text = str(form.get("text", "")).replace("\r\n", "\n")
    try:
        checked_text(project.file, text)
    except ConfigurationError as error:
        words = str(error).removeprefix(f"{project.file}:").strip()
        return _shown(request, text, words)
    if text != project.text:
        project.replace("release file edited as text", text)
    return check(request, form)


def check(request: Request, form: FormData) -> str:
    """Check the file as ``anon check`` does: names, parameters, hierarchies, suite."""
    return start_job(
        request,
        _runs.CHECK,
        "Check the release file",
        _runs.CHECK_WORK,
        back=address(request, "release"),
    )


def drop_suite(request: Request, form: FormData) -> str:
    """Let the thresholds make the suite, in place of a file of its own."""

    def change(content: Content) -> None:
        content.pop("suite", None)

    project_of(request).edit("suite made of the thresholds", change)
    return address(request, "release")


def run(request: Request, form: FormData) -> str:
    """Load, anonymize, validate, publish."""
    project = project_of(request)
    return start_job(
        request,
        _runs.RELEASE,
        f"Release {project.name}",
        _runs.RELEASE_WORK,
        back=address(request, "release"),
    )


def acknowledge(request: Request, form: FormData) -> str:
    """Take note of a run that was refused."""
    name = str(form.get("run", ""))
    _runs.acknowledge(project_of(request), name)
    studio_of(request).notice(f"{name}: acknowledged.")
    return address(request, "release")


def write(request: Request, form: FormData) -> str:
    """Write release file, suite, hierarchies and DAG file into a folder."""
    given = str(form.get("folder", "")).strip()
    if not given:
        raise ConfigurationError("name a folder: its whole path on this machine.")
    written = _written.write_project(
        project_of(request),
        Path(given).expanduser(),
        copy_source=form.get("copy") is not None,
    )
    listed = "\n".join(str(path) for path in written)
    studio_of(request).notice(
        f"Wrote\n{listed}\nNext: anon release {written[0]}, or let Airflow read "
        f"{written[2]}."
    )
    return address(request, "release")


def download(request: Request) -> Response:
    """One of the three files."""
    project, wanted = project_of(request), request.path_params["file"]
    try:
        if wanted == "release":
            return _attached(project.text, f"{project.name}.yaml", "application/yaml")
        if wanted == "suite":
            text = _written.suite_text(project)
            return _attached(text, f"{project.name}.json", "application/json")
        if wanted == "dag":
            return _attached(_written.dag_text(), "releases.py", "text/x-python")
    except AnonymizationError as error:
        raise HTTPException(422, str(error).rstrip(".")) from None
    raise HTTPException(404, "there are a release, a suite and a dag to download")


def _attached(text: str, name: str, kind: str) -> Response:
    # The name of a release is that of its file, which may be anything.
    kept = re.sub(r"[^A-Za-z0-9_.-]", "-", name)
    return Response(
        text,
        media_type=f"{kind}; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{kept}"'},
    )


def report(request: Request) -> Response:
    """The validation report of a run, which shows itself and nothing else."""
    return _report(request, attrgetter("report"))


def private_report(request: Request) -> Response:
    """The private report of a run, shown the same way."""
    return _report(request, attrgetter("private_report"))


def _report(
    request: Request, which: Callable[[_runs.PastRun], Path | None]
) -> Response:
    project, wanted = project_of(request), request.path_params["run"]
    try:
        runs = _runs.runs_of(project)
    except ConfigurationError as error:
        raise HTTPException(422, str(error).rstrip(".")) from None
    found = (which(one) for one in runs if one.run == wanted)
    file = next((one for one in found if one is not None), None)
    if file is None:
        raise HTTPException(404, "there is no report of such a run")
    return Response(
        file.read_bytes(),
        media_type="text/html; charset=utf-8",
        headers={"content-security-policy": REPORT_POLICY},
    )


PAGE = Page(
    "release",
    "Release",
    "Take the files with you, or publish here.",
    (
        Route("/", show),
        form_route("/yaml", save),
        form_route("/check", check),
        Route("/table/{run}/{file}", download_table),
        form_route("/suite", drop_suite),
        form_route("/run", run),
        form_route("/acknowledge", acknowledge),
        form_route("/write", write),
        Route("/files/{file}", download),
        Route("/report/{run}", report),
        Route("/private/{run}", private_report),
    ),
)
