"""Boxes drawn by cuts, and values that a hierarchy does not know."""

from collections.abc import Sequence

import numpy as np

from anon_transformers._kernels.mondrian import Boxes
from anon_transformers.hierarchies._hierarchy import Hierarchy
from anon_transformers.partitioning._axes import CutAxis


def without_unknown(
    boxes: Boxes, axes: Sequence[CutAxis], cells: np.ndarray, box_of: np.ndarray
) -> Boxes:
    """Take unknown values out of the boxes that hold none of them.

    Cuts share out every leaf, that of unknown values with them. The box that it falls
    to would publish the root, although no row of it is unknown.

    Parameters
    ----------
    boxes : Boxes
        As the cuts draw them.
    axes : sequence of CutAxis
        One per attribute.
    cells : int32 array of shape (n_attributes, n_points)
        Cell of each point.
    box_of : int32 ndarray
        Box of each point.

    Returns
    -------
    Boxes
        Every point lies in its box as before. A box whose label is the root in any
        case keeps unknown values, so that other rows find a place there.
    """
    low, high = boxes.low.copy(), boxes.high.copy()
    for attribute, axis in enumerate(axes):
        hierarchy, unknown = axis.column.hierarchy, axis.unknown_cell
        if hierarchy is None or unknown is None:
            continue
        held = np.zeros(len(low), dtype=bool)
        held[box_of[cells[attribute] == unknown]] = True
        first, last = low[:, attribute], high[:, attribute]
        at_end = ((first == unknown) | (last == unknown)) & (first < last)
        for box in np.flatnonzero(at_end & ~held).tolist():
            ends = _narrowed(hierarchy, unknown, int(first[box]), int(last[box]))
            low[box, attribute], high[box, attribute] = ends
    return boxes._replace(low=low, high=high)


def _narrowed(
    hierarchy: Hierarchy, unknown: int, first: int, last: int
) -> tuple[int, int]:
    """Ends of a run of leaves without the unknown one, unless the root is above it."""
    ends = first + (first == unknown), last - (last == unknown)
    return (first, last) if _stands_for_all(hierarchy, *ends) else ends


def publishes_root(
    hierarchy: Hierarchy, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Whether the label of each box stands for every value, unknown ones with them."""
    pairs, of_box = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
    found = [
        first <= last and _stands_for_all(hierarchy, first, last)
        for first, last in pairs.T.tolist()
    ]
    return np.array(found, dtype=bool)[of_box]


def _stands_for_all(hierarchy: Hierarchy, first: int, last: int) -> bool:
    _, covered = hierarchy.common_ancestor(first, last)
    return covered == len(hierarchy.leaves)
