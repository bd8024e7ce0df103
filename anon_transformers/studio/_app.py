"""The application: pages below addresses, jobs, and what is served with them."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from anon_transformers.studio._guard import LARGEST_UPLOAD, Guard
from anon_transformers.studio._jobs import Job, Worker
from anon_transformers.studio._page import (
    NotOpened,
    Page,
    came_from,
    form_route,
    go_on,
    make_templates,
    named_project,
    project_of,
    render,
    studio_of,
)
from anon_transformers.studio._period import choose_period
from anon_transformers.studio._project import Shelf

STATIC = Path(__file__).parent / "static"
OFTEN = 0.25
"""Seconds between two signs of life of a job, on its page."""


class Studio:
    """One running Studio: its projects, its worker, its pages.

    Parameters
    ----------
    home : Path
        Where uploads and the list of projects lie.
    pages : sequence of Page
        In the order of the menu.
    """

    def __init__(self, home: Path, pages: Sequence[Page]):
        self.shelf, self.worker = Shelf(home), Worker()
        self.pages = tuple(pages)
        self.templates = make_templates(pages)
        self.is_closing = False
        self._notices: list[tuple[str, str]] = []

    def notice(self, text: str, kind: str = "info") -> None:
        """Say something at the top of the next page."""
        self._notices.append((kind, text))

    def take_notices(self) -> list[tuple[str, str]]:
        """What is to be said; it is said once."""
        said, self._notices = self._notices, []
        return said


def make_app(
    home: Path,
    token: str,
    port: int,
    *,
    pages: Sequence[Page] | None = None,
    largest: int = LARGEST_UPLOAD,
) -> Guard:
    """Make the application, behind its guard.

    Parameters
    ----------
    home : Path
        Studio's own folder.
    token : str
        What the printed address carries.
    port : int
        Where the process listens.
    pages : sequence of Page, optional
        Our own and those of plugins by default.
    largest : int
        Bytes of an upload.
    """
    if pages is None:
        from anon_transformers.studio.pages import all_pages

        pages = all_pages()
    studio = Studio(home, pages)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            studio.is_closing = True
            studio.worker.close()

    app = Starlette(
        routes=list(_routes(studio)),
        lifespan=lifespan,
        exception_handlers={
            NotOpened: _not_opened,
            HTTPException: _fault,
            Exception: _failure,
        },
    )
    app.state.studio = studio
    return Guard(app, token, port, largest)


def _routes(studio: Studio) -> Sequence[BaseRoute]:
    return [
        Mount("/static", StaticFiles(directory=STATIC), name="static"),
        Route("/jobs/{job}", _show_job),
        Route("/jobs/{job}/events", _job_events),
        form_route("/jobs/{job}/cancel", _cancel_job),
        form_route("/p/{project}/undo", _undo),
        form_route("/p/{project}/redo", _redo),
        form_route("/p/{project}/period", _look_at),
        form_route("/p/{project}/folders", _open_folders),
        *(
            Mount(place, app=_Named(page))
            for page in studio.pages
            for place in _places(page)
        ),
        Route("/", lambda request: RedirectResponse("/projects/", 303)),
    ]


def _places(page: Page) -> Sequence[str]:
    """Where a page is: one that is about no project keeps the one it was left for."""
    of_project = f"/p/{{project}}/{page.name}"
    return [of_project] if page.of_project else [of_project, f"/{page.name}"]


class _Named:
    """The routes of a page; tells templates which page it is."""

    def __init__(self, page: Page):
        from starlette.routing import Router

        self._name, self._router = page.name, Router(list(page.routes))
        self._of_tables = page.of_tables

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["studio.page"] = self._name
        answer: ASGIApp = self._router
        if self._of_tables and scope["method"] == "GET":
            request = Request(scope)
            project = await run_in_threadpool(project_of, request)
            if project.is_graph:
                answer = render(request, "network.html")
        await answer(scope, receive, send)


def _fault(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return render(request, "fault.html", error.status_code, reason=error.detail)


def _not_opened(request: Request, error: Exception) -> Response:
    """Ask whether the folders of a release file may be looked into."""
    assert isinstance(error, NotOpened)
    return render(request, "folders.html", folders=error.folders)


def _open_folders(request: Request, form: Any) -> str:
    """Open the folders that the person was shown, and no other."""
    project = named_project(request)
    shown = set(form.getlist("folder"))
    opened = [folder for folder in project.outside if str(folder) in shown]
    studio_of(request).shelf.open_folders(project, opened)
    return came_from(request)


def _failure(request: Request, error: Exception) -> Response:
    """Say the type alone: what a stranger's error says may quote a cell."""
    return render(request, "fault.html", 500, reason=f"{type(error).__name__}")


def _move(request: Request, by: int, done: str) -> str:
    what = named_project(request).move(by)
    studio_of(request).notice(
        f"{done}: {what}." if what else f"Nothing is {done.lower()}."
    )
    return came_from(request)


def _undo(request: Request, form: Any) -> str:
    return _move(request, -1, "Undone")


def _redo(request: Request, form: Any) -> str:
    return _move(request, 1, "Redone")


def _look_at(request: Request, form: Any) -> str:
    chosen = choose_period(named_project(request), str(form.get("period", "")).strip())
    said = f"These pages are about {chosen} now." if chosen else "No period is chosen."
    studio_of(request).notice(said)
    return came_from(request)


def _job_of(request: Request) -> Job:
    found = studio_of(request).worker.find(request.path_params["job"])
    if found is None:
        raise HTTPException(404, "there is no such job; it may be of an earlier start")
    return found


def _show_job(request: Request) -> Response:
    job = _job_of(request)
    if job.is_over:
        if job.state != "done":
            why = job.reason if job.state == "failed" else f"{job.title}: cancelled."
            studio_of(request).notice(why, "error" if job.state == "failed" else "info")
        return go_on(request, job.back)
    request.path_params["project"] = job.project.id
    return render(request, "job.html", job=job, facts=job.facts(), notices=())


def _cancel_job(request: Request, form: Any) -> str:
    job = _job_of(request)
    studio_of(request).worker.cancel(job)
    return f"/jobs/{job.id}"


async def _job_events(request: Request) -> Response:
    job, studio = _job_of(request), studio_of(request)

    async def events() -> AsyncIterator[str]:
        while not studio.is_closing:
            yield f"data: {json.dumps(job.facts())}\n\n"
            if job.is_over or await request.is_disconnected():
                return
            await asyncio.sleep(OFTEN)

    return StreamingResponse(events(), media_type="text/event-stream")
