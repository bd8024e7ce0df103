"""What a box publishes of one attribute."""

from functools import partial

import numpy as np

from anon_transformers._data.columns import Column
from anon_transformers._data.labels import (
    OR_MISSING,
    range_label,
    set_label,
    value_label,
)
from anon_transformers._data.means import group_means
from anon_transformers._data.numbers import point_text
from anon_transformers._kernels.grouping import group_rows
from anon_transformers.base._coded_table import PublishedColumn
from anon_transformers.partitioning._axes import CutAxis


def interval_labels(
    axis: CutAxis, low: np.ndarray, high: np.ndarray, missing: np.ndarray
) -> PublishedColumn:
    """One label per box, from its first and last cell; ``codes`` has one entry per box.

    Where cuts draw the boxes, bounds of numbers and dates lie between two cells; the
    outer ones are the ends of the domain, and left open where none is declared.
    """
    column = axis.column
    distinct = group_rows(
        [low, high + 1, missing.astype(np.int32)], [axis.n_cells + 1] * 2 + [2]
    )
    bounds = low[distinct.first], high[distinct.first], missing[distinct.first]
    if axis.is_declared:
        name = partial(_list_label, axis)
    elif axis.points is not None:
        name = partial(_cut_label, axis)
    else:
        name = partial(_label, column, column.texts())
    # Boxes that a hierarchy gives one name are one class to a reader.
    number_of: dict[str | None, int] = {}
    numbers = np.empty(len(distinct.first), dtype=np.int32)
    for at, box in enumerate(zip(*(part.tolist() for part in bounds), strict=True)):
        numbers[at] = number_of.setdefault(name(*box), len(number_of))
    labels = np.empty(len(number_of), dtype=object)
    labels[:] = list(number_of)
    shares = np.zeros(len(labels))
    np.maximum.at(shares, numbers, _shares(axis, *bounds))
    return PublishedColumn(numbers[distinct.labels], labels, shares)


def center_labels(
    column: Column,
    intervals: PublishedColumn,
    box_of: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
) -> PublishedColumn:
    """Mean of each box, over its known values; the shares stay those of the box."""
    n_boxes = len(intervals.codes)
    means = group_means(column, box_of, codes, weights, n_boxes)
    centers, at = np.unique(means, return_inverse=True)
    # Boxes that happen to have one mean share its label, and cost what they did.
    rows = np.bincount(box_of, weights, n_boxes)
    cost = np.bincount(at, rows * intervals.shares[intervals.codes], len(centers))
    shares = cost / np.bincount(at, rows, len(centers))
    return PublishedColumn(at.astype(np.int32), centers, shares, column.zone)


def _label(column: Column, texts, low: int, high: int, missing: bool) -> str | None:
    if low > high:
        return None
    if column.kind == "category":
        return set_label(texts[low : high + 1], missing=missing)
    if column.hierarchy is not None:
        ancestor, _ = column.hierarchy.common_ancestor(low, high)
        return value_label(ancestor, missing=missing)
    return range_label(texts[low], texts[high], missing=missing)


def _cut_label(axis: CutAxis, low: int, high: int, missing: bool) -> str | None:
    if low > high:
        return None
    first, last = _ends(axis, low, high)
    if first is None:
        text = "any" if last is None else f"< {last}"
    elif last is None:
        text = f">= {first}"
    else:
        # The end of the domain itself lies inside.
        ends_there = axis.ends is not None and high == axis.n_cells - 1
        text = f"[{first}, {last}{']' if ends_there else ')'}"
    return text + OR_MISSING if missing else text


def _ends(axis: CutAxis, low: int, high: int) -> tuple[str | None, str | None]:
    """Texts of the bounds of a box; None where it is open."""
    assert axis.points is not None
    first, last = axis.ends or (None, None)
    first = first if low == 0 else axis.points[low - 1]
    last = last if high == axis.n_cells - 1 else axis.points[high]
    zone = axis.column.zone
    texts = [None if end is None else point_text(end, zone) for end in (first, last)]
    return texts[0], texts[1]


def _list_label(axis: CutAxis, low: int, high: int, missing: bool) -> str | None:
    if low > high:
        return None
    first, last = _places(axis, np.array([low]), np.array([high]))
    # All of them: the first and the last would do only where everybody knows the list.
    members = axis.column.values[first[0] : last[0] + 1]
    return set_label(members.tolist(), missing=missing, longest=None)


def _places(
    axis: CutAxis, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """First and last place in a declared list that boxes hold."""
    cells = axis.cells[:-1]
    return (
        np.searchsorted(cells, low, side="left"),
        np.searchsorted(cells, high, side="right") - 1,
    )


def _shares(
    axis: CutAxis, low: np.ndarray, high: np.ndarray, missing: np.ndarray
) -> np.ndarray:
    """Share of the domain that lies in each box: 0 for one value, 1 for all."""
    column = axis.column
    empty = low > high
    if not axis.n_cells:
        return np.zeros(len(low))
    low, high = np.where(empty, 0, low), np.where(empty, 0, high)
    if column.kind in {"number", "date"}:
        first, last, whole = _extents(axis, low, high)
        width = (last - first) / (whole or 1.0)
        shares = np.minimum(1.0, width + missing / (axis.n_cells + 1))
        return np.where(empty, 0.0, shares)
    if axis.is_declared:
        low, high = _places(axis, low, high)
    covered = high - low + 1
    if column.hierarchy is not None:
        ancestor = column.hierarchy.common_ancestor
        covered = np.array([ancestor(*ends)[1] for ends in zip(low, high, strict=True)])
    others = len(column.values) + missing.any() - 1
    return np.where(empty, 0.0, (covered + missing - 1) / (others or 1))


def _extents(
    axis: CutAxis, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Where boxes begin and end, and how far all values reach.

    Boxes that are drawn around values, or halfway between two, reach from the first to
    the last one inside; those of a step or a domain to their bounds, and where these
    are open, to the outermost value.
    """
    if axis.points is None or (axis.ends is None and not axis.snapped):
        places = axis.positions
        return places[low], places[high], places[-1] - places[0]
    values = axis.column.values
    outer = axis.ends or (values[0], values[-1])
    bounds = [_measured(end, axis.column) for end in (outer[0], *axis.points, outer[1])]
    # A bound may lie below the lowest value, or above the highest, that is known.
    places = np.maximum.accumulate(np.array(bounds))
    return places[low], places[high + 1], places[-1] - places[0]


def _measured(end: object, column: Column) -> float:
    """Half of a number or moment: the whole range of doubles would be none."""
    if column.kind == "date":
        end = np.datetime64(end).astype(column.values.dtype).astype(np.int64)  # type: ignore[call-overload]
    return float(end) / 2  # type: ignore[arg-type]
