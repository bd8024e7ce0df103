"""What a box publishes of one attribute."""

import numpy as np

from anon_transformers._kernels.grouping import group_rows
from anon_transformers._labels import OR_MISSING, range_label, set_label
from anon_transformers._recoding import PublishedColumn
from anon_transformers._tables import Column


def interval_labels(
    column: Column, low: np.ndarray, high: np.ndarray, missing: np.ndarray
) -> PublishedColumn:
    """One label a box, from its bounds; ``codes`` of the result go by box."""
    distinct = group_rows(
        [low, high + 1, missing.astype(np.int32)],
        [column.cardinality, column.cardinality, 2],
    )
    texts = column.texts()
    has_missing = bool(missing.any())
    labels = np.empty(len(distinct.first), dtype=object)
    shares = np.empty(len(distinct.first))
    for at, box in enumerate(distinct.first):
        bounds = int(low[box]), int(high[box]), bool(missing[box])
        labels[at] = _label(column, texts, *bounds)
        shares[at] = _share(column, *bounds, has_missing)
    return PublishedColumn(distinct.labels, labels, shares)


def center_labels(
    column: Column,
    intervals: PublishedColumn,
    box_of: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
) -> PublishedColumn:
    """Mean of each box, over its known values; the shares stay those of the box."""
    known = codes < column.missing_code
    values = column.values[codes[known]]
    if column.kind == "date":
        values = values.astype(np.int64)
    n_boxes = len(intervals.codes)
    mass = np.bincount(box_of[known], weights[known], n_boxes)
    total = np.bincount(box_of[known], weights[known] * values.astype(float), n_boxes)
    means = np.divide(total, mass, out=np.full(n_boxes, np.nan), where=mass > 0)
    means = np.where(mass > 0, means + 0.0, np.nan)
    centers, at = np.unique(means, return_inverse=True)
    shares = np.zeros(len(centers))
    np.maximum.at(shares, at, intervals.shares[intervals.codes])
    if column.kind == "date":
        whole = np.where(np.isnan(centers), np.iinfo(np.int64).min, centers)
        centers = whole.astype(np.int64).view(column.values.dtype)
    return PublishedColumn(at.astype(np.int32), centers, shares)


def _label(column: Column, texts, low: int, high: int, missing: bool) -> str | None:
    if low > high:
        return None
    if column.kind == "category":
        return set_label(texts[low : high + 1], missing=missing)
    if column.hierarchy is not None:
        ancestor, _ = column.hierarchy.common_ancestor(low, high)
        return ancestor + OR_MISSING if missing else ancestor
    return range_label(texts[low], texts[high], missing=missing)


def _share(
    column: Column, low: int, high: int, missing: bool, has_missing: bool
) -> float:
    """Share of the domain that lies in the box: 0 for one value, 1 for all."""
    if low > high:
        return 0.0
    if column.kind in {"number", "date"}:
        span = (
            float(column.values[-1] - column.values[0]) if len(column.values) > 1 else 0
        )
        width = float(column.values[high] - column.values[low]) / span if span else 0.0
        return min(1.0, width + missing / column.cardinality)
    covered = high - low + 1
    if column.hierarchy is not None:
        _, covered = column.hierarchy.common_ancestor(low, high)
    others = len(column.values) + has_missing - 1
    return (covered + missing - 1) / others if others else 0.0
