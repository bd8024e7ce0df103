"""Names of columns, which are personal data until they match the declared roles.

The first line of a file that has no header is a person. So messages of a release name
declared columns only, and others by where they stand.
"""

from collections.abc import Collection, Hashable, Sequence

from anon_transformers.exceptions import DataError, unknown_choice
from anon_transformers.release._config import DeclaredRoles
from anon_transformers.roles import list_positions, refuse_repeated_columns


def refuse_other_columns(names: Sequence[Hashable], roles: DeclaredRoles) -> None:
    """Refuse a source that has other columns than the declared ones.

    Parameters
    ----------
    names : sequence
        The columns of the source, in their order.
    roles : DeclaredRoles
        Every column that it should have.
    """
    refuse_repeated_columns(names, roles.columns, "the source")
    refuse_lacking(names, roles.columns, "roles")
    others = _undeclared(names, roles.columns)
    if others:
        present = [column for column in roles.columns if column in names]
        raise DataError(
            f"the source:{_told(others, present)} Every column of the source needs one "
            "of: quasi_identifiers, sensitive, identifiers, insensitive; or it is the "
            "subject, which tells persons apart."
        )


def refuse_lacking(
    names: Sequence[Hashable], declared: Collection[str], what: str
) -> None:
    """Refuse a table that lacks a column which was declared."""
    present = [column for column in declared if column in names]
    for column in declared:
        if column not in present:
            told = unknown_choice("column", column, present)
            others = _undeclared(names, declared)
            raise DataError(f"{what}: {told}{_told(others, present)}")


def refuse_undeclared(
    names: Sequence[Hashable], roles: DeclaredRoles, key: str
) -> None:
    """Refuse a file of a graph that has undeclared columns."""
    refuse_repeated_columns(names, roles.columns, f"{key}: the file")
    present = [column for column in roles.columns if column in names]
    others = _undeclared(names, roles.columns)
    if others:
        raise DataError(
            f"{key}:{_told(others, present)} Names of nodes are declared under "
            "roles.identifiers, weights of edges under roles.insensitive, labels of "
            "nodes under roles.quasi_identifiers."
        )


def _undeclared(names: Sequence[Hashable], declared: Collection[str]) -> list[int]:
    return [i for i, name in enumerate(names, 1) if name not in declared]


def _told(others: Sequence[int], present: Sequence[str]) -> str:
    """How many columns are not declared, and where they stand."""
    if not others:
        return ""
    count = "1 column has" if len(others) == 1 else f"{len(others)} columns have"
    told = f" {count} no declared role ({list_positions(others)})."
    hint = " Not one name is declared: has it no header, or another separator?"
    return told if present else told + hint
