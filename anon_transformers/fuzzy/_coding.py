"""All sets of a table: the rules of its columns, what they publish, and degrees."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from anon_transformers._recoding import PublishedColumn
from anon_transformers._tables import Column
from anon_transformers.exceptions import DataError
from anon_transformers.fuzzy._naming import INCOMPLETE
from anon_transformers.fuzzy._partitions import product_partition
from anon_transformers.fuzzy._rules import Rule

MOST_DEGREES = 2**27
"""One gibibyte. Product classes multiply, and every row has a degree in each."""


@dataclass(frozen=True)
class Block:
    """Columns that are coded by one rule: one of them, or all together.

    A row that lacks a value of the block has a set of its own, the last one, and
    belongs to it with degree 1.

    Attributes
    ----------
    at : tuple of int
        Places of the columns among the quasi-identifiers.
    rule : Rule
        Puts rows into sets.
    has_missing : bool
        Whether fitted rows lack a value.
    shares : float64 ndarray of shape (n_columns, n_sets)
        Share of each column's domain that the rows of each set cover.
    """

    at: tuple[int, ...]
    rule: Rule
    has_missing: bool
    shares: np.ndarray

    @classmethod
    def of(cls, at: tuple[int, ...], rule: Rule, known: Sequence[Column]) -> "Block":
        """A block for these rows; ``known`` are all quasi-identifiers."""
        own = [known[place] for place in at]
        block = cls(at, rule, bool(_missing(own).any()), np.empty(0))
        places = block.places(known)
        n_sets = len(block.labels)
        shares = np.stack([_range_shares(column, places, n_sets) for column in own])
        return cls(at, rule, block.has_missing, shares)

    @property
    def labels(self) -> list[str | None]:
        """Published label of each set; of one column, a missing value stays so."""
        gap = [None if len(self.at) == 1 else INCOMPLETE] if self.has_missing else []
        return [*self.rule.names, *gap]

    def places(self, known: Sequence[Column]) -> np.ndarray:
        """The set of each row; -1 where none covers it."""
        own = [known[place] for place in self.at]
        missing = _missing(own)
        if missing.all():
            places = np.zeros(len(missing), dtype=np.int64)
        else:
            places = self.rule.places(own)
        return np.where(
            missing, len(self.rule.names) if self.has_missing else -1, places
        )

    def degrees(self, known: Sequence[Column]) -> np.ndarray:
        """Degree of each row in each set."""
        own = [known[place] for place in self.at]
        missing, n_sets = _missing(own), len(self.labels)
        degrees = np.zeros((len(missing), n_sets))
        if not missing.all():
            degrees[:, : len(self.rule.names)] = self.rule.degrees(own)
        degrees[missing] = 0.0
        if self.has_missing:
            degrees[missing, -1] = 1.0
        degrees.setflags(write=False)  # so that nobody needs a copy
        return degrees

    def publish(self, known: Sequence[Column]) -> list[PublishedColumn]:
        """The same labels in each column, so that their combination is the set."""
        codes = self.places(known).astype(np.int32)
        labels = np.array(self.labels, dtype=object)
        return [PublishedColumn(codes, labels, shares) for shares in self.shares]


@dataclass(frozen=True)
class Coding:
    """The blocks of a table, in the order of its quasi-identifiers."""

    blocks: tuple[Block, ...]

    @property
    def n_sets(self) -> tuple[int, ...]:
        """Sets of each block, without those of missing values."""
        return tuple(len(block.rule.names) for block in self.blocks)

    @property
    def n_classes(self) -> int:
        """Combinations of sets, those that no row has with them."""
        return prod(len(block.labels) for block in self.blocks)

    def publish(self, known: Sequence[Column]) -> list[PublishedColumn]:
        """One published column a quasi-identifier."""
        return [column for block in self.blocks for column in block.publish(known)]

    def class_names(self) -> list[tuple[str | None, ...]]:
        """Published combination of each class, one label a quasi-identifier."""
        labels = (
            [(label,) * len(block.at) for label in block.labels]
            for block in self.blocks
        )
        return [sum(parts, ()) for parts in product(*labels)]

    def degrees(self, known: Sequence[Column]) -> np.ndarray:
        """Degree of each row in each class: the product of those in its sets.

        Raises
        ------
        DataError
            If there are more of them than a computer should hold.
        """
        n_rows = len(known[0].codes)
        if n_rows * self.n_classes > MOST_DEGREES:
            raise DataError(
                f"the sets of {len(self.blocks)} columns make {self.n_classes} product "
                f"classes, too many for the degrees of {n_rows} rows; ask for fewer "
                "sets, fewer quasi-identifiers or coding='joint'."
            )
        return product_partition(*(block.degrees(known) for block in self.blocks))


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
