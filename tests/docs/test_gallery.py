"""Every example answers its question: it runs, and draws."""

import ast
import importlib.util
import runpy
from pathlib import Path

import pytest

plt = pytest.importorskip("matplotlib.pyplot", reason="the plots extra")
pytestmark = pytest.mark.docs

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "examples", ROOT / "plugins/graphs/examples")
EXAMPLES = {path.stem: path for f in FOLDERS for path in sorted(f.glob("plot_*.py"))}
FEWEST = 12


@pytest.fixture
def drawn(monkeypatch):
    """What is drawn instead of opening windows."""
    plt.switch_backend("Agg")
    monkeypatch.setattr(plt, "show", lambda: None)
    yield plt.get_fignums
    plt.close("all")


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_draws_its_picture(name, drawn, monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES[name].parent)
    runpy.run_path(str(EXAMPLES[name]), run_name="__main__")
    assert drawn()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_begins_with_a_title_and_a_question(name):
    page = ast.get_docstring(ast.parse(EXAMPLES[name].read_text()))
    title, underline, blank, *_ = page.splitlines()
    assert underline == "=" * len(title)
    assert not blank
    assert "?" in page


def test_there_are_enough_and_each_has_its_place():
    module = ROOT / "docs/_ext/gallery_order.py"
    spec = importlib.util.spec_from_file_location("gallery_order", module)
    order = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(order)
    assert sorted(order.ORDER) == sorted(n.removeprefix("plot_") for n in EXAMPLES)
    assert len(EXAMPLES) >= FEWEST
