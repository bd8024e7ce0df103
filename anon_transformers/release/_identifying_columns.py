"""Published columns that tell persons apart, beside the quasi-identifiers.

No method changes them, and no threshold judges them: whoever knows a column in which
few persons are alike finds a person by it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, identify
from anon_transformers._data.readings import read_values
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.release._declared_roles import DeclaredRoles

FEWEST_VALUES = 4
"""Values that a column has beside the one that stands for none; a flag has fewer."""
FEWEST_IDENTIFIED = 10
"""Persons whom a column must tell apart among those who do not hold what most do."""
INSENSITIVE_LIMIT = 0.05
"""Largest share of persons whom an insensitive column, or a pair, may tell apart."""
SENSITIVE_LIMIT = 0.5
"""The same of a sensitive column, which is meant to differ between persons."""


def identifying_faults(
    table: pd.DataFrame,
    roles: DeclaredRoles,
    subject: pd.Series | None = None,
    *,
    exempt: Collection[str] = (),
    marks: Mapping[str, Collection[str] | None] | None = None,
    on_share: Callable[[float], None] | None = None,
    weights: np.ndarray | None = None,
) -> list[str]:
    """Columns, and pairs of insensitive ones, that tell persons apart.

    A column of mail addresses that few persons have would hide behind all the others,
    so that the share is also taken of those alone of whom something is known.

    Parameters
    ----------
    table : data frame
        What is published, or will be.
    roles : DeclaredRoles
        What the columns are, and what was accepted.
    subject : Series, optional
        The person of each row.
    exempt : collection of str
        Columns whose cells were swapped: they hide whose they are.
    marks : mapping of column to collection of str
        Texts that say that a value is missing, beside the usual ones.
    on_share : callable, optional
        Called with the share that all insensitive columns together tell apart.
    weights : int array, optional
        How many rows each row of ``table`` stands for, where rows are counted.
    """
    persons = None if subject is None else person_numbers(identify(subject))
    columns = {
        name: IdentifyingColumn.of(table[name], (marks or {}).get(name), weights)
        for name in (*roles.insensitive, *roles.sensitive)
    }

    def shares(names: Sequence[str]) -> tuple[float, float]:
        asked = [columns[name] for name in names]
        how = (persons, roles.small_group, weights)
        of_all, of_filled = shares_of(asked, *how)
        if any(name in roles.sensitive for name in names):
            return of_all, of_filled  # what most have is a value like others there
        rare = share_beside_most(asked, *how)
        return of_all, max(of_filled, rare)

    accepted = [set(names) for names in roles.accepted_sets]
    limits = [(name, "insensitive", INSENSITIVE_LIMIT) for name in roles.insensitive]
    limits += [
        (name, "sensitive", SENSITIVE_LIMIT)
        for name in roles.sensitive
        if name not in exempt
    ]
    faults, alone = [], set()
    for name, role, limit in limits:
        found = shares([name])
        if max(found) > limit:
            alone.add(name)  # and so does every pair that it is in
            if {name} not in accepted:
                what = f"{role} column {name!r}"
                faults.append(_fault(what, "it is", found, limit, roles))
    rest = [name for name in roles.insensitive if name not in alone]
    for pair in combinations(rest, 2):
        if any(names.issuperset(pair) for names in accepted):
            continue
        found = shares(pair)
        if max(found) > INSENSITIVE_LIMIT:
            both = f"insensitive columns {pair[0]!r} and {pair[1]!r} together"
            how = (found, INSENSITIVE_LIMIT, roles)
            faults.append(_fault(both, "they are", *how))
    if on_share is not None and len(roles.insensitive) > 1:
        on_share(max(shares(roles.insensitive)))
    return faults


def _fault(
    what: str,
    they_are: str,
    shares: tuple[float, float],
    limit: float,
    roles: DeclaredRoles,
) -> str:
    of_all, of_filled = shares
    where = "" if of_all > limit else f", where {they_are} filled"
    return (
        f"{what}{where}: {of_all if of_all > limit else of_filled:.0%} of the "
        f"{'persons' if roles.subject else 'rows'} hold "
        f"values that fewer than {roles.small_group} do (limit {limit:.0%}); give "
        "another role, or accept it (accept_unique)"
    )


@dataclass(frozen=True)
class IdentifyingColumn:
    """A column, and where it says something.

    Attributes
    ----------
    coded : Column
        Its cells.
    filled : bool array
        Where they are known, as people read them.
    most : int
        The code that most known cells have; it may stand for an unknown value, however
        that is called.
    """

    coded: Column
    filled: np.ndarray
    most: int

    @classmethod
    def of(
        cls,
        series: pd.Series,
        marks: Collection[str] | None = None,
        weights: np.ndarray | None = None,
    ) -> "IdentifyingColumn":
        """A column of a table, of which each row may stand for several."""
        coded = identify(series)
        filled = is_filled(coded, marks)
        counted = None if weights is None else weights[filled]
        counts = np.bincount(coded.codes[filled], counted, minlength=1)
        return cls(coded, filled, int(counts.argmax()))


def shares_of(
    columns: Sequence[IdentifyingColumn],
    persons: np.ndarray | None,
    small_group: int,
    weights: np.ndarray | None = None,
) -> tuple[float, float]:
    """Shares of persons told apart: of all, and of those of whom one is filled."""
    some = np.logical_or.reduce([column.filled for column in columns])
    coded = [column.coded for column in columns]
    return identified_shares(coded, persons, small_group, some, weights)


def share_beside_most(
    columns: Sequence[IdentifyingColumn],
    persons: np.ndarray | None,
    small_group: int,
    weights: np.ndarray | None = None,
) -> float:
    """The share among those of whom all columns say something, and not what most have.

    A flag, or a rare answer of a few, tells nobody apart among many.
    """
    found = [0.0]
    coded = [column.coded for column in columns]
    known = [column.filled for column in columns]
    rare = [c.filled & (c.coded.codes != c.most) for c in columns]
    for there in (known, rare):
        some = np.logical_and.reduce(there)
        if all(len(np.unique(c.codes[some])) >= FEWEST_VALUES for c in coded):
            share = identified_shares(coded, persons, small_group, some, weights)[1]
            n_rows = some.sum() if weights is None else weights[some].sum()
            if share * n_rows >= FEWEST_IDENTIFIED:
                found.append(share)
    return max(found)


def is_filled(column: Column, marks: Collection[str] | None) -> np.ndarray:
    """Where a column says something, as people read it."""
    known = column.codes != column.missing_code
    if column.kind in {"number", "date"}:
        return known
    read = read_values(column.texts().tolist(), marks)
    return known if read is None else read[column.codes] != read[-1]


def identified_shares(
    columns: Sequence[Column],
    persons: np.ndarray | None,
    small_group: int,
    filled: np.ndarray,
    weights: np.ndarray | None = None,
) -> tuple[float, float]:
    """Share of persons with a combination of values that too few others have.

    Of all persons, and of those in the rows where one of the columns is filled.

    Examples
    --------
    >>> mail = identify(pd.Series(["a@x", None, None, None, None]))
    >>> identified_shares([mail], None, 3, mail.codes != mail.missing_code)
    (0.2, 1.0)
    >>> mail = identify(pd.Series(["a@x", "a@x", "b@x", "b@x"]))
    >>> everywhere = np.ones(4, dtype=bool)
    >>> identified_shares([mail], None, 3, everywhere)
    (1.0, 1.0)
    >>> identified_shares([mail], np.array([0, 0, 1, 1]), 2, everywhere)
    (1.0, 1.0)
    """
    codes, cardinalities = [c.codes for c in columns], [c.cardinality for c in columns]
    labels = group_rows(codes, cardinalities).labels
    of_all = _small_share(labels, persons, small_group, weights)
    if filled.all() or not filled.any():
        return of_all, of_all
    who = None if persons is None else persons[filled]
    counted = None if weights is None else weights[filled]
    return of_all, _small_share(labels[filled], who, small_group, counted)


def _small_share(
    labels: np.ndarray,
    persons: np.ndarray | None,
    small_group: int,
    weights: np.ndarray | None = None,
) -> float:
    """Share of persons, or of rows, in a group that is too small."""
    if persons is None:
        small = np.bincount(labels, weights)[labels] < small_group
        return float(np.average(small, weights=weights))
    sizes = [int(codes.max(initial=0)) + 1 for codes in (labels, persons)]
    pairs = group_rows([labels, persons], sizes)
    of_pair, who = labels[pairs.first], persons[pairs.first]
    small = np.bincount(of_pair)[of_pair] < small_group
    return len(np.unique(who[small])) / len(np.unique(who))


def person_numbers(subject: Column) -> np.ndarray:
    """A number for the person of each row; a row of nobody is a person of its own."""
    numbers = subject.codes.astype(np.int64)
    nobody = numbers == subject.missing_code
    numbers[nobody] = subject.missing_code + np.arange(int(nobody.sum()))
    return numbers
