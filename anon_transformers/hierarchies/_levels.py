"""Levels as codes: how a table of texts, or a rule, becomes a tree."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from anon_transformers.exceptions import DataError


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


class StepRule(ABC):
    """A rule that makes every value of a column less exact, one step at a time.

    What it took from the column it was made for (its shortest text, …) it keeps, so
    that it treats a value that comes later like those.
    """

    @property
    @abstractmethod
    def n_steps(self) -> int:
        """Steps up to the root."""

    @abstractmethod
    def step(self, labels: Sequence[str], level: int) -> list[str]:
        """The generalizations at ``level``, from those of the level below."""


@dataclass(frozen=True)
class Rule:
    """What a hierarchy was grown by.

    Attributes
    ----------
    pattern : str
        Regular expression that a value matches as a whole, or the rule is not for it.
    steps : StepRule
        From one level to the next.
    """

    pattern: str
    steps: StepRule


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
    else:
        for value in groups:
            yield [value, *above]


def check_depth(table: Sequence[Sequence[str]]) -> None:
    """Every row has as many levels as the first."""
    if not table:
        raise DataError("a hierarchy needs at least one row.")
    for at, row in enumerate(table, start=1):
        if len(row) != len(table[0]):
            raise DataError(
                f"row {at} of the hierarchy has {len(row)} levels, "
                f"the first row has {len(table[0])}."
            )


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


def draft_rule(leaves: list[str], rule: StepRule) -> Draft:
    """Grow levels by a rule, each from the distinct labels of the one below."""
    codes, labels = [np.arange(len(leaves), dtype=np.int32)], [leaves]
    for level in range(1, rule.n_steps + 1):
        above, texts = number(rule.step(labels[-1], level))
        codes.append(above[codes[-1]])
        labels.append(texts)
    return Draft(codes, labels)


def check_draft(draft: Draft) -> None:
    """No level is empty, every group has one parent, and there is one root."""
    codes, labels = draft
    for at, names in zip(codes, labels, strict=True):
        if "" in names:
            _refuse(at == names.index(""), "has an empty level.")
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
        raise DataError(f"row {int(wrong.argmax()) + 1} of the hierarchy {fault}")


def _parents(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Group above each group of a level; of several the first."""
    parents = np.empty(int(below.max()) + 1, dtype=np.int32)
    parents[below[::-1]] = above[::-1]
    return parents


def add_other(draft: Draft, root: str) -> Draft:
    """One more leaf, for what is not known: it is the root at every level."""
    codes, labels = [], []
    for at, names in zip(*draft, strict=True):
        named = names if root in names else [*names, root]
        codes.append(np.append(at, np.int32(named.index(root))))
        labels.append(named)
    return Draft(codes, labels)


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
