"""Where a column may be cut, and between which ends its boxes lie."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anon_transformers._columns import without_rows
from anon_transformers._tables import Column
from anon_transformers.exceptions import ParameterError
from anon_transformers.partitioning._cut_points import cut_points, place_between
from anon_transformers.partitioning._steps import between, domain_ends, lay_grid


@dataclass(frozen=True)
class Axis:
    """A column as the cuts see it.

    No cut goes through a cell: what a step or a gap holds is one value to the search,
    so that a cut that it finds, and every promise that it judges, is one of cells.

    Attributes
    ----------
    column : Column
        Its values, and nobody's row.
    cells : int32 ndarray
        Cell of each code; the last one is that of a missing value.
    positions : float64 ndarray
        Where each cell lies.
    points : ndarray or None
        Bounds between neighbouring cells: numbers, dates, or places in a declared list
        of categories. None: every value is a cell and has a name of its own.
    ends : pair or None
        Ends of the declared domain of numbers or dates.
    snapped : bool
        Whether bounds are multiples of a step.
    """

    column: Column
    cells: np.ndarray
    positions: np.ndarray
    points: np.ndarray | None = None
    ends: tuple[Any, Any] | None = None
    snapped: bool = False

    @property
    def n_cells(self) -> int:
        """How many cells there are; the next number stands for a missing value."""
        return len(self.positions)

    @property
    def is_declared(self) -> bool:
        """Whether its boxes are parts of a declared list of categories."""
        return self.points is not None and self.column.kind in {"category", "ordinal"}

    def joins(self) -> np.ndarray:
        """For each cell the level at which it meets the next one; 0 without levels."""
        if self.column.hierarchy is not None:
            return self.column.joins()
        return np.zeros(self.n_cells, dtype=np.int32)

    def place(self, other: Column) -> np.ndarray:
        """Cell of each row of a column coded like this one; -1 where there is none."""
        cells = np.append(self.cells, np.int32(-1))[other.codes]
        if self.points is None or other.given is None:
            return cells
        found = place_between(self.points, other.given)
        if self.ends is not None:
            low, high = self.ends
            found[(other.given < low) | (other.given > high)] = -1
        return np.where(other.codes == other.missing_code, self.n_cells, found)


def plain_axis(column: Column) -> Axis:
    """Every value is a cell of its own."""
    cells = np.arange(column.cardinality, dtype=np.int32)
    return Axis(without_rows(column), cells, column.positions())


def cut_axis(
    column: Column, steps: Mapping[Any, Any] | None, domains: Mapping[Any, Any] | None
) -> Axis:
    """Cells of a column whose boxes are published as the cuts draw them.

    Raises
    ------
    ParameterError
        If steps are stated, and this column has neither one nor a domain nor a
        hierarchy.
    """
    step, domain = ((part or {}).get(column.name) for part in (steps, domains))
    if column.kind not in {"number", "date"}:
        return _axis_of_names(column, step, domain, needed=steps is not None)
    if step is None and steps is not None:
        raise ParameterError(f"step: {lacking_step(column.name, column.kind)}")
    ends = None if domain is None else domain_ends(column, domain)
    if step is None:
        plain = plain_axis(column)
        points = cut_points(column.values, column.zone)
        return Axis(plain.column, plain.cells, plain.positions, points, ends)
    grid = lay_grid(column, step)
    places = np.array([float(cell - grid.cells[0]) for cell in grid.cells])
    cells = np.append(place_between(grid.points, column.values), len(places))
    return Axis(
        without_rows(column),
        cells.astype(np.int32),
        places,
        grid.points,
        ends,
        snapped=True,
    )


def _axis_of_names(column: Column, step: Any, domain: Any, *, needed: bool) -> Axis:
    """Cells of categories: each value that occurs, or parts of a declared list."""
    if step is not None:
        raise ParameterError(
            f"step, {column.name}: only numbers and dates have a step; list the "
            "categories in domain."
        )
    if column.hierarchy is not None or domain is None:
        if needed and column.hierarchy is None:
            raise ParameterError(f"domain: {lacking_step(column.name, column.kind)}")
        return plain_axis(column)
    seen = np.unique(column.codes[column.codes < column.missing_code]).tolist()
    points = np.array(between(seen), dtype=np.int64)
    places = np.array(seen, dtype=np.float64)
    cells = np.full(column.cardinality, -1, dtype=np.int32)
    if seen:
        cells[:-1] = place_between(points, np.arange(len(column.values)))
    cells[-1] = len(places)
    return Axis(without_rows(column), cells, places, points)


def lacking_step(name: Any, kind: str | None = None) -> str:
    """Say what a column lacks whose boxes are to show no person's value."""
    ways = {
        "number": f"step: {{{name}: 5}} for cuts at multiples of 5",
        "date": f"step: {{{name}: month}} for cuts at the first of a month",
        "category": f"domain: {{{name}: [a, b, c]}} with every category in its order",
    }
    fitting = ways.get("category" if kind == "ordinal" else str(kind))
    told = fitting or ", or ".join(ways.values())
    return f"column {name!r} has none, and no hierarchy; write {told}."
