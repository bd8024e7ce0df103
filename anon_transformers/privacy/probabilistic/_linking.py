"""An intruder who takes the published row that looks most like a person.

A person and a row are compared in the columns that the intruder knows. Numbers are
standardized, by the original table; or replaced by their ranks in their own table,
which survives any change of scale. A nominal column that differs adds 1 to the square
of the distance, about as much as half the difference of two persons in a number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy import stats
from scipy.spatial import cKDTree

from anon_transformers._kernels.grouping import group_rows
from anon_transformers._kernels.nearest import SAME, nearest_points

Comparison = Literal["distance", "rank"]


class PairedNumbers(NamedTuple):
    """A column of numbers in both tables; NaN where one is missing."""

    original: np.ndarray
    published: np.ndarray


class PairedCodes(NamedTuple):
    """A nominal column in both tables: equal codes are equal values."""

    original: np.ndarray
    published: np.ndarray


PairedColumn = PairedNumbers | PairedCodes


@dataclass(frozen=True)
class NearestRows:
    """For every person the published rows that are nearest, all of them.

    Rows and persons that look the same are compared once, as one *point*.

    Attributes
    ----------
    person, row : int arrays
        Point of each person of the original, and of each published row.
    start, points : int arrays
        Row points nearest to person point ``i``: ``points[start[i]:start[i + 1]]``.
    tied : int array
        Published rows at the nearest points of each person point.
    """

    person: np.ndarray
    row: np.ndarray
    start: np.ndarray
    points: np.ndarray
    tied: np.ndarray

    def row_hits(self, own: np.ndarray) -> np.ndarray:
        """Chance of each person to be given the row ``own``, one per person.

        Of rows that are equally near, each is as likely.
        """
        wanted = _pair_keys(self.person, self.row[own], self.row)
        near = np.isin(wanted, self._nearest_keys())
        return near / self.tied[self.person]

    def cell_hits(
        self, before: np.ndarray, after: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Chance of each person to be given the own cell, and the own value.

        For a column whose cells moved: which of the persons of one value a cell is
        from, nobody can see, so that each is as likely.

        Parameters
        ----------
        before, after : int arrays
            Codes of the column in the original and in the published table.

        Returns
        -------
        cells, values : float arrays
        """
        n_codes = 1 + max(int(before.max()), int(after.max()))
        offers = self.row.astype(np.int64) * n_codes + after
        keys, counts = np.unique(offers, return_counts=True)
        # Persons of one point and one value have the same chance.
        alike = group_rows([self.person, before], [len(self.tied), n_codes])
        person, value = self.person[alike.first], before[alike.first]
        sizes = np.diff(self.start)[person]
        asked = np.repeat(np.arange(len(person)), sizes)
        step = np.arange(len(asked)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        points = self.points[self.start[person][asked] + step]
        looked_up = points * n_codes + value[asked]
        at = np.searchsorted(keys, looked_up).clip(max=len(keys) - 1)
        found = np.where(keys[at] == looked_up, counts[at], 0)
        right = np.bincount(asked, found, len(person)) / self.tied[person]
        values = right[alike.labels]
        return values / np.bincount(before)[before], values

    def _nearest_keys(self) -> np.ndarray:
        of_person = np.repeat(np.arange(len(self.tied)), np.diff(self.start))
        return _pair_keys(of_person, self.points, self.row)


def _pair_keys(person: np.ndarray, point: np.ndarray, row: np.ndarray) -> np.ndarray:
    return person.astype(np.int64) * (1 + int(row.max())) + point


def nearest_rows(
    columns: Sequence[PairedColumn], comparison: Comparison = "distance"
) -> NearestRows:
    """Find the published rows nearest to every person of the original.

    Parameters
    ----------
    columns : sequence of PairedNumbers and PairedCodes
        What the intruder knows.
    comparison : {"distance", "rank"}, default="distance"
        How numbers are compared.

    Examples
    --------
    >>> ages = PairedNumbers(np.array([20.0, 30, 40]), np.array([21.0, 21, 43]))
    >>> nearest_rows([ages]).row_hits(np.arange(3))
    array([0.5, 0.5, 1. ])
    """
    numbers = _coordinates(columns, comparison)
    codes = _nominal(columns)
    (persons, person), (rows, row) = (
        _distinct(numbers[side], codes[side]) for side in (0, 1)
    )
    where = numbers[0][persons], numbers[1][rows]
    if codes[0].shape[1]:
        start, points = nearest_points(
            where[0], codes[0][persons], where[1], codes[1][rows]
        )
    else:
        start, points = _nearest_numbers(*where)
    tied = np.add.reduceat(np.bincount(row)[points], start[:-1])
    return NearestRows(person, row, start, points, tied)


def equal_rows(column: PairedColumn) -> NearestRows:
    """The published rows that equal every person of the original in one column.

    Persons whom no row equals are given none.

    Examples
    --------
    >>> ages = PairedNumbers(np.array([20.0, 30, 40]), np.array([20.0, 20, 30]))
    >>> equal_rows(ages).row_hits(np.arange(3))
    array([0.5, 0. , 0. ])
    """
    original, published = column
    distinct, codes = np.unique(
        np.concatenate([original, published]), return_inverse=True
    )
    person, row = codes[: len(original)], codes[len(original) :]
    tied = np.bincount(row, minlength=len(distinct))
    start = np.append(0, np.cumsum(tied > 0))
    return NearestRows(person, row, start, np.flatnonzero(tied), np.maximum(tied, 1))


def _nearest_numbers(
    persons: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Like ``nearest_points`` where there are numbers only: a tree is faster."""
    tree = cKDTree(rows)
    distance, _ = tree.query(persons)
    found = tree.query_ball_point(persons, distance * (1 + SAME / 2) + SAME)
    lengths = np.fromiter(map(len, found), dtype=np.int64, count=len(found))
    return np.append(0, np.cumsum(lengths)), np.concatenate(found).astype(np.int64)


def _distinct(numbers: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A row of each distinct point, and the point of each row."""
    columns = [np.unique(column, return_inverse=True)[1] for column in numbers.T]
    columns += [*codes.T]
    found = group_rows(columns, [1 + int(column.max()) for column in columns])
    return found.first, found.labels


def _nominal(columns: Sequence[PairedColumn]) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the nominal columns in both tables."""
    nominal = [column for column in columns if isinstance(column, PairedCodes)]
    n_original, n_published = (len(side) for side in columns[0])
    return (
        np.column_stack([np.empty((n_original, 0), int), *(c[0] for c in nominal)]),
        np.column_stack([np.empty((n_published, 0), int), *(c[1] for c in nominal)]),
    )


def _coordinates(
    columns: Sequence[PairedColumn], comparison: Comparison
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of both tables, those that tell most persons apart first.

    One more is always there, which is 0 for everybody.
    """
    n_original, n_published = (len(side) for side in columns[0])
    found = [PairedNumbers(np.zeros(n_original), np.zeros(n_published))]
    for column in columns:
        if isinstance(column, PairedNumbers):
            found += _numbers(column, comparison)
    found.sort(key=lambda pair: -len(np.unique(pair.published)))
    return (
        np.column_stack([pair.original for pair in found]),
        np.column_stack([pair.published for pair in found]),
    )


def _numbers(column: PairedNumbers, comparison: Comparison) -> list[PairedNumbers]:
    """One coordinate, and one of its own for missing numbers."""
    missing = [np.isnan(side).astype(np.float64) for side in column]
    if comparison == "rank":
        scaled = [_ranks(side) for side in column]
    else:
        known = column.original[~np.isnan(column.original)]
        middle = known.mean() if len(known) else 0.0
        spread = (known.std() if len(known) else 0.0) or 1.0
        scaled = [np.nan_to_num((side - middle) / spread) for side in column]
    found = [PairedNumbers(*scaled)]
    if missing[0].any() or missing[1].any():
        found.append(PairedNumbers(*missing))
    return found


def _ranks(numbers: np.ndarray) -> np.ndarray:
    """Ranks in the own table as numbers of mean 0 and, without ties, deviation 1."""
    ranks = stats.rankdata(numbers, nan_policy="omit")
    n_known = int((~np.isnan(numbers)).sum())
    shares = (ranks - 0.5) / max(n_known, 1) - 0.5
    return np.nan_to_num(shares * np.sqrt(12))


class Share(NamedTuple):
    """A share with its confidence interval."""

    share: float
    low: float
    high: float


def expected_share(hits: np.ndarray, confidence: float = 0.95) -> Share:
    """Mean of chances, with Wilson's interval for a share of that many trials.

    The hits need not be whole: a guess among n rows is a hit of 1/n. An expected share
    varies less than one of ones and zeros, so that the interval is rather too wide.

    Examples
    --------
    >>> share = expected_share(np.repeat([1.0, 0.0], [20, 80]))
    >>> round(share.low, 4), share.share, round(share.high, 4)
    (0.1334, 0.2, 0.2888)
    """
    n, share = len(hits), float(np.mean(hits))
    z = stats.norm.ppf((1 + confidence) / 2)
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # Rounding must not put an end on the wrong side of the share, or beyond 0 and 1.
    low = min(max(float(middle - half), 0.0), share)
    return Share(share, low, max(min(float(middle + half), 1.0), share))
