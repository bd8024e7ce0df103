"""Explore: all full-domain solutions of a release, and what every k costs."""

import math
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from anon_transformers.exceptions import DataError
from anon_transformers.figures import step_chart
from anon_transformers.studio import _explore as explore
from anon_transformers.studio._drawings import Drawing, LatticeNode, lattice
from anon_transformers.studio._forms import Field
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
from anon_transformers.studio._project import Content, Project

MOST_DRAWN = 300
"""Nodes of a lattice that are drawn; more are a list."""
LINES = 25
"""Nodes on a page of the list."""
FIRST_K = 50
PAGE_NAME = "explore"
CURVE = (
    Field("max_k", "Largest k", "whole", FIRST_K),
    Field(
        "suppression_limit",
        "Share of rows that may be suppressed",
        "number",
        explore.USUAL_LIMIT,
    ),
)
"""What the curve is drawn of; a limit that is a whole number from 1 on counts rows."""


def show(request: Request) -> Response:
    """The lattice, the node that was asked for, and the curve."""
    project = project_of(request)
    content = project.content
    method = _method(content)
    survey = explore.survey_of(project)
    applied = None
    if survey is not None and method["name"] == explore.METHOD:
        applied = explore.stated_levels(content, survey.columns)
    return render(
        request,
        "explore.html",
        method=method["name"],
        is_full_domain=method["name"] == explore.METHOD,
        survey=survey,
        applied=applied,
        picture=_picture(request, survey, applied),
        listed=_listed(request, survey, applied),
        chosen=_chosen(request, survey, applied),
        curve=_curve(project),
        limit=_usual_limit(method),
        first_k=FIRST_K,
        bounds=_bounds(project),
    )


def _bounds(project: Project) -> list[str]:
    """Thresholds that no node is judged by: only the table that is made tells them."""
    if project.fault is not None:
        return []
    return [one.name for one in project.config.thresholds if one.kind != "model"]


def _method(content: Content) -> dict[str, Any]:
    method = content.get("anonymizer")
    return method if isinstance(method, dict) and "name" in method else {"name": ""}


def _usual_limit(method: dict[str, Any]) -> Any:
    """What the release lets go; of other methods, what the command line takes."""
    if method["name"] != explore.METHOD:
        return explore.USUAL_LIMIT
    return method.get("suppression_limit") or 0


def _nodes(survey: explore.Survey) -> list[LatticeNode]:
    columns = [str(place) for place in range(len(survey.columns))]
    rows = zip(
        survey.nodes[columns].to_numpy().tolist(),
        survey.nodes[explore.FITS].tolist(),
        survey.nodes[explore.LOSS].tolist(),
        strict=True,
    )
    return [
        LatticeNode(tuple(levels), fits, loss if fits else None)
        for levels, fits, loss in rows
    ]


def _picture(
    request: Request, survey: explore.Survey | None, applied: tuple[int, ...] | None
) -> Drawing | None:
    if survey is None or len(survey.nodes) > MOST_DRAWN:
        return None
    title = (
        "Every node by its levels, the exact table at the bottom. Filled: the promise "
        "is kept. Dashed: it is not. Gold: least is lost. Thick edge: applied."
    )
    return lattice(
        title,
        survey.columns,
        _nodes(survey),
        best=survey.best,
        applied=applied,
        address=f"{address(request, PAGE_NAME)}?node=",
    )


def _listed(
    request: Request, survey: explore.Survey | None, applied: tuple[int, ...] | None
) -> dict[str, Any] | None:
    """A page of the nodes that keep the promise, those that lose least first."""
    if survey is None:
        return None
    fitting = survey.nodes[survey.nodes[explore.FITS]]
    order = fitting.sort_values([explore.LOSS, explore.GONE], kind="stable").index
    pages = max(1, math.ceil(len(order) / LINES))
    page = min(max(whole_number(request.query_params.get("page"), 1), 1), pages)
    rows = []
    for row in order[(page - 1) * LINES : page * LINES].tolist():
        levels = survey.levels_of(row)
        rows.append(_line(survey, row, levels, applied))
    return {
        "rows": rows,
        "page": page,
        "pages": pages,
        "fitting": len(order),
        "nodes": len(survey.nodes),
    }


