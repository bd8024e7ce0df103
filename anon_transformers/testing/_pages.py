"""The contract of pages of Studio."""

import re
from collections.abc import Callable, Iterator
from inspect import isfunction
from pathlib import Path
from typing import Any

from anon_transformers.registry import KINDS, Catalog
from anon_transformers.testing._contract import Check, bind, require, run

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")
PARTS = ("name", "title", "summary", "routes", "of_project", "templates")
REFUSED = re.compile(r"<script(?![^>]*\bsrc=)|<style|\bon[a-z]+=|javascript:", re.I)
"""What the policy of Studio's pages keeps a browser from running."""


def page_checks(page: Any) -> Iterator[Check]:
    """Yield the contract checks of a page, by name.

    Parameters
    ----------
    page : Page, or function that returns one
        As in :func:`check_page`.

    Yields
    ------
    name : str
        What is checked.
    check : callable without arguments
        Raises ``AssertionError`` with the broken sentence of the contract.
    """
    yield from bind(page, [page], lambda _: CHECKS)


def check_page(page: Any, *, verbose: bool = False) -> None:
    """Check a page of Studio against the contract.

    No request is sent to it.

    Parameters
    ----------
    page : Page, or function that returns one
        As it is registered.
    verbose : bool, default=False
        Say on the error stream which check runs, and how it ended.

    Raises
    ------
    AssertionError
        With every sentence of the contract that is broken.

    Examples
    --------
    >>> from starlette.responses import PlainTextResponse
    >>> from starlette.routing import Route
    >>> from anon_transformers.studio import Page
    >>> from anon_transformers.testing import check_page
    >>> def show(request):
    ...     return PlainTextResponse("Hello.")
    >>> check_page(Page("hello", "Hello", "Greets.", (Route("/", show),)))
    """
    run(page, page_checks(page), verbose=verbose)


def check_summary(page: Any) -> None:
    """What ``anon list`` shows without calling it."""
    catalog = Catalog(KINDS["pages"])
    catalog.add("checked", page, "its distribution")
    summary = catalog.summary("checked")
    require(
        summary.endswith("."),
        "A page has a summary, without being made: its own, or the first line of the "
        "docstring of the function that makes it, is a sentence.",
        repr(summary),
    )


def check_is_a_page(page: Any) -> None:
    """A Page, or what returns one."""
    made = _made(page)
    lacking = [part for part in PARTS if not hasattr(made, part)]
    require(
        not lacking,
        "A page is a Page of anon_transformers.studio, or a function without "
        "parameters that returns one.",
        f"a {type(made).__name__}",
    )


def check_words(page: Any) -> None:
    """Its name is a part of an address, its title a line of the menu."""
    made = _made(page)
    sentence = "The name of a page is lower case with hyphens."
    require(NAME.match(made.name), sentence, repr(made.name))
    require(made.title.strip(), "A page has a title.", repr(made.title))
    require(made.summary.endswith("."), "A summary is a sentence.", repr(made.summary))


def check_routes(page: Any) -> None:
    """Its own address shows it, and what changes something is asked for by POST."""
    routes = list(_made(page).routes)
    sentence = "Routes of a page are Starlette's, and each answers either GET or POST."
    for route in routes:
        methods = getattr(route, "methods", None)
        legal = methods is not None and methods in ({"GET", "HEAD"}, {"POST"})
        require(legal, sentence, f"{getattr(route, 'path', route)!r} with {methods}")
    shown = [r.path for r in routes if "GET" in (r.methods or ())]
    require("/" in shown, "A page answers GET at its own address, '/'.", repr(shown))


def check_templates(page: Any) -> None:
    """Templates can be read, and hold nothing that a browser is kept from running."""
    from jinja2 import Environment, TemplateSyntaxError

    folder = _made(page).templates
    if folder is None:
        return
    files = sorted(Path(folder).rglob("*.html"))
    require(files, "The folder of a page's templates holds some.", str(folder))
    for file in files:
        text = file.read_text(encoding="utf-8")
        fault = ""
        try:
            Environment(autoescape=True).parse(text)
        except TemplateSyntaxError as error:
            fault = f"{file.name}, line {error.lineno}: {error.message}"
        require(not fault, "Templates are Jinja's.", fault)
        held = REFUSED.search(text)
        require(
            held is None,
            "Templates hold no script, no style sheet and no event handler: the policy "
            "of Studio's pages runs none of them.",
            f"{file.name} holds {held[0]!r}" if held else "",
        )


CHECKS: tuple[Callable[[Any], None], ...] = (
    check_summary,
    check_is_a_page,
    check_words,
    check_routes,
    check_templates,
)


def _made(page: Any) -> Any:
    return page() if isfunction(page) else page
