"""Learn: every registered model and method has a page with a computed example."""

import re
from importlib.metadata import EntryPoint
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from anon_transformers import MondrianAnonymizer
from anon_transformers.exceptions import ParameterError
from anon_transformers.registry import create_registry, registry
from anon_transformers.studio._learn import methods, models
from anon_transformers.studio._learn.docstrings import documentation_of
from anon_transformers.studio._learn.lesson import Knob
from anon_transformers.studio._learn.people import NAME, TWO_NUMBERS, persons
from anon_transformers.studio._learn.timeline import TIMELINE


def nothing(name):
    return None


def pages():
    found = registry()
    return [f"/learn/method/{name}" for name in found.anonymizers] + [
        f"/learn/model/{name}" for name in found.privacy_models
    ]


def sheet(lesson, title):
    return next(p for p in lesson.parts if p.kind == "sheet" and title in p.title)


def said(lesson):
    return "\n".join(p.text for p in lesson.parts if p.kind == "remark")


def test_the_timeline_leads_to_every_page(studio):
    page = studio.get("/learn/")
    studio.check_accessible(page)
    years = [int(year) for year in re.findall(r'class="year">(\d{4})', page.text)]
    assert years == sorted(years)
    assert years[0] == 1998
    for address in pages():
        assert f'href="{address}"' in page.text


def test_the_timeline_names_all_models_of_ours():
    named = {model for one in TIMELINE for model in one.models}
    assert named == set(registry().privacy_models)


@pytest.mark.parametrize(
    "addresses",
    [
        ["/learn/method/datafly", "/learn/method/mdav", "/learn/model/t-closeness"],
        pytest.param(None, marks=pytest.mark.slow, id="all"),
    ],
)
def test_every_page_has_an_example_and_says_what_is_left_open(studio, addresses):
    for address in addresses or pages():
        page = studio.get(address)
        assert page.status_code == 200, address
        studio.check_accessible(page)
        said = studio.text(page)
        assert "failed with" not in said, address
        assert "Its author does not say" not in said, address
        assert "The table" in said, address
        assert "published" in said or "Boxes of" in said or "this model" in said
        assert "inf;" not in said, address
        assert "<style" not in page.text


def test_an_unknown_name_is_told(studio):
    page = studio.get("/learn/method/<script>")
    assert page.status_code == 404
    assert "<script>" not in page.text.replace('<script src="', "")


def test_the_number_of_the_address_is_the_k_of_the_example(studio):
    page = studio.get("/learn/method/mondrian?k=5")
    assert 'name="k" value="5"' in page.text
    assert "the smallest of 5 rows" in studio.text(page)
    page = studio.get("/learn/method/mondrian?k=<b>")
    assert "k must be a whole number, got" in studio.text(page)
    page = studio.get("/learn/method/mondrian?k=11")
    assert "k is from 1 to 10 here." in studio.text(page)
    page = studio.get("/learn/model/distinct-l-diversity?l=9")
    assert "has 5 distinct values" in studio.text(page)


def test_boxes_are_those_of_mondrian():
    lesson = methods.method_lesson("mondrian", {"k": "3"}.get)
    table = methods.table_of(TWO_NUMBERS)
    published = MondrianAnonymizer(
        list(TWO_NUMBERS), k=3, sensitive=["illness"], identifiers=[NAME]
    ).fit_transform(table)
    after = sheet(lesson, "published")
    assert [row[:2] for row in after.rows] == published[[*TWO_NUMBERS]].to_numpy(
        dtype=object
    ).tolist()
    (picture,) = [p for p in lesson.parts if p.kind == "picture"]
    n_classes = published[[*TWO_NUMBERS]].drop_duplicates().shape[0]
    assert picture.drawing.svg.count("<rect") == n_classes


def test_datafly_shows_its_steps_and_full_domain_its_levels():
    steps = sheet(methods.method_lesson("datafly", nothing), "climbs")
    assert steps.rows[0][1:3] == [0, 0]
    assert steps.rows[-1][-1] == "none: it stops"
    levels = [row[1] + row[2] for row in steps.rows]
    assert levels == list(range(len(levels)))
    lesson = methods.method_lesson("full-domain", nothing)
    assert (
        len([p for p in lesson.parts if "Hierarchy of" in getattr(p, "title", "")]) == 2
    )
    (picture,) = [p for p in lesson.parts if p.kind == "picture"]
    assert [row[-1] for row in picture.drawing.rows].count("optimum") == 1


