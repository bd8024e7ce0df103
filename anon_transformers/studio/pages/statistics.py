"""Statistics: what protection costs and what it gives, in numbers and pictures."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from anon_transformers.exceptions import DataError
from anon_transformers.figures import Chart
from anon_transformers.studio._downloads import KINDS, chart_file, read_charts
from anon_transformers.studio._page import (
    Page,
    address,
    form_route,
    project_of,
    render,
    start_job,
)
from anon_transformers.studio._project import Project
from anon_transformers.studio._protected import PROTECT
from anon_transformers.studio._statistics import (
    GRID,
    MEASURE_WORK,
    QUERY_WORDS,
    STATISTICS,
    SWEEP,
    SWEEP_WORK,
    SWEPT,
    grid_charts,
    is_adult,
    read_grid,
    read_values,
)

SUGGESTED = {"k": "2, 5, 10, 20, 50, 100", "l": "2, 3, 4", "t": "0.1, 0.2, 0.3, 0.5"}
SHIPPED = "grid"


def show(request: Request) -> Response:
    """Charts of the last run, the last sweep, and of Adult the grid that ships."""
    project = project_of(request)
    content = project.content
    over = request.query_params.get("grid", "k")
    result, swept = project.result(STATISTICS), project.result(SWEEP)
    shipped = None
    if is_adult(content):
        shipped = read_grid() | {"over": over if over in GRID else "k"}
    return render(
        request,
        "statistics.html",
        result=result,
        charts={} if result is None else read_charts(result.found["charts"]),
        swept=swept,
        swept_charts={} if swept is None else read_charts(swept.found["charts"]),
        targets=_targets(content),
        suggested=SUGGESTED,
        grid=shipped,
        grids=list(GRID),
        grid_charts={} if shipped is None else grid_charts(shipped["over"]),
        protected=project.result(PROTECT),
        query_words={key.replace("_", " "): said for key, said in QUERY_WORDS.items()},
    )


def _targets(content: Mapping[str, Any]) -> list[str]:
    """Columns that a model may predict: those that are published as they are."""
    roles = content.get("roles")
    roles = roles if isinstance(roles, Mapping) else {}
    named = [roles.get(role) or [] for role in ("sensitive", "insensitive")]
    return [str(name) for names in named if isinstance(names, list) for name in names]


def measure(request: Request, form: FormData) -> str:
    """Take the statistics, anew."""
    target = str(form.get("target", ""))
    return start_job(
        request, STATISTICS, "Statistics", MEASURE_WORK, {"target": target},
        address(request, "statistics"),
    )  # fmt: skip


def sweep(request: Request, form: FormData) -> str:
    """Run the method for several values of a parameter."""
    over = str(form.get("over", ""))
    if over not in SWEPT:
        raise DataError(f"over: choose one of {', '.join(SWEPT)}.")
    values = read_values(over, str(form.get("values", "")) or SUGGESTED[over])
    return start_job(
        request, SWEEP, f"Sweep over {over}", SWEEP_WORK,
        {"over": over, "values": values, "target": str(form.get("target", ""))},
        address(request, "statistics", "#sweep"),
    )  # fmt: skip


def download(request: Request) -> Response:
    """One chart as SVG or CSV."""
    kind, name = request.path_params["kind"], request.path_params["name"]
    ending = request.path_params["ending"]
    chart = _charts(project_of(request), kind).get(name)
    if chart is None or ending not in KINDS:
        raise HTTPException(404, "there is no such chart")
    stem = f"{kind}-{name}" if kind in (STATISTICS, SWEEP) else f"adult-{kind}-{name}"
    return chart_file(chart, stem, ending)


def _charts(project: Project, kind: str) -> dict[str, Chart]:
    if kind.removeprefix(f"{SHIPPED}-") in GRID and is_adult(project.content):
        return grid_charts(kind.removeprefix(f"{SHIPPED}-"))
    result = project.result(kind) if kind in (STATISTICS, SWEEP) else None
    return {} if result is None else read_charts(result.found["charts"])


PAGE = Page(
    "statistics",
    "Statistics",
    "See what protection costs and gives: classes, risk, loss, distributions.",
    (
        Route("/", show),
        form_route("/measure", measure),
        form_route("/sweep", sweep),
        Route("/{kind}/{name}.{ending}", download),
    ),
    of_tables=True,
)
