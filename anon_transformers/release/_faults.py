"""What no candidate may be, whatever its thresholds say.

Thresholds judge the table that an anonymizer made. Here that table is compared with
the source: it has no more rows, its cells are cells of the source, its labels cover the
values they stand for, and no column tells persons apart. An anonymizer may come from
anybody: its word is taken for one thing only, what it publishes (``publishes``), and
labels that are names of its own are searched for identifiers and no more.
"""

from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from anon_transformers._data.columns import Column, identify, single_texts, to_text
from anon_transformers._data.readings import read_values
from anon_transformers._data.written_numbers import numbers_of, seconds
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.exceptions import DataError
from anon_transformers.metrics._coverage import Domain
from anon_transformers.metrics._labels_read import plain_label
from anon_transformers.privacy.probabilistic._dependence import functional_dependences
from anon_transformers.release._config import DeclaredRoles
from anon_transformers.release._identifiers import identifier_faults

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


def table_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    rows: np.ndarray,
    roles: DeclaredRoles,
    hierarchies: Mapping[str, Any],
    publishes: str,
    suppression_label: str,
) -> list[str]:
    """Everything that is wrong with a candidate beside its source, in words.

    Parameters
    ----------
    source, table : data frames
        What was loaded, and the candidate as its readers will see it.
    rows : int array
        The row of the source that each row of the candidate was made of.
    roles : DeclaredRoles
        What the columns are.
    hierarchies : mapping
        Hierarchies or builders of quasi-identifiers.
    publishes : {"labels", "names", "centers", "swaps"}
        What the anonymizer says it puts into quasi-identifiers.
    suppression_label : str
        The label of a suppressed cell.
    """
    wanted = {*roles.quasi_identifiers, *roles.sensitive, *roles.insensitive}
    faults = column_faults(map(str, table.columns), wanted)
    if len(table) > len(source):
        faults.append(f"the candidate has {len(table)} rows, the source {len(source)}")
    if faults:
        return faults
    quasi_identifiers = roles.quasi_identifiers
    kept = [*roles.sensitive, *roles.insensitive]
    if publishes == "swaps":
        swapped = dict.fromkeys([*quasi_identifiers, *kept])
        faults += cell_faults(source, table, swapped)
    else:
        hidden = _suppressed_rows(table, quasi_identifiers, suppression_label)
        faults += moved_faults(source, table, rows, kept, hidden)
    if publishes == "labels":
        given = {name: hierarchies.get(name) for name in quasi_identifiers}
        faults += label_faults(source, table, rows, given, suppression_label)
    elif publishes == "centers":
        faults += center_faults(
            source, table, rows, quasi_identifiers, suppression_label
        )
    elif publishes not in {"names", "swaps"}:
        faults.append("the anonymizer does not say what it publishes")
    return faults + identifier_faults(source, table, roles, publishes)


def column_faults(held: Iterable[str], wanted: Iterable[str]) -> list[str]:
    """Columns that an anonymizer published unasked, or lost."""
    held, wanted = set(held), set(wanted)
    lacking = ", ".join(sorted(wanted - held))
    faults = []
    if held - wanted:
        # Their names may be anything, a person's too.
        n_strange = len(held - wanted)
        faults.append(f"the candidate holds {n_strange} columns that were not declared")
    if lacking:
        faults.append(f"the candidate lacks columns: {lacking}")
    return faults


def cell_faults(
    source: pd.DataFrame, table: pd.DataFrame, columns: Iterable[str]
) -> list[str]:
    """Cells that the same column of the source does not have, or not so often."""
    faults = []
    for name in columns:
        before, after = _spelt_alike(source[name], table[name])
        there = after.value_counts()
        most = before.value_counts().reindex(there.index, fill_value=0)
        beyond = int(np.maximum(there.to_numpy() - most.to_numpy(), 0).sum())
        if beyond:
            faults.append(
                f"column {name!r} holds cells in {beyond} rows that its source does not"
            )
    return faults


