"""Greedy full-domain generalization of Sweeney (2002)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from anon_transformers._kernels.grouping import GroupedRows, group_rows


class Step(NamedTuple):
    """One look at the table: what is violated, and what is generalized because of it.

    ``generalized`` is -1 at the last look.
    """

    levels: tuple[int, ...]
    violating: int
    distinct: tuple[int, ...]
    generalized: int


Violating = Callable[[GroupedRows], int]
Stops = Callable[[tuple[int, ...], int], bool]


def climb(
    codes: np.ndarray,
    levels: list[list[np.ndarray]],
    violating: Violating,
    stops: Stops,
    *,
    last_of_ties: bool = False,
) -> list[Step]:
    """Raise the attribute with most distinct values until the stop rule holds.

    Parameters
    ----------
    codes : int array of shape (n_attributes, n_points)
        Ground values of each point.
    levels : list of lists of int arrays
        For each attribute and level the group of every ground value.
    violating : callable
        Rows in classes that may not be published, given the points by class.
    stops : callable
        Whether these levels do, where so many rows violate.
    last_of_ties : bool, default=False
        Among attributes with equally many values take the last, not the first.

    Returns
    -------
    list of Step
        Everything that was looked at; the levels of the last one are the result.
    """
    at = [0] * len(levels)
    trace = []
    while True:
        columns = [
            table[level][row]
            for table, level, row in zip(levels, at, codes, strict=True)
        ]
        cardinalities = [int(column.max()) + 1 for column in columns]
        count = violating(group_rows(columns, cardinalities))
        distinct = tuple(int(np.count_nonzero(np.bincount(c))) for c in columns)
        chosen = -1
        if not stops(tuple(at), count):
            chosen = _widest(distinct, at, levels, last_of_ties)
        trace.append(Step(tuple(at), count, distinct, chosen))
        if chosen < 0:
            return trace
        at[chosen] += 1


def _widest(
    distinct: tuple[int, ...],
    at: list[int],
    levels: list[list[np.ndarray]],
    last_of_ties: bool,
) -> int:
    """Attribute with most values among those that can be raised; -1 if none can."""
    open_ = [a for a, table in enumerate(levels) if at[a] < len(table) - 1]
    if not open_:
        return -1
    order = open_[::-1] if last_of_ties else open_
    return max(order, key=lambda a: distinct[a])
