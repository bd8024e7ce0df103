"""Graphs: load a network, see it before and after, and what each k costs."""

from io import BytesIO
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from anon_transformers.exceptions import ConfigurationError, DataError
from anon_transformers.studio import (
    Page,
    action,
    address,
    begin_project,
    project_of,
    render,
    start_job,
)
from anon_transformers_graphs.studio._work import (
    CURVE,
    METHODS,
    PROTECT,
)

WORK = "anon_transformers_graphs.studio._work"
CSV = ".csv"
ENDS = 2
"""Columns of a file of edges that name the ends of each."""
LEAST_K = 2


def show(request: Request) -> Response:
    """The network of the project, or else the ways to one."""
    if "project" in request.path_params and _is_readable_network(project_of(request)):
        return _show_network(request)
    shelf = request.app.state.studio.shelf
    networks = [one for one in shelf.projects() if _is_readable_network(one)]
    return render(request, "graphs/begin.html", networks=networks)


def _is_readable_network(project: Any) -> bool:
    try:
        return bool(project.is_graph)
    except ConfigurationError:  # somebody is at work on the file
        return False


def upload(request: Request, form: FormData) -> str:
    """A file of edges that the browser sends."""
    given = form.get("file")
    if not isinstance(given, UploadFile) or not given.filename:
        raise DataError("choose a file of edges to upload.")
    name = given.filename.replace("\\", "/").rsplit("/", 1)[-1]
    return _begin(request, name, given.file.read())


def open_path(request: Request, form: FormData) -> str:
    """A file of edges of this machine, where it lies."""
    file = Path(str(form.get("path", "")).strip()).expanduser()
    if not file.is_absolute() or not file.is_file():
        raise DataError("there is no such file; give its whole path, from / on.")
    return _begin(request, file.name, file.read_bytes(), str(file.resolve()))


def open_karate(request: Request, form: FormData) -> str:
    """The karate club that the literature uses as its example."""
    import networkx as nx  # noqa: PLC0415

    pairs = [f"{first},{second}" for first, second in nx.karate_club_graph().edges]
    text = "\n".join(["member,friend", *pairs, ""])
    return _begin(request, "karate.csv", text.encode())


def _begin(request: Request, name: str, held: bytes, path: str | None = None) -> str:
    """A project whose release file says the least that is needed."""
    if not name.lower().endswith(CSV):
        raise DataError(f"edges are read from files that end in {CSV}.")
    columns = _columns(held)
    stem = name[: -len(CSV)]
    # Braces and dollar signs of a path would be periods and variables.
    written = None if path is None else path.translate(
        {ord(c): c * 2 for c in "{}$"}
    )  # fmt: skip
    roles: dict[str, Any] = {"identifiers": columns[:ENDS]}
    if columns[ENDS:]:
        roles["dropped"] = columns[ENDS:]
    content = {
        "source": {"kind": "graph", "edges": written or "../data/edges.csv"},
        "roles": roles,
        "anonymizer": {"name": "k-degree"},
        "thresholds": [{"model": "k-degree", "k": 3}],
        "target": {"path": "../published", "format": "csv"},
        "workspace": "../.anon",
    }
    files = {"edges.csv": BytesIO(held)} if written is None else {}
    return f"/p/{begin_project(request, stem, content, files).id}/graphs/"


def _columns(held: bytes) -> list[str]:
    """Names at the head of the columns, of which the first two are the ends."""
    from pandas import read_csv  # noqa: PLC0415

    try:
        columns = [str(c) for c in read_csv(BytesIO(held), nrows=0, dtype=str).columns]
    except (ValueError, OSError) as error:  # what it says may quote the file
        fault = type(error).__name__
        raise DataError(f"the file cannot be read as CSV ({fault}).") from None
    if len(columns) < ENDS:
        raise DataError("a file of edges has two columns: the ends of each edge.")
    return columns


def _show_network(request: Request) -> Response:
    """The network, before and after."""
    project = project_of(request)
    result, curve = project.result(PROTECT), project.result(CURVE)
    content = project.content
    return render(
        request,
        "graphs/graphs.html",
        methods=METHODS,
        method=content.get("anonymizer", {}).get("name"),
        k=next((t["k"] for t in content.get("thresholds", ()) if "k" in t), LEAST_K),
        result=result,
        drawings=[] if result is None else _drawings(result.found["drawings"]),
        degrees=None if result is None else _degree_chart(result.found["degrees"]),
        curve=curve,
        cost=None if curve is None else _curve_chart(curve.found["points"]),
    )


def _drawings(noted: list[dict[str, Any]]) -> list[Any]:
    from anon_transformers.figures import Chart  # noqa: PLC0415

    return [Chart(**one) for one in noted]


def _degree_chart(histograms: list[list[int]]) -> Any:
    from anon_transformers.figures import line_chart  # noqa: PLC0415

    longest = max(map(len, histograms))
    first, second = (h + [0] * (longest - len(h)) for h in histograms)
    lines = {"as it is": first, "published": second}
    return line_chart(
        "Nodes of each degree", list(range(longest)), lines, x_name="degree",
        y_name="nodes",
    )  # fmt: skip


def _curve_chart(points: list[tuple[int, int | None]]) -> Any:
    from anon_transformers.figures import line_chart  # noqa: PLC0415

    changed = {"edges changed": [n for _, n in points]}
    return line_chart(
        "Edges that k-degree anonymity changes", [k for k, _ in points], changed,
        x_name="k", y_name="edges",
    )  # fmt: skip


def protect(request: Request, form: FormData) -> str:
    """Take method and k into the release file, and try them."""
    project = project_of(request)
    method, k = str(form.get("method", "")), str(form.get("k", ""))
    if method not in METHODS:
        raise DataError(f"the methods of this page are {', '.join(METHODS)}.")
    if not k.isdecimal() or int(k) < LEAST_K:
        raise DataError(f"k is a whole number of at least {LEAST_K}.")

    def change(content: dict[str, Any]) -> None:
        if content.get("anonymizer", {}).get("name") != method:
            content["anonymizer"] = {"name": method}
        models = set(METHODS.values())
        others = [t for t in content["thresholds"] if t.get("model") not in models]
        content["thresholds"] = [{"model": METHODS[method], "k": int(k)}, *others]

    project.edit(f"{method} with k = {k}", change)
    return start_job(
        request, PROTECT, f"Protect by {method}", f"{WORK}:protect",
        back=address(request, "graphs"),
    )  # fmt: skip


def measure_curve(request: Request, form: FormData) -> str:
    """Try several k."""
    back = address(request, "graphs")
    return start_job(request, CURVE, "What each k costs", f"{WORK}:curve", back=back)


PAGE = Page(
    "graphs",
    "Graphs",
    "See a network before and after, its degrees and what k costs.",
    (
        Route("/", show),
        Route("/upload", action(upload), methods=["POST"]),
        Route("/open", action(open_path), methods=["POST"]),
        Route("/karate", action(open_karate), methods=["POST"]),
        Route("/protect", action(protect), methods=["POST"]),
        Route("/curve", action(measure_curve), methods=["POST"]),
    ),
    of_project=False,
    templates=Path(__file__).parent / "templates",
)
