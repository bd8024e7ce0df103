"""What a node of the lattice gives up, in one number."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers._kernels.lattice import (
    Held,
    Levels,
    Node,
    cell_costs,
    lay_out,
)
from anon_transformers.base._coded_table import CodedTable, Points
from anon_transformers.generalization._levels import level_tables, takes_missing

Costs = list[np.ndarray]
"""What a cell costs by level and group: 1 like a suppressed one, 0 if untouched."""

CostTable = Callable[[Column, np.ndarray], Costs]
"""Makes costs from a column and how many rows each of its values has."""


class NodeLoss(Protocol):
    """A loss that never falls when classes are suppressed or joined."""

    def terms(self, gone: int = 0) -> np.ndarray:
        """What each level of each attribute adds to the loss at least.

        The terms are on the scale of :meth:`scaled`. At least ``gone`` rows are
        suppressed.
        """
        ...

    def scaled(self, loss: float) -> float:
        """A loss on the scale on which the terms of the attributes are added up."""
        ...

    def unscaled(self, total: float) -> float:
        """The loss that a sum of terms stands for."""
        ...

    def of(self, node: Node, held: Held, kept: np.ndarray) -> float:
        """Loss of a node that publishes the kept classes."""
        ...

    def by_size(
        self,
        sizes: np.ndarray,
        rows: np.ndarray,
        classes: np.ndarray,
        costs: np.ndarray,
    ) -> np.ndarray:
        """Loss for every smallest size, from what classes of that size on hold."""
        ...

    def floor(self, held: Held) -> float:
        """What no node above can stay below, or 0 where ``terms`` say it all."""
        ...


@dataclass(frozen=True)
class CellLoss:
    """Every cell costs by itself; columns are joined by a mean.

    Attributes
    ----------
    codes : int array of shape (n_points, n_attributes)
        Ground values of each distinct combination.
    levels : Levels
        Groups and costs.
    means : sequence of arrays
        For each attribute and level the mean cost if no row is suppressed.
    peaks : sequence of arrays
        For each attribute and level the highest cost that a cell has.
    weights : array
        How much each attribute counts; they add up to 1.
    n_rows : int
        Rows of the table, those that cannot be coded with them.
    geometric : bool
        Join the columns by the geometric mean of 1 + cost.
    """

    codes: np.ndarray
    levels: Levels
    means: Sequence[np.ndarray]
    peaks: Sequence[np.ndarray]
    weights: np.ndarray
    n_rows: int
    geometric: bool

    def terms(self, gone: int = 0) -> np.ndarray:
        terms = np.zeros((len(self.means), max(map(len, self.means))))
        for a, (means, peaks) in enumerate(zip(self.means, self.peaks, strict=True)):
            # At best those rows are suppressed whose cells cost most already.
            least = means + gone / self.n_rows * (1.0 - peaks)
            least = np.log1p(least) if self.geometric else least
            terms[a, : len(means)] = self.weights[a] * least
        return terms

    def scaled(self, loss: float) -> float:
        return float(np.log1p(loss)) if self.geometric else loss

    def unscaled(self, total: float) -> float:
        return float(np.expm1(total)) if self.geometric else total

    def of(self, node: Node, held: Held, kept: np.ndarray) -> float:
        return float(self.join(self.columns(node, held, kept)))

    def columns(self, node: Node, held: Held, kept: np.ndarray) -> np.ndarray:
        """The loss of each attribute; a suppressed row costs 1."""
        at = np.array(node)
        costs = cell_costs(self.codes, self.levels, at, held.first, held.sizes, kept)
        return (costs + self.n_rows - held.sizes[kept].sum()) / self.n_rows

    def join(self, columns: np.ndarray) -> Any:
        """One number for all attributes."""
        if self.geometric:
            return np.expm1(np.log1p(columns) @ self.weights)
        return columns @ self.weights

    def by_size(
        self,
        sizes: np.ndarray,
        rows: np.ndarray,
        classes: np.ndarray,
        costs: np.ndarray,
    ) -> np.ndarray:
        return self.join((costs + (self.n_rows - rows)[:, np.newaxis]) / self.n_rows)

    def floor(self, held: Held) -> float:
        return 0.0


@dataclass(frozen=True)
class ClassSizeLoss:
    """Only the sizes of the classes count; nothing is known before they are."""

    n_rows: int
    measure: Callable[[np.ndarray, int, int], float]
    n_attributes: int
    depth: int

    def terms(self, gone: int = 0) -> np.ndarray:
        return np.zeros((self.n_attributes, self.depth))

    def scaled(self, loss: float) -> float:
        return loss

    def unscaled(self, total: float) -> float:
        return total

    def of(self, node: Node, held: Held, kept: np.ndarray) -> float:
        sizes = held.sizes[kept]
        return self.measure(sizes, self.n_rows - int(sizes.sum()), self.n_rows)

    def by_size(
        self,
        sizes: np.ndarray,
        rows: np.ndarray,
        classes: np.ndarray,
        costs: np.ndarray,
    ) -> np.ndarray:
        counts = classes - np.append(classes[1:], 0)
        return np.array(
            [
                self.measure(
                    np.repeat(sizes[at:], counts[at:]),
                    self.n_rows - int(rows[at]),
                    self.n_rows,
                )
                for at in range(len(sizes))
            ]
        )

    def floor(self, held: Held) -> float:
        return self.measure(held.sizes, 0, self.n_rows)


def _discernibility(sizes: np.ndarray, gone: int, n_rows: int) -> float:
    """Rows that each row cannot be told from, as a share; a suppressed one: all."""
    return float((sizes.astype(float) ** 2).sum() + float(gone) * n_rows) / n_rows**2


def _average_class_size(sizes: np.ndarray, gone: int, n_rows: int) -> float:
    """Mean size of a class as a share of the table; suppressed rows are one class."""
    return 1.0 / max(len(sizes) + (gone > 0), 1)


def _shares(column: Column, rows: np.ndarray) -> Costs:
    """Share of the domain that a group covers."""
    assert column.hierarchy is not None
    others = max(len(column.values) - 1, 1)
    costs = []
    for level in range(column.hierarchy.n_levels):
        shares = (column.hierarchy.level(level).leaf_counts - 1) / others
        joins = takes_missing(column, level)
        costs.append(shares if joins else np.append(shares, 0.0))
    return costs


def _heights(column: Column, rows: np.ndarray) -> Costs:
    """How far up the hierarchy a group lies; a missing value is shown as it is."""
    tables = level_tables(column)
    top = max(len(tables) - 1, 1)
    costs = [np.full(t.max() + 1, level / top) for level, t in enumerate(tables)]
    for level, cost in enumerate(costs):
        if not takes_missing(column, level):
            cost[-1] = 0.0
    return costs


def _entropies(column: Column, rows: np.ndarray) -> Costs:
    """Bits that a group hides, as a share of those of the column."""
    total = rows.sum()
    ground = rows[rows > 0]
    bits = float((ground * np.log2(total / ground)).sum())
    costs = []
    for table in level_tables(column):
        held = np.bincount(table, rows)
        left = np.log2(total / np.maximum(held, 1)) * total / bits if bits else 1.0
        costs.append(np.where(held > 0, 1.0 - left, 0.0))
    return costs


CELL_LOSSES: Mapping[str, tuple[CostTable, bool]] = {
    "domain-share": (_shares, True),
    "precision": (_heights, False),
    "entropy": (_entropies, False),
}
"""By name: what cells cost, and whether columns are joined by the geometric mean."""

SIZE_LOSSES: Mapping[str, Callable[[np.ndarray, int, int], float]] = {
    "discernibility": _discernibility,
    "average-class-size": _average_class_size,
}

LOSSES = (*CELL_LOSSES, *SIZE_LOSSES)


def make_loss(
    name: str, table: CodedTable, points: Points, weights: np.ndarray
) -> tuple[NodeLoss, Levels]:
    """The loss ``name`` of a table's nodes, and the levels it works on."""
    cost, geometric = CELL_LOSSES.get(name, (_heights, False))
    by_value = [
        np.bincount(points.codes[a], points.weights, column.cardinality)
        for a, column in enumerate(table.quasi_identifiers)
    ]
    groups = [level_tables(column) for column in table.quasi_identifiers]
    costs = [
        cost(c, rows) for c, rows in zip(table.quasi_identifiers, by_value, strict=True)
    ]
    levels = lay_out(groups, costs)
    if name in SIZE_LOSSES:
        n_groups = levels.n_groups
        return ClassSizeLoss(table.n_rows, SIZE_LOSSES[name], *n_groups.shape), levels
    means = [
        np.array([c[g] @ rows for g, c in zip(gs, cs, strict=True)]) + points.n_uncoded
        for gs, cs, rows in zip(groups, costs, by_value, strict=True)
    ]
    shares = [mean / table.n_rows for mean in means]
    peaks = [
        np.array([c[g[rows > 0]].max(initial=0) for g, c in zip(gs, cs, strict=True)])
        for gs, cs, rows in zip(groups, costs, by_value, strict=True)
    ]
    codes = np.ascontiguousarray(points.codes.T)
    loss = CellLoss(codes, levels, shares, peaks, weights, table.n_rows, geometric)
    return loss, levels
