"""What a box publishes of one attribute."""

from functools import partial

import numpy as np

from anon_transformers._kernels.grouping import group_rows
from anon_transformers._labels import OR_MISSING, range_label, set_label, value_label
from anon_transformers._means import group_means
from anon_transformers._recoding import PublishedColumn
from anon_transformers._tables import Column
from anon_transformers.partitioning._cut_points import cut_points, point_text


def interval_labels(
    column: Column,
    low: np.ndarray,
    high: np.ndarray,
    missing: np.ndarray,
    *,
    by_cuts: bool = False,
) -> PublishedColumn:
    """One label a box, from its bounds; ``codes`` of the result go by box.

    With ``by_cuts``, bounds of numbers and dates lie halfway between two values, and
    the outer ones are left open.
    """
    distinct = group_rows(
        [low, high + 1, missing.astype(np.int32)],
        [column.cardinality, column.cardinality, 2],
    )
    bounds = low[distinct.first], high[distinct.first], missing[distinct.first]
    if by_cuts and column.kind in {"number", "date"}:
        name = partial(_cut_label, column, cut_points(column.values, column.zone))
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
    np.maximum.at(shares, numbers, _shares(column, *bounds))
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


def _cut_label(
    column: Column, points: np.ndarray, low: int, high: int, missing: bool
) -> str | None:
    if low > high:
        return None
    zone = column.zone
    first = None if low == 0 else point_text(points[low - 1], zone)
    last = None if high == len(points) else point_text(points[high], zone)
    if first is None:
        text = "any" if last is None else f"< {last}"
    else:
        text = f">= {first}" if last is None else f"[{first}, {last})"
    return text + OR_MISSING if missing else text


def _shares(
    column: Column, low: np.ndarray, high: np.ndarray, missing: np.ndarray
) -> np.ndarray:
    """Share of the domain that lies in each box: 0 for one value, 1 for all."""
    empty = low > high
    if not len(column.values):
        return np.zeros(len(low))
    low, high = np.where(empty, 0, low), np.where(empty, 0, high)
    if column.kind in {"number", "date"}:
        places = column.positions()
        width = (places[high] - places[low]) / ((places[-1] - places[0]) or 1.0)
        shares = np.minimum(1.0, width + missing / column.cardinality)
        return np.where(empty, 0.0, shares)
    covered = high - low + 1
    if column.hierarchy is not None:
        ancestor = column.hierarchy.common_ancestor
        covered = np.array([ancestor(*ends)[1] for ends in zip(low, high, strict=True)])
    others = len(column.values) + missing.any() - 1
    return np.where(empty, 0.0, (covered + missing - 1) / (others or 1))
