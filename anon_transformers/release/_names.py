"""Names of columns, which are personal data until they match the declared roles.

The first line of a file that has no header is a person. So messages of a release name
declared columns only, and others by where they stand.
"""

from collections import Counter
from collections.abc import Hashable, Sequence

from anon_transformers.exceptions import DataError, unknown_choice
from anon_transformers.release._config import DeclaredRoles

MOST_LISTED = 10


def refuse_other_columns(names: Sequence[Hashable], roles: DeclaredRoles) -> None:
    """Refuse a source that has other columns than the declared ones.

    Parameters
    ----------
    names : sequence
        The columns of the source, in their order.
    roles : DeclaredRoles
        Every column that it should have.
    """
    refuse_repeated(names, roles, "the source")
    present = [column for column in roles.columns if column in names]
    others = _undeclared(names, roles)
    for column in roles.columns:
        if column not in present:
            told = unknown_choice("column", column, present)
            raise DataError(f"roles: {told}{_told(others, present)}")
    if others:
        raise DataError(
            f"the source:{_told(others, present)} Every column of the source needs one "
            "of: quasi_identifiers, sensitive, identifiers, insensitive."
        )


def refuse_undeclared(
    names: Sequence[Hashable], roles: DeclaredRoles, key: str
) -> None:
    """Refuse a file of a graph that has undeclared columns."""
    refuse_repeated(names, roles, f"{key}: the file")
    present = [column for column in roles.columns if column in names]
    others = _undeclared(names, roles)
    if others:
        raise DataError(
            f"{key}:{_told(others, present)} Names of nodes are declared under "
            "roles.identifiers, weights of edges under roles.insensitive, labels of "
            "nodes under roles.quasi_identifiers."
        )


def refuse_repeated(names: Sequence[Hashable], roles: DeclaredRoles, what: str) -> None:
    """Refuse a column that stands twice."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    declared = sorted(str(name) for name in repeated if name in roles.columns)
    if declared:
        raise DataError(f"{what} has a column twice: {', '.join(declared)}.")
    if repeated:
        places = [i for i, name in enumerate(names, 1) if name in repeated]
        raise DataError(f"{what} has columns of one name ({list_positions(places)}).")


def list_positions(numbers: Sequence[int]) -> str:
    """Columns by where they stand, the first as 1.

    Examples
    --------
    >>> list_positions([2, 5, 7])
    'columns 2, 5 and 7'
    """
    if len(numbers) == 1:
        return f"column {numbers[0]}"
    *listed, last = [str(number) for number in numbers]
    if len(numbers) > MOST_LISTED:
        listed = [str(number) for number in numbers[:MOST_LISTED]]
        last = f"{len(numbers) - MOST_LISTED} more"
    return f"columns {', '.join(listed)} and {last}"


def _undeclared(names: Sequence[Hashable], roles: DeclaredRoles) -> list[int]:
    return [i for i, name in enumerate(names, 1) if name not in roles.columns]


def _told(others: Sequence[int], present: Sequence[str]) -> str:
    """How many columns are not declared, and where they stand."""
    if not others:
        return ""
    count = "1 column has" if len(others) == 1 else f"{len(others)} columns have"
    told = f" {count} no declared role ({list_positions(others)})."
    hint = " Not one name is declared: has it no header, or another separator?"
    return told if present else told + hint
