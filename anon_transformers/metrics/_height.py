"""How far up their hierarchies the published values lie."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from anon_transformers._data.columns import identify
from anon_transformers._data.frames import to_frame
from anon_transformers.evidence import SUPPRESSED
from anon_transformers.exceptions import DataError, NotEvaluable
from anon_transformers.hierarchies import Hierarchy
from anon_transformers.metrics._coverage import columns_of
from anon_transformers.metrics._labels_read import common_level, plain_label


def generalization_levels(
    published: Any,
    hierarchies: Mapping[Any, Hierarchy],
    suppression_label: str = SUPPRESSED,
) -> dict[Hashable, int]:
    """The level of each column of a full-domain recoding, by its kept rows.

    Where two levels name the values alike, the lower one is returned.

    Raises
    ------
    NotEvaluable
        If the values of a column come from different levels, or no row was kept.

    Examples
    --------
    >>> tree = Hierarchy.from_groups({"EU": ["FR", "IT"], "Asia": ["JP", "CN"]})
    >>> published = pd.DataFrame({"country": ["EU", "EU", "Asia"]})
    >>> generalization_levels(published, {"country": tree})
    {'country': 1}
    """
    frame = to_frame(published)
    columns, n_kept = _kept_labels(frame, hierarchies, suppression_label)
    if not n_kept:
        raise NotEvaluable("there are no levels to tell: no row was kept.")
    levels = {}
    for column in columns:
        level = _column_level(hierarchies[column.name], column.texts)
        if level is None:
            raise NotEvaluable(
                f"column {column.name!r} holds values that no single level has."
            )
        levels[column.name] = level
    return levels


def generalization_height(
    published: Any,
    hierarchies: Mapping[Any, Hierarchy],
    suppression_label: str = SUPPRESSED,
) -> int:
    """Sum of the levels of a full-domain recoding: its height in the lattice.

    Examples
    --------
    >>> tree = Hierarchy.from_groups({"EU": ["FR", "IT"], "Asia": ["JP", "CN"]})
    >>> generalization_height(pd.DataFrame({"country": ["EU"]}), {"country": tree})
    1
    """
    return sum(
        generalization_levels(published, hierarchies, suppression_label).values()
    )


def generalization_precision(
    original: Any,
    published: Any,
    hierarchies: Mapping[Any, Hierarchy],
    suppression_label: str = SUPPRESSED,
) -> float:
    """One less the mean over all cells of their level by the height of the hierarchy.

    A suppressed row counts as the top, whether it is published as ``*`` or left out;
    a missing cell as the ground. As a loss take one less the precision.

    Parameters
    ----------
    original, published : data frames
        Before and after; of the original only the number of rows counts.
    hierarchies : mapping of column to Hierarchy
        One per quasi-identifier.
    suppression_label : str, default="*"
        The text of a suppressed cell.

    Returns
    -------
    float
        1 if nothing was changed, 0 if everything was suppressed.

    References
    ----------
    .. [1] L. Sweeney, "Achieving k-anonymity privacy protection using generalization
       and suppression", IJUFKS 10(5), 2002.

    Examples
    --------
    >>> tree = Hierarchy.from_groups({"EU": ["FR", "IT"], "Asia": ["JP", "CN"]})
    >>> original = pd.DataFrame({"country": ["FR", "IT", "JP", "CN"]})
    >>> published = pd.DataFrame({"country": ["EU", "EU", "Asia", "*"]})
    >>> generalization_precision(original, published, {"country": tree})
    0.375
    """
    frame = to_frame(published)
    n_rows = len(to_frame(original))
    if not n_rows or len(frame) > n_rows:
        raise DataError(
            f"the original has {n_rows} rows, the published table {len(frame)}."
        )
    columns, n_kept = _kept_labels(frame, hierarchies, suppression_label)
    lost = 0.0
    for column in columns:
        hierarchy = hierarchies[column.name]
        steps = column.rows @ _heights(hierarchy, column)
        lost += steps / max(hierarchy.n_levels - 1, 1) + (n_rows - n_kept)
    return float(1 - lost / (n_rows * len(columns)))


class _Kept(NamedTuple):
    """The labels that a column has in kept rows, and how many rows each has."""

    name: Hashable
    texts: list[str]
    rows: np.ndarray


def _kept_labels(
    frame: pd.DataFrame, hierarchies: Mapping[Any, Hierarchy], suppression_label: str
) -> tuple[list[_Kept], int]:
    """The labels of every column, without missing cells, and the number of kept rows.

    A cell that is suppressed in a row that is not counts as the root.
    """
    columns = [identify(frame[n]) for n in columns_of(frame, None, hierarchies)]
    kept = np.zeros(len(frame), dtype=bool)
    for column in columns:
        marked = np.array(
            [str(text) == suppression_label for text in column.texts()] + [False]
        )
        kept |= ~marked[column.codes]
    found = []
    for column in columns:
        rows = np.bincount(column.codes[kept], minlength=column.cardinality)[:-1]
        present = np.flatnonzero(rows)
        root = hierarchies[column.name].root
        texts = [str(text) for text in column.texts()[present]]
        texts = [root if text == suppression_label else text for text in texts]
        found.append(_Kept(column.name, texts, rows[present]))
    return found, int(kept.sum())


def _column_level(hierarchy: Hierarchy, texts: Sequence[str]) -> int | None:
    """The level that all labels are of; None if there is none."""
    names = set(texts)
    if hierarchy.root in names:
        return hierarchy.n_levels - 1 if names == {hierarchy.root} else None
    return common_level(hierarchy, names)


def _heights(hierarchy: Hierarchy, column: _Kept) -> np.ndarray:
    """Level of each label: that of the column, or else the lowest with its name."""
    one = _column_level(hierarchy, column.texts)
    if one is not None:
        return np.full(len(column.texts), one)
    lowest = {hierarchy.root: hierarchy.n_levels - 1}
    for level in range(hierarchy.n_levels):
        for name in hierarchy.level(level).labels:
            lowest.setdefault(name, level)
    heights = [lowest.get(plain_label(text, hierarchy), -1) for text in column.texts]
    found = np.array(heights)
    if (found < 0).any():
        raise DataError(
            f"column {column.name!r} holds labels in {column.rows[found < 0].sum()} "
            "rows that its hierarchy does not have."
        )
    return found
