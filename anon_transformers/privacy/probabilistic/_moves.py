"""Whether cells moved inside their groups, and whether by chance.

Plain functions of a :class:`~anon_transformers.evidence.Linkage`. Groups of one row,
and those in which everybody is published the same, need no test: whatever moved in them
is not to be seen. In all others an honest swap is a uniform permutation, and what that
hardly ever does is found: see ``_chance``.
"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, identify
from anon_transformers._data.numbers import comparable
from anon_transformers._kernels.grouping import GroupedRows, group_rows
from anon_transformers.evidence._linkage import (
    Linkage,
    Moved,
    as_columns,
    cached_per_linkage,
)
from anon_transformers.privacy.probabilistic._chance import (
    SIGNIFICANCE,
    CountMoments,
    Hits,
)

PLACES = 8
"""Parts into which a group is cut to see which part gets its cells from which."""


class Structure(NamedTuple):
    """What became of the groups of columns that moved together.

    Attributes
    ----------
    sizes : int array
        Rows of each group.
    shuffled : bool array
        The published cells of the group are its original ones, in whatever order.
    alike : bool array
        Everybody in the group is published the same: nobody can be told apart.
    """

    sizes: np.ndarray
    shuffled: np.ndarray
    alike: np.ndarray

    @property
    def kept(self) -> np.ndarray:
        """Groups that no cell left or entered, as far as can be seen."""
        return self.shuffled | self.alike

    @property
    def replaced(self) -> bool:
        """Whether some group shares cells that are not its own ones."""
        return bool((self.alike & ~self.shuffled).any())

    @property
    def tested(self) -> np.ndarray:
        """Groups in which it can be seen, and matters, whether cells moved."""
        return self.shuffled & ~self.alike & (self.sizes > 1)


class Origins(NamedTuple):
    """Where cells came from, as far as it is known, in the groups that are tested.

    Attributes
    ----------
    rows : int array
        The row that each row's cells came from; -1 where it is not known.
    traceable : bool array
        Rows whose own cells are recognized wherever they are.
    """

    rows: np.ndarray
    traceable: np.ndarray


@cached_per_linkage
def structure(linkage: Linkage, columns: Any) -> Structure:
    """See what became of the groups of columns that moved together."""
    labels = linkage.labels(columns)
    sizes = np.bincount(labels)
    before, after = joint_cells(linkage, columns)
    in_groups = np.lexsort((after, labels))
    differs = before[np.lexsort((before, labels))] != after[in_groups]
    differs |= _source_differs(linkage, columns, labels, before, after)[in_groups]
    ordered = labels[in_groups]
    shuffled = np.bincount(ordered, differs, len(sizes)) == 0
    steps = (np.diff(after[in_groups]) != 0) & (np.diff(ordered) == 0)
    alike = np.bincount(ordered[1:], steps, len(sizes)) == 0
    return Structure(sizes, shuffled, alike)


def _source_differs(
    linkage: Linkage,
    columns: Any,
    labels: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
) -> np.ndarray:
    """Rows whose cells are not those of the row that they are said to come from."""
    if linkage.sources is None:
        return np.zeros(len(labels), dtype=bool)
    sources = linkage.sources[as_columns(columns)]
    return (labels[sources] != labels) | (before[sources] != after)


@cached_per_linkage
def origins(linkage: Linkage, columns: Any) -> Origins:
    """Where cells came from; without ``sources``, those nobody else in the group has.

    Examples
    --------
    >>> original = pd.DataFrame({"age": [20, 22, 24], "pay": [1, 1, 3]})
    >>> published = original.assign(pay=[3, 1, 1])
    >>> origins(Linkage(original, published, {"pay": [0, 0, 0]}), "pay").rows
    array([ 2, -1, -1])
    """
    labels = linkage.labels(columns)
    tested = structure(linkage, columns).tested[labels]
    if linkage.sources is not None:
        rows = np.where(tested, linkage.sources[as_columns(columns)], -1)
        return Origins(rows, tested)
    before, after = joint_cells(linkage, columns)
    cells = _cells_of_groups(labels, before)
    traceable = tested & (cells.sizes[cells.labels] == 1)
    rows = np.empty(len(labels), dtype=np.int64)
    # A group that is tested has the same cells before and after: sorted, they meet.
    rows[np.lexsort((after, labels))] = np.lexsort((before, labels))
    return Origins(np.where(traceable[rows], rows, -1), traceable)


@cached_per_linkage
def record_hits(linkage: Linkage, columns: Any) -> Hits:
    """Count the rows whose cells came from themselves.

    Without ``sources`` a row counts only if nobody else in its group has its cells.

    Examples
    --------
    >>> original = pd.DataFrame({"age": [20, 22, 40, 44], "pay": [1, 2, 3, 4]})
    >>> published = original.assign(pay=[2, 1, 3, 4])
    >>> found = record_hits(Linkage(original, published, {"pay": [0, 0, 1, 1]}), "pay")
    >>> found.hits, found.expected
    (2, 2.0)
    """
    labels, found = linkage.labels(columns), structure(linkage, columns)
    rows, traceable = origins(linkage, columns)
    n_traceable = np.bincount(labels, traceable, len(found.sizes))[found.tested]
    hits = int((rows == np.arange(len(rows))).sum())
    return Hits(hits, CountMoments.of_own_cells(n_traceable, found.sizes[found.tested]))


@cached_per_linkage
def value_hits(linkage: Linkage, columns: Any) -> Hits:
    """Count the rows whose cells are equal to their own ones, whoever had them.

    Cells that were exchanged with equal ones only did not move; which row they came
    from tells nothing of that.

    Examples
    --------
    >>> table = pd.DataFrame({"pay": [1, 1, 2, 2]})
    >>> found = value_hits(Linkage(table, table, {"pay": [0, 0, 0, 0]}), "pay")
    >>> found.hits, found.expected
    (4, 2.0)
    """
    labels, found = linkage.labels(columns), structure(linkage, columns)
    before, after = joint_cells(linkage, columns)
    cells = _cells_of_groups(labels, before)
    place = np.cumsum(found.tested) - 1
    of_tested = found.tested[labels[cells.first]]
    law = CountMoments.of_own_values(
        cells.sizes[of_tested],
        place[labels[cells.first[of_tested]]],
        found.sizes[found.tested],
    )
    return Hits(int((found.tested[labels] & (before == after)).sum()), law)


def shared_hits(linkage: Linkage, one: Any, other: Any) -> Hits:
    """Count the rows that got both cells from one row, of columns moved separately.

    The law is that of the second permutation, whatever the first one is: of the rows
    that could get both cells from one row each does with the chance of its own cell.
    """
    first, second = origins(linkage, one), origins(linkage, other)
    labels, sizes = linkage.labels(other), linkage.group_sizes(other)
    rows = np.flatnonzero(first.rows >= 0)
    source = first.rows[rows]
    possible = (labels[source] == labels[rows]) & second.traceable[source]
    n_possible = np.bincount(labels[rows[possible]], minlength=len(sizes))
    hits = int((second.rows[rows] == source).sum())
    return Hits(
        hits,
        CountMoments.of_own_cells(n_possible[n_possible > 0], sizes[n_possible > 0]),
    )


@cached_per_linkage
def moved_alike(linkage: Linkage) -> list[tuple[Moved, Moved]]:
    """Pairs of columns that moved separately, and with the same permutation.

    Who knows one of them finds the row of the other.
    """
    return [
        (one, other)
        for one, other in combinations(linkage.moved, 2)
        if shared_hits(linkage, one, other).too_many
    ]


@cached_per_linkage
def by_chance(linkage: Linkage, columns: Any) -> bool:
    """Whether uniform permutations inside the groups explain what moved."""
    records, values = record_hits(linkage, columns), value_hits(linkage, columns)
    return not (
        records.too_many
        or records.too_few
        or values.too_many
        or values.too_few
        or _has_pattern(linkage, columns)
    )


def _has_pattern(linkage: Linkage, columns: Any) -> bool:
    """Whether a part of the groups gets its cells from a certain other part.

    Places are those in the order of the rows, and of the values.
    """
    labels, sizes = linkage.labels(columns), linkage.group_sizes(columns)
    rows, traceable = origins(linkage, columns)
    whole = np.bincount(labels, traceable, len(sizes)) == sizes
    counted = np.flatnonzero(whole[labels])
    values = identify(linkage.original[as_columns(columns)[0]]).codes
    for key in (np.zeros(len(labels)), values):
        parts = _parts(labels, sizes, key)
        pairs = parts[counted] * PLACES + parts[rows[counted]]
        counts = np.bincount(pairs, minlength=PLACES**2)
        laws = _part_laws(sizes[whole])
        chances = [
            law.chance_of_as_many(count)
            for law, count in zip(laws, counts, strict=True)
        ]
        # Any of them may be rare by chance, in any of two orders.
        if min(chances) < SIGNIFICANCE / (2 * PLACES**2):
            return True
    return False


def _parts(labels: np.ndarray, sizes: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Part of the group in which each row is, by its place in the order of ``key``."""
    place = np.empty(len(labels), dtype=np.int64)
    order = np.lexsort((key, labels))
    place[order] = np.arange(len(labels)) - (np.cumsum(sizes) - sizes)[labels[order]]
    return place * PLACES // sizes[labels]


