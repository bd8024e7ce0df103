"""Data: what the columns are, and what each is to the persons in the table."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from anon_transformers.studio._page import Page, project_of, render


def show(request: Request) -> Response:
    """The table and the roles of its columns."""
    project_of(request)
    return render(request, "data.html")


PAGE = Page(
    "data",
    "Data",
    "See the table, and say what each column is.",
    (Route("/", show),),
)
