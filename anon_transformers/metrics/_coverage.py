"""Which ground values a published label may stand for."""

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from anon_transformers._frames import to_frame
from anon_transformers._labels import OR_MISSING, parse_set
from anon_transformers._tables import Column, encode, identify
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics._intervals import Ends, parse_ends, parse_interval

ANYTHING = "any"
"""Label of a box that is open at both ends."""


@dataclass(frozen=True)
class Domain:
    """The ground values of one attribute: the leaves of its hierarchy, or its values.

    Attributes
    ----------
    ground : Column
        The values, and the rows of the original in codes; the last code is a
        missing value, or one that the hierarchy does not have.
    """

    ground: Column

    @classmethod
    def of(cls, series: pd.Series, hierarchy: Hierarchy | None) -> "Domain":
        """The domain of a column of ground values."""
        if hierarchy is None:
            return cls(identify(series))
        column = encode(series, hierarchy)
        codes = np.where(column.codes < 0, column.missing_code, column.codes)
        return cls(Column(column.name, "hierarchy", column.values, codes,
                          hierarchy=column.hierarchy))  # fmt: skip

    @property
    def n_values(self) -> int:
        """How many ground values there are."""
        return len(self.ground.values)

    def rows_by_value(self) -> np.ndarray:
        """Rows of the original by ground value, missing ones last."""
        return np.bincount(self.ground.codes, minlength=self.ground.cardinality)

    def cover(self, labels: Column, mark: str = SUPPRESSED) -> sparse.csr_array:
        """Label by ground value (missing values last): whether it may stand for it.

        Raises
        ------
        DataError
            If a label is neither a value, nor a group, nor a range of them.
        """
        texts = [str(text) for text in labels.texts()]
        reader = self._reader(texts, mark)
        found = [reader(text) for text in texts]
        _refuse_unread(labels, np.array([f is None for f in found], dtype=bool))
        read = [f for f in found if f is not None] + [np.array([self.n_values])]
        sizes = [len(places) for places in read]
        cells = np.concatenate(read)
        table = sparse.csr_array(
            (np.ones(len(cells), dtype=np.int64), cells, np.cumsum([0, *sizes])),
            shape=(len(read), self.n_values + 1),
        )
        table.sort_indices()
        return table

    def _reader(self, texts: Sequence[str], mark: str) -> Any:
        everything = np.arange(self.n_values + 1)
        tree = self.ground.hierarchy
        groups = _values(self.ground) if tree is None else _groups(tree, texts)

        def read(text: str) -> np.ndarray | None:
            if text == mark:
                return everything
            if text in groups:
                return groups[text]
            plain = text.removesuffix(OR_MISSING)
            inside = groups.get(plain, groups.get(_unquoted(plain)))
            if inside is None and tree is None:
                inside = self._range(plain, groups)
            elif inside is None and tree is not None and plain in tree:
                inside = tree.locate([plain])
            if inside is None or plain == text:
                return inside
            return np.append(inside, self.n_values)

        return read

    def _range(self, label: str, values: Mapping[str, Any]) -> np.ndarray | None:
        """Values in a range or a set, where no hierarchy names them."""
        if label == ANYTHING:
            return np.arange(self.n_values)
        if label.startswith("{"):
            members = [values.get(member) for member in parse_set(label)[0]]
            known = [member for member in members if member is not None]
            return (
                np.sort(np.concatenate(known)) if len(known) == len(members) else None
            )
        numbers = _numbers(self.ground)
        if numbers is not None:
            interval = parse_interval(label)
            return (
                None if interval is None else np.flatnonzero(interval.contains(numbers))
            )
        ends = parse_ends(label)
        return None if ends is None else np.flatnonzero(_between(self.ground, ends))


def columns_of(
    published: pd.DataFrame,
    quasi_identifiers: Sequence[Hashable] | None,
    hierarchies: Mapping[Hashable, Hierarchy] | None,
) -> list[Hashable]:
    """The columns to measure: those named, or else those that have a hierarchy."""
    names = list(
        quasi_identifiers if quasi_identifiers is not None else hierarchies or ()
    )
    if not names:
        raise ParameterError("quasi_identifiers is empty; name at least one column.")
    for name in names:
        if name not in published.columns:
            raise DataError(unknown_choice("column", name, published.columns))
    return names


