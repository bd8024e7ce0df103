"""A table of levels: ground value, its group, the group's group, … , the root."""

import csv
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies._normalize import fold

Unknown = Literal["error", "root", "suppress"]
Normalizer = Literal["fold"] | Callable[[str], str]
UNKNOWN_POLICIES = ("error", "root", "suppress")


class Level(NamedTuple):
    """One level of a hierarchy, in codes.

    Attributes
    ----------
    codes : int32 ndarray
        Group of each leaf.
    labels : object ndarray
        Published value of each group.
    leaf_counts : int64 ndarray
        How many ground values each group holds.
    """

    codes: np.ndarray
    labels: np.ndarray
    leaf_counts: np.ndarray


class Hierarchy:
    """Immutable generalization hierarchy of one attribute.

    Parameters
    ----------
    rows : iterable of sequences of str
        One row a ground value: the value, then its generalization at each level.
        All rows have the same length and end in the same root.
    unknown : {"error", "root", "suppress"}, default="error"
        What becomes of a value that the hierarchy does not have: an error, the root
        at every level, or a suppressed row.
    normalizer : {"fold"} or callable, default=None
        Applied to values and leaves before they are compared; "fold" ignores case,
        accents and surplus blanks.

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

    def __init__(
        self,
        rows: Iterable[Sequence[str]],
        *,
        unknown: Unknown = "error",
        normalizer: Normalizer | None = None,
    ):
        if unknown not in UNKNOWN_POLICIES:
            raise ParameterError(
                f"unknown: {unknown_choice('policy', unknown, UNKNOWN_POLICIES)}"
            )
        if not (normalizer is None or normalizer == "fold" or callable(normalizer)):
            raise ParameterError("normalizer must be 'fold' or a function of a text.")
        self._unknown: Unknown = unknown
        self._normalizer = normalizer
        table = [tuple(str(cell) for cell in row) for row in rows]
        check_rows(table)
        if unknown == "root" and table[0][-1] not in {row[0] for row in table}:
            # What is not known is a leaf of its own that is the root at every level.
            table.append((table[0][-1],) * len(table[0]))
        first_seen = _first_seen(table)
        # Sorting by where each ancestor first appears keeps groups together
        # and, inside them, the order in which the author wrote them.
        table.sort(
            key=lambda row: [
                first_seen[level][row[level]] for level in reversed(range(len(row)))
            ]
        )
        self._rows = tuple(table)
        if len(set(map(self._normal, self.leaves))) < len(self.leaves):
            raise DataError("the normalizer makes two ground values one.")

    @classmethod
    def from_mapping(
        cls, parents: Mapping[str, str | Sequence[str]], root: str = "*", **options: Any
    ) -> "Hierarchy":
        """Build from ``{value: group}`` or ``{value: [group, larger group, …]}``.

        Examples
        --------
        >>> Hierarchy.from_mapping({"cat": "mammal", "cod": "fish"}).rows
        (('cat', 'mammal', '*'), ('cod', 'fish', '*'))
        """
        rows = [
            [value, *([above] if isinstance(above, str) else above)]
            for value, above in parents.items()
        ]
        return cls(_same_depth(rows, root), **options)

    @classmethod
    def from_groups(
        cls, groups: Mapping[str, Any], root: str = "*", **options: Any
    ) -> "Hierarchy":
        """Build from nested groups: ``{group: {smaller group: [value, …]}}``.

        Where one branch is deeper than another, the last group is repeated.

        Examples
        --------
        >>> Hierarchy.from_groups({"EU": {"West": ["FR"]}, "Asia": ["JP"]}).rows
        (('FR', 'West', 'EU', '*'), ('JP', 'Asia', 'Asia', '*'))
        """
        return cls(_same_depth(list(_leaves_below(groups, [])), root), **options)

    @classmethod
    def read_csv(cls, path: str | os.PathLike[str], **options: Any) -> "Hierarchy":
        """Read a semicolon-separated file without a header, as ARX writes it."""
        # Spreadsheets put a byte order mark before the first value.
        with Path(path).open(newline="", encoding="utf-8-sig") as file:
            try:
                rows = [row for row in csv.reader(file, delimiter=";") if row]
                return cls(rows, **options)
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

    @property
    def unknown(self) -> Unknown:
        """What becomes of a value that the hierarchy does not have."""
        return self._unknown

    @property
    def root(self) -> str:
        """The most general value."""
        return self._rows[0][-1]

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """Ground values in tree order."""
        return tuple(row[0] for row in self._rows)

    @property
    def n_levels(self) -> int:
        """Levels with the ground level."""
        return len(self._rows[0])

    def locate(self, values: Iterable[str]) -> np.ndarray:
        """Position of each value among the leaves; -1 where there is none."""
        place = {self._normal(leaf): at for at, leaf in enumerate(self.leaves)}
        other = place[self._normal(self.root)] if self._unknown == "root" else -1
        found = [place.get(self._normal(value), other) for value in values]
        return np.array(found, dtype=np.int64)

    def _normal(self, text: str) -> str:
        if self._normalizer is None:
            return text
        return fold(text) if self._normalizer == "fold" else self._normalizer(text)

    def level(self, level: int) -> Level:
        """One level as codes, from 0 for the ground values up to the root."""
        return self._levels[level]

    @cached_property
    def _levels(self) -> tuple[Level, ...]:
        return tuple(_level(column) for column in zip(*self._rows, strict=True))

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
        return isinstance(other, Hierarchy) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self._rows, self._unknown, self._normalizer

    def __repr__(self) -> str:
        return f"Hierarchy({len(self._rows)} values, {self.n_levels} levels)"


def _level(column: tuple[str, ...]) -> Level:
    """Number the groups of a level in tree order."""
    place: dict[str, int] = {}
    codes = np.array([place.setdefault(v, len(place)) for v in column], dtype=np.int32)
    return Level(codes, np.array(list(place), dtype=object), np.bincount(codes))


def _same_depth(rows: list[list[str]], root: str) -> list[tuple[str, ...]]:
    """Repeat the last ancestor of shorter rows, and put the root on top."""
    if not rows:
        return []
    depth = max(map(len, rows))
    return [(*row, *[row[-1]] * (depth - len(row)), root) for row in rows]


def _leaves_below(groups: Any, above: list[str]) -> Iterable[list[str]]:
    if isinstance(groups, Mapping):
        for group, inside in groups.items():
            yield from _leaves_below(inside, [group, *above])
    else:
        for value in groups:
            yield [value, *above]


def check_rows(table: list[tuple[str, ...]]) -> None:
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
