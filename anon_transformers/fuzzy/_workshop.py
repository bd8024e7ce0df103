"""Makes the codings of one table, each rule once, whatever a search asks for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from anon_transformers._recoding import PublishedColumn, Table
from anon_transformers._tables import Column
from anon_transformers.exceptions import DataError, ParameterError
from anon_transformers.fuzzy._bounds import Wish
from anon_transformers.fuzzy._coding import Block, Coding
from anon_transformers.fuzzy._rules import Rule, Whole
from anon_transformers.fuzzy._search import Numbers
from anon_transformers.metrics import domain_share_loss

MakeRule = Callable[
    [Sequence[Column], int, tuple[str, ...] | None, np.random.Generator], Rule
]


class NoSets(ParameterError):
    """Some number of sets cannot be made; another perhaps can."""


class Workshop:
    """Codings of one table.

    Parameters
    ----------
    table : Table
        The fitted table.
    places : sequence of tuple of int
        Columns of each block.
    wishes : sequence of Wish
        What is asked of each block.
    make_rule : callable
        Puts rows into sets.
    rng : Generator
        Where randomness comes from.
    """

    def __init__(
        self,
        table: Table,
        places: Sequence[tuple[int, ...]],
        wishes: Sequence[Wish],
        make_rule: MakeRule,
        rng: np.random.Generator,
    ):
        self._table, self._places, self._wishes = table, places, wishes
        self._make_rule = make_rule
        # Each rule has a generator of its own: what a search tried before it, or
        # beside it, does not change it.
        self._entropy = int(rng.integers(2**63))
        self._lost: dict[tuple[int, int], list[float]] = {}
        self._made: dict[tuple[int, int], tuple[Block, list[PublishedColumn]]] = {}

    def coding(self, numbers: Numbers) -> Coding:
        """The coding with these numbers of sets."""
        return Coding(tuple(self._block(*key)[0] for key in enumerate(numbers)))

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

    def _block(self, at: int, n_sets: int) -> tuple[Block, list[PublishedColumn]]:
        if (at, n_sets) not in self._made:
            known, wish = self._table.known, self._wishes[at]
            columns = complete_rows([known[place] for place in self._places[at]])
            rule: Rule = Whole()
            if wish.distinct:
                rng = np.random.default_rng([self._entropy, at, n_sets])
                rule = self._make_rule(columns, n_sets, wish.names, rng)
            block = Block.of(self._places[at], rule, known)
            self._made[at, n_sets] = block, block.publish(known)
        return self._made[at, n_sets]


def complete_rows(columns: Sequence[Column]) -> list[Column]:
    """The columns with those rows only that lack no value in any of them."""
    complete = np.all([c.codes != c.missing_code for c in columns], axis=0)
    if complete.all():
        return list(columns)
    return [replace(column, codes=column.codes[complete]) for column in columns]


def count_distinct(table: Table, at: tuple[int, ...]) -> int:
    """Different values of a column, or combinations of several, without missing ones.

    Where columns are coded together, some row must have all values.
    """
    if len(at) == 1:
        return len(table.known[at[0]].values)
    columns = complete_rows([table.known[place] for place in at])
    n_rows = len(columns[0].codes)
    if not n_rows:
        raise DataError(
            "coding='joint' needs rows without a missing value: each of "
            f"{table.n_rows} rows lacks one in some quasi-identifier."
        )
    return len(Table(n_rows, tuple(columns)).points().weights)
