"""Pages of plugins: in the menu, after our own; a broken one stops nobody."""

from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from anon_transformers import registry as registry_module
from anon_transformers.registry import PAGES, BrokenPlugin, Catalog, Registry
from anon_transformers.studio import Page
from anon_transformers.studio import pages as pages_module
from anon_transformers.studio._page import render
from anon_transformers.studio.pages import all_pages, plugin_pages


def show(request):
    return PlainTextResponse("Hello from a plugin.")


def shown_by_template(request):
    return render(request, "hello/hello.html", who="<script>")


HELLO = Page("hello", "Hello", "Greets.", (Route("/", show),), of_project=False)


def offering(**pages):
    catalog = Catalog("page")
    for name, page in pages.items():
        catalog.add(name, page, "acme", summary="A page.")
    return Registry(pages=catalog)


@pytest.fixture
def installed(monkeypatch):
    def install(found):
        from anon_transformers.studio.pages import projects

        monkeypatch.setattr(pages_module, "registry", lambda: found)
        monkeypatch.setattr(projects, "registry", lambda: found)

    return install


def test_our_own_pages_have_their_names_reserved():
    own = [page.name for page in all_pages() if page.name not in
           registry_module.registry().pages]  # fmt: skip
    assert set(own) <= PAGES
    assert {"jobs", "static", "p"} <= PAGES


def test_a_page_is_listed_with_its_own_summary():
    catalog = Catalog("page")
    catalog.add("hello", HELLO, "acme")
    assert catalog.summary("hello") == "Greets."


def test_a_page_of_a_plugin_comes_last_and_is_shown(installed, make_studio):
    installed(offering(hello=HELLO, later=lambda: HELLO))
    studio = make_studio()
    assert [page.name for page in studio.studio.pages[-2:]] == ["hello", "later"]
    assert studio.get("/hello/").text == "Hello from a plugin."
    assert studio.get("/later/").status_code == 200
    menu = studio.get("/projects/").text
    assert menu.index('href="/projects/"') < menu.index('href="/hello/"')
    # The guard stands before it, too.
    policy = studio.get("/hello/").headers["content-security-policy"]
    assert "script-src 'self'" in policy


def test_templates_of_a_plugin_are_escaped_and_framed(installed, make_studio, tmp_path):
    folder = tmp_path / "templates" / "hello"
    folder.mkdir(parents=True)
    (folder / "hello.html").write_text(
        "{% extends 'page.html' %}{% block content %}Hello, {{ who }}{% endblock %}"
    )
    own = Page("hello", "Hello", "Greets.", (Route("/", shown_by_template),),
               of_project=False, templates=Path(tmp_path / "templates"))  # fmt: skip
    installed(offering(hello=own))
    page = make_studio().get("/hello/").text
    assert "Hello, &lt;script&gt;" in page
    assert '<nav aria-label="Pages">' in page


def broken_page():
    raise RuntimeError("it is <b>not</b> there")


def test_a_broken_page_is_named_on_home_and_stops_nobody(installed, make_studio):
    found = offering(
        hello=HELLO,
        broken=broken_page,
        missing="acme.nowhere:PAGE",
        text=lambda: "no page",
        odd=Page("odd", "Odd", "Odd.", ("no route",)),  # type: ignore[arg-type]
    )
    found = Registry(pages=found.pages, broken=(BrokenPlugin("bad", "b", "why"),))
    installed(found)
    studio = make_studio()
    assert studio.studio.pages[-1].name == "hello"
    home = studio.get("/projects/")
    assert home.status_code == 200
    shown = studio.text(home)
    for name in ("broken", "missing", "text", "odd"):
        assert f"The plugin {name} of acme is broken" in shown
    assert "The plugin bad of b is broken" in shown
    assert "<b>not</b>" not in home.text
    _, faults = plugin_pages(found)
    assert "is no Page of anon_transformers.studio" in str(faults)
