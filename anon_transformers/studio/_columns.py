"""Edits of a release file about columns: what each is, and how its cells are read."""

from collections.abc import Iterable, Mapping
from typing import Any

from anon_transformers.exceptions import ParameterError, check_choice
from anon_transformers.studio._project import Content

ROLES = {
    "quasi_identifiers": "quasi-identifier",
    "sensitive": "sensitive",
    "identifiers": "identifier",
    "insensitive": "insensitive",
    "dropped": "dropped",
}
"""What a column may be, and what a page calls it; beside these, one is the subject."""
SUBJECT, BOTH, NONE = "subject", "both", ""
CHOICES = {**ROLES, SUBJECT: "subject (person)", NONE: "not decided"}
MEANINGS = {
    "quasi_identifiers": "An intruder may know it of a person; it is made less exact.",
    "sensitive": "An intruder wants to know it; it is published as it is.",
    "identifiers": "It names a person; it is not published.",
    "insensitive": "It is published as it is and protects nobody.",
    "dropped": "It is left out when the table is read.",
    SUBJECT: "Its values tell persons apart; every count is of persons then.",
}
KINDS: Mapping[str, Any] = {
    "integer": "integer",
    "number": "number",
    "number 1.040,64": {"number": ","},
    "text": "text",
    "date": "date",
    "date 31/12/2026": {"date": "%d/%m/%Y"},
    "date 12/31/2026": {"date": "%m/%d/%Y"},
    "date 31.12.2026": {"date": "%d.%m.%Y"},
    "date 20261231": {"date": "%Y%m%d"},
}
"""What cells of a CSV file may be stated to be."""
AS_STATED = "as stated"


def roles_of(content: Mapping[str, Any]) -> dict[str, str]:
    """The role of each declared column.

    ``both`` is what one intruder knows and another one wants to know.

    Examples
    --------
    >>> roles_of({"roles": {"sensitive": ["a"], "subject": "b", "identifiers": ["b"]}})
    {'a': 'sensitive', 'b': 'subject'}
    """
    stated = _section(content, "roles")
    found: dict[str, str] = {}
    for role in ROLES:
        for column in _listed(stated.get(role)):
            found[column] = BOTH if found.get(column) == "quasi_identifiers" else role
    if stated.get("subject") is not None:
        found[str(stated["subject"])] = SUBJECT
    return found


def set_roles(content: Content, chosen: Mapping[str, str]) -> None:
    """Give columns other roles; what the file says of them by their old role goes.

    Parameters
    ----------
    content : dict
        The release file; it is changed.
    chosen : mapping of column to role
        ``""`` for none; columns that are not named keep theirs.
    """
    before = roles_of(content)
    for role in chosen.values():
        check_choice("role", role, [*CHOICES, BOTH])
    changed = {c: r for c, r in chosen.items() if before.get(c, NONE) != r}
    if not changed:
        return
    after = {**before, **changed}
    subjects = [column for column, role in after.items() if role == SUBJECT]
    fresh = [column for column in subjects if changed.get(column) == SUBJECT]
    if len(fresh) > 1:
        raise ParameterError(f"subject: one column, got {', '.join(fresh)}.")
    if fresh:  # who was it before has no role any more
        for column in subjects:
            after[column] = SUBJECT if column == fresh[0] else NONE
    roles = _section(content, "roles")
    _write_roles(roles, after)
    content["roles"] = roles
    _forget(content, after)


def _write_roles(roles: dict[str, Any], after: Mapping[str, str]) -> None:
    for role in ROLES:
        kept = [
            c
            for c in _listed(roles.get(role))
            # The subject may be listed among the identifiers, too.
            if _has(after.get(c), role)
            or (role == "identifiers" and after.get(c) == SUBJECT)
        ]
        new = [c for c in after if _has(after[c], role) and c not in kept]
        if kept or new or role in roles:
            roles[role] = [*kept, *new]
    subject = next((c for c, role in after.items() if role == SUBJECT), None)
    if subject is None:
        roles.pop("subject", None)
        roles.pop("one_value_per_person", None)
    else:
        roles["subject"] = subject
        roles.pop("rows_are_persons", None)
    for role in ROLES:
        if roles.get(role) == [] and role != "quasi_identifiers":
            del roles[role]