def graph_parts(name, given):
    lesson = methods.method_lesson(name, given)
    before, after = [p.drawing for p in lesson.parts if p.kind == "picture"]
    return lesson, before, after


def test_a_person_without_friends_is_drawn_alone():
    """A row with one end is a node without edges, and no edge to a further node."""
    lesson, before, after = graph_parts("random-add-delete", {"p": "0.3"}.get)
    rows = sheet(lesson, "published: edges").rows
    assert any(None in row for row in rows)
    assert len(after.rows) == sum(None not in row for row in rows) == len(before.rows)
    assert "new node" not in after.svg
    assert after.svg.count("<circle") == before.svg.count("<circle") == 10


def test_a_node_for_several_persons_says_how_many():
    lesson, _, after = graph_parts("node-clusters", {"k": "4"}.get)
    nodes = sheet(lesson, "published: nodes")
    sizes = sorted(row[list(nodes.columns).index("nodes")] for row in nodes.rows)
    drawn = re.findall(r'text-anchor="middle">(\d+)</text>', after.svg)
    assert sorted(map(int, drawn)) == sizes
    assert sum(sizes) == 10


def test_a_method_says_of_k_what_it_keeps(studio):
    """Not that a k is promised which it does not take."""
    for name in ("naive", "random-switch", "random-add-delete", "spectral"):
        page = studio.text(studio.get(f"/learn/method/{name}"))
        assert "promises k-degree" not in page, name
    page = studio.text(studio.get("/learn/method/random-perturbation"))
    assert "Its parameter k, if it is given, promises k-degree." in page
    assert "Its k promises k-degree." in studio.text(
        studio.get("/learn/method/k-degree")
    )


def test_a_swap_is_judged_where_chance_is_seen():
    lesson = models.model_lesson("probabilistic-k-anonymity", {"k": "3"}.get)
    assert "Groups of 2: probabilistic-k-anonymity with k = 3 does not hold" in said(
        lesson
    )
    assert "Groups of 3: probabilistic-k-anonymity with k = 3 holds" in said(lesson)


def test_names_of_sets_do_not_lie_on_each_other():
    lesson = methods.method_lesson("global-recode", nothing)
    (picture,) = [p.drawing for p in lesson.parts if p.kind == "picture"]
    found = re.findall(
        r'<text x="([\d.]+)" y="(\d+)"[^>]*font-weight="bold">([^<]+)<', picture.svg
    )
    assert len(found) == 5
    for (x, y, name), (next_x, next_y, _) in pairwise(found):
        assert y != next_y or float(x) + 7 * len(name) < float(next_x)


def test_swaps_stay_in_their_group():
    lesson = methods.method_lesson("group-swap", nothing)
    (picture,) = [p for p in lesson.parts if p.kind == "picture"]
    group = {row[0]: row[1] for row in picture.drawing.rows}
    assert all(group[row[0]] == group[row[4]] for row in picture.drawing.rows)


def test_a_class_of_one_illness_breaks_l_and_then_there_is_none():
    lesson = models.model_lesson("distinct-l-diversity", {"l": "2"}.get)
    found = sheet(lesson, "class by class")
    assert "in the town" not in found.columns  # it judges the table alone
    # The verdict is seen on a narrow screen, too: what is widest stands last.
    assert list(found.columns)[-2:] == ["keeps it", "illness"]
    verdicts = {row[-1]: row[-2] for row in found.rows}
    assert verdicts["flu × 3"] is False
    assert "does not hold in 1 of 4 classes; the level is 1." in said(lesson)
    after = sheet(lesson, "Protected by this model, too")
    by_class = pd.DataFrame(after.rows, columns=after.columns).groupby("class")
    assert (by_class["illness"].nunique() >= 2).all()


def test_a_model_of_a_population_shows_that_of_the_town():
    lesson = models.model_lesson("k-map", {"k": "6"}.get)
    found = sheet(lesson, "class by class")
    assert all(row[4] >= row[3] for row in found.rows)
    assert [row[-2] for row in found.rows] == [row[4] >= 6 for row in found.rows]
    assert len(sheet(lesson, "The town").rows) == 20
    assert sheet(lesson, "this model holds").rows
    assert "k-map with k = 6 holds" in said(lesson)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("k-anonymity", "10 of 10 classes"),
        ("q-anonymity", "2 of 4 sets"),
        ("fuzzy-t-closeness", "2 of 10 rows"),
        ("likelihood-k-anonymity", "4 of 10 rows"),
        ("probabilistic-k-anonymity", "150 of 150 groups"),
        ("k-degree", "2 of 10 nodes"),
    ],
)
def test_a_verdict_says_what_it_counts(name, words):
    lesson = models.model_lesson(name, nothing)
    assert f"does not hold in {words}; the level is" in said(lesson)


