"""A table of levels: ground value, its group, the group's group, … , the root."""

import csv
import gzip
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies._normalize import Normalizer, normal

Unknown = Literal["error", "root", "suppress"]
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
        check_policies(unknown, normalizer)
        table = [tuple(str(cell) for cell in row) for row in rows]
        check_rows(table, normalizer)
        root = table[0][-1]
        known = {normal(row[0], normalizer) for row in table}
        added = unknown == "root" and normal(root, normalizer) not in known
        if added:
            # What is not known is a leaf of its own that is the root at every level.
            table.append((root,) * len(table[0]))
        first_seen = _first_seen(table)
        # Sorting by where each ancestor first appears keeps groups together
        # and, inside them, the order in which the author wrote them.
        table.sort(
            key=lambda row: [
                first_seen[level][row[level]] for level in reversed(range(len(row)))
            ]
        )
        # Past __setattr__: from here on nothing changes.
        self.__dict__.update(
            _rows=tuple(table),
            _unknown=unknown,
            _normalizer=normalizer,
            _other=root if added else None,
        )

    _rows: tuple[tuple[str, ...], ...]
    _unknown: Unknown
    _normalizer: Normalizer | None
    _other: str | None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a hierarchy is immutable.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a hierarchy is immutable.")

    def __getstate__(self) -> dict[str, Any]:
        # What it was made of, without what was computed from it.
        names = ("_rows", "_unknown", "_normalizer", "_other")
        return {name: self.__dict__[name] for name in names}

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
        """Read a semicolon-separated file without a header, as ARX writes it.

        A file whose name ends in ``.gz`` is unpacked.
        """
        # Spreadsheets put a byte order mark before the first value.
        opened = gzip.open if Path(path).suffix == ".gz" else open
        with opened(path, "rt", newline="", encoding="utf-8-sig") as file:
            try:
                rows = [row for row in csv.reader(file, delimiter=";") if row]
                return cls(rows, **options)
            except (DataError, csv.Error) as error:
                raise DataError(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def suggest(cls, column: Any) -> "Hierarchy":
        """Propose a hierarchy for a column, from its values.

        Parameters
        ----------
        column : Series or sequence
            The column, or its values; missing ones are left out.

        Examples
        --------
        >>> Hierarchy.suggest([34, 37, None, 61]).rows[0]
        ('34', '[30, 34]', '[30, 39]', '[0, 49]', '*')
        """
        from anon_transformers.hierarchies._suggest import suggest

        return suggest(column)

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
        place = self._places
        other = -1
        if self._unknown == "root":
            other = place[normal(self.root, self._normalizer)]
        found = [place.get(normal(value, self._normalizer), other) for value in values]
        return np.array(found, dtype=np.int64)

    def __contains__(self, value: str) -> bool:
        """Whether a text is one of the ground values."""
        return normal(value, self._normalizer) in self._places

    @cached_property
    def _places(self) -> dict[str, int]:
        return {
            normal(leaf, self._normalizer): at for at, leaf in enumerate(self.leaves)
        }

    def level(self, level: int) -> Level:
        """One level as codes, from 0 for the ground values up to the root."""
        return self._levels[level]

    @cached_property
    def _levels(self) -> tuple[Level, ...]:
        columns = zip(*self._rows, strict=True)
        return tuple(_level(column, self._other) for column in columns)

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
                name = self._rows[first][level]
                # What stands for every value stands for all of them.
                everything = name == self._other
                return name, len(self._rows) if everything else int(high - low + 1)
        raise IndexError(f"leaves {first} to {last} lie outside the hierarchy.")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self._rows, self._unknown, self._normalizer

    def __repr__(self) -> str:
        return f"Hierarchy({len(self._rows)} values, {self.n_levels} levels)"


def _level(column: tuple[str, ...], other: str | None) -> Level:
    """Number the groups of a level in tree order; ``other`` stands for every value."""
    place: dict[str, int] = {}
    codes = np.array([place.setdefault(v, len(place)) for v in column], dtype=np.int32)
    counts = np.bincount(codes)
    if other is not None:
        counts[place[other]] = len(column)
    level = Level(codes, np.array(list(place), dtype=object), counts)
    for part in level:
        part.setflags(write=False)
    return level


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


def check_policies(unknown: Unknown, normalizer: Normalizer | None) -> None:
    """Refuse what a hierarchy cannot do with a value."""
    if unknown not in UNKNOWN_POLICIES:
        raise ParameterError(
            f"unknown: {unknown_choice('policy', unknown, UNKNOWN_POLICIES)}"
        )
    if not (normalizer is None or normalizer == "fold" or callable(normalizer)):
        raise ParameterError(
            f"normalizer must be 'fold' or a function of a text, got {normalizer!r}."
        )


def check_rows(table: list[tuple[str, ...]], normalizer: Normalizer | None) -> None:
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
    _refuse_repeats([row[0] for row in table], "repeats a ground value.")
    _refuse_repeats(
        [normal(row[0], normalizer) for row in table],
        "has a ground value that the normalizer makes one with another.",
    )
    for level in range(len(table[0]) - 1):
        parent: dict[str, str] = {}
        for number, row in enumerate(table, start=1):
            if parent.setdefault(row[level], row[level + 1]) != row[level + 1]:
                raise DataError(
                    f"row {number} of the hierarchy gives a value of level {level} "
                    "a second parent."
                )


def _refuse_repeats(leaves: list[str], fault: str) -> None:
    seen: set[str] = set()
    for number, leaf in enumerate(leaves, start=1):
        if leaf in seen:
            raise DataError(f"row {number} of the hierarchy {fault}")
        seen.add(leaf)


def _first_seen(table: list[tuple[str, ...]]) -> list[dict[str, int]]:
    """Row at which each value of each level first appears."""
    seen: list[dict[str, int]] = [{} for _ in table[0]]
    for number, row in enumerate(table):
        for level, value in enumerate(row):
            seen[level].setdefault(value, number)
    return seen