def moved_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    rows: np.ndarray,
    columns: Iterable[str],
    hidden: np.ndarray,
) -> list[str]:
    """Cells that are not those of the row's source; suppressed rows may be emptied."""
    faults = []
    for name in columns:
        seen = ~(hidden & to_text(table[name]).isna().to_numpy())
        cells = _spelt_alike(source[name].iloc[rows[seen]], table[name][seen])
        before, after = (texts.to_numpy(dtype=object) for texts in cells)
        other = int((after != before).sum())
        if other:
            faults.append(
                f"column {name!r} holds cells in {other} rows that its source does not"
            )
    return faults


def _spelt_alike(before: pd.Series, after: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Texts of two columns that are the same where the cells are.

    A column of days is written otherwise once it has a time of day, and one of whole
    numbers once it has a fraction or a missing cell, so that moments and numbers are
    written one by one. All others already are.
    """
    for is_kind in (types.is_datetime64_any_dtype, types.is_any_real_numeric_dtype):
        if is_kind(before.dtype) and is_kind(after.dtype):
            return single_texts(before), single_texts(after)
    return to_text(before), to_text(after)


def _suppressed_rows(
    table: pd.DataFrame, quasi_identifiers: Sequence[str], suppression_label: str
) -> np.ndarray:
    """Rows whose quasi-identifiers show nothing."""
    hidden = np.ones(len(table), dtype=bool)
    for name in quasi_identifiers:
        texts = to_text(table[name])
        hidden &= (texts.isna() | (texts == suppression_label)).to_numpy()
    return hidden


def label_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    rows: np.ndarray,
    hierarchies: Mapping[str, Any],
    suppression_label: str,
) -> list[str]:
    """Labels that do not cover the value of the row they stand in."""
    faults = []
    for name, hierarchy in hierarchies.items():
        try:
            domain = Domain.of(source[name], hierarchy)
            labels = identify(table[name])
            cover = domain.cover(labels, suppression_label)
        except DataError as error:
            faults.append(str(error).rstrip("."))
            continue
        values = domain.ground.codes[rows]
        outside = np.asarray(cover[labels.codes, values]).ravel() == 0
        outside &= ~_names_a_group(domain, labels, values)
        if outside.any():
            faults.append(
                f"column {name!r} holds labels in {int(outside.sum())} rows that do "
                "not cover the value of the source"
            )
    return faults


def _names_a_group(domain: Domain, labels: Column, values: np.ndarray) -> np.ndarray:
    """Whether each label is the name of a group that the value is in, at any level.

    Two levels may share a name, as 1950 is a year and a decade.
    """
    found, hierarchy = np.zeros(len(values), dtype=bool), domain.ground.hierarchy
    if hierarchy is None:
        return found
    names = [plain_label(str(text), hierarchy) for text in labels.texts()]
    for level in range(hierarchy.n_levels):
        groups, texts, _ = hierarchy.level(level)
        place = {text: at for at, text in enumerate(texts)}
        named = np.array([*(place.get(name, -1) for name in names), -1])
        found |= named[labels.codes] == np.append(groups, -2)[values]
    return found


def center_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    rows: np.ndarray,
    columns: Sequence[str],
    suppression_label: str,
) -> list[str]:
    """Centers that lie outside the values of their class."""
    coded = [identify(table[name]) for name in columns]
    labels = group_rows([c.codes for c in coded], [c.cardinality for c in coded]).labels
    faults = []
    for name in columns:
        before = source[name].iloc[rows].reset_index(drop=True)
        outside = _outside(before, table[name], labels, suppression_label)
        if outside:
            faults.append(
                f"column {name!r} holds centers in {outside} rows that lie outside the "
                "values of their class"
            )
    return faults


def _outside(
    before: pd.Series, after: pd.Series, labels: np.ndarray, suppression_label: str
) -> int:
    """Rows whose center is none of its class: beyond its extremes, or no value."""
    shown = after.notna().to_numpy() & (to_text(after) != suppression_label).to_numpy()
    numbers = [pd.to_numeric(s, errors="coerce") for s in (_moments(before), after)]
    if types.is_datetime64_any_dtype(after.dtype):
        numbers[1] = _moments(after)
    if numbers[0].notna().any() and numbers[1][shown].notna().all():
        by_class = numbers[0].groupby(labels)
        low, high = by_class.transform("min"), by_class.transform("max")
        slack = 1e-9 * np.maximum(1.0, np.maximum(low.abs(), high.abs()))
        inside = (numbers[1] >= low - slack) & (numbers[1] <= high + slack)
        return int((shown & ~inside.to_numpy()).sum())
    held = set(zip(labels.tolist(), to_text(before), strict=True))
    pairs = zip(labels[shown].tolist(), to_text(after)[shown], strict=True)
    return sum(pair not in held for pair in pairs)


def _moments(series: pd.Series) -> pd.Series:
    """Dates in seconds; anything else as it is."""
    if not types.is_datetime64_any_dtype(series.dtype):
        return series
    return pd.Series(seconds(pd.to_datetime(series, utc=True)), series.index)


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
    persons = None if subject is None else _numbered(identify(subject))
    coded = {c: identify(table[c]) for c in (*roles.insensitive, *roles.sensitive)}

    @cache
    def filled(name: str) -> np.ndarray:
        return is_filled(coded[name], (marks or {}).get(name))

    @cache
    def most(name: str) -> int:
        return int(np.bincount(coded[name].codes[filled(name)], minlength=1).argmax())

    def shares(names: Sequence[str]) -> tuple[float, float]:
        columns = [coded[name] for name in names]
        known = [filled(name) for name in names]
        # Whatever stands for an unknown value, most have it.
        others = [filled(name) & (coded[name].codes != most(name)) for name in names]
        found = telling_shares(
            columns, persons, roles.small_group, np.logical_or.reduce(known)
        )
        for all_known in (known, others):
            some = np.logical_and.reduce(all_known)
            # A flag, or a rare answer of a few, tells nobody apart among many.
            if any(len(np.unique(c.codes[some])) < FEWEST_VALUES for c in columns):
                continue
            of_some = telling_shares(columns, persons, roles.small_group, some)[1]
            if of_some * some.sum() >= FEWEST_TOLD_APART:
                found = (found[0], max(found[1], of_some))
        return found

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


def is_filled(column: Column, marks: Collection[str] | None) -> np.ndarray:
    """Where a column says something, as people read it."""
    known = column.codes != column.missing_code
    if column.kind in {"number", "date"}:
        return known
    read = read_values(column.texts().tolist(), marks)
    return known if read is None else read[column.codes] != read[-1]


def telling_share(
    columns: Sequence[Column],
    persons: np.ndarray | None,
    small_group: int,
    filled: np.ndarray | None = None,
) -> float:
    """The larger one of :func:`telling_shares`.

    Examples
    --------
    >>> mail = identify(pd.Series(["a@x", "a@x", "b@x", "b@x"]))
    >>> telling_share([mail], None, small_group=3)
    1.0
    >>> telling_share([mail], np.array([0, 0, 1, 1]), small_group=2)
    1.0
    """
    if filled is None:
        known = [column.codes != column.missing_code for column in columns]
        filled = np.logical_or.reduce(known)
    return max(telling_shares(columns, persons, small_group, filled))


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
    persons = None if subject is None else _numbered(identify(subject))
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
    for table in (numbers, np.log(numbers.where(numbers > 0))):
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


def _numbered(subject: Column) -> np.ndarray:
    """A number for the person of each row; a row of nobody is a person of its own."""
    numbers = subject.codes.astype(np.int64)
    nobody = numbers == subject.missing_code
    numbers[nobody] = subject.missing_code + np.arange(int(nobody.sum()))
    return numbers
