"""Compare: several methods and parameters side by side, and one to take."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.figures import Chart, bar_chart, line_chart
from anon_transformers.studio import _compared, _goals
from anon_transformers.studio._downloads import csv_text
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
from anon_transformers.studio._project import Project

NAME = "compare"
CHECKED = ("mondrian", "full-domain", "datafly")
"""Methods that are chosen at first, beside that of the file."""
USUAL = {"k": "2, 5, 10, 20", "suppression_limit": "", "more": ""}
PLOTS = ("loss", "average_risk", "seconds")


def show(request: Request) -> Response:
    """What to compare, and what came of it."""
    project = project_of(request)
    result = project.result(_compared.COMPARE)
    runs = [] if result is None else list(result.found["runs"])
    name, _ = _goals.stated_method(project.content)
    offers = _goals.offers(project) if project.fault is None else ()
    asked = {} if result is None else dict(result.params.get("asked", {}))
    usual = [name, *CHECKED]
    return render(
        request,
        "compare.html",
        offers=[one for one in offers if not one.refusal],
        refusals=[one for one in offers if one.refusal],
        tried_rows=TRIED_ROWS,
        chosen=usual if result is None else result.params["methods"],
        asked={**USUAL, **asked},
        result=result,
        runs=runs,
        best=_compared.best_of(runs),
        numbers=_compared.NUMBERS,
        words=_compared.words_of,
        charts=_charts(runs),
        here=address(request, NAME),
    )


def _charts(runs: Sequence[Mapping[str, Any]]) -> list[Chart]:
    """Loss, risk and time against k; where k is one, a bar for each run."""
    ran = [run for run in runs if run["error"] is None]
    if not ran:
        return []
    ks = sorted({run["k"] for run in ran if run["k"] is not None})
    return [_chart(measure, _compared.NUMBERS[measure], ran, ks) for measure in PLOTS]


def _chart(
    measure: str, title: str, runs: Sequence[Mapping[str, Any]], ks: Sequence[int]
) -> Chart:
    if len(ks) < 2:  # noqa: PLR2004 - one point is no line
        labels = [_compared.words_of(run) for run in runs]
        values = [run[measure] for run in runs]
        return bar_chart(title, labels, values, label_name="run", value_name=title)
    lines: dict[str, dict[int, float]] = {}
    for run in runs:
        line = _compared.words_of({**run, "parameters": _without_k(run["parameters"])})
        lines.setdefault(line, {})[run["k"]] = run[measure]
    heights = {line: [held.get(k) for k in ks] for line, held in lines.items()}
    return line_chart(f"{title} against k", ks, heights, x_name="k", y_name=title)


def _without_k(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name != "k"}


def run(request: Request, form: FormData) -> str:
    """Run every chosen method with every value."""
    methods = [str(name) for name in form.getlist("methods")]
    if not methods:
        raise ParameterError("choose at least one method.")
    asked = {key: str(form.get(key, "")).strip() for key in USUAL}
    grid = _compared.read_grid(asked["more"])
    for name in ("k", "suppression_limit"):
        if asked[name]:
            grid[name] = _compared.read_values(name, asked[name])
    params = {"methods": methods, "grid": grid, "asked": asked}
    return start_job(
        request,
        _compared.COMPARE,
        "Compare methods",
        _compared.WORK,
        params,
        address(request, NAME),
    )


def take(request: Request, form: FormData) -> str:
    """Write a run into the release file."""
    project = project_of(request)
    chosen = _run_of(project, whole_number(form.get("run"), -1))
    words = _compared.words_of(chosen)
    project.edit(f"take {words}", lambda content: _compared.take(content, chosen))
    studio_of(request).notice(
        f"The release file now has {words}. Run it to see the table."
    )
    return address(request, "protect")


def _run_of(project: Project, at: int) -> Mapping[str, Any]:
    result = project.result(_compared.COMPARE)
    runs = [] if result is None else result.found["runs"]
    if not 0 <= at < len(runs):
        raise DataError("there is no such run any more; compare again.")
    found: Mapping[str, Any] = runs[at]
    if found["error"] is not None:
        raise DataError("this run made no table.")
    return found


def download(request: Request) -> Response:
    """The table as CSV."""
    result = project_of(request).result(_compared.COMPARE)
    if result is None:
        raise HTTPException(404, "nothing was compared yet")
    rows: list[list[Any]] = [
        ["run", "method", "k", *_compared.NUMBERS, "breaks", "error"]
    ]
    for one in result.found["runs"]:
        numbers = [one[name] for name in _compared.NUMBERS]
        broken = "; ".join(one["broken"])
        words = _compared.words_of(one)
        rows.append([words, one["method"], one["k"], *numbers, broken, one["error"]])
    return Response(
        csv_text(rows),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": 'attachment; filename="comparison.csv"'},
    )


PAGE = Page(
    NAME,
    "Compare",
    "See what methods and parameters cost, and take one.",
    (
        Route("/", show),
        form_route("/run", run),
        form_route("/take", take),
        Route("/comparison.csv", download),
    ),
    of_tables=True,
)