def test_k_alone_is_no_model_beside_another():
    titles = [part.title for part in models.model_lesson("k-anonymity", nothing).parts
              if part.kind == "sheet"]  # fmt: skip
    assert titles[-1] == "Protected by this model"


def test_a_node_without_friends_is_explained():
    found = sheet(methods.method_lesson("random-add-delete", nothing), "edges")
    alone = [row for row in found.rows if row[1] is None]
    assert ("a node without any has no friend" in found.title) == bool(alone)
    assert alone  # of this seed; else the example shows nobody alone


def test_the_ten_are_ten():
    assert len(persons()) == persons()[NAME].nunique() == 10


def test_a_class_of_a_plugin_gets_tables(monkeypatch):
    points = [
        EntryPoint(point, value, "anon_transformers")
        for point, value in (
            ("template", "anon_transformers_template.plugin"),
            ("models", "anon_transformers.privacy._plugin"),
        )
    ]
    folder = Path(__file__).parents[2] / "plugins" / "template" / "src"
    monkeypatch.syspath_prepend(str(folder))
    made = create_registry(points)
    for module in (methods, models):
        monkeypatch.setattr(module, "registry", lambda: made)
    lesson = methods.method_lesson("prefix", nothing)
    cut = {row[1] for row in sheet(lesson, "published").rows}
    assert any("#" in code for code in cut)
    lesson = models.model_lesson("range-diversity", nothing)
    assert not any("failed with" in getattr(p, "text", "") for p in lesson.parts)


class Strange:
    """Do <b>strange</b> things with ``a < b``; see :func:`~one.two.three`.

    * One *thing*
      of two lines.
    * Another, in **bold** [1]_, n_1 of n_{l+1}, not a max_iter.

    Parameters
    ----------
    k : int, default=2
        Rows
        of a class.

        And more.

    Notes
    -----
    None.
    """


def test_docstrings_are_escaped_and_marked():
    said = documentation_of(Strange)
    assert said.summary == (
        "Do &lt;b&gt;strange&lt;/b&gt; things with <code>a &lt; b</code>; see "
        "<code>three</code>."
    )
    assert said.text == (
        "<ul><li>One *thing* of two lines.</li>"
        "<li>Another, in <strong>bold</strong> [1], n<sub>1</sub> of n<sub>l+1</sub>, "
        "not a max_iter.</li></ul>"
    )
    (k,) = said.parameters
    assert (k.name, k.type) == ("k", "int, default=2")
    assert k.text == "<p>Rows of a class.</p>\n<p>And more.</p>"
    assert (said.first_words("k"), said.first_words("l")) == ("Rows of a class.", "")
    assert said.notes == "<p>None.</p>"
    assert said.references == ()


def test_a_knob_is_turned_by_numbers_alone():
    knob = methods.knobs_of(MondrianAnonymizer)[0]
    with pytest.raises(ParameterError, match="k must be a whole number"):
        knob.turned("2.5")
    assert knob.turned(" ").value == knob.value
    half = Knob("t", 0.5)
    with pytest.raises(ParameterError, match="t is from 0 to 1 here"):
        half.turned("nan")
    with pytest.raises(ParameterError, match="t must be a number"):
        half.turned("x")


def test_the_menu_keeps_the_project_on_pages_of_none(studio):
    """Learn is about no project, and yet the way back to one stays in the menu."""
    project = studio.upload()
    page = studio.get(f"/p/{project.id}/learn/model/k-anonymity").text
    assert f'href="/p/{project.id}/protect/"' in page
    assert f'href="/p/{project.id}/learn/model/t-closeness"' in page
    assert "/protect/" not in studio.get("/learn/model/k-anonymity").text


def test_pages_are_warmed_and_no_plugin_hinders_that(monkeypatch):
    from anon_transformers.studio import _server
    from anon_transformers.studio._learn import methods, models

    warmed = []

    def fail(name, given):
        raise RuntimeError("Jane Doe")

    monkeypatch.setattr(models, "model_lesson", fail)
    monkeypatch.setattr(
        methods, "method_lesson", lambda name, given: warmed.append(name)
    )
    _server.warm_pages()
    assert warmed == ["mondrian"]
