"""Hierarchies: how the values of each quasi-identifier are made less exact."""

import re
from collections.abc import Callable
from typing import Any

import yaml
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from anon_transformers.exceptions import (
    AnonymizationError,
    ConfigurationError,
    DataError,
    ParameterError,
    check_choice,
    shortened,
)
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.hierarchies._groups import is_by_frequency
from anon_transformers.release._strict import parse_yaml
from anon_transformers.studio import _hierarchies as trees
from anon_transformers.studio import _tree_edits as edits
from anon_transformers.studio._page import (
    Page,
    address,
    form_route,
    project_of,
    render,
    start_job,
    whole_number,
    words_of,
)
from anon_transformers.studio._profile import CountedValues, TableProfile, profile_of
from anon_transformers.studio._project import Project
from anon_transformers.studio._source import source_of
from anon_transformers.studio._tree_views import MOST_LEAVES, distribution, nested
from anon_transformers.studio.pages.data import read_first

MOST_TABLE_ROWS = 2_000
"""Rows of a hierarchy that a page lets one edit; a larger one is edited as a file."""
LARGEST_FILE = 32 << 20
UNKNOWN = {
    "error": "a release is refused",
    "root": "the value is shown as the root",
    "suppress": "the row is suppressed",
}
NUMBERS = ("integer", "number")


def show(request: Request) -> Response:
    """All columns that have or may have a hierarchy, and one of them in full."""
    project = project_of(request)
    try:
        source = source_of(project)
    except (AnonymizationError, OSError) as error:
        return _page(request, fault=words_of(error))
    profile = profile_of(project, source)
    if profile is None:
        job, _ = read_first(request, project, source, "hierarchies")
        # Why a table cannot be read, the page of the data says.
        return RedirectResponse(job or address(request, "data"), 303)
    content = project.content
    columns = [name for name in trees.columns_of(content) if name in profile.names]
    views = [trees.view(project, profile, name) for name in columns]
    suggestions = project.result(trees.SUGGEST)
    asked = request.query_params.get("column") or (columns[0] if columns else "")
    own: dict[str, Any] = {"views": views, "profile": profile}
    own["suggestions"] = {} if suggestions is None else suggestions.found
    if asked in columns:
        own |= _one(request, project, profile, views[columns.index(asked)])
    return _page(request, **own)


def _page(request: Request, **own: Any) -> Response:
    least: dict[str, Any] = {"views": [], "fault": "", "one": None, "suggestions": {}}
    return render(
        request,
        "hierarchies.html",
        unknown=UNKNOWN,
        most_leaves=MOST_LEAVES,
        rare=trees.RARE,
        **{**least, **own},
    )


def _one(
    request: Request, project: Project, profile: TableProfile, view: trees.HierarchyView
) -> dict[str, Any]:
    """What the page shows of one column."""
    column = view.column
    stated = trees.stated_of(project.content, column) or {}
    own: dict[str, Any] = {"one": view, "stated": stated, "tree": None, "table": None}
    own |= {"picture": None, "draft": None, "draft_fault": "", "groups": []}
    own["by_frequency"] = ""
    own["builders"] = _builders()
    own["builder_options"] = _options_text(stated)
    own["node"] = _node(request.query_params.get("node", ""))
    try:
        counts = profile.counts(column)
    except DataError:  # the view says so
        return own
    own["is_number"] = trees.kind_of(profile, column) in NUMBERS
    if view.tree is not None:
        own["tree"] = nested(view.tree, counts)
        own["groups"] = _groups(view.tree)
        own["by_frequency"] = next(filter(is_by_frequency, own["groups"]), "")
        if len(view.tree.rows) <= MOST_TABLE_ROWS:
            own["table"] = trees.text_of(project, view.tree)
    own |= _intervals(request, project, column, counts, stated, own["is_number"])
    return own


def _intervals(
    request: Request,
    project: Project,
    column: str,
    counts: CountedValues,
    stated: dict[str, Any],
    is_number: bool,
) -> dict[str, Any]:
    """The distribution with cuts: those of the file, or those that are tried."""
    if not is_number:
        return {}
    given = request.query_params
    tried, fault, levels = stated, "", None
    if "numbers" in given:
        try:
            tried = trees.intervals_of(given)
            made = trees.build_stated(project, column, tried, counts)
            levels = [len(made.level(at).labels) for at in range(made.n_levels)]
        except (AnonymizationError, OSError) as error:
            tried, fault = {}, words_of(error)
    return {
        "picture": distribution(column, counts, tried),
        "draft_fault": fault,
        "draft_levels": levels,
        "draft": _fields(given) if "numbers" in given else _fields_of(stated),
    }


def _fields(given: Any) -> dict[str, str]:
    return {key: str(given.get(key, "")) for key in ("how", "numbers", "start")}


