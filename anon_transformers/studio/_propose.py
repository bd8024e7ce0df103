"""All proposals at once: roles, kinds of cells, marks, hierarchies, thresholds.

The same proposals that ``anon init`` writes, put into the file of a project.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anon_transformers.studio._columns import BOTH, NONE, roles_of
from anon_transformers.studio._jobs import Progress
from anon_transformers.studio._profile import TableProfile, dates_of, read_cells
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
        "state": project.state,
        "thresholds": [
            {"words": words_of_threshold(one), "reason": made.reason_for(one)}
            for one in merged["thresholds"]
            if one in made.content["thresholds"]
        ],
        "unsure": made.unsure,
        "by_frequency": made.by_frequency,
        "columns": len(made.table.columns),
        "hierarchies": {
            column: {"reason": one.reason, "score": one.score, "kind": one.kind}
            for column, one in made.suggestions.items()
        },
    }


def words_of_threshold(stated: Mapping[str, Any]) -> str:
    """A proposed threshold on one line.

    Examples
    --------
    >>> words_of_threshold({"metric": "loss", "max": 0.68})
    'loss at most 0.68'
    >>> words_of_threshold({"model": "distinct-l-diversity", "l": 2, "sensitive": "a"})
    'distinct-l-diversity: l = 2, sensitive = a'
    """
    if "metric" in stated:
        return f"{stated['metric']} at most {stated['max']}"
    others = [f"{key} = {stated[key]}" for key in stated if key not in ("id", "model")]
    return f"{stated['model']}: {', '.join(others)}"


def thresholds_to_come(content: Content, profile: TableProfile) -> list[dict[str, str]]:
    """What *Take all proposals* adds beside roles; nothing where a person decided.

    The bound of loss is measured meanwhile, so that its number is not known before.
    """
    from anon_transformers.proposals._release_file import MOST_SUPPRESSED, K, L

    if not _are_open(content):
        return []
    roles = roles_of(content)
    sensitive = [
        one["name"]
        for one in profile.columns
        if one["values"] - len(one["marks"]) >= L
        and _role_then(roles.get(one["name"], NONE), one["proposal"]) == "sensitive"
    ]
    listed = [
        (f"k-anonymity: k = {K}", f"Nobody is in a group of fewer than {K}."),
        *(
            (
                f"distinct-l-diversity: l = {L}, sensitive = {column}",
                f"Nobody's {column} is known from their group alone.",
            )
            for column in sensitive
        ),
        (
            "loss at most a number that is measured",
            "What some rows of the table lose, and half of the rest: a later table "
            "that loses more has changed.",
        ),
        (
            f"suppressed-share at most {MOST_SUPPRESSED}",
            "Where a hierarchy is a list of values, rows with a value that is not in "
            "it may go; not more of them.",
        ),
    ]
    return [{"words": words, "reason": reason} for words, reason in listed]


def _role_then(stated: str, proposal: Mapping[str, Any] | None) -> str:
    """The role of a column after proposals were taken and stated roles kept."""
    return stated or (proposal or {}).get("role", NONE)


def _are_open(content: Content) -> bool:
    """Whether nobody has decided on thresholds."""
    return not content.get("thresholds") or content["thresholds"] == START


def taken(project: Project) -> dict[str, Any] | None:
    """What was taken last, as long as the file is as that left it."""
    result = project.result(PROPOSE)
    if result is None or result.found.get("state") != project.state:
        return None
    return dict(result.found)


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
    if _are_open(content):
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
