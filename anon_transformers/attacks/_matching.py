"""Records of two tables that may be one person's, by distinct combinations."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, identify
from anon_transformers._kernels import compatibility
from anon_transformers._kernels.grouping import GroupedRows, group_rows
from anon_transformers.attacks._attack_input import AttackInput
from anon_transformers.attacks._places import PairedColumn, pair
from anon_transformers.exceptions import NotEvaluable


@dataclass(frozen=True)
class Matching:
    """Distinct combinations of two tables, ready to be compared.

    Suppressed combinations, whose compared columns all hold the label, would be
    compatible with everybody and hide every other match: they have no candidates and
    are nobody's.

    Attributes
    ----------
    columns : sequence of PairedColumn
        The columns that are compared by what they cover.
    groups : pair of GroupedRows
        Combinations of each table: combination of each row, first row, rows.
    codes : pair of int32 arrays of shape (n_combinations, n_columns)
        Values of each combination.
    links : pair of int64 arrays
        What each combination must agree in; -1 for a suppressed one.
    order : pair of int64 arrays
        Combinations in the order in which they are compared.
    ranges : int64 array
        Right combinations to try for each left one, as the kernels take them.
    """

    columns: Sequence[PairedColumn]
    groups: tuple[GroupedRows, GroupedRows]
    codes: tuple[np.ndarray, np.ndarray]
    links: tuple[np.ndarray, np.ndarray]
    order: tuple[np.ndarray, np.ndarray]
    ranges: np.ndarray

    @classmethod
    def of(
        cls,
        attack_input: AttackInput,
        other: pd.DataFrame,
        compared: Mapping[Any, Hashable],
        linked: Mapping[Any, Hashable] | None = None,
    ) -> "Matching":
        """Prepare the release and another table.

        Parameters
        ----------
        attack_input : AttackInput
            Holds the release, the left side.
        other : pandas.DataFrame
            The right side.
        compared : mapping of column to column
            Columns of the release and their counterparts, compared by what their
            values cover.
        linked : mapping of column to column, optional
            Columns that must agree exactly.
        """
        suppression_label = attack_input.suppression_label
        left = [identify(attack_input.release[name]) for name in compared]
        right = [identify(other[name]) for name in compared.values()]
        columns = [
            pair(one, two, attack_input.hierarchy(name), suppression_label)
            for name, one, two in zip(compared, left, right, strict=True)
        ]
        linking = [
            agreeing(identify(attack_input.release[a]), identify(other[b]))
            for a, b in (linked or {}).items()
        ]
        keys = [one for one, _ in linking], [two for _, two in linking]
        groups = _group(left, keys[0]), _group(right, keys[1])
        codes = _at_first(left, groups[0]), _at_first(right, groups[1])
        links = _link_codes(keys, groups)
        for side in (0, 1):
            texts = [column.texts[side] for column in columns]
            links[side][_suppressed(codes[side], texts, suppression_label)] = -1
        order, ranges = _arrange(links, _buckets(columns, codes, links))
        return cls(columns, groups, codes, links, order, ranges)

    def records(self, side: int) -> np.ndarray:
        """Places of the combinations of one side, as the kernels take them."""
        order, codes = self.order[side], self.codes[side]
        out = np.empty((len(order), len(self.columns), 3), dtype=np.int32)
        for at, column in enumerate(self.columns):
            places = column.right if side else column.left
            out[:, at] = places[codes[order, at]]
        return out

    @cached_property
    def tables(self) -> compatibility.Tables:
        """Tables of the columns whose values are no ranges."""
        parts = [c.table for c in self.columns if c.table is not None]
        starts, widths, at = [], [], 0
        for column in self.columns:
            starts.append(-1 if column.table is None else at)
            widths.append(0 if column.table is None else column.table.shape[1])
            at += 0 if column.table is None else column.table.size
        entries = np.concatenate([np.empty(0, np.int32), *(p.ravel() for p in parts)])
        return compatibility.Tables(
            entries.astype(np.int32), np.array(starts), np.array(widths)
        )

    def rows(self, side: int) -> np.ndarray:
        """Rows of each combination, in the order in which they are compared."""
        return self.groups[side].sizes[self.order[side]]

    def rank(self, side: int) -> np.ndarray:
        """Place in that order of the combination of each row."""
        place = np.empty(len(self.order[side]), dtype=np.int64)
        place[self.order[side]] = np.arange(len(place))
        return place[self.groups[side].labels]

    def n_link_pairs(self) -> int:
        """Pairs of rows that agree in the linked columns."""
        n_links = 1 + max(int(side.max(initial=0)) for side in self.links)
        left, right = (
            np.bincount(
                links[links >= 0], groups.sizes[links >= 0], minlength=n_links
            ).astype(np.int64)
            for links, groups in zip(self.links, self.groups, strict=True)
        )
        return int((left * right).sum())

    def suppressed_rows(self, side: int) -> int:
        """Rows of suppressed combinations."""
        return int(self.groups[side].sizes[self.links[side] < 0].sum())

    def candidates(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See :func:`anon_transformers._kernels.compatibility.count_candidates`."""
        return compatibility.count_candidates(
            self.records(0),
            self.records(1),
            (self.rows(0), self.rows(1)),
            self.ranges,
            *self.tables,
        )

    def text(self, column: int, meet: np.ndarray, left: int, right: int) -> str | None:
        """Text of what two values have in common: the more specific one of them."""
        paired = self.columns[column]
        one, two = paired.left[left], paired.right[right]
        if paired.table is not None:
            one, two = ([side[1], 0, 0] for side in (one, two))
        elif meet[0] == meet[1] and not meet[2]:
            return paired.name(meet)
        if np.array_equal(one, meet):
            return paired.texts[0][left]
        if np.array_equal(two, meet):
            return paired.texts[1][right]
        return paired.name(meet)

    def single(self, meets: np.ndarray) -> np.ndarray:
        """Which meets are one value in every column."""
        single = np.ones(len(meets), dtype=bool)
        for at, column in enumerate(self.columns):
            low, high, missing = meets[:, at].T
            if column.singles is not None:
                single &= column.singles[low]
            else:
                one = (low == high) & (low % 2 == 1 if column.gaps else True)
                single &= np.where(missing > 0, low > high, one)
        return single


