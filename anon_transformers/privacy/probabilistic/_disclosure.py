"""What intruders learn from cells that were moved inside groups.

Plain functions of a :class:`~anon_transformers.evidence.Linkage`: what privacy models
and attacks have in common.

Cells that moved break the tie between some columns and the others. Sensitive columns
that moved are what the intruder wants to know, and all the others are known. Where none
of the columns that moved together is sensitive, they are what the intruder knows, and
each sensitive column that did not move is wanted.

If nobody says what is sensitive, a column that moved alone is taken for it. Columns
that moved together, or were replaced by something that the whole group shares, are
taken for what is known, and each column that did not move for what is wanted.
"""

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, encode, identify
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.evidence._linkage import Linkage, as_columns, cached_per_linkage
from anon_transformers.privacy.probabilistic._moves import paired_codes, structure


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


@cached_per_linkage
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
    if linkage.wanted is not None:
        moved = [name for name in together if name in linkage.wanted]
        stayed = [name for name in linkage.untouched if name in linkage.wanted]
        return moved or stayed
    if len(together) > 1 or structure(linkage, columns).replaced:
        return linkage.untouched
    return [*together]


def known_columns(
    linkage: Linkage, columns: Any, wanted: Hashable
) -> tuple[list[Hashable], pd.DataFrame]:
    """What an intruder knows, and the table in which it stands beside the wanted.

    If the wanted column moved: everything but what is wanted of the columns that moved
    with it, as it was before anything moved; what moved with it stands beside it as it
    is published. Otherwise the columns that moved, in the published table beside what
    did not move.
    """
    together = list(as_columns(columns))
    if wanted not in together:
        return together, linkage.published
    sought = wanted_columns(linkage, columns)
    others: list[Hashable] = [
        name for name in linkage.original.columns if name not in sought
    ]
    beside = linkage.original.copy(deep=False)
    for name in together:
        if name not in sought:
            beside[name] = linkage.published[name]
    return others, beside


@cached_per_linkage
def value_disclosure(linkage: Linkage, columns: Any) -> Mapping[Any, ValueDisclosure]:
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