def _has(given: str | None, role: str) -> bool:
    return given == role or (
        given == BOTH and role in ("quasi_identifiers", "sensitive")
    )


def _forget(content: Content, after: Mapping[str, str]) -> None:
    """Leave out what a release would refuse of columns that have another role now."""
    roles = content["roles"]
    judged = {
        c
        for c, role in after.items()
        if role in ("quasi_identifiers", "sensitive", BOTH)
    }
    hierarchies = _section(content, "hierarchies")
    kept = {c: stated for c, stated in hierarchies.items() if c in judged}
    if kept != hierarchies:
        content["hierarchies"] = kept
    sensitive = _listed(roles.get("sensitive"))
    published = {*sensitive, *_listed(roles.get("insensitive"))}
    accepted = roles.get("accept_unique")
    if isinstance(accepted, list):
        known = [
            one
            for one in accepted
            if set(_listed(one if isinstance(one, list) else [one]))
            <= published | judged
        ]
        _put(roles, "accept_unique", [
            one for one in known if isinstance(one, list) or one in published
        ])  # fmt: skip
    single = roles.get("one_value_per_person")
    if isinstance(single, list):
        _put(roles, "one_value_per_person", [c for c in single if c in sensitive])


def accept_unique(content: Content, columns: Iterable[str]) -> None:
    """State which published columns may tell persons apart; sets stay as they are."""
    roles = _section(content, "roles")
    stated = roles.get("accept_unique")
    sets = [one for one in stated or [] if isinstance(one, list)]
    _put(roles, "accept_unique", [*columns, *sets])
    content["roles"] = roles


def accepted(content: Mapping[str, Any]) -> list[str]:
    """Columns that may tell persons apart."""
    stated = _section(content, "roles").get("accept_unique")
    return [one for one in stated or [] if isinstance(one, str)]


def set_rows_are_persons(content: Content, given: bool) -> None:
    """State that every row is a person, though an identifier repeats."""
    roles = _section(content, "roles")
    if given and roles.get("subject") is None:
        roles["rows_are_persons"] = True
    else:
        roles.pop("rows_are_persons", None)
    content["roles"] = roles


def kind_choice(stated: Any) -> str:
    """What the page calls a stated kind of cells.

    Examples
    --------
    >>> kind_choice(None), kind_choice("text"), kind_choice({"order": ["a"]})
    ('', 'text', 'as stated')
    """
    if stated is None:
        return ""
    return next((name for name, kind in KINDS.items() if kind == stated), AS_STATED)


def set_kinds(content: Content, chosen: Mapping[str, str]) -> None:
    """State what cells of columns are; ``""`` leaves it to the reader."""
    source = _section(content, "source")
    columns = _section(source, "columns")
    for column, choice in chosen.items():
        check_choice("kind", choice, ["", AS_STATED, *KINDS])
        if choice == "":
            columns.pop(column, None)
        elif choice != AS_STATED:
            kind = KINDS[choice]
            columns[column] = dict(kind) if isinstance(kind, Mapping) else kind
    _put(source, "columns", columns)
    content["source"] = source


def set_dialect(
    content: Content, separator: str, encoding: str, missing: Iterable[str]
) -> None:
    """State how a CSV file is written; what is usual is left out."""
    source = _section(content, "source")
    _put(source, "separator", "" if separator == "," else separator)
    _put(source, "encoding", "" if encoding.lower() == "utf-8" else encoding)
    _put(source, "missing", list(dict.fromkeys(missing)))
    content["source"] = source


def _section(content: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A section of the file; an empty one, if it is none."""
    found = content.get(key)
    return dict(found) if isinstance(found, Mapping) else {}


def _listed(given: Any) -> list[str]:
    return [str(one) for one in given] if isinstance(given, (list, tuple)) else []


def _put(section: dict[str, Any], key: str, value: Any) -> None:
    """State a key, or leave it out if there is nothing to state."""
    if value:
        section[key] = value
    else:
        section.pop(key, None)
