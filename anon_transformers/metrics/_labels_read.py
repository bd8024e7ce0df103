"""Published labels, read as ground values of one attribute."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column
from anon_transformers._data.labels import (
    OR_MISSING,
    Ends,
    parse_ends,
    parse_set,
    unquoted,
)
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics._intervals import parse_interval

ANYTHING = "any"
"""Label of a box that is open at both ends."""


class GroupReader:
    """Reads the names of a hierarchy.

    If one level has all the labels, it is meant. Otherwise a name that occurs at
    several levels stands for the largest group of that name: a reader cannot know.
    """

    def __init__(self, hierarchy: Hierarchy, texts: Iterable[str]):
        self.hierarchy = hierarchy
        level = common_level(hierarchy, texts)
        levels = range(hierarchy.n_levels) if level is None else [level]
        self.groups = {hierarchy.root: np.arange(len(hierarchy.leaves))}
        for at in levels:
            codes, labels, _ = hierarchy.level(at)
            order = np.argsort(codes, kind="stable")
            starts = np.searchsorted(codes[order], np.arange(len(labels)))
            for name, leaves in zip(labels, np.split(order, starts[1:]), strict=True):
                if len(leaves) > len(self.groups.get(name, ())):
                    self.groups[name] = leaves

    def __call__(self, label: str) -> np.ndarray | None:
        """Leaves below a name; None if there is no such name."""
        for name in (label, unquoted(label)):
            if name in self.groups:
                return self.groups[name]
        return self.hierarchy.locate([label]) if label in self.hierarchy else None


class ValueReader:
    """Reads values, ranges and sets, where no hierarchy names them."""

    def __init__(self, ground: Column):
        self.ordered = ground.kind == "ordinal"
        self.texts = [str(text) for text in ground.texts()]
        self.place = {text: at for at, text in enumerate(self.texts)}
        self.numbers = numbers_of(ground)

    def __call__(self, label: str) -> np.ndarray | None:
        """Places of the values that a label may stand for; None if it is no label."""
        for name in (label, unquoted(label)):
            if name in self.place:
                return np.array([self.place[name]])
        if label.endswith(OR_MISSING):
            return None  # who asks for missing cells, too, reads the rest of it
        if label == ANYTHING:
            return np.arange(len(self.texts))
        if label.startswith("{"):
            members = parse_set(label)[0]
            known = [self.place[name] for name in members if name in self.place]
            # A declared list may name categories that nobody has.
            return np.sort(known) if known else None
        if self.numbers is not None:
            interval = parse_interval(label)
            inside = None if interval is None else interval.contains(self.numbers)
        else:
            ends = parse_ends(label)
            inside = None if ends is None else self._between(ends)
        return None if inside is None else np.flatnonzero(inside)

    def _between(self, ends: Ends) -> np.ndarray | None:
        """Values between two ends in the order of the column."""
        at = np.arange(len(self.texts))
        inside = np.ones(len(at), dtype=bool)
        low, high = self._place(ends.low), self._place(ends.high)
        if self.ordered and not {ends.low, ends.high} - {None} <= set(self.place):
            return None
        if low is not None:
            inside &= at > low if ends.low_open else at >= low
        if high is not None:
            inside &= at < high if ends.high_open else at <= high
        return inside

    def _place(self, end: str | None) -> float | None:
        """Of an end; one that is no value has its place in the order of texts."""
        if end is None:
            return None
        return self.place.get(end, float(np.searchsorted(self.texts, end)) - 0.5)


def common_level(hierarchy: Hierarchy, texts: Iterable[str]) -> int | None:
    """The lowest level that has every label but the root's; None if none has."""
    wanted = {plain_label(text, hierarchy) for text in texts} - {hierarchy.root}
    for level in range(hierarchy.n_levels):
        if wanted <= set(hierarchy.level(level).labels):
            return level
    return None


def plain_label(text: str, hierarchy: Hierarchy) -> str:
    """A label as the hierarchy has it, without what the grammar adds."""
    if text in hierarchy:
        return hierarchy.leaves[hierarchy.locate([text])[0]]
    return unquoted(text.removesuffix(OR_MISSING))


def numbers_of(ground: Column, *, plain: bool = False) -> np.ndarray | None:
    """Values as numbers, if all of them are; ``plain`` texts have no zero in front."""
    if ground.values.dtype.kind in "iuf":
        return ground.values.astype(float)
    if ground.values.dtype.kind == "M":
        return None
    texts = pd.Series([str(text) for text in ground.texts()], dtype=object)
    if plain and texts.str.match(r"-?0\d").any():
        return None
    numbers = pd.to_numeric(texts, errors="coerce")
    return None if numbers.isna().any() else numbers.to_numpy(float)


def moments_of(ground: Column) -> np.ndarray | None:
    """Dates and times as numbers, if all values are dates or written as 2026-01-31."""
    if ground.values.dtype.kind == "M":
        return ground.values.astype("datetime64[ns]").astype(np.int64).astype(float)
    texts = pd.Series([str(text) for text in ground.texts()], dtype=str)
    if not texts.str.match(r"\d{4}-\d{2}-\d{2}").all():
        return None
    moments = pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True)
    if moments.isna().any():
        return None
    return moments.astype("int64").to_numpy(float)
