"""An intruder who learns from the published table how columns depend on each other.

The bound 1/k counts permutations only. Whoever also knows that pay grows with age picks
the cell of the group that fits best, and is right more often.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, encode
from anon_transformers._kernels.best_cells import best_cells
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.evidence._linkage import Linkage, cached_per_linkage
from anon_transformers.privacy.probabilistic._disclosure import (
    known_columns,
    wanted_columns,
)

MOST_VALUES = 50
"""A known nominal column of more values than this is left out of the regression."""
NOMINAL = {"category", "hierarchy"}
"""Kinds of columns whose values have no order."""


class RegressionHits(NamedTuple):
    """How often the intruder is right.

    Attributes
    ----------
    records, values : float
        Share of rows for which the cell that fits best is the own one, and has the own
        value.
    excess : float
        ``records`` above what a guess in the group gets: groups over rows.
    """

    records: float
    values: float
    excess: float


@cached_per_linkage
def regression_hits(linkage: Linkage, columns: Any) -> Mapping[Any, RegressionHits]:
    """For each wanted column, what a linear regression finds.

    The published column is regressed by least squares on what the intruder knows:
    numbers, dates and ordered values as one coordinate, nominal columns of up to
    :data:`MOST_VALUES` values as one coordinate per value, missing ones at the mean
    with a coordinate of their own. Inside the own group the cell nearest to the
    prediction is taken. Of a nominal column each value is predicted, as 1 or 0, and the
    cell is taken whose prediction is largest. Of several that are as good, each is as
    likely.

    Rows whose wanted cell is missing are left out: what they lack is no record to find.
    Columns of nothing else, and those for which nothing is known, are left out.

    Examples
    --------
    >>> original = pd.DataFrame({"age": [20, 40, 60, 80], "pay": [21, 41, 59, 79]})
    >>> published = original.assign(pay=[41, 21, 59, 79])
    >>> linkage = Linkage(original, published, {"pay": [0, 0, 1, 1]})
    >>> regression_hits(linkage, "pay")["pay"].records
    1.0
    """
    found = {}
    for name in wanted_columns(linkage, columns):
        known, beside = known_columns(linkage, columns, name)
        seen, own = design([(beside[one], linkage.original[one]) for one in known])
        both = encode(
            pd.concat([linkage.original[name], linkage.published[name]]), name=name
        )
        before, after = np.split(both.codes, 2)
        present, learned = (codes != both.missing_code for codes in (before, after))
        if not (present.any() and learned.any()) or seen.shape[1] == 1:
            continue
        labels = np.unique(linkage.labels(columns)[present], return_inverse=True)[1]
        fit = _best_values if both.kind in NOMINAL else _nearest_numbers
        records, values = fit(
            labels,
            both,
            (seen[learned], after[learned]),
            (own[present], before[present]),
        )
        guess = (1 + int(labels.max())) / len(labels)
        found[name] = RegressionHits(
            float(records.mean()), float(values.mean()), float(records.mean() - guess)
        )
    return found


Coordinates = tuple[np.ndarray, np.ndarray]
"""What is known of some rows, and the codes of what is wanted."""


def _nearest_numbers(
    labels: np.ndarray, column: Column, learned: Coordinates, own: Coordinates
) -> tuple[np.ndarray, np.ndarray]:
    """Chance of each row to pick its own cell, and its own value, of numbers."""
    numbers = column.positions()
    weights, *_ = np.linalg.lstsq(learned[0], numbers[learned[1]], rcond=None)
    return nearest_in_group(labels, numbers[own[1]], own[0] @ weights)


def _best_values(
    labels: np.ndarray, column: Column, learned: Coordinates, own: Coordinates
) -> tuple[np.ndarray, np.ndarray]:
    """The same, of values without an order."""
    n_values = len(column.values)
    # The regression of all values at once, without a table of rows by values.
    left, scale, right = np.linalg.svd(learned[0], full_matrices=False)
    used = scale > scale[0] * np.finfo(np.float64).eps * len(learned[0])
    sums = [np.bincount(learned[1], part, n_values) for part in left.T[used]]
    weights = (right[used].T / scale[used]) @ np.array(sums)
    cells = group_rows([labels, own[1]], [1 + int(labels.max()), n_values])
    order = np.argsort(labels[cells.first], kind="stable")
    ends = np.cumsum(np.bincount(labels[cells.first]))
    tied, right_ones = best_cells(
        own[0],
        np.ascontiguousarray(weights.T),
        (labels, own[1].astype(np.int64)),
        (np.append(0, ends), own[1][cells.first[order]], cells.sizes[order]),
    )
    return (right_ones > 0) / tied, right_ones / tied


def design(
    pairs: Sequence[tuple[pd.Series, pd.Series]],
) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates of the same columns in two tables, beginning with a constant 1."""
    one, other = [np.ones(len(s)) for s in pairs[0]] if pairs else ([], [])
    parts: tuple[list, list] = ([one], [other])
    for first, second in pairs:
        both = encode(pd.concat([first, second], ignore_index=True))
        for coordinate in _coordinates(both, len(first)):
            parts[0].append(coordinate[: len(first)])
            parts[1].append(coordinate[len(first) :])
    return np.column_stack(parts[0]), np.column_stack(parts[1])


