"""What a group publishes of one attribute."""

from typing import NamedTuple

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers._data.means import group_means
from anon_transformers.base._coded_table import PublishedColumn


class Cells(NamedTuple):
    """The different known values of each group, by group and then by value."""

    group: np.ndarray
    code: np.ndarray
    rows: np.ndarray


def publish_centers(
    column: Column, group_of: np.ndarray, n_groups: int
) -> PublishedColumn:
    """One value per group; ``codes`` of the result has one entry per group.

    Numbers and dates: the mean of the known cells. Ordinal values: their median, the
    lower one of two. Categories: the most frequent one; in a hierarchy the leaf that is
    nearest to all known cells together. In a tie the first in order is taken. A group
    publishes a missing value if more than half of its cells are missing.

    The share of a label is what its groups cover of the domain, as if their extent was
    published: range, different values, or leaves below the lowest common ancestor.

    Parameters
    ----------
    column : Column
        Coded rows.
    group_of : int array
        Group of each row.
    n_groups : int
        How many there are.

    Returns
    -------
    PublishedColumn
        Of the groups. For the rows, put ``codes[group_of]`` in place of its ``codes``.

    Examples
    --------
    >>> ages = Column("age", "number", np.array([20, 30, 60]), np.array([0, 1, 2, 2]))
    >>> publish_centers(ages, np.array([0, 0, 1, 1]), 2).labels
    array([25., 60.])
    """
    sizes = np.bincount(group_of, minlength=n_groups)
    key = group_of.astype(np.int64) * column.cardinality + column.codes
    distinct, rows = np.unique(key, return_counts=True)
    group, code = np.divmod(distinct, column.cardinality)
    gap = code == column.missing_code
    missing = np.bincount(group[gap], rows[gap], n_groups)
    cells = Cells(group[~gap], code[~gap], rows[~gap])
    shares = _shares(column, cells, missing > 0)
    if column.kind in {"number", "date"}:
        ones = np.ones(len(group_of), dtype=np.int64)
        means = group_means(column, group_of, column.codes, ones, n_groups)
        means[2 * missing > sizes] = "NaT" if column.kind == "date" else np.nan
        labels, at = np.unique(means, return_inverse=True)
    else:
        centers = np.full(n_groups, column.missing_code)
        chosen = _medians(cells) if column.kind == "ordinal" else _modes(column, cells)
        centers[cells.group[chosen]] = cells.code[chosen]
        centers[2 * missing > sizes] = column.missing_code
        used, at = np.unique(centers, return_inverse=True)
        labels = np.array([*column.values, None], dtype=object)[used]
        if column.hierarchy is not None:
            # What stands for every value covers all of them.
            everything = column.hierarchy.level(0).leaf_counts == len(column.values)
            shares[np.append(everything, False)[centers]] = 1.0
    # Groups that happen to have one center share its label, and cost what they did.
    cost = np.bincount(at, sizes * shares, len(labels))
    mean_shares = cost / np.bincount(at, sizes, len(labels))
    return PublishedColumn(at.astype(np.int32), labels, mean_shares, column.zone)


def _medians(cells: Cells) -> np.ndarray:
    """For each group with known cells the place of its lower median."""
    start = _starts(cells.group)
    upto = np.cumsum(cells.rows)
    before = (upto - cells.rows)[start][_numbered(cells.group)]
    total = np.bincount(cells.group, cells.rows)[cells.group]
    reached = np.flatnonzero(2 * (upto - before) >= total)
    return reached[_starts(cells.group[reached])]


def _modes(column: Column, cells: Cells) -> np.ndarray:
    """For each group with known cells the place of the value nearest to all of them.

    A value is near to the cells that share a group of the hierarchy with it, at each
    level the more. No leaf outside can be nearer to all cells than the one of them that
    is nearest to it.
    """
    hierarchy = column.hierarchy
    levels = [np.arange(column.cardinality)]
    if hierarchy is not None:
        levels = [
            hierarchy.level(at).codes for at in range(max(hierarchy.n_levels - 1, 1))
        ]
    nearness = np.zeros(len(cells.code), dtype=np.int64)
    for groups in levels:
        key = cells.group * column.cardinality + groups[cells.code]
        _, at = np.unique(key, return_inverse=True)
        nearness += np.bincount(at, cells.rows).astype(np.int64)[at]
    order = np.lexsort((cells.code, -nearness, cells.group))
    return order[_starts(cells.group[order])]


def _shares(column: Column, cells: Cells, missing: np.ndarray) -> np.ndarray:
    """Share of the domain that each group covers: 0 for one value, 1 for all."""
    shares = np.zeros(len(missing))
    if not len(cells.group):
        return shares
    start = _starts(cells.group)
    held = cells.group[start]
    low = cells.code[start]
    high = cells.code[np.append(start[1:], len(cells.group)) - 1]
    gaps = missing[held]
    if column.kind in {"number", "date"}:
        places = column.positions()
        width = (places[high] - places[low]) / ((places[-1] - places[0]) or 1.0)
        shares[held] = np.minimum(1.0, width + gaps / column.cardinality)
        return shares
    covered = high - low + 1
    if column.kind == "category":
        covered = np.bincount(cells.group, minlength=len(missing))[held]
    elif column.hierarchy is not None:
        covered = _leaves_above(column, low, high)
    others = len(column.values) + missing.any() - 1
    shares[held] = (covered + gaps - 1) / (others or 1)
    return shares


def _leaves_above(column: Column, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Leaves below the lowest group that holds both; leaves are in tree order."""
    hierarchy = column.hierarchy
    assert hierarchy is not None
    covered = np.full(len(low), len(column.values))
    for at in reversed(range(hierarchy.n_levels)):
        codes, _, leaf_counts = hierarchy.level(at)
        met = codes[low] == codes[high]
        covered[met] = leaf_counts[codes[low[met]]]
    return covered


def _starts(groups: np.ndarray) -> np.ndarray:
    """Where each group begins; the groups rise."""
    return np.flatnonzero(np.diff(groups, prepend=-1))


def _numbered(groups: np.ndarray) -> np.ndarray:
    """The groups numbered from 0 without a gap; they rise."""
    return np.cumsum(np.diff(groups, prepend=groups[:1]) > 0)