def _fields_of(stated: dict[str, Any]) -> dict[str, str]:
    """The form for intervals, as the file states them."""
    start = str(stated.get("start", "") or "")
    if stated.get("cuts"):
        lines = [", ".join(map(str, level)) for level in stated["cuts"]]
        return {"how": "cuts", "numbers": "\n".join(lines), "start": start}
    widths = ", ".join(map(str, stated.get("widths", ())))
    return {"how": "widths", "numbers": widths, "start": start}


def _builders() -> list[str]:
    from anon_transformers.registry import registry

    return [name for name in registry().hierarchy_builders if name != "intervals"]


def _options_text(stated: dict[str, Any]) -> str:
    options = {k: v for k, v in stated.items() if k not in ("path", "kind", "unknown")}
    if not options or stated.get("kind") in (None, "intervals"):
        return ""
    return yaml.safe_dump(options, sort_keys=False, default_flow_style=None)


def _groups(tree: Hierarchy) -> list[str]:
    """Labels of groups, those of lower levels first."""
    levels = [tree.level(at).labels for at in range(1, tree.n_levels - 1)]
    found = dict.fromkeys(str(label) for labels in levels for label in labels)
    return list(found)[:MOST_LEAVES]


def _node(given: str) -> tuple[int, str] | None:
    """A value or group as a form names it: its level and its label."""
    level, colon, label = given.partition(":")
    at = whole_number(level, -1)
    return (at, label) if colon and at >= 0 else None


# Actions.


def _asked(request: Request, form: FormData) -> tuple[Project, str, CountedValues]:
    """Project, column and values of a form."""
    project, column = project_of(request), str(form.get("column", ""))
    if column not in trees.columns_of(project.content):
        raise DataError("this column is no quasi-identifier, so that it has no levels.")
    profile = trees.profile_now(project)
    if profile is None:
        raise DataError("the table was not read yet; open Data first.")
    return project, column, profile.counts(column)


def _back(request: Request, column: str, place: str = "one") -> str:
    from urllib.parse import urlencode

    return address(request, "hierarchies", f"?{urlencode({'column': column})}#{place}")


def _state(request: Request, project: Project, column: str, what: str, it: Any) -> str:
    project.edit(
        f"{what}: {shortened(column, 40)}",
        lambda content: trees.set_hierarchy(content, column, it),
    )
    return _back(request, column)


def _edit(
    what: str, change: Callable[[edits.Rows, FormData], edits.Rows]
) -> Callable[[Request, FormData], str]:
    """An edit of rows: change, check, keep, state."""

    def answer(request: Request, form: FormData) -> str:
        project, column, counts = _asked(request, form)
        rows = trees.rows_to_edit(project, column, counts)
        changed = change(rows, form)
        it = trees.state_rows(project, column, changed)
        return _state(request, project, column, what, it)

    return answer


def _renamed(rows: edits.Rows, form: FormData) -> edits.Rows:
    level, label = _given_node(form)
    if level == 0:
        raise ParameterError("a value stands in the table; only groups have names.")
    return edits.rename(rows, level, label, str(form.get("name", "")))


def _moved(rows: edits.Rows, form: FormData) -> edits.Rows:
    return edits.move(rows, *_given_node(form), str(form.get("group", "")))


def _given_node(form: FormData) -> tuple[int, str]:
    found = _node(str(form.get("node", "")))
    if found is None:
        raise ParameterError("choose a value or a group.")
    return found


def _with_level(rows: edits.Rows, form: FormData) -> edits.Rows:
    return edits.add_level(rows)


def _without_level(rows: edits.Rows, form: FormData) -> edits.Rows:
    return edits.remove_level(rows, whole_number(form.get("level"), -1))


def complete(request: Request, form: FormData) -> str:
    """Give the values that have no entry one, in a group."""
    project, column, counts = _asked(request, form)
    rows = trees.rows_to_edit(project, column, counts)
    profile = trees.profile_now(project)
    kind = None if profile is None else trees.kind_of(profile, column)
    lost = trees.lacking(Hierarchy(rows), counts, kind)
    values = [counts.values[at] for at in lost]
    changed = edits.add_values(rows, values, str(form.get("group", "")) or "other")
    it = trees.state_rows(project, column, changed)
    return _state(request, project, column, "values added", it)


def set_table(request: Request, form: FormData) -> str:
    """Take the table that was typed."""
    project, column, _counts = _asked(request, form)
    text = str(form.get("text", "")).replace("\r\n", "\n")
    it = trees.state_tree(project, column, trees.read_text(project, text, "utf-8"))
    return _state(request, project, column, "hierarchy as a table", it)


def take_file(request: Request, form: FormData) -> str:
    """Take a file as ARX writes it."""
    project, column, _counts = _asked(request, form)
    given = form.get("file")
    if not isinstance(given, UploadFile) or not given.filename:
        raise DataError("choose a file to import.")
    content = given.file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise DataError(f"a hierarchy may have {LARGEST_FILE >> 20} MB at most.")
    encoding = str(form.get("encoding", "")).strip() or "utf-8"
    it = trees.state_tree(project, column, trees.read_text(project, content, encoding))
    return _state(request, project, column, "hierarchy from a file", it)


