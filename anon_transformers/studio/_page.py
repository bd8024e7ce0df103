"""What a page is, and what all pages share.

A page is a few routes of Starlette below an address of its own. It answers GET with the
whole page and POST with an edit or a job, after which the browser is sent back to the
page: everything works without a script. Plugins add pages by ``register_pages``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, PackageLoader
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from anon_transformers.exceptions import AnonymizationError, safe_words
from anon_transformers.figures import make_environment
from anon_transformers.studio._guard import local_path
from anon_transformers.studio._jobs import Job
from anon_transformers.studio._period import example_period
from anon_transformers.studio._project import Project
from anon_transformers.studio._source import refuse_without_period

if TYPE_CHECKING:
    from anon_transformers.studio._app import Studio

Endpoint = Callable[..., Any]
BY_SCRIPT, NEXT = "x-studio-script", "x-studio-next"
"""Headers: of a request of our script, and of an answer to it with the next address."""
MOST_FIELDS = 100_000
"""Of a form: the columns of a wide table have several each."""
MOST_DIGITS = 9
"""Of a whole number in a form or an address."""


@dataclass(frozen=True)
class Page:
    """A room of Studio, with a line in its menu.

    Attributes
    ----------
    name : str
        Its part of the address: lower case with hyphens.
    title : str
        What the menu calls it.
    summary : str
        What one does there, in one line.
    routes : sequence of Route
        From its own address on: ``Route("/", show)``, ``Route("/k", set_k,
        methods=["POST"])``.
    of_project : bool
        Whether it is about a project, which :func:`project_of` finds. Other pages are
        there without one, too.
    templates : path, optional
        Folder of its Jinja templates, named ``<page>/….html`` or so; they may extend
        ``page.html``.
    of_tables : bool
        Whether it means nothing for a network, whose menu leaves it out.

    Examples
    --------
    >>> from starlette.routing import Route
    >>> from anon_transformers.studio import Page, project_of
    >>> from starlette.responses import PlainTextResponse
    >>> def show(request):
    ...     return PlainTextResponse(project_of(request).name)
    >>> Page("name", "Name", "Shows the name.", (Route("/", show),)).title
    'Name'
    """

    name: str
    title: str
    summary: str
    routes: Sequence[Route]
    of_project: bool = True
    templates: Path | None = None
    of_tables: bool = False


def studio_of(request: Request) -> "Studio":
    """The running Studio: projects, worker, pages."""
    return request.app.state.studio


class NotOpened(HTTPException):
    """A release file names folders that nobody opened."""

    def __init__(self, folders: Sequence[Path]):
        super().__init__(403, "the release file names folders that were not opened")
        self.folders = tuple(folders)


def named_project(request: Request) -> Project:
    """The project that the address names; 404 if there is none.

    It is for what touches the release file alone; all else is of :func:`project_of`.
    """
    found = studio_of(request).shelf.find(request.path_params.get("project", ""))
    if found is None:
        raise HTTPException(404, "there is no such project, or its file is gone")
    return found


def project_of(request: Request) -> Project:
    """The project that the address names, with no file but below opened folders.

    Raises
    ------
    HTTPException
        404 if there is none; 403 if its release file names files elsewhere, which the
        person is asked about.
    """
    found = named_project(request)
    if outside := found.outside:
        raise NotOpened(outside)
    return found


def address(request: Request, page: str, rest: str = "") -> str:
    """The address of a page, for the project that the request is about if it is."""
    project = request.path_params.get("project")
    return f"/p/{project}/{page}/{rest}" if project else f"/{page}/{rest}"


def make_templates(pages: Sequence[Page]) -> Environment:
    """All templates; those of a page come after our own."""
    folders = [page.templates for page in pages if page.templates is not None]
    own = PackageLoader("anon_transformers.studio")
    return make_environment(own, *map(FileSystemLoader, folders))


def render(
    request: Request, template: str, status: int = 200, **content: Any
) -> Response:
    """Fill a template: with what it is given, and what every page shows.

    Every page has ``studio``, ``request``, ``project`` (or None), ``page`` (its name),
    :func:`address` (handed the name of a page) and ``notices``, which are shown once;
    a page that is left at once gives ``notices=()`` and leaves them to the next.
    """
    studio = studio_of(request)
    if "notices" not in content:
        content["notices"] = studio.take_notices()
    project = None
    if "project" in request.path_params:
        project = studio.shelf.find(request.path_params["project"])
    page = studio.templates.get_template(template).render(
        studio=studio,
        request=request,
        project=project,
        example_period=None if project is None else example_period(project),
        page=request.scope.get("studio.page", ""),
        address=partial(address, request),
        **content,
    )
    return HTMLResponse(page, status)


def action(
    function: Callable[[Request, FormData], str | Response],
) -> Endpoint:
    """Make the answer to a form of a function: it edits, and says where to go next.

    An error of the library, or a stranger's by its type, becomes a notice on the page
    that the form was on. The function runs beside other requests, in a thread.

    Parameters
    ----------
    function : callable
        Called with the request and the form; returns the address to show next, or a
        response.
    """

    @wraps(function)
    async def answer(request: Request) -> Response:
        try:
            form = await request.form(max_fields=MOST_FIELDS)
        except ClientDisconnect:  # by the browser, or by the guard
            raise HTTPException(413, "the form was cut off, or is too large") from None
        try:
            done = await run_in_threadpool(function, request, form)
        except HTTPException:
            raise
        except Exception as error:
            studio_of(request).notice(words_of(error), "error")
            done = came_from(request)
        finally:
            await form.close()
        return go_on(request, done) if isinstance(done, str) else done

    return answer


def form_route(path: str, function: Callable[[Request, FormData], Any]) -> Route:
    """Where a form of a page is sent: :func:`action` answers it."""
    return Route(path, action(function), methods=["POST"])


def go_on(request: Request, to: str) -> Response:
    """Send the browser to an address of ours.

    A script that follows a redirection is not told the place on the page (``#curve``):
    ours asks for the address itself.
    """
    if request.headers.get(BY_SCRIPT) is not None:
        return Response(status_code=204, headers={NEXT: to})
    return RedirectResponse(to, 303)


def words_of(error: Exception) -> str:
    """An error for the person whose data they are: ours in full, others by type."""
    if isinstance(error, AnonymizationError):
        return safe_words(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}."
    return f"this failed with {type(error).__name__}."


def came_from(request: Request) -> str:
    """The page of ours that sent a form."""
    from urllib.parse import urlsplit

    given = urlsplit(request.headers.get("referer", ""))
    if given.netloc == request.headers.get("host") and given.path.startswith("/"):
        return local_path(given.path) + (f"?{given.query}" if given.query else "")
    return "/"


def whole_number(given: Any, otherwise: int) -> int:
    """A whole number as a form or an address has it, or else another one.

    Examples
    --------
    >>> whole_number("12", 1), whole_number("-3", 1), whole_number(None, 1)
    (12, 1, 1)
    """
    text = given if isinstance(given, str) else ""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else otherwise


def start_job(
    request: Request,
    kind: str,
    title: str,
    work: str,
    params: Mapping[str, Any] | None = None,
    back: str | None = None,
) -> str:
    """Start long work on the project, and give the address that shows how far it is.

    Parameters
    ----------
    request : Request
        Of a page of a project.
    kind : str
        Name of its result: ``project.result(kind)``.
    title : str
        What the page calls it.
    work : str
        ``"package.module:function"``, called in the worker process with the project,
        ``params`` and a function to be told how far it is; returns what is kept as
        the result: numbers and short texts.
    params : mapping, optional
        What it is asked; JSON types only.
    back : str, optional
        The page that shows the result; the page of the request by default.
    """
    studio, project = studio_of(request), project_of(request)
    job = studio.worker.running(project, kind)
    if job is None:
        refuse_without_period(project)
        back = back or came_from(request)
        job = Job(kind, title, project, dict(params or {}), work, back)
        studio.worker.submit(job)
    return f"/jobs/{job.id}"
