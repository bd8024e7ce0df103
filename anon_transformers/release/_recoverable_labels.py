"""What labels hide, and a column beside them gives back.

A year of birth is no quasi-identifier by its role, and gives the age that a range was
published for. So each column that is published as it is gets asked how much of the
differences within a label it tells: all of them, and the range was for nothing.
"""

from collections.abc import Callable, Collection, Mapping, Sequence, Set

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, identify
from anon_transformers._data.written_numbers import numbers_of
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.release._declared_roles import DeclaredRoles
from anon_transformers.release._identifying_columns import is_filled, person_numbers

REGAINED_LIMIT = 0.75
"""An insensitive column tells less than this share of the differences in labels."""
SENSITIVE_REGAINED = 0.95
"""The same of a sensitive one: incomes and taxes go together in honest releases."""
FEWEST_COMPARED = 30
"""Comparisons within groups that a share needs; fewer show what chance shows."""
FEWEST_IN_LINE = 10
"""The same where one line is drawn through all of them."""
MOSTLY = 0.5
"""Share of the rows in which a column of a sum is filled."""
SEVERAL = 2
EXACT = 1e-12
"""What is left by rounding of a variance of places between 0 and 1."""
Spread = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""How different the rows of each group are, each row counted by its weight."""


def recoverable_faults(
    source: pd.DataFrame,
    table: pd.DataFrame,
    roles: DeclaredRoles,
    subject: pd.Series | None = None,
    marks: Mapping[str, Collection[str] | None] | None = None,
    weights: np.ndarray | None = None,
) -> list[str]:
    """Columns that give values of a quasi-identifier beyond what its labels tell.

    Parameters
    ----------
    source : data frame
        The rows that were published, as they were.
    table : data frame
        The same rows, as they are published.
    roles : DeclaredRoles
        What the columns are, and what was accepted.
    subject : Series, optional
        The person of each row.
    marks : mapping of column to collection of str
        Texts that say that a value is missing, beside the usual ones.
    weights : int array, optional
        How many rows each row stands for, where rows are counted.
    """
    persons = None if subject is None else person_numbers(identify(subject))
    accepted = [set(names) for names in roles.accepted_sets]
    of_role = dict.fromkeys(roles.insensitive, "insensitive")
    of_role |= dict.fromkeys(roles.sensitive, "sensitive")
    # As they are published: what an emptied cell held gives nothing.
    coded = {name: identify(table[name]) for name in of_role}
    filled = {c: is_filled(coded[c], (marks or {}).get(c)) for c in of_role}
    ranks = {name: _ranks(table[name], weights) for name in of_role}
    plain = {name: _numbers(table[name]) for name in of_role}
    faults = []
    for name in roles.quasi_identifiers:
        hidden, alone = Hidden(source[name], table[name], persons, weights), set()
        for other, role in of_role.items():
            if any(names.issuperset((name, other)) for names in accepted):
                continue
            share = hidden.share_given_by(coded[other], ranks[other], filled[other])
            insensitive = role == "insensitive"
            limit = REGAINED_LIMIT if insensitive else SENSITIVE_REGAINED
            if share >= limit:
                faults.append(
                    f"{role} column {other!r} gives {share:.0%} of what the labels of "
                    f"{name!r} hide (limit {limit:.0%}); declare it as a "
                    "quasi-identifier or an identifier, or accept it (accept_unique: "
                    f"[[{other}, {name}]])"
                )
                alone.add(other)
        rest = {other: of for other, of in plain.items() if other not in alone}
        faults += _sum_faults(hidden, name, rest, accepted)
    return faults


def _sum_faults(
    hidden: "Hidden",
    name: str,
    numbers: Mapping[str, np.ndarray | None],
    accepted: Sequence[Set[str]],
) -> list[str]:
    """Columns that together give a quasi-identifier, as two of three times do.

    Those that can be left out are: each of the others takes part.
    """
    known = {other: of for other, of in numbers.items() if of is not None}
    if hidden.share_of_line(list(known.values())) < SENSITIVE_REGAINED:
        return []
    for other in list(known):
        rest = [of for key, of in known.items() if key != other]
        if hidden.share_of_line(rest) >= SENSITIVE_REGAINED:
            del known[other]
    if len(known) < SEVERAL or any(names >= {name, *known} for names in accepted):
        return []  # one alone has been asked for
    parts = ", ".join(map(repr, known))
    return [
        f"columns {parts} together give what the labels of {name!r} hide; declare one "
        "as a quasi-identifier or an identifier, or accept them (accept_unique: "
        f"[[{', '.join((*known, name))}]])"
    ]


class Hidden:
    """Values of a quasi-identifier within their labels.

    Parameters
    ----------
    before, after : Series
        The column as it was, and as it is published, row by row.
    persons : int array, optional
        A number for the person of each row, who counts once for the same cells.
    weights : int array, optional
        How many rows each row stands for; 1 each by default.

    Examples
    --------
    >>> age = pd.Series(np.resize(np.arange(20, 40), 200))
    >>> hidden = Hidden(age, age // 10 * 10)
    >>> born = 2020 - age
    >>> hidden.share_given_by(identify(born), _ranks(born))
    1.0
    >>> decade = age // 10
    >>> hidden.share_given_by(identify(decade), _ranks(decade))
    0.0
    """

    def __init__(
        self,
        before: pd.Series,
        after: pd.Series,
        persons: np.ndarray | None = None,
        weights: np.ndarray | None = None,
    ):
        self._values, self._labels = identify(before), identify(after)
        self._ranks, self._persons = _ranks(before, weights), persons
        rows = np.ones(len(before)) if weights is None else weights
        self._weights = rows.astype(np.float64)
        self._numbers = _numbers(before)

    def share_given_by(
        self,
        given_by: Column,
        ranks: np.ndarray | None,
        filled: np.ndarray | None = None,
    ) -> float:
        """The share of the differences within labels that a column tells.

        Of two rows with one label, how often do they differ, and how often still if
        the column says the same of both? Of numbers also: by how much do they differ,
        and how far from a line through the column. The largest share counts.

        Asked of the rows where both are known, and of those among them where the
        column does not hold its most frequent value: one that stands for an unknown
        one, whatever it is called, must not hide what the others tell.
        """
        there = self._values.codes != self._values.missing_code
        there &= given_by.codes != given_by.missing_code if filled is None else filled
        held = np.bincount(given_by.codes[there], self._weights[there], minlength=1)
        most = held.argmax()
        rest = there & (given_by.codes != most)
        return max(self._share_in(some, given_by, ranks) for some in (there, rest))

    def _share_in(
        self, there: np.ndarray, given_by: Column, ranks: np.ndarray | None
    ) -> float:
        """The share among some of the rows."""
        rows = self._counted(given_by)
        rows = rows[there[rows]]
        if not len(rows):
            return 0.0
        labels, values = self._labels.codes[rows], self._values.codes[rows]
        groups = group_rows(
            [labels, given_by.codes[rows]],
            [self._labels.cardinality, given_by.cardinality],
        ).labels
        kind, weights = self._values.cardinality, self._weights[rows]

        def differing(groups: np.ndarray, weights: np.ndarray) -> np.ndarray:
            return _differing(groups, values, kind, weights)

        shares = [_share_explained(labels, groups, differing, weights)]
        if self._ranks is not None:
            own = self._ranks[rows]

            def varying(groups: np.ndarray, weights: np.ndarray) -> np.ndarray:
                return _variances(groups, own, weights)

            shares.append(_share_explained(labels, groups, varying, weights))
            if ranks is not None:
                shares.append(_in_line(labels, own, ranks[rows], weights))
        return max(0.0, *shares)

    def share_of_line(self, given_by: Sequence[np.ndarray]) -> float:
        """The share of the variance within labels that a sum of columns explains."""
        if self._numbers is None or not given_by:
            return 0.0
        columns = np.column_stack([self._numbers, *given_by])
        # A column that is empty for most says nothing of the others.
        filled = np.isfinite(columns)
        mostly = np.average(filled, axis=0, weights=self._weights) > MOSTLY
        there = np.isfinite(columns[:, mostly]).all(axis=1)
        labels, weights = self._labels.codes[there], self._weights[there]
        if not mostly[0] or weights.sum() < FEWEST_COMPARED:
            return 0.0
        sizes = np.maximum(np.bincount(labels, weights), 1)
        apart = columns[there][:, mostly]
        for at in range(apart.shape[1]):
            means = np.bincount(labels, weights * apart[:, at]) / sizes
            apart[:, at] -= means[labels]
            # Apart from its means, a column has the mean 0.
            apart[:, at] /= np.sqrt(np.average(apart[:, at] ** 2, weights=weights)) or 1
        free = weights.sum() - len(np.unique(labels)) - apart.shape[1]
        apart *= np.sqrt(weights)[:, None]
        total = apart[:, 0] @ apart[:, 0]
        if free < FEWEST_COMPARED or total <= EXACT:
            return 0.0
        weights, *_ = np.linalg.lstsq(apart[:, 1:], apart[:, 0], rcond=None)
        left = apart[:, 0] - apart[:, 1:] @ weights
        return float(1 - left @ left / total)

    def _counted(self, given_by: Column) -> np.ndarray:
        """Rows that count: a person's rows with the same cells are one."""
        columns = (self._labels, self._values, given_by)
        if self._persons is None:
            return np.arange(len(given_by.codes))
        codes = [self._persons, *(column.codes for column in columns)]
        sizes = [int(self._persons.max(initial=0)) + 1]
        return group_rows(codes, [*sizes, *(c.cardinality for c in columns)]).first


def _ranks(series: pd.Series, weights: np.ndarray | None = None) -> np.ndarray | None:
    """Places of numbers among all, from 0 to 1; None for what is no number.

    Of places and not of numbers, for one of these may be larger than all others.
    """
    numbers = _numbers(series)
    if numbers is None:
        return None
    # Missing ones are one value, behind all others.
    place = np.unique(numbers, return_inverse=True)[1]
    rows = np.bincount(place, weights, minlength=1)
    rank = np.cumsum(rows) - (rows - 1) / 2
    return rank[place] / max(rows.sum(), 1)


def _numbers(series: pd.Series) -> np.ndarray | None:
    """Numbers, however they are written; NaN where there is none."""
    try:
        numbers = numbers_of(series)
    except ValueError:  # days of years that no clock has
        return None
    return None if numbers is None else np.asarray(numbers, dtype=np.float64)


def _share_explained(
    labels: np.ndarray, groups: np.ndarray, spread: Spread, weights: np.ndarray
) -> float:
    """How much smaller differences are in groups than in the labels they are of."""
    in_labels, in_groups = spread(labels, weights), spread(groups, weights)
    label_of = np.zeros(len(in_groups), dtype=np.int64)
    label_of[groups] = labels
    expected = in_labels[label_of]
    compared = np.maximum(np.bincount(groups, weights) - 1, 0) * (expected > 0)
    if compared.sum() < FEWEST_COMPARED:
        return 0.0
    return float(1 - compared @ in_groups / (compared @ expected))


def _differing(
    groups: np.ndarray, values: np.ndarray, n_values: int, weights: np.ndarray
) -> np.ndarray:
    """How likely two rows of a group differ; 0 where there are no two."""
    sizes = np.bincount(groups, weights)
    pairs = group_rows([groups, values], [len(sizes), n_values])
    equal = np.bincount(groups[pairs.first], np.bincount(pairs.labels, weights) ** 2)
    return (sizes**2 - equal) / np.maximum(sizes * (sizes - 1), 1)


def _variances(
    groups: np.ndarray, numbers: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """The variance in each group; 0 where there are no two rows."""
    sizes = np.maximum(np.bincount(groups, weights), 1)
    centered = numbers - (np.bincount(groups, weights * numbers) / sizes)[groups]
    spread = np.bincount(groups, weights * centered**2) / np.maximum(sizes - 1, 1)
    return np.where(spread > EXACT, spread, 0.0)


def _in_line(
    labels: np.ndarray, wanted: np.ndarray, known: np.ndarray, weights: np.ndarray
) -> float:
    """How much of the variance within labels a line through a column explains."""
    sizes = np.maximum(np.bincount(labels, weights), 1)
    varies = (_variances(labels, wanted, weights) > 0)[labels]
    n_compared = int(weights[varies].sum()) - len(np.unique(labels[varies])) - 1
    if n_compared < FEWEST_IN_LINE:
        return 0.0
    roots = np.sqrt(weights[varies])
    apart = [
        n - (np.bincount(labels, weights * n) / sizes)[labels] for n in (wanted, known)
    ]
    one, two = (numbers[varies] * roots for numbers in apart)
    total = (one @ one) * (two @ two)
    return float((one @ two) ** 2 / total) if two @ two > EXACT else 0.0
