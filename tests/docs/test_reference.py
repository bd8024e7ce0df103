"""The reference describes every public name, and nothing else."""

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