def _line(
    survey: explore.Survey,
    row: int,
    levels: tuple[int, ...],
    applied: tuple[int, ...] | None,
) -> dict[str, Any]:
    fits = bool(survey.nodes[explore.FITS].iloc[row])
    marks = {"optimum": levels == survey.best, "applied": levels == applied}
    return {
        "name": ",".join(map(str, levels)),
        "levels": levels,
        "fits": fits,
        "loss": float(survey.nodes[explore.LOSS].iloc[row]) if fits else None,
        "gone": int(survey.nodes[explore.GONE].iloc[row]) if fits else None,
        "marks": [mark for mark, is_so in marks.items() if is_so],
    }


def _chosen(
    request: Request, survey: explore.Survey | None, applied: tuple[int, ...] | None
) -> dict[str, Any] | None:
    """The node that the address names."""
    given = request.query_params.get("node")
    if survey is None or given is None:
        return None
    levels = _levels(given)
    row = None if levels is None else survey.find(levels)
    if row is None or levels is None:
        return None
    return _line(survey, row, levels, applied)


def _levels(given: str) -> tuple[int, ...] | None:
    parts = given.split(",")
    levels = tuple(whole_number(part, -1) for part in parts)
    return None if -1 in levels else levels


def _curve(project: Project) -> dict[str, Any] | None:
    """The last curve, drawn."""
    result = project.result(explore.FRONTIER)
    if result is None:
        return None
    ranges = result.found["ranges"]
    chart = None
    if ranges:
        chart = step_chart(
            f"Loss ({result.found['loss']}) of the best node for every k",
            [one["k_to"] for one in ranges],
            {"loss": [one["loss"] for one in ranges]},
            x_name="k",
            y_name="loss",
        )
    return {
        "found": result.found,
        "params": result.params,
        "current": explore.is_current(project, result),
        "chart": chart,
    }


def look(request: Request, form: FormData) -> str:
    """Look at every node."""
    title = "Looking at every node of the lattice"
    back = address(request, PAGE_NAME)
    return start_job(request, explore.LATTICE, title, explore.LATTICE_WORK, {}, back)


def draw(request: Request, form: FormData) -> str:
    """Draw the curve of loss against k."""
    title = "The best node for every k"
    params = {field.name: field.read(form.get(field.name)) for field in CURVE}
    back = f"{address(request, PAGE_NAME)}#curve"
    return start_job(
        request, explore.FRONTIER, title, explore.FRONTIER_WORK, params, back
    )


def apply(request: Request, form: FormData) -> str:
    """Let the release apply a node."""
    project = project_of(request)
    levels = _levels(str(form.get("node", "")))
    names = [str(name) for name in form.getlist("column")]
    if levels is None or len(levels) != len(names):
        raise DataError("a node has one level for each quasi-identifier.")
    project.edit(
        f"levels {','.join(map(str, levels))}",
        lambda content: explore.apply_levels(
            content, dict(zip(names, levels, strict=True))
        ),
    )
    studio_of(request).notice(
        "The release applies these levels now; Protect makes and judges the table."
    )
    return f"{address(request, PAGE_NAME)}?node={','.join(map(str, levels))}"


def search(request: Request, form: FormData) -> str:
    """Let the release search its levels again."""
    project_of(request).edit("search the levels", explore.search_again)
    return address(request, PAGE_NAME)


def switch(request: Request, form: FormData) -> str:
    """Make the release by full-domain recoding."""
    project_of(request).edit(f"method {explore.METHOD}", explore.switch_method)
    return address(request, PAGE_NAME)


PAGE = Page(
    PAGE_NAME,
    "Explore",
    "See every solution and what every k costs, and apply another one.",
    (
        Route("/", show),
        form_route("/lattice", look),
        form_route("/frontier", draw),
        form_route("/apply", apply),
        form_route("/search", search),
        form_route("/switch", switch),
    ),
    of_tables=True,
)
