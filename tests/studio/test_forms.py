"""Forms that are made from the registry: every one renders and comes back."""

import re
from html import unescape
from typing import Any

import pytest

pytest.importorskip("jinja2")

from anon_transformers.exceptions import ParameterError
from anon_transformers.registry import registry
from anon_transformers.studio._forms import (
    Field,
    fields_of,
    method_fields,
    parameter_texts,
    read_form,
    threshold_fields,
)
from anon_transformers.studio._page import make_templates

PREFIX = "p-"
ANONYMIZERS = list(registry().anonymizers)
THRESHOLDS = [
    *(("model", name) for name in registry().privacy_models),
    *(("metric", name) for name in registry().metrics),
]


def sent(page: str) -> dict[str, str]:
    """What a browser sends of a form that nobody touched."""
    found = {}
    for tag in re.findall(r"<input\b[^>]*>", page):
        name, value = (re.search(rf'\b{a}="([^"]*)"', tag) for a in ("name", "value"))
        if 'type="checkbox"' not in tag or "checked" in tag:
            found[unescape(name[1])] = unescape(value[1])
    for name, options in re.findall(r'<select [^>]*name="([^"]*)">(.*?)</select>', page,
                                    re.DOTALL):  # fmt: skip
        chosen = re.search(r'value="([^"]*)" selected', options)
        first = re.search(r'value="([^"]*)"', options)
        found[unescape(name)] = unescape((chosen or first)[1])
    return found


def rendered(fields: tuple[Field, ...], stated: dict[str, Any]) -> str:
    text = (
        '{% import "parts.html" as parts %}{% for one in fields %}'
        '{{ parts.field(one, one.value_of(stated), "p-") }}{% endfor %}'
    )
    page = make_templates(()).from_string(text)
    return page.render(fields=fields, stated=stated)


@pytest.mark.parametrize("name", ANONYMIZERS)
def test_every_anonymizer_has_a_form_that_states_nothing_by_itself(name):
    fields = method_fields(registry().anonymizers[name])
    form = sent(rendered(fields, {}))
    assert set(form) <= {f"{PREFIX}{field.name}" for field in fields}
    assert read_form(fields, form, PREFIX) == {}


@pytest.mark.parametrize(("kind", "name"), THRESHOLDS)
def test_every_threshold_has_a_form_that_gives_back_what_is_stated(kind, name):
    cls = registry().of_thresholds(kind)[name]
    fields = threshold_fields(kind, name, cls, ["job"])
    needed = {f.name: 2 if f.kind == "whole" else 0.5 for f in fields if f.required}
    needed |= {"max": 0.25} if kind == "metric" else {}
    form = sent(rendered(fields, needed))
    assert {f"{PREFIX}{field}" for field in needed} <= set(form)
    assert read_form(fields, form, PREFIX) == needed


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("mondrian", {"mode": "relaxed", "n_jobs": 2, "step": {"age": 5}}),
        ("mondrian", {"boxes": "tight", "suppression_limit": 0.05}),
        ("full-domain", {"local_recoding": True, "levels": {"age": 2}}),
        ("mdav", {"standardize": False, "suppression_label": "?"}),
        ("fuzzy-c-means", {"scale": None, "n_sets": 3, "labels": ["low", "high"]}),
        ("fuzzy-partition", {"partitions": {"a: b": {"x": [0, 1], "y": [1, 2]}}}),
    ],
)
def test_what_a_file_states_comes_back(name, stated):
    fields = method_fields(registry().anonymizers[name], stated)
    assert read_form(fields, sent(rendered(fields, stated)), PREFIX) == stated


def test_a_share_and_a_number_of_rows_are_told_apart():
    limit = Field("suppression_limit", "", "number", 0.0)
    assert [type(limit.read(text)) for text in ("1", "1.0")] == [int, float]
    assert read_form([limit], {"suppression_limit": "0"}) == {}


def test_a_release_has_its_own_defaults():
    mondrian = registry().anonymizers["mondrian"]
    tight = {"boxes": "tight"}
    defaults = [
        {f.name: f.default for f in method_fields(mondrian, stated)}
        for stated in ({}, tight)
    ]
    assert [d["step"] for d in defaults] == [{}, None]


def test_roles_goals_and_seeds_are_no_fields():
    for name in ANONYMIZERS:
        names = {field.name for field in method_fields(registry().anonymizers[name])}
        assert not names & {"k", "models", "sensitive", "hierarchies", "random_state"}


def test_limits_and_choices_come_from_annotations_and_docstrings():
    models = registry().privacy_models
    found = {f.name: f for f in fields_of(models["recursive-cl-diversity"])}
    assert (found["c"].least, found["c"].most, found["l"].least) == (0, None, 1)
    t = fields_of(models["t-closeness"])[0]
    assert (t.least, t.most) == (0, 1)
    of = {f.name: f for f in fields_of(registry().metrics["centrality-error"])}["of"]
    assert of.choices == ("betweenness", "closeness", "degree")


@pytest.mark.parametrize(
    ("kind", "given", "words"),
    [
        ("whole", "five", "x must be a whole number, got 'five'."),
        ("whole", "2.5", "x must be a whole number, got '2.5'."),
        ("number", "1,5", "x must be a number, got '1,5'."),
        ("choice", "c", "unknown x 'c'"),
        ("yaml", "{a: ", "x: "),
        ("yaml", "1\ny: 2", "x must be one value"),
    ],
)
def test_what_is_no_value_is_refused(kind, given, words):
    field = Field("x", "x", kind, choices=("a", "b"))
    with pytest.raises(ParameterError, match=re.escape(words)):
        field.read(given)


def test_a_strangers_class_without_annotations_has_a_form():
    class Strange:
        """Do.

        Parameters
        ----------
        rate : float
            How much. Not more.
        """

        def __init__(self, rate=0.5, names=("a",), deep=False, **rest):
            pass

    rate, names, deep = fields_of(Strange)
    assert (rate.kind, rate.help, rate.more) == ("number", "How much.", "Not more.")
    assert (names.kind, names.default, deep.kind) == ("yaml", ["a"], "flag")


def test_entries_without_a_type_end_the_one_before():
    doc = "Do.\n\nParameters\n----------\na : int\n    One.\nb, c\n    As ever.\n"
    assert parameter_texts(doc)["a"] == ("int", "One.")
    assert parameter_texts(doc)["c"] == ("", "As ever.")


def test_names_and_values_are_escaped():
    hostile = '"><script>alert(1)</script>'
    field = Field(hostile, hostile, "text", help=hostile, more=hostile)
    assert "<script" not in rendered((field,), {hostile: hostile})
