"""Labels of nodes, and how they are made less exact."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from anon_transformers.exceptions import DataError, ParameterError, unknown_choice
from anon_transformers.graphs import label_codes
from anon_transformers.hierarchies import Hierarchy, HierarchyBuilder

ROOT = "*"


class LabelColumn:
    """One label of all nodes with its generalizations.

    Labels are the same if readers see the same: 1 and True are two, 1 and "1" are one.
    A missing label is a value of its own, above which there is the root only.

    Parameters
    ----------
    column : Series
        One label per node.
    hierarchy : Hierarchy, HierarchyBuilder or None
        How they are made less exact; None: not at all, or ``*``.

    Attributes
    ----------
    groups : int array of shape (n_levels, n_nodes)
        For each level the group of each node.
    height : int
        Level of the root.
    """

    def __init__(self, column: pd.Series, hierarchy: Any):
        codes, texts, self.column = _read_labels(column)
        if isinstance(hierarchy, HierarchyBuilder):
            hierarchy = hierarchy.build(texts)
        if hierarchy is None:
            levels = [(np.arange(len(texts)), np.array(texts, dtype=object))]
            levels.append((np.zeros(len(texts), np.int64), np.array([ROOT], object)))
        else:
            levels = _hierarchy_levels(hierarchy, texts, codes, column.name)
        self.height = len(levels) - 1
        self.groups = np.empty((len(levels), len(column)), dtype=np.int64)
        self._texts = []
        for level, (groups, names) in enumerate(levels):
            missing = len(names) if level < self.height else 0
            self.groups[level] = np.append(groups, missing)[codes]
            self._texts.append(np.array([*names, None], dtype=object))

    def common_level(self, nodes: np.ndarray, least: int = 0) -> int:
        """The lowest level from ``least`` on at which some nodes have one label."""
        held = self.groups[least:, nodes]
        return least + int((held == held[:, :1]).all(axis=1).argmax())

    def published(self, nodes: np.ndarray, levels: np.ndarray) -> pd.Series:
        """The labels of ``nodes`` at ``levels``, as they were if all levels are 0."""
        if not levels.any():
            return self.column.iloc[nodes].reset_index(drop=True)
        groups = self.groups[levels, nodes]
        texts = np.empty(len(nodes), dtype=object)
        for level, names in enumerate(self._texts):
            there = levels == level
            texts[there] = names[groups[there]]
        return pd.Series(texts, name=self.column.name, dtype="str")


def open_labels(
    labels: pd.DataFrame | None, hierarchies: Mapping[Any, Any] | None
) -> list[LabelColumn]:
    """All columns of labels; a hierarchy of a column that is not there is refused."""
    if not isinstance(hierarchies, Mapping | None):
        raise ParameterError(
            "hierarchies must be a dict of label to Hierarchy or what builds one, got "
            f"{type(hierarchies).__name__}."
        )
    names = pd.Index([]) if labels is None else labels.columns
    repeated = names[names.duplicated()].unique()
    if len(repeated):
        listed = ", ".join(repr(name) for name in repeated)
        raise DataError(
            f"several labels of the nodes have the name {listed}: rename them."
        )
    for name, hierarchy in (hierarchies or {}).items():
        if name not in names:
            message = unknown_choice("label", name, list(names))
            raise ParameterError(f"hierarchies: {message}")
        if not isinstance(hierarchy, Hierarchy | HierarchyBuilder):
            raise ParameterError(
                f"hierarchies: {name!r} needs a Hierarchy or what builds one, got "
                f"{type(hierarchy).__name__}."
            )
    if labels is None:
        return []
    return [LabelColumn(labels[name], (hierarchies or {}).get(name)) for name in names]


def _hierarchy_levels(
    tree: Hierarchy, texts: list[str], codes: np.ndarray, name: Hashable
) -> list[tuple[np.ndarray, np.ndarray]]:
    leaves = tree.locate(texts)
    unknown = int((np.append(leaves, 0)[codes] < 0).sum())
    if unknown:
        raise DataError(
            f"label {name!r}: {unknown} nodes have a value that its hierarchy does not "
            "know."
        )
    levels = [tree.level(level) for level in range(tree.n_levels)]
    return [(level.codes[leaves], level.labels) for level in levels]


def _read_labels(column: pd.Series) -> tuple[np.ndarray, list[str], pd.Series]:
    """Codes with -1 for missing labels, texts, and the labels, equal texts as one."""
    if column.dtype == object:
        nested = int((~column.map(pd.api.types.is_hashable)).sum())
        if nested:
            raise DataError(
                f"label {column.name!r}: {nested} nodes have a list or another "
                "container of values; a label is one value."
            )
    found = label_codes(column)
    _, firsts, codes = np.unique(found, return_index=True, return_inverse=True)
    same = column.iloc[firsts[codes]].reset_index(drop=True)
    known = (column.notna() & (column.astype(str) != "")).to_numpy()[firsts]
    # Missing labels have one code; those before it stay as they are.
    codes = np.append(np.cumsum(known) - 1, -1)[np.where(known[codes], codes, -1)]
    values = column.iloc[firsts[known]].tolist()
    texts = [_label_text(value) for value in values]
    if len(set(texts)) < len(texts):
        texts = [str(value) for value in values]
    marked = int(np.append(np.array(texts, dtype=object) == ROOT, False)[codes].sum())
    if marked:
        raise DataError(
            f"label {column.name!r}: {marked} nodes have {ROOT!r}, which stands for "
            "labels that are left out: write another word."
        )
    return codes, texts, same


def _label_text(value: Any) -> str:
    """A whole number is written without a point, whatever column it came in."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
