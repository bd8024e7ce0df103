"""A column at one level of its hierarchy."""

from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd

from anon_transformers._data.columns import Column, leaf_column, refuse_unknown
from anon_transformers._data.dates import like_fitted
from anon_transformers._data.labels import value_label
from anon_transformers.base._coded_table import PublishedColumn


@dataclass(frozen=True)
class LevelColumn(Column):
    """A column that is published at one level, and can take values not seen before.

    Attributes
    ----------
    since : int64 ndarray or None
        Level from which on each row's value and the leaf that ``codes`` points at have
        the same generalizations. None: the values are those leaves.
    """

    since: np.ndarray | None = None

    @classmethod
    def of(cls, column: Column) -> "LevelColumn":
        """The same column."""
        return cls(**{part.name: getattr(column, part.name) for part in fields(column)})

    def encode_more(self, series: pd.Series) -> Column:
        """Code other rows by the rule of the fitted hierarchy, if it has one."""
        hierarchy = self.hierarchy
        if hierarchy is None or hierarchy.rule is None:
            return super().encode_more(series)
        series = like_fitted(series, self.zone, self.name)
        column, found, respell = leaf_column(series)
        texts = found.tolist()
        places, since = hierarchy.meet(texts)
        if respell is not None:
            # 3 and 3.0 are one number: what the fitted column called it meets sooner.
            others, sooner = hierarchy.meet([respell(text) for text in texts])
            better = (others >= 0) & ((places < 0) | (sooner < since))
            places = np.where(better, others, places)
            since = np.where(better, sooner, since)
        places = np.append(hierarchy.apply_policy(places), self.missing_code)
        more = replace(
            self,
            codes=places[column.codes].astype(np.int32),
            since=np.append(since, 0)[column.codes],
            fitted_missing=self.knows_missing,
        )
        refuse_unknown(more)
        return more


def level_tables(column: Column) -> list[np.ndarray]:
    """For each level the group of every code."""
    assert column.hierarchy is not None
    return [_groups(column, level) for level in range(column.hierarchy.n_levels)]


def takes_missing(column: Column, level: int) -> bool:
    """Whether a missing value is published as the others of a level: at the top.

    A root that is a number says so, and takes none that ``fit`` did not see: nobody
    may read 0 for what is missing.
    """
    assert column.hierarchy is not None
    top = level == column.hierarchy.n_levels - 1
    return top and (column.hierarchy.root_is_anything or column.knows_missing)


def _groups(column: Column, level: int) -> np.ndarray:
    """Group of every code; a missing value is one of its own below the top."""
    assert column.hierarchy is not None
    codes, labels, _ = column.hierarchy.level(level)
    joins = takes_missing(column, level)
    return np.append(codes, np.int32(0 if joins else len(labels)))


def publish_level(column: Column, level: int) -> PublishedColumn:
    """Every row of a column at one level of its hierarchy.

    Parameters
    ----------
    column : Column
        Coded rows, with a hierarchy.
    level : int
        From 0, the values themselves, to the root.

    Returns
    -------
    PublishedColumn
        The share of a label is that of the leaves below it.

    Examples
    --------
    >>> from anon_transformers import Hierarchy
    >>> from anon_transformers.base import LinkedTable
    >>> lands = Hierarchy.from_groups({"Europe": ["AT", "NO"], "Asia": ["JP"]})
    >>> table = LinkedTable(pd.DataFrame({"land": ["NO", "JP"]}), {"land": lands})
    >>> found = publish_level(table.column("land"), 1)
    >>> found.labels[found.codes]
    array(['Europe', 'Asia'], dtype=object)
    """
    assert column.hierarchy is not None
    _, labels, leaf_counts = column.hierarchy.level(level)
    if takes_missing(column, level) and not column.hierarchy.root_is_anything:
        labels = np.array([value_label(labels[0], missing=True)], dtype=object)
    others = len(column.values) - 1
    shares = (leaf_counts - 1) / others if others else np.zeros(len(labels))
    # A value that cannot be coded has no group; its code -1 picks the last entry.
    codes = np.append(_groups(column, level), -1).astype(np.int32)[column.codes]
    if isinstance(column, LevelColumn) and column.since is not None:
        codes = np.where(column.since > level, np.int32(-1), codes)
    return PublishedColumn(
        codes, np.array([*labels, None], dtype=object), np.append(shares, 0.0)
    )