def _part_laws(sizes: np.ndarray) -> list[CountMoments]:
    """For each two parts, how many cells of the second go to rows of the first."""
    sizes, groups = np.unique(sizes, return_counts=True)
    ends = -(-np.outer(np.arange(PLACES + 1), sizes) // PLACES)
    widths = np.diff(ends, axis=0)
    return [
        CountMoments.of_cells(one, other, sizes, groups)
        for one in widths
        for other in widths
    ]


def _cells_of_groups(labels: np.ndarray, cells: np.ndarray) -> GroupedRows:
    """Rows of one group that have one cell."""
    spans = [1 + int(codes.max(initial=0)) for codes in (labels, cells)]
    return group_rows([labels, cells], spans)


@cached_per_linkage
def joint_cells(linkage: Linkage, columns: Any) -> tuple[np.ndarray, np.ndarray]:
    """One number for the cells of a row in all these columns, before and after."""
    pairs = [
        paired_codes(linkage.original[name], linkage.published[name])
        for name in as_columns(columns)
    ]
    both = [np.concatenate([before, after]) for before, after, _ in pairs]
    numbers = group_rows(both, [cardinality for *_, cardinality in pairs]).labels
    return numbers[: linkage.n_rows], numbers[linkage.n_rows :]


def paired_codes(
    one: pd.Series, other: pd.Series
) -> tuple[np.ndarray, np.ndarray, int]:
    """Codes of a column in two tables: cells agree if they are published alike.

    Numbers agree if they are equal, to the last digit: 1 and 1.0, but not a whole
    number and the nearest double. All else agrees if the published texts do.

    Examples
    --------
    >>> paired_codes(pd.Series([1, 2, 2**53 + 1]), pd.Series([1.0, 3.0, 2.0**53]))
    (array([0, 1, 2]), array([0, 5, 6]), 7)
    """
    left, right = identify(one), identify(other)
    known, given = _comparable(left, right)
    at = pd.Index(known, dtype=known.dtype).get_indexer(
        pd.Index(given, dtype=given.dtype)
    )
    # After the values of the first table comes the missing one, then what is new.
    fresh = len(known) + 1 + np.arange(len(given))
    place = np.append(np.where(at < 0, fresh, at), len(known))
    cardinality = len(known) + 1 + len(given)
    return left.codes.astype(np.int64), place[right.codes], cardinality


def _comparable(left: Column, right: Column) -> tuple[np.ndarray, np.ndarray]:
    """Values of two columns by which they can be matched."""
    kinds = {column.values.dtype.kind for column in (left, right)}
    if left.kind == right.kind == "number" and (kinds <= set("iuf") or kinds == {"M"}):
        return comparable(left.values, right.values)
    return left.texts(), right.texts()
