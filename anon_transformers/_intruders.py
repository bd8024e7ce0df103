"""What intruders learn from cells that were moved inside groups.

Plain functions of a :class:`~anon_transformers.evidence.Linkage`: what privacy models
and attacks have in common.

Cells that moved break the tie between some columns and the others. A column that moved
alone is what the intruder wants to know, and all the others are known. Columns that
moved together, or were replaced by something that the whole group shares, are what the
intruder knows, and each column that did not move is wanted.
"""

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from anon_transformers._evidence_linkage import Linkage, as_columns
from anon_transformers._kernels.grouping import group_rows
from anon_transformers._tables import Column, encode, identify


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


class RecordHits(NamedTuple):
    """Rows whose cells came from themselves.

    Attributes
    ----------
    hits, told : int
        How many there are, among the rows of which it can be told.
    expected : float
        How many a uniform permutation inside every group has on average.
    """

    hits: int
    told: int
    expected: float

    @property
    def p_value(self) -> float:
        """How likely uniform permutations are to have as many hits, or more.

        The larger one of two tails. Independent rows would be binomial; but the rows of
        a group are not: of two, both or none keep their cells. The number of fixed
        points of a permutation has mean 1 and variance 1, whatever the size of the
        group, so that the Poisson tail with that mean is the one that raises no false
        alarm where groups are small.
        """
        if not self.told:
            return 1.0
        binomial = stats.binom.sf(self.hits - 1, self.told, self.expected / self.told)
        poisson = stats.poisson.sf(self.hits - 1, self.expected)
        return float(max(binomial, poisson))


class ValueDisclosure(NamedTuple):
    """How well a value can be guessed by somebody who knows its group.

    Attributes
    ----------
    probability : float
        That a cell drawn from the own group has the own value, over all rows.
    worst : float
        The same in the group where it is largest.
    constant : float
        Share of rows in groups that have one value only.
    widest, mean_width : float or None
        From the smallest to the largest value of a group, as a share of the range of
        the column; None for columns that are no numbers.
    """

    probability: float
    worst: float
    constant: float
    widest: float | None
    mean_width: float | None


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


def record_hits(linkage: Linkage, columns: Any) -> RecordHits:
    """Count the rows whose cells came from themselves.

    Groups of one row, and those in which everybody is published the same, are left out.
    Without ``sources`` a row is told only if nobody else in its group has its cells.

    Examples
    --------
    >>> original = pd.DataFrame({"age": [20, 22, 40, 44], "pay": [1, 2, 3, 4]})
    >>> published = original.assign(pay=[2, 1, 3, 4])
    >>> record_hits(Linkage(original, published, {"pay": [0, 0, 1, 1]}), "pay")
    RecordHits(hits=2, told=4, expected=2.0)
    """
    labels = linkage.labels(columns)
    found = structure(linkage, columns)
    told = found.tested[labels]
    if linkage.sources is not None:
        stayed = linkage.sources[as_columns(columns)] == np.arange(len(labels))
    else:
        before, after = joint_cells(linkage, columns)
        of_cell = group_rows(
            [labels, after], [len(found.sizes), 1 + int(after.max(initial=0))]
        )
        told = told & (of_cell.sizes[of_cell.labels] == 1)
        stayed = before == after
    hits = int((told & stayed).sum())
    expected = float((1 / found.sizes[labels[told]]).sum())
    return RecordHits(hits, int(told.sum()), expected)


def changed_columns(linkage: Linkage) -> list[Hashable]:
    """Columns that did not move, and are not what they were."""
    return [
        name
        for name in linkage.untouched
        if not np.array_equal(
            *paired_codes(linkage.original[name], linkage.published[name])[:2]
        )
    ]


def wanted_columns(linkage: Linkage, columns: Any) -> list[Hashable]:
    """What an intruder wants to know who can see what moved; see the module."""
    together = as_columns(columns)
    if len(together) > 1 or structure(linkage, columns).replaced:
        return linkage.untouched
    return [*together]


def known_columns(
    linkage: Linkage, columns: Any, wanted: Hashable
) -> tuple[list[Hashable], pd.DataFrame]:
    """What an intruder knows, and the table in which it stands beside the wanted.

    The wanted column moved alone: everything else, as it was before anything moved.
    Otherwise the columns that moved, in the published table beside what did not move.
    """
    together = list(as_columns(columns))
    if together == [wanted]:
        others: list[Hashable] = [*linkage.original.columns.drop([wanted])]
        return others, linkage.original
    return together, linkage.published


def value_disclosure(
    linkage: Linkage, columns: Any
) -> Mapping[Hashable, ValueDisclosure]:
    """For each wanted column, how well its group gives a value away.

    The bound 1/k is one on records. Where a value occurs several times in a group, the
    cell that an intruder gets may be somebody else's and still be right.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 22, 40, 44], "pay": [1, 1, 3, 4]})
    >>> linkage = Linkage(table, table, {"pay": [0, 0, 1, 1]})
    >>> found = value_disclosure(linkage, "pay")["pay"]
    >>> found.probability, found.worst, found.constant
    (0.75, 1.0, 0.5)
    """
    labels = linkage.labels(columns)
    return {
        name: _disclosure(labels, linkage.original[name])
        for name in wanted_columns(linkage, columns)
    }


def _disclosure(labels: np.ndarray, series: pd.Series) -> ValueDisclosure:
    column = identify(series)
    sizes = np.bincount(labels)
    cells = group_rows([labels, column.codes], [len(sizes), column.cardinality])
    of_group = labels[cells.first]
    right = np.bincount(of_group, cells.sizes.astype(float) ** 2, len(sizes)) / sizes
    constant = np.bincount(of_group) == 1
    widest, mean_width = _widths(labels, encode(series))
    return ValueDisclosure(
        float(right.sum() / len(labels)),
        float((right / sizes).max()),
        float(sizes[constant].sum() / len(labels)),
        widest,
        mean_width,
    )


def _widths(labels: np.ndarray, column: Column) -> tuple[float | None, float | None]:
    """Largest and mean width of a group, the latter over rows."""
    if column.kind not in {"number", "date"} or not len(column.values):
        return None, None
    known = column.codes != column.missing_code
    numbers = column.positions()[column.codes[known]]
    whole = np.ptp(numbers)
    if whole == 0:
        return 0.0, 0.0
    order = np.lexsort((numbers, labels[known]))
    ordered, numbers = labels[known][order], numbers[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    last = np.append(first[1:], len(ordered)) - 1
    widths = (numbers[last] - numbers[first]) / whole
    return float(widths.max()), float(np.average(widths, weights=last - first + 1))


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
    """Codes of a column in two tables: cells agree if their published texts do."""
    both = identify(pd.concat([one, other], ignore_index=True))
    return both.codes[: len(one)], both.codes[len(one) :], both.cardinality
