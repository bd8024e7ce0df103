"""Plots and pages: what is drawn, what is written, that a page stands alone."""

import builtins
import re
from base64 import b64decode
from html.parser import HTMLParser
from io import BytesIO

import pandas as pd
import pytest

from anon_transformers import DataflyAnonymizer, MondrianAnonymizer
from anon_transformers.datasets import make_dependent
from anon_transformers.exceptions import ConfigurationError
from anon_transformers.experiments import (
    NUMBER_COLUMNS,
    Findings,
    compare,
    write_comparison,
    write_findings,
)
from anon_transformers.experiments._pages import refuse_existing, shown
from anon_transformers.experiments._plots import Panels, comparison_panels, draw
from anon_transformers.metrics import RecordsAtRisk

PNG = b"\x89PNG\r\n"
pytest.importorskip("matplotlib", reason="the plots extra")
pytest.importorskip("jinja2", reason="the plots extra")


@pytest.fixture(scope="module")
def results():
    methods = {"mondrian": MondrianAnonymizer(), "<datafly>": DataflyAnonymizer()}
    grid = {"k": [2, 4, 400], "mondrian.mode": ["strict", "relaxed"]}
    return compare(make_dependent(6, 3), methods, grid)


class References(HTMLParser):
    """Everything a page would have to fetch."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [v for k, v in attrs if k in {"src", "href", "srcset"}]


def test_a_comparison_is_written_as_page_table_and_ten_plots(results, tmp_path):
    files = write_comparison(results, tmp_path / "new" / "folder")
    names = [file.name for file in files]
    assert names == [
        "comparison.html", "comparison.csv", "classes.png", "smallest.png",
        "largest.png", "mean.png", "variance.png", "loss.png", "average_risk.png",
        "kept_rows.png", "suppressed_rows.png", "seconds.png",
    ]  # fmt: skip
    assert all(file.read_bytes().startswith(PNG) for file in files[2:])


def test_metrics_that_were_asked_for_are_shown_and_drawn(tmp_path):
    metrics = {"at risk, by 1/5": RecordsAtRisk(threshold=0.2)}
    methods = {"mondrian": MondrianAnonymizer()}
    found = compare(make_dependent(6, 3), methods, {"k": [2, 9]}, metrics=metrics)
    files = write_comparison(found, tmp_path)
    assert files[2].name == "at-risk-by-1-5.png"
    assert "at risk, by 1/5" in files[0].read_text(encoding="utf-8")


def test_the_page_needs_nothing_else(results, tmp_path):
    page = write_comparison(results, tmp_path, "A & B")[0].read_text(encoding="utf-8")
    references = References()
    references.feed(page)
    assert len(references.found) == 10
    assert all(r.startswith("data:image/png;base64,") for r in references.found)
    inside = [b64decode(r.partition(",")[2]) for r in references.found]
    assert inside[0] == (tmp_path / "classes.png").read_bytes()
    assert "<script" not in page
    assert "A &amp; B" in page
    assert "&lt;datafly&gt;" in page


def test_the_page_shows_every_run_and_its_error(results, tmp_path):
    page = write_comparison(results, tmp_path)[0].read_text(encoding="utf-8")
    assert len(re.findall(r"<tr>", page)) == 1 + len(results)
    assert "has 216 rows" in page
    # A picture's letters may spell anything; the words of the page may not.
    assert "nan" not in re.sub(r"data:image/png;base64,[^\"]+", "", page)
    assert "&lt;NA&gt;" not in page


def test_the_page_says_where_its_numbers_come_from(results, tmp_path):
    page = write_comparison(results, tmp_path)[0].read_text(encoding="utf-8")
    for text in (
        "<dt>rows</dt><dd>216</dd>",
        "<dt>quasi-identifiers</dt><dd>A_0, A_1, A_2 (all columns",
        "<dt>fixed for mondrian</dt>",
        "tie_side=both",
        "<dt>versions</dt><dd>Python",
        "UTC</dd>",
    ):
        assert text in page


def test_methods_with_columns_of_their_own_are_told_apart():
    methods = {"a": MondrianAnonymizer(["A_0"]), "b": MondrianAnonymizer(["A_1"])}
    about = compare(make_dependent(6, 2), methods).attrs["about"]
    assert about["quasi-identifiers of a"] == "A_0"
    assert about["quasi-identifiers of b"] == "A_1"
    assert about["sensitive"] == "none"


def test_the_csv_file_holds_the_numbers(results, tmp_path):
    write_comparison(results, tmp_path)
    read = pd.read_csv(tmp_path / "comparison.csv")
    assert read["loss"].tolist() == pytest.approx(results["loss"].tolist(), nan_ok=True)
    assert read["parameters"].iloc[0] == "k=2 mode=strict"


def test_one_line_a_method_and_its_parameters_against_k(results):
    lines = set(comparison_panels(results)[0].data["line"])
    assert lines == {"mondrian mode=strict", "mondrian mode=relaxed", "<datafly>"}


@pytest.fixture
def axes(monkeypatch):
    """The axes of the figure that was drawn last."""
    from matplotlib.figure import Figure

    seen = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *_, **__: seen.append(self))
    return lambda panels: (draw(panels), seen[-1].axes)[1]


def test_lines_go_through_the_measured_points(axes, results):
    (axis,) = axes(comparison_panels(results)[0])
    strict, relaxed, datafly = axis.get_lines()
    expected = results[results["method"] == "<datafly>"].dropna(subset="classes")
    assert datafly.get_label() == "<datafly>"
    assert list(datafly.get_xdata()) == expected["k"].tolist() == [2, 4]
    assert list(datafly.get_ydata()) == expected["classes"].tolist()
    assert strict.get_label() != relaxed.get_label()


def test_points_are_joined_in_the_order_of_k(axes):
    data = pd.DataFrame({"x": [10, 2, 5], "line": "a", "y": [1.0, 3.0, 2.0]})
    (axis,) = axes(Panels("p", "P", data, {"y": "Y"}))
    assert list(axis.get_lines()[0].get_xdata()) == [2, 5, 10]
    assert list(axis.get_lines()[0].get_ydata()) == [3.0, 2.0, 1.0]


def test_names_stand_below_in_their_own_order(axes):
    data = pd.DataFrame({"x": ["zoo", "ant"], "line": "a", "y": [1.0, 1000.0]})
    (axis,) = axes(Panels("p", "P", data, {"y": "Y"}, "data set"))
    assert [tick.get_text() for tick in axis.get_xticklabels()] == ["zoo", "ant"]
    assert axis.get_yscale() == "log"
    assert axis.get_xlabel() == "data set"


def test_a_panel_for_every_measure(axes):
    data = pd.DataFrame({"x": [1, 2], "line": "a", "y": [0.0, 1.0], "z": [5.0, 6.0]})
    drawn = axes(Panels("p", "P", data, {"y": "Why", "z": "Zed"}))
    assert [axis.get_ylabel() for axis in drawn] == ["Why", "Zed"]
    assert drawn[0].get_yscale() == "linear"


@pytest.mark.parametrize(
    ("numbers", "scale"),
    [
        ([1.0, 49.0], "linear"), ([1.0, 50.0], "log"), ([0.0, 1.0, 50.0], "symlog"),
        ([-1.0, 1.0, 50.0], "linear"), ([0.0, 50.0], "linear"),
    ],
)  # fmt: skip
def test_numbers_far_apart_are_drawn_on_a_logarithmic_axis(axes, numbers, scale):
    data = pd.DataFrame({"x": range(2, 2 + len(numbers)), "line": "a", "y": numbers})
    (axis,) = axes(Panels("p", "P", data, {"y": "Y"}))
    assert axis.get_yscale() == scale


def test_a_comparison_in_which_nothing_ran_is_drawn_empty():
    found = compare(make_dependent(2, 2), {"m": MondrianAnonymizer()}, {"k": [5, 6]})
    assert all(draw(panels).startswith(PNG) for panels in comparison_panels(found))


def test_a_picture_is_as_large_as_it_says(results):
    image = pytest.importorskip("PIL.Image")
    picture = image.open(BytesIO(draw(comparison_panels(results)[0])))
    assert picture.size[0] > picture.size[1] > 300


def findings(**changes):
    row = dict.fromkeys(NUMBER_COLUMNS) | {
        "where": "Table <1>", "published": 5, "recomputed": 5, "ours": 5,
        "equal": True, "reason": "",
    } | changes  # fmt: skip
    runs = pd.DataFrame({"data_set": ["a"], "combinations": [5]})
    figure = pd.DataFrame({"x": [2], "line": ["a"], "y": [1.0]})
    return Findings(
        "Old & new", pd.DataFrame([row]), runs,
        (Panels("figure-1", "One", figure, {"y": "Y"}),), ("mind the gap",),
    )  # fmt: skip


def test_findings_are_written_with_their_figures(tmp_path):
    files = write_findings(findings(), tmp_path, "old-new")
    names = [file.name for file in files]
    assert names == ["old-new.html", "old-new.csv", "old-new-runs.csv", "figure-1.png"]
    page = files[0].read_text(encoding="utf-8")
    assert "Old &amp; new" in page
    assert "Table &lt;1&gt;" in page
    assert "mind the gap" in page
    assert 'class="differs"' not in page
    assert pd.read_csv(files[1])["ours"].tolist() == [5]
    assert pd.read_csv(files[2])["combinations"].tolist() == [5]


def test_a_difference_stands_out(tmp_path):
    files = write_findings(findings(equal=False, reason="why"), tmp_path, "x")
    assert 'class="differs"' in files[0].read_text(encoding="utf-8")


def test_a_page_is_not_overwritten_unasked(tmp_path):
    refuse_existing(tmp_path, "x")
    (tmp_path / "x.html").touch()
    with pytest.raises(ConfigurationError, match="--force"):
        refuse_existing(tmp_path, "x")


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""), (pd.NA, ""), (float("nan"), ""), (True, "yes"), (False, "no"),
        (7381.125, "7381.125"), (50000.0, "50000"), (0.0099, "0.0099"), (7, "7"),
        (0.0, "0"), ("text", "text"),
    ],
)  # fmt: skip
def test_cells_for_people(cell, text):
    assert shown(cell) == text


@pytest.mark.parametrize(("library", "message"), [("matplotlib", "matplotlib"),
                                               ("jinja2", "jinja2")])  # fmt: skip
def test_a_missing_extra_is_told_by_name(
    results, tmp_path, monkeypatch, library, message
):
    real = builtins.__import__

    def without(name, *rest):
        if name.split(".")[0] == library:
            raise ModuleNotFoundError(name=library)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(
        ConfigurationError, match=rf"{message}: pip install .*\[plots\]"
    ):
        write_comparison(results, tmp_path)
    assert not list(tmp_path.iterdir())
