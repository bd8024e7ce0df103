"""Charts: what they hold, that a page may hold them, that nothing in them acts."""

import builtins
import re
import xml.etree.ElementTree as ET

import pytest

from anon_transformers.exceptions import ConfigurationError
from anon_transformers.figures import (
    bar_chart,
    before_after_chart,
    line_chart,
    matrix_chart,
    step_chart,
)

pytest.importorskip("matplotlib", reason="the plots extra")

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert('&')</script> $\\frac{1$ 名\x00\ud800 _x"


def all_charts(name="age"):
    names = [name, "_hidden"]
    return {
        "bars": bar_chart(name, names, [1, 2], label_name=name, value_name=name),
        "long bars": bar_chart(name, [f"{name} {n}" for n in range(20)], [*range(20)]),
        "pairs": before_after_chart(name, names, [1.0, 0.5], [0.2, None]),
        "lines": line_chart(name, [1, 200], {name: [1, 5000], "_b": [0, None]}),
        "steps": step_chart(name, [1, 2], {name: [0.1, 0.2]}, x_name=name),
        "matrix": matrix_chart(name, names, [[1, None], [-0.5, 1]]),
    }


KINDS = list(all_charts())


def texts(chart):
    return ["".join(e.itertext()) for e in ET.fromstring(chart.svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_name_stays_a_text(kind):
    chart = all_charts(HOSTILE)[kind]
    root = ET.fromstring(chart.svg)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "defs", "g", "path", "use", "text", "clipPath",
                    "rect", "tspan"}  # fmt: skip
    assert "<script" not in chart.svg
    assert not [name for e in root.iter() for name in e.attrib if name[:2] == "on"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_has_a_title_and_no_style_sheet(kind):
    chart = all_charts()[kind]
    root = ET.fromstring(chart.svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == chart.title == root.find(f"{SVG}title").text
    assert "<style" not in chart.svg
    assert "<metadata" not in chart.svg


@pytest.mark.parametrize("kind", KINDS)
def test_references_stay_in_the_chart_and_ids_are_its_own(kind):
    one, other = all_charts("age")[kind], all_charts("sex")[kind]
    ids = set(re.findall(r' id="([^"]*)"', one.svg))
    named = re.findall(r'href="([^"]*)"', one.svg)
    named += re.findall(r"url\(([^)]*)\)", one.svg)
    assert named
    assert {reference.removeprefix("#") for reference in named} <= ids
    assert ids.isdisjoint(re.findall(r' id="([^"]*)"', other.svg))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_numbers_give_the_same_bytes(kind):
    assert all_charts()[kind] == all_charts()[kind]


def test_texts_stay_texts_and_long_ones_are_cut():
    chart = bar_chart("t", ["short", "x" * 60], [1, 2], value_name="$pay$")
    assert {"short", "x" * 27 + "…", "$pay$"} <= set(texts(chart))
    assert chart.rows[1] == ("x" * 60, 2)


def test_a_name_with_an_underscore_is_in_the_legend():
    assert {"_a", "_b"} <= set(texts(line_chart("t", [1], {"_a": [1], "_b": [2]})))


def test_a_bar_says_its_number():
    chart = before_after_chart("Risk", ["highest"], [1.0], [0.2])
    said = [element.text for element in ET.fromstring(chart.svg).iter(f"{SVG}title")]
    assert said == ["Risk", "highest: source: 1", "highest: published: 0.2"]


def test_a_chart_of_nothing_is_drawn():
    assert bar_chart("t", [], []).rows == ()
    assert line_chart("t", [], {}).rows == ()


def test_without_matplotlib_the_error_says_how_to_install(monkeypatch):
    real = builtins.__import__

    def no_matplotlib(name, *args, **kwargs):
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_matplotlib)
    with pytest.raises(ConfigurationError, match=r"anon-transformers\[plots\]"):
        bar_chart("t", ["a"], [1])
