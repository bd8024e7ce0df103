"""Protect: the method and the thresholds; what comes of them, before and after."""

from typing import TYPE_CHECKING, Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from anon_transformers.exceptions import AnonymizationError, ParameterError
from anon_transformers.studio import _goals as goals
from anon_transformers.studio._first_rows import TRIED_ROWS
from anon_transformers.studio._page import (
    Page,
    address,
    form_route,
    project_of,
    render,
    start_job,
    studio_of,
    whole_number,
)
from anon_transformers.studio._statistics import is_adult
from anon_transformers.studio.pages import _run_tests
from anon_transformers.studio.pages._outcome import rows_of, summary

if TYPE_CHECKING:
    from anon_transformers.studio._goals import Edit, StatedThreshold
    from anon_transformers.studio._project import Project

NAME = "protect"
PROTECT, SUGGEST = "protect", "suggest"
PROTECT_WORK = "anon_transformers.studio._protected:protect"
SUGGEST_WORK = "anon_transformers.studio._suggestions:suggest"
FEW = 2
"""Columns that a sentence names one by one."""
LONGEST = 3600
"""Most seconds for suggestions."""


def show(request: Request) -> Response:
    """Method, thresholds, what the last run made, and what would pass."""
    project = project_of(request)
    content = project.content
    name, params = goals.stated_method(content)
    result = project.result(PROTECT)
    thresholds = goals.stated_thresholds(content)
    offered = goals.offers(project)
    refusal = next((one.refusal for one in offered if one.name == name), "")
    return render(
        request,
        "protect.html",
        method=name,
        params=params,
        fields=goals.fields_of_method(content),
        in_front=goals.IN_FRONT,
        more_stated=any(key not in goals.IN_FRONT for key in params),
        offers=offered,
        goal={key: params[key] for key in goals.GOAL if key in params},
        thresholds=thresholds,
        added=_added(request, content),
        tried_rows=TRIED_ROWS,
        known=goals.known_thresholds(),
        presets=goals.PRESETS,
        prefix=goals.PREFIX,
        refusal=refusal,
        result=result,
        columns=_columns(content),
        numbers=None if result is None else summary(result.found),
        excerpt=rows_of(request, project, PROTECT),
        suggestions=project.result(SUGGEST),
        failure=_failure(request, project),
        is_adult=is_adult(content),
        here=address(request, NAME),
    )


def _columns(content: Any) -> str:
    """The quasi-identifiers as a sentence lists them; empty if they are one or two."""
    roles = content.get("roles")
    given = roles.get("quasi_identifiers") if isinstance(roles, dict) else None
    listed = given if isinstance(given, list) else []
    return ", ".join(map(str, listed)) if len(listed) > FEW else ""


def _added(request: Request, content: Any) -> "StatedThreshold | None":
    """The form of a threshold that somebody is about to add."""
    kind, _, name = request.query_params.get("add", "").partition(":")
    if not name:
        return None
    try:
        return goals.new_threshold(kind, name, content)
    except AnonymizationError as error:
        studio_of(request).notice(str(error), "error")
        return None


def _failure(request: Request, project: "Project") -> str:
    """Why the last run of this very file made no table."""
    job = studio_of(request).worker.last(project, PROTECT)
    if job is None or job.state != "failed":
        return ""
    return job.reason if job.params.get("state") == project.state else ""


def _back(request: Request, rest: str = "") -> str:
    return address(request, NAME, rest)


def _apply(request: Request, edit: "Edit") -> str:
    edit.apply(project_of(request))
    return _back(request)


def set_method(request: Request, form: FormData) -> str:
    """Take another method."""
    return _apply(request, goals.choose_method(str(form.get("name", ""))))


def set_parameters(request: Request, form: FormData) -> str:
    """State parameters of the method."""
    project = project_of(request)
    name, _ = goals.stated_method(project.content)
    if form.get("of") != name:
        raise ParameterError("the method was changed meanwhile; see the form again.")
    return _apply(request, goals.state_parameters(project, form))


def set_threshold(request: Request, form: FormData) -> str:
    """Add a threshold, or change one."""
    kind, name = str(form.get("kind", "")), str(form.get("name", ""))
    project, at = project_of(request), _place(form)
    if at >= 0:
        _refuse_moved(project, at, kind, name)
    return _apply(request, goals.state_threshold(project, kind, name, at, form))


def remove_threshold(request: Request, form: FormData) -> str:
    """Remove a threshold."""
    at = _place(form)
    kind, name = str(form.get("kind", "")), str(form.get("name", ""))
    _refuse_moved(project_of(request), at, kind, name)
    return _apply(request, goals.remove_threshold(at))


def set_thresholds(request: Request, form: FormData) -> str:
    """Save what the form says of all thresholds; one may be removed with it."""
    at = whole_number(form.get("remove"), -1)
    edit = goals.state_thresholds(project_of(request), form, at if at >= 0 else None)
    return _apply(request, edit)


def add_k_model(request: Request, form: FormData) -> str:
    """Add the threshold that a method needs, and take the method."""
    project, method = project_of(request), str(form.get("needs", ""))
    goals.add_k_model(project.content, method).apply(project)
    return _apply(request, goals.choose_method(method))


def _place(form: FormData) -> int:
    return whole_number(form.get("at"), -1)


def _refuse_moved(project: "Project", at: int, kind: str, name: str) -> None:
    """Refuse a form that was shown before the list was changed."""
    there = goals.stated_thresholds(project.content)
    if not 0 <= at < len(there) or (there[at].kind, there[at].name) != (kind, name):
        raise ParameterError("the list was changed meanwhile; see it again.")


def set_preset(request: Request, form: FormData) -> str:
    """State thresholds of a preset in place of all."""
    return _apply(request, goals.state_preset(str(form.get("preset", ""))))


def run(request: Request, form: FormData) -> str:
    """Make the table and judge it."""
    state = {"state": project_of(request).state}
    return start_job(request, PROTECT, "Protect", PROTECT_WORK, state, _back(request))


def suggest(request: Request, form: FormData) -> str:
    """Look for settings that pass."""
    given = str(form.get("seconds", ""))
    seconds = whole_number(given, 0)
    if not 1 <= seconds <= LONGEST:
        raise ParameterError(
            f"seconds must be a whole number from 1 to {LONGEST}, got {given[:20]!r}."
        )
    params, title = {"seconds": seconds}, "What would pass?"
    return start_job(request, SUGGEST, title, SUGGEST_WORK, params, _back(request))


def apply_suggestion(request: Request, form: FormData) -> str:
    """Write a setting that passes into the file, and run it."""
    from anon_transformers.studio._suggestions import apply_setting

    number = whole_number(form.get("number"), -1)
    words = apply_setting(project_of(request), number)
    studio_of(request).notice(f"Stated: {words}. Run it to see the table.")
    return _back(request)


PAGE = Page(
    NAME,
    "Protect",
    "Choose the method and what must hold; run it; see the table before and after.",
    (
        Route("/", show),
        form_route("/method", set_method),
        form_route("/parameters", set_parameters),
        form_route("/threshold", set_threshold),
        form_route("/thresholds", set_thresholds),
        form_route("/k-model", add_k_model),
        form_route("/remove", remove_threshold),
        form_route("/preset", set_preset),
        form_route("/run", run),
        form_route("/suggest", suggest),
        form_route("/apply", apply_suggestion),
        Route("/tests/", _run_tests.show),
        form_route("/tests/run", _run_tests.run),
    ),
    of_tables=True,
)
