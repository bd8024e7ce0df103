"""All sets of a table: the rules of its columns, what they publish, and degrees."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers.base import part_of_progress, tell_progress
from anon_transformers.base._coded_table import (
    CodedTable,
    PublishedColumn,
    group_published,
)
from anon_transformers.evidence import Memberships
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.fuzzy._bounds import SetRequest
from anon_transformers.fuzzy._naming import INCOMPLETE
from anon_transformers.fuzzy._partitions import product_partition
from anon_transformers.fuzzy._rules import SetRule, WholeRule
from anon_transformers.fuzzy._search import Numbers
from anon_transformers.metrics import domain_share_loss

MOST_DEGREES = 2**27
"""One gibibyte. Product classes multiply, and every row has a degree in each."""


@dataclass(frozen=True)
class ColumnBlock:
    """Columns that are coded by one rule: one of them, or all together.

    A row that lacks a value of the block has a set of its own, the last one, and
    belongs to it with degree 1.

    Attributes
    ----------
    at : tuple of int
        Places of the columns among the quasi-identifiers.
    rule : SetRule
        Puts rows into sets.
    has_missing : bool
        Whether fitted rows lack a value.
    shares : float64 ndarray of shape (n_columns, n_sets)
        Share of each column's domain that the rows of each set cover.
    """

    at: tuple[int, ...]
    rule: SetRule
    has_missing: bool
    shares: np.ndarray

    @classmethod
    def of(
        cls, at: tuple[int, ...], rule: SetRule, quasi_identifiers: Sequence[Column]
    ) -> "ColumnBlock":
        """A block for these rows; ``quasi_identifiers`` are all quasi-identifiers."""
        own = [quasi_identifiers[place] for place in at]
        block = cls(at, rule, bool(_missing(own).any()), np.empty(0))
        places = block.places(quasi_identifiers)
        n_sets = len(block.labels)
        shares = np.stack([_range_shares(column, places, n_sets) for column in own])
        return cls(at, rule, block.has_missing, shares)

    @property
    def labels(self) -> list[str | None]:
        """Published label of each set; of one column, a missing value stays so."""
        gap = [None if len(self.at) == 1 else INCOMPLETE] if self.has_missing else []
        return [*self.rule.names, *gap]

    def places(self, quasi_identifiers: Sequence[Column]) -> np.ndarray:
        """The set of each row; -1 where none covers it."""
        own = [quasi_identifiers[place] for place in self.at]
        missing = _missing(own)
        if missing.all():
            places = np.zeros(len(missing), dtype=np.int64)
        else:
            places = self.rule.places(own)
        return np.where(
            missing, len(self.rule.names) if self.has_missing else -1, places
        )

    def degrees(self, quasi_identifiers: Sequence[Column]) -> np.ndarray:
        """Degree of each row in each set."""
        own = [quasi_identifiers[place] for place in self.at]
        missing, n_sets = _missing(own), len(self.labels)
        degrees = np.zeros((len(missing), n_sets))
        if not missing.all():
            degrees[:, : len(self.rule.names)] = self.rule.degrees(own)
        degrees[missing] = 0.0
        if self.has_missing:
            degrees[missing, -1] = 1.0
        degrees.setflags(write=False)  # so that nobody needs a copy
        return degrees

    def publish(self, quasi_identifiers: Sequence[Column]) -> list[PublishedColumn]:
        """The same labels in each column, so that their combination is the set."""
        codes = self.places(quasi_identifiers).astype(np.int32)
        labels = np.array(self.labels, dtype=object)
        return [PublishedColumn(codes, labels, shares) for shares in self.shares]


@dataclass(frozen=True)
class Coding:
    """The blocks of a table, in the order of its quasi-identifiers."""

    blocks: tuple[ColumnBlock, ...]

    @property
    def n_sets(self) -> tuple[int, ...]:
        """Sets of each block, without those of missing values."""
        return tuple(len(block.rule.names) for block in self.blocks)

    @property
    def n_classes(self) -> int:
        """Combinations of sets, those that no row has with them."""
        return prod(len(block.labels) for block in self.blocks)

    def publish(self, quasi_identifiers: Sequence[Column]) -> list[PublishedColumn]:
        """One published column per quasi-identifier."""
        return [
            column
            for block in self.blocks
            for column in block.publish(quasi_identifiers)
        ]

    def class_names(self) -> list[tuple[str | None, ...]]:
        """Published combination of each class, one label per quasi-identifier."""
        labels = (
            [(label,) * len(block.at) for label in block.labels]
            for block in self.blocks
        )
        return [sum(parts, ()) for parts in product(*labels)]

    def degrees(self, quasi_identifiers: Sequence[Column]) -> np.ndarray:
        """Degree of each row in each class: the product of those in its sets.

        Raises
        ------
        DataError
            If there are more of them than a computer should hold.
        """
        n_rows = len(quasi_identifiers[0].codes)
        if n_rows * self.n_classes > MOST_DEGREES:
            raise DataError(
                f"the sets of {len(self.blocks)} columns make {self.n_classes} product "
                f"classes, too many for the degrees of {n_rows} rows; ask for fewer "
                "sets, fewer quasi-identifiers or coding='joint'."
            )
        return product_partition(
            *(block.degrees(quasi_identifiers) for block in self.blocks)
        )


def _missing(columns: Sequence[Column]) -> np.ndarray:
    """Rows that lack a value in one of the columns."""
    return np.any([column.codes == column.missing_code for column in columns], axis=0)


def _range_shares(column: Column, places: np.ndarray, n_sets: int) -> np.ndarray:
    """For each set the range of its rows' values over that of all; 0 for one value."""
    known = (column.codes < column.missing_code) & (places >= 0)
    shares = np.zeros(n_sets)
    if not known.any():
        return shares
    at = column.positions()
    low, high = np.full(n_sets, np.inf), np.full(n_sets, -np.inf)
    np.minimum.at(low, places[known], at[column.codes[known]])
    np.maximum.at(high, places[known], at[column.codes[known]])
    held = high >= low
    shares[held] = (high - low)[held] / ((at[-1] - at[0]) or 1.0)
    return shares


