"""Columns that tell persons apart, and columns that give what was swapped.

No method changes them, and no threshold judges them: whoever knows a column in which
few persons are alike finds a person by it, and whoever knows one that gives another
column had no need of that.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import Column, identify
from anon_transformers._data.readings import read_values
from anon_transformers._data.written_numbers import numbers_of
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.privacy.probabilistic._dependence import functional_dependences
from anon_transformers.release._config import DeclaredRoles

FEWEST_VALUES = 4
"""Values that a column has beside the one that stands for none; a flag has fewer."""
FEWEST_TOLD_APART = 10
"""Persons whom a column must tell apart among those who do not hold what most do."""
INSENSITIVE_LIMIT = 0.05
"""Largest share of persons whom an insensitive column, or a pair, may tell apart."""
SENSITIVE_LIMIT = 0.5
"""The same of a sensitive column, which is meant to differ between persons."""
GIVEN_LIMIT = 0.95
"""From this share of persons on a column that stayed gives one that was swapped."""


def telling_faults(
    table: pd.DataFrame,
    roles: DeclaredRoles,
    subject: pd.Series | None = None,
    *,
    exempt: Collection[str] = (),
    marks: Mapping[str, Collection[str] | None] | None = None,
    on_share: Callable[[float], None] | None = None,
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
    """
    persons = None if subject is None else person_numbers(identify(subject))
    columns = {
        name: TellingColumn.of(table[name], (marks or {}).get(name))
        for name in (*roles.insensitive, *roles.sensitive)
    }

    def shares(names: Sequence[str]) -> tuple[float, float]:
        asked = [columns[name] for name in names]
        of_all, of_filled = shares_of(asked, persons, roles.small_group)
        if any(name in roles.sensitive for name in names):
            return of_all, of_filled  # what most have is a value like others there
        rare = share_beside_most(asked, persons, roles.small_group)
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
                faults.append(_telling(what, "it is", found, limit, roles))
    rest = [name for name in roles.insensitive if name not in alone]
    for pair in combinations(rest, 2):
        if any(names.issuperset(pair) for names in accepted):
            continue
        found = shares(pair)
        if max(found) > INSENSITIVE_LIMIT:
            both = f"insensitive columns {pair[0]!r} and {pair[1]!r} together"
            how = (found, INSENSITIVE_LIMIT, roles)
            faults.append(_telling(both, "they are", *how))
    if on_share is not None and len(roles.insensitive) > 1:
        on_share(max(shares(roles.insensitive)))
    return faults


def _telling(
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
class TellingColumn:
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
        cls, series: pd.Series, marks: Collection[str] | None = None
    ) -> "TellingColumn":
        """A column of a table."""
        coded = identify(series)
        filled = is_filled(coded, marks)
        counts = np.bincount(coded.codes[filled], minlength=1)
        return cls(coded, filled, int(counts.argmax()))


def shares_of(
    columns: Sequence[TellingColumn], persons: np.ndarray | None, small_group: int
) -> tuple[float, float]:
    """Shares of persons told apart: of all, and of those of whom one is filled."""
    some = np.logical_or.reduce([column.filled for column in columns])
    return telling_shares([c.coded for c in columns], persons, small_group, some)