def agreeing(left: Column, right: Column) -> tuple[np.ndarray, np.ndarray]:
    """Codes by which two columns agree if their texts do."""
    texts = pd.Index(left.texts())
    at = texts.get_indexer(pd.Index(right.texts()))
    fresh = len(texts) + 1 + np.arange(len(at))
    # The place after the last value stands for a missing one on both sides.
    place = np.append(np.where(at < 0, fresh, at), len(texts))
    return left.codes.astype(np.int64), place[right.codes]


def _group(columns: list[Column], links: list[np.ndarray]) -> GroupedRows:
    codes = [c.codes for c in columns] + links
    sizes = [c.cardinality for c in columns]
    sizes += [int(link.max(initial=0)) + 1 for link in links]
    return group_rows(codes, sizes)


def _at_first(columns: list[Column], groups: GroupedRows) -> np.ndarray:
    return np.stack([c.codes[groups.first] for c in columns], axis=1)


def _suppressed(
    codes: np.ndarray, texts: list[np.ndarray], suppression_label: str
) -> np.ndarray:
    """Combinations that are the suppression label in every column."""
    marked = np.ones(len(codes), dtype=bool)
    for at, column in enumerate(texts):
        marked &= (column == suppression_label)[codes[:, at]]
    return marked


def _link_codes(keys, groups) -> tuple[np.ndarray, np.ndarray]:
    """One number for what both tables agree in."""
    n_left = len(groups[0].first)
    if not keys[0]:
        return np.zeros(n_left, np.int64), np.zeros(len(groups[1].first), np.int64)
    both = [
        np.concatenate([a[groups[0].first], b[groups[1].first]])
        for a, b in zip(*keys, strict=True)
    ]
    labels = group_rows(both, [int(k.max(initial=0)) + 1 for k in both]).labels
    return labels[:n_left].astype(np.int64), labels[n_left:].astype(np.int64)