@dataclass(frozen=True)
class Recoded:
    """One attribute before and after.

    Attributes
    ----------
    name : hashable
        Its column.
    domain : Domain
        Its ground values, with the rows of the original.
    labels : Column
        The published rows.
    cover : sparse array
        Which ground values each label may stand for; the last line is that of a
        missing cell.
    """

    name: Hashable
    domain: Domain
    labels: Column
    cover: sparse.csr_array


def recoded_columns(
    original: Any,
    published: Any,
    hierarchies: Mapping[Hashable, Hierarchy] | None,
    quasi_identifiers: Sequence[Hashable] | None,
    suppression_label: str,
) -> tuple[list[Recoded], int, int]:
    """Every attribute before and after, and how many rows there were and are."""
    before, after = to_frame(original), to_frame(published)
    names = columns_of(after, quasi_identifiers, hierarchies)
    columns_of(before, names, None)
    if not len(before):
        raise DataError("the original has no rows.")
    if len(after) > len(before):
        raise DataError(
            f"the published table has {len(after)} rows, the original {len(before)}."
        )
    found = []
    for name in names:
        domain = Domain.of(before[name], (hierarchies or {}).get(name))
        labels = identify(after[name])
        found.append(
            Recoded(name, domain, labels, domain.cover(labels, suppression_label))
        )
    return found, len(before), len(after)


def _refuse_unread(labels: Column, unread: np.ndarray) -> None:
    if not unread.any():
        return
    count = int(np.append(unread, False)[labels.codes].sum())
    raise DataError(
        f"column {labels.name!r} holds labels in {count} rows that are neither a value "
        "of the original nor a group or range of them."
    )


def _values(ground: Column) -> dict[str, np.ndarray]:
    return {str(text): np.array([at]) for at, text in enumerate(ground.texts())}


def _groups(tree: Hierarchy, texts: Iterable[str]) -> dict[str, np.ndarray]:
    """Leaves under each name.

    If one level has all the labels, it is meant. Otherwise a name that occurs at
    several levels stands for the largest group of that name: a reader cannot know.
    """
    level = common_level(tree, texts)
    levels = range(tree.n_levels) if level is None else [level]
    groups: dict[str, np.ndarray] = {tree.root: np.arange(len(tree.leaves))}
    for at in levels:
        codes, labels, _ = tree.level(at)
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(len(labels)))
        for name, leaves in zip(labels, np.split(order, starts[1:]), strict=True):
            if len(leaves) > len(groups.get(name, ())):
                groups[name] = np.sort(leaves)
    return groups


def common_level(tree: Hierarchy, texts: Iterable[str]) -> int | None:
    """The lowest level that has every label but the root's; None if none has."""
    wanted = {plain_label(text, tree) for text in texts} - {tree.root}
    for level in range(tree.n_levels):
        if wanted <= set(tree.level(level).labels):
            return level
    return None


def plain_label(text: str, tree: Hierarchy) -> str:
    """A label as the hierarchy has it, without what the grammar adds."""
    if text in tree:
        return tree.leaves[tree.locate([text])[0]]
    return _unquoted(text.removesuffix(OR_MISSING))


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except json.JSONDecodeError:
        return text


def _numbers(ground: Column) -> np.ndarray | None:
    """Values as numbers, if all of them are."""
    if ground.values.dtype.kind in "iuf":
        return ground.values.astype(float)
    if ground.values.dtype.kind == "M":
        return None
    numbers = pd.to_numeric(pd.Series(ground.texts(), dtype=object), errors="coerce")
    return None if numbers.isna().any() else numbers.to_numpy(float)


def _between(ground: Column, ends: Ends) -> np.ndarray:
    """Values between two ends in the order of the column."""
    texts = [str(text) for text in ground.texts()]
    place = {text: at for at, text in enumerate(texts)}
    at = np.arange(len(texts))
    inside = np.ones(len(texts), dtype=bool)
    # An end that is no value of the column still has a place in the order of texts.
    if ends.low is not None:
        low = place.get(ends.low, float(np.searchsorted(texts, ends.low)) - 0.5)
        inside &= at > low if ends.low_open else at >= low
    if ends.high is not None:
        high = place.get(ends.high, float(np.searchsorted(texts, ends.high)) - 0.5)
        inside &= at < high if ends.high_open else at <= high
    return inside
