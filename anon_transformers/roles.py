"""What each column of a table is to an intruder."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice

MOST_LISTED = 10
"""Columns that are listed by where they stand; of more, the rest is counted."""


@dataclass(frozen=True)
class Roles:
    """Every column of a table, sorted by role.

    Attributes
    ----------
    identifiers : tuple
        Dropped from what is published; holds ``subject`` too.
    quasi_identifiers : tuple
        What an intruder may know; the order decides ties.
    sensitive : tuple
        What an intruder wants to know.
    insensitive : tuple
        Everything else; published as it is.
    subject : hashable or None
        Column that tells persons apart, so that k counts persons, not rows.
    """

    identifiers: tuple[Hashable, ...]
    quasi_identifiers: tuple[Hashable, ...]
    sensitive: tuple[Hashable, ...]
    insensitive: tuple[Hashable, ...]
    subject: Hashable | None = None

    @classmethod
    def resolve(
        cls,
        columns: Iterable[Hashable],
        quasi_identifiers: Sequence[Hashable] | None = None,
        sensitive: Sequence[Hashable] | None = None,
        identifiers: Sequence[Hashable] | None = None,
        subject: Hashable | None = None,
        *,
        need_quasi_identifiers: bool = True,
        sensitive_may_be_known: bool = False,
    ) -> "Roles":
        """Give each of ``columns`` one role, or say what is wrong.

        Parameters
        ----------
        columns : iterable
            The table's columns, in order.
        quasi_identifiers, sensitive, identifiers : sequence, optional
            Declared columns. ``quasi_identifiers=None`` takes every column that
            is not declared otherwise.
        subject : hashable, optional
            Column that tells persons apart; it is dropped like an identifier.
        need_quasi_identifiers : bool, default=True
            Refuse a table that has none. Where sensitive columns are swapped, what an
            intruder knows may be the other sensitive ones.
        sensitive_may_be_known : bool, default=False
            Let a column be quasi-identifier and sensitive: where every sensitive column
            is hidden for itself, one intruder may know what another one wants to know.

        Examples
        --------
        >>> columns = ["name", "age", "job"]
        >>> roles = Roles.resolve(columns, sensitive=["job"], identifiers=["name"])
        >>> roles.quasi_identifiers
        ('age',)
        """
        columns = list(columns)
        all_others = quasi_identifiers is None
        declared = _declared("identifiers", identifiers)
        persons = () if subject in (None, *declared) else (subject,)
        dropped = (*declared, *persons)
        sensitive = _declared("sensitive", sensitive)
        quasi_identifiers = _declared("quasi_identifiers", quasi_identifiers)
        named = (*dropped, *sensitive, *quasi_identifiers)
        refuse_repeated_columns(columns, named=named)
        if all_others:
            quasi_identifiers = tuple(c for c in columns if c not in named)
        _refuse_unknown(
            columns,
            subject=persons,
            identifiers=declared,
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
        )
        both = set(quasi_identifiers) & set(sensitive) if sensitive_may_be_known else ()
        _refuse_overlap(
            subject=persons,
            identifiers=declared,
            quasi_identifiers=quasi_identifiers,
            sensitive=tuple(c for c in sensitive if c not in both),
        )
        if need_quasi_identifiers and not quasi_identifiers:
            raise ParameterError(
                "quasi_identifiers is empty; name at least one column."
            )
        taken = (*dropped, *quasi_identifiers, *sensitive)
        rest = tuple(c for c in columns if c not in taken)
        return cls(dropped, quasi_identifiers, sensitive, rest, subject)


def _declared(role: str, names: Sequence[Hashable] | None) -> tuple[Hashable, ...]:
    if names is None:
        return ()
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ParameterError(f"{role} must be a list of columns, got {names!r}.")
    names = tuple(names)
    repeated = sorted({str(n) for n in names if names.count(n) > 1})
    if repeated:
        raise ParameterError(f"{role} names a column twice: {', '.join(repeated)}.")
    return names


def refuse_repeated_columns(
    columns: Iterable[Hashable],
    named: Collection[Hashable] = (),
    what: str = "the table",
) -> None:
    """Refuse a table in which a name may mean two columns.

    Names that nobody gave are not shown: the first line of a file without a header is
    a person.

    Parameters
    ----------
    columns : iterable
        Columns of the table, in their order.
    named : collection
        Columns that the caller named.
    what : str
        What the table is called.
    """
    columns = list(columns)
    repeated = [name for name, count in Counter(columns).items() if count > 1]
    known = sorted(str(name) for name in repeated if name in named)
    if known:
        raise DataError(f"{what} has a column twice: {', '.join(known)}.")
    if repeated:
        places = [at for at, name in enumerate(columns, 1) if name in repeated]
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


def _refuse_unknown(columns: list[Hashable], **roles: tuple[Hashable, ...]) -> None:
    for role, names in roles.items():
        for name in names:
            if name not in columns:
                raise ParameterError(
                    f"{role}: {unknown_choice('column', name, columns)}"
                )


def _refuse_overlap(**roles: tuple[Hashable, ...]) -> None:
    seen: dict[Hashable, str] = {}
    for role, names in roles.items():
        for name in names:
            if name in seen:
                raise ParameterError(
                    f"column {name!r} is declared as {seen[name]} and as {role}."
                )
            seen[name] = role
