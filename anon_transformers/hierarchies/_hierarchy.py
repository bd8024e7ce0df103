"""A table of levels: ground value, its group, the group's group, … , the root."""

import csv
import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from anon_transformers.exceptions import DataError


class Hierarchy:
    """Immutable generalization hierarchy of one attribute.

    Parameters
    ----------
    rows : iterable of sequences of str
        One row a ground value: the value, then its generalization at each level.
        All rows have the same length and end in the same root.

    Attributes
    ----------
    leaves : tuple of str
        Ground values in tree order: the values under any group stand together.
    n_levels : int
        Levels with the ground level.

    Examples
    --------
    >>> rows = [("cat", "mammal", "*"), ("cod", "fish", "*"), ("cow", "mammal", "*")]
    >>> tree = Hierarchy(rows)
    >>> tree.leaves
    ('cat', 'cow', 'cod')
    >>> tree.common_ancestor(0, 1)
    ('mammal', 2)
    >>> tree.common_ancestor(1, 2)
    ('*', 3)
    """

    def __init__(self, rows: Iterable[Sequence[str]]):
        table = [tuple(str(cell) for cell in row) for row in rows]
        _check(table)
        first_seen = _first_seen(table)
        # Sorting by where each ancestor first appears keeps groups together
        # and, inside them, the order in which the author wrote them.
        table.sort(
            key=lambda row: [
                first_seen[level][row[level]] for level in reversed(range(len(row)))
            ]
        )
        self._rows = tuple(table)

    @classmethod
    def read_csv(cls, path: str | os.PathLike[str]) -> "Hierarchy":
        """Read a semicolon-separated file without a header, as ARX writes it."""
        # Spreadsheets put a byte order mark before the first value.
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            try:
                return cls(row for row in csv.reader(file, delimiter=";") if row)
            except DataError as error:
                raise DataError(f"{os.fspath(path)}: {error}") from None

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the file that :meth:`read_csv` reads."""
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, delimiter=";", lineterminator="\n").writerows(self._rows)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Every ground value with its generalizations, in tree order."""
        return self._rows

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Ground values in tree order."""
        return tuple(row[0] for row in self._rows)

    @property
    def n_levels(self) -> int:
        """Levels with the ground level."""
        return len(self._rows[0])

    @cached_property
    def _bounds(self) -> np.ndarray:
        """First and last leaf below each leaf's ancestor, level by level."""
        n_leaves = len(self._rows)
        bounds = np.empty((self.n_levels, n_leaves, 2), dtype=np.int64)
        for level in range(self.n_levels):
            start = 0
            for at in range(1, n_leaves + 1):
                if at == n_leaves or self._rows[at][level] != self._rows[start][level]:
                    bounds[level, start:at] = start, at - 1
                    start = at
        return bounds

    def common_ancestor(self, first: int, last: int) -> tuple[str, int]:
        """Lowest value above leaves ``first`` to ``last``, and its leaf count."""
        for level in range(self.n_levels):
            low, high = self._bounds[level, first]
            if low <= first and last <= high:
                return self._rows[first][level], int(high - low + 1)
        raise IndexError(f"leaves {first} to {last} lie outside the hierarchy.")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self._rows == other._rows

    def __hash__(self) -> int:
        return hash(self._rows)

    def __repr__(self) -> str:
        return f"Hierarchy({len(self._rows)} values, {self.n_levels} levels)"


def _check(table: list[tuple[str, ...]]) -> None:
    """Every value has one parent, every row the same depth and the same root."""
    if not table:
        raise DataError("a hierarchy needs at least one row.")
    for number, row in enumerate(table, start=1):
        if len(row) != len(table[0]):
            raise DataError(
                f"row {number} of the hierarchy has {len(row)} levels, "
                f"the first row has {len(table[0])}."
            )
        if "" in row:
            raise DataError(f"row {number} of the hierarchy has an empty level.")
        if row[-1] != table[0][-1]:
            raise DataError(f"row {number} of the hierarchy ends in another root.")
    leaves = [row[0] for row in table]
    if len(set(leaves)) < len(leaves):
        number = next(i for i, leaf in enumerate(leaves, 1) if leaf in leaves[: i - 1])
        raise DataError(f"row {number} of the hierarchy repeats a ground value.")
    for level in range(len(table[0]) - 1):
        parent: dict[str, str] = {}
        for number, row in enumerate(table, start=1):
            if parent.setdefault(row[level], row[level + 1]) != row[level + 1]:
                raise DataError(
                    f"row {number} of the hierarchy gives a value of level {level} "
                    "a second parent."
                )


def _first_seen(table: list[tuple[str, ...]]) -> list[dict[str, int]]:
    """Row at which each value of each level first appears."""
    seen: list[dict[str, int]] = [{} for _ in table[0]]
    for number, row in enumerate(table):
        for level, value in enumerate(row):
            seen[level].setdefault(value, number)
    return seen
