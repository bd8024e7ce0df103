"""The contract checks of pages: the registered ones pass, broken ones fail."""

import pytest

from anon_transformers.registry import registry
from anon_transformers.testing import check_page, page_checks

pytest.importorskip("starlette")
pytest.importorskip("jinja2")

from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from anon_transformers.studio import Page


@pytest.mark.parametrize("name", list(registry().pages))
def test_registered_pages_keep_the_contract(name):
    check_page(registry().pages[name])


def show(request):
    return PlainTextResponse("Hello.")


def page(name="hello", title="Hello", summary="Greets.", routes=None, templates=None):
    given = (Route("/", show),) if routes is None else routes
    return Page(name, title, summary, given, templates=templates)


def test_a_sound_page_passes_made_early_or_late():
    check_page(page())

    def make():
        """Greet somebody."""
        return page()

    check_page(make)


def made_without_words():
    return page()


def no_page():
    """Return nothing of use."""
    return "hello"


both = Route("/", show, methods=["GET", "POST"])
BROKEN = [
    (page(summary="Greets"), "check_summary", "'Greets'"),
    (made_without_words, "check_summary", "Found: ''"),
    (no_page, "check_is_a_page", "a str"),
    (page(name="Hello"), "check_words", "'Hello'"),
    (page(title=" "), "check_words", "has a title"),
    (page(routes=()), "check_routes", "at its own address"),
    (page(routes=(Mount("/x", routes=[]),)), "check_routes", "'/x' with None"),
    (page(routes=(both,)), "check_routes", "either GET or POST"),
]


@pytest.mark.parametrize(("broken", "check", "message"), BROKEN)
def test_a_broken_page_fails(broken, check, message):
    with pytest.raises(AssertionError, match=message):
        dict(page_checks(broken))[check]()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{% if %}", "Templates are Jinja's"),
        ("<script>alert(1)</script>", "hold no script"),
        ("<style>p {}</style>", "hold no script"),
        ('<a onclick="x()">', "hold no script"),
        (None, "holds some"),
    ],
)
def test_templates_that_no_browser_would_run(tmp_path, text, message):
    if text is not None:
        (tmp_path / "hello.html").write_text(text)
    with pytest.raises(AssertionError, match=message):
        dict(page_checks(page(templates=tmp_path)))["check_templates"]()


def test_templates_of_a_sound_page(tmp_path):
    (tmp_path / "hello.html").write_text("{% extends 'page.html' %}")
    check_page(page(templates=tmp_path))
