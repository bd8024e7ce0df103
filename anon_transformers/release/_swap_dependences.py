"""Published columns that give what was swapped, so that the swap hides nothing.

Whoever knows a column that stayed, and the rule by which it gives one that was swapped,
reads the value of a person off it: a code of an illness beside its name, the pay beside
grade and step, a sum beside its parts.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import Column, identify
from anon_transformers._data.readings import read_values
from anon_transformers._data.written_numbers import numbers_of
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.privacy.probabilistic._dependence import functional_dependences
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._identifying_columns import person_numbers

GIVEN_LIMIT = 0.95
"""From this share of persons on a column that stayed gives one that was swapped."""


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