def _coordinates(column: Column, n_first: int) -> list[np.ndarray]:
    """Of both tables; those that do not vary in the first one tell nothing."""
    if column.kind in NOMINAL:
        if len(column.values) > MOST_VALUES:
            return []
        # The last value is what is left where no other one is.
        found = [column.codes == code for code in range(1, column.cardinality)]
    else:
        missing = column.codes == column.missing_code
        found = [np.append(column.positions(), np.nan)[column.codes], missing]
        found[0] = _standardized(found[0], n_first)
    found = [coordinate.astype(np.float64) for coordinate in found]
    return [c for c in found if np.ptp(c[:n_first]) > 0]


def _standardized(numbers: np.ndarray, n_first: int) -> np.ndarray:
    """Scaled by the first table; missing ones at its mean."""
    known = numbers[:n_first][~np.isnan(numbers[:n_first])]
    if not len(known):
        return np.zeros(len(numbers))
    scaled = (numbers - known.mean()) / (known.std() or 1.0)
    return np.where(np.isnan(scaled), 0.0, scaled)


def nearest_in_group(
    labels: np.ndarray, true: np.ndarray, predicted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Chance of each row to pick its own cell, and its own value.

    Parameters
    ----------
    labels : int array
        Group of each row, numbered from 0 without a gap.
    true, predicted : float arrays
        The own number of each row, and what the intruder expects it to be. The cells
        of a group are its true numbers.

    Returns
    -------
    records, values : float arrays

    Examples
    --------
    >>> nearest_in_group(np.zeros(3, int), np.array([1.0, 1, 5]), np.full(3, 2.0))
    (array([0.5, 0.5, 0. ]), array([1., 1., 0.]))
    """
    order = np.lexsort((true, labels))
    fresh = np.diff(true[order], prepend=np.nan) != 0
    fresh |= np.diff(labels[order], prepend=-1) != 0
    first = np.flatnonzero(fresh)
    owner, values = labels[order][first], true[order][first]
    times = np.diff(np.append(first, len(order)))
    own = np.empty(len(order), dtype=np.int64)
    own[order] = np.cumsum(fresh) - 1
    above = _places(owner, values, labels, predicted)
    cells = np.zeros(len(labels))
    right = np.zeros(len(labels))
    distance = {}
    for side, at in (("low", above - 1), ("high", above)):
        inside = owner.take(at, mode="clip") == labels
        inside &= (at >= 0) & (at < len(owner))
        gap = np.abs(values.take(at, mode="clip") - predicted)
        distance[side] = np.where(inside, gap, np.inf)
    for side, at in (("low", above - 1), ("high", above)):
        near = distance[side] == np.minimum(distance["low"], distance["high"])
        count = np.where(near, times.take(at, mode="clip"), 0)
        cells += count
        right += np.where(at == own, count, 0)
    hit = right > 0
    return hit / cells, right / cells


def _places(
    owner: np.ndarray, values: np.ndarray, labels: np.ndarray, numbers: np.ndarray
) -> np.ndarray:
    """Where each number belongs among the sorted values of its group."""
    of_both = np.concatenate([owner, labels])
    both = np.concatenate([values, numbers])
    # A value comes after a number that equals it.
    is_value = np.arange(len(both)) < len(owner)
    order = np.lexsort((is_value, both, of_both))
    before = np.cumsum(is_value[order])
    places = np.empty(len(both), dtype=np.int64)
    places[order] = before
    return places[len(owner) :]
