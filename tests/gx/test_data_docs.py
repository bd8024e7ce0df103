"""Data Docs that are read without a network."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.gx import (
    ExpectTableToBeDistinctLDiverse,
    ExpectTableToBeKAnonymous,
    build_data_docs,
)
from anon_transformers.gx._data_docs import make_offline

gx = pytest.importorskip("great_expectations")
pytestmark = pytest.mark.gx


class Resources(HTMLParser):
    """What a browser would load or run, the links that it would offer, and the text."""

    def __init__(self, page):
        super().__init__()
        self.loaded, self.links, self.text = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        held = dict(attrs)
        if tag == "script":
            self.loaded.append(held.get("src", "a script"))
        elif tag == "a":
            self.links.append(held.get("href") or "")
        else:
            given = (held.get("src"), held.get("href"))
            self.loaded += [at for at in given if at and not at.startswith("data:")]

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture
def site(publish_docs, file_context, people):
    """Pages of a site by their path, after a checkpoint wrote those of another kind."""
    suite = gx.ExpectationSuite(
        "people",
        [
            ExpectTableToBeKAnonymous(quasi_identifiers=["age", "sex"], k=3),
            ExpectTableToBeDistinctLDiverse(
                quasi_identifiers=["age"], sensitive=["job"], l=2
            ),
            ExpectTableToBeKAnonymous(quasi_identifiers=["gone"], k=3),
        ],
    )
    publish_docs(people, suite)
    (address,) = build_data_docs(file_context).values()
    folder = Path(unquote(urlparse(address).path)).parent
    return {path: path.read_text() for path in folder.rglob("*.html")}


def test_nothing_is_loaded_from_anywhere(site):
    assert len(site) == 3
    for path, page in site.items():
        for at in Resources(page).loaded:
            assert not re.match(r"(https?:)?//|a script", at), (path.name, at)
        assert not re.search(r"url\(\s*['\"]?(https?:)?//|@import", page)
        assert "<style id=" in page


def test_the_index_leads_to_every_page_without_a_script(site):
    (index,) = (path for path in site if path.name == "index.html")
    links = {link for link in Resources(site[index]).links if ".html" in link}
    found = {(index.parent / unquote(link)).resolve() for link in links}
    assert found == {path.resolve() for path in site if path != index}
    assert "Failed" in "".join(site.values())


def test_the_sentences_are_there(site):
    results = next(page for path, page in site.items() if "validations" in str(path))
    said = " ".join("".join(Resources(results).text).split())
    assert (
        "Every combination of age, sex must be shared by at least 3 rows. "
        "2 (2 of 3 classes fail)" in said
    )
    assert "must show at least 2 different values of job." in said
    assert "not evaluated: unknown column 'gone'" in said
    suite = next(page for path, page in site.items() if path.name == "people.html")
    assert "different values of" in suite


def test_pages_are_rewritten_once(site):
    folder = next(path for path in site if path.name == "index.html").parent
    assert make_offline(folder) == 0
    assert {path: path.read_text() for path in site} == site


def test_sites_that_are_elsewhere_are_refused_before_anything_is_built():
    class Elsewhere:
        built = False

        def build_data_docs(self, site_names=None, dry_run=False):
            self.built |= not dry_run
            return {"cloud": "https://docs.example/index.html"}

    context = Elsewhere()
    with pytest.raises(ConfigurationError, match="site 'cloud'"):
        build_data_docs(context)
    assert not context.built