MakeRule = Callable[
    [Sequence[Column], int, tuple[str, ...] | None, np.random.Generator], SetRule
]


class NoSets(ParameterError):
    """Some number of sets cannot be made; another perhaps can."""


class CodingCache:
    """Codings of one table.

    Parameters
    ----------
    table : CodedTable
        The fitted table.
    places : sequence of tuple of int
        Columns of each block.
    requests : sequence of SetRequest
        What is asked of each block.
    make_rule : callable
        Puts rows into sets.
    rng : Generator
        Where randomness comes from.
    """

    def __init__(
        self,
        table: CodedTable,
        places: Sequence[tuple[int, ...]],
        requests: Sequence[SetRequest],
        make_rule: MakeRule,
        rng: np.random.Generator,
    ):
        self._table, self._places, self._requests = table, places, requests
        self._make_rule = make_rule
        # Each rule has a generator of its own: what a search tried before it, or
        # beside it, does not change it.
        self._entropy = int(rng.integers(2**63))
        self._lost: dict[tuple[int, int], list[float]] = {}
        self._made: dict[
            tuple[int, int], tuple[ColumnBlock, list[PublishedColumn]]
        ] = {}

    def coding(self, numbers: Numbers) -> Coding:
        """The coding with these numbers of sets."""
        blocks = []
        for at, n_sets in enumerate(numbers):
            with part_of_progress(at, len(numbers)):
                blocks.append(self._block(at, n_sets)[0])
        return Coding(tuple(blocks))

    def published(self, numbers: Numbers) -> list[PublishedColumn]:
        """What that coding publishes of the table."""
        return [column for key in enumerate(numbers) for column in self._block(*key)[1]]

    def least_loss(self, numbers: Numbers) -> float:
        """Loss of that coding with no row suppressed: with some it is not less.

        It is infinite where there is no such coding.
        """
        try:
            losses = [loss for key in enumerate(numbers) for loss in self._losses(*key)]
        except NoSets:
            return math.inf
        return domain_share_loss(losses)

    def _losses(self, at: int, n_sets: int) -> list[float]:
        if (at, n_sets) not in self._lost:
            nobody = np.zeros(self._table.n_rows, dtype=bool)
            published = self._block(at, n_sets)[1]
            self._lost[at, n_sets] = [column.loss(nobody) for column in published]
        return self._lost[at, n_sets]

    def _block(self, at: int, n_sets: int) -> tuple[ColumnBlock, list[PublishedColumn]]:
        if (at, n_sets) not in self._made:
            tell_progress(0.0)
            coded, request = self._table.quasi_identifiers, self._requests[at]
            columns = complete_rows([coded[place] for place in self._places[at]])
            rule: SetRule = WholeRule()
            if request.distinct:
                rng = np.random.default_rng([self._entropy, at, n_sets])
                rule = self._make_rule(columns, n_sets, request.names, rng)
            block = ColumnBlock.of(self._places[at], rule, coded)
            self._made[at, n_sets] = block, block.publish(coded)
        return self._made[at, n_sets]


def complete_rows(columns: Sequence[Column]) -> list[Column]:
    """The columns with those rows only that lack no value in any of them."""
    complete = np.all([c.codes != c.missing_code for c in columns], axis=0)
    if complete.all():
        return list(columns)
    return [replace(column, codes=column.codes[complete]) for column in columns]


def count_distinct(table: CodedTable, at: tuple[int, ...]) -> int:
    """Different values of a column, or combinations of several, without missing ones.

    Where columns are coded together, some row must have all values.
    """
    if len(at) == 1:
        return len(table.quasi_identifiers[at[0]].values)
    columns = complete_rows([table.quasi_identifiers[place] for place in at])
    n_rows = len(columns[0].codes)
    if not n_rows:
        raise DataError(
            "coding='joint' needs rows without a missing value: each of "
            f"{table.n_rows} rows lacks one in some quasi-identifier."
        )
    return len(CodedTable(n_rows, tuple(columns)).points().weights)


def kept_degrees(
    table: CodedTable, coding: Coding, suppressed: np.ndarray
) -> Memberships:
    """How far the rows that are kept belong to each class."""
    part = table.part(~suppressed)
    degrees = coding.degrees(part.quasi_identifiers)
    degrees.setflags(write=False)
    sensitive = {column.name: column for column in part.sensitive}
    return Memberships(degrees, sensitive, _counts(part))


def labels_read(
    table: CodedTable,
    published: list[PublishedColumn],
    suppressed: np.ndarray,
    mode: str,
) -> Memberships:
    """Classes of labels, each row in one; the suppressed rows are one if they stay."""
    labels = np.where(suppressed, -1, group_published(published).labels)
    shown = np.ones(table.n_rows, dtype=bool) if mode != "drop" else ~suppressed
    part = table.part(shown)
    columns = {column.name: column for column in part.sensitive}
    if mode == "blank":
        columns = {
            name: replace(c, codes=np.where(suppressed, c.missing_code, c.codes))
            for name, c in columns.items()
        }
    rows = Memberships(np.ones((part.n_rows, 1)), columns, _counts(part))
    return rows.crisp(labels[shown])


def _counts(part: CodedTable) -> dict[Hashable, np.ndarray]:
    """How often the input has each value of the sensitive columns."""
    return {name: found.counts for name, found in (part.references or {}).items()}
