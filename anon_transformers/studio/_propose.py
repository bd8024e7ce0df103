"""All proposals at once: roles, kinds of cells, marks of missing values, hierarchies.

The same proposals that ``anon init`` writes, put into the file of a project.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anon_transformers.studio._columns import BOTH, NONE, roles_of
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._profile import dates_of, read_cells
from anon_transformers.studio._project import Content, Project
from anon_transformers.studio._source import source_of
from anon_transformers.studio._trees import keep_tree
from anon_transformers.studio._yaml import edited

if TYPE_CHECKING:
    from anon_transformers.proposals import ProposedRelease

PROPOSE = "propose"
WORK = "anon_transformers.studio._propose:take_proposals"
START = [{"model": "k-anonymity", "k": 5}]
"""Thresholds of a project of which nobody has decided on any."""


def take_proposals(
    project: Project, params: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Propose a whole release of the table, and state it in the file (a job).

    Parameters
    ----------
    project : Project
        Its file is changed, by one edit.
    params : mapping
        ``keep``: whether columns that have a role keep it.
    progress : callable
        Told how far it is.
    """
    source = source_of(project)
    progress(0, 0, "reading the table")
    cells = read_cells(source)
    before, content = project.text, project.content
    stated = {}
    if params.get("keep"):
        stated = {
            column: "quasi_identifiers" if role == BOTH else role
            for column, role in roles_of(content).items()
            if role != NONE and column in cells.columns
        }
    from anon_transformers.proposals import propose_release

    made = propose_release(
        cells,
        content["source"],
        project.name,
        stated=stated,
        missing=source.missing or None if source.is_csv else None,
        dates=dates_of(source) if source.is_csv else None,
        typed=not source.is_csv,
        progress=progress,
    )
    progress(0, 0, "writing hierarchies")
    merged = _merged(project, content, made, keep=bool(params.get("keep")))
    project.replace("all proposals", edited(before, merged), made_of=before)
    return {
        "columns": len(made.table.columns),
        "hierarchies": {
            column: {"reason": one.reason, "score": one.score, "kind": one.kind}
            for column, one in made.suggestions.items()
        },
    }


def _merged(
    project: Project, content: Content, made: "ProposedRelease", *, keep: bool
) -> Content:
    """The file with what is proposed; a person's own method and target stay."""
    proposed = made.content
    hierarchies = {
        column: one.stated
        if one.stated is not None
        else keep_tree(project, column, one.hierarchy)
        for column, one in made.suggestions.items()
    }
    source = {**content["source"], **proposed["source"]}
    roles = dict(proposed["roles"])
    if keep:
        stated = content.get("hierarchies") or {}
        own = {column: stated[column] for column in hierarchies if column in stated}
        hierarchies |= own
        kinds = content["source"].get("columns") or {}
        if kinds:
            source["columns"] = {**source.get("columns", {}), **kinds}
        others = {"rows_are_persons", "accept_unique", "small_group"}
        before = content.get("roles") or {}
        roles |= {key: before[key] for key in others if key in before}
    thresholds = content.get("thresholds")
    if not thresholds or thresholds == START:
        thresholds = proposed["thresholds"]
    changed = {
        "source": source,
        "roles": roles,
        "hierarchies": hierarchies,
        "thresholds": thresholds,
    }
    first = {key: changed[key] for key in ("source", "roles", "hierarchies")}
    rest = {key: value for key, value in content.items() if key not in first}
    return {**first, **rest, "thresholds": thresholds}
