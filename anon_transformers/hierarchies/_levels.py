"""Levels as codes: how a table of texts becomes a tree."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from anon_transformers.exceptions import DataError, ParameterError

ROOT = "*"


class RowError(DataError):
    """A row of a hierarchy is wrong.

    Attributes
    ----------
    row : int
        Its place, from 0.
    fault : str
        What it does.
    """

    def __init__(self, row: int, fault: str):
        super().__init__(row, fault)
        self.row, self.fault = row, fault

    def describe(self, number: int) -> str:
        """The fault of a row that its reader knows by this number."""
        return f"row {number} of the hierarchy {self.fault}"

    def __str__(self) -> str:
        return self.describe(self.row + 1)


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


class Draft(NamedTuple):
    """Levels whose groups are numbered in the order in which they first appear."""

    codes: list[np.ndarray]
    labels: list[list[str]]


def same_depth(rows: list[list[str]], root: str) -> list[tuple[str, ...]]:
    """Repeat the last ancestor of shorter rows, and put the root on top."""
    if not rows:
        return []
    depth = max(map(len, rows))
    return [(*row, *[row[-1]] * (depth - len(row)), root) for row in rows]


def leaves_below(groups: Any, above: list[str]) -> Iterable[list[str]]:
    """Rows, without the root, of nested groups below those ``above``."""
    if isinstance(groups, Mapping):
        for group, inside in groups.items():
            yield from leaves_below(inside, [group, *above])
        return
    if not _is_listing(groups):
        raise ParameterError(
            "groups: a group holds a list of values or smaller groups, "
            f"not {type(groups).__name__}."
        )
    for value in groups:
        yield [value, *above]


def groups_above(parents: Mapping[str, Any]) -> list[list[str]]:
    """Rows, without the root, of values and the group or groups above each."""
    rows = []
    for value, above in parents.items():
        if not isinstance(above, str) and not _is_listing(above):
            raise ParameterError(
                "parents: above a value stands a group or a list of groups, "
                f"not {type(above).__name__}."
            )
        rows.append([value, *([above] if isinstance(above, str) else above)])
    return rows


def _is_listing(given: Any) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, str | bytes)


def check_depth(table: Sequence[Sequence[str]]) -> None:
    """Every row has as many levels as the first."""
    if not table:
        raise DataError("a hierarchy needs at least one row.")
    depth = len(table[0])
    for at, row in enumerate(table):
        if len(row) != depth:
            raise RowError(at, f"has {len(row)} levels, the first row has {depth}.")


def cell_texts(column: Iterable[Any]) -> list[str]:
    """Cells as texts; a missing one is empty."""
    return [cell if isinstance(cell, str) else _text(cell) for cell in column]


def _text(cell: Any) -> str:
    # Loaded only where a table holds other things than texts.
    from pandas import isna

    return "" if isna(cell) is True else str(cell)


def number(texts: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """Number texts in the order in which they first appear; and those, once each."""
    labels = list(dict.fromkeys(texts))
    if len(labels) == len(texts):
        return np.arange(len(texts), dtype=np.int32), labels
    place = dict(zip(labels, range(len(labels)), strict=True))
    codes = np.fromiter(map(place.__getitem__, texts), np.int32, len(texts))
    return codes, labels


def draft_table(columns: Iterable[Sequence[str]]) -> Draft:
    """Number each column of a table of levels."""
    numbered = [number(column) for column in columns]
    return Draft([codes for codes, _ in numbered], [labels for _, labels in numbered])


def check_draft(draft: Draft) -> None:
    """No level is empty, every group has one parent, and there is one root."""
    codes, labels = draft
    for level, (at, names) in enumerate(zip(codes, labels, strict=True)):
        # A ground value may be a blank that stands in a table; a group says something.
        gaps = [not (name.strip() if level else name) for name in names]
        _refuse(np.array(gaps)[at], "has an empty level.")
    _refuse(codes[-1] != 0, "ends in another root.")
    if len(labels[0]) < len(codes[0]):
        _refuse(repeated(codes[0]), "repeats a ground value.")
    for level, (below, above) in enumerate(pairwise(codes)):
        wrong = _parents(below, above)[below] != above
        _refuse(wrong, f"gives a value of level {level} a second parent.")


def repeated(codes: np.ndarray) -> np.ndarray:
    """Where a code has been before."""
    again = np.ones(len(codes), dtype=bool)
    again[np.unique(codes, return_index=True)[1]] = False
    return again


def _refuse(wrong: np.ndarray, fault: str) -> None:
    if wrong.any():
        raise RowError(int(wrong.argmax()), fault)


def _parents(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Group above each group of a level; of several the first."""
    parents = np.empty(int(below.max()) + 1, dtype=np.int32)
    parents[below[::-1]] = above[::-1]
    return parents


def name_of_other(draft: Draft, *, by_rule: bool) -> str:
    """What stands for anything at every level below the top: the root, where it can.

    A text that also tells less than everything cannot: 0 among numbers, which a rule
    may come to with any value.
    """
    root = draft.labels[-1][0]
    narrow = by_rule or any(root in names for names in draft.labels[:-1])
    return ROOT if narrow else root


def add_other(draft: Draft, name: str) -> Draft:
    """One more leaf, for what is not known; it has the root above it and no group."""
    more = Draft([], [])
    for at, names in zip(draft.codes[:-1], draft.labels[:-1], strict=True):
        named = names if name in names else [*names, name]
        more.codes.append(np.append(at, np.int32(named.index(name))))
        more.labels.append(named)
    more.codes.append(np.append(draft.codes[-1], np.int32(0)))
    more.labels.append(draft.labels[-1])
    return more


def check_other(draft: Draft, leaf: int, name: str) -> None:
    """A leaf that stands for anything is in no group of its own."""
    for codes, labels in zip(draft.codes[1:-1], draft.labels[1:-1], strict=True):
        if labels[codes[leaf]] != name:
            raise RowError(leaf, "stands for what is not known, and has a group.")


def in_tree_order(draft: Draft, other: str | None) -> tuple[Level, ...]:
    """Move leaves so that every group stands together; ``other`` stands for all.

    Inside a group the order is that of the draft.
    """
    codes = list(draft.codes)
    order = np.arange(len(draft.labels[-1]))
    orders = [order]
    for level in reversed(range(len(codes) - 1)):
        # Ranks of the groups above are settled; below, the first to appear leads.
        above = _parents(codes[level], codes[level + 1])
        order = np.argsort(above, kind="stable")
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        codes[level] = rank[codes[level]]
        orders.append(order)
    return tuple(
        _level(at[order], np.array(names, dtype=object)[moved], other)
        for at, names, moved in zip(codes, draft.labels, reversed(orders), strict=True)
    )


def _level(codes: np.ndarray, labels: np.ndarray, other: str | None) -> Level:
    counts = np.bincount(codes, minlength=len(labels))
    if other is not None:
        counts[labels == other] = len(codes)
    return freeze(Level(codes, labels, counts))


def freeze(level: Level) -> Level:
    """Let nobody change the arrays."""
    for part in level:
        part.setflags(write=False)
    return level


def runs(level: Level) -> tuple[np.ndarray, np.ndarray]:
    """First and last leaf of the run of equal groups that each leaf stands in."""
    starts = np.append(0, np.flatnonzero(np.diff(level.codes)) + 1)
    lengths = np.diff(np.append(starts, len(level.codes)))
    return np.repeat(starts, lengths), np.repeat(starts + lengths - 1, lengths)