def share_beside_most(
    columns: Sequence[TellingColumn], persons: np.ndarray | None, small_group: int
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
            share = telling_shares(coded, persons, small_group, some)[1]
            if share * some.sum() >= FEWEST_TOLD_APART:
                found.append(share)
    return max(found)


def is_filled(column: Column, marks: Collection[str] | None) -> np.ndarray:
    """Where a column says something, as people read it."""
    known = column.codes != column.missing_code
    if column.kind in {"number", "date"}:
        return known
    read = read_values(column.texts().tolist(), marks)
    return known if read is None else read[column.codes] != read[-1]


def telling_shares(
    columns: Sequence[Column],
    persons: np.ndarray | None,
    small_group: int,
    filled: np.ndarray,
) -> tuple[float, float]:
    """Share of persons with a combination of values that too few others have.

    Of all persons, and of those in the rows where one of the columns is filled.

    Examples
    --------
    >>> mail = identify(pd.Series(["a@x", None, None, None, None]))
    >>> telling_shares([mail], None, 3, mail.codes != mail.missing_code)
    (0.2, 1.0)
    >>> mail = identify(pd.Series(["a@x", "a@x", "b@x", "b@x"]))
    >>> everywhere = np.ones(4, dtype=bool)
    >>> telling_shares([mail], None, 3, everywhere)
    (1.0, 1.0)
    >>> telling_shares([mail], np.array([0, 0, 1, 1]), 2, everywhere)
    (1.0, 1.0)
    """
    codes, cardinalities = [c.codes for c in columns], [c.cardinality for c in columns]
    labels = group_rows(codes, cardinalities).labels
    of_all = _small_share(labels, persons, small_group)
    if filled.all() or not filled.any():
        return of_all, of_all
    who = None if persons is None else persons[filled]
    return of_all, _small_share(labels[filled], who, small_group)


def _small_share(
    labels: np.ndarray, persons: np.ndarray | None, small_group: int
) -> float:
    """Share of persons, or of rows, in a group that is too small."""
    if persons is None:
        return float((np.bincount(labels)[labels] < small_group).mean())
    sizes = [int(codes.max(initial=0)) + 1 for codes in (labels, persons)]
    pairs = group_rows([labels, persons], sizes)
    of_pair, who = labels[pairs.first], persons[pairs.first]
    small = np.bincount(of_pair)[of_pair] < small_group
    return len(np.unique(who[small])) / len(np.unique(who))


def swap_faults(
    source: pd.DataFrame,
    roles: DeclaredRoles,
    moved: Collection[str],
    subject: pd.Series | None = None,
) -> list[str]:
    """Columns that were swapped, and that published ones which stayed give.

    To swap them hides nothing: whoever knows what stayed reads the value off it.

    Parameters
    ----------
    source : data frame
        The rows that were published, as they were.
    roles : DeclaredRoles
        What the columns are, and what was accepted.
    moved : collection of str
        Columns whose cells were swapped.
    subject : Series, optional
        The person of each row.
    """
    published = (*roles.quasi_identifiers, *roles.sensitive, *roles.insensitive)
    stayed = [c for c in dict.fromkeys(published) if c not in moved]
    swapped = [c for c in dict.fromkeys(published) if c in moved]
    persons = None if subject is None else person_numbers(identify(subject))
    coded = {name: _ways_to_read(source[name]) for name in (*stayed, *swapped)}
    found: list[tuple[str, tuple[str, ...]]] = [
        (name, (other,))
        for name in swapped
        for other in stayed
        if _worst_share(coded[name], coded[other], persons, roles.small_group)
        >= GIVEN_LIMIT
    ]
    alone = {name for name, _ in found}
    rest = [name for name in swapped if name not in alone]
    found += _linear_rules(source, rest, stayed, persons)
    alone = {name for name, _ in found}
    rest = [name for name in swapped if name not in alone]
    found += _tables_of_two(coded, rest, stayed, persons, roles.small_group)
    accepted = [set(names) for names in roles.accepted_sets]
    return [
        f"column {name!r} was swapped, and what stayed gives it: "
        f"{', '.join(map(repr, given_by))}. To swap it hides nothing; give another "
        f"role, or accept it (accept_unique: [[{', '.join((*given_by, name))}]])"
        for name, given_by in found
        if not any(names.issuperset((name, *given_by)) for names in accepted)
    ]


def _ways_to_read(series: pd.Series) -> list[Column]:
    """A column as it is, and as people read it, where that is something else."""
    column = identify(series)
    if types.is_numeric_dtype(series.dtype):
        return [column]
    read = read_values(column.texts().tolist())
    if read is None:
        return [column]
    codes = read[column.codes].astype(np.int32)
    return [column, Column(column.name, "category", np.arange(read[-1]), codes)]


def _worst_share(
    ways: Sequence[Column],
    ways_given_by: Sequence[Column],
    persons: np.ndarray | None,
    small_group: int,
) -> float:
    """The largest share by any way to read; as people read it, of filled cells."""
    shares = []
    for (at, column), given_by in product(enumerate(ways), ways_given_by):
        filled = column.codes != column.missing_code
        if at == 0 or filled.all():
            shares.append(given_share(column, given_by, persons, small_group))
        elif filled.any():
            # An empty cell has nothing to give.
            one, other = (replace(c, codes=c.codes[filled]) for c in (column, given_by))
            who = None if persons is None else persons[filled]
            shares.append(given_share(one, other, who, small_group))
    return max(shares)


def _tables_of_two(
    coded: Mapping[str, Sequence[Column]],
    swapped: Sequence[str],
    stayed: Sequence[str],
    persons: np.ndarray | None,
    small_group: int,
) -> list[tuple[str, tuple[str, ...]]]:
    """Columns that two others give together, as a table of pay by grade and step."""
    found: list[tuple[str, tuple[str, ...]]] = []
    for pair in combinations(stayed, 2) if swapped else ():
        # As they are, and both as people read them.
        ways = [_joined([coded[name][at] for name in pair]) for at in (0, -1)]
        found += [
            (name, pair)
            for name in swapped
            if name not in {given for given, _ in found}
            and _worst_share(coded[name], ways, persons, small_group) >= GIVEN_LIMIT
        ]
    return found


def _joined(columns: Sequence[Column]) -> Column:
    """Several columns as one, whose values are their combinations."""
    groups = group_rows([c.codes for c in columns], [c.cardinality for c in columns])
    names = ", ".join(str(column.name) for column in columns)
    return Column(names, "category", np.arange(len(groups.sizes)), groups.labels)


def _linear_rules(
    source: pd.DataFrame,
    swapped: Sequence[str],
    stayed: Sequence[str],
    persons: np.ndarray | None,
) -> list[tuple[str, tuple[str, ...]]]:
    """Columns that a linear function of others gives, however numbers are written.

    So does one of their logarithms: products and ratios, such as hours times wage.
    """
    if not swapped:
        return []
    read = {name: numbers_of(source[name]) for name in (*swapped, *stayed)}
    numbers = pd.DataFrame({n: of for n, of in read.items() if of is not None})
    # A person counts once, however many rows there are.
    weights = None if persons is None else 1 / np.bincount(persons)[persons]
    found: dict[Hashable, tuple[Hashable, ...]] = {}
    # A cell without a logarithm is a gap, and hides no rule that the others follow.
    for table in (numbers, pd.DataFrame(np.log(numbers.where(numbers > 0)))):
        wanted = [name for name in swapped if name in table and name not in found]
        given_by = [name for name in stayed if name in table]
        found |= functional_dependences(table, wanted, given_by, GIVEN_LIMIT, weights)
    return [(str(name), tuple(map(str, by))) for name, by in found.items()]


def given_share(
    column: Column, given_by: Column, persons: np.ndarray | None, small_group: int
) -> float:
    """Share of persons whose value another column gives, beyond what a guess finds.

    A group of that column gives its most frequent value, if ``small_group`` persons
    are in it: what fewer hold tells persons, and not values. Who holds the most
    frequent value of all is found without it. The smaller of both shares counts, of
    all persons and of those whom a guess does not find.

    Examples
    --------
    >>> ill = identify(pd.Series(["flu", "flu", "flu", "gout", "gout", "gout"]))
    >>> code = identify(pd.Series(["J1", "J1", "J1", "M1", "M1", "M1"]))
    >>> town = identify(pd.Series(["A", "A", "B", "A", "B", "B"]))
    >>> given_share(ill, code, None, 3), round(given_share(ill, town, None, 3), 2)
    (1.0, 0.33)
    """
    who = np.arange(len(column.codes)) if persons is None else persons
    n_persons = int(who.max(initial=0)) + 1
    there = group_rows([who, given_by.codes], [n_persons, given_by.cardinality])
    in_group = np.bincount(given_by.codes[there.first])
    values = group_rows([there.labels, column.codes], [len(who), column.cardinality])
    # A person counts once for each value, however many rows say so.
    owner, value = given_by.codes[values.first], column.codes[values.first]
    n_held, large = len(value), in_group[owner] >= small_group
    if not large.any():
        return 0.0
    owner, value = owner[large], value[large]
    pairs = group_rows([owner, value], [given_by.cardinality, column.cardinality])
    most = np.zeros(given_by.cardinality, dtype=np.int64)
    np.maximum.at(most, owner[pairs.first], pairs.sizes)
    hits, guessed = int(most.sum()), int(np.bincount(value).max())
    beyond = (hits - guessed) / (len(value) - guessed) if guessed < len(value) else 0.0
    return min(hits / n_held, beyond)


def person_numbers(subject: Column) -> np.ndarray:
    """A number for the person of each row; a row of nobody is a person of its own."""
    numbers = subject.codes.astype(np.int64)
    nobody = numbers == subject.missing_code
    numbers[nobody] = subject.missing_code + np.arange(int(nobody.sum()))
    return numbers
