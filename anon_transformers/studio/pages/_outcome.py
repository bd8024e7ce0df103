"""What pages show of a protected table: its numbers, and rows before and after."""

from typing import TYPE_CHECKING, Any

from starlette.requests import Request

from anon_transformers.studio._page import whole_number

if TYPE_CHECKING:
    from anon_transformers.studio._project import Project


def rows_of(request: Request, project: "Project", kind: str, name: str = "") -> Any:
    """Rows of a kept table before and after; from which on, the address says."""
    from anon_transformers.studio._rows import excerpt

    result = project.result(kind)
    if result is None:
        return None
    start = whole_number(request.query_params.get("row"), 1) - 1
    roles = project.content.get("roles")
    roles = roles if isinstance(roles, dict) else {}
    first = [
        str(column)
        for role in ("quasi_identifiers", "sensitive")
        for column in (roles.get(role) or ())
    ]
    return excerpt(result, start, first=first, name=name)


def summary(found: Any) -> list[tuple[str, Any]]:
    """What a run came to, in words and numbers; what is not known is left out."""
    classes, risk = found.get("classes") or {}, found.get("risk") or {}
    details = found.get("details") or {}
    rows = [
        ("Rows of the source", found.get("source_rows")),
        ("Rows that are published", found.get("rows")),
        ("Rows that are suppressed", found.get("suppressed_rows")),
        ("Persons with a suppressed row", found.get("suppressed_persons")),
        ("Loss (0: nothing, 1: everything)", found.get("loss")),
        ("Information loss of the groups", details.get("information_loss")),
        ("Highest risk", risk.get("highest-risk")),
        ("Average risk", risk.get("average-risk")),
        ("Classes", classes.get("count")),
        ("Smallest class", classes.get("smallest")),
        ("Average class", classes.get("mean")),
        ("Largest class", classes.get("largest")),
        ("Seconds of the method, on first use with compiling", found.get("seconds")),
    ]
    return [(words, number) for words, number in rows if number is not None]
