"""Learn: how the models came about, and one page for each of them and each method."""

import inspect
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from anon_transformers.exceptions import AnonymizationError
from anon_transformers.registry import Catalog, registry
from anon_transformers.studio._drawings import color
from anon_transformers.studio._learn.docstrings import (
    Documentation,
    documentation_of,
    inline,
)
from anon_transformers.studio._learn.lesson import Lesson
from anon_transformers.studio._learn.methods import method_lesson
from anon_transformers.studio._learn.models import model_lesson
from anon_transformers.studio._learn.timeline import TIMELINE
from anon_transformers.studio._page import Page, render

METHOD, MODEL = "method", "model"
MERGING = {
    "any": "A class that keeps it keeps it whatever joins the class.",
    "satisfying": "Two classes that keep it keep it together.",
    "none": "Two classes that keep it may break it together.",
}
JUDGES = {
    "classes": "the classes of a table: rows that are published alike",
    "memberships": "how far each row belongs to fuzzy sets",
    "linkage": "whose cells were swapped with whose",
    "likelihoods": "how likely each person gave each published row",
    "graph": "a graph",
}
"""Evidence, in words."""
KINDS = {
    "table": "Changes the quasi-identifiers of a table.",
    "linked": "Keeps every cell of a table and hides whose it is.",
    "graph": "Changes the edges of a graph.",
}
NO_RULE = {
    "table": "It learns no rule for other rows than those it saw.",
    "linked": "It learns no rule for other rows than those it saw.",
    "graph": "It learns no rule for other graphs than the one it saw.",
}
PUBLISHES = {
    "labels": "Publishes ranges and groups that hold the true value.",
    "names": "Publishes names of sets.",
    "centers": "Publishes one value per class, such as the mean.",
    "swaps": "Publishes the cells of other rows.",
}


@dataclass(frozen=True)
class Entry:
    """A line of the list: a registered name, and what it is."""

    kind: str
    name: str
    summary: Markup
    owner: str

    @property
    def rest(self) -> str:
        """Its address below that of the page."""
        return f"{self.kind}/{self.name}"


def show(request: Request) -> Response:
    """The timeline, and the list of everything that is registered."""
    return render(
        request,
        "learn.html",
        timeline=TIMELINE,
        models=_entries(MODEL),
        methods=_entries(METHOD),
    )


def show_method(request: Request) -> Response:
    """An anonymizer."""
    return _show_one(request, METHOD, method_lesson)


def show_model(request: Request) -> Response:
    """A privacy model."""
    return _show_one(request, MODEL, model_lesson)


def _catalog(kind: str) -> Catalog:
    found = registry()
    return found.anonymizers if kind == METHOD else found.privacy_models


def _entries(kind: str) -> list[Entry]:
    catalog = _catalog(kind)
    return [
        Entry(kind, name, inline(catalog.summary(name)), catalog.owner(name))
        for name in catalog
    ]


def _show_one(request: Request, kind: str, lesson_of: Any) -> Response:
    name, catalog = request.path_params["name"], _catalog(kind)
    if name not in catalog:
        raise HTTPException(404, f"no {catalog.kind} of this name is registered")
    try:
        cls = catalog[name]
        lesson: Lesson = lesson_of(name, request.query_params.get)
    except AnonymizationError as error:  # a plugin that cannot be imported
        raise HTTPException(404, str(error).rstrip(".")) from None
    said = documentation_of(cls)
    return render(
        request,
        "learn_one.html",
        kind=catalog.kind,
        name=name,
        owner=catalog.owner(name),
        said=said,
        properties=_properties(kind, cls, said),
        not_promised=_sentences(getattr(cls, "not_promised", ())),
        lesson=lesson,
        color=color,
        others=_entries(kind),
    )


def _sentences(given: Any) -> tuple[str, ...]:
    """What a class does not promise; a plugin may write one sentence as it is."""
    return (given,) if isinstance(given, str) else tuple(map(str, given))


def _properties(kind: str, cls: Any, said: Documentation) -> list[str]:
    """What the class declares of itself, in sentences."""
    return _of_model(cls) if kind == MODEL else _of_method(cls, said)


def _of_model(cls: Any) -> list[str]:
    better = "higher" if cls.better == "higher" else "lower"
    found = [
        f"It judges {JUDGES.get(cls.evidence, cls.evidence)}. What it measures is "
        f"called its level, as k is of k-anonymity: the {better}, the safer."
    ]
    merging = getattr(cls, "merging", None)
    if cls.evidence == "classes" and isinstance(merging, str):
        found.append(MERGING[merging])
    return found + [
        f"A {way} {parameter} asks for more." for parameter, way in cls.tighter.items()
    ]


def _of_method(cls: Any, said: Documentation) -> list[str]:
    found = [KINDS[cls.kind]]
    publishes = getattr(cls, "publishes", None)
    if isinstance(publishes, str):
        found.append(PUBLISHES.get(publishes, ""))
    if cls.row_bound is True:
        found.append(NO_RULE[cls.kind])
    trees = said.first_words("hierarchies")
    if trees and getattr(cls, "uses_hierarchies", False):
        found.append(f"It takes hierarchies: {trees[:1].lower()}{trees[1:]}")
    k = inspect.signature(cls).parameters.get("k")
    if k is not None:
        given = "Its parameter k, if it is given," if k.default is None else "Its k"
        found.append(f"{given} promises {cls.k_model}.")
    return [sentence for sentence in found if sentence]


PAGE = Page(
    "learn",
    "Learn",
    "See what each model promises and each method does, on ten persons.",
    (
        Route("/", show),
        Route("/method/{name}", show_method),
        Route("/model/{name}", show_model),
    ),
    of_project=False,
)