def give_file(request: Request) -> Response:
    """The hierarchy of a column as ARX reads it."""
    project, column = project_of(request), request.query_params.get("column", "")
    profile = trees.profile_now(project)
    view = None
    if profile is not None and column in trees.columns_of(project.content):
        view = trees.view(project, profile, column)
    if view is None or view.tree is None:
        return render(request, "fault.html", 404, reason="there is no such hierarchy")
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", column).strip("-") or "column"
    return Response(
        trees.text_of(project, view.tree),
        media_type="text/csv",
        headers={"content-disposition": f'attachment; filename="{name}.csv"'},
    )


def set_intervals(request: Request, form: FormData) -> str:
    """State intervals, if they can be made of the values."""
    project, column, counts = _asked(request, form)
    stated = _with_policy(project, column, trees.intervals_of(form))
    trees.build_stated(project, column, stated, counts)
    return _state(request, project, column, "intervals", stated)


def set_builder(request: Request, form: FormData) -> str:
    """State a builder and its parameters, if it can be made of the values."""
    project, column, counts = _asked(request, form)
    kind = str(form.get("kind", ""))
    check_choice("kind", kind, _builders())
    text = str(form.get("options", ""))
    try:
        options = parse_yaml(text) if text.strip() else {}
    except ConfigurationError as error:
        said = f"parameters are written as in: side: left ({error})"
        raise ParameterError(said) from None
    stated = _with_policy(project, column, {**options, "kind": kind})
    trees.build_stated(project, column, stated, counts)
    return _state(request, project, column, kind, stated)


def _with_policy(project: Project, column: str, stated: dict[str, Any]) -> Any:
    """What is stated, with the policy for unknown values that was stated before."""
    before = trees.stated_of(project.content, column) or {}
    kept = {key: before[key] for key in trees.KEPT_OPTIONS if key in before}
    return {**kept, **stated}


def set_unknown(request: Request, form: FormData) -> str:
    """State what becomes of values that the hierarchy does not have."""
    project, column, counts = _asked(request, form)
    policy = str(form.get("unknown", ""))
    check_choice("unknown", policy, UNKNOWN)
    stated = trees.stated_of(project.content, column)
    if stated is None:
        raise DataError("this column has no hierarchy yet.")
    stated.pop("unknown", None)
    if policy != "error":
        stated["unknown"] = policy
    trees.build_stated(project, column, stated, counts)
    short: Any = stated["path"] if set(stated) == {"path"} else stated
    return _state(request, project, column, f"unknown values: {policy}", short)


def remove(request: Request, form: FormData) -> str:
    """State no hierarchy for a column."""
    project, column, _counts = _asked(request, form)
    return _state(request, project, column, "no hierarchy", None)


def suggest(request: Request, form: FormData) -> str:
    """Suggest hierarchies for all quasi-identifiers."""
    return start_job(
        request, trees.SUGGEST, "Suggesting hierarchies", trees.WORK,
        back=address(request, "hierarchies"),
    )  # fmt: skip


def use(request: Request, form: FormData) -> str:
    """Take the suggestion for a column, or for all that have none."""
    project = project_of(request)
    result = project.result(trees.SUGGEST)
    found = {} if result is None else result.found
    known = trees.columns_of(project.content)
    column = str(form.get("column", ""))
    if not column:
        new = {
            name: one["stated"]
            for name, one in found.items()
            if name in known and trees.stated_of(project.content, name) is None
        }
    elif column in found and column in known:
        new = {column: found[column]["stated"]}
    else:
        raise DataError("there is no suggestion for this column.")

    def change(content: Any) -> None:
        for name, stated in new.items():
            trees.set_hierarchy(content, name, stated)

    said = shortened(column, 40) if column else f"{len(new)} columns"
    project.edit(f"suggested hierarchy: {said}", change)
    return _back(request, column) if column else address(request, "hierarchies")


ACTIONS = {
    "suggest": suggest,
    "use": use,
    "rename": _edit("group renamed", _renamed),
    "move": _edit("moved", _moved),
    "add-level": _edit("level added", _with_level),
    "remove-level": _edit("level removed", _without_level),
    "complete": complete,
    "table": set_table,
    "import": take_file,
    "intervals": set_intervals,
    "builder": set_builder,
    "unknown": set_unknown,
    "remove": remove,
}

PAGE = Page(
    "hierarchies",
    "Hierarchies",
    "Say how values are made less exact, level by level.",
    (
        Route("/", show),
        Route("/export", give_file),
        *(form_route(f"/{name}", function) for name, function in ACTIONS.items()),
    ),
    of_tables=True,
)