def _buckets(columns, codes, links) -> tuple[np.ndarray, np.ndarray]:
    """Combinations in two buckets share nothing, whatever they are."""
    parts = [
        _components(column, *(codes[s][links[s] >= 0, at] for s in (0, 1)))
        for at, column in enumerate(columns)
    ]
    both = [
        np.concatenate([left[codes[0][:, at]], right[codes[1][:, at]]])
        for at, (left, right) in enumerate(parts)
    ]
    labels = group_rows(both, [int(b.max(initial=0)) + 1 for b in both]).labels
    n_left = len(codes[0])
    return labels[:n_left].astype(np.int64), labels[n_left:].astype(np.int64)


def _components(
    column: PairedColumn, left: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Number values so that those with another number have nothing in common."""
    sizes = len(column.left), len(column.right)
    numbers = np.zeros(sum(sizes), dtype=np.int64)
    if column.table is None:
        used = np.unique(np.concatenate([left, right.astype(np.int64) + sizes[0]]))
        places = np.concatenate([column.left, column.right])[used].astype(np.int64)
        numbers[used] = _runs(places)
    return numbers[: sizes[0]], numbers[sizes[0] :]


def _runs(places: np.ndarray) -> np.ndarray:
    """Number ranges that overlap, by chains, alike."""
    low, high, missing = places.T
    order = np.argsort(low, kind="stable")
    reach = np.maximum.accumulate(high[order])
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = low[order][1:] > reach[:-1]
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = np.cumsum(fresh) - 1
    # Values that may be missing have that in common.
    joined = np.unique(numbers[missing > 0])
    numbers[np.isin(numbers, joined)] = joined[0] if len(joined) else 0
    return numbers


def _arrange(links, buckets) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Sort both sides by link and bucket; where to look for each left combination."""
    span = 1 + max(int(bucket.max(initial=0)) for bucket in buckets)
    keys = [
        np.where(link < 0, -1, link * span + bucket)
        for link, bucket in zip(links, buckets, strict=True)
    ]
    order = np.argsort(keys[0], kind="stable"), np.argsort(keys[1], kind="stable")
    left, right = keys[0][order[0]], keys[1][order[1]]
    bounds = [np.searchsorted(right, left, side) for side in ("left", "right")]
    ranges = np.stack(bounds, axis=1).astype(np.int64)
    ranges[left < 0] = 0
    return order, ranges


def refuse_unrelated_tables(
    matching: Matching, of_left: np.ndarray, names: Sequence[Hashable]
) -> None:
    """Refuse columns without a value in common: most likely a hierarchy is missing."""
    if of_left.any():
        return
    for at, name in enumerate(names):
        column = matching.columns[at]
        # Suppressed rows are compatible with everything, and summarize nothing.
        codes = [
            np.unique(side[links >= 0, at])
            for side, links in zip(matching.codes, matching.links, strict=True)
        ]
        if not _any_in_common(column, *codes):
            raise NotEvaluable(
                f"column {name!r} has no value in common with the other table; does "
                "it need its hierarchy?"
            )


def _any_in_common(column: PairedColumn, left: np.ndarray, right: np.ndarray) -> bool:
    if column.table is not None:
        return bool((column.table[np.ix_(left, right)] >= 0).any())
    one, two = column.left[left], column.right[right]
    if (one[:, 2] > 0).any() and (two[:, 2] > 0).any():
        return True
    # Sorted by where they begin, a range meets another iff it meets a neighbor.
    one, two = one[one[:, 0] <= one[:, 1]], two[two[:, 0] <= two[:, 1]]
    two = two[np.argsort(two[:, 0])]
    reach = np.maximum.accumulate(two[:, 1]) if len(two) else two[:, 1]
    at = np.searchsorted(two[:, 0], one[:, 1], "right") - 1
    return bool((at >= 0).any() and (reach[at[at >= 0]] >= one[at >= 0, 0]).any())
