"""A column at one level of its hierarchy."""

import numpy as np

from anon_transformers._recoding import PublishedColumn
from anon_transformers._tables import Column


def level_tables(column: Column) -> list[np.ndarray]:
    """For each level the group of every code.

    A missing value is a group of its own below the top, where all are one.
    """
    assert column.hierarchy is not None
    tables = []
    for level in range(column.hierarchy.n_levels):
        codes, labels, _ = column.hierarchy.level(level)
        top = level == column.hierarchy.n_levels - 1
        tables.append(np.append(codes, 0 if top else len(labels)))
    return tables


def publish_level(column: Column, level: int) -> PublishedColumn:
    """Every row of a column at one level."""
    assert column.hierarchy is not None
    _, labels, leaf_counts = column.hierarchy.level(level)
    others = len(column.values) - 1
    shares = (leaf_counts - 1) / others if others else np.zeros(len(labels))
    group = level_tables(column)[level]
    return PublishedColumn(
        np.where(column.codes < 0, -1, group[column.codes]).astype(np.int32),
        np.array([*labels, None], dtype=object),
        np.append(shares, 0.0),
    )
