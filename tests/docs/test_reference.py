"""The reference describes every public name, and nothing else."""

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the docs extra")
pytestmark = pytest.mark.docs

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def reference():
    """The module that writes the reference."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs/_ext")
        yield import_module("api_pages")
    sys.modules.pop("api_pages", None)


def test_modules_that_offer_names_of_their_own_have_a_page(reference):
    listed = set(reference.packages())
    # Public, though they stand inside a package that does not offer their names.
    assert {
        "anon_transformers.cli.output",
        "anon_transformers.privacy.probabilistic",
        "anon_transformers_graphs",
        "anon_transformers_reproductions",
    } <= listed
    # What its package offers is described there, once.
    assert "anon_transformers.gx.expectations" not in listed
    assert not any("._" in name for name in listed)


def test_every_public_name_is_described_once(reference):
    pages = reference.pages()
    for package in reference.packages():
        for name in reference.public_names(import_module(package)):
            home = reference.described_at(package, name)
            assert f"{home}.{name}.rst" in pages, (package, name)
            assert f"~{home}.{name}\n" in pages[f"{package}.rst"]
    reachable = "".join(text for name, text in pages.items() if name != "index.rst")
    for page in pages:
        name = page.removesuffix(".rst")
        assert name == "index" or f"<{name}>" in reachable + pages["index.rst"]


def described_parameters(item):
    """Names of the section Parameters, as numpydoc reads it."""
    from numpydoc.docscrape import NumpyDocString

    entries = NumpyDocString(inspect.getdoc(item) or "")["Parameters"]
    return [name for entry in entries for name in entry.name.split(", ")]


def test_a_parameter_that_is_described_is_a_name(reference):
    for package in reference.packages():
        module = import_module(package)
        for name in reference.public_names(module):
            item = getattr(module, name)
            methods = reference.own_members(item) if inspect.isclass(item) else []
            for one in (item, *(getattr(item, method) for method in methods)):
                prose = [
                    text
                    for text in (described_parameters(one) if callable(one) else [])
                    if not re.fullmatch(r"\*{0,2}\w+", text)
                ]
                assert not prose, (package, name)


def test_types_and_defaults_of_a_release_file_are_words():
    keys = import_module("anon_transformers.release._keys")
    assert keys.in_words(tuple[str, ...]) == "list of texts"
    assert keys.in_words(bool | None) == "true or false"
    assert keys.in_words(tuple[str | tuple[str, ...], ...]) == (
        "list of texts or lists of texts"
    )
    with pytest.raises(LookupError, match="no word for"):
        keys.in_words(bytes)
    listed = {key.name: key for key in keys.keys_of(keys._config.ReleaseConfig)}
    assert listed["``source``"].default == "**required**"
    assert listed["``workspace``"].default == "``.anon``"
    assert listed["``name``"].default == "name of the file"
    assert "``folder``" not in listed
